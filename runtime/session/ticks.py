"""The clock of native code, whose unit is its own."""

from __future__ import annotations

import ctypes
import time

from tscript.runtime.session.observation import Observation

LEAST = 500_000
"""Nanoseconds over which it is compared with Python's clock, at least."""


class Ticks:
    """How fast the clock runs, measured from when this was made.

    Args:
        observation: Knows the module with the function that reads it.
    """

    def __init__(self, observation: Observation) -> None:
        self._read = ctypes.PYFUNCTYPE(ctypes.c_int64)(observation.native.module.address("ts_ticks_v1"))
        self._began, self._first = time.perf_counter_ns(), self._read()

    def per_second(self) -> float:
        """Ticks of a second; 0 where there is no such clock."""
        while (passed := time.perf_counter_ns() - self._began) < LEAST:
            pass
        counted: int = self._read() - self._first
        return 1e9 * counted / passed
