"""Events, and lists of them: the results of a profile.

Times are integers in nanoseconds inside; the attributes with ``torch.profiler``'s names are microseconds, as there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tscript.abi.record import RecordScope

STEP = "ProfilerStep#"
"""How the names of a profile's own ranges begin, one for each step."""

STACK_METRICS = ("self_cpu_time_total", "cpu_time_total")
"""What `EventList.export_stacks` can write."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A time range in microseconds from the beginning of the trace."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


def _text(microseconds: float) -> str:
    from tscript.profiler.table import time_text

    return time_text(microseconds)


class Times:
    """The figures in the units that users see, for one event or for many. The classes behind it hold nanoseconds."""

    __slots__ = ()
    key: str
    count: int
    total_ns: int
    self_ns: int

    @property
    def cpu_time_total(self) -> float:
        """Microseconds, including what was called."""
        return self.total_ns / 1000

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds, without what was called."""
        return self.self_ns / 1000

    @property
    def cpu_time(self) -> float:
        """Microseconds of one call on average."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """`cpu_time` as the table shows it."""
        return _text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """`cpu_time_total` as the table shows it."""
        return _text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """`self_cpu_time_total` as the table shows it."""
        return _text(self.self_cpu_time_total)

    @property
    def cpu_time_avg(self) -> float:
        """The same as `cpu_time`, under the name of its column."""
        return self.cpu_time


@dataclass(slots=True, eq=False)
class FunctionEvent(Times):
    """One thing that ran.

    Attributes:
        name: Operator, function or range; ``compile::NAME`` while that is compiled, ``load::NAME`` while an archive is
            loaded, ``ProfilerStep*`` for a step.
        trace_name: The same with the number of the step.
        overload: Overload of the operator.
        scope: What kind of thing it is.
        id: Number of the record, unique in the process; -1 for a step.
        sequence_nr: Links forward and backward, -1 if there is no link.
        thread: The thread it ran on.
        start_ns: Beginning, in nanoseconds of ``time.perf_counter_ns``.
        end_ns: End.
        origin_ns: Beginning of the trace.
        file, line, function: Place in the scripted source; empty, 0 and empty when there is none.
        members: Operators of a fused group.
        failed: Whether it ended with an exception.
        is_unfinished: Whether it was still running when recording stopped; it ends there.
        input_shapes: Shape of each input, with ``record_shapes``: empty for what is no tensor.
        stack: ``file(line): function``, innermost first, with ``with_stack``.
        cpu_memory_usage: Bytes that were allocated and not freed between its beginning and its end, with
            ``profile_memory``.
        live_bytes: Bytes in use when it ended, with ``profile_memory``.
        count: How many calls it stands for: more than 1 when operators are sampled.
        cpu_parent: The event on the same thread around it.
        cpu_children: The events directly inside it.
    """

    name: str
    trace_name: str
    overload: str
    scope: RecordScope
    id: int
    sequence_nr: int
    thread: int
    start_ns: int
    end_ns: int
    origin_ns: int
    file: str = ""
    line: int = 0
    function: str = ""
    members: tuple[str, ...] = ()
    failed: bool = False
    is_unfinished: bool = False
    input_shapes: list[list[int]] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    cpu_memory_usage: int = 0
    live_bytes: int | None = None
    count: int = 1
    cpu_parent: FunctionEvent | None = field(default=None, repr=False)
    cpu_children: list[FunctionEvent] = field(default_factory=list, repr=False)

    @property
    def key(self) -> str:  # type: ignore[override]
        """What averages are grouped by."""
        return self.name

    @property
    def overload_name(self) -> str:
        """The overload, under its column's name."""
        return self.overload

    @property
    def time_range(self) -> Interval:
        """When it ran, in microseconds from the beginning of the trace."""
        return Interval((self.start_ns - self.origin_ns) / 1000, (self.end_ns - self.origin_ns) / 1000)

    @property
    def is_user_annotation(self) -> bool:
        """Whether it is a range of the program's own, or a step."""
        return self.scope == RecordScope.USER

    @property
    def duration_ns(self) -> int:
        """Nanoseconds of this very call."""
        return self.end_ns - self.start_ns

    @property
    def total_ns(self) -> int:  # type: ignore[override]
        """Nanoseconds of the calls it stands for."""
        return self.duration_ns * self.count

    @property
    def self_ns(self) -> int:  # type: ignore[override]
        """Nanoseconds without those of its children. Estimated if operators are sampled, and then not less than 0."""
        return max(0, self.duration_ns - sum(child.total_ns for child in self.cpu_children)) * self.count

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes without those of its children."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage * child.count for child in self.cpu_children)


