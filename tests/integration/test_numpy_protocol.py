"""Tensors outside of compiled code: operators and functions of NumPy, the buffer protocol, DLPack."""

from __future__ import annotations

import gc
import hashlib
import io
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.types import dtypes

BINARY = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.matmul),
)
INTEGERS = (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift)


def _same(found: Any, expected: Any) -> None:
    assert type(found) is Tensor
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_operators_with_arrays_are_those_of_tensors(function: Callable[[Any, Any], Any], dtype: str) -> None:
    a = np.array([[1, 2], [3, 4]], dtype)
    t: Any = tscript.tensor(np.array([[2, 2], [1, 3]], dtype))
    for _ in range(2):
        _same(function(a, t), function(tscript.from_numpy(a), t))
        _same(function(t, a), function(t, tscript.from_numpy(a)))


@pytest.mark.parametrize("function", INTEGERS)
def test_operators_of_integers_with_arrays(function: Callable[[Any, Any], Any]) -> None:
    a, t = np.array([1, 2]), tscript.tensor([3, 1])
    _same(function(a, t), function(tscript.from_numpy(a), t))
    _same(function(t, a), function(t, tscript.from_numpy(a)))


def test_in_place_operators_write_to_the_left_operand() -> None:
    a: Any = np.ones(3)
    t: Any = tscript.tensor([1.0, 2.0, 3.0])
    before = a, t
    a += t
    t += a
    assert (a, t)[0] is before[0]
    assert (a, t)[1] is before[1]
    assert a.tolist() == [2.0, 3.0, 4.0]
    assert t.tolist() == [3.0, 5.0, 7.0]


def test_functions_of_numpy_follow_its_rules_and_give_tensors() -> None:
    t: Any = tscript.tensor([1, 4])
    for found, expected in (
        (np.sqrt(t), np.sqrt([1, 4])),
        (np.add.reduce(t), np.add.reduce([1, 4])),
        (np.sum(t), np.sum([1, 4])),
        (np.maximum(t, 2.5), np.maximum([1, 4], 2.5)),
        (np.multiply([1, 2], t), np.multiply([1, 2], [1, 4])),
        (np.concatenate([t, np.array([9])]), np.array([1, 4, 9])),
        (np.where(t > 1, t, 0), np.array([0, 4])),
        (np.add.outer(t, t), np.add.outer([1, 4], [1, 4])),
    ):
        assert type(found) is Tensor
        assert np.asarray(found).dtype == expected.dtype
        assert found.tolist() == expected.tolist()
    quotient, rest = np.divmod(t, 3)
    assert (quotient.tolist(), rest.tolist()) == ([0, 1], [1, 1])
    assert type(np.linalg.svd(tscript.ones(2, 2)).S) is Tensor
    assert np.shape(t) == (2,)
    assert np.array_equal(t, [1, 4])


def test_what_a_tensor_cannot_hold_stays_an_array() -> None:
    t: Any = tscript.tensor([1.0])
    for found in (np.maximum(t, np.array([2], object)), np.concatenate([t, np.array([2], object)])):
        assert type(found) is np.ndarray
        assert found.dtype == object
        assert found[-1] == 2
    _same(np.multiply(t, 1j), tscript.tensor([1j]))


def test_out_and_where() -> None:
    t: Any = tscript.tensor([1.0, 4.0])
    array = np.zeros(2, np.float32)
    assert np.sqrt(t, out=array) is array
    assert np.sqrt(t, out=t) is t
    assert t.tolist() == array.tolist() == [1.0, 2.0]
    np.copyto(t, 5.0, where=tscript.tensor([True, False]))
    assert t.tolist() == [5.0, 2.0]
    np.add.at(t, [0, 0], 1.0)
    assert t.tolist() == [7.0, 2.0]


