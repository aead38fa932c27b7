"""Wrappers of tensors and their slots, as plain Python over checked memory with a model of CPython."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tscript.dialect import PyObject, PyTensor, TensorImpl, i64, memset, pointer, pointer_cast
from tscript.dialect.linkage import linkage_of
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import attributes, indexing, table, tensor
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native.special_methods import (
    BINARY,
    CHOSEN,
    GETITEM,
    ROW,
    SET_CHOSEN,
    SETITEM,
    SLOTS,
    function_of,
)

NULL = pointer(0, PyObject)
SLOT_FUNCTIONS: dict[str, Any] = {linkage_of(f).symbol: f for f in tensor.FUNCTIONS}


class Tensors:
    """Tensors with their type, and a kernel that counts what it releases."""

    def __init__(self, python: Python) -> None:
        self.python = python
        self.released: list[int] = []
        table.TENSOR_TYPE[0] = python.made(api.PyLong_Type, "Tensor")
        tensor.FREE_HEAD[0] = pointer(0, PyTensor)
        tensor.FREE_COUNT[0] = 0
        tensor.CONCURRENT[0] = 0
        tensor.NUMBERS[0] = NULL

        def release(context: Any, impl: Any) -> int:
            assert (context.depth, context.ntrace) == (tensor.DEPTH, 0)
            self.released.append(to_address(impl))
            impl.refcount = impl.refcount - 1
            return 0

        tensor.RELEASE[0] = space().address_of(release)

    def impl(self, sizes: tuple[int, ...] = (), dtype: int = 0) -> Any:
        """A native tensor, with one reference."""
        made: Any = allocate(64 + 16 * len(sizes), TensorImpl, "impl")
        memset(made, 0, 64)
        made.refcount, made.ndim, made.dtype = 1, len(sizes), dtype
        dims = pointer_cast(made + 1, i64)
        for i, n in enumerate(sizes):
            dims[i] = n
        return made

    def slot(self, name: str, answer: Any) -> list[Any]:
        """Put a function into a slot; gives the arguments it is called with."""
        seen: list[Any] = []

        def called(callable: Any, args: Any, n: int, names: Any) -> Any:
            seen.append([args[i] for i in range(n)])
            return answer

        slot = tensor.TABLE + SLOTS.index(name)
        slot.call = space().address_of(called)
        slot.callable = api.Py_None
        return seen


@pytest.fixture
def tensors(python: Python) -> Tensors:
    """An interpreter's tensors."""
    return Tensors(python)


def test_a_tensor_is_the_same_object_while_that_lives(tensors: Tensors) -> None:
    impl = tensors.impl()
    first = tensor.wrap(impl)
    assert first.type == table.TENSOR_TYPE[0]
    assert tensor.wrap_borrowed(impl) == first
    assert (first.refcount, impl.refcount) == (2, 1)
    assert to_address(pointer_cast(first, PyTensor).impl) == to_address(impl)


def test_wrappers_are_used_again(tensors: Tensors) -> None:
    first = tensor.wrap(tensors.impl())
    impl = pointer_cast(first, PyTensor).impl
    tensor.dealloc(pointer_cast(first, PyTensor))
    assert tensors.released == [to_address(impl)]
    assert to_address(impl.pyobject) == 0
    assert tensor.FREE_COUNT[0] == 1
    assert tensor.wrap(tensors.impl()) == first
    assert tensor.FREE_COUNT[0] == 0


def test_weak_references_are_cleared_when_the_tensor_has_no_wrapper(tensors: Tensors) -> None:
    made = pointer_cast(tensor.wrap(tensors.impl()), PyTensor)
    made.weak = api.Py_None
    seen: list[int] = []
    space().functions["PyObject_ClearWeakRefs"] = lambda o: seen.append(to_address(made.impl.pyobject))
    tensor.dealloc(made)
    assert seen == [0]


def test_no_tensor_where_one_is_due(tensors: Tensors) -> None:
    assert to_address(tensor.wrap(pointer(0, TensorImpl))) == 0
    assert tensors.python.error == ("SystemError", tensor.NO_TENSOR)


def test_without_memory_the_tensor_is_released(tensors: Tensors) -> None:
    tensors.python.memory = 0
    impl = tensors.impl()
    assert to_address(tensor.wrap(impl)) == 0
    assert (tensors.released, tensors.python.error) == ([to_address(impl)], ("MemoryError", None))


@pytest.mark.parametrize("concurrent", [0, 1])
def test_references_are_counted(tensors: Tensors, concurrent: int) -> None:
    tensor.CONCURRENT[0] = concurrent
    impl = tensors.impl()
    tensor.retain(impl)
    assert impl.refcount == 2
    tensor.impl_release(impl)
    assert impl.refcount == 1
    assert tensors.released == ([to_address(impl)] if concurrent else [])


