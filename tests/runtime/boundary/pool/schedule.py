"""Threads over checked memory: one runs at a time, a seed decides which, and accesses that race are found.

Two accesses of a word race when one writes, not both are atomic, and nothing says which comes first. What says that are
locks, the start of a thread, and loads and stores that acquire and release (`Races`: a vector clock for each thread).
"""

from __future__ import annotations

import contextvars
import random
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from tscript.definitions.opdef import OpDef
from tscript.dialect import machine, memory_model
from tscript.dialect.memory_model import Pointer
from tscript.types import PtrType, dtype_of

Clock = dict[int, int]


class Deadlock(Exception):
    """All threads wait for each other."""


class Race(Exception):
    """Two accesses that nothing brings into an order."""


class _Ended(BaseException):
    """The test is over: a thread that sleeps is ended."""


MOST_TURNS = 200_000
"""Of the threads of a test: when there were more, it does not end."""


class Thread:
    """A thread of the test.

    Attributes:
        number: 0 is the first.
        until: What it waits for; None: it can run.
        is_timed: It waits for a while only.
        clock: What it knows of the threads.
    """

    def __init__(self, number: int, clock: Clock) -> None:
        self.number = number
        self.until: Callable[[], bool] | None = None
        self.is_timed = False
        self.is_over = False
        self.is_asked = threading.Semaphore(0)
        self.clock = clock
        clock[number] = 1


