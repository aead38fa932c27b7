"""Tier 3: the hash table of dicts and sets.

Entries are in an array in the order of insertion; an index of 2^k slots refers to them. Hashes are mixed well before
they choose a slot, so keys that differ only in a few bits do not collide systematically.
"""

from __future__ import annotations

from tscript.dialect import Dict, Ptr, Str, TypeInfo, Void, address, b8, i32, i64, memset, pointer, pointer_cast, u8
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.hashes import hash_cells, int_home, key_home, str_home
from tscript.runtime.kernels.memory import heap_allocate, heap_free, heap_try_allocate, refuse, value_gone, value_made
from tscript.runtime.kernels.objects import copy_cells, entries_room, free_table, put_cells, release_cells
from tscript.runtime.kernels.strings import data_of, width_of
from tscript.runtime.kernels.strings_compare import same_bytes
from tscript.runtime.kernels.values_equal import find_entry

LEAST_ROOM = 5
"""Entries that the smallest index, of eight slots, has room for."""

MOST_ENTRIES = 1 << 30
"""What the numbers in the index can name."""


def dict_new(info: Ptr[TypeInfo]) -> Ptr[Dict]:
    """An empty dict, or set, of the type `info`. Raises MemoryError."""
    made = pointer_cast(heap_allocate(kinds.DICT_BYTES), Dict)
    clear_new(made, info)
    return made


def clear_new(made: Ptr[Dict], info: Ptr[TypeInfo]) -> None:
    """Make fresh memory an empty dict, or set, of the type `info`."""
    made.refcount = 1
    made.typeinfo = info
    made.length = 0
    made.used = 0
    made.capacity = 0
    made.entries = pointer(0, i64)
    made.index = pointer(0, i32)
    made.mask = -1
    made.stride = 1 + info.parts[0].cells
    if info.kind == kinds.DICT:
        made.stride = made.stride + info.parts[1].cells
    made.version = 0
    made.moves = 1
    value_made(info)


def table_try_rebuild(table: Ptr[Dict], wanted: i64) -> b8:
    """Room for `wanted` entries, at least as many as there are, without the deleted ones; False: there is no memory."""
    slots = 8
    while entries_room(slots) < wanted:
        slots = slots * 2
    room = entries_room(slots)
    if wanted > MOST_ENTRIES:
        return False
    entries = pointer_cast(heap_try_allocate(room * table.stride * 8), i64)
    if address(entries) == 0:
        return False
    index = pointer_cast(heap_try_allocate(slots * 4), i32)
    if address(index) == 0:
        heap_free(pointer_cast(entries, Void), room * table.stride * 8)
        return False
    memset(pointer_cast(index, u8), 255, slots * 4)
    mask = slots - 1
    stride = table.stride
    count = 0
    for k in range(table.used):
        source = table.entries + k * stride
        if source[0] != kinds.DELETED:
            copy_cells(entries + count * stride, source, stride)
            place_entry(index, mask, source[0], count)
            count = count + 1
    free_table(table.entries, table.index, table.mask, table.stride)
    table.entries = entries
    table.index = index
    table.mask = mask
    table.capacity = room
    table.used = count
    note_moves(table)
    return True


def note_moves(table: Ptr[Dict]) -> None:
    """Entries have other places now."""
    if table.moves != 0:
        table.moves = table.moves + 1


def place_entry(index: Ptr[i32], mask: i64, home: i64, number: i64) -> None:
    """Write the number of an entry to the first slot on its way that is empty."""
    slot = home & mask
    left = home
    while index[slot] >= 0:
        left = left >> 5
        slot = (slot * 5 + left + 1) & mask
    index[slot] = i32(number)


def table_room(table: Ptr[Dict]) -> None:
    """Room for one more entry. Raises MemoryError."""
    if table.used == table.capacity:
        table_grow(table)


def table_grow(table: Ptr[Dict]) -> None:
    """Room for more entries. Raises MemoryError."""
    if not table_try_rebuild(table, table.length + (table.length >> 1) + LEAST_ROOM):
        refuse(table.capacity * 2 * table.stride * 8)


def add_entry(table: Ptr[Dict], home: i64) -> i64:
    """The number of a new entry; its key and value are not set. There is room, and no entry with this key."""
    number = table.used
    (table.entries + number * table.stride)[0] = home
    place_entry(table.index, table.mask, home, number)
    table.used = number + 1
    table.length = table.length + 1
    table.version = table.version + 1
    return number


def remove_entry(table: Ptr[Dict], number: i64) -> None:
    """Take an entry out; its key and value are somebody else's now."""
    entry = table.entries + number * table.stride
    mask = table.mask
    slot = entry[0] & mask
    left = entry[0]
    while i64(table.index[slot]) != number:
        left = left >> 5
        slot = (slot * 5 + left + 1) & mask
    table.index[slot] = -2
    entry[0] = kinds.DELETED
    table.length = table.length - 1
    table.version = table.version + 1


