"""Groups that write in place what they also read, at the same places or at others: as NumPy, everything is computed
before anything is written."""

from __future__ import annotations

import numpy as np
import pytest

import tscript
from tests.integration.test_reuse_buffers import Counting
from tscript import Tensor


def stencil(w: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    w[:] = a * 2 + b


def added(w: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    w += a - b * 3


SCRIPTED = {f: tscript.script(f) for f in (stencil, added)}


def compared(function, buffer: np.ndarray, views) -> None:
    """One call over views of a copy of `buffer`, natively and in NumPy."""
    mine, theirs = buffer.copy(), buffer.copy()
    SCRIPTED[function](*views(mine))
    function(*views(theirs))
    np.testing.assert_array_equal(mine, theirs)


LINE = {
    "behind": lambda u: (u[1:-1], u[:-2], u[2:]),
    "far behind": lambda u: (u[40:], u[:-40], u[20:-20]),
    "half behind": lambda u: (u[u.size // 2 :][: u.size // 3], u[: u.size // 3], u[5:][: u.size // 3]),
    "ahead": lambda u: (u[:-2], u[1:-1], u[2:]),
    "same": lambda u: (u[1:], u[1:], u[:-1]),
    "steps": lambda u: (u[2::2], u[1:-1:2], u[:-2:2]),
    "other steps": lambda u: (u[: u.size // 2], u[: u.size // 2 * 2 : 2], u[-(u.size // 2) :]),
    "backwards": lambda u: (u[:0:-1], u[-2::-1], u[1:]),
    "mirrored": lambda u: (u, u[::-1], u),
    "one for all": lambda u: (u, u[3:4], u[:1]),
}


@pytest.mark.parametrize("views", LINE.values(), ids=LINE)
@pytest.mark.parametrize("n", [100, 700, 5000, 40_003])
@pytest.mark.parametrize("function", SCRIPTED, ids=lambda f: f.__name__)
def test_a_line(function, n, views):
    compared(function, np.arange(n, dtype=np.float64) % 97, views)


PLANE = {
    "rows behind": lambda u: (u[1:-1], u[:-2], u[2:]),
    "neighbours": lambda u: (u[1:-1, 1:-1], u[:-2, 2:], u[2:, :-2]),
    "left and right": lambda u: (u[1:-1, 1:-1], u[1:-1, :-2], u[1:-1, 2:]),
    "columns": lambda u: (u.T[1:-1], u.T[:-2], u.T[2:]),
    "transposed": lambda u: (u[: min(u.shape), : min(u.shape)], u[: min(u.shape), : min(u.shape)].T, u[:1, :1]),
    "row for all": lambda u: (u[1:], u[2], u[:1]),
    "column for all": lambda u: (u[:, 1:], u[:, 2:3], u[:, :-1]),
    "every other": lambda u: (u[2::2, 2::2], u[:-2:2, 1:-1:2], u[1:-1:2, :-2:2]),
    "upwards": lambda u: (u[:0:-1], u[-2::-1], u[:0:-1]),
}


@pytest.mark.parametrize("views", PLANE.values(), ids=PLANE)
@pytest.mark.parametrize("shape", [(5, 5), (40, 7), (300, 3), (9, 1500), (64, 64), (3, 4000)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int16", "float64", "int8"])
def test_a_plane(shape, dtype, views):
    compared(stencil, (np.arange(np.prod(shape)) % 31).astype(dtype).reshape(shape), views)


def test_random_views():
    rng = np.random.default_rng(5)
    for _ in range(300):
        rank = int(rng.integers(1, 4))
        shape = rng.integers(6, [0, 600, 60, 20][rank], rank)
        buffer = rng.integers(0, 100, shape).astype(rng.choice(["float32", "float64", "int32"]))
        order = rng.permutation(rank)
        sizes = [int(rng.integers(1, n - 3)) for n in shape]
        starts = [[int(rng.integers(0, n - k + 1)) for n, k in zip(shape, sizes, strict=True)] for _ in range(3)]

        def views(u: np.ndarray, order=order, sizes=sizes, starts=starts):
            cut = (tuple(slice(s, s + k) for s, k in zip(at, sizes, strict=True)) for at in starts)
            return tuple(u[c].transpose(order) for c in cut)

        compared(stencil, buffer, views)


def heat(u: np.ndarray, steps: int) -> None:
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def test_a_step_of_heat_needs_a_few_rows():
    function = tscript.script(heat)
    u = np.random.default_rng(1).random((700, 700))
    wanted = u.copy()
    heat(wanted, 3)
    function(u.copy(), 1)
    counting = Counting()
    before = tscript.set_allocator(tscript.Allocator(*counting.functions))
    try:
        function(u, 3)
    finally:
        tscript.set_allocator(before)
    np.testing.assert_array_equal(u, wanted)
    assert counting.peak < u.nbytes // 20


def adds(x: Tensor, n: int) -> None:
    if n > 0:
        adds(x, n - 1)
    x.add_(1.0)


def reads_twice(x: Tensor) -> tuple[float, float, Tensor]:
    before = x.sum()
    adds(x, 2)
    return float(before), float(x.sum()), x.view(-1)


def test_calls_write_tensors_that_have_views():
    before, after, view = tscript.script(reads_twice)(tscript.ones(4))
    assert (before, after, view.tolist()) == (4.0, 16.0, [4.0] * 4)
