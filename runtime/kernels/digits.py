"""Tier 1: numbers as decimal digits, and back.

The shortest digits of a float are found by Schubfach (R. Giulietti, The Schubfach way to render doubles, 2020): three
products with a power of ten of 126 bits decide between at most four candidates. What lies between 63 and 64 bits is
written with masks, so that the functions mean the same over Python's ints, which do not wrap.
"""

from __future__ import annotations

from tscript.abi.tables import POWERS, POWERS_LEAST, POWERS_START
from tscript.dialect import Ptr, bitcast, f64, i64, symbol, u8

LOW_HALF = 0xFFFFFFFF
LOW_63 = 0x7FFFFFFFFFFFFFFF
LOW_MANTISSA = 0xFFFFFFFFFFFFF
HIDDEN_BIT = 1 << 52
MIN_INT = -(1 << 63)
BILLION = 1000000000
POWERS_SYMBOL = POWERS
PAIRS = POWERS_START - 2 * POWERS_LEAST
"""Where the pair of k = 0 lies in the table."""

ZERO = 48
MINUS = 45
DOT = 46
SMALL_E = 101
PLUS = 43


def multiply_high(a: i64, b: i64) -> i64:
    """The upper 64 bits of the product of two ints that are not negative."""
    a1 = a >> 32
    a0 = a & LOW_HALF
    b1 = b >> 32
    b0 = b & LOW_HALF
    low = i64(a0 * b0)
    middle = a1 * b0 + ((low >> 32) & LOW_HALF)
    other = a0 * b1 + (middle & LOW_HALF)
    return a1 * b1 + (middle >> 32) + (other >> 32)


def round_to_odd(g1: i64, g0: i64, c: i64) -> i64:
    """The product of c and g1 2^63 + g0, over 2^127; its last bit is set when something was cut off."""
    x1 = multiply_high(g0, c)
    y0 = i64(g1 * c)
    z = i64(((y0 >> 1) & LOW_63) + x1)
    w = multiply_high(g1, c) + ((z >> 63) & 1)
    if z & LOW_63 != 0:
        w = w | 1
    return w


def times_power_of_10(wide: i64, e: i64) -> tuple[i64, i64]:
    """The upper 126 bits of wide 10^e, as two halves of 63; `wide` is at least 2^62.

    The first half has 61 or 62 bits that are significant. As one number the two are less than 2 units too small and
    less than 1 too large, and are to be multiplied by a power of 2, that of `power_of_product` for the first half.
    """
    pair = symbol(POWERS_SYMBOL, i64) + (PAIRS - 2 * e)
    g1 = pair[0]
    z = i64(((i64(wide * g1) >> 1) & LOW_63) + multiply_high(pair[1], wide))
    return multiply_high(g1, wide) + ((z >> 63) & 1), z & LOW_63


def power_of_product(e: i64) -> i64:
    """See `times_power_of_10`."""
    return floor_log2_power_of_10(e) + 2


def bit_length(v: i64) -> i64:
    """The bits of a positive int."""
    size = (i64(bitcast(f64(v), i64)) >> 52) - 1022
    if size > 63 or v >> (size - 1) == 0:
        return size - 1
    return size


def floor_log10_power_of_2(e: i64) -> i64:
    """The floor of log10(2^e)."""
    return (e * 661971961083) >> 41


def floor_log2_power_of_10(e: i64) -> i64:
    """The floor of log2(10^e)."""
    return (e * 913124641741) >> 38


def shortest(bits: i64) -> tuple[i64, i64]:
    """The fewest digits that read back as a positive finite float, the nearest of those: an int and the power of ten it
    is to be multiplied by. The int may end in zeros."""
    c = bits & LOW_MANTISSA
    exponent = (bits >> 52) & 0x7FF
    q = i64(-1074)
    if exponent != 0:
        c = c | HIDDEN_BIT
        q = exponent - 1075
        if q <= 0 and q > -53:
            whole = c >> -q
            if whole << -q == c:
                return whole, 0
    odd = c & 1
    middle = c << 2
    below = middle - 2
    k = floor_log10_power_of_2(q)
    if c == HIDDEN_BIT and exponent > 1:
        # A power of two: its neighbour below is nearer.
        below = middle - 1
        k = (q * 661971961083 - 274743187321) >> 41
    h = q + floor_log2_power_of_10(-k) + 2
    table = symbol(POWERS_SYMBOL, i64) + (PAIRS + 2 * k)
    g1 = table[0]
    g0 = table[1]
    v = round_to_odd(g1, g0, middle << h)
    lower = round_to_odd(g1, g0, below << h) + odd
    upper = round_to_odd(g1, g0, (middle + 2) << h) - odd
    s = v >> 2
    if s >= 10:
        tens = s // 10 * 10
        if (lower <= tens << 2) != ((tens + 10) << 2 <= upper):
            if lower <= tens << 2:
                return tens, k
            return tens + 10, k
    if (lower <= s << 2) != ((s + 1) << 2 <= upper):
        if lower <= s << 2:
            return s, k
        return s + 1, k
    half = (s << 2) + 2
    if v > half or (v == half and s & 1 != 0):
        return s + 1, k
    return s, k


