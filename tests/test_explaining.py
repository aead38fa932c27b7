"""Every error is explained, and its examples do what they say."""

from __future__ import annotations

import linecache
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tscript.diagnostics import CompileError
from tscript.explaining import GROUPS, Explanation, explanations, suggestions
from tscript.frontend import LanguageResolver, check_functions, lower_dialect, module_functions

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "errors.md"
FOLDER = ROOT / "tscript" / "diagnostics" / "explanations"
ALL = list(explanations().values())
WITH_EXAMPLE = [e for e in ALL if e.wrong]
WITHOUT_EXAMPLE = {"TS224", "TS234", "TS603", "TS604"}
"""No program in the language is known that reaches these: they are found earlier, under another code, or cannot happen;
or it takes a program of hundreds of levels, or a module that has run."""


def test_every_code_of_the_source_is_explained() -> None:
    texts = "".join(p.read_text(encoding="utf-8") for f in ("tscript", "passes") for p in (ROOT / f).rglob("*.py"))
    codes = set(re.findall(r'^    code: ClassVar\[str\] = "(TS\d\d\d)"', texts, re.M)) - {"TS000"}
    assert codes == set(explanations()), "errors stand in the modules that tscript.explaining.MODULES lists"
    assert codes == {path.stem for path in FOLDER.iterdir()}, "each has a file in diagnostics/explanations"
    assert {code[:3] for code in codes} == set(GROUPS)


def test_every_explanation_is_whole() -> None:
    assert {e.code for e in ALL if not e.wrong} == WITHOUT_EXAMPLE
    for e in ALL:
        assert bool(e.wrong) == bool(e.fixed), e.code
        assert e.wrong != e.fixed or not e.wrong, e.code
        assert e.summary.endswith((".", "``")) and len(e.text) > 30, e.code
        assert "```" not in e.text, f"{e.code}: its examples are fenced as python wrong and python fixed"


def codes_of(e: Explanation, text: str) -> set[str]:
    """The codes of the errors that an example has, which is checked or lowered as it says."""
    try:
        if e.how == "check":
            functions = module_functions(text, "example.py")
            return {d.code for d in check_functions(functions, LanguageResolver())}
        names: dict[str, object] = {}
        linecache.cache["<example>"] = (len(text), None, text.splitlines(True), "<example>")
        exec(compile(text, "<example>", "exec", dont_inherit=True), names)
        function = names["f"]
        assert callable(function)
        lower_dialect(function, {}, "f")
    except CompileError as error:
        return {d.code for d in error.diagnostics}
    return set()


def ran(*texts: str, folder: Path) -> list[set[str]]:
    """The codes of the errors that programs end with, which Python runs one after the other."""
    for i, text in enumerate(texts):
        (folder / f"example_{i}.py").write_text(text)
    code = (
        f"import runpy, tscript\nfor i in range({len(texts)}):\n    try:\n        runpy.run_path(f'example_{{i}}.py')\n"
        "        print()\n    except tscript.CompileError as error:\n"
        "        print(*{d.code for d in error.diagnostics})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [set(line.split()) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("e", WITH_EXAMPLE, ids=lambda e: e.code)
def test_the_example_is_refused_with_the_code_and_its_fixed_form_is_not(e: Explanation, tmp_path: Path) -> None:
    if e.how == "run":
        assert ran(e.wrong, e.fixed, folder=tmp_path) == [{e.code}, set()]
    else:
        assert [codes_of(e, e.wrong), codes_of(e, e.fixed)] == [{e.code}, set()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("TS30", "TS301"), ("301", "TS301"), ("ts3011", "TS301"), ("UnknownName", "TS301"), ("unknownnam", "TS301")],
)
def test_near_codes_are_suggested(text: str, expected: str) -> None:
    assert expected in suggestions(text)


@pytest.mark.parametrize("text", ["pineapple", "indentation", "lambda"])
def test_nothing_is_suggested_for_anything(text: str) -> None:
    assert suggestions(text) == []


def page() -> Iterator[str]:
    """docs/errors.md."""
    yield "# Errors\n\n"
    yield (
        "Every error names file, line and column, says what was expected and what was found, and has a code, "
        "which stays the same in\n"
    )
    yield (
        "later versions. `tscript explain CODE` prints what stands here; "
        "`tscript explain` lists all codes. The raised\n"
    )
    yield (
        "`tscript.CompileError` holds all errors in its `diagnostics`, "
        "and also is the Python exception named here, that of its first.\n"
    )
    for prefix, title in GROUPS.items():
        yield f"\n## {title}\n"
        for e in ALL:
            if e.code.startswith(prefix):
                yield f"\n### {e.code} {e.name}\n\n{e.summary} Raised as {e.raised_as}.\n\n{e.text}\n"
                if e.wrong:
                    yield f"\n```python no-run\n{e.wrong}```\n\nFixed:\n\n```python no-run\n{e.fixed}```\n"


def test_the_page_shows_every_explanation(request: pytest.FixtureRequest) -> None:
    text = "".join(page())
    if request.config.getoption("--update"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "pytest --update writes the page"
