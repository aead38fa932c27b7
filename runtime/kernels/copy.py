"""Tier 3: moving elements: conversion between dtypes, packing into row-major order, filling.

One routine, `copy_elements`, walks two strided tensors of one shape. `lay_out` first brings the dimensions into the
order in which the target lies in memory and merges those that are one run in both, so most copies become one flat loop
and a transposition becomes small tiles. Long copies without a conversion (`copy_raw`) are divided among threads."""

from __future__ import annotations

from typing import Final

from tscript.abi.layout import MAX_RANK, TENSOR_CONTIGUOUS
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    U,
    address,
    b8,
    c128,
    context,
    f64,
    function,
    i8,
    i16,
    i32,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    stack,
    u8,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.shapes import bump_version, check_distinct, check_writable
from tscript.runtime.kernels.tensor import (
    begin_work,
    is_floating,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_retain,
)

TILE = 32
"""Rows and columns of the tiles in which a transposition is copied."""

GRAIN: Final = 1 << 17
"""Bytes whose copy is worth another thread."""

LESS: Final = 8
"""The first dimension is divided unless it is so many times shorter than another one."""

TO, STRIDES_TO, SOURCE, STRIDES, SIZES, NDIM, ITEMSIZE, DIVIDED = range(8)
"""Cells of the task of a divided copy."""


def magnitude(x: i64) -> i64:
    """The absolute value."""
    if x < 0:
        return -x
    return x


def lay_out(n: i64, sizes: Ptr[i64], a: Ptr[i64], b: Ptr[i64]) -> i64:
    """Order dimensions by falling stride of the first operand, drop those of size 1 and merge what is one run in both.

    Args:
        n: Dimensions; the three arrays have room for at least one.
        sizes: Not zero. Changed in place, like the strides `a` and `b` (in elements).

    Returns how many dimensions are left, at least one.
    """
    count = 0
    for i in range(n):
        if sizes[i] != 1:
            size = sizes[i]
            stride_a = a[i]
            stride_b = b[i]
            at = count
            moving = at > 0
            while moving:
                before = magnitude(a[at - 1])
                own = magnitude(stride_a)
                if before < own or (before == own and magnitude(b[at - 1]) < magnitude(stride_b)):
                    sizes[at] = sizes[at - 1]
                    a[at] = a[at - 1]
                    b[at] = b[at - 1]
                    at = at - 1
                    moving = at > 0
                else:
                    moving = False
            sizes[at] = size
            a[at] = stride_a
            b[at] = stride_b
            count = count + 1
    if count == 0:
        sizes[0] = 1
        a[0] = 1
        b[0] = 1
        return 1
    kept = 1
    for i in range(1, count):
        if a[kept - 1] == a[i] * sizes[i] and b[kept - 1] == b[i] * sizes[i]:
            sizes[kept - 1] = sizes[kept - 1] * sizes[i]
            a[kept - 1] = a[i]
            b[kept - 1] = b[i]
        else:
            sizes[kept] = sizes[i]
            a[kept] = a[i]
            b[kept] = b[i]
            kept = kept + 1
    return kept


def copy_row(to: Ptr[T], stride_to: i64, source: Ptr[U], stride: i64, n: i64) -> None:
    """Convert and store `n` elements."""
    if stride_to == 1:
        if stride == 1:
            for i in range(n):
                to[i] = T(source[i])
        else:
            if stride == 0:
                value = T(source[0])
                for i in range(n):
                    to[i] = value
            else:
                for i in range(n):
                    to[i] = T(source[i * stride])
    else:
        for i in range(n):
            to[i * stride_to] = T(source[i * stride])


def copy_plane(to: Ptr[T], to0: i64, to1: i64, source: Ptr[U], from0: i64, from1: i64, n0: i64, n1: i64) -> None:
    """Convert and store `n0` rows of `n1` elements; several in tiles, so that both sides use whole cache lines."""
    tile = TILE
    if n0 == 1:
        tile = n1
    row = 0
    while row < n0:
        rows = n0 - row
        if rows > TILE:
            rows = TILE
        column = 0
        while column < n1:
            columns = n1 - column
            if columns > tile:
                columns = tile
            for i in range(row, row + rows):
                copy_row(to + (i * to0 + column * to1), to1, source + (i * from0 + column * from1), from1, columns)
            column = column + tile
        row = row + TILE


