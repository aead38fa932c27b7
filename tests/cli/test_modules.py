"""Modules on the command line: ``compile``, ``inspect``, ``run``, ``extract`` and ``verify`` of archives of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import nn
from tscript.cli.modules import makes_module

Command = Callable[..., Any]

NETS = """
import tscript
from tscript import Tensor, nn

class Base(nn.Module):
    pass

class Net(Base):
    def __init__(self, size: int, by: float = 2.0) -> None:
        super().__init__()
        self.inner = nn.Linear(size, 2)
        self.by = by

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) * self.by

def build() -> Net:
    made = Net(3)
    nn.init.ones_(made.inner.weight)
    nn.init.zeros_(made.inner.bias)
    return made

def count(n: int) -> int:
    return n + 1
"""


@pytest.fixture
def nets(command: Command, tmp_path: Path) -> Path:
    path = tmp_path / "nets_of_test.py"
    path.write_text(NETS)
    return path


def test_a_function_makes_a_module(command: Command, nets: Path) -> None:
    assert command("compile", f"{nets}:build", "-o", "net.tsa").out.startswith("net.tsa  2 modules")
    assert command("run", "net.tsa", "--input", "3xf32=1,2,3").out == "tensor([12., 12.])\n"
    assert command("run", "net.tsa", "inner.forward", "--input", "3xf32=1").out == "tensor([3., 3.])\n"
    assert "no module 'other'" in command("run", "net.tsa", "other.forward").err
    assert "has no method 'other'" in command("run", "net.tsa", "other").err
    shown = command("inspect", "net.tsa").out
    assert "  2 modules, 8 parameters\n  memory: 32 bytes in 2 pieces, 0 of them shared; read when" in shown
    assert (
        "  (root): Net  8 parameters, 32 bytes\n      by, training\n    inner: Linear  8 parameters, 32 bytes\n"
        in shown
    )
    assert "        weight: float32 (2, 3)\n" in shown
    modules = json.loads(command("inspect", "net.tsa", "--json").out)["modules"]
    assert [m["path"] for m in modules] == ["", "inner"] and modules[0]["attributes"] == ["by", "training"]
    assert [(m["parameters"], m["bytes"]) for m in modules] == [(8, 32), (8, 32)]
    assert command("verify", "net.tsa").code == 0
    table = command("profile", "net.tsa", "--input", "3xf32=1,2,3", "--repeat", 3).out.splitlines()
    assert table[0].split() == ["Layer", "Class", "Share", "Total", "Self", "Calls"]
    assert [(line.split()[:2], line.split()[-1]) for line in table[1:3]] == [
        (["(root)", "Net"], "3"), (["inner", "Linear"], "3")
    ]  # fmt: skip


def test_shared_memory_is_shown_once(command: Command, tmp_path: Path) -> None:
    (tmp_path / "tied_of_test.py").write_text(
        "from tscript import Tensor, nn\n\n"
        "class Tied(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        "        self.a = nn.Linear(4, 4, bias=False)\n"
        "        self.b = nn.Sequential(nn.Linear(4, 4, bias=False), nn.ReLU())\n"
        "        self.b[0].weight = self.a.weight\n"
        "        self.first = self.a.weight.detach()[0]\n\n"
        "    def forward(self, x: Tensor) -> Tensor:\n"
        "        return self.b(self.a(x)) + self.first\n"
    )
    command("compile", "tied_of_test.py:Tied", "-o", "tied.tsa")
    shown = command("inspect", "tied.tsa", "--memory").out
    assert "5 modules, 16 parameters\n  memory: 64 bytes in 1 pieces, 1 of them shared;" in shown
    (piece,) = json.loads(command("inspect", "tied.tsa", "--json").out)["memory"]["storages"]
    assert piece["bytes"] == 64 and sorted(piece["tensors"]) == ["a.weight = b.0.weight", "first"]


def test_a_class_takes_arguments_and_weights(command: Command, nets: Path, tmp_path: Path) -> None:
    command("compile", f"{nets}:build", "-o", "net.tsa")
    command("extract", "net.tsa", "constants/tensors.safetensors", "-o", "w.safetensors")
    assert (
        command("compile", f"{nets}:Net", "--args", "3, by=3.0", "--weights", "w.safetensors", "-o", "b.tsa").code == 0
    )
    assert command("run", "b.tsa", "--input", "3xf32=1").out == "tensor([9., 9.])\n"
    np.savez(
        tmp_path / "w.npz", **{"inner.weight": np.full((2, 3), 2, np.float32), "inner.bias": np.zeros(2, np.float32)}
    )
    assert command("compile", f"{nets}:Net", "--args", "3", "--weights", "w.npz", "-o", "c.tsa").code == 0
    assert command("run", "c.tsa", "--input", "3xf32=1").out == "tensor([12., 12.])\n"
    assert not tscript.load("c.tsa").training


def test_what_is_wrong_is_said(command: Command, nets: Path, tmp_path: Path) -> None:
    assert "expected literals as in a call" in command("compile", f"{nets}:Net", "--args", "f(", "-o", "a.tsa").err
    assert "made a int, not a module" in command("compile", f"{nets}:count", "--args", "3", "-o", "a.tsa").err
    np.savez(tmp_path / "w.npz", other=np.zeros(2))
    found = command("compile", f"{nets}:Net", "--args", "3", "--weights", "w.npz", "-o", "a.tsa")
    assert found.code == 2 and "inner.weight" in found.err and "other" in found.err
    (tmp_path / "w.safetensors").write_bytes(b"abc")
    said = command("compile", f"{nets}:build", "--weights", "w.safetensors", "-o", "a.tsa").err
    assert "--weights w.safetensors: it has 3 bytes, and the length of its header alone takes 8" in said
    assert "FILE.py:NAME" in command("compile", nets, "--args", "3", "-o", "a.tsa").err
    assert not (tmp_path / "a.tsa").exists()


def test_which_names_are_modules(nets: Path) -> None:
    assert makes_module(nets, "Net") and makes_module(nets, "build") and makes_module(nets, "Base")
    assert not makes_module(nets, "count") and not makes_module(nets, None) and not makes_module(nets, "other")


def test_objects_of_json_are_instances(command: Command, tmp_path: Path) -> None:
    (tmp_path / "people.py").write_text(
        "import enum\nfrom dataclasses import dataclass\nfrom typing import List\n\n"
        "class Color(enum.Enum):\n    RED = 1\n    BLUE = 2\n\n"
        "@dataclass\nclass Person:\n    name: str\n    score: float\n\n"
        "def f(people: List[Person], color: Color) -> float:\n"
        "    return people[0].score + len(people[1].name) + (1.0 if color == Color.BLUE else 0.0)\n"
    )
    command("compile", "people.py", "-o", "people.tsa")
    people = '[{"name": "a", "score": 1.5}, {"name": "bc", "score": 2}]'
    assert command("run", "people.tsa", "--input", people, "--input", "color=BLUE").out == "4.5\n"
    (tmp_path / "in.json").write_text(people)
    assert command("run", "people.tsa", "--input", "@in.json", "--input", "1").out == "3.5\n"
    wrong = command("run", "people.tsa", "--input", '[{"name": "a"}]', "--input", "1")
    assert wrong.code == 2 and "expected an object with name, score" in wrong.err
    assert "Color, only RED, BLUE" in command("run", "people.tsa", "--input", "[]", "--input", "3").err


def test_objects_of_json_may_leave_out_defaults(command: Command, tmp_path: Path) -> None:
    (tmp_path / "points.py").write_text(
        "import enum\nfrom dataclasses import dataclass, field\n"
        "from typing import Dict, List, NamedTuple, Optional, Tuple\n\n"
        "class Color(enum.Enum):\n    RED = 1\n    BLUE = 2\n\n"
        "class Point(NamedTuple):\n    x: float\n    y: float = 2.0\n\n"
        "@dataclass\nclass Person:\n    name: str\n    score: float = 1.0\n    color: Color = Color.RED\n"
        "    tags: List[str] = field(default_factory=list)\n\n"
        "def f(p: Person, at: Optional[Point] = None) -> float:\n"
        "    return p.score + p.color.value + len(p.tags) + (0.0 if at is None else at.y)\n\n"
        "def g(counts: Dict[Color, int], pair: Tuple[Color, int]) -> int:\n"
        "    return counts[pair[0]] + pair[1]\n"
    )
    command("compile", "points.py", "-o", "points.tsa")

    def run(name: str, *inputs: str) -> Any:
        return command("run", "points.tsa", name, *(word for text in inputs for word in ("--input", text)))

    assert run("f", 'p={"name": "a"}').out == "2.0\n"
    assert run("f", '{"name": "a", "color": "BLUE", "tags": ["x"]}', "[1]").out == "6.0\n"
    assert run("g", '{"BLUE": 4}', '["BLUE", 3]').out == "7\n"
    for name, inputs, message in (
        ("f", ['{"score": 2}'], "expected an object with name, score, color, tags"),
        ("f", ['{"name": "a", "age": 2}'], "expected an object with name, score, color, tags"),
        ("f", ['{"name": "a", "color": [1]}'], "Color, only RED, BLUE"),
        ("f", ['{"name": "a"}', "[1, 2, 3]"], "expected an object with x, y"),
        ("g", ['{"BLUE": 4}', '["BLUE", 3, 4]'], "expected 2 values"),
    ):
        wrong = run(name, *inputs)
        assert wrong.code == 2 and message in wrong.err


def test_the_memory_of_a_call(command: Command, tmp_path: Path) -> None:
    layers = [nn.Linear(64, 64), nn.Sequential(nn.Linear(64, 512), nn.Tanh()), nn.Linear(512, 2)]
    net = tscript.script(nn.Sequential(*layers).eval())
    tscript.save(net, tmp_path / "net.tsa")
    tscript.save(tscript.freeze(net), tmp_path / "frozen.tsa")
    given = ("--memory", "--input", "float32[64,64]")
    found = json.loads(command("inspect", "net.tsa", *given, "--json").out)
    rows = {row["path"]: row for row in found["layers"]}
    wide, narrow = 64 * 512 * 4, 64 * 64 * 4
    assert wide <= rows["1.0"]["in_use"] <= found["peak"] <= 2 * wide + 2 * narrow
    assert found["peak"] == max(row["in_use"] for row in rows.values())
    assert 64 * 2 * 4 <= found["result"] < 64 * 2 * 4 + 512
    assert rows["0"]["in_use"] < wide
    assert rows["1"]["in_use"] == max(rows["1.0"]["in_use"], rows["1.1"]["in_use"])
    first, head, *lines = command("inspect", "net.tsa", *given).out.splitlines()
    assert first.startswith("a call takes ")
    assert head.split() == ["Layer", "Class", "Share", "Total", "Self", "Calls", "Allocated", "In", "use"]
    assert [line.split()[0] for line in lines] == ["(root)", "0", "1", "0", "1", "2"]
    first, head, *lines = command("inspect", "frozen.tsa", *given).out.splitlines()
    assert head.split() == ["Operator", "Line", "Allocated", "In", "use"]
    assert any(line.split()[0] in first for line in lines)
    inner = command("inspect", "net.tsa", "--memory", "--function", "1.forward", "--input", "float32[8,64]").out
    assert "Tanh" in inner
    assert "--memory --input" in command("inspect", "net.tsa", "--input", "float32[64,64]").err
