"""Tier 4: words, which white space separates. Of str and bytes."""

from __future__ import annotations

from tscript.dialect import Ptr, Str, TypeInfo, address, b8, i64, pointer_cast, symbol, u8
from tscript.runtime.kernels.strings import (
    data_of,
    small_block_try,
)
from tscript.runtime.kernels.strings_search import ONES
from tscript.runtime.kernels.strings_slice import small_copy
from tscript.runtime.kernels.unicode import WHITE, is_space

NO_SPACE = 33 * ONES

BYTE_WHITE = WHITE & ~(15 << 28)


def is_white(c: i64, bytes: b8) -> b8:
    """Whether `split` splits at a code point, or at a byte."""
    if bytes:
        return c <= 32 and (BYTE_WHITE >> c) & 1 != 0
    return is_space(c)


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
