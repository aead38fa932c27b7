"""Functions apart and together again: the source of a function, the names it uses, and the function made of both.

A function is made without running anything of its source: the text is compiled, and the code object is taken out of it.
"""

from __future__ import annotations

import ast
import builtins
import dis
import hashlib
import linecache
import re
import types
import typing
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from tscript.abi.python import PYTHON_FUNCTION
from tscript.diagnostics import CompileError
from tscript.frontend.source.canonical import placed_source
from tscript.frontend.source.functions import PythonFunction
from tscript.late import dataclass
from tscript.parsing import parse
from tscript.runtime.session.scripted import IMPLEMENTATION, SOURCE
from tscript.travel.errors import FunctionPicklingError, FunctionUnpicklingError

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"})
_AGAIN = re.compile(r"(.*), pickled [0-9a-f]{8}")

OWN = (IMPLEMENTATION, SOURCE, PYTHON_FUNCTION, "__tscript_body__", "__wrapped__")
"""Attributes that are made anew, not carried; `functools.wraps` copies them."""


@dataclass(frozen=True, slots=True)
class Source:
    """What the code of a function is made of.

    Attributes:
        name: In its ``def``.
        text: Its definition alone.
        line: Where that stands in its file.
        file: The last part of the name of the file.
        free: The names that it has from functions around it.
    """

    name: str
    text: str
    line: int
    file: str
    free: tuple[str, ...]

    @staticmethod
    def of(function: PythonFunction) -> Source:
        """The source of a function that was made from an object."""
        code = _code_of(function)
        file = function.source.name.replace("\\", "/").rpartition("/")[2].strip("<>")
        line = function.tree.lineno + function.line_offset
        if match := _AGAIN.fullmatch(file):
            file = match[1]
        found = Source(function.tree.name, placed_source(function), line, file, code.co_freevars)
        found.keep_lines(code)  # the function may come back in an object that another pickler carries
        return found

    @property
    def file_name(self) -> str:
        """The name of the file that the function is in, once it is made again."""
        digest = hashlib.sha256(repr((self.text, self.line, self.free)).encode("utf-8", "surrogatepass")).hexdigest()
        return f"<{self.file}, pickled {digest[:8]}>"

    def function(self, namespace: dict[str, object]) -> types.FunctionType:
        """The function, whose defaults and free names are empty.

        Raises:
            FunctionUnpicklingError: The text is not that of a function in this version of Python.
        """
        name = self.file_name
        try:
            tree = parse(self.text)
            definition = tree.body[0]
            ast.increment_lineno(tree, self.line - 1)
            if self.free:
                names: list[ast.expr] = [ast.Name(free, ast.Store()) for free in self.free]
                around = parse("def around(): pass").body[0]
                assert isinstance(around, ast.FunctionDef)
                around.body = [ast.Assign(names, ast.Constant(None)), definition]
                tree.body = [around]
                ast.fix_missing_locations(tree)
            made = compile(tree, name, "exec", dont_inherit=True)
            code = next(c for c in _codes(made) if c.co_name == self.name and c.co_freevars == self.free)
        except (SyntaxError, ValueError, StopIteration) as error:
            raise FunctionUnpicklingError(f"the source of '{self.name}' cannot be compiled here: {error}") from error
        cells = tuple(types.CellType() for _ in self.free)
        found = types.FunctionType(code, namespace, self.name, None, cells)
        self.keep_lines(code)
        return found

    def keep_lines(self, code: types.CodeType) -> None:
        """Let tracebacks and the compiler find the lines, as long as there is `code`."""
        name = self.file_name
        lines = ("\n" * (self.line - 1) + self.text).splitlines(keepends=True)
        linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
        weakref.finalize(code, _forget, name, lines).atexit = False


def _forget(name: str, lines: list[str]) -> None:
    """Drop the lines of a function that is gone, if no later one has them."""
    found = linecache.cache.get(name)
    if found is not None and len(found) > 2 and found[2] is lines:
        del linecache.cache[name]


def python_function(function: types.FunctionType) -> PythonFunction:
    """The source and the names of a function.

    Raises:
        FunctionPicklingError: Its source is not there, or it is a lambda, a generator, a coroutine.
    """
    try:
        return PythonFunction.from_callable(function)
    except CompileError as error:
        name = function.__qualname__
        raise FunctionPicklingError(
            f"'{name}' cannot be pickled by its source: {error.diagnostics[0].message()}"
        ) from error


def used_names(function: PythonFunction) -> Iterator[str]:
    """The global names that a function uses, those of its annotations too, in a fixed order."""
    found: dict[str, None] = {}
    local: set[str] = set()
    for code in _codes(_code_of(function)):
        found.update((str(i.argval), None) for i in dis.get_instructions(code) if i.opname in _GLOBALS)
        local |= {*code.co_varnames, *code.co_cellvars}
    for node in ast.walk(function.tree):
        if isinstance(node, ast.Name) and node.id not in local:  # Python drops code that it never reaches
            found[node.id] = None
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None), _cast_to(node)):
            if isinstance(part, ast.expr):
                found.update((name, None) for name in _names(part))
    yield from found


def _cast_to(node: ast.AST) -> ast.expr | None:
    """The type in ``cast("Point", x)``."""
    if isinstance(node, ast.Call) and node.args:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return node.args[0] if name == "cast" else None
    return None


def _names(annotation: ast.expr) -> Iterator[str]:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                yield from _names(parse(node.value, mode="eval").body)
            except (SyntaxError, ValueError):  # a text, as in Literal["a b"]
                continue


def annotated_names(annotation: object) -> Iterator[str]:
    """The names in the strings of an annotation."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        yield from _names(ast.Constant(annotation))
    elif typing.get_origin(annotation) is not typing.Literal:
        for part in typing.get_args(annotation):
            yield from annotated_names(part)


def looked_up(function: PythonFunction) -> tuple[dict[str, object], dict[str, object]]:
    """The values of the global names that a function uses, and of its free names; those that are undefined are left
    out."""
    free = _code_of(function).co_freevars
    known: list[dict[str, object]] = []
    for names in (used_names(function), free):
        values: dict[str, object] = {}
        for name in names:
            try:
                value = function.environment.lookup(name)
            except KeyError:
                continue
            if name in free or vars(builtins).get(name, function) is not value:
                values[name] = value
        known.append(values)
    return {n: v for n, v in known[0].items() if n not in free}, known[1]


def attributes_of(function: types.FunctionType) -> Mapping[str, Any]:
    """What else is known of a function."""
    return {name: value for name, value in vars(function).items() if name not in OWN}


def _code_of(function: PythonFunction) -> types.CodeType:
    found = getattr(function.callable, "__code__", None)
    if not isinstance(found, types.CodeType):
        raise FunctionPicklingError(f"'{function.name}' cannot be pickled: it was read from source and never run")
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those inside."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


__all__ = ["OWN", "Source", "annotated_names", "attributes_of", "looked_up", "python_function", "used_names"]
