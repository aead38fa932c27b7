"""Constant tensors in archives: members of their own, checked before they are used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tests.archive.layouts import opened, sealed
from tscript import Tensor
from tscript.api import archive_of
from tscript.archive import ArchiveError, pack, unpack
from tscript.definitions.values import cast
from tscript.operators.table import TABLE
from tscript.types import dtypes

W = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
ALL = tuple(cast(np.array([[0, 1, 1], [1, 0, 1]]), d)[:, ::2] for d in dtypes.DTYPES)
ODD = (np.array(5, np.int16), np.zeros((0, 3)), np.array([True, False]))


@tscript.script
def layer(x: Tensor) -> Tensor:
    return x @ W + W.t()[0]


@tscript.script
def everything(x: Tensor) -> tuple[Tensor, list[Tensor]]:
    return x + ODD[0], [ALL[0], ALL[1], ALL[2], ALL[3], ALL[4], ALL[5], ALL[6], ALL[7], ODD[1], ODD[2], W]


@pytest.mark.parametrize("native", [False, True])
def test_saved_functions_give_the_same(tmp_path: Path, native: bool) -> None:
    x = tscript.ones(2, 2)
    expected = layer(x).tolist(), everything(x)  # native code is saved for what was called
    tscript.save({"layer": layer, "everything": everything}, tmp_path / "a.tsa", native=native)
    module = tscript.load(tmp_path / "a.tsa", trust_native=native)
    for _ in range(2):
        assert module.layer(x).tolist() == expected[0]
        first, rest = module.everything(x)
        assert first.tolist() == expected[1][0].tolist()
        assert [(t.dtype, t.tolist()) for t in rest] == [(t.dtype, t.tolist()) for t in expected[1][1]]
        with pytest.raises(RuntimeError, match="read-only"):
            rest[0].zero_()
        tscript.save(module, tmp_path / "b.tsa", native=native)
        assert (tmp_path / "a.tsa").read_bytes() == (tmp_path / "b.tsa").read_bytes()
        module = tscript.load(tmp_path / "b.tsa", trust_native=native)


def test_members_hold_elements_and_are_shared() -> None:
    manifest, members = opened(pack(archive_of({"a": layer, "b": layer})))
    assert manifest["required_features"] == ["-functions", "tensors"]
    (name,) = [n for n in members if n.startswith("tensors/")]
    assert members[name] == np.array([1, 2, 3, 4], "<f4").tobytes()
    assert manifest["entries"][0]["tensors"] == [{"member": name, "dtype": "float32", "shape": [2, 2]}]


def used(data: bytes) -> None:
    for entry in unpack(data).entries.values():
        entry.program(TABLE)
    raise AssertionError("it was accepted")


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "float17"},
        {"dtype": "object"},
        {"dtype": "float64"},
        {"dtype": 3},
        {"dtype": "int32", "shape": [2, 3]},
        {"shape": [2, -2]},
        {"shape": [-2, -2]},
        {"shape": [4.0]},
        {"shape": [True, 4]},
        {"shape": "22"},
        {"shape": 4},
        {"shape": [1 << 62, 4]},
        {"shape": [1 << 62, 0, 1 << 62]},
        {"shape": [1 << 64]},
        {"shape": [1] * 65},
        {"shape": [2, 3]},
        {"shape": []},
        {"member": "tensors/none.bin"},
        {"member": "manifest.json"},
        {"member": ["x"]},
        {"member": "ir/layer.tsir"},
    ],
)
def test_records_that_are_wrong(change: dict[str, Any]) -> None:
    manifest, members = opened(pack(archive_of({"layer": layer})))
    manifest["entries"][0]["tensors"][0].update(change)
    with pytest.raises(ArchiveError):
        used(sealed(manifest, members))


@pytest.mark.parametrize("value", [None, [], {}, [{}], [3], "a", [[]]])
def test_lists_that_are_wrong(value: Any) -> None:
    manifest, members = opened(pack(archive_of({"layer": layer})))
    manifest["entries"][0]["tensors"] = value
    with pytest.raises(ArchiveError):
        used(sealed(manifest, members))


def test_ir_that_says_another_type() -> None:
    manifest, members = opened(pack(archive_of({"layer": layer})))
    for wrong in ("Tensor[float64]", "int", "list[Tensor]", "Size", "str", "tuple[Tensor]"):
        changed = dict(members)
        text = changed["ir/layer.tsir"].replace(b": Tensor = const tensor 0", f": {wrong} = const tensor 0".encode())
        assert text != changed["ir/layer.tsir"]
        changed["ir/layer.tsir"] = text
        with pytest.raises(ArchiveError):
            used(sealed(json.loads(json.dumps(manifest)), changed))


def test_bools_are_0_or_1() -> None:
    flags = np.array([True, False])

    @tscript.script
    def f() -> Tensor:
        return flags

    manifest, members = opened(pack(archive_of({"f": f})))
    name = manifest["entries"][0]["tensors"][0]["member"]
    with pytest.raises(ArchiveError, match="no bools"):
        used(sealed(manifest, {**members, name: b"\1\2"}))


def test_a_member_that_was_altered() -> None:
    data = pack(archive_of({"layer": layer}))
    at = data.index(np.array([1, 2, 3, 4], "<f4").tobytes())
    with pytest.raises(ArchiveError, match=r"digest|checksum"):
        unpack(data[:at] + b"\1" + data[at + 1 :])


def test_objects_name_tensors_of_their_function() -> None:
    layer(tscript.ones(2, 2))
    data = pack(archive_of({"layer": layer}, native=True))
    for wrong in ([1], [-1], ["0"], [True], 0, [None]):
        manifest, members = opened(data)
        index = json.loads(members["native/index.json"])
        assert index[0]["tensors"] == [0]
        index[0]["tensors"] = wrong
        with pytest.raises(ArchiveError):
            used(sealed(manifest, {**members, "native/index.json": json.dumps(index).encode()}))


LARGE = tscript.arange(100_000, dtype=tscript.float32).reshape(400, 250)
MASK = tscript.ones(5_000, dtype=tscript.bool)


@tscript.script
def large(x: Tensor) -> Tensor:
    return LARGE + x * MASK.sum()


def test_tensors_of_large_files_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "large.tsa"
    tscript.save(large, path)
    loaded = tscript.load(path, verify=True)
    x = tscript.ones(())
    expected = large(x).tolist()
    assert loaded(x).tolist() == expected
    maps = Path("/proc/self/maps")
    if maps.exists():
        assert str(path) in maps.read_text()
    content = bytearray(path.read_bytes())
    at = content.find(np.arange(1000, dtype="<f4").tobytes())
    content[at : at + 4] = np.float32(7.0).tobytes()
    other = tmp_path / "other.tsa"
    other.write_bytes(content)
    changed = tscript.load(other)
    assert changed(x)[0, 0].item() == expected[0][0] + 7  # its digest is not compared …
    with pytest.raises(ArchiveError, match=r"damaged|altered"):
        tscript.load(other, verify=True)  # … unless this is asked for
    tscript.save(loaded, tmp_path / "again.tsa")
    assert (tmp_path / "again.tsa").read_bytes() == path.read_bytes()


def test_mapped_tensors_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "large.tsa"
    tscript.save(large, path)
    content = bytearray(path.read_bytes())
    at = content.find(bytes([1]) * 5_000)
    content[at + 3] = 2
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match="no bools"):
        tscript.load(path)(tscript.ones(()))
