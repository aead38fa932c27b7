"""The meaning of the top-level names of a module that is read and not run.

Imports of `math`, `typing` and the other names below stand for the real modules; `torch` and `tscript` stand for the
operators by name, whether they are installed or not. Assignments are constants when they can be computed from
constants.
"""

from __future__ import annotations

import abc
import ast
import bisect
import builtins
import cmath
import collections.abc
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import numbers
import tokenize
import types
import typing
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tscript.diagnostics import SourceFile, Span, compile_error
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics.errors import InvalidSyntax
from tscript.frontend.source.comments import annotate
from tscript.frontend.source.constants import MAX_CONSTANT_PARTS, NotConstant, binary, parts, unary
from tscript.frontend.source.given_back import gives_back
from tscript.frontend.source.index_values import replace_index_values
from tscript.frontend.source.numpy_names import NUMPY
from tscript.frontend.source.private_names import mangle_module
from tscript.frontend.source.symbols import AliasSymbol, ImportedSymbol, NamespaceSymbol, Symbol, UnknownSymbol
from tscript.late import dataclass
from tscript.parsing import parse
from tscript.types.options import device_named

ROOTS = frozenset({"torch", "tscript"})
"""Packages whose names mean tscript's operators."""

MODULES: dict[str, object] = {
    **{
        m.__name__: m
        for m in (
            math,
            cmath,
            typing,
            builtins,
            dataclasses,
            enum,
            abc,
            collections,
            functools,
            heapq,
            itertools,
            bisect,
            warnings,
            numbers,
        )
    },
    "typing_extensions": typing,
    "collections.abc": collections.abc,
}
"""Modules of the standard library whose names are known without running anything."""

SCRIPT_DECORATORS = frozenset(
    {
        "script",
        "jit.script",
        "export",
        "jit.export",
        "jit.script_if_tracing",
        "jit._script_if_tracing",
        "compile",
        "vectorize",
    }
)
"""Names inside `torch` or `tscript` that mark a function for compilation."""

NEUTRAL_DECORATORS = frozenset(
    {"no_grad", "enable_grad", "inference_mode", "fx.wrap", "compiler.disable", "compiler.allow_in_graph"}
)
"""Those that change nothing here."""

MARKS: dict[str, str] = {name: name.removeprefix("jit.") for name in ("ignore", "jit.ignore", "unused", "jit.unused")}
"""Names inside `torch` or `tscript` that mark a function as one that is not compiled, and how."""


_MATH = frozenset(function for function in vars(math).values() if isinstance(function, types.BuiltinFunctionType))
"""Functions of numbers that constants may call."""

Importer = Callable[[str, str], "SourceModule | None"]
"""Finds the module of a name (with its leading dots) that a file (the second) imports; None if it does not exist."""


@dataclass(frozen=True, slots=True)
class _Import:
    """A name that is looked up in another file when it is used: a module, or `member` of it."""

    module: str
    member: str | None


@dataclass(frozen=True, slots=True)
class ImportedFunction:
    """A function that another file defines."""

    module: SourceModule
    tree: ast.FunctionDef


@dataclass(eq=False, slots=True)
class SourceClass:
    """A class that a file defines; `environment` is that of its module, and `symbol` its symbol, once it is known."""

    module: SourceModule
    tree: ast.ClassDef
    environment: object = None
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class SourceMember:
    """An attribute of a class of a file: ``Color.RED``."""

    owner: SourceClass
    name: str


