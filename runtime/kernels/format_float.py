"""Tier 2: `format` and `repr` of floats."""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from tscript.dialect import Ptr, Str, b8, bitcast, f64, i64, pointer_cast, stack, u8
from tscript.runtime.kernels import exact
from tscript.runtime.kernels.digits import write_float
from tscript.runtime.kernels.exact import float_text
from tscript.runtime.kernels.format_layout import (
    BESIDES,
    CODE_POINT,
    DIGITS,
    NEGATIVE,
    PARTS,
    PREFIX,
    REST,
    ROOM,
    laid_out,
    room,
)
from tscript.runtime.kernels.format_spec import (
    ALTERNATE_FORM,
    CAPITAL,
    FRACTION,
    LETTER_E,
    LETTER_F,
    LETTER_G,
    LETTER_N,
    NO_NEGATIVE_ZERO,
    OF_FLOAT,
    PERCENT,
    PRECISION,
    SPEC_FIELDS,
    TYPE,
    ZERO,
    parse_spec,
    refuse_type,
)
from tscript.runtime.kernels.strings import WORD, data_of, str_new

LETTER_R = 114

MOST_INT = 2147483647

ALTERNATE = exact.ALTERNATE

WITH_FRACTION = exact.WITH_FRACTION


def is_float_type(type: i64) -> b8:
    """Whether a presentation is one of a float's own."""
    lower = type | CAPITAL
    return lower == LETTER_E or lower == LETTER_F or lower == LETTER_G or type == PERCENT


def format_float(out: Ptr[u8], value: f64, spec: Ptr[i64], parts: Ptr[i64]) -> i64:
    """Write a float without its sign and say in `parts` what there is; gives the length. `PRECISION` must be there."""
    type = spec[TYPE]
    code = type | CAPITAL
    flags = i64(0)
    upper = i64(0)
    if type == 0 or type == LETTER_R:
        code = i64(LETTER_R)
        if type == 0:
            code = i64(LETTER_G)
        if spec[FRACTION] != 0:
            flags = i64(WITH_FRACTION)
    elif type == LETTER_N:
        code = i64(LETTER_G)
    elif type == PERCENT:
        code = i64(LETTER_F)
        value = value * 100.0
    elif type < 97:
        upper = i64(CAPITAL)
    if spec[ALTERNATE_FORM] != 0:
        flags = flags | ALTERNATE
    bits = i64(bitcast(value, i64))
    length, zero = float_text(out, bits, code, spec[PRECISION], flags, upper)
    n = i64(0)
    while n < length and out[n] >= ZERO and out[n] <= ZERO + 9:
        n = n + 1
    if type == PERCENT:
        out[length] = u8(PERCENT)
        length = length + 1
    parts[PREFIX] = 0
    parts[DIGITS] = n
    parts[REST] = length - n
    parts[CODE_POINT] = -1
    parts[NEGATIVE] = 0
    if bits < 0 and not (zero and spec[NO_NEGATIVE_ZERO] != 0) and value == value:
        parts[NEGATIVE] = 1
    return length


def default_precision(spec: Ptr[i64]) -> None:
    """Set the precision of a float's spec that gives none, and the presentation that this means."""
    if spec[PRECISION] > MOST_INT:
        raise ValueError("precision too big")
    if spec[PRECISION] < 0:
        spec[PRECISION] = 6
        if spec[TYPE] == 0:
            spec[PRECISION] = 0
            spec[TYPE] = LETTER_R


def format_as_float(value: f64, spec: Ptr[i64]) -> Ptr[Str]:
    """A float with a spec that has been read."""
    default_precision(spec)
    parts = stack(PARTS, i64)
    nbytes = spec[PRECISION] + BESIDES
    body = room(stack(ROOM, u8), nbytes)
    format_float(body, value, spec, parts)
    return laid_out(spec, parts, body, nbytes)


def float_format(self: f64, spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    if spec.length == 0:
        return float_repr(self)
    found = stack(SPEC_FIELDS, i64)
    parse_spec(spec, found, OF_FLOAT)
    type = found[TYPE]
    if type != 0 and type != LETTER_N and not is_float_type(type):
        refuse_type(type, OF_FLOAT)
    return format_as_float(self, found)


def float_repr(self: f64) -> Ptr[Str]:
    """``repr(self)``."""
    text = stack(32, u8)
    return ascii_string(text, write_float(text, self, 1))


def ascii_string(text: Ptr[u8], n: i64) -> Ptr[Str]:
    """A str of `n` letters of ASCII."""
    out = str_new(n, 1, True)
    chars = data_of(out)
    if n <= WORD - 1:
        # The smallest block has room for this many: three moves instead of one for each letter.
        words = pointer_cast(chars, i64)
        source = pointer_cast(text, i64)
        for i in range(WORD // 8):
            words[i] = source[i]
        chars[n] = 0
    else:
        for i in range(n):
            chars[i] = text[i]
    return out
