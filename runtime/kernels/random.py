"""Tier 2: random numbers of NumPy's generators, bit for bit: NumPy's methods over its own bit generators.

A generator is a tensor over the ``bitgen_t`` of NumPy: the address of the state, and those of the functions that draw
64 bits, 32 bits and a double from it. A stream of an iteration of a parallel loop has no such functions: its words are
those of `tscript.runtime.kernels.streams`. The functions ``legacy_…`` are those of the global generator, which
`tscript.abi.legacy_random` finds.
"""

from __future__ import annotations

from tscript.abi.tables import LEGACY_RANDOM, ZIGGURATS
from tscript.dialect import (
    Ptr,
    TensorImpl,
    Void,
    bitcast,
    divide,
    f64,
    i32,
    i64,
    libm,
    pointer,
    pointer_cast,
    sqrt,
    symbol,
    unsigned_high,
    unsigned_less,
    unsigned_shr,
)
from tscript.dialect.linkage import c_signature
from tscript.runtime.kernels.streams import NEXT_64, stream_32, stream_64

STATE, _, NEXT_32, NEXT_DOUBLE = range(4)
"""The words of a ``bitgen_t``."""
BITGEN, HAS_NORMAL, NORMAL = range(3)
"""The words of the global generator."""

DRAW_64 = c_signature(i64, Ptr[Void])
DRAW_32 = c_signature(i32, Ptr[Void])
DRAW_DOUBLE = c_signature(f64, Ptr[Void])

LOW_32 = 0xFFFFFFFF
UNIT = 2.0**-53
LOW_52 = 0xFFFFFFFFFFFFF
STRIP = 3
"""Words of a strip of a ziggurat; see `tscript.abi.ziggurat`."""
LIMIT, WIDTH, DENSITY = range(3)
EXPONENTIAL = 256 * STRIP
NORMAL_END = 3.6541528853610087963519472518
EXPONENTIAL_END = 7.69711747013104972


def bits_of(rng: Ptr[TensorImpl]) -> Ptr[i64]:
    """The ``bitgen_t`` of a generator."""
    return pointer_cast(rng.data, i64)


def next_64(bits: Ptr[i64]) -> i64:
    """64 random bits."""
    if bits[NEXT_64] == 0:
        return stream_64(bits)
    return DRAW_64(pointer(bits[NEXT_64], Void), pointer(bits[STATE], Void))


def next_32(bits: Ptr[i64]) -> i64:
    """32 random bits, from 0 on."""
    if bits[NEXT_64] == 0:
        return stream_32(bits)
    return i64(DRAW_32(pointer(bits[NEXT_32], Void), pointer(bits[STATE], Void))) & LOW_32


def next_double(bits: Ptr[i64]) -> f64:
    """A number from 0.0 to below 1.0."""
    if bits[NEXT_64] == 0:
        return f64(unsigned_shr(stream_64(bits), 11)) * UNIT
    return DRAW_DOUBLE(pointer(bits[NEXT_DOUBLE], Void), pointer(bits[STATE], Void))


def ziggurat() -> Ptr[i64]:
    """The strips of both distributions."""
    return symbol(ZIGGURATS, i64)


def number(word: i64) -> f64:
    """The double in a word."""
    return bitcast(word, f64)


# ---- continuous distributions


def draw_double(rng: Ptr[TensorImpl]) -> f64:
    """``rng.random()``"""
    return next_double(bits_of(rng))


def draw_normal(rng: Ptr[TensorImpl]) -> f64:
    """``rng.standard_normal()``"""
    return normal(bits_of(rng))


def draw_exponential(rng: Ptr[TensorImpl]) -> f64:
    """``rng.standard_exponential()``"""
    return exponential(bits_of(rng))


def normal(bits: Ptr[i64]) -> f64:
    """A number of the standard normal distribution."""
    while True:
        drawn = next_64(bits)
        strip = ziggurat() + (drawn & 0xFF) * STRIP
        place = unsigned_shr(drawn, 9) & LOW_52
        x = f64(place) * number(strip[WIDTH])
        if drawn & 0x100 != 0:
            x = -x
        if place < strip[LIMIT]:
            return x
        if drawn & 0xFF == 0:
            return normal_tail(bits, place)
        if under(bits, strip) < libm.exp(-0.5 * x * x):
            return x
    return 0.0


