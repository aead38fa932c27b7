"""Tier 2: strings from strings: `+`, `+=` and `*`."""

from __future__ import annotations

from tscript.dialect import (
    Ptr,
    Str,
    i64,
    memcpy,
    memset,
)
from tscript.runtime.kernels.memory_blocks import LARGEST, fits_block
from tscript.runtime.kernels.strings import (
    copy_chars,
    data_of,
    store,
    string_bytes,
    string_like,
    string_retain,
    width_of,
)


def str_add(self: Ptr[Str], other: Ptr[Str]) -> Ptr[Str]:
    """``a + b``, of two str or two bytes. Raises MemoryError."""
    n = self.length
    m = other.length
    if m == 0:
        return string_retain(self)
    if n == 0:
        return string_retain(other)
    a = width_of(self)
    b = width_of(other)
    width = a if a > b else b
    out = string_like(self, n + m, width, self.ascii & other.ascii != 0)
    to = data_of(out)
    copy_chars(to, width, 0, data_of(self), a, n)
    copy_chars(to, width, n, data_of(other), b, m)
    return out


def str_append(self: Ptr[Str], other: Ptr[Str], owners: i64) -> Ptr[Str]:
    """``a + b``, of two str or two bytes, where `a` is released afterwards: in place if it has `owners` references and
    there is room after it; then it has one more. Raises MemoryError."""
    n = self.length
    m = other.length
    width = width_of(self)
    if self.refcount == owners and n != 0 and width_of(other) <= width:
        if fits_block(string_bytes(n, width), string_bytes(n + m, width)):
            to = data_of(self)
            copy_chars(to, width, n, data_of(other), width_of(other), m)
            store(to, width, n + m, 0)
            self.length = n + m
            self.hash = 0
            self.ascii = self.ascii & other.ascii
            return string_retain(self)
    return str_add(self, other)


def str_mul(self: Ptr[Str], count: i64) -> Ptr[Str]:
    """``s * count``, of a str or bytes. Raises MemoryError."""
    n = self.length
    if count == 1:
        return string_retain(self)
    if count <= 0 or n == 0:
        return string_like(self, 0, 1, True)
    if count > LARGEST // n:
        raise MemoryError("a string of this length does not fit into memory")
    width = width_of(self)
    out = string_like(self, n * count, width, self.ascii != 0)
    to = data_of(out)
    if n == 1 and width == 1:
        memset(to, i64(data_of(self)[0]), count)
        return out
    size = n * width
    memcpy(to, data_of(self), size)
    done = size
    total = size * count
    while done < total:
        more = done if done <= total - done else total - done
        memcpy(to + done, to, more)
        done = done + more
    return out


def int_mul_str(count: i64, other: Ptr[Str]) -> Ptr[Str]:
    """``count * s``."""
    return str_mul(other, count)
