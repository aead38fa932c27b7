"""``tscript inspect``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]


def test_functions_and_signatures(command: Command, archive: Path) -> None:
    result = command("inspect", archive)
    assert result.code == 0
    assert "  scale(x: Tensor, by: float = 2.0) -> Tensor\n      Multiply by a number.\n" in result.out
    assert "  gauss(n: int, *, start: int = 1) -> int\n" in result.out
    assert "More text" not in result.out


def test_code_ir_and_operators(command: Command, archive: Path) -> None:
    assert "def scale(x: Tensor, by: float" in command("inspect", archive, "--code").out
    assert "graph @scale(%x: Tensor, %by: float = 2.0)" in command("inspect", archive, "--ir").out
    assert "scale: mul\n" in command("inspect", archive, "--ops").out


def test_json_is_one_document(command: Command, model: Path, tmp_path: Path) -> None:
    command("compile", "model.py", "-o", "m.tsa", "--native", "host", "--meta", "k=v")
    document = json.loads(command("inspect", "m.tsa", "--json").out)
    assert document["producer"].startswith("tscript ")
    assert document["metadata"] == {"k": "v"}
    scale, gauss, *_ = document["entries"]
    assert scale["operators"] == ["mul"]
    assert gauss["native"][0]["types"] == ["int", "int"]


def test_extra_files_and_metadata(command: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(12345))
    extra = ["--extra", "docs/big.bin=big", "--extra", "model.py=model.py"]
    command(
        "compile", "model.py:gauss", "-o", "m.tsa", "--meta", "git=0123", "--meta", "note=two\nlines\x1b[31m", *extra
    )
    out = command("inspect", "m.tsa").out
    assert "  git = 0123\n  note = two\\nlines\\x1b[31m\n  gauss(" in out
    assert out.endswith(f"  extra docs/big.bin, 12,345 bytes\n  extra model.py, {model.stat().st_size} bytes\n")
    document = json.loads(command("inspect", "m.tsa", "--json").out)
    assert document["metadata"] == {"git": "0123", "note": "two\nlines\x1b[31m"}
    assert document["extra_files"][0] == {
        "name": "docs/big.bin",
        "bytes": 12345,
        "sha256": hashlib.sha256(bytes(12345)).hexdigest(),
    }
    assert [f["name"] for f in document["extra_files"]] == ["docs/big.bin", "model.py"]


def test_missing_files(command: Command) -> None:
    result = command("inspect", "gone.tsa")
    assert (result.code, result.err) == (2, "error: gone.tsa: no such file\n")


def test_a_model_of_torchscript(command: Command) -> None:
    kept = Path(__file__).parents[1] / "data" / "torchscript" / "module.pt"
    assert "TorchScript version" in command("inspect", kept).out
    assert "aten::linear" in command("inspect", kept, "--ops").out
    document = json.loads(command("inspect", kept, "--json").out)
    assert (document["format"], document["missing"]) == ("torchscript", []) and document["tensors"] > 0
    assert command("inspect", kept, "--code").code == 2
