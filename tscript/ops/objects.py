"""Operators of values of any type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.ops.lists import reads
from tscript.ops.opdef import Arg, OpDef, OperatorTypeError
from tscript.types import BOOL, Type


def _compared(args: Sequence[Arg]) -> Type:
    """Native code compares values of one type, cell by cell."""
    value, other = args
    if value.type != other.type:
        raise OperatorTypeError(f"'{value.type}' is not compared with '{other.type}'")
    return BOOL


def _compares(schema: str, semantics: Callable[..., object], symbol: str, doc: str) -> OpDef:
    return reads(schema, semantics, symbol, doc, rule=_compared)


OPERATORS: tuple[OpDef, ...] = (
    reads("hash.any(Any value) -> int", hash, "any_hash", "The hash of a value; CPython's for numbers and tuples."),
    _compares("eq.any(Any value, Any other) -> bool", lambda a, b: a == b, "any_eq", "Whether two values are equal."),
    _compares(
        "ne.any(Any value, Any other) -> bool", lambda a, b: a != b, "any_ne", "Whether two values are not equal."
    ),
    _compares(
        "lt.any(Any value, Any other) -> bool", lambda a, b: a < b, "any_lt", "Whether a value comes before another."
    ),
    _compares("le.any(Any value, Any other) -> bool", lambda a, b: a <= b, "any_le", "Whether it does not come after."),
    _compares(
        "gt.any(Any value, Any other) -> bool", lambda a, b: a > b, "any_gt", "Whether a value comes after another."
    ),
    _compares(
        "ge.any(Any value, Any other) -> bool", lambda a, b: a >= b, "any_ge", "Whether it does not come before."
    ),
    reads("repr.any(Any value) -> str", repr, "repr_value", "The value as text."),
)
