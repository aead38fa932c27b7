"""Tasks, as plain Python over checked memory: how they are interrupted, and who observes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tests.runtime.boundary.native.watching import Watching, zeros
from tscript.abi.boundary import UNIT
from tscript.abi.exceptions import number_of
from tscript.abi.layout import CONTEXT
from tscript.dialect import Context, Record, Unit, Void, pointer
from tscript.dialect.memory_model import to_address
from tscript.runtime.boundary.native import failures, records, tasks


class Watched(Watching):
    """A thread that callbacks watch, and a task on it.

    Attributes:
        unit: Of the call that was forked.
        code: Of the task.
        variant: Its observed variant; `built` when it can be made.
    """

    def __init__(self, python: Python) -> None:
        super().__init__(python)
        self.thread.granularity = 1
        self.unit = zeros(UNIT.size, Unit)
        self.code, self.variant = zeros(8, Void), zeros(8, Void)
        self.built: Any = None
        self.hook("build", self._build)

    def _build(self, source: Any, granularity: int) -> Any:
        assert self.python.gil == 1
        self.log.append(("build", to_address(source), granularity))
        if self.built is None:
            return self.raises()
        self.unit.observed[granularity] = self.built
        return self.python.integer(0)


@pytest.fixture
def watched(python: Python) -> Watched:
    """A thread that is watched."""
    return Watched(python)


def test_tasks_run_on_while_the_process_lives(python: Python) -> None:
    one = zeros(CONTEXT.size, Context)
    one.ntrace = 3
    tasks.INTERRUPT[0] = 0
    assert (tasks.task_safepoint(one), one.ntrace) == (0, 3)


def test_tasks_are_interrupted_by_what_handlers_of_errors_do_not_catch(python: Python) -> None:
    one = zeros(CONTEXT.size, Context)
    one.nargs = 2
    tasks.INTERRUPT[0] = 1
    assert tasks.task_safepoint(one) == failures.RAISED
    assert (one.ntrace, one.nargs) == (1, 0)
    site = one.trace[0]
    assert [str_at(p) for p in (site.file, site.function, site.exception, site.message)] == [
        "<tscript>", "safepoint", "SystemExit", tasks.ENDING,
    ]  # fmt: skip
    assert (site.line, site.number) == (1, number_of("SystemExit"))
    assert to_address(site.caller) == to_address(site.owner) == 0


def variant(watched: Watched) -> Any:
    """What runs."""
    return tasks.task_variant(watched.unit, watched.code)


def test_without_callbacks_the_plain_code_runs(watched: Watched) -> None:
    watched.unit.observed[1] = watched.variant
    watched.thread.count = 0
    assert variant(watched) == watched.code
    watched.thread.count, records.WATCHING[0] = 1, 0
    assert variant(watched) == watched.code
    records.WATCHING[0] = 1
    assert variant(watched) == watched.variant
    assert watched.log == []


def test_variants_are_made_when_needed(watched: Watched) -> None:
    before = watched.python.alive
    watched.unit.source = watched.python.instance("source")
    watched.built = watched.variant
    assert [variant(watched), variant(watched)] == [watched.variant] * 2
    assert watched.log == [("build", to_address(watched.unit.source), 1)]
    assert (watched.python.alive, watched.python.gil) == (before + 2, 0)  # the source and its class


def test_a_variant_that_cannot_be_made_is_done_without(watched: Watched) -> None:
    assert variant(watched) == watched.code
    assert watched.log == [("build", 0, 1)]
    assert (watched.python.error, watched.python.gil) == (None, 0)


def test_records_of_tasks_begin_when_one_is_due(watched: Watched) -> None:
    site, t = watched.site(), watched.thread
    assert tasks.task_enter(site).site == site
    assert (watched.log, t.countdown[tasks.FUNCTION_SCOPE]) == ([("enter",)], -1)
    t.countdown[tasks.FUNCTION_SCOPE] = 2
    assert to_address(tasks.task_enter(site)) == 0
    t.guard = 1
    assert to_address(tasks.task_enter(site)) == 0
    records.WATCHING[0] = 0
    assert to_address(tasks.task_enter(site)) == 0
    assert (watched.log, t.countdown[tasks.FUNCTION_SCOPE]) == ([("enter",)], 1)


def test_the_end_of_a_task_ends_what_it_left_open(watched: Watched) -> None:
    t, outer, nothing = watched.thread, watched.record(watched.site()), pointer(0, Record)
    t.guard, t.open = 5, outer
    tasks.task_leave(nothing, outer, 2, 0)
    assert (watched.log, t.guard) == ([], 2)
    t.open = watched.record(watched.site())
    tasks.task_leave(t.open, outer, 0, 1)
    assert (watched.log, t.open) == ([("unwind",), ("exit", 1)], outer)
