"""Conversions between int, float and bool."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import b8, f64, i64
from tscript.dialect.limits import int_float
from tscript.operators.python.int_arithmetic import same


def int_bool(a: b8) -> i64:
    return i64(a)


def float_int(a: i64) -> f64:
    return f64(a)


def float_bool(a: b8) -> f64:
    return f64(a)


def bool_int(a: i64) -> b8:
    return a != 0


def bool_float(a: f64) -> b8:
    return a != 0.0


OPERATORS: tuple[OpDef, ...] = (
    scalar("int.int(int a) -> int", same, "``int(a)`` of an int."),
    scalar("int.bool(bool a) -> int", int_bool, "``int(a)`` of a bool.", meaning=int),
    scalar(
        "int.float(float a) -> int", int_float, "``int(a)``: towards zero; OverflowError beyond 64 bits.", raises=True
    ),
    scalar("float.float(float a) -> float", same, "``float(a)`` of a float."),
    scalar("float.int(int a) -> float", float_int, "The nearest float.", meaning=float),
    scalar("float.bool(bool a) -> float", float_bool, "0.0 or 1.0.", meaning=float),
    scalar("bool.bool(bool a) -> bool", same, "``bool(a)`` of a bool."),
    scalar("bool.int(int a) -> bool", bool_int, "Whether a is not zero."),
    scalar("bool.float(float a) -> bool", bool_float, "Whether a is not zero; NaN is not."),
)
"""All operators of this module."""
