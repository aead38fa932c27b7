"""Arrays as tensors and back, as plain Python over checked memory with models of CPython, NumPy and PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tscript.abi.boundary import PY_ARRAY, PY_DESCR
from tscript.abi.layout import STORAGE_READONLY, TENSOR_CONTIGUOUS, TENSOR_GIVEN
from tscript.abi.signature import Seen
from tscript.dialect import (
    PyArray,
    PyDescr,
    PyObject,
    PyTensor,
    Storage,
    TensorImpl,
    i64,
    memset,
    pointer,
    pointer_cast,
    u8,
)
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import arrays, failures, table, tensor
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native.objects import items_of

NULL = pointer(0, PyObject)
FLOAT64, NUMBER = 7, 12
"""Our code of a dtype, and NumPy's number."""
PLAIN = arrays.ALIGNED | arrays.WRITEABLE


class Shared:
    """Models of what makes and takes arrays.

    Attributes:
        fails: Names of steps that fail.
        asked: Flags of the arrays that NumPy was asked for.
    """

    def __init__(self, python: Python) -> None:
        self.python = python
        self.fails: set[str] = set()
        self.asked: list[int] = []
        self.released = 0
        for place in (table.TENSOR_TYPE, table.ARRAY_TYPE, table.TORCH_TYPE):
            place[0] = python.made(api.PyLong_Type, "type")
            python.destructors[to_address(place[0])] = self._gone
        tensor.FREE_HEAD[0], tensor.FREE_COUNT[0] = pointer(0, PyTensor), tensor.FREE_LIMIT
        tensor.CONCURRENT[0] = 0
        tensor.RELEASE[0] = space().address_of(self._release)
        failures.RAISE_HOOK[0] = NULL
        memset(table.ARRAY_CODES, 0, 32)
        table.ARRAY_CODES[NUMBER] = FLOAT64 + 1
        self.descr: Any = pointer_cast(python.made(api.PyLong_Type, "float64", PY_DESCR.size + 8), PyDescr)
        self.descr.order, self.descr.number = ord("="), NUMBER
        arrays.ARRAYS.descrs[FLOAT64] = pointer_cast(self.descr, PyObject)
        arrays.ARRAYS.shifts[FLOAT64] = 3
        arrays.ARRAYS.new = space().address_of(self._new)
        arrays.ARRAYS.set_base = space().address_of(self._set_base)
        arrays.MAKE[0] = space().address_of(self._make)
        table.NUMPY_NAME[0] = python.string("numpy")
        arrays.FROM_NUMPY[0] = python.made(api.PyLong_Type, self._from_numpy)
        space().functions["PyObject_CallMethodObjArgs"] = self._numpy
        self.before = python.alive

    def array(self, flags: int = PLAIN) -> Any:
        """An ndarray of two elements."""
        made = self.python.made(table.ARRAY_TYPE[0], "array", PY_ARRAY.size + 8)
        table.ARRAY_TYPE[0].refcount = table.ARRAY_TYPE[0].refcount + 1
        array = pointer_cast(made, PyArray)
        array.ndim, array.flags, array.descr = 1, flags, self.descr
        array.sizes = array.strides = allocate(8, i64)
        array.sizes[0], array.data, array.base = 2, allocate(16, u8), NULL
        return made

    def torch(self) -> Any:
        """A tensor of PyTorch."""
        return self.python.made(table.TORCH_TYPE[0], "torch")

    def impl(self, owner: Any = NULL, flags: int = TENSOR_CONTIGUOUS) -> Any:
        """A native tensor, with one reference."""
        made: Any = allocate(64 + 16, TensorImpl, "impl")
        memset(made, 0, 80)
        storage: Any = allocate(64, Storage, "storage")
        memset(storage, 0, 64)
        storage.refcount, storage.owner = 1, pointer_cast(owner, u8)
        made.refcount, made.ndim, made.dtype, made.flags, made.storage = 1, 1, FLOAT64, flags, storage
        made.data = allocate(16, u8)
        return made

    def _release(self, context: Any, impl: Any) -> int:
        impl.refcount = impl.refcount - 1
        if impl.refcount == 0:
            self.released += 1
            if to_address(impl.storage.owner):
                self.python.Py_DecRef(pointer_cast(impl.storage.owner, PyObject))
        return 0

    def _make(self, context: Any, data: Any, owner: Any, readonly: int, code: int, ndim: int, *rest: Any) -> int:
        if "make" in self.fails:
            return 1
        made = self.impl(pointer_cast(owner, PyObject), TENSOR_CONTIGUOUS | TENSOR_GIVEN)
        made.storage.flags = readonly * STORAGE_READONLY
        assert (code, ndim) == (FLOAT64, 1)
        rest[-1][0] = made
        return 0

    def _new(self, kind: Any, descr: Any, ndim: int, sizes: Any, strides: Any, data: Any, flags: int, o: Any) -> Any:
        self.python.Py_DecRef(descr)
        if "new" in self.fails:
            return self.python.PyErr_NoMemory()
        self.asked.append(flags)
        return self.array(flags)

    def _set_base(self, made: Any, base: Any) -> int:
        if "base" in self.fails:
            self.python.Py_DecRef(base)
            self.python.PyErr_NoMemory()
            return -1
        pointer_cast(made, PyArray).base = base
        return 0

    def _numpy(self, o: Any, name: Any, end: Any) -> Any:
        if "numpy" in self.fails:
            return self.python.PyErr_NoMemory()
        return self.array()

    def _from_numpy(self, array: Any) -> Any:
        return self.python.PyErr_NoMemory() if "from_numpy" in self.fails else self.torch()

    def _gone(self, o: Any) -> None:
        if o.type == table.TENSOR_TYPE[0]:
            tensor.dealloc(pointer_cast(o, PyTensor))
            return
        base = pointer_cast(o, PyArray).base if o.type == table.ARRAY_TYPE[0] else NULL
        self.python.PyObject_GC_Del(o)
        if to_address(base):
            self.python.Py_DecRef(base)

    def clean(self) -> None:
        """Check that everything that was made is gone."""
        assert self.python.alive == self.before


