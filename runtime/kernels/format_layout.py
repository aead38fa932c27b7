"""Tier 2: the layout of a formatted number.

It is formatted as in CPython: padding, sign, prefix, padding, grouped digits, the rest, padding. The digits between
the paddings are written as bytes of ASCII first (`digits`, followed by `rest`).
"""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from tscript.dialect import Ptr, Str, T, address, b8, i16, i32, i64, pointer_cast, u8
from tscript.runtime.kernels.format_spec import (
    ALIGN,
    CARET,
    EQUAL,
    FILL,
    GREATER,
    GROUPING,
    LETTER_B,
    LETTER_O,
    LETTER_X,
    LETTER_X_CAPITAL,
    MINUS,
    PLUS,
    SIGN,
    SPACE,
    TYPE,
    WIDTH,
    ZERO,
)
from tscript.runtime.kernels.memory import heap_allocate, heap_free
from tscript.runtime.kernels.strings import checked, data_of, str_try_new, width_for

ROOM = 1024
"""Bytes on the stack for a number; longer ones get a block of the heap."""

BESIDES = 416
"""Bytes that a float may need besides its precision."""

PREFIX = 0

DIGITS = 1

REST = 2

CODE_POINT = 3
"""The code point that replaces the rest, or -1."""

NEGATIVE = 4

PARTS = 5
"""A number that is to be laid out: ints by these numbers."""


def room(text: Ptr[u8], nbytes: i64) -> Ptr[u8]:
    """`text`, which is on the stack, when `nbytes` fit there, else a block of the heap."""
    if nbytes <= ROOM:
        return text
    return pointer_cast(heap_allocate(nbytes), u8)


def give_room_back(text: Ptr[u8], nbytes: i64) -> None:
    """Free what `room` gave."""
    if nbytes > ROOM:
        heap_free(text, nbytes)


def sign_of(spec: Ptr[i64], negative: b8) -> i64:
    """The sign to write, or 0."""
    if negative:
        return MINUS
    if spec[SIGN] == PLUS or spec[SIGN] == SPACE:
        return spec[SIGN]
    return 0


def group_size(spec: Ptr[i64]) -> i64:
    """Digits of a group, 0 without groups."""
    if spec[GROUPING] == 0:
        return 0
    type = spec[TYPE]
    if type == LETTER_B or type == LETTER_O or type == LETTER_X or type == LETTER_X_CAPITAL:
        return 4
    return 3


def grouped_length(n: i64, least: i64, group: i64) -> i64:
    """The length of `n` digits in groups, with zeros in front so that it is at least `least`."""
    if group == 0:
        if n > least:
            return n
        return least
    if least > 0:
        if n < least - least // (group + 1):
            n = least - least // (group + 1)
        if n + (n - 1) // group < least:
            # A separator would come first.
            n = n + 1
    return n + (n - 1) // group


def put_grouped(out: Ptr[T], length: i64, digits: Ptr[u8], n: i64, group: i64, separator: i64) -> None:
    """Write `n` digits in groups, zeros in front, `length` in all."""
    at = length - 1
    since = i64(0)
    while at >= 0:
        if group != 0 and since == group:
            out[at] = T(separator)
            since = i64(0)
        elif n > 0:
            n = n - 1
            since = since + 1
            out[at] = T(digits[n])
        else:
            since = since + 1
            out[at] = T(ZERO)
        at = at - 1


def put(out: Ptr[T], at: i64, c: i64, n: i64) -> i64:
    """Write a code point `n` times; returns the position after it."""
    for i in range(n):
        out[at + i] = T(c)
    if n > 0:
        return at + n
    return at


def put_number(out: Ptr[T], spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8], grouped: i64, padding: i64) -> None:
    """Write a number and `padding` code points around or in it."""
    at = i64(0)
    align = spec[ALIGN]
    left = i64(0)
    if align == GREATER:
        left = padding
    elif align == CARET:
        left = padding // 2
    at = put(out, at, spec[FILL], left)
    sign = sign_of(spec, parts[NEGATIVE] != 0)
    if sign != 0:
        at = put(out, at, sign, 1)
    if parts[PREFIX] != 0:
        at = put(out, at, ZERO, 1)
        at = put(out, at, parts[PREFIX], 1)
    if align == EQUAL:
        left = padding
        at = put(out, at, spec[FILL], padding)
    n = parts[DIGITS]
    if grouped != 0:
        put_grouped(out + at, grouped, body, n, group_size(spec), spec[GROUPING])
        at = at + grouped
    if parts[CODE_POINT] >= 0:
        at = put(out, at, parts[CODE_POINT], 1)
    else:
        for i in range(parts[REST]):
            out[at + i] = T(body[n + i])
        at = at + parts[REST]
    put(out, at, spec[FILL], padding - left)


def lay_out(spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8]) -> Ptr[Str]:
    """A number as its spec wants it; null when there is no memory left."""
    besides = parts[REST]
    if sign_of(spec, parts[NEGATIVE] != 0) != 0:
        besides = besides + 1
    if parts[PREFIX] != 0:
        besides = besides + 2
    width = spec[WIDTH]
    least = i64(0)
    if spec[FILL] == ZERO and spec[ALIGN] == EQUAL:
        least = width - besides
    grouped = i64(0)
    if parts[DIGITS] != 0:
        grouped = grouped_length(parts[DIGITS], least, group_size(spec))
    length = besides + grouped
    padding = width - length
    highest = parts[CODE_POINT]
    if padding > 0:
        length = width
        if spec[FILL] > highest:
            highest = spec[FILL]
    else:
        padding = i64(0)
    out = str_try_new(length, width_for(highest), highest < 128)
    if address(out) == 0:
        return out
    chars = data_of(out)
    if out.width == 1:
        put_number(chars, spec, parts, body, grouped, padding)
    elif out.width == 2:
        put_number(pointer_cast(chars, i16), spec, parts, body, grouped, padding)
    else:
        put_number(pointer_cast(chars, i32), spec, parts, body, grouped, padding)
    return out


def laid_out(spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8], nbytes: i64) -> Ptr[Str]:
    """A number as its spec wants it; frees the `room` of the body. Raises MemoryError."""
    out = lay_out(spec, parts, body)
    give_room_back(body, nbytes)
    return checked(out, spec[WIDTH], 4)
