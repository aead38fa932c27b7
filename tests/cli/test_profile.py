"""``tscript profile``."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

SCRIPT = """
import sys
import helper
import tscript
from tscript import Tensor
from tscript.profiler import record_function

@tscript.script
def smooth(x: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        x = x * 0.5 + 1.0
    return x.sum()

if __name__ == "__main__":
    print("arguments", sys.argv[1:], helper.WORD)
    with record_function("work"):
        smooth(tscript.tensor([1.0, 2.0]), 4)
    if "--fail" in sys.argv:
        raise ValueError("on purpose")
    sys.exit(3 if "--exit" in sys.argv else None)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """``folder/job.py``, beside a module that it imports."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "helper.py").write_text("WORD = 'beside'\n")
    path = folder / "job.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture(autouse=True)
def _no_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "helper", raising=False)


def rows(table: str) -> dict[str, int]:
    """Name and number of calls of each row."""
    found = [line.split() for line in table.splitlines() if "%" in line and "CPU" not in line]
    return {columns[0]: int(columns[6]) for columns in found}


def test_a_script(command: Command, script: Path) -> None:
    before = list(sys.argv), list(sys.path)
    result = command("profile", "folder/job.py", "--sort-by", "count", "--", "--rate", "2")
    assert result.code == 0, result.err
    assert result.out.startswith("arguments ['--rate', '2'] beside\n")
    found = rows(result.out)
    assert found["work"] == found["smooth"] == found["sum"] == 1
    assert found["fused_mul_add"] == 4
    assert next(iter(found)) == "fused_mul_add"
    assert sys.path == before[1]


def test_options(command: Command, script: Path, tmp_path: Path) -> None:
    result = command(
        "profile",
        script,
        "--operators",
        "--shapes",
        "--memory",
        "--top",
        3,
        "--trace",
        "t.json.gz",
        "--sort-by",
        "count",
    )
    assert result.code == 0, result.err
    assert "Input Shapes" in result.out and "CPU Mem" in result.out and "[[2]" in result.out
    table = result.out.partition("\n")[2]
    assert len([line for line in table.splitlines() if "%" in line]) == 4
    document = json.loads(gzip.decompress((tmp_path / "t.json.gz").read_bytes()))
    names = [e["name"] for e in document["traceEvents"] if e["ph"] == "X"]
    assert names.count("mul") == names.count("add") == 4
    assert {"work", "smooth"} <= set(names)


def test_a_script_that_fails(command: Command, script: Path, tmp_path: Path) -> None:
    result = command("profile", "folder/job.py", "--trace", "t.json", "--", "--fail")
    assert result.code == 4
    assert result.err.endswith("ValueError: on purpose\n")
    assert 'File "folder/job.py", line 19, in <module>' in result.err
    assert "runpy" not in result.err
    assert rows(result.out)["smooth"] == 1
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    result = command("profile", "folder/job.py", "--", "--exit")
    assert (result.code, result.err) == (4, "SystemExit: 3\n")


def test_a_script_that_is_no_python(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def (:\n")
    result = command("profile", "bad.py")
    assert result.code == 4
    assert "SyntaxError" in result.err


def test_a_script_without_operators(command: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("print('hello')\n")
    result = command("profile", "empty.py", "--trace", "t.json")
    assert (result.code, result.out) == (0, "hello\n")
    assert "nothing was recorded" in result.err
    assert (tmp_path / "t.json").exists()


def test_an_archive(command: Command, archive: Path) -> None:
    result = command("profile", archive, "scale", "--input", "x=3xf32=1,2,3", "--repeat", 7)
    assert result.code == 0, result.err
    assert rows(result.out) == {"scale": 7, "mul": 7}
    assert "compile::" not in result.out


def test_an_archive_that_raises(command: Command, archive: Path) -> None:
    result = command("profile", archive, "pair", "--input", "50", "--input", "1")
    assert result.code == 4
    assert result.err.endswith("AssertionError: too large\n")


def test_sampling(command: Command, archive: Path) -> None:
    result = command("profile", archive, "scale", "--input", "2xf32=1", "--repeat", 400, "--sample", "0.1")
    found = rows(result.out)
    assert found.pop("scale") == 400
    ((_, count),) = found.items()
    assert 100 <= count <= 1000 and count % 10 == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gone.py"], 2, "gone.py: no such file"),
        (["folder"], 2, "cannot be read"),
        (
            ["folder/job.py", "--sort-by", "nope"],
            2,
            "--sort-by 'nope': expected one of self_cpu_time_total, cpu_time_total",
        ),
        (["folder/job.py", "--sample", "0"], 2, "--sample 0.0: expected more than 0 and at most 1"),
        (["folder/job.py", "--top", "0"], 2, "--top"),
        (["folder/job.py", "--trace", "gone/t.json"], 2, "there is no folder gone"),
        (["folder/job.py", "--input", "1"], 2, "--input is for archives"),
        (["model.tsa"], 2, "has several functions, name one: scale, gauss"),
        (["model.tsa", "gone"], 2, "has no function 'gone', only scale"),
        (["model.tsa", "scale", "gauss"], 2, "takes the name of one function, found scale gauss"),
        (["model.tsa", "scale"], 2, "missing 1 required positional argument: 'x'"),
        (["model.tsa", "scale", "--input", "1.5"], 2, "argument 'x' must be Tensor"),
        (["bad.tsa"], 3, "truncated"),
    ],
)
def test_errors(
    command: Command,
    script: Path,
    archive: Path,
    packed: bytes,
    tmp_path: Path,
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    (tmp_path / "bad.tsa").write_bytes(packed[: len(packed) // 2])
    result = command("profile", *arguments)
    assert result.code == code, result
    assert said in result.err.replace("\n", " ")
    assert result.out == ""


def test_the_perf_map(script: Path, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "TSCRIPT_PERF_MAP"}
    done = subprocess.run(
        [sys.executable, "-m", "tscript.cli.main", "profile", str(script), "--perf-map"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    (line,) = done.stderr.splitlines()
    path = Path(line.removeprefix("perf map: "))
    text = path.read_text()
    path.unlink()
    assert f"ts::smooth:{script}:" in text
    assert ":observed\n" in text
