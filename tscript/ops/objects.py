"""Operators of values of any type."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.layout import CLASS_ORDER
from tscript.ops.lists import reads
from tscript.ops.opdef import Arg, OpDef, OperatorTypeError
from tscript.types import BOOL, BYTES, FLOAT, INT, STR, ClassType, EnumType, ListType, TupleType, Type


def _ordered(args: Sequence[Arg]) -> Type:
    """The rule of comparisons by order: two values of one type that has one."""
    first, second = (a.type for a in args)
    if first != second or not _has_order(first):
        raise OperatorTypeError(f"{first} and {second} have no order")
    return BOOL


def _has_order(type: Type) -> bool:
    match type:
        case TupleType():
            return all(map(_has_order, type.elements))
        case ListType():
            return _has_order(type.element)
        case ClassType():
            return bool(type.info.flags & CLASS_ORDER)
        case EnumType():
            return any(isinstance(v, int) for v in type.info.members.values())
    return type in (INT, FLOAT, BOOL, STR, BYTES)


OPERATORS: tuple[OpDef, ...] = (
    reads("hash.any(Any value) -> int", hash, "any_hash", "The hash of a value; CPython's for numbers and tuples."),
    reads("eq.any(Any value, Any other) -> bool", lambda a, b: a == b, "any_eq", "Whether two values are equal."),
    reads("ne.any(Any value, Any other) -> bool", lambda a, b: a != b, "any_ne", "Whether two values are not equal."),
    reads(
        "lt.any(Any value, Any other) -> bool",
        lambda a, b: a < b,
        "any_lt",
        "Whether a value comes before another.",
        rule=_ordered,
    ),
    reads(
        "le.any(Any value, Any other) -> bool",
        lambda a, b: a <= b,
        "any_le",
        "Whether it does not come after.",
        rule=_ordered,
    ),
    reads(
        "gt.any(Any value, Any other) -> bool",
        lambda a, b: a > b,
        "any_gt",
        "Whether a value comes after another.",
        rule=_ordered,
    ),
    reads(
        "ge.any(Any value, Any other) -> bool",
        lambda a, b: a >= b,
        "any_ge",
        "Whether it does not come before.",
        rule=_ordered,
    ),
    reads("repr.any(Any value) -> str", repr, "repr_value", "The value as text."),
)
