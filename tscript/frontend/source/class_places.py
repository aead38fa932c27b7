"""The place of a Python class in its source."""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tscript.diagnostics import SourceFile, Span
from tscript.frontend.source.classes import ClassEnvironment
from tscript.frontend.source.functions import Environment, PythonFunction
from tscript.frontend.source.lines import is_generated, lines_of

NAMES = "_abc_tscript_names"
"""The attribute of a class that has the names around it, if it does not stand in its module: a mapping."""


class Namespace(dict[str, object]):
    """The names around a class for `eval`."""

    def __init__(self, environment: Environment) -> None:
        super().__init__()
        self._environment = environment

    def __missing__(self, name: str) -> object:
        return self._environment.lookup(name)


class _Globals:
    """The names of a module, as an `Environment`."""

    def __init__(self, names: Mapping[str, object]) -> None:
        self._names = names

    def lookup(self, name: str) -> object:
        """See `Environment`."""
        if name in self._names:
            return self._names[name]
        return vars(builtins)[name]

    def names(self) -> Iterable[str]:
        """See `Environment`."""
        return self._names


def _functions(cls: type) -> Iterator[Any]:
    for value in vars(cls).values():
        inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        inner = getattr(inner, "__wrapped__", inner)
        if isinstance(inner, types.FunctionType) and not is_generated(inner.__code__):
            if inner.__module__ == cls.__module__:
                yield inner


def place_of(cls: type) -> PythonFunction:
    """A placeholder of the class for reading annotations."""
    found = next(_functions(cls), None)
    module = sys.modules.get(cls.__module__)
    names: Mapping[str, object] = {} if module is None else vars(module)
    file = getattr(module, "__file__", None) or "<class>"
    near = 0
    if found is not None:
        names, file, near = found.__globals__, found.__code__.co_filename, found.__code__.co_firstlineno
    lines = linecache.getlines(file, dict(names)) if found is None else lines_of(found)
    if NAMES in vars(cls):
        names = {**names, **vars(cls)[NAMES]}
    line = _line_of(cls, lines, near)
    source = SourceFile(file, "".join(lines))
    tree = ast.FunctionDef(
        cls.__name__, ast.arguments([], [], None, [], [], None, []), [], [], lineno=line, col_offset=0, end_lineno=line
    )
    tree.end_col_offset = 0
    environment = ClassEnvironment(_Globals(names), {cls.__name__: cls, "Self": cls})
    return PythonFunction(cls.__name__, cls.__qualname__, tree, source, lines, 0, environment)


def _line_of(cls: type, lines: list[str], near: int) -> int:
    """The line of the ``class`` statement, as far as it is known."""
    known = vars(cls).get("__firstlineno__")
    start = f"class {cls.__name__}"
    at = [i for i, text in enumerate(lines, 1) if text.lstrip().startswith(start)]
    before = [i for i in at if not near or i < near]
    if isinstance(known, int):
        return next((i for i in at if i >= known), known)
    return before[-1] if before else 1


def class_span(at: PythonFunction, name: str) -> Span:
    """The name in the ``class`` line of the placeholder."""
    line = at.tree.lineno
    text = at.lines[line - 1] if line <= len(at.lines) else ""
    col = max(0, text.find(f"class {name}")) + 6 if "class " in text else 0
    return Span(at.source, line, col, line, col + len(name), name)
