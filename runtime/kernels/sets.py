"""Tier 3: what sets do, over the table of `tscript.runtime.kernels.tables`. Their order is that of insertion."""

from __future__ import annotations

from tscript.dialect import Dict, List, Object, Ptr, TypeInfo, address, b8, i64, pointer_cast, stack
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.objects import element_cells, object_retain, release_cells
from tscript.runtime.kernels.raising import key_error
from tscript.runtime.kernels.tables import (
    check_keys,
    copy_entry,
    dict_slot,
    entry_key,
    find_at,
    remove_entry,
    table_clear,
    table_copy,
    table_discard,
    table_try_rebuild,
    table_with_room,
    take_last,
)


def set_add(self: Ptr[Dict], item: Ptr[i64]) -> None:
    """``self.add(item)``"""
    dict_slot(self, item)


def set_from_list(info: Ptr[TypeInfo], items: Ptr[List]) -> Ptr[Dict]:
    """``set(items)`` as a set of the type `info`"""
    check_keys(info.parts[0], items.data, items.length)
    made = table_with_room(info, items.length)
    spare = stack(1, i64)
    for k in range(items.length):
        dict_slot(made, element_cells(items, k, spare))
    if made.length * 4 < made.capacity:
        table_try_rebuild(made, made.length)
    return made


def set_discard(self: Ptr[Dict], item: Ptr[i64]) -> None:
    """``self.discard(item)``"""
    table_discard(self, item)


def set_remove(self: Ptr[Dict], item: Ptr[i64]) -> None:
    """``self.remove(item)``; raises KeyError."""
    if not table_discard(self, item):
        key_error(self.typeinfo, item)


def set_pop(self: Ptr[Dict], out: Ptr[i64]) -> None:
    """``self.pop()``: the item that came last; raises KeyError."""
    if self.length == 0:
        raise KeyError("pop from an empty set")
    take_last(self, out)


def set_update(self: Ptr[Dict], other: Ptr[Dict]) -> None:
    """``self.update(other)``"""
    if address(self) == address(other):
        return
    for k in range(other.used):
        entry = other.entries + k * other.stride
        if entry[0] != kinds.DELETED:
            if find_at(self, entry[0], entry + 1) < 0:
                copy_entry(self, entry)


def set_union(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self | other``"""
    made = table_copy(self, other.length)
    set_update(made, other)
    return made


def add_chosen(made: Ptr[Dict], items: Ptr[Dict], other: Ptr[Dict], wanted: b8) -> None:
    """Add those of `items` to `made` that are in `other`, or those that are not; there is room, and none is there."""
    for k in range(items.used):
        entry = items.entries + k * items.stride
        if entry[0] != kinds.DELETED:
            if (find_at(other, entry[0], entry + 1) >= 0) == wanted:
                copy_entry(made, entry)


def set_intersection(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self & other``"""
    room = self.length
    if other.length < room:
        room = other.length
    made = table_with_room(self.typeinfo, room)
    add_chosen(made, self, other, True)
    return made


def set_difference(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self - other``"""
    made = table_with_room(self.typeinfo, self.length)
    add_chosen(made, self, other, False)
    return made


def set_symmetric_difference(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self ^ other``"""
    made = table_with_room(self.typeinfo, self.length + other.length)
    add_chosen(made, self, other, False)
    add_chosen(made, other, self, False)
    return made


def keep_chosen(items: Ptr[Dict], other: Ptr[Dict], wanted: b8) -> None:
    """Keep those of `items` that are in `other`, or those that are not."""
    for k in range(items.used):
        entry = items.entries + k * items.stride
        if entry[0] != kinds.DELETED:
            if (find_at(other, entry[0], entry + 1) >= 0) != wanted:
                drop_item(items, k)


def drop_item(items: Ptr[Dict], number: i64) -> None:
    """Take an item out, by the number of its entry."""
    remove_entry(items, number)
    release_cells(items.typeinfo.parts[0], entry_key(items, number))


def set_intersection_update(self: Ptr[Dict], other: Ptr[Dict]) -> None:
    """``self.intersection_update(other)``"""
    keep_chosen(self, other, True)


def set_difference_update(self: Ptr[Dict], other: Ptr[Dict]) -> None:
    """``self.difference_update(other)``"""
    if address(self) == address(other):
        table_clear(self)
    else:
        keep_chosen(self, other, False)


def set_symmetric_difference_update(self: Ptr[Dict], other: Ptr[Dict]) -> None:
    """``self.symmetric_difference_update(other)``"""
    if address(self) == address(other):
        table_clear(self)
        return
    for k in range(other.used):
        entry = other.entries + k * other.stride
        if entry[0] != kinds.DELETED:
            found = find_at(self, entry[0], entry + 1)
            if found < 0:
                copy_entry(self, entry)
            else:
                drop_item(self, found)


def itself(items: Ptr[Dict]) -> Ptr[Dict]:
    """A set with one more reference: the result of an operator in place."""
    object_retain(pointer_cast(items, Object))
    return items


def set_ior(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self |= other``"""
    set_update(self, other)
    return itself(self)


def set_iand(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self &= other``"""
    set_intersection_update(self, other)
    return itself(self)


def set_isub(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self -= other``"""
    set_difference_update(self, other)
    return itself(self)


def set_ixor(self: Ptr[Dict], other: Ptr[Dict]) -> Ptr[Dict]:
    """``self ^= other``"""
    set_symmetric_difference_update(self, other)
    return itself(self)


def set_issubset(self: Ptr[Dict], other: Ptr[Dict]) -> b8:
    """``self <= other``"""
    if self.length > other.length:
        return False
    for k in range(self.used):
        entry = self.entries + k * self.stride
        if entry[0] != kinds.DELETED:
            if find_at(other, entry[0], entry + 1) < 0:
                return False
    return True


def set_issuperset(self: Ptr[Dict], other: Ptr[Dict]) -> b8:
    """``self >= other``"""
    return set_issubset(other, self)


def set_lt(self: Ptr[Dict], other: Ptr[Dict]) -> b8:
    """``self < other``"""
    return self.length < other.length and set_issubset(self, other)


def set_gt(self: Ptr[Dict], other: Ptr[Dict]) -> b8:
    """``self > other``"""
    return set_lt(other, self)


def set_isdisjoint(self: Ptr[Dict], other: Ptr[Dict]) -> b8:
    """``self.isdisjoint(other)``"""
    for k in range(self.used):
        entry = self.entries + k * self.stride
        if entry[0] != kinds.DELETED:
            if find_at(other, entry[0], entry + 1) >= 0:
                return False
    return True
