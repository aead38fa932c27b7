"""Tier 3: views. A view is a new header over the same storage; no element is touched.

Each kernel takes its tensor borrowed and returns a new reference.
"""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK, NONE_INT, TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, TensorImpl, b8, i64, stack
from tscript.runtime.kernels.copy import pack
from tscript.runtime.kernels.shapes import copy_sizes, infer_sizes, mark_dims, multiply_sizes, wrap_dim
from tscript.runtime.kernels.tensor import (
    begin_work,
    check_rank,
    finish_layout,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_retain,
    view_of,
)


def alias(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """The same elements with a header of their own."""
    ndim = i64(self.ndim)
    v = view_of(self, ndim)
    copy_sizes(sizes_of(v), sizes_of(self), ndim)
    copy_sizes(strides_of(v), strides_of(self), ndim)
    v.numel = self.numel
    v.flags = self.flags
    return v


def as_view(self: Ptr[TensorImpl], n: i64, sizes: Ptr[i64], strides: Ptr[i64]) -> Ptr[TensorImpl]:
    """A view with these sizes and strides, which stay inside what `self` spans; its first element is that of `self`."""
    v = view_of(self, n)
    copy_sizes(sizes_of(v), sizes, n)
    copy_sizes(strides_of(v), strides, n)
    finish_layout(v)
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


def expand_to(self: Ptr[TensorImpl], n: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A view in which dimensions of size 1 repeat. `self` must broadcast to the `n` sizes."""
    ndim = i64(self.ndim)
    v = view_of(self, n)
    own = sizes_of(self)
    own_strides = strides_of(self)
    for i in range(n):
        sizes_of(v)[i] = sizes[i]
        strides_of(v)[i] = 0
        d = i - (n - ndim)
        if d >= 0:
            if own[d] == sizes[i]:
                strides_of(v)[i] = own_strides[d]
    finish_layout(v)
    return v


def broadcast_to(self: Ptr[TensorImpl], size: Ptr[i64], n: i64) -> Ptr[TensorImpl]:
    """`Tensor.broadcast_to`: a view in which dimensions of size 1 repeat.

    Args:
        size: `n` sizes; -1 keeps that of an existing dimension.

    Raises RuntimeError when the tensor does not broadcast to them.
    """
    ndim = i64(self.ndim)
    if n < ndim:
        raise RuntimeError(
            "expand: the number of sizes provided ({0}) must be greater or equal to the number of dimensions in the "
            "tensor ({1})",
            n,
            ndim,
        )
    check_rank(n)
    sizes = stack(MAX_RANK, i64)
    own = sizes_of(self)
    for i in range(n):
        d = i - (n - ndim)
        wanted = size[i]
        sizes[i] = wanted
        if d < 0:
            if wanted < 0:
                raise RuntimeError(
                    "The expanded size of the tensor ({0}) isn't allowed in a leading, non-existing dimension {1}",
                    wanted,
                    i,
                )
        else:
            if wanted == -1:
                sizes[i] = own[d]
            else:
                if wanted != own[d]:
                    if own[d] != 1 or wanted < 0:
                        raise RuntimeError(
                            "The expanded size of the tensor ({0}) must match the existing size ({1}) at non-singleton "
                            "dimension {2}.",
                            wanted,
                            own[d],
                            i,
                        )
    multiply_sizes(n, sizes)
    return expand_to(self, n, sizes)


def expand(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, implicit: b8) -> Ptr[TensorImpl]:
    """`Tensor.expand`: `broadcast_to`; `implicit` has no meaning here."""
    return broadcast_to(self, size, n)


def expand_as(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.expand_as`: `broadcast_to` the shape of another tensor."""
    return broadcast_to(self, sizes_of(other), i64(other.ndim))


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
