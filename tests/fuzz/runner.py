"""Many programs, in child processes: a crash or a hang of one is noted with its seed and ends nothing else.

What was done is kept in a folder: ``state.json`` (how many seeds of which features, counts of what was found) and one file for
every program that went wrong, which `replay` reads.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.fuzz.features import Feature, describe
from tests.fuzz.generator import Generated, generate
from tests.fuzz.shrink import shrink

TIMEOUT = 60.0
"""Seconds one program may take before it counts as hanging."""

STARTUP = 300.0
"""Seconds a child may take to begin: it may have to build parts of the runtime."""

BATCH = 400
"""Programs to a child: what they load into memory stays there as long as it lives."""

SHRINK_SECONDS = 40.0


@dataclass(frozen=True, slots=True)
class Found:
    """A failure of one program. `kind`, `where` and `detail` are those of `execute.Failure`."""

    seed: int
    kind: str
    where: str
    detail: str

    @property
    def key(self) -> str:
        """Kind and place."""
        return f"{self.kind} {self.where}"


@dataclass(slots=True)
class Summary:
    """What a run did.

    Attributes:
        programs: How many programs ran.
        raised: How many of their calls raised in plain Python.
        calls: How many calls there were.
        found: The failures, one per program, kind and place.
    """

    programs: int = 0
    calls: int = 0
    raised: int = 0
    found: list[Found] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        """How often each kind of failure was found, by place."""
        return Counter(f.key for f in self.found)


Report = tuple[list[tuple[str, str, str]], int, int]
"""What one seed came to: kind, place and detail of each failure, how many calls there were, and how many raised."""

Worker = Callable[[int], Report]


def _child(connection: Connection, seeds: list[int], begin: Callable[[], Worker]) -> None:
    """Does the work of seeds and sends ("begin", seed) and ("done", seed, failures, calls, raised)."""
    work = begin()
    for seed in seeds:
        connection.send(("begin", seed))
        connection.send(("done", seed, *work(seed)))
    connection.send(("end",))


def _programs(features: frozenset[Feature], sources: dict[int, Generated]) -> Worker:
    """Runs the programs of seeds."""
    from tests.fuzz.execute import Executor

    executor = Executor()

    def work(seed: int) -> Report:
        program = sources.get(seed) or generate(seed, features)
        failures = executor.check(program)
        return [(f.kind, f.where, f.detail) for f in failures], len(program.arguments), executor.raised

    return work


def run(
    seeds: Collection[int],
    features: frozenset[Feature],
    *,
    sources: dict[int, Generated] | None = None,
    timeout: float = TIMEOUT,
) -> Iterator[tuple[int, list[Found], int, int]]:
    """Run programs in children, one child at a time; gives seed, failures, calls, and how many raised.

    Args:
        seeds: Of the programs, in order.
        features: What they contain.
        sources: Programs to run in place of those of their seeds.
        timeout: Seconds for one program.
    """
    return watch(seeds, partial(_programs, features, sources or {}), timeout=timeout)


def watch(
    seeds: Collection[int], begin: Callable[[], Worker], *, timeout: float = TIMEOUT
) -> Iterator[tuple[int, list[Found], int, int]]:
    """Do the work of seeds in children, one child at a time; gives seed, failures, calls, and how many raised.

    Args:
        seeds: What to do, in order.
        begin: Gives, in a child, what does the work of one seed.
        timeout: Seconds for one seed.
    """
    pending = list(seeds)
    context = multiprocessing.get_context("fork")
    while pending:
        batch = pending[:BATCH]
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_child, args=(theirs, batch, begin), daemon=True)
        child.start()
        theirs.close()
        current: int | None = None
        ended = False
        try:
            while not ended:
                if not ours.poll(timeout if current is not None else STARTUP):
                    child.kill()
                    child.join()
                    stuck = pending[0] if current is None else current
                    yield stuck, [Found(stuck, "hang", "", f"no answer within {timeout:.0f} s")], 0, 0
                    pending = pending[pending.index(stuck) + 1 :]
                    break
                try:
                    message: Any = ours.recv()
                except EOFError:
                    child.join()
                    lost = pending[0] if current is None else current
                    yield lost, [Found(lost, "crash", _status(child.exitcode), "the process ended")], 0, 0
                    pending = pending[pending.index(lost) + 1 :]
                    break
                match message[0]:
                    case "begin":
                        current = message[1]
                    case "done":
                        _, seed, failures, calls, raised = message
                        pending = pending[pending.index(seed) + 1 :]
                        yield seed, [Found(seed, *f) for f in failures], calls, raised
                    case "end":
                        ended = True
        finally:  # also when nobody wants more
            if not ended:
                child.kill()
            ours.close()
            child.join()


def _status(code: int | None) -> str:
    return signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"


def failures_of(program: Generated, timeout: float = TIMEOUT) -> list[Found]:
    """What goes wrong with one program, found in a child."""
    for _, found, _, _ in run([program.seed], frozenset(), sources={program.seed: program}, timeout=timeout):
        return found
    return []


class Shrinker:
    """Shrinks programs in one child after another: the child lives until a candidate kills it.

    Args:
        seconds: How long to go on.
        patience: Seconds for one candidate.
    """

    def __init__(self, seconds: float = SHRINK_SECONDS, patience: float = 10.0) -> None:
        self._patience = patience
        self._context = multiprocessing.get_context("fork")
        self._process: Any = None
        self._connection: Any = None
        self._seconds = seconds

    def shrink(self, program: Generated, key: str) -> Generated:
        """A smaller program with a failure of this kind and place."""

        def fails(source: str) -> bool:
            return key in self._keys(dataclasses.replace(program, source=source))

        try:
            for text in program.arguments:  # one call is enough, if it fails alone
                alone = dataclasses.replace(program, arguments=(text,))
                if len(program.arguments) > 1 and key in self._keys(alone):
                    program = alone
                    break
            return dataclasses.replace(program, source=shrink(program.source, fails, self._seconds))
        finally:
            self._stop()

    def _keys(self, program: Generated) -> set[str]:
        if self._process is None:
            self._connection, theirs = self._context.Pipe()
            self._process = self._context.Process(target=_shrinking, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
            if self._connection.poll(STARTUP):
                self._connection.recv()
        try:
            self._connection.send(program)
            if self._connection.poll(self._patience):
                found: set[str] = self._connection.recv()
                return found
            self._process.kill()
            keys = {"hang "}
            self._process.join()
        except (EOFError, OSError):
            self._process.join()
            keys = {f"crash {_status(self._process.exitcode)}"}
        self._stop()
        return keys

    def _stop(self) -> None:
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._process = None


def _shrinking(connection: Connection) -> None:
    from tests.fuzz.execute import Executor

    executor = Executor()
    connection.send("ready")
    while True:
        try:
            program = connection.recv()
        except EOFError:
            return
        try:
            keys = {f.key for f in executor.check(program)}
            if keys and not executor.well_typed(program):
                keys = set()
        except Exception:  # noqa: BLE001 - a candidate need not be a program at all
            keys = set()
        connection.send(keys)


class Record:
    """A folder that remembers what was run, so that a run can go on where it stopped.

    Args:
        folder: Where; made if it is not there.
        features: What programs contain, or what is run in their place: each has its own record.
        fresh: Forget what was there.
    """

    def __init__(self, folder: Path, features: frozenset[Feature] | str, *, fresh: bool = False) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        text = features if isinstance(features, str) else describe(features)
        self.path = folder / f"state-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
        self.state: dict[str, Any] = {"features": text, "next": {}, "programs": 0, "calls": 0, "raised": 0, "found": {}}
        if self.path.exists() and not fresh:
            self.state = json.loads(self.path.read_text())

    def next_seed(self, start: int) -> int:
        """The first seed from `start` on that was not run."""
        return int(self.state["next"].get(str(start), start))

    def note(self, start: int, seed: int, found: list[Found], calls: int, raised: int) -> None:
        """A program ran."""
        state = self.state
        state["next"][str(start)] = seed + 1
        state["programs"] += 1
        state["calls"] += calls
        state["raised"] += raised
        for failure in found:
            state["found"].setdefault(failure.key, []).append(seed)

    def save(self) -> None:
        """Write the state, whole or not at all."""
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.state, indent=1))
        os.replace(temporary, self.path)

    def keep(self, program: Generated, failure: Found, small: Generated | None) -> Path:
        """Write a program that went wrong, so that `replay` can run it."""
        path = self.folder / f"{failure.kind}-{program.seed}.py"
        shown = small or program
        comment = "\n".join(f"# {line}" for line in failure.detail.splitlines()[:60])
        path.write_text(
            f"# seed {program.seed}, features {program.features}\n# {failure.key}\n{comment}\n"
            f"ARGUMENTS = {list(shown.arguments)!r}\n{SEPARATOR}\n{shown.source}"
            + (f"{SEPARATOR}\n" + "".join(f"# {line}\n" for line in program.source.splitlines()) if small else "")
        )
        return path


SEPARATOR = "# " + "-" * 70


def replay(path: Path) -> list[Found]:
    """Run a program that `Record.keep` wrote, or a module with a list ``ARGUMENTS``."""
    text = path.read_text()
    head, _, source = text.partition(SEPARATOR + "\n")
    if not source:
        head, source = text, text
    namespace: dict[str, Any] = {}
    line = next(line for line in head.splitlines() if line.startswith("ARGUMENTS"))
    exec(line, namespace)
    return failures_of(Generated(0, "", source, tuple(namespace["ARGUMENTS"])))


def exhaustive(
    start: int,
    count: int,
    features: frozenset[Feature],
    record: Record,
    *,
    shrinking: bool = True,
    limit: int = 3,
    seconds: float = math.inf,
    say: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Run `count` programs from the seed `start` on, less those that the record has; keep and shrink what goes wrong.

    Args:
        start: First seed.
        count: How many seeds from there on.
        features: What programs contain.
        record: Where it is noted.
        shrinking: Whether to shrink.
        limit: How many programs of the same failure are kept.
        seconds: When to stop, in seconds from the end of the first program.
        say: Told about progress, a line at a time.
    """
    summary = Summary()
    kept: Counter[str] = Counter()
    first = record.next_seed(start)
    began = reported = time.monotonic()
    try:
        for seed, found, calls, raised in run(range(first, start + count), features):
            record.note(start, seed, found, calls, raised)
            if not summary.programs:
                began = reported = time.monotonic()
            summary.programs += 1
            summary.calls += calls
            summary.raised += raised
            summary.found += found
            for failure in found:
                kept[failure.key] += 1
                if kept[failure.key] <= limit:
                    record.save()
                    program = generate(seed, features)
                    small = Shrinker().shrink(program, failure.key) if shrinking else None
                    say(f"seed {seed}: {failure.key} ({record.keep(program, failure, small)})")
            if time.monotonic() - began > seconds:
                break
            if time.monotonic() - reported > 10.0:
                reported = time.monotonic()
                record.save()
                rate = summary.programs / (reported - began)
                say(f"{seed + 1 - start}/{count} programs, {rate:.1f} a second, {len(summary.found)} failures")
    finally:
        record.save()
    return summary
