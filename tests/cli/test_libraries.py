"""``--import``: libraries of operators on the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

ROOT = Path(__file__).resolve().parents[2]

LIBRARY = """
import tscript
from tscript import Tensor

@tscript.library.custom_op("command_line::triple")
def triple(x: Tensor) -> Tensor:
    return x * 3
"""

MODEL = """
import tscript

@tscript.script
def f(x):
    return tscript.ops.command_line.triple(x) + 1.0
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "command_line_ops.py").write_text(LIBRARY)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "broken_ops.py").write_text("1 / 0")


def test_a_library_is_imported_first(command: Command, library: None) -> None:
    found = command("check", "model.py")
    assert found.code == 1 and "no operators of 'command_line' are defined: import the library" in found.out
    with_library = ("--import", "command_line_ops")
    assert command("check", "model.py", *with_library).code == 0
    assert command("compile", "model.py", "-o", "m.tsa", *with_library).code == 0
    assert (
        "needs command_line::triple(Tensor x) -> Tensor of the library 'command_line'"
        in command("inspect", "m.tsa").out
    )
    assert command("run", "m.tsa", "--input", "2xf32=1,2", *with_library).out == "tensor([4., 7.])\n"
    assert "command_line::triple" in command("ir", "m.tsa", *with_library).out
    assert "triple" in command("profile", "m.tsa", "--input", "2xf32=1,2", "--repeat", "2", *with_library).out


def test_modules_that_cannot_be_imported(command: Command, library: None) -> None:
    for name, said in [("nowhere_ops", "ModuleNotFoundError"), ("broken_ops", "ZeroDivisionError: division by zero")]:
        found = command("check", "model.py", "--import", name)
        assert found.code == 2 and f"--import {name}: {said}" in found.err


def test_a_missing_operator_says_how_to_import_it(library: None, tmp_path: Path) -> None:
    run = [sys.executable, "-m", "tscript"]
    made = ["compile", "model.py", "-o", "missing.tsa", "--import", "command_line_ops"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])}

    def command(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*run, *args], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert command(*made).returncode == 0
    found = command("run", "missing.tsa", "--input", "2xf32=1,2")
    assert found.returncode == 3 and "before, with --import MODULE" in found.stderr
    assert command("verify", "missing.tsa").returncode == 3
    assert command("verify", "missing.tsa", "--import", "command_line_ops").returncode == 0
