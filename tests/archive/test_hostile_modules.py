"""Hostile archives of modules: every member that may lie is made to lie, and only `ArchiveError` leaves the reader."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor, nn
from tscript.archive.container import Member, container_bytes, read_container
from tscript.archive.modules import VALUES
from tscript.archive.weights import WEIGHTS, file_arrays


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(tscript.arange(6.0).reshape(2, 3))
        self.sizes = [1, 2]

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight * self.sizes[0]


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.scale = 2.0
        self.register_buffer("flag", tscript.tensor([True]))

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) * self.scale


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("hostile") / "net.tsa"
    tscript.save(Outer(), path)
    return path.read_bytes()


def changed(content: bytes, path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The archive with other members; digests and sizes are right, as those of a hostile writer are."""
    container = read_container(content)
    members: dict[str, Any] = {name: container.read(name) for name in container.entries}
    members["manifest.json"] = json.loads(members["manifest.json"])
    members[VALUES] = json.loads(members[VALUES])
    change(members)
    members[VALUES] = json.dumps(members[VALUES]).encode()
    manifest = members.pop("manifest.json")
    for name, record in manifest["members"].items():
        record["sha256"], record["size"] = hashlib.sha256(members[name]).hexdigest(), len(members[name])
    stored = [Member("manifest.json", json.dumps(manifest).encode(), stored=True)]
    stored += [Member(name, data, stored=name == WEIGHTS) for name, data in members.items()]
    path.write_bytes(container_bytes(stored))
    return path


