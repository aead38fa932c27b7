"""What a process imports before its first result: sets of rooms and libraries that it must do without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tscript
from tscript.operators.table import TABLE

SHOWN = "import json, sys; print(json.dumps(sorted(sys.modules)))"

COMMAND = """
import sys
from tscript.cli.main import main
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""

MODEL = """
import tscript

@tscript.script
def f(x: int) -> int:
    return x + 1
"""

COMPILER = frozenset({
    "llvmlite", "tscript.passes", "tscript.backend", "tscript.frontend", "tscript.pipeline",
})  # fmt: skip
OTHERS = frozenset({"typer", "rich", "asyncio", "unittest", "email", "http", "socket"})


def imported(code: str, *words: object, **environment: str) -> set[str]:
    """The modules of a process that runs `code`, whose last line of output is their list."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{SHOWN}", *map(str, words)],
        capture_output=True, text=True, check=True, timeout=240, env={**os.environ, **environment},
    )  # fmt: skip
    return set(json.loads(done.stdout.splitlines()[-1]))


def within(modules: set[str], rooms: frozenset[str]) -> list[str]:
    """Those of `modules` that are one of `rooms` or in it."""
    return sorted(m for m in modules if any(m == room or m.startswith(f"{room}.") for room in rooms))


def test_importing_tscript_imports_next_to_nothing() -> None:
    plain = imported("")
    added = imported("import tscript") - plain
    assert {m for m in added if m.startswith("tscript")} == {
        "tscript",
        "tscript._version",
        "tscript.sparing",
        "tscript.started",
        "tscript.upper",
    }
    assert not within(added, OTHERS | {"numpy", "dataclasses", "inspect"})


def test_names_of_modules_are_no_operators() -> None:
    import pkgutil

    assert {m.name for m in pkgutil.iter_modules(tscript.__path__) if not m.name.startswith("__")} == tscript._INSIDE  # type: ignore[attr-defined]
    assert not tscript._INSIDE & set(TABLE.functions) - set(tscript._MODULES)  # type: ignore[attr-defined]


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["check", "--help"]], ids=" ".join)
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    found = imported(COMMAND, *words)
    assert not within(found, OTHERS | COMPILER | {"numpy", "tscript.operators", "tscript.archive", "tscript.api"})


def test_a_check_is_done_by_the_frontend_alone(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    found = imported(COMMAND, "check", tmp_path / "model.py")
    assert "tscript.frontend" in found
    rooms = {
        "numpy", "tscript.backend", "tscript.pipeline", "tscript.archive", "tscript.runtime.boundary",
        "tscript.runtime.values", "tscript.runtime.session.runtime", "tscript.api",
    }  # fmt: skip
    assert not within(found, OTHERS | {"llvmlite"} | frozenset(rooms))
