"""Tier 2: `format` and `repr` of complex numbers."""

from __future__ import annotations

from tscript.dialect import Ptr, Str, copysign, f64, i64, stack, u8
from tscript.runtime.kernels.digits import write_float
from tscript.runtime.kernels.format_float import ascii_string, default_precision, format_float, is_float_type
from tscript.runtime.kernels.format_layout import (
    BESIDES,
    DIGITS,
    NEGATIVE,
    PARTS,
    REST,
    ROOM,
    group_size,
    grouped_length,
    laid_out,
    put_grouped,
    room,
    sign_of,
)
from tscript.runtime.kernels.format_spec import (
    ALIGN,
    EQUAL,
    FILL,
    FRACTION,
    GROUPING,
    LETTER_N,
    OF_COMPLEX,
    PERCENT,
    PLUS,
    PRECISION,
    SIGN,
    SPEC_FIELDS,
    TYPE,
    ZERO,
    parse_spec,
    refuse_type,
)

LETTER_J = 106

OPEN = 40

CLOSE = 41


def put_part(out: Ptr[u8], spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8]) -> i64:
    """Write one part of a complex number, with its sign but no padding; gives the length."""
    at = i64(0)
    sign = sign_of(spec, parts[NEGATIVE] != 0)
    if sign != 0:
        out[0] = u8(sign)
        at = i64(1)
    n = parts[DIGITS]
    if n != 0:
        grouped = grouped_length(n, 0, group_size(spec))
        put_grouped(out + at, grouped, body, n, group_size(spec), spec[GROUPING])
        at = at + grouped
    for i in range(parts[REST]):
        out[at + i] = body[n + i]
    return at + parts[REST]


def format_as_complex(real: f64, imaginary: f64, spec: Ptr[i64]) -> Ptr[Str]:
    """A complex number with a spec that has been read."""
    bare = spec[TYPE] == 0
    default_precision(spec)
    if spec[FILL] == ZERO:
        raise ValueError("Zero padding is not allowed in complex format specifier")
    if spec[ALIGN] == EQUAL:
        raise ValueError("'=' alignment flag is not allowed in complex format specifier")
    parts = stack(PARTS, i64)
    # Each part with its groups takes at most four thirds of its digits; both, and what they are made from.
    piece = spec[PRECISION] + 2 * BESIDES
    nbytes = 3 * piece
    body = room(stack(ROOM, u8), nbytes)
    scratch = body + 2 * piece
    at = i64(0)
    parens = False
    if not (bare and real == 0.0 and copysign(1.0, real) == 1.0):
        if bare:
            parens = True
            body[0] = u8(OPEN)
            at = i64(1)
        format_float(scratch, real, spec, parts)
        at = at + put_part(body + at, spec, parts, scratch)
        spec[SIGN] = PLUS
    format_float(scratch, imaginary, spec, parts)
    at = at + put_part(body + at, spec, parts, scratch)
    body[at] = u8(LETTER_J)
    at = at + 1
    if parens:
        body[at] = u8(CLOSE)
        at = at + 1
    parts[DIGITS] = 0
    parts[REST] = at
    parts[NEGATIVE] = 0
    spec[SIGN] = 0
    return laid_out(spec, parts, body, nbytes)


def complex_format(self: Ptr[f64], spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    found = stack(SPEC_FIELDS, i64)
    parse_spec(spec, found, OF_COMPLEX)
    found[FRACTION] = 0
    type = found[TYPE]
    if type == PERCENT or (type != 0 and type != LETTER_N and not is_float_type(type)):
        refuse_type(type, OF_COMPLEX)
    return format_as_complex(self[0], self[1], found)


def write_complex(out: Ptr[u8], real: f64, imaginary: f64) -> i64:
    """Write ``repr`` of a complex number and give its length, at most 52."""
    if real == 0.0 and copysign(1.0, real) == 1.0:
        n = write_float(out, imaginary, 0)
        out[n] = u8(LETTER_J)
        return n + 1
    out[0] = u8(OPEN)
    at = 1 + write_float(out + 1, real, 0)
    if imaginary != imaginary or copysign(1.0, imaginary) == 1.0:
        out[at] = u8(PLUS)
        at = at + 1
    at = at + write_float(out + at, imaginary, 0)
    out[at] = u8(LETTER_J)
    out[at + 1] = u8(CLOSE)
    return at + 2


def complex_repr(self: Ptr[f64]) -> Ptr[Str]:
    """``repr(self)``."""
    text = stack(64, u8)
    return ascii_string(text, write_complex(text, self[0], self[1]))
