"""Frozen weights are laid out once: modules of many sizes against what is not frozen, and what must stay changeable."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor, nn

CONVOLUTIONS = (
    # Few tiles, odd ones, no padding and much, groups, channels that are no multiple of four, a batch of small maps.
    ((1, 16, 6, 6), {"in_channels": 16, "out_channels": 16, "kernel_size": 3, "padding": 1}),
    ((1, 33, 7, 7), {"in_channels": 33, "out_channels": 30, "kernel_size": 3, "padding": 1}),
    ((1, 140, 5, 9), {"in_channels": 140, "out_channels": 17, "kernel_size": 3, "padding": 2}),
    ((2, 34, 9, 12), {"in_channels": 34, "out_channels": 38, "kernel_size": 3, "groups": 2}),
    ((7, 16, 3, 3), {"in_channels": 16, "out_channels": 24, "kernel_size": 3, "padding": 1}),
    # Other ways.
    ((1, 16, 9, 9), {"in_channels": 16, "out_channels": 18, "kernel_size": 3, "stride": 2, "padding": 1}),
    ((2, 20, 6, 7), {"in_channels": 20, "out_channels": 5, "kernel_size": 1}),
    ((1, 16, 3, 3), {"in_channels": 16, "out_channels": 16, "kernel_size": 3}),
)


def threaded(n: int, call: Any) -> Any:
    """What a call gives on so many threads."""
    before = tscript.get_num_threads()
    tscript.set_num_threads(n)
    try:
        return call()
    finally:
        tscript.set_num_threads(before)


def agrees(module: Any, x: Tensor) -> None:
    """The frozen module against the module, twice, on one thread and on several, which change no bit."""
    frozen = tscript.freeze(tscript.script(module.eval()))
    wanted = module(x)
    wanted = wanted[0] if isinstance(wanted, tuple) else wanted
    found = []
    for n in (1, 2, 3, 1):
        got = threaded(n, lambda: frozen(x))
        found.append((got[0] if isinstance(got, tuple) else got).numpy())
    size = float(np.abs(wanted.numpy()).max())
    np.testing.assert_allclose(found[0], wanted.numpy(), rtol=1e-4, atol=2e-5 * size)
    assert len({one.tobytes() for one in found}) == 1


@pytest.mark.parametrize("dtype", [tscript.float32, tscript.float64])
@pytest.mark.parametrize(("shape", "options"), CONVOLUTIONS)
def test_convolutions(shape: tuple[int, ...], options: dict[str, Any], dtype: Any) -> None:
    agrees(nn.Conv2d(**options, dtype=dtype), tscript.randn(shape, dtype=dtype))


@pytest.mark.parametrize("dtype", [tscript.float32, tscript.float64])
@pytest.mark.parametrize("size", [(1, 1), (7, 24), (255, 25), (256, 47), (257, 48), (520, 100)])
def test_products(size: tuple[int, int], dtype: Any) -> None:
    module = nn.Linear(*size, dtype=dtype)
    frozen = tscript.freeze(tscript.script(module.eval()))
    for rows in ((), (1,), (3,), (4,), (5,), (2, 3), (197,), (0,)):
        x = tscript.randn((*rows, size[0]), dtype=dtype)
        assert tscript.allclose(frozen(x), module(x), rtol=1e-4, atol=1e-4), rows
    x = tscript.randn(size[0], 9, dtype=dtype).t()
    assert tscript.allclose(frozen(x), module(x), rtol=1e-4, atol=1e-4)


def test_long_products_on_several_threads() -> None:
    agrees(nn.Linear(300, 500), tscript.randn(130, 300))
    agrees(nn.Linear(520, 200), tscript.randn(700, 520))


@pytest.mark.parametrize("dtype", [tscript.float32, tscript.float64])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_networks(kind: str, dtype: Any) -> None:
    module = getattr(nn, kind)(5, 30, num_layers=2, bidirectional=True, dtype=dtype)
    agrees(module, tscript.randn(7, 3, 5, dtype=dtype))
    agrees(nn.LSTM(270, 9, proj_size=4, dtype=dtype), tscript.randn(4, 5, 270, dtype=dtype))


class Product(nn.Module):
    """A product with a weight as it lies, that part of it, and its transpose."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(tscript.randn(40, 40))

    def forward(self, x: Tensor) -> Tensor:
        return (
            x @ self.weight
            + x @ self.weight.t()
            + (x[:, :30] @ self.weight[10:])
            + x @ self.weight[:, ::2].repeat(1, 2)
        )


def test_views_of_one_weight() -> None:
    agrees(Product(), tscript.randn(6, 40))


GLOBAL = tscript.ones(32, 32)


@tscript.script
def with_global(x: Tensor) -> Tensor:
    return x @ GLOBAL


def test_tensors_of_the_globals_may_change() -> None:
    x = tscript.ones(5, 32)
    try:
        assert with_global(x)[0, 0].item() == 32
        GLOBAL.fill_(2.0)
        assert with_global(x)[0, 0].item() == 64
    finally:
        GLOBAL.fill_(1.0)


def test_weights_that_are_not_frozen_may_change() -> None:
    module = nn.Linear(32, 32, bias=False).eval()
    scripted = tscript.script(module)
    x = tscript.ones(5, 32)
    for value in (1.0, 2.0):
        module.weight.data.fill_(value)
        assert scripted(x)[0, 0].item() == 32 * value


def test_what_was_laid_out_is_freed_with_the_module() -> None:
    x = tscript.randn(8, 64)

    def live() -> int:
        gc.collect()
        return tscript.memory_stats()["live_bytes"]

    def once() -> None:
        frozen = tscript.freeze(tscript.script(nn.Linear(64, 64).eval()))
        frozen(x)

    once()
    before = live()
    for _ in range(3):
        once()
    assert live() - before < 16_000
