"""``tscript compile``."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.archive import unpack

Command = Callable[..., Any]


def test_a_file_becomes_an_archive_and_is_not_run(command: Command, model: Path, tmp_path: Path) -> None:
    result = command("compile", "model.py", "-o", "model.tsa")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("model.tsa  4 functions, ")
    archive = unpack((tmp_path / "model.tsa").read_bytes())
    assert list(archive.entries) == ["scale", "gauss", "pair", "forever"]
    assert archive.entries["scale"].doc == "Multiply by a number.\n\nMore text."


def test_one_function_of_it(command: Command, model: Path, tmp_path: Path) -> None:
    assert command("compile", "model.py:gauss", "-o", "g.tsa", "-q", "--meta", "by=me=you").out == ""
    archive = unpack((tmp_path / "g.tsa").read_bytes())
    assert list(archive.entries) == ["gauss"]
    assert archive.metadata == {"by": "me=you"}


def test_extra_files(command: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "a=b").write_bytes(b"\0\xff")
    result = command("compile", "model.py", "-o", "m.tsa", "--extra", "docs/x=a=b", "--extra", "model.py=model.py")
    assert result.out.startswith("m.tsa  4 functions, 2 extra files, ")
    assert f" {(tmp_path / 'm.tsa').stat().st_size:,} bytes" in result.out
    extra = unpack((tmp_path / "m.tsa").read_bytes()).extra
    assert {n: f.read() for n, f in extra.items()} == {"docs/x": b"\0\xff", "model.py": model.read_bytes()}


@pytest.fixture
def hook() -> Iterator[Callable[[Any], Any]]:
    """Sets the hook for extra files for one test, whose warnings are no errors."""
    before = tscript.set_export_extra_files_hook(None)
    with warnings.catch_warnings():
        warnings.simplefilter("default", tscript.ExportHookWarning)
        yield tscript.set_export_extra_files_hook
    tscript.set_export_extra_files_hook(before)


def test_the_hook_is_asked(command: Command, model: Path, tmp_path: Path, hook: Callable[[Any], Any]) -> None:
    hook(lambda module: {"producer": f"{len(module)} functions", "mine": "hook"})
    result = command("compile", "model.py", "-o", "m.tsa", "--extra", "mine=model.py")
    assert result.code == 0
    assert result.err == (
        "warning: the hook for extra files names 'mine', which the caller of save names too: the caller's is kept\n"
    )
    extra = unpack((tmp_path / "m.tsa").read_bytes()).extra
    assert extra["producer"].read() == b"4 functions"
    assert extra["mine"].read() == model.read_bytes()


def test_a_hook_that_fails(command: Command, model: Path, tmp_path: Path, hook: Callable[[Any], Any]) -> None:
    hook(lambda module: module["gone"])
    result = command("compile", "model.py", "-o", "m.tsa")
    assert result.code == 0
    assert (
        result.err
        == "warning: the hook for extra files failed, so its files are not in the archive: KeyError: 'gone'\n"
    )
    assert not unpack((tmp_path / "m.tsa").read_bytes()).extra
    (tmp_path / "m.tsa").write_bytes(b"before")
    with warnings.catch_warnings():
        warnings.simplefilter("error", tscript.ExportHookWarning)
        result = command("compile", "model.py", "-o", "m.tsa")
    assert result.code == 2
    assert result.err.startswith("error: the hook for extra files failed")
    assert (tmp_path / "m.tsa").read_bytes() == b"before"


def test_native_code_for_signatures(command: Command, model: Path, tmp_path: Path) -> None:
    arguments = ["--native", "host", "--signature", "scale(Tensor[float32, 1])", "--signature", "(int, float)"]
    result = command("compile", "model.py", "-o", "model.tsa", *arguments)
    assert result.code == 0
    assert "native specialisations" in result.out
    entries = unpack((tmp_path / "model.tsa").read_bytes()).entries
    (native,) = entries["scale"].native
    assert [str(t) for t in native.types] == ["Tensor[float32, 1]", "float"]
    assert len(entries["pair"].native) == 1
    assert len(entries["gauss"].native) == 1, "nothing is open in its signature"


def test_equal_sources_give_equal_bytes_in_any_folder(command: Command, model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "place"
    other.mkdir(parents=True)
    (other / "model.py").write_text(model.read_text())
    arguments = ["-q", "--native", "host", "--signature", "scale(Tensor[float32, 1])", "-o"]
    assert command("compile", "model.py", *arguments, "a.tsa").code == 0
    assert command("compile", other / "model.py", *arguments, "b.tsa").code == 0
    a, b = ((tmp_path / name).read_bytes() for name in ("a.tsa", "b.tsa"))
    assert a == b
    assert str(tmp_path).encode() not in a


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.py", "-o", "x.tsa"], "gone.py: no such file"),
        (["gone.py:f", "-o", "x.tsa"], "gone.py: no such file"),
        ([".", "-o", "x.tsa"], "no plain file"),
        (["empty.py", "-o", "x.tsa"], "empty.py: has no functions"),
        (["model.py", "-o", "gone/x.tsa"], "gone/x.tsa: there is no folder gone"),
        (["model.py", "-o", "."], "not a plain file"),
        (["model.py", "-o", "/dev/null"], "not a plain file"),
        (["model.py", "-o", "x.tsa", "--native", "host,pdp11"], "no machine 'pdp11': host, x86-64-v2"),
        (["model.py", "-o", "x.tsa", "--meta", "x"], "expected KEY=VALUE"),
        (["model.py", "-o", "x.tsa", "--meta", "=x"], "expected KEY=VALUE"),
        (["model.py", "-o", "x.tsa", "--meta", "k=1", "--meta", "k=2"], "'k' is given twice"),
        (["model.py", "-o", "x.tsa", "--meta", "k=\udcff"], "not UTF-8"),
        (["model.py", "-o", "x.tsa", "--meta", "k=" + "x" * (1 << 20)], "--meta: metadata of 1,048,577 bytes"),
        (["model.py", "-o", "x.tsa", "--extra", "model.py"], "expected NAME=PATH"),
        (["model.py", "-o", "x.tsa", "--extra", "a=gone"], "gone: no such file"),
        (["model.py", "-o", "x.tsa", "--extra", "a="], "cannot be read"),
        (["model.py", "-o", "x.tsa", "--extra", "a=."], "cannot be read"),
        (["model.py", "-o", "x.tsa", "--extra", "a=model.py", "--extra", "a=model.py"], "'a' is given twice"),
        (
            ["model.py", "-o", "x.tsa", "--extra", "a=model.py", "--extra", "A=model.py"],
            "--extra: extra file 'A' occurs twice",
        ),
        (["model.py", "-o", "x.tsa", "--extra", "../a=model.py"], "--extra: extra file name '../a' is not a plain"),
        (["model.py", "-o", "x.tsa", "--signature", "gauss(int)"], "add --native host"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "gone(int)"], "no such function"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "int"], "expected name(type"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "gauss(integer)"], "gauss(integer)"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "gauss(float)"], "the signature says float"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "gauss(int, int, int)"], "names 3 types"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "scale()"], "lacks the type of parameter 'x'"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "scale(Tensor)"], "leaves open"),
        (["model.py", "-o", "x.tsa", "--native", "host", "--signature", "(str)"], "fits none of"),
        (["model.py"], "--output"),
        (["model.py", "-o"], "-o"),
        (["model.py", "-o", "x.tsa", "--nonsense"], "--nonsense"),
        ([], "--output"),
    ],
)
def test_usage_errors(command: Command, model: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "empty.py").write_text("")
    result = command("compile", *arguments)
    assert result.code == 2
    assert said in result.err
    assert result.out == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.py", "model.py"]


def test_errors_of_the_program_leave_what_was_there(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(x: int) -> int:\n    return y\n")
    (tmp_path / "x.tsa").write_bytes(b"before")
    result = command("compile", "bad.py", "-o", "x.tsa")
    assert result.code == 1
    assert "bad.py:2:12: error" in result.err
    assert result.err.endswith("1 error\n")
    assert command("compile", "bad.py:gone", "-o", "x.tsa").code == 1
    assert (tmp_path / "x.tsa").read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(command: Command, model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    assert "cannot be written" in command("compile", "model.py", "-o", "locked/x.tsa").err


def test_a_link_is_followed(command: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.tsa").symlink_to(tmp_path / "real" / "x.tsa")
    assert command("compile", "model.py", "-o", "link.tsa").code == 0
    assert (tmp_path / "link.tsa").is_symlink()
    assert (tmp_path / "real" / "x.tsa").is_file()
