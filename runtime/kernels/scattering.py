"""Tier 3: elements written along a dimension where an index tensor says, and the positions of true elements."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import Ptr, TensorImpl, i64, pointer_cast, select, stack, u8
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.copy import copy_alone, may_overlap
from tscript.runtime.kernels.index_moves import (
    ADD,
    BLOCK,
    WRITE,
    check_combined,
    combine_block,
    index_write,
    move_block,
)
from tscript.runtime.kernels.index_plan import TENSOR, count_true
from tscript.runtime.kernels.indexing import check_index_dtype, gather_places, load_index
from tscript.runtime.kernels.shapes import bump_version, check_distinct, wrap_dim
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_retain,
)


def index_put_(
    self: Ptr[TensorImpl], tensors: Ptr[Ptr[TensorImpl]], n: i64, values: Ptr[TensorImpl], accumulate: i64
) -> Ptr[TensorImpl]:
    """`Tensor.index_put_`; see `index_moves.index_write`.

    Raises RuntimeError for more tensors than a layout has room for.
    """
    if n > 21:
        raise RuntimeError("index_put_: at most 21 indices, got {0}", n)
    numbers = stack(1, i64)
    layout = 0
    for k in range(n):
        layout = layout | (i64(TENSOR) << (3 * k))
    return index_write(self, values, layout, numbers, 0, tensors, n, select(accumulate != 0, i64(ADD), i64(WRITE)))


def nonzero(mask: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """The indices of the true elements of a bool tensor: a row for each."""
    ndim = i64(mask.ndim)
    sizes = stack(2, i64)
    count = count_true(mask)
    sizes[0] = count
    sizes[1] = ndim
    out = tensor_alloc(codes.INT64, 2, sizes)
    begin_work(mask.numel)
    to = pointer_cast(out.data, i64)
    counters = stack(MAX_RANK, i64)
    for d in range(ndim):
        counters[d] = 0
    own = sizes_of(mask)
    strides = strides_of(mask)
    found = 0
    if ndim == 1:
        # The mask may have changed since its elements were counted: no more are written.
        step = strides[0]
        for k in range(mask.numel):
            if found >= count:
                break
            to[found] = k
            found = found + i64(mask.data[k * step] != 0)
    elif ndim > 1:
        at = 0
        for _ in range(mask.numel):
            if mask.data[at] != 0 and found < count:
                for d in range(ndim):
                    to[found * ndim + d] = counters[d]
                found = found + 1
            d = ndim - 1
            while d >= 0:
                counters[d] = counters[d] + 1
                at = at + strides[d]
                if counters[d] < own[d]:
                    break
                counters[d] = 0
                at = at - strides[d] * own[d]
                d = d - 1
    for k in range(found * ndim, count * ndim):
        to[k] = 0
    return out


def check_scattered(self: Ptr[TensorImpl], d: i64, index: Ptr[TensorImpl], src: Ptr[TensorImpl], has_src: i64) -> None:
    """Raise RuntimeError unless an index goes with the tensor and what is written."""
    check_index_dtype(index)
    ndim = i64(index.ndim)
    if ndim != i64(self.ndim):
        if ndim > 1 or self.ndim > 1:
            raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if has_src != 0 and ndim != i64(src.ndim):
        if ndim > 1 or src.ndim > 1:
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for i in range(ndim):
        size = sizes_of(index)[i]
        if i != d and self.ndim > 0:
            if size > sizes_of(self)[i]:
                raise RuntimeError(
                    "Size does not match at dimension {0} expected index size {1} to be no larger than self size {2} "
                    "apart from dimension {3}",
                    i,
                    size,
                    sizes_of(self)[i],
                    d,
                )
        if has_src != 0 and src.ndim > 0:
            if size > sizes_of(src)[i]:
                raise RuntimeError(
                    "Size does not match at dimension {0} expected index size {1} to be no larger than src size {2}",
                    i,
                    size,
                    sizes_of(src)[i],
                )


def scatter_write(
    self: Ptr[TensorImpl], dim: i64, index: Ptr[TensorImpl], src: Ptr[TensorImpl], action: i64
) -> Ptr[TensorImpl]:
    """`Tensor.scatter_` and what adds or multiplies instead. Returns `self`.

    Args:
        index: int32 or int64, with as many dimensions, no larger than `self` but along `dim`.
        src: Of the same dtype, at least as large as `index`; of 0 dimensions it is written everywhere.
        action: One of `index_moves`.

    Raises RuntimeError when an index is out of range, shapes do not go together, or `self` may not be written;
    IndexError for a bad `dim`. Then nothing has been written.
    """
    d = wrap_dim(dim, i64(self.ndim))
    check_distinct(self)
    check_combined(self.dtype, action)
    if src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    has_src = i64(src.ndim > 0)
    if index.numel == 0:
        tensor_retain(self)
        return self
    check_scattered(self, d, index, src, has_src)
    if may_overlap(self, src) or may_overlap(self, index):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation."
        )
    ndim = i64(index.ndim)
    length = 1
    stride = 0
    if self.ndim > 0:
        length = sizes_of(self)[d]
        stride = strides_of(self)[d]
    sizes = stack(MAX_RANK, i64)
    counters = stack(MAX_RANK, i64)
    steps = stack(MAX_RANK, i64)
    own = stack(MAX_RANK, i64)
    from_src = stack(MAX_RANK, i64)
    n = ndim
    if n == 0:
        n = 1
        sizes[0] = 1
        counters[0] = 0
        steps[0] = 0
        own[0] = 0
        from_src[0] = 0
    for i in range(ndim):
        sizes[i] = sizes_of(index)[i]
        counters[i] = 0
        steps[i] = 0
        own[i] = strides_of(index)[i]
        from_src[i] = 0
        if i != d:
            if self.ndim > 0:
                steps[i] = strides_of(self)[i]
        if has_src != 0:
            from_src[i] = strides_of(src)[i]
    row = sizes[n - 1]
    rows = index.numel // row
    itemsize = itemsize_of(self.dtype)
    places = stack(BLOCK, i64)
    values = stack(2 * BLOCK, i64)
    one = stack(1, i64)
    count = stack(1, i64)
    gap = stack(1, i64)
    one[0] = 1
    wide = stack(1, i64)
    wide[0] = 1
    # First the indices are looked through, then the elements are written.
    for turn in range(2):
        if turn == 1:
            begin_work(index.numel)
        base = 0
        at = 0
        there = 0
        for _ in range(rows):
            done = 0
            while done < row:
                m = row - done
                if m > BLOCK:
                    m = BLOCK
                first = at + done * own[n - 1]
                bad = gather_places(places, index, first, own[n - 1], m, length, stride)
                if bad >= 0:
                    raise RuntimeError(
                        "index {0} is out of bounds for dimension {1} with size {2}",
                        load_index(index.data, index.dtype, first + bad * own[n - 1]),
                        d,
                        length,
                    )
                if turn == 1:
                    for k in range(m):
                        places[k] = places[k] + base + (done + k) * steps[n - 1]
                    source = src.data + (there + done * from_src[n - 1]) * itemsize
                    if has_src != 0 and from_src[n - 1] != 1:
                        count[0] = m
                        gap[0] = from_src[n - 1]
                        copy_alone(pointer_cast(values, u8), one, source, gap, count, 1, itemsize)
                        source = pointer_cast(values, u8)
                    if action >= ADD:
                        combine_block(self.data, source, self.dtype, places, m, wide, one, 1, 1, has_src, action)
                    else:
                        move_block(self.data, source, places, m, wide, one, 1, 1, itemsize, has_src, WRITE)
                done = done + m
            i = n - 2
            while i >= 0:
                counters[i] = counters[i] + 1
                at = at + own[i]
                base = base + steps[i]
                there = there + from_src[i]
                if counters[i] < sizes[i]:
                    break
                counters[i] = 0
                at = at - own[i] * sizes[i]
                base = base - steps[i] * sizes[i]
                there = there - from_src[i] * sizes[i]
                i = i - 1
    bump_version(self)
    tensor_retain(self)
    return self
