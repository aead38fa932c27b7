"""The always-on profile: counts and times of operators, gathered in native code.

Each thread counts every operator. Only some calls are timed, at random, because reading the cycle counter twice costs
more than counting: the estimate of the total time is ``total_ns * count / timed``.
"""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Iterator

from tscript.abi.layout import STATISTIC
from tscript.abi.record import RecordScope, Route
from tscript.late import dataclass
from tscript.runtime.session.observation import Observation, Slot

CALIBRATION = 0.005
"""Seconds over which the cycle counter is compared with the clock."""


@dataclass(frozen=True, slots=True)
class OperatorStats:
    """The statistics of one operator since they were switched on.

    Attributes:
        name: The operator; ``fused_`` and its members for a fused group.
        overload: Its overload.
        count: How often it ran.
        timed: How many of those runs were timed.
        total_ns: Nanoseconds of the timed runs.
        max_ns: The longest of them.
        histogram: Of the timed runs: entry i counts those that took from 2^i to below 2^(i+1) ns.
    """

    name: str
    overload: str
    count: int
    timed: int
    total_ns: int
    max_ns: int
    histogram: tuple[int, ...]

    @property
    def mean_ns(self) -> float:
        """Mean of the timed runs; 0.0 if there is none."""
        return self.total_ns / self.timed if self.timed else 0.0

    @property
    def estimated_total_ns(self) -> float:
        """The estimated time of all runs."""
        return self.mean_ns * self.count


class Collector:
    """The switch of the statistics; there is one for the process, owned by the `Runtime`."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.slot: Slot | None = None

    def start(self, gap: int, scopes: tuple[RecordScope, ...]) -> None:
        """Begin to count, or continue with other settings."""
        registry = self.observation.registry
        if not registry.tick_scale:
            registry.tick_scale = nanoseconds_per_tick(self.observation)
        with self._exchanged():
            registry.timing_gap = gap
            self.slot = self.observation.add(
                Route.STATISTICS, 0, 0, 0,
                scopes=scopes, probability=1.0, needs=0, granularity=0, local=False, max_faults=0,
                name="operator_stats",
            )  # fmt: skip

    def stop(self) -> None:
        """Stop counting; the counts stay."""
        with self._exchanged():
            pass

    @contextlib.contextmanager
    def _exchanged(self) -> Iterator[None]:
        before = None
        try:
            with self.observation.lock:
                before, self.slot = self.slot, None
                if before is not None:
                    self.observation.withdraw(before)
                yield
        finally:
            # Not under the lock: a callback that this waits for may need it.
            if before is not None:
                self.observation.retire(before)

    def rows(self) -> list[ctypes.Structure]:
        """The `STATISTIC`s of all threads."""
        found = []
        for _, thread in self.observation.threads():
            table = thread.statistics
            if not table:
                continue
            capacity = ctypes.c_int64.from_address(table).value
            cells = (ctypes.c_int64 * capacity).from_address(table + 16)
            found += [STATISTIC.ctype.from_address(cell) for cell in cells if cell]
        return found


def nanoseconds_per_tick(observation: Observation) -> float:
    """The measured frequency of the cycle counter."""
    ticks = ctypes.PYFUNCTYPE(ctypes.c_int64)(observation.native.module.address("ts_ticks_v1"))
    ticks()
    began, first = time.perf_counter_ns(), ticks()
    time.sleep(CALIBRATION)
    last, ended = ticks(), time.perf_counter_ns()
    elapsed: int = ended - began
    counted: int = last - first
    return elapsed / max(1, counted)


__all__ = ["Collector", "OperatorStats", "nanoseconds_per_tick"]
