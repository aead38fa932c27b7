"""Python records and calls of Python callbacks, over checked memory with a model of CPython."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.native.watching import Watching, zeros
from tscript.abi.boundary import RECORD_OBJECTS
from tscript.abi.dispatch import DispatchKind
from tscript.abi.layout import CALLBACK
from tscript.dialect import Callback, PyObject, PyRecord, i64, pointer, pointer_cast, u8
from tscript.dialect.memory_model import allocate, to_address
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native import python_records, record_values
from tscript.runtime.boundary.native.python_records import MISSED, OF_SITE

NULL = pointer(0, PyObject)
SITE = ("add", "Tensor", "scope", "f.py", "f", "members", "layer")


class Observed(Watching):
    """An operator with inputs that Python callbacks watch.

    Attributes:
        seen: What was called: name, record, and of exits their context.
        answer: What the hook of faults returns.
        record_of: The `Record`.
    """

    def __init__(self, python: Python) -> None:
        super().__init__(python)
        self.seen: list[tuple[Any, ...]] = []
        self.asked = 0
        self.answer = api.Py_False
        self.type = python.made(api.PyLong_Type, "Record")
        python.destructors[to_address(self.type)] = lambda o: python_records.dealloc(pointer_cast(o, PyRecord))
        python_records.RECORD_TYPE[0] = self.type
        self.hook("site", self._site)
        self.hook("fault", self._fault)
        self.record_of = self.record(self.site(line=12, num_inputs=-1))
        for name, number in (("thread_id", 3), ("id", 4), ("sequence_nr", -1)):
            setattr(self.record_of, name, number)
        self.inputs(5, 6)

    def inputs(self, *values: int) -> None:
        """Give the record inputs."""
        self.record_of.kinds, self.record_of.inputs = row(*values)
        self.record_of.num_cells = len(values)

    def outputs(self, *values: int) -> None:
        """Give the record outputs."""
        self.record_of.output_kinds, self.record_of.outputs = row(*values)
        self.record_of.num_output_cells = len(values)

    def _site(self, address: int) -> Any:
        self.asked += 1
        assert address == to_address(self.record_of.site)
        return self.python.tuple_of(*map(self.python.string, SITE))

    def _fault(self, address: int, error: Any) -> Any:
        self.seen.append(("fault", address, self.python.value(error)))
        self.answer.refcount = self.answer.refcount + 1
        return self.answer

    def callback(self, enter: Callable[..., Any] | None = None, leave: Callable[..., Any] | None = None) -> Any:
        """A callback of Python functions."""
        made = zeros(CALLBACK.size, Callback)
        for name, function in (("enter", enter), ("exit", leave)):
            if function is not None:
                setattr(made, name, self.python.made(api.PyLong_Type, function))
        return made

    def entered(self, *, gives: int | None = None) -> Any:
        """A callback whose functions keep what they are given."""

        def enter(record: Any) -> Any:
            self.grown()
            self.seen.append(("enter", *self.shown(record)))
            return self.none() if gives is None else self.python.integer(gives)

        def leave(record: Any, context: Any) -> Any:
            shown = pointer_cast(record, PyRecord)
            outputs = self.python.value(shown.outputs)
            self.seen.append(("exit", shown.failed, outputs, self.python.value(context)))
            return self.none()

        return self.callback(enter, leave)

    def shown(self, record: Any) -> tuple[Any, ...]:
        """Inputs and outputs of a Python record."""
        shown = pointer_cast(record, PyRecord)
        return self.python.value(shown.inputs), self.python.value(shown.outputs)

    def grown(self) -> None:
        """The GIL is held, and no exception set, while a callback runs."""
        assert (self.python.gil, self.python.error) == (1, None)

    def none(self) -> Any:
        """None."""
        api.Py_None.refcount = api.Py_None.refcount + 1
        return api.Py_None


def row(*values: int) -> tuple[Any, Any]:
    """Kinds and cells of ints."""
    kinds: Any = allocate(16, u8)
    cells: Any = allocate(128, i64)
    for i, value in enumerate(values):
        kinds[i], cells[i] = int(DispatchKind.INT), value
    return kinds, cells


@pytest.fixture
def observed(python: Python) -> Observed:
    """An operator that is watched."""
    return Observed(python)


def test_a_record_says_what_its_site_and_the_native_record_say(python: Python, observed: Observed) -> None:
    made = python_records.python_record(observed.record_of)
    assert RECORD_OBJECTS[:OF_SITE] == ("name", "overload", "scope", "file", "function", "members", "module")
    assert tuple(python.value(getattr(made, name)) for name in RECORD_OBJECTS[:OF_SITE]) == SITE
    assert [python.value(made.inputs), python.value(made.outputs)] == [(5, 6), ()]
    assert (made.line, made.num_inputs, made.thread_id, made.id, made.sequence_nr, made.failed) == (12, 2, 3, 4, -1, 0)
    assert python_records.python_record(observed.record_of) == made


def test_how_many_inputs_the_site_knows(observed: Observed) -> None:
    observed.record_of.site.num_inputs = 9
    assert python_records.python_record(observed.record_of).num_inputs == 9


def test_a_site_is_asked_once(observed: Observed) -> None:
    for _ in range(2):
        python_records.python_record(observed.record_of)
        python_records.give_up(observed.record_of)
    assert observed.asked == 1


def test_inputs_come_late_where_a_later_callback_asks_for_them(python: Python, observed: Observed) -> None:
    observed.inputs()
    first = python_records.python_record(observed.record_of)
    assert (python.value(first.inputs), record_values.EMPTY[0].refcount) == ((), 3)
    observed.inputs(8)
    assert python.value(python_records.python_record(observed.record_of).inputs) == (8,)
    assert record_values.EMPTY[0].refcount == 2


@pytest.mark.parametrize("hook", [True, False])
def test_without_a_record_a_callback_is_not_called(python: Python, observed: Observed, hook: bool) -> None:
    if hook:
        observed.hook("site", lambda address: observed.raises())
    else:
        observed.record_of.site.python = python.tuple_of()
        python.memory = 0
    python.error = ("KeyError", "mine")
    callback = observed.entered()
    assert python_records.enter(observed.record_of, callback) == MISSED
    python_records.exit(observed.record_of, callback, MISSED, 1)
    assert (observed.seen, python.error) == ([], ("KeyError", "mine"))


def test_what_enter_returns_comes_to_exit(python: Python, observed: Observed) -> None:
    before = python.alive
    callback = observed.entered(gives=42)
    python.error = ("KeyError", "mine")
    number = python_records.enter(observed.record_of, callback)
    observed.outputs(11)
    python_records.exit(observed.record_of, callback, number, 1)
    assert observed.seen == [("enter", (5, 6), ()), ("exit", 0, (11,), 42)]
    assert (python.error, python.gil) == (("KeyError", "mine"), 0)
    assert python.alive == before + 2 + 1  # the functions, and what the site keeps


def test_an_operator_that_failed_has_no_outputs(observed: Observed) -> None:
    callback = observed.entered()
    number = python_records.enter(observed.record_of, callback)
    assert number == to_address(api.Py_None)
    observed.record_of.failed = 1
    python_records.exit(observed.record_of, callback, number, 1)
    assert observed.seen[1:] == [("exit", 1, (), None)]


def test_callbacks_need_neither_function(observed: Observed) -> None:
    callback = observed.callback()
    assert python_records.enter(observed.record_of, callback) == 0
    python_records.exit(observed.record_of, callback, 0, 1)
    assert to_address(observed.record_of.python) == 0


def test_exit_without_a_context_gets_none(observed: Observed) -> None:
    callback = observed.entered()
    python_records.exit(observed.record_of, callback, 0, 0)
    assert observed.seen == [("exit", 0, (), None)]
    assert to_address(observed.record_of.python) != 0


def test_a_callback_that_was_removed_gets_nothing_but_its_context_goes(python: Python, observed: Observed) -> None:
    number = python_records.enter(observed.record_of, observed.entered(gives=42))
    before = python.alive
    python_records.exit(observed.record_of, pointer(0, Callback), number, 0)
    assert (len(observed.seen), python.alive) == (1, before - 1)


def test_a_callback_may_remove_itself(python: Python, observed: Observed) -> None:
    callback = observed.callback()

    def enter(record: Any) -> Any:
        python.Py_DecRef(function)
        return observed.none()

    function = python.made(api.PyLong_Type, enter)
    callback.enter = function
    before = python.alive
    python_records.enter(observed.record_of, callback)
    python_records.give_up(observed.record_of)
    assert python.alive == before - 1 + 1  # less the function, and what the site keeps


def test_a_record_that_is_kept_keeps_no_values(python: Python, observed: Observed) -> None:
    kept: list[Any] = []

    def leave(record: Any, context: Any) -> Any:
        record.refcount = record.refcount + 1
        kept.append(record)
        return observed.none()

    observed.outputs(11)
    python_records.exit(observed.record_of, observed.callback(None, leave), 0, 1)
    assert observed.shown(kept[0]) == ((), ())
    assert kept[0].refcount == 1
    python.Py_DecRef(kept[0])
    assert record_values.EMPTY[0].refcount == 1


@pytest.mark.parametrize("interrupted", [False, True])
def test_what_callbacks_raise_goes_to_the_hook(python: Python, observed: Observed, interrupted: bool) -> None:
    observed.answer = api.Py_True if interrupted else api.Py_False
    callback = observed.callback(lambda record: observed.raises(), lambda record, context: observed.raises())
    before = python.alive
    assert python_records.enter(observed.record_of, callback) == 0
    python_records.exit(observed.record_of, callback, 0, 1)
    assert observed.seen == [("fault", to_address(callback), ("ValueError", "no"))] * 2
    assert (python.error, python.interrupts, python.alive) == (None, 2 * interrupted, before + 1)


def test_a_hook_of_faults_that_raises_is_not_heard(python: Python, observed: Observed) -> None:
    observed.hook("fault", lambda address, error: observed.raises("KeyboardInterrupt"))
    assert python_records.enter(observed.record_of, observed.callback(lambda record: observed.raises())) == 0
    assert (python.error, python.interrupts) == (None, 1)


def test_nothing_is_called_when_the_interpreter_has_ended(python: Python, observed: Observed) -> None:
    python.initialized = 0
    callback = observed.entered()
    assert python_records.enter(observed.record_of, callback) == 0
    python_records.exit(observed.record_of, callback, 0, 1)
    assert (observed.seen, python.gil) == ([], 0)
