"""Tier 1: a float as decimal digits, rounded correctly at any place.

Most floats are an int and a fraction of less than 60 bits, whose digits come one multiplication each. Up to 17 digits
of the others follow from a product with a power of ten of 126 bits, unless they lie next to a tie. What is left is
expanded
exactly: c 2^q as limbs of nine digits, multiplied by powers of 2, or of 5 with the point moved.
"""

from __future__ import annotations

from tscript.dialect import Ptr, b8, i64, stack, symbol, u8
from tscript.runtime.kernels.digits import (
    BILLION,
    HIDDEN_BIT,
    LOW_63,
    LOW_MANTISSA,
    POWERS_SYMBOL,
    ZERO,
    bit_length,
    count_digits,
    fill_bytes,
    floor_log10_power_of_2,
    power_of_product,
    shortest,
    times_power_of_10,
    without_zeros,
    write_digits,
    write_exponent,
    write_special,
)

NINE = 57
FIVE = 53
MOST_DIGITS = 832
"""Room for the digits of any float, in bytes."""
MOST_LIMBS = 96
FARTHEST = 344
"""The largest power of ten in the table."""

ALTERNATE = 1
"""Flag of `float_text`: the point is always there, and ``g`` keeps its zeros."""
WITH_FRACTION = 2
"""Flag of `float_text`: a digit after the point, if no exponent follows."""

LETTER_E = 101
LETTER_F = 102
LETTER_G = 103
LETTER_R = 114
DOT = 46


def multiply_limbs(limbs: Ptr[i64], n: i64, factor: i64) -> i64:
    """Multiply by a factor below 2^30; gives the new number of limbs."""
    carry = i64(0)
    for i in range(n):
        x = limbs[i] * factor + carry
        carry = x // BILLION
        limbs[i] = x - carry * BILLION
    if carry != 0:
        limbs[n] = carry
        n = n + 1
    return n


def expand_limbs(c: i64, q: i64, digits: Ptr[u8]) -> tuple[i64, i64]:
    """All digits of c 2^q, c positive; gives how many there are and how many of them stand before the point."""
    limbs = stack(MOST_LIMBS, i64)
    limbs[0] = c % BILLION
    limbs[1] = c // BILLION
    n = i64(1)
    if limbs[1] != 0:
        n = i64(2)
    behind = i64(0)
    if q < 0:
        behind = -q
        left = behind
        while left >= 12:
            n = multiply_limbs(limbs, n, 244140625)
            left = left - 12
        while left > 0:
            n = multiply_limbs(limbs, n, 5)
            left = left - 1
    while q > 0:
        step = q
        if step > 29:
            step = i64(29)
        n = multiply_limbs(limbs, n, i64(1) << step)
        q = q - step
    at = count_digits(limbs[n - 1])
    write_digits(digits, limbs[n - 1], at)
    for i in range(n - 1):
        write_digits(digits + at, limbs[n - 2 - i], 9)
        at = at + 9
    return at, at - behind


def scaled(c: i64, q: i64, e: i64) -> i64:
    """c 2^q 10^e to the nearest int, or -1 if that is too large or cannot be decided; c is positive, e at most
    `FARTHEST`."""
    size = bit_length(c)
    h, z = times_power_of_10(c << (63 - size), e)
    drop = 63 - size - q - power_of_product(e)
    if drop > 62:
        return 0
    if drop < 2:
        return -1
    rest = h & ((i64(1) << drop) - 1)
    half = i64(1) << (drop - 1)
    if rest < half - 1 or (rest == half - 1 and z < LOW_63 - 8):
        return h >> drop
    if rest > half or (rest == half and z > 8):
        return (h >> drop) + 1
    return -1


def expand_quickly(c: i64, q: i64, digits: Ptr[u8], precision: i64, fixed: b8) -> tuple[i64, i64]:
    """As `expand` for few digits; the first is -1 if this cannot decide."""
    # The power of ten of the first digit, or one less.
    first = floor_log10_power_of_2(q + bit_length(c) - 1)
    if fixed:
        if first + precision < -2:
            return 0, 0
        if first + precision > 15 or precision > FARTHEST:
            return -1, 0
        n = scaled(c, q, precision)
        if n <= 0:
            return n, 0
        count = count_digits(n)
        write_digits(digits, n, count)
        return count, count - precision
    if precision > 17:
        return -1, 0
    limit = symbol(POWERS_SYMBOL, i64)[precision]
    n = scaled(c, q, precision - 1 - first)
    if n >= limit:
        first = first + 1
        n = scaled(c, q, precision - 1 - first)
        if n == limit:
            first = first + 1
            n = limit // 10
    if n < 0:
        return n, 0
    write_digits(digits, n, precision)
    return precision, first + 1


