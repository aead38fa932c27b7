"""Tier 3: views of some of the elements: diagonals, one index of a dimension, slices."""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.dialect import Ptr, TensorImpl, i64
from tscript.runtime.kernels.shapes import wrap_dim
from tscript.runtime.kernels.tensor import (
    finish_layout,
    itemsize_of,
    sizes_of,
    strides_of,
    view_of,
)
from tscript.runtime.kernels.views import alias


def diagonal(self: Ptr[TensorImpl], offset: i64, dim1: i64, dim2: i64) -> Ptr[TensorImpl]:
    """`Tensor.diagonal`: the elements with equal indices in two dimensions, which become one at the end.

    Args:
        offset: How far right of the main diagonal; left of it when negative.

    Raises IndexError when a dimension is out of range, RuntimeError when they are the same.
    """
    ndim = i64(self.ndim)
    first = wrap_dim(dim1, ndim)
    second = wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError("diagonal dimensions cannot be identical {0}, {1}", dim1, dim2)
    own = sizes_of(self)
    own_strides = strides_of(self)
    row = 0
    column = 0
    if offset >= 0:
        column = offset
    else:
        row = 0 - offset
    length = 0
    # Compared before anything is subtracted: an offset may be any int.
    if row >= 0 and row < own[first] and column < own[second]:
        length = own[first] - row
        if own[second] - column < length:
            length = own[second] - column
    v = view_of(self, ndim - 1)
    sizes = sizes_of(v)
    strides = strides_of(v)
    at = 0
    for d in range(ndim):
        if d != first and d != second:
            sizes[at] = own[d]
            strides[at] = own_strides[d]
            at = at + 1
    sizes[at] = length
    strides[at] = own_strides[first] + own_strides[second]
    if length > 0:
        v.data = self.data + (row * own_strides[first] + column * own_strides[second]) * itemsize_of(self.dtype)
    finish_layout(v)
    return v


def without_dim(self: Ptr[TensorImpl], at: i64, offset: i64) -> Ptr[TensorImpl]:
    """A view without dimension `at`, its first element `offset` elements further."""
    ndim = i64(self.ndim)
    v = view_of(self, ndim - 1)
    sizes = sizes_of(v)
    strides = strides_of(v)
    own = sizes_of(self)
    own_strides = strides_of(self)
    for i in range(at):
        sizes[i] = own[i]
        strides[i] = own_strides[i]
    for i in range(at + 1, ndim):
        sizes[i - 1] = own[i]
        strides[i - 1] = own_strides[i]
    v.data = self.data + offset * itemsize_of(self.dtype)
    finish_layout(v)
    return v


def select(self: Ptr[TensorImpl], dim: i64, index: i64) -> Ptr[TensorImpl]:
    """`Tensor.select` and ``x[index]``: one index along a dimension, which goes away.

    Raises IndexError when the dimension or the index is out of range.
    """
    ndim = i64(self.ndim)
    if ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, ndim)
    size = sizes_of(self)[d]
    if index < -size or index >= size:
        raise IndexError("index {0} is out of bounds for dimension {1} with size {2}", index, d, size)
    at = index
    if at < 0:
        at = at + size
    return without_dim(self, d, at * strides_of(self)[d])


def reverse(self: Ptr[TensorImpl], dim: i64) -> Ptr[TensorImpl]:
    """``x[::-1]`` of an array: a dimension from its end.

    Raises IndexError when the dimension is out of range.
    """
    ndim = i64(self.ndim)
    d = wrap_dim(dim, ndim)
    v = alias(self)
    if ndim == 0:
        return v
    sizes = sizes_of(v)
    strides = strides_of(v)
    if sizes[d] > 1:
        v.data = self.data + (sizes[d] - 1) * strides[d] * itemsize_of(self.dtype)
        strides[d] = 0 - strides[d]
    finish_layout(v)
    return v


def clip_index(index: i64, size: i64) -> i64:
    """A bound of a slice counted from the front and clipped to 0 … size."""
    at = index
    if at < 0:
        at = at + size
    if at < 0:
        return 0
    if at > size:
        return size
    return at


def slice_range(self: Ptr[TensorImpl], at: i64, first: i64, length: i64, step: i64) -> Ptr[TensorImpl]:
    """A view of `length` indices along dimension `at`, all in range."""
    v = alias(self)
    stride = strides_of(self)[at]
    sizes_of(v)[at] = length
    if length > 1:
        strides_of(v)[at] = stride * step
    v.data = self.data + first * stride * itemsize_of(self.dtype)
    finish_layout(v)
    return v


def slice_(self: Ptr[TensorImpl], dim: i64, start: i64, end: i64, step: i64) -> Ptr[TensorImpl]:
    """``x[start:end:step]`` along one dimension.

    Args:
        start, end: Clipped to the size; `NONE_INT` for none.
        step: At least 1.

    Raises IndexError when the dimension is out of range, ValueError for a step below 1.
    """
    ndim = i64(self.ndim)
    if ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, ndim)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    size = sizes_of(self)[d]
    first = 0
    if start != NONE_INT:
        first = clip_index(start, size)
    last = size
    if end != NONE_INT:
        last = clip_index(end, size)
    length = 0
    if last > first:
        length = (last - first - 1) // step + 1
    else:
        # Where an empty slice begins does not matter; the start of the memory is always inside.
        first = 0
    return slice_range(self, d, first, length, step)


def narrow(self: Ptr[TensorImpl], dim: i64, start: i64, length: i64) -> Ptr[TensorImpl]:
    """`Tensor.narrow`: `length` indices from `start` along one dimension.

    Raises IndexError when the dimension or the start is out of range, RuntimeError when the length is.
    """
    ndim = i64(self.ndim)
    if ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    d = wrap_dim(dim, ndim)
    size = sizes_of(self)[d]
    if start < -size or start > size:
        raise IndexError("start out of range (expected to be in range of [{0}, {1}], but got {2})", -size, size, start)
    first = start
    if first < 0:
        first = first + size
    if length > size - first:
        raise RuntimeError("start ({0}) + length ({1}) exceeds dimension size ({2}).", first, length, size)
    if length == 0:
        first = 0
    return slice_range(self, d, first, length, 1)
