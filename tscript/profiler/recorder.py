"""From operator callbacks to events.

While it records, a `Recorder` keeps one entry for each enter, in the order of the enters, and fills in the end at the
exit. An entry holds the record itself, whose fields stay as they are (inputs and outputs excepted), so what happens per
event is a list made and appended. Only when recording is over are these made into a forest (`forest`): an event's
parent is the innermost one on its thread that contains it.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from time import perf_counter_ns
from types import CodeType
from typing import Any

from tscript.abi.record import RecordScope
from tscript.late import dataclass
from tscript.profiler.events import STEP, FunctionEvent
from tscript.profiler.memory import Meter

Place = tuple[CodeType, int]
"""A frame of Python: its code and line."""

Entry = list[Any]
"""What is known of one event; the constants below are its places."""

START, END, RECORD, SHAPES, FRAMES, MEMORY = range(6)

PREFIXES = {RecordScope.COMPILE: "compile::", RecordScope.LOAD: "load::"}
"""What tells the name of a function being compiled from the function."""


@dataclass(frozen=True, slots=True)
class Step:
    """A record of the profile's own, for a step."""

    name: str
    thread_id: int
    overload: str = ""
    scope: RecordScope = RecordScope.USER
    id: int = -1
    sequence_nr: int = -1
    file: str = ""
    line: int = 0
    function: str = ""
    members: tuple[str, ...] = ()
    module: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that was seen.

    Attributes:
        id: As the operating system counts it.
        name: As Python calls it.
    """

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What is recorded; see `tscript.profiler.profile`."""

    record_shapes: bool = False
    profile_memory: bool = False
    with_stack: bool = False
    granularity: str = "group"
    sampling_prob: float = 1.0


class Recorder:
    """Collects entries between `start` and `stop`.

    Args:
        settings: What is recorded.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._log: list[Entry] = []
        self._threads: dict[int, Thread] = {}  # by `threading.get_ident`
        self._handles: list[Any] = []
        self._origin = 0
        _recorders().add(self)

    @property
    def is_running(self) -> bool:
        """Whether it records."""
        return bool(self._handles)

    @property
    def thread_names(self) -> Mapping[int, str]:
        """The names of the threads that were seen, by `FunctionEvent.thread`."""
        return {thread.id: thread.name for thread in self._threads.values()}

    def start(self) -> None:
        """Record from now on."""
        from tscript.runtime.public.record import add_global_callback

        self.clear()
        on_enter, on_exit = self._callbacks()
        share = self.settings.sampling_prob
        everything = frozenset(RecordScope)
        # Only operators are sampled: they are many and have few children, so that what is around them stays whole.
        parts = [(everything, 1.0)] if share == 1.0 else [(everything - _SAMPLED, 1.0), (_SAMPLED, share)]
        try:
            for scopes, probability in parts:
                handle = add_global_callback(
                    on_enter, on_exit, needs_inputs=self.settings.record_shapes, sampling_prob=probability,
                    scopes=sorted(scopes), granularity=self.settings.granularity,
                )  # fmt: skip
                self._handles.append(handle)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Record no more; what was recorded is kept until `take`."""
        handles, self._handles = self._handles, []
        for handle in reversed(handles):
            handle.remove()

    def pause(self, paused: bool) -> None:
        """Leave out what happens while it is paused."""
        for handle in self._handles:
            if paused:
                handle.disable()
            else:
                handle.enable()

    def clear(self) -> None:
        """Forget what was recorded; events that are running now are left out."""
        self._log.clear()
        self._origin = perf_counter_ns()

    def take(self) -> tuple[int, list[FunctionEvent]]:
        """The time of the last `clear` and the events since then, which are forgotten here."""
        stopped = perf_counter_ns()
        entries = self._log[:]
        del self._log[: len(entries)]
        return self._origin, forest(entries, self._origin, stopped, self.settings, self._threads)

    def begin(self, name: str) -> Entry:
        """Open a range of the profile's own on this thread."""
        step = Step(name, threading.get_ident())
        self._see(step.thread_id)
        entry: Entry = [0, 0, step, [], None, Meter().begin() if self.settings.profile_memory else None]
        self._log.append(entry)
        entry[START] = perf_counter_ns()
        return entry

    def end(self, entry: Entry) -> None:
        """Close it."""
        entry[END] = perf_counter_ns()
        if entry[MEMORY] is not None:
            entry[MEMORY] = Meter().end(entry[MEMORY])

    def forked(self) -> None:
        """In a forked child: forget what its parent has finished, and keep what the child will finish itself."""
        me = threading.get_ident()
        self._log[:] = [e for e in self._log if not e[END] and e[RECORD].thread_id == me]
        self._threads.clear()
        self._see(me)

    def _see(self, ident: int) -> None:
        """Remember the calling thread."""
        number = threading.get_native_id()
        named = (t.name for t in threading.enumerate() if t.ident == ident)
        self._threads.setdefault(ident, Thread(number, next(named, f"thread {number}")))

    def _callbacks(self) -> tuple[Callable[[Any], Entry], Callable[[Any, Entry], None]]:
        """The pair to register. The clock is read last on the way in and first on the way out."""
        append, threads, see, now = self._log.append, self._threads, self._see, perf_counter_ns
        settings = self.settings

        def plain_enter(record: Any) -> Entry:
            if record.thread_id not in threads:
                see(record.thread_id)
            entry: Entry = [0, 0, record]
            append(entry)
            entry[START] = now()
            return entry

        def plain_exit(record: Any, entry: Entry) -> None:
            entry[END] = now()

        if not (settings.record_shapes or settings.profile_memory or settings.with_stack):
            return plain_enter, plain_exit
        meter = Meter() if settings.profile_memory else None

        def enter(record: Any) -> Entry:
            if record.thread_id not in threads:
                see(record.thread_id)
            shapes = shapes_of(record.inputs) if settings.record_shapes else None
            # Inside compiled code the callers are those of the scripted function, whose own record has them.
            is_inner = record.file and record.scope == RecordScope.OPERATOR
            frames = callers(sys._getframe().f_back) if settings.with_stack and not is_inner else None
            entry: Entry = [0, 0, record, shapes, frames, meter.begin() if meter is not None else None]
            append(entry)
            entry[START] = now()
            return entry

        def leave(record: Any, entry: Entry) -> None:
            entry[END] = now()
            if meter is not None:
                entry[MEMORY] = meter.end(entry[MEMORY])

        return enter, leave


