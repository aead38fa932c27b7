"""What operators and allocators in C meet, and values of records, over checked memory with a model of CPython."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tscript.abi.dispatch import DispatchKind
from tscript.dialect import Allocator, Context, PyObject, TensorImpl, Void, i64, memset, pointer, text, u8
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import failures, operators, record_values, tensor
from tscript.runtime.boundary.native.objects import items_of

NULL = pointer(0, PyObject)
NO_TEXT = pointer(0, Void)


class Interpreter:
    """What the functions here ask of CPython."""

    def __init__(self, python: Python) -> None:
        self.python = python
        self.gil: list[str] = []
        self.formatted: list[int] = []
        self.alive = 1
        self.classes = {"ValueError": python.instance("ValueError"), "print": python.instance("print")}
        found = space().functions
        found["PyEval_GetBuiltins"] = lambda: NULL
        found["PyDict_GetItemString"] = lambda d, name: self.classes.get(str_at(name), NULL)
        found["PyObject_IsSubclass"] = lambda c, kind: int(python.value(c) == "ValueError")
        found["PyErr_Clear"] = lambda: None
        found["strlen"] = lambda p: len(str_at(p).encode())
        found["PyUnicode_DecodeUTF8"] = lambda p, n, errors: python.string(str_at(p), interned=False)
        found["PyErr_SetObject"] = self._set
        found["PyErr_Format"] = lambda kind, message, name, status: self.formatted.append(status)
        found["PyEval_RestoreThread"] = lambda state: self.gil.append("restore")
        found["PyGILState_Ensure"] = lambda: self.gil.append("ensure")
        found["PyGILState_Release"] = lambda state: self.gil.append("release")
        found["Py_IsInitialized"] = lambda: self.alive
        self.error: tuple[str, str] | None = None

    def _set(self, kind: Any, value: Any) -> None:
        self.error = (self.python.values[to_address(kind)], self.python.value(value))


@pytest.fixture
def interpreter(python: Python) -> Interpreter:
    """An interpreter."""
    return Interpreter(python)


def context(held: bool = False) -> Any:
    """A context, of a thread that gave the GIL away."""
    made: Any = allocate(1024, Context, "context")
    memset(made, 0, 1024)
    if held:
        made.thread_state = allocate(8, Void, "thread state")
    return made


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize(
    ("name", "kind"), [("ValueError", "ValueError"), ("print", "PyExc_RuntimeError"), ("?", "PyExc_RuntimeError")]
)
def test_operators_raise_builtin_classes(interpreter: Interpreter, held: bool, name: str, kind: str) -> None:
    before = interpreter.python.alive
    one = context(held)
    assert operators.operator_raise(one, text(name), text("no")) == failures.PYTHON
    assert interpreter.error == (kind, "no")
    assert interpreter.gil == (["restore"] if held else ["ensure", "release"])
    assert to_address(one.thread_state) == 0
    assert interpreter.python.alive == before


def test_operators_raise_without_a_name_or_message(interpreter: Interpreter) -> None:
    operators.operator_raise(context(), NO_TEXT, NO_TEXT)
    assert interpreter.error == ("PyExc_RuntimeError", "")


@pytest.mark.parametrize("held", [False, True])
def test_statuses_without_a_reason(interpreter: Interpreter, held: bool) -> None:
    one, name = context(held), text("mylib::f")
    for status in (0, failures.PYTHON):
        assert operators.operator_failed(one, name, status) == status
    one.ntrace = 1
    assert operators.operator_failed(one, name, failures.RAISED) == failures.RAISED
    one.ntrace = 0
    assert interpreter.formatted == []
    assert operators.operator_failed(one, name, failures.RAISED) == failures.PYTHON
    assert operators.operator_failed(context(held), name, 99) == failures.PYTHON
    assert interpreter.formatted == [failures.RAISED, 99]


def test_allocators_are_called_while_there_is_an_interpreter(interpreter: Interpreter) -> None:
    block: Any = allocate(64, Void, "block")
    seen: list[Any] = []

    def take(nbytes: int, alignment: int, user: Any) -> Any:
        seen.append((nbytes, alignment))
        return block

    def give(p: Any, nbytes: int, user: Any) -> None:
        seen.append((to_address(p), nbytes))

    one: Any = allocate(64, Allocator, "allocator")
    memset(one, 0, 64)
    one.allocate, one.free = space().address_of(take), space().address_of(give)
    assert operators.foreign_allocate(one, 100) == to_address(block)
    operators.foreign_free(one, block, 100)
    assert seen == [(100, 64), (to_address(block), 100)]
    interpreter.alive = 0
    assert operators.foreign_allocate(one, 100) == 0
    operators.foreign_free(one, block, 100)
    assert len(seen) == 2


def test_tensors_of_operators_are_dropped(interpreter: Interpreter) -> None:
    impl: Any = allocate(64, TensorImpl, "impl")
    impl.refcount = 2
    tensor.CONCURRENT[0] = 0
    assert operators.operator_drop(context(), impl) == 0 == operators.operator_drop(context(), pointer(0, TensorImpl))
    assert impl.refcount == 1


def row(*values: tuple[DispatchKind, int]) -> tuple[Any, int, Any]:
    """Kinds, number and cells."""
    kinds: Any = allocate(16, u8, "kinds")
    cells: Any = allocate(128, i64, "cells")
    for i, (kind, cell) in enumerate(values):
        kinds[i], cells[i] = int(kind), cell
    return kinds, len(values), cells


@pytest.fixture
def records(python: Python) -> list[Any]:
    """What hooks of records are asked, which fail; that their exception is dropped is said there too."""
    seen: list[Any] = []

    def ask(hook: Any, form: Any, *args: Any) -> Any:
        seen.append((str_at(form), args))
        python.error = ("ValueError", "no")
        return NULL

    def clear() -> None:
        seen.append("forget")
        python.PyErr_Clear()

    found = space().functions
    found["PyFloat_FromDouble"] = lambda x: python.real(float(x))
    found["PyErr_Clear"] = clear
    found["PyObject_CallFunction"] = ask
    empty = python.tuple_of()
    record_values.EMPTY[0] = empty
    space().symbols["tsb_record_hooks"] = space().allocate(64, "hooks")
    space().symbols["tsb_record_hooks"].data[:] = bytes(64)
    return seen


def test_common_values_are_boxed(python: Python, records: list[Any]) -> None:
    (half,) = struct.unpack("<q", struct.pack("<d", 0.5))
    one = python.instance("an object")
    found = record_values.values(
        *row(
            (DispatchKind.NONE, 0),
            (DispatchKind.INT, -3),
            (DispatchKind.FLOAT, half),
            (DispatchKind.BOOL, 1),
            (DispatchKind.OBJECT, to_address(one)),
        )
    )
    items = [items_of(found)[i] for i in range(5)]
    assert [python.value(o) for o in items[:4]] == [None, -3, 0.5, True]
    assert (items[4] == one, one.refcount) == (True, 2)


def test_records_without_values(python: Python, records: list[Any]) -> None:
    kinds, n, cells = row((DispatchKind.INT, 1))
    assert record_values.values(kinds, 0, cells) == record_values.EMPTY[0]
    assert record_values.values(kinds, n, pointer(0, i64)) == record_values.EMPTY[0]


def test_other_kinds_ask_the_hook(python: Python, records: list[Any]) -> None:
    before = python.alive
    kinds, n, cells = row((DispatchKind.INT, 1), (DispatchKind.STR, 5))
    assert record_values.values(kinds, n, cells) == record_values.EMPTY[0]
    assert records == [("LLL", (to_address(kinds), 2, to_address(cells))), "forget"]
    assert python.alive == before


@pytest.mark.parametrize("memory", [0, 1])
def test_without_memory_there_are_no_values(python: Python, records: list[Any], memory: int) -> None:
    before = python.alive
    python.memory = memory
    assert record_values.values(*row((DispatchKind.INT, 1))) == record_values.EMPTY[0]
    assert records == ["forget"]
    assert python.alive == before
