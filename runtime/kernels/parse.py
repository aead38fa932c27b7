"""Tier 2: ints and floats read from strings, by the rules of `int` and `float`.

Up to 19 digits of a float are an int, which is multiplied by a power of ten of 126 bits. Only where that leaves open
which of two floats is nearest are all digits compared with the middle between them, exactly.
"""

from __future__ import annotations

from tscript.abi.tables import POWERS
from tscript.dialect import Ptr, Str, b8, bitcast, f64, i64, stack, symbol
from tscript.runtime.kernels.digits import LOW_63, LOW_HALF, bit_length, power_of_product, times_power_of_10
from tscript.runtime.kernels.format_spec import MINUS, MOST, PLUS, UNDERSCORE, digit_of, next_char
from tscript.runtime.kernels.raising import float_error, int_error
from tscript.runtime.kernels.strings import char_at

POWERS_SYMBOL = POWERS
MIN_INT = -(1 << 63)
EXACT = 1 << 53
INFINITY = 0x7FF << 52
NAN = 0x7FF8 << 48
SIGN_BIT = -(1 << 63)
FULL = 920000000000000000
"""An int to which no digit can be added."""
MOST_DIGITS = 800
"""The number of significant digits; of those after them only whether one is not 0 matters."""
FAR = 1000000000
LIMBS = 112
DOT = 46
LETTER_B = 98
LETTER_E = 101
LETTER_O = 111
LETTER_X = 120
LOWER = 32
INF = int.from_bytes(b"inf", "little")
INITY = int.from_bytes(b"inity", "little")
NAN_WORD = int.from_bytes(b"nan", "little")


def is_space(c: i64) -> b8:
    """Whether numbers may have this code point around them."""
    if c < 128:
        return c == 32 or (c >= 9 and c <= 13)
    if c < 0x2000:
        return c == 0x85 or c == 0xA0 or c == 0x1680
    if c <= 0x200A or c == 0x2028 or c == 0x2029:
        return True
    return c == 0x202F or c == 0x205F or c == 0x3000


def skip_spaces(s: Ptr[Str], at: i64) -> i64:
    """The first position from `at` on that is no space."""
    while is_space(next_char(s, at)):
        at = at + 1
    return at


def starts_with(s: Ptr[Str], at: i64, word: i64, n: i64) -> b8:
    """Whether the `n` letters of a word stand at a position, in any case."""
    for i in range(n):  # noqa: SIM110 - the dialect has no generators
        if next_char(s, at + i) | LOWER != (word >> (8 * i)) & 255:
            return False
    return True


# ---- ints


def digit_in(c: i64, base: i64) -> i64:
    """The digit that a code point is in a base, or -1."""
    digit = digit_of(c)
    letter = c | LOWER
    if letter >= 97 and letter <= 122:
        digit = letter - 87
    if digit < base:
        return digit
    return -1


def parse_int(self: Ptr[Str], base: i64) -> i64:
    """``int(self, base)``."""
    if base != 0 and (base < 2 or base > 36):
        raise ValueError("int() base must be >= 2 and <= 36, or 0")
    at = skip_spaces(self, 0)
    c = next_char(self, at)
    negative = c == MINUS
    if negative or c == PLUS:
        at = at + 1
    radix = base
    zero_only = False
    if digit_of(next_char(self, at)) == 0:
        letter = next_char(self, at + 1) | LOWER
        prefix = i64(10)
        if letter == LETTER_X:
            prefix = i64(16)
        elif letter == LETTER_O:
            prefix = i64(8)
        elif letter == LETTER_B:
            prefix = i64(2)
        if base == 0:
            radix = prefix
            zero_only = prefix == 10
        if prefix != 10 and radix == prefix:
            at = at + 2
            if next_char(self, at) == UNDERSCORE:
                at = at + 1
    elif base == 0:
        radix = i64(10)
    value = i64(0)
    least = False
    over = False
    digit = digit_in(next_char(self, at), radix)
    if digit < 0:
        int_error(self, base)
    while digit >= 0:
        if value > (MOST - digit) // radix or least:
            # Only the least int has a magnitude beyond the greatest.
            over = over or least or value - 1 > (MOST - digit) // radix or i64(value * radix + digit) != MIN_INT
            least = True
        else:
            value = value * radix + digit
        at = at + 1
        c = next_char(self, at)
        if c == UNDERSCORE:
            at = at + 1
            digit = digit_in(next_char(self, at), radix)
            if digit < 0:
                int_error(self, base)
        else:
            digit = digit_in(c, radix)
    if skip_spaces(self, at) != self.length or (zero_only and (value != 0 or least)):
        int_error(self, base)
    if over or (least and not negative):
        raise OverflowError("Python int too large to convert to 64 bits")
    if least:
        return MIN_INT
    if negative:
        return -value
    return value