def attribute(number: int, name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        members[VALUES]["modules"][number]["attributes"][name] = value

    return change


def tensor(**values: Any) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        found = next(t for t in members[VALUES]["tensors"] if t["storage"] == "inner.weight")
        found.update(values)

    return change


def header(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def changes(members: dict[str, Any]) -> None:
        old = members[WEIGHTS]
        start = 8 + int.from_bytes(old[:8], "little")
        said = json.loads(old[8:start])
        change(said)
        text = json.dumps(said).encode()
        text += b" " * (-(8 + len(text)) % 64)
        members[WEIGHTS] = len(text).to_bytes(8, "little") + text + old[start:]

    return changes


def weights(value: Callable[[bytes], bytes]) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        members[WEIGHTS] = value(members[WEIGHTS])

    return change


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"list": [value]}
    return value


CASES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "attribute of another type": (attribute(0, "scale", "a"), r"attribute 'scale' must be float, and is a str"),
    "element of another type": (attribute(1, "sizes", {"list": ["a"]}), r"attribute 'inner.sizes' must be list\[int\]"),
    "None for a tensor": (attribute(1, "weight", None), r"'inner.weight' must be Tensor\[float32, 2\], and is None"),
    "a module for a tensor": (attribute(1, "weight", {"module": 0}), "'inner.weight' must be Tensor"),
    "another module": (attribute(0, "inner", {"module": 0}), "'inner' must be .*Inner, and is a Outer"),
    "no such module": (attribute(0, "inner", {"module": 7}), "attribute 'inner': it is module 7 of 2"),
    "no such tensor": (attribute(1, "weight", {"tensor": 7}), "attribute 'inner.weight': it is tensor 7 of 2"),
    "a negative number": (attribute(1, "weight", {"tensor": -1}), "'inner.weight'"),
    "no such attribute": (attribute(0, "other", 1), r"the module '' has other attributes than its class: other"),
    "an unknown kind": (attribute(0, "scale", {"call": "os.system"}), "there is no kind of value 'call'"),
    "deep": (attribute(0, "scale", deep(70)), "more than 64 values lie in each other"),
    "very deep": (attribute(0, "scale", deep(150)), "more than 200 levels"),
    "long number": (attribute(0, "scale", {"int": "9" * 5000}), "'scale'"),
    "bad float": (attribute(0, "scale", {"float": "1e5"}), "'scale'"),
    "outside": (tensor(offset=1), "the tensor 'inner.weight' lies outside of its storage 'inner.weight'"),
    "outside below": (tensor(strides=[-3, 1]), "lies outside of its storage"),
    "huge": (tensor(sizes=[1 << 61, 3]), "'inner.weight' is too large"),
    "huge stride": (tensor(strides=[1 << 61, 1]), "lies outside of its storage"),
    "wrong dtype": (tensor(dtype="int32"), r"'inner.weight' must be Tensor\[float32, 2\], and is a Tensor"),
    "wider dtype": (tensor(dtype="float64"), "lies outside of its storage"),
    "no dtype": (tensor(dtype="float31"), "'inner.weight' has the unknown dtype 'float31'"),
    "wrong rank": (tensor(sizes=[6], strides=[1]), r"'inner.weight' must be Tensor\[float32, 2\]"),
    "missing storage": (tensor(storage="x"), "'inner.weight' lies in the storage 'x', which is missing"),
    "sizes without strides": (tensor(strides=[1]), "has 2 sizes and 1 strides"),
    "many dimensions": (tensor(sizes=[1] * 100, strides=[1] * 100), "100 sizes"),
    "unknown flag": (tensor(flags=["x"]), "describes no tensor"),
    "truncated": (weights(lambda w: w[:-1]), "ends at 25, and the member has 24 bytes of tensors"),
    "longer": (weights(lambda w: w + b"a"), "it has 1 bytes behind its last tensor"),
    "absurd header": (weights(lambda w: b"\xff" * 8 + w[8:]), "its header would have"),
    "no header": (weights(lambda w: b""), "the length of its header alone takes 8"),
    "header of another kind": (weights(lambda w: w[:8] + b"[" + w[9:]), "does not begin with"),
    "overlap": (header(lambda h: h["flag"].update(data_offsets=[23, 24])), "overlaps|leaves|bytes behind"),
    "gap": (header(lambda h: h["flag"].update(data_offsets=[25, 26])), "and the member has 25 bytes"),
    "backwards": (header(lambda h: h["flag"].update(data_offsets=[24, 23])), "its dtype and shape need others"),
    "unknown dtype of a piece": (header(lambda h: h["flag"].update(dtype="Q8")), "has the unknown dtype 'Q8'"),
    "shape of a piece": (header(lambda h: h["flag"].update(shape=[-1])), "no valid shape"),
    "a piece is missing": (header(lambda h: h.pop("flag")), "bytes behind its last tensor"),
    "no bool": (weights(lambda w: w[:-1] + b"\2"), "'flag' has elements that are no bools"),
    "no modules": (lambda m: m[VALUES].update(modules=[]), "has no module"),
    "another class": (lambda m: m[VALUES]["modules"][0].update({"class": "x.Y"}), "of the class 'x.Y'"),
    "code of another method": (
        lambda m: next(c for c in m["manifest.json"]["classes"] if c["title"] == "Outer")["methods"].update(
            forward=["Inner_forward", "0" * 64]
        ),
        r"the code of forward\(\) of .*Outer is not in the archive",
    ),
    "a special method": (
        lambda m: m["manifest.json"]["classes"][0]["methods"].update(__reduce__=["forward", "0" * 64]),
        "is not the name of a method",
    ),
    "a field of another type": (
        lambda m: next(c for c in m["manifest.json"]["classes"] if c["title"] == "Inner")["fields"].__setitem__(
            0, ["weight", "Tensor[float64, 2]"]
        ),
        "'inner.weight' must be",
    ),
    "not a list": (lambda m: m.update({VALUES: {"modules": 3, "tensors": 4}}), "not valid"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_lies_is_refused_with_its_place(case: str, content: bytes, tmp_path: Path) -> None:
    change, message = CASES[case]
    path = changed(content, tmp_path / "hostile.tsa", change)
    with pytest.raises(tscript.ArchiveError, match=message):
        tscript.load(path)


def test_altered_bytes_raise_nothing_else(content: bytes, tmp_path: Path) -> None:
    rng = random.Random(3)
    path = tmp_path / "mutant.tsa"

    def change(members: dict[str, Any]) -> None:
        for name in (VALUES, WEIGHTS):
            data = bytearray(json.dumps(members[name]).encode() if name == VALUES else members[name])
            for _ in range(rng.randint(0, 3)):
                at = rng.randrange(len(data))
                data[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
            if name == WEIGHTS:
                members[name] = bytes(data)
            else:
                try:
                    members[name] = json.loads(data)
                except ValueError:
                    continue

    for _ in range(150):
        changed(content, path, change)
        try:
            net = tscript.load(path)
        except tscript.ArchiveError:
            continue
        assert net.inner.weight.shape == (2, 3)


def test_a_file_of_safetensors_is_read(tmp_path: Path, content: bytes) -> None:
    arrays = file_arrays(read_container(content).read(WEIGHTS), "w")
    assert arrays["inner.weight"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert arrays["flag"].dtype == np.bool_