class SourceModule:
    """A parsed module; `importer` finds those that it imports."""

    __slots__ = (
        "_definitions",
        "_evaluating",
        "_functions",
        "_importer",
        "_values",
        "annotations",
        "coroutines",
        "deriving",
        "lines",
        "source",
    )

    def __init__(self, tree: ast.Module, source: SourceFile, importer: Importer | None = None) -> None:
        self.source = source
        self._importer = importer
        self.lines = source.text.split("\n")
        self._definitions: dict[str, object] = {}
        self._functions: dict[str, ast.FunctionDef] = {}
        self._evaluating: set[str] = set()
        self.annotations: dict[str, ast.expr] = {}
        """Types that it declares for its names."""
        self._values: dict[ast.expr, object] = {}
        self.coroutines: list[ast.AsyncFunctionDef] = []
        for statement in _statements(tree.body):
            self._define(statement)
        self.deriving = [c for c in self.classes() if c.tree.bases]
        """The classes at top level that derive from others."""

    def functions(self) -> Iterable[ast.FunctionDef]:
        """The functions at top level, in the order of their last definitions."""
        return [f for name, f in self._functions.items() if self._definitions.get(name) is f]

    def classes(self) -> list[SourceClass]:
        """The classes at top level."""
        return [c for c in self._definitions.values() if isinstance(c, SourceClass) and c.module is self]

    def names(self) -> Iterable[str]:
        """All names, builtins included."""
        return [*self._definitions, *vars(builtins)]

    def definition(self, name: str) -> object:
        """The meaning of `name`: a `Symbol`, a Python object, the definition of a function, or, from another file, an
        `ImportedFunction` or a module.

        Raises:
            KeyError: Nothing defines it.
        """
        if name not in self._definitions:
            return vars(builtins)[name]
        found = self._definitions[name]
        if isinstance(found, ast.expr | _Import):
            if isinstance(found, ast.expr) and found in self._values:
                return self._values[found]
            if name in self._evaluating:
                raise KeyError(name)
            self._evaluating.add(name)
            try:
                value = self.constant(found) if isinstance(found, ast.expr) else self._other(found)
                if isinstance(found, ast.expr) and isinstance(value, _COMPUTED):
                    self._values[found] = (
                        value  # once: a constant may name another one twice, which names another twice …
                    )
                if isinstance(value, typing.TypeVar):
                    self._definitions[name] = value  # known by its identity
                return value
            except NotConstant as reason:
                container = _CONTAINERS.get(type(found))
                if container is not None:
                    return UnknownSymbol(container[0], container[1].format(reason=reason))
                what = "computed when the module runs"
                instead = (
                    f"the file is read, not run, and this is {reason}: write a constant, or pass the value as "
                    f"an argument"
                )
                if isinstance(found, ast.Subscript | ast.BinOp):
                    return AliasSymbol(what, instead, found, self)
                return UnknownSymbol(what, instead)
            finally:
                self._evaluating.discard(name)
        return found

    def own(self, name: str) -> object:
        """The meaning of `name` as a member of this module: without the builtins, but with the modules in its package.

        Raises:
            KeyError: Nothing defines it.
        """
        if name not in self._definitions:
            module = self._find(f".{name}") if self.source.name.endswith("__init__.py") else None
            if module is None:
                raise KeyError(name)
            return module
        found = self.definition(name)
        return ImportedFunction(self, found) if isinstance(found, ast.FunctionDef) else found

    def _find(self, name: str) -> SourceModule | None:
        return None if self._importer is None else self._importer(name, self.source.name)

    def _other(self, wanted: _Import) -> object:
        """The meaning of a name imported from another file."""
        name, member = wanted.module, wanted.member
        module = self._find(name)
        if member is not None:
            try:
                return module.own(member) if module is not None else self._submodule(name, member)
            except KeyError:
                return UnknownSymbol(f"not in '{name}'", f"define '{member}' there, or import it from where it is")
        return _unknown_module(name) if module is None else module

    def _submodule(self, name: str, member: str) -> object:
        """A module in a folder without ``__init__.py``."""
        found = self._find(f"{name}{'' if name.endswith('.') else '.'}{member}")
        return _unknown_module(name, member) if found is None else found

    def scripted_methods(self, cls: SourceClass) -> frozenset[str]:
        """The methods of a class that are decorated with ``@script``, if the class itself is not."""
        if any(map(self.is_script, cls.tree.decorator_list)):
            return frozenset()
        methods = (node for node in cls.tree.body if isinstance(node, ast.FunctionDef))
        return frozenset(m.name for m in methods if any(map(self.is_script, m.decorator_list)))

    def is_interface(self, cls: SourceClass) -> bool:
        """Whether a class only says which methods values have."""
        if any(self._decorator(d) == "jit.interface" for d in cls.tree.decorator_list):
            return True
        bases = (base.value if isinstance(base, ast.Subscript) else base for base in cls.tree.bases)
        return any(isinstance(b, ast.Name | ast.Attribute) and self._is_protocol(b) for b in bases)

    def _is_protocol(self, base: ast.expr) -> bool:
        try:
            return self.constant(base) is typing.Protocol
        except (NotConstant, KeyError):
            return False

    def is_script(self, decorator: ast.expr) -> bool:
        """Whether a decorator only marks a function for compilation."""
        return self._decorator(decorator) in SCRIPT_DECORATORS

    def is_neutral(self, decorator: ast.expr) -> bool:
        """Whether a decorator changes nothing here: a mode of autograd, a mark for other tools, or a function that
        returns what it is given."""
        return self._decorator(decorator) in NEUTRAL_DECORATORS or self._gives_back(decorator)

    def _gives_back(self, decorator: ast.expr) -> bool:
        """Whether a decorator is a function that is written to return the function that it gets, which it may
        register; or a call of one that makes such a decorator."""
        called = isinstance(decorator, ast.Call)
        try:
            found = self.constant(decorator.func if isinstance(decorator, ast.Call) else decorator)
        except (NotConstant, KeyError):
            return False
        tree = found.tree if isinstance(found, ImportedFunction) else found
        return isinstance(tree, ast.FunctionDef) and not tree.decorator_list and gives_back(tree, called)

    def is_fast(self, decorator: ast.expr) -> bool:
        """Whether a decorator has ``fastmath=True``."""
        keywords = decorator.keywords if isinstance(decorator, ast.Call) and self.is_script(decorator) else []
        return any(
            k.arg == "fastmath" and isinstance(k.value, ast.Constant) and k.value.value is True for k in keywords
        )

    def is_vectorize(self, decorator: ast.expr) -> bool:
        """Whether a decorator makes a function of numbers one of arrays."""
        return self._decorator(decorator) == "vectorize"

    def mark(self, decorator: ast.expr) -> str:
        """``ignore`` or ``unused`` for such a decorator; else empty."""
        found = MARKS.get(self._decorator(decorator), "")
        drops = isinstance(decorator, ast.Call) and any(
            k.arg == "drop" and isinstance(k.value, ast.Constant) and k.value.value for k in decorator.keywords
        )
        return "unused" if found and drops else found

    def _decorator(self, decorator: ast.expr) -> str:
        """The name of a decorator inside `torch` or `tscript`; empty for others."""
        if isinstance(decorator, ast.Call):
            decorator = decorator.func
        try:
            found = self.constant(decorator)
        except (NotConstant, KeyError):
            return ""
        return found.path.partition(".")[2] if isinstance(found, NamespaceSymbol) else ""

    def constant(self, node: ast.expr) -> object:
        """The value (or `Symbol`) of an expression over constants.

        Raises:
            NotConstant: It is not constant; the message says what was found.
        """
        evaluate = _EVALUATE.get(type(node))
        if evaluate is None:
            raise NotConstant(
                _CONTAINERS[type(node)][0] if type(node) in _CONTAINERS else f"the result of {_article(node)}"
            )
        return evaluate(self, node)

    def _define(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import(names=aliases):
                for alias in aliases:
                    root = alias.name.partition(".")[0]
                    self._definitions[alias.asname or root] = self._imported(alias.name if alias.asname else root, None)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                path = "." * level + (module or "")
                for alias in aliases:
                    if alias.name == "*" and path in MODULES:
                        self._definitions.update(
                            {n: v for n, v in vars(MODULES[path]).items() if not n.startswith("_")}
                        )
                        continue
                    self._definitions[alias.asname or alias.name] = self._imported(path, alias.name)
            case ast.FunctionDef(name=name):
                self._functions.pop(name, None)
                self._functions[name] = statement
                self._definitions[name] = statement
            case ast.AsyncFunctionDef(name=name):
                self.coroutines.append(statement)
                self._definitions[name] = UnknownSymbol("a coroutine", "call a plain function")
            case ast.ClassDef(name=name):
                self._definitions[name] = SourceClass(self, statement)
            case ast.Assign(targets=targets, value=value):
                self._change(statement)
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
                self._definitions[name] = value
                self.annotations[name] = annotation
            case ast.AugAssign(target=ast.Name(id=name)):
                self._definitions[name] = UnknownSymbol(
                    "computed when the module runs", "assign the constant in one step"
                )
            case ast.Expr() | ast.AugAssign() | ast.Delete() | ast.For() | ast.While():
                self._change(statement)

    def _imported(self, path: str, member: str | None) -> object:
        found = _known_module(path)
        if found is None:
            return _unknown_module(path, member) if self._importer is None else _Import(path, member)
        return found if member is None else _member(found, member, path)

    def _change(self, statement: ast.stmt) -> None:
        """A statement that may change lists, dicts and sets: those that it assigns to elements of, and whose methods it
        calls."""
        for node in ast.walk(statement):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                    pass
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                    pass
                case _:
                    continue
            if type(self._definitions.get(name)) in (ast.List, ast.Dict, ast.Set):
                what = "changed when the module runs"
                self._definitions[name] = UnknownSymbol(what, "write all its elements where it is assigned")

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                self._definitions[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(targets)
                for i, inner in enumerate(targets):
                    if same and isinstance(value, ast.Tuple | ast.List):
                        self._assign(inner, value.elts[i])
                    elif isinstance(inner, ast.Name):
                        self._definitions[inner.id] = UnknownSymbol(
                            "unpacked from a value", "assign each constant by itself"
                        )

    # Constant expressions

    def _literal(self, node: ast.Constant) -> object:
        return node.value

    def _name(self, node: ast.Name) -> object:
        try:
            found = self.definition(node.id)
        except KeyError:
            raise NotConstant(f"'{node.id}', which is not defined") from None
        if isinstance(found, UnknownSymbol):
            raise NotConstant(f"from '{node.id}', which is {found.what}")
        return found

    def _attribute(self, node: ast.Attribute) -> object:
        owner = self.constant(node.value)
        found = _member(owner, node.attr, ast.unparse(node.value))
        if isinstance(found, UnknownSymbol):
            raise NotConstant(found.what)
        return found

    def _tuple(self, node: ast.Tuple) -> object:
        found = tuple(self.constant(e) for e in node.elts)
        if parts(found) > MAX_CONSTANT_PARTS:
            raise NotConstant(f"a tuple of more than {MAX_CONSTANT_PARTS:,} constants")
        return found

    def _list(self, node: ast.List) -> object:
        return [self.constant(e) for e in node.elts]

    def _set(self, node: ast.Set) -> object:
        return set(_hashed([self.constant(e) for e in node.elts]))

    def _dict(self, node: ast.Dict) -> object:
        found: dict[object, object] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                merged = self.constant(value)
                if not isinstance(merged, dict):
                    raise NotConstant(f"the entries of {_article(value)}")
                found.update(merged)
            else:
                (known,) = _hashed([self.constant(key)])
                found[known] = self.constant(value)
        return found

    def _unary(self, node: ast.UnaryOp) -> object:
        return unary(node.op, self.constant(node.operand))

    def _binary(self, node: ast.BinOp) -> object:
        return binary(node.op, self.constant(node.left), self.constant(node.right))

    def _call(self, node: ast.Call) -> object:
        function = self.constant(node.func)
        arguments = [self.constant(a) for a in node.args]
        if (
            function in (float, int)
            and len(arguments) == 1
            and not node.keywords
            and isinstance(arguments[0], int | float | str)
        ):
            try:
                return function(arguments[0])
            except (ValueError, OverflowError) as error:
                raise NotConstant(f"an expression that fails: {error}") from None
        numbers_given = not node.keywords and all(isinstance(a, int | float) for a in arguments)
        if isinstance(function, types.BuiltinFunctionType) and function in _MATH and numbers_given:
            try:
                found: object = function(*arguments)
                return found
            except (TypeError, ValueError, OverflowError) as error:
                raise NotConstant(f"an expression that fails: {error}") from None
        if isinstance(function, NamespaceSymbol) and function.path.partition(".")[2] == "device":
            if len(arguments) == 1 and isinstance(arguments[0], str) and not node.keywords:
                try:
                    return device_named(arguments[0])
                except RuntimeError as error:
                    raise NotConstant(f"an expression that fails: {error}") from None
        if function is typing.TypeVar and len(arguments) == 1 and isinstance(arguments[0], str) and not node.keywords:
            return typing.TypeVar(arguments[0])
        raise NotConstant(f"the result of {_article(node)}")


def parse_module(text: str, filename: str, importer: Importer | None = None) -> SourceModule:
    """Parse a module, without running it. `importer` finds the modules that it imports.

    Raises:
        CompileError: It is not Python (TS506; also a `SyntaxError`).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    source = SourceFile(filename, text)
    try:
        tree = parse(text, filename)
    except SyntaxError as error:
        line, col = error.lineno or 1, max((error.offset or 1) - 1, 0)
        end = (error.end_offset or 0) - 1 if error.end_lineno in (None, line) else col
        at = Span(source, line, col, line, max(end, col + 1))
        raise compile_error([InvalidSyntax(at, error.msg)]) from None
    except (ValueError, RecursionError, MemoryError) as error:
        at = Span(source, 1, 0, 1, 0)
        message = "the text is nested too deeply" if not isinstance(error, ValueError) else str(error)
        raise compile_error([InvalidSyntax(at, message)]) from None
    annotate(tree, text.split("\n"))
    mangle_module(tree, text)
    own = _bound_in(tree)
    replace_index_values(tree, text, lambda name: name not in own)
    return SourceModule(tree, source, importer)


def _bound_in(tree: ast.Module) -> set[str]:
    """The names that statements of a module bind, at its top level."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
        else:
            found |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return found


def read_source(path: Path) -> str:
    """The source of a Python file, in the encoding that it declares.

    Raises:
        CompileError: It is not text in that encoding (TS506; also a `SyntaxError`).
        OSError: It cannot be read.
    """
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        at = Span(SourceFile(str(path)), 1, 0, 1, 0)
        what = error.msg if isinstance(error, SyntaxError) else f"the file is not {error.encoding} text"
        raise compile_error([InvalidSyntax(at, what)]) from None


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that define top-level names, inside ``if`` and ``try`` too (but not ``if __name__ == ...``)."""
    for statement in body:
        match statement:
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                continue
            case ast.If(test=test, body=then, orelse=orelse) if ast.unparse(test).endswith("TYPE_CHECKING"):
                # What is bound last counts: what is so when the module runs.
                runs_then = isinstance(test, ast.UnaryOp)
                for block in (orelse, then) if runs_then else (then, orelse):
                    yield from _statements(block)
            case ast.If(body=then, orelse=orelse):
                yield from _statements(orelse)
                yield from _statements(then)
            case ast.Try(body=then, handlers=handlers, orelse=orelse, finalbody=final):
                for handler in handlers:
                    yield from _statements(handler.body)
                yield from _statements([*then, *orelse, *final])
            case ast.With(body=inner):
                yield from _statements(inner)
            case _:
                yield statement


def _hashed(keys: list[object]) -> dict[object, None]:
    """Constants as keys."""
    try:
        return dict.fromkeys(keys)
    except TypeError as error:
        raise NotConstant(f"an expression that fails: {error}") from None


def _known_module(path: str) -> object | None:
    if path.partition(".")[0] in (*ROOTS, NUMPY):
        return NamespaceSymbol(path)
    return MODULES.get(path)


def _unknown_module(path: str, member: str | None = None) -> UnknownSymbol:
    instead = "the file is read, not run, so only modules beside it are read: define it in this file"
    return ImportedSymbol(f"imported from '{path}'", instead, path if member is None else f"{path}.{member}")


def _member(owner: object, name: str, shown: str) -> object:
    """Member `name` of a module or namespace, or why there is none."""
    match owner:
        case NamespaceSymbol():
            return NamespaceSymbol(f"{owner.path}.{name}")
        case Symbol():
            return owner
        case SourceClass():
            return SourceMember(owner, name)
        case SourceModule():
            try:
                return owner.own(name)
            except KeyError:
                return UnknownSymbol(f"not in '{shown}'", "")
    if owner in MODULES.values():
        members: dict[str, Any] = vars(owner)
        if name in members:
            return members[name]
        close = close_matches(name, members)
        return UnknownSymbol(f"not in '{shown}'", f"did you mean '{close[0]}'?" if close else "")
    return UnknownSymbol(f"an attribute of '{shown}'", "the file is read, not run: only constants can be used")


def _article(node: ast.AST) -> str:
    name = type(node).__name__.lower()
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


_COMPUTED = (int, float, str, bytes, tuple, list, dict, set)
_CONSTANTS = "the file is read, not run: write its elements as constants; one is {reason}"
_CONTAINERS: dict[type[object], tuple[str, str]] = {
    ast.List: ("a list", _CONSTANTS),
    ast.ListComp: ("a list", "write its elements as constants"),
    ast.Set: ("a set", _CONSTANTS),
    ast.Dict: ("a dict", _CONSTANTS),
    ast.Lambda: ("a lambda", "write it as a function: 'def name(x): return ...'"),
}
_EVALUATE: dict[type[ast.expr], Callable[[SourceModule, Any], object]] = {
    ast.Constant: SourceModule._literal,
    ast.Name: SourceModule._name,
    ast.Attribute: SourceModule._attribute,
    ast.Tuple: SourceModule._tuple,
    ast.List: SourceModule._list,
    ast.Set: SourceModule._set,
    ast.Dict: SourceModule._dict,
    ast.UnaryOp: SourceModule._unary,
    ast.BinOp: SourceModule._binary,
    ast.Call: SourceModule._call,
}
