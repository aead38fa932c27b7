"""The statistics of operators: switched on and off, read and reset. `tscript.runtime.session.statistics` gathers
them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from tscript.abi.layout import HISTOGRAM, STATISTIC
from tscript.abi.record import RecordScope
from tscript.runtime.session.callback_arguments import probability_of, scopes_of
from tscript.runtime.session.process import current
from tscript.runtime.session.statistics import OperatorStats
from tscript.runtime.session.usage import log_api_usage_once

TIMING_PROBABILITY = 1 / 16

LONGEST_GAP = 1 << 40
"""Runs between two that are timed, at most."""


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
        TypeError: A probability that is not a number.
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
    collector = current().collector
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
    for row in current().collector.rows():
        if row.site not in described:
            described[row.site] = current().observation.sites.identity_of(row.site)
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
    for row in current().collector.rows():
        ctypes.memset(
            ctypes.addressof(row) + STATISTIC.offsets["count"], 0, STATISTIC.size - STATISTIC.offsets["count"]
        )


__all__ = ["OperatorStats", "enable_operator_stats", "operator_stats", "reset_operator_stats"]
