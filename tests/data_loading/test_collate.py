"""`default_collate` and `default_convert`: batches from samples."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tscript
from tscript.data import default_collate, default_convert

Pair = namedtuple("Pair", ["x", "y"])


@pytest.mark.parametrize(
    ("samples", "dtype", "values"),
    [
        ([1, 2], tscript.int64, [1, 2]),
        ([1.5, 2], tscript.float64, [1.5, 2.0]),
        ([1, 2.5], tscript.float64, [1.0, 2.5]),
        ([True, False], tscript.bool, [True, False]),
        ([np.float32(1.5), np.float32(2)], tscript.float32, [1.5, 2.0]),
        ([np.array([1, 2], np.int16)] * 2, tscript.int16, [[1, 2], [1, 2]]),
        ([np.array([1, 2], ">i2")] * 2, tscript.int16, [[1, 2], [1, 2]]),
        ([np.array(3.0), np.array(4.0)], tscript.float64, [3.0, 4.0]),
        ([np.zeros(1, np.float32), np.ones(1, np.int64)], tscript.float32, [[0.0], [1.0]]),
        ([np.array([1j, 2])] * 2, tscript.complex128, [[1j, 2], [1j, 2]]),
        ([np.array([1, 2], np.uint64)], tscript.uint64, [[1, 2]]),
        ([np.zeros((0, 2), np.uint8)], tscript.uint8, [[]]),
    ],
)
def test_numbers_and_arrays(samples: list[Any], dtype: Any, values: Any) -> None:
    batch = default_collate(samples)
    assert type(batch) is tscript.Tensor
    assert batch.dtype is dtype
    assert batch.tolist() == values


def test_tensors() -> None:
    batch = default_collate([tscript.tensor([1.0, 2.0]), tscript.tensor([3.0, 4.0]), np.array([5, 6], np.float32)])
    assert batch.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_structures_keep_their_types() -> None:
    samples = [OrderedDict(p=Pair(i, f"n{i}"), t=(i, [i, b"b"])) for i in range(2)]
    batch = default_collate(samples)
    assert type(batch) is OrderedDict
    assert type(batch["p"]) is Pair
    assert batch["p"].x.tolist() == [0, 1]
    assert batch["p"].y == ["n0", "n1"]
    first, (second, texts) = batch["t"]
    assert first.tolist() == second.tolist() == [0, 1]
    assert texts == [b"b", b"b"]


@given(st.lists(st.tuples(st.floats(width=32), st.integers(-(2**63), 2**63 - 1)), min_size=1))
def test_a_batch_holds_its_samples(samples: list[tuple[float, int]]) -> None:
    floats, ints = default_collate(samples)
    assert ints.tolist() == [i for _, i in samples]
    np.testing.assert_array_equal(floats.numpy(), [f for f, _ in samples])


@pytest.mark.parametrize(
    ("samples", "error", "text"),
    [
        ([], ValueError, "at least one sample"),
        ([None], TypeError, "found builtins.NoneType; give the DataLoader a collate_fn"),
        ([{1}], TypeError, "found builtins.set"),
        ([1, "a"], TypeError, "entry 0 is a int, entry 1 a str"),
        ([1, True], TypeError, "entry 0 is a int, entry 1 a bool"),
        (["a", 1], TypeError, "entry 0 is a str, entry 1 a int"),
        ([np.zeros(2), [1, 2]], TypeError, "entry 0 is a ndarray, entry 1 a list"),
        ([{"a": 1}, [1]], TypeError, "entry 0 is a dict, entry 1 a list"),
        ([{"a": 1}, {"b": 1}], KeyError, "entry 0 has \\['a'\\], entry 1 has \\['b'\\]"),
        ([[1], [1, 2]], RuntimeError, "entry 0 has 1, entry 1 has 2"),
        ([np.zeros(2), np.zeros(3)], RuntimeError, "got \\[2\\] at entry 0 and \\[3\\] at entry 1"),
        ([np.zeros((1, 3)), np.zeros(3)], RuntimeError, "got \\[1, 3\\] at entry 0 and \\[3\\] at entry 1"),
        ([np.zeros(2, "M8[s]")], TypeError, "no tensor has dtype datetime64\\[s\\]; the supported ones are: uint8"),
        ([np.array(["a"])], TypeError, "no tensor has dtype <U1"),
        ([2**63], OverflowError, "too large"),
    ],
)
def test_bad_samples(samples: list[Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        default_collate(samples)


def test_convert_shares_memory_where_it_can() -> None:
    array = np.arange(3)
    converted = default_convert({"a": array, "n": 1, "s": "text", "t": (np.array(["a"]), np.float32(2))})
    array[0] = 7
    assert converted["a"].tolist() == [7, 1, 2]
    assert (converted["n"], converted["s"]) == (1, "text")
    assert converted["t"][0].tolist() == ["a"]
    assert converted["t"][1].item() == 2.0
    unaligned = np.zeros(9, np.uint8)[1:].view(np.int64)
    assert default_convert(unaligned).tolist() == [0]
    with pytest.raises(TypeError, match="no tensor has dtype datetime64"):
        default_convert(np.zeros(2, "M8[s]"))
