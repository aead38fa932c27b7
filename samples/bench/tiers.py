"""Two tiers of user code: first calls, the way to full speed, a long first call, and what others wait for meanwhile."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Callable
from typing import Any

from harness import Row
from hundred import HUNDRED
from startup import SCALAR, TEN, compiled

import tscript
from tscript.runtime.session.process import current

STEPS = 1_000_000_000
LOOP = """
def f{n}(steps: int) -> int:
    total = {n}
    for i in range(steps):
        total = (total ^ i) & 1048575
        if total == 77:
            total += i & 3
    return total
"""
TEXT = ("a, b\n# c\n", 5)
ROUNDS = 8


def _used() -> float:
    """Processor time of this process and of those that ended, in seconds."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _first(template: str, args: tuple[Any, ...], optimize: str, seed: int) -> float:
    """Nanoseconds of processor time: decorating and the first call."""
    best = float("inf")
    for n in range(seed, seed + ROUNDS):
        function = compiled(template, n)
        start = time.process_time()
        tscript.script(function, optimize=optimize)(*args)  # type: ignore[call-overload]
        best = min(best, time.process_time() - start)
    return best * 1e9


def _to_full_speed(seed: int) -> tuple[float, float]:
    """Nanoseconds from the first call until the code is the better one, while the function is called: on the clock, and
    of all processors."""
    tiers = current().tiers
    tiers.settle()
    clock, used = time.perf_counter(), _used()
    f = tscript.script(compiled(HUNDRED, seed), optimize="auto")
    done = tiers.done
    while tiers.done == done:
        f(*TEXT)
    return (time.perf_counter() - clock) * 1e9, (_used() - used) * 1e9


def _long(optimize: str, seed: int) -> float:
    """Nanoseconds of processor time: the first call of a loop."""
    f = tscript.script(compiled(LOOP, seed), optimize=optimize)  # type: ignore[call-overload]
    start = time.process_time()
    f(STEPS)
    return (time.process_time() - start) * 1e9


def _waits(seed: int, is_alone: bool) -> float:
    """The longest of a few first calls, in nanoseconds of the clock beyond the shortest, while the background compiles
    functions of 100 lines; with `is_alone` without a helper."""
    tiers = current().tiers
    tiers.settle()
    before, tiers.is_alone = tiers.is_alone, is_alone
    heated = [tscript.script(compiled(HUNDRED, n), optimize="auto") for n in range(seed, seed + 4)]
    for f in heated:
        f(*TEXT)
    ends = threading.Event()

    def heat() -> None:
        for f in heated:
            for _ in range(tiers.calls):
                f(*TEXT)
        ends.set()

    thread = threading.Thread(target=heat)
    quiet, busy = [_timed(compiled(SCALAR, seed + 100 + n)) for n in range(10)], []
    thread.start()
    ends.wait()
    n = seed + 200
    while tiers.waiting and n < seed + 2000:
        busy.append(_timed(compiled(SCALAR, n)))
        n += 1
    thread.join()
    tiers.settle()
    tiers.is_alone = before
    return max(busy, default=0.0) - min(quiet)


def _timed(function: Callable[..., Any]) -> float:
    start = time.perf_counter()
    tscript.script(function)(1.0, 2.0)
    return (time.perf_counter() - start) * 1e9


def run() -> list[Row]:
    """Time all of it, with functions that no cache knows."""
    seed = time.time_ns() % 1_000_000_000
    x = tscript.tensor([1.0, 2.0, 3.0])
    samples = (("a scalar function", SCALAR, (1.0, 2.0)), ("ten operators", TEN, (x, x)), ("100 lines", HUNDRED, TEXT))
    rows = [
        Row(f"decorate + first call, {name}, processor time",
            {tier: _first(template, args, tier, seed + 10_000 * i) for i, tier in enumerate(("auto", "full"))})
        for name, template, args in samples
    ]  # fmt: skip
    clock, used = min(_to_full_speed(seed + 50_000 + n) for n in range(3))
    rows.append(Row("100 lines, from decoration to full speed", {"clock": clock, "processors": used}))
    rows.append(Row("10^9 steps in the first call", {tier: _long(tier, seed + 60_000) for tier in ("auto", "full")}))
    helper, alone = _waits(seed + 70_000, False), _waits(seed + 80_000, True)
    rows.append(Row("the longest wait of another first call", {"with the helper": helper, "without": alone}))
    return rows
