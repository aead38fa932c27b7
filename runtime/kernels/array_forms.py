"""Tier 3: kernels as they are called for arrays: their errors are NumPy's."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.dialect import Ptr, TensorImpl, i32, i64
from tscript.runtime.kernels.creation import empty, ones, zeros
from tscript.runtime.kernels.tensor import sizes_of
from tscript.runtime.kernels.views_slice import select


def select_of_array(self: Ptr[TensorImpl], dim: i64, index: i64) -> Ptr[TensorImpl]:
    """`select` of an array, whose errors are NumPy's."""
    d = dim
    if d < 0:
        d = d + i64(self.ndim)
    size = sizes_of(self)[d]
    if index < -size or index >= size:
        raise IndexError("index {0} is out of bounds for axis {1} with size {2}", index, d, size)
    return select(self, d, index)


def check_sizes(size: Ptr[i64], n: i64) -> None:
    """Raise ValueError for a negative size."""
    for i in range(n):
        if size[i] < 0:
            raise ValueError("negative dimensions are not allowed")


def zeros_of_array(size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`zeros`"""
    check_sizes(size, n)
    return zeros(size, n, dtype)


def ones_of_array(size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`ones`"""
    check_sizes(size, n)
    return ones(size, n, dtype)


def empty_of_array(size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`empty`"""
    check_sizes(size, n)
    return empty(size, n, dtype)
