"""`memory_barrier`: a barrier for all threads of the process."""

from __future__ import annotations

import ctypes
import platform
import sys
import time

_SYS_MEMBARRIER = {"x86_64": 324, "aarch64": 283, "riscv64": 283}
_PRIVATE_EXPEDITED, _REGISTER_PRIVATE_EXPEDITED = 8, 16
_DRAINED = 0.01


def memory_barrier() -> None:
    """Make every thread of the process pass a full memory barrier (membarrier(2) on Linux).

    If the system offers none, sleep much longer than any processor delays a store.
    """
    number = _SYS_MEMBARRIER.get(platform.machine())
    if sys.platform == "linux" and number is not None:
        call = ctypes.CDLL(None).syscall
        if call(number, _REGISTER_PRIVATE_EXPEDITED, 0) == 0 and call(number, _PRIVATE_EXPEDITED, 0) == 0:
            return
    time.sleep(_DRAINED)
