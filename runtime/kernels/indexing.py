"""Tier 3: choosing elements by a tensor of indices: index_select, gather."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK, TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, T, TensorImpl, U, i16, i32, i64, memcpy, pointer_cast, select, stack, u8
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.copy import clone, copy_raw
from tscript.runtime.kernels.index_moves import BLOCK, READ, index_read, move_block
from tscript.runtime.kernels.index_plan import BITS, MOST_PARTS, TENSOR, WHOLE
from tscript.runtime.kernels.shapes import copy_sizes, wrap_dim
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of, strides_of, tensor_alloc, tensor_release


def load_index(p: Ptr[u8], code: i32, at: i64) -> i64:
    """Element `at` of an int32 or int64 tensor."""
    if code == codes.INT32:
        return i64(pointer_cast(p, i32)[at])
    return pointer_cast(p, i64)[at]


def signs_outside(indices: Ptr[T], step: i64, n: i64, length: i64) -> i64:
    """A negative number if one of some indices is negative or not below `length`."""
    found = i64(0)
    if step == 1:
        for k in range(n):
            at = i64(indices[k])
            found = found | at | (length - 1 - at)
    else:
        for k in range(n):
            at = i64(indices[k * step])
            found = found | at | (length - 1 - at)
    return found


def check_index_dtype(index: Ptr[TensorImpl]) -> None:
    """Raise RuntimeError unless the dtype is int32 or int64."""
    if index.dtype != codes.INT32 and index.dtype != codes.INT64:
        raise RuntimeError("expected dtype int32 or int64 for index")


def copy_element(to: Ptr[u8], source: Ptr[u8], itemsize: i64) -> None:
    """Copy one element."""
    if itemsize == 4:
        pointer_cast(to, i32)[0] = pointer_cast(source, i32)[0]
    elif itemsize == 8:
        pointer_cast(to, i64)[0] = pointer_cast(source, i64)[0]
    else:
        memcpy(to, source, itemsize)


SHORT = 1024
"""Bytes of a row that a call of ``memcpy`` takes long for."""


def choose_items(to: Ptr[U], source: Ptr[U], indices: Ptr[T], n: i64, length: i64) -> i64:
    """Copy `n` chosen elements; a negative number if an index is out of range. What is read for it is the first one."""
    found = i64(0)
    for k in range(n):
        at = i64(indices[k])
        sign = at | (length - 1 - at)
        found = found | sign
        to[k] = source[select(sign < 0, i64(0), at)]
    return found


def choose_rows(to: Ptr[u8], source: Ptr[u8], indices: Ptr[T], n: i64, length: i64, nbytes: i64) -> i64:
    """The same of rows of so many bytes."""
    found = i64(0)
    for k in range(n):
        at = i64(indices[k])
        sign = at | (length - 1 - at)
        found = found | sign
        row = source + select(sign < 0, i64(0), at) * nbytes
        if nbytes & 31 == 0 and nbytes <= SHORT:
            copy_words(pointer_cast(to + k * nbytes, i64), pointer_cast(row, i64), nbytes >> 3)
        else:
            memcpy(to + k * nbytes, row, nbytes)
    return found


def copy_words(to: Ptr[i64], source: Ptr[i64], n: i64) -> None:
    """Copy a multiple of four words."""
    four = stack(4, i64)
    for i in range(0, n, 4):
        for x in range(4):
            four[x] = source[i + x]
        for x in range(4):
            to[i + x] = four[x]


def choose(to: Ptr[u8], source: Ptr[u8], indices: Ptr[T], outer: i64, n: i64, length: i64, nbytes: i64) -> i64:
    """The same for each of `outer` places."""
    found = i64(0)
    for k in range(outer):
        here = to + k * n * nbytes
        there = source + k * length * nbytes
        if nbytes == 4:
            found = found | choose_items(pointer_cast(here, i32), pointer_cast(there, i32), indices, n, length)
        elif nbytes == 8:
            found = found | choose_items(pointer_cast(here, i64), pointer_cast(there, i64), indices, n, length)
        elif nbytes == 1:
            found = found | choose_items(here, there, indices, n, length)
        elif nbytes == 2:
            found = found | choose_items(pointer_cast(here, i16), pointer_cast(there, i16), indices, n, length)
        else:
            found = found | choose_rows(here, there, indices, n, length, nbytes)
    return found


def select_contiguous(self: Ptr[TensorImpl], d: i64, index: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`index_select` of a contiguous tensor by contiguous indices: each is read once, so that no other thread can
    change it after it is checked."""
    ndim = i64(self.ndim)
    sizes = stack(MAX_RANK, i64)
    copy_sizes(sizes, sizes_of(self), ndim)
    sizes[d] = index.numel
    length = sizes_of(self)[d]
    if length == 0:
        if index.numel > 0:
            raise IndexError("index out of range in self")
        return tensor_alloc(self.dtype, ndim, sizes)
    out = tensor_alloc(self.dtype, ndim, sizes)
    outer = i64(1)
    for i in range(d):
        outer = outer * sizes[i]
    nbytes = itemsize_of(self.dtype)
    for i in range(d + 1, ndim):
        nbytes = nbytes * sizes[i]
    # Of a tensor without elements the indices are checked, and nothing is moved.
    if outer == 0:
        nbytes = 0
        outer = 1
    begin_work(out.numel + index.numel)
    found = i64(0)
    if index.dtype == codes.INT64:
        found = choose(out.data, self.data, pointer_cast(index.data, i64), outer, index.numel, length, nbytes)
    else:
        found = choose(out.data, self.data, pointer_cast(index.data, i32), outer, index.numel, length, nbytes)
    if found < 0:
        tensor_release(out)
        raise IndexError("index out of range in self")
    return out