class Schedule:
    """The threads of a test.

    Args:
        seed: Of the order in which they run.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.threads = [Thread(0, {})]
        self.current = self.threads[0]
        self.error: BaseException | None = None
        self.is_ending = False
        self.is_off = True
        self.turns = 0

    def run(self, main: Callable[[], Any]) -> Any:
        """Run the first thread; when it ends, all do."""
        self.is_off = False
        try:
            return main()
        finally:
            self.is_ending = self.is_off = True
            for thread in self.threads[1:]:
                while not thread.is_over:
                    thread.is_asked.release()
                    self.threads[0].is_asked.acquire(timeout=0.01)
            self.current = self.threads[0]

    def settle(self) -> None:
        """Let the others run until all sleep."""
        while any(self._is_ready(t) for t in self.threads[1:]):
            self.switch()

    def start(self, function: Callable[[], Any]) -> None:
        """One more thread."""
        thread = Thread(len(self.threads), dict(self.current.clock))
        self.current.clock[self.current.number] += 1
        self.threads.append(thread)

        def body() -> None:
            thread.is_asked.acquire()
            try:
                if not self.is_ending:
                    function()
            except _Ended:
                pass
            except BaseException as error:  # noqa: BLE001 - the first thread raises it
                self.error = self.error or error
            thread.is_over = True
            if self.is_ending or self.error:
                self._ask(self.threads[0])
            else:
                self._ask(self._chosen())

        threading.Thread(target=contextvars.copy_context().run, args=(body,), daemon=True).start()

    def switch(self) -> None:
        """Another thread may run now."""
        if not self.is_off:
            self._leave(self._chosen())

    def wait(self, until: Callable[[], bool], *, is_timed: bool = False) -> bool:
        """The current thread waits; whether what it waits for has come."""
        me = self.current
        me.until, me.is_timed = until, is_timed
        while not until():
            chosen = self._chosen()
            self._leave(chosen)
            if is_timed and not until():
                break
        me.until = None
        return until()

    def _is_ready(self, thread: Thread) -> bool:
        return not thread.is_over and (thread.until is None or thread.until())

    def _chosen(self) -> Thread:
        ready = [t for t in self.threads if self._is_ready(t)]
        self.turns += 1
        if self.turns > MOST_TURNS:
            self.error = self.error or Deadlock("this does not end")
            return self.threads[0]
        timed = [t for t in self.threads if not t.is_over and t.until is not None and t.is_timed]
        if timed and (not ready or self.random.random() < 0.02):
            return self.random.choice(timed)
        if ready:
            return self.random.choice(ready)
        self.error = self.error or Deadlock(
            "; ".join(f"thread {t.number} waits" for t in self.threads if not t.is_over)
        )
        return self.threads[0]

    def _ask(self, thread: Thread) -> None:
        self.current = thread
        thread.is_asked.release()

    def _leave(self, chosen: Thread) -> None:
        me = self.current
        if chosen is not me:
            self._ask(chosen)
            me.is_asked.acquire()
        if self.is_ending:
            raise _Ended
        if self.error is not None and me.number == 0:
            self.is_off = True
            raise self.error


class Word:
    """What is known of the accesses of a word."""

    __slots__ = ("reads", "release", "write")

    def __init__(self) -> None:
        self.write: tuple[int, int, bool] = (0, 0, True)
        self.reads: dict[int, tuple[int, bool]] = {}
        self.release: Clock = {}


class Races:
    """Finds accesses that race.

    Args:
        schedule: The threads.
        patch: Puts watches into the memory model.
        fine: Whether threads take turns at each access, not only at atomic ones.
    """

    def __init__(self, schedule: Schedule, patch: pytest.MonkeyPatch, *, fine: bool = False) -> None:
        self.schedule = schedule
        self.fine = fine
        self.words: dict[tuple[int, int], Word] = defaultdict(Word)
        self.frames: dict[int, list[list[Any]]] = defaultdict(list)
        self.order = ""
        self._read, self._write = Pointer._read, Pointer._write
        watch = self

        def read(p: Any, offset: int, type: Any) -> Any:
            watch.touch(p._region, offset, 8 if isinstance(type, PtrType) else _size(type), is_write=False)
            return watch._read(p, offset, type)

        def write(p: Any, offset: int, type: Any, value: Any) -> None:
            watch.touch(p._region, offset, 8 if isinstance(type, PtrType) else _size(type), is_write=True)
            watch._write(p, offset, type, value)

        patch.setattr(Pointer, "_read", read)
        patch.setattr(Pointer, "_write", write)
        for op, order in ORDERS.items():
            patch.setitem(memory_model.RUN, op, self._atomic(memory_model.RUN[op], order))
        patch.setitem(memory_model.RUN, machine.STACK, self._stack(memory_model.RUN[machine.STACK]))
        patch.setitem(memory_model.RUN, machine.MEMCPY, self._memcpy(memory_model.RUN[machine.MEMCPY]))

    def join(self, known: Clock) -> None:
        """The current thread knows this from now on."""
        clock = self.schedule.current.clock
        for number, time in known.items():
            clock[number] = max(clock.get(number, 0), time)

    def tell(self) -> Clock:
        """What the current thread knows; later it knows more."""
        me = self.schedule.current
        told = dict(me.clock)
        me.clock[me.number] += 1
        return told

    def acquire(self, p: Any) -> None:
        """A lock at an address was taken."""
        self.join(self.words[p._region.address, -1].release)

    def release(self, p: Any) -> None:
        """A lock at an address is given back."""
        self.words[p._region.address, -1].release = self.tell()

    def touch(self, region: Any, offset: int, nbytes: int, *, is_write: bool) -> None:
        """An access."""
        if region is None or self.schedule.is_off:
            return
        if self.fine:
            self.schedule.switch()
        for at in range(offset // 8, (offset + nbytes + 7) // 8):
            self._touch_word(self.words[region.address, at], f"{region.name}[{8 * at}]", is_write)

    def _touch_word(self, word: Word, name: str, is_write: bool) -> None:
        me = self.schedule.current
        is_atomic = bool(self.order)
        writer, time, was_atomic = word.write
        if me.clock.get(writer, 0) < time and not (is_atomic and was_atomic):
            raise Race(f"{name}: threads {writer} (writes) and {me.number}")
        if is_write:
            unordered = {r: seen for r, seen in word.reads.items() if me.clock.get(r, 0) < seen[0]}
            for reader, (_, atomic) in unordered.items():
                if not (is_atomic and atomic):
                    raise Race(f"{name}: threads {reader} (reads) and {me.number} (writes)")
            word.write, word.reads = (me.number, me.clock[me.number], is_atomic), unordered
        else:
            word.reads[me.number] = (me.clock[me.number], is_atomic)
        if is_write and not is_atomic:
            word.release = {}

    def _atomic(self, run: Callable[..., Any], order: str) -> Callable[..., Any]:
        def watched(p: Any, *args: Any) -> Any:
            if self.schedule.is_off:
                return run(p, *args)
            self.schedule.switch()
            word = self.words[p._region.address, p._offset // 8]
            fine, self.fine, self.order = self.fine, False, order
            try:
                found = run(p, *args)
            finally:
                self.fine, self.order = fine, ""
            if "acquire" in order:
                self.join(word.release)
            if "release" in order:
                # An addition goes on with what was released before.
                before = word.release if "add" in order else {}
                word.release = {**before, **self.tell()}
            elif "store" in order:
                word.release = {}
            return found

        return watched

    def ends_frames(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose memory on the stack is gone when it returns."""

        def called(*args: Any) -> Any:
            frames = self.frames[self.schedule.current.number]
            frames.append([])
            found = function(*args)
            for region in frames.pop():
                self.touch(region, 0, len(region.data), is_write=True)
                region.freed = True
            return found

        return called

    def _stack(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def watched(n: int, to: Any) -> Any:
            made = run(n, to)
            frames = self.frames[self.schedule.current.number]
            if frames:
                frames[-1].append(made._region)
            return made

        return watched

    def _memcpy(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def watched(to: Any, source: Any, nbytes: int) -> None:
            self.touch(source._region, source._offset, nbytes, is_write=False)
            self.touch(to._region, to._offset, nbytes, is_write=True)
            run(to, source, nbytes)

        return watched


def _size(type: Any) -> int:
    dtype = dtype_of(type)
    assert dtype is not None
    return dtype.itemsize


ORDERS: dict[OpDef, str] = {
    machine.ATOMIC_ADD: "add acquire release",
    machine.ATOMIC_ADD_RELAXED: "add",
    machine.ATOMIC_ADD_RELEASE: "add release",
    machine.ATOMIC_CAS: "add acquire release",
    machine.ATOMIC_LOAD: "acquire",
    machine.ATOMIC_STORE: "store release",
    machine.ATOMIC_STORE_RELAXED: "store",
    machine.ATOMIC_RELEASE: "store release",
    machine.ATOMIC_ACQUIRE: "acquire",
    machine.ATOMIC_RELAXED: "relaxed",
}
"""What each operator orders."""
