"""Events, and lists of them: the results of a profile.

Times are integers in nanoseconds inside; the attributes with ``torch.profiler``'s names are microseconds, as there.
"""

from __future__ import annotations

from tscript.abi.record import RecordScope
from tscript.late import dataclass, field

STEP = "ProfilerStep#"
"""How the names of a profile's own ranges begin, one for each step."""


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
        module: Path of the module whose code it is, in that of the function that was called; empty if it is that one.
        failed: Whether it ended with an exception.
        is_unfinished: Whether it was still running when recording stopped; it ends there.
        input_shapes: Shape of each input, with ``record_shapes``: empty for what is no tensor.
        stack: ``file(line): function``, innermost first, with ``with_stack``.
        cpu_memory_usage: Bytes that were allocated and not freed between its beginning and its end, with
            ``profile_memory``.
        live_bytes: Bytes in use when it ended, with ``profile_memory``.
        peak_memory_usage: The most bytes in use beyond those at its beginning, of what its thread allocated and freed,
            with ``profile_memory``. Blocks of up to 8 KiB count if they are in use when larger ones are allocated.
        allocated_memory: Bytes of all blocks of more than 8 KiB that its thread allocated, with ``profile_memory``.
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
    module: str = ""
    failed: bool = False
    is_unfinished: bool = False
    input_shapes: list[list[int]] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    cpu_memory_usage: int = 0
    live_bytes: int | None = None
    peak_memory_usage: int = 0
    allocated_memory: int = 0
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
        cpu_memory_usage, self_cpu_memory_usage, allocated_memory: Sums of bytes.
        peak_memory_usage: The largest of all.
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
    peak_memory_usage: int = 0
    allocated_memory: int = 0
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
        self.peak_memory_usage = max(self.peak_memory_usage, event.peak_memory_usage)
        self.allocated_memory += event.allocated_memory * times
