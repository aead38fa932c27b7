"""Tier 3: elements of a tensor by a table of positions for each of its last dimensions: padding and nearest neighbours.

A tensor of any dtype is moved by the size of its elements. The first dimensions, which have no table, are taken as they
are. Rows of the last dimension are divided among threads.
"""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    context,
    f64,
    function,
    i8,
    i16,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels.convert import fill_contiguous
from tscript.runtime.kernels.copy import copy_raw
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_release,
)

LARGEST_PAD = 1 << 40
"""No memory holds more."""

GRAIN = 1 << 14
"""Elements that are worth another thread."""

REFLECT = 0
REPLICATE = 1
CIRCULAR = 2

TO, SOURCE, NDIM, SIZES, STRIDES, TABLES, RUN, RUN_END, ITEMSIZE = range(9)
"""Cells of the task. ``TABLES`` are `NDIM` addresses, 0 where a dimension has no table."""


def move_row(to: Ptr[T], source: Ptr[T], stride: i64, table: Ptr[i64], n: i64, run: i64, end: i64) -> None:
    """The elements of a row; from `run` to `end` positions follow each other."""
    for j in range(run):
        to[j] = source[table[j] * stride]
    if end > run:
        first = source + table[run] * stride
        if stride == 1:
            for j in range(end - run):
                to[run + j] = first[j]
        else:
            for j in range(end - run):
                to[run + j] = first[j * stride]
    for j in range(end, n):
        to[j] = source[table[j] * stride]


