"""Loops whose iterations run side by side (`unroll_and_jam`) give the bits that they give one after the other."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import pytest

import tscript


def product(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m), dtype=a.dtype)
    for i in range(n):
        for j in range(m):
            total = 0.0
            for p in range(k):
                total += a[i, p] * b[p, j]
            c[i, j] = total
    return c


def convolved(image, kernel):
    h, w = image.shape
    kh, kw = kernel.shape
    out = np.empty((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for p in range(kh):
                for q in range(kw):
                    total += image[i + p, j + q] * kernel[p, q]
            out[i, j] = total
    return out


def columns(a, low, high):
    """Two sums of each column of a range, written into two arrays."""
    n, m = a.shape
    first = np.zeros(m)
    second = np.full(m, -1.0)
    for j in range(low, high):
        s = 0.0
        t = 1.0
        for i in range(n):
            s += a[i, j]
            t = t * 0.5 + a[i, j]
        first[j] = s
        second[j] = t - s
    return first, second


def shifted(a):
    """It reads what it writes: each column from the one before."""
    n, m = a.shape
    c = np.ones((n, m))
    for i in range(n):
        for j in range(1, m):
            total = 0.0
            for p in range(n):
                total += a[p, j] * c[i, j - 1]
            c[i, j] = total
    return c


def through_a_view(a):
    n, m = a.shape
    c = np.ones((n, m))
    v = c[:, : m - 1]
    for i in range(n):
        for j in range(1, m - 1):
            total = 0.0
            for p in range(n):
                total += a[p, j] * v[i, j - 1]
            c[i, j] = total
    return c


def into(a, b, c):
    n, k = a.shape
    for i in range(n):
        for j in range(b.shape[1]):
            total = 0.0
            for p in range(k):
                total += a[i, p] * b[p, j]
            c[i, j] = total


SIZES = [(0, 0, 0), (1, 1, 1), (3, 5, 7), (2, 0, 9), (4, 3, 8), (5, 6, 16), (3, 40, 31), (2, 2, 133)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products(dtype):
    f = tscript.script(product)
    rng = np.random.default_rng(0)
    for n, k, m in SIZES:
        a, b = rng.standard_normal((n, k)).astype(dtype), rng.standard_normal((k, m)).astype(dtype)
        for x, y in ((a, b), (a[::-1], b), (np.asfortranarray(a), np.asfortranarray(b)), (a, b[:, ::-1])):
            found = f(x, y)
            assert found.dtype == dtype and found.tobytes() == product(x, y).tobytes()


def test_convolutions():
    f = tscript.script(convolved)
    rng = np.random.default_rng(1)
    for n in (3, 9, 10, 11, 17, 40):
        image, kernel = rng.standard_normal((n, n + 3)), rng.standard_normal((3, 2))
        assert f(image, kernel).tobytes() == convolved(image, kernel).tobytes()


@pytest.mark.parametrize(
    ("low", "high"), [(0, 37), (3, 30), (5, 5), (9, 2), (0, 7), (36, 37), (5, -(1 << 63)), ((1 << 63) - 1, 9)]
)
def test_ranges_of_columns(low, high):
    a = np.random.default_rng(2).standard_normal((6, 37))
    found, expected = tscript.script(columns)(a, low, high), columns(a, low, high)
    assert [x.tobytes() for x in found] == [x.tobytes() for x in expected]


def test_a_column_outside_raises_behind_those_before():
    f = tscript.script(columns)
    with pytest.raises(IndexError, match="index 37 is out of bounds for"):
        f(np.ones((6, 37)), 30, 40)


@pytest.mark.parametrize("function", [shifted, through_a_view])
def test_what_is_written_is_read(function):
    a = np.random.default_rng(3).standard_normal((5, 30))
    assert tscript.script(function)(a).tobytes() == function(a).tobytes()


def test_results_over_operands():
    f = tscript.script(into)
    rng = np.random.default_rng(4)
    a, b = rng.standard_normal((9, 9)), rng.standard_normal((9, 9))
    for pick in (lambda a, b: a, lambda a, b: b, lambda a, b: b.T):
        x, y, u, v = a.copy(), b.copy(), a.copy(), b.copy()
        f(x, y, pick(x, y))
        into(u, v, pick(u, v))
        assert x.tobytes() == u.tobytes() and y.tobytes() == v.tobytes()
