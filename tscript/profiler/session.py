"""`profile`: recording by steps, and its results."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from types import TracebackType
from typing import Any, SupportsFloat

from tscript.profiler.errors import ProfilerError
from tscript.profiler.event_list import EventList
from tscript.profiler.events import STEP, FunctionEvent
from tscript.profiler.recorder import Entry, Recorder, Settings
from tscript.profiler.schedules import ProfilerAction, always
from tscript.runtime.session.usage import log_api_usage_once

GRANULARITIES = ("group", "operator")
RESERVED = frozenset({"traceEvents", "pid", "process_name", "thread_names"})
"""Top level entries of a trace file that metadata may not replace."""

_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class ProfilerActivity(Enum):
    """Kinds of devices whose work ``torch.profiler`` records. There is only the CPU here."""

    CPU = 0
    CUDA = 2


def supported_activities() -> set[ProfilerActivity]:
    """What can be recorded: the CPU.

    Example:
        >>> supported_activities()
        {<ProfilerActivity.CPU: 0>}
    """
    return {ProfilerActivity.CPU}


class profile:  # noqa: N801 - PyTorch's name
    """Records what runs between `start` and `stop`, on all threads: scripted functions, operators, ranges, compilation.

    A profile with a `schedule` records some of the steps, which `step` tells apart. Several profiles may be active at
    the same time; each sees everything, the callbacks of the others excepted. In a child made by ``fork`` an active
    profile goes on, with what happens in the child alone.

    Args:
        activities: What to record; there is only `ProfilerActivity.CPU`.
        schedule: From the number of a step to a `ProfilerAction`; left out, everything is recorded. See
            `tscript.profiler.schedule`.
        on_trace_ready: Called with the profile when a trace is complete: after each cycle of the schedule, and at the
            end.
        record_shapes: Whether to keep the shapes of inputs. No input is kept.
        profile_memory: Whether to keep how many bytes were in use before and after. The heap is one for all threads, so
            allocations of other threads count for what runs meanwhile.
        with_stack: Whether to keep where each event comes from, scripted source and Python.
        acc_events: Whether the events of all cycles are kept, not those of the last alone.
        granularity: ``group``: a fused group is one event, as it runs without the profiler. ``operator``: compiled
            functions run without fusion, each operator by itself.
        sampling_prob: The share of operators to record, chosen at random; their figures are scaled up. What is around
            them is recorded in any case.

    Raises:
        TypeError: `schedule` or `on_trace_ready` cannot be called, or `activities` holds something else.
        ValueError: There is no activity to record, or `granularity` or `sampling_prob` is out of range.

    Example:
        >>> import tscript
        >>> from tscript.profiler import profile, record_function
        >>> x = tscript.tensor([1.0, 2.0])
        >>> y = tscript.tanh(x)  # the first use of an operator compiles it
        >>> with profile(record_shapes=True) as p, record_function("work"):
        ...     y = tscript.tanh(x)
        >>> [(e.key, e.count, e.input_shapes) for e in p.key_averages(group_by_input_shape=True)]
        [('work', 1, []), ('tanh', 1, [[2]])]
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], object] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        acc_events: bool = False,
        granularity: str = "group",
        sampling_prob: float = 1.0,
    ) -> None:
        log_api_usage_once("tscript.profiler")
        _check_activities(activities)
        for name, value in {"schedule": schedule, "on_trace_ready": on_trace_ready}.items():
            if value is not None and not callable(value):
                raise TypeError(f"profile: {name} must be a function, not {type(value).__name__}")
        if granularity not in GRANULARITIES:
            raise ValueError(f"profile: granularity must be one of {', '.join(GRANULARITIES)}, found {granularity!r}")
        if not isinstance(sampling_prob, SupportsFloat):
            raise TypeError(f"profile: sampling_prob must be a number, not {type(sampling_prob).__name__}")
        if not 0.0 < float(sampling_prob) <= 1.0:
            raise ValueError(f"profile: sampling_prob must be more than 0 and at most 1, found {sampling_prob}")
        self.schedule = schedule or always
        self.on_trace_ready = on_trace_ready
        self.acc_events = acc_events
        self.step_num = 0
        self.current_action = self._action(0)
        self._record_steps = schedule is not None
        self._settings = Settings(record_shapes, profile_memory, with_stack, granularity, sampling_prob)
        self._recorder = Recorder(self._settings)
        self._metadata: dict[str, Any] = {}
        self._step: Entry | None = None
        self._events: list[FunctionEvent] | None = None
        self._origin = 0
        self._is_started = False

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_started:
            self.stop()

    def start(self) -> None:
        """Begin with the first step.

        Raises:
            ProfilerError: It has already begun.
        """
        if self._is_started:
            raise ProfilerError("this profile is already active; stop it before it starts again")
        self._is_started = True
        self._transit(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """End the last step. What was recorded in it is handed over.

        Raises:
            ProfilerError: It is not active.
        """
        if not self._is_started:
            raise ProfilerError("this profile is not active; start it first, or use it in a with statement")
        self._end_step()
        self._is_started = False
        self._transit(self.current_action, None)

    def step(self) -> None:
        """End a step and begin the next. For one thread: the one that leads the work.

        Raises:
            ProfilerError: The profile is not active.
            TypeError: The schedule returns something else than an action; the step goes on.
        """
        if not self._is_started:
            raise ProfilerError("this profile is not active; start it first, or use it in a with statement")
        action = self._action(self.step_num + 1)
        self._end_step()
        before, self.current_action = self.current_action, action
        self.step_num += 1
        try:
            self._transit(before, action)
        finally:
            self._begin_step()

    def events(self) -> EventList:
        """All events of the last trace, in the order in which they began.

        Raises:
            ProfilerError: There is no complete trace yet.
        """
        if self._events is None:
            raise ProfilerError(
                "this profile has no events yet: they are there after stop(), or when its schedule has "
                "completed a cycle"
            )
        return EventList(self._events, profile_memory=self._settings.profile_memory, trace=self._head())

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of the last trace, summed up by name; `EventList.table` prints them.

        Args:
            group_by_input_shape: Whether calls with different shapes are counted apart; needs ``record_shapes``.
            group_by_stack_n: How many of the innermost places keep calls apart; needs ``with_stack``.
            group_by_overload_name: Whether overloads are counted apart.

        Raises:
            ProfilerError: There is no complete trace yet.
        """
        return self.events().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the last trace in the Trace Event Format, which Perfetto (ui.perfetto.dev) and ``chrome://tracing``
        open.

        Args:
            path: The file; compressed when its name ends in ``.gz``.

        Raises:
            ProfilerError: There is no complete trace yet.
            OSError: The file cannot be written; what was there stays.
        """
        self.events().export_chrome_trace(path)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Write stacks with their times, one a line, as flame graph tools read them. Needs ``with_stack``.

        Raises:
            ProfilerError: There is no complete trace yet, or stacks were not recorded.
            ValueError: The metric is unknown.
            OSError: The file cannot be written; what was there stays.
        """
        if not self._settings.with_stack:
            raise ProfilerError("this profile has no stacks: make it with with_stack=True")
        self.events().export_stacks(path, metric)

    def add_metadata(self, key: str, value: object) -> None:
        """Add an entry to the top level of trace files.

        Args:
            key: Its name.
            value: Anything that JSON can hold.

        Raises:
            TypeError: JSON cannot hold it.
            ValueError: The name is taken.
        """
        self.add_metadata_json(key, json.dumps(value))

    def add_metadata_json(self, key: str, value: str) -> None:
        """As `add_metadata`, with a value that is JSON already.

        Raises:
            ValueError: It is not, or the name is taken.
        """
        if key in RESERVED:
            raise ValueError(f"the entry {key!r} of a trace file is not free for metadata")
        self._metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity] | None = None) -> None:
        """Leave out what happens from now on, or let it in again, without ending the trace.

        Args:
            enable: Whether to record.
            activities: As for `profile`.
        """
        _check_activities(activities)
        self._recorder.pause(not enable)

    def _action(self, step: int) -> ProfilerAction:
        action = self.schedule(step)
        if not isinstance(action, ProfilerAction):
            raise TypeError(f"a schedule must return a ProfilerAction, not {type(action).__name__}")
        return action

    def _transit(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """From what was done in one step to what is done in the next; `after` is None at the end."""
        ends = before in _RECORDING and (before is ProfilerAction.RECORD_AND_SAVE or after not in _RECORDING)
        goes_on = after not in (None, ProfilerAction.NONE)
        if ends or not goes_on:
            self._recorder.stop()
        if ends:
            self._keep()
        try:
            if after is not None and not _ends_well(before, after):
                warnings.warn(
                    f"wrong schedule: step {self.step_num} is {after.name} after {before.name}; a trace is "
                    f"complete only "
                    "with RECORD_AND_SAVE", stacklevel=3,
                )  # fmt: skip
            elif ends and self.on_trace_ready is not None:
                self.on_trace_ready(self)
        finally:
            if goes_on and not self._recorder.is_running:
                self._recorder.start()
            elif before is ProfilerAction.WARMUP:
                self._recorder.clear()

    def _keep(self) -> None:
        origin, events = self._recorder.take()
        if self.acc_events and self._events:
            for event in events:
                event.origin_ns = self._origin
            self._events = [*self._events, *events]
        else:
            self._origin, self._events = origin, events

    def _begin_step(self) -> None:
        if self._record_steps and self._recorder.is_running:
            self._step = self._recorder.begin(f"{STEP}{self.step_num}")

    def _end_step(self) -> None:
        step, self._step = self._step, None
        if step is not None:
            self._recorder.end(step)

    def _head(self) -> dict[str, Any]:
        """The entries of the trace file next to its events, and what describes the process."""
        began = time.time_ns() - (time.perf_counter_ns() - self._origin)
        options = {
            "record_shapes": self._settings.record_shapes,
            "profile_memory": self._settings.profile_memory,
            "with_stack": self._settings.with_stack,
        }
        return {
            **{name: 1 for name, value in options.items() if value},
            "host_name": socket.gethostname(),
            "baseTimeNanoseconds": began,
            **self._metadata,
            "pid": os.getpid(),
            "process_name": os.path.basename(sys.argv[0] or sys.executable),
            "thread_names": self._recorder.thread_names,
        }


def _ends_well(before: ProfilerAction, after: ProfilerAction) -> bool:
    """Whether a step may follow another: a recording ends with `RECORD_AND_SAVE`, and warming up leads to one."""
    if before is ProfilerAction.RECORD:
        return after in _RECORDING
    return not (before is ProfilerAction.WARMUP and after is ProfilerAction.NONE)


def _check_activities(activities: Iterable[ProfilerActivity] | None) -> None:
    if activities is None:
        return
    wanted = list(activities)
    for item in wanted:
        if not isinstance(item, ProfilerActivity):
            raise TypeError(f"profile: activities must be ProfilerActivity values, found {item!r}")
    if ProfilerActivity.CPU not in wanted:
        raise ValueError("profile: there is only ProfilerActivity.CPU to record")
    if ProfilerActivity.CUDA in wanted:
        warnings.warn("there are no CUDA activities to record, only those of the CPU", stacklevel=3)
