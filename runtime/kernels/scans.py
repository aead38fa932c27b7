"""Tier 3: scans along a dimension: what a fold gives of each element and all before it.

Floats are accumulated in float64, complex numbers in complex128 and ints in int64; each result is rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.dialect import Ptr, T, TensorImpl, address, b8, c128, f64, i32, i64, pointer_cast, select, stack
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.copy import clone
from tscript.runtime.kernels.memory import refuse
from tscript.runtime.kernels.shapes import wrap_dim
from tscript.runtime.kernels.tensor import sizes_of, tensor_release, tensor_try_alloc

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
    """The scan of floats by ``combine(total: f64, x: f64) -> f64``. Raises IndexError."""
    return scan_wide(combine, f64)


def scan_complex(combine: Callable[..., Any]) -> Callable[..., Any]:
    """The scan of complex numbers by ``combine(total: c128, x: c128) -> c128``. Raises IndexError."""
    return scan_wide(combine, c128)


def scan_wide(combine: Callable[..., Any], wide: Any) -> Callable[..., Any]:
    """The scan that accumulates in the type `wide`."""

    def operator(self: Ptr[TensorImpl], dim: i64) -> Ptr[TensorImpl]:
        d = wrap_dim(dim, i64(self.ndim))
        out = clone(self)
        if out.numel == 0:
            return out
        n = length_of_lines(out, d)
        inner = distance_in_lines(out, d)
        data = pointer_cast(out.data, T)
        totals = stack(WIDTH, wide)
        for outer in range(out.numel // (n * inner)):
            block = data + outer * n * inner
            if inner == 1:
                total = wide(block[0])
                for k in range(1, n):
                    total = combine(total, wide(block[k]))
                    block[k] = T(total)
            else:
                first = i64(0)
                while first < inner:
                    width = select(inner - first < WIDTH, inner - first, i64(WIDTH))
                    row = block + first
                    for j in range(width):
                        totals[j] = wide(row[j])
                    for _k in range(1, n):
                        row = row + inner
                        for j in range(width):
                            total = combine(totals[j], wide(row[j]))
                            totals[j] = total
                            row[j] = T(total)
                    first = first + WIDTH
        return out

    return operator


def scan_ints(combine: Callable[..., Any]) -> Callable[..., Any]:
    """The scan of ints by ``combine(total: i64, x: i64) -> i64``. Raises IndexError."""

    def operator(self: Ptr[TensorImpl], dim: i64) -> Ptr[TensorImpl]:
        d = wrap_dim(dim, i64(self.ndim))
        out = clone(self)
        if out.numel == 0:
            return out
        n = length_of_lines(out, d)
        inner = distance_in_lines(out, d)
        data = pointer_cast(out.data, T)
        for outer in range(out.numel // (n * inner)):
            row = data + outer * n * inner
            for _k in range(1, n):
                before = row
                row = row + inner
                for j in range(inner):
                    row[j] = T(combine(i64(before[j]), i64(row[j])))
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
    return scan_floats(log_add)
