"""Results take the memory of operands that are not used again, and nobody can tell."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.runtime.public.record import add_global_callback

N = 300_000
NBYTES = 4 * N


class Counting:
    """An allocator that knows the most bytes that were in use, and how many were asked for."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None)
        self.live = self.peak = self.total = 0

        def allocate(nbytes: int, alignment: int, user: int) -> int | None:
            block = ctypes.c_void_p()
            libc.posix_memalign(ctypes.byref(block), ctypes.c_size_t(alignment), ctypes.c_size_t(nbytes))
            self.live += nbytes
            self.total += nbytes
            self.peak = max(self.peak, self.live)
            return block.value

        def free(block: int, nbytes: int, user: int) -> None:
            self.live -= nbytes
            libc.free(ctypes.c_void_p(block))

        size, place = ctypes.c_int64, ctypes.c_void_p
        self.functions = (
            ctypes.CFUNCTYPE(place, size, size, place)(allocate),
            ctypes.CFUNCTYPE(None, place, size, place)(free),
        )


def buffers(function, *args) -> int:
    """The most tensors of `N` float32 that a call needs at once, the result included."""
    function(*args)
    counting = Counting()
    before = tscript.set_allocator(tscript.Allocator(*counting.functions))
    try:
        result = function(*args)
        del result
    finally:
        tscript.set_allocator(before)
    return round(counting.peak / NBYTES)


def chain(x: Tensor, y: Tensor, n: int) -> Tensor:
    for i in range(n):
        x = x * 0.5 + y
    return x


def compared(x: Tensor, y: Tensor, n: int) -> Tensor:
    a = x * 2 + y
    if a.sum().item() > 0:
        a = a + 1
    a = a * 3
    if a.max().item() > n:
        a = a - a.mean()
    return a * 0.5


def reduced(x: Tensor, y: Tensor, n: int) -> Tensor:
    a = x * 1e-6 + y * 1e-6
    a = a - a.sum()
    a = a.exp()
    a = a / (a.max() + n)
    a = tscript.tanh(a)
    a = a * a - y * 1e-6
    a = a - a.mean()
    return tscript.sigmoid(a)


def reshaped(x: Tensor, y: Tensor, n: int) -> Tensor:
    a = x * 2 + y
    b = a.reshape(3, -1)
    for i in range(n):
        b = (b * 2).unsqueeze(0).squeeze(0) + n
    return b.reshape(-1) * 3


def product(x: Tensor, y: Tensor, n: int) -> Tensor:
    p = tscript.matmul(x.reshape(-1, 100), y[:10000].reshape(100, 100))
    return tscript.relu(p + y[:100] * n) * 2


def branches(x: Tensor, y: Tensor, n: int) -> Tensor:
    a = x + y
    if n > 2:
        a = a * 2
    else:
        a = a * 3
    while n > 0:
        a = a - y
        n = n - 1
    return a


@pytest.fixture
def pair() -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng(3)
    return tuple(tscript.tensor(rng.random(N).astype(np.float32)) + 0 for _ in range(2))


@pytest.mark.parametrize("function", [chain, compared, reduced, reshaped, product, branches], ids=lambda f: f.__name__)
def test_chains_need_no_memory_beside_their_result(function, pair):
    assert buffers(tscript.script(function), *pair, 5) == 1


@pytest.mark.parametrize("function", [chain, compared, reduced, reshaped, product, branches], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_results_and_arguments_are_what_they_were(function, n, pair):
    x, y = pair
    before = x.numpy().copy(), y.numpy().copy()
    found = tscript.script(function)(x, y, n)
    assert np.array_equal(x.numpy(), before[0]) and np.array_equal(y.numpy(), before[1])
    np.testing.assert_array_equal(found.numpy(), function(x, y, n).numpy())


def keeps_views(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    a = x * 2
    view = a[1:]
    b = a + 1
    held = [b]
    c = b * 3
    return view, held[0], c


def test_what_a_view_or_a_list_holds_stays():
    x = np.arange(20, dtype=np.float32)
    view, b, c = tscript.script(keeps_views)(tscript.tensor(x))
    np.testing.assert_array_equal(view.numpy(), x[1:] * 2)
    np.testing.assert_array_equal(b.numpy(), x * 2 + 1)
    np.testing.assert_array_equal(c.numpy(), (x * 2 + 1) * 3)


def broadcasts(x: Tensor, row: Tensor) -> Tensor:
    a = x * 2
    b = row * 3
    c = a + b
    d = c.t() + 1
    return d * tscript.matmul(c, d).sum()


def test_smaller_and_transposed_operands_are_not_overwritten():
    rng = np.random.default_rng(1)
    x, row = rng.integers(0, 9, (6, 7)).astype(np.float32), rng.integers(0, 9, 7).astype(np.float32)
    for given in (row, row[None, :], x[:, :1]):
        c = x * 2 + given * 3
        d = c.T + 1
        found = tscript.script(broadcasts)(tscript.tensor(x), tscript.tensor(np.ascontiguousarray(given)))
        np.testing.assert_array_equal(found.numpy(), d * (c @ d).sum())
        assert found.stride() == (6, 1)


def rows(x: Tensor, n: int) -> tuple[Tensor, Tensor]:
    a = x * 1.5 + n
    p = (a - a.amax(-1, True)).exp()
    p = p / p.sum(-1, keepdim=True)
    q = p * 2
    return q, q - q.mean(-1, keepdim=True) + (q * q).sum(-1, keepdim=True) * q


@pytest.mark.parametrize("shape", [(5, 3), (4, 300), (1, 5000), (3, 1)])
def test_groups_with_reductions(shape):
    x = tscript.tensor(np.random.default_rng(2).random(shape).astype(np.float32))
    for found, wanted in zip(tscript.script(rows)(x, 2), rows(x, 2), strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def steps(x: Tensor) -> Tensor:
    a = tscript.matmul(x, x)
    b = a * 2
    c = tscript.matmul(b, x)
    return (c + 1) * 2


@pytest.mark.parametrize("when", ["enter", "exit"])
def test_callbacks_keep_what_they_saw(when):
    x = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
    function = tscript.script(steps)
    wanted = function(x)
    kept: list[tuple[object, ...]] = []
    seen: list[tuple[object, ...]] = []

    def look(record: Any, context: object = None) -> None:
        kept.append(record.inputs)
        seen.append(tuple(v.tolist() for v in record.inputs if hasattr(v, "tolist")))

    given = {"on_enter": look} if when == "enter" else {"on_enter": None, "on_exit": look}
    handle = add_global_callback(**given, needs_inputs=True)
    try:
        found = function(x)
    finally:
        handle.remove()
    assert found.tolist() == wanted.tolist()
    assert [tuple(v.tolist() for v in values if hasattr(v, "tolist")) for values in kept] == seen
    assert len(seen) >= 4


def test_a_version_begins_anew():
    @tscript.script
    def made(x: Tensor) -> Tensor:
        a = x + 1
        a.mul_(2)
        return tscript.matmul(a, a) * 3

    assert made(tscript.tensor([[1.0]]))._version == 0
