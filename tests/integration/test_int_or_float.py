"""Names and results that are an int or a float in turn: compared with plain Python."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment,misc"

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript

LIMIT = np.float32(2.5)
SCALE = np.int64(3)


def total(x: float, n: int):
    s = 0
    for i in range(n):
        s += x * i
    return s


def positive(x: float):
    if x < 0:
        return 0
    return x * 0.5


def uses(x: float):
    y = positive(x)
    z = y * 2 + 1
    numbers = math.sqrt(abs(z)), z, -y, y**2, y // 2, int(y), float(y), round(y, 1), max(y, 0.25), min(y, z)
    return numbers, y == 0, y < 3, str(y), f"{y:.2f}", y or 2


def conditional(n: int):
    y = 1 if n > 2 else 0.5
    xs = [y]
    xs.append(2.5)
    return y, xs, [y * 2 for _ in range(2)], {"a": y}


def branches(n: int):
    if n > 2:
        y = 1
    else:
        y = 0.5
    return y


def steps(n: int):
    err, k = 1, 0
    while err > 1e-3 and k < n:
        err = err / 2
        k += 1
    return err, k


def largest(n: int):
    best = 0
    for i in range(n):
        v = math.sin(i)
        if v > best:
            best = v
    return best


def caught(n: int):
    y = 0
    try:
        y = 1 / n
    except ZeroDivisionError:
        pass
    return y


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (total, [(0.5, 3), (2, 0)]),
        (positive, [(0.5,), (-1.0,)]),
        (uses, [(0.5,), (-1.0,)]),
        (conditional, [(3,), (0,)]),
        (branches, [(3,), (0,)]),
        (steps, [(20,), (0,)]),
        (largest, [(4,), (1,), (0,)]),
        (caught, [(4,), (0,)]),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)
def test_as_python(function: Callable[..., Any], calls: list[tuple[Any, ...]]):
    compiled = tscript.script(function)
    for args in calls:
        assert repr(compiled(*args)) == repr(function(*args)), args


def test_beside_arrays_it_is_a_float():
    def scaled(x: float, a):
        y = positive(x)
        b = a * y
        b[0] = y
        return b, a[1] * y + y, np.sqrt(y), np.maximum(y, 0.1), np.array([y, y]), a > y

    compiled = tscript.script(scaled)
    for x, a in (
        (0.5, np.arange(3.0)),
        (-1.0, np.arange(3.0)),
        (0.5, np.arange(3, dtype=np.float32)),
        (-1.0, np.arange(3)),
    ):
        for found, wanted in zip(compiled(x, a.copy()), scaled(x, a.copy()), strict=True):
            assert np.array_equal(found, wanted)


def test_with_an_element_it_is_one():
    def latest(a, n: int):
        x = 0
        for i in range(n):
            if i == 1:
                x = 0.5
            elif i > 1:
                x = a[i]
            a[0] = x
        return x

    compiled = tscript.script(latest)
    for n in (0, 1, 2, 3):
        for a in (np.arange(4.0), np.arange(4.0, dtype=np.float32)):
            given, wanted = a.copy(), a.copy()
            assert compiled(given, n) == latest(wanted, n) and given.tolist() == wanted.tolist()
    assert type(compiled(np.arange(4.0), 3)) is np.float64


def test_global_numpy_scalars_keep_their_dtype():
    def limited(x):
        return LIMIT if x > 2 else x * SCALE

    compiled = tscript.script(limited)
    for x in (np.float32(3.0), np.float32(1.0), np.arange(3)[1]):
        found, wanted = compiled(x), limited(x)
        assert found == wanted and type(found) in (type(wanted), np.float64)
    assert type(compiled(np.float32(3.0))) is np.float64  # of both dtypes


def test_tuples_of_arrays_are_arrays():
    def first(arrays):
        s = 0.0
        for i in range(2):
            s += arrays[i][0]
            arrays[i][1] = 5
        return s

    compiled = tscript.script(first)
    given, wanted = (np.ones(2), np.zeros(2)), (np.ones(2), np.zeros(2))
    found = compiled(given)
    assert found == first(wanted) and type(found) is np.float64
    assert [a.tolist() for a in given] == [a.tolist() for a in wanted]
    assert compiled(copy.deepcopy((np.ones((2, 1), np.int32)[:, 0],) * 2)) == 2.0
