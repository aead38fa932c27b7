"""Timing that stands noise: the variants of a workload take turns, the minimum of each counts, ratios are what to read."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

Call = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """One workload: nanoseconds per call, by variant."""

    name: str
    times: Mapping[str, float]


def _loop(function: Callable[..., Any], args: tuple[Any, ...], count: int) -> float:
    start = time.perf_counter
    if len(args) == 1:
        (a,) = args
        begun = start()
        for _ in repeat(None, count):
            function(a)
        return start() - begun
    if len(args) == 2:
        a, b = args
        begun = start()
        for _ in repeat(None, count):
            function(a, b)
        return start() - begun
    begun = start()
    for _ in repeat(None, count):
        function(*args)
    return start() - begun


def interleave(name: str, calls: Mapping[str, Call], *, rounds: int = 12, target: float = 0.01) -> Row:
    """Time each call in turns.

    Args:
        name: Of the workload.
        calls: Function and arguments by variant; each is called once before timing.
        rounds: How many turns.
        target: Seconds that one turn of one variant should take.
    """
    counts: dict[str, int] = {}
    for variant, (function, args) in calls.items():
        function(*args)
        count = 1
        while (taken := _loop(function, args, count)) < target / 4 and count < 1 << 20:
            count *= 4
        counts[variant] = max(1, int(count * target / max(taken, 1e-9)))
    best = dict.fromkeys(calls, float("inf"))
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for variant, (function, args) in calls.items():
                taken = _loop(function, args, counts[variant]) / counts[variant]
                best[variant] = min(best[variant], taken * 1e9)
    finally:
        gc.enable()
    return Row(name, best)


def readable(nanoseconds: float) -> str:
    """``21.3 ns``, ``4.51 us``, ``1.20 ms``."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def table(title: str, rows: list[Row], baseline: str = "tscript") -> str:
    """The rows as a Markdown table; in brackets the time relative to `baseline`."""
    variants = list(dict.fromkeys(v for row in rows for v in row.times))
    lines = [f"### {title}", "", f"| workload | {' | '.join(variants)} |", "|---" * (len(variants) + 1) + "|"]
    for row in rows:
        cells = []
        for variant in variants:
            found = row.times.get(variant)
            if found is None:
                cells.append("")
            elif variant == baseline or baseline not in row.times:
                cells.append(readable(found))
            else:
                cells.append(f"{readable(found)} ({found / row.times[baseline]:.2f} x)")
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])
