"""Small arrays that a function keeps for itself: compiled functions do what Python and NumPy do."""

from __future__ import annotations

# mypy: disable-error-code="attr-defined"
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript


def cross(a, b):
    c = np.zeros(3)
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]
    return c


def turned(n: int):
    w = np.array([0.1, 0.2, 0.3])
    for _ in range(n):
        side = np.empty(3)
        for i in range(3):
            side[i] = w[i] * (i + 1)
        t = cross(w, side)
        for i in range(3):
            w[i] -= 0.125 * t[i]
    return w


def rows(n: int):
    m = np.zeros((4, 3))
    total = 0.0
    for k in range(n):
        row = m[k % 4]
        row[k % 3] += k
        again = m[-1 - k % 4]
        again[-1] *= 0.5
        total += m[k % 4, k % 3] + row.shape[0] + len(again)
    return total


def columns(n: int):
    m = np.full((3, 2, 2), 1.5)
    m[1, 0, 1] = n
    s = 0.0
    for plane in range(3):
        for j in range(2):
            row = m[plane][j]
            s += row[0] * 10 + row[1]
    return s


def begins_anew(n: int):
    s = 0.0
    for k in range(n):
        t = np.zeros(4)
        t[k % 4] += 1.0
        s += t[0] + 10 * t[1] + 100 * t[2] + 1000 * t[3]
    return s


def outside(n: int):
    t = np.ones(3)
    for k in range(n):
        t[k] = k
    return t[0]


def row_outside(n: int):
    t = np.ones((2, 2))
    row = t[n]
    return row[0]


def of_types(n: int):
    flags = np.zeros(3, dtype=np.bool_)
    bytes_ = np.full(3, 250, dtype=np.uint8)
    words = np.array([n, 2**31 - 1, -1], dtype=np.int32)
    halves = np.ones(2, dtype=np.float32)
    for k in range(n):
        flags[k % 3] = not flags[k % 3]
        bytes_[k % 3] += 3
        words[1] += 1
        halves[k % 2] /= 3
    return int(flags[0]) + int(bytes_[1]) + int(words[1]) + float(halves[1])


def caught(n: int):
    t = np.zeros(3)
    for k in range(n):
        try:
            t[k] = 1.0
            t[k % 2] += 1.0
        except IndexError:
            t[0] -= 2.0
    return t


def one_of_two(n: int):
    a, b = np.zeros(2), np.ones(2)
    c = a if n > 2 else b
    c[0] = 5.0
    return a[0] + 10 * b[0]


def kept(n: int):
    found = []
    for k in range(n):
        t = np.zeros(2)
        t[0] = k
        found.append(t)
    return found[0][0] + 10 * found[n - 1][0]


def shared(n: int):
    t = np.zeros(2)
    u = t
    u[0] = n
    s = t[0]
    return s + t.sum()


def deep(n: int) -> float:
    t = np.zeros(8)
    t[n % 8] = n
    if n > 0:
        t[0] += deep(n - 1)
    return float(t[0] + t[n % 8])


def single(n: int):
    t = np.zeros(())
    for k in range(n):
        t[()] = t[()] + k
    return t


FUNCTIONS = (turned, rows, columns, begins_anew, outside, row_outside, of_types, caught, one_of_two, kept, shared, deep)


def outcome(function: Callable[..., Any], n: int) -> object:
    try:
        with np.errstate(all="ignore"):
            found = function(n)
    except IndexError as error:
        return str(error).replace("dimension", "axis")
    return (found.dtype, found.shape, found.tobytes()) if isinstance(found, np.ndarray) else repr(float(found))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_small_arrays_are_arrays(function: Callable[..., Any]):
    compiled = tscript.script(function)
    for n in (1, 2, 3, 7, 100):
        assert outcome(compiled, n) == outcome(function, n)


def allocations(function: Callable[..., Any]) -> int:
    """How many places of a function make arrays."""
    text = tscript.script(function).llvm_for(5)
    return len(re.findall(r" call [^\n]*@ts_(?:zeros|empty|ones|full)\w*_v", text))


@pytest.mark.parametrize("function", [turned, rows, begins_anew, caught], ids=lambda f: f.__name__)
def test_small_arrays_take_no_memory_of_the_heap(function: Callable[..., Any]):
    assert allocations(function) == (function in (turned, caught))
    assert allocations(kept) == 1


def test_frames_of_recursive_functions_are_counted():
    with pytest.raises(RecursionError):
        tscript.script(deep)(10_000_000)
