"""Operators of values of any type."""

from __future__ import annotations

from tscript.ops.lists import reads
from tscript.ops.opdef import OpDef

OPERATORS: tuple[OpDef, ...] = (
    reads("hash.any(Any value) -> int", hash, "any_hash", "The hash of a value; CPython's for numbers and tuples."),
    reads("eq.any(Any value, Any other) -> bool", lambda a, b: a == b, "any_eq", "Whether two values are equal."),
    reads("ne.any(Any value, Any other) -> bool", lambda a, b: a != b, "any_ne", "Whether two values are not equal."),
    reads(
        "lt.any(Any value, Any other) -> bool", lambda a, b: a < b, "any_lt", "Whether a value comes before another."
    ),
    reads("le.any(Any value, Any other) -> bool", lambda a, b: a <= b, "any_le", "Whether it does not come after."),
    reads("gt.any(Any value, Any other) -> bool", lambda a, b: a > b, "any_gt", "Whether a value comes after another."),
    reads("ge.any(Any value, Any other) -> bool", lambda a, b: a >= b, "any_ge", "Whether it does not come before."),
    reads("repr.any(Any value) -> str", repr, "repr_value", "The value as text."),
)
