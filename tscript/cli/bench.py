"""``tscript bench``: how long calls take, and how many there are a second."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from tscript.cli.arguments import INPUT_HELP
from tscript.cli.errors import ThresholdError, UsageError
from tscript.cli.libraries import Imports
from tscript.cli.output import check_output, write
from tscript.cli.parameters import Argument, Option
from tscript.cli.targets import TARGET_HELP, target

PERCENTILES = (50, 90, 99)


def bench(
    what: Annotated[str, Argument(metavar="ARCHIVE[:NAME]", help=TARGET_HELP)],
    inputs: Annotated[list[str] | None, Option("--input", help=INPUT_HELP)] = None,
    duration: Annotated[float, Option("--duration", help="Seconds to measure.")] = 3.0,
    warmup: Annotated[float, Option("--warmup", help="Seconds of calls before that are not counted.")] = 0.5,
    threads: Annotated[int | None, Option("--threads", least=1, help="Threads that one call may use.")] = None,
    callers: Annotated[int, Option("--callers", least=1, help="Threads that call at the same time.")] = 1,
    limits: Annotated[
        list[str] | None,
        Option("--limit", metavar="NAME=MS", help="Milliseconds that p50, p90, p99, mean or first may take at most."),
    ] = None,
    export_times: Annotated[
        Path | None, Option("--export-times", help="Write the time of each call, in seconds, to a file of JSON.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
    trust_native: Annotated[
        bool, Option("--trust-native", help="Run object code of the archive, which can do anything.")
    ] = False,
    imports: Imports = None,
) -> None:
    """Measure calls of a function: loading, the first call, percentiles of the others, and calls a second.

    Example: tscript bench model.tsa:forward --input float32[1,3,224,224] --duration 5
    """
    import tscript

    if duration <= 0 or warmup < 0:
        raise UsageError("--duration takes seconds above 0, --warmup seconds from 0 on")
    most = _limits(limits or [])
    if export_times is not None:
        check_output(export_times)
    if threads is not None:
        tscript.set_num_threads(threads)
    start = time.perf_counter()
    found = target(what, "bench", trust_native=trust_native)
    load = time.perf_counter() - start
    args, kwargs = found.arguments(inputs or [])
    start = time.perf_counter()
    found.call(args, kwargs)
    first = time.perf_counter() - start
    run = found.bound(args, kwargs)
    _calls(run, warmup, 1)
    start = time.perf_counter()
    times = _calls(run, duration, callers)
    rate = len(times) / (time.perf_counter() - start)
    figures: dict[str, Any] = {
        "target": what,
        "function": found.name,
        "threads": tscript.get_num_threads(),
        "callers": callers,
        "calls": len(times),
        "seconds": {"load": load, "first": first, **summary(times)},
        "calls_per_second": rate,
    }
    if export_times is not None:
        write(export_times, json.dumps(times).encode())
    if as_json:
        print(json.dumps(figures, indent=1))
    else:
        _print(figures)
    slow = [f"{name} took {figures['seconds'][name] * 1e3:.4g} ms, {ms:g} are allowed" for name, ms in most.items()
            if figures["seconds"][name] * 1e3 > ms]  # fmt: skip
    if slow:
        raise ThresholdError("; ".join(slow))


def summary(times: list[float]) -> dict[str, float]:
    """The shortest and longest of some times, their mean, and percentiles by name."""
    import numpy as np

    cuts = np.percentile(times, PERCENTILES)
    return {
        "min": min(times),
        "mean": sum(times) / len(times),
        **{f"p{p}": float(cut) for p, cut in zip(PERCENTILES, cuts, strict=True)},
        "max": max(times),
    }


def _limits(texts: list[str]) -> dict[str, float]:
    names = ("load", "first", "min", "mean", *(f"p{p}" for p in PERCENTILES), "max")
    found = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise UsageError(f"--limit {text!r}: expected NAME=MS, such as p99=2.5") from None
        if name not in names:
            raise UsageError(f"--limit {text!r}: NAME is one of {', '.join(names)}")
    return found


def _calls(run: Callable[[], Any], seconds: float, callers: int) -> list[float]:
    """The times of calls, at least one by each caller. An error of one ends all, and is raised."""
    times: list[list[float]] = [[] for _ in range(callers)]
    errors: list[BaseException] = []
    end = time.perf_counter() + seconds

    def call(mine: list[float]) -> None:
        clock = time.perf_counter
        try:
            while not errors:
                start = clock()
                run()
                now = clock()
                mine.append(now - start)
                if now >= end:
                    return
        except BaseException as error:  # noqa: BLE001 - it is raised below, in the thread that waits
            errors.append(error)

    others = [threading.Thread(target=call, args=(mine,)) for mine in times[1:]]
    for thread in others:
        thread.start()
    call(times[0])
    for thread in others:
        thread.join()
    if errors:
        raise errors[0]
    return [each for mine in times for each in mine]


def _print(figures: dict[str, Any]) -> None:
    seconds = figures["seconds"]
    print(
        f"{figures['function']}  {figures['calls']:,} calls by {figures['callers']}, {figures['threads']} threads each"
    )
    print(f"  load {shown(seconds['load'])}, first call {shown(seconds['first'])}")
    print("  " + ", ".join(f"{n} {shown(seconds[n])}" for n in seconds if n not in ("load", "first")))
    print(f"  {figures['calls_per_second']:,.0f} calls a second")
    sys.stdout.flush()


def shown(seconds: float) -> str:
    """A time in a unit that fits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 1000 else f"{seconds * factor:.0f} {unit}"
    return f"{seconds * 1e9:.0f} ns"
