"""Annotations to types.

An annotation is read from the syntax tree, so string annotations and ``from __future__ import annotations`` work. If a
name in it can no longer be found (a local of a function that has returned), the evaluated object that Python kept is
used.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import re
import types
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tscript.abi.exceptions import nearest
from tscript.diagnostics.suggest import meant
from tscript.frontend.diagnostics import elsewhere, errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.source import libraries
from tscript.frontend.source.array_annotations import ArrayAnnotation, array_annotation
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.comments import MARK, NAMES
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import in_annotations
from tscript.frontend.source.object_types import (
    BARE,
    GENERIC,
    PLAIN,
    WRAPPERS,
    TypeContext,
    array_type,
    is_in,
    object_type,
)
from tscript.frontend.source.symbols import (
    AliasSymbol,
    BroadcastingSymbol,
    ConstantSymbol,
    ExceptionSymbol,
    FutureSymbol,
    InterfaceSymbol,
    NumpySymbol,
    NumpyTypeSymbol,
    PointerSymbol,
    PythonSymbol,
    Symbol,
    TypeSymbol,
    TypeVariableSymbol,
    UnknownSymbol,
)
from tscript.late import replace
from tscript.parsing import parse
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    GENERATOR,
    INT,
    INTERFACE,
    NONE,
    CallableType,
    DictType,
    FutureType,
    ListType,
    OpenType,
    PtrType,
    ScalarType,
    SetType,
    TupleType,
    Type,
    leaves_open,
    optional,
    union,
)

if TYPE_CHECKING:
    from tscript.frontend.source.functions import PythonFunction


_BARE: dict[str, str] = {
    "tuple": "write the type of each element: tuple[int, int]",
    "list": "write the type of its elements: list[int]",
    "dict": "write the types of keys and values: dict[str, int]",
    "set": "write the type of its elements: set[int]",
    "Optional": "write the other type: Optional[int]",
    "Union": "write its members: Union[int, str]",
    "Callable": "write parameters and result: Callable[[int], int]",
    "Literal": "write the constants: Literal['sum', 'mean']",
}
"""The help for one of them without parameters."""

_ARRAY = "write dimensions and dtype: np.ndarray[tuple[int, int], np.dtype[np.float64]]"

_REFUSED: dict[Any, tuple[str, str]] = {
    typing.Iterable: ("an iterable", "take a list: list[int]"),
    typing.Iterator: ("an iterator", "take a list: list[int]"),
    collections.abc.Iterable: ("an iterable", "take a list: list[int]"),
    collections.abc.Iterator: ("an iterator", "take a list: list[int]"),
    typing.Generator: ("a generator", "return a list: list[int]"),
    collections.abc.Generator: ("a generator", "return a list: list[int]"),
    typing.Awaitable: ("an awaitable", "take a Future: Future[int]"),
    collections.abc.Awaitable: ("an awaitable", "take a Future: Future[int]"),
    typing.Type: ("a class as a value", "write a function for each class"),  # noqa: UP006
    frozenset: ("a frozenset", "use a set: set[int]"),
    bytearray: ("a bytearray", "use bytes, or a list of ints"),
    range: ("a range", "pass start, stop and step as ints"),
    type: ("a class as a value", "write a function for each class"),
}
"""Types of Python that the language does not have, with the help."""


class _Refused(Exception):
    """An annotation is not a type of the language; the error has been reported."""


class _NotFound(Exception):
    """A name in an annotation cannot be found any more.

    Args:
        name: The name.
        node: Its place; None inside a string.
    """

    def __init__(self, name: str, node: ast.expr | None) -> None:
        super().__init__(name)
        self.node = node


_USUAL = (
    "int",
    "float",
    "bool",
    "str",
    "bytes",
    "complex",
    "list",
    "dict",
    "set",
    "tuple",
    "Tensor",
    "Optional",
    "Any",
)
"""Names of types for suggestions."""


_COUNT = re.compile(r"\bBroadcastingList([1-6])\[")


def broadcast_count(node: ast.expr) -> int:
    """How many elements a number stands for where a parameter has this annotation: 2 of ``BroadcastingList2[int]``; 0
    of others."""
    found = _COUNT.search(ast.unparse(node))
    return 0 if found is None else int(found[1])


def annotation_type(
    context: TypeContext,
    function: PythonFunction,
    node: ast.expr,
    evaluated: object = None,
    *,
    broadcasts: bool = False,
) -> Type | None:
    """The type that an annotation of `function` names; None after an error has been reported.

    Args:
        context: Resolves names, takes errors and binds type variables.
        function: Whose annotation it is.
        node: The annotation.
        evaluated: The object Python kept for it, if any.
        broadcasts: Whether ``BroadcastingList2[int]`` takes a number, too; else it is a list.
    """
    reader = _Reader(context, function)
    reader.broadcasts = broadcasts
    try:
        return reader.type(node)
    except _NotFound as name:
        if evaluated is not None and not isinstance(evaluated, str):
            found = object_type(context, evaluated)
            if found is not None:
                return found
        text = str(name)
        close = elsewhere.TYPES.get(text) or meant(text, _USUAL) or meant(text, function.environment.names())
        instead = f"did you mean '{close}'?" if close else "define or import it where the function is defined"
        context.report(errors.UnknownName(function.span(name.node or node), str(name), instead))
    except _Refused:
        pass
    return None


class _Reader:
    """One annotation being read."""

    __slots__ = ("aliases", "broadcasts", "context", "function", "inner", "place")

    def __init__(self, context: TypeContext, function: PythonFunction, inner: ast.expr | None = None) -> None:
        self.context = context
        self.function = function
        self.place = function
        self.inner = inner  # the enclosing string annotation, or the name of an alias, whose place errors show
        self.aliases: tuple[ast.expr, ...] = ()
        self.broadcasts = False

    def refuse(self, node: ast.expr, what: str, instead: str) -> _Refused:
        span = self.place.span(self.inner or node)
        self.context.report(type_errors.UnsupportedAnnotation(span, what, instead))
        return _Refused()

    def unknown(self, node: ast.expr, what: str, instead: str = "") -> _Refused:
        span = self.place.span(self.inner or node)
        self.context.report(type_errors.UnknownAnnotation(span, what, instead or type_errors.KNOWN_TYPES))
        return _Refused()

    def type(self, node: ast.expr) -> Type:
        """The type an expression names."""
        handler = _NODES.get(type(node))
        if handler is None:
            raise self.unknown(node, f"'{ast.unparse(node)}'", _written_as(node))
        return handler(self, node)

    def _constant(self, node: ast.Constant) -> Type:
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            try:
                tree = parse(node.value.strip(), mode="eval").body
            except SyntaxError:
                raise self.unknown(node, repr(node.value)) from None
            reader = _Reader(self.context, self.function, self.inner or node)
            reader.place, reader.aliases, reader.broadcasts = self.place, self.aliases, self.broadcasts
            return reader.type(tree)
        raise self.unknown(node, repr(node.value))

    def _named(self, node: ast.Name | ast.Attribute) -> Type:
        if (array := array_annotation(self.function, self.context.resolver, node)) is not None:
            return self._array(array, node)
        return self.type_of(self.symbol(node), node)

    def _union(self, node: ast.BinOp) -> Type:
        if not isinstance(node.op, ast.BitOr):
            raise self.unknown(node, f"'{ast.unparse(node)}'")
        return union([self.type(node.left), self.type(node.right)])

    def _subscript(self, node: ast.Subscript) -> Type:
        owner = self.symbol(node.value)
        if isinstance(owner, PointerSymbol):
            return PtrType(self.type(node.slice))
        if isinstance(owner, FutureSymbol):
            return FutureType(self.type(node.slice))
        if isinstance(owner, BroadcastingSymbol):
            return self._broadcasting(node)
        if (array := array_annotation(self.function, self.context.resolver, node)) is not None:
            return self._array(array, node)
        value = owner.value if isinstance(owner, PythonSymbol) else None
        if is_in(value, _REFUSED):
            raise self.refuse(node, *_REFUSED[value])
        if is_in(value, WRAPPERS):
            return self.type(node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice)
        if not is_in(value, GENERIC):
            raise self.unknown(node, f"'{ast.unparse(node)}'")
        parts: list[ast.expr] = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        name = GENERIC[value]
        if name == "Literal":
            return self._literal(parts, node)
        if name == "Callable":
            return self._callable(parts, node)
        if name == "tuple" and len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
            return ListType(self.type(parts[0]), frozen=True)
        if name == "tuple" and isinstance(node.slice, ast.Tuple) and not parts:
            return TupleType(())
        return self.generic(name, [self.type(part) for part in parts], node)

    def _broadcasting(self, node: ast.Subscript) -> Type:
        """A list of numbers, or a number that stands for one."""
        element = self.type(node.slice)
        if element not in (INT, FLOAT, BOOL) or not broadcast_count(node):
            text = f"'{ast.unparse(node)}'"
            raise self.refuse(node, text, "it is of int, float or bool, by its own name: BroadcastingList2[int]")
        return union([element, ListType(element)]) if self.broadcasts else ListType(element)

    def _array(self, array: ArrayAnnotation, node: ast.expr) -> Type:
        """An array whose dtype and dimensions are declared, or may be left open."""
        found = array_type(self.context, array)
        if found is None:
            raise self.refuse(node, f"'{ast.unparse(node)}'", _ARRAY)
        return found

    def generic(self, name: str, parts: list[Type], node: ast.expr) -> Type:
        """A type of the language with its parameters."""
        wanted = {"list": 1, "set": 1, "dict": 2, "Optional": 1}.get(name, len(parts))
        if len(parts) != wanted:
            count = f"{len(parts)} parameter{'' if len(parts) == 1 else 's'}"
            raise self.refuse(node, f"'{ast.unparse(node)}', which has {count},", _BARE[name])
        match name:
            case "list":
                return ListType(parts[0])
            case "set":
                return SetType(self.key(parts[0], node))
            case "dict":
                return DictType(self.key(parts[0], node), parts[1])
            case "Optional":
                return optional(parts[0])
            case "Union":
                return union(parts)
        return TupleType(tuple(parts))

    def key(self, type: Type, node: ast.expr) -> Type:
        """A type whose values are keys of a dict or elements of a set."""
        from tscript.frontend.source.hashing import no_key, unhashable_part

        unhashable = unhashable_part(type)
        if unhashable is not None:
            problem, instead = no_key(unhashable)
            raise self.refuse(node, f"{article(unhashable)} as a key ({problem})", instead)
        return type

    def _literal(self, parts: list[ast.expr], node: ast.expr) -> Type:
        found: list[Type] = []
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, bool | int | str | bytes | None):
                found.append(PLAIN[type(part.value)])
            elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
                found.append(INT)
            else:
                raise self.refuse(node, f"'{ast.unparse(part)}' in a Literal", _BARE["Literal"])
        return union(found)

    def _callable(self, parts: list[ast.expr], node: ast.expr) -> Type:
        if len(parts) != 2 or not isinstance(parts[0], ast.List):
            raise self.refuse(node, f"'{ast.unparse(node)}'", _BARE["Callable"])
        found = CallableType(tuple(self.type(p) for p in parts[0].elts), self.type(parts[1]))
        return OpenType("Callable") if leaves_open(found) else found

    def symbol(self, node: ast.expr) -> Symbol:
        """The symbol of a name or dotted name in an annotation."""
        refused = libraries.at(self.function, node, self.context.resolver)
        if refused is not None:
            instead = type_errors.KNOWN_TYPES if refused.instead.startswith(libraries.OUTSIDE) else refused.instead
            raise self.refuse(node, f"'{ast.unparse(node)}', {refused.what},", instead)
        match node:
            case ast.Name():
                try:
                    found = in_annotations(self.function.environment, node.id)
                except KeyError:
                    if getattr(node, MARK, False) and node.id in NAMES:
                        return self.context.resolver.symbol(NAMES[node.id])
                    raise _NotFound(node.id, None if self.inner else node) from None
                return self.context.resolver.symbol(found)
            case ast.Attribute():
                owner = self.symbol(node.value)
                member = self.context.resolver.member(owner, node.attr)
                if member is not None:
                    return member
        raise self.unknown(node, f"'{ast.unparse(node)}'")

    def type_of(self, symbol: Symbol, node: ast.expr) -> Type:
        """The type that a symbol names."""
        match symbol:
            case PythonSymbol(value=typing.TypeVar() as variable):
                bound = self.context.bindings.get(variable.__name__)
                if bound is None:
                    instead = "call it from a compiled function, whose arguments say what it stands for"
                    raise self.refuse(node, f"the type variable '{variable.__name__}', which is unbound,", instead)
                return bound
            case TypeSymbol():
                return symbol.type
            case NumpyTypeSymbol():
                return ScalarType(symbol.dtype)
            case NumpySymbol(path="random.Generator"):
                return GENERATOR
            case InterfaceSymbol():
                if self.context.is_open:
                    return OpenType(INTERFACE)
                instead = "write a class, or leave it out: a parameter without annotation takes instances of any class"
                raise self.refuse(node, f"'{ast.unparse(node)}', an interface,", instead)
            case ClassSymbol():
                for problem in symbol.definition.problems:
                    self.context.report(problem)
                if symbol.definition.problems:
                    raise _Refused
                return symbol.definition.type
            case ExceptionSymbol():
                return symbol.type or nearest(getattr(builtins, symbol.name))
            case ConstantSymbol(value=None):
                return NONE
            case AliasSymbol() if symbol.node not in self.aliases:
                reader = _Reader(self.context, replace(self.function, environment=symbol.environment))
                reader.place, reader.inner = self.place, self.inner or node
                reader.aliases = (*self.aliases, symbol.node)
                return reader.type(symbol.node)
            case BroadcastingSymbol():
                name = ast.unparse(node)
                raise self.refuse(node, f"'{name}' without a type argument", f"write the type: {name}[int]")
            case FutureSymbol():
                raise self.refuse(
                    node, "a Future without the type of its result", "write what the task returns: Future[Tensor]"
                )
            case TypeVariableSymbol():
                bound = self.context.bindings.get(symbol.name)
                if bound is None:
                    raise self.unknown(node, f"the type variable '{symbol.name}', which is unbound,")
                return bound
            case PythonSymbol(value=value):
                if is_in(value, PLAIN):
                    return PLAIN[value]
                if value is type and self.function.name == "__init__":
                    return ANY  # an attribute that may hold a class; compiled code gives it other values, such as None
                if is_in(value, _REFUSED):
                    raise self.refuse(node, *_REFUSED[value])
                if is_in(value, WRAPPERS):
                    name = ast.unparse(node)
                    raise self.refuse(node, f"'{name}' without a type argument", f"write the type: {name}[int]")
                if is_in(value, GENERIC):
                    name = GENERIC[value]
                    if self.context.is_open and name in BARE:
                        return OpenType(name)
                    raise self.refuse(node, f"'{name}' without type arguments", _BARE[name])
                if isinstance(value, types.GenericAlias | types.UnionType) or typing.get_origin(value) is not None:
                    return self._alias(value, node)
        if isinstance(symbol, UnknownSymbol):
            says_what = symbol.what.startswith(("a ", "an ", "the "))
            what = symbol.what if says_what else f"'{ast.unparse(node)}', {symbol.what},"
            raise self.refuse(node, what, symbol.instead or type_errors.KNOWN_TYPES)
        raise self.unknown(node, shown_symbol(symbol), _written_as(node))

    def _alias(self, value: Any, node: ast.expr) -> Type:
        """A type alias: ``Pair = tuple[int, int]``."""
        found = object_type(self.context, value)
        if found is None:
            origin = typing.get_origin(value)
            known = (
                _REFUSED[origin]
                if is_in(origin, _REFUSED)
                else (f"'{ast.unparse(node)}'", "write a type of the language")
            )
            raise self.refuse(node, *known)
        return found


def _written_as(node: ast.expr) -> str:
    """The spelling of the type that was probably meant; empty if unknown."""
    match node:
        case ast.Name(id="callable" | "function"):
            return "write Callable[[int], int], from collections.abc"
        case ast.Call(func=ast.Name(id=name), args=args) if name in (
            "list",
            "set",
            "dict",
            "tuple",
            "Optional",
            "Union",
        ):
            return f"write it with brackets: {name}[{', '.join(map(ast.unparse, args))}]"
        case ast.List(elts=[element]):
            return f"write the type of a list: list[{ast.unparse(element)}]"
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if elements:
            return f"write the type of a tuple: tuple[{', '.join(map(ast.unparse, elements))}]"
        case ast.Dict(keys=[ast.expr() as key], values=[value]):
            return f"write the type of a dict: dict[{ast.unparse(key)}, {ast.unparse(value)}]"
        case ast.Set(elts=[element]):
            return f"write the type of a set: set[{ast.unparse(element)}]"
        case ast.BoolOp(values=values):
            return f"write a union: {' | '.join(map(ast.unparse, values))}"
    return ""


_NODES: dict[type[ast.expr], Callable[[_Reader, Any], Type]] = {
    ast.Constant: _Reader._constant,
    ast.Name: _Reader._named,
    ast.Attribute: _Reader._named,
    ast.BinOp: _Reader._union,
    ast.Subscript: _Reader._subscript,
}
