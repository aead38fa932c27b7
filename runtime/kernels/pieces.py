"""Tier 3: views of one tensor, or one of each of several, as a tuple.

Such a tuple is a `List` whose elements are new headers. All arguments are checked before it is made.
"""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import List, Ptr, TensorImpl, TypeInfo, address, i64, pointer_cast, stack
from tscript.runtime.kernels.lists import list_new
from tscript.runtime.kernels.shapes import broadcast_into, copy_sizes, multiply_sizes, wrap_dim
from tscript.runtime.kernels.tensor import check_rank, finish_layout, sizes_of, strides_of, view_of
from tscript.runtime.kernels.views import alias
from tscript.runtime.kernels.views_expand import expand_to
from tscript.runtime.kernels.views_slice import clip_index, slice_range, without_dim


def put(made: Ptr[List], piece: Ptr[TensorImpl]) -> None:
    """Append a new tensor to a list that has room for it."""
    made.data[made.length] = address(piece)
    made.length = made.length + 1


def unbind_pieces(info: Ptr[TypeInfo], self: Ptr[TensorImpl], dim: i64) -> Ptr[List]:
    """`Tensor.unbind`: a view for each index of a dimension.

    Raises IndexError when the dimension is out of range.
    """
    if self.ndim == 0:
        raise IndexError("Dimension specified as {0} but tensor has no dimensions", dim)
    d = wrap_dim(dim, i64(self.ndim))
    count = sizes_of(self)[d]
    stride = strides_of(self)[d]
    made = list_new(info, count)
    for k in range(count):
        put(made, without_dim(self, d, k * stride))
    return made


def parts_of(info: Ptr[TypeInfo], self: Ptr[TensorImpl], d: i64, length: i64, count: i64) -> Ptr[List]:
    """`count` views of `length` indices each of dimension `d`; the last may have fewer."""
    size = sizes_of(self)[d]
    made = list_new(info, count)
    for k in range(count):
        first = k * length
        n = length
        if n > size - first:
            n = size - first
        put(made, slice_range(self, d, first, n, 1))
    return made


def split_pieces(info: Ptr[TypeInfo], self: Ptr[TensorImpl], length: i64, dim: i64) -> Ptr[List]:
    """`Tensor.split` into parts of one length.

    Raises RuntimeError when the length is no length, IndexError when the dimension is out of range.
    """
    if self.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, i64(self.ndim))
    if length < 0:
        raise RuntimeError("split expects split_size be non-negative, but got split_size={0}", length)
    size = sizes_of(self)[d]
    if length == 0 and size != 0:
        raise RuntimeError(
            "split_size can only be 0 if dimension size is 0, but dimension {0} has the size {1}", d, size
        )
    count = 1
    if size > length:
        count = (size - 1) // length + 1
    return parts_of(info, self, d, length, count)


def chunk_pieces(info: Ptr[TypeInfo], self: Ptr[TensorImpl], chunks: i64, dim: i64) -> Ptr[List]:
    """`Tensor.chunk`: at most `chunks` parts of one length.

    Raises RuntimeError when there are no chunks, IndexError when the dimension is out of range.
    """
    if self.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError("chunk expects `chunks` to be greater than 0, got: {0}", chunks)
    d = wrap_dim(dim, i64(self.ndim))
    size = sizes_of(self)[d]
    if size == 0:
        return parts_of(info, self, d, 0, chunks)
    length = (size - 1) // chunks + 1
    return parts_of(info, self, d, length, (size - 1) // length + 1)


def split_sizes_pieces(info: Ptr[TypeInfo], self: Ptr[TensorImpl], sizes: Ptr[i64], n: i64, dim: i64) -> Ptr[List]:
    """`Tensor.split` into parts of these lengths.

    Raises RuntimeError when they are not those of the dimension, IndexError when that is out of range.
    """
    if self.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, i64(self.ndim))
    size = sizes_of(self)[d]
    left = size
    for k in range(n):
        if sizes[k] < 0:
            raise RuntimeError(
                "split_with_sizes expects split_sizes have only non-negative entries, but got {0} at position {1}",
                sizes[k],
                k,
            )
        if left >= 0:
            left = left - sizes[k]
    if left != 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes to sum exactly to {0} (input tensor's size at dimension {1})", size, d
        )
    made = list_new(info, n)
    first = 0
    for k in range(n):
        put(made, slice_range(self, d, first, sizes[k], 1))
        first = first + sizes[k]
    return made


def sections_pieces(info: Ptr[TypeInfo], self: Ptr[TensorImpl], sections: i64, dim: i64) -> Ptr[List]:
    """`Tensor.tensor_split` into so many parts, the first ones longer by one where they cannot all be equal.

    Raises RuntimeError when there are no sections, IndexError when the dimension is out of range.
    """
    if self.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = wrap_dim(dim, i64(self.ndim))
    if sections <= 0:
        raise RuntimeError("number of sections must be larger than 0, got {0}", sections)
    size = sizes_of(self)[d]
    least = size // sections
    longer = size - least * sections
    made = list_new(info, sections)
    first = 0
    for k in range(sections):
        length = least + i64(k < longer)
        put(made, slice_range(self, d, first, length, 1))
        first = first + length
    return made


