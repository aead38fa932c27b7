"""What begins and ends records, over checked memory with models of the kernels."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.native.watching import Watching
from tscript.abi.dispatch import DispatchKind
from tscript.dialect import Void, i64, u8
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import failures, records

INT = int(DispatchKind.INT)


@pytest.fixture
def watching(python: Python) -> Watching:
    """A thread that is watched."""
    return Watching(python)


def cells(*values: int) -> tuple[Any, Any, int]:
    """Kinds, cells and number of ints."""
    kinds: Any = allocate(16, u8)
    row: Any = allocate(128, i64)
    for i, value in enumerate(values):
        kinds[i], row[i] = INT, value
    return kinds, row, len(values)


def test_events_are_counted_down_by_scope(watching: Watching) -> None:
    t = watching.thread
    t.countdown[1], t.countdown[2] = 2, 7
    assert [records.due(t, 1), records.due(t, 1)] == [False, True]
    assert (t.countdown[1], t.countdown[2]) == (0, 7)


def test_a_record_is_begun_and_ended_by_the_kernels(watching: Watching) -> None:
    t, site = watching.thread, watching.site()
    opened = records.open_record(t, site, *cells(3, 4))
    assert opened.site == site
    records.close_record(t, opened, 0, *cells(7))
    records.close_record(t, opened, 1, *cells(7))
    assert watching.log == [("enter", (INT, 3), (INT, 4)), ("exit", 0, (INT, 7)), ("exit", 1)]
    watching.records = False
    assert to_address(records.open_record(t, site, *cells())) == 0


def test_records_are_ended_only_where_some_are_open(watching: Watching) -> None:
    t = watching.thread
    saved = t.open = watching.record(watching.site())
    records.unwind(t, saved)
    assert watching.log == []
    t.open = watching.record(watching.site())
    records.unwind(t, saved)
    assert (watching.log, t.open) == ([("unwind",)], saved)


def test_callbacks_in_c_are_called_at_their_addresses(watching: Watching) -> None:
    seen: list[tuple[Any, ...]] = []

    def enter(record: Any, data: Any) -> int:
        seen.append((record, data))
        return 5

    def leave(record: Any, context: int, data: Any) -> None:
        seen.append((record, context, data))

    record = watching.record(watching.site())
    data: Any = allocate(8, Void)
    assert records.call_enter(space().address_of(enter), record, data) == 5
    records.call_exit(space().address_of(leave), record, 5, data)
    assert seen == [(record, data), (record, 5, data)]


def test_ticks_grow(watching: Watching) -> None:
    first = records.ticks()
    assert records.ticks() > first


@pytest.mark.parametrize(("error", "interrupts"), [(None, 0), ("ValueError", 0), ("KeyboardInterrupt", 1)])
def test_exceptions_of_our_own_end_but_not_the_programs(python: Python, error: str | None, interrupts: int) -> None:
    python.error = None if error is None else (error, "")
    failures.forget()
    assert (python.error, python.interrupts) == (None, interrupts)
