"""Comparisons of ints, floats, bools and dtypes.

Those of an int with a float compare the numbers, not the int rounded to a float, as CPython does.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import Intrinsic, b8, f64, i64, leaf, machine, select
from tscript.dialect.limits import TOO_LARGE


def compare(a: i64, b: f64) -> i64:
    """-1, 0 or 1 as a is less than, equal to or greater than b; 2 when b is not a number. Rounding keeps the order."""
    x = f64(a)
    if x < b:
        return -1
    if x > b:
        return 1
    if x != b:
        return 2
    if b >= TOO_LARGE:
        return -1
    whole = i64(b)
    return select(a < whole, -1, select(a > whole, 1, 0))


def eq_int_float(a: i64, b: f64) -> b8:
    return compare(a, b) == 0


def ne_int_float(a: i64, b: f64) -> b8:
    return compare(a, b) != 0


def lt_int_float(a: i64, b: f64) -> b8:
    return compare(a, b) == -1


def le_int_float(a: i64, b: f64) -> b8:
    return compare(a, b) <= 0


def gt_int_float(a: i64, b: f64) -> b8:
    return compare(a, b) == 1


def ge_int_float(a: i64, b: f64) -> b8:
    order = compare(a, b)
    return (order == 0) | (order == 1)


def eq_float_int(a: f64, b: i64) -> b8:
    return compare(b, a) == 0


def ne_float_int(a: f64, b: i64) -> b8:
    return compare(b, a) != 0


def lt_float_int(a: f64, b: i64) -> b8:
    return compare(b, a) == 1


def le_float_int(a: f64, b: i64) -> b8:
    order = compare(b, a)
    return (order == 0) | (order == 1)


def gt_float_int(a: f64, b: i64) -> b8:
    return compare(b, a) == -1


def ge_float_int(a: f64, b: i64) -> b8:
    return compare(b, a) <= 0


_COMPARISONS: tuple[tuple[str, Intrinsic, Callable[..., bool], str], ...] = (
    ("eq", leaf(machine.EQ), operator.eq, "Whether both are equal."),
    ("ne", leaf(machine.NE), operator.ne, "Whether they differ."),
    ("lt", leaf(machine.LT), operator.lt, "Whether the first is less."),
    ("le", leaf(machine.LE), operator.le, "Whether the first is less or equal."),
    ("gt", leaf(machine.GT), operator.gt, "Whether the first is greater."),
    ("ge", leaf(machine.GE), operator.ge, "Whether the first is greater or equal."),
)


def _of_one_kind(kind: str, count: int) -> tuple[OpDef, ...]:
    return tuple(
        scalar(f"{name}.{kind}({kind} a, {kind} b) -> bool", body, doc, meaning=meaning)
        for name, body, meaning, doc in _COMPARISONS[:count]
    )


def _of_two_kinds(first: str, second: str, bodies: Mapping[str, Callable[..., Any]]) -> tuple[OpDef, ...]:
    return tuple(
        scalar(f"{name}.{first}_{second}({first} a, {second} b) -> bool", bodies[name], doc, meaning=meaning)
        for name, _, meaning, doc in _COMPARISONS
    )


OPERATORS: tuple[OpDef, ...] = (
    *_of_one_kind("bool", 2),
    *_of_one_kind("int", 6),
    *_of_one_kind("float", 6),
    *_of_two_kinds(
        "int",
        "float",
        {
            "eq": eq_int_float,
            "ne": ne_int_float,
            "lt": lt_int_float,
            "le": le_int_float,
            "gt": gt_int_float,
            "ge": ge_int_float,
        },
    ),
    *_of_two_kinds(
        "float",
        "int",
        {
            "eq": eq_float_int,
            "ne": ne_float_int,
            "lt": lt_float_int,
            "le": le_float_int,
            "gt": gt_float_int,
            "ge": ge_float_int,
        },
    ),
    scalar("eq.dtype(dtype a, dtype b) -> bool", leaf(machine.EQ), "Whether both are the same dtype."),
    scalar("ne.dtype(dtype a, dtype b) -> bool", leaf(machine.NE), "Whether the dtypes differ."),
)
"""All operators of this module; among overloads the narrower types come first."""
