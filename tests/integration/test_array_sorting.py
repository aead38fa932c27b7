"""Sorting of arrays: stable, NaN last, of all lengths, layouts and distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.integration.array_programs import script

PROGRAMS = script(
    "def sort(a):\n    return np.sort(a)\n\n"
    "def argsort(a):\n    return np.argsort(a, kind='stable')\n\n"
    "def columns(a):\n    return np.sort(a, axis=0), np.argsort(a, axis=0, kind='stable')\n\n"
    "def in_place(a):\n    a.sort(kind='stable')\n"
)
FLOATS = ("float64", "float32")
LENGTHS = (0, 1, 2, 7, 8, 9, 33, 399, 400, 401, 2000, 6001, 20_000)
"""Around those where the method changes."""


def _same(got: Any, expected: Any) -> None:
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if got.dtype.kind == "f":
        assert np.array_equal(np.signbit(got), np.signbit(expected))
    assert np.array_equal(got, expected, equal_nan=got.dtype.kind == "f")


def _check(a: Any) -> None:
    _same(PROGRAMS["sort"](a), np.sort(a, kind="stable"))
    _same(PROGRAMS["argsort"](a), np.argsort(a, kind="stable"))


def _random(dtype: str, n: int, random: np.random.Generator) -> Any:
    if dtype == "bool":
        return random.integers(0, 2, n).astype(bool)
    if dtype not in FLOATS:
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, n, endpoint=True, dtype=dtype)
    found = random.normal(size=n).astype(dtype)
    for value in (np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, np.finfo(dtype).smallest_subnormal):
        if n:
            found[random.integers(0, n, 1 + n // 50)] = value
    return found


@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "int32", "int16", "int8", "uint8", "bool"])
@pytest.mark.parametrize("n", LENGTHS)
def test_random(dtype: str, n: int) -> None:
    """Numbers of the whole range, equal ones, zeros of both signs, and NaN; rows of any strides; what is in order."""
    a = _random(dtype, n, np.random.default_rng(n))
    _check(a)
    _check(a[::-2])
    _check(np.sort(a))
    _check(np.sort(a)[::-1])
    even = a[: n // 2 * 2]
    _check(even.reshape(2, -1))
    _check(even.reshape(-1, 2).T)
    for got, expected in zip(
        PROGRAMS["columns"](even.reshape(-1, 2)),
        (np.sort(even.reshape(-1, 2), axis=0, kind="stable"), np.argsort(even.reshape(-1, 2), axis=0, kind="stable")),
        strict=True,
    ):
        _same(got, expected)
    ours, theirs = a.copy(), a.copy()
    PROGRAMS["in_place"](ours[::2])
    theirs[::2].sort(kind="stable")
    _same(ours, theirs)


@pytest.mark.parametrize("n", [1000, 9000])
def test_distributions(n: int) -> None:
    """Keys that agree in their highest digits, and all the same but for a few."""
    random = np.random.default_rng(3)
    low = random.integers(0, 1000, n)
    _check(low)
    _check(low + 2**60)
    _check(np.where(np.arange(n) == n // 2, -(2**63), low))
    _check(np.where(np.arange(n) == n // 3, 1e300, 1.0 + low * 2.0**-52))
    _check(np.full(n, 7))
    _check(np.concatenate((np.arange(n), [3, 2, 1])))
    _check((random.integers(0, 2, n) * 2 - 1) * 10.0 ** random.integers(-300, 300, n))
    _check(np.array([2**63 - 1, -(2**63)] * n))
