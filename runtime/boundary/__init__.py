"""The boundary to CPython: everything through which Python objects reach native code."""
