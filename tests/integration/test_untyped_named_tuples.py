"""Named tuples whose fields have no declared types: compared with plain Python."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,attr-defined,call-arg"

from __future__ import annotations

import pickle
import re
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.diagnostics import CompileError

Pair = namedtuple("Pair", "a b")
Options = namedtuple("Options", ["tol", "steps"], defaults=(1e-6, 10))


def product(p):
    return p.a * p.b


def made(a, b):
    return Pair(a, b)


def by_name(n):
    p = Pair(b=n, a=[n, n])
    return p.a, p[1], len(p), p._replace(b=2 * n)


def unpacked(p):
    a, b = p
    return b, a, [x for x in (a, b) if x], p == Pair(a, b), f"{p}"


def defaults(n):
    return Options(), Options(0.5), Options(steps=n).steps


def solved(x, options=None):
    if options is None:
        options = Options(0.25, 3)
    for _ in range(options.steps):
        x = x * options.tol
    return x


def swapped(p: Pair):
    return Pair(p.b, p.a)


def inner(n):
    return Pair(Pair(n, "x"), Options(n)).a.b, swapped(Pair(n, "y")).a


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (product, [(Pair(1, 2.5),), (Pair("a", 3),), (Pair(2, 2),)]),
        (made, [(1, 2.5), ("a", [1])]),
        (by_name, [(3,), (2.5,)]),
        (unpacked, [(Pair(1, 2),), (Pair("x", "y"),)]),
        (defaults, [(3,)]),
        (solved, [(2.0,), (2.0, Options(0.5, 2)), (3.0, Options())]),
        (swapped, [(Pair(1, "a"),), (Pair(2.5, None),)]),
        (inner, [(3,)]),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)
def test_as_python(function: Callable[..., Any], calls: list[tuple[Any, ...]]):
    compiled = tscript.script(function)
    for args in calls * 2:
        found, wanted = compiled(*args), function(*args)
        assert repr(found) == repr(wanted), args
        assert type(found) is type(wanted)


def test_arrays_in_them():
    compiled = tscript.script(product)
    assert compiled(Pair(np.ones(2), 3)).tolist() == [3.0, 3.0]
    assert compiled(Pair(2, 3)) == 6 and compiled(Pair(np.arange(2), np.arange(2))).dtype == np.int64

    @tscript.script
    def solve(a):
        return Pair(a.sum(), a * 2)

    found = solve(np.ones(2))
    assert type(found) is Pair and found.a == 2.0 and found.b.tolist() == [2.0, 2.0]
    assert pickle.loads(pickle.dumps(found)).b.tolist() == [2.0, 2.0]


def test_in_containers():
    @tscript.script
    def largest(ps):
        best = ps[0]
        for p in ps:
            if p.a > best.a:
                best = p
        return best

    assert largest([Pair(1, "x"), Pair(3, "y"), Pair(2, "z")]) == Pair(3, "y")
    with pytest.raises(TypeError, match="missing"):
        tscript.script(lambda_like)(1)


def either(x, n):
    if n > 2:
        return Pair(-np.inf, n)
    return Pair(x[0], n)


def nested(x, n):
    p = Pair(Pair(1.5, n), (1.5, None)) if n > 2 else Pair(Pair(x[0], n), (x[0], n))
    return p.a, p


def listed(x, n):
    return [Pair(1.5, n), Pair(x[0], n)], {1: Pair(x[0], n), 2: Pair(1.5, n + 1)}


def absent(x, n):
    if n > 5:
        return None
    p = Pair(None, x) if n > 2 else Pair(n, x)
    return p._replace(b=x * 2)


def _without_dtypes(value: object) -> str:
    return re.sub(r"np\.float64\(([^)]*)\)", r"\1", repr(value))


@pytest.mark.parametrize("function", [either, nested, listed, absent], ids=lambda f: f.__name__)
def test_elements_of_several_types(function: Callable[..., Any]):
    compiled = tscript.script(function)
    for n in (1, 3, 7):
        found, wanted = compiled(np.array([2.5, 1.0]), n), function(np.array([2.5, 1.0]), n)
        assert _without_dtypes(found) == _without_dtypes(wanted), n


def test_no_plain_tuple_stands_for_a_named_one():
    @tscript.script
    def ranks(x, n):
        return Pair(x, n) if n > 2 else Pair(x.reshape(1, 2), n)

    @tscript.script
    def plain(x, n):
        return Pair(x, n) if n > 2 else (x, n)

    @tscript.script
    def listed(x, n):
        return [Pair(x, n), (x, n)]

    for function, message in (
        (ranks, "'if else' gives Pair or Pair"),
        (plain, r"'if else' gives Pair or tuple\["),
        (listed, r"an element of this list must be Pair, not tuple\["),
    ):
        with pytest.raises(CompileError, match=message):
            function(np.ones(2), 1)


def test_arrays_in_tuples_stay_arrays():
    @tscript.script
    def dtypes(x, n):
        if n > 2:
            return x, n
        return x.astype(np.float32), n

    with pytest.raises(CompileError, match=r"returns tuple\[ndarray\[float64, 1\], int\] in one place and tuple"):
        dtypes(np.ones(2), 1)

    @tscript.script
    def absent(x, n):
        if n > 2:
            return x, None
        return None, x

    assert [type(element).__name__ for n in (1, 3) for element in absent(np.ones(2), n)] == [
        *("NoneType", "ndarray"),
        *("ndarray", "NoneType"),
    ]


def lambda_like(n):
    return Pair(n)
