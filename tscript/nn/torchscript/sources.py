"""The code of an archive as syntax trees: classes and functions by their dotted names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from tscript.diagnostics import SourceFile
from tscript.diagnostics.archives import ArchiveError
from tscript.late import dataclass, field
from tscript.parsing import parse

MAX_NESTING = 200
"""Brackets of code inside each other, and levels of indentation."""


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A class or function of the code.

    Attributes:
        path: Its dotted name: ``__torch__.M``.
        tree: Its definition.
        source: The file.
        lines: Its lines.
    """

    path: str
    tree: ast.ClassDef | ast.FunctionDef
    source: SourceFile
    lines: tuple[str, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """The last part of the dotted name."""
        return self.tree.name

    @property
    def kind(self) -> str:
        """``Module``, ``NamedTuple``, ``Enum``, ``ModuleInterface``; empty for other classes and for functions."""
        bases = self.tree.bases if isinstance(self.tree, ast.ClassDef) else []
        return bases[0].id if bases and isinstance(bases[0], ast.Name) else ""


def definitions(code: Mapping[str, str], path: str) -> dict[str, Definition]:
    """All classes and functions of an archive by their dotted names.

    Args:
        code: The text of each file by its dotted name.
        path: The archive, for messages.

    Raises:
        ArchiveError: A file is not code of TorchScript.
    """
    found: dict[str, Definition] = {}
    for file, text in code.items():
        name = f"code/{file.replace('.', '/')}.py"
        try:
            _refuse_deep(text)
            tree = parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            what = str(error) if isinstance(error, ArchiveError) else type(error).__name__
            raise ArchiveError(f"{name} is not code of TorchScript: {what}", path) from None
        source = SourceFile(name, text)
        lines = tuple(text.splitlines(keepends=True))
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found[f"{file}.{node.name}"] = Definition(f"{file}.{node.name}", node, source, lines)
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                raise ArchiveError(f"{name} is not code of TorchScript: line {node.lineno} defines nothing", path)
    return found


def _refuse_deep(text: str) -> None:
    """Refuse what parsers of Python could not take."""
    depth = 0
    for char in text:
        if char in "([{":
            depth += 1
            if depth > MAX_NESTING:
                raise ArchiveError(f"brackets lie more than {MAX_NESTING} deep")
        elif char in ")]}":
            depth = max(0, depth - 1)


def dotted(node: ast.expr) -> str:
    """The text of a chain of attributes; empty where it is none."""
    parts: list[str] = []
    at: Any = node
    while isinstance(at, ast.Attribute):
        parts.append(at.attr)
        at = at.value
    if not isinstance(at, ast.Name):
        return ""
    return ".".join([at.id, *reversed(parts)])
