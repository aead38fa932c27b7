"""Events as a table in plain text, column for column as ``torch.profiler`` writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tscript.late import dataclass

SORT_KEYS = (
    "self_cpu_time_total",
    "cpu_time_total",
    "cpu_time_avg",
    "cpu_time",
    "count",
    "cpu_memory_usage",
    "self_cpu_memory_usage",
    "peak_memory_usage",
    "allocated_memory",
    "key",
)
"""What a table can be sorted by."""

TIME_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
"""Microseconds in each unit."""

_WIDTH = 12
_GAP = "  "


@dataclass(frozen=True, slots=True)
class Style:
    """How a table looks: the arguments of `tscript.profiler.EventList.table`, and whether there are columns of
    memory."""

    sort_by: str | None = None
    row_limit: int = 100
    max_src_column_width: int | None = 75
    max_name_column_width: int | None = 55
    max_shapes_column_width: int | None = 80
    header: str | None = None
    top_level_events_only: bool = False
    time_unit: str | None = None
    profile_memory: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, width, what stands in it, and whether that stands at its left."""

    title: str
    width: int
    cell: Callable[[Any], str]
    left: bool = False

    def padded(self, text: str) -> str:
        """`text` in the width of the column."""
        return text.ljust(self.width) if self.left else text.rjust(self.width)


def table_of(items: Sequence[Any], style: Style) -> str:
    """The table of events or averages; empty if there are none.

    Raises:
        ValueError: The key to sort by or the unit is unknown.
    """
    if style.sort_by is not None and style.sort_by not in SORT_KEYS:
        raise ValueError(f"cannot sort by {style.sort_by!r}, only by {', '.join(SORT_KEYS)}")
    if style.time_unit is not None and style.time_unit not in TIME_UNITS:
        raise ValueError(f"time_unit must be one of {', '.join(TIME_UNITS)}, found {style.time_unit!r}")
    if not items:
        return ""
    total = sum(item.self_ns for item in items)
    columns = _columns(items, style, total)
    shown = [i for i in items if i.cpu_parent is None] if style.top_level_events_only else list(items)
    if style.sort_by is not None:
        name = style.sort_by
        shown.sort(key=lambda item: getattr(item, name), reverse=name != "key")
    if type(style.row_limit) is not int:
        raise TypeError(f"row_limit must be an int, -1 for all rows, not {type(style.row_limit).__name__}")
    if style.row_limit >= 0:
        shown = shown[: style.row_limit]
    rule = _line("-" * column.width for column in columns)
    double = "=" * (len(rule) - len(_GAP))
    lines = [double, style.header] if style.header is not None else []
    if style.top_level_events_only:
        lines += [double, "Only events at top level"]
    lines += [rule, _line(column.padded(column.title) for column in columns), rule]
    for item in shown:
        lines.append(_line(column.padded(column.cell(item)) for column in columns))
        if columns[-1].left:
            lines += _stack_lines(columns, item)
    lines += [rule, f"Self CPU time total: {time_text(total / 1000, style.time_unit)}"]
    if style.profile_memory:
        lines.append(f"Peak memory: {memory_text(max(item.peak_memory_usage for item in items))}")
    lines.append("")
    return "\n".join(lines)


def _line(cells: Any) -> str:
    return "".join(f"{cell}{_GAP}" for cell in cells)


def _columns(items: Sequence[Any], style: Style, total: int) -> list[Column]:
    name_width = _capped(max(len(item.key) for item in items) + 4, style.max_name_column_width, len("Name"))
    columns = [Column("Name", name_width, lambda item: shortened(item.key, style.max_name_column_width))]
    if any(item.overload_name for item in items):
        columns.append(
            Column(
                "Overload Name", max(name_width, 13), lambda i: shortened(i.overload_name, style.max_name_column_width)
            )
        )
    unit = style.time_unit
    columns += [
        Column("Self CPU %", _WIDTH, lambda item: share_text(item.self_ns, total)),
        Column("Self CPU", _WIDTH, lambda item: time_text(item.self_cpu_time_total, unit)),
        Column("CPU total %", _WIDTH, lambda item: share_text(item.total_ns, total)),
        Column("CPU total", _WIDTH, lambda item: time_text(item.cpu_time_total, unit)),
        Column("CPU time avg", _WIDTH, lambda item: time_text(item.cpu_time, unit)),
    ]
    if style.profile_memory:
        columns += [
            Column("CPU Mem", _WIDTH, lambda item: memory_text(item.cpu_memory_usage)),
            Column("Self CPU Mem", _WIDTH, lambda item: memory_text(item.self_cpu_memory_usage)),
            Column("Peak Mem", _WIDTH, lambda item: memory_text(item.peak_memory_usage)),
            Column("Allocated", _WIDTH, lambda item: memory_text(item.allocated_memory)),
        ]
    columns.append(Column("# of Calls", _WIDTH, lambda item: str(item.count)))
    if any(item.input_shapes for item in items):
        longest = max(len(str(item.input_shapes)) for item in items) + 4
        width = _capped(longest, style.max_shapes_column_width, len("Input Shapes"))
        columns.append(Column("Input Shapes", width, lambda item: str(item.input_shapes)[:width]))
    if any(item.stack for item in items):
        longest = max(len(place) for item in items for place in item.stack) + 4
        source_width = _capped(longest, style.max_src_column_width, len("Source Location"))
        columns.append(Column("Source Location", source_width, lambda item: _place(item, 0, source_width), left=True))
    return columns


def _capped(width: int, most: int | None, least: int) -> int:
    return max(least, width if most is None else min(width, most))


def _place(item: Any, at: int, width: int) -> str:
    """A place of a stack, cut at its beginning: the end says more."""
    text: str = item.stack[at] if at < len(item.stack) else ""
    return text if len(text) <= width else f"...{text[len(text) - width + 3 :]}"


def _stack_lines(columns: Sequence[Column], item: Any) -> list[str]:
    """The places behind the first one, each below it, and an empty line."""
    blank = [" " * column.width for column in columns[:-1]]
    last = columns[-1]
    places = [_place(item, at, last.width) for at in range(1, len(item.stack))]
    return [_line([*blank, last.padded(place)]) for place in [*places, ""]]


def shortened(name: str, most: int | None) -> str:
    """A name that fits its column.

    Example:
        >>> shortened("layer_normalisation", 12)
        'layer_nor...'
    """
    return f"{name[: max(0, most - 3)]}..." if most is not None and len(name) >= most - 3 else name


def time_text(microseconds: float, unit: str | None = None) -> str:
    """A time in `unit`, or in the unit that suits it.

    Example:
        >>> time_text(1500.0), time_text(1500.0, "us")
        ('1.500ms', '1500.000us')
    """
    if unit is None:
        unit = "s" if microseconds >= 1e6 else "ms" if microseconds >= 1e3 else "us"
    return f"{microseconds / TIME_UNITS[unit]:.3f}{unit}"


def share_text(part: int, total: int) -> str:
    """A part in per cent.

    Example:
        >>> share_text(1, 3)
        '33.33%'
    """
    return f"{part * 100.0 / total:.2f}%" if total else "NaN"


def memory_text(count: int) -> str:
    """Bytes in the unit that suits them.

    Example:
        >>> memory_text(-2048)
        '-2.00 KB'
    """
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"