def without_zeros(m: i64, e: i64) -> tuple[i64, i64]:
    """The same m 10^e with an m that does not end in a zero; m is positive."""
    if m % 100000000 == 0:
        m = m // 100000000
        e = e + 8
    if m % 10000 == 0:
        m = m // 10000
        e = e + 4
    while m % 10 == 0:
        m = m // 10
        e = e + 1
    return m, e


def count_digits(v: i64) -> i64:
    """The decimal digits of an int that is not negative; 1 for 0."""
    size = (i64(bitcast(f64(v | 1), i64)) >> 52) - 1022
    guess = (size * 1233) >> 12
    if v == 0 or (guess < 19 and v >= symbol(POWERS_SYMBOL, i64)[guess]):
        return guess + 1
    return guess


def write_digits(out: Ptr[u8], v: i64, n: i64) -> None:
    """Write an int that is not negative as `n` digits, zeros in front."""
    at = n
    while at >= 2:
        q = v // 100
        pair = v - q * 100
        tens = (pair * 103) >> 10
        at = at - 2
        out[at] = u8(tens + ZERO)
        out[at + 1] = u8(pair - tens * 10 + ZERO)
        v = q
    if at == 1:
        out[0] = u8(v % 10 + ZERO)


def write_int(out: Ptr[u8], value: i64) -> i64:
    """Write ``str(value)`` and give its length, at most 20."""
    if value >= 0:
        n = count_digits(value)
        write_digits(out, value, n)
        return n
    out[0] = u8(MINUS)
    if value == MIN_INT:
        write_digits(out + 1, 922337203, 9)
        write_digits(out + 10, 6854775808, 10)
        return 20
    n = count_digits(-value)
    write_digits(out + 1, -value, n)
    return n + 1


def write_three(out: Ptr[u8], a: i64, b: i64, c: i64) -> i64:
    """Write three letters."""
    out[0] = u8(a)
    out[1] = u8(b)
    out[2] = u8(c)
    return 3


def write_special(out: Ptr[u8], bits: i64, upper: i64) -> i64:
    """Write ``inf`` or ``nan`` without a sign; `upper` is 32 for capitals, else 0."""
    if bits & LOW_MANTISSA != 0:
        return write_three(out, 110 - upper, 97 - upper, 110 - upper)
    return write_three(out, 105 - upper, 110 - upper, 102 - upper)


def write_exponent(out: Ptr[u8], letter: i64, e: i64) -> i64:
    """Write an exponent: letter, sign, at least two digits."""
    out[0] = u8(letter)
    out[1] = u8(PLUS)
    if e < 0:
        out[1] = u8(MINUS)
        e = -e
    n = i64(2)
    if e >= 100:
        n = i64(3)
    write_digits(out + 2, e, n)
    return n + 2


def fill_bytes(out: Ptr[u8], byte: i64, n: i64) -> i64:
    """Write a byte `n` times."""
    for i in range(n):
        out[i] = u8(byte)
    return n


def write_float_repr(out: Ptr[u8], value: f64) -> i64:
    """Write ``repr(value)`` and give its length, at most 24."""
    return write_float(out, value, 1)


def write_float(out: Ptr[u8], value: f64, dot: i64) -> i64:
    """Write ``repr(value)``; without the ``.0`` of a whole number when `dot` is 0. Gives its length."""
    bits = i64(bitcast(value, i64))
    at = i64(0)
    if bits < 0:
        out[0] = u8(MINUS)
        at = i64(1)
        bits = bits & LOW_63
    if bits >> 52 == 0x7FF:
        if bits & LOW_MANTISSA != 0:
            at = i64(0)
        return at + write_special(out + at, bits, 0)
    if bits == 0:
        return at + write_shortest(out + at, 0, 0, dot)
    m, e = shortest(bits)
    m, e = without_zeros(m, e)
    return at + write_shortest(out + at, m, e, dot)


def write_shortest(out: Ptr[u8], m: i64, e: i64, dot: i64) -> i64:
    """Write m 10^e as `repr` writes it. The last digit of m is not 0, or m is 0."""
    n = count_digits(m)
    point = n + e
    if point > 16 or point <= -4:
        at = i64(1)
        if n == 1:
            out[0] = u8(m + ZERO)
        else:
            write_digits(out + 1, m, n)
            out[0] = out[1]
            out[1] = u8(DOT)
            at = n + 1
        return at + write_exponent(out + at, SMALL_E, point - 1)
    if point <= 0:
        out[0] = u8(ZERO)
        out[1] = u8(DOT)
        fill_bytes(out + 2, ZERO, -point)
        write_digits(out + (2 - point), m, n)
        return n + 2 - point
    if e >= 0:
        write_digits(out, m, n)
        fill_bytes(out + n, ZERO, e)
        if dot == 0:
            return point
        out[point] = u8(DOT)
        out[point + 1] = u8(ZERO)
        return point + 2
    scale = symbol(POWERS_SYMBOL, i64)[-e]
    whole = m // scale
    write_digits(out, whole, point)
    out[point] = u8(DOT)
    write_digits(out + (point + 1), m - whole * scale, -e)
    return n + 1
