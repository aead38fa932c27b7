"""``round`` of ints and floats, halves to even."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import add_overflows, copysign, divide, f64, fabs, i64, libm, quot, rem, rint, sub_overflows
from tscript.dialect.limits import LARGEST, int_float
from tscript.operators.python.int_arithmetic import exact_quotient, remainder_int, same
from tscript.operators.python.overflow import checked, too_large, wrap64
from tscript.operators.python.powers import wrapping_pow

ROUND_TOO_LARGE = too_large("round({0}, {1})")

# ---- ints


def round_half_even(a: i64, digits: i64) -> i64:
    """``round(a, digits)`` of an int: to a multiple of ten to the power -digits, a half to the even multiple."""
    if digits >= 0:
        return a
    if digits < -18:
        if (digits == -19) & ((a > 5000000000000000000) | (a < -5000000000000000000)):
            raise OverflowError(ROUND_TOO_LARGE, a, digits)
        return 0
    unit = wrapping_pow(10, -digits)
    below = rem(a, unit)
    multiple = quot(a, unit)
    if below < 0:
        below = below + unit
        multiple = multiple - 1
    half = quot(unit, 2)
    up = below > half
    if below == half:
        up = (multiple & 1) != 0
    if up:
        if add_overflows(a, unit - below):
            raise OverflowError(ROUND_TOO_LARGE, a, digits)
        return a + (unit - below)
    if sub_overflows(a, below):
        raise OverflowError(ROUND_TOO_LARGE, a, digits)
    return a - below


def wrapping_round(a: i64, digits: i64) -> i64:
    """`round_half_even` as it was when ints wrapped."""
    if digits >= 0:
        return a
    if digits < -18:
        return 0
    unit = wrapping_pow(10, -digits)
    below = remainder_int(a, unit)
    base = a - below
    half = quot(unit, 2)
    if below > half:
        return base + unit
    if below == half:
        if remainder_int(quot(base, unit), 2) != 0:
            return base + unit
    return base


# ---- floats


def round_float(a: f64) -> i64:
    return int_float(rint(a))


def product_error(a: f64, b: f64, product: f64) -> f64:
    """What `product`, a * b rounded, lacks: exact unless something under- or overflows (Dekker)."""
    ca = 134217729.0 * a
    ah = ca - (ca - a)
    al = a - ah
    cb = 134217729.0 * b
    bh = cb - (cb - b)
    bl = b - bh
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl


def power_of_ten(n: i64) -> f64:
    """10.0 ** n for 0 <= n; exact up to 22."""
    out = 1.0
    while n > 0:
        out = out * 10.0
        n = n - 1
    return out


def round_digits(a: f64, digits: i64) -> f64:
    """``round(x, n)``: as CPython for -22 <= n <= 18, beyond that at times off by one unit in the last place."""
    if (fabs(a) > LARGEST) | (a != a) | (a == 0.0) | (digits > 323):
        return a
    if digits < -308:
        return 0.0 * a
    if digits < 0:
        unit = power_of_ten(-digits)
        size = fabs(a)
        m = libm.fmod(size, unit)
        half = unit * 0.5
        up = m > half
        if m == half:
            up = libm.fmod(size, unit * 2.0) >= unit
        rounded = size - m
        if up:
            rounded = size + (unit - m)
        if rounded > LARGEST:
            raise OverflowError("rounded value too large to represent")
        return copysign(rounded, a)
    unit = power_of_ten(digits)
    y = fabs(a) * unit
    if y >= 1e16:
        return a
    low = product_error(fabs(a), unit, y)
    if (y >= 9007199254740992.0) & (digits <= 18):
        return copysign(exact_quotient(i64(y) + i64(rint(low)), wrapping_pow(10, digits)), a)
    z = rint(y)
    rest = y - z  # exact, and a half counts as one only without `low`, which may be too small to be added to it
    if ((rest == 0.5) & (low > 0.0)) | (rest + low > 0.5):
        z = z + 1.0
    if ((rest == -0.5) & (low < 0.0)) | (rest + low < -0.5):
        z = z - 1.0
    return copysign(divide(z, unit), a)


OPERATORS: tuple[OpDef, ...] = (
    scalar("round.int(int a) -> int", same, "An int is round already."),
    checked(
        "round.int_digits(int a, int ndigits) -> int",
        round_half_even,
        lambda a, digits: round(a, max(digits, -20)),
        ROUND_TOO_LARGE,
        "To a multiple of ten to the power -ndigits, halves to even.",
    ),
    scalar("round.float(float a) -> int", round_float, "To the nearest int, halves to even.", raises=True),
    scalar(
        "round.float_digits(float a, int ndigits) -> float",
        round_digits,
        "To ndigits decimal places, halves to even.",
        raises=True,
    ),
)
"""What users can name."""

HIDDEN: tuple[OpDef, ...] = (
    scalar(
        "wrapping_round.int_digits(int a, int ndigits) -> int",
        wrapping_round,
        "The first version of `round.int_digits`.",
        meaning=lambda a, n: wrap64(round(a, n)) if n >= -18 else 0,
    ),
)
"""What operators of old archives are read as."""
