"""`Tiers`: better code for functions that run often or long, made in the background.

The first call of a function compiles with little work. Its code counts (`tscript.backend.llvm.counting`), and asks once
for better code, which a thread makes: short modules by itself, others in a helper process, so that no compilation of
another thread waits for LLVM. The thread is started when there is something to do, and ends soon after.

A call that is in a long loop goes on in better code as well: the place in the loop that asked gets a continuation
(`tscript.backend.llvm.continuation`), before anything else is made.

The address of the better code is stored in a cell of the quick code, which leads to it from then on, and in the rows of
the functions. Quick code stays loaded as long as its function, since threads may be running it.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from tscript.abi.record import RecordScope
from tscript.abi.symbols import CONTINUATION, CONTINUATIONS, LAST_PLACE, TIME_LEFT
from tscript.backend.loader.loaded import LoadedCode
from tscript.pipeline.tiers import Later
from tscript.room import beside
from tscript.runtime.boundary.callables import Callables
from tscript.runtime.session.observation import Observation
from tscript.runtime.session.ticks import Ticks
from tscript.runtime.session.watch import logger

if TYPE_CHECKING:
    from tscript.backend.loader.helper import Helper
    from tscript.pipeline import Compiler

CALLS = 1000
"""Calls after which quick code is compiled again; a safepoint of a loop counts for 64."""
ALONE = 8
"""How many times more where there is one processor, so that the program waits for it."""
PATIENCE = 0.008
"""Seconds of calls after which it is, however many they were. Where there is one processor, as many as the better code
takes, at least."""
SMALL = 0.055
"""Seconds of LLVM's work up to which the thread makes code itself: no single call of LLVM takes longer then. A helper
takes 0.1 seconds to start."""
LINGER = 2.0
"""Seconds without work after which thread and helper end."""


class Tiered:
    """Quick code, and the better code that replaces it. It belongs to the specialisation, which keeps the quick code.

    Args:
        name: Of the function.
        symbol: Of the entry.
        later: What it is made of.
        address: The entry of the quick code.
        cell: Address of its `tscript.abi.symbols.TIER`.
        load: Loads an object of better code for the quick code to keep, and gives the address of one of its symbols,
            too.

    Attributes:
        address: The entry of the best code there is.
        later: What the better code is made of; None when it is there.
        is_wanted: Whether the quick code has asked.
        places: The places in loops that asked for a continuation.
        settled: Those that have one, or cannot have one.
    """

    __slots__ = (
        "__weakref__",
        "_functions",
        "_load",
        "_text",
        "address",
        "cell",
        "is_wanted",
        "later",
        "name",
        "places",
        "settled",
        "symbol",
    )

    def __init__(
        self,
        name: str,
        symbol: str,
        later: Later,
        address: int,
        cell: int,
        load: Callable[[bytes, str], tuple[LoadedCode, int]],
    ) -> None:
        self.name = name
        self.symbol = symbol
        self.later: Later | None = later
        self.places: list[int] = []
        self.settled: set[int] = set()
        self._text = later if later.marks else None
        self.address = address
        self.cell = cell
        self.is_wanted = False
        self._load: Callable[[bytes, str], tuple[LoadedCode, int]] | None = load
        self._functions: list[weakref.ref[Any]] = []

    def attach(self, function: Any) -> None:
        """A native callable has a row with this code."""
        if self.later is not None:
            others = [known for known in self._functions if known() not in (None, function)]
            self._functions = [*others, weakref.ref(function)]

    def replace(self, data: bytes, callables: Callables) -> None:
        """Load the better code, and let all run it."""
        load = self._load  # keeps the quick code until the end of this
        assert load is not None
        _, entry = load(data, self.symbol)
        self.later = None
        if self._text is None:
            self._load = None
        quick, self.address = self.address, entry
        callables.publish(self.cell + 8, entry)
        for known in self._functions:
            if (function := known()) is not None:
                callables.swap_code(function, quick, entry)
        self._functions.clear()

    def ask(self) -> bool:
        """The quick code asks: for better code, and for a continuation of the loop that it was in last; whether
        anything is to be made."""
        is_new = not self.is_wanted
        self.is_wanted = True
        place = ctypes.c_int64.from_address(self.cell + LAST_PLACE).value - 1 if self._text is not None else -1
        if place >= 0 and place not in self.places:
            self.places.append(place)
            is_new = True
        return is_new

    def unresumed(self) -> Iterator[tuple[int, Later]]:
        """The places that wait for a continuation, and what that is made of."""
        for place in [p for p in self.places if p not in self.settled]:
            if self._text is not None:
                yield place, self._text

    def resume(self, place: int, data: bytes, callables: Callables) -> None:
        """Load a continuation, and let calls go on with it."""
        load = self._load
        assert load is not None
        _, entry = load(data, CONTINUATION)
        self.settled.add(place)
        callables.publish(self.cell + CONTINUATIONS + 8 * place, entry)

    def forget(self) -> bool:
        """In the child of a fork: nothing is made; whether anything was to be."""
        waited = (self.is_wanted and self.later is not None) or len(self.places) > len(self.settled)
        self.is_wanted = self.later is None
        self.places = sorted(self.settled)
        return waited


class Tiers:
    """The background compilation of a process.

    Args:
        compiler: Has the cache.
        callables: The boundary's.
        observation: Sees the compilations.
        compiling: Held while something is compiled or loaded; no thread may be in the middle of that at a fork.

    Attributes:
        calls: How many calls quick code waits for.
        patience: How many seconds of calls it waits for.
        done: Functions that were compiled again.
        resumed: Continuations that were made for calls in long loops.
        failed: Those for which that failed; they stay with quick code.
        is_alone: Whether the thread compiles everything itself.
    """

    def __init__(
        self,
        compiler: Compiler,
        callables: Callables,
        observation: Observation,
        compiling: AbstractContextManager[object],
    ) -> None:
        self.compiler = compiler
        self._has_other = processors() > 1
        self.calls = CALLS * (1 if self._has_other else ALONE)
        self.patience = PATIENCE
        self._ticks = Ticks(observation)
        self.done = self.failed = self.resumed = 0
        self.is_alone = False
        self._callables = callables
        self._observation = observation
        self._compiling = compiling
        self._registered = False
        self._jobs: weakref.WeakValueDictionary[int, Tiered] = weakref.WeakValueDictionary()
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._in_child)

    def _begin(self) -> None:
        """Nothing is queued and no thread runs."""
        # A thread may come back here while it holds the lock: a finaliser may call compiled code.
        self._lock = threading.RLock()
        self._queue: SimpleQueue[weakref.ref[Tiered] | None] = SimpleQueue()
        self._wait: Callable[[], None] | None = None
        self._helper: Helper | None = None
        self._unfinished = 0
        self._ending = False

    def add(self, job: Tiered) -> None:
        """Let quick code count."""
        self._jobs[job.cell] = job
        self._reset(job)

    def _reset(self, job: Tiered) -> None:
        seconds = self.patience
        if not self._has_other and job.later is not None:
            seconds = max(seconds, job.later.seconds)
        ctypes.c_int64.from_address(job.cell + TIME_LEFT).value = int(seconds * self._ticks.per_second())
        ctypes.c_int64.from_address(job.cell).value = self.calls

    @property
    def waiting(self) -> int:
        """Functions that wait for better code, and the one that is compiled."""
        return self._unfinished

    def hot(self, cell: int) -> None:
        """Quick code asks for better code; called by native code."""
        job = self._jobs.get(cell)
        if job is not None and job.ask():
            self._put(job)

    def _put(self, job: Tiered) -> None:
        with self._lock:
            self._unfinished += 1
            self._queue.put(weakref.ref(job))
            if self._wait is None and not self._ending:
                try:
                    self._wait = beside(self._work)
                except RuntimeError:  # no more threads, or the interpreter is ending
                    return
                if not self._registered:
                    self._registered = True
                    atexit.register(self._end)

    def now(self, job: Tiered) -> None:
        """Make the better code on this thread, unless it is there."""
        with self._compiling:
            if job.later is not None:
                job.is_wanted = True
                self._improve(job, job.later, self._generated(job.later))

    def settle(self, seconds: float = 60.0) -> bool:
        """Wait until nothing is queued and nothing compiled; whether that happened in time."""
        end = time.monotonic() + seconds
        while self.waiting and self._wait is not None:
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        return True

    @property
    def _level(self) -> int:
        return self.compiler.options.level

    # -- the thread -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            try:
                known = self._queue.get(timeout=LINGER)
            except Empty:
                with self._lock:
                    if self._queue.empty():
                        self._wait = None
                        self._stop()
                        return
                continue
            try:
                job = None if known is None else known()
                if job is not None:
                    self._make(job)
                del job
            finally:
                if known is not None:
                    with self._lock:
                        self._unfinished -= 1
            if known is None:
                return

    def _make(self, job: Tiered) -> None:
        """Compile one function again: at first the continuations that calls wait for, in long loops."""
        for place, later in job.unresumed():
            self._attempt(job, later, place)
        if job.later is not None:
            self._attempt(job, job.later)

    def _attempt(self, job: Tiered, later: Later, place: int | None = None) -> None:
        """Make better code, or a continuation; whatever goes wrong, the quick code stays."""
        began = time.perf_counter()
        try:
            with self._observation.range(RecordScope.COMPILE, job.name):
                data = self._compile(later) if place is None else self._compile(later, place)
                with self._compiling:
                    if place is not None:
                        job.resume(place, data, self._callables)
                        self.resumed += 1
                    elif job.later is not None:
                        self._improve(job, later, data)
                    if later.marks:
                        self._reset(job)  # calls in other loops ask
        except Exception:
            self.failed += 1
            if place is not None:
                job.settled.add(place)
            if (log := logger()) is not None and not self._ending:
                log.exception("%s() stays with quickly compiled code", job.name)
            return
        if (log := logger()) is not None:
            log.debug("%s() was compiled again in %.0f ms", job.name, 1e3 * (time.perf_counter() - began))

    def _improve(self, job: Tiered, later: Later, data: bytes) -> None:
        self.compiler.cache.put(later.key, data)
        self.compiler.cache.remove(later.quick)
        job.replace(data, self._callables)
        self.done += 1

    def _compile(self, later: Later, place: int | None = None) -> bytes:
        """The object of the better code, or of a continuation. The lock is held while this process compiles, as a fork
        must not meet it."""
        from tscript.backend.loader.helper import Helper, HelperError, is_possible

        if (later.seconds > SMALL or place is not None) and not self.is_alone and is_possible():
            try:
                if self._helper is None:
                    self._helper = Helper()
                return self._helper.generate(later.text, self.compiler.target, self._level, later.effort, place)
            except HelperError:
                if self._ending:
                    raise
                self.is_alone = True
                self._stop()
        with self._compiling:
            return self._generated(later, place)

    def _generated(self, later: Later, place: int | None = None) -> bytes:
        from tscript.backend.loader.optimise import generate

        return generate(later.text, self.compiler.target, self._level, later.effort, place)

    def _stop(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()

    # -- the ends ---------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """The process ends: LLVM must not be at work then."""
        self._ending = True
        helper, wait = self._helper, self._wait
        if helper is not None:
            helper.kill()
        if wait is not None:
            self._queue.put(None)
            wait()
        self._stop()

    def _in_child(self) -> None:
        """Only the forking thread is left: what waited counts anew."""
        helper = self._helper
        self._begin()
        if helper is not None:
            helper.forget()
        for job in list(self._jobs.values()):
            if job.forget():
                self._reset(job)


def processors(groups: str | os.PathLike[str] = "/sys/fs/cgroup/cpu.max") -> float:
    """How many processors this process may use.

    Args:
        groups: The file with the quota: microseconds of a period, and the period.
    """
    count = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    try:
        with open(groups, encoding="ascii") as file:
            quota, period = file.read().split()
        return min(count, float(quota) / float(period))
    except (OSError, ValueError, ZeroDivisionError):
        return count


__all__ = ["Tiered", "Tiers", "processors"]
