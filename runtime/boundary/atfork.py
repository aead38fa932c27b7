"""Hooks around `os.fork` that run as native code directly before and after the process is copied.

Those of `os.register_at_fork` are Python code: between them other threads get the GIL, and one that wants a lock which
is held meanwhile keeps it for ever.
"""

from __future__ import annotations

import ctypes
import os


def register(before: int, in_parent: int, in_child: int) -> None:
    """Have native functions without parameters called around every fork of this process.

    Args:
        before: Address of what takes locks.
        in_parent: Of what gives them back.
        in_child: Of what sets them up anew.
    """
    if not hasattr(os, "fork"):
        return
    library = ctypes.CDLL(None)
    hooks = [ctypes.c_void_p(address) for address in (before, in_parent, in_child)]
    if hasattr(library, "pthread_atfork"):
        library.pthread_atfork(*hooks)
    else:  # what it is in the GNU library
        getattr(library, "__register_atfork")(*hooks, None)


__all__ = ["register"]
