"""Tier 3: the operators that reduce dimensions: sum, mean, prod, max, min, any, all, argmax, argmin.

``T`` is the dtype of the tensor, ``U`` that of the result (of the values, where there are indices too).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.layout import MAX_RANK, NONE_INT
from tscript.ops.dialect import (
    Ptr,
    T,
    TensorImpl,
    U,
    address,
    b8,
    i32,
    i64,
    pointer_cast,
    select,
    stack,
)
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.reduce import (
    BLOCK,
    WIDTH,
    all_into,
    any_into,
    gather,
    max_into,
    mean_into,
    min_into,
    plan,
    prefers_rows,
    prod_into,
    step,
    sum_into,
)
from tscript.runtime.kernels.shapes import mark_dims, wrap_dim
from tscript.runtime.kernels.tensor import begin_work, is_floating, itemsize_of, sizes_of, tensor_alloc

UINT8_CODE = 0
INT64_CODE = 4
BOOL_CODE = 11


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


def totalling(into: Callable[..., Any]) -> Callable[..., Any]:
    """The operator of a reduction whose result has the wider dtype of sum, or one that is asked for."""

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8, dtype: i32) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        kind = dtype
        if dtype < 0:
            kind = INT64_CODE
            if is_floating(self.dtype):
                kind = self.dtype
        out = reduced_tensor(self, marks, keepdim, kind)
        begin_work(self.numel)
        into(pointer_cast(out.data, U), pointer_cast(self.data, T), self, marks, U(0))
        return out

    return operator


sum_ = totalling(sum_into)
