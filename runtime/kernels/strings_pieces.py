"""Tier 4: splitting piece by piece, for loops. Of str and bytes."""

from __future__ import annotations

from tscript.dialect import Ptr, Str, address, i16, i64, pointer, pointer_cast, u8
from tscript.runtime.kernels.memory import refuse
from tscript.runtime.kernels.strings import (
    LAST_ASCII,
    WORD,
    char_at,
    data_of,
    width_of,
)
from tscript.runtime.kernels.strings_search import HIGHS, find_from, first_byte
from tscript.runtime.kernels.strings_slice import piece
from tscript.runtime.kernels.strings_split import check_separator
from tscript.runtime.kernels.strings_words import NO_SPACE, small_word_try, word_try
from tscript.runtime.kernels.unicode import is_space


def put_piece(out: Ptr[i64], following: i64, piece: Ptr[Str]) -> None:
    """Write a piece and where the search for the next begins."""
    out[0] = following
    out[1] = address(piece)


def next_word(self: Ptr[Str], position: i64, out: Ptr[i64]) -> None:
    """`str_next_piece` between white space, of strings that are one byte wide. Raises MemoryError."""
    p = data_of(self)
    n = self.length
    i = position
    while i < n and is_space(i64(p[i])):
        i = i + 1
    if i >= n:
        put_piece(out, -1, pointer(0, Str))
        return
    start = i
    seen = i64(0)
    # Eight at a time, as in `split_words`. Bytes from 128 to 160 look like white space too, among them two that are.
    while i + 8 <= n:
        eight = pointer_cast(p + i, i64)[0]
        seen = seen | eight
        low = ~((eight | HIGHS) - NO_SPACE) & HIGHS
        if low != 0:
            i = i + first_byte(low)
            if is_space(i64(p[i])):
                break
            i = i + 1
        else:
            i = i + 8
    while i < n and not is_space(i64(p[i])):
        seen = seen | i64(p[i])
        i = i + 1
    size = i - start
    if seen & HIGHS == 0 and size < WORD and size > 1:
        word = word_try(p + start, size, n - start)
        if address(word) == 0:
            refuse(WORD)
        put_piece(out, i, word)
    else:
        put_piece(out, i, piece(self, start, size))


def word_end(self: Ptr[Str], start: i64) -> tuple[i64, i64]:
    """Where the word that begins at `start` ends, in a string that is more than one byte wide, and the bits its code
    points have."""
    n = self.length
    i = start
    seen = i64(0)
    if self.width == 2:
        halves = pointer_cast(data_of(self), i16)
        while i < n:
            c = i64(halves[i]) & 65535
            if c <= 32 or c > 132:
                if is_space(c):
                    break
            seen = seen | c
            i = i + 1
        return i, seen
    while i < n and not is_space(char_at(self, i)):
        seen = seen | char_at(self, i)
        i = i + 1
    return i, seen


def narrow_word(source: Ptr[i16], size: i64) -> Ptr[Str]:
    """A word of less than `WORD` ASCII characters, out of a string that is two bytes wide. Raises MemoryError."""
    word = small_word_try(size)
    if address(word) == 0:
        refuse(WORD)
    to = data_of(word)
    for i in range(size):
        to[i] = u8(source[i])
    to[size] = u8(0)
    return word


def next_wide_word(self: Ptr[Str], position: i64, out: Ptr[i64]) -> None:
    """`str_next_piece` between white space, of strings that are more than one byte wide. Raises MemoryError."""
    n = self.length
    start = position
    while start < n and is_space(char_at(self, start)):
        start = start + 1
    if start >= n:
        put_piece(out, -1, pointer(0, Str))
        return
    end, seen = word_end(self, start)
    size = end - start
    if seen <= LAST_ASCII and size < WORD and size > 1 and self.width == 2:
        put_piece(out, end, narrow_word(pointer_cast(data_of(self), i16) + start, size))
    else:
        put_piece(out, end, piece(self, start, size))


def str_next_piece(self: Ptr[Str], sep: Ptr[Str], position: i64, out: Ptr[i64]) -> None:
    """The next piece of ``s.split(sep)`` from a position on, and the position after it; -1 and null if there is none. A
    position before the string counts as its start. Raises ValueError for an empty separator, MemoryError."""
    start = position
    if start < 0:
        start = 0
    if address(sep) == 0:
        if width_of(self) == 1:
            next_word(self, start, out)
        else:
            next_wide_word(self, start, out)
        return
    check_separator(sep)
    n = self.length
    if start > n:
        put_piece(out, -1, pointer(0, Str))
        return
    at = find_from(data_of(self), width_of(self), start, n, data_of(sep), width_of(sep), sep.length)
    if at < 0:
        put_piece(out, n + 1, piece(self, start, n - start))
    else:
        put_piece(out, at + sep.length, piece(self, start, at - start))
