"""``tscript run``."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tscript.archive.container import Member, container_bytes, read_container

Command = Callable[..., Any]


def test_results_are_printed(command: Command, archive: Path) -> None:
    assert command("run", archive, "gauss", "--input", "100").out == "5050\n"
    assert command("run", archive, "gauss", "--input", "n=4", "--input", "start=3").out == "7\n"
    assert command("run", archive, "pair", "--input", "5", "--input", "1").out == "(2, 0.2)\n"
    assert command("run", archive, "scale", "--input", "x=3xf32=1,2,3").out == "tensor([2., 4., 6.])\n"


def test_results_are_written(command: Command, archive: Path, tmp_path: Path) -> None:
    assert command("run", archive, "scale", "--input", "2x2xf64=1", "-o", "out.npz").out == ""
    with np.load(tmp_path / "out.npz") as found:
        assert found["result"].tolist() == [[2.0, 2.0], [2.0, 2.0]]
        assert found["result"].dtype == np.float64
    command("run", archive, "pair", "--input", "5", "--input", "1", "-o", "out.npz")
    with np.load(tmp_path / "out.npz") as found:
        assert (found["result_0"], found["result_1"]) == (2, 0.2)


def test_a_list_of_tensors_is_written(command: Command, tmp_path: Path) -> None:
    text = (
        "from typing import List\nfrom tscript import Tensor\ndef f(x: Tensor) -> List[Tensor]:\n    return [x, x[0]]\n"
    )
    (tmp_path / "several.py").write_text(text)
    assert command("run", "several.py:f", "--input", "2x3xf32=1", "-o", "out.npz").code == 0
    with np.load(tmp_path / "out.npz") as found:
        assert [found[n].shape for n in ("result_0", "result_1")] == [(2, 3), (3,)]


def test_inputs_from_files(command: Command, archive: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([1.0, 2.0], np.float32))
    np.savez(tmp_path / "x.npz", x=np.array([3], np.int64))
    (tmp_path / "x.json").write_text(json.dumps({"x": [1.5], "by": 4}))
    (tmp_path / "list.json").write_text("[[1.0, 2.0], [3.0, 4.0]]")
    assert command("run", archive, "scale", "--input", "x=@x.npy").out == "tensor([2., 4.])\n"
    assert command("run", archive, "scale", "--input", "x.npy").out == "tensor([2., 4.])\n"
    assert command("run", archive, "scale", "--input", "@x.npz").out == "tensor([6.])\n"
    assert command("run", archive, "scale", "--input", "@x.json").out == "tensor([6.])\n"
    assert "[6., 8.]" in command("run", archive, "scale", "--input", "@list.json").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.tsa"], "gone.tsa: no such file"),
        (["."], "cannot be read"),
        (["model.tsa"], "has several functions, name one: scale, gauss"),
        (["model.tsa", "gone"], "has no function 'gone', only scale"),
        (["model.tsa", "gauss"], "missing 1 required positional argument: 'n'"),
        (["model.tsa", "gauss", "--input", "1", "--input", "2"], "takes 1 positional argument but 2 were given"),
        (["model.tsa", "gauss", "--input", "x=1"], "unexpected keyword argument 'x'"),
        (["model.tsa", "gauss", "--input", "1.5"], "argument 'n' must be int, not float"),
        (["model.tsa", "gauss", "--input", "3xf32=1"], "argument 'n' must be int, not Tensor[float32, 1]"),
        (["model.tsa", "gauss", "--input", "99999999999999999999"], "argument 'n'"),
        (["model.tsa", "gauss", "--input", "hello"], "expected a number"),
        (["model.tsa", "gauss", "--input", "@gone.npy"], "gone.npy: no such file"),
        (["model.tsa", "gauss", "--input", "bad.npy"], "bad.npy: "),
        (["model.tsa", "gauss", "--input", "bad.json"], "bad.json: "),
        (["model.tsa", "gauss", "--input", "model.tsa.npy"], "no such file"),
        (["model.tsa", "scale", "--input", "3xf99=1"], "unknown dtype 'f99'"),
        (["model.tsa", "scale", "--input", "3xf32=1,2"], "3xf32=1,2"),
        (["model.tsa", "scale", "--input", "2xi8=300,1"], "2xi8=300,1"),
        (["model.tsa", "scale", "--input", "2xi8=300"], "2xi8=300"),
        (["model.tsa", "scale", "--input", "2xi64=x"], "2xi64=x"),
        (["model.tsa", "scale", "--input", "99999999x99999999xf32=0"], "f32=0"),
        (["model.tsa", "scale", "--input", "text.npy"], "text.npy"),
        (["model.tsa", "scale", "--input", "1xf32=1", "-o", "gone/out.npz"], "there is no folder gone"),
    ],
)
def test_usage_errors(command: Command, archive: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY but no more")
    (tmp_path / "bad.json").write_text("{")
    np.save(tmp_path / "text.npy", np.array(["a"]))
    result = command("run", *arguments)
    assert (result.code, said in result.err) == (2, True), result
    assert result.out == ""


def test_a_program_that_raises(command: Command, archive: Path, model_text: str, tmp_path: Path) -> None:
    result = command("run", archive, "pair", "--input", "50", "--input", "1", "-o", "out.npz")
    assert result.code == 4
    assert result.err.endswith("AssertionError: too large\n")
    line = model_text[: model_text.index("    assert n < LIMIT")].count("\n") + 1
    assert f'File "model.py", line {line}, in pair' in result.err
    assert str(tmp_path) not in result.err
    assert "cli" not in result.err
    assert not (tmp_path / "out.npz").exists()
    result = command("run", archive, "pair", "--input", "0", "--input", "1")
    assert result.code == 4
    assert "ZeroDivisionError" in result.err


def test_an_operator_that_refuses_is_the_program_raising(command: Command, tmp_path: Path) -> None:
    text = "from tscript import Tensor\n\n\ndef f(x: Tensor, y: Tensor) -> Tensor:\n    return x + y\n"
    (tmp_path / "m.py").write_text(text)
    command("compile", "m.py", "-o", "m.tsa")
    result = command("run", "m.tsa", "--input", "3xf32=1", "--input", "4xf32=1")
    assert result.code == 4
    assert "must match the size" in result.err


def damage(packed: bytes, how: str) -> bytes:
    if how == "empty":
        return b""
    if how == "text":
        return b"hello"
    if how == "cut":
        return packed[: len(packed) // 2]
    if how == "altered":
        at = packed.index(b"functions/ir.tsir") + 60
        return packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :]
    container = read_container(packed)
    manifest = json.loads(container.read("manifest.json"))
    if how == "future":
        manifest["format_version"] = [2, 0]
    else:
        manifest["required_features"] = ["telepathy"]
    members = [Member(n, container.read(n)) for n in list(container.entries)[1:]]
    return container_bytes([Member("manifest.json", json.dumps(manifest).encode(), stored=True), *members])


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("empty", "not a tscript archive"),
        ("text", "not a tscript archive"),
        ("cut", "truncated"),
        ("altered", ""),
        ("future", "written in format 2.0, this tscript 0.1.0 reads format 1"),
        ("feature", "needs telepathy"),
    ],
)
@pytest.mark.parametrize("verb", ["run", "inspect"])
def test_archives_that_cannot_be_read(
    command: Command, packed: bytes, tmp_path: Path, how: str, said: str, verb: str
) -> None:
    (tmp_path / "x.tsa").write_bytes(damage(packed, how))
    result = command(verb, "x.tsa")
    assert result.code == 3
    assert result.err.startswith("error: x.tsa: ")
    assert said in result.err
    assert result.out == ""


def test_native_code_of_another_cpu_is_not_used(command: Command, model: Path, tmp_path: Path) -> None:
    command("compile", "model.py:scale", "-o", "m.tsa", "--native", "host", "--signature", "(Tensor[float32, 1])")
    container = read_container((tmp_path / "m.tsa").read_bytes())
    members = {n: container.read(n) for n in container.entries}
    manifest = json.loads(members.pop("manifest.json"))
    index = json.loads(members["native/index.json"])
    index[0]["features"] = "+made-up"
    members["native/index.json"] = json.dumps(index).encode()
    manifest["members"]["native/index.json"] = described(members["native/index.json"])
    name = next(n for n in members if n.endswith(".o"))
    # Not even an object: it would not load.
    members[name] = struct.pack("<I", 0xDEAD) * 10
    manifest["members"][name] = described(members[name])
    first = Member("manifest.json", json.dumps(manifest).encode(), stored=True)
    (tmp_path / "m.tsa").write_bytes(container_bytes([first, *(Member(n, d) for n, d in members.items())]))
    assert command("run", "m.tsa", "--trust-native", "--input", "2xf32=1").out == "tensor([2., 2.])\n"


def described(data: bytes) -> dict[str, object]:
    import hashlib

    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