def entry_key(table: Ptr[Dict], number: i64) -> Ptr[i64]:
    """The cells of the key of an entry."""
    return table.entries + (number * table.stride + 1)


def entry_value(table: Ptr[Dict], number: i64) -> Ptr[i64]:
    """The cells of the value of an entry."""
    return table.entries + (number * table.stride + 1 + table.typeinfo.parts[0].cells)


def dict_find(self: Ptr[Dict], key: Ptr[i64]) -> i64:
    """The number of the entry with a key, -1 if there is none."""
    if self.length == 0:
        return -1
    info = self.typeinfo.parts[0]
    if info.kind == kinds.INT:
        return dict_find_int(self, key[0])
    if info.kind == kinds.STR:
        return dict_find_str(self, pointer(key[0], Str))
    return find_entry(self, key_home(info, key), key)


def dict_find_int(self: Ptr[Dict], key: i64) -> i64:
    """`dict_find` where keys are ints, bools or members of enums."""
    if self.length == 0:
        return -1
    return find_int_at(self, int_home(key), key)


def find_int_at(self: Ptr[Dict], home: i64, key: i64) -> i64:
    """`dict_find_int` in a table that is not empty, with the key's home."""
    mask = self.mask
    slot = home & mask
    left = home
    while True:
        at = i64(self.index[slot])
        if at >= 0:
            if self.entries[at * self.stride + 1] == key:
                # A deleted entry keeps its key, but no slot leads to it.
                return at
        elif at == -1:
            return -1
        left = left >> 5
        slot = (slot * 5 + left + 1) & mask
    return -1


def dict_find_str(self: Ptr[Dict], key: Ptr[Str]) -> i64:
    """`dict_find` where keys are strings."""
    if self.length == 0:
        return -1
    return find_str_at(self, str_home(key), key)


def is_same_string(a: Ptr[Str], b: Ptr[Str]) -> b8:
    """`str_equal` in place."""
    if a.length != b.length or a.width != b.width:
        return False
    return same_bytes(data_of(a), data_of(b), a.length * width_of(a))


def find_str_at(self: Ptr[Dict], home: i64, key: Ptr[Str]) -> i64:
    """`dict_find_str` in a table that is not empty, with the key's home."""
    mask = self.mask
    slot = home & mask
    left = home
    while True:
        at = i64(self.index[slot])
        if at >= 0:
            entry = self.entries + at * self.stride
            if entry[0] == home:
                if entry[1] == address(key):
                    return at
                if is_same_string(pointer(entry[1], Str), key):
                    return at
        elif at == -1:
            return -1
        left = left >> 5
        slot = (slot * 5 + left + 1) & mask
    return -1


def find_in_place(self: Ptr[Dict], home: i64, key: Ptr[i64]) -> i64:
    """`dict_find` with the key's home; each caller has a copy of its own for ints and strings."""
    if self.length == 0:
        return -1
    kind = self.typeinfo.parts[0].kind
    if kind == kinds.INT:
        return find_int_at(self, home, key[0])
    if kind == kinds.STR:
        return find_str_at(self, home, pointer(key[0], Str))
    return find_entry(self, home, key)


def find_at(self: Ptr[Dict], home: i64, key: Ptr[i64]) -> i64:
    """`dict_find` with the key's home."""
    return find_in_place(self, home, key)


def dict_add_key(self: Ptr[Dict], home: i64, key: Ptr[i64]) -> i64:
    """The number of a new entry with a key that is not there; its value is not set. Raises MemoryError."""
    table_room(self)
    number = add_entry(self, home)
    put_cells(self.typeinfo.parts[0], entry_key(self, number), key)
    return number


def slot_of(self: Ptr[Dict], key: Ptr[i64]) -> tuple[i64, b8]:
    """See `dict_slot`."""
    home = key_home(self.typeinfo.parts[0], key)
    found = find_in_place(self, home, key)
    if found >= 0:
        return found, False
    return dict_add_key(self, home, key), True


def dict_slot(self: Ptr[Dict], key: Ptr[i64]) -> tuple[i64, b8]:
    """The number of the entry with a key, and whether it is new: then the value's cells must be set before anything
    else happens. Raises MemoryError."""
    return slot_of(self, key)


def table_with_room(info: Ptr[TypeInfo], count: i64) -> Ptr[Dict]:
    """An empty dict or set with room for `count` entries. Raises MemoryError."""
    made = dict_new(info)
    if count > 0:
        if not table_try_rebuild(made, count):
            value_gone(info)
            heap_free(pointer_cast(made, Void), kinds.DICT_BYTES)
            refuse(count * made.stride * 8)
    return made


