"""Tier 3: sorting along a dimension, stable; NaN counts as the greatest. Also searching in what is sorted, and runs of
equal elements."""

from __future__ import annotations

from tscript.dialect import Ptr, T, TensorImpl, Void, address, b8, i16, i32, i64, pointer_cast, select, stack, u8
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.copy import contiguous
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.scalars import is_contiguous
from tscript.runtime.kernels.scans import distance_in_lines, length_of_lines
from tscript.runtime.kernels.shapes import wrap_dim
from tscript.runtime.kernels.sorting_rows import COUNTS, LOW_63, SHORT, is_nan, key_of, sort_items
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    tensor_alloc,
    tensor_release,
    tensor_try_alloc,
)


def sorted_items(
    data: Ptr[u8], code: i32, step: i64, n: i64, descending: b8, items: Ptr[i64], counts: Ptr[i64]
) -> Ptr[i64]:
    """The keys and positions of a line in order; `items` has room for four words for each element."""
    in_order = True
    last = i64(0)
    low = LOW_63
    high = -LOW_63 - 1
    for k in range(n):
        key = LOW_63
        if not is_nan(data, code, k * step):
            key = key_of(data, code, k * step)
        if descending:
            key = -1 - key
        items[2 * k] = key
        items[2 * k + 1] = k
        if k > 0 and key < last:
            in_order = False
        last = key
        low = select(key < low, key, low)
        high = select(high < key, key, high)
    if in_order:
        return items
    return sort_items(items, items + 2 * n, n, low, high, counts)


def take_line(source: Ptr[u8], to: Ptr[u8], step: i64, itemsize: i64, items: Ptr[i64], n: i64) -> None:
    """The elements of a line in the order of sorted items."""
    if itemsize == 8:
        for k in range(n):
            pointer_cast(to, i64)[k * step] = pointer_cast(source, i64)[items[2 * k + 1] * step]
    elif itemsize == 4:
        for k in range(n):
            pointer_cast(to, i32)[k * step] = pointer_cast(source, i32)[items[2 * k + 1] * step]
    elif itemsize == 2:
        for k in range(n):
            pointer_cast(to, i16)[k * step] = pointer_cast(source, i16)[items[2 * k + 1] * step]
    else:
        for k in range(n):
            to[k * step] = source[items[2 * k + 1] * step]


