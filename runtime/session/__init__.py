"""The objects of which a process has one: builds, calls, callbacks and caches."""