# ---- floats


def parse_float(self: Ptr[Str]) -> f64:
    """``float(self)``."""
    at = skip_spaces(self, 0)
    c = next_char(self, at)
    negative = c == MINUS
    if negative or c == PLUS:
        at = at + 1
    start = at
    # The digits as w 10^e, and whether some were left out.
    w = i64(0)
    e = i64(0)
    cut = False
    digits = i64(0)
    point = i64(0)
    exponent = i64(0)
    parsing = True
    while parsing:
        c = next_char(self, at)
        digit = digit_of(c)
        if digit >= 0:
            digits = digits + 1
            if w < FULL:
                w = w * 10 + digit
                e = e - point
            else:
                cut = cut or digit != 0
                e = e + 1 - point
            at = at + 1
        elif c == DOT and point == 0:
            point = i64(1)
            at = at + 1
        elif c == UNDERSCORE and is_between(self, at):
            at = at + 1
        else:
            parsing = False
    end = at
    bits = i64(0)
    if digits == 0:
        if at != start:
            float_error(self)
        if starts_with(self, at, INF, 3):
            at = at + 3
            if starts_with(self, at, INITY, 5):
                at = at + 5
            bits = i64(INFINITY)
        elif starts_with(self, at, NAN_WORD, 3):
            at = at + 3
            bits = i64(NAN)
        else:
            float_error(self)
    else:
        if c | LOWER == LETTER_E:
            at, exponent = read_exponent(self, at + 1)
            e = e + exponent
        if w != 0:
            bits = nearest(self, start, end, exponent, w, e, cut)
    if skip_spaces(self, at) != self.length:
        float_error(self)
    if negative:
        bits = bits | SIGN_BIT
    return f64(bitcast(bits, f64))


def is_between(s: Ptr[Str], at: i64) -> b8:
    """Whether there are digits before and after a position."""
    return at > 0 and digit_of(char_at(s, at - 1)) >= 0 and digit_of(next_char(s, at + 1)) >= 0


def read_exponent(s: Ptr[Str], at: i64) -> tuple[i64, i64]:
    """Where an exponent ends, and what it is, kept within bounds. Raises ValueError when there is none."""
    c = next_char(s, at)
    negative = c == MINUS
    if negative or c == PLUS:
        at = at + 1
    value = i64(0)
    digit = digit_of(next_char(s, at))
    if digit < 0:
        float_error(s)
    while digit >= 0:
        if value < FAR * FAR // 100:
            value = value * 10 + digit
        at = at + 1
        if next_char(s, at) == UNDERSCORE and is_between(s, at):
            at = at + 1
        digit = digit_of(next_char(s, at))
    if negative:
        return at, -value
    return at, value


