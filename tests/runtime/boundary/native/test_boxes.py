"""Boxes of stubs, errors of native code, and calls back into Python, over checked memory with a model of CPython."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tscript.abi.dispatch import END, DispatchKind
from tscript.dialect import Context, PyObject, TensorImpl, Void, i64, memset, pointer, u8
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import boxes, failures, gil, python_calls, tasks, tensor
from tscript.runtime.boundary.native import python_api as api

NULL = pointer(0, PyObject)


def words(*values: int) -> Any:
    """An array of ints."""
    made: Any = allocate(8 * max(1, len(values)), i64, "words")
    for i, value in enumerate(values):
        made[i] = value
    return made


def context(**fields: Any) -> Any:
    """A context."""
    made: Any = allocate(1024, Context, "context")
    memset(made, 0, 1024)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def test_ints_fit_into_64_bits(python: Python) -> None:
    out = words(0)
    assert boxes.unbox_int(python.integer(-5), out, 1) == 0
    assert out[0] == -5
    assert boxes.unbox_int(python.integer(-1), out, 1) == 0
    seen: list[int] = []
    space().functions["PyErr_Format"] = lambda kind, message, position: seen.append(position)
    assert boxes.unbox_int(python.integer(1 << 64), out, 3) == -1
    assert seen == [3]


def test_dtypes_by_code(python: Python) -> None:
    for i in range(32):
        tensor.DTYPE_OBJECTS[i] = NULL
    one = python.instance("dtype")
    tensor.DTYPE_OBJECTS[5] = one
    assert tensor.unbox_dtype(one) == 5
    assert tensor.box_dtype(5) == one
    assert tensor.unbox_dtype(python.instance()) == -1
    space().functions["PyErr_Format"] = lambda kind, message, code: NULL
    assert to_address(tensor.box_dtype(-1)) == 0 == to_address(tensor.box_dtype(6))


def test_constants_of_a_row(python: Python) -> None:
    constants = python.tuple_of(python.integer(1), python.integer(2))
    assert python.value(boxes.box_constant(constants, 1)) == 2
    for given, index in ((constants, 2), (constants, -1), (NULL, 0)):
        assert to_address(boxes.box_constant(given, index)) == 0
        assert python.error == ("SystemError", boxes.NO_CONSTANT)


@pytest.mark.parametrize(("missing", "memory"), [(False, 9), (True, 9), (False, 0)])
def test_packing_takes_the_references_over(python: Python, missing: bool, memory: int) -> None:
    before = python.alive
    row = python.vector(python.integer(1), NULL if missing else python.integer(2))
    python.memory = memory
    made = boxes.pack(row, 2)
    if missing or not memory:
        assert to_address(made) == 0
    else:
        assert python.value(made) == (1, 2)
        python.Py_DecRef(made)
    assert python.alive == before


def test_results_of_calls_that_failed_in_the_end_go(python: Python) -> None:
    before = python.alive
    one = python.integer(1)
    assert boxes.keep_unless(one, 0) == one
    assert to_address(boxes.keep_unless(one, 1)) == 0
    assert python.alive == before


class Hook:
    """A hook as an object; keeps what it is called with."""

    def __init__(self, python: Python, result: Any) -> None:
        self.seen: list[Any] = []

        def called(*args: Any) -> Any:
            self.seen.append([python.value(a) for a in args])
            return result

        self.object: Any = python.made(api.PyLong_Type, called)
        functions = space().functions
        functions["PyObject_Vectorcall"] = lambda f, args, n, names: python.values[to_address(f)](
            *(args[i] for i in range(n))
        )
        functions["PyObject_CallFunctionObjArgs"] = lambda f, *args: python.values[to_address(f)](*args[:-1])
        functions["PyLong_FromVoidPtr"] = lambda p: python.integer(to_address(p))


def test_futures_are_made_by_the_hook(python: Python) -> None:
    impl: Any = allocate(64, TensorImpl, "future")
    impl.refcount, tensor.CONCURRENT[0] = 2, 0
    functions = space().functions
    functions["PyObject_CallOneArg"] = lambda f, o: python.values[to_address(f)](o)
    made = python.instance("Future")
    hook, refuses = Hook(python, made), Hook(python, NULL)
    functions["PyLong_FromVoidPtr"] = lambda p: python.integer(to_address(p))
    before = python.alive
    boxes.FUTURE_HOOK[0] = hook.object
    assert boxes.box_future(impl) == made
    assert (hook.seen, impl.refcount) == ([[to_address(impl)]], 2)
    boxes.FUTURE_HOOK[0] = refuses.object
    assert to_address(boxes.box_future(impl)) == 0
    assert impl.refcount == 1
    assert python.alive == before


def test_the_future_behind_an_object(python: Python) -> None:
    functions = space().functions
    impl: Any = allocate(64, Void, "future")
    functions["PyLong_AsVoidPtr"] = lambda o: pointer(python.value(o), Void)
    number = python.integer(to_address(impl))
    assert boxes.unbox_future(python.instance({"_native": number})) == impl
    assert number.refcount == 1
    functions["PyObject_GetAttrString"] = lambda o, name: NULL
    assert to_address(boxes.unbox_future(python.instance())) == 0


@pytest.mark.parametrize("is_exception", [0, 1])
def test_an_error_that_native_code_raised_is_made_by_the_hook(python: Python, is_exception: int) -> None:
    error = python.instance("an error")
    hook = Hook(python, error)
    failures.RAISE_HOOK[0] = hook.object
    space().functions["PyObject_IsInstance"] = lambda o, kind: is_exception
    one = context()
    assert to_address(failures.fail(one, failures.RAISED)) == 0
    assert hook.seen == [[to_address(one), 0]]
    assert python.error == (("object", "an error") if is_exception else ("SystemError", failures.NO_EXCEPTION))


def test_native_code_that_says_nothing(python: Python) -> None:
    failures.RAISE_HOOK[0] = NULL
    failures.fail(context(), failures.RAISED)
    assert python.error == ("SystemError", failures.SILENT)
    python.error = None
    failures.fail(context(), failures.PYTHON)
    assert python.error == ("SystemError", failures.SILENT)


@pytest.fixture(autouse=True)
def one_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread has a heap."""
    monkeypatch.setattr(gil, "keep_first_heap", lambda: None)


