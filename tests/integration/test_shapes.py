"""Shapes: sliced, joined and compared, where their length is known when a function is specialised and where it is
not."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript

Agree = Callable[..., Any]

X = np.arange(6, dtype=np.float32).reshape(2, 3)

PARTS = ("x.shape[1:]", "x.shape[:-1]", "x.shape[::-1]", "x.shape[:]", "x.shape[5:]", "x.shape[-1]", "len(x.shape)")
JOINED = ("x.shape + (1,)", "(7, n) + x.shape", "x.shape + x.shape[:1]", "x.shape + ()")
COMPARED = ("x.shape == (2, 3)", "x.shape != (2, 3)", "x.shape == x.T.shape", "(2,) == x.shape", "x.shape[1:] != (n,)")
USED = ("x.reshape(x.shape + (1,)) * 2", "x.reshape((-1,) + x.shape[:1])", "torch.zeros(x.shape[:1] + (n,))")


@pytest.mark.parametrize("text", [*PARTS, *JOINED, *COMPARED, *USED])
def test_operators_on_shapes(agree: Agree, text: str) -> None:
    agree(f"def f(x, n: int):\n    return {text}\n", X, 3)
    unknown = text.replace("x.shape", "y.shape")
    source = f"def f(x, n: int):\n    y = x.unsqueeze(0) if n == 1 else x\n    return {unknown}\n"
    agree(source, X, 3)
    agree(source, X, 1)


def test_a_shape_carried_by_a_loop(agree: Agree) -> None:
    source = """
def f(x, n: int):
    s = x.shape
    for i in range(n):
        s += (i,)
    if s[2:] == (0, 1):
        return torch.ones(s[:2] + s[3:]), s
    return x, s
"""
    for n in range(4):
        agree(source, X, n)


def test_slices_are_those_of_python(integration: Any) -> None:
    f = tscript.script(integration.function_of("def f(x, a: int, b: int, c: int):\n    return x.shape[a:b:c]\n"))
    x = tscript.zeros(2, 3, 4)
    far = 2**63 - 1
    bounds = [*range(-5, 6), far, -far]
    for a, b, c in itertools.product(bounds, bounds, (-far, -3, -2, -1, 1, 2, 5, far)):
        assert f(x, a, b, c) == (2, 3, 4)[a:b:c], (a, b, c)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        f(x, 0, 1, 0)


def test_an_index_out_of_range_is_an_index_error(agree: Agree) -> None:
    agree("def f(x, n: int):\n    return x.shape[5]\n", X, 1)
    for n in (1, -3, 2):
        agree("def f(x, n: int):\n    return x.shape[n]\n", X, n)


def first_size(x: tscript.Tensor, dim: int) -> int:
    return x.size(dim)  # type: ignore[no-any-return]


@pytest.mark.parametrize("dim", [0, -1, 1])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_sizes_that_are_not_there_are_the_same_error_eagerly(shape: tuple[int, ...], dim: int) -> None:
    x = tscript.ones(shape)
    said = []
    for way in (first_size, tscript.script(first_size)):
        try:
            said.append(str(way(x, dim)))
        except IndexError as error:
            said.append(str(error))
    assert said[0] == said[1]


FULL = ", ".join(["1"] * 64)
RAISED = (
    "x.unsqueeze(0)",
    "x[None]",
    "x[..., None]",
    "torch.stack([x, x])",
    f"x.reshape({FULL}, 1)",
    f"x.expand(2, {FULL})",
)


@pytest.mark.parametrize("text", RAISED)
def test_a_tensor_of_too_many_dimensions_is_an_error_where_it_is_made(integration: Any, text: str) -> None:
    source = f"def f(x, n: int):\n    if n:\n        x = {text}\n    return x.dim()\n"
    x = tscript.ones([1] * 64)
    f = integration.function_of(source)
    found = []
    for way in (f, tscript.script(f)):
        assert way(x, 0) == 64
        with pytest.raises(RuntimeError) as error:
            way(x, 1)
        found.append(str(error.value))
    assert found[0] == found[1] == "tensors have at most 64 dimensions, this would have 65"


def test_recursion_with_ever_more_dimensions_is_compiled_for_few_of_them(integration: Any) -> None:
    f = tscript.script(
        integration.function_of("def f(x, n: int) -> int:\n    return x.dim() if n <= 0 else f(x[None] / x, n - 1)\n")
    )
    assert [f(tscript.ones(2), n) for n in (0, 1, 12, 40, 63)] == [1, 2, 13, 41, 64]
    with pytest.raises(RuntimeError, match="this would have 65"):
        f(tscript.ones(2), 64)
    assert len(f.graph_for(tscript.ones(2), 1).graphs) <= 12
