"""``tscript verify``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tscript.archive import Archive, EntryPoint, pack, unpack

Command = Callable[..., Any]


def test_a_valid_archive(command: Command, model: Path, tmp_path: Path) -> None:
    command("compile", "model.py", "-o", "m.tsa", "--native", "host", "--extra", "a=model.py")
    result = command("verify", "m.tsa")
    assert (result.code, result.err) == (0, "")
    assert re.fullmatch(r"m.tsa  4 functions, 3 native objects, \d\d+ kernels, 1 extra file: valid\n", result.out)
    assert command("verify", "m.tsa", "-q").out == ""


def test_damage_anywhere_is_found(command: Command, model: Path, tmp_path: Path) -> None:
    command("compile", "model.py", "-o", "m.tsa", "--extra", "a=model.py")
    data = (tmp_path / "m.tsa").read_bytes()
    for at in range(0, len(data), 97):
        (tmp_path / "m.tsa").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        result = command("verify", "m.tsa")
        assert (result.code, result.out) == (3, "")
        assert result.err.startswith("error: m.tsa: ")


def test_ir_that_is_not_valid(command: Command, archive: Path) -> None:
    good = unpack(archive.read_bytes()).entries["gauss"]
    bad = EntryPoint("gauss", good.params, good.result, "", "", "hello", "")
    archive.write_bytes(pack(Archive({"gauss": bad})))
    assert command("verify", archive).code == 3


def test_every_archive_is_looked_at(command: Command, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.tsa").write_bytes(b"no archive")
    result = command("verify", "bad.tsa", "model.tsa")
    assert result.code == 3
    assert result.out == "model.tsa  4 functions, 0 native objects, 0 kernels, 0 extra files: valid\n"
    assert result.err == "error: bad.tsa: not a tscript archive (no zip file begins here)\n"


def test_json_is_one_document(command: Command, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.tsa").write_bytes(b"no archive")
    result = command("verify", "bad.tsa", "model.tsa", "--json")
    assert result.code == 3
    assert json.loads(result.out) == [
        {"archive": "bad.tsa", "valid": False, "problem": "not a tscript archive (no zip file begins here)"},
        {
            "archive": "model.tsa",
            "valid": True,
            "problem": None,
            "functions": 4,
            "native_objects": 0,
            "kernels": 0,
            "extra_files": 0,
        },
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["model.tsa", "gone.tsa"], "gone.tsa: no such file"), (["."], "cannot be read"), ([], "ARCHIVE")],
)
def test_usage_errors(command: Command, archive: Path, arguments: list[str], said: str) -> None:
    result = command("verify", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
