"""Annotations to types.

An annotation is read from the syntax tree, so text annotations and ``from __future__ import annotations`` work. Where a
name in it can no longer be found (a local of a function that has returned), the evaluated object Python kept is used.
"""

from __future__ import annotations

import ast
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tscript.diagnostics import Diagnostic
from tscript.frontend import errors, type_errors
from tscript.frontend.meanings import (
    ConstantMeaning,
    FutureMeaning,
    Meaning,
    PointerMeaning,
    PythonMeaning,
    TypeMeaning,
    TypeVariableMeaning,
    UnknownMeaning,
)
from tscript.frontend.names import Resolver, describe
from tscript.types import BOOL, FLOAT, INT, NONE, STR, FutureType, PtrType, TupleType, Type

if TYPE_CHECKING:
    from tscript.frontend.source import PythonFunction

_LISTS = "lists cannot be compiled yet; use a tuple of fixed length, such as tuple[int, int], or a Tensor"
_DICTS = "dicts cannot be compiled yet; pass each value as a parameter of its own"
_OPTIONAL = (
    "values that may be None cannot be compiled yet; pass a value of one type, and a bool that says whether it counts"
)
_UNION = "a value has one type here; write a function for each"
_ANY = "write the type; a parameter without annotation is a Tensor"

_PLAIN: dict[Any, Type] = {int: INT, float: FLOAT, bool: BOOL, str: STR, type(None): NONE}
"""Builtins that are types of the language."""

_TUPLES: frozenset[Any] = frozenset({tuple, typing.Tuple})  # noqa: UP006 - the old spelling is accepted in source

_REFUSED: dict[Any, tuple[str, str]] = {
    list: ("a list", _LISTS),
    typing.List: ("a list", _LISTS),  # noqa: UP006
    typing.Sequence: ("a sequence", _LISTS),
    typing.Iterable: ("an iterable", _LISTS),
    dict: ("a dict", _DICTS),
    typing.Dict: ("a dict", _DICTS),  # noqa: UP006
    typing.Mapping: ("a mapping", _DICTS),
    set: ("a set", _DICTS),
    typing.Set: ("a set", _DICTS),  # noqa: UP006
    typing.Optional: ("Optional", _OPTIONAL),
    typing.Union: ("a union of types", _UNION),
    typing.Any: ("Any", _ANY),
    object: ("object", _ANY),
    complex: ("complex", "complex numbers cannot be compiled yet; pass two floats"),
    bytes: ("bytes", "pass the numbers in a Tensor"),
    typing.Callable: ("a function as a value", "call the function by its name"),
    range: ("a range", "pass start, stop and step as ints"),
}
"""Types of Python that the language does not have, with what to do."""

_WRAPPERS: frozenset[Any] = frozenset({typing.Final, typing.Annotated, typing.ClassVar})
"""Stand around a type and change nothing."""


class _Refused(Exception):
    """An annotation is no type of the language; the error has been reported."""


class _NotFound(Exception):
    """A name in an annotation cannot be found any more."""


@dataclass(frozen=True, slots=True)
class TypeContext:
    """What reading annotations needs.

    Attributes:
        resolver: Says what names mean.
        report: Takes errors.
        bindings: What type variables and type parameters stand for.
    """

    resolver: Resolver
    report: Callable[[Diagnostic], None]
    bindings: Mapping[str, Type] = field(default_factory=dict)


def annotation_type(
    context: TypeContext, function: PythonFunction, node: ast.expr, evaluated: object = None
) -> Type | None:
    """The type that an annotation of `function` names; None after an error has been reported.

    Args:
        context: Resolves names, takes errors and binds type variables.
        function: Whose annotation it is.
        node: The annotation.
        evaluated: The object Python kept for it, if any.
    """
    reader = _Reader(context, function)
    try:
        return reader.type(node)
    except _NotFound as name:
        if evaluated is not None and not isinstance(evaluated, str):
            found = _from_object(context, evaluated)
            if found is not None:
                return found
        context.report(
            errors.UnknownName(function.span(node), str(name), "define or import it where the function is defined")
        )
    except _Refused:
        pass
    return None


