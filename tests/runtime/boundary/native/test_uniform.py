"""The stub that serves every signature, as plain Python over checked memory: cells of arguments and results, tuples in
tuples, references, values that are converted by their types, and whatever may fail on the way."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tscript.abi.boundary import UNIFORM
from tscript.abi.signature import is_object, letters, parse_signature
from tscript.dialect import Ptr, PyObject, Uniform, Void, i64, memset, pointer, u8
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import failures, tensor, uniform
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native.objects import items_of

NULL = pointer(0, PyObject)


def text_at(value: str) -> Any:
    """A NUL-terminated string."""
    made: Any = allocate(len(value) + 1, u8, "text")
    for i, code in enumerate((*value.encode(), 0)):
        made[i] = code
    return made


def bits(value: float) -> int:
    """Those of a float, as a signed int."""
    found: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return found


def cells_of(letter: str) -> int:
    """How many cells a value has."""
    return len(letter) - 3 if is_object(letter) else int(letter not in "Nc_")


class Calls:
    """Calls of one entry.

    Attributes:
        seen: The cells of the arguments, as the entry got them.
        results: What the entry puts into the cells of the result.
        status: What it returns.
        log: What the converters were asked.
        refused: Numbers of the conversions that refuse their value.
        failing: Whether writing back fails.
    """

    def __init__(self, python: Python, signature: str) -> None:
        self.python = python
        found = parse_signature(signature)
        given = [letter for item in found.parameters for letter in letters(item)]
        objects = [letter for letter in given if is_object(letter)]
        self.arguments = sum(map(cells_of, given))
        self.results: list[int] = []
        self.wanted = sum(map(cells_of, letters(found.result)))
        self.type: Any = allocate(8, Void, "type")
        self.info = python.real(_as_float(to_address(self.type)))
        self.uniform: Any = allocate(UNIFORM.size, Uniform, "uniform")
        self.uniform.text = text_at(signature)
        self.uniform.results, self.uniform.arguments = self.wanted, self.arguments
        self.uniform.frames = sum(len(letter) - 1 for letter in objects)
        self.uniform.converts = int(found.has_objects)
        self.seen: list[int] | None = None
        self.status = 0
        self.releases_gil = False
        self.log: list[Any] = []
        self.refused: set[int] = set()
        self.failing = False
        self.out_of_memory = False
        functions: tuple[Any, ...] = (self._in, self._out, self._end)
        for i, function in enumerate(functions):
            uniform.CONVERSIONS[i] = space().address_of(function)
        known = space().functions
        known["PyFloat_FromDouble"] = lambda x: NULL if python._fails() else python.real(x)
        known["PyLong_AsDouble"] = lambda o: float(python.value(o))
        known["PyEval_RestoreThread"] = lambda state: self.log.append("restore")

    def described(self, label: str) -> list[Any]:
        """The constants of a parameter that is converted by its type."""
        self.info.refcount = self.info.refcount + 1
        return [self.info, self.python.string(label)]

    def _entry(self, context: Any, cells: Any) -> int:
        assert to_address(context.thread_state) == 0 and context.ntrace == 0
        assert [cells[i] for i in range(self.wanted)] == [0] * self.wanted
        self.seen = [cells[self.wanted + i] for i in range(self.arguments)]
        for i, value in enumerate(self.results):
            cells[i] = value
        if self.releases_gil:
            context.thread_state = allocate(8, Void, "state")
        return self.status

    def _in(
        self, context: Any, marshal: Any, o: Any, info: Any, label: Any, frame: Any, mutable: int, refused: Any
    ) -> int:
        number = self.python.value(o)
        assert to_address(info) == to_address(self.type)
        self.log.append((number, self.python.value(label), mutable))
        if number in self.refused:
            refused[0] = 1
            self.python.error = ("TypeError", "refused")
            return 0
        frame[0], frame[1] = 0, 1
        frame[2], frame[3] = number, number + 1
        return 0

    def _out(self, context: Any, marshal: Any, info: Any, cells: Any, out: Any) -> int:
        assert to_address(info) == to_address(self.type)
        out[0] = NULL if self.python._fails() else self.python.integer(cells[0] + cells[1])
        return 0

    def _end(self, context: Any, marshal: Any, is_called: int, out: Any) -> int:
        self.log.append(("end", is_called))
        out[0] = int(self.failing)
        if self.failing:
            self.python.error = ("ValueError", "cannot be written back")
        return 0

    def __call__(self, *args: Any, constants: Any = ()) -> Any:
        row = self.python.tuple_of(*constants, self.python.real(_as_float(to_address(self.uniform))))
        code = space().address_of(self._entry)
        vector: Any = allocate(8 * max(1, len(args)), Ptr[PyObject], "arguments")
        for i, o in enumerate(args):
            vector[i] = o
        found = uniform.uniform(code, vector, row)
        self.python.Py_DecRef(row)
        return found


def _as_float(address: int) -> float:
    found: float = struct.unpack("<d", struct.pack("<q", address))[0]
    return found


@pytest.fixture(autouse=True)
def _no_frames() -> Iterator[None]:
    failures.RAISE_HOOK[0] = NULL
    yield
    failures.RAISE_HOOK[0] = NULL


def test_numbers(python: Python) -> None:
    calls = Calls(python, "fibw_i:f")
    before = python.alive
    args = [python.real(0.5), python.integer(-7), api.Py_True, python.integer(3), python.integer(9), python.integer(1)]
    calls.results = [bits(2.25)]
    found = calls(*args)
    assert (python.value(found), calls.seen) == (2.25, [bits(0.5), -7, 1, bits(3.0), 1])
    for o in (*args, found):
        python.Py_DecRef(o)
    assert python.alive == before


def test_an_int_that_does_not_fit_is_refused_by_its_position(python: Python) -> None:
    positions: list[int] = []
    calls = Calls(python, "i(ii):i")
    space().functions["PyErr_Format"] = lambda kind, message, position: positions.append(position)
    large = python.integer(1 << 63)
    for args in ((large, (1, 2)), (1, (2, large))):
        made = [python.tuple_of(*(x if x is large else python.integer(x) for x in a)) if isinstance(a, tuple)
                else a if a is large else python.integer(a) for a in args]  # fmt: skip
        large.refcount = large.refcount + 1
        assert to_address(calls(*made)) == 0
    assert (positions, calls.seen) == ([1, 2], None)


def tree(choices: random.Random, depth: int = 0) -> Any:
    """Random values: numbers, and tuples of them."""
    if depth < 3 and choices.random() < 0.3:
        return tuple(tree(choices, depth + 1) for _ in range(choices.randint(0, 4)))
    return choices.choice((choices.randint(-99, 99), choices.random(), True, False))


def signature_of(value: Any) -> str:
    """The text of a value's type."""
    if isinstance(value, tuple):
        return f"({''.join(map(signature_of, value))})"
    return {bool: "b", int: "i", float: "f"}[type(value)]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("memory", [1 << 30, 3])
