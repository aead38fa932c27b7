"""Golden pairs: every error the frontend reports, from `tests/data/errors/x.py` to its text in `x.err`.

Files are read, never run; those called `dialect_*` are imported, since the dialect is compiled from function objects.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tscript.diagnostics import CompileError, Diagnostic, render_all
from tscript.frontend import lower, lower_dialect, module_functions
from tscript.frontend.diagnostics import class_errors, container_errors, dialect_errors, errors, type_errors

DATA = Path(__file__).resolve().parents[1] / "data" / "errors"
CASES = sorted(path.stem for path in DATA.glob("*.py"))
MODULES = (errors, type_errors, container_errors, class_errors, dialect_errors)
WITHOUT_GOLDEN = {"TS106", "TS224", "TS501", "TS502", "TS503", "TS504", "TS505", "TS507"}
"""Only function objects have these; `test_source` and `test_constant_tensors` cover them."""


def language_errors(name: str) -> list[Diagnostic]:
    try:
        found = module_functions((DATA / f"{name}.py").read_text(encoding="utf-8"), f"{name}.py", everything=True)
        lower(found[-1])
    except CompileError as error:
        return list(error.diagnostics)
    return []


def dialect_diagnostics(name: str) -> list[Diagnostic]:
    spec = importlib.util.spec_from_file_location(f"golden_{name}", DATA / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        lower_dialect(module.f, {}, "f")
    except CompileError as error:
        return list(error.diagnostics)
    return []


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, golden: Callable[[str, str], None]):
    found = dialect_diagnostics(name) if name.startswith("dialect_") else language_errors(name)
    assert found, "no error was found"
    # Since Python 3.12 what stands in an f-string has columns of its own.
    newer = sys.version_info >= (3, 12) and (DATA / f"{name}.3.12.err").exists()
    golden(f"errors/{name}{'.3.12' if newer else ''}.err", render_all(found).replace(str(DATA) + "/", ""))


def diagnostic_classes() -> list[type[Diagnostic]]:
    found = [c for m in MODULES for c in vars(m).values() if inspect.isclass(c) and issubclass(c, Diagnostic)]
    return [c for c in found if c.code != "TS000"]


def test_every_diagnostic_has_a_golden_pair():
    shown = set(re.findall(r"\[(TS\d+)\]", "".join(p.read_text(encoding="utf-8") for p in DATA.glob("*.err"))))
    assert {c.code for c in diagnostic_classes()} - shown == WITHOUT_GOLDEN


def test_codes_are_unique():
    modules = (*MODULES, importlib.import_module("tscript.passes.errors"))
    classes = {c for m in modules for c in vars(m).values() if inspect.isclass(c) and issubclass(c, Diagnostic)}
    codes = [c.code for c in classes - {Diagnostic}]
    assert sorted(codes) == sorted(set(codes))


@pytest.mark.parametrize("cls", diagnostic_classes(), ids=lambda c: c.__name__)
def test_every_diagnostic_says_how_to_mend_it(cls: type[Diagnostic]):
    assert cls.title and cls.help
    assert cls.python is not Exception
