"""``tscript extract``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

BLOB = bytes(range(256)) * 40


@pytest.fixture
def packed_files(command: Command, model: Path, tmp_path: Path) -> Path:
    """``m.tsa`` with extra files, in the working folder."""
    (tmp_path / "blob").write_bytes(BLOB)
    (tmp_path / "text").write_text("read me\n")
    extra = ["--extra", "docs/readme.txt=text", "--extra", "blob.bin=blob", "--extra", "-dash=text"]
    assert command("compile", "model.py:gauss", "-o", "m.tsa", "-q", *extra).code == 0
    return tmp_path / "m.tsa"


def test_a_file_lands_here_under_its_base_name(command: Command, packed_files: Path, tmp_path: Path) -> None:
    result = command("extract", "m.tsa", "docs/readme.txt")
    assert (result.code, result.out, result.err) == (0, "readme.txt  8 bytes\n", "")
    assert (tmp_path / "readme.txt").read_text() == "read me\n"


def test_a_file_lands_where_it_is_wanted(command: Command, packed_files: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    assert command("extract", "m.tsa", "blob.bin", "-o", "there/x", "-q").out == ""
    assert (tmp_path / "there" / "x").read_bytes() == BLOB
    assert command("extract", "m.tsa", "-o", "y", "--", "-dash").code == 0
    assert (tmp_path / "y").read_text() == "read me\n"


def test_stdout_gets_the_bytes_and_nothing_else(packed_files: Path) -> None:
    arguments = [sys.executable, "-m", "tscript.cli.main", "extract", "m.tsa", "blob.bin", "-o", "-"]
    done = subprocess.run(arguments, cwd=packed_files.parent, capture_output=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == (BLOB, b"")


def test_a_file_that_is_there_stays_unless_forced(command: Command, packed_files: Path, tmp_path: Path) -> None:
    (tmp_path / "blob.bin").write_text("mine")
    result = command("extract", "m.tsa", "blob.bin")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: blob.bin: exists already, --force replaces it\n"
    assert (tmp_path / "blob.bin").read_text() == "mine"
    assert command("extract", "m.tsa", "blob.bin", "--force").code == 0
    assert (tmp_path / "blob.bin").read_bytes() == BLOB


def test_a_file_that_appears_meanwhile_stays(
    command: Command, packed_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def somebody(handle: int) -> None:
        fsync(handle)
        (tmp_path / "x").write_text("theirs")

    monkeypatch.setattr(os, "fsync", somebody)
    result = command("extract", "m.tsa", "blob.bin", "-o", "x")
    assert result.code == 2
    assert "x: cannot be written: File exists" in result.err
    assert (tmp_path / "x").read_text() == "theirs"
    assert not list(tmp_path.glob(".tscript-*"))


def test_a_dangling_link_is_no_way_out(command: Command, packed_files: Path, tmp_path: Path) -> None:
    (tmp_path / "blob.bin").symlink_to(tmp_path / "nowhere")
    assert command("extract", "m.tsa", "blob.bin").code == 2
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["m.tsa", "gone"], "m.tsa has no extra file 'gone', only -dash, blob.bin, docs/readme.txt"),
        (["m.tsa", "readme.txt"], "has no extra file 'readme.txt'"),
        (["m.tsa", "../m.tsa"], "has no extra file '../m.tsa'"),
        (["m.tsa", "code/gauss.py"], "has no extra file"),
        (["m.tsa", ""], "has no extra file ''"),
        (["gone.tsa", "x"], "gone.tsa: no such file"),
        ([".", "x"], "cannot be read: Is a directory"),
        (["m.tsa", "blob.bin", "-o", "gone/x"], "there is no folder gone"),
        (["m.tsa", "blob.bin", "-o", ".", "--force"], "not a plain file"),
        (["m.tsa", "blob.bin", "-o", "/dev/null", "--force"], "not a plain file"),
        (["m.tsa"], "NAME"),
        ([], "ARCHIVE"),
    ],
)
def test_usage_errors(command: Command, packed_files: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    before = sorted(p.name for p in tmp_path.iterdir())
    result = command("extract", *arguments)
    assert result.code == 2
    assert said in result.err
    assert result.out == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_archives_without_extra_files(command: Command, archive: Path) -> None:
    assert "model.tsa has no extra file 'x', it has none" in command("extract", "model.tsa", "x").err


def test_damage_is_found_before_anything_is_written(command: Command, packed_files: Path, tmp_path: Path) -> None:
    data = packed_files.read_bytes()
    assert data.count(BLOB) == 1
    packed_files.write_bytes(data.replace(BLOB, BLOB[::-1]))
    for output in ("x", "-"):
        result = command("extract", "m.tsa", "blob.bin", "-o", output)
        assert (result.code, result.out) == (3, "")
        assert "error: m.tsa: " in result.err
        assert "damaged" in result.err
    assert not (tmp_path / "x").exists()
    assert command("extract", "m.tsa", "docs/readme.txt").code == 0, "another file is whole"
    packed_files.write_bytes(data[:-10])
    assert command("extract", "m.tsa", "blob.bin").code == 3
