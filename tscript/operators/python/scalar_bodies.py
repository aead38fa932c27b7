"""Bodies of the scalar operators: dialect functions with CPython's meaning. See `tscript.operators.python.scalars`.

Messages are those of CPython 3.11. An int that does not fit 64 bits is an `OverflowError`; the bodies whose names begin
with ``wrapping_`` compute modulo 2**64 instead. The bodies also run as they stand under CPython; only wrapping is then
missing.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.python import PYTHON
from tscript.dialect import (
    add_overflows,
    b8,
    copysign,
    divide,
    f64,
    fabs,
    floor,
    i32,
    i64,
    libm,
    mul_overflows,
    quot,
    rem,
    rint,
    select,
    sub_overflows,
)
from tscript.dialect.limits import EXACT, LARGEST, MIN_INT, TOO_LARGE, int_float

HALF = 4611686018427387904
"""2**62."""

# ---- what is said of an int that does not fit; {0} and {1} are the operands


def too_large(operation: str, function: str = "") -> str:
    """The message of the `OverflowError` of an operation; `function` is what wraps instead."""
    instead = f"tscript.{function} for arithmetic modulo 2**64, or float" if function else "float, or plain Python"
    return f"int overflow: {operation} does not fit 64 bits; use {instead}"


ADD_TOO_LARGE = too_large("{0} + {1}", "wrapping_add")
SUB_TOO_LARGE = too_large("{0} - {1}", "wrapping_sub")
MUL_TOO_LARGE = too_large("{0} * {1}", "wrapping_mul")
NEG_TOO_LARGE = too_large("-({0})", "wrapping_sub")
ABS_TOO_LARGE = too_large("abs({0})")
SHIFT_TOO_LARGE = too_large("{0} << {1}", "wrapping_shl")
DIVIDE_TOO_LARGE = too_large("{0} // {1}")
POWER_TOO_LARGE = too_large("{0} ** {1}", "wrapping_mul")
MASK_TOO_LARGE = (
    "int overflow: the lower 64 bits do not fit an int, which has a sign; mask with at most 2**63 - 1, or use "
    "tscript.wrapping_add, wrapping_sub, wrapping_mul and wrapping_shl"
)
ROUND_TOO_LARGE = too_large("round({0}, {1})")

# ---- int


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


def wrapping_add(a: i64, b: i64) -> i64:
    return a + b


def wrapping_sub(a: i64, b: i64) -> i64:
    return a - b


def wrapping_mul(a: i64, b: i64) -> i64:
    return a * b


def wrapping_neg(a: i64) -> i64:
    return -a


def wrapping_abs(a: i64) -> i64:
    return select(a < 0, -a, a)


def wrapping_shl(a: i64, b: i64) -> i64:
    if b < 0:
        raise ValueError("negative shift count")
    return select(b > 63, 0, a << b)


def floor_divide_int(a: i64, b: i64) -> i64:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if (b == -1) & (a == MIN_INT):
        raise OverflowError(DIVIDE_TOO_LARGE, a, b)
    q = quot(a, b)
    r = rem(a, b)
    if r != 0:
        if (r < 0) != (b < 0):
            q = q - 1
    return q


def remainder_int(a: i64, b: i64) -> i64:
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    r = rem(a, b)
    if r != 0:
        if (r < 0) != (b < 0):
            r = r + b
    return r


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


def wrapping_floor_divide(a: i64, b: i64) -> i64:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    q = quot(a, b)
    r = rem(a, b)
    if r != 0:
        if (r < 0) != (b < 0):
            q = q - 1
    return q


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


def neg_int(a: i64) -> i64:
    if a == MIN_INT:
        raise OverflowError(NEG_TOO_LARGE, a)
    return -a


def positive_int(a: i64) -> i64:
    return a


def abs_int(a: i64) -> i64:
    if a == MIN_INT:
        raise OverflowError(ABS_TOO_LARGE, a)
    return select(a < 0, -a, a)


def bitwise_not_int(a: i64) -> i64:
    return ~a


def bitwise_and_int(a: i64, b: i64) -> i64:
    return a & b


def bitwise_or_int(a: i64, b: i64) -> i64:
    return a | b


def bitwise_xor_int(a: i64, b: i64) -> i64:
    return a ^ b


def left_shift_int(a: i64, b: i64) -> i64:
    if b < 0:
        raise ValueError("negative shift count")
    out = a << b
    if (out >> b != a) | ((b > 63) & (a != 0)):
        raise OverflowError(SHIFT_TOO_LARGE, a, b)
    return select(b > 63, 0, out)


def right_shift_int(a: i64, b: i64) -> i64:
    if b < 0:
        raise ValueError("negative shift count")
    if b > 63:
        return a >> 63
    return a >> b


def fits_int(a: i64) -> i64:
    if a < 0:
        raise OverflowError(MASK_TOO_LARGE)
    return a


def min_int(a: i64, b: i64) -> i64:
    return select(b < a, b, a)


def max_int(a: i64, b: i64) -> i64:
    return select(b > a, b, a)


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


# ---- float


def add_float(a: f64, b: f64) -> f64:
    return a + b


def sub_float(a: f64, b: f64) -> f64:
    return a - b


def mul_float(a: f64, b: f64) -> f64:
    return a * b


def div_float(a: f64, b: f64) -> f64:
    if b == 0.0:
        raise ZeroDivisionError("float division by zero")
    return divide(a, b)


def float_mod(a: f64, b: f64) -> f64:
    """The remainder with the sign of b; b is not zero."""
    m = libm.fmod(a, b)
    if m == 0.0:
        return copysign(0.0, b)
    if (m < 0.0) != (b < 0.0):
        m = m + b
    return m


def float_floor(a: f64, b: f64) -> f64:
    """The floor of a / b, exact as CPython's; b is not zero."""
    m = libm.fmod(a, b)
    d = divide(a - m, b)
    if m != 0.0:
        if (m < 0.0) != (b < 0.0):
            d = d - 1.0
    if d == 0.0:
        return copysign(0.0, divide(a, b))
    f = floor(d)
    if d - f > 0.5:
        f = f + 1.0
    return f


