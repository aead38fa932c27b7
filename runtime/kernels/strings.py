"""Tier 2: what a str is made of: code points, memory, shared strings; bytes are the same struct.

A string is kept in the least width its code points fit into, so equal strings are equal bytes. Functions with ``try``
in their name give null when there is no memory left, for callers that have something to give back before they raise.
"""

from __future__ import annotations

from tscript.abi.layout import STR_STRUCT
from tscript.dialect import (
    Heap,
    Ptr,
    Str,
    TypeInfo,
    Void,
    address,
    b8,
    i16,
    i32,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    symbol,
    u8,
)
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.memory_blocks import LARGEST, count_up
from tscript.runtime.kernels.memory_heaps import own_heap
from tscript.runtime.kernels.memory_pages import paged_take

HEADER = STR_STRUCT.size

SMALL = 64
"""Bytes of the smallest blocks of the heap: strings of up to `WORD` bytes fit into one."""

WORD = SMALL - STR_STRUCT.size

IMMORTAL = 1 << 40
"""The refcount of an object that is never freed."""

LAST_ASCII = 127

LAST_LATIN = 255

LAST_BMP = 65535


# ---- code points


def data_of(s: Ptr[Str]) -> Ptr[u8]:
    """The first code point."""
    return pointer_cast(s + 1, u8)


def load(p: Ptr[u8], width: i64, i: i64) -> i64:
    """Code point `i` of those of `width` bytes at `p`."""
    if width == 1:
        return i64(p[i])
    if width == 2:
        return i64(pointer_cast(p, i16)[i]) & 65535
    return i64(pointer_cast(p, i32)[i])


def store(p: Ptr[u8], width: i64, i: i64, c: i64) -> None:
    """Set code point `i` of those of `width` bytes at `p`."""
    if width == 1:
        p[i] = u8(c)
    elif width == 2:
        pointer_cast(p, i16)[i] = i16(c)
    else:
        pointer_cast(p, i32)[i] = i32(c)


def width_of(s: Ptr[Str]) -> i64:
    """Bytes of a code point."""
    return i64(s.width)


def char_at(s: Ptr[Str], i: i64) -> i64:
    """Code point `i`, which is there."""
    return load(data_of(s), width_of(s), i)


def width_for(highest: i64) -> i64:
    """The least width for code points up to `highest`, or for those whose bits are all in `highest`."""
    if highest <= LAST_LATIN:
        return 1
    if highest <= LAST_BMP:
        return 2
    return 4


def any_bits(p: Ptr[u8], width: i64, n: i64) -> i64:
    """The bits that any of `n` code points has: as good as the highest of them to find a width."""
    bits = i64(0)
    if width == 1:
        words = pointer_cast(p, i64)
        whole = n // 8
        for i in range(whole):
            bits = bits | words[i]
        if bits & -9187201950435737472 != 0:
            return LAST_LATIN
        bits = i64(0)
        for i in range(whole * 8, n):
            bits = bits | i64(p[i])
    elif width == 2:
        halves = pointer_cast(p, i16)
        seen = i16(0)
        for i in range(n):
            seen = seen | halves[i]
        bits = i64(seen) & 65535
    else:
        quarters = pointer_cast(p, i32)
        all_seen = i32(0)
        for i in range(n):
            all_seen = all_seen | quarters[i]
        bits = i64(all_seen)
    return bits


def copy_short(to: Ptr[u8], source: Ptr[u8], n: i64) -> None:
    """Copy `n` bytes, which are often few: two words that may overlap, instead of a call."""
    if n > 16:
        memcpy(to, source, n)
    elif n >= 8:
        first = pointer_cast(source, i64)[0]
        last = pointer_cast(source + (n - 8), i64)[0]
        pointer_cast(to, i64)[0] = first
        pointer_cast(to + (n - 8), i64)[0] = last
    elif n >= 4:
        head = pointer_cast(source, i32)[0]
        tail = pointer_cast(source + (n - 4), i32)[0]
        pointer_cast(to, i32)[0] = head
        pointer_cast(to + (n - 4), i32)[0] = tail
    else:
        for i in range(n):
            to[i] = source[i]


def copy_chars(to: Ptr[u8], to_width: i64, at: i64, source: Ptr[u8], width: i64, n: i64) -> None:
    """Copy `n` code points to position `at` of others that are as wide or wider, or that they fit into."""
    if to_width == width:
        memcpy(to + at * width, source, n * width)
    elif to_width == 2 and width == 1:
        halves = pointer_cast(to, i16) + at
        for i in range(n):
            halves[i] = i16(source[i])
    else:
        for i in range(n):
            store(to, to_width, at + i, load(source, width, i))


# ---- memory


def string_bytes(length: i64, width: i64) -> i64:
    """Bytes of the block of a string."""
    return HEADER + (length + 1) * width


