"""Tier 4: lists of the pieces of strings: split, rsplit, splitlines. Of str and bytes."""

from __future__ import annotations

from tscript.dialect import List, Ptr, Str, address, b8, i64, pointer_cast, u8
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.strings import (
    WORD,
    char_at,
    data_of,
    is_bytes,
    width_of,
)
from tscript.runtime.kernels.strings_list import strings_new, strings_push, strings_reverse
from tscript.runtime.kernels.strings_search import HIGHS, find_back, find_from, first_byte
from tscript.runtime.kernels.strings_slice import piece_try
from tscript.runtime.kernels.strings_words import NO_SPACE, is_white, word_try
from tscript.runtime.kernels.unicode import WHITE, is_line

MOST = LARGEST


# ---- split at whitespace


def split_words(self: Ptr[Str], out: Ptr[List], most: i64) -> None:
    """Append the words of an ASCII str. Raises MemoryError, and then the list is gone."""
    p = data_of(self)
    n = self.length
    left = most
    i = i64(0)
    while True:
        while i < n and p[i] <= u8(32) and (WHITE >> i64(p[i])) & 1 != 0:
            i = i + 1
        if i == n:
            return
        start = i
        if left == 0:
            i = n
        left = left - 1
        # Eight at a time: which bytes are at most 32. All are below 128, so none borrows from the next.
        while i + 8 <= n:
            low = ~((pointer_cast(p + i, i64)[0] | HIGHS) - NO_SPACE) & HIGHS
            if low != 0:
                i = i + first_byte(low)
                if (WHITE >> i64(p[i])) & 1 != 0:
                    break
                i = i + 1
            else:
                i = i + 8
        while i < n and (p[i] > u8(32) or (WHITE >> i64(p[i])) & 1 == 0):
            i = i + 1
        size = i - start
        if size < WORD and size > 1:
            word = word_try(p + start, size, n - start)
            if address(word) != 0 and out.length < out.capacity:
                out.data[out.length] = address(word)
                out.length = out.length + 1
            else:
                strings_push(out, word)
        else:
            strings_push(out, piece_try(self, start, size))


def split_white(self: Ptr[Str], out: Ptr[List], most: i64) -> None:
    """Append the words of any string. Raises MemoryError, and then the list is gone."""
    n = self.length
    bytes = is_bytes(self)
    left = most
    i = i64(0)
    while True:
        while i < n and is_white(char_at(self, i), bytes):
            i = i + 1
        if i == n:
            return
        start = i
        if left == 0:
            i = n
        left = left - 1
        while i < n and not is_white(char_at(self, i), bytes):
            i = i + 1
        strings_push(out, piece_try(self, start, i - start))


def rsplit_white(self: Ptr[Str], out: Ptr[List], most: i64) -> None:
    """Append the words of any string, the last first. Raises MemoryError, and then the list is gone."""
    bytes = is_bytes(self)
    left = most
    i = self.length
    while True:
        while i > 0 and is_white(char_at(self, i - 1), bytes):
            i = i - 1
        if i == 0:
            return
        end = i
        if left == 0:
            i = i64(0)
        left = left - 1
        while i > 0 and not is_white(char_at(self, i - 1), bytes):
            i = i - 1
        strings_push(out, piece_try(self, i, end - i))


# ---- split at a string


def split_at(self: Ptr[Str], sep: Ptr[Str], out: Ptr[List], most: i64) -> None:
    """Append the pieces between separators. Raises MemoryError, and then the list is gone."""
    p = data_of(self)
    v = width_of(self)
    n = self.length
    m = sep.length
    left = most
    start = i64(0)
    while left != 0:
        at = find_from(p, v, start, n, data_of(sep), width_of(sep), m)
        if at < 0:
            break
        strings_push(out, piece_try(self, start, at - start))
        start = at + m
        left = left - 1
    strings_push(out, piece_try(self, start, n - start))


def rsplit_at(self: Ptr[Str], sep: Ptr[Str], out: Ptr[List], most: i64) -> None:
    """Append the pieces between separators, the last first. Raises MemoryError, and then the list is gone."""
    p = data_of(self)
    v = width_of(self)
    m = sep.length
    left = most
    end = self.length
    while left != 0:
        at = find_back(p, v, 0, end, data_of(sep), width_of(sep), m)
        if at < 0:
            break
        strings_push(out, piece_try(self, at + m, end - at - m))
        end = at
        left = left - 1
    strings_push(out, piece_try(self, 0, end))


def check_separator(sep: Ptr[Str]) -> None:
    """Raise ValueError for an empty separator."""
    if address(sep) != 0:
        if sep.length == 0:
            raise ValueError("empty separator")


def str_split(self: Ptr[Str], sep: Ptr[Str], maxsplit: i64) -> Ptr[List]:
    """``s.split(sep, maxsplit)``; `sep` may be null. Raises ValueError for an empty separator, MemoryError."""
    check_separator(sep)
    most = maxsplit if maxsplit >= 0 else i64(MOST)
    out = strings_new(self)
    if address(sep) != 0:
        split_at(self, sep, out, most)
    elif self.ascii != 0 and not is_bytes(self):
        split_words(self, out, most)
    else:
        split_white(self, out, most)
    return out


def str_rsplit(self: Ptr[Str], sep: Ptr[Str], maxsplit: i64) -> Ptr[List]:
    """``s.rsplit(sep, maxsplit)``; `sep` may be null. Raises ValueError for an empty separator, MemoryError."""
    check_separator(sep)
    most = maxsplit if maxsplit >= 0 else i64(MOST)
    out = strings_new(self)
    if address(sep) != 0:
        rsplit_at(self, sep, out, most)
    else:
        rsplit_white(self, out, most)
    strings_reverse(out)
    return out


def str_splitlines(self: Ptr[Str], keepends: b8) -> Ptr[List]:
    """``s.splitlines(keepends)``. Raises MemoryError."""
    n = self.length
    bytes = is_bytes(self)
    out = strings_new(self)
    i = i64(0)
    while i < n:
        start = i
        c = i64(0)
        while i < n:
            c = char_at(self, i)
            if (c == 10 or c == 13) if bytes else is_line(c):
                break
            i = i + 1
        end = i
        if i < n:
            i = i + 1
            if c == 13 and i < n:
                if char_at(self, i) == 10:
                    i = i + 1
        if keepends:
            end = i
        strings_push(out, piece_try(self, start, end - start))
    return out
