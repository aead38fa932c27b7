"""Tier 3: views of complex tensors as pairs of floats, and back."""

from __future__ import annotations

from tscript.dialect import Ptr, TensorImpl, address, i32, i64
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import (
    check_rank,
    finish_layout,
    is_complex,
    itemsize_of,
    part_of,
    sizes_of,
    strides_of,
    view_of,
)


def view_as_real(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.view_as_real`: the parts along a further dimension.

    Raises RuntimeError for a tensor that is not complex.
    """
    if not is_complex(self.dtype):
        raise RuntimeError("view_as_real is only supported for complex tensors")
    ndim = i64(self.ndim)
    check_rank(ndim + 1)
    v = view_of(self, ndim + 1)
    v.dtype = part_of(self.dtype)
    copy_sizes(sizes_of(v), sizes_of(self), ndim)
    for i in range(ndim):
        strides_of(v)[i] = 2 * strides_of(self)[i]
    sizes_of(v)[ndim] = 2
    strides_of(v)[ndim] = 1
    finish_layout(v)
    return v


def view_as_complex(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.view_as_complex`: pairs along the last dimension as complex numbers.

    Raises RuntimeError for a tensor that does not hold pairs of floats side by side.
    """
    if self.dtype != codes.FLOAT32 and self.dtype != codes.FLOAT64:
        raise RuntimeError("view_as_complex is only supported for float and double tensors")
    ndim = i64(self.ndim)
    if ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    last = ndim - 1
    if sizes_of(self)[last] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2, found {0}", sizes_of(self)[last])
    if strides_of(self)[last] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1, found {0}", strides_of(self)[last])
    for i in range(last):
        if strides_of(self)[i] % 2 != 0:
            raise RuntimeError(
                "Tensor must have a stride divisible by 2 for all but last dimension, found {0} for dimension {1}",
                strides_of(self)[i],
                i,
            )
    if (address(self.data) - address(self.storage.data)) % (2 * itemsize_of(self.dtype)) != 0:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    v = view_of(self, last)
    code = i32(codes.COMPLEX64)
    if self.dtype == codes.FLOAT64:
        code = i32(codes.COMPLEX128)
    v.dtype = code
    copy_sizes(sizes_of(v), sizes_of(self), last)
    for i in range(last):
        strides_of(v)[i] = strides_of(self)[i] // 2
    finish_layout(v)
    return v
