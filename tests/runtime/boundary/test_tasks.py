"""Tasks, as plain Python over checked memory: how they are interrupted, and who observes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tscript.abi.exceptions import number_of
from tscript.dialect import Context, PyObject, Record, RecordSite, Registry, ThreadState, Unit, Void, memset, pointer
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary import callable, failures, record_values, tasks, thread
from tscript.runtime.boundary import python_api as api

NULL = pointer(0, PyObject)


def zeros(kind: Any, nbytes: int = 1024) -> Any:
    """Memory of a kind, all 0."""
    made: Any = allocate(nbytes, kind, "zeros")
    memset(made, 0, nbytes)
    return made


class Watched:
    """A thread that callbacks watch.

    Attributes:
        seen: What was done.
        due: Whether a record is.
        code: Of the task.
        variant: Its observed variant; `built` when it can be made.
    """

    def __init__(self, python: Python) -> None:
        self.python = python
        self.seen: list[Any] = []
        self.due = True
        self.state = zeros(ThreadState, 4096)
        self.state.count, self.state.granularity = 1, 1
        self.record = zeros(Record)
        self.unit = zeros(Unit)
        self.site = zeros(RecordSite)
        thread.REGISTRY[0] = zeros(Registry)
        for i in range(4):
            thread.RECORD_KERNELS[i] = pointer(0, Void)
        callable.WATCHING[0] = 1
        record_values.HOOKS[tasks.BUILD_HOOK] = NULL
        found = space().functions
        found["pthread_getspecific"] = lambda key: self.state
        found["PyGILState_Ensure"] = lambda: self._does("ensure")
        found["PyGILState_Release"] = lambda state: self._does("release")
        found["PyObject_CallFunction"] = self._build
        found["forget"] = lambda: self._does("forget")
        found["due"] = self._is_due
        found["open_record"] = self._open
        found["close_record"] = self._close
        self.code, self.variant = zeros(Void), zeros(Void)
        self.built = pointer(0, Void)

    def _does(self, what: str) -> int:
        self.seen.append(what)
        return 0

    def _build(self, hook: Any, form: Any, source: Any, granularity: int) -> Any:
        self.seen.append((str_at(form), to_address(source), granularity))
        if not to_address(self.built):
            return NULL
        (self.unit.observed + granularity)[0] = self.built
        return self.python.made(api.PyLong_Type, "number")

    def _is_due(self, t: Any, scope: int) -> bool:
        assert t == self.state
        self.seen.append(("due", scope))
        return self.due

    def _open(self, t: Any, site: Any, kinds: Any, cells: Any, n: int) -> Any:
        self.seen.append(("open", to_address(site), n))
        return self.record

    def _close(self, t: Any, record: Any, failed: int, kinds: Any, cells: Any, n: int) -> None:
        self.seen.append(("close", to_address(record), failed, n))


@pytest.fixture
def watched(python: Python) -> Watched:
    """A thread that is watched."""
    return Watched(python)


def test_tasks_run_on_while_the_process_lives(python: Python) -> None:
    one = zeros(Context)
    one.ntrace = 3
    tasks.INTERRUPT[0] = 0
    assert (tasks.task_safepoint(one), one.ntrace) == (0, 3)


def test_tasks_are_interrupted_by_what_handlers_of_errors_do_not_catch(python: Python) -> None:
    one = zeros(Context)
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
    (watched.unit.observed + 1)[0] = watched.variant
    watched.state.count = 0
    assert variant(watched) == watched.code
    watched.state.count, callable.WATCHING[0] = 1, 0
    assert variant(watched) == watched.code
    callable.WATCHING[0] = 1
    assert variant(watched) == watched.variant
    assert watched.seen == []


def test_variants_are_made_when_needed(watched: Watched) -> None:
    before = watched.python.alive
    watched.unit.source = watched.python.instance("source")
    watched.built = watched.variant
    assert [variant(watched), variant(watched)] == [watched.variant] * 2
    assert watched.seen == ["ensure", ("OL", to_address(watched.unit.source), 1), "release"]
    assert watched.python.alive == before + 2  # the source and its class


def test_a_variant_that_cannot_be_made_is_done_without(watched: Watched) -> None:
    assert variant(watched) == watched.code
    assert watched.seen == ["ensure", ("OL", 0, 1), "forget", "release"]


def test_records_of_tasks_begin_when_one_is_due(watched: Watched) -> None:
    assert tasks.task_enter(watched.site) == watched.record
    assert watched.seen == [("due", tasks.FUNCTION_SCOPE), ("open", to_address(watched.site), 0)]
    watched.due = False
    assert to_address(tasks.task_enter(watched.site)) == 0
    watched.seen.clear()
    watched.state.guard = 1
    assert to_address(tasks.task_enter(watched.site)) == 0
    callable.WATCHING[0] = 0
    assert to_address(tasks.task_enter(watched.site)) == 0
    assert watched.seen == []


def test_the_end_of_a_task_ends_what_it_left_open(watched: Watched) -> None:
    def unwind(context: Any, t: Any, saved: Any) -> int:
        watched.seen.append(("unwind", to_address(context), to_address(saved)))
        t.open = saved
        return 0

    outer, nothing = zeros(Record), pointer(0, Record)
    thread.RECORD_KERNELS[tasks.UNWIND_KERNEL] = space().address_of(unwind)
    watched.state.guard, watched.state.open = 5, outer
    tasks.task_leave(nothing, outer, 2, 0)
    assert (watched.seen, watched.state.guard) == ([], 2)
    watched.state.open = watched.record
    tasks.task_leave(watched.record, outer, 0, 1)
    assert watched.seen == [("unwind", 0, to_address(outer)), ("close", to_address(watched.record), 1, 0)]
    assert watched.state.open == outer
