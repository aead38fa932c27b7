"""Tier 3: sorting, stable, in O(n log n), and what has to do with order: minimum, maximum, sum.

Runs of `RUN` elements are sorted by insertion, then merged two by two; where two runs are in order already, nothing is
done, so a list that is sorted takes O(n). Numbers are sorted in place, all else as numbers of rows with a key: what
decides most comparisons (the first characters of a str, the first element of a tuple).
"""

from __future__ import annotations

from tscript.abi.tables import VERSION
from tscript.dialect import (
    List,
    Object,
    Ptr,
    Str,
    T,
    TypeInfo,
    Void,
    address,
    b8,
    bitcast,
    f64,
    i64,
    memcpy,
    memset,
    pointer,
    pointer_cast,
    select,
    stack,
    symbol,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.hashes import as_float
from tscript.runtime.kernels.lists import copy_element, list_convert, list_new, list_reverse
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.objects import byte_at, copy_cells, element_at, get_element, object_release
from tscript.runtime.kernels.strings import char_at, data_of
from tscript.runtime.kernels.strings_compare import str_compare
from tscript.runtime.kernels.values_order import order_cells

RUN = 16
SHORT_RUN = 8

# ---- numbers, in place


def sort_number_runs(items: Ptr[T], n: i64) -> None:
    """Sort each run of `RUN` numbers by insertion."""
    start = 0
    while start < n:
        stop = start + RUN
        if stop > n:
            stop = n
        for k in range(start + 1, stop):
            x = items[k]
            at = k
            while at > start and x < items[at - 1]:
                items[at] = items[at - 1]
                at = at - 1
            items[at] = x
        start = start + RUN


def merge_numbers(left: Ptr[T], n: i64, right: Ptr[T], m: i64, out: Ptr[T]) -> None:
    """Merge two sorted rows into `out`, which may end where `right` does."""
    i = i64(0)
    j = i64(0)
    k = i64(0)
    while i < n and j < m:
        x = left[i]
        y = right[j]
        smaller = y < x
        out[k] = select(smaller, y, x)
        j = j + i64(smaller)
        i = i + i64(not smaller)
        k = k + 1
    while i < n:
        out[k] = left[i]
        i = i + 1
        k = k + 1


def sort_numbers(items: Ptr[T], scratch: Ptr[T], n: i64) -> None:
    """Sort numbers; `scratch` has room for `n`."""
    sort_number_runs(items, n)
    width = i64(RUN)
    while width < n:
        start = i64(0)
        while start + width < n:
            middle = start + width
            stop = middle + width
            if stop > n:
                stop = n
            if items[middle] < items[middle - 1]:
                for k in range(width):
                    scratch[k] = items[start + k]
                merge_numbers(scratch, width, items + middle, stop - middle, items + start)
            start = stop
        width = width * 2


# ---- values of any type: rows of a list, by key and number
#
# An item is two cells: a key, by which most comparisons are decided at once, and the number of the row.


def leading(info: Ptr[TypeInfo]) -> Ptr[TypeInfo]:
    """The type of the first compared part of values; it is in their first cell."""
    found = info
    while found.kind == kinds.TUPLE and found.count > 0:
        found = found.parts[0]
    return found


def is_narrow(base: Ptr[i64], width: i64, count: i64) -> b8:
    """Whether the strings in the first cells of `count` rows all have one byte a code point."""
    for k in range(count):  # noqa: SIM110 - the dialect has no generators
        if pointer(base[k * width], Str).width != 1:
            return False
    return True


def prefix_key(text: Ptr[Str], narrow: b8) -> i64:
    """The first code points of a str as a number: 7 of one byte, or 3."""
    data = data_of(text)
    found = i64(0)
    if narrow:
        for k in range(7):
            found = found << 8
            if k < text.length:
                found = found | i64(data[k])
    else:
        for k in range(3):
            found = found << 21
            if k < text.length:
                found = found | char_at(text, k)
    return found


def float_key(x: f64) -> i64:
    """A number that is ordered as `x` is: the same for 0.0 and -0.0."""
    bits = i64(bitcast(x + 0.0, i64))
    if bits < 0:
        return bits ^ 0x7FFFFFFFFFFFFFFF
    return bits


def fill_items(info: Ptr[TypeInfo], base: Ptr[i64], items: Ptr[i64], count: i64) -> None:
    """Make the items of `count` elements of a list."""
    kind = leading(info).kind
    width = info.cells
    narrow = False
    if info.itemsize == 1:
        fill_bytes(pointer_cast(base, u8), items, count)
        return
    if kind == kinds.STR:
        narrow = is_narrow(base, width, count)
    for k in range(count):
        key = i64(0)
        if kind == kinds.INT or kind == kinds.BOOL:
            key = base[k * width]
        elif kind == kinds.FLOAT:
            key = float_key(as_float(base[k * width]))
        elif kind == kinds.STR:
            key = prefix_key(pointer(base[k * width], Str), narrow)
        items[2 * k] = key
        items[2 * k + 1] = k


def fill_bytes(base: Ptr[u8], items: Ptr[i64], count: i64) -> None:
    """`fill_items` of elements that are bytes."""
    for k in range(count):
        items[2 * k] = i64(base[k])
        items[2 * k + 1] = k


def comes_before(info: Ptr[TypeInfo], base: Ptr[i64], a: i64, b: i64) -> b8:
    """Whether element `a` of a list is less than element `b`."""
    kind = info.kind
    if info.itemsize == 1:
        return pointer_cast(base, u8)[a] < pointer_cast(base, u8)[b]
    if kind == kinds.INT or kind == kinds.BOOL:
        return base[a] < base[b]
    if kind == kinds.FLOAT:
        return as_float(base[a]) < as_float(base[b])
    if kind == kinds.STR:
        return str_compare(pointer(base[a], Str), pointer(base[b], Str)) < 0
    return order_cells(info, base + a * info.cells, base + b * info.cells) == -1


def is_out_of_order(info: Ptr[TypeInfo], base: Ptr[i64], first: Ptr[i64], second: Ptr[i64], reverse: b8) -> b8:
    """Whether item `second` must come before `first`, which it follows."""
    a = first[0]
    b = second[0]
    if a != b:
        return (b < a) != reverse
    kind = info.kind
    if kind == kinds.INT or kind == kinds.BOOL or kind == kinds.FLOAT:
        return False
    if reverse:
        return comes_before(info, base, first[1], second[1])
    return comes_before(info, base, second[1], first[1])


def sort_item_runs(info: Ptr[TypeInfo], base: Ptr[i64], reverse: b8, items: Ptr[i64], n: i64) -> None:
    """Sort each run of `SHORT_RUN` items by insertion."""
    held = stack(2, i64)
    start = i64(0)
    while start < n:
        stop = start + SHORT_RUN
        if stop > n:
            stop = n
        for k in range(start + 1, stop):
            held[0] = items[2 * k]
            held[1] = items[2 * k + 1]
            at = k
            while at > start and is_out_of_order(info, base, items + 2 * (at - 1), held, reverse):
                items[2 * at] = items[2 * at - 2]
                items[2 * at + 1] = items[2 * at - 1]
                at = at - 1
            items[2 * at] = held[0]
            items[2 * at + 1] = held[1]
        start = stop


def merge_items(
    info: Ptr[TypeInfo],
    base: Ptr[i64],
    reverse: b8,
    left: Ptr[i64],
    n: i64,
    right: Ptr[i64],
    m: i64,
    out: Ptr[i64],
) -> None:
    """Merge two sorted rows of items into `out`, which may end where `right` does."""
    x = left
    y = right
    to = out
    i = i64(0)
    j = i64(0)
    while i < n and j < m:
        if is_out_of_order(info, base, x, y, reverse):
            to[0] = y[0]
            to[1] = y[1]
            y = y + 2
            j = j + 1
        else:
            to[0] = x[0]
            to[1] = x[1]
            x = x + 2
            i = i + 1
        to = to + 2
    for k in range(2 * (n - i)):
        to[k] = x[k]


def sort_items(info: Ptr[TypeInfo], base: Ptr[i64], reverse: b8, items: Ptr[i64], scratch: Ptr[i64], n: i64) -> None:
    """Sort items; `scratch` has room for `n`."""
    sort_item_runs(info, base, reverse, items, n)
    width = i64(SHORT_RUN)
    while width < n:
        start = i64(0)
        while start + width < n:
            middle = items + 2 * (start + width)
            stop = start + 2 * width
            if stop > n:
                stop = n
            if is_out_of_order(info, base, middle + -2, middle, reverse):
                for k in range(2 * width):
                    scratch[k] = items[2 * start + k]
                merge_items(info, base, reverse, scratch, width, middle, stop - start - width, items + 2 * start)
            start = stop
        width = width * 2


# ---- lists


def list_sort(self: Ptr[List], reverse: b8) -> None:
    """``self.sort(reverse=reverse)``. The position of NaNs is unspecified. Raises MemoryError."""
    if not list_try_sort(self, reverse):
        refuse(self.length * self.itemsize)


def list_try_sort(items: Ptr[List], reverse: b8) -> b8:
    """`list_sort`; False: there is no memory left, and nothing was done."""
    n = items.length
    if n < 2 or items.itemsize == 0:
        return True
    info = items.typeinfo.parts[0]
    kind = info.kind
    if kind == kinds.INT or kind == kinds.BOOL or kind == kinds.FLOAT:
        scratch = heap_try_allocate(n * 8)
        if address(scratch) == 0:
            return False
        # Equal numbers that differ, 0.0 and -0.0, keep their order: what is reversed now is reversed again.
        if reverse:
            list_reverse(items)
        if items.itemsize == 1:
            sort_numbers(byte_at(items, 0), pointer_cast(scratch, u8), n)
        elif kind == kinds.FLOAT:
            sort_numbers(pointer_cast(items.data, f64), pointer_cast(scratch, f64), n)
        else:
            sort_numbers(items.data, pointer_cast(scratch, i64), n)
        if reverse:
            list_reverse(items)
        heap_free(scratch, n * 8)
        return True
    # If the values are nested too deeply for the stack that is left, the first comparison says so, with nothing in
    # hand.
    comes_before(info, items.data, 0, 1)
    order = pointer_cast(heap_try_allocate(n * 32), i64)
    if address(order) == 0:
        return False
    rows = heap_try_allocate(n * items.itemsize)
    if address(rows) == 0:
        heap_free(pointer_cast(order, Void), n * 32)
        return False
    fill_items(info, items.data, order, n)
    sort_items(info, items.data, reverse, order, order + 2 * n, n)
    move_rows(items, order + 1, 2, pointer_cast(rows, i64))
    heap_free(rows, n * items.itemsize)
    heap_free(pointer_cast(order, Void), n * 32)
    return True


def move_rows(items: Ptr[List], order: Ptr[i64], step: i64, rows: Ptr[i64]) -> None:
    """Put the elements of a list into an order, by way of `rows`, which has room for them.

    Args:
        order: The numbers of the elements, `step` cells apart.
    """
    if items.itemsize == 1:
        taken = pointer_cast(rows, u8)
        for k in range(items.length):
            taken[k] = byte_at(items, order[k * step])[0]
    else:
        cells = items.itemsize >> 3
        for k in range(items.length):
            copy_cells(rows + k * cells, element_at(items, order[k * step]), cells)
    memcpy(pointer_cast(items.data, u8), pointer_cast(rows, u8), items.length * items.itemsize)


def list_sorted(info: Ptr[TypeInfo], self: Ptr[List], reverse: b8) -> Ptr[List]:
    """``sorted(self, reverse=reverse)`` as a list of the type `info`. Raises MemoryError."""
    made = list_convert(info, self)
    if not list_try_sort(made, reverse):
        object_release(pointer_cast(made, Object))
        refuse(self.length * self.itemsize)
    return made


def list_argsort(info: Ptr[TypeInfo], keys: Ptr[List], reverse: b8) -> Ptr[List]:
    """The numbers of the elements in the order of their keys, as a list of ints, whose type is `info`; stable.

    Raises MemoryError.
    """
    n = keys.length
    if n > 1:
        comes_before(keys.typeinfo.parts[0], first_row(keys), 0, 1)
    made = list_new(info, n)
    for k in range(n):
        made.data[k] = k
    made.length = n
    if n < 2:
        return made
    items = pointer_cast(heap_try_allocate(n * 32), i64)
    if address(items) == 0:
        object_release(pointer_cast(made, Object))
        refuse(n * 32)
    fill_items(keys.typeinfo.parts[0], first_row(keys), items, n)
    sort_items(keys.typeinfo.parts[0], first_row(keys), reverse, items, items + 2 * n, n)
    for k in range(n):
        made.data[k] = items[2 * k + 1]
    heap_free(pointer_cast(items, Void), n * 32)
    return made


def first_row(items: Ptr[List]) -> Ptr[i64]:
    """The first row of elements; never null."""
    if items.itemsize == 0:
        return pointer_cast(items, i64)
    return items.data


def list_take(info: Ptr[TypeInfo], self: Ptr[List], order: Ptr[List]) -> Ptr[List]:
    """The elements of `self` with the numbers in `order` as a list of the type `info`. Raises IndexError."""
    for k in range(order.length):
        if order.data[k] < 0 or order.data[k] >= self.length:
            raise IndexError("list index out of range")
    made = list_new(info, order.length)
    for k in range(order.length):
        copy_element(made, k, self, order.data[k])
    made.length = order.length
    return made


def list_permute(self: Ptr[List], order: Ptr[List]) -> None:
    """Put the elements of `self` into an order. Raises ValueError when it is not one of all elements: what compared
    them may have changed the list. Raises MemoryError.
    """
    length = self.length
    nbytes = length * (self.itemsize + 1)
    rows = heap_try_allocate(nbytes)
    if address(rows) == 0:
        refuse(nbytes)
    seen = pointer_cast(rows, u8) + length * self.itemsize
    if order.length != length or not is_permutation(order.data, length, seen):
        heap_free(rows, nbytes)
        raise ValueError("list modified during sort")
    move_rows(self, order.data, 1, pointer_cast(rows, i64))
    heap_free(rows, nbytes)


def is_permutation(order: Ptr[i64], length: i64, seen: Ptr[u8]) -> b8:
    """Whether `length` numbers are those from 0 on, each once; `seen` has a byte for each."""
    memset(seen, 0, length)
    for k in range(length):
        at = order[k]
        if at < 0 or at >= length:
            return False
        if seen[at] != 0:
            return False
        seen[at] = 1
    return True


def list_argmin(self: Ptr[List]) -> i64:
    """The number of the first least element; raises ValueError."""
    if self.length == 0:
        if symbol(VERSION, i64)[0] >= 312:
            raise ValueError("min() iterable argument is empty")
        raise ValueError("min() arg is an empty sequence")
    info = self.typeinfo.parts[0]
    base = first_row(self)
    best = i64(0)
    for k in range(1, self.length):
        if comes_before(info, base, k, best):
            best = k
    return best


def list_argmax(self: Ptr[List]) -> i64:
    """The number of the first greatest element; raises ValueError."""
    if self.length == 0:
        if symbol(VERSION, i64)[0] >= 312:
            raise ValueError("max() iterable argument is empty")
        raise ValueError("max() arg is an empty sequence")
    info = self.typeinfo.parts[0]
    base = first_row(self)
    best = i64(0)
    for k in range(1, self.length):
        if comes_before(info, base, best, k):
            best = k
    return best


def list_min(self: Ptr[List], out: Ptr[i64]) -> None:
    """``min(self)``; raises ValueError."""
    get_element(self, list_argmin(self), out)


def list_max(self: Ptr[List], out: Ptr[i64]) -> None:
    """``max(self)``; raises ValueError."""
    get_element(self, list_argmax(self), out)
