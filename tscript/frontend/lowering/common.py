"""The common type of several types, and implicit conversions."""

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
    TENSOR,
    ArrayType,
    DictType,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    is_subtype,
    join,
    members_of,
    optional,
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
"""Implicit conversions of numbers, with their operators."""


def becomes(found: Type, target: Type) -> bool:
    """Whether a dict of another type can be copied into one of type `target`, entry by entry."""
    if not isinstance(found, DictType) or not isinstance(target, DictType) or is_open(found) or is_open(target):
        return False
    return found != target and is_wider(found.key, target.key) and is_wider(found.value, target.value)


def is_wider(found: Type, target: Type) -> bool:
    """Whether every value of a type converts implicitly to another type."""
    return is_subtype(found, target) or (found, target) in IMPLICIT


def any_length(a: Type, b: Type) -> Type | None:
    """The ``tuple[T, ...]`` type to which two tuple types convert; None if there is none.

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
    """The common type of two tuples that differ only in containers which are empty in one of them; None for others."""
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


def same_class(a: TupleType, b: TupleType) -> bool:
    """Whether two tuples are plain, or named tuples of one class, whatever its fields hold."""
    return a.named is b.named or bool(a.named and b.named and a.named.typed and a.named.typed is b.named.typed)


def _has_array(type: Type) -> bool:
    return type == ANY or any(isinstance(member, ArrayType) for member in members_of(type))


def _tuples(a: TupleType, b: TupleType) -> Type | None:
    """The common type of two tuples of one class; None if there is none."""
    if len(a.elements) != len(b.elements) or not same_class(a, b):
        return None
    parts: list[Type] = []
    for x, y in zip(a.elements, b.elements, strict=True):
        found = _tuples(x, y) if isinstance(x, TupleType) and isinstance(y, TupleType) else join(x, y)
        if found is None or ((_has_array(x) or _has_array(y)) and not _has_array(found)):
            return None
        parts.append(found)
    if a.named is b.named:
        return TupleType(tuple(parts), a.named)
    assert a.named is not None and a.named.typed is not None
    made: Type | None = a.named.typed(tuple(parts))
    return made


def common(a: Type, b: Type) -> Type | None:
    """The common type of two types, without an annotation; None if there is none.

    Example:
        >>> from tscript.types import STR
        >>> str(common(NONE, STR)), common(INT, STR)
        ('Optional[str]', None)
    """
    if type(a) is type(b) and is_open(a) != is_open(b):
        return b if is_open(a) else a
    if isinstance(a, TupleType) and isinstance(b, TupleType) and (both := filled(a, b)) is not None:
        return both
    if isinstance(a, TensorType) and isinstance(b, TensorType):  # attributes of modules, of which more is known
        return TENSOR
    if isinstance(a, TensorType) or isinstance(b, TensorType):
        # Forgetting a dtype needs an annotation. An optional or a union already has one.
        held = {*members_of(a), *members_of(b)}
        return (
            union([a, b]) if NONE in (a, b) or ANY in (a, b) or held in ({*members_of(a)}, {*members_of(b)}) else None
        )
    if isinstance(a, UnionType) or isinstance(b, UnionType):
        return union([a, b])
    if isinstance(a, ListType) or isinstance(b, ListType):
        return join(a, b) or any_length(a, b)
    x, y = (t.value if isinstance(t, OptionalType) else t for t in (a, b))
    if isinstance(x, TupleType) and isinstance(y, TupleType):
        both = _tuples(x, y)
        return optional(both) if both is not None and (x, y) != (a, b) else both
    found = join(a, b)
    return None if found == SIZE else found


EQUAL = ("__eq__",)
ORDER = ("__lt__", "__gt__", "__le__", "__ge__")


def has_own(type: Type) -> bool:
    """Whether a class defines the equality of values of a type, or tensors inside them do; of tensors themselves it is
    an operator."""
    return not isinstance(type, TensorType) and defines(type, EQUAL)