def copy_elements(
    to: Ptr[T], strides_to: Ptr[i64], source: Ptr[U], strides: Ptr[i64], sizes: Ptr[i64], ndim: i64
) -> None:
    """Convert and store all elements of a strided tensor into another of the same shape that does not overlap it.

    Args:
        to, source: First elements.
        strides_to, strides, sizes: `ndim` each; strides in elements. Not changed.
    """
    extent = stack(MAX_RANK, i64)
    a = stack(MAX_RANK, i64)
    b = stack(MAX_RANK, i64)
    counters = stack(MAX_RANK, i64)
    numel = 1
    for i in range(ndim):
        extent[i] = sizes[i]
        a[i] = strides_to[i]
        b[i] = strides[i]
        numel = numel * sizes[i]
    if numel == 0:
        return
    n = lay_out(ndim, extent, a, b)
    inner = n - 1
    # A dimension that runs along the source's memory comes next to the innermost: the two are copied in tiles.
    tiled = -1
    if b[inner] != 1:
        for d in range(inner):
            if b[d] == 1:
                tiled = d
    outer = inner
    rows = 1
    row_to = 0
    if tiled >= 0:
        outer = inner - 1
        rows = extent[tiled]
        row_to = a[tiled]
        for d in range(tiled, outer):
            extent[d] = extent[d + 1]
            a[d] = a[d + 1]
            b[d] = b[d + 1]
    repeats = 1
    for d in range(outer):
        counters[d] = 0
        repeats = repeats * extent[d]
    at_to = 0
    at = 0
    for _ in range(repeats):
        copy_plane(to + at_to, row_to, a[inner], source + at, 1, b[inner], rows, extent[inner])
        d = outer - 1
        while d >= 0:
            counters[d] = counters[d] + 1
            at_to = at_to + a[d]
            at = at + b[d]
            if counters[d] < extent[d]:
                break
            counters[d] = 0
            at_to = at_to - a[d] * extent[d]
            at = at - b[d] * extent[d]
            d = d - 1


