"""Tier 3: variance along dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    f64,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.reduce import (
    Fold,
    reduction,
)
from tscript.runtime.kernels.reductions import mark_all, reduced_tensor
from tscript.runtime.kernels.shapes import mark_dims
from tscript.runtime.kernels.tensor import (
    begin_work,
    sizes_of,
    tensor_release,
)


def variance_by(mean: Fold, squares: Fold, finish: Callable[..., Any]) -> Callable[..., Any]:
    """What computes a variance from the reductions to the mean and to the squares of distances from it, and from the
    sum of these and the degrees of freedom the result."""
    mean_into, squares_into = reduction(mean), reduction(squares)

    def variance(self: Ptr[TensorImpl], marks: Ptr[i64], keepdim: b8, correction: f64, _element: T) -> Ptr[TensorImpl]:
        """The mean square distance from the mean, in two passes and in float64, over the marked dimensions.

        Args:
            correction: What the number of elements is lowered by in the denominator, which is at least 0.
            _element: Only binds ``T``.
        """
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        nbytes = out.numel * 16
        block = heap_try_allocate(nbytes)
        if address(block) == 0:
            tensor_release(out)
            refuse(nbytes)
        begin_work(self.numel)
        means = pointer_cast(block, f64)
        squares = means + out.numel
        source = pointer_cast(self.data, T)
        mean_into(means, source, self, marks, pointer(0, f64))
        squares_into(squares, source, self, marks, means)
        count = 1
        for d in range(i64(self.ndim)):
            if marks[d] != 0:
                count = count * sizes_of(self)[d]
        free = f64(count) - correction
        to = pointer_cast(out.data, T)
        for i in range(out.numel):
            to[i] = T(finish(squares[i], free))
        heap_free(block, nbytes)
        return out

    return variance


def correction_of(unbiased: b8) -> f64:
    """1 for the unbiased estimate, else 0."""
    if unbiased:
        return 1.0
    return 0.0


def variance_all(mean: Fold, squares: Fold, finish: Callable[..., Any]) -> Callable[..., Any]:
    """The operator over all elements."""
    variance = variance_by(mean, squares, finish)

    def operator(self: Ptr[TensorImpl], unbiased: b8) -> Ptr[TensorImpl]:
        """`Tensor.var()`: the variance of all elements."""
        marks = stack(MAX_RANK, i64)
        mark_all(self, marks)
        return variance(self, marks, False, correction_of(unbiased), T(0))

    return operator


def variance_dims(mean: Fold, squares: Fold, finish: Callable[..., Any]) -> Callable[..., Any]:
    """The operator along dimensions."""
    variance = variance_by(mean, squares, finish)

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, unbiased: b8, keepdim: b8) -> Ptr[TensorImpl]:
        """`Tensor.var(dim)`. Raises IndexError when a dimension is out of range."""
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        return variance(self, marks, keepdim, correction_of(unbiased), T(0))

    return operator


def variance_corrected(mean: Fold, squares: Fold, finish: Callable[..., Any]) -> Callable[..., Any]:
    """The operator along dimensions with any correction."""
    variance = variance_by(mean, squares, finish)

    def operator(
        self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, correction: f64, whole: i64, given: i64, keepdim: b8
    ) -> Ptr[TensorImpl]:
        """`Tensor.var(dim, correction=...)`; the correction is 1 when it is not `given`.

        Raises IndexError when a dimension is out of range.
        """
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        lowered = correction
        if given == 0:
            lowered = 1.0
        return variance(self, marks, keepdim, lowered, T(0))

    return operator
