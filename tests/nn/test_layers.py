"""Layers against PyTorch's with the same weights, and against what is recorded of these."""

import importlib.util
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tests.nn.layers import LAYERS, Layer, inputs, made
from tscript import nn
from tscript.nn.modules.names import FILES, HOME

RECORDED = Path(__file__).parents[1] / "data" / "nn" / "layers.json"
"""Of each layer: its text, its state dict's keys and shapes, and results with weights that depend on these."""

HAS_TORCH = importlib.util.find_spec("torch") is not None


def state(layer: Any, library: Any) -> dict[str, Any]:
    """Weights for a layer, which depend on keys and shapes alone."""
    found = {}
    for number, (key, value) in enumerate(layer.state_dict().items()):
        shape = tuple(value.shape)
        numbers = np.cos(np.arange(int(np.prod(shape)), dtype=np.float64) * 0.7 + number).reshape(shape)
        if key.endswith("running_var"):
            numbers = numbers + 1.5
        if key.endswith("num_batches_tracked"):
            numbers = np.zeros(shape)
        found[key] = library.from_numpy(numbers.astype(np.float32)).to(value.dtype)
    return found


def flat(result: Any) -> list[Any]:
    """The tensors of a result, as arrays."""
    if isinstance(result, tuple | list):
        return [array for part in result for array in flat(part)]
    return [] if result is None else [result.detach().numpy()]


def facts(entry: Layer, library: Any) -> dict[str, Any]:
    """What a layer is and gives."""
    layer = made(entry, library)
    layer.load_state_dict(state(layer, library))
    results = []
    for mode in (True, False) if entry.in_training else (False,):
        layer.train(mode)
        results.append([array.tolist() for array in flat(layer(*inputs(entry, library)))])
    keys = [[key, list(value.shape), str(value.dtype).rpartition(".")[2]] for key, value in layer.state_dict().items()]
    return {"text": repr(layer), "keys": keys, "results": results}


def same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found["text"] == expected["text"]
    assert found["keys"] == expected["keys"]
    assert len(found["results"]) == len(expected["results"])
    for ours, theirs in zip(found["results"], expected["results"], strict=True):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(RECORDED.read_text())
    return known


@pytest.mark.parametrize("entry", LAYERS, ids=lambda entry: entry.id)
def test_layers(entry, recorded):
    same(facts(entry, tscript), recorded[entry.id])


@pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")
def test_what_is_recorded(request):
    """What is recorded is what PyTorch does; with ``--update`` it is recorded."""
    import torch

    found = {entry.id: facts(entry, torch) for entry in LAYERS}
    if request.config.getoption("--update"):
        rounded = json.loads(json.dumps(found), parse_float=lambda text: float(f"{float(text):.6g}"))
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rounded.items())
        RECORDED.parent.mkdir(exist_ok=True)
        RECORDED.write_text("{\n" + lines + "\n}\n")
    known = json.loads(RECORDED.read_text())
    assert found.keys() == known.keys()
    for key, value in found.items():
        same(value, known[key])


def test_all_layers_are_in_the_table():
    bases = {"Module", *FILES["container"]}
    assert {entry.name for entry in LAYERS} == HOME.keys() - bases - OTHERWISE
    assert all(getattr(nn, name).__name__ == name for name in HOME)
    assert {*HOME} <= {*dir(nn)}


OTHERWISE = {"RNNBase", "RNNCellBase"}
"""What layers derive from."""


@pytest.mark.parametrize("name", sorted(HOME))
def test_signatures(name):
    """Parameters of classes and of `forward` are called as PyTorch's and have their defaults."""
    torch = pytest.importorskip("torch")
    ours, theirs = getattr(nn, name), getattr(torch.nn, name)
    for method in ("__init__", "forward"):
        mine, expected = (inspect.signature(getattr(kind, method)).parameters for kind in (ours, theirs))
        if name in ("Sequential", "ModuleDict", "ParameterDict", "Module", "ParameterList", "ModuleList"):
            continue
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in [*expected.values(), *mine.values()]):
            continue
        assert [*mine] == [*expected]
        for key, parameter in mine.items():
            other = expected[key].default
            assert parameter.default == other or callable(other), key
            assert parameter.kind == expected[key].kind


def test_names_are_those_of_checkers():
    """Types see every class: `tscript/nn/__init__.py` imports each one for them."""
    text = Path(nn.__file__).read_text()
    for name, home in HOME.items():
        assert f"from tscript.nn.modules.{home} import {name} as {name}\n" in text