def floor_divide_float(a: f64, b: f64) -> f64:
    if b == 0.0:
        raise ZeroDivisionError("float floor division by zero")
    return float_floor(a, b)


def remainder_float(a: f64, b: f64) -> f64:
    if b == 0.0:
        if PYTHON >= 313:
            raise ZeroDivisionError("float modulo by zero")
        raise ZeroDivisionError("float modulo")
    return float_mod(a, b)


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


def neg_float(a: f64) -> f64:
    return -a


def positive_float(a: f64) -> f64:
    return a


def abs_float(a: f64) -> f64:
    return fabs(a)


def min_float(a: f64, b: f64) -> f64:
    return select(b < a, b, a)


def max_float(a: f64, b: f64) -> f64:
    return select(b > a, b, a)


def eq_float(a: f64, b: f64) -> b8:
    return a == b


def ne_float(a: f64, b: f64) -> b8:
    return a != b


def lt_float(a: f64, b: f64) -> b8:
    return a < b


def le_float(a: f64, b: f64) -> b8:
    return a <= b


def gt_float(a: f64, b: f64) -> b8:
    return a > b


def ge_float(a: f64, b: f64) -> b8:
    return a >= b


# ---- comparisons of ints, bools and of an int with a float


def eq_int(a: i64, b: i64) -> b8:
    return a == b


def ne_int(a: i64, b: i64) -> b8:
    return a != b


def lt_int(a: i64, b: i64) -> b8:
    return a < b


def le_int(a: i64, b: i64) -> b8:
    return a <= b


def gt_int(a: i64, b: i64) -> b8:
    return a > b


def ge_int(a: i64, b: i64) -> b8:
    return a >= b


def compare(a: i64, b: f64) -> i64:
    """-1, 0 or 1 as a is less than, equal to or greater than b; 2 when b is no number. Rounding a keeps the order."""
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


# ---- bool


def not_bool(a: b8) -> b8:
    return a ^ True


def and_bool(a: b8, b: b8) -> b8:
    return a & b


def or_bool(a: b8, b: b8) -> b8:
    return a | b


def xor_bool(a: b8, b: b8) -> b8:
    return a ^ b


def eq_bool(a: b8, b: b8) -> b8:
    return a == b


def ne_bool(a: b8, b: b8) -> b8:
    return a != b


def eq_dtype(a: i32, b: i32) -> b8:
    return a == b


def ne_dtype(a: i32, b: i32) -> b8:
    return a != b


# ---- conversions


def int_int(a: i64) -> i64:
    return a


def int_bool(a: b8) -> i64:
    return i64(a)


def float_int(a: i64) -> f64:
    return f64(a)


def float_float(a: f64) -> f64:
    return a


def float_bool(a: b8) -> f64:
    return f64(a)


def bool_int(a: i64) -> b8:
    return a != 0


def bool_float(a: f64) -> b8:
    return a != 0.0


def bool_bool(a: b8) -> b8:
    return a


def round_float(a: f64) -> i64:
    return int_float(rint(a))


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
