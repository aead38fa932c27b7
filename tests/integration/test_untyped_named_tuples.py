"""Named tuples whose fields have no declared types: compared with plain Python."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,attr-defined,call-arg"

from __future__ import annotations

import pickle
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


def test_elements_of_several_types_make_no_plain_tuple():
    @tscript.script
    def either(n: int, x):
        if n > 2:
            return Pair(1.5, n)
        return Pair(x, n)

    assert either(1, 2.5) == Pair(2.5, 1)
    with pytest.raises(CompileError, match="returns Pair in one place and Pair in another"):
        either(1, np.float64(2.5))


def lambda_like(n):
    return Pair(n)
