"""The always-on profile: counts and times of operators, gathered in native code.

Every operator is counted, in each thread on its own. Times are taken of some, at random, because reading the cycle
counter twice costs more than counting: the estimate of the whole is ``total_ns * count / timed``.
"""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tscript.abi.layout import HISTOGRAM, STATISTIC
from tscript.abi.record import RecordScope, Route
from tscript.runtime.session.observation import Observation, Slot, probability_of, scopes_of
from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once

TIMING_PROBABILITY = 1 / 16

LONGEST_GAP = 1 << 40
"""Runs between two that are timed, at most."""

CALIBRATION = 0.005
"""Seconds over which the cycle counter is compared with the clock."""


@dataclass(frozen=True, slots=True)
class OperatorStats:
    """What is known of one operator since the statistics were switched on.

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
        """Mean of the timed runs; 0.0 when none was."""
        return self.total_ns / self.timed if self.timed else 0.0

    @property
    def estimated_total_ns(self) -> float:
        """What all runs took, if the others took what the timed ones did."""
        return self.mean_ns * self.count


class Collector:
    """The switch of the statistics; there is one for the process, owned by its `Observation`."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.slot: Slot | None = None

    def start(self, gap: int, scopes: tuple[RecordScope, ...]) -> None:
        """Begin to count, or go on with other settings."""
        registry = self.observation.registry
        if not registry.tick_scale:
            registry.tick_scale = nanoseconds_per_tick(self.observation)
        with self._exchanged():
            registry.timing_gap = gap
            self.slot = self.observation.add(
                Route.STATISTICS, 0, 0, 0,
                scopes=scopes, probability=1.0, needs=0, granularity=0, local=False, max_faults=0, name="operator_stats",
            )  # fmt: skip

    def stop(self) -> None:
        """Count no more; what was counted stays."""
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
            # Not under the lock: a callback that is waited for may want it.
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
    """What the cycle counter counts, measured."""
    ticks = ctypes.PYFUNCTYPE(ctypes.c_int64)(observation.native.internal("ts_ticks_v1"))
    ticks()
    began, first = time.perf_counter_ns(), ticks()
    time.sleep(CALIBRATION)
    last, ended = ticks(), time.perf_counter_ns()
    elapsed: int = ended - began
    counted: int = last - first
    return elapsed / max(1, counted)


def enable_operator_stats(
    enabled: bool = True,
    *,
    timing_prob: float = TIMING_PROBABILITY,
    scopes: Iterable[RecordScope | str] | None = (RecordScope.OPERATOR,),
) -> None:
    """Switch the statistics of operators on or off, for all threads. What was counted stays until
    `reset_operator_stats`.

    Args:
        enabled: Which of them.
        timing_prob: Which share of the runs is timed, from 0 to 1.
        scopes: What is counted, `RecordScope`s or their names; None: everything.

    Raises:
        TypeError: A probability that is no number.
        ValueError: A probability outside of [0, 1], an unknown scope.
        CallbackError: There are too many callbacks.

    Example:
        >>> import tscript
        >>> tscript.enable_operator_stats(timing_prob=1.0)
        >>> _ = tscript.tensor([1.0]) + 1.0
        >>> tscript.operator_stats()["add"].count
        1
        >>> tscript.enable_operator_stats(False)
        >>> tscript.reset_operator_stats()
    """
    log_api_usage_once("tscript.enable_operator_stats")
    timed = probability_of(timing_prob, "a timing probability")
    counted = scopes_of(scopes)
    collector = current().observation.collector
    if enabled:
        collector.start(min(round(1 / max(timed, 1 / LONGEST_GAP)), LONGEST_GAP) if timed else 0, counted)
    else:
        collector.stop()


def operator_stats(scope: RecordScope | str = RecordScope.OPERATOR) -> dict[str, OperatorStats]:
    """The statistics of every operator that has run since they were switched on, in all threads.

    Args:
        scope: Whose statistics; a `RecordScope` or its name.

    Returns:
        By operator name, with the overload behind a dot where it has one; the longest in sum first.

    Raises:
        ValueError: There is no such scope.

    Example:
        >>> import tscript
        >>> tscript.enable_operator_stats()
        >>> _ = tscript.tensor([1.0]) * 2.0
        >>> tscript.enable_operator_stats(False)
        >>> {name: stats.count for name, stats in tscript.operator_stats().items()}
        {'mul': 1}
        >>> tscript.reset_operator_stats()
    """
    (wanted,) = scopes_of(scope)
    merged: dict[tuple[str, str], list[int]] = {}
    described: dict[int, tuple[int, str, str]] = {}
    for row in current().observation.collector.rows():
        if row.site not in described:
            described[row.site] = current().observation.identity_of(row.site)
        found, name, overload = described[row.site]
        if found != wanted or not row.count:
            continue
        values = [row.count, row.timed, row.total, row.maximum, *row.histogram]
        before = merged.get((name, overload))
        if before is not None:
            longest = max(before[3], values[3])
            values = [a + b for a, b in zip(before, values, strict=True)]
            values[3] = longest
        merged[name, overload] = values
    stats = [
        OperatorStats(name, overload, values[0], values[1], values[2], values[3], tuple(values[4 : 4 + HISTOGRAM]))
        for (name, overload), values in merged.items()
    ]
    stats.sort(key=lambda s: (-s.estimated_total_ns, s.name, s.overload))
    return {f"{s.name}.{s.overload}" if s.overload else s.name: s for s in stats}


def reset_operator_stats() -> None:
    """Set all counts and times to 0.

    Example:
        >>> import tscript
        >>> tscript.reset_operator_stats()
    """
    for row in current().observation.collector.rows():
        ctypes.memset(
            ctypes.addressof(row) + STATISTIC.offsets["count"], 0, STATISTIC.size - STATISTIC.offsets["count"]
        )


__all__ = ["OperatorStats", "enable_operator_stats", "operator_stats", "reset_operator_stats"]
