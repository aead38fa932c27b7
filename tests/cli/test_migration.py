"""``tscript check --torch``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

PACKAGE = {
    "boxes.py": """
import torch
from torch import Tensor
import torch.nn as nn

@torch.jit.script
def area(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])

@torch.jit.script
def lost(boxes: Tensor) -> Tensor:
    return torch.no_such_operator(boxes)

def also_lost(x: Tensor) -> Tensor:
    return torch.no_such_operator(x) + x.no_such_method()

given = torch.jit.script(also_lost)

def plain(x: Tensor) -> Tensor:
    return x + 1

class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x
""",
    "other.py": "def helper(n: int) -> int:\n    return n\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in PACKAGE.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_report(command: Command, package: Path) -> None:
    result = command("check", "--torch", str(package))
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0] == "3 functions for TorchScript in 1 files: 1 compile, 2 do not"
    assert lines[1] == "not looked at: 1 classes that derive from nn.Module"
    assert lines[4] == "        2      1  'torch' has no 'no_such_operator' that can be compiled (TS307)"
    assert lines[6] == "        1      0  Tensor has no method 'no_such_method' (TS213)"


def test_json_of_all_functions_with_tensors(command: Command, package: Path) -> None:
    found = json.loads(command("check", "--torch", "--all", "--json", str(package)).out)
    assert {f["name"]: f["compiles"] for f in found["functions"]} == {
        "area": True, "lost": False, "also_lost": False, "plain": True
    }  # fmt: skip
    assert found["blockers"][0]["code"] == "TS307" and found["blockers"][0]["functions"] == 2
    assert found["modules"] == 1


def test_what_has_no_such_function_is_usage(command: Command, package: Path) -> None:
    result = command("check", "--torch", str(package / "other.py"))
    assert result.code == 2 and "no function here is given to torch.jit.script" in result.err
    assert command("check", "--all", str(package / "other.py")).code == 2
