"""Comparisons of what holds tensors: identity first, then ``==``, which may have no truth value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

PRELUDE = """
from dataclasses import dataclass
from typing import Optional
@dataclass(order=True)
class D:
    n: int
    t: Tensor
def removed(xs: list[Tensor], x: Tensor) -> int:
    xs.remove(x)
    return len(xs)
def made(x: Tensor) -> bool:
    a = x + 1
    b = x + 1
    return a is b
"""
EXPRESSIONS = {
    "bool": ("[x] == [y]", "[x] != [y]", "[x, y] == [x]", "x in [y, x]", "x not in (y, x)", "x in xs", "{'a': x} == {'a': y}", "[[x]] == [[y]]",
             "D(1, x) == D(1, y)", "D(1, x) != D(2, y)", "D(1, x) <= D(2, y)", "D(1, x) in [D(2, x), D(1, y)]", "(1, x) == (1, y)", "(1, x) == (2, y)",
             "((x, 1), 2) == ((y, 1), 2)", "[(1, x)] == [(1, y)]", "x is y", "x is x", "[x[0]] == [x[0]]", "x[0] is x[0]", "made(x)", "[x if x[0] > 0 else None] == [y]"),
    "int": ("xs.count(x)", "xs.index(x)", "removed(xs, x)"),
    "Tensor": ("x != y", "x == y", "sorted([x, y])[0]"),
}  # fmt: skip


@pytest.mark.parametrize(("type", "expression"), [(t, e) for t, es in EXPRESSIONS.items() for e in es])
def test_comparisons(integration: Any, type: str, expression: str) -> None:
    import tscript

    plain = integration.function_of(
        f"{PRELUDE}def f(x: Tensor, y: Tensor) -> {type}:\n    xs = [y, x, y]\n    return {expression}\n"
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