def small_block_try() -> Ptr[Void]:
    """A block of `SMALL` bytes, without a call where one is free; null when there is no memory left."""
    heap = own_heap()
    head = 0
    if symbol("ts_heap_v1", Heap).allocator == 0 and address(heap) != 0:
        head = paged_take(heap, 0)
    if head == 0:
        return heap_try_allocate(SMALL)
    heap.paged_bytes = heap.paged_bytes + SMALL
    heap.live_blocks = heap.live_blocks + 1
    heap.live_bytes = heap.live_bytes + SMALL
    return pointer(head, Void)


def block_try(nbytes: i64) -> Ptr[Void]:
    """A block of the heap; null when there is no memory left."""
    if nbytes <= SMALL:
        return small_block_try()
    return heap_try_allocate(nbytes)


def string_try_new(info: Ptr[TypeInfo], length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str or bytes whose code points are not set yet, except the 0 after them; null if there is no memory left."""
    if length < 0 or length > LARGEST // 4:
        return pointer(0, Str)
    s = pointer_cast(block_try(string_bytes(length, width)), Str)
    if address(s) == 0:
        return s
    s.refcount = 1
    s.typeinfo = info
    s.length = length
    s.hash = 0
    s.width = i32(width)
    s.ascii = i32(ascii)
    store(data_of(s), width, length, 0)
    return s


def str_try_new(length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str whose code points are not set yet; null when there is no memory left."""
    return string_try_new(symbol("ts_type:str_v1", TypeInfo), length, width, ascii)


def checked(s: Ptr[Str], length: i64, width: i64) -> Ptr[Str]:
    """`s`; raises MemoryError when it is null, for a string of `length` code points."""
    if address(s) == 0:
        if length > LARGEST // 4:
            raise MemoryError("a string of this length does not fit into memory")
        refuse(string_bytes(length, width))
    return s


def str_new(length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str whose code points are not set yet; raises MemoryError. `ascii` must be what they will be."""
    return checked(str_try_new(length, width, ascii), length, width)


def string_like(s: Ptr[Str], length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A string of the type of `s` whose code points are not set yet; raises MemoryError."""
    return checked(string_try_new(s.typeinfo, length, width, ascii), length, width)


def str_free(s: Ptr[Str]) -> None:
    """Give back a str or bytes that has no references."""
    heap_free(pointer_cast(s, Void), string_bytes(s.length, width_of(s)))


def string_retain(s: Ptr[Str]) -> Ptr[Str]:
    """`s`, with one more reference."""
    count_up(pointer_cast(s, i64))
    return s


def sealed(s: Ptr[Str], ascii: b8) -> Ptr[Str]:
    """A new string whose code points are set now, in the least width; `ascii` says that all are known to be.

    Takes over `s`. Raises MemoryError.
    """
    width = width_of(s)
    if ascii and width == 1:
        s.ascii = i32(1)
        return s
    bits = any_bits(data_of(s), width, s.length)
    least = width_for(bits)
    if least == width:
        s.ascii = i32(bits <= LAST_ASCII)
        return s
    n = s.length
    out = string_try_new(s.typeinfo, n, least, bits <= LAST_ASCII)
    if address(out) != 0:
        copy_chars(data_of(out), least, 0, data_of(s), width, n)
    str_free(s)
    return checked(out, n, least)


# ---- shared strings


def one_char(c: i64) -> Ptr[Str]:
    """The only str of the code point `c`, at most `LAST_LATIN`; of none at all when it is `LAST_LATIN` + 1."""
    s = pointer_cast(symbol("ts_characters_v1", u8) + c * SMALL, Str)
    if s.refcount == 0:
        length = i64(c <= LAST_LATIN)
        s.typeinfo = symbol("ts_type:str_v1", TypeInfo)
        s.length = length
        s.hash = 0
        s.width = i32(1)
        s.ascii = i32(c <= LAST_ASCII or c > LAST_LATIN)
        text = data_of(s)
        text[0] = u8(c & LAST_LATIN)
        text[length] = u8(0)
        s.refcount = IMMORTAL
    return string_retain(s)


def empty_str() -> Ptr[Str]:
    """``""``."""
    return one_char(LAST_LATIN + 1)


def char_try(c: i64) -> Ptr[Str]:
    """The str of one code point; null when there is no memory left."""
    if c <= LAST_LATIN:
        return one_char(c)
    width = width_for(c)
    s = str_try_new(1, width, False)
    if address(s) != 0:
        store(data_of(s), width, 0, c)
    return s


def str_of_char(c: i64) -> Ptr[Str]:
    """The str of one code point."""
    return checked(char_try(c), 1, 4)


def str_char(s: Ptr[Str], i: i64) -> Ptr[Str]:
    """The str of code point `i`: what a loop over a str gives. Raises IndexError."""
    if i < 0 or i >= s.length:
        raise IndexError("string index out of range")
    return str_of_char(char_at(s, i))


# ---- slices


def is_bytes(s: Ptr[Str]) -> b8:
    """Whether a string is bytes."""
    return address(s.typeinfo) != address(symbol("ts_type:str_v1", TypeInfo))
