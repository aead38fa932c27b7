"""Locks between the processes of a machine, so that only one of them makes an entry of the cache.

A lock is a byte of a file, and a key chooses the byte. It belongs to an open file, so it ends with its process, however
that ends. Where the system or the disk has no such locks, nobody waits.
"""

from __future__ import annotations

import os
import struct
import time
from enum import Enum

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

WAIT = 30.0
"""Seconds that a process waits for another one, before it does the work itself: the other one may be stopped."""

_FIRST, _LONGEST = 0.001, 0.025
"""Seconds between attempts: the first ones, and later ones."""

_COMMAND: int | None = getattr(fcntl, "F_OFD_SETLK", None)


class Lock(Enum):
    """How an attempt to take a lock went."""

    FREE = "free"
    """It is held now, and was free before."""

    WAITED = "waited"
    """It is held now; another process held it before."""

    NONE = "none"
    """It is not held: there are no locks, or the other process takes too long."""


def take(handle: int, key: str, wait: float) -> Lock:
    """Take the lock for a key.

    Args:
        handle: An open file, for reading and writing.
        key: Hexadecimal digits.
        wait: Seconds to wait for another process.
    """
    begin, pause, found = time.monotonic(), _FIRST, Lock.FREE
    while True:
        try:
            _set(handle, key, is_taken=True)
        except (BlockingIOError, PermissionError):
            if time.monotonic() - begin >= wait:
                return Lock.NONE
        except OSError:
            return Lock.NONE
        else:
            return found
        time.sleep(pause)
        pause, found = min(pause * 1.5, _LONGEST), Lock.WAITED


def release(handle: int, key: str) -> None:
    """Release the lock, also where a child of this process has the file open."""
    try:
        _set(handle, key, is_taken=False)
    except OSError:
        return


def _set(handle: int, key: str, *, is_taken: bool) -> None:
    if _COMMAND is None:
        raise OSError("no locks")
    kind = fcntl.F_WRLCK if is_taken else fcntl.F_UNLCK
    fcntl.fcntl(handle, _COMMAND, struct.pack("hhqqi4x", kind, os.SEEK_SET, int(key[:15], 16), 1, 0))
