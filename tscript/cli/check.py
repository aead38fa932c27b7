"""``tscript check``: type-check files without running them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tscript.cli.errors import Exit, UsageError
from tscript.cli.libraries import Imports


def check(
    files: Annotated[list[Path], typer.Argument(help="Python files; none of them is run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    imports: Imports = None,
) -> None:
    """Type-check the scripted functions of files: exit code 1 when there are errors.

    Example: tscript check model.py
    """
    from tscript.api import check_file
    from tscript.diagnostics import Diagnostic, render_all

    found: list[Diagnostic] = []
    for file in files:
        if not file.is_file():
            raise UsageError(f"{file}: no such file")
        found += check_file(file)
    if as_json:
        print(json.dumps([_as_json(d) for d in found], indent=1))
    elif found:
        print(render_all(found))
        number, count = len(found), len(files)
        print(f"\n{number} error{'s' * (number > 1)} in {count} file{'s' * (count > 1)}")
    sys.exit(Exit.PROGRAM if found else Exit.OK)


def _as_json(diagnostic: object) -> dict[str, object]:
    from tscript.diagnostics import Diagnostic

    assert isinstance(diagnostic, Diagnostic)
    span = diagnostic.span
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.col + 1,
        "end_line": span.end_line,
        "end_column": span.end_col + 1,
        "code": diagnostic.code,
        "message": diagnostic.message(),
        "help": diagnostic.help_text(),
    }
