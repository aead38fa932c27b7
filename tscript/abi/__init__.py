"""Native layouts, status codes, symbol names: pure data shared by backend and runtime."""
