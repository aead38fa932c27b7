"""Arithmetic of ints modulo 2**64."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import operator

from tscript.definitions.define import composite, scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import i64, leaf, machine, quot, rem, select
from tscript.operators.python.int_arithmetic import floor_quotient
from tscript.operators.python.int_bits import shifted
from tscript.operators.python.overflow import wrapped


def wrapping_abs(a: i64) -> i64:
    return select(a < 0, -a, a)


def wrapping_shl(a: i64, b: i64) -> i64:
    if b < 0:
        raise ValueError("negative shift count")
    return select(b > 63, 0, a << b)


def wrapping_floor_divide(a: i64, b: i64) -> i64:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    q = quot(a, b)
    r = rem(a, b)
    if b > 0:
        return q + (r >> 63)  # no branch where b is a constant
    return select((r ^ b) < 0, select(r == 0, q, q - 1), q)


def wrapping_divmod(a: int, b: int) -> tuple[int, int]:
    if b == -1 and a == -9223372036854775807 - 1:
        return (a, 0)
    return (a // b, a % b)


OPERATORS: tuple[OpDef, ...] = (
    scalar(
        "wrapping_add.int(int a, int b) -> int",
        leaf(machine.ADD),
        "Sum modulo 2**64.",
        meaning=wrapped(operator.add),
    ),
    scalar(
        "wrapping_sub.int(int a, int b) -> int",
        leaf(machine.SUB),
        "Difference modulo 2**64.",
        meaning=wrapped(operator.sub),
    ),
    scalar(
        "wrapping_mul.int(int a, int b) -> int",
        leaf(machine.MUL),
        "Product modulo 2**64.",
        meaning=wrapped(operator.mul),
    ),
    scalar(
        "wrapping_shl.int(int a, int b) -> int",
        wrapping_shl,
        "``a << b`` modulo 2**64.",
        meaning=wrapped(shifted),
        raises=True,
    ),
)
"""What programs may call; the counts of shifts are not negative."""

HIDDEN: tuple[OpDef, ...] = (
    scalar("wrapping_neg.int(int a) -> int", leaf(machine.NEG), "``-a`` modulo 2**64.", meaning=wrapped(operator.neg)),
    scalar("wrapping_abs.int(int a) -> int", wrapping_abs, "Absolute value modulo 2**64.", meaning=wrapped(abs)),
    scalar(
        "wrapping_floor_divide.int(int a, int b) -> int",
        wrapping_floor_divide,
        "``a // b`` modulo 2**64.",
        meaning=wrapped(floor_quotient),
        raises=True,
    ),
    composite(
        "wrapping_divmod.int(int a, int b) -> (int, int)",
        wrapping_divmod,
        "The first version of `divmod.int`.",
        exact=True,
    ),
)
"""What only the compiler writes, and what operators of old archives are read as."""
