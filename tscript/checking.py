"""Type-checking files and packages, which are read and not run.

What it takes is the frontend and no more: neither the native runtime nor LLVM is loaded, unless there are custom operators.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tscript.diagnostics import CompileError, Diagnostic
from tscript.frontend import NameResolver, PythonFunction, check_functions
from tscript.frontend.importing import ModuleFiles
from tscript.frontend.module_text import ModuleText
from tscript.frontend.program import place
from tscript.frontend.source import TextEnvironment
from tscript.ops.table import TABLE, OperatorTable
from tscript.runtime.plugins import load_hooks
from tscript.runtime.usage import log_api_usage_once

SKIPPED = frozenset({"__pycache__", "node_modules"})
"""Folders that hold no source of the user's, beside hidden ones and virtual environments."""


def check_files(files: Mapping[Path, bool]) -> list[Diagnostic]:
    """Every error in the scripted functions of files and in the functions they call, by file and line, each once.

    Args:
        files: Python files, each with whether only decorated functions count; else all functions count of a file in which
            none is decorated.

    Raises:
        OSError: A file cannot be read.
    """
    load_hooks()
    log_api_usage_once("tscript.check_file")
    modules, known = ModuleFiles(), dict[ModuleText, TextEnvironment]()
    functions: list[PythonFunction] = []
    found: list[Diagnostic] = []
    for path, only_marked in files.items():
        try:
            module = modules.read(path)
        except CompileError as error:
            found += error.diagnostics
            continue
        environment = known.get(module) or TextEnvironment(module, known)
        functions += environment.wanted(only_marked=only_marked)
        found += environment.refused()
    return sorted([*found, *check_functions(functions, _resolver())], key=place)


def check_file(path: Path) -> list[Diagnostic]:
    """Every error in the scripted functions of a file: those that are decorated, all when none is.

    Raises:
        OSError: The file cannot be read.
    """
    return check_files({path: False})


def python_files(folder: Path) -> Iterator[Path]:
    """The Python files in a folder and the folders in it, by name; hidden folders and virtual environments are left out.

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


def _resolver() -> NameResolver:
    process = sys.modules.get("tscript.runtime.process")
    return NameResolver(TABLE if process is None else process.current().compiler.table, _table_with)


def _table_with(namespace: str) -> OperatorTable:
    from tscript.runtime.process import current

    return current().operators.table_with(namespace)
