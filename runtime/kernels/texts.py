"""Tier 2: making a str and reading its code points, as far as numbers need it."""

from __future__ import annotations

from tscript.abi.layout import STR_STRUCT
from tscript.ops.dialect import Ptr, Str, TypeInfo, address, b8, i16, i32, i64, pointer, pointer_cast, symbol, u8
from tscript.runtime.kernels.memory import LARGEST, heap_try_allocate, refuse

HEADER = STR_STRUCT.size
LAST_LATIN = 255
LAST_BMP = 65535


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


def char_at(s: Ptr[Str], i: i64) -> i64:
    """Code point `i`, which is there."""
    return load(data_of(s), i64(s.width), i)


def width_for(highest: i64) -> i64:
    """The least width for code points up to `highest`."""
    if highest <= LAST_LATIN:
        return 1
    if highest <= LAST_BMP:
        return 2
    return 4


def text_bytes(length: i64, width: i64) -> i64:
    """Bytes of the block of a text."""
    return HEADER + (length + 1) * width


def str_try_new(length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str whose code points are not set yet; null when there is no memory left."""
    if length < 0 or length > LARGEST // 4:
        return pointer(0, Str)
    s = pointer_cast(heap_try_allocate(text_bytes(length, width)), Str)
    if address(s) == 0:
        return s
    s.refcount = 1
    s.typeinfo = symbol("ts_type:str_v1", TypeInfo)
    s.length = length
    s.hash = 0
    s.width = i32(width)
    s.ascii = i32(ascii)
    store(data_of(s), width, length, 0)
    return s


def checked(s: Ptr[Str], length: i64, width: i64) -> Ptr[Str]:
    """`s`; raises MemoryError when it is null, for a text of `length` code points."""
    if address(s) == 0:
        if length > LARGEST // 4:
            raise MemoryError("a text of this length does not fit into memory")
        refuse(text_bytes(length, width))
    return s


def str_new(length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str whose code points are not set yet; raises MemoryError. `ascii` must be what they will be."""
    return checked(str_try_new(length, width, ascii), length, width)