def test_tuples_in_tuples_go_in_and_come_out(python: Python, seed: int, memory: int) -> None:
    """What goes in comes out; without memory nothing comes out, and nothing stays."""

    def made(value: Any) -> Any:
        if isinstance(value, tuple):
            return python.tuple_of(*map(made, value))
        if isinstance(value, bool):
            return api.Py_True if value else api.Py_False
        return python.real(value) if isinstance(value, float) else python.integer(value)

    choices = random.Random(seed)
    value = tuple(tree(choices) for _ in range(choices.randint(1, 6)))
    text = signature_of(value)
    calls = Calls(python, f"{text[1:-1]}:{text}")
    before = python.alive
    args = [made(v) for v in value]
    alive = python.alive
    entry = calls._entry

    def echo(context: Any, cells: Any) -> int:
        entry(context, cells)
        for i in range(calls.wanted):
            cells[i] = cells[calls.wanted + i]
        return 0

    calls._entry = echo  # type: ignore[method-assign]
    python.memory = memory
    found = calls(*args)
    python.memory = 1 << 30
    if to_address(found):
        assert repr(python.value(found)) == repr(value)
        python.Py_DecRef(found)
    else:
        assert memory == 3 and python.error == ("MemoryError", None)
    assert python.alive == alive
    for o in args:
        python.Py_DecRef(o)
    assert python.alive == before


def test_tensors_are_borrowed_and_results_are_taken_over(python: Python) -> None:
    from tests.runtime.boundary.native.test_tensor import Tensors

    tensors = Tensors(python)
    calls = Calls(python, "T:(TN)")
    impl = tensors.impl((2,))
    wrapper = tensor.wrap(impl)
    other = tensors.impl((3,))
    calls.results = [to_address(other)]
    found = calls(wrapper)
    assert calls.seen == [to_address(impl)]
    assert (impl.refcount, other.refcount, tensors.released) == (1, 1, [])
    assert python.value(items_of(found)[1]) is None


def test_constants_and_none(python: Python) -> None:
    calls = Calls(python, ":(cNc)")
    one, two = python.integer(1), python.integer(2)
    found = calls(constants=(one, two))
    assert python.value(found) == (1, None, 2)


