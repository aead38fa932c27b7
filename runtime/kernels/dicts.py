"""Tier 3: what dicts do, over the table of `tscript.runtime.kernels.tables`."""

from __future__ import annotations

from tscript.dialect import Dict, List, Object, Ptr, TypeInfo, address, b8, i64, pointer_cast, stack
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.lists import list_new
from tscript.runtime.kernels.objects import (
    copy_cells,
    element_at,
    element_cells,
    object_retain,
    put_cells,
    put_element,
    release_cells,
    replace_cells,
)
from tscript.runtime.kernels.raising import key_error
from tscript.runtime.kernels.tables import (
    check_keys,
    copy_entry,
    dict_find,
    dict_slot,
    entry_key,
    entry_value,
    find_at,
    remove_entry,
    slot_of,
    table_clear,
    table_copy,
    table_discard,
    table_with_room,
    take_last,
)
from tscript.runtime.kernels.values_equal import tables_equal


def dict_getitem(self: Ptr[Dict], key: Ptr[i64], out: Ptr[i64]) -> None:
    """``self[key]``; raises KeyError."""
    found = dict_find(self, key)
    if found < 0:
        key_error(self.typeinfo, key)
    put_cells(self.typeinfo.parts[1], out, entry_value(self, found))


def dict_setitem(self: Ptr[Dict], key: Ptr[i64], value: Ptr[i64]) -> None:
    """``self[key] = value``"""
    found, is_new = slot_of(self, key)
    if is_new:
        put_cells(self.typeinfo.parts[1], entry_value(self, found), value)
    else:
        replace_cells(self.typeinfo.parts[1], entry_value(self, found), value)


def dict_delitem(self: Ptr[Dict], key: Ptr[i64]) -> None:
    """``del self[key]``; raises KeyError."""
    if not table_discard(self, key):
        key_error(self.typeinfo, key)


def dict_contains(self: Ptr[Dict], key: Ptr[i64]) -> b8:
    """``key in self``"""
    return dict_find(self, key) >= 0


def dict_len(self: Ptr[Dict]) -> i64:
    """``len(self)``"""
    return self.length


def put_optional(info: Ptr[TypeInfo], out: Ptr[i64], cells: Ptr[i64]) -> None:
    """Write a value of type `info` as an optional."""
    kind = info.kind
    if kind >= kinds.OPTIONAL or kind == kinds.NONE:
        put_cells(info, out, cells)
    else:
        out[0] = 1
        put_cells(info, out + 1, cells)


def put_none(info: Ptr[TypeInfo], out: Ptr[i64]) -> None:
    """Write None as an optional of type `info`."""
    out[0] = 0
    for k in range(info.cells):
        out[k] = 0
    if info.kind < kinds.OPTIONAL:
        out[info.cells] = 0


def dict_get(self: Ptr[Dict], key: Ptr[i64], out: Ptr[i64]) -> None:
    """``self.get(key)``"""
    found = dict_find(self, key)
    info = self.typeinfo.parts[1]
    if found < 0:
        put_none(info, out)
    else:
        put_optional(info, out, entry_value(self, found))


def dict_get_default(self: Ptr[Dict], key: Ptr[i64], default: Ptr[i64], out: Ptr[i64]) -> None:
    """``self.get(key, default)``"""
    found = dict_find(self, key)
    info = self.typeinfo.parts[1]
    if found < 0:
        put_cells(info, out, default)
    else:
        put_cells(info, out, entry_value(self, found))


def dict_take(self: Ptr[Dict], number: i64, out: Ptr[i64]) -> None:
    """Take an entry out and give its value."""
    copy_cells(out, entry_value(self, number), self.typeinfo.parts[1].cells)
    remove_entry(self, number)
    release_cells(self.typeinfo.parts[0], entry_key(self, number))


def dict_drop(self: Ptr[Dict], number: i64) -> None:
    """Take an entry out."""
    remove_entry(self, number)
    release_cells(self.typeinfo.parts[0], entry_key(self, number))
    release_cells(self.typeinfo.parts[1], entry_value(self, number))


def dict_pop(self: Ptr[Dict], key: Ptr[i64], out: Ptr[i64]) -> None:
    """``self.pop(key)``; raises KeyError."""
    found = dict_find(self, key)
    if found < 0:
        key_error(self.typeinfo, key)
    dict_take(self, found, out)


def dict_pop_default(self: Ptr[Dict], key: Ptr[i64], default: Ptr[i64], out: Ptr[i64]) -> None:
    """``self.pop(key, default)``"""
    found = dict_find(self, key)
    if found < 0:
        put_cells(self.typeinfo.parts[1], out, default)
    else:
        dict_take(self, found, out)


def dict_popitem(self: Ptr[Dict], out: Ptr[i64]) -> None:
    """``self.popitem()``; raises KeyError."""
    if self.length == 0:
        raise KeyError("popitem(): dictionary is empty")
    take_last(self, out)


