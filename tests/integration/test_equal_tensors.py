"""Comparisons of what holds tensors: identity first, then ``==``, which may have no truth value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

PRELUDE = """
from dataclasses import dataclass
from typing import Optional, Union
@dataclass(order=True)
class D:
    n: int
    t: Tensor
@dataclass
class F:
    t: Tensor
    n: int
@dataclass
class One:
    t: Tensor
class Never:
    def __init__(self, n: int) -> None:
        self.n = n
    def __eq__(self, other: object) -> bool:
        return False
@dataclass
class Odd:
    never: Never
    n: float
def removed(xs: list[Tensor], x: Tensor) -> int:
    xs.remove(x)
    return len(xs)
def made(x: Tensor) -> bool:
    a = x + 1
    b = x + 1
    return a is b
"""
EXPRESSIONS = {
    "bool": ("[x] == [y]", "[x] != [y]", "[x, y] == [x]", "x in [y, x]", "x not in (y, x)", "x in xs",
             "{'a': x} == {'a': y}", "[[x]] == [[y]]",
             "bool(D(1, x) == D(1, y))", "bool(F(x, 1) == F(y, 1))", "True if D(1, x) == D(1, y) else False",
             "bool(d == d)", "bool(D(1, x) == d)", "D(1, x) != D(2, y)", "D(1, x) <= D(2, y)",
             "D(1, x) in [D(2, x), D(1, y)]", "(1, x) == (1, y)", "(1, x) == (2, y)",
             "((x, 1), 2) == ((y, 1), 2)", "[(1, x)] == [(1, y)]", "odd == odd", "odd == Odd(odd.never, 2.0)",
             "odd in [Odd(odd.never, 2.0)]", "x is y", "x is x", "[x[0]] == [x[0]]", "x[0] is x[0]", "made(x)",
             "[x if x[0] > 0 else None] == [y]"),
    "int": ("xs.count(x)", "xs.index(x)", "removed(xs, x)"),
    "Union[bool, Tensor]": ("D(1, x) == D(1, y)", "D(2, x) == D(1, y)", "F(x, 1) == F(y, 1)", "F(x, 1) == F(x, 2)",
                            "One(x) == One(y)", "one == one",
                            "One(x) == d", "D(1, x) != D(1, y)"),
    "Tensor": ("x != y", "x == y", "sorted([x, y])[0]"),
}  # fmt: skip


@pytest.mark.parametrize(("type", "expression"), [(t, e) for t, es in EXPRESSIONS.items() for e in es])
def test_comparisons(integration: Any, type: str, expression: str) -> None:
    import tscript

    plain = integration.function_of(
        f"{PRELUDE}def f(x: Tensor, y: Tensor) -> {type}:\n    xs = [y, x, y]\n    d = D(1, x)\n"
        f"    one = One(x)\n    odd = Odd(Never(1), 2.0)\n    return {expression}\n"
    )
    scripted = tscript.script(plain)

    def outcome(function: Any, x: Any, y: Any) -> object:
        try:
            found = function(x, y)
        except (RuntimeError, ValueError) as error:
            return (error.__class__.__name__, str(error))
        return repr(found)

    one, two, nan = (tscript.from_numpy(np.array(v)) for v in ([1.0], [3.0, 4.0], [np.nan]))
    for x, y in ((one, one.clone()), (one, one + 1), (two, two.clone()), (two, two), (nan, nan), (one, two)):
        assert outcome(scripted, x, y) == outcome(plain, x, y), (x, y)
