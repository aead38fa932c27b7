"""Types of Python objects and of symbols, as annotations name them."""

from __future__ import annotations

import builtins
import collections
import collections.abc
import numbers
import types
import typing
from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Any

from tscript.abi.exceptions import nearest
from tscript.abi.layout import MAX_RANK
from tscript.diagnostics import Diagnostic
from tscript.frontend.source.array_annotations import ArrayAnnotation, array_of
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import (
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
)
from tscript.late import dataclass, field
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    GENERATOR,
    INT,
    INTERFACE,
    NONE,
    STR,
    ArrayType,
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
    union,
)

if TYPE_CHECKING:
    pass


PLAIN: dict[Any, Type] = {
    int: INT,
    float: FLOAT,
    bool: BOOL,
    str: STR,
    bytes: BYTES,
    complex: COMPLEX,
    type(None): NONE,
    typing.Any: ANY,
    object: ANY,
    numbers.Number: union([INT, FLOAT, COMPLEX]),
    numbers.Complex: union([INT, FLOAT, COMPLEX]),
    numbers.Real: union([INT, FLOAT]),
    numbers.Rational: INT,
    numbers.Integral: INT,
}
"""Builtins that are types of the language."""


GENERIC: dict[Any, str] = {
    tuple: "tuple",
    typing.Tuple: "tuple",  # noqa: UP006 - the old spellings are accepted in source
    list: "list",
    typing.List: "list",  # noqa: UP006
    typing.Sequence: "list",
    typing.MutableSequence: "list",
    collections.abc.Sequence: "list",
    collections.abc.MutableSequence: "list",
    dict: "dict",
    typing.Dict: "dict",  # noqa: UP006
    typing.OrderedDict: "dict",
    collections.OrderedDict: "dict",
    typing.Mapping: "dict",
    typing.MutableMapping: "dict",
    collections.abc.Mapping: "dict",
    collections.abc.MutableMapping: "dict",
    set: "set",
    typing.Set: "set",  # noqa: UP006
    typing.AbstractSet: "set",
    collections.abc.Set: "set",
    collections.abc.MutableSet: "set",
    typing.Optional: "Optional",
    typing.Union: "Union",
    types.UnionType: "Union",
    typing.Callable: "Callable",
    collections.abc.Callable: "Callable",
    typing.Literal: "Literal",
}
"""Types with parameters, and the types of the language for them."""


BARE = frozenset({"list", "dict", "set", "tuple", "Callable"})
"""Types of Python that take the types of their elements from values where they stand alone."""


WRAPPERS: frozenset[Any] = frozenset({typing.Final, typing.Annotated, typing.ClassVar})
"""Wrappers of a type that do not change it."""


@dataclass(frozen=True, slots=True)
class TypeContext:
    """The context for reading annotations.

    Attributes:
        resolver: Says what names mean.
        report: Takes errors.
        bindings: The types of type variables and type parameters.
        is_open: Whether what an annotation leaves to values becomes an `OpenType`, and is no error.
    """

    resolver: Resolver
    report: Callable[[Diagnostic], None]
    bindings: Mapping[str, Type] = field(default_factory=dict)
    is_open: bool = False


def is_in(value: object, table: Container[Any]) -> bool:
    """Whether an object, which may have no hash, is in a table."""
    try:
        return value in table
    except TypeError:
        return False


def object_type(context: TypeContext, value: Any) -> Type | None:
    """The type of an evaluated annotation, if that needs no message."""
    if value is None:
        return NONE
    origin, arguments = typing.get_origin(value), typing.get_args(value)
    if (array := array_of(context.resolver, value)) is not None:
        return array_type(context, array)
    if origin is None:
        if context.is_open and is_in(value, GENERIC) and GENERIC[value] in BARE:
            return OpenType(GENERIC[value])
        return symbol_type(context, context.resolver.symbol(value))
    if isinstance(context.resolver.symbol(origin), FutureSymbol) and len(arguments) == 1:
        inner = object_type(context, arguments[0])
        return None if inner is None else FutureType(inner)
    if is_in(origin, WRAPPERS):
        return object_type(context, arguments[0])
    name = GENERIC.get(origin, "")
    if name == "Literal":
        return union([PLAIN[type(a)] for a in arguments])
    if name == "Callable" and isinstance(arguments[0], list):
        parameters = [object_type(context, a) for a in arguments[0]]
        result = object_type(context, arguments[1])
        if result is None or None in parameters:
            return None
        found = CallableType(tuple(p for p in parameters if p is not None), result)
        return OpenType("Callable") if leaves_open(found) else found
    if name == "tuple" and len(arguments) == 2 and arguments[1] is ...:
        element = object_type(context, arguments[0])
        return None if element is None else ListType(element, frozen=True)
    parts = [t for a in arguments if (t := object_type(context, a)) is not None]
    if len(parts) != len(arguments):
        return None
    match name, parts:
        case "list", [element]:
            return ListType(element)
        case "set", [element]:
            return SetType(element)
        case "dict", [key, item]:
            return DictType(key, item)
        case "Union" | "Optional", _:
            return union(parts)
        case "tuple", _:
            return TupleType(tuple(parts))
    return None


def array_type(context: TypeContext, array: ArrayAnnotation) -> Type | None:
    """The type of arrays that an annotation says something of; None if it has to say more."""
    if array.dtype is not None and array.rank is not None:
        return ArrayType(array.dtype, array.rank) if array.rank <= MAX_RANK else None
    return OpenType("ndarray", array.dtype, array.rank) if context.is_open else None


def symbol_type(context: TypeContext, symbol: Symbol) -> Type | None:
    """The type that a symbol names; None for other symbols."""
    match symbol:
        case TypeSymbol():
            return symbol.type
        case NumpyTypeSymbol():
            return ScalarType(symbol.dtype)
        case NumpySymbol(path="random.Generator"):
            return GENERATOR
        case ClassSymbol():
            return symbol.definition.type
        case InterfaceSymbol():
            return OpenType(INTERFACE) if context.is_open else None
        case ExceptionSymbol():
            return symbol.type or nearest(getattr(builtins, symbol.name))
        case TypeVariableSymbol():
            return context.bindings.get(symbol.name)
        case PythonSymbol(value=value):
            return PLAIN.get(value) if is_in(value, PLAIN) else None
        case ConstantSymbol(value=None):
            return NONE
        case PointerSymbol(pointee=Symbol() as pointee):
            inner = symbol_type(context, pointee)
            return None if inner is None else PtrType(inner)
    return None
