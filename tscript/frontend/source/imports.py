"""Modules that a file imports from beside it. They are read like the file itself and never run.

Python finds modules in the folder of the program and among installed packages. Here a module is searched in the folder
of the importing file and in the folder of its outermost package. Installed packages are not read.
"""

from __future__ import annotations

import os
from pathlib import Path

from tscript.diagnostics import CompileError
from tscript.frontend.source.modules import SourceModule, parse_module, read_source


class ModuleFiles:
    """The files of one compilation, each read once."""

    def __init__(self) -> None:
        self._modules: dict[Path, SourceModule] = {}
        self._unreadable: set[Path] = set()

    def read(self, path: Path) -> SourceModule:
        """The module in a file.

        Raises:
            CompileError: It is not Python (TS506; also a `SyntaxError`).
            OSError: It cannot be read.
        """
        key = path.resolve()
        found = self._modules.get(key)
        if found is None:
            found = self._modules[key] = parse_module(read_source(path), str(path), self.find)
        return found

    def find(self, name: str, importer: str) -> SourceModule | None:
        """The module `name`, with a dot in front for each level of a relative import, imported by the file `importer`.
        None if it does not exist or cannot be read; checking it then reports an error of its own."""
        inner = name.lstrip(".")
        parts = inner.split(".") if inner else []
        here = Path(importer).parent
        if level := len(name) - len(inner):
            roots = [Path(os.path.normpath(here.joinpath(*[".."] * (level - 1))))]
        else:
            roots = [here, _outside_package(here)]
        for root in roots:
            for path in (
                root.joinpath(*parts, "__init__.py"),
                root.joinpath(*parts).with_suffix(".py") if parts else None,
            ):
                if path is not None and path.is_file() and path not in self._unreadable:
                    try:
                        return self.read(path)
                    except (CompileError, OSError):
                        self._unreadable.add(path)
        return None


def _outside_package(folder: Path) -> Path:
    """The folder of the outermost package around `folder`; `folder` itself if it is not a package."""
    while (folder / "__init__.py").is_file() and (parent := Path(os.path.normpath(folder / ".."))) != folder:
        folder = parent
    return folder