def bounds_pieces(info: Ptr[TypeInfo], self: Ptr[TensorImpl], bounds: Ptr[i64], n: i64, dim: i64) -> Ptr[List]:
    """`Tensor.tensor_split` at these indices, as slices have them.

    Raises IndexError when the dimension is out of range.
    """
    if self.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = wrap_dim(dim, i64(self.ndim))
    size = sizes_of(self)[d]
    made = list_new(info, n + 1)
    first = 0
    for k in range(n + 1):
        last = size
        if k < n:
            last = clip_index(bounds[k], size)
        length = last - first
        if length < 0:
            length = 0
        put(made, slice_range(self, d, first, length, 1))
        first = last
    return made


def broadcast_pieces(info: Ptr[TypeInfo], tensors: Ptr[Ptr[TensorImpl]], n: i64) -> Ptr[List]:
    """`torch.broadcast_tensors`: views of one shape.

    Raises RuntimeError when the shapes do not go together.
    """
    ndim = 0
    for k in range(n):
        if i64(tensors[k].ndim) > ndim:
            ndim = i64(tensors[k].ndim)
    sizes = stack(MAX_RANK, i64)
    for i in range(ndim):
        sizes[i] = 1
    for k in range(n):
        broadcast_into(sizes, ndim, sizes_of(tensors[k]), i64(tensors[k].ndim))
    multiply_sizes(ndim, sizes)
    made = list_new(info, n)
    for k in range(n):
        put(made, expand_to(tensors[k], ndim, sizes))
    return made


def grid_pieces(info: Ptr[TypeInfo], tensors: Ptr[Ptr[TensorImpl]], n: i64, columns_first: i64) -> Ptr[List]:
    """`torch.meshgrid`: vector `k` along dimension `k` of a grid.

    Args:
        columns_first: Whether the first two dimensions are exchanged, as in plots.

    Raises RuntimeError when one is no vector.
    """
    if n == 0:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    check_rank(n)
    for k in range(n):
        if tensors[k].ndim > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got {0} dimensions at position {1}",
                i64(tensors[k].ndim),
                k,
            )
        if tensors[k].dtype != tensors[0].dtype:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype; number {0} has another", k)
    sizes = stack(MAX_RANK, i64)
    for k in range(n):
        sizes[grid_place(k, n, columns_first)] = tensors[k].numel
    multiply_sizes(n, sizes)
    made = list_new(info, n)
    for k in range(n):
        v = view_of(tensors[k], n)
        copy_sizes(sizes_of(v), sizes, n)
        for i in range(n):
            strides_of(v)[i] = 0
        if tensors[k].ndim == 1:
            strides_of(v)[grid_place(k, n, columns_first)] = strides_of(tensors[k])[0]
        finish_layout(v)
        put(made, v)
    return made


def grid_place(k: i64, n: i64, columns_first: i64) -> i64:
    """The dimension of vector `k`."""
    if columns_first != 0 and n > 1 and k < 2:
        return 1 - k
    return k


def at_least(self: Ptr[TensorImpl], ndim: i64) -> Ptr[TensorImpl]:
    """A view with 1, 2 or 3 dimensions at least: `torch.atleast_1d` and others."""
    own = i64(self.ndim)
    if own >= ndim:
        return alias(self)
    v = view_of(self, ndim)
    before = i64(ndim > 1 and own == 1)
    for i in range(ndim):
        sizes_of(v)[i] = 1
        strides_of(v)[i] = 1
    for i in range(own):
        sizes_of(v)[before + i] = sizes_of(self)[i]
        strides_of(v)[before + i] = strides_of(self)[i]
    finish_layout(v)
    return v


def at_least_pieces(info: Ptr[TypeInfo], tensors: Ptr[Ptr[TensorImpl]], n: i64, ndim: i64) -> Ptr[List]:
    """The same for several tensors."""
    made = list_new(info, n)
    for k in range(n):
        put(made, at_least(tensors[k], ndim))
    return made


def grid_of_list(info: Ptr[TypeInfo], tensors: Ptr[List], columns_first: i64) -> Ptr[List]:
    """`torch.meshgrid` of a list."""
    return grid_pieces(info, pointer_cast(tensors.data, Ptr[TensorImpl]), tensors.length, columns_first)


def broadcast_of_list(info: Ptr[TypeInfo], tensors: Ptr[List]) -> Ptr[List]:
    """`torch.broadcast_tensors` of a list."""
    return broadcast_pieces(info, pointer_cast(tensors.data, Ptr[TensorImpl]), tensors.length)


def at_least_of_list(info: Ptr[TypeInfo], tensors: Ptr[List], ndim: i64) -> Ptr[List]:
    """`torch.atleast_1d` and others of a list."""
    return at_least_pieces(info, pointer_cast(tensors.data, Ptr[TensorImpl]), tensors.length, ndim)
