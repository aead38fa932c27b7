"""The catalogue of operators, and the files that are written from it."""

from __future__ import annotations

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tscript.catalogue import catalogue
from tscript.operators.table import TABLE

ROOT = Path(__file__).resolve().parents[1]
tool = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "operators.py")))

ASSERTIONS = ROOT / "tests" / "typed_uses.py"


@pytest.mark.parametrize("path", tool.files(), ids=lambda path: path.name if isinstance(path, Path) else "")
def test_written_files(path: Path, request: pytest.FixtureRequest) -> None:
    text = tool.files()[path]
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    if request.config.getoption("--update"):
        path.write_text(text, encoding="utf-8")
        return
    pytest.fail(f"{path.name} is not what the definitions say; pytest --update writes it", pytrace=False)


def test_names_are_unique_and_all_operators_are_there() -> None:
    found = catalogue(TABLE)
    names = [op.name for op in found]
    assert len(set(names)) == len(names) >= 200
    reached = {path for op in found for path in op.functions}
    missing = [p for p in TABLE.paths if p.startswith("torch.") and p.partition(".")[2] not in reached and p[-1] != "_"]
    assert not missing


@pytest.mark.parametrize("op", catalogue(TABLE), ids=lambda op: op.name)
def test_each_operator_is_described(op: object) -> None:
    assert op.summary.endswith(".") and op.signatures  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_read_the_stubs(checker: str) -> None:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    options = ["--strict", "--follow-imports=silent"] if checker == "mypy" else []
    done = subprocess.run(
        [sys.executable, "-m", checker, *options, str(ASSERTIONS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
