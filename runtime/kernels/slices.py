"""Tier 3: slices of lists: read, assigned, deleted, by CPython's rules."""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.dialect import List, Object, Ptr, address, i64, pointer_cast, stack
from tscript.runtime.kernels.lists import (
    add_rows,
    close_gap,
    copy_element,
    list_copy,
    list_new,
    list_reserve,
    move_elements,
    release_rows,
)
from tscript.runtime.kernels.objects import element_at, element_cells, object_release, release_cells, replace_element


def clip(bound: i64, length: i64, low: i64, high: i64) -> i64:
    """A bound of a slice: counted from the end when it is negative, then between `low` and `high`."""
    found = bound
    if found < 0:
        found = found + length
    if found < low:
        return low
    if found > high:
        return high
    return found


def slice_range(length: i64, start: i64, stop: i64, step: i64) -> tuple[i64, i64, i64]:
    """The first element of a slice, how many there are, and the step; raises ValueError for a step of 0."""
    by = step
    if by == NONE_INT:
        by = 1
    if by == 0:
        raise ValueError("slice step cannot be zero")
    low = i64(0)
    high = length
    first = i64(0)
    last = length
    if by < 0:
        low = i64(-1)
        high = length - 1
        first = length - 1
        last = i64(-1)
    if start != NONE_INT:
        first = clip(start, length, low, high)
    if stop != NONE_INT:
        last = clip(stop, length, low, high)
    count = i64(0)
    if by > 0 and first < last:
        count = (last - first - 1) // by + 1
    if by < 0 and last < first:
        count = (first - last - 1) // -by + 1
    return first, count, by


def list_slice(self: Ptr[List], start: i64, stop: i64, step: i64) -> Ptr[List]:
    """``self[start:stop:step]``; raises ValueError."""
    first, count, by = slice_range(self.length, start, stop, step)
    made = list_new(self.typeinfo, count)
    if by == 1:
        add_rows(made, element_at(self, first), count)
        return made
    for k in range(count):
        copy_element(made, k, self, first + k * by)
    made.length = count
    return made


def list_set_slice(self: Ptr[List], start: i64, stop: i64, step: i64, other: Ptr[List]) -> None:
    """``self[start:stop:step] = other``, where `other` may be `self`; raises ValueError."""
    first, count, by = slice_range(self.length, start, stop, step)
    if by != 1 and other.length != count:
        raise ValueError("attempt to assign sequence of size {0} to extended slice of size {1}", other.length, count)
    if address(self) == address(other):
        kept = list_copy(other)
        if by == 1:
            # Room for all of it: then `replace_range` cannot raise with `kept` in hand.
            grown = self.length - count + kept.length
            if grown > self.capacity:
                object_release(pointer_cast(kept, Object))
                list_reserve(self, grown)
                kept = list_copy(other)
        assign_range(self, first, count, by, kept)
        object_release(pointer_cast(kept, Object))
        return
    assign_range(self, first, count, by, other)


def assign_range(items: Ptr[List], first: i64, count: i64, step: i64, other: Ptr[List]) -> None:
    """Put the elements of another list where `count` are, from `first` on, `step` apart."""
    if step == 1:
        replace_range(items, first, count, other)
        return
    spare = stack(1, i64)
    for k in range(count):
        replace_element(items, first + k * step, element_cells(other, k, spare))


def replace_range(items: Ptr[List], first: i64, count: i64, other: Ptr[List]) -> None:
    """Put the elements of another list in the place of `count` from `first` on. Raises MemoryError."""
    length = items.length
    more = other.length
    list_reserve(items, length - count + more)
    release_rows(items.typeinfo.parts[0], element_at(items, first), count)
    move_elements(items, first + more, first + count, length - first - count)
    for k in range(more):
        copy_element(items, first + k, other, k)
    items.length = length - count + more


def list_delete_slice(self: Ptr[List], start: i64, stop: i64, step: i64) -> None:
    """``del self[start:stop:step]``; raises ValueError."""
    first, count, by = slice_range(self.length, start, stop, step)
    if count == 0:
        return
    if by < 0:
        first = first + (count - 1) * by
        by = -by
    info = self.typeinfo.parts[0]
    if by == 1:
        release_rows(info, element_at(self, first), count)
        close_gap(self, first, first + count)
        return
    target = first
    following = first
    left = count
    for k in range(first, self.length):
        if k == following and left > 0:
            release_cells(info, element_at(self, k))
            left = left - 1
            if left > 0:
                following = following + by
        else:
            move_elements(self, target, k, 1)
            target = target + 1
    self.length = target