def nearest(s: Ptr[Str], start: i64, end: i64, exponent: i64, w: i64, e: i64, cut: b8) -> i64:
    """The bits of the float nearest to w 10^e; with `cut` to the digits from `start` to `end` by 10^exponent."""
    table = symbol(POWERS_SYMBOL, i64)
    if not cut and w <= EXACT and e >= -18 and e <= 18:
        if e < 0:
            return i64(bitcast(f64(w) / f64(table[-e]), i64))
        return i64(bitcast(f64(w) * f64(table[e]), i64))
    if e > 310:
        return INFINITY
    if e < -345:
        return 0
    size = bit_length(w)
    h, z = times_power_of_10(w << (63 - size), e)
    # The value is about (h + z / 2^63) 2^low.
    low = power_of_product(e) + size - 63
    drop = i64(8)
    if h >> 61 != 0:
        drop = i64(9)
    if low + drop < -1074:
        drop = -1074 - low
        if drop > 62:
            return 0
    q = low + drop
    if q > 971:
        return INFINITY
    m = h >> drop
    half = i64(1) << (drop - 1)
    rest = h & (half + half - 1)
    margin = i64(1)
    if cut:
        margin = i64(64)
    if rest < half - margin or (not cut and rest == half - 1 and z < LOW_63 - 8):
        up = False
    elif rest > half or (rest == half and z > 8):
        up = True
    else:
        side = compare_with_middle(s, start, end, exponent, m, q)
        up = side > 0 or (side == 0 and m & 1 != 0)
    if up:
        m = m + 1
    bits = ((q + 1074) << 52) + m
    if bits > INFINITY:
        return INFINITY
    return bits


def multiply_add(limbs: Ptr[i64], n: i64, factor: i64, addend: i64) -> i64:
    """Multiply limbs of 32 bits, the lowest first, and add; gives how many there are now. Both ints are below 2^31."""
    carry = addend
    for i in range(n):
        x = limbs[i] * factor + carry
        limbs[i] = x & LOW_HALF
        carry = x >> 32
    if carry != 0:
        limbs[n] = carry
        n = n + 1
    return n


def times_power_of_5(limbs: Ptr[i64], n: i64, power: i64) -> i64:
    """Multiply by 5^power; gives how many limbs there are now."""
    while power >= 13:
        n = multiply_add(limbs, n, 1220703125, 0)
        power = power - 13
    while power > 0:
        n = multiply_add(limbs, n, 5, 0)
        power = power - 1
    return n


def times_power_of_2(limbs: Ptr[i64], n: i64, power: i64) -> i64:
    """Multiply by 2^power; gives how many limbs there are now."""
    n = multiply_add(limbs, n, i64(1) << (power & 31) // 2, 0)
    n = multiply_add(limbs, n, i64(1) << ((power & 31) + 1) // 2, 0)
    words = power >> 5
    if words != 0:
        for i in range(n):
            limbs[n - 1 - i + words] = limbs[n - 1 - i]
        for i in range(words):
            limbs[i] = 0
    return n + words


def compare_with_middle(s: Ptr[Str], start: i64, end: i64, exponent: i64, m: i64, q: i64) -> i64:
    """-1, 0 or 1: the digits from `start` to `end` by 10^exponent are less than (m + 1/2) 2^q, equal or greater."""
    left = stack(LIMBS, i64)
    n = i64(0)
    e = exponent
    point = i64(0)
    taken = i64(0)
    rest = False
    at = start
    while at < end:
        c = char_at(s, at)
        at = at + 1
        digit = digit_of(c)
        if c == DOT:
            point = i64(1)
        elif digit >= 0:
            if taken < MOST_DIGITS:
                n = multiply_add(left, n, 10, digit)
                if n != 0:
                    taken = taken + 1
                e = e - point
            else:
                rest = rest or digit != 0
                e = e + 1 - point
    if rest:
        n = multiply_add(left, n, 10, 1)
        e = e - 1
    right = stack(LIMBS, i64)
    twice = 2 * m + 1
    right[0] = twice & LOW_HALF
    right[1] = twice >> 32
    k = i64(2)
    if right[1] == 0:
        k = i64(1)
    if e > 0:
        n = times_power_of_5(left, n, e)
    else:
        k = times_power_of_5(right, k, -e)
    shift = e - (q - 1)
    if shift > 0:
        n = times_power_of_2(left, n, shift)
    else:
        k = times_power_of_2(right, k, -shift)
    if n != k:
        if n > k:
            return 1
        return -1
    for i in range(n):
        if left[n - 1 - i] != right[n - 1 - i]:
            if left[n - 1 - i] > right[n - 1 - i]:
                return 1
            return -1
    return 0
