"""Tier 3: lists of texts, as `split` makes them."""

from __future__ import annotations

from tscript.abi.layout import LIST_STRUCT
from tscript.dialect import List, Ptr, Str, TypeInfo, Void, address, i64, memcpy, pointer, pointer_cast, symbol
from tscript.runtime.kernels.memory import count_down, heap_allocate, heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.strings import is_bytes, str_free

LIST_BYTES = LIST_STRUCT.size
FIRST_ROOM = 8
"""Elements that the first block of a list has room for."""


def text_release(s: Ptr[Str]) -> None:
    """Drop one reference of a str or bytes."""
    if count_down(pointer_cast(s, i64)):
        str_free(s)


def texts_new(like: Ptr[Str]) -> Ptr[List]:
    """An empty list of texts of the type of `like`. Raises MemoryError."""
    out = pointer_cast(heap_allocate(LIST_BYTES), List)
    out.refcount = 1
    if is_bytes(like):
        out.typeinfo = symbol("ts_type:list[bytes]_v1", TypeInfo)
    else:
        out.typeinfo = symbol("ts_type:list[str]_v1", TypeInfo)
    out.length = 0
    out.capacity = 0
    out.data = pointer(0, i64)
    out.cells = 1
    return out


def texts_free(texts: Ptr[List]) -> None:
    """Give back a list that nobody else knows of, with its texts."""
    for i in range(texts.length):
        text_release(pointer(texts.data[i], Str))
    if texts.capacity != 0:
        heap_free(pointer_cast(texts.data, Void), texts.capacity * 8)
    heap_free(pointer_cast(texts, Void), LIST_BYTES)


def texts_push(texts: Ptr[List], s: Ptr[Str]) -> None:
    """Append a text, which is taken over. Raises MemoryError, also when it is null, and then the list is gone."""
    if address(s) == 0:
        texts_free(texts)
        refuse(0)
    if texts.length == texts.capacity:
        texts_hold(texts, s)
    else:
        texts.data[texts.length] = address(s)
        texts.length = texts.length + 1


def texts_hold(texts: Ptr[List], s: Ptr[Str]) -> None:
    """Make room for a text and append it."""
    room = texts.capacity
    more = FIRST_ROOM if room == 0 else room * 2
    data = pointer_cast(heap_try_allocate(more * 8), i64)
    if address(data) == 0:
        text_release(s)
        texts_free(texts)
        refuse(more * 8)
    if room != 0:
        memcpy(data, texts.data, room * 8)
        heap_free(pointer_cast(texts.data, Void), room * 8)
    data[room] = address(s)
    texts.data = data
    texts.capacity = more
    texts.length = room + 1


def texts_reverse(texts: Ptr[List]) -> None:
    """Turn the order round."""
    i = i64(0)
    j = texts.length - 1
    while i < j:
        kept = texts.data[i]
        texts.data[i] = texts.data[j]
        texts.data[j] = kept
        i = i + 1
        j = j - 1
