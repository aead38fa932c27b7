"""`EventList`: what a profile gives, with its tables and exports."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tscript.profiler.events import FunctionEvent, FunctionEventAvg
from tscript.profiler.trace import write_trace

STACK_METRICS = ("self_cpu_time_total", "cpu_time_total")
"""What `EventList.export_stacks` can write."""


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
