"""``tscript inspect``."""

from __future__ import annotations

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


def test_missing_files(command: Command) -> None:
    result = command("inspect", "gone.tsa")
    assert (result.code, result.err) == (2, "error: gone.tsa: no such file\n")
