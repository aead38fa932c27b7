"""Tier 3: lists of strings, as `split` makes them."""

from __future__ import annotations

from tscript.abi.layout import LIST_STRUCT
from tscript.dialect import List, Ptr, Str, TypeInfo, Void, address, i64, memcpy, pointer, pointer_cast, symbol
from tscript.runtime.kernels.memory import heap_allocate, heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.memory_blocks import count_down
from tscript.runtime.kernels.strings import is_bytes, str_free

LIST_BYTES = LIST_STRUCT.size
FIRST_ROOM = 8
"""Elements that the first block of a list has room for."""


def string_release(s: Ptr[Str]) -> None:
    """Drop one reference of a str or bytes."""
    if count_down(pointer_cast(s, i64)):
        str_free(s)


def strings_new(like: Ptr[Str]) -> Ptr[List]:
    """An empty list of strings of the type of `like`. Raises MemoryError."""
    out = pointer_cast(heap_allocate(LIST_BYTES), List)
    out.refcount = 1
    if is_bytes(like):
        out.typeinfo = symbol("ts_type:list[bytes]_v1", TypeInfo)
    else:
        out.typeinfo = symbol("ts_type:list[str]_v1", TypeInfo)
    out.length = 0
    out.capacity = 0
    out.data = pointer(0, i64)
    out.itemsize = 8
    return out


def strings_free(strings: Ptr[List]) -> None:
    """Free a new list with its strings."""
    for i in range(strings.length):
        string_release(pointer(strings.data[i], Str))
    if strings.capacity != 0:
        heap_free(pointer_cast(strings.data, Void), strings.capacity * 8)
    heap_free(pointer_cast(strings, Void), LIST_BYTES)


def strings_push(strings: Ptr[List], s: Ptr[Str]) -> None:
    """Append a string, which is taken over. Raises MemoryError, also when it is null, and then the list is gone."""
    if address(s) == 0:
        strings_free(strings)
        refuse(0)
    if strings.length == strings.capacity:
        strings_hold(strings, s)
    else:
        strings.data[strings.length] = address(s)
        strings.length = strings.length + 1


def strings_hold(strings: Ptr[List], s: Ptr[Str]) -> None:
    """Make room for a string and append it."""
    room = strings.capacity
    more = FIRST_ROOM if room == 0 else room * 2
    data = pointer_cast(heap_try_allocate(more * 8), i64)
    if address(data) == 0:
        string_release(s)
        strings_free(strings)
        refuse(more * 8)
    if room != 0:
        memcpy(data, strings.data, room * 8)
        heap_free(pointer_cast(strings.data, Void), room * 8)
    data[room] = address(s)
    strings.data = data
    strings.capacity = more
    strings.length = room + 1


def strings_reverse(strings: Ptr[List]) -> None:
    """Turn the order round."""
    i = i64(0)
    j = strings.length - 1
    while i < j:
        kept = strings.data[i]
        strings.data[i] = strings.data[j]
        strings.data[j] = kept
        i = i + 1
        j = j - 1
