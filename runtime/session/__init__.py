"""What a process has one of: its builds, calls, callbacks and caches."""
