"""Bodies of one element run over NumPy arrays as they stand: the operators of the dialect take arrays of one dtype."""

from __future__ import annotations

import numpy as np
import pytest

from tscript.dialect import (
    ByType,
    T,
    copysign,
    divide,
    f32,
    floor,
    i64,
    leaf,
    libm,
    machine,
    quot,
    rem,
    select,
    sqrt,
    u8,
    vector_math,
)  # fmt: skip
from tscript.types import dtypes


def same(found: object, expected: object) -> None:
    assert isinstance(found, np.ndarray) and isinstance(expected, np.ndarray)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


def wrapped(values: list[int], dtype: type[np.integer]) -> np.ndarray:
    bits = np.iinfo(dtype).bits
    return np.array([value % 2**bits for value in values], f"u{bits // 8}").view(dtype)


def test_arithmetic_stays_in_its_dtype() -> None:
    x = np.array([16777217, 0.1, -0.0, np.nan], np.float32)
    same(select(x > 0, x, 0.0), np.array([16777216, 0.1, 0, 0], np.float32))
    same(copysign(0.0, x), np.array([0.0, 0.0, -0.0, 0.0], np.float32))
    same(floor(np.array([-0.5, 2.5], np.float32)), np.array([-1, 2], np.float32))
    same(sqrt(np.array([2.0], np.float32)), np.sqrt(np.array([2.0], np.float32)))
    with np.errstate(all="ignore"):
        same(divide(np.array([1.0, -1.0]), np.zeros(2)), np.array([np.inf, -np.inf]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_integer_division_is_that_of_one_element(dtype: type[np.integer]) -> None:
    ends = [int(np.iinfo(dtype).min), int(np.iinfo(dtype).max), 0, 1, 7]
    ends += [-1, -7] if ends[0] else []
    pairs = [(a, b) for a in ends for b in ends]
    x, y = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    with np.errstate(all="ignore"):
        same(quot(x, y), wrapped([quot(a, b) for a, b in pairs], dtype))
        same(rem(x, y), wrapped([rem(a, b) for a, b in pairs], dtype))


def test_conversions_saturate() -> None:
    x = np.array([300.0, -1.0, np.nan, 1e30])
    same(u8(x), np.array([255, 0, 0, 255], np.uint8))
    same(i64(x), np.array([300, -1, 0, 2**63 - 1]))
    same(f32(np.array([16777217])), np.array([16777216], np.float32))


def test_c_functions_go_element_by_element() -> None:
    with np.errstate(all="ignore"):
        same(libm.fmod(np.array([7.5, np.inf]), np.array([-2.0, 1.0])), np.array([1.5, np.nan]))


def test_an_approximation_is_what_it_approximates() -> None:
    x = np.array([0.1, 1.0, 50.0], np.float32)
    same(vector_math.exp(x), np.exp(x))
    same(vector_math.erf(x), np.array([libm.erf(float(v)) for v in x], np.float32))


def test_integers_have_no_approximation() -> None:
    def double(x: T) -> T:
        return x + x

    either = ByType(dict.fromkeys(dtypes.DTYPES, double), np.exp)
    same(either(np.array([3])), np.array([6]))
    same(leaf(machine.MUL)(np.array([3]), np.array([4])), np.array([12]))
