"""The examples in docstrings of public names run, and the names of other modules that have examples."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tscript

ROOT = Path(__file__).resolve().parents[1]

FOLDERS = (
    "tscript", "tscript/archive", "tscript/data", "tscript/integrations", "tscript/profiler",
    "tscript/definitions", "tscript/operators/tensor", "runtime/boundary", "runtime/public", "runtime/session",
    "runtime/values",
)  # fmt: skip

OUTLINES = {"tscript.runtime.boundary.boundary"}
"""Modules whose examples only show how things go together."""

OPTIONAL = {
    "tscript.integrations.prometheus": "prometheus_client",
    "tscript.integrations.opentelemetry": "opentelemetry",
    "tscript.integrations.mlserver": "mlserver",
}
"""Modules whose examples need a package that need not be installed."""


PARTS = 4
"""Processes that the examples are divided among."""


def modules() -> list[str]:
    """Modules with examples."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.py")):
            if not any(">>> " in text for text in docstrings(path)):
                continue
            inner = path.relative_to(ROOT).with_suffix("").parts
            parts = inner if inner[0] == "tscript" else ("tscript", *inner)
            found.append(".".join(parts[:-1] if path.stem == "__init__" else parts))
    return [name for name in found if name not in OUTLINES]


def docstrings(path: Path) -> list[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    return [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kinds)]


RUN = """
import doctest, importlib, sys, tscript
from tscript.runtime.session.process import current
runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder().find(module, name, extraglobs={"tscript": tscript}):
        runner.run(test, clear_globs=False)
    handler = tscript.set_api_usage_handler(None)
    assert handler is None, f"{name} leaves a usage handler"
    assert not current().observation.watching.value, f"{name} leaves a callback registered"
    tscript.reset_operator_stats()
sys.exit(1 if runner.failures else 0)
"""


@pytest.mark.parametrize("part", range(PARTS))
def test_examples_run(part: int, tmp_path: Path) -> None:
    """Of a part of the modules in one process, in turn, so that they disturb no other test; none may leave anything
    behind for the next."""
    wanted = [n for n in modules() if n not in OPTIONAL or importlib.util.find_spec(OPTIONAL[n]) is not None]
    wanted = wanted[part::PARTS]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *wanted], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", [tscript, tscript.data, tscript.library, tscript.profiler], ids=lambda m: m.__name__)
def test_public_names_are_described(module: object) -> None:
    lacking = []
    for name in module.__all__:  # type: ignore[attr-defined]
        thing = getattr(module, name)
        if name == "__version__" or not callable(thing):
            continue
        text = inspect.getdoc(thing) or ""
        if not text or text == inspect.getdoc(object):
            lacking.append(name)
    assert lacking == []