class Threads:
    """A GIL, and what was done with it."""

    def __init__(self, python: Python) -> None:
        self.seen: list[str] = []
        self.holds = 1
        self.signal = 0
        functions = space().functions
        functions["PyGILState_Check"] = lambda: self.holds
        functions["PyEval_SaveThread"] = lambda: self._does("save") or STATE[0]
        functions["PyEval_RestoreThread"] = lambda state: self._does("restore")
        functions["PyErr_CheckSignals"] = lambda: self.signal
        functions["PyGILState_Ensure"] = lambda: self._does("ensure") or self.holds
        functions["PyGILState_Release"] = lambda state: self._does("release")
        functions["Py_IsInitialized"] = lambda: 1
        STATE[0] = allocate(8, Void, "thread state")

    def _does(self, what: str) -> int:
        self.seen.append(what)
        return 0


STATE: list[Any] = [None]


def test_the_gil_is_given_away_once(python: Python) -> None:
    threads, one = Threads(python), context()
    assert gil.release_gil(one) == 0
    assert gil.release_gil(one) == 0
    assert threads.seen == ["save"]
    assert tensor.CONCURRENT[0] == 1
    threads.holds = 0
    gil.release_gil(context())
    assert threads.seen == ["save"]


def test_safepoints_let_signals_in(python: Python) -> None:
    threads, one = Threads(python), context()
    gil.safepoint(one)
    gil.safepoint(one)
    assert threads.seen == ["save", "restore", "save"]
    threads.signal = -1
    assert gil.safepoint(one) == failures.PYTHON
    assert to_address(one.thread_state) == 0
    threads.holds = 0
    tasks.INTERRUPT[0] = 0
    assert gil.safepoint(context()) == 0
    tasks.INTERRUPT[0] = 1
    assert gil.safepoint(context()) == failures.RAISED


def test_owners_are_dropped_while_there_is_an_interpreter(python: Python) -> None:
    threads, one = Threads(python), python.integer(1)
    before = python.alive
    gil.drop_owner(NULL)
    space().functions["Py_IsInitialized"] = lambda: 0
    gil.drop_owner(one)
    assert threads.seen == []
    space().functions["Py_IsInitialized"] = lambda: 1
    gil.drop_owner(one)
    assert (threads.seen, python.alive) == (["ensure", "release"], before - 1)