@dataclass(slots=True, eq=False)
class FunctionEventAvg(Times):
    """All calls with the same key.

    Attributes:
        key: Their name.
        overload_name: Their overload; empty if not grouped by it.
        scope: What kind of thing they are.
        count: How many.
        total_ns, self_ns: Sums of nanoseconds.
        cpu_memory_usage, self_cpu_memory_usage: Sums of bytes.
        input_shapes: Their shapes; empty if not grouped by them.
        stack: The innermost places that they are grouped by.
    """

    key: str
    overload_name: str = ""
    scope: RecordScope | None = None
    count: int = 0
    total_ns: int = 0
    self_ns: int = 0
    cpu_memory_usage: int = 0
    self_cpu_memory_usage: int = 0
    input_shapes: list[list[int]] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    cpu_parent: FunctionEvent | None = field(default=None, repr=False)

    @property
    def is_user_annotation(self) -> bool:
        """Whether these are ranges of the program's own, or steps."""
        return self.scope == RecordScope.USER

    def add(self, event: FunctionEvent | FunctionEventAvg) -> None:
        """Count an event, or what another average counted."""
        times = event.count if isinstance(event, FunctionEvent) else 1
        self.count += event.count
        self.total_ns += event.total_ns
        self.self_ns += event.self_ns
        self.cpu_memory_usage += event.cpu_memory_usage * times
        self.self_cpu_memory_usage += event.self_cpu_memory_usage * times


class EventList(list[Any]):
    """Events in the order in which they began, or averages in the order in which their keys appeared.

    Args:
        items: `FunctionEvent`s or `FunctionEventAvg`s.
        profile_memory: Whether they know their memory.
        trace: Top level entries of the trace file.
    """

    def __init__(
        self,
        items: Sequence[FunctionEvent] | Sequence[FunctionEventAvg] = (),
        *,
        profile_memory: bool = False,
        trace: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(items)
        self.profile_memory = profile_memory
        self.trace = trace or {}

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events."""
        total: int = sum(item.self_ns for item in self)
        return total / 1000

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """A table in plain text with the columns of ``torch.profiler``.

        Args:
            sort_by: The attribute to sort by, the largest first: ``self_cpu_time_total``, ``cpu_time_total``,
                ``cpu_time_avg``, ``count``, ``cpu_memory_usage`` …; left out, the order is that of the list.
            row_limit: Rows at most; -1: all.
            max_src_column_width, max_name_column_width, max_shapes_column_width: Where the columns are cut; None:
                nowhere.
            header: A line above it.
            top_level_events_only: Whether events inside others are left out.
            time_unit: ``s``, ``ms`` or ``us`` for all times; left out, each has the unit that suits it.

        Raises:
            ValueError: `sort_by` or `time_unit` is unknown.

        Example:
            >>> from tscript.profiler import profile, record_function
            >>> with profile() as p, record_function("work"):
            ...     pass
            >>> print(p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))  # doctest: +SKIP
        """
        from tscript.profiler.table import Style, table_of

        return table_of(
            self,
            Style(
                sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
                top_level_events_only, time_unit, self.profile_memory,
            ),
        )  # fmt: skip

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Sums over all events of the same name.

        Args:
            group_by_input_shapes: Whether calls with different shapes are counted apart.
            group_by_stack_n: How many of the innermost places keep calls apart.
            group_by_overload_name: Whether overloads are counted apart.

        Returns:
            A list of `FunctionEventAvg`.
        """
        found: dict[tuple[object, ...], FunctionEventAvg] = {}
        for event in self:
            overload = event.overload_name if group_by_overload_name else ""
            shapes = event.input_shapes if group_by_input_shapes else []
            stack = event.stack[:group_by_stack_n] if group_by_stack_n > 0 else []
            key = (event.key, event.scope, overload, str(shapes), tuple(stack))
            average = found.get(key)
            if average is None:
                average = found[key] = FunctionEventAvg(
                    event.key, overload, event.scope, input_shapes=shapes, stack=stack, cpu_parent=event.cpu_parent
                )
            average.add(event)
        return EventList(list(found.values()), profile_memory=self.profile_memory)

    def total_average(self) -> FunctionEventAvg:
        """The sums over everything, under the key ``Total``."""
        total = FunctionEventAvg("Total")
        for item in self:
            total.add(item)
        return total

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write a trace file; see `tscript.profiler.profile.export_chrome_trace`.

        Raises:
            TypeError: These are averages, which have no times.
            OSError: The file cannot be written; what was there stays.
        """
        from tscript.profiler.trace import write_trace

        if not all(isinstance(item, FunctionEvent) for item in self):
            raise TypeError("averages have no place in a trace: export what events() returns")
        write_trace(Path(path), self, self.trace)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Write stacks with their times, one a line, as flame graph tools read them.

        Args:
            path: The file.
            metric: ``self_cpu_time_total`` or ``cpu_time_total``, in whole microseconds.

        Raises:
            ValueError: The metric is unknown.
            OSError: The file cannot be written; what was there stays.
        """
        from tscript.archive.container import write_atomically

        if metric not in STACK_METRICS:
            raise ValueError(f"export_stacks: metric must be one of {', '.join(STACK_METRICS)}, found {metric!r}")
        apart = str.maketrans(" ;\t\n", "____")
        lines = [
            f"{';'.join(place.translate(apart) for place in reversed(item.stack))} {amount}\n"
            for item in self
            if item.stack and (amount := int(getattr(item, metric))) > 0
        ]
        write_atomically(path, "".join(lines).encode("utf-8", "surrogateescape"))
