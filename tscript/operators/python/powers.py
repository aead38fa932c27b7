"""Powers of ints and floats, and powers modulo an int."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import f64, fabs, floor, i64, libm, mul_overflows, quot, rem, select
from tscript.dialect.limits import LARGEST, MIN_INT
from tscript.operators.python.int_arithmetic import HALF, remainder_int
from tscript.operators.python.overflow import checked, exact, too_large, wrap64

POWER_TOO_LARGE = too_large("{0} ** {1}", "wrapping_mul")

# ---- of ints


def pow_int(base: i64, exponent: i64) -> i64:
    """By squaring: a square that is still needed is a factor of the result, so it fits when the result does."""
    if exponent < 0:
        raise ValueError("a negative power of an int is not an int; write float(a) ** b")
    out = 1
    factor = base
    rest = exponent
    while rest > 0:
        if (rest & 1) != 0:
            if mul_overflows(out, factor):
                raise OverflowError(POWER_TOO_LARGE, base, exponent)
            out = out * factor
        rest = rest >> 1
        if rest > 0:
            if mul_overflows(factor, factor):
                raise OverflowError(POWER_TOO_LARGE, base, exponent)
            factor = factor * factor
    return out


def wrapping_pow(base: i64, exponent: i64) -> i64:
    if exponent < 0:
        raise ValueError("a negative power of an int is not an int; write float(a) ** b")
    out = 1
    while exponent > 0:
        if (exponent & 1) != 0:
            out = out * base
        base = base * base
        exponent = exponent >> 1
    return out


def _int_power(base: int, exponent: int) -> int:
    if exponent < 0:
        return pow_int(base, exponent)
    return int(base ** (exponent if exponent < 64 else 64 + exponent % 2))


def _wrapping_power(base: int, exponent: int) -> int:
    if exponent < 0:
        return wrapping_pow(base, exponent)
    return wrap64(pow(base, exponent, 2**64))


# ---- modulo an int


def pow_mod(base: i64, exponent: i64, modulus: i64) -> i64:
    """``pow(base, exponent, modulus)`` for a modulus below 2**31 in size; larger ones multiply by addition."""
    if modulus == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    size = modulus
    if modulus < 0:
        size = -modulus
    if modulus == MIN_INT:
        raise OverflowError("pow() 3rd argument is out of range")
    x = remainder_int(base, size)
    if exponent < 0:
        x = inverse_mod(x, size)
        if exponent == MIN_INT:
            x = multiply_mod(x, x, size)
            exponent = -HALF
        exponent = -exponent
    out = rem(1, size)
    while exponent > 0:
        if (exponent & 1) != 0:
            out = multiply_mod(out, x, size)
        x = multiply_mod(x, x, size)
        exponent = exponent >> 1
    if modulus < 0:
        if out != 0:
            out = out + modulus
    return out


def inverse_mod(x: i64, size: i64) -> i64:
    """The y in [0, size) with x * y = 1 modulo `size`, for x in [0, size)."""
    a = size
    b = x
    before = 0
    after = rem(1, size)
    while b != 0:
        q = quot(a, b)
        rest = a - q * b
        a = b
        b = rest
        kept = before - q * after
        before = after
        after = kept
    if a != 1:
        raise ValueError("base is not invertible for the given modulus")
    return select(before < 0, before + size, before)


def multiply_mod(a: i64, b: i64, size: i64) -> i64:
    """a * b modulo `size`, both in [0, size), without overflow."""
    if size <= 2147483648:
        return rem(a * b, size)
    out = 0
    while b > 0:
        if (b & 1) != 0:
            if out >= size - a:
                out = out - (size - a)
            else:
                out = out + a
        if a >= size - a:
            a = a - (size - a)
        else:
            a = a + a
        b = b >> 1
    return out


# ---- of floats


def pow_float(a: f64, b: f64) -> f64:
    if a == 0.0:
        if (b < 0.0) & (fabs(b) <= LARGEST):
            raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    finite = (fabs(a) <= LARGEST) & (fabs(b) <= LARGEST)
    if finite:
        if a < 0.0:
            if b != floor(b):
                raise ValueError("a negative number to a fractional power is not a float")
        out = libm.pow(a, b)
        if fabs(out) > LARGEST:
            raise OverflowError("(34, 'Numerical result out of range')")
        return out
    return libm.pow(a, b)


def pow_int_as_float(base: i64, exponent: i64) -> f64:
    if exponent < 0:
        return pow_float(f64(base), f64(exponent))
    return f64(pow_int(base, exponent))


_checked_power = exact(_int_power, POWER_TOO_LARGE)

POWER_AS_FLOAT = scalar(
    "pow.int_as_float(int a, int b) -> float",
    pow_int_as_float,
    "``a ** b`` of ints as the float that it is for a negative b.",
    meaning=lambda a, b: float(_checked_power(a, b)) if b >= 0 else pow_float(float(a), float(b)),
    raises=True,
)
"""Nobody calls it by name."""

OPERATORS: tuple[OpDef, ...] = (
    checked(
        "pow.int(int a, int b) -> int",
        pow_int,
        _int_power,
        POWER_TOO_LARGE,
        "``a ** b`` for b >= 0.",
        others=True,
    ),
    scalar("pow.mod(int a, int b, int modulus) -> int", pow_mod, "``pow(a, b, modulus)``.", raises=True),
    scalar("pow.float(float a, float b) -> float", pow_float, "``a ** b``.", raises=True),
)
"""What users can name; among overloads the narrower types come first."""

HIDDEN: tuple[OpDef, ...] = (
    POWER_AS_FLOAT,
    scalar(
        "wrapping_pow.int(int a, int b) -> int",
        wrapping_pow,
        "``a ** b`` for b >= 0, modulo 2**64.",
        meaning=_wrapping_power,
        raises=True,
    ),
)
"""What only the compiler writes."""
