"""Tier 3: views of another shape with the same elements, or copies where the strides allow none."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK, TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, TensorImpl, b8, i64, stack
from tscript.runtime.kernels.copy import pack
from tscript.runtime.kernels.shapes import infer_sizes, wrap_dim
from tscript.runtime.kernels.tensor import (
    begin_work,
    check_rank,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_retain,
)
from tscript.runtime.kernels.views import as_view


def compute_view_strides(self: Ptr[TensorImpl], n: i64, sizes: Ptr[i64], strides: Ptr[i64]) -> b8:
    """Find strides with which the elements of `self`, in order, have other sizes.

    Args:
        sizes: `n` sizes with as many elements as `self`.
        strides: Where they are put.

    Returns whether there are such strides.
    """
    ndim = i64(self.ndim)
    old_sizes = sizes_of(self)
    old_strides = strides_of(self)
    if self.numel == 0 or ndim == 0:
        stride = 1
        for k in range(n):
            strides[n - 1 - k] = stride
            if sizes[n - 1 - k] > 1:
                stride = stride * sizes[n - 1 - k]
        return True
    # A chunk is a run of old dimensions that lie as one dimension would; new dimensions must divide each chunk exactly.
    to = n - 1
    base = old_strides[ndim - 1]
    chunk = 1
    filled = 1
    for k in range(ndim):
        d = ndim - 1 - k
        chunk = chunk * old_sizes[d]
        ends = d == 0
        if d > 0:
            if old_sizes[d - 1] != 1:
                if old_strides[d - 1] != chunk * base:
                    ends = True
        if ends:
            more = to >= 0
            while more:
                if filled < chunk or sizes[to] == 1:
                    strides[to] = filled * base
                    filled = filled * sizes[to]
                    to = to - 1
                    more = to >= 0
                else:
                    more = False
            if filled != chunk:
                return False
            if d > 0:
                base = old_strides[d - 1]
                chunk = 1
                filled = 1
    return to == -1


def view(self: Ptr[TensorImpl], size: Ptr[i64], n: i64) -> Ptr[TensorImpl]:
    """`Tensor.view`: the same elements in another shape.

    Args:
        size: `n` sizes; one may be -1.

    Raises RuntimeError when the shape has another number of elements or would need a copy.
    """
    sizes = stack(MAX_RANK, i64)
    strides = stack(MAX_RANK, i64)
    infer_sizes(size, n, self.numel, sizes)
    if not compute_view_strides(self, n, sizes, strides):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return as_view(self, n, sizes, strides)


def view_as(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.view_as`: `view` in the shape of another tensor."""
    return view(self, sizes_of(other), i64(other.ndim))


def reshape_to(self: Ptr[TensorImpl], n: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A view in another shape where the strides allow one, else a copy; `sizes` have as many elements."""
    strides = stack(MAX_RANK, i64)
    if compute_view_strides(self, n, sizes, strides):
        return as_view(self, n, sizes, strides)
    out = tensor_alloc(self.dtype, n, sizes)
    begin_work(self.numel)
    pack(out.data, self)
    return out


def reshape(self: Ptr[TensorImpl], shape: Ptr[i64], n: i64) -> Ptr[TensorImpl]:
    """`Tensor.reshape`: a view in another shape where the strides allow one, else a copy.

    Args:
        shape: `n` sizes; one may be -1.

    Raises RuntimeError when the shape has another number of elements.
    """
    sizes = stack(MAX_RANK, i64)
    infer_sizes(shape, n, self.numel, sizes)
    return reshape_to(self, n, sizes)


def reshape_as(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.reshape_as`: `reshape` to the shape of another tensor."""
    return reshape(self, sizes_of(other), i64(other.ndim))


def ravel(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.ravel`: all elements in one contiguous dimension; a view where the memory allows one."""
    sizes = stack(1, i64)
    sizes[0] = self.numel
    if self.flags & TENSOR_CONTIGUOUS != 0:
        return reshape_to(self, 1, sizes)
    out = tensor_alloc(self.dtype, 1, sizes)
    begin_work(self.numel)
    pack(out.data, self)
    return out


def flatten(self: Ptr[TensorImpl], start_dim: i64, end_dim: i64) -> Ptr[TensorImpl]:
    """`Tensor.flatten`: the dimensions from `start_dim` to `end_dim`, both included, as one.

    That is the tensor itself where they are one dimension.

    Raises IndexError when one is out of range, RuntimeError when they are in the wrong order.
    """
    ndim = i64(self.ndim)
    start = wrap_dim(start_dim, ndim)
    end = wrap_dim(end_dim, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    sizes = stack(MAX_RANK, i64)
    if ndim == 0:
        sizes[0] = 1
        return reshape_to(self, 1, sizes)
    if start == end:
        tensor_retain(self)
        return self
    own = sizes_of(self)
    n = 0
    for d in range(ndim):
        if d > start and d <= end:
            sizes[n - 1] = sizes[n - 1] * own[d]
        else:
            sizes[n] = own[d]
            n = n + 1
    return reshape_to(self, n, sizes)


def unflatten(self: Ptr[TensorImpl], dim: i64, sizes: Ptr[i64], n: i64) -> Ptr[TensorImpl]:
    """`Tensor.unflatten`: one dimension as several.

    Args:
        sizes: Their `n` sizes; one may be -1.

    Raises IndexError when `dim` is out of range, RuntimeError when the sizes do not multiply to its size.
    """
    ndim = i64(self.ndim)
    d = wrap_dim(dim, ndim)
    if n <= 0:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if ndim == 0:
        raise IndexError("Dimension specified as {0} but tensor has no dimensions", dim)
    own = sizes_of(self)
    length = own[d]
    parts = stack(MAX_RANK, i64)
    infer_sizes(sizes, n, length, parts)
    check_rank(ndim + n - 1)
    whole = stack(MAX_RANK, i64)
    for i in range(d):
        whole[i] = own[i]
    for i in range(n):
        whole[d + i] = parts[i]
    for i in range(d + 1, ndim):
        whole[n - 1 + i] = own[i]
    return reshape_to(self, ndim + n - 1, whole)
