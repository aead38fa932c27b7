"""Tier 3: maximum and minimum along dimensions, and their positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.layout import MAX_RANK, NONE_INT
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.memory import refuse
from tscript.runtime.kernels.positions import located
from tscript.runtime.kernels.reduce import Fold, reduction
from tscript.runtime.kernels.reductions import mark_all, mark_one, reduced_tensor
from tscript.runtime.kernels.shapes import mark_dims
from tscript.runtime.kernels.tensor import begin_work, sizes_of, tensor_release, tensor_try_alloc

MAX = 0

MIN = 1

AMAX = 2

AMIN = 3

ARGMAX = 4

ARGMIN = 5
"""Which operator an error names."""

WHICH = {"max": MAX, "min": MIN, "amax": AMAX, "amin": AMIN, "argmax": ARGMAX, "argmin": ARGMIN}


def raise_nothing_to_compare(which: i64) -> None:
    """Raise the error of an operator over all elements of an empty tensor: as in PyTorch not the same for all."""
    if which == MAX:
        raise RuntimeError(
            "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == MIN:
        raise RuntimeError(
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == AMAX:
        raise RuntimeError(
            "amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == AMIN:
        raise RuntimeError(
            "amin(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == ARGMAX:
        raise IndexError("argmax(): Expected reduction dim to be specified for input.numel() == 0.")
    raise IndexError("argmin(): Expected reduction dim to be specified for input.numel() == 0.")


def raise_empty_dim(which: i64, d: i64) -> None:
    """Raise the error of an operator along a dimension of size 0."""
    if which == MAX:
        raise IndexError("max(): Expected reduction dim {0} to have non-zero size.", d)
    if which == MIN:
        raise IndexError("min(): Expected reduction dim {0} to have non-zero size.", d)
    if which == AMAX:
        raise IndexError("amax(): Expected reduction dim {0} to have non-zero size.", d)
    if which == AMIN:
        raise IndexError("amin(): Expected reduction dim {0} to have non-zero size.", d)
    if which == ARGMAX:
        raise IndexError("argmax(): Expected reduction dim {0} to have non-zero size.", d)
    raise IndexError("argmin(): Expected reduction dim {0} to have non-zero size.", d)


def check_not_empty(self: Ptr[TensorImpl], marks: Ptr[i64], which: i64) -> None:
    """Raise when a result would have no elements to compare."""
    for d in range(i64(self.ndim)):
        if marks[d] != 0 and sizes_of(self)[d] == 0:
            raise_empty_dim(which, d)


def extreme_all(fold: Fold, name: str) -> Callable[..., Any]:
    """The greatest or least element. Raises RuntimeError when there is none."""
    into, which = reduction(fold), WHICH[name]

    def operator(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
        if self.numel == 0:
            raise_nothing_to_compare(which)
        marks = stack(MAX_RANK, i64)
        mark_all(self, marks)
        out = reduced_tensor(self, marks, False, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def extreme_dims(fold: Fold, name: str) -> Callable[..., Any]:
    """The greatest or least elements along dimensions.

    Raises IndexError when a dimension is out of range or empty, RuntimeError when there are no elements at all.
    """
    into, which = reduction(fold), WHICH[name]

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        if n <= 0 and self.numel == 0:
            raise_nothing_to_compare(which)
        check_not_empty(self, marks, which)
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def extreme_dims_or_zero(fold: Fold) -> Callable[..., Any]:
    """The greatest or least elements along dimensions, 0 where there are none.

    Raises IndexError when a dimension is out of range.
    """
    into = reduction(fold)

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def extreme_values(fold: Fold, name: str) -> Callable[..., Any]:
    """The greatest or least elements along a dimension. Raises IndexError when it is out of range or empty."""
    into, which = reduction(fold), WHICH[name]

    def operator(self: Ptr[TensorImpl], dim: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_one(self, dim, marks)
        check_not_empty(self, marks, which)
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def position(beats: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The index of the greatest or least element, the first of equals; `dim` may be `NONE_INT` for all elements.

    Raises IndexError when the dimension is out of range or empty, or there are no elements at all.
    """
    into, which = located(beats), WHICH[name]

    def operator(self: Ptr[TensorImpl], dim: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        if dim == NONE_INT:
            mark_all(self, marks)
            if self.numel == 0:
                raise_nothing_to_compare(which)
        else:
            mark_one(self, dim, marks)
        check_not_empty(self, marks, which)
        out = reduced_tensor(self, marks, keepdim, i32(codes.INT64))
        begin_work(self.numel)
        into(pointer(0, T), pointer_cast(self.data, T), self, marks, pointer_cast(out.data, i64))
        return out

    return operator


def extreme_dim(beats: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The greatest or least elements along a dimension, and their indices, the first of equals.

    Raises IndexError when the dimension is out of range or empty.
    """
    into, which = located(beats), WHICH[name]

    def operator(self: Ptr[TensorImpl], dim: i64, keepdim: b8) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl]]:
        marks = stack(MAX_RANK, i64)
        mark_one(self, dim, marks)
        check_not_empty(self, marks, which)
        values = reduced_tensor(self, marks, keepdim, self.dtype)
        indices = tensor_try_alloc(i32(codes.INT64), i64(values.ndim), sizes_of(values), values.numel)
        if address(indices) == 0:
            nbytes = values.numel * 8
            tensor_release(values)
            refuse(nbytes)
        begin_work(self.numel)
        source = pointer_cast(self.data, T)
        extremes = pointer_cast(values.data, T)
        into(extremes, source, self, marks, pointer_cast(indices.data, i64))
        return values, indices

    return operator