def copy_raw(
    to: Ptr[u8], strides_to: Ptr[i64], source: Ptr[u8], strides: Ptr[i64], sizes: Ptr[i64], ndim: i64, itemsize: i64
) -> None:
    """`copy_elements` between tensors of one dtype, whichever it is; long ones on several threads."""
    nbytes = itemsize
    for i in range(ndim):
        nbytes = nbytes * sizes[i]
    if nbytes <= 2 * GRAIN:
        copy_alone(to, strides_to, source, strides, sizes, ndim, itemsize)
        return
    extent = stack(MAX_RANK, i64)
    a = stack(MAX_RANK, i64)
    b = stack(MAX_RANK, i64)
    for i in range(ndim):
        extent[i] = sizes[i]
        a[i] = strides_to[i]
        b[i] = strides[i]
    n = lay_out(ndim, extent, a, b)
    divided = 0
    for d in range(1, n):
        if extent[d] > LESS * extent[divided]:
            divided = d
    task = stack(8, i64)
    task[TO] = address(to)
    task[STRIDES_TO] = address(a)
    task[SOURCE] = address(source)
    task[STRIDES] = address(b)
    task[SIZES] = address(extent)
    task[NDIM] = n
    task[ITEMSIZE] = itemsize
    task[DIVIDED] = divided
    parallel(context(), function(copy_part), task, extent[divided], GRAIN * extent[divided] // nbytes + 1)


def copy_part(task: Ptr[i64], begin: i64, end: i64) -> None:
    """A part of a divided copy: some indices of one dimension."""
    ndim = task[NDIM]
    itemsize = task[ITEMSIZE]
    divided = task[DIVIDED]
    strides_to = pointer(task[STRIDES_TO], i64)
    strides = pointer(task[STRIDES], i64)
    to = pointer(task[TO] + begin * strides_to[divided] * itemsize, u8)
    source = pointer(task[SOURCE] + begin * strides[divided] * itemsize, u8)
    if ndim == 1 and strides_to[0] == 1 and strides[0] == 1:
        memcpy(to, source, (end - begin) * itemsize)
        return
    sizes = stack(MAX_RANK, i64)
    for d in range(ndim):
        sizes[d] = pointer(task[SIZES], i64)[d]
    sizes[divided] = end - begin
    copy_alone(to, strides_to, source, strides, sizes, ndim, itemsize)


def copy_alone(
    to: Ptr[u8], strides_to: Ptr[i64], source: Ptr[u8], strides: Ptr[i64], sizes: Ptr[i64], ndim: i64, itemsize: i64
) -> None:
    """`copy_raw` on this thread."""
    if itemsize == 8:
        copy_elements(pointer_cast(to, i64), strides_to, pointer_cast(source, i64), strides, sizes, ndim)
    elif itemsize == 4:
        copy_elements(pointer_cast(to, i32), strides_to, pointer_cast(source, i32), strides, sizes, ndim)
    elif itemsize == 16:
        copy_elements(pointer_cast(to, c128), strides_to, pointer_cast(source, c128), strides, sizes, ndim)
    elif itemsize == 2:
        copy_elements(pointer_cast(to, i16), strides_to, pointer_cast(source, i16), strides, sizes, ndim)
    else:
        copy_elements(pointer_cast(to, i8), strides_to, pointer_cast(source, i8), strides, sizes, ndim)


def row_major(n: i64, sizes: Ptr[i64], strides: Ptr[i64]) -> None:
    """Set the strides of a contiguous tensor."""
    stride = 1
    for k in range(n):
        i = n - 1 - k
        strides[i] = stride
        stride = stride * sizes[i]


def pack(to: Ptr[u8], source: Ptr[TensorImpl]) -> None:
    """Write the elements of `source`, in row-major order and without gaps, to `to`."""
    ndim = i64(source.ndim)
    itemsize = itemsize_of(source.dtype)
    strides = stack(MAX_RANK, i64)
    if source.flags & TENSOR_CONTIGUOUS != 0:
        if source.numel * itemsize <= 2 * GRAIN:
            memcpy(to, source.data, source.numel * itemsize)
            return
        strides[0] = 1
        sizes = stack(1, i64)
        sizes[0] = source.numel
        copy_raw(to, strides, source.data, strides, sizes, 1, itemsize)
        return
    row_major(ndim, sizes_of(source), strides)
    copy_raw(to, strides, source.data, strides_of(source), sizes_of(source), ndim, itemsize)


def clone(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.clone`: a contiguous copy."""
    out = tensor_alloc(self.dtype, i64(self.ndim), sizes_of(self))
    begin_work(self.numel)
    pack(out.data, self)
    return out


def contiguous(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.contiguous`: the tensor itself when it is contiguous, else a copy that is."""
    if self.flags & TENSOR_CONTIGUOUS != 0:
        tensor_retain(self)
        return self
    return clone(self)


def lowest_byte(t: Ptr[TensorImpl]) -> i64:
    """Address of the first byte that elements of `t`, which is not empty, lie in."""
    offset = 0
    for i in range(i64(t.ndim)):
        if strides_of(t)[i] < 0:
            offset = offset + (sizes_of(t)[i] - 1) * strides_of(t)[i]
    return address(t.data) + offset * itemsize_of(t.dtype)


def highest_byte(t: Ptr[TensorImpl]) -> i64:
    """Address after the last byte of the elements of `t`, which is not empty."""
    offset = 1
    for i in range(i64(t.ndim)):
        if strides_of(t)[i] > 0:
            offset = offset + (sizes_of(t)[i] - 1) * strides_of(t)[i]
    return address(t.data) + offset * itemsize_of(t.dtype)


def may_overlap(a: Ptr[TensorImpl], b: Ptr[TensorImpl]) -> b8:
    """Whether two tensors that are not empty may have bytes in common."""
    return lowest_byte(a) < highest_byte(b) and lowest_byte(b) < highest_byte(a)


def broadcast_strides(self: Ptr[TensorImpl], source: Ptr[TensorImpl], own: Ptr[i64], strides: Ptr[i64]) -> None:
    """Strides that repeat `source` to the shape of `self`.

    Args:
        own: Strides of `source` itself.
        strides: Where they are put.

    Raises RuntimeError when it does not broadcast to that shape; leading dimensions of size 1 are dropped.
    """
    ndim = i64(self.ndim)
    other = i64(source.ndim)
    sizes = sizes_of(source)
    for k in range(other - ndim):
        if sizes[k] != 1:
            raise RuntimeError(
                "a tensor of {0} dimensions cannot be broadcast to one of {1} dimensions in place", other, ndim
            )
    for i in range(ndim):
        d = i - (ndim - other)
        strides[i] = 0
        if d >= 0:
            size = sizes[d]
            wanted = sizes_of(self)[i]
            if size == wanted:
                strides[i] = own[d]
            else:
                if size != 1:
                    raise RuntimeError(
                        "The size of tensor a ({0}) must match the size of tensor b ({1}) at non-singleton dimension "
                        "{2}",
                        wanted,
                        size,
                        i,
                    )


def copy_(self: Ptr[TensorImpl], source: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.copy_`: write the elements of `source`, broadcast and converted, into `self`. ``T`` and ``U`` are the
    dtypes of both. Returns `self`.

    The source is read as it was before, also where the two overlap.

    Raises RuntimeError when the shapes do not go together or `self` may not be written.
    """
    check_distinct(self)
    ndim = i64(self.ndim)
    strides = stack(MAX_RANK, i64)
    broadcast_strides(self, source, strides_of(source), strides)
    if self.numel != 0:
        if may_overlap(self, source):
            copy_through_buffer(self, source, T(0), U(0))
        else:
            begin_work(self.numel)
            copy_elements(
                pointer_cast(self.data, T),
                strides_of(self),
                pointer_cast(source.data, U),
                strides,
                sizes_of(self),
                ndim,
            )
        bump_version(self)
    tensor_retain(self)
    return self


def copy_through_buffer(self: Ptr[TensorImpl], source: Ptr[TensorImpl], _target: T, _element: U) -> None:
    """`copy_` between tensors that overlap. The last two arguments only bind ``T`` and ``U``."""
    nbytes = source.numel * itemsize_of(source.dtype)
    buffer = heap_try_allocate(nbytes)
    if address(buffer) == 0:
        refuse(nbytes)
    begin_work(self.numel)
    pack(pointer_cast(buffer, u8), source)
    own = stack(MAX_RANK, i64)
    strides = stack(MAX_RANK, i64)
    row_major(i64(source.ndim), sizes_of(source), own)
    broadcast_strides(self, source, own, strides)
    copy_elements(
        pointer_cast(self.data, T), strides_of(self), pointer_cast(buffer, U), strides, sizes_of(self), i64(self.ndim)
    )
    heap_free(buffer, nbytes)


def fill_elements(to: Ptr[T], value: T, strides: Ptr[i64], sizes: Ptr[i64], ndim: i64) -> None:
    """Store `value` in all elements of a strided tensor."""
    one = stack(1, T)
    one[0] = value
    zeros = stack(MAX_RANK, i64)
    for i in range(ndim):
        zeros[i] = 0
    copy_elements(to, strides, one, zeros, sizes, ndim)


def fill_(self: Ptr[TensorImpl], value: f64, whole: i64) -> Ptr[TensorImpl]:
    """`Tensor.fill_`: ``T`` is the dtype. Returns `self`.

    Args:
        value: The value for float and bool tensors.
        whole: The same number for integer tensors.

    Raises RuntimeError when `self` is read-only.
    """
    check_writable(self)
    begin_work(self.numel)
    element = T(whole)
    if is_floating(self.dtype) or self.dtype == codes.BOOL:
        element = T(value)
    fill_elements(pointer_cast(self.data, T), element, strides_of(self), sizes_of(self), i64(self.ndim))
    bump_version(self)
    tensor_retain(self)
    return self
