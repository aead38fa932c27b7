"""``tscript check``: type-check files without running them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tscript.cli.errors import Exit, UsageError
from tscript.cli.libraries import Imports
from tscript.cli.main import importing

if TYPE_CHECKING:
    from tscript.diagnostics import Diagnostic, Span


def check(
    paths: Annotated[list[Path], typer.Argument(help="Python files, and folders to look for them in; none is run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    github: Annotated[bool, typer.Option("--github", help="Print annotations of a GitHub workflow.")] = False,
    imports: Imports = None,
) -> None:
    """Type-check the scripted functions of files and packages: exit code 1 when there are errors.

    Example: tscript check model.py
    """
    with importing():
        from tscript.checking import check_files, python_files

    if as_json and github:
        raise UsageError("--json and --github exclude each other")
    files: dict[Path, bool] = {}
    for path in paths:
        if path.is_dir():
            for file in python_files(path):
                files.setdefault(file, True)
        elif path.is_file():
            files[path] = False
        else:
            raise UsageError(f"{path}: no such file")
    found = check_files(files)
    if text := _FORMATS["json" if as_json else "github" if github else "text"](found, len(files)):
        print(text)
    sys.exit(Exit.PROGRAM if found else Exit.OK)


def _text(found: list[Diagnostic], files: int) -> str:
    from tscript.diagnostics import render_all

    if not found:
        return ""
    number = len(found)
    count = f"{number} error{'s' * (number > 1)} in {files} file{'s' * (files > 1)}"
    return f"{render_all(found)}\n\n{count}; 'tscript explain {found[0].code}' says more of the first"


def _json(found: list[Diagnostic], files: int) -> str:
    return json.dumps([_as_json(d) for d in found], indent=1)


def _as_json(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        **_place(diagnostic.span),
        "code": diagnostic.code,
        "message": diagnostic.message(),
        "help": diagnostic.help_text(),
        "notes": [{**(_place(n.span) if n.span is not None else {}), "message": n.text} for n in diagnostic.notes()],
    }


def _place(span: Span) -> dict[str, object]:
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.col + 1,
        "end_line": span.end_line,
        "end_column": span.end_col + 1,
    }


def _github(found: list[Diagnostic], files: int) -> str:
    """https://docs.github.com/actions/reference/workflow-commands-for-github-actions"""
    lines = []
    for diagnostic in found:
        span = diagnostic.span
        place = {
            "file": span.source.name, "line": span.line, "endLine": span.end_line, "col": span.col + 1,
            "endColumn": span.end_col + 1, "title": diagnostic.code,
        }  # fmt: skip
        properties = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in place.items())
        text = "\n".join(filter(None, [diagnostic.message(), diagnostic.help_text()]))
        lines.append(f"::error {properties}::{_escaped(text)}")
    return "\n".join(lines)


def _escaped(text: str, more: str = "") -> str:
    """Text as a workflow command takes it."""
    for sign in "%\r\n" + more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


_FORMATS: dict[str, Callable[[list[Diagnostic], int], str]] = {"text": _text, "json": _json, "github": _github}
