"""Modules that a text imports, found beside it: they are read like the text itself, and nothing of them is run.

Python would find them in the folder of the program and among what is installed. Here a module is looked for in the
folder of the importing file and in the folder that its outermost package lies in; what is installed is not looked into.
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
        """The module called `name`, with a dot in front for each level of a relative import, as the file `importer`
        means it; None when it is not there or cannot be read, which is an error of its own when it is checked."""
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
    """The folder that the outermost package around `folder` lies in; `folder` itself when it is no package."""
    while (folder / "__init__.py").is_file() and (parent := Path(os.path.normpath(folder / ".."))) != folder:
        folder = parent
    return folder
