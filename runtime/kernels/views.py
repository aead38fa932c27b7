"""Tier 3: views with the same elements in other dimensions. A view is a new header over the same storage; no element is
touched.

Each kernel takes its tensor borrowed and returns a new reference.
"""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK, TENSOR_ROLE
from tscript.dialect import Ptr, TensorImpl, i64, stack
from tscript.runtime.kernels.shapes import copy_sizes, mark_dims, wrap_dim
from tscript.runtime.kernels.tensor import (
    finish_layout,
    itemsize_of,
    sizes_of,
    strides_of,
    view_of,
)


def alias(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """The same elements with a header of their own."""
    ndim = i64(self.ndim)
    v = view_of(self, ndim)
    copy_sizes(sizes_of(v), sizes_of(self), ndim)
    copy_sizes(strides_of(v), strides_of(self), ndim)
    v.numel = self.numel
    v.flags = self.flags & ~TENSOR_ROLE
    return v


def as_view(self: Ptr[TensorImpl], n: i64, sizes: Ptr[i64], strides: Ptr[i64]) -> Ptr[TensorImpl]:
    """A view with these sizes and strides, which stay inside what `self` spans; its first element is that of `self`."""
    v = view_of(self, n)
    copy_sizes(sizes_of(v), sizes, n)
    copy_sizes(strides_of(v), strides, n)
    finish_layout(v)
    return v


def view_at(self: Ptr[TensorImpl], n: i64, sizes: Ptr[i64], strides: Ptr[i64], offset: i64) -> Ptr[TensorImpl]:
    """As `as_view`, with a first element that lies so many elements behind that of `self`."""
    v = as_view(self, n, sizes, strides)
    v.data = self.data + offset * itemsize_of(self.dtype)
    return v


def swap_dims(self: Ptr[TensorImpl], a: i64, b: i64) -> Ptr[TensorImpl]:
    """A view with two dimensions, both in range, exchanged."""
    v = alias(self)
    sizes = sizes_of(v)
    strides = strides_of(v)
    size = sizes[a]
    stride = strides[a]
    sizes[a] = sizes[b]
    strides[a] = strides[b]
    sizes[b] = size
    strides[b] = stride
    finish_layout(v)
    return v


def transpose(self: Ptr[TensorImpl], dim0: i64, dim1: i64) -> Ptr[TensorImpl]:
    """`Tensor.transpose`: exchange two dimensions.

    Raises IndexError when one is out of range.
    """
    ndim = i64(self.ndim)
    a = wrap_dim(dim0, ndim)
    b = wrap_dim(dim1, ndim)
    if ndim == 0:
        return alias(self)
    return swap_dims(self, a, b)


def t(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.t`: a matrix transposed; with fewer dimensions, the tensor as it is.

    Raises RuntimeError when there are more than two.
    """
    ndim = i64(self.ndim)
    if ndim > 2:
        raise RuntimeError("t() expects a tensor with <= 2 dimensions, but self is {0}D", ndim)
    if ndim < 2:
        return alias(self)
    return swap_dims(self, 0, 1)


def reverse_dims(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.T`: all dimensions in reverse order."""
    ndim = i64(self.ndim)
    v = view_of(self, ndim)
    sizes = sizes_of(v)
    strides = strides_of(v)
    for i in range(ndim):
        sizes[i] = sizes_of(self)[ndim - 1 - i]
        strides[i] = strides_of(self)[ndim - 1 - i]
    finish_layout(v)
    return v


def matrix_transpose(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.mT`: the last two dimensions exchanged.

    Raises RuntimeError when there are fewer.
    """
    ndim = i64(self.ndim)
    if ndim < 2:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got {0}-D tensor.", ndim)
    return swap_dims(self, ndim - 2, ndim - 1)


def permute(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64) -> Ptr[TensorImpl]:
    """`Tensor.permute`: the dimensions in another order.

    Args:
        dims: Which dimension of `self` comes at each place; all of them, negative ones count from the end.

    Raises RuntimeError when they are not all there, IndexError when one is out of range.
    """
    ndim = i64(self.ndim)
    if n != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of dimensions i.e. input.dim() = {0} is not equal to len(dims) = {1}",
            ndim,
            n,
        )
    seen = stack(MAX_RANK, i64)
    for i in range(ndim):
        seen[i] = 0
    for i in range(ndim):
        d = wrap_dim(dims[i], ndim)
        if seen[d] != 0:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        seen[d] = 1
    v = view_of(self, ndim)
    sizes = sizes_of(v)
    strides = strides_of(v)
    for i in range(ndim):
        d = wrap_dim(dims[i], ndim)
        sizes[i] = sizes_of(self)[d]
        strides[i] = strides_of(self)[d]
    finish_layout(v)
    return v


def without_marked(self: Ptr[TensorImpl], marks: Ptr[i64]) -> Ptr[TensorImpl]:
    """A view without the dimensions of size 1 whose mark is 1."""
    ndim = i64(self.ndim)
    own = sizes_of(self)
    n = 0
    for d in range(ndim):
        if marks[d] == 0 or own[d] != 1:
            n = n + 1
    v = view_of(self, n)
    sizes = sizes_of(v)
    strides = strides_of(v)
    at = 0
    for d in range(ndim):
        if marks[d] == 0 or own[d] != 1:
            sizes[at] = own[d]
            strides[at] = strides_of(self)[d]
            at = at + 1
    finish_layout(v)
    return v


def squeeze(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.squeeze()`: without the dimensions of size 1."""
    marks = stack(MAX_RANK, i64)
    mark_dims(marks, 0, i64(self.ndim), marks)
    return without_marked(self, marks)


def squeeze_dims(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64) -> Ptr[TensorImpl]:
    """`Tensor.squeeze(dims)`: without those of the `n` dims whose size is 1.

    Raises IndexError when one is out of range, RuntimeError when one appears twice.
    """
    if n <= 0:
        return alias(self)
    marks = stack(MAX_RANK, i64)
    mark_dims(dims, n, i64(self.ndim), marks)
    return without_marked(self, marks)


def unsqueeze(self: Ptr[TensorImpl], dim: i64) -> Ptr[TensorImpl]:
    """`Tensor.unsqueeze`: a new dimension of size 1 at `dim`.

    Raises IndexError when it is out of range.
    """
    ndim = i64(self.ndim)
    at = wrap_dim(dim, ndim + 1)
    v = view_of(self, ndim + 1)
    sizes = sizes_of(v)
    strides = strides_of(v)
    own = sizes_of(self)
    own_strides = strides_of(self)
    for i in range(at):
        sizes[i] = own[i]
        strides[i] = own_strides[i]
    sizes[at] = 1
    strides[at] = 1
    if at < ndim:
        strides[at] = own[at] * own_strides[at]
    for i in range(at, ndim):
        sizes[i + 1] = own[i]
        strides[i + 1] = own_strides[i]
    finish_layout(v)
    return v
