"""Calls from Python that are watched, over checked memory with models of CPython and the kernels of records."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.native.watching import Watching, zeros
from tscript.abi.boundary import UNIT
from tscript.abi.dispatch import DispatchKind
from tscript.dialect import PyObject, PyTensor, TensorImpl, Unit, Void, i64, pointer, pointer_cast, u8
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import observed_calls, table
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native.observed_calls import MAX_CELLS, run_observed

NULL = pointer(0, PyObject)
INT = int(DispatchKind.INT)


class Call(Watching):
    """A call that hit a row.

    Attributes:
        unit: What the row shares with others.
        result: What the call returns; None: it raises.
        runs: Names of the codes that ran.
    """

    def __init__(self, python: Python) -> None:
        super().__init__(python)
        self.runs: list[str] = []
        self.result: Any = 7
        self.plain: Any = allocate(8, Void, "plain")
        self.observed: Any = allocate(8, Void, "observed")
        self.unit = zeros(UNIT.size, Unit)
        self.unit.site = self.site(scope=0)
        self.unit.source = python.instance("source")
        self.thread.countdown[0] = 1
        self.hook("build", self._build)
        self.built: Any = self.observed

    def _build(self, source: Any, granularity: int) -> Any:
        assert self.python.value(source) == "source"
        self.log.append(("build", granularity))
        if self.built is None:
            return self.raises()
        self.unit.observed[granularity] = self.built
        return self.python.integer(0)

    def _stub(self, code: Any, args: Any, constants: Any) -> Any:
        self.runs.append("plain" if code == self.plain else "observed" if code == self.observed else "?")
        if self.result is None:
            self.thread.guard = 1
            self.thread.open = self.record(self.unit.site)
            return self.raises()
        return self.python.integer(self.result)

    def __call__(self, *args: int, unit: Any = None) -> Any:
        vector = self.python.vector(*map(self.python.integer, args))
        stub = space().address_of(self._stub)
        found = run_observed(unit or self.unit, stub, self.plain, NULL, vector, len(args))
        return self.python.value(found) if to_address(found) else None


@pytest.fixture
def call(python: Python) -> Call:
    """A call."""
    table.TENSOR_TYPE[0] = python.made(api.PyLong_Type, "Tensor")
    return Call(python)


def described(o: Any) -> tuple[int, int]:
    """Kind and cell of an object."""
    kind: Any = allocate(1, u8)
    cell: Any = allocate(8, i64)
    observed_calls.describe(o, kind, cell)
    return kind[0], cell[0]


def test_objects_as_kinds_and_cells(python: Python, call: Call) -> None:
    (half,) = struct.unpack("<q", struct.pack("<d", 0.5))
    impl: Any = allocate(64, TensorImpl)
    tensor = python.made(table.TENSOR_TYPE[0])
    pointer_cast(tensor, PyTensor).impl = impl
    large, other = python.integer(1 << 70), python.instance()
    assert described(tensor) == (DispatchKind.TENSOR, to_address(impl))
    assert described(python.real(0.5)) == (DispatchKind.FLOAT, half)
    assert described(api.Py_True) == (DispatchKind.BOOL, 1)
    assert described(api.Py_False) == (DispatchKind.BOOL, 0)
    assert described(api.Py_None) == (DispatchKind.NONE, 0)
    assert described(python.integer(-5)) == (DispatchKind.INT, -5)
    for o in (large, other):
        assert described(o) == (DispatchKind.OBJECT, to_address(o))
        assert o.refcount == 1


def test_where_nobody_watches_the_code_itself_runs(call: Call) -> None:
    assert call(1, unit=pointer(0, Unit)) == 7
    call.thread.count = 0
    assert call(1) == 7
    assert (call.runs, call.log) == (["plain", "plain"], [])


def test_a_call_that_is_due_has_a_record(call: Call) -> None:
    call.unit.observed[0] = call.observed
    assert call(3, 4) == 7
    assert call.runs == ["observed"]
    assert call.log == [("enter", (INT, 3), (INT, 4)), ("exit", 0, (INT, 7))]


def test_a_call_that_is_not_due_has_none(call: Call) -> None:
    call.unit.observed[0] = call.observed
    call.thread.countdown[0] = 2
    call(3)
    assert (call.runs, call.log, call.thread.countdown[0]) == (["observed"], [], 1)


def test_nobody_waits_for_the_end(call: Call) -> None:
    call.unit.observed[0], call.records = call.observed, False
    assert call(3) == 7
    assert call.log == [("enter", (INT, 3))]


@pytest.mark.parametrize("granularity", [0, 1])
def test_variants_are_made_when_they_are_first_needed(call: Call, granularity: int) -> None:
    call.thread.granularity = granularity
    call.thread.countdown[0] = 9
    call(1), call(1)
    assert (call.runs, call.log) == (["observed"] * 2, [("build", granularity)])


def test_without_a_variant_the_code_itself_runs(call: Call) -> None:
    call.built = pointer(0, Void)
    assert call(1) == 7
    assert (call.runs, call.log) == (["plain"], [("build", 0)])


def test_what_building_raises_is_raised(call: Call) -> None:
    call.built = None
    assert call(1) is None
    assert (call.runs, call.python.error) == ([], ("ValueError", "no"))


def test_a_call_that_raises_ends_its_record_and_guard(call: Call) -> None:
    call.unit.observed[0], call.result = call.observed, None
    outer = call.thread.open = call.record(call.site())
    assert call(3) is None
    assert call.log == [("enter", (INT, 3)), ("unwind",), ("exit", 1)]
    assert (call.thread.guard, call.thread.open) == (0, outer)


def test_a_record_shows_so_many_arguments(call: Call) -> None:
    call.unit.observed[0] = call.observed
    call(*range(MAX_CELLS + 5))
    assert call.log[0] == ("enter", *((INT, i) for i in range(MAX_CELLS)))