def kinds(*given: int) -> Any:
    """Kinds of a dispatch."""
    made: Any = allocate(len(given) + 1, u8, "kinds")
    for i, kind in enumerate((*given, END)):
        made[i] = kind
    return made


class Calls:
    """Functions that native code calls."""

    def __init__(self, python: Python, result: Any, conformed: Any = None) -> None:
        self.python = python
        self.function = Hook(python, result)
        self.conform = Hook(python, conformed)
        entry = python.tuple_of(self.function.object, self.conform.object)
        python_calls.FUNCTIONS_BY_NAME[0] = python.instance("functions")
        space().functions["PyDict_GetItemString"] = lambda d, name: entry
        space().functions["PyObject_CallOneArg"] = lambda f, o: python.values[to_address(f)](o)
        space().functions["PyFloat_FromDouble"] = lambda x: python.real(float(x))
        space().functions["PyFloat_AsDouble"] = lambda o: python.value(o)

    def call(self, of: Any, *cells: int) -> tuple[int, int]:
        """Status and result cell."""
        out = words(0)
        return python_calls.python_call(pointer(0, Void), len(cells), of, words(*cells), out), out[0]


INT, FLOAT, BOOL, NONE = (int(k) for k in (DispatchKind.INT, DispatchKind.FLOAT, DispatchKind.BOOL, DispatchKind.NONE))


def test_numbers_go_to_python_and_back(python: Python) -> None:
    (half,) = struct.unpack("<q", struct.pack("<d", 0.5))
    calls = Calls(python, python.integer(7))
    before = python.alive
    assert calls.call(kinds(INT, FLOAT, BOOL, NONE, INT), 3, half, 1, 0) == (0, 7)
    assert calls.function.seen == [[3, 0.5, True, None]]
    assert python.alive == before - 1  # the result
    assert Calls(python, python.real(0.5)).call(kinds(FLOAT)) == (0, half)
    assert Calls(python, api.Py_True).call(kinds(BOOL)) == (0, 1)
    assert Calls(python, api.Py_None).call(kinds())[0] == 0


def test_results_of_other_classes_are_converted(python: Python) -> None:
    calls = Calls(python, python.real(7.0), python.integer(7))
    assert calls.call(kinds(INT)) == (0, 7)
    assert calls.conform.seen == [[7.0]]
    assert Calls(python, python.real(7.0), NULL).call(kinds(INT))[0] == failures.PYTHON
    assert Calls(python, python.integer(1 << 64)).call(kinds(INT))[0] == failures.PYTHON
    assert python.error == ("OverflowError", python_calls.LARGE)


def test_calls_that_are_not_made_here(python: Python) -> None:
    calls = Calls(python, python.integer(7))
    tensors = int(DispatchKind.TENSOR)
    for of, count in ((kinds(tensors, INT), 1), (kinds(INT, INT, INT), 1)):
        assert calls.call(of, *([0] * count))[0] == python_calls.NOT_HERE
    assert calls.call(kinds(*[INT] * 18), *[0] * 17)[0] == python_calls.NOT_HERE
    space().functions["PyDict_GetItemString"] = lambda d, name: NULL
    assert calls.call(kinds(INT))[0] == python_calls.NOT_HERE
    assert calls.function.seen == []


def test_strings_go_to_python(python: Python) -> None:
    calls = Calls(python, python.integer(7))
    space().functions["PyUnicode_FromString"] = lambda at: python.string(str_at(at))
    name: Any = allocate(3, u8, "name")
    for i, letter in enumerate(b"ab\0"):
        name[i] = letter
    assert calls.call(kinds(int(DispatchKind.STR), INT, INT), to_address(name), 3) == (0, 7)
    assert calls.function.seen == [["ab", 3]]


def test_results_that_are_no_arrays_are_refused(python: Python) -> None:
    calls = Calls(python, python.integer(7), NULL)
    assert calls.call(kinds(INT, int(DispatchKind.TENSOR)), 3)[0] == failures.PYTHON
    assert calls.conform.seen == [[7]]


def test_without_memory_no_call_is_made(python: Python) -> None:
    calls = Calls(python, python.integer(7))
    before = python.alive
    python.memory = 1
    assert calls.call(kinds(INT, INT, INT), 1, 2)[0] == failures.PYTHON
    assert (calls.function.seen, python.alive) == ([], before)
