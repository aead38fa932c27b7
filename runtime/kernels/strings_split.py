"""Tier 4: taking strings apart and putting them together: split, splitlines, join, partition, strip. Of str and
bytes."""

from __future__ import annotations

from tscript.dialect import List, Ptr, Str, TypeInfo, address, b8, i16, i64, pointer, pointer_cast, symbol, u8
from tscript.runtime.kernels.memory import LARGEST, refuse
from tscript.runtime.kernels.strings import (
    LAST_ASCII,
    LAST_LATIN,
    WORD,
    char_at,
    copy_chars,
    copy_short,
    data_of,
    is_bytes,
    load,
    small_block_try,
    string_like,
    string_retain,
    width_of,
)
from tscript.runtime.kernels.strings_list import string_release, strings_new, strings_push, strings_reverse
from tscript.runtime.kernels.strings_search import HIGHS, ONES, find_back, find_from, first_byte
from tscript.runtime.kernels.strings_slice import piece, piece_try, small_copy
from tscript.runtime.kernels.unicode import WHITE, is_line, is_space

MOST = LARGEST
NO_SPACE = 33 * ONES
BYTE_WHITE = WHITE & ~(15 << 28)


def is_white(c: i64, bytes: b8) -> b8:
    """Whether `split` splits at a code point, or at a byte."""
    if bytes:
        return c <= 32 and (BYTE_WHITE >> c) & 1 != 0
    return is_space(c)


# ---- split at whitespace


def small_word_try(size: i64) -> Ptr[Str]:
    """An ASCII str of less than `WORD` characters that are not set yet, nor the 0 after them. Null if there is no
    memory left. This is `str_try_new` with the fast path of the heap inline."""
    word = pointer_cast(small_block_try(), Str)
    if address(word) == 0:
        return word
    word.refcount = 1
    word.typeinfo = symbol("ts_type:str_v1", TypeInfo)
    word.length = size
    word.hash = 0
    word.width = 1
    word.ascii = 1
    return word


def word_try(source: Ptr[u8], size: i64, room: i64) -> Ptr[Str]:
    """The str of an ASCII word of less than `WORD` characters; `room` bytes may be read there. Null when there is no
    memory left."""
    word = small_word_try(size)
    if address(word) == 0:
        return word
    text = data_of(word)
    small_copy(text, source, size, room)
    text[size] = u8(0)
    return word


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


# ---- piece by piece


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


# ---- join


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
