"""The layers in compiled code: the same results as in Python."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import tscript
from tests.nn.layers import LAYERS, Layer, inputs, made
from tscript import Tensor

ENTRIES = [layer for layer in LAYERS if not (layer.name.startswith("ConvTranspose") and len(layer.inputs) > 1)]
FIRST = {layer.name: layer for layer in reversed(ENTRIES)}


def tensors(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [t for part in value for t in tensors(part)]
    return [value] if hasattr(value, "dtype") else []


def compare(layer: Layer, torch: Any = tscript) -> None:
    """Compile a layer of tscript or PyTorch; its results must be those it has in Python."""
    module = made(layer, torch).eval()
    expected = tensors(module(*inputs(layer, torch)))
    scripted = tscript.script(module)
    found = tensors(scripted(*inputs(layer, tscript)))
    assert "Any" not in str(scripted.graph).partition("{")[0]
    assert len(found) == len(expected) > 0
    for a, b in zip(found, expected, strict=True):
        assert str(a.dtype).partition(".")[2] == str(b.dtype).partition(".")[2] and tuple(a.shape) == tuple(b.shape)
        np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layer", FIRST.values(), ids=lambda layer: layer.id)
def test_each_class(layer: Layer) -> None:
    compare(layer)


@pytest.mark.parametrize("layer", FIRST.values(), ids=lambda layer: layer.id)
def test_each_class_of_pytorch(layer: Layer) -> None:
    compare(layer, pytest.importorskip("torch"))


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_packed_sequences(kind: str, torch: Any) -> None:
    utils = importlib.import_module(f"{torch.__name__}.nn.utils.rnn")

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = getattr(torch.nn, kind)(3, 4, 2, batch_first=True, bidirectional=True)

        def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
            packed = utils.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            out, _ = self.network(packed)
            padded, _ = utils.pad_packed_sequence(out, batch_first=True)
            return padded + self.network(x)[0]

    network = Network()
    x, lengths = np.random.default_rng(0).normal(size=(3, 5, 3)).astype(np.float32), np.array([2, 5, 3])
    expected = network(torch.from_numpy(x), torch.from_numpy(lengths))
    found = tscript.script(network)(tscript.from_numpy(x), tscript.from_numpy(lengths))
    np.testing.assert_allclose(found.numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_weights_that_are_converted_are_those_of_the_network() -> None:
    network = tscript.script(tscript.nn.LSTM(2, 3)).to(tscript.float64)
    x = tscript.ones((2, 1, 2), dtype=tscript.float64)
    assert network(x)[0].dtype is tscript.float64


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
