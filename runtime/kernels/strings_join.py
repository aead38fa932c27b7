"""Tier 4: joining strings. Of str and bytes."""

from __future__ import annotations

from tscript.dialect import List, Ptr, Str, i64, pointer, u8
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.strings import (
    copy_chars,
    copy_short,
    data_of,
    string_like,
    string_retain,
    width_of,
)


def str_join(self: Ptr[Str], items: Ptr[List]) -> Ptr[Str]:
    """``s.join(items)``. Raises MemoryError, OverflowError."""
    count = items.length
    if count == 1:
        return string_retain(pointer(items.data[0], Str))
    if count == 0:
        return string_like(self, 0, 1, True)
    m = self.length
    if m != 0 and count - 1 > LARGEST // m:
        raise OverflowError("join() result is too long for a Python string")
    total = m * (count - 1)
    # An empty separator is as narrow as any and ASCII.
    width = width_of(self)
    ascii = self.ascii
    for i in range(count):
        s = pointer(items.data[i], Str)
        w = width_of(s)
        width = w if w > width else width
        ascii = ascii & s.ascii
        total = total + s.length
        if total > LARGEST:
            raise OverflowError("join() result is too long for a Python string")
    out = string_like(self, total, width, ascii != 0)
    to = data_of(out)
    at = i64(0)
    for i in range(count):
        if i > 0:
            put_string(to, width, at, self)
            at = at + m
        s = pointer(items.data[i], Str)
        put_string(to, width, at, s)
        at = at + s.length
    return out


def put_string(to: Ptr[u8], width: i64, at: i64, s: Ptr[Str]) -> None:
    """Copy a string, which is often short, to position `at`."""
    if width == 1:
        copy_short(to + at, data_of(s), s.length)
    else:
        copy_chars(to, width, at, data_of(s), width_of(s), s.length)
