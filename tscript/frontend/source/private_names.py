"""Private names of classes: ``__name`` in the class ``C`` is ``_C__name``, in its methods too."""

from __future__ import annotations

import ast
import re
from typing import Any

_PRIVATE = re.compile(r"(?<!\w)__\w*?[^\W_]_?(?!\w)")
"""A name that begins with two underscores and does not end with two."""


def mangled(owner: str, name: str) -> str:
    """The mangled form of a name in the class `owner`.

    Example:
        >>> mangled("_Stack", "__top"), mangled("Stack", "__init__"), mangled("Stack", "_top")
        ('_Stack__top', '__init__', '_top')
    """
    if not name.startswith("__") or name.endswith("__") or not owner.strip("_"):
        return name
    return f"_{owner.lstrip('_')}{name}"


def mangle_function(tree: ast.FunctionDef, qualname: str, text: str = "__x") -> None:
    """Mangle the private names in a method; its own name stays.

    Args:
        tree: Of the function, which is changed.
        qualname: Of the function; inner functions need nothing.
        text: Its source, for a quick test for private names.
    """
    owner = qualname.split(".")[-2:-1]
    if owner and owner[0] != "<locals>" and _PRIVATE.search(text):
        _inside(tree, owner[0])


def mangle_module(tree: ast.Module, text: str) -> None:
    """Mangle the private names in the classes of a module; names of methods themselves stay.

    Args:
        tree: Of the module, which is changed.
        text: Its text.
    """
    if not _PRIVATE.search(text):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef):
                    _inside(statement, node.name)
                elif not isinstance(statement, ast.ClassDef):
                    _Mangling(node.name).visit(statement)


def _inside(tree: ast.FunctionDef, owner: str) -> None:
    _Mangling(owner).generic_visit(tree)


class _Mangling(ast.NodeVisitor):
    def __init__(self, owner: str) -> None:
        self._owner = owner

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A nested class has names of its own."""

    def generic_visit(self, node: ast.AST) -> None:
        """Change the names of any node."""
        found: Any = node
        match node:
            case ast.Attribute():
                found.attr = mangled(self._owner, node.attr)
            case ast.Name():
                found.id = mangled(self._owner, node.id)
            case ast.arg():
                found.arg = mangled(self._owner, node.arg)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if node.name is not None:
                found.name = mangled(self._owner, node.name)
            case ast.Global() | ast.Nonlocal():
                found.names = [mangled(self._owner, name) for name in node.names]
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                child.name = mangled(self._owner, child.name)
            self.visit(child)
