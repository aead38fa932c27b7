"""Tier 2: comparing and hashing strings."""

from __future__ import annotations

from tscript.dialect import (
    Ptr,
    Str,
    address,
    b8,
    i64,
    pointer_cast,
    symbol,
    u8,
)
from tscript.runtime.kernels.strings import data_of, load, width_of

HASH_FACTOR = -7046029254386353131

HASH_FINISH = -4417276706812531889


# ---- comparing


def same_bytes(a: Ptr[u8], b: Ptr[u8], n: i64) -> b8:
    """Whether `n` bytes are the same."""
    i = i64(0)
    if n >= 8:
        while i + 8 <= n:
            if pointer_cast(a + i, i64)[0] != pointer_cast(b + i, i64)[0]:
                return False
            i = i + 8
        return pointer_cast(a + (n - 8), i64)[0] == pointer_cast(b + (n - 8), i64)[0]
    while i < n:
        if a[i] != b[i]:
            return False
        i = i + 1
    return True


def tail_word(p: Ptr[u8], n: i64) -> i64:
    """The last `n` % 8 bytes of the `n` of a string at `p`, whose header lies before them, as a number."""
    rest = n & 7
    if rest == 0:
        return 0
    mask = (i64(1) << (rest * 8)) - 1
    return (pointer_cast(p + (n - 8), i64)[0] >> (64 - rest * 8)) & mask


def str_equal(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a == b``, of two str or two bytes."""
    if address(self) == address(other):
        return True
    n = self.length
    if n != other.length or self.width != other.width:
        return False
    size = n * width_of(self)
    a = data_of(self)
    b = data_of(other)
    words = size // 8
    p = pointer_cast(a, i64)
    q = pointer_cast(b, i64)
    i = i64(0)
    while i < words:
        if p[i] != q[i]:
            return False
        i = i + 1
    return tail_word(a, size) == tail_word(b, size)


def str_ne(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a != b``."""
    return not str_equal(self, other)


def str_compare(self: Ptr[Str], other: Ptr[Str]) -> i64:
    """-1, 0 or 1: how two str or two bytes are ordered."""
    n = self.length if self.length < other.length else other.length
    a = data_of(self)
    b = data_of(other)
    v = width_of(self)
    w = width_of(other)
    i = i64(0)
    if v == w:
        while i + 8 // v <= n and pointer_cast(a + i * v, i64)[0] == pointer_cast(b + i * v, i64)[0]:
            i = i + 8 // v
    while i < n:
        c = load(a, v, i)
        d = load(b, w, i)
        if c != d:
            return i64(-1) if c < d else i64(1)
        i = i + 1
    if self.length == other.length:
        return 0
    return i64(-1) if self.length < other.length else i64(1)


def str_lt(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a < b``."""
    return str_compare(self, other) < 0


def str_le(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a <= b``."""
    return str_compare(self, other) <= 0


def str_gt(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a > b``."""
    return str_compare(self, other) > 0


def str_ge(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a >= b``."""
    return str_compare(self, other) >= 0


# ---- hashing


def shifted(x: i64) -> i64:
    """The upper half of `x`, as a number from 0."""
    return (x >> 32) & 4294967295


def str_hash(self: Ptr[Str]) -> i64:
    """``hash(s)``, of a str or bytes: kept in it, never 0. Differs from process to process."""
    if self.hash != 0:
        return self.hash
    size = self.length * width_of(self)
    p = data_of(self)
    words = pointer_cast(p, i64)
    h = i64(symbol("ts_hash_seed_v1", i64)[0] + size * HASH_FACTOR)
    for i in range(size // 8):
        h = i64((h ^ words[i]) * HASH_FACTOR)
        h = h ^ shifted(h)
    h = i64((h ^ tail_word(p, size)) * HASH_FACTOR)
    h = i64((h ^ shifted(h)) * HASH_FINISH)
    h = h ^ shifted(h)
    if h == 0:
        h = i64(1)
    self.hash = h
    return h