def check_keys(info: Ptr[TypeInfo], keys: Ptr[i64], count: i64) -> None:
    """Raise TypeError if one of `count` keys in a row has no hash: before a table is made that would have to be
    freed."""
    kind = info.kind
    if kind == kinds.INT or kind == kinds.STR or kind == kinds.FLOAT or kind == kinds.BOOL:
        return
    for k in range(count):
        hash_cells(info, keys + k * info.cells)


def copy_entry(target: Ptr[Dict], source: Ptr[i64]) -> None:
    """Add an entry of another table of this type, whose key is not there. Raises MemoryError."""
    table_room(target)
    added = target.entries + add_entry(target, source[0]) * target.stride
    info = target.typeinfo
    put_cells(info.parts[0], added + 1, source + 1)
    if info.kind == kinds.DICT:
        at = 1 + info.parts[0].cells
        put_cells(info.parts[1], added + at, source + at)


def table_copy(table: Ptr[Dict], more: i64) -> Ptr[Dict]:
    """A copy of a dict or a set, with room for `more` entries besides. Raises MemoryError."""
    made = table_with_room(table.typeinfo, table.length + more)
    for k in range(table.used):
        entry = table.entries + k * table.stride
        if entry[0] != kinds.DELETED:
            copy_entry(made, entry)
    if table.moves == 0:
        made.moves = 0
    return made


def table_clear(table: Ptr[Dict]) -> None:
    """Take all entries out."""
    info = table.typeinfo
    entries = table.entries
    index = table.index
    used = table.used
    mask = table.mask
    table.length = 0
    table.used = 0
    table.capacity = 0
    table.entries = pointer(0, i64)
    table.index = pointer(0, i32)
    table.mask = -1
    table.version = table.version + 1
    note_moves(table)
    for k in range(used):
        entry = entries + k * table.stride
        if entry[0] != kinds.DELETED:
            release_cells(info.parts[0], entry + 1)
            if info.kind == kinds.DICT:
                release_cells(info.parts[1], entry + (1 + info.parts[0].cells))
    free_table(entries, index, mask, table.stride)


def last_entry(table: Ptr[Dict]) -> i64:
    """The number of the last entry, which exists; deleted ones after it are dropped."""
    at = table.used - 1
    while (table.entries + at * table.stride)[0] == kinds.DELETED:
        at = at - 1
    give_up(table, at + 1)
    return at


def give_up(table: Ptr[Dict], used: i64) -> None:
    """Truncate to the first `used` entries; those after them are deleted.

    Their slots in the index stay used: otherwise the index could fill up, and searches would not end.
    """
    table.capacity = table.capacity - (table.used - used)
    table.used = used


def take_last(table: Ptr[Dict], out: Ptr[i64]) -> None:
    """Take the last entry out, of which there is one: its key, and value, go to `out`."""
    number = last_entry(table)
    copy_cells(out, entry_key(table, number), table.stride - 1)
    remove_entry(table, number)
    give_up(table, number)


def dict_next(self: Ptr[Dict], position: i64, length: i64) -> i64:
    """The number of the first entry from `position` on, -1 if there is none.

    Args:
        length: How many there were when the iteration began; raises RuntimeError when that is different now.
    """
    if self.length != length:
        if self.typeinfo.kind == kinds.SET:
            raise RuntimeError("Set changed size during iteration")
        raise RuntimeError("dictionary changed size during iteration")
    start = position
    if start < 0:
        start = 0
    for k in range(start, self.used):
        if (self.entries + k * self.stride)[0] != kinds.DELETED:
            return k
    return -1


def dict_previous(self: Ptr[Dict], position: i64, length: i64) -> i64:
    """The number of the last entry before `position`, -1 if there is none; see `dict_next`."""
    if self.length != length:
        raise RuntimeError("dictionary changed size during iteration")
    at = position
    if at > self.used:
        at = self.used
    while at > 0:
        at = at - 1
        if (self.entries + at * self.stride)[0] != kinds.DELETED:
            return at
    return -1


def dict_begin(self: Ptr[Dict]) -> i64:
    """The position to begin a `dict_previous` iteration with."""
    return self.used


def table_discard(table: Ptr[Dict], key: Ptr[i64]) -> b8:
    """Take a key out, if it is there; whether it was."""
    found = dict_find(table, key)
    if found < 0:
        return False
    remove_entry(table, found)
    info = table.typeinfo
    release_cells(info.parts[0], entry_key(table, found))
    if info.kind == kinds.DICT:
        release_cells(info.parts[1], entry_value(table, found))
    return True
