"""Timing that stands noise: the variants of a workload take turns, the minimum of each counts, ratios are what to
read."""

from __future__ import annotations

import gc
import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

Call = tuple[str | Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments, or an expression over ``a``, ``b`` … ``z`` that stand for the arguments."""


@dataclass(frozen=True, slots=True)
class Row:
    """One workload: nanoseconds per call, by variant."""

    name: str
    times: Mapping[str, float]


def _timer(function: str | Callable[..., Any], args: tuple[Any, ...], clock: Callable[[], float]) -> timeit.Timer:
    names = dict(zip(ascii_lowercase, args, strict=False))
    statement = function if isinstance(function, str) else f"function({', '.join(names)})"
    return timeit.Timer(statement, timer=clock, globals={**names, "function": function})


def interleave(
    name: str,
    calls: Mapping[str, Call],
    *,
    rounds: int = 12,
    target: float = 0.01,
    clock: Callable[[], float] = time.perf_counter,
    pause: float = 0.0,
) -> Row:
    """Time each call in turns.

    Args:
        name: Of the workload.
        calls: What to time by variant; each is called once before timing.
        rounds: How many turns.
        target: Seconds that one turn of one variant should take.
        clock: What it is timed with; `time.process_time` for long calls on one thread of a busy machine.
        pause: Seconds of rest before each turn, and of calls that are not timed: threads of the variant before look for
            work for a while, which takes processors from the next one, and threads that slept come late.
    """
    timers = {variant: _timer(function, args, clock) for variant, (function, args) in calls.items()}
    counts: dict[str, int] = {}
    for variant, timer in timers.items():
        timer.timeit(1)
        count = 1
        while (taken := timer.timeit(count)) < target / 4 and count < 1 << 20:
            count *= 4
        counts[variant] = max(1, int(count * target / max(taken, 1e-9)))
    best = dict.fromkeys(calls, float("inf"))
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for variant, timer in timers.items():
                if pause:
                    time.sleep(pause)
                    end = time.perf_counter() + pause
                    while time.perf_counter() < end:
                        timer.timeit(1)
                taken = timer.timeit(counts[variant]) / counts[variant]
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