def test_errors_are_those_of_the_operator() -> None:
    with pytest.raises(RuntimeError, match="must match the size") as caught:
        np.ones(3) + tscript.ones(2)
    assert {Path(entry.path) for entry in caught.traceback} == {Path(__file__)}


def test_others_with_a_protocol_decide() -> None:
    class Other:
        def __array_ufunc__(self, *args: Any, **options: Any) -> str:
            return "other"

        def __array_function__(self, *args: Any, **options: Any) -> str:
            return "other"

    other: Any = Other()
    assert np.add(tscript.ones(2), other) == "other"
    assert np.concatenate([tscript.ones(2), other]) == "other"


LISTED = frozenset(dtypes.EVERY) - {dtypes.float16, dtypes.complex64, dtypes.complex128}
"""Those whose elements memoryviews give as Python's numbers; they have the bytes of the others."""


@pytest.mark.parametrize("dtype", [d for d in dtypes.EVERY if d is not dtypes.bfloat16])
def test_memory_is_read_without_a_copy(dtype: Any) -> None:
    t: Any = tscript.zeros(3, 2, dtype=dtype)
    view, array = memoryview(t), np.asarray(t)
    assert (view.shape, view.itemsize, view.nbytes) == ((3, 2), dtype.itemsize, 6 * dtype.itemsize)
    assert array.dtype is np.dtype(dtype.name)
    t.fill_(1)
    assert array.tolist() == t.tolist() == [[1, 1]] * 3
    if dtype in LISTED:
        assert view.tolist() == t.tolist()
    assert view.tobytes() == array.tobytes()
    array[2, 1] = 0
    assert not t[2, 1]
    assert np.shares_memory(array, t.numpy())


def test_there_is_no_buffer_of_bfloat16() -> None:
    t: Any = tscript.ones(3, dtype=tscript.bfloat16)
    for read in (memoryview, bytes, io.BytesIO):
        with pytest.raises(BufferError, match="no format"):
            read(t)
    assert memoryview(t.float()).tolist() == [1.0] * 3


LAYOUTS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x,
    lambda x: x.t(),
    lambda x: x[:, ::2],
    lambda x: x[1:1],
    lambda x: x[0, 0],
    lambda x: x.unsqueeze(1),
    lambda x: tscript.from_numpy(x.numpy()[::-1]),
    lambda x: x[:1].expand(5, 4),
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_buffers_of_any_layout(layout: Callable[[Any], Any]) -> None:
    t = layout(tscript.arange(12.0).view(3, 4))
    array, view = np.asarray(t), memoryview(t)
    assert (view.shape, view.strides, view.tolist()) == (array.shape, array.strides, t.tolist())
    assert (view.c_contiguous, view.f_contiguous) == (array.flags.c_contiguous, array.flags.f_contiguous)
    assert bytes(t) == array.tobytes()
    if not view.c_contiguous:
        with pytest.raises(BufferError, match="clone"):
            hashlib.sha256(t)


def test_read_only_memory_is_read_only() -> None:
    t: Any = tscript.from_numpy(np.broadcast_to(np.float32(1), (3,)))
    assert memoryview(t).readonly
    assert not np.asarray(t).flags.writeable
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(bytes(12)).readinto(t)


def test_a_buffer_keeps_the_tensor_alive() -> None:
    t: Any = tscript.arange(5.0)
    before = sys.getrefcount(t)
    views = [memoryview(t), np.asarray(t)]
    assert sys.getrefcount(t) > before
    views.clear()
    gc.collect()
    assert sys.getrefcount(t) == before
    view = memoryview(tscript.arange(1000.0))
    gc.collect()
    assert view.tolist() == list(range(1000))


def test_dlpack() -> None:
    t: Any = tscript.arange(3.0)
    array = np.from_dlpack(t)
    again = tscript.from_dlpack(array)
    t[1] = 7.0
    assert array.tolist() == again.tolist() == [0.0, 7.0, 2.0]
    assert t.__dlpack_device__() == (1, 0)
