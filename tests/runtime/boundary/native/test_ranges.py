"""Ranges that the program marks, over checked memory with models of CPython and the kernels of records."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.native.watching import Watching
from tscript.abi.record import RecordScope
from tscript.dialect import PyObject, PyRange, pointer, pointer_cast
from tscript.dialect.memory_model import to_address
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native import ranges, records
from tscript.runtime.boundary.native.callable import ARGUMENTS

NULL = pointer(0, PyObject)
USER = int(RecordScope.USER)


class Ranges(Watching):
    """A process with ranges; each is due."""

    def __init__(self, python: Python) -> None:
        super().__init__(python)
        self.asked: list[tuple[str, int]] = []
        self.place = self.site()
        self.type = python.made(api.PyLong_Type, "record_function")
        api.PyUnicode_Type.refcount = 1
        self.hook("range_site", self._site)

    def _site(self, name: Any, scope: int) -> Any:
        self.asked.append((self.python.value(name), scope))
        return self.python.integer(to_address(self.place))

    def name(self, value: str) -> Any:
        """A str."""
        return self.python.made(api.PyUnicode_Type, value)

    def made(self, *args: Any, flags: int = 0, names: Any = NULL) -> Any:
        """A range; null when it is refused."""
        return pointer_cast(ranges.new(self.type, self.python.vector(*args), len(args) | flags, names), PyRange)

    def range(self, name: str = "load") -> Any:
        """A range."""
        one = self.name(name)
        made = self.made(one)
        self.python.Py_DecRef(one)
        return made

    def enter(self, one: Any) -> None:
        """Enter a range; a with statement holds it twice meanwhile."""
        assert ranges.enter(one, NULL) == one
        self.python.Py_DecRef(pointer_cast(one, PyObject))

    def leave(self, one: Any, error: Any = None) -> None:
        """Leave a range, with an exception or without."""
        args = (error or api.Py_None, api.Py_None, api.Py_None)
        assert ranges.exit(one, self.python.vector(*args), 3) == api.Py_None


@pytest.fixture
def process(python: Python) -> Ranges:
    """A process that is watched."""
    return Ranges(python)


def test_a_range_has_a_name(python: Python, process: Ranges) -> None:
    one = process.made(process.name("load"), flags=~ARGUMENTS)
    assert (python.value(one.name), one.scope, one.depth, one.name.refcount) == ("load", USER, 0, 2)


def test_anything_else_is_refused(python: Python, process: Ranges) -> None:
    name, number = process.name("load"), python.integer(3)
    for args, names in (((), NULL), ((number,), NULL), ((name, name), NULL), ((name,), python.tuple_of(name))):
        python.error = None
        assert to_address(process.made(*args, names=names)) == 0
        assert python.error == ("TypeError", ranges.NO_NAME)


def test_there_may_be_no_memory(python: Python, process: Ranges) -> None:
    name = process.name("load")
    python.memory = 0
    assert to_address(process.made(name)) == 0
    assert (python.error, name.refcount) == (("MemoryError", None), 1)


def test_nobody_listens(process: Ranges) -> None:
    records.WATCHING[0] = 0
    one = process.range()
    process.enter(one)
    process.leave(one)
    assert (one.depth, process.log, process.asked) == (0, [], [])


def test_a_range_is_recorded_once_however_often_it_is_entered(process: Ranges) -> None:
    one = process.range()
    process.enter(one)
    process.enter(one)
    assert (one.depth, one.site) == (2, process.place)
    process.leave(one)
    assert process.log == [("enter",)]
    process.leave(one)
    assert process.log == [("enter",), ("exit", 0)]
    assert to_address(one.record) == 0
    process.leave(one)
    assert (one.depth, len(process.log)) == (0, 2)


def test_the_site_is_asked_for_once(process: Ranges) -> None:
    one = process.range("step")
    one.scope = 3
    for _ in range(2):
        process.enter(one)
        process.leave(one)
    assert (process.asked, len(process.log)) == ([("step", 3)], 4)


def test_what_the_hook_raises_is_dropped(python: Python, process: Ranges) -> None:
    process.hook("range_site", lambda name, scope: process.raises())
    one = process.range()
    process.enter(one)
    process.leave(one)
    assert (python.error, process.log, one.depth) == (None, [], 0)


def test_a_range_that_is_not_due_has_no_record(process: Ranges) -> None:
    process.thread.countdown[USER] = 2
    one = process.range()
    process.enter(one)
    process.leave(one)
    assert process.log == []
    process.enter(one)
    process.leave(one)
    assert process.log == [("enter",), ("exit", 0)]


def test_a_thread_that_is_not_watched_has_no_records(process: Ranges) -> None:
    process.thread.count = 0
    one = process.range()
    process.enter(one)
    process.leave(one)
    assert (process.log, process.asked) == ([], [])


def test_exceptions_are_failures(python: Python, process: Ranges) -> None:
    one = process.range()
    process.enter(one)
    process.leave(one, python.instance("ValueError"))
    assert process.log == [("enter",), ("exit", 1)]


def test_leaving_without_arguments(python: Python, process: Ranges) -> None:
    one = process.range()
    process.enter(one)
    assert ranges.exit(one, python.vector(), 0) == api.Py_None
    assert process.log == [("enter",), ("exit", 0)]


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_range_that_is_thrown_away_ends(python: Python, process: Ranges, depth: int) -> None:
    before = python.alive
    one = process.range()
    for _ in range(depth):
        process.enter(one)
    ranges.dealloc(one)
    assert process.log == ([("enter",), ("exit", 1)] if depth else [])
    assert (python.alive, process.type.refcount) == (before, 1)
