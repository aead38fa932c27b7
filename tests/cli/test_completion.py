"""``tscript completion``, and what a shell gets when it asks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tscript.cli.app import VERBS, whole_parser

Command = Callable[..., Any]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_text_for_a_shell(command: Command, shell: str) -> None:
    pytest.importorskip("argcomplete")
    found = command("completion", shell)
    assert found.code == 0 and "tscript" in found.out and "_ARGCOMPLETE" in found.out


def test_what_is_no_shell(command: Command) -> None:
    assert "bash" in command("completion", "tcsh").err


def test_without_the_package(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    found = command("completion", "bash")
    assert (found.code, found.err) == (2, "error: this needs argcomplete: pip install 'tscript[completion]'\n")


def answers(line: str, folder: Path) -> list[str]:
    """What a shell is told for a line."""
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    with open(folder / "answer", "wb") as file:
        environment = {**os.environ, **asked, "_ARGCOMPLETE_STDOUT_FILENAME": file.name}
        subprocess.run([sys.executable, "-m", "tscript.cli.main"], env=environment, cwd=folder, check=True, timeout=60)
    return [word.strip() for word in (folder / "answer").read_text().split("\n")]


def test_commands_options_choices_and_files(tmp_path: Path) -> None:
    pytest.importorskip("argcomplete")
    (tmp_path / "model.tsa").write_text("")
    assert answers("tscript com", tmp_path) == ["compile", "compare", "completion"]
    assert answers("tscript bench --dur", tmp_path) == ["--duration"]
    assert set(answers("tscript ir f.py --stage ", tmp_path)) >= {"typed", "llvm"}
    assert answers("tscript inspect mod", tmp_path) == ["model.tsa"]


def test_every_verb_is_known() -> None:
    assert all(whole_parser().parse_args([name]) for name in ("env", "explain"))
    assert {"bench", "compare", "completion"} <= VERBS.keys()
