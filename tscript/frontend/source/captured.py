"""What checking a function reads, as a digest: with it, another process knows what it would find.

That is the text of the file with the place of the function in it, and the values of all names in it that may be read:
more than are. Values are constants, builtins, what `math`, NumPy, `torch` and tscript define, types made of these, and
functions, of which the same is read. A function that names anything else, such as a class, a tensor or a module of the
user, has no digest.
"""

from __future__ import annotations

import ast
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any

from tscript.definitions.shared import LRU_CACHE
from tscript.diagnostics import CompileError
from tscript.digests import sha256
from tscript.frontend.source import numpy_names
from tscript.frontend.source.functions import ObjectEnvironment, PythonFunction
from tscript.late import dataclass, field
from tscript.types import DType

_ROOTS = ("tscript", "torch")
_MOST = 200
"""Functions that are read for one."""

_REFUSED = (
    *(ast.Import, ast.ImportFrom, ast.ClassDef, ast.Global, ast.AsyncFunctionDef),
    *(getattr(ast, name) for name in ("TypeAlias", "TemplateStr") if hasattr(ast, name)),
)


class _UnknownError(Exception):
    """Something is read whose content has no short description."""


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """What checking a function reads.

    Attributes:
        digest: Of all of that.
        functions: The functions that it may call, as they are now.
    """

    digest: str
    functions: dict[types.FunctionType, PythonFunction]
    _found: list[tuple[ObjectEnvironment, str, object]] = field(repr=False)

    def freeze(self) -> None:
        """Let a later check find what was found now."""
        for environment, name, value in self._found:
            environment.freeze(name, value)


def captured(function: PythonFunction) -> Captured | None:
    """What checking a function reads; None if that cannot be said in short."""
    reader = _Reader()
    try:
        reader.function(function)
    except (_UnknownError, CompileError, RecursionError):
        return None
    text = "\n".join([str(sys.flags.optimize), *reader.parts])
    return Captured(sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), reader.functions, reader.found)


class _Reader:
    """Reads a function and all it leads to."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.functions: dict[types.FunctionType, PythonFunction] = {}
        self.found: list[tuple[ObjectEnvironment, str, object]] = []
        self._seen: dict[int, int] = {}
        self._kept: list[object] = []
        self._texts: dict[int, str] = {}

    def function(self, function: PythonFunction) -> None:
        """Read a function, once."""
        if function.elements is not None:
            called = [ast.unparse(part) for part in (function.tree.args, *function.tree.body)]
            self.parts.append(repr(("vectorized", *called, function.elements.signatures)))
            function = function.elements.written
        fn, environment = function.callable, function.environment
        if type(fn) is not types.FunctionType or not isinstance(environment, ObjectEnvironment):
            raise _UnknownError
        if id(fn) in self._seen:
            self.parts.append(f"function {self._seen[id(fn)]}")
            return
        if function.cache is not None or len(self._seen) > _MOST or not environment.has_usual_builtins:
            raise _UnknownError
        if vars(fn) or getattr(fn, "__type_params__", None):
            raise _UnknownError
        self._seen[id(fn)] = len(self._seen)
        self._kept.append(fn)
        code = fn.__code__
        text = function.source.text
        if id(text) not in self._texts:
            self._texts[id(text)] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            self._kept.append(text)
        place = code.co_filename, code.co_firstlineno, function.line_offset, fn.__name__, fn.__qualname__, fn.__module__
        self.parts.append(repr((function.fastmath, function.is_parallel)))
        self.parts.append(repr(("function", *place, code.co_name, self._texts[id(text)])))
        for name, annotation in sorted(function.annotations.items()):
            self._named(f"annotation {name}", annotation, ())
        self._named("defaults", fn.__defaults__, ())
        for name, default in sorted((fn.__kwdefaults__ or {}).items()):
            self._named(f"default {name}", default, ())
        names, attributes = _names_of(function.tree, {*code.co_varnames, *code.co_cellvars})
        for name in sorted(names):
            try:
                value = environment.lookup(name)
            except KeyError:
                self.parts.append(f"no {name}")
                continue
            self.found.append((environment, name, value))
            self._named(name, value, attributes)

    def _named(self, name: str, value: object, attributes: Iterable[str]) -> None:
        self.parts.append(name)
        self._value(value, attributes)

    def _value(self, value: Any, attributes: Iterable[str]) -> None:
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes):
            self.parts.append(f"{kind.__name__} {value!r}")
        elif kind is float or kind is complex:
            if value != value:
                raise _UnknownError
            self.parts.append(f"{kind.__name__} {value!r}")
        elif kind is tuple:
            self.parts.append(f"tuple {len(value)}")
            for element in value:
                self._value(element, attributes)
        elif kind is list or kind is dict:
            self._container(value, attributes)
        elif kind is DType:
            self.parts.append(f"dtype {value.name}")
        elif _may_be_numpys(value) and (path := numpy_names.path_of(value)) is not None:
            self.parts.append(f"numpy {path}")
        elif any(value is known for known in (Ellipsis, type(None), typing.Any)):
            self.parts.append(repr(value))
        elif kind is types.FunctionType:
            self._plain_function(value)
        elif kind is types.BuiltinFunctionType:
            self._own("builtin", value, ("builtins", "math", "cmath"))
        elif isinstance(value, type):
            self._own("class", value, ("builtins", "collections.abc", "tscript"))
        elif kind is types.ModuleType:
            self._module(value, attributes)
        elif kind is types.GenericAlias:
            self.parts.append("generic")
            self._value(value.__origin__, ())
            self._value(value.__args__, ())
        elif kind is types.UnionType:
            self.parts.append("union")
            self._value(value.__args__, ())
        else:
            self._other(value)

    def _container(self, value: Any, attributes: Iterable[str]) -> None:
        """A list or dict, with what it holds now. What holds itself is too deep to be read."""
        items = [part for item in value.items() for part in item] if type(value) is dict else value
        if len(items) > _MOST:
            raise _UnknownError
        self.parts.append(f"{type(value).__name__} {len(items)}")
        for part in items:
            self._value(part, attributes)

    def _plain_function(self, value: types.FunctionType) -> None:
        if value.__module__ == "typing" or (value.__module__ or "").partition(".")[0] in _ROOTS:
            raise _UnknownError
        if value not in self.functions:
            self.functions[value] = PythonFunction.from_callable(value)
        self.function(self.functions[value])

    def _own(self, what: str, value: Any, modules: tuple[str, ...]) -> None:
        """What a module of Python's or of tscript's own defines under a name."""
        module, name = value.__module__ or "", value.__qualname__
        if module not in modules or getattr(sys.modules.get(module), name, None) is not value:
            raise _UnknownError
        self.parts.append(f"{what} {module}.{name}")

    def _module(self, value: types.ModuleType, attributes: Iterable[str]) -> None:
        name = value.__name__
        root, _, inner = name.partition(".")
        is_numpys = root == numpy_names.NUMPY and inner in ("", *numpy_names.NAMESPACES)
        if name not in ("math", "cmath", *_ROOTS) and not is_numpys:
            raise _UnknownError
        self.parts.append(f"module {name}")
        if name in ("math", "cmath"):
            for attribute in sorted({*attributes} & vars(value).keys()):
                self._named(attribute, vars(value)[attribute], ())

    def _other(self, value: Any) -> None:
        """A scripted function, or something of tscript's own."""
        if type(value).__module__ == "typing":  # Any, Optional … by themselves
            name = str(getattr(value, "_name", None) or getattr(value, "__name__", ""))
            if vars(typing).get(name) is not value:
                raise _UnknownError
            self.parts.append(f"typing {name}")
            return
        if isinstance(value, LRU_CACHE) or type(value).__module__.partition(".")[0] != "tscript":
            raise _UnknownError
        scripted = getattr(value, "__tscript_function__", None)
        if isinstance(scripted, PythonFunction):
            self.parts.append("scripted")
            self.function(scripted)
            return
        name = str(getattr(value, "__name__", ""))
        if not name.isidentifier() or getattr(sys.modules["tscript"], name, None) is not value:
            raise _UnknownError
        self.parts.append(f"tscript {name}")


