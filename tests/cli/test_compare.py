"""``tscript compare``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

KEPT = Path(__file__).parents[1] / "data" / "torchscript"

NETS = """
from tscript import Tensor, nn

class Net(nn.Module):
    def __init__(self, by: float) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 2)
        self.by = by

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) * self.by

def build() -> Net:
    made = Net(2.0)
    nn.init.ones_(made.inner.weight)
    nn.init.zeros_(made.inner.bias)
    return made

def other() -> Net:
    made = build()
    nn.init.ones_(made.inner.bias)
    return made
"""

OTHER = """
from tscript import Tensor

def scale(x: Tensor, by: float = 3.0) -> Tensor:
    return x * by + 0.0

def more(x: Tensor) -> Tensor:
    return x
"""


def test_the_same(command: Command, model: Path, archive: Path) -> None:
    found = command("compare", archive, "model.py")
    assert (found.code, found.out) == (0, "  same signatures, code and weights\n"), found
    found = command("compare", f"{archive}:scale", "model.py:scale")
    assert (found.code, found.out) == (0, "  same signatures, code and weights\n"), found
    found = command("compare", archive, "model.py:scale")
    assert found.code == 5 and "  signature gauss: only in A\n" in found.out
    assert "name one" in command("compare", archive, archive, "--input", "1").err
    found = command("compare", "model.py:gauss", "model.py:gauss", "--input", "100", "--rounds", 2)
    assert found.code == 0, found
    assert "same signatures, code and weights" in found.out and "result: close, 5050  |  5050" in found.out
    assert "ratio" in found.out


def test_functions_that_differ(command: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OTHER)
    found = command("compare", "model.py:scale", "other.py:scale", "--input", "float32[4]", "--input", "by=2.0")
    assert found.code == 0, found
    assert "signature scale: scale(x: Tensor, by: float = 2.0)" in found.out and "code scale: differs" in found.out
    found = command("compare", "model.py:scale", "other.py:scale", "--input", "float32[4]", "--json")
    document = json.loads(found.out)
    assert found.code == 5 and "the results differ by more than rtol 1e-05" in found.err
    (part,) = document["results"]["parts"]
    assert part["difference"] > 0 and not part["close"] and document["times"]["a"] > 0
    found = command("compare", "other.py:scale", "other.py:more", "--input", "float32[4]", "--rtol", 3, "--rounds", 1)
    assert found.code == 0 and "code scale: differs" in found.out


def test_modules(command: Command, tmp_path: Path) -> None:
    (tmp_path / "nets_to_compare.py").write_text(NETS)
    assert command("compile", "nets_to_compare.py:build", "-o", "a.tsa").code == 0
    assert command("compile", "nets_to_compare.py:other", "-o", "b.tsa").code == 0
    found = command("compare", "a.tsa", "nets_to_compare.py:build", "--input", "float32[5,3]", "--rounds", 1)
    assert found.code == 0 and "same signatures, code and weights" in found.out, found
    found = command("compare", "a.tsa", "b.tsa")
    assert found.code == 5 and "weights inner.bias: largest difference 1\n" in found.out
    found = command("compare", "a.tsa", "b.tsa", "--input", "float32[5,3]", "--json")
    assert json.loads(found.out)["results"]["parts"][0]["difference"] == pytest.approx(2.0, abs=1e-5)
    (tmp_path / "modes.py").write_text(
        "import nets_to_compare\nfrom tscript import nn\n"
        "def evaluated() -> nn.Module:\n    return nets_to_compare.build().eval()\n"
    )
    found = command("compare", "a.tsa", "modes.py:evaluated")
    assert (found.code, found.out) == (5, "  attribute training: True  |  False\n")
    found = command("compare", "a.tsa:inner.forward", "b.tsa:inner.forward", "--input", "float32[5,3]", "--atol", 2)
    assert found.code == 0, found


def test_a_model_of_torchscript(command: Command, tmp_path: Path) -> None:
    shutil.copy(KEPT / "function.pt", tmp_path)
    assert command("import", "function.pt", "-o", "function.tsa").code == 0
    found = command("compare", "function.pt", "function.tsa")
    assert found.code == 0, found
    assert found.out == "  same signatures, code and weights\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gone.tsa", "model.tsa:scale"], 2, "gone.tsa: no such file"),
        (["model.tsa:scale", "text.txt"], 3, "text.txt"),
        (["model.tsa:scale", "model.tsa:scale", "--input", "1.5"], 2, "argument 'x' must be Tensor"),
        (["model.tsa:pair", "model.tsa:pair", "--input", "50", "--input", "1"], 4, "AssertionError: too large"),
    ],
)
def test_errors(command: Command, archive: Path, tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    (tmp_path / "text.txt").write_text("no archive")
    found = command("compare", *arguments)
    assert found.code == code, found
    assert said in found.err