def expand(bits: i64, digits: Ptr[u8], precision: i64, fixed: b8) -> tuple[i64, i64]:
    """The digits of a positive finite float, rounded half to even.

    Args:
        bits: Of the float.
        digits: `MOST_DIGITS` bytes.
        precision: How many digits, at least 1; with `fixed` how many behind the point.
        fixed: See there.

    Returns:
        How many there are (what is missing are zeros), and how many of them stand before the point; the latter may be
        negative, or more than there are.
    """
    c = bits & LOW_MANTISSA
    q = (bits >> 52) - 1075
    if q == -1075:
        q = i64(-1074)
    else:
        c = c | HIDDEN_BIT
    keep = precision
    count = i64(0)
    point = i64(0)
    rest = i64(0)
    if q < -59 or q > 10:
        count, point = expand_quickly(c, q, digits, precision, fixed)
        if count >= 0:
            return count, point
        count, point = expand_limbs(c, q, digits)
        if fixed:
            keep = keep + point
    else:
        whole = c
        if q >= 0:
            whole = c << q
        else:
            whole = c >> -q
            rest = c & ((i64(1) << -q) - 1)
        if whole != 0:
            point = count_digits(whole)
            write_digits(digits, whole, point)
            count = point
            if fixed:
                keep = keep + point
        while rest != 0 and count <= keep:
            rest = rest * 10
            digit = rest >> -q
            rest = rest & ((i64(1) << -q) - 1)
            if count == 0 and digit == 0:
                point = point - 1
                if fixed:
                    keep = keep - 1
            else:
                digits[count] = u8(digit + ZERO)
                count = count + 1
    if count <= keep:
        return count, point
    if keep < 0:
        return 0, 0
    if not rounds_up(digits, count, keep, rest):
        return keep, point
    at = keep - 1
    while at >= 0 and digits[at] == NINE:
        at = at - 1
    if at < 0:
        digits[0] = u8(ZERO + 1)
        return 1, point + 1
    digits[at] = digits[at] + 1
    return at + 1, point


def rounds_up(digits: Ptr[u8], count: i64, keep: i64, rest: i64) -> b8:
    """Whether cutting `count` digits to `keep`, fewer, rounds up; `rest` is not 0 if more follow that are not all 0."""
    if digits[keep] != FIVE:
        return digits[keep] > FIVE
    if rest != 0:
        return True
    for i in range(keep + 1, count):
        if digits[i] != ZERO:
            return True
    return keep > 0 and digits[keep - 1] & 1 != 0


def float_text(out: Ptr[u8], bits: i64, code: i64, precision: i64, flags: i64, upper: i64) -> tuple[i64, b8]:
    """Write a float without its sign, as ``PyOS_double_to_string`` of CPython does.

    Args:
        out: Room for `precision` + 400 bytes.
        bits: Of the float; the sign does not matter.
        code: One of ``e f g r``; ``r`` is the shortest, as `repr`.
        precision: At least 0.
        flags: `ALTERNATE`, `WITH_FRACTION`.
        upper: 32 for capital letters, else 0.

    Returns:
        The length, and whether what is written is zero.
    """
    bits = bits & 0x7FFFFFFFFFFFFFFF
    if bits >> 52 == 0x7FF:
        return write_special(out, bits, upper), False
    digits = stack(MOST_DIGITS, u8)
    count = i64(0)
    point = i64(1)
    if code == LETTER_E:
        precision = precision + 1
    if code == LETTER_G and precision == 0:
        precision = i64(1)
    if bits != 0:
        if code == LETTER_R:
            m, e = shortest(bits)
            m, e = without_zeros(m, e)
            count = count_digits(m)
            write_digits(digits, m, count)
            point = count + e
        else:
            count, point = expand(bits, digits, precision, code == LETTER_F)
            if count == 0:
                point = i64(1)
            while count > 0 and digits[count - 1] == ZERO:
                count = count - 1
    length = place_digits(out, digits, count, point, code, precision, flags, upper)
    return length, count == 0


def place_digits(
    out: Ptr[u8], digits: Ptr[u8], count: i64, point: i64, code: i64, precision: i64, flags: i64, upper: i64
) -> i64:
    """Write digits with point and exponent as `float_text` says; gives the length. ``e`` counts all digits here."""
    alternate = flags & ALTERNATE != 0
    fraction = flags & WITH_FRACTION != 0
    exponential = code == LETTER_E
    end = count
    if code == LETTER_E:
        end = precision
    elif code == LETTER_F:
        end = point + precision
    elif code == LETTER_G:
        limit = precision
        if fraction:
            limit = limit - 1
        exponential = point <= -4 or point > limit
        if alternate:
            end = precision
    else:
        exponential = point <= -4 or point > 16
    exponent = point - 1
    if exponential:
        point = i64(1)
    if fraction and not exponential:
        if end <= point:
            end = point + 1
    elif end < point:
        end = point
    at = i64(0)
    if point <= 0:
        out[0] = u8(ZERO)
        at = i64(1)
    else:
        at = copy_digits(out, digits, 0, point, count)
    if end > point or alternate:
        out[at] = u8(DOT)
        at = at + 1
        start = point
        if point < 0:
            at = at + fill_bytes(out + at, ZERO, -point)
            start = i64(0)
        if end > start:
            at = at + copy_digits(out + at, digits, start, end, count)
    if exponential:
        at = at + write_exponent(out + at, LETTER_E - upper, exponent)
    return at


def copy_digits(out: Ptr[u8], digits: Ptr[u8], start: i64, end: i64, count: i64) -> i64:
    """Write digits `start` to `end`; those from `count` on are zeros. Gives how many."""
    last = end
    if last > count:
        last = count
    at = i64(0)
    for i in range(start, last):
        out[at] = digits[i]
        at = at + 1
    return at + fill_bytes(out + at, ZERO, end - start - at)