def sort_dim(self: Ptr[TensorImpl], dim: i64, descending: b8) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl]]:
    """The elements along a dimension in order, and their positions. Raises IndexError, MemoryError."""
    d = wrap_dim(dim, i64(self.ndim))
    x = contiguous(self)
    n = length_of_lines(x, d)
    inner = distance_in_lines(x, d)
    numel = x.numel
    nbytes = n * 32
    if n > SHORT:
        nbytes = nbytes + COUNTS * 8
    scratch = heap_try_allocate(nbytes)
    if address(scratch) == 0:
        tensor_release(x)
        refuse(nbytes)
    values = tensor_try_alloc(x.dtype, i64(x.ndim), sizes_of(x), numel)
    if address(values) == 0:
        heap_free(scratch, nbytes)
        tensor_release(x)
        refuse(numel * 8)
    indices = tensor_try_alloc(i32(codes.INT64), i64(x.ndim), sizes_of(x), numel)
    if address(indices) == 0:
        heap_free(scratch, nbytes)
        tensor_release(values)
        tensor_release(x)
        refuse(numel * 8)
    if numel > 0:
        begin_work(numel * 16)
        itemsize = itemsize_of(x.dtype)
        items = pointer_cast(scratch, i64)
        places = pointer_cast(indices.data, i64)
        for outer in range(numel // (n * inner)):
            for j in range(inner):
                at = outer * n * inner + j
                line = x.data + at * itemsize
                found = sorted_items(line, x.dtype, inner, n, descending, items, items + 4 * n)
                take_line(line, values.data + at * itemsize, inner, itemsize, found, n)
                for k in range(n):
                    places[at + k * inner] = found[2 * k + 1]
    heap_free(pointer_cast(scratch, Void), nbytes)
    tensor_release(x)
    return values, indices


# ---- searching


def is_before(a: T, b: T) -> b8:
    """Whether `a` is sorted before `b`."""
    return a < b or (b != b and a == a)


def place_in(items: Ptr[T], n: i64, x: T, right: b8) -> i64:
    """How many of `n` sorted elements are less than `x`, or not greater."""
    low = i64(0)
    high = n
    while low < high:
        middle = (low + high) >> 1
        before = is_before(items[middle], x)
        if right:
            before = not is_before(x, items[middle])
        if before:
            low = middle + 1
        else:
            high = middle
    return low


def search_sorted(rows: Ptr[TensorImpl], values: Ptr[TensorImpl], right: b8) -> Ptr[TensorImpl]:
    """The places of values in sorted rows: in one for all, or of each row in the one of the same place.

    Raises RuntimeError if the shapes or dtypes do not go together.
    """
    if rows.dtype != values.dtype or not is_contiguous(rows) or not is_contiguous(values) or rows.ndim == 0:
        raise RuntimeError("expected contiguous tensors of one dtype")
    n = sizes_of(rows)[i64(rows.ndim) - 1]
    length = values.numel
    if rows.ndim > 1:
        if rows.ndim != values.ndim:
            raise RuntimeError("expected as many dimensions of both")
        for k in range(i64(rows.ndim) - 1):
            if sizes_of(rows)[k] != sizes_of(values)[k]:
                raise RuntimeError("expected the same sizes but for the last one")
        length = sizes_of(values)[i64(values.ndim) - 1]
    out = tensor_alloc(i32(codes.INT64), i64(values.ndim), sizes_of(values))
    if out.numel == 0:
        return out
    begin_work(out.numel * 8)
    found = pointer_cast(out.data, i64)
    wanted = pointer_cast(values.data, T)
    for row in range(out.numel // length):
        items = pointer_cast(rows.data, T)
        if rows.ndim > 1:
            items = items + row * n
        for k in range(length):
            found[row * length + k] = place_in(items, n, wanted[row * length + k], right)
    return out


# ---- runs of equal elements


def unique_runs(
    self: Ptr[TensorImpl], positions: Ptr[TensorImpl]
) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl], Ptr[TensorImpl]]:
    """Of one dimension the first of each run of equal elements, for each position the number of its run, and how long
    runs are. Element `k` comes from position ``positions[k]``.

    Raises RuntimeError if a position is none.
    """
    n = self.numel
    if self.ndim != 1 or positions.ndim != 1 or positions.numel != n or positions.dtype != codes.INT64:
        raise RuntimeError("expected elements and positions of one dimension")
    if not is_contiguous(self) or not is_contiguous(positions):
        raise RuntimeError("expected contiguous tensors")
    data = pointer_cast(self.data, T)
    at = pointer_cast(positions.data, i64)
    count = i64(0)
    for k in range(n):
        if at[k] < 0 or at[k] >= n:
            raise RuntimeError("expected positions of elements")
        if k == 0:
            count = 1
        elif data[k] != data[k - 1]:
            count = count + 1
    sizes = sizes_of(self)
    inverse = tensor_alloc(i32(codes.INT64), 1, sizes)
    held = stack(1, i64)
    held[0] = count
    values = tensor_try_alloc(self.dtype, 1, held, count)
    if address(values) == 0:
        tensor_release(inverse)
        refuse(count * 8)
    counts = tensor_try_alloc(i32(codes.INT64), 1, held, count)
    if address(counts) == 0:
        tensor_release(inverse)
        tensor_release(values)
        refuse(count * 8)
    run = i64(-1)
    for k in range(n):
        begins = k == 0
        if k > 0:
            begins = data[k] != data[k - 1]
        if begins and run + 1 < count:
            run = run + 1
            pointer_cast(values.data, T)[run] = data[k]
            pointer_cast(counts.data, i64)[run] = 0
        pointer_cast(counts.data, i64)[run] = pointer_cast(counts.data, i64)[run] + 1
        pointer_cast(inverse.data, i64)[at[k]] = run
    return values, inverse, counts
