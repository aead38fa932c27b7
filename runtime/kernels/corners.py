"""Tier 3: rows and columns of the elements of triangles."""

from __future__ import annotations

from tscript.dialect import Ptr, TensorImpl, b8, i32, i64, pointer_cast, select, stack
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.tensor import begin_work, tensor_alloc


def clamped(x: i64, least: i64, most: i64) -> i64:
    """A number brought between two others."""
    return select(x < least, least, select(x > most, most, x))


def corner_places(row: i64, col: i64, offset: i64, is_lower: b8) -> Ptr[TensorImpl]:
    """The rows and the columns, as int64, of the elements of a matrix that are on a diagonal or below, or above it.

    Raises RuntimeError for a negative size.
    """
    if row < 0 or col < 0:
        raise RuntimeError("rows and columns must be non-negative, got {0} and {1}", row, col)
    diagonal = clamped(offset, -row - 1, col + 1)
    sizes = stack(2, i64)
    sizes[0] = 2
    sizes[1] = 0
    for i in range(row):
        if is_lower:
            sizes[1] = sizes[1] + clamped(i + diagonal + 1, 0, col)
        else:
            sizes[1] = sizes[1] + col - clamped(i + diagonal, 0, col)
    out = tensor_alloc(i32(codes.INT64), 2, sizes)
    begin_work(out.numel)
    rows = pointer_cast(out.data, i64)
    columns = rows + sizes[1]
    n = 0
    for i in range(row):
        first = 0
        last = col
        if is_lower:
            last = clamped(i + diagonal + 1, 0, col)
        else:
            first = clamped(i + diagonal, 0, col)
        for j in range(first, last):
            rows[n] = i
            columns[n] = j
            n = n + 1
    return out
