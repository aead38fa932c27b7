"""Tier 2: strs and bytes as values: hash, equality, order."""

from __future__ import annotations

from tscript.ops.dialect import Ptr, Str, address, b8, i32, i64, pointer_cast, u8

FACTOR = 0x2545F4914F6CDD1D


def data_of(text: Ptr[Str]) -> Ptr[u8]:
    """The code points behind the header, as bytes."""
    return pointer_cast(text + 1, u8)


def shift_right(x: i64, count: i64) -> i64:
    """`x` moved by `count` bits (at least 1) to the right, with zeros from the left."""
    return (x >> count) & ((1 << (64 - count)) - 1)


def stir(state: i64, word: i64) -> i64:
    """A state of `str_hash` with eight more bytes."""
    x = i64((state ^ word) * FACTOR)
    return x ^ shift_right(x, 32)


def str_hash(text: Ptr[Str]) -> i64:
    """The hash of a str or of bytes, which is kept in it; never 0."""
    if text.hash != 0:
        return text.hash
    nbytes = text.length * i64(text.width)
    state = stir(0x27D4EB2F165667C5, nbytes)
    words = pointer_cast(text + 1, i64)
    for k in range(nbytes // 8):
        state = stir(state, words[k])
    data = data_of(text)
    word = 0
    for k in range(nbytes & -8, nbytes):
        word = (word << 8) | i64(data[k])
    state = stir(state, word)
    if state == 0:
        state = 1
    text.hash = state
    return state


def str_equal(a: Ptr[Str], b: Ptr[Str]) -> b8:
    """Whether two strs, or two bytes, are equal."""
    if address(a) == address(b):
        return True
    if a.length != b.length or a.width != b.width:
        return False
    if a.hash != b.hash and a.hash != 0 and b.hash != 0:
        return False
    nbytes = a.length * i64(a.width)
    left = pointer_cast(a + 1, i64)
    right = pointer_cast(b + 1, i64)
    for k in range(nbytes // 8):
        if left[k] != right[k]:
            return False
    ends = data_of(a)
    others = data_of(b)
    for k in range(nbytes & -8, nbytes):
        if ends[k] != others[k]:
            return False
    return True


def code_point(data: Ptr[u8], width: i32, index: i64) -> i64:
    """Code point `index` of those at `data`, `width` bytes each."""
    if width == 1:
        return i64(data[index])
    if width == 2:
        return i64(data[2 * index]) | (i64(data[2 * index + 1]) << 8)
    return i64(pointer_cast(data, i32)[index])


def str_compare(a: Ptr[Str], b: Ptr[Str]) -> i64:
    """-1, 0 or 1 as `a` comes before, with or after `b`."""
    length = a.length
    if b.length < length:
        length = b.length
    left = data_of(a)
    right = data_of(b)
    for k in range(length):
        x = code_point(left, a.width, k)
        y = code_point(right, b.width, k)
        if x != y:
            if x < y:
                return -1
            return 1
    if a.length == b.length:
        return 0
    if a.length < b.length:
        return -1
    return 1