class _Reader:
    """One annotation being read."""

    __slots__ = ("context", "function", "inner")

    def __init__(self, context: TypeContext, function: PythonFunction, inner: ast.expr | None = None) -> None:
        self.context = context
        self.function = function
        self.inner = inner  # the text annotation around, whose place errors name

    def refuse(self, node: ast.expr, what: str, instead: str) -> _Refused:
        span = self.function.span(self.inner or node)
        self.context.report(type_errors.UnsupportedAnnotation(span, what, instead))
        return _Refused()

    def unknown(self, node: ast.expr, what: str) -> _Refused:
        self.context.report(type_errors.UnknownAnnotation(self.function.span(self.inner or node), what))
        return _Refused()

    def type(self, node: ast.expr) -> Type:
        """The type an expression names."""
        handler = _NODES.get(type(node))
        if handler is None:
            raise self.unknown(node, f"'{ast.unparse(node)}'")
        return handler(self, node)

    def _constant(self, node: ast.Constant) -> Type:
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            try:
                tree = ast.parse(node.value.strip(), mode="eval").body
            except SyntaxError:
                raise self.unknown(node, repr(node.value)) from None
            return _Reader(self.context, self.function, self.inner or node).type(tree)
        raise self.unknown(node, repr(node.value))

    def _named(self, node: ast.Name | ast.Attribute) -> Type:
        return self.type_of(self.meaning(node), node)

    def _union(self, node: ast.BinOp) -> Type:
        if not isinstance(node.op, ast.BitOr):
            raise self.unknown(node, f"'{ast.unparse(node)}'")
        sides = [node.left, node.right]
        optional = any(isinstance(s, ast.Constant) and s.value is None for s in sides)
        raise self.refuse(
            node, "a type that may be None" if optional else "a union of types", _OPTIONAL if optional else _UNION
        )

    def _subscript(self, node: ast.Subscript) -> Type:
        owner = self.meaning(node.value)
        if isinstance(owner, PointerMeaning):
            return PtrType(self.type(node.slice))
        if isinstance(owner, FutureMeaning):
            return FutureType(self.type(node.slice))
        value = owner.value if isinstance(owner, PythonMeaning) else None
        if value in _REFUSED:
            raise self.refuse(node, *_REFUSED[value])
        if value in _WRAPPERS:
            return self.type(node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice)
        if value not in _TUPLES:
            raise self.unknown(node, f"'{ast.unparse(node)}'")
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(e, ast.Constant) and e.value is ... for e in elements):
            raise self.refuse(node, "a tuple of any length", "write the type of each element: tuple[int, int]")
        return TupleType(tuple(self.type(e) for e in elements))

    def meaning(self, node: ast.expr) -> Meaning:
        """What a name or dotted name in an annotation stands for."""
        match node:
            case ast.Name():
                try:
                    found = self.function.environment.lookup(node.id)
                except KeyError:
                    raise _NotFound(node.id) from None
                return self.context.resolver.meaning(found)
            case ast.Attribute():
                owner = self.meaning(node.value)
                member = self.context.resolver.member(owner, node.attr)
                if member is not None:
                    return member
        raise self.unknown(node, f"'{ast.unparse(node)}'")

    def type_of(self, meaning: Meaning, node: ast.expr) -> Type:
        """The type that a meaning names."""
        match meaning:
            case TypeMeaning():
                return meaning.type
            case ConstantMeaning(value=None):
                return NONE
            case FutureMeaning():
                raise self.refuse(
                    node, "a Future without the type of its result", "write what the task returns: Future[Tensor]"
                )
            case TypeVariableMeaning():
                bound = self.context.bindings.get(meaning.name)
                if bound is None:
                    raise self.unknown(node, f"the type variable '{meaning.name}', which is bound to nothing,")
                return bound
            case PythonMeaning(value=value):
                if value in _PLAIN:
                    return _PLAIN[value]
                if value in _REFUSED:
                    raise self.refuse(node, *_REFUSED[value])
                if value in _TUPLES:
                    raise self.refuse(
                        node, "a tuple without element types", "write the type of each element: tuple[int, int]"
                    )
                if isinstance(value, types.GenericAlias | types.UnionType) or typing.get_origin(value) is not None:
                    return self._alias(value, node)
        if isinstance(meaning, UnknownMeaning):
            raise self.refuse(
                node, meaning.what, meaning.instead or "types are int, float, bool, str, None, tuple[...] and Tensor"
            )
        raise self.unknown(node, describe(meaning))

    def _alias(self, value: Any, node: ast.expr) -> Type:
        """A type made elsewhere and given a name: ``Pair = tuple[int, int]``."""
        origin, arguments = typing.get_origin(value), typing.get_args(value)
        if origin is tuple and arguments and ... not in arguments:
            return TupleType(tuple(self.type_of(self.context.resolver.meaning(a), node) for a in arguments))
        if origin is not None and isinstance(self.context.resolver.meaning(origin), FutureMeaning) and arguments:
            return FutureType(self.type_of(self.context.resolver.meaning(arguments[0]), node))
        if origin in (typing.Union, types.UnionType):
            optional = type(None) in arguments
            raise self.refuse(
                node, "a type that may be None" if optional else "a union of types", _OPTIONAL if optional else _UNION
            )
        raise self.refuse(node, *_REFUSED.get(origin, (f"'{ast.unparse(node)}'", "write a type of the language")))


_NODES: dict[type[ast.expr], Callable[[_Reader, Any], Type]] = {
    ast.Constant: _Reader._constant,
    ast.Name: _Reader._named,
    ast.Attribute: _Reader._named,
    ast.BinOp: _Reader._union,
    ast.Subscript: _Reader._subscript,
}


def _from_object(context: TypeContext, value: object) -> Type | None:
    """The type that an evaluated annotation is, as far as it needs no message."""
    if value is None:
        return NONE
    if typing.get_origin(value) is tuple:
        found = [_from_object(context, a) for a in typing.get_args(value)]
        return None if None in found else TupleType(tuple(t for t in found if t is not None))
    origin = typing.get_origin(value)
    if origin is not None and isinstance(context.resolver.meaning(origin), FutureMeaning):
        (argument,) = typing.get_args(value)
        inner = _from_object(context, argument)
        return None if inner is None else FutureType(inner)
    return meaning_type(context, context.resolver.meaning(value))


def meaning_type(context: TypeContext, meaning: Meaning) -> Type | None:
    """The type that a meaning names, None when it names none."""
    match meaning:
        case TypeMeaning():
            return meaning.type
        case TypeVariableMeaning():
            return context.bindings.get(meaning.name)
        case PythonMeaning(value=value):
            return _PLAIN.get(value)
        case ConstantMeaning(value=None):
            return NONE
        case PointerMeaning(pointee=Meaning() as pointee):
            inner = meaning_type(context, pointee)
            return None if inner is None else PtrType(inner)
    return None
