"""0-d tensors that loops carry: compiled functions do what the operators do one by one, to the bit and to the view."""

from __future__ import annotations

# mypy: disable-error-code="attr-defined"
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.ir.graph import Block, For, Loop, Node, Return, walk
from tscript.types import TensorType


def total(x: Tensor) -> Tensor:
    s = tscript.zeros(())
    for i in range(x.size(0)):
        s = s + x[i]
    return s


def updated(x: Tensor) -> Tensor:
    s = tscript.zeros(())
    for i in range(x.size(0)):
        s = s * 0.5
        s += x[i]
    return s


def largest(x: Tensor) -> Tensor:
    best = x[0]
    for i in range(1, x.size(0)):
        best = tscript.maximum(best, x[i])
    return best


def first_of_largest(x: Tensor) -> Tensor:
    best = x[0]
    for i in range(x.size(0)):
        if x[i] > best:
            best = x[i]
    return best


def either(x: Tensor) -> Tensor:
    best = x[0]
    for i in range(x.size(0)):
        best = x[i] if x[i] > 2 else best * 1.25 + x[i]
    return best


def row_by_row(x: Tensor) -> Tensor:
    y = tscript.stack([x, x * 2, -x])
    best = y[1, 0]
    for row in y:
        low = row[0]
        for j in range(x.size(0)):
            low = tscript.minimum(low, row[j])
        if low > best:
            best = low
    return best


def until(x: Tensor) -> Tensor:
    s, i = x[0] * 0, 0
    while s < 4 and i < x.size(0):
        s = s * 0.75 + x[i]
        i += 1
    return s


def both(x: Tensor) -> tuple[Tensor, Tensor]:
    a, b = x[0], x[1]
    for i in range(x.size(0)):
        a, b = b, a + x[i]
    return a, b


def listed(x: Tensor) -> list[Tensor]:
    s = tscript.zeros(())
    seen: list[Tensor] = []
    for i in range(x.size(0)):
        s = s + x[i]
        if x[i] > 2:
            seen.append(s)
    seen.append(s)
    return seen


def shown(x: Tensor) -> str:
    s, text = tscript.zeros(()), ""
    for i in range(x.size(0)):
        s = s + x[i]
        if x[i] > 2:
            text += f"{s} "
    return text


def early(x: Tensor) -> Tensor:
    s = x[0]
    for i in range(x.size(0)):
        if s > 3:
            return s
        s = s + x[i] * 0.5
    return s


def written(x: Tensor) -> Tensor:
    best = x[0]
    for i in range(x.size(0)):
        best = tscript.maximum(best, x[i])
        x[i] = best * 2
        if best > 5:
            best = x[i]
    return best


def running(x: Tensor) -> Tensor:
    out = tscript.zeros_like(x)
    best = x[0]
    for i in range(x.size(0)):
        best = tscript.maximum(best, x[i])
        out[i] = best
    return out


def caught(x: Tensor) -> Tensor:
    s = tscript.zeros(())
    for i in range(x.size(0) + 1):
        try:
            s = s + x[i]
        except IndexError:
            s = s * 10
    return s


FUNCTIONS = (total, updated, largest, first_of_largest, either, row_by_row, until, both, listed, shown, early)
VALUES = ([1.0, 2.5, -1.0, 7.0, 0.5], [3.0, float("nan"), 5.0, -0.0], [-0.0, 0.0], [1e30, 1e30, -4.0])


def observed(function: Callable[..., Any], values: Sequence[float], dtype: tscript.dtype) -> object:
    """The result, and what adding to it does to it and to the argument."""
    x = tscript.tensor(values, dtype=dtype)
    try:
        found = function(x)
    except RuntimeError as error:
        return str(error)
    if isinstance(found, str):
        return found
    results = list(found) if isinstance(found, (list, tuple)) else [found]
    before = [(str(r.dtype), tuple(r.shape), r.numpy().tobytes()) for r in results]
    for r in results:
        r.add_(1)
    return before, [r.numpy().tobytes() for r in results], x.numpy().tobytes()


@pytest.mark.parametrize("function", [*FUNCTIONS, written, running, caught], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [tscript.float32, tscript.float64, tscript.int64])
def test_loops_carry_what_operators_give(function: Callable[..., Any], dtype: tscript.dtype):
    compiled = tscript.script(function)
    for values in VALUES:
        if dtype == tscript.int64 and not all(np.isfinite(v) and abs(v) < 100 for v in values):
            continue
        given = [int(v) for v in values] if dtype == tscript.int64 else values
        assert observed(compiled, given, dtype) == observed(function, given, dtype)


def test_full_keeps_the_sign_of_zero():
    assert np.signbit(tscript.full((3,), -0.0).numpy()).all()
    assert str(tscript.script(total)(tscript.tensor([-0.0]))) == "tensor(0.)"


@pytest.mark.parametrize("function", [total, largest, first_of_largest, either, until, running, early])
def test_iterations_make_no_tensors(function: Callable[..., Any]):
    graph = tscript.script(function).graph_for(tscript.tensor([1.0, 2.0])).entry
    loops = [node for node in walk(graph.body) if isinstance(node, (For, Loop))]
    made = [v for loop in loops for node in _every_time(loop.body) for v in node.outputs]
    assert loops
    assert not any(isinstance(v.type, TensorType) for v in made)


def weighted(x: Tensor) -> Tensor:
    acc = tscript.zeros(())
    for i in range(x.size(0)):
        if i == 0:
            acc = x[i] * 2.0
        else:
            acc = acc * 0.5 + x[i]
    return acc


def counted_up(x: Tensor) -> Tensor:
    acc, count = tscript.zeros(()), 0
    for i in range(x.size(0) - 1, -1, -2):
        acc = acc + x[i] * count
        count += 1
    return acc


@pytest.mark.parametrize("function", [total, weighted, counted_up], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [tscript.float64, tscript.int64])
def test_types_are_known_from_the_second_iteration_on(function: Callable[..., Any], dtype: tscript.dtype):
    compiled = tscript.script(function)
    for shape in ((0,), (1,), (4,), (3, 2), (0, 2)):
        x = tscript.arange(int(np.prod(shape))).to(dtype).reshape(shape)
        wanted, found = function(x), compiled(x)
        assert (str(found.dtype), found.tolist()) == (str(wanted.dtype), wanted.tolist())
    graph = compiled.graph_for(tscript.zeros((3, 2), dtype=dtype)).entry
    (loop,) = (node for node in walk(graph.body) if isinstance(node, For))
    types = [v.type for node in walk(loop.body) for v in node.outputs]
    assert all(t.dtype is not None and t.rank is not None for t in types if isinstance(t, TensorType))


def _every_time(block: Block) -> Iterator[Node]:
    """The nodes of a block and of those below it that do not leave the function."""
    if isinstance(block.nodes[-1], Return):
        return
    for node in block.nodes:
        yield node
        for inner in node.blocks:
            yield from _every_time(inner)
