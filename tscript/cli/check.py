"""``tscript check``: type-check files without running them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tscript.cli.errors import Exit, UsageError
from tscript.cli.importing import importing
from tscript.cli.libraries import Imports
from tscript.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from tscript.checking import Report
    from tscript.diagnostics import Diagnostic, Span

MOST = 10
"""Names that are listed before the others are only counted."""


def check(
    paths: Annotated[list[Path], Argument(help="Python files, and folders to look for them in; none is run.")],
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
    github: Annotated[bool, Option("--github", help="Print annotations of a GitHub workflow.")] = False,
    torch: Annotated[
        bool,
        Option(
            "--torch",
            help="Report how many functions for TorchScript compile, what holds up the others, and what differs.",
        ),
    ] = False,
    everything: Annotated[
        bool, Option("--all", help="With --torch: count functions whose annotations name tensors, decorated or not.")
    ] = False,
    imports: Imports = None,
) -> None:
    """Type-check the scripted functions of files and packages: exit code 1 when there are errors, 2 when a file that is
    named, or all of a folder, has nothing to check. stderr shows what was checked, and what was not.

    With --torch, each function for TorchScript counts for itself, and what holds functions up is ranked: the first
    thing to run over a package that is to move. Lines that mean something else than in TorchScript are noted.

    Example: tscript check model.py
    """
    with importing():
        from tscript.checking import look_at, python_files

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
    if torch:
        _migration(list(files), everything, as_json)
        return
    if everything:
        raise UsageError("--all goes with --torch")
    report = look_at(files)
    found = report.diagnostics
    if text := _FORMATS["json" if as_json else "github" if github else "text"](found, len(files)):
        print(text)
    sys.stdout.flush()
    print(_summary(report), file=sys.stderr)
    if found:
        sys.exit(Exit.PROGRAM)
    if nothing := _nothing(paths, report):
        raise UsageError(nothing)
    sys.exit(Exit.OK)


def _migration(files: list[Path], everything: bool, in_json: bool) -> None:
    """``tscript check --torch``."""
    with importing():
        from tscript.cli.migration import as_json, look_over, shown

    found = look_over(files, everything=everything)
    if not found.functions:
        more = "" if everything else "; --all counts functions whose annotations name tensors"
        raise UsageError(f"no function here is given to torch.jit.script{more}")
    print(json.dumps(as_json(found), indent=1) if in_json else shown(found))
    sys.exit(Exit.PROGRAM if any(f.blockers for f in found.functions) else Exit.OK)


def _counted(number: int, what: str, several: str = "") -> str:
    return f"{number} {what if number == 1 else several or what + 's'}"


def _summary(report: Report) -> str:
    """What was looked at, and what was not."""
    looked = list(report.files.values())
    functions, classes = sum(f.functions for f in looked), sum(f.classes for f in looked)
    lines = [f"checked {_counted(functions, 'function')}"]
    if classes:
        lines[0] += f" and {_counted(classes, 'class', 'classes')}"
    lines[0] += f" in {_counted(len(looked), 'file')}"
    for path, file in report.files.items():
        if file.functions + file.classes == 0 and len(looked) > 1:
            continue
        if file.skipped:
            lines.append(f"{path}: not checked, as nothing that is decorated uses it: {_listed(file.skipped)}")
        if file.ignored:
            lines.append(f"{path}: not checked, as it stays in Python: {_listed(file.ignored)}")
    empty = [str(path) for path, file in report.files.items() if file.functions + file.classes == 0]
    if empty and len(looked) > 1:
        lines.append(f"nothing to check in {_listed(empty)}")
    return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST])
    return shown if len(names) <= MOST else f"{shown} and {len(names) - MOST} more"


def _nothing(paths: list[Path], report: Report) -> str:
    """What to say when a file that was named, or a whole folder, has nothing that was checked; else empty."""
    for path in paths:
        inside = [f for file, f in report.files.items() if file == path or path in file.parents]
        if not any(f.functions + f.classes for f in inside):
            if path.is_dir():
                return f"{path}: nothing to check: no file in it has a function or class decorated with @tscript.script"
            return f"{path}: nothing to check: it defines no function or class at top level that could be compiled"
    return ""


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
