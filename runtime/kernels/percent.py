"""Tier 2: the pieces of the ``%`` operator of strings: one value with what stands between ``%`` and the letter."""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.dialect import Ptr, Str, f64, i64, stack, u8
from tscript.runtime.kernels.digits import fill_bytes
from tscript.runtime.kernels.format_float import MOST_INT, format_float
from tscript.runtime.kernels.format_int import check_code_point, int_digits
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
    ALIGN,
    ALTERNATE_FORM,
    CAPITAL,
    EQUAL,
    FILL,
    GREATER,
    LESS,
    LETTER_C,
    LETTER_O,
    LETTER_X,
    PLUS,
    PRECISION,
    SIGN,
    SPACE,
    SPEC_FIELDS,
    TYPE,
    WIDTH,
    ZERO,
    plain_spec,
)
from tscript.runtime.kernels.format_str import pad_string

LEFT_FLAG = 1
PLUS_FLAG = 2
SPACE_FLAG = 4
ALTERNATE_FLAG = 8
ZERO_FLAG = 16
"""Flags: ``-``, ``+``, space, ``#``, ``0``."""

NOT_GIVEN = NONE_INT


def read_flags(spec: Ptr[i64], flags: i64, width: i64, precision: i64, conversion: i64) -> None:
    """A spec that does what flags, width, precision and letter say. A negative width aligns to the left, a negative
    precision is 0, `NOT_GIVEN` is none."""
    plain_spec(spec)
    spec[TYPE] = conversion
    if flags & PLUS_FLAG != 0:
        spec[SIGN] = PLUS
    elif flags & SPACE_FLAG != 0:
        spec[SIGN] = SPACE
    if flags & ALTERNATE_FLAG != 0:
        spec[ALTERNATE_FORM] = 1
    if flags & ZERO_FLAG != 0:
        spec[FILL] = ZERO
        spec[ALIGN] = EQUAL
    if flags & LEFT_FLAG != 0:
        spec[FILL] = SPACE
        spec[ALIGN] = LESS
    if width != NOT_GIVEN:
        spec[WIDTH] = width
        if width < 0:
            spec[WIDTH] = -width
            spec[FILL] = SPACE
            spec[ALIGN] = LESS
    if precision != NOT_GIVEN:
        if precision > MOST_INT:
            raise ValueError("precision too big")
        spec[PRECISION] = precision
        if precision < 0:
            spec[PRECISION] = 0


def without_zero_fill(spec: Ptr[i64]) -> None:
    """What is not a number is filled up with spaces."""
    if spec[FILL] == ZERO:
        spec[FILL] = SPACE
        spec[ALIGN] = GREATER


def int_percent(self: i64, conversion: i64, flags: i64, width: i64, precision: i64) -> Ptr[Str]:
    """An int by ``d i u x X o`` or, as a code point, by ``c``."""
    spec = stack(SPEC_FIELDS, i64)
    parts = stack(PARTS, i64)
    read_flags(spec, flags, width, precision, conversion)
    parts[PREFIX] = 0
    parts[DIGITS] = 0
    parts[REST] = 0
    parts[CODE_POINT] = -1
    parts[NEGATIVE] = 0
    small = stack(ROOM, u8)
    if conversion == LETTER_C:
        check_code_point(self)
        without_zero_fill(spec)
        spec[SIGN] = 0
        parts[REST] = 1
        parts[CODE_POINT] = self
        return laid_out(spec, parts, small, 0)
    n = int_digits(small, self, conversion)
    if self < 0:
        parts[NEGATIVE] = 1
    if spec[ALTERNATE_FORM] != 0 and (conversion == LETTER_O or conversion | CAPITAL == LETTER_X):
        parts[PREFIX] = conversion
    if spec[PRECISION] <= n:
        parts[DIGITS] = n
        return laid_out(spec, parts, small, 0)
    nbytes = spec[PRECISION]
    body = room(small, nbytes)
    zeros = nbytes - n
    for i in range(n):
        body[nbytes - 1 - i] = small[n - 1 - i]
    fill_bytes(body, ZERO, zeros)
    parts[DIGITS] = nbytes
    return laid_out(spec, parts, body, nbytes)


def float_percent(self: f64, conversion: i64, flags: i64, width: i64, precision: i64) -> Ptr[Str]:
    """A float by ``e E f F g G``."""
    spec = stack(SPEC_FIELDS, i64)
    parts = stack(PARTS, i64)
    read_flags(spec, flags, width, precision, conversion)
    if spec[PRECISION] < 0:
        spec[PRECISION] = 6
    nbytes = spec[PRECISION] + BESIDES
    body = room(stack(ROOM, u8), nbytes)
    format_float(body, self, spec, parts)
    return laid_out(spec, parts, body, nbytes)


def str_percent(self: Ptr[Str], conversion: i64, flags: i64, width: i64, precision: i64) -> Ptr[Str]:
    """A string by ``s``, or one of a single code point by ``c``."""
    spec = stack(SPEC_FIELDS, i64)
    read_flags(spec, flags, width, precision, conversion)
    without_zero_fill(spec)
    if conversion == LETTER_C:
        if self.length != 1:
            raise TypeError("%c requires int or char")
        spec[PRECISION] = -1
    return pad_string(self, spec)
