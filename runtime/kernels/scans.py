"""Tier 3: scans along a dimension: what a fold gives of each element and all before it.

Floats are accumulated in float64, complex numbers in complex128 and ints in int64; each result is rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, T, TensorImpl, Void, address, b8, c128, f64, i32, i64, pointer_cast, select, stack
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.copy import clone, pack
from tscript.runtime.kernels.memory import refuse
from tscript.runtime.kernels.shapes import wrap_dim
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    tensor_alloc,
    tensor_release,
    tensor_try_alloc,
)

WIDTH = 64
"""So many neighbouring lines are scanned together."""


def log_add(total: f64, x: f64) -> f64:
    """``log(exp(total) + exp(x))``"""
    low = select(x < total, x, total)
    high = select(x < total, total, x)
    if low == high and low - low != 0.0:
        return x  # the same infinity
    return high + vm.log1p(vm.exp(low - high))


def length_of_lines(self: Ptr[TensorImpl], d: i64) -> i64:
    """The size of a dimension; 1 where there is none."""
    if self.ndim == 0:
        return 1
    return sizes_of(self)[d]


def distance_in_lines(self: Ptr[TensorImpl], d: i64) -> i64:
    """How far neighbours along a dimension are from each other in a contiguous tensor."""
    found = i64(1)
    for k in range(d + 1, i64(self.ndim)):
        found = found * sizes_of(self)[k]
    return found


def scan_floats(combine: Callable[..., Any]) -> Callable[..., Any]:
    """The scan of floats by ``combine(total: f64, x: f64) -> f64``, which is associative. Raises IndexError."""
    return scan_wide(combine, f64, True)


def scan_complex(combine: Callable[..., Any]) -> Callable[..., Any]:
    """The scan of complex numbers by ``combine(total: c128, x: c128) -> c128``. Raises IndexError."""
    return scan_wide(combine, c128, False)


def begin_scan(self: Ptr[TensorImpl], out: Ptr[TensorImpl]) -> Ptr[Void]:
    """Where the elements of `self` lie in the order of `out`, which is contiguous: in place, or copied to `out`."""
    begin_work(out.numel)
    if self.flags & TENSOR_CONTIGUOUS != 0:
        return pointer_cast(self.data, Void)
    pack(out.data, self)
    return pointer_cast(out.data, Void)


def scan_wide(combine: Callable[..., Any], wide: Any, in_fours: bool) -> Callable[..., Any]:
    """The scan that accumulates in the type `wide`.

    With `in_fours` four elements of a line are combined before the total, where the dtype is narrower than `wide`: so
    the next ones wait for one step, not for four. The others are combined one after the other.
    """

    def scan_line(to: Ptr[T], source: Ptr[T], n: i64, is_narrow: b8) -> None:
        total = wide(source[0])
        to[0] = source[0]
        k = i64(1)
        if in_fours and is_narrow:
            while k + 4 <= n:
                first = wide(source[k])
                second = combine(first, wide(source[k + 1]))
                last = wide(source[k + 2])
                third = combine(second, last)
                fourth = combine(second, combine(last, wide(source[k + 3])))
                to[k] = T(combine(total, first))
                to[k + 1] = T(combine(total, second))
                to[k + 2] = T(combine(total, third))
                total = combine(total, fourth)
                to[k + 3] = T(total)
                k = k + 4
        while k < n:
            total = combine(total, wide(source[k]))
            to[k] = T(total)
            k = k + 1

    def operator(self: Ptr[TensorImpl], dim: i64) -> Ptr[TensorImpl]:
        d = wrap_dim(dim, i64(self.ndim))
        out = tensor_alloc(self.dtype, i64(self.ndim), sizes_of(self))
        if out.numel == 0:
            return out
        n = length_of_lines(out, d)
        inner = distance_in_lines(out, d)
        is_narrow = itemsize_of(out.dtype) < 8
        data = pointer_cast(out.data, T)
        given = pointer_cast(begin_scan(self, out), T)
        totals = stack(WIDTH, wide)
        for outer in range(out.numel // (n * inner)):
            block = data + outer * n * inner
            source = given + outer * n * inner
            if inner == 1:
                scan_line(block, source, n, is_narrow)
            else:
                first = i64(0)
                while first < inner:
                    width = select(inner - first < WIDTH, inner - first, i64(WIDTH))
                    row = block + first
                    before = source + first
                    for j in range(width):
                        totals[j] = wide(before[j])
                        row[j] = before[j]
                    for _k in range(1, n):
                        row = row + inner
                        before = before + inner
                        for j in range(width):
                            total = combine(totals[j], wide(before[j]))
                            totals[j] = total
                            row[j] = T(total)
                    first = first + WIDTH
        return out

    return operator


def scan_ints(combine: Callable[..., Any]) -> Callable[..., Any]:
    """The scan of ints by ``combine(total: i64, x: i64) -> i64``. Raises IndexError."""

    def operator(self: Ptr[TensorImpl], dim: i64) -> Ptr[TensorImpl]:
        d = wrap_dim(dim, i64(self.ndim))
        out = tensor_alloc(self.dtype, i64(self.ndim), sizes_of(self))
        if out.numel == 0:
            return out
        n = length_of_lines(out, d)
        inner = distance_in_lines(out, d)
        data = pointer_cast(out.data, T)
        given = pointer_cast(begin_scan(self, out), T)
        for outer in range(out.numel // (n * inner)):
            row = data + outer * n * inner
            source = given + outer * n * inner
            if inner == 1:
                total = i64(source[0])
                row[0] = source[0]
                for k in range(1, n):
                    total = combine(total, i64(source[k]))
                    row[k] = T(total)
            else:
                for j in range(inner):
                    row[j] = source[j]
                for _k in range(1, n):
                    before = row
                    row = row + inner
                    source = source + inner
                    for j in range(inner):
                        row[j] = T(combine(i64(before[j]), i64(source[j])))
        return out

    return operator


def extreme_scan(beats: Callable[..., Any]) -> Callable[..., Any]:
    """The extreme of each element and all before it, and its index, the last of equals; NaN wins. Raises IndexError.

    Args:
        beats: Whether one is before another, ``(x: T, best: T) -> b8``.
    """

    def is_new(x: T, best: T) -> b8:
        return x != x or (best == best and not beats(best, x))

    def operator(self: Ptr[TensorImpl], dim: i64) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl]]:
        d = wrap_dim(dim, i64(self.ndim))
        values = clone(self)
        indices = tensor_try_alloc(i32(codes.INT64), i64(values.ndim), sizes_of(values), values.numel)
        if address(indices) == 0:
            nbytes = values.numel * 8
            tensor_release(values)
            refuse(nbytes)
        if values.numel == 0:
            return values, indices
        n = length_of_lines(values, d)
        inner = distance_in_lines(values, d)
        data = pointer_cast(values.data, T)
        places = pointer_cast(indices.data, i64)
        for outer in range(values.numel // (n * inner)):
            row = data + outer * n * inner
            found = places + outer * n * inner
            for j in range(inner):
                found[j] = 0
            for k in range(1, n):
                row = row + inner
                found = found + inner
                for j in range(inner):
                    if is_new(row[j], row[j - inner]):
                        found[j] = k
                    else:
                        row[j] = row[j - inner]
                        found[j] = found[j - inner]
        return values, indices

    return operator


def log_sum_scan() -> Callable[..., Any]:
    """The logarithms of the sums of powers."""
    return scan_wide(log_add, f64, False)
