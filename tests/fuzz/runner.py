"""Many programs, in child processes: a crash or a hang of one is noted with its seed and ends nothing else.

What was done is kept in a folder: ``state.json`` (how many seeds of which features, counts of what was found) and one
file for every program that went wrong, which `replay` reads.
"""

from __future__ import annotations

import dataclasses
import gc
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
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tests.fuzz.features import Feature, describe
from tests.fuzz.generator import Generated, generate
from tests.fuzz.shrink import shrink

TIMEOUT = 60.0
"""Seconds of processor time one program may take before it counts as hanging."""

PATIENCE = 4
"""How many times longer it may take where others have the processor."""

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
    gc.freeze()  # what is there stays: looking for garbage takes a tenth of the time otherwise
    gc.set_threshold(20_000, 50, 1_000)
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
    jobs: int = 1,
) -> Iterator[tuple[int, list[Found], int, int]]:
    """Run programs in children; gives seed, failures, calls, and how many raised.

    Args:
        seeds: Of the programs, in order.
        features: What they contain.
        sources: Programs to run in place of those of their seeds.
        timeout: Seconds for one program.
        jobs: How many children run at once.
    """
    return watch(seeds, partial(_programs, features, sources or {}), timeout=timeout, jobs=jobs)


Result = tuple[int, list[Found], int, int]


class Child:
    """A process that does the work of seeds.

    Args:
        seeds: Which, in order; those that are done are taken out.
        begin: Gives, in the process, what does the work of one seed.
        timeout: Seconds for one seed.
    """

    def __init__(self, seeds: list[int], begin: Callable[[], Worker], timeout: float) -> None:
        self.seeds = seeds
        self.timeout = timeout
        self.current: int | None = None
        self.ended = False
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=_child, args=(theirs, seeds, begin), daemon=True)
        self.process.start()
        theirs.close()
        self.deadline = time.monotonic() + STARTUP
        self.spent = 0.0

    def used(self) -> float:
        """Seconds of processor time that it took so far; without end where nobody can tell."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return math.inf

    def results(self) -> Iterator[Result]:
        """What it has sent, when it sent something or its time is over."""
        if not self.connection.poll():
            now, used = time.monotonic(), self.used()
            if self.current is not None and now > self.deadline and used < self.spent + self.timeout:
                if now < self.deadline + self.timeout * (PATIENCE - 1):
                    return
            if now > self.deadline:
                self.stop()
                yield self._lost("hang", "", f"no answer within {self.timeout:.0f} s")
            return
        self.deadline = time.monotonic() + self.timeout
        self.spent = self.used()
        try:
            message: Any = self.connection.recv()
        except EOFError:
            self.process.join()
            self.ended = True
            yield self._lost("crash", _status(self.process.exitcode), "the process ended")
            return
        match message[0]:
            case "begin":
                self.current = message[1]
            case "done":
                _, seed, failures, calls, raised = message
                del self.seeds[: self.seeds.index(seed) + 1]
                yield seed, [Found(seed, *f) for f in failures], calls, raised
            case "end":
                self.ended = True

    def _lost(self, kind: str, where: str, detail: str) -> Result:
        seed = self.seeds[0] if self.current is None else self.current
        del self.seeds[: self.seeds.index(seed) + 1]
        return seed, [Found(seed, kind, where, detail)], 0, 0

    def stop(self) -> None:
        """Ends it."""
        if not self.ended:
            self.process.kill()
        self.ended = True
        self.connection.close()
        self.process.join()


def watch(
    seeds: Collection[int],
    begin: Callable[[], Worker],
    *,
    timeout: float = TIMEOUT,
    batch: int = BATCH,
    jobs: int = 1,
) -> Iterator[Result]:
    """Do the work of seeds in children; gives seed, failures, calls, and how many raised, in the order of the seeds.

    Args:
        seeds: What to do, in order.
        begin: Gives, in a child, what does the work of one seed.
        timeout: Seconds for one seed.
        batch: How many seeds a child does at most.
        jobs: How many children there are at once.
    """
    order = list(seeds)
    size = max(1, min(batch, -(-len(order) // jobs)))
    waiting = [order[i : i + size] for i in range(0, len(order), size)]
    running: list[Child] = []
    done: dict[int, Result] = {}
    given = 0
    try:
        while given < len(order):
            while waiting and len(running) < jobs:
                running.append(Child(waiting.pop(0), begin, timeout))
            soonest = min(child.deadline for child in running) - time.monotonic()
            wait([child.connection for child in running], max(0.5, soonest + 0.01))
            for child in list(running):
                done |= {result[0]: result for result in child.results()}
                if child.ended:
                    child.stop()
                    running.remove(child)
                    if child.seeds:
                        waiting.insert(0, child.seeds)
            while given < len(order) and order[given] in done:
                before = time.monotonic()
                yield done.pop(order[given])
                given += 1
                for child in running:  # which may have sent nothing in that time
                    child.deadline += time.monotonic() - before
    finally:  # also when nobody wants more
        for child in running:
            child.stop()


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
        child: Answers candidates with the keys of their failures.
    """

    def __init__(
        self,
        seconds: float = SHRINK_SECONDS,
        patience: float = 10.0,
        child: Callable[[Connection], None] | None = None,
    ) -> None:
        self._child = _shrinking if child is None else child
        self._patience = patience
        self._context = multiprocessing.get_context("fork")
        self._process: Any = None
        self._connection: Any = None
        self._seconds = seconds

    def shrink(self, program: Generated, key: str) -> Generated:
        """A smaller program with a failure of this kind and place."""

        def fails(source: str) -> bool:
            return key in self.keys(dataclasses.replace(program, source=source))

        try:
            for text in program.arguments:  # one call is enough, if it fails alone
                alone = dataclasses.replace(program, arguments=(text,))
                if len(program.arguments) > 1 and key in self.keys(alone):
                    program = alone
                    break
            return dataclasses.replace(program, source=shrink(program.source, fails, self._seconds))
        finally:
            self.stop()

    def keys(self, program: object) -> set[str]:
        """The keys of the failures of a candidate."""
        if self._process is None:
            self._connection, theirs = self._context.Pipe()
            self._process = self._context.Process(target=self._child, args=(theirs,), daemon=True)
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
        self.stop()
        return keys

    def stop(self) -> None:
        """End the child."""
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
    jobs: int = 1,
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
        jobs: How many children run at once.
        say: Told about progress, a line at a time.
    """
    summary = Summary()
    kept: Counter[str] = Counter()
    first = record.next_seed(start)
    began = reported = time.monotonic()
    try:
        for seed, found, calls, raised in run(range(first, start + count), features, jobs=jobs):
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