def test_values_are_converted_by_their_types(python: Python) -> None:
    calls = Calls(python, "iO<pi>(M<pi>f):(iO<pi>)")
    infos = [calls.described("x"), calls.described("y[0]"), (calls.info,)]
    pair = python.tuple_of(python.integer(30), python.real(0.5))
    calls.results = [4, 20, 21]
    found = calls(python.integer(1), python.integer(10), pair, constants=[c for i in infos for c in i])
    assert calls.seen == [1, 10, 11, 30, 31, bits(0.5)]
    assert calls.log == [(10, "x", 0), (30, "y[0]", 1), ("end", 1)]
    assert python.value(found) == (4, 41)


@pytest.mark.parametrize("refused", [10, 30])
def test_values_of_other_types_are_refused(python: Python, refused: int) -> None:
    calls = Calls(python, "O<pi>M<pi>:i")
    calls.refused.add(refused)
    constants = [*calls.described("x"), *calls.described("y")]
    assert to_address(calls(python.integer(10), python.integer(30), constants=constants)) == 0
    assert calls.seen is None and calls.log[-1] == ("end", 0)
    assert python.error == ("TypeError", "refused")


def test_what_cannot_be_written_back_is_an_error(python: Python) -> None:
    calls = Calls(python, "M<pi>:i")
    calls.results, calls.failing = [5], True
    before = python.alive
    constants = calls.described("x")
    given = python.integer(10)
    assert to_address(calls(given, constants=constants)) == 0
    assert python.error == ("ValueError", "cannot be written back")
    python.Py_DecRef(given)
    assert python.alive == before


@pytest.mark.parametrize("converts", [False, True])
def test_errors_of_the_code(python: Python, converts: bool) -> None:
    """They are raised after the GIL is back, and changes are written back all the same."""
    calls = Calls(python, "M<pi>:i" if converts else "i:i")
    calls.status, calls.releases_gil = failures.RAISED, True
    marshals: list[int] = []
    functions = space().functions
    functions["PyLong_FromVoidPtr"] = lambda p: python.integer(to_address(p))
    functions["PyObject_IsInstance"] = lambda o, kind: 1

    def hook(callable: Any, args: Any, n: int, names: Any) -> Any:
        marshals.append(python.value(args[1]))
        calls.log.append("raise")
        return python.instance("an error")

    functions["PyObject_Vectorcall"] = hook
    failures.RAISE_HOOK[0] = python.integer(0)
    constants = calls.described("x") if converts else []
    assert to_address(calls(python.integer(10), constants=constants)) == 0
    assert python.error == ("object", "an error")
    assert (marshals[0] != 0) == converts
    assert calls.log[-3:] == (["restore", "raise", ("end", 1)] if converts else ["restore", "raise"])[-3:]


@pytest.mark.parametrize("memory", [0, 1 << 30])
def test_more_values_than_the_stack_has_room_for(python: Python, memory: int) -> None:
    count = uniform.ROOM + 1
    calls = Calls(python, f"{'i' * count}:i")
    calls.results = [3]
    before = python.alive
    args = [python.integer(i) for i in range(count)]
    row = python.alive
    if not memory:
        space().functions["PyMem_RawCalloc"] = lambda n, size: pointer(0, Void)
    found = calls(*args)
    if memory:
        assert (python.value(found), calls.seen) == (3, list(range(count)))
        python.Py_DecRef(found)
    else:
        assert to_address(found) == 0 and python.error == ("MemoryError", None)
    assert python.alive == row
    for o in args:
        python.Py_DecRef(o)
    assert python.alive == before


def test_arguments_of_forked_calls(python: Python) -> None:
    calls = Calls(python, "i(fb)_:i")
    cells: Any = allocate(8 * 3, i64, "cells")
    memset(cells, 0, 24)
    pair = python.tuple_of(python.real(0.5), api.Py_True)
    vector = python.vector(python.integer(4), pair, python.integer(1))
    assert uniform.put_arguments(calls.uniform, vector, cells) == 0
    assert [cells[i] for i in range(3)] == [4, bits(0.5), 1]
    space().functions["PyErr_Format"] = lambda kind, message, position: NULL
    vector[0] = python.integer(1 << 70)
    assert uniform.put_arguments(calls.uniform, vector, cells) == -1


def test_items_of_a_tuple_are_counted_in_its_text() -> None:
    for inner, count in (("", 0), ("i", 1), ("(ii)(O<pp>(f))T", 3), ("O<pi>O<p>c", 3), ("((()))", 1)):
        assert uniform.items_from(text_at(f"{inner})")) == count
