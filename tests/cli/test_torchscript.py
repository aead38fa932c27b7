"""``tscript import``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tscript

Command = Callable[..., Any]

DATA = Path(__file__).parent.parent / "data" / "torchscript"


def test_a_function_becomes_an_archive(command: Command, tmp_path: Path) -> None:
    result = command("import", str(DATA / "function.pt"), "-o", "out.tsa", "--report")
    assert result.code == 0, result.err
    assert "operators: " in result.out
    assert "out.tsa" in result.out
    assert command("import", str(DATA / "function.pt"), "-o", "out.tsa").code == 2
    assert command("import", str(DATA / "function.pt"), "-o", "out.tsa", "--force", "-q").out == ""


def test_a_module_becomes_an_archive(command: Command, tmp_path: Path) -> None:
    assert command("import", str(DATA / "resnet_traced.pt"), "-o", "out.tsa").code == 0
    x = tscript.ones(1, 3, 16, 16)
    model: Any = tscript.load(DATA / "resnet_traced.pt")
    again: Any = tscript.load(tmp_path / "out.tsa")
    assert again(x).tolist() == model(x).tolist()


def test_what_is_missing_is_named(command: Command) -> None:
    result = command("import", str(DATA / "encoder.pt"), "--report")
    assert result.code == 0
    assert "missing: " in result.out
    result = command("import", str(DATA / "encoder.pt"), "-o", "out.tsa", "--strict")
    assert result.code == 3
    assert "aten::to_padded_tensor" in result.err


def test_wrong_requests(command: Command, tmp_path: Path) -> None:
    assert command("import", str(DATA / "function.pt")).code == 2
    assert command("import", "none.pt", "--report").code == 2
    (tmp_path / "x.pt").write_bytes(b"PK\3\4 nothing")
    assert command("import", "x.pt", "--report").code == 3