def dict_setdefault(self: Ptr[Dict], key: Ptr[i64], default: Ptr[i64], out: Ptr[i64]) -> None:
    """``self.setdefault(key, default)``"""
    found, is_new = dict_slot(self, key)
    info = self.typeinfo.parts[1]
    if is_new:
        put_cells(info, entry_value(self, found), default)
    put_cells(info, out, entry_value(self, found))


def dict_update(self: Ptr[Dict], other: Ptr[Dict]) -> None:
    """``self.update(other)``"""
    if address(self) == address(other):
        return
    info = self.typeinfo.parts[1]
    at = 1 + self.typeinfo.parts[0].cells
    for k in range(other.used):
        entry = other.entries + k * other.stride
        if entry[0] != kinds.DELETED:
            found = find_at(self, entry[0], entry + 1)
            if found < 0:
                copy_entry(self, entry)
            else:
                replace_cells(info, entry_value(self, found), entry + at)


def dict_or(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self | other``"""
    made = table_copy(self, other.length)
    dict_update(made, other)
    return made


def dict_ior(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self |= other``; gives `self`, with one more reference."""
    dict_update(self, other)
    object_retain(pointer_cast(self, Object))
    return self


def dict_copy(self: Ptr[Dict]) -> Ptr[Dict]:
    """``self.copy()``, of a set too."""
    return table_copy(self, 0)


def dict_clear(self: Ptr[Dict]) -> None:
    """``self.clear()``, of a set too."""
    table_clear(self)


def dict_eq(self: Ptr[Dict], other: Ptr[Dict]) -> b8:
    """``self == other``, of sets too"""
    return tables_equal(self, other)


def dict_ne(self: Ptr[Dict], other: Ptr[Dict]) -> b8:
    """``self != other``, of sets too"""
    return not tables_equal(self, other)


def dict_fromkeys(info: Ptr[TypeInfo], keys: Ptr[List], of: Ptr[TypeInfo], value: Ptr[i64]) -> Ptr[Dict]:
    """``dict.fromkeys(keys, value)`` as a dict of the type `info`; `of` is that of the value."""
    check_keys(info.parts[0], keys.data, keys.length)
    made = table_with_room(info, keys.length)
    spare = stack(1, i64)
    for k in range(keys.length):
        dict_setitem(made, element_cells(keys, k, spare), value)
    return made


def dict_from_items(info: Ptr[TypeInfo], items: Ptr[List]) -> Ptr[Dict]:
    """``dict(items)`` of a list of pairs, as a dict of the type `info`"""
    key = info.parts[0]
    for k in range(items.length):
        check_keys(key, element_at(items, k), 1)
    made = table_with_room(info, items.length)
    for k in range(items.length):
        row = element_at(items, k)
        dict_setitem(made, row, row + key.cells)
    return made


def dict_keys_list(info: Ptr[TypeInfo], self: Ptr[Dict]) -> Ptr[List]:
    """``list(self)`` as a list of the type `info`, of a set too"""
    return entries_list(info, self, 1)


def dict_values_list(info: Ptr[TypeInfo], self: Ptr[Dict]) -> Ptr[List]:
    """``list(self.values())`` as a list of the type `info`"""
    return entries_list(info, self, 1 + self.typeinfo.parts[0].cells)


def dict_items_list(info: Ptr[TypeInfo], self: Ptr[Dict]) -> Ptr[List]:
    """``list(self.items())`` as a list of the type `info`"""
    return entries_list(info, self, 1)


def entries_list(info: Ptr[TypeInfo], table: Ptr[Dict], at: i64) -> Ptr[List]:
    """A list of the type `info` of what begins at cell `at` of all entries."""
    made = list_new(info, table.length)
    count = i64(0)
    for k in range(table.used):
        entry = table.entries + k * table.stride
        if entry[0] != kinds.DELETED:
            put_element(made, count, entry + at)
            count = count + 1
    made.length = count
    return made


def check_entry(self: Ptr[Dict], number: i64) -> None:
    """Raise RuntimeError unless there is an entry of this number."""
    gone = number < 0 or number >= self.used
    if not gone:
        gone = (self.entries + number * self.stride)[0] == kinds.DELETED
    if gone:
        raise RuntimeError("the entry is gone")


def dict_entry_key(self: Ptr[Dict], number: i64, out: Ptr[i64]) -> None:
    """The key of an entry."""
    check_entry(self, number)
    put_cells(self.typeinfo.parts[0], out, entry_key(self, number))


def dict_entry_value(self: Ptr[Dict], number: i64, out: Ptr[i64]) -> None:
    """The value of an entry."""
    check_entry(self, number)
    put_cells(self.typeinfo.parts[1], out, entry_value(self, number))
