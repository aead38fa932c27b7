"""What files bring, many times over: random IR, and mutants of archives; and random programs in all places where
compiled code can stand. The children and the record are those of `runner`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from tests.fuzz.runner import SHRINK_SECONDS, Record, Report, Shrinker, Summary, Worker, watch

if TYPE_CHECKING:
    from tests.fuzz.execute import Failure

P_contra = TypeVar("P_contra", contravariant=True)


def ir_worker() -> Worker:
    """Runs random IR."""
    from tests.fuzz.ir_execute import IRExecutor

    executor = IRExecutor()

    def work(seed: int) -> Report:
        raised = executor.raised
        found = executor.check(seed)
        return [(f.kind, f.where, f.detail) for f in found], executor.was_run, executor.raised - raised

    return work


def mutant_worker() -> Worker:
    """Tries mutants of archives."""
    from tests.fuzz.mutants import Mutants

    mutants = Mutants()

    def work(seed: int) -> Report:
        ran = mutants.ran
        found = mutants.check(seed)
        return [(f.kind, f.where, f.detail) for f in found], mutants.ran - ran, 0

    return work


def places_worker() -> Worker:
    """Runs random programs in the places where compiled code can stand."""
    from tests.fuzz.places import Places, first, program_of

    places = Places()
    first(places)

    def work(seed: int) -> Report:
        program = program_of(seed)
        found = places.check(program)
        return [(f.kind, f.where, f.detail) for f in found], len(program.arguments), places.raised

    return work


class Counting(Protocol[P_contra]):
    """What runs programs, and counts those that ran and those that raised."""

    ran: int
    raised: int

    def check(self, program: P_contra, /) -> list[Failure]:
        """What goes wrong with one."""


def counting(executor: Counting[P_contra], made: Callable[[int], P_contra]) -> Worker:
    """Runs the programs that are made of seeds."""

    def work(seed: int) -> Report:
        ran, raised = executor.ran, executor.raised
        found = executor.check(made(seed))
        return [(f.kind, f.where, f.detail) for f in found], executor.ran - ran, executor.raised - raised

    return work


def eager_worker() -> Worker:
    """Calls eager operators."""
    from tests.fuzz.eager import EagerExecutor, eager_call

    return counting(EagerExecutor(), eager_call)


def array_worker() -> Worker:
    """Runs random programs over NumPy arrays."""
    from tests.fuzz.arrays import ArrayExecutor, array_program

    return counting(ArrayExecutor(), array_program)


def threads_worker() -> Worker:
    """Runs random programs in several threads at once."""
    from tests.fuzz.threads import ThreadsExecutor

    return counting(ThreadsExecutor(), int)


def parallel_worker() -> Worker:
    """Runs random loops over `tscript.prange`."""
    from tests.fuzz.parallel import ParallelExecutor, parallel_program

    return counting(ParallelExecutor(), parallel_program)


BATCHES = {"threads": 200, "arrays": 200, "parallel": 200, "ir": 400, "archives": 4000, "places": 200, "eager": 4000}
"""Seeds to a child; mutants have archives to make first."""

KINDS: dict[str, Callable[[], Worker]] = {
    "ir": ir_worker,
    "archives": mutant_worker,
    "places": places_worker,
    "eager": eager_worker,
    "arrays": array_worker,
    "threads": threads_worker,
    "parallel": parallel_worker,
}
"""What ``--kind`` names."""


def shown_ir(seed: int) -> str:
    """The program of a seed."""
    from tests.fuzz.ir_graphs import generate_ir
    from tscript.archive.classes import Apart

    found = generate_ir(seed, Apart)
    return f"# {found.classes}\n{found.text}"


def smaller_ir(seed: int, key: str, seconds: float = SHRINK_SECONDS) -> str:
    """The smallest program found with a failure of the kind that the one of a seed has."""
    from tests.fuzz.ir_graphs import generate_ir
    from tests.fuzz.ir_shrink import shrink_ir
    from tscript.archive.classes import Apart

    made = generate_ir(seed, Apart)
    shrinker = Shrinker(seconds, child=_shrinking_ir)
    try:
        text, _ = shrink_ir((made.text, str(made.result)), lambda found: key in shrinker.keys((seed, *found)), seconds)
    finally:
        shrinker.stop()
    return text


def _shrinking_ir(connection: Connection) -> None:
    from tests.fuzz.ir_execute import IRExecutor

    executor = IRExecutor()
    connection.send("ready")
    while True:
        try:
            seed, text, result = connection.recv()
        except EOFError:
            return
        try:
            keys = {f.key for f in executor.run(executor.altered(seed, text, result))}
        except Exception:  # noqa: BLE001 - a candidate need not be a program at all
            keys = set()
        connection.send(keys)


def shown_program(seed: int) -> str:
    """The random program of a seed."""
    from tests.fuzz.places import program_of

    program = program_of(seed)
    return f"ARGUMENTS = {list(program.arguments)!r}\n{program.source}"


def shown_call(seed: int) -> str:
    """The call of an eager operator of a seed."""
    from tests.fuzz.eager import eager_call

    return str(eager_call(seed))


SHOWN: dict[str, Callable[[int], str]] = {
    "ir": shown_ir,
    "archives": lambda seed: f"seed {seed}",
    "places": shown_program,
    "eager": shown_call,
}
"""What is kept of a program that ended or blocked its process."""


def run_files(
    kind: str,
    start: int,
    count: int,
    record: Record,
    *,
    seconds: float = math.inf,
    limit: int = 3,
    shrinking: bool = False,
    jobs: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Run what `kind` names for `count` seeds from `start` on, less those that the record has; keep what went wrong.

    Args:
        kind: A key of `KINDS`.
        start, count: The seeds.
        record: Where it is noted.
        seconds: When to stop.
        limit: How many of the same failure are kept.
        shrinking: Whether to shrink random IR.
        jobs: How many children run at once.
        say: Told about progress, a line at a time.
    """
    summary = Summary()
    began = reported = time.monotonic()
    try:
        seeds = range(record.next_seed(start), start + count)
        for seed, found, calls, raised in watch(seeds, KINDS[kind], batch=BATCHES[kind], jobs=jobs):
            record.note(start, seed, found, calls, raised)
            if not summary.programs:
                began = reported = time.monotonic()
            summary.programs += 1
            summary.calls += calls
            summary.raised += raised
            summary.found += found
            for failure in found:
                if len(record.state["found"][failure.key]) <= limit:
                    path = Path(record.folder) / f"{kind}-{failure.kind}-{seed}.txt"
                    text = (
                        failure.detail
                        if failure.kind not in ("crash", "hang")
                        else f"{failure.detail}\n{SHOWN[kind](seed)}"
                    )
                    if kind == "places" and failure.kind not in ("crash", "hang"):
                        text = f"{text}\n{shown_program(seed)}"
                    if shrinking and kind == "ir":
                        text = f"{text}\n# smaller\n{smaller_ir(seed, failure.key)}"
                    path.write_text(f"{failure.key}\n{text}\n", errors="backslashreplace")
                    say(f"seed {seed}: {failure.key} ({path})")
            if time.monotonic() - began > seconds:
                break
            if time.monotonic() - reported > 10.0:
                reported = time.monotonic()
                record.save()
                say(
                    f"{seed + 1 - start}/{count}, {summary.programs / (reported - began):.1f} a second, "
                    f"{len(summary.found)} failures"
                )
    finally:
        record.save()
    return summary
