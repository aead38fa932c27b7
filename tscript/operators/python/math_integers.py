"""The functions of `math` on ints. What does not fit 64 bits is an `OverflowError`."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import f64, i64, mul_overflows, quot, rem, select, sqrt
from tscript.dialect.limits import MAX_INT, MIN_INT
from tscript.operators.python.overflow import checked, too_large, wrap64

GCD_TOO_LARGE = too_large("gcd({0}, {1})")
LCM_TOO_LARGE = too_large("lcm({0}, {1})")
FACTORIAL_TOO_LARGE = too_large("factorial({0})")


def common_divisor(a: i64, b: i64) -> i64:
    """The greatest common divisor of a and b, or what is as far below zero."""
    while b != 0:
        rest = rem(a, b)
        a = b
        b = rest
    return a


def math_gcd(a: i64, b: i64) -> i64:
    found = common_divisor(a, b)
    if found == MIN_INT:
        raise OverflowError(GCD_TOO_LARGE, a, b)
    return select(found < 0, -found, found)


def math_lcm(a: i64, b: i64) -> i64:
    if (a == 0) | (b == 0):
        return 0
    part = quot(a, common_divisor(a, b))
    found = part * b
    if mul_overflows(part, b) | (found == MIN_INT):
        raise OverflowError(LCM_TOO_LARGE, a, b)
    return select(found < 0, -found, found)


def math_factorial(n: i64) -> i64:
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError(FACTORIAL_TOO_LARGE, n)
    out = 1
    for k in range(2, n + 1):
        out = out * k
    return out


def math_isqrt(n: i64) -> i64:
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = i64(sqrt(f64(n)))
    if root > 3037000499:
        root = 3037000499
    if root * root > n:
        root = root - 1
    return root


OPERATORS: tuple[OpDef, ...] = (
    checked(
        "math_factorial(int n) -> int",
        math_factorial,
        lambda n: math_factorial(n) if n <= 20 else MAX_INT + 1,
        FACTORIAL_TOO_LARGE,
        "n factorial.",
        others=True,
        names="math.factorial",
    ),
    checked(
        "math_gcd(int a, int b) -> int", math_gcd, math.gcd, GCD_TOO_LARGE, "Greatest common divisor.", names="math.gcd"
    ),
    scalar(
        "math_isqrt(int n) -> int", math_isqrt, "Integer square root, rounded down.", raises=True, names="math.isqrt"
    ),
    checked(
        "math_lcm(int a, int b) -> int", math_lcm, math.lcm, LCM_TOO_LARGE, "Least common multiple.", names="math.lcm"
    ),
)
"""What users can name."""

# ---- what operators of old archives are read as


def wrapping_gcd(a: i64, b: i64) -> i64:
    found = common_divisor(a, b)
    return select(found < 0, -found, found)


def wrapping_lcm(a: i64, b: i64) -> i64:
    if (a == 0) | (b == 0):
        return 0
    return quot(select(a < 0, -a, a), wrapping_gcd(a, b)) * select(b < 0, -b, b)


def wrapping_factorial(n: i64) -> i64:
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    out = 1
    last = select(n > 66, 66, n)
    for k in range(2, last + 1):
        out = out * k
    return out


HIDDEN: tuple[OpDef, ...] = (
    scalar(
        "wrapping_math_factorial(int n) -> int",
        wrapping_factorial,
        "The first version of `math_factorial`.",
        meaning=lambda n: wrap64(wrapping_factorial(n)),
        raises=True,
    ),
    scalar(
        "wrapping_math_gcd(int a, int b) -> int",
        wrapping_gcd,
        "The first version of `math_gcd`.",
        meaning=lambda a, b: wrap64(math.gcd(a, b)),
    ),
    scalar(
        "wrapping_math_lcm(int a, int b) -> int",
        wrapping_lcm,
        "The first version of `math_lcm`.",
        meaning=lambda a, b: wrap64(math.lcm(a, b)),
    ),
)
"""All of them."""