def _may_be_numpys(value: object) -> bool:
    """Whether a value may be one that NumPy defines: a class, a function of some kind, a module."""
    kinds = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
    kind = type(value)
    is_own = kind.__module__.partition(".")[0] == numpy_names.NUMPY or kind.__name__ == "cython_function_or_method"
    return is_own or isinstance(value, kinds)


def _names_of(tree: ast.FunctionDef, own: set[str]) -> tuple[set[str], set[str]]:
    """The names that a function may read from around it, and the attributes that it reads.

    Args:
        tree: Its definition.
        own: Its own names, and those of comprehensions in it.
    """
    arguments = tree.args
    outer: list[ast.AST] = [*tree.decorator_list, *arguments.defaults, *filter(None, arguments.kw_defaults)]
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotations = [a.annotation for a in every if a is not None and a.annotation is not None]
    annotations += [] if tree.returns is None else [tree.returns]
    names: set[str] = set()
    inside: set[str] = set()
    attributes: set[str] = set()
    bound: set[str] = set()
    for node in outer + annotations:
        _collect(node, names, attributes, bound)
    for node in annotations:
        _words(node, names)
    for statement in tree.body:
        _collect(statement, inside, attributes, bound)
    # Names that only a comprehension binds are others outside of it.
    return names | {name for name in inside if name not in own or name in bound}, attributes


def _collect(tree: ast.AST, names: set[str], attributes: set[str], bound: set[str]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.comprehension):
            bound.update(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
        elif isinstance(node, ast.AnnAssign):
            _words(node.annotation, names)
        elif isinstance(node, ast.FunctionDef | ast.Lambda):
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            for annotation in (a.annotation for a in every if a is not None):
                _words(annotation, names)
            _words(getattr(node, "returns", None), names)
        elif isinstance(node, _REFUSED):
            raise _UnknownError


def _words(annotation: ast.expr | None, names: set[str]) -> None:
    """Add the names in the strings of an annotation."""
    for node in () if annotation is None else ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value.strip(), mode="eval")
            except (SyntaxError, ValueError):
                raise _UnknownError from None
            if any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(inner)):
                raise _UnknownError
            _collect(inner, names, set(), set())


__all__ = ["Captured", "captured"]
