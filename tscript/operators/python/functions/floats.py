"""Methods of floats, and what sums of floats have lost."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

import math

from tscript.definitions.language import generic
from tscript.operators.python.functions.ints import bit_length


def frexp(x: float) -> tuple[float, int]:
    """``math.frexp(x)``"""
    if x == 0.0 or not math.isfinite(x):
        return x, 0
    low, high = -1074, 1025
    size = abs(x)
    while high - low > 1:  # 2 ** low <= size < 2 ** high
        middle = (low + high) // 2
        if middle < 1024 and math.ldexp(1.0, middle) <= size:
            low = middle
        else:
            high = middle
    half = -(high // 2)
    return math.ldexp(math.ldexp(x, half), -high - half), high


def modf(x: float) -> tuple[float, float]:
    """``math.modf(x)``"""
    if math.isinf(x):
        return math.copysign(0.0, x), x
    if x != x:
        return x, x
    part = math.fmod(x, 1.0)
    return math.copysign(part, x), math.copysign(x - part, x)


def is_whole(x: float) -> bool:
    """``x.is_integer()``"""
    return math.isfinite(x) and math.fmod(x, 1.0) == 0.0


def float_ratio(x: float) -> tuple[int, int]:
    """``x.as_integer_ratio()``"""
    if math.isinf(x):
        raise OverflowError("cannot convert Infinity to integer ratio")
    if x != x:
        raise ValueError("cannot convert NaN to integer ratio")
    part, exponent = frexp(x)
    while part != math.floor(part):
        part *= 2.0
        exponent -= 1
    numerator = int(part)
    if exponent > 0:
        if exponent > 62 or bit_length(numerator) + exponent > 63:
            raise OverflowError("Python int too large to convert to 64 bits")
        return numerator << exponent, 1
    if exponent < -62:
        raise OverflowError("Python int too large to convert to 64 bits")
    return numerator, 1 << -exponent


def float_hex(x: float) -> str:
    """``x.hex()``"""
    if not math.isfinite(x):
        return str(x)
    sign = "-" if math.copysign(1.0, x) < 0.0 else ""
    if x == 0.0:
        return sign + "0x0.0p+0"
    part, exponent = frexp(abs(x))
    shift = 1 - max(-1021 - exponent, 0)
    part = math.ldexp(part, shift)
    exponent -= shift
    digits = "0123456789abcdef"
    out = sign + "0x" + digits[int(part)] + "."
    part -= math.floor(part)
    for _ in range(13):
        part *= 16.0
        out += digits[int(part)]
        part -= math.floor(part)
    return f"{out}p{exponent:+d}"


def float_from_hex(text: str) -> float:
    """``float.fromhex(text)``"""
    refused = "invalid hexadecimal floating-point string"
    body = text.strip().lower()
    negative = body.startswith("-")
    if body[:1] in ("-", "+"):
        body = body[1:]
    if body in ("inf", "infinity", "nan"):
        special = float(body)
        return -special if negative else special
    body = body.removeprefix("0x")
    digits, mark, power = body.partition("p")
    shift = 0
    if mark:
        unsigned = power[1:] if power[:1] in ("-", "+") else power
        if not (unsigned.isascii() and unsigned.isdigit()):
            raise ValueError(refused)
        shift = int(power) if len(unsigned) < 10 else (-1000000000 if power[0] == "-" else 1000000000)
    before, _, behind = digits.partition(".")
    whole = before + behind
    if not whole:
        raise ValueError(refused)
    mantissa, rest = 0, False
    shift -= 4 * len(behind)
    for c in whole:
        digit = "0123456789abcdef".find(c)
        if digit < 0:
            raise ValueError(refused)
        if mantissa < 1 << 57:
            mantissa = mantissa << 4 | digit
        else:
            rest = rest or digit > 0
            shift += 4
    if rest:
        mantissa |= 1
    try:
        found = math.ldexp(float(mantissa), max(-5000, min(5000, shift)))
    except OverflowError:
        raise OverflowError("hexadecimal value too large to represent as a float") from None
    return -found if negative else found


@generic
def lost_in_sum(lost, counts, total, x, following) -> float:
    """What sums have lost when ``total + x`` is `following`, as Neumaier has it."""
    if not counts:
        return lost
    if abs(total) >= abs(x):
        return lost + ((total - following) + x)
    return lost + ((x - following) + total)


@generic
def sum_with_lost(total, lost) -> float:
    """A sum with what it has lost, unless that is not a number."""
    return total + lost if lost != 0.0 and lost - lost == 0.0 else total