def index_select(self: Ptr[TensorImpl], dim: i64, index: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.index_select`: the chosen indices of one dimension.

    Args:
        index: int32 or int64, at most one dimension.

    Raises IndexError when `dim` or an index is out of range, RuntimeError for another dtype of the index.
    """
    ndim = i64(self.ndim)
    d = wrap_dim(dim, ndim)
    check_index_dtype(index)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    count = index.numel
    step = 1
    if index.ndim == 1:
        step = strides_of(index)[0]
    length = 1
    if ndim > 0:
        length = sizes_of(self)[d]
    if ndim > 0 and index.ndim == 1 and step == 1 and self.flags & TENSOR_CONTIGUOUS != 0:
        return select_contiguous(self, d, index)
    outside = i64(0)
    if index.dtype == codes.INT64:
        outside = signs_outside(pointer_cast(index.data, i64), step, count, length)
    else:
        outside = signs_outside(pointer_cast(index.data, i32), step, count, length)
    if outside < 0:
        raise IndexError("index out of range in self")
    if ndim == 0:
        if count != 1:
            raise IndexError("index_select(): Index to scalar can have only 1 value, got {0} value(s)", count)
        return clone(self)
    if index.ndim == 1 and d < MOST_PARTS:
        tensors = stack(1, Ptr[TensorImpl])
        numbers = stack(1, i64)
        tensors[0] = index
        layout = i64(TENSOR)
        for _ in range(d):
            layout = (layout << BITS) | WHOLE
        return index_read(self, layout, numbers, 0, tensors, 1)
    sizes = stack(MAX_RANK, i64)
    copy_sizes(sizes, sizes_of(self), ndim)
    sizes[d] = count
    out = tensor_alloc(self.dtype, ndim, sizes)
    begin_work(out.numel)
    itemsize = itemsize_of(self.dtype)
    strides_to = strides_of(out)
    strides = strides_of(self)
    sizes[d] = 1
    for k in range(count):
        at = load_index(index.data, index.dtype, k * step)
        # Another thread may change the index once the GIL is released: what is out of range now reads the first.
        if at < 0 or at >= length:
            at = 0
        copy_raw(
            out.data + k * strides_to[d] * itemsize,
            strides_to,
            self.data + at * strides[d] * itemsize,
            strides,
            sizes,
            ndim,
            itemsize,
        )
    return out


def gather(self: Ptr[TensorImpl], dim: i64, index: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.gather`: along one dimension, element by element, what `index` says.

    Args:
        index: int32 or int64, with as many dimensions, no larger than `self` but along `dim`; or any tensor without
            elements.

    Raises RuntimeError when an index is out of range or the shapes do not go together, IndexError for a bad `dim`.
    """
    ndim = i64(index.ndim)
    d = wrap_dim(dim, i64(self.ndim))
    own = sizes_of(self)
    sizes = sizes_of(index)
    if index.numel == 0:
        return tensor_alloc(self.dtype, ndim, sizes)
    check_index_dtype(index)
    wide = ndim
    if wide == 0:
        wide = 1
    if i64(self.ndim) != wide:
        if self.ndim != 0 or wide != 1:
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    length = 1
    stride = 0
    if self.ndim > 0:
        length = own[d]
        stride = strides_of(self)[d]
    for i in range(ndim):
        if i != d:
            if sizes[i] > own[i]:
                raise RuntimeError(
                    "Size does not match at dimension {0} expected index size {1} to be no larger than self size {2} "
                    "apart from dimension {3}",
                    i,
                    sizes[i],
                    own[i],
                    d,
                )
    counters = stack(MAX_RANK, i64)
    steps = stack(MAX_RANK, i64)
    for i in range(ndim):
        counters[i] = 0
        steps[i] = 0
        if i != d:
            steps[i] = strides_of(self)[i]
    out = tensor_alloc(self.dtype, ndim, sizes)
    begin_work(out.numel)
    itemsize = itemsize_of(self.dtype)
    row = 1
    step_index = 0
    step = 0
    if ndim > 0:
        row = sizes[ndim - 1]
        step_index = strides_of(index)[ndim - 1]
        step = steps[ndim - 1]
    places = stack(BLOCK, i64)
    one = stack(1, i64)
    one[0] = 1
    base = 0
    at_index = 0
    to = out.data
    for _ in range(out.numel // row):
        done = 0
        while done < row:
            n = row - done
            if n > BLOCK:
                n = BLOCK
            bad = gather_places(places, index, at_index + done * step_index, step_index, n, length, stride)
            if bad >= 0:
                found = load_index(index.data, index.dtype, at_index + (done + bad) * step_index)
                tensor_release(out)
                raise RuntimeError("index {0} is out of bounds for dimension {1} with size {2}", found, d, length)
            for k in range(n):
                places[k] = places[k] + base + (done + k) * step
            move_block(self.data, to, places, n, one, one, 1, 1, itemsize, 1, READ)
            to = to + n * itemsize
            done = done + n
        i = ndim - 2
        while i >= 0:
            counters[i] = counters[i] + 1
            at_index = at_index + strides_of(index)[i]
            base = base + steps[i]
            if counters[i] < sizes[i]:
                break
            counters[i] = 0
            at_index = at_index - strides_of(index)[i] * sizes[i]
            base = base - steps[i] * sizes[i]
            i = i - 1
    return out


def gather_places(
    places: Ptr[i64], index: Ptr[TensorImpl], at: i64, step: i64, n: i64, length: i64, stride: i64
) -> i64:
    """The offsets of `n` indices along a dimension; the number of one that is out of range, or -1."""
    if index.dtype == codes.INT64:
        return places_of(places, pointer_cast(index.data, i64) + at, step, n, length, stride)
    return places_of(places, pointer_cast(index.data, i32) + at, step, n, length, stride)


def places_of(places: Ptr[i64], source: Ptr[T], step: i64, n: i64, length: i64, stride: i64) -> i64:
    """`gather_places` of one dtype of indices."""
    bad = 0
    if step == 1:
        for k in range(n):
            at = i64(source[k])
            is_bad = (at < 0) | (at >= length)
            bad = bad + i64(is_bad)
            places[k] = select(is_bad, i64(-1), at * stride)
    else:
        for k in range(n):
            at = i64(source[k * step])
            is_bad = (at < 0) | (at >= length)
            bad = bad + i64(is_bad)
            places[k] = select(is_bad, i64(-1), at * stride)
    if bad != 0:
        for k in range(n):
            at = i64(source[k * step])
            if at < 0 or at >= length:
                return k
        return 0
    return -1
