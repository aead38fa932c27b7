"""The layers in compiled code: the same results as in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript
from tests.nn.layers import LAYERS, Layer, inputs, made

NOT_COMPILED = ("RNN", "GRU", "LSTM")
"""They take packed sequences too."""

ENTRIES = [
    layer
    for layer in LAYERS
    if layer.name not in NOT_COMPILED and not (layer.name.startswith("ConvTranspose") and len(layer.inputs) > 1)
]
FIRST = {layer.name: layer for layer in reversed(ENTRIES)}


def tensors(value: Any) -> list[Any]:
    if isinstance(value, tscript.Tensor):
        return [value]
    return [t for part in value for t in tensors(part)] if isinstance(value, tuple | list) else []


def compare(layer: Layer) -> None:
    module = made(layer, tscript).eval()
    args = inputs(layer, tscript)
    expected, found = tensors(module(*args)), tensors(tscript.script(module)(*args))
    assert len(found) == len(expected) > 0
    for a, b in zip(found, expected, strict=True):
        assert a.dtype is b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layer", FIRST.values(), ids=lambda layer: layer.id)
def test_each_class(layer: Layer) -> None:
    compare(layer)


@pytest.mark.slow
@pytest.mark.parametrize("layer", ENTRIES, ids=lambda layer: layer.id)
def test_each_entry(layer: Layer) -> None:
    compare(layer)


@pytest.mark.parametrize("name", ["BatchNorm1d", "InstanceNorm1d"])
def test_running_statistics_are_written_in_training(name: str) -> None:
    module = getattr(tscript.nn, name)(3, track_running_stats=True)
    scripted = tscript.script(module)
    x = tscript.randn(4, 3, 5)
    before = module.running_mean.clone()
    scripted(x)
    assert not np.allclose(module.running_mean.numpy(), before.numpy())
    assert module.running_mean.data_ptr() == scripted.running_mean.data_ptr()
