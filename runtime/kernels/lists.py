"""Tier 3: lists. Elements lie in place, as cells or bytes; room grows by a half, as blocks are copied, not resized."""

from __future__ import annotations

from tscript.dialect import (
    List,
    Object,
    Ptr,
    T,
    TypeInfo,
    Void,
    address,
    b8,
    i64,
    memcpy,
    memset,
    pointer,
    pointer_cast,
    stack,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.memory import heap_allocate, heap_free, heap_try_allocate, refuse, value_made
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.objects import (
    byte_at,
    copy_cells,
    element_at,
    element_cells,
    get_element,
    object_retain,
    put_element,
    release_cells,
    replace_element,
    retain_cells,
)
from tscript.runtime.kernels.values_equal import find_equal, rows_equal
from tscript.runtime.kernels.values_order import order_rows


def check_room(capacity: i64, itemsize: i64) -> None:
    """Raise MemoryError for a list beyond any memory."""
    if capacity > LARGEST // (itemsize + 8):
        raise MemoryError("cannot allocate a list of {0} elements", capacity)


def list_new(info: Ptr[TypeInfo], capacity: i64) -> Ptr[List]:
    """An empty list of the type `info` with room for `capacity` elements.

    Raises MemoryError; callers hold nothing they would have to give back.
    """
    itemsize = info.parts[0].itemsize
    check_room(capacity, itemsize)
    made = pointer_cast(heap_allocate(kinds.LIST_BYTES), List)
    made.refcount = 1
    made.typeinfo = info
    made.length = 0
    made.capacity = capacity
    made.data = pointer(0, i64)
    made.itemsize = itemsize
    if capacity > 0:
        made.data = pointer_cast(heap_try_allocate(capacity * itemsize), i64)
        if address(made.data) == 0:
            heap_free(pointer_cast(made, Void), kinds.LIST_BYTES)
            refuse(capacity * itemsize)
    else:
        made.capacity = 0
    value_made(info)
    return made


def list_room(items: Ptr[List], capacity: i64) -> None:
    """Move the elements to a block with room for `capacity`, which is more than there are. Raises MemoryError."""
    check_room(capacity, items.itemsize)
    data = pointer_cast(heap_allocate(capacity * items.itemsize), i64)
    if items.capacity != 0:
        memcpy(pointer_cast(data, u8), pointer_cast(items.data, u8), items.length * items.itemsize)
        heap_free(pointer_cast(items.data, Void), items.capacity * items.itemsize)
    items.data = data
    items.capacity = capacity


def list_reserve(items: Ptr[List], length: i64) -> None:
    """Room for `length` elements in all, and for some more if that needs another block. Raises MemoryError."""
    if length > items.capacity:
        check_room(length, items.itemsize)
        list_room(items, length + (length >> 1) + 4)


def list_grow(items: Ptr[List]) -> None:
    """Room for at least one more element. Raises MemoryError."""
    list_reserve(items, items.length + 1)


def list_from(info: Ptr[TypeInfo], rows: Ptr[i64], count: i64) -> Ptr[List]:
    """A list of `count` values that lie in a row as elements do."""
    made = list_new(info, count)
    add_rows(made, rows, count)
    return made


def add_rows(items: Ptr[List], rows: Ptr[i64], count: i64) -> None:
    """Append `count` consecutive elements of a list; there is room for them."""
    memcpy(pointer_cast(element_at(items, items.length), u8), pointer_cast(rows, u8), count * items.itemsize)
    retain_rows(items.typeinfo.parts[0], rows, count)
    items.length = items.length + count


def retain_rows(info: Ptr[TypeInfo], cells: Ptr[i64], count: i64) -> None:
    """One more reference to all that `count` values in a row refer to."""
    if info.counted != 0:
        for k in range(count):
            retain_cells(info, cells + k * info.cells)


def release_rows(info: Ptr[TypeInfo], cells: Ptr[i64], count: i64) -> None:
    """Drop the references of `count` values in a row."""
    if info.counted != 0:
        for k in range(count):
            release_cells(info, cells + k * info.cells)


def move_row(target: Ptr[T], source: Ptr[T], count: i64) -> None:
    """Copy `count` numbers to where they may overlap with themselves."""
    if address(target) <= address(source):
        for k in range(count):
            target[k] = source[k]
    else:
        for k in range(count):
            target[count - 1 - k] = source[count - 1 - k]


def move_elements(items: Ptr[List], to: i64, start: i64, count: i64) -> None:
    """Move elements within a list, as they lie."""
    if items.itemsize == 1:
        move_row(byte_at(items, to), byte_at(items, start), count)
    else:
        move_row(element_at(items, to), element_at(items, start), count * (items.itemsize >> 3))


def copy_element(target: Ptr[List], to: i64, source: Ptr[List], at: i64) -> None:
    """Copy an element of a list to the place of one, where there is none, in another whose elements are of the type."""
    put_element(target, to, element_cells(source, at, stack(1, i64)))


def list_append(self: Ptr[List], item: Ptr[i64]) -> None:
    """``self.append(item)``"""
    if self.length == self.capacity:
        list_grow(self)
    put_element(self, self.length, item)
    self.length = self.length + 1


def list_getitem(self: Ptr[List], index: i64, out: Ptr[i64]) -> None:
    """``self[index]``; raises IndexError."""
    at = index
    if at < 0:
        at = at + self.length
    if at < 0 or at >= self.length:
        if self.typeinfo.flags & kinds.LIST_FROZEN != 0:
            raise IndexError("tuple index out of range")
        raise IndexError("list index out of range")
    get_element(self, at, out)


def list_setitem(self: Ptr[List], index: i64, item: Ptr[i64]) -> None:
    """``self[index] = item``; raises IndexError."""
    at = index
    if at < 0:
        at = at + self.length
    if at < 0 or at >= self.length:
        raise IndexError("list assignment index out of range")
    replace_element(self, at, item)


def list_delitem(self: Ptr[List], index: i64) -> None:
    """``del self[index]``; raises IndexError."""
    at = index
    if at < 0:
        at = at + self.length
    if at < 0 or at >= self.length:
        raise IndexError("list assignment index out of range")
    release_cells(self.typeinfo.parts[0], element_at(self, at))
    close_gap(self, at, at + 1)


def close_gap(items: Ptr[List], start: i64, stop: i64) -> None:
    """Move the elements from `stop` on to `start`, over those between, which are no values any more."""
    move_elements(items, start, stop, items.length - stop)
    items.length = items.length - (stop - start)


def list_insert(self: Ptr[List], index: i64, item: Ptr[i64]) -> None:
    """``self.insert(index, item)``"""
    if self.length == self.capacity:
        list_grow(self)
    at = index
    if at < 0:
        at = at + self.length
    if at < 0:
        at = 0
    if at > self.length:
        at = self.length
    move_elements(self, at + 1, at, self.length - at)
    put_element(self, at, item)
    self.length = self.length + 1


def list_pop(self: Ptr[List], index: i64, out: Ptr[i64]) -> None:
    """``self.pop(index)``; raises IndexError."""
    if self.length == 0:
        raise IndexError("pop from empty list")
    at = index
    if at < 0:
        at = at + self.length
    if at < 0 or at >= self.length:
        raise IndexError("pop index out of range")
    copy_cells(out, element_cells(self, at, out), self.typeinfo.parts[0].cells)
    close_gap(self, at, at + 1)


def list_clear(self: Ptr[List]) -> None:
    """``self.clear()``"""
    count = self.length
    data = self.data
    capacity = self.capacity
    self.length = 0
    self.capacity = 0
    self.data = pointer(0, i64)
    if capacity != 0:
        release_rows(self.typeinfo.parts[0], data, count)
        heap_free(pointer_cast(data, Void), capacity * self.itemsize)


def list_extend(self: Ptr[List], other: Ptr[List]) -> None:
    """``self.extend(other)``, where `other` may be `self`"""
    count = other.length
    if count > 0:
        list_reserve(self, self.length + count)
        add_rows(self, other.data, count)


def list_iadd(self: Ptr[List], other: Ptr[List]) -> Ptr[List]:
    """``self += other``; gives `self`, with one more reference."""
    list_extend(self, other)
    object_retain(pointer_cast(self, Object))
    return self


def list_copy(self: Ptr[List]) -> Ptr[List]:
    """``self.copy()``"""
    return list_from(self.typeinfo, self.data, self.length)


def list_convert(info: Ptr[TypeInfo], self: Ptr[List]) -> Ptr[List]:
    """``list(self)`` or ``tuple(self)``: the elements as a list of the type `info`."""
    return list_from(info, self.data, self.length)


def list_add(self: Ptr[List], other: Ptr[List]) -> Ptr[List]:
    """``self + other``"""
    made = list_new(self.typeinfo, self.length + other.length)
    add_rows(made, self.data, self.length)
    add_rows(made, other.data, other.length)
    return made


def list_append_to(self: Ptr[List], other: Ptr[List], owners: i64) -> Ptr[List]:
    """``self + other``, where `self` is given up: itself, with one more reference, when it has `owners`."""
    if self.refcount == owners:
        return list_iadd(self, other)
    return list_add(self, other)


def check_times(items: Ptr[List], times: i64) -> None:
    """Raise MemoryError when `times` times the elements are beyond any memory."""
    if items.length > 0 and times > LARGEST // items.length:
        raise MemoryError("cannot allocate a list of that many elements")


def list_mul(self: Ptr[List], times: i64) -> Ptr[List]:
    """``self * times``"""
    count = times
    if count < 0:
        count = 0
    check_times(self, count)
    made = list_new(self.typeinfo, self.length * count)
    if self.length == 1 and self.itemsize == 1:
        memset(byte_at(made, 0), i64(byte_at(self, 0)[0]), count)
        made.length = count
    elif self.length == 1 and self.itemsize == 8:
        fill_row(made, self.data[0], count)
    elif self.length > 0:
        for _ in range(count):
            add_rows(made, self.data, self.length)
    return made


def fill_row(items: Ptr[List], cell: i64, count: i64) -> None:
    """Fill an empty list, which has room for them, with `count` times an element of one cell."""
    data = items.data
    for k in range(count):
        data[k] = cell
    retain_rows(items.typeinfo.parts[0], data, count)
    items.length = count


def list_imul(self: Ptr[List], times: i64) -> Ptr[List]:
    """``self *= times``; gives `self`, with one more reference."""
    count = self.length
    if times <= 0:
        list_clear(self)
    elif count > 0:
        check_times(self, times)
        list_reserve(self, count * times)
        for _ in range(times - 1):
            add_rows(self, self.data, count)
    object_retain(pointer_cast(self, Object))
    return self


def list_reverse(self: Ptr[List]) -> None:
    """``self.reverse()``"""
    if self.itemsize == 1:
        reverse_rows(byte_at(self, 0), self.length, 1)
    else:
        reverse_rows(self.data, self.length, self.itemsize >> 3)


def reverse_rows(low: Ptr[T], count: i64, width: i64) -> None:
    """Turn the order of `count` rows of `width` numbers round."""
    for k in range(count // 2):
        a = low + k * width
        b = low + (count - 1 - k) * width
        for c in range(width):
            kept = a[c]
            a[c] = b[c]
            b[c] = kept


def place_of(self: Ptr[List], item: Ptr[i64], start: i64, stop: i64) -> i64:
    """Where the first equal element between two places is, or -1."""
    first = start
    last = stop
    if first < 0:
        first = first + self.length
    if first < 0:
        first = 0
    if last < 0:
        last = last + self.length
    if last > self.length:
        last = self.length
    return find_equal(self.typeinfo.parts[0], self.data, first, last, item)


def list_index(self: Ptr[List], item: Ptr[i64], start: i64, stop: i64) -> i64:
    """``self.index(item, start, stop)``; raises ValueError."""
    found = place_of(self, item, start, stop)
    if found < 0:
        raise ValueError("list.index(x): x not in list")
    return found


def tuple_index(self: Ptr[List], item: Ptr[i64], start: i64, stop: i64) -> i64:
    """``self.index(item, start, stop)`` of a tuple; raises ValueError."""
    found = place_of(self, item, start, stop)
    if found < 0:
        raise ValueError("tuple.index(x): x not in tuple")
    return found


def list_remove(self: Ptr[List], item: Ptr[i64]) -> None:
    """``self.remove(item)``; raises ValueError."""
    found = find_equal(self.typeinfo.parts[0], self.data, 0, self.length, item)
    if found < 0:
        raise ValueError("list.remove(x): x not in list")
    list_delitem(self, found)


def list_count(self: Ptr[List], item: Ptr[i64]) -> i64:
    """``self.count(item)``"""
    total = 0
    at = find_equal(self.typeinfo.parts[0], self.data, 0, self.length, item)
    while at >= 0:
        total = total + 1
        at = find_equal(self.typeinfo.parts[0], self.data, at + 1, self.length, item)
    return total


def list_contains(self: Ptr[List], item: Ptr[i64]) -> b8:
    """``item in self``"""
    return find_equal(self.typeinfo.parts[0], self.data, 0, self.length, item) >= 0


def list_eq(self: Ptr[List], other: Ptr[List]) -> b8:
    """``self == other``"""
    if self.length != other.length:
        return False
    return rows_equal(self.typeinfo.parts[0], self.data, other.data, self.length)


def list_ne(self: Ptr[List], other: Ptr[List]) -> b8:
    """``self != other``"""
    return not list_eq(self, other)


def list_order(self: Ptr[List], other: Ptr[List]) -> i64:
    """-1, 0 or 1 as `self` comes before, with or after `other`; 2 when a NaN decides."""
    return order_rows(self.typeinfo.parts[0], self.data, self.length, other.data, other.length)


def list_lt(self: Ptr[List], other: Ptr[List]) -> b8:
    """``self < other``"""
    return list_order(self, other) == -1


def list_le(self: Ptr[List], other: Ptr[List]) -> b8:
    """``self <= other``"""
    return list_order(self, other) <= 0


def list_gt(self: Ptr[List], other: Ptr[List]) -> b8:
    """``self > other``"""
    return list_order(self, other) == 1


def list_ge(self: Ptr[List], other: Ptr[List]) -> b8:
    """``self >= other``"""
    found = list_order(self, other)
    return found == 0 or found == 1


def list_len(self: Ptr[List]) -> i64:
    """``len(self)``"""
    return self.length


def list_has_item(self: Ptr[List], index: i64) -> b8:
    """Whether there is an element `index`, counted from the front."""
    return index >= 0 and index < self.length
