"""Type-checking files and packages, which are read and not run.

What it takes is the frontend and no more: neither the native runtime nor LLVM is loaded, unless there are custom
operators.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tscript.definitions.table import OperatorTable
from tscript.diagnostics import CompileError, Diagnostic
from tscript.frontend import LanguageResolver, PythonFunction
from tscript.frontend.checking import Checked, check_all
from tscript.frontend.lowering.program import place
from tscript.frontend.source.imports import ModuleFiles
from tscript.frontend.source.modules import SourceClass, SourceModule
from tscript.frontend.source.source_modules import SourceEnvironment
from tscript.late import dataclass
from tscript.operators.table import TABLE
from tscript.runtime.session.hooks import load_hooks
from tscript.runtime.session.usage import log_api_usage_once

SKIPPED = frozenset({"__pycache__", "node_modules"})
"""Folders that hold no source of the user's, beside hidden ones and virtual environments."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at in one file.

    Attributes:
        functions: How many functions at top level, and of classes.
        classes: How many classes.
        skipped: Names of the functions and classes at top level that were not, because they are not decorated and
            nothing that was checked uses them.
        ignored: Names of functions that stay in Python.
    """

    functions: int = 0
    classes: int = 0
    skipped: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What checking files came to.

    Attributes:
        diagnostics: Every error, by file and line, each once.
        files: What was looked at, by file. A file that is not Python has nothing of it.
    """

    diagnostics: list[Diagnostic]
    files: dict[Path, Looked]


def check_files(files: Mapping[Path, bool]) -> list[Diagnostic]:
    """The errors that `look_at` finds."""
    return look_at(files).diagnostics


def look_at(files: Mapping[Path, bool]) -> Report:
    """Check the scripted functions and classes of files and the functions they call.

    Args:
        files: Python files, each with whether only decorated functions count; else all functions count of a file in
            which nothing is decorated, and all classes if it has no functions.

    Raises:
        OSError: A file cannot be read.
    """
    load_hooks()
    log_api_usage_once("tscript.check_file")
    modules, known = ModuleFiles(), dict[SourceModule, SourceEnvironment]()
    functions: list[PythonFunction] = []
    classes: list[SourceClass] = []
    found: list[Diagnostic] = []
    read: dict[Path, SourceEnvironment | None] = {}
    for path, only_marked in files.items():
        read[path] = None
        try:
            module = modules.read(path)
        except CompileError as error:
            found += error.diagnostics
            continue
        environment = read[path] = known.get(module) or SourceEnvironment(module, known)
        functions += environment.wanted(only_marked=only_marked)
        classes += environment.wanted_classes(only_marked=only_marked)
        found += environment.refused()
    checked = check_all(functions, classes, resolver())
    looked = {path: Looked() if e is None else _looked(e, checked) for path, e in read.items()}
    return Report(sorted([*found, *checked.diagnostics], key=place), looked)


def _looked(environment: SourceEnvironment, checked: Checked) -> Looked:
    functions = environment.functions().values()
    source = environment.source.name
    classes = [c.tree.name for c in environment.classes()]
    seen = {name for name, file in checked.classes if file == source}
    ignored = [f.name for f in functions if environment.mark(f.tree)]
    skipped = [f.name for f in functions if f not in checked.functions and f.name not in ignored]
    return Looked(
        sum(f.source.name == source for f in checked.functions),
        len(seen.intersection(classes)),
        (*skipped, *(c for c in classes if c not in seen and not checked.functions)),
        tuple(ignored),
    )


def check_file(path: Path) -> list[Diagnostic]:
    """Every error in the scripted functions of a file: those that are decorated, all when none is.

    Raises:
        OSError: The file cannot be read.
    """
    return check_files({path: False})


def python_files(folder: Path) -> Iterator[Path]:
    """The Python files in a folder and the folders in it, by name; hidden folders and virtual environments are left
    out.

    Raises:
        OSError: The folder cannot be read.
    """

    def fail(error: OSError) -> None:
        raise error

    for where, folders, names in os.walk(folder, onerror=fail):
        folders[:] = sorted(
            name
            for name in folders
            if name not in SKIPPED and not name.startswith(".") and not Path(where, name, "pyvenv.cfg").exists()
        )
        yield from (Path(where, name) for name in sorted(names) if name.endswith(".py") and Path(where, name).is_file())


def resolver() -> LanguageResolver:
    """Resolves names to what the language has, custom operators of this process among it."""
    process = sys.modules.get("tscript.runtime.session.process")
    if process is None:
        return LanguageResolver(TABLE, _table_with)
    compiler = process.current().compiler
    return LanguageResolver(compiler.table, _table_with, classes=compiler.class_table)


def _table_with(namespace: str) -> OperatorTable:
    from tscript.runtime.session.process import current

    return current().operators.table_with(namespace)
