"""Tier 3: whether integers are divided by 0, or raised to a negative power."""

from __future__ import annotations

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, TensorImpl, b8, i64
from tscript.runtime.kernels.scalars import load_int
from tscript.runtime.kernels.tensor import itemsize_of, sizes_of, strides_of


def check_divisor(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> b8:
    """Raise RuntimeError when `other` holds a zero, unless nothing is divided; True."""
    if self.numel == 0 or other.numel == 0:
        return True
    size = itemsize_of(other.dtype)
    if other.flags & TENSOR_CONTIGUOUS != 0:
        for k in range(other.numel):
            if load_int(other.data + k * size, other.dtype) == 0:
                raise RuntimeError("ZeroDivisionError")
        return True
    sizes = sizes_of(other)
    strides = strides_of(other)
    for k in range(other.numel):
        rest = k
        at = i64(0)
        for d in range(i64(other.ndim)):
            dim = i64(other.ndim) - 1 - d
            at = at + rest % sizes[dim] * strides[dim]
            rest = rest // sizes[dim]
        if load_int(other.data + at * size, other.dtype) == 0:
            raise RuntimeError("ZeroDivisionError")
    return True


def check_divisor_int(self: Ptr[TensorImpl], other: i64) -> b8:
    """Raise RuntimeError when `other` is 0, unless nothing is divided; True."""
    if other == 0 and self.numel != 0:
        raise RuntimeError("ZeroDivisionError")
    return True


def check_exponent(self: Ptr[TensorImpl], exponent: i64) -> b8:
    """Raise RuntimeError when `exponent` is negative; True."""
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return True
