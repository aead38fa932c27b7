"""The profiler: what ran, how long, from where; with the names of ``torch.profiler``.

`profile` records scripted functions, operators, fused groups and user ranges of all threads while it is active, and
makes tables (`profile.key_averages`) and trace files (`profile.export_chrome_trace`) of them. `schedule` picks the
steps of a long job to record. The parts: `recorder` collects raw entries from operator callbacks, `events` makes a
forest of events of them and averages it, `table` and `trace` write it down, `session` is `profile` itself.

Example:
    >>> import tscript
    >>> from tscript.profiler import profile
    >>> x = tscript.tensor([1.0, 2.0])
    >>> with profile() as p:
    ...     for _ in range(3):
    ...         y = tscript.tanh(x)
    >>> {average.key: average.count for average in p.key_averages()}["tanh"]
    3
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tscript.profiler.errors import ProfilerError
from tscript.profiler.event_list import EventList
from tscript.profiler.events import FunctionEvent, FunctionEventAvg
from tscript.profiler.handlers import tensorboard_trace_handler
from tscript.profiler.schedules import ProfilerAction, schedule
from tscript.profiler.session import ProfilerActivity, profile, supported_activities

if TYPE_CHECKING:
    from tscript.runtime.public.record import record_function


def __getattr__(name: str) -> Any:
    if name == "record_function":  # a native type: with it begins the runtime
        from tscript.runtime.public.record import record_function

        return record_function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerError",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
