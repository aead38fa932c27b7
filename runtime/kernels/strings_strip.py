"""Tier 4: partition and strip. Of str and bytes."""

from __future__ import annotations

from tscript.dialect import Ptr, Str, address, b8, i64, pointer_cast
from tscript.runtime.kernels.memory import refuse
from tscript.runtime.kernels.strings import (
    LAST_LATIN,
    char_at,
    data_of,
    is_bytes,
    load,
    width_of,
)
from tscript.runtime.kernels.strings_list import string_release
from tscript.runtime.kernels.strings_search import HIGHS, ONES, find_back, find_from
from tscript.runtime.kernels.strings_slice import piece, piece_try
from tscript.runtime.kernels.strings_split import check_separator
from tscript.runtime.kernels.strings_words import is_white

# ---- partition


def three_pieces(self: Ptr[Str], at: i64, m: i64, out: Ptr[i64]) -> None:
    """The parts before, at and after position `at`, to three cells. Raises MemoryError."""
    end = at + m
    a = piece_try(self, 0, at)
    b = piece_try(self, at, m)
    c = piece_try(self, end, self.length - end)
    if address(a) == 0 or address(b) == 0 or address(c) == 0:
        if address(a) != 0:
            string_release(a)
        if address(b) != 0:
            string_release(b)
        if address(c) != 0:
            string_release(c)
        refuse(self.length)
    out[0] = address(a)
    out[1] = address(b)
    out[2] = address(c)


def str_partition(self: Ptr[Str], sep: Ptr[Str], out: Ptr[i64]) -> None:
    """``s.partition(sep)``, to three cells. Raises ValueError for an empty separator, MemoryError."""
    check_separator(sep)
    n = self.length
    at = find_from(data_of(self), width_of(self), 0, n, data_of(sep), width_of(sep), sep.length)
    if at < 0:
        three_pieces(self, n, 0, out)
    else:
        three_pieces(self, at, sep.length, out)


def str_rpartition(self: Ptr[Str], sep: Ptr[Str], out: Ptr[i64]) -> None:
    """``s.rpartition(sep)``, to three cells. Raises ValueError for an empty separator, MemoryError."""
    check_separator(sep)
    at = find_back(data_of(self), width_of(self), 0, self.length, data_of(sep), width_of(sep), sep.length)
    if at < 0:
        three_pieces(self, 0, 0, out)
    else:
        three_pieces(self, at, sep.length, out)


# ---- strip


def among(c: i64, chars: Ptr[Str]) -> b8:
    """Whether a code point is one of those of `chars`."""
    p = data_of(chars)
    w = width_of(chars)
    n = chars.length
    at = i64(0)
    if w == 1:
        if c > LAST_LATIN:
            return False
        pattern = c * ONES
        while at + 8 <= n:
            # A byte that is equal becomes 0; only such a byte, or one after it, borrows.
            differing = pointer_cast(p + at, i64)[0] ^ pattern
            if (differing - ONES) & ~differing & HIGHS != 0:
                return True
            at = at + 8
    for i in range(at, n):  # noqa: SIM110 - the dialect has no generators
        if load(p, w, i) == c:
            return True
    return False


def goes(self: Ptr[Str], i: i64, chars: Ptr[Str]) -> b8:
    """Whether `strip` takes away code point `i`; `chars` may be null."""
    c = char_at(self, i)
    if address(chars) == 0:
        return is_white(c, is_bytes(self))
    return among(c, chars)


def stripped(self: Ptr[Str], chars: Ptr[Str], left: b8, right: b8) -> Ptr[Str]:
    """``s.strip(chars)``, on these sides."""
    start = i64(0)
    end = self.length
    if left:
        while start < end and goes(self, start, chars):
            start = start + 1
    if right:
        while end > start and goes(self, end - 1, chars):
            end = end - 1
    return piece(self, start, end - start)


def str_strip(self: Ptr[Str], chars: Ptr[Str]) -> Ptr[Str]:
    """``s.strip(chars)``; `chars` may be null. Raises MemoryError."""
    return stripped(self, chars, True, True)


def str_lstrip(self: Ptr[Str], chars: Ptr[Str]) -> Ptr[Str]:
    """``s.lstrip(chars)``; `chars` may be null. Raises MemoryError."""
    return stripped(self, chars, True, False)


def str_rstrip(self: Ptr[Str], chars: Ptr[Str]) -> Ptr[Str]:
    """``s.rstrip(chars)``; `chars` may be null. Raises MemoryError."""
    return stripped(self, chars, False, True)
