"""Archives of TorchScript: what PyTorch wrote gives here what it gave there."""

from __future__ import annotations

import copy
import io
import json
import pickle
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.archive import ArchiveError
from tscript.nn.scripting import ScriptModule
from tscript.nn.torchscript import load_torchscript, report

DATA = Path(__file__).parent.parent / "data" / "torchscript"
NAMES = sorted(path.stem for path in DATA.glob("*.pt"))


def decoded(value: Any) -> Any:
    """A value of a ``.json`` beside an archive."""
    if isinstance(value, list):
        return [decoded(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "dtype" in value:
        elements = [float(v) if isinstance(v, str) else v for v in value["elements"]]
        return tscript.from_numpy(np.array(elements, dtype=value["dtype"]).reshape(value["shape"]))
    if "tuple" in value:
        return tuple(map(decoded, value["tuple"]))
    return {decoded(key): decoded(item) for key, item in value["dict"]}


def assert_same(found: Any, expected: Any) -> None:
    """Compares tensors within 1e-5, everything else exactly."""
    if isinstance(expected, tscript.Tensor):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            assert_same(found[key], value)
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_pytorch(name: str) -> None:
    model: Any = tscript.load(DATA / f"{name}.pt")
    said = DATA / f"{name}.json"
    if not said.exists():  # traced and frozen modules share what the module itself gave
        said = DATA / f"{name.partition('_')[0]}.json"
    for call in json.loads(said.read_text())["calls"]:
        assert_same(model(*map(decoded, call["arguments"])), decoded(call["result"]))


def test_a_module_is_a_scripted_module_with_its_attributes() -> None:
    model: Any = tscript.load(DATA / "module.pt")
    assert isinstance(model, ScriptModule)
    assert model.original_name == "Counter"
    assert model.names == {"a": 1, "b": 2}
    assert model.mode.name == "SUM"
    assert list(model.state_dict()) == [
        *("steps", "lin.weight", "lin.bias", "tied.weight", "tied.bias", "layers.0.weight", "layers.0.bias"),
    ]


def test_tied_weights_stay_one() -> None:
    model: Any = tscript.load(DATA / "module.pt")
    assert model.lin.weight is model.tied.weight
    assert model.lin.weight.requires_grad


@pytest.mark.parametrize("name", ["module", "module_frozen", "attributes"])
def test_copies_and_pickles(name: str, tmp_path: Path) -> None:
    model: Any = tscript.load(DATA / f"{name}.pt")
    call = json.loads((DATA / f"{name.partition('_')[0]}.json").read_text())["calls"][0]
    content = pickle.dumps(model)
    for made in (
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(content),
        pickle.loads(pickle.dumps(pickle.loads(content))),
    ):
        assert isinstance(made, ScriptModule) and made.original_name == model.original_name
        assert list(made.state_dict()) == list(model.state_dict())
        assert_same(made(*map(decoded, call["arguments"])), decoded(call["result"]))
    (tmp_path / "model.pkl").write_bytes(content)
    program = f"import pickle; print(pickle.load(open({str(tmp_path / 'model.pkl')!r}, 'rb')).original_name)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == model.original_name, found.stderr


def test_parts_of_a_module_are_pickled() -> None:
    model: Any = tscript.load(DATA / "module.pt")
    layers = pickle.loads(pickle.dumps(model.layers))
    assert len(layers.state_dict()) == 2
    assert pickle.loads(pickle.dumps(model)).lin.weight is not model.lin.weight
    again = pickle.loads(pickle.dumps(copy.deepcopy(model).double()))
    assert again.lin.weight is again.tied.weight and again.lin.weight.dtype is tscript.float64


def test_a_raise_keeps_its_class_and_message() -> None:
    model: Any = tscript.load(DATA / "module.pt")
    with pytest.raises(ValueError, match=r"^unknown word z$"):
        model(tscript.ones(2, 4), ["z"])


def test_a_function_is_a_function() -> None:
    function: Any = tscript.load(DATA / "function.pt")
    assert str(function).startswith("<tscript.ScriptFunction")
    x, hashed = function(tscript.ones(2), 1, [3.0])
    assert x.tolist() == [3.0, 3.0]
    assert -(2**63) <= hashed < 2**63  # ints wrap


def test_extra_files_are_given() -> None:
    files = {"notes.txt": ""}
    tscript.load(DATA / "module.pt", extra_files=files)
    assert files == {"notes.txt": "kept"}


def test_a_report_names_the_operators() -> None:
    data = (DATA / "resnet.pt").read_bytes()
    found = report(data, "resnet.pt")
    assert found.is_complete
    assert {"aten::conv2d", "aten::batch_norm", "prim::RaiseException"} <= {*found.used}
    assert "supported" in str(found)


def test_strict_refuses_what_is_missing() -> None:
    data = (DATA / "encoder.pt").read_bytes()
    assert "aten::to_padded_tensor" in report(data).missing
    with pytest.raises(ArchiveError, match="aten::to_padded_tensor"):
        load_torchscript(data, strict=True)


def test_the_first_member_decides(tmp_path: Path) -> None:
    data = (DATA / "function.pt").read_bytes()
    damaged = tmp_path / "damaged.pt"
    damaged.write_bytes(data[:-200])
    with pytest.raises(ArchiveError) as caught:
        tscript.load(damaged)
    assert "manifest" not in str(caught.value)
    renamed = tmp_path / "model.tsa"
    renamed.write_bytes(data)
    function: Any = tscript.load(renamed)
    assert function(tscript.ones(1), 0, [1.0])[1] != 0


def altered(name: str, seed: int) -> bytes:
    """An archive whose code has other words in it."""
    draw = random.Random(seed)
    held = io.BytesIO()
    with zipfile.ZipFile(DATA / f"{name}.pt") as file, zipfile.ZipFile(held, "w") as out:
        victim = draw.choice([n for n in file.namelist() if n.endswith(".py")])
        for member in file.namelist():
            content = file.read(member)
            if member == victim:
                words = re.findall(r"[\w.]+|[^\w\s]|\s+", content.decode())
                for _ in range(draw.choice((1, 1, 2, 4))):
                    words[draw.randrange(len(words))] = draw.choice(words)
                content = "".join(words).encode()
            if not member.endswith(".debug_pkl"):
                out.writestr(member, content)
    return held.getvalue()


@pytest.mark.parametrize("name", ["function", "module_frozen", "words"])
def test_altered_code_is_refused_or_compiled(name: str) -> None:
    for seed in range(40):
        try:
            load_torchscript(altered(name, seed), name)
        except (ArchiveError, tscript.CompileError):
            pass
