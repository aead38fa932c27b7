"""Tier 3: the steps of a search that asks keys for their own hash and equality; see
`tscript.operators.python.own_keys`.

User code runs between them, so each looks anew at what is there. A *place* is a slot of the index, and how many steps
lead there.
"""

from __future__ import annotations

from tscript.dialect import Dict, List, Ptr, b8, i64, memset, pointer_cast, u8
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.dicts import check_entry
from tscript.runtime.kernels.hashes import LARGEST_HOME
from tscript.runtime.kernels.objects import put_cells, release_cells, replace_cells
from tscript.runtime.kernels.raising import key_error
from tscript.runtime.kernels.tables import add_entry, entry_key, entry_value, place_entry, remove_entry, table_room

SLOT = 0xFFFFFFFF
STEP = 32
LAST_STEP = 13
"""From this one on nothing of the hash is left that steps depend on."""


def table_moves(self: Ptr[Dict]) -> i64:
    """See `tscript.operators.python.own_keys.MOVES`."""
    return self.moves


def table_version(self: Ptr[Dict]) -> i64:
    """See `tscript.operators.python.own_keys.VERSION`."""
    return self.version


def table_set_hashes(self: Ptr[Dict], hashes: Ptr[List], version: i64) -> None:
    """See `tscript.operators.python.own_keys.SET_HASHES`; raises ValueError when there is not one for each key."""
    if self.moves != 0 or self.version != version:
        return
    if hashes.length != self.length:
        raise ValueError("there is one hash for each key")
    self.moves = 1
    if self.mask < 0:
        return
    memset(pointer_cast(self.index, u8), 255, (self.mask + 1) * 4)
    count = i64(0)
    for k in range(self.used):
        entry = self.entries + k * self.stride
        if entry[0] != kinds.DELETED:
            entry[0] = hashes.data[count] & LARGEST_HOME
            place_entry(self.index, self.mask, entry[0], k)
            count = count + 1


def table_next_place(self: Ptr[Dict], hash: i64, place: i64) -> i64:
    """See `tscript.operators.python.own_keys.NEXT_PLACE`. Steps are those of `place_entry`."""
    if self.length == 0:
        return -1
    home = hash & LARGEST_HOME
    mask = self.mask
    slot = home & mask
    left = home
    step = i64(0)
    if place >= 0:
        step = place >> STEP
        left = i64(0)
        if step < LAST_STEP:
            left = home >> (5 * step + 5)
            step = step + 1
        slot = ((place & SLOT & mask) * 5 + left + 1) & mask
    while True:
        at = i64(self.index[slot])
        if at == -1:
            return -1
        if at >= 0:
            if (self.entries + at * self.stride)[0] == home:
                return (step << STEP) | slot
        left = left >> 5
        if step < LAST_STEP:
            step = step + 1
        slot = (slot * 5 + left + 1) & mask
    return -1


def table_entry_at(self: Ptr[Dict], place: i64) -> i64:
    """See `tscript.operators.python.own_keys.ENTRY_AT`."""
    if self.length == 0 or place < 0:
        return -1
    at = i64(self.index[place & SLOT & self.mask])
    if at < 0:
        return -1
    return at


def table_entry(self: Ptr[Dict], number: i64, out: Ptr[i64]) -> None:
    """See `tscript.operators.python.own_keys.ENTRY`; raises RuntimeError when it is gone."""
    check_entry(self, number)
    put_cells(self.typeinfo.parts[0], out, entry_key(self, number))


def table_is_entry(self: Ptr[Dict], number: i64, key: Ptr[i64]) -> b8:
    """See `tscript.operators.python.own_keys.IS_ENTRY`: whether the cells are the same."""
    if number < 0 or number >= self.used:
        return False
    entry = self.entries + number * self.stride
    if entry[0] == kinds.DELETED:
        return False
    for k in range(self.typeinfo.parts[0].cells):  # noqa: SIM110 - the dialect has no generators
        if entry[1 + k] != key[k]:
            return False
    return True


def table_entry_hash(self: Ptr[Dict], number: i64) -> i64:
    """See `tscript.operators.python.own_keys.ENTRY_HASH`; raises RuntimeError when it is gone."""
    check_entry(self, number)
    return (self.entries + number * self.stride)[0]


def table_add_entry(self: Ptr[Dict], hash: i64, key: Ptr[i64], value: Ptr[i64]) -> i64:
    """See `tscript.operators.python.own_keys.ADD_ENTRY`. Raises MemoryError."""
    table_room(self)
    number = add_entry(self, hash & LARGEST_HOME)
    info = self.typeinfo
    put_cells(info.parts[0], entry_key(self, number), key)
    if info.kind == kinds.DICT:
        put_cells(info.parts[1], entry_value(self, number), value)
    return number


def table_next_entry(self: Ptr[Dict], position: i64) -> i64:
    """See `tscript.operators.python.own_keys.NEXT_ENTRY`."""
    start = position
    if start < 0:
        start = 0
    for k in range(start, self.used):
        if (self.entries + k * self.stride)[0] != kinds.DELETED:
            return k
    return -1


def table_set_entry(self: Ptr[Dict], number: i64, value: Ptr[i64]) -> None:
    """See `tscript.operators.python.own_keys.SET_ENTRY`; raises RuntimeError when it is gone."""
    check_entry(self, number)
    if self.typeinfo.kind == kinds.DICT:
        replace_cells(self.typeinfo.parts[1], entry_value(self, number), value)


def table_drop_entry(self: Ptr[Dict], number: i64) -> None:
    """See `tscript.operators.python.own_keys.DROP_ENTRY`; raises RuntimeError when it is gone."""
    check_entry(self, number)
    remove_entry(self, number)
    info = self.typeinfo
    release_cells(info.parts[0], entry_key(self, number))
    if info.kind == kinds.DICT:
        release_cells(info.parts[1], entry_value(self, number))


def table_missing(self: Ptr[Dict], key: Ptr[i64]) -> None:
    """See `tscript.operators.python.own_keys.MISSING`."""
    key_error(self.typeinfo, key)
