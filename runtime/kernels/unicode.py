"""Tier 2: properties and case of code points.

Code points below 128 are handled here. For the others there are pages of 256 records, which the runtime makes from the
Unicode data of this Python at the first use of a page. So strings behave as in this Python.
"""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from typing import Any

from tscript.abi.unicode import (
    ALPHA,
    CASED,
    DECIMAL,
    DIGIT,
    FOLD,
    IDENTIFIER,
    IGNORABLE,
    LINE,
    LOWER,
    LOWERCASE,
    NUMERIC,
    PRINTABLE,
    RECORD,
    SPACE,
    START,
    TITLE,
    TITLECASE,
    UPPER,
    UPPERCASE,
    records,
)
from tscript.dialect import Intrinsic, Ptr, address, b8, i64, pointer, symbol
from tscript.dialect.machine import extern
from tscript.types import I64, PtrType

__all__ = [
    "ALPHA",
    "DECIMAL",
    "DIGIT",
    "IDENTIFIER",
    "LOWERCASE",
    "NUMERIC",
    "PRINTABLE",
    "SPACE",
    "START",
    "TITLECASE",
    "UPPERCASE",
]

DIGITS = DECIMAL | DIGIT | NUMERIC | IDENTIFIER | PRINTABLE
LETTERS = ALPHA | CASED | IDENTIFIER | START | PRINTABLE
WHITE = (1 << 9) | (1 << 10) | (1 << 11) | (1 << 12) | (1 << 13) | (15 << 28) | (1 << 32)
LINES = (1 << 10) | (1 << 11) | (1 << 12) | (1 << 13) | (7 << 28)
CHAR_BITS = 21
CHAR_MASK = (1 << 21) - 1
UPPER_FIELD = UPPER
LOWER_FIELD = LOWER
TITLE_FIELD = TITLE
FOLD_FIELD = FOLD
CAPITAL_SIGMA = 0x3A3
FINAL_SIGMA = 0x3C2
SMALL_SIGMA = 0x3C3


def _page(number: int) -> Any:
    """What the extern below means under CPython."""
    from tscript.dialect import i64 as cell
    from tscript.dialect import memory_model

    out: Any = memory_model.allocate(256 * RECORD * 8, cell, "page")
    for i, value in enumerate(records(number)):
        out[i] = value
    return out


make_page = Intrinsic(extern("ts_unicode_page_v1", (I64,), PtrType(I64)), _page)
"""``make_page(n)``: the records of the code points from 256 n on; they stay where they are."""


def record_of(c: i64) -> Ptr[i64]:
    """The record of a code point: its flags, then what it is in upper, lower, title and folded case."""
    pages = symbol("ts_unicode_v1", i64)
    found = pages[c >> 8]
    if found == 0:
        found = address(make_page(c >> 8))
        pages[c >> 8] = found
    return pointer(found, i64) + (c & 255) * RECORD


def ascii_flags(c: i64) -> i64:
    """The properties of a code point below 128."""
    if c >= 97:
        if c <= 122:
            return LETTERS | LOWERCASE
        return PRINTABLE if c < 127 else i64(0)
    if c >= 65:
        if c <= 90:
            return LETTERS | UPPERCASE
        return PRINTABLE | IDENTIFIER | START if c == 95 else i64(PRINTABLE)
    if c >= 48 and c <= 57:
        return DIGITS
    if c > 32:
        return PRINTABLE
    flags = i64(0)
    if c == 32:
        flags = PRINTABLE
    if (WHITE >> c) & 1 != 0:
        flags = flags | SPACE
    if (LINES >> c) & 1 != 0:
        flags = flags | LINE
    return flags


def flags_of(c: i64) -> i64:
    """The properties of a code point."""
    if c < 128:
        return ascii_flags(c)
    return record_of(c)[0]


def is_space(c: i64) -> b8:
    """Whether `str.split` splits at a code point."""
    if c <= 32:
        return (WHITE >> c) & 1 != 0
    if c < 133:
        return False
    if c < 8192:
        return c == 133 or c == 160 or c == 5760
    return c <= 8202 or c == 8232 or c == 8233 or c == 8239 or c == 8287 or c == 12288


def is_line(c: i64) -> b8:
    """Whether `str.splitlines` ends a line at a code point."""
    if c <= 32:
        return (LINES >> c) & 1 != 0
    return c == 133 or c == 8232 or c == 8233


def cased(c: i64, field: i64) -> i64:
    """A code point in another case: up to three code points of 21 bits each, the first lowest."""
    if c < 128:
        if field == UPPER_FIELD or field == TITLE_FIELD:
            return c - 32 if c >= 97 and c <= 122 else c
        return c + 32 if c >= 65 and c <= 90 else c
    return record_of(c)[field]


def is_cased(c: i64) -> b8:
    """Whether a code point is a letter of some case."""
    return flags_of(c) & CASED != 0


def is_ignorable(c: i64) -> b8:
    """Whether a code point is passed over when the letter beside a sigma is looked for."""
    if c < 128:
        return c == 39 or c == 46 or c == 58 or c == 94 or c == 96
    return flags_of(c) & IGNORABLE != 0