def move_rows(to: Ptr[T], source: Ptr[T], task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some rows of the result."""
    ndim = task[NDIM]
    sizes = pointer(task[SIZES], i64)
    strides = pointer(task[STRIDES], i64)
    tables = pointer(task[TABLES], i64)
    n = sizes[ndim - 1]
    for row in range(begin, end):
        rest = row
        at = 0
        d = ndim - 2
        while d >= 0:
            index = rest % sizes[d]
            rest = rest // sizes[d]
            if tables[d] != 0:
                index = pointer(tables[d], i64)[index]
            at = at + index * strides[d]
            d = d - 1
        move_row(
            to + row * n, source + at, strides[ndim - 1], pointer(tables[ndim - 1], i64), n, task[RUN], task[RUN_END]
        )


def move_some(task: Ptr[i64], begin: i64, end: i64) -> None:
    """The same, by the size of elements."""
    if task[ITEMSIZE] == 4:
        move_rows(pointer(task[TO], i32), pointer(task[SOURCE], i32), task, begin, end)
    elif task[ITEMSIZE] == 8:
        move_rows(pointer(task[TO], i64), pointer(task[SOURCE], i64), task, begin, end)
    elif task[ITEMSIZE] == 2:
        move_rows(pointer(task[TO], i16), pointer(task[SOURCE], i16), task, begin, end)
    else:
        move_rows(pointer(task[TO], i8), pointer(task[SOURCE], i8), task, begin, end)


def move_mapped(out: Ptr[TensorImpl], self: Ptr[TensorImpl], tables: Ptr[i64]) -> None:
    """Fill `out` with elements of `self`; the last dimension has a table.

    Args:
        out: New, and not empty.
        tables: For each dimension the address of a table of positions in `self`, or 0.
    """
    ndim = i64(out.ndim)
    sizes = stack(MAX_RANK + 1, i64)
    strides = stack(MAX_RANK + 1, i64)
    itemsize = itemsize_of(out.dtype)
    for d in range(ndim):
        sizes[d] = sizes_of(out)[d]
        strides[d] = strides_of(self)[d]
    n = sizes[ndim - 1]
    table = pointer(tables[ndim - 1], i64)
    # The longest run of positions that follow each other.
    run = 0
    end = 0
    first = 0
    for j in range(1, n + 1):
        ends = j == n
        if not ends:
            ends = table[j] != table[j - 1] + 1
        if ends:
            if j - first > end - run:
                run = first
                end = j
            first = j
    task = stack(9, i64)
    task[TO] = address(out.data)
    task[SOURCE] = address(self.data)
    task[NDIM] = ndim
    task[SIZES] = address(sizes)
    task[STRIDES] = address(strides)
    task[TABLES] = address(tables)
    task[RUN] = run
    task[RUN_END] = end
    task[ITEMSIZE] = itemsize
    rows = out.numel // n
    if out.numel > 2 * GRAIN:
        parallel(context(), function(move_some), task, rows, GRAIN // n + 1)
    else:
        move_some(task, 0, rows)


def padded_sizes(self: Ptr[TensorImpl], pad: Ptr[i64], n: i64, sizes: Ptr[i64]) -> None:
    """The sizes of a padded tensor.

    Raises RuntimeError where `pad` does not go with the tensor, MemoryError where a result would be too large.
    """
    ndim = i64(self.ndim)
    if n % 2 != 0:
        raise RuntimeError("Padding length must be divisible by 2: expected pairs, but got {0} numbers", n)
    if n > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length {0} "
            "and input of dimension {1}",
            n,
            ndim,
        )
    for d in range(ndim):
        k = 2 * (ndim - 1 - d)
        sizes[d] = sizes_of(self)[d]
        if k < n:
            before = pad[k]
            after = pad[k + 1]
            if before > LARGEST_PAD or after > LARGEST_PAD:
                raise MemoryError("a tensor of this size does not fit into memory")
            kept = sizes[d]
            if before < 0:
                kept = kept + before
            if after < 0:
                kept = kept + after
            if kept < 0 or before < -LARGEST_PAD or after < -LARGEST_PAD:
                raise RuntimeError(
                    "the padding ({0}, {1}) takes more than the {2} elements of dimension {3}",
                    before,
                    after,
                    sizes[d],
                    d,
                )
            sizes[d] = sizes[d] + before + after


def constant_pad_nd(self: Ptr[TensorImpl], pad: Ptr[i64], n: i64, value: f64, whole: i64) -> Ptr[TensorImpl]:
    """`torch.constant_pad_nd`: a number around the elements. Errors are those of `padded_sizes`."""
    ndim = i64(self.ndim)
    sizes = stack(MAX_RANK, i64)
    padded_sizes(self, pad, n, sizes)
    out = tensor_alloc(self.dtype, ndim, sizes)
    begin_work(out.numel)
    itemsize = itemsize_of(self.dtype)
    target = 0
    start = 0
    kept = 1
    for d in range(ndim):
        k = 2 * (ndim - 1 - d)
        sizes[d] = sizes_of(self)[d]
        if k < n:
            if pad[k] < 0:
                start = start - pad[k] * strides_of(self)[d]
                sizes[d] = sizes[d] + pad[k]
            else:
                target = target + pad[k] * strides_of(out)[d]
            if pad[k + 1] < 0:
                sizes[d] = sizes[d] + pad[k + 1]
        kept = kept * sizes[d]
    if kept != out.numel:
        fill_contiguous(out.data, out.dtype, value, whole, out.numel)
    if kept != 0:
        copy_raw(
            out.data + target * itemsize,
            strides_of(out),
            self.data + start * itemsize,
            strides_of(self),
            sizes,
            ndim,
            itemsize,
        )
    return out


def padded_position(at: i64, size: i64, mode: i64) -> i64:
    """Which element stands at a position outside of a row."""
    if at >= 0 and at < size:
        return at
    if mode == REFLECT:
        if at < 0:
            return -at
        return 2 * (size - 1) - at
    if mode == REPLICATE:
        if at < 0:
            return 0
        return size - 1
    if at < 0:
        return at + size
    return at - size


def pad_from_itself(self: Ptr[TensorImpl], pad: Ptr[i64], n: i64, mode: i64) -> Ptr[TensorImpl]:
    """`torch.nn.functional.pad` with elements of the tensor itself.

    Raises RuntimeError where a row has not enough of them, NotImplementedError for other numbers of dimensions.
    """
    ndim = i64(self.ndim)
    padded = n // 2
    if n % 2 != 0:
        raise RuntimeError("Padding length must be divisible by 2: expected pairs, but got {0} numbers", n)
    if padded < 1 or padded > 3 or (ndim != padded + 1 and ndim != padded + 2):
        raise NotImplementedError(
            "a padding of {0} numbers is not supported for {1} dimensions: 2 numbers go with 2 or 3 dimensions, 4 with "
            "3 or 4, and 6 with 4 or 5",
            n,
            ndim,
        )
    sizes = stack(MAX_RANK, i64)
    tables = stack(MAX_RANK, i64)
    padded_sizes(self, pad, n, sizes)
    cells = 0
    for d in range(ndim):
        tables[d] = 0
        k = 2 * (ndim - 1 - d)
        if k < n:
            size = sizes_of(self)[d]
            before = pad[k]
            after = pad[k + 1]
            if size == 0 and (mode != CIRCULAR or before > 0 or after > 0):
                raise RuntimeError("dimension {0} has no elements that padding could repeat", d)
            if mode == REFLECT and (before >= size or after >= size):
                raise RuntimeError(
                    "Padding size should be less than the corresponding input dimension, but got: padding ({0}, {1}) "
                    "at dimension {2} of size {3}",
                    before,
                    after,
                    d,
                    size,
                )
            kept = size
            if before < 0:
                kept = kept + before
            if after < 0:
                kept = kept + after
            if mode == CIRCULAR and (before > kept or after > kept):
                raise RuntimeError(
                    "Padding value causes wrapping around more than once: padding ({0}, {1}) at dimension {2} of size "
                    "{3}",
                    before,
                    after,
                    d,
                    size,
                )
            cells = cells + sizes[d]
    out = tensor_alloc(self.dtype, ndim, sizes)
    if out.numel == 0:
        return out
    memory = heap_try_allocate(cells * 8)
    if address(memory) == 0:
        tensor_release(out)
        refuse(cells * 8)
    begin_work(out.numel)
    table = pointer_cast(memory, i64)
    for d in range(ndim):
        k = 2 * (ndim - 1 - d)
        if k < n:
            size = sizes_of(self)[d]
            first = 0
            last = size
            # Of a circle the elements that are cut off are gone.
            if mode == CIRCULAR:
                if pad[k] < 0:
                    first = -pad[k]
                if pad[k + 1] < 0:
                    last = size + pad[k + 1]
            for j in range(sizes[d]):
                at = j - pad[k]
                if mode == CIRCULAR:
                    at = padded_position(at - first, last - first, mode) + first
                else:
                    at = padded_position(at, size, mode)
                table[j] = at
            tables[d] = address(table)
            table = table + sizes[d]
    move_mapped(out, self, tables)
    heap_free(memory, cells * 8)
    return out
