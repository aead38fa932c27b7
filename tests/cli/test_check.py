"""``tscript check``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_a_good_file_has_no_errors(command: Command, model: Path) -> None:
    result = command("check", "model.py")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("checked ") and "in 1 file" in result.err


MIXED = """
import tscript

@tscript.script
def f(n: int) -> int:
    return g(n)

def g(n: int) -> int:
    return n

def h(n):
    return n + "a"

@tscript.ignore
def k(n: int) -> int:
    return n

@tscript.script
class P:
    def __init__(self, x: int) -> None:
        self.x = x

    def m(self) -> int:
        return self.x{}
"""


def test_what_was_looked_at_is_said(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mixed.py").write_text(MIXED.format(""))
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "empty.py").write_text("def f(n: int) -> int:\n    return n\n")
    result = command("check", "mixed.py")
    assert (result.code, result.out) == (0, "")
    assert result.err.splitlines() == [
        "checked 4 functions and 1 class in 1 file",
        "mixed.py: not checked, as nothing that is decorated uses it: h",
        "mixed.py: not checked, as it stays in Python: k",
    ]
    for paths, why in ((["empty.py"], "empty.py: nothing to check"), (["package"], "package: nothing to check")):
        result = command("check", *paths)
        assert (result.code, result.out) == (2, "") and why in result.err
    result = command("check", "empty.py", "mixed.py")
    assert result.code == 2 and "nothing to check in empty.py" in result.err
    result = command("check", ".")
    assert result.code == 0 and "nothing to check in empty.py, package/empty.py" in result.err


def test_functions_of_decorated_classes_are_checked(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mixed.py").write_text(MIXED.format(" + 'a'"))
    result = command("check", "mixed.py")
    assert result.code == 1 and "'+' does not take int and str" in result.out


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
    assert result.err.startswith("checked ")


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


def test_missing_files_are_usage(command: Command, tmp_path: Path) -> None:
    assert command("check", "gone.py").code == 2
    assert "gone.py: no such file" in command("check", "gone.py").err
    assert command("check").code == 2
    (tmp_path / "m.py").write_text("")
    assert command("check", "m.py", "--json", "--github").code == 2


def test_folders_are_searched_for_decorated_functions(command: Command, tmp_path: Path) -> None:
    package = tmp_path / "package" / "inner"
    package.mkdir(parents=True)
    (package / "b.py").write_text("import tscript\n@tscript.script\ndef f(x: int) -> int:\n    return y\n")
    (package / "a.py").write_text("import tscript\n@tscript.script\ndef f(x: int) -> int:\n    return z\n")
    (tmp_path / "package" / "plain.py").write_text("def f(x):\n    yield x\n    return [x.anything]\n")
    (tmp_path / "package" / "notes.txt").write_text("no Python\n")
    result = command("check", "package")
    assert result.code == 1
    assert result.out.index("package/inner/a.py:4:12: error") < result.out.index("package/inner/b.py:4:12: error")
    assert "2 errors in 3 files" in result.out
    assert "1 error in 1 file" in command("check", "package/inner/a.py", "./package/inner/a.py").out
    assert "plain.py:" in command("check", "package", "package/plain.py").out, "a file that is named counts whole"


def test_notes_are_in_the_json(command: Command, tmp_path: Path) -> None:
    text = (
        "import tscript\ndef g(n: int) -> int:\n    return y\n@tscript.script\ndef f(n: int) -> int:\n    return g(n)\n"
    )
    (tmp_path / "bad.py").write_text(text)
    (found,) = json.loads(command("check", "--json", "bad.py").out)
    (note,) = found["notes"]
    assert (note["file"], note["line"], note["column"]) == ("bad.py", 6, 12)
    assert note["message"] == "'g' is compiled because it is called from 'f'"


def test_annotations_of_a_workflow(command: Command, tmp_path: Path) -> None:
    (tmp_path / "b,d.py").write_text("def f(x: int) -> int:\n    return 100 % y\n")
    result = command("check", "--github", "b,d.py")
    assert result.code == 1
    (line,) = result.out.splitlines()
    assert line.startswith(
        "::error file=b%2Cd.py,line=2,endLine=2,col=18,endColumn=19,title=TS301::name 'y' is not defined%0A"
    )
    (tmp_path / "good.py").write_text("")
    assert command("check", "--github", "good.py").out == ""


def test_several_files(command: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(x: int) -> int:\n    return y\n")
    result = command("check", "model.py", "bad.py")
    assert result.code == 1
    assert "1 error in 2 files" in result.out
