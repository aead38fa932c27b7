"""Faults made by rule: each is another program, and a run says which the tests catch."""

from __future__ import annotations

import ast
import itertools
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
mutants = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "mutants.py")))


def all_of(path: str, source: str) -> list[Any]:
    return [m for site in mutants.sites(source) if (m := mutants.mutant_at(path, source, site)) is not None]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a + b", ["x = a - b"]),
        ("x = 'a' + b", []),
        ("x = not a", ["x = a"]),
        ("x = (a and b)(1)", ["x = (a or b)(1)", "x = (a)(1)", "x = (a and b)(2)"]),
        ("f(x)\ny += 1", ["pass\ny += 1", "f(x)\npass", "f(x)\ny += 2"]),
        ("def f(x: int = 1) -> int: ...", ["def f(x: int = 2) -> int: ..."]),
        ("if a is b:\n    raise InternalError('x' if a < 1 else 'y')", []),
        ("x = -(a < b)", ["x = -(a <= b)", "x = -(a > b)"]),
        ("é = a == b", ["é = a != b"]),
    ],
)
def test_rules(source: str, expected: list[str]) -> None:
    assert [m.source for m in all_of("m.py", source)] == expected


def test_draws_depend_on_the_seed_alone() -> None:
    first, again, other = (
        [m.difference(ROOT) for m in itertools.islice(mutants.draw(ROOT, ["passes"], seed), 4)] for seed in (1, 1, 2)
    )
    assert first == again != other
    for mutant in itertools.islice(mutants.draw(ROOT, ["passes/inline.py", "tscript/types"], 3), 4):
        ast.parse(mutant.source)
        assert mutant.source != (ROOT / mutant.path).read_text()


def test_faults_are_caught_by_the_tests_of_a_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "passes").mkdir(parents=True)
    (tree / "tests").mkdir()
    (tree / "passes" / "small.py").write_text(
        "def least(a, b):\n    return a if a < b else b\n\n\ndef unused(a):\n    return a + 1\n"
    )
    (tree / "tests" / "test_small.py").write_text(
        "from passes.small import least\n\n\ndef test_least():\n    assert least(1, 2) == 1\n"
        "    assert least(2, 1) == 1\n"
    )
    (tree / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    assert mutants.run_tests(tree, ["tests"], 0, 60.0) == ""
    found = {}
    for mutant in all_of("passes/small.py", (tree / "passes" / "small.py").read_text()):
        path = tree / mutant.path
        path.write_text(mutant.source)
        found[mutant.source.split("return ")[1 if mutant.line == 2 else 2].split("\n")[0]] = mutants.run_tests(
            tree, ["tests"], 0, 60.0
        )
    assert {fault for fault, caught in found.items() if not caught} == {"a if a <= b else b", "a - 1", "a + 2"}
    assert "test_least" in found["a if a > b else b"]


def test_a_hanging_test_ends_its_process(tmp_path: Path) -> None:
    """Also where native code holds the lock of the interpreter."""
    (tmp_path / "test_hang.py").write_text("import ctypes\n\n\ndef test_hang():\n    ctypes.PyDLL(None).sleep(30)\n")
    config = ROOT / "pyproject.toml"
    command = [
        str(Path(sys.executable).with_name("pytest")),
        "-c",
        str(config),
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    done = subprocess.run(
        [*command, "-o", "faulthandler_timeout=1"], capture_output=True, text=True, timeout=25, check=False
    )
    assert done.returncode == 1
    assert "test_hang" in done.stderr


def test_the_record_is_read_again(tmp_path: Path) -> None:
    mutant = next(mutants.draw(ROOT, ["tscript/types"], 0))
    line = {
        "path": mutant.path,
        "line": mutant.line,
        "rule": mutant.rule,
        "difference": mutant.difference(ROOT),
        "caught": "",
        "seconds": 1.0,
    }
    (tmp_path / "mutants-0.jsonl").write_text(json.dumps(line) + "\n")
    command = [
        sys.executable,
        str(ROOT / "tools" / "mutants.py"),
        "--count",
        "1",
        "--state",
        str(tmp_path),
        "tscript/types",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "PASSED ALL TESTS" in done.stdout
    assert "1 of 1 mutants passed" in done.stdout


def test_what_stops_the_tests_is_no_catch(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "mutants.py"), "--count", "1", "--state", str(tmp_path)]
    done = subprocess.run(
        [*command, "tscript/types"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTEST_ADDOPTS": "--no-such-option"},
    )
    assert done.returncode == 2
    assert "The tests fail without a fault" in done.stderr
    assert not list(tmp_path.glob("*.jsonl"))
