"""Tier 2: `format` of strings."""

from __future__ import annotations

from tscript.dialect import Ptr, Str, i64, pointer_cast, stack
from tscript.runtime.kernels.format_spec import (
    ALIGN,
    ALTERNATE_FORM,
    CARET,
    EQUAL,
    FILL,
    GREATER,
    LETTER_S,
    NO_NEGATIVE_ZERO,
    OF_STR,
    PRECISION,
    SIGN,
    SPACE,
    SPEC_FIELDS,
    TYPE,
    WIDTH,
    parse_spec,
    refuse_type,
)
from tscript.runtime.kernels.memory_blocks import count_up
from tscript.runtime.kernels.strings import char_at, data_of, store, str_new, width_for


def str_format(self: Ptr[Str], spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    found = stack(SPEC_FIELDS, i64)
    string_spec(spec, found)
    return pad_string(self, found)


def string_spec(spec: Ptr[Str], found: Ptr[i64]) -> None:
    """Read the spec of a string. Raises ValueError for one of another type."""
    parse_spec(spec, found, OF_STR)
    if found[TYPE] != LETTER_S:
        refuse_type(found[TYPE], OF_STR)
    if found[SIGN] == SPACE:
        raise ValueError("Space not allowed in string format specifier")
    if found[SIGN] != 0:
        raise ValueError("Sign not allowed in string format specifier")
    if found[NO_NEGATIVE_ZERO] != 0:
        raise ValueError("Negative zero coercion (z) not allowed in string format specifier")
    if found[ALTERNATE_FORM] != 0:
        raise ValueError("Alternate form (#) not allowed in string format specifier")
    if found[ALIGN] == EQUAL:
        raise ValueError("'=' alignment not allowed in string format specifier")


def pad_string(self: Ptr[Str], spec: Ptr[i64]) -> Ptr[Str]:
    """A string cut to the precision of a spec and filled up to its width."""
    n = self.length
    if spec[PRECISION] >= 0 and spec[PRECISION] < n:
        n = spec[PRECISION]
    padding = spec[WIDTH] - n
    if padding <= 0:
        if n == self.length:
            count_up(pointer_cast(self, i64))
            return self
        padding = i64(0)
    highest = i64(0)
    if padding > 0:
        highest = spec[FILL]
    for i in range(n):
        c = char_at(self, i)
        if c > highest:
            highest = c
    left = i64(0)
    if spec[ALIGN] == GREATER:
        left = padding
    elif spec[ALIGN] == CARET:
        left = padding // 2
    width = width_for(highest)
    out = str_new(n + padding, width, highest < 128)
    chars = data_of(out)
    for i in range(left):
        store(chars, width, i, spec[FILL])
    for i in range(n):
        store(chars, width, left + i, char_at(self, i))
    for i in range(left + n, n + padding):
        store(chars, width, i, spec[FILL])
    return out
