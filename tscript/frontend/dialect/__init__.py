"""The low-level dialect, lowered."""