@pytest.fixture
def shared(python: Python) -> Shared:
    """An interpreter with NumPy and PyTorch."""
    return Shared(python)


def test_an_array_becomes_a_tensor_that_keeps_it(shared: Shared) -> None:
    array = shared.array()
    impl = arrays.array_in(array)
    assert array.refcount == 2
    assert to_address(impl.storage.owner) == to_address(array)
    assert arrays.is_given(impl, array) == 1
    assert arrays.array_out(impl) == array
    assert (array.refcount, shared.released) == (2, 1)
    shared.python.Py_DecRef(array)
    shared.python.Py_DecRef(array)
    shared.clean()


def test_read_only_arrays_give_read_only_storages(shared: Shared) -> None:
    for flags in (PLAIN, arrays.ALIGNED):
        array = shared.array(flags)
        impl = arrays.array_in(array)
        assert bool(impl.storage.flags & STORAGE_READONLY) == (flags == arrays.ALIGNED)
        arrays.array_done(impl)
        assert array.refcount == 1


def test_a_call_ends_with_its_tensors(shared: Shared) -> None:
    arrays.array_done(pointer(0, TensorImpl))
    array = shared.array()
    impl = arrays.array_in(array)
    impl.refcount = 2
    arrays.array_done(impl)
    assert (impl.refcount, array.refcount) == (1, 2)
    arrays.array_done(impl)
    assert (shared.released, array.refcount) == (1, 1)


def test_a_tensor_becomes_an_array_that_keeps_it(shared: Shared) -> None:
    impl = shared.impl()
    made = pointer_cast(arrays.array_out(impl), PyArray)
    assert made.base.type == table.TENSOR_TYPE[0]
    assert shared.asked == [PLAIN | arrays.IN_ORDER]
    shared.python.Py_DecRef(pointer_cast(made, PyObject))
    assert shared.released == 1
    shared.clean()