def normal_tail(bits: Ptr[i64], place: i64) -> f64:
    """A number beyond the last strip."""
    while True:
        x = -divide(1.0, NORMAL_END) * libm.log1p(-next_double(bits))
        y = -libm.log1p(-next_double(bits))
        if y + y > x * x:
            if (place >> 8) & 1 != 0:
                return -(NORMAL_END + x)
            return NORMAL_END + x
    return 0.0


def exponential(bits: Ptr[i64]) -> f64:
    """A number of the standard exponential distribution."""
    while True:
        drawn = unsigned_shr(next_64(bits), 3)
        strip = ziggurat() + EXPONENTIAL + (drawn & 0xFF) * STRIP
        place = drawn >> 8
        x = f64(place) * number(strip[WIDTH])
        if place < strip[LIMIT]:
            return x
        if drawn & 0xFF == 0:
            return EXPONENTIAL_END - libm.log1p(-next_double(bits))
        if under(bits, strip) < libm.exp(-x):
            return x
    return 0.0


def under(bits: Ptr[i64], strip: Ptr[i64]) -> f64:
    """A height within a strip that is not the first."""
    low = number(strip[DENSITY])
    above = strip - STRIP
    return (number(above[DENSITY]) - low) * next_double(bits) + low


# ---- integers


def draw_below(rng: Ptr[TensorImpl], low: i64, width: i64) -> i64:
    """``low`` and a number from 0 to `width`, both included, by Lemire's method; `width` is unsigned."""
    bits = bits_of(rng)
    if width == 0:
        return low
    if width == LOW_32:
        return low + next_32(bits)
    if width == -1:
        return low + next_64(bits)
    count = width + 1
    if unsigned_less(width, LOW_32):
        product = next_32(bits) * count
        rest = product & LOW_32
        if rest < count:
            least = (LOW_32 - width) % count
            while rest < least:
                product = next_32(bits) * count
                rest = product & LOW_32
        return low + unsigned_shr(product, 32)
    drawn = next_64(bits)
    rest = drawn * count
    if unsigned_less(rest, count):
        least = left_over(count)
        while unsigned_less(rest, least):
            drawn = next_64(bits)
            rest = drawn * count
    return low + unsigned_high(drawn, count)


def left_over(count: i64) -> i64:
    """2**64 modulo an unsigned number above 2."""
    if count < 0:
        return -count
    half = (0x7FFFFFFFFFFFFFFF % count) + 1
    if half == count:
        return 0
    if half >= count - half:
        return half - (count - half)
    return half + half


def masked(bits: Ptr[i64], width: i64) -> i64:
    """A number from 0 to `width`, both included, by masks and rejection; `width` is unsigned."""
    mask = width
    for k in range(6):
        mask = mask | unsigned_shr(mask, 1 << k)
    if not unsigned_less(LOW_32, width):
        while True:
            found = next_32(bits) & mask
            if found <= width:
                return found
    while True:
        found = next_64(bits) & mask
        if not unsigned_less(width, found):
            return found
    return 0


# ---- the global generator


def legacy() -> Ptr[i64]:
    """The words of the global generator."""
    found = symbol(LEGACY_RANDOM, i64)[0]
    if found == 0:
        raise RuntimeError("the global generator of this version of NumPy is not known: use np.random.default_rng")
    return pointer(found, i64)


def legacy_double() -> f64:
    """``np.random.random()``"""
    return next_double(pointer(legacy()[BITGEN], i64))


def legacy_normal() -> f64:
    """``np.random.standard_normal()``, by the polar method: every second number is left over from the one before."""
    words = legacy()
    given = pointer_cast(words + HAS_NORMAL, i32)
    left = pointer_cast(words + NORMAL, f64)
    if given[0] != 0:
        given[0] = 0
        found = left[0]
        left[0] = 0.0
        return found
    bits = pointer(words[BITGEN], i64)
    while True:
        x = 2.0 * next_double(bits) - 1.0
        y = 2.0 * next_double(bits) - 1.0
        square = x * x + y * y
        if square < 1.0 and square != 0.0:
            factor = sqrt(divide(-2.0 * libm.log(square), square))
            left[0] = factor * x
            given[0] = 1
            return factor * y
    return 0.0


def legacy_exponential() -> f64:
    """``np.random.standard_exponential()``"""
    return -libm.log(1.0 - legacy_double())


def legacy_below(low: i64, width: i64) -> i64:
    """``np.random.randint(low, low + width + 1)``"""
    bits = pointer(legacy()[BITGEN], i64)
    if width == 0:
        return low
    return low + masked(bits, width)
