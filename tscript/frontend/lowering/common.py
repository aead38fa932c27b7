"""The type that values of several types have in common, and conversions that need not be written."""

from __future__ import annotations

from tscript.frontend.source.classes import defines
from tscript.types import (
    ANY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    NONE,
    SIZE,
    ClassType,
    DictType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    is_subtype,
    join,
    members_of,
    union,
)
from tscript.types.inference import is_open

IMPLICIT: dict[tuple[Type, Type], str] = {
    (INT, FLOAT): "float",
    (BOOL, FLOAT): "float",
    (BOOL, INT): "int",
    (INT, COMPLEX): "complex",
    (FLOAT, COMPLEX): "complex",
    (BOOL, COMPLEX): "complex",
}
"""Conversions of numbers that need not be written, with their operator."""


def becomes(found: Type, target: Type) -> bool:
    """Whether a dict can be copied into one of type `target`, entry by entry, and is not of that type."""
    if not isinstance(found, DictType) or not isinstance(target, DictType) or is_open(found) or is_open(target):
        return False
    return found != target and is_wider(found.key, target.key) and is_wider(found.value, target.value)


def is_wider(found: Type, target: Type) -> bool:
    """Whether every value of a type can stand for one of another, without saying so."""
    return is_subtype(found, target) or (found, target) in IMPLICIT


def any_length(a: Type, b: Type) -> Type | None:
    """The tuple of any length that values of two types of tuple can be; None where that is none.

    Example:
        >>> from tscript.types import TupleType
        >>> str(any_length(TupleType((INT, INT)), TupleType((INT,))))
        'tuple[int, ...]'
    """
    held: set[Type] = set()
    for type in (a, b):
        match type:
            case TupleType(elements=elements, named=None):
                held |= {*elements}
            case ListType(element=element, frozen=True):
                held.add(element)
            case _:
                return None
    return ListType(held.pop(), frozen=True) if len(held) == 1 and NEVER not in held else None


def filled(a: TupleType, b: TupleType) -> Type | None:
    """The type of two tuples that differ in containers alone that are empty in one of them; None for others."""
    if len(a.elements) != len(b.elements) or a.named is not b.named:
        return None
    parts: list[Type] = []
    for x, y in zip(a.elements, b.elements, strict=True):
        found: Type | None = x if x == y else None
        if isinstance(x, TupleType) and isinstance(y, TupleType) and found is None:
            found = filled(x, y)
        elif type(x) is type(y) and is_open(x) != is_open(y):
            found = y if is_open(x) else x
        if found is None:
            return None
        parts.append(found)
    return TupleType(tuple(parts), a.named)


def common(a: Type, b: Type) -> Type | None:
    """The type of a value that is of one type here and of another there; None when there is none without saying it.

    Example:
        >>> from tscript.types import STR
        >>> str(common(NONE, STR)), common(INT, STR)
        ('Optional[str]', None)
    """
    if type(a) is type(b) and is_open(a) != is_open(b):
        return b if is_open(a) else a
    if isinstance(a, TupleType) and isinstance(b, TupleType) and (both := filled(a, b)) is not None:
        return both
    if isinstance(a, TensorType) or isinstance(b, TensorType):
        # A dtype is not forgotten without saying it; that a value may be None, or of another type, was said.
        held = {*members_of(a), *members_of(b)}
        return (
            union([a, b]) if NONE in (a, b) or ANY in (a, b) or held in ({*members_of(a)}, {*members_of(b)}) else None
        )
    if isinstance(a, UnionType) or isinstance(b, UnionType):
        return union([a, b])
    if isinstance(a, ListType) or isinstance(b, ListType):
        return join(a, b) or any_length(a, b)
    found = join(a, b)
    return None if found == SIZE else found


def has_identity(type: Type) -> bool:
    """Whether ``is`` means something for values of a type: they are objects of their own."""
    inner = type.value if isinstance(type, OptionalType) else type
    return isinstance(inner, ClassType | DictType | SetType | TensorType) or (
        isinstance(inner, ListType) and not inner.frozen
    )


EQUAL = ("__eq__",)


def has_own(type: Type) -> bool:
    """Whether equality of values of a type is what a class says, or asks tensors that they hold; of tensors it is an
    operator."""
    return not isinstance(type, TensorType) and defines(type, EQUAL)
