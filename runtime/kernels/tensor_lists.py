"""Tier 3: tensors of a list joined, and a tensor of the numbers in a list."""

from __future__ import annotations

from tscript.dialect import List, Ptr, TensorImpl, i64, memcpy, pointer_cast, stack, u8
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.join import cat, stack_
from tscript.runtime.kernels.tensor import tensor_alloc


def list_cat(self: Ptr[List], dim: i64) -> Ptr[TensorImpl]:
    """`torch.cat` of a list."""
    return cat(pointer_cast(self.data, Ptr[TensorImpl]), self.length, dim)


def list_stack(self: Ptr[List], dim: i64) -> Ptr[TensorImpl]:
    """`torch.stack` of a list."""
    return stack_(pointer_cast(self.data, Ptr[TensorImpl]), self.length, dim)


def tensor_of_list(self: Ptr[List]) -> Ptr[TensorImpl]:
    """The ints or bools of a list as a tensor."""
    shape = stack(1, i64)
    shape[0] = self.length
    out = tensor_alloc(codes.INT64, 1, shape)
    if self.itemsize == 1:
        to = pointer_cast(out.data, i64)
        data = pointer_cast(self.data, u8)
        for k in range(self.length):
            to[k] = i64(data[k])
        return out
    memcpy(out.data, pointer_cast(self.data, u8), 8 * self.length)
    return out


def tensor_of_float_list(self: Ptr[List]) -> Ptr[TensorImpl]:
    """The floats of a list as a tensor."""
    shape = stack(1, i64)
    shape[0] = self.length
    out = tensor_alloc(codes.FLOAT64, 1, shape)
    memcpy(out.data, pointer_cast(self.data, u8), 8 * self.length)
    return out
