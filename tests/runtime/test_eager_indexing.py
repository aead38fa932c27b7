"""``x[key]`` and ``x[key] = value`` of eager tensors, against NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import tscript

ARRAY = np.arange(24.0).reshape(2, 3, 4)
PARTS: tuple[Any, ...] = (0, -1, slice(None), slice(1, None), slice(-2, 99, 2), slice(2, 1), None, ..., slice(None, 2))
CHOICES = (np.array([1, 0, 1]), np.array([[0, 1]]))


def keys() -> list[Any]:
    found = [*PARTS, (), *product(PARTS, repeat=2), *product(PARTS[:7], repeat=3)]
    return [k for k in found if not isinstance(k, tuple) or sum(part is ... for part in k) < 2]


def test_views() -> None:
    x = tscript.from_numpy(ARRAY)
    tscript.from_numpy(ARRAY)[0]
    for key in keys():
        found, wanted = x[key], ARRAY[key]
        assert found.shape == np.shape(wanted), key
        assert found.tolist() == wanted.tolist(), key
        if wanted.size and np.ndim(wanted):
            assert found.data_ptr() == wanted.ctypes.data, key
            assert found.is_contiguous() == wanted.flags.c_contiguous, key


def test_views_of_views() -> None:
    x = tscript.from_numpy(ARRAY).permute(2, 0, 1)
    y = ARRAY.transpose(2, 0, 1)
    for key in keys():
        assert x[key].tolist() == y[key].tolist(), key


@pytest.mark.parametrize("value", [7, 2.5, True, tscript.tensor(3.0)])
def test_writes(value: Any) -> None:
    for key in keys()[::3]:
        array = ARRAY.copy()
        x = tscript.tensor(ARRAY.tolist(), dtype=tscript.float64)
        array[key] = float(value)
        x[key] = value
        assert x.tolist() == array.tolist(), key


def test_index_tensors_among_other_parts() -> None:
    x = tscript.from_numpy(ARRAY)
    for chosen, part in product(CHOICES, PARTS):
        index = tscript.from_numpy(chosen)
        for key, own in (((index, part), (chosen, part)), ((part, index), (part, chosen))):
            if part is None and own[0] is None:
                continue
            assert x[key].tolist() == ARRAY[own].tolist(), own
            y, array = x.clone(), ARRAY.copy()
            y[key], array[own] = -1, -1
            assert y.tolist() == array.tolist(), own
            y[key] = tscript.tensor(4.0, dtype=tscript.float64)
            array[own] = 4.0
            assert y.tolist() == array.tolist(), own


def test_errors() -> None:
    x = tscript.from_numpy(ARRAY)
    x[0]
    wrong: list[tuple[Any, type[Exception], str]] = [
        ((0, 3), IndexError, "index 3 is out of bounds for dimension"),
        ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
        ((..., 0, ...), IndexError, "single ellipsis"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        ((0, 1.5), TypeError, "a tensor is indexed with ints"),
        ("a", TypeError, "a tensor is indexed with ints"),
        ((None,) * 70, RuntimeError, "64"),
    ]
    for key, error, message in wrong:
        with pytest.raises(error, match=message):
            x[key]
        with pytest.raises(error, match=message):
            tscript.ones(2, 3, 4)[key] = 0.0
    with pytest.raises((IndexError, OverflowError)):
        x[0, 1 << 70]
    with pytest.raises(TypeError, match="cannot be deleted"):
        del x[0, 0]


def test_other_kinds_of_parts() -> None:
    x = tscript.from_numpy(ARRAY)
    assert x[True].shape == (1, 2, 3, 4)
    assert x[[0, 1], 0].tolist() == ARRAY[[0, 1], 0].tolist()
    assert x[np.int64(1), :, 0].tolist() == ARRAY[1, :, 0].tolist()
    assert x[slice(np.int64(1), None)].tolist() == ARRAY[1:].tolist()
    assert tscript.tensor(3.0)[...].item() == 3.0
    assert tscript.tensor(3.0)[None].shape == (1,)


def test_callbacks_see_what_is_done() -> None:
    seen: list[str] = []
    x = tscript.ones(2, 3)
    x[0, 0]
    with tscript.RecordFunctionGuard(True):
        handle = tscript.add_global_callback(lambda record: seen.append(record.name))
        try:
            x[:, 1]
        finally:
            handle.remove()
    assert "slice" in seen and "select" in seen


def test_attributes_that_read_the_header() -> None:
    x = tscript.from_numpy(ARRAY).transpose(0, 1)[1:]
    assert (x.numel(), len(x), x.element_size(), x.itemsize, x.nbytes) == (16, 2, 8, 8, 128)
    assert (x.stride(), x.stride(0), x.stride(dim=-1), x.storage_offset()) == ((4, 12, 1), 4, 1, 4)
    assert x.data_ptr() == ARRAY.ctypes.data + 32
    assert x.is_floating_point() and not x.is_complex()
    y = tscript.ones(2, dtype=tscript.complex64)
    assert y.is_complex() and not y.is_floating_point() and not (y.real > 0).is_floating_point()
    version = y._version
    y.zero_()
    assert y._version == version + 1
    with pytest.raises(TypeError, match=r"len.. of a 0-d tensor"):
        len(tscript.tensor(1))


def test_arrays_stay_what_they_were_made_of() -> None:
    array = np.zeros((2, 4), np.float32)[:, ::2]
    x = tscript.from_numpy(array)
    x[0, 1] = 3.0
    assert array[0, 1] == 3.0 and x.stride() == (4, 2)
    assert x.numpy() is not array and x.numpy().ctypes.data == array.ctypes.data
    packed = np.zeros(3, [("a", "i1"), ("b", "f8")])["b"]
    with pytest.raises(ValueError, match="strides"):
        tscript.from_numpy(packed)


def test_complex_numbers_as_operands() -> None:
    x = tscript.tensor([1.0, 2.0])
    assert (x * 2j).tolist() == (2j * x).tolist() == [2j, 4j] and (x * 2j).dtype is tscript.complex64
    assert (x.double() + 1j).dtype is tscript.complex128
    assert (x == 1j).tolist() == [False, False]
    assert ((1 + 1j) - x.to(tscript.int64)).tolist() == [1j, -1 + 1j]
    with pytest.raises(RuntimeError, match="can't be cast"):
        x += 1j


def test_results_of_complex_numbers_are_tensors_where_no_array_is_given() -> None:
    made = tscript.full((2,), 1j)
    assert isinstance(made, tscript.Tensor)
    assert made.dtype is tscript.complex64
    assert made.tolist() == [1j, 1j]
    assert isinstance(tscript.full((2,), 1j, dtype=tscript.complex128), tscript.Tensor)
    assert isinstance(tscript.full_like(tscript.ones(2), 1j), tscript.Tensor)
    assert isinstance(tscript.add(np.ones(2), 1j), np.ndarray)
