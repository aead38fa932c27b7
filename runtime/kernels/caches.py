"""Tier 3: the operations of `functools.lru_cache`, on a dict that all code of a function shares.

With a `maxsize`, the entries of the dict are in the order of use: an entry that is found moves to the end, and the
first one is evicted. A list of ints has the *state* of the cache (`tscript.abi.caches`): a lock, hits, misses, and the
entry before which all are deleted. One kernel at a time holds the lock, from the first access to the table to the last,
and never while code of the program runs: hashes are computed before, and evicted entries are released after.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.caches import FIRST, HITS, MISSES, WORDS
from tscript.abi.layout import HEAP
from tscript.dialect import (
    Dict,
    Heap,
    List,
    Ptr,
    TypeInfo,
    Void,
    address,
    atomic_add,
    atomic_cas,
    atomic_load,
    atomic_release,
    b8,
    context,
    i32,
    i64,
    pointer,
    pointer_cast,
    symbol,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.dicts import put_none, put_optional
from tscript.runtime.kernels.hashes import key_home
from tscript.runtime.kernels.lists import list_new
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.memory_heaps import is_concurrent
from tscript.runtime.kernels.objects import copy_cells, free_table, put_cells, release_cells
from tscript.runtime.kernels.tables import (
    LEAST_ROOM,
    add_entry,
    entry_key,
    entry_value,
    find_in_place,
    remove_entry,
    table_try_rebuild,
)
from tscript.runtime.kernels.tensor import release_gil

AT_WORK: Final = HEAP.offsets["caches"]
COPYING: Final = HEAP.offsets["copying"]


def cache_state(info: Ptr[TypeInfo]) -> Ptr[List]:
    """The state of an empty cache: a list of the type `info`. Raises MemoryError."""
    made = list_new(info, WORDS)
    for k in range(WORDS):
        made.data[k] = 0
    made.length = WORDS
    return made


def cache_enter(state: Ptr[List]) -> None:
    """Take a cache's lock; nothing to do while one thread runs native code. Raises ValueError if it is no state."""
    if state.length < WORDS:
        raise ValueError("the state of a cache has four numbers")
    if is_concurrent():
        # A lock that is held while the process is copied would stay locked in the child.
        heap = address(symbol("ts_heap_v1", Heap))
        at_work = pointer(heap + AT_WORK, i64)
        copying = pointer(heap + COPYING, i64)
        atomic_add(at_work, 1)
        while atomic_load(copying) != 0:
            atomic_add(at_work, -1)
            while atomic_load(copying) != 0:
                pass
            atomic_add(at_work, 1)
        lock = state.data
        if not atomic_cas(lock, 0, 1):
            # Whoever has it may wait for the GIL, which this thread may hold.
            release_gil(context())
            while not atomic_cas(lock, 0, 1):
                pass


def cache_leave(state: Ptr[List]) -> None:
    """Give a cache's lock back."""
    lock = state.data
    if lock[0] != 0:
        atomic_release(lock, 0)
        atomic_add(pointer(address(symbol("ts_heap_v1", Heap)) + AT_WORK, i64), -1)


def cache_room(self: Ptr[Dict], state: Ptr[List]) -> b8:
    """Room for one more entry; False: there is no memory."""
    if self.used < self.capacity:
        return True
    state.data[FIRST] = 0
    return table_try_rebuild(self, self.length + (self.length >> 1) + LEAST_ROOM)


def cache_find(self: Ptr[Dict], state: Ptr[List], key: Ptr[i64], ordered: b8, out: Ptr[i64]) -> None:
    """What is kept for a key, which is the last used now if the cache is `ordered`; None, and a miss, if nothing is."""
    info = self.typeinfo
    home = key_home(info.parts[0], key)
    cache_enter(state)
    has_room = False
    if ordered and self.length > 0:
        has_room = cache_room(self, state)
    found = find_in_place(self, home, key)
    if found < 0:
        state.data[MISSES] = state.data[MISSES] + 1
        cache_leave(state)
        put_none(info.parts[1], out)
        return
    state.data[HITS] = state.data[HITS] + 1
    put_optional(info.parts[1], out, entry_value(self, found))
    if has_room and found != self.used - 1:
        number = add_entry(self, home)
        copy_cells(entry_key(self, number), entry_key(self, found), self.stride - 1)
        remove_entry(self, found)
    cache_leave(state)


def cache_keep(self: Ptr[Dict], state: Ptr[List], key: Ptr[i64], value: Ptr[i64], maxsize: i64) -> None:
    """Keep a value for a key, unless one is kept. If there are more than `maxsize` then (-1: any number may be), the
    one that was not used for longest goes. Raises MemoryError."""
    info = self.typeinfo
    home = key_home(info.parts[0], key)
    dropped = pointer(0, i64)
    nbytes = self.stride * 8
    cache_enter(state)
    if find_in_place(self, home, key) >= 0:
        cache_leave(state)
        return
    is_full = maxsize >= 0 and self.length >= maxsize
    if is_full:
        dropped = pointer_cast(heap_try_allocate(nbytes), i64)
    if not cache_room(self, state) or (is_full and address(dropped) == 0):
        cache_leave(state)
        if address(dropped) != 0:
            heap_free(pointer_cast(dropped, Void), nbytes)
        refuse(nbytes)
    number = add_entry(self, home)
    put_cells(info.parts[0], entry_key(self, number), key)
    put_cells(info.parts[1], entry_value(self, number), value)
    if is_full:
        first = oldest_entry(self, state.data[FIRST])
        copy_cells(dropped, entry_key(self, first), self.stride - 1)
        remove_entry(self, first)
        state.data[FIRST] = first + 1
    cache_leave(state)
    if is_full:
        release_cells(info.parts[0], dropped)
        release_cells(info.parts[1], dropped + info.parts[0].cells)
        heap_free(pointer_cast(dropped, Void), nbytes)


def oldest_entry(self: Ptr[Dict], first: i64) -> i64:
    """The first entry of a table that is not empty; those before `first` are gone."""
    at = first
    if at < 0:
        at = 0
    for _again in range(2):
        while at < self.used:
            if (self.entries + at * self.stride)[0] != kinds.DELETED:
                return at
            at = at + 1
        at = 0
    return at


def cache_clear(self: Ptr[Dict], state: Ptr[List]) -> None:
    """Forget everything, and how often it was asked for."""
    info = self.typeinfo
    cache_enter(state)
    entries = self.entries
    index = self.index
    used = self.used
    mask = self.mask
    self.length = 0
    self.used = 0
    self.capacity = 0
    self.entries = pointer(0, i64)
    self.index = pointer(0, i32)
    self.mask = -1
    self.version = self.version + 1
    state.data[HITS] = 0
    state.data[MISSES] = 0
    state.data[FIRST] = 0
    cache_leave(state)
    for k in range(used):
        entry = entries + k * self.stride
        if entry[0] != kinds.DELETED:
            release_cells(info.parts[0], entry + 1)
            release_cells(info.parts[1], entry + (1 + info.parts[0].cells))
    free_table(entries, index, mask, self.stride)


def cache_counts(self: Ptr[Dict], state: Ptr[List], out: Ptr[i64]) -> None:
    """Hits, misses, and how much is kept."""
    cache_enter(state)
    out[0] = state.data[HITS]
    out[1] = state.data[MISSES]
    out[2] = self.length
    cache_leave(state)
