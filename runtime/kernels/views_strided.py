"""Tier 3: views by strides: any of them over a storage, and windows along a dimension."""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.dialect import Ptr, TensorImpl, i32, i64
from tscript.runtime.kernels.scalars import storage_offset as offset_of
from tscript.runtime.kernels.shapes import multiply_sizes, wrap_dim
from tscript.runtime.kernels.tensor import finish_layout, itemsize_of, sizes_of, strides_of, view_of


def view_dtype(self: Ptr[TensorImpl], dtype: i32) -> Ptr[TensorImpl]:
    """`Tensor.view` of a dtype: the same memory, read as elements of another dtype.

    Elements of another size make the last dimension longer or shorter.

    Raises RuntimeError where the last dimension does not lie in memory as that needs.
    """
    old, new = itemsize_of(self.dtype), itemsize_of(dtype)
    ndim = i64(self.ndim)
    sizes, strides = sizes_of(self), strides_of(self)
    if old != new:
        if ndim == 0:
            raise RuntimeError(
                "view: a tensor without dimensions cannot be viewed as a dtype of another element size: {0} bytes, "
                "not {1}",
                new,
                old,
            )
        if strides[ndim - 1] != 1:
            raise RuntimeError(
                "view: self.stride(-1) must be 1 to view elements of {0} bytes as elements of {1} bytes, but got {2}",
                old,
                new,
                strides[ndim - 1],
            )
    if new > old:
        ratio = new // old
        if sizes[ndim - 1] % ratio != 0:
            raise RuntimeError(
                "view: self.size(-1) must be divisible by {0} to view elements of {1} bytes as elements of {2} bytes, "
                "but got {3}",
                ratio,
                old,
                new,
                sizes[ndim - 1],
            )
        if offset_of(self) % ratio != 0 and self.numel != 0:
            raise RuntimeError(
                "view: self.storage_offset() must be divisible by {0} to view elements of {1} bytes as elements of {2} "
                "bytes, but got {3}",
                ratio,
                old,
                new,
                offset_of(self),
            )
        for d in range(ndim - 1):
            if strides[d] % ratio != 0 and self.numel != 0:
                raise RuntimeError(
                    "view: self.stride({0}) must be divisible by {1} to view elements of {2} bytes as elements of {3} "
                    "bytes, but got {4}",
                    d,
                    ratio,
                    old,
                    new,
                    strides[d],
                )
    v = view_of(self, ndim)
    v.dtype = dtype
    for d in range(ndim):
        # The last dimension has the stride 1 where the sizes differ.
        apart = old != new and d == ndim - 1
        sizes_of(v)[d] = sizes[d]
        strides_of(v)[d] = strides[d]
        if apart:
            sizes_of(v)[d] = sizes[d] * old // new
        elif old != new:
            strides_of(v)[d] = strides[d] * old // new
    finish_layout(v)
    return v


def as_strided(
    self: Ptr[TensorImpl], size: Ptr[i64], n: i64, stride: Ptr[i64], strides: i64, storage_offset: i64
) -> Ptr[TensorImpl]:
    """`Tensor.as_strided`: a view of the storage with these sizes and strides.

    Args:
        size, n: Its sizes.
        stride, strides: As many strides.
        storage_offset: Where its first element lies in the storage; `NONE_INT` for that of `self`.

    Raises RuntimeError for negative ones, for other lengths and where the storage ends before.
    """
    if n != strides:
        raise RuntimeError("mismatch in length of strides and shape: {0} and {1}", strides, n)
    for d in range(n):
        if size[d] < 0:
            raise RuntimeError("as_strided: size {0} of dimension {1} is negative", size[d], d)
        if stride[d] < 0:
            raise RuntimeError(
                "as_strided: Negative strides are not supported at the moment, got stride {0} of dimension {1}",
                stride[d],
                d,
            )
    first = storage_offset
    if first == NONE_INT:
        first = offset_of(self)
    if first < 0:
        raise RuntimeError("Tensor: invalid storage offset {0}", first)
    place = self.data
    if multiply_sizes(n, size) > 0:
        # What is left of the storage is counted down, so nothing overflows.
        rest = self.storage.nbytes // itemsize_of(self.dtype) - 1 - first
        for d in range(n):
            if rest >= 0 and size[d] > 1 and stride[d] > 0:
                if stride[d] > rest // (size[d] - 1):
                    rest = -1
                else:
                    rest = rest - stride[d] * (size[d] - 1)
        if rest < 0:
            raise RuntimeError(
                "as_strided: the sizes and strides with storage offset {0} are out of bounds for storage of size {1}",
                first,
                self.storage.nbytes,
            )
        place = self.storage.data + first * itemsize_of(self.dtype)
    v = view_of(self, n)
    for d in range(n):
        sizes_of(v)[d] = size[d]
        strides_of(v)[d] = stride[d]
    v.data = place
    finish_layout(v)
    return v


def unfold(self: Ptr[TensorImpl], dimension: i64, size: i64, step: i64) -> Ptr[TensorImpl]:
    """`Tensor.unfold`: windows of `size` indices along a dimension, each `step` further, as a further last dimension.

    Raises IndexError when the dimension is out of range, RuntimeError for other sizes and steps.
    """
    ndim = i64(self.ndim)
    d = wrap_dim(dimension, ndim)
    whole = 1
    if ndim > 0:
        whole = sizes_of(self)[d]
    if size < 0:
        raise RuntimeError("size is {0} but must be >= 0", size)
    if size > whole:
        raise RuntimeError("maximum size for tensor at dimension {0} is {1} but size is {2}", d, whole, size)
    if step <= 0:
        raise RuntimeError("step is {0} but must be > 0", step)
    v = view_of(self, ndim + 1)
    sizes = sizes_of(v)
    strides = strides_of(v)
    for e in range(ndim):
        sizes[e] = sizes_of(self)[e]
        strides[e] = strides_of(self)[e]
    sizes[ndim] = size
    strides[ndim] = 1
    if ndim > 0:
        strides[ndim] = strides[d]
        sizes[d] = (whole - size) // step + 1
        if sizes[d] > 1:
            strides[d] = strides[d] * step
    finish_layout(v)
    return v
