"""``tscript ir``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.mark.parametrize("source", ["model.py:scale", "model.tsa:scale"])
def test_stages(command: Command, model: Path, archive: Path, source: str) -> None:
    signature = ["--signature", "(Tensor[float32, 1])"]
    assert "graph @scale(%x: Tensor, %by: float = 2.0) -> Tensor {" in command("ir", source).out
    assert "(%x: Tensor[float32, 1]" in command("ir", source, *signature).out
    assert "fused" not in command("ir", source, *signature).out
    assert "fused" in command("ir", source, "--stage", "opt", *signature).out
    assert "define " in command("ir", source, "--stage", "llvm", *signature).out
    assert ".text" in command("ir", source, "--stage", "asm", *signature).out


def test_print_after(command: Command, model: Path) -> None:
    result = command("ir", "model.py:gauss", "--print-after", "inline", "--print-after", "fusion")
    assert result.code == 0
    assert result.out.index("// after inline") < result.out.index("// after fusion")
    assert "// after " not in command("ir", "model.py:gauss").out
    assert command("ir", "model.py:gauss", "--print-after", "all").out.count("// after") > 8


def test_print_after_a_lowering_pass(command: Command, model: Path) -> None:
    for stage in ("opt", "llvm"):
        result = command("ir", "model.py:gauss", "--print-after", "lower_scalars", "--stage", stage)
        assert result.code == 0
        assert "// after lower_scalars" in result.out
    assert "// after lower" not in command("ir", "model.py:gauss", "--print-after", "all").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.py"], "gone.py: no such file"),
        (["gone.tsa:f"], "gone.tsa: no such file"),
        (["model.tsa:gone"], "has no function 'gone'"),
        (["empty.py"], "has no functions"),
        (["model.py:scale", "--stage", "opt"], "is given as Tensor, which leaves open"),
        (["model.py:scale", "--signature", "(int)"], "the signature says int"),
        (["model.py:scale", "--signature", "gone(int)"], "no such function"),
        (["model.py:gauss", "--print-after", "magic"], "there is no such pass"),
        (["model.py:gauss", "--print-after", "inline", "--stage", "typed"], "--stage typed comes before"),
        (["model.py:gauss", "--stage", "cobol"], "cobol"),
    ],
)
def test_usage_errors(
    command: Command, model: Path, archive: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "empty.py").write_text("")
    result = command("ir", *arguments)
    assert (result.code, said in result.err) == (2, True), result


def test_errors_of_the_program(command: Command, model: Path, tmp_path: Path) -> None:
    assert command("ir", "model.py:gone").code == 1
    (tmp_path / "bad.py").write_text("def f(x: int) -> int:\n    return y\n")
    assert command("ir", "bad.py").code == 1


def test_a_damaged_archive(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x.tsa").write_bytes(b"PK\3\4 and no more")
    assert command("ir", "x.tsa").code == 3


def test_explain_fusion(command: Command, model: Path) -> None:
    result = command("ir", "model.py:scale", "--signature", "(Tensor[float32, 1])", "--explain-fusion")
    assert result.code == 0
    assert result.out.startswith("scale:\n  group 1: one loop over elements\n    mul  ")
    assert "    ends: the block ends, or control flow begins\n" in result.out
    result = command("ir", "model.py:scale", "--explain-fusion", "--stage", "opt")
    assert result.code == 2
    assert "--explain-fusion prints no IR" in result.err
