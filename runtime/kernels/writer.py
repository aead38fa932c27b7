"""Tier 3: a string that grows in a buffer of four bytes a code point.

What writes it never raises: it notes why it cannot go on, and the buffer is given back before the exception is raised.
"""

from __future__ import annotations

from tscript.dialect import (
    Ptr,
    Str,
    TypeInfo,
    Void,
    address,
    b8,
    f64,
    i32,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    stack,
    u8,
)
from tscript.runtime.kernels.digits import write_float_repr, write_int
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.strings import LAST_ASCII, copy_chars, data_of, str_try_new, width_for

BUFFER = 0
ROOM = 1
LENGTH = 2
FAILED = 3
"""Cells of a writer: the address of its buffer, the code points it has room for, those that are there, and why it has
stopped, `NO_MEMORY` or `TOO_DEEP`, else 0."""

NO_MEMORY = 1
TOO_DEEP = 2


def word(text: str) -> int:
    """Up to seven ASCII characters as a number."""
    return int.from_bytes(text.encode("ascii"), "little")


TSCRIPT = word("tscript")
POINT = word(".")


def begin_writer(w: Ptr[i64]) -> None:
    """Make four cells a writer."""
    w[BUFFER] = 0
    w[ROOM] = 0
    w[LENGTH] = 0
    w[FAILED] = 0


def has_room(w: Ptr[i64], more: i64) -> b8:
    """Whether there is room for so many code points more, after some has been made."""
    if w[FAILED] != 0:
        return False
    wanted = w[LENGTH] + more
    if wanted <= w[ROOM]:
        return True
    room = w[ROOM] * 2
    if room < wanted:
        room = wanted + 16
    made = heap_try_allocate(room * 4)
    if address(made) == 0:
        w[FAILED] = NO_MEMORY
        return False
    if w[ROOM] != 0:
        before = pointer(w[BUFFER], u8)
        memcpy(pointer_cast(made, u8), before, w[LENGTH] * 4)
        heap_free(pointer_cast(before, Void), w[ROOM] * 4)
    w[BUFFER] = address(made)
    w[ROOM] = room
    return True


def put_char(w: Ptr[i64], c: i64) -> None:
    """Write a code point."""
    if has_room(w, 1):
        pointer(w[BUFFER], i32)[w[LENGTH]] = i32(c)
        w[LENGTH] = w[LENGTH] + 1


def put_word(w: Ptr[i64], letters: i64) -> None:
    """Write what `word` gave."""
    left = letters
    while left != 0:
        put_char(w, left & 255)
        left = left >> 8


def put_letters(w: Ptr[i64], letters: Ptr[u8], count: i64) -> None:
    """Write ASCII characters."""
    for k in range(count):
        put_char(w, i64(letters[k]))


def put_utf8(w: Ptr[i64], text: Ptr[u8]) -> None:
    """Write a string that ends in a NUL."""
    at = i64(0)
    while text[at] != 0:
        c = i64(text[at])
        more = i64(0)
        if c >= 0xF0:
            c = c & 7
            more = i64(3)
        elif c >= 0xE0:
            c = c & 15
            more = i64(2)
        elif c >= 0xC0:
            c = c & 31
            more = i64(1)
        at = at + 1
        for _ in range(more):
            c = (c << 6) | (i64(text[at]) & 63)
            at = at + 1
        put_char(w, c)


def last_name(text: Ptr[u8]) -> Ptr[u8]:
    """The part of a name after its last dot."""
    found = text
    at = i64(0)
    while text[at] != 0:
        if text[at] == 46:
            found = text + (at + 1)
        at = at + 1
    return found


def put_float(w: Ptr[i64], x: f64) -> None:
    """Write a float."""
    letters = stack(32, u8)
    put_letters(w, letters, write_float_repr(letters, x))


def put_int(w: Ptr[i64], n: i64) -> None:
    """Write an int."""
    letters = stack(32, u8)
    put_letters(w, letters, write_int(letters, n))


def put_dtype(w: Ptr[i64], info: Ptr[TypeInfo], code: i64) -> None:
    """Write a dtype."""
    put_word(w, TSCRIPT)
    put_word(w, POINT)
    put_utf8(w, pointer_cast(info.names[code], u8))


def try_written(w: Ptr[i64]) -> Ptr[Str]:
    """What a writer has written, or null; it gives back its buffer."""
    out = pointer(0, Str)
    buffer = pointer(w[BUFFER], i32)
    length = w[LENGTH]
    if w[FAILED] == 0:
        bits = i64(0)
        for k in range(length):
            bits = bits | i64(buffer[k])
        width = width_for(bits)
        out = str_try_new(length, width, bits <= LAST_ASCII)
        if address(out) != 0:
            copy_chars(data_of(out), width, 0, pointer_cast(buffer, u8), 4, length)
    if w[ROOM] != 0:
        heap_free(pointer_cast(buffer, Void), w[ROOM] * 4)
    return out


def written(w: Ptr[i64]) -> Ptr[Str]:
    """What a writer has written; it gives back its buffer. Raises RecursionError, MemoryError."""
    length = w[LENGTH]
    out = try_written(w)
    if w[FAILED] == TOO_DEEP:
        raise RecursionError("maximum recursion depth exceeded while getting the repr of an object")
    if address(out) == 0:
        refuse(length * 4)
    return out
