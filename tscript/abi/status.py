"""What a native function returns: an i32 status."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """0 is success; anything else unwinds to the entry wrapper."""

    OK = 0
    RAISED = 1
    """`Context.trace[0]` names the exception, `Context.args` its arguments."""
    PYTHON = 2
    """A Python exception is already set (a signal handler raised, a callback failed)."""