_SAMPLED = frozenset({RecordScope.OPERATOR})


@cache
def _recorders() -> weakref.WeakSet[Recorder]:
    """The recorders of this process; a forked child goes through them."""
    found: weakref.WeakSet[Recorder] = weakref.WeakSet()

    def forked() -> None:
        for recorder in list(found):
            recorder.forked()

    os.register_at_fork(after_in_child=forked)
    return found


def shapes_of(inputs: Sequence[object]) -> list[Any]:
    """The shape of each input: a list for a tensor, a list of these for a list of tensors, an empty one for anything
    else.

    Example:
        >>> import tscript
        >>> shapes_of((tscript.tensor([[1.0, 2.0]]), 3.0))
        [[1, 2], []]
    """
    return [_shape_of(value) for value in inputs]


def _shape_of(value: object) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [_shape_of(item) for item in value if hasattr(item, "shape")]
    shape = getattr(value, "shape", None)
    return list(shape) if shape is not None else []


def callers(frame: Any) -> list[Place]:
    """The frames of Python from `frame` outwards, without those of this package at the beginning."""
    own = os.path.dirname(os.path.dirname(callers.__code__.co_filename)) + os.sep
    while frame is not None and frame.f_code.co_filename.startswith(own):
        frame = frame.f_back
    found: list[Place] = []
    while frame is not None:
        found.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return found


def forest(
    entries: Iterable[Entry], origin: int, stopped: int, settings: Settings, threads: Mapping[int, Thread]
) -> list[FunctionEvent]:
    """The events of `entries`, each with its parent and children, in the order in which they began.

    Args:
        entries: In the order of their enters.
        origin: Beginning of the trace.
        stopped: When recording stopped: the end of what was still running.
        settings: What was recorded.
        threads: By `threading.get_ident`.
    """
    events: list[FunctionEvent] = []
    open_events: dict[int, list[FunctionEvent]] = {}
    for entry in entries:
        if not entry[START]:  # another thread was just about to read the clock
            continue
        event = _event(entry, origin, stopped, settings, threads)
        around = open_events.setdefault(event.thread, [])
        while around and around[-1].end_ns <= event.start_ns:
            around.pop()
        # A range may end later than the one that it began in.
        parent = next((e for e in reversed(around) if e.end_ns >= event.end_ns), None)
        if parent is not None:
            event.cpu_parent = parent
            parent.cpu_children.append(event)
        if settings.with_stack:
            event.stack = _stack(entry[FRAMES], event)
        around.append(event)
        events.append(event)
    events.sort(key=lambda e: e.start_ns)
    return events


def _event(entry: Entry, origin: int, stopped: int, settings: Settings, threads: Mapping[int, Thread]) -> FunctionEvent:
    record, end = entry[RECORD], entry[END]
    thread = threads.get(record.thread_id)
    scope = RecordScope(record.scope)
    name = PREFIXES.get(scope, "") + record.name
    event = FunctionEvent(
        name=f"{STEP.rstrip('#')}*" if isinstance(record, Step) else name,
        trace_name=name,
        overload=record.overload or "",
        scope=scope,
        id=record.id,
        sequence_nr=record.sequence_nr,
        thread=record.thread_id if thread is None else thread.id,
        start_ns=entry[START],
        end_ns=end or stopped,
        origin_ns=origin,
        file=record.file or "",
        line=record.line,
        function=record.function or "",
        members=tuple(record.members),
        module=record.module or "",
        failed=bool(record.failed),
        is_unfinished=not end,
    )
    if settings.record_shapes:
        event.input_shapes = entry[SHAPES]
    if scope in _SAMPLED:
        event.count = round(1 / settings.sampling_prob)
    if settings.profile_memory and end:
        used = entry[MEMORY]
        event.live_bytes = used.after
        event.cpu_memory_usage = used.after - used.before
        event.peak_memory_usage, event.allocated_memory = used.peak, used.allocated
    return event


def _stack(frames: Sequence[Place] | None, event: FunctionEvent) -> list[str]:
    """The place of an event, then where it was called from: its own frames, or what is around it."""
    own = [f"{event.file}({event.line}): {event.function}"] if event.file else []
    if frames is not None:
        return own + [f"{code.co_filename}({line}): {code.co_qualname}" for code, line in frames]
    parent = event.cpu_parent
    if parent is None:
        return own
    # A scripted function's record stands at its first line; here it is known where inside it we are.
    is_same = own and (parent.file, parent.function) == (event.file, event.function)
    return own + parent.stack[1 if is_same else 0 :]
