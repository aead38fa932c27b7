"""Tier 3: what makes the operators that reduce dimensions of their folds: sum, prod, mean, any, all.

``T`` is the dtype of the tensor, ``U`` that of the result where it may differ. The work is done by the drivers in
`reduce`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    U,
    b8,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.reduce import (
    Fold,
    reduction,
)
from tscript.runtime.kernels.shapes import mark_dims
from tscript.runtime.kernels.tensor import (
    begin_work,
    is_complex,
    is_floating,
    sizes_of,
    tensor_alloc,
)


def reduced_tensor(self: Ptr[TensorImpl], marks: Ptr[i64], keepdim: b8, dtype: i32) -> Ptr[TensorImpl]:
    """The result of a reduction, not initialised: without the marked dimensions, or with size 1 for each."""
    sizes = stack(MAX_RANK, i64)
    n = 0
    for d in range(i64(self.ndim)):
        if marks[d] == 0:
            sizes[n] = sizes_of(self)[d]
            n = n + 1
        else:
            if keepdim:
                sizes[n] = 1
                n = n + 1
    return tensor_alloc(dtype, n, sizes)


def mark_all(self: Ptr[TensorImpl], marks: Ptr[i64]) -> None:
    """Mark every dimension."""
    mark_dims(marks, 0, i64(self.ndim), marks)


def mark_one(self: Ptr[TensorImpl], dim: i64, marks: Ptr[i64]) -> None:
    """Mark one dimension. Raises IndexError when it is out of range."""
    dims = stack(1, i64)
    dims[0] = dim
    mark_dims(dims, 1, i64(self.ndim), marks)


# ---- sum, prod, mean


def total_dtype(self: Ptr[TensorImpl], dtype: i32) -> i32:
    """The dtype of a sum or product: `dtype` if given, else that of floats, and int64 for the others."""
    if dtype >= 0:
        return dtype
    if is_floating(self.dtype) or is_complex(self.dtype):
        return self.dtype
    return i32(codes.INT64)


def mean_dtype(self: Ptr[TensorImpl], dtype: i32) -> i32:
    """The dtype of a mean: `dtype` if given, else that of the tensor. Raises RuntimeError when it is not floating."""
    kind = dtype
    if kind < 0:
        kind = self.dtype
    if not is_floating(kind) and not is_complex(kind):
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype."
        )
    return kind


def numeric_all(fold: Fold, is_mean: bool = False) -> Callable[..., Any]:
    """The operator that reduces all elements to a number of dtype ``U``."""
    into, result_dtype = reduction(fold), mean_dtype if is_mean else total_dtype

    def operator(self: Ptr[TensorImpl], dtype: i32) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_all(self, marks)
        out = reduced_tensor(self, marks, False, result_dtype(self, dtype))
        begin_work(self.numel)
        into(pointer_cast(out.data, U), pointer_cast(self.data, T), self, marks, pointer(0, U))
        return out

    return operator


def numeric_dims(fold: Fold, is_mean: bool = False) -> Callable[..., Any]:
    """The operator that reduces some dimensions to numbers of dtype ``U``.

    Raises IndexError when a dimension is out of range, RuntimeError when one appears twice.
    """
    into, result_dtype = reduction(fold), mean_dtype if is_mean else total_dtype

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8, dtype: i32) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        out = reduced_tensor(self, marks, keepdim, result_dtype(self, dtype))
        begin_work(self.numel)
        into(pointer_cast(out.data, U), pointer_cast(self.data, T), self, marks, pointer(0, U))
        return out

    return operator


def numeric_dim(fold: Fold) -> Callable[..., Any]:
    """The operator that reduces one dimension to numbers of dtype ``U``. Raises IndexError when it is out of range."""
    into = reduction(fold)

    def operator(self: Ptr[TensorImpl], dim: i64, keepdim: b8, dtype: i32) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_one(self, dim, marks)
        out = reduced_tensor(self, marks, keepdim, total_dtype(self, dtype))
        begin_work(self.numel)
        into(pointer_cast(out.data, U), pointer_cast(self.data, T), self, marks, pointer(0, U))
        return out

    return operator


def bits_dims(fold: Fold) -> Callable[..., Any]:
    """The operator that reduces some dimensions of ints to ints.

    Raises IndexError when a dimension is out of range or empty, RuntimeError when one appears twice.
    """
    into = reduction(fold)

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        for d in range(i64(self.ndim)):
            if marks[d] != 0 and sizes_of(self)[d] == 0:
                raise IndexError("hash_tensor(): Expected reduction dim {0} to have non-zero size.", d)
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


# ---- any, all


def truth_dtype(self: Ptr[TensorImpl]) -> i32:
    """bool, but uint8 for uint8: both are one byte of 0 or 1."""
    if self.dtype == codes.UINT8:
        return i32(codes.UINT8)
    return i32(codes.BOOL)


def quantifier_all(fold: Fold) -> Callable[..., Any]:
    """The operator over all elements."""
    into = reduction(fold)

    def operator(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_all(self, marks)
        out = reduced_tensor(self, marks, False, truth_dtype(self))
        begin_work(self.numel)
        into(pointer_cast(out.data, b8), pointer_cast(self.data, T), self, marks, pointer(0, b8))
        return out

    return operator


def quantifier_dims(fold: Fold) -> Callable[..., Any]:
    """The operator along dimensions: along none, unlike the others, for an empty list of them.

    Raises IndexError when one is out of range.
    """
    into = reduction(fold)

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        if n == 0:
            for d in range(i64(self.ndim)):
                marks[d] = 0
        out = reduced_tensor(self, marks, keepdim, truth_dtype(self))
        begin_work(self.numel)
        into(pointer_cast(out.data, b8), pointer_cast(self.data, T), self, marks, pointer(0, b8))
        return out

    return operator
