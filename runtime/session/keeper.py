"""Native memory: how much there is in all heaps; what nobody has used for a while goes back to the system."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from tscript.abi.layout import HEAP

MOST_CACHED = 1 << 30
"""Bytes of freed blocks that are kept for reuse, at most."""

AT_A_TIME = 1 << 22
"""Bytes that one call gives back: the GIL is free between them."""

ROUNDS = 3
"""After so many rounds without anything to give back the thread ends."""


class HeapKeeper:
    """Runs a thread while much memory is cached. What was not used between two of its rounds goes back.

    Args:
        heap: View of the heap, whose hook this is.
        decay: The kernel ``heap_decay``: gives back so many bytes, more or less, and returns how many.

    Attributes:
        interval: Seconds between two rounds.
    """

    def __init__(self, heap: Any, decay: Callable[[int], int]) -> None:
        self.interval = 1.0
        self._heap = heap
        self._decay = decay
        self._hook = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._begin)
        heap.hook = ctypes.cast(self._hook, ctypes.c_void_p).value
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._in_child)

    def _begin(self, _: int | None) -> int:
        try:
            threading.Thread(target=self._run, name="tscript-heap", daemon=True).start()
        except RuntimeError:  # the interpreter ends, or there may be no more threads
            self._heap.decays = 0
        return 0

    def _run(self) -> None:
        idle = 0
        while idle < ROUNDS:
            time.sleep(self.interval)
            gave = False
            while self._decay(AT_A_TIME):
                gave = True
                time.sleep(0)
            idle = 0 if gave else idle + 1
        self._heap.decays = 0

    def empty(self) -> None:
        """Give all back that nobody uses."""
        for _ in range(2):  # the first round marks what was used since the last one
            while self._decay(AT_A_TIME):
                pass

    def _in_child(self) -> None:
        """Only the forking thread is left."""
        self._heap.decays = 0


def total(heap: Any, name: str) -> int:
    """The sum of a counter over the heaps of all threads: what one makes and another one frees is counted in both.

    Args:
        heap: View of the first heap.
        name: The field.
    """
    count = int(getattr(heap, name))
    while heap.next:
        heap = HEAP.ctype.from_address(heap.next)
        count += getattr(heap, name)
    return count


def cache_limit(groups: str = "/sys/fs/cgroup/memory.max") -> int:
    """Bytes of freed blocks that are kept for reuse: not more than a quarter of what the container may use.

    Args:
        groups: The file with that limit: bytes, or ``max``.
    """
    try:
        with open(groups) as file:
            return min(MOST_CACHED, int(file.read()) // 4)
    except (OSError, ValueError):
        return MOST_CACHED