WRONG: list[tuple[Any, type[Exception], str]] = [
    (lambda nn: nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by groups"),
    (lambda nn: nn.Conv2d(4, 3, 3, groups=2), ValueError, "out_channels must be divisible by groups"),
    (lambda nn: nn.Conv2d(4, 3, 3, groups=0), ValueError, "groups must be a positive integer"),
    (lambda nn: nn.Conv2d(4, 3, 3, padding="some"), ValueError, "[Ii]nvalid padding string"),
    (lambda nn: nn.Conv2d(4, 3, 3, 2, padding="same"), ValueError, "not supported for strided convolutions"),
    (lambda nn: nn.Conv2d(4, 3, 3, padding_mode="some"), ValueError, "padding_mode must be one of"),
    (lambda nn: nn.ConvTranspose2d(4, 3, 3, padding_mode="reflect"), ValueError, 'Only "zeros" padding mode'),
    (lambda nn: nn.Dropout(1.5), ValueError, "between 0 and 1"),
    (lambda nn: nn.Bilinear(0, 1, 1), ValueError, "in1_features must be > 0"),
    (lambda nn: nn.GroupNorm(3, 4), ValueError, "num_channels"),
    (lambda nn: nn.Hardtanh(1.0, 0.0), (ValueError, AssertionError), "max_val"),
    (lambda nn: nn.Embedding(3, 2, 3), AssertionError, "within num_embeddings"),
    (lambda nn: nn.MultiMarginLoss(3), ValueError, "only p == 1 and p == 2 supported"),
    (lambda nn: nn.TripletMarginLoss(0.0), ValueError, "margin"),
    (lambda nn: nn.Unflatten(1, 2), TypeError, "unflattened_size must be"),
    (lambda nn: nn.Unflatten(1, (2, "a")), TypeError, "unflattened_size must be tuple of ints"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_arguments(number, torch):
    act, kind, message = WRONG[number]
    with pytest.raises(kind, match=message):
        act(torch.nn)


CALLED_WRONGLY: list[tuple[Any, tuple[int, ...], type[Exception], str]] = [
    (lambda nn: nn.BatchNorm1d(3), (2, 3, 4, 5), ValueError, "expected 2D or 3D input"),
    (lambda nn: nn.BatchNorm2d(3), (2, 3), ValueError, "expected 4D input"),
    (lambda nn: nn.BatchNorm3d(3), (2, 3), ValueError, "expected 5D input"),
    (lambda nn: nn.InstanceNorm1d(3), (2,), ValueError, "expected 2D or 3D input"),
    (lambda nn: nn.InstanceNorm2d(3), (2,), ValueError, "expected 3D or 4D input"),
    (lambda nn: nn.InstanceNorm3d(3), (2,), ValueError, "expected 4D or 5D input"),
    (lambda nn: nn.InstanceNorm1d(3, affine=True), (2, 4, 5), ValueError, "to match num_features"),
    (lambda nn: nn.Softmax2d(), (2,), ValueError, "expected input to be 3D or 4D"),
    (lambda nn: nn.Linear(3, 2), (2, 2), RuntimeError, "mat|shape|size"),
    (lambda nn: nn.Conv2d(3, 2, 1), (1, 2, 4, 4), RuntimeError, "channel"),
]


@pytest.mark.parametrize("number", range(len(CALLED_WRONGLY)))
def test_wrong_inputs(number, torch):
    make, shape, kind, message = CALLED_WRONGLY[number]
    with pytest.raises(kind, match=message):
        make(torch.nn)(torch.ones(shape))


def test_running_statistics(torch):
    layer = torch.nn.BatchNorm1d(2, momentum=None)
    for value in (1.0, 2.0, 6.0):
        layer(torch.full((4, 2), value))
    assert layer.running_mean.tolist() == [3, 3] and layer.num_batches_tracked.item() == 3
    layer.reset_running_stats()
    assert layer.running_mean.tolist() == [0, 0] and layer.num_batches_tracked.item() == 0
    old = {k: v for k, v in layer.state_dict().items() if k != "num_batches_tracked"}
    layer.load_state_dict(old)
    assert layer.num_batches_tracked.dtype == torch.int64
    layer.half()
    assert layer.running_mean.dtype == torch.float16 and layer.num_batches_tracked.dtype == torch.int64


def test_pretrained_tables(torch):
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for kind in (torch.nn.Embedding, torch.nn.EmbeddingBag):
        layer = kind.from_pretrained(table)
        assert not layer.weight.requires_grad and layer.weight.data_ptr() == table.data_ptr()
        assert layer(torch.tensor([[1]])).reshape(-1).tolist() == [3, 4]
        with pytest.raises(AssertionError, match="2-dimensional"):
            kind.from_pretrained(torch.ones(2))
    assert torch.nn.Embedding(4, 2, padding_idx=-1).weight[3].tolist() == [0, 0]


def test_bags_with_wrong_arguments(torch):
    layer = torch.nn.EmbeddingBag(4, 2)
    numbers = torch.tensor([1, 2, 3])
    for args, kind in (
        ((numbers,), ValueError),
        ((numbers.reshape(1, 3), torch.tensor([0])), ValueError),
        ((numbers.reshape(1, 1, 3),), ValueError),
        ((numbers, torch.tensor([[0]])), ValueError),
        ((numbers, torch.tensor([0]), torch.ones(2)), ValueError),
        ((numbers, torch.tensor([0]), torch.ones(3)), NotImplementedError),
    ):
        with pytest.raises(kind):
            layer(*args)


def test_dtypes_of_parameters(torch):
    for layer in (
        torch.nn.Linear(2, 3, dtype=torch.float64),
        torch.nn.Conv2d(2, 2, 1, device="cpu", dtype=torch.float64),
        torch.nn.LayerNorm(2, dtype=torch.float64),
        torch.nn.BatchNorm1d(2, dtype=torch.float64),
        torch.nn.Embedding(2, 2, dtype=torch.float64),
    ):
        assert {p.dtype for p in layer.parameters()} == {torch.float64}
