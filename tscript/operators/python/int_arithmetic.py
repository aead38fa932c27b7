"""Arithmetic of ints. Each body has CPython's meaning and raises its messages."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import operator

from tscript.definitions.define import composite, scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import T, add_overflows, divide, f64, i64, mul_overflows, quot, rem, select, sub_overflows
from tscript.dialect.limits import EXACT, MIN_INT
from tscript.late import replace
from tscript.operators.python.overflow import checked, too_large

HALF = 4611686018427387904
"""2**62."""

# ---- sum, difference, product

ADD_TOO_LARGE = too_large("{0} + {1}", "wrapping_add")
SUB_TOO_LARGE = too_large("{0} - {1}", "wrapping_sub")
MUL_TOO_LARGE = too_large("{0} * {1}", "wrapping_mul")


def add_int(a: i64, b: i64) -> i64:
    if add_overflows(a, b):
        raise OverflowError(ADD_TOO_LARGE, a, b)
    return a + b


def sub_int(a: i64, b: i64) -> i64:
    if sub_overflows(a, b):
        raise OverflowError(SUB_TOO_LARGE, a, b)
    return a - b


def mul_int(a: i64, b: i64) -> i64:
    if mul_overflows(a, b):
        raise OverflowError(MUL_TOO_LARGE, a, b)
    return a * b


_RING = (
    checked("add.int(int a, int b) -> int", add_int, operator.add, ADD_TOO_LARGE, "Sum of two ints."),
    checked("sub.int(int a, int b) -> int", sub_int, operator.sub, SUB_TOO_LARGE, "Difference of two ints."),
    checked("mul.int(int a, int b) -> int", mul_int, operator.mul, MUL_TOO_LARGE, "Product of two ints."),
)

# ---- quotients and remainders

DIVIDE_TOO_LARGE = too_large("{0} // {1}")


def exact_quotient(a: i64, b: i64) -> f64:
    """a / b rounded once, for ints too large to be floats: 55 bits of the quotient by long division, then one
    rounding."""
    scale = 1.0
    if a == MIN_INT:
        a = -HALF
        scale = 2.0
    if b == MIN_INT:
        b = -HALF
        scale = scale * 0.5
    if (a < 0) != (b < 0):
        scale = -scale
    if a < 0:
        a = -a
    if b < 0:
        b = -b
    q = quot(a, b)
    r = rem(a, b)
    while q < 18014398509481984:
        scale = scale * 0.5
        q = q + q
        if r >= b - r:
            q = q + 1
            r = r - (b - r)
        else:
            r = r + r
    if r != 0:
        q = q | 1
    return f64(q) * scale


def div_int(a: i64, b: i64) -> f64:
    if b == 0:
        raise ZeroDivisionError("division by zero")
    if a == 0:
        return divide(0.0, f64(b))
    small = (a >= -EXACT) & (a <= EXACT) & (b >= -EXACT) & (b <= EXACT)
    if small:
        return divide(f64(a), f64(b))
    return exact_quotient(a, b)


def floor_divide_int(a: i64, b: i64) -> i64:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if (b == -1) & (a == MIN_INT):
        raise OverflowError(DIVIDE_TOO_LARGE, a, b)
    q = quot(a, b)
    r = rem(a, b)
    if b > 0:
        return q + (r >> 63)  # no branch where b is a constant
    return select((r ^ b) < 0, select(r == 0, q, q - 1), q)


def remainder_int(a: i64, b: i64) -> i64:
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    r = rem(a, b)
    if b > 0:
        return r + ((r >> 63) & b)  # no branch where b is a constant
    return select((r ^ b) < 0, select(r == 0, r, r + b), r)


def divmod_int(a: int, b: int) -> tuple[int, int]:
    return (a // b, a % b)


def floor_quotient(a: int, b: int) -> int:
    """``a // b`` of Python ints."""
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a // b


def floor_remainder(a: int, b: int) -> int:
    """``a % b`` of Python ints."""
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    return a % b


def _true_quotient(a: int, b: int) -> float:
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


_QUOTIENTS = (
    scalar(
        "div.int(int a, int b) -> float",
        div_int,
        "True quotient of two ints, rounded once.",
        meaning=_true_quotient,
        raises=True,
    ),
    checked(
        "floor_divide.int(int a, int b) -> int",
        floor_divide_int,
        floor_quotient,
        DIVIDE_TOO_LARGE,
        "``a // b``.",
        others=True,
    ),
    scalar(
        "remainder.int(int a, int b) -> int",
        remainder_int,
        "``a % b``, with the sign of b.",
        meaning=floor_remainder,
        raises=True,
    ),
    replace(
        composite(
            "divmod.int(int a, int b) -> (int, int)",
            divmod_int,
            "``(a // b, a % b)``.",
            exact=True,
        ),
        earlier=("wrapping_divmod.int",),
    ),
)

# ---- of one int, and of the order of two

NEG_TOO_LARGE = too_large("-({0})", "wrapping_sub")
ABS_TOO_LARGE = too_large("abs({0})")


def neg_int(a: i64) -> i64:
    if a == MIN_INT:
        raise OverflowError(NEG_TOO_LARGE, a)
    return -a


def abs_int(a: i64) -> i64:
    if a == MIN_INT:
        raise OverflowError(ABS_TOO_LARGE, a)
    return select(a < 0, -a, a)


def same(a: T) -> T:
    """The operand itself."""
    return a


def lesser(a: T, b: T) -> T:
    """The lesser; the first of equals."""
    return select(b < a, b, a)


def greater(a: T, b: T) -> T:
    """The greater; the first of equals."""
    return select(b > a, b, a)


_OTHERS = (
    checked("neg.int(int a) -> int", neg_int, operator.neg, NEG_TOO_LARGE, "``-a``."),
    scalar("positive.int(int a) -> int", same, "``+a``."),
    checked("abs.int(int a) -> int", abs_int, abs, ABS_TOO_LARGE, "Absolute value."),
    scalar("min.int(int a, int b) -> int", lesser, "The lesser; the first of equals."),
    scalar("max.int(int a, int b) -> int", greater, "The greater; the first of equals."),
)

OPERATORS: tuple[OpDef, ...] = (*_RING, *_QUOTIENTS, *_OTHERS)
"""All operators of this module."""
