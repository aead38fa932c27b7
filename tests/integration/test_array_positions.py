"""Arrays and NumPy scalars in every position that a value can take: each function gives what Python gives."""

# mypy: ignore-errors
from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tscript

V = np.ndarray[tuple[int], np.dtype[np.float64]]
a = np.arange(5.0)
m = np.arange(6.0).reshape(2, 3)
G = np.arange(5.0)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def case(*args):
    def add(function):
        CASES.append((function, args))
        return function

    return add


@case(a)
def in_list(a):
    xs = [a, a * 2]
    xs.append(a + 1)
    return xs


@case([a, a * 2])
def of_list(xs):
    s = 0.0
    for x in xs:
        s += x[1]
    return s


@case(a)
def scalar_dict(a):
    d = {}
    for i in range(3):
        d[i] = a[i]
    return d


@case(a)
def array_dict(a):
    d = {"x": a, "y": a[1:]}
    return d["x"][0] + d["y"][0], d


@case(a, 2)
def opt(a, n: int):
    best = None
    for i in range(n):
        if best is None or a[i] > best:
            best = a[i]
    return best


@case(a)
def tup(a):
    t = (a, a[0], 1)
    return t[0][1] + t[1], t


@case(a)
def closure(a):
    def g(i: int):
        return a[i] * 2

    return g(1) + g(2)


@case(a)
def lam(a):
    f = lambda x: x * a[1]  # noqa: E731
    return f(3.0)


@case(a, True)
def branch(a, c: bool):
    if c:
        x = a[0]
    else:
        x = 1.0
    return x


@case(a, True)
def branch2(a, c: bool):
    b = a if c else a + 1
    return b


@case(np.array([3, 1, 2]), a)
def idx2(i, a):
    s = 0.0
    for k in i:
        s += a[k]
    return s


@case(a)
def rng(a):
    n = np.int32(3)
    t = 0
    for i in range(n):
        t += i
    return t


@case(a)
def math_f(a):
    return np.sqrt(a[2]), np.exp(a[0]), np.pi * a[1], np.inf > a[0]


@case(a)
def while_f(a):
    i = 0
    while i < a.size and a[i] < 3:
        i += 1
    return i


@case(a)
def aug(a):
    b = a.copy()
    b[1] += 2
    b[2] *= 3
    b[3] /= 0
    b[1:3] += 1
    b += 1
    b -= a
    return b


@case(a)
def swap(a):
    b = a.copy()
    b[0], b[1] = b[1], b[0]
    return b


@case(m)
def rowview(m):
    b = m.copy()
    r = b[1]
    r[0] = 100
    return b, r.sum(), b[:, 1], b[0, 1:], b[-1], b.T[0]


@case(a)
def cmp_chain(a):
    return 0 < a[1] < 3, a[1] == 1, a[1] != 1, not a[0], a[1] and a[2], a[0] or a[2]


@case(a)
def ternary(a):
    return a[1] if a[1] > 0 else 0.0


@case(a)
def enum(a):
    s = 0.0
    for i, x in enumerate(a):
        s += i * x
    for x, y in zip(a, a[1:]):  # noqa: RUF007
        s += x * y
    return s


@case(a)
def comp(a):
    return [x * 2 for x in a if x > 1]


@case(a)
def sets(a):
    s = {1, 2}
    return int(a[1]) in s


@case(a, 3)
def rec(a, n):
    if n == 0:
        return a[0]
    return a[n] + rec(a, n - 1)


@case(a)
def ints(a):
    h = np.zeros(3, dtype=np.int64)
    for x in a:
        h[int(x) % 3] += 1
    return h


@case(np.arange(10, dtype=np.uint8))
def u8(x):
    s = 0
    out = np.zeros_like(x)
    for i in range(x.size):
        s += int(x[i])
        out[i] = x[i] * 30
    return s, out, x[5] + x[6], x[5] << 2, x[5] & 3, -x[5], x[1] - x[2]


@case(a)
def global_arr(a):
    return a + G, G[1] * 2


@case(a)
def dtypes_(a):
    b = np.zeros(3, a.dtype)
    c = a.astype(np.int32)
    return b, c, c.sum(), a.dtype == np.float64


@dataclass
class P:
    x: V
    n: int

    def total(self) -> float:
        s = 0.0
        for i in range(self.n):
            s += self.x[i]
        return s


class Q:
    def __init__(self, n: int):
        self.data = np.zeros(n)
        self.n = n

    def put(self, i: int, v: float) -> None:
        self.data[i] = v


@case(4)
def useq(n: int):
    q = Q(n)
    q.put(1, 2.5)
    return q.data


def quicksort(x, low, high):
    if low < high:
        pivot = x[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while x[j] > pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        quicksort(x, low, j)
        quicksort(x, i, high)


@case(np.array([3.0, -1.0, 2.0, 9.0, 2.0, 0.5]))
def sorted_in_place(x):
    quicksort(x, 0, len(x) - 1)
    return x


@case(a)
def classes(a):
    x, n = a[0], np.int32(3)
    return (
        (isinstance(a, np.ndarray), isinstance(x, np.ndarray), isinstance(x, np.floating), isinstance(x, float)),
        (isinstance(n, np.integer), isinstance(n, np.int32), isinstance(n, np.int64), isinstance(n, int)),
        (isinstance(x, (int, np.generic)), isinstance(1, np.generic), isinstance(a > 1, np.ndarray)),
    )


@case(a)
def texts(a):
    return int(a[2]), float(a[2]), bool(a[2]), str(a[2]), f"{a[2]}"


@case(P(a, 3))
def fields(p: P) -> float:
    p.x[0] += 1
    return p.total()


@case(a)
def made(a: V) -> V:
    return P(a * 2, 3).x


def is_same(got: Any, expected: Any) -> bool:
    """Whether two results are of one type and dtype, and equal, with all in them."""
    if isinstance(expected, np.ndarray):
        return type(got) is np.ndarray and got.dtype == expected.dtype and np.array_equal(got, expected)
    if isinstance(expected, list | tuple):
        return type(got) is type(expected) and len(got) == len(expected) and all(map(is_same, got, expected))
    if isinstance(expected, dict):
        return list(got) == list(expected) and all(is_same(got[k], expected[k]) for k in expected)
    return type(got) is type(expected) and got == expected


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_result_is_that_of_python(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*copy.deepcopy(args))
    scripted = tscript.script(function)
    for _ in range(2):
        got = scripted(*copy.deepcopy(args))
        if function is fields:
            expected = float(expected)
        assert is_same(got, expected), (got, expected)
