"""Matrices that loops multiply by are copied before the loop where nothing in it can change them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript
from tests.runtime.kernels.conftest import Model
from tscript import Tensor


def scripted(function: Any) -> Any:
    return tscript.script(optimize="quick")(function)


@scripted
def carried(x: Tensor, w: Tensor, n: int) -> Tensor:
    h = x
    for _ in range(n):
        h = (h @ w).tanh()
    return h


@scripted
def collected(x: Tensor, w: Tensor, n: int) -> Tensor:
    out: list[Tensor] = [x]
    h = x
    for t in range(n):
        if t % 2 == 0:
            h = (h.mm(w) + h @ w.t()).tanh()
        out.append(h)
    return tscript.stack(out)[-1]


@scripted
def until_large(x: Tensor, w: Tensor, n: int) -> Tensor:
    h, k = x, 0
    while k < n and bool(h.abs().max() < 1e6):
        h = h @ w
        k += 1
    return h


@scripted
def changed(x: Tensor, w: Tensor, n: int) -> Tensor:
    v = w.clone()
    h = x
    for _ in range(n):
        h = h @ v
        v.mul_(0.5)
    return h


@scripted
def changed_by_a_view(x: Tensor, w: Tensor, n: int) -> Tensor:
    v = w.clone()
    h = x
    for k in range(n):
        h = h @ v
        v[k % 3] = 0.25
    return h


@scripted
def other_parameter(x: Tensor, w: Tensor, n: int) -> Tensor:
    h = x
    for _ in range(n):
        h = h @ w
        x.mul_(1.0)
    return h


@scripted
def replaced(x: Tensor, w: Tensor, n: int) -> Tensor:
    h = x
    for _ in range(n):
        h = h @ w
        w = w * 0.5
    return h


def plain(name: str, x: Any, w: Any, n: int) -> Any:
    """The same in NumPy."""
    h, v = x, w.copy()
    for k in range(n):
        match name:
            case "carried":
                h = np.tanh(h @ v)
            case "collected":
                h = np.tanh(h @ v + h @ v.T) if k % 2 == 0 else h
            case "until_large" | "other_parameter":
                h = h @ v
            case "changed" | "replaced":
                h = h @ v
                v = v * 0.5
            case "changed_by_a_view":
                h = h @ v
                v[k % 3] = 0.25
    return h


FUNCTIONS = (
    (carried, True),
    (collected, True),
    (until_large, True),
    (changed, False),
    (changed_by_a_view, False),
    (other_parameter, False),
    (replaced, False),
)


@pytest.mark.parametrize(("function", "copies"), FUNCTIONS, ids=[f.__name__ for f, _ in FUNCTIONS])
def test_loops(function: Any, copies: bool) -> None:
    random = np.random.default_rng(1)
    for dtype, size in ((np.float32, 30), (np.float64, 26)):
        x, w = ((random.normal(size=(rows, size)) / 5).astype(dtype) for rows in (5, size))
        given = [tscript.from_numpy(v) for v in (x, w)]
        assert ("steady" in str(function.graph_for(*given, 3))) is copies
        for n in (0, 1, 2, 4):
            wanted = plain(function.__name__, x, w, n)
            np.testing.assert_allclose(function(*given, n).numpy(), wanted, rtol=1e-4, atol=1e-5)
    # A call sees what the matrix holds when it is called.
    given[1].mul_(0.5)
    np.testing.assert_allclose(function(*given, 3).numpy(), plain(function.__name__, x, w, 3), rtol=1e-4, atol=1e-5)


def test_what_is_no_matrix_of_floats_is_left() -> None:
    whole = tscript.ones(3, 3, dtype=tscript.int64)
    assert "steady" not in str(until_large.graph_for(whole, whole, 3))
    vector = tscript.ones(3)
    assert "steady" not in str(carried.graph_for(vector, tscript.ones(3, 3), 3))


@pytest.mark.parametrize("shape", [(3, 4), (0, 2), (1,), ()])
def test_the_copy(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    np.testing.assert_array_equal(Model().call("steady", x), x)
    if x.ndim == 2:
        np.testing.assert_array_equal(Model().call("steady", x.T[:, ::-1]), x.T[:, ::-1])


def test_a_copy_without_memory_leaves_nothing() -> None:
    for allocations in range(3):
        model = Model()
        model.allocations = allocations
        with pytest.raises(Model.Error) as found:
            model.call("steady", np.ones((2, 2), np.float32))
        assert found.value.kind is MemoryError
