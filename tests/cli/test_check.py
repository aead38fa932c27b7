"""``tscript check``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_a_good_file_says_nothing(command: Command, model: Path) -> None:
    result = command("check", "model.py")
    assert (result.code, result.out, result.err) == (0, "", "")


def test_errors_are_printed_with_place_code_and_count(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "def f(x: int) -> int:\n    return y\n\n\ndef g(x: int) -> int:\n    return x + 'a'\n\n\n1 / 0\n"
    )
    result = command("check", "bad.py")
    assert result.code == 1
    assert "bad.py:2:12: error: " in result.out
    assert "    2 |     return y\n" in result.out
    assert "bad.py:6:" in result.out
    assert "2 errors in 1 file" in result.out
    assert result.err == ""


def test_json_is_one_document(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(x: int) -> int:\n    return y\n")
    result = command("check", "--json", "bad.py")
    (found,) = json.loads(result.out)
    assert result.code == 1
    assert (found["file"], found["line"], found["column"], found["end_column"]) == ("bad.py", 2, 12, 13)
    assert found["code"].startswith("TS")
    (tmp_path / "good.py").write_text("def f(x: int) -> int:\n    return x\n")
    assert json.loads(command("check", "--json", "good.py").out) == []


@pytest.mark.parametrize(
    "content",
    [
        b"def f(:\n",
        b"\xff\xfe\x00",
        b"# -*- coding: nonsense -*-\n",
        b"def f() -> int:\n  return 1\n return 2\n",
        b"a\0b",
    ],
)
def test_what_is_not_python_is_an_error_in_the_file(command: Command, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.py").write_bytes(content)
    result = command("check", "bad.py")
    assert result.code == 1
    assert "bad.py:" in result.out


def test_the_declared_encoding_counts(command: Command, tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\ndef f(x: int) -> int:\n    assert x > 0, 'größer'\n    return x\n"
    (tmp_path / "old.py").write_bytes(text.encode("latin-1"))
    assert command("check", "old.py").code == 0


def test_missing_files_and_folders_are_usage(command: Command, tmp_path: Path) -> None:
    assert command("check", "gone.py").code == 2
    assert "gone.py: no such file" in command("check", "gone.py").err
    assert command("check", ".").code == 2
    assert command("check").code == 2


def test_several_files(command: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(x: int) -> int:\n    return y\n")
    result = command("check", "model.py", "bad.py")
    assert result.code == 1
    assert "1 error in 2 files" in result.out


def test_a_file_without_functions_is_fine(command: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    assert command("check", "empty.py").code == 0