def test_binary_slots_take_tensors_and_numbers(tensors: Tensors) -> None:
    python = tensors.python
    answer = python.integer(5)
    seen = tensors.slot("__add__", answer)
    one, number = tensor.wrap(tensors.impl()), python.real(2.0)
    add = SLOT_FUNCTIONS[function_of("__add__")]
    assert add(one, number) == answer == add(number, one)
    assert seen == [[one, number], [number, one]]
    other = python.instance()
    assert add(one, other) == api.Py_NotImplemented == add(other, one)
    tensor.NUMBERS[0] = python.tuple_of()
    space().functions["PyObject_IsInstance"] = lambda o, types: 1
    assert add(one, other) == answer
    space().functions["PyObject_IsInstance"] = lambda o, types: -1
    assert to_address(add(one, other)) == 0


def test_every_slot_has_a_function_of_its_own(tensors: Tensors) -> None:
    one = tensor.wrap(tensors.impl())
    for name in BINARY:
        answer = tensors.python.integer(SLOTS.index(name))
        tensors.slot(name, answer)
        assert SLOT_FUNCTIONS[function_of(name)](one, one) == answer


def test_slots_that_are_not_set(tensors: Tensors) -> None:
    one = tensor.wrap(tensors.impl())
    assert SLOT_FUNCTIONS[function_of("__sub__")](one, one) == api.Py_NotImplemented
    assert to_address(SLOT_FUNCTIONS[function_of("__neg__")](one)) == 0
    assert tensors.python.error == ("TypeError", tensor.UNSET)


def test_there_are_no_powers_with_a_modulus(tensors: Tensors) -> None:
    one = tensor.wrap(tensors.impl())
    tensors.slot("__pow__", api.Py_True)
    power = SLOT_FUNCTIONS[function_of("__pow__")]
    assert power(one, one, api.Py_None) == api.Py_True
    assert power(one, one, one) == api.Py_NotImplemented


@pytest.mark.parametrize(("answer", "status"), [("Py_True", 1), ("Py_False", 0), ("Py_None", -1)])
def test_truth(tensors: Tensors, answer: str, status: int) -> None:
    tensors.slot("__bool__", getattr(api, answer))
    assert tensor.truth(tensor.wrap(tensors.impl())) == status
    assert (tensors.python.error is None) == (status >= 0)


def test_lengths_are_not_negative(tensors: Tensors) -> None:
    python = tensors.python
    one = tensor.wrap(tensors.impl())
    space().functions["PyLong_AsSsize_t"] = lambda o: python.value(o)
    tensors.slot("__len__", python.integer(3))
    assert tensor.length(one) == 3
    tensors.slot("__len__", python.integer(-3))
    assert tensor.length(one) == -1
    assert python.error == ("ValueError", tensor.NEGATIVE)


def test_items(tensors: Tensors) -> None:
    python = tensors.python
    one, number, value = tensor.wrap(tensors.impl()), python.integer(1), python.real(2.0)
    for key, get, put in ((value, GETITEM, SETITEM), (number, ROW, SETITEM), (one, CHOSEN, SET_CHOSEN)):
        seen = tensors.slot(get, value)
        assert indexing.get_item(one, key) == value
        stored = tensors.slot(put, api.Py_None)
        assert indexing.set_item(one, key, value) == 0
        assert (seen, stored) == ([[one, key]], [[one, key, value]])
    assert indexing.set_item(one, number, NULL) == -1
    assert python.error == ("TypeError", indexing.NO_DELETION)


def test_attributes(tensors: Tensors) -> None:
    python = tensors.python
    dtype = python.instance("float32")
    tensor.DTYPE_OBJECTS[7] = dtype
    made = pointer_cast(tensor.wrap(tensors.impl((3, 4), 7)), PyTensor)
    closure = pointer(0, PyObject)
    assert python.value(attributes.ndim(made, closure)) == 2
    assert python.value(attributes.shape(made, closure)) == (3, 4)
    assert attributes.dtype(made, closure) == dtype
    assert python.value(attributes.impl_of(made, closure)) == to_address(made.impl)
    names, nothing = pointer(0, PyObject), python.vector()
    assert python.value(attributes.size(made, nothing, 0, names)) == (3, 4)
    assert python.value(attributes.size(made, python.vector(python.integer(-2)), 1, names)) == 3
    one = attributes.stride(made, python.vector(python.integer(1)), 1, names)
    assert python.value(attributes.stride(made, nothing, 0, names))[1] == python.value(one)


def test_hashes_are_of_the_identity(tensors: Tensors) -> None:
    made = tensor.wrap(tensors.impl())
    assert tensor.hash_of(made) == to_address(made) >> 4
