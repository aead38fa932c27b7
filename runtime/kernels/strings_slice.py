"""Tier 2: pieces and code points of strings, and their lengths."""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.dialect import (
    Ptr,
    Str,
    address,
    b8,
    i32,
    i64,
    memcpy,
    pointer_cast,
    u8,
)
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.strings import (
    LAST_ASCII,
    WORD,
    any_bits,
    char_at,
    char_try,
    checked,
    copy_chars,
    data_of,
    empty_str,
    is_bytes,
    load,
    one_char,
    sealed,
    store,
    str_char,
    str_try_new,
    string_like,
    string_retain,
    string_try_new,
    width_for,
    width_of,
)


def small_copy(to: Ptr[u8], source: Ptr[u8], n: i64, room: i64) -> None:
    """Copy `n` bytes, at most `WORD`, to where there is room for all of `WORD`; `room` bytes of the source may be
    read."""
    if room >= WORD:
        a = pointer_cast(to, i64)
        b = pointer_cast(source, i64)
        first = b[0]
        second = b[1]
        third = b[2]
        a[0] = first
        a[1] = second
        a[2] = third
    else:
        for i in range(n):
            to[i] = source[i]


def piece_try(s: Ptr[Str], start: i64, n: i64) -> Ptr[Str]:
    """Code points `start` to `start` + `n` of `s`, which are there; null when there is no memory left."""
    width = width_of(s)
    if n == s.length:
        return string_retain(s)
    source = data_of(s) + start * width
    if s.ascii != 0 and n < WORD:
        if n <= 1 and not is_bytes(s):
            return empty_str() if n == 0 else one_char(i64(source[0]))
        out = string_try_new(s.typeinfo, n, 1, True)
        if address(out) != 0:
            small_copy(data_of(out), source, n, s.length - start)
            data_of(out)[n] = u8(0)
        return out
    if is_bytes(s):
        bits = any_bits(source, 1, n)
        out = string_try_new(s.typeinfo, n, 1, bits <= LAST_ASCII)
        if address(out) != 0:
            memcpy(data_of(out), source, n)
        return out
    if n == 0:
        return empty_str()
    if n == 1:
        return char_try(load(source, width, 0))
    bits = i64(0)
    if s.ascii == 0:
        bits = any_bits(source, width, n)
    least = width_for(bits)
    out = str_try_new(n, least, bits <= LAST_ASCII)
    if address(out) != 0:
        copy_chars(data_of(out), least, 0, source, width, n)
    return out


def piece(s: Ptr[Str], start: i64, n: i64) -> Ptr[Str]:
    """Code points `start` to `start` + `n` of `s`, which are there. Raises MemoryError."""
    return checked(piece_try(s, start, n), n, width_of(s))


def slice_start(start: i64, n: i64, step: i64) -> i64:
    """Where a slice of `n` elements begins."""
    if start == NONE_INT:
        return 0 if step > 0 else n - 1
    if start < 0:
        if start + n < 0:
            return 0 if step > 0 else i64(-1)
        return start + n
    if start >= n:
        return n if step > 0 else n - 1
    return start


def slice_stop(stop: i64, n: i64, step: i64) -> i64:
    """Where a slice of `n` elements ends."""
    if stop == NONE_INT:
        return n if step > 0 else i64(-1)
    return slice_start(stop, n, step)


def slice_count(first: i64, last: i64, step: i64) -> i64:
    """How many elements a slice has."""
    if step > 0:
        if last <= first:
            return 0
        return (last - first - 1) // step + 1
    if first <= last:
        return 0
    # The step is negated as a sum: the least int has no positive counterpart.
    return (first - last - 1) // (-(step + 1) + 1) + 1 if step > -LARGEST else i64(1)


def str_slice(self: Ptr[Str], start: i64, stop: i64, step: i64) -> Ptr[Str]:
    """``s[start:stop:step]``, of a str or bytes. Raises ValueError when `step` is 0."""
    if step == NONE_INT:
        step = i64(1)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    n = self.length
    first = slice_start(start, n, step)
    count = slice_count(first, slice_stop(stop, n, step), step)
    if step == 1 or count <= 1:
        if count == 0:
            first = i64(0)
        return piece(self, first, count)
    width = width_of(self)
    out = string_like(self, count, width, False)
    source = data_of(self)
    to = data_of(out)
    for i in range(count):
        store(to, width, i, load(source, width, first + i * step))
    if is_bytes(self):
        out.ascii = i32(any_bits(to, 1, count) <= LAST_ASCII)
        return out
    return sealed(out, self.ascii != 0)


def str_getitem(self: Ptr[Str], index: i64) -> Ptr[Str]:
    """``s[index]``. Raises IndexError when there is no such code point."""
    i = index
    if i < 0:
        i = i + self.length
    if i < 0 or i >= self.length:
        raise IndexError("string index out of range")
    return str_char(self, i)


def str_code_at(self: Ptr[Str], index: i64) -> i64:
    """``ord(s[index])``. Raises IndexError when there is no such code point."""
    i = index
    if i < 0:
        i = i + self.length
    if i < 0 or i >= self.length:
        raise IndexError("string index out of range")
    return char_at(self, i)


def str_len(self: Ptr[Str]) -> i64:
    """``len(s)``, of a str or bytes."""
    return self.length


def str_truth(self: Ptr[Str]) -> b8:
    """``bool(s)``, of a str or bytes."""
    return self.length != 0