def test_a_view_of_an_array_has_it_as_its_base(shared: Shared) -> None:
    owner = shared.array()
    owner.refcount = 2
    impl = shared.impl(owner, flags=0)
    impl.storage.flags = STORAGE_READONLY
    made = pointer_cast(arrays.array_out(impl), PyArray)
    assert made.base == owner
    assert (shared.asked, shared.released, owner.refcount) == ([arrays.ALIGNED], 1, 2)


@pytest.mark.parametrize("step", ["new", "base"])
@pytest.mark.parametrize("owned", [False, True])
def test_failures_on_the_way_out_leave_nothing(shared: Shared, step: str, owned: bool) -> None:
    owner = shared.array() if owned else NULL
    shared.fails = {step}
    assert arrays.array_out(shared.impl(owner)) == NULL
    assert shared.python.error is not None
    assert shared.released == 1
    shared.clean()


def test_failures_on_the_way_in_leave_nothing(shared: Shared) -> None:
    array, torch = shared.array(), shared.torch()
    shared.fails = {"make"}
    for taken, o in ((arrays.array_in, array), (arrays.torch_in, torch)):
        shared.python.error = None
        assert to_address(taken(o)) == 0
        assert shared.python.error is not None
        assert o.refcount == 1
    shared.fails = {"numpy"}
    shared.python.error = None
    assert to_address(arrays.torch_in(torch)) == 0
    assert shared.python.error == ("MemoryError", None)
    assert arrays.is_shared(torch) == 0
    assert shared.python.error is None
    shared.fails = set()
    shared.python.memory = 0
    assert to_address(arrays.torch_in(torch)) == 0
    assert torch.refcount == 1
    for o in (array, torch):
        shared.python.Py_DecRef(o)
    shared.clean()


def test_a_tensor_of_pytorch_becomes_a_tensor_and_itself_again(shared: Shared) -> None:
    torch = shared.torch()
    impl = arrays.torch_in(torch)
    owner = pointer_cast(impl.storage.owner, PyObject)
    assert items_of(owner)[0] == torch
    assert arrays.is_given(impl, torch) == 1
    assert arrays.torch_out(impl) == torch
    assert torch.refcount == 2
    shared.python.Py_DecRef(torch)
    shared.python.Py_DecRef(torch)
    shared.clean()


def test_results_become_what_the_tensors_of_the_call_came_as(shared: Shared) -> None:
    for seen, kind in (
        (0, table.TENSOR_TYPE),
        (Seen.ARRAY, table.ARRAY_TYPE),
        (Seen.TORCH | Seen.ARRAY, table.TORCH_TYPE),
        (Seen.TENSOR | Seen.TORCH | Seen.ARRAY, table.TENSOR_TYPE),
    ):
        made = arrays.box_tensor(shared.impl(), seen)
        assert made.type == kind[0]
        shared.python.Py_DecRef(made)
    shared.fails = {"from_numpy"}
    assert arrays.box_tensor(shared.impl(), Seen.TORCH) == NULL
    shared.clean()


def test_what_is_taken_without_a_copy(shared: Shared) -> None:
    seen: Any = allocate(8, i64)
    seen[0] = 0
    array, torch, other = shared.array(), shared.torch(), shared.python.instance()
    assert [arrays.is_shared(o) for o in (array, torch, other, shared.array(0))] == [1, 1, 0, 0]
    assert to_address(arrays.unbox_shared(other, seen)) == 0
    assert (shared.python.error, seen[0]) == (None, 0)
    arrays.array_done(arrays.unbox_shared(array, seen))
    arrays.array_done(arrays.unbox_shared(torch, seen))
    assert seen[0] == Seen.ARRAY | Seen.TORCH
    descr = shared.descr
    for order, number, fits in ((table.SWAPPED, NUMBER, 0), (ord("="), NUMBER + 1, 0), (ord("|"), NUMBER, 1)):
        descr.order, descr.number = order, number
        assert arrays.is_shared(array) == fits
