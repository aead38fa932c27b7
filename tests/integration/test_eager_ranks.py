"""Eager operators have one code for tensors of all ranks, which gives what the code of scripted functions, made for the
ranks of a call, gives: bit for bit, with the same layout and the same errors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor


@tscript.script
def add(x: Tensor, y: Tensor) -> Tensor:
    return x + y


@tscript.script
def less(x: Tensor, y: Tensor) -> Tensor:
    return x < y


@tscript.script
def power(x: Tensor, y: Tensor) -> Tensor:
    return tscript.pow(x, y)


@tscript.script
def choose(x: Tensor, y: Tensor) -> Tensor:
    return tscript.where(x > y, x, y)


@tscript.script
def multiply_(x: Tensor, y: Tensor) -> Tensor:
    return x.mul_(y)


@tscript.script
def tanh(x: Tensor, y: Tensor) -> Tensor:
    return tscript.tanh(x)


@tscript.script
def out(x: Tensor, y: Tensor) -> Tensor:
    return tscript.sub(x, y, out=x)


@tscript.script
def softmax(x: Tensor, y: Tensor) -> Tensor:
    return x.softmax(-1)


@tscript.script
def total(x: Tensor, y: Tensor) -> Tensor:
    return x.sum(-1)


OPERATORS: list[tuple[Any, Callable[[Any, Any], Any]]] = [
    (add, lambda x, y: x + y),
    (less, lambda x, y: x < y),
    (power, lambda x, y: tscript.pow(x, y)),
    (choose, lambda x, y: tscript.where(x > y, x, y)),
    (multiply_, lambda x, y: x.mul_(y)),
    (tanh, lambda x, y: tscript.tanh(x)),
    (out, lambda x, y: tscript.sub(x, y, out=x)),
    (softmax, lambda x, y: x.softmax(-1)),
    (total, lambda x, y: x.sum(-1)),
]


def array(rng: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """An array of any layout."""
    order = rng.permutation(len(shape))
    steps = rng.choice([1, 1, 1, -1, 2], len(shape))
    base = rng.integers(-3, 4, [shape[d] * abs(steps[d]) for d in order]).astype(dtype)
    if dtype.startswith("float"):
        base = (base * rng.random(base.shape)).astype(dtype)
    found: Any = base.transpose(np.argsort(order))[*(slice(None, None, s) for s in steps), ...]
    assert found.shape == shape
    return found


def outcome(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """The result, or the error, and what became of the memory of `x`."""
    base = x if x.base is None else x.base
    copy = base.copy()
    offset = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    own = np.ndarray(x.shape, x.dtype, copy, offset, x.strides)
    try:
        found = function(tscript.from_numpy(own), tscript.from_numpy(y.copy() if y.base is None else y))
    except (RuntimeError, IndexError, TypeError) as error:
        return type(error), str(error)
    values = found.numpy()
    return str(found.dtype), values.shape, found.stride(), values.tobytes(), copy.tobytes()


@pytest.mark.parametrize("which", range(len(OPERATORS)), ids=lambda i: str(OPERATORS[i][0].__name__))
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_any_shapes(which: int, dtype: str) -> None:
    """Ranks 0 to 5, strides, shapes that broadcast and that do not, empty ones."""
    scripted, eager = OPERATORS[which]
    rng = np.random.default_rng(which)
    for trial in range(12):
        rank = trial % 6
        whole = tuple(int(n) for n in rng.choice([1, 2, 3, 5, 0] if trial > 8 else [1, 2, 3, 20], rank))
        kept = rng.random(rank) < 0.8
        part = tuple(n if k else 1 for n, k in zip(whole, kept, strict=True))[rng.integers(0, rank + 1) :]
        if trial == 7:
            part = (*part, 7)
        pair = [array(rng, s, dtype) for s in (whole, part)]
        for x, y in (pair, pair[::-1], [pair[0], pair[0]]):
            assert outcome(eager, x, y) == outcome(scripted, x, y), (x.shape, x.strides, y.shape, y.strides)


def test_memory_in_common() -> None:
    for a, b in ((np.s_[1:], np.s_[:-1]), (np.s_[:], np.s_[:]), (np.s_[:, ::-1], np.s_[:]), (np.s_[:2], np.s_[2:3])):
        results = []
        for add_ in (tscript.Tensor.add_, lambda x, y: added(x, y)):
            x = tscript.arange(24.0).reshape(4, 6).numpy().copy()
            add_(tscript.from_numpy(x[a]), tscript.from_numpy(x[b]))
            results.append(x)
        np.testing.assert_array_equal(*results)


@tscript.script
def added(x: Tensor, y: Tensor) -> Tensor:
    return x.add_(y)


_ALL_RANKS = """
import numpy as np
import tscript
from tscript.runtime.session.process import current

compiled = []
compiler = current().compiler
before = compiler.native

def native(program, **how):
    compiled.append(program.main)
    return before(program, **how)

compiler.native = native
tensors = [tscript.from_numpy(np.ones([2] * rank)) for rank in range(1, 6)]
for x in tensors:
    tscript.remainder(x, x)
    tscript.remainder(x, tensors[0])
    tscript.amin(x, 0)
    x.transpose(0, -1)
print(*compiled)
"""


def test_one_compilation_serves_all_ranks() -> None:
    """In a process of its own: others have compiled some of it."""
    found = subprocess.run([sys.executable, "-c", _ALL_RANKS], capture_output=True, text=True, check=True)
    compiled = found.stdout.split()
    assert len(compiled) == len(set(compiled))
    assert {"remainder", "amin"} <= set(compiled)


@tscript.script
def of_unknown_rank(x: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = x.unsqueeze(0)
    return x * 2.0 + x


@tscript.script
def stored(x: Tensor, n: int, y: Tensor) -> Tensor:
    for _ in range(n):
        x = x.unsqueeze(0)
    return x.add_(y)


def test_ranks_that_a_function_does_not_know() -> None:
    """The operators are fused, none goes through the eager path."""
    x = tscript.arange(6.0).reshape(2, 3)
    function: Any = of_unknown_rank
    assert "dispatch" not in function.llvm_for(x, 1)
    for n in range(4):
        found = of_unknown_rank(x, n)
        assert tuple(found.shape) == (1,) * n + (2, 3)
        np.testing.assert_array_equal(found.numpy().reshape(2, 3), x.numpy() * 3)
    assert tuple(stored(x, 2, x.clone()).shape) == (1, 1, 2, 3)
    with pytest.raises(
        RuntimeError, match=r"output with shape \[1, 2, 3\] doesn't match the broadcast shape \[4, 2, 3\]"
    ):
        stored(x, 1, tscript.ones(4, 1, 1))
    with pytest.raises(
        RuntimeError, match="the shape of the output doesn't match the shape that the operands broadcast"
    ):
        stored(x, 2, tscript.ones(4, 1, 1))


def test_errors_name_the_ranks_of_a_call() -> None:
    scalar, vector, other = tscript.tensor(1.0), tscript.ones(2), tscript.ones(2, 1, 1)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: tscript.mv(vector, scalar), "got 1D and 0D"),
        (lambda: tscript.addmm(vector, scalar, other), "got 0D and 3D"),
        (lambda: tscript.addmm(vector, scalar, vector), "got 0D and 1D"),
        (lambda: tscript.type_as(other, 0), r"Tensor\[float32, 3\], int"),
    ]
    for call, message in calls:
        with pytest.raises((RuntimeError, TypeError), match=message):
            call()
