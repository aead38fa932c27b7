"""Tier 3: products with one matrix that is laid out once and used many times. ``T`` is float32 or float64.

The matrix W is n x k, and A W' is wanted for many small A. Panels of `COLUMNS` rows of W lie one after the other, each
column by column, and the last one is filled with zeros: a tile of the result reads them from the first to the last
element. BLAS would lay W out anew for each product.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, fmuladd, i64, stack

COLUMNS = 24
"""Of a panel: elements of a row of the result that are computed together."""
ROWS = 4
TILE = ROWS * COLUMNS


def panels_of(n: i64) -> i64:
    """How many panels `n` rows make."""
    return (n + COLUMNS - 1) // COLUMNS


def lay_out_panels(to: Ptr[T], w: Ptr[T], n: i64, k: i64) -> None:
    """Lay out the matrix W, whose rows follow each other; `to` has room for ``panels_of(n) * COLUMNS * k``."""
    for panel in range(panels_of(n)):
        first = panel * COLUMNS
        rows = n - first
        if rows > COLUMNS:
            rows = COLUMNS
        target = to + first * k
        source = w + first * k
        for x in range(rows):
            for p in range(k):
                target[p * COLUMNS + x] = source[x * k + p]
        for x in range(rows, COLUMNS):
            for p in range(k):
                target[p * COLUMNS + x] = T(0)


def multiply_rows(c: Ptr[T], ldc: i64, a: Ptr[T], lda: i64, panel: Ptr[T], columns: i64, k: i64) -> None:
    """`ROWS` rows of the result, as many columns as a panel has."""
    acc = stack(TILE, T)
    for x in range(TILE):
        acc[x] = T(0)
    for p in range(k):
        row = panel + p * COLUMNS
        for r in range(ROWS):
            left = a[r * lda + p]
            for x in range(COLUMNS):
                acc[r * COLUMNS + x] = fmuladd(left, row[x], acc[r * COLUMNS + x])
    for r in range(ROWS):
        for x in range(columns):
            c[r * ldc + x] = acc[r * COLUMNS + x]


def multiply_row(c: Ptr[T], a: Ptr[T], panel: Ptr[T], columns: i64, k: i64) -> None:
    """One row of the result, with the same bits as among others."""
    acc = stack(COLUMNS, T)
    for x in range(COLUMNS):
        acc[x] = T(0)
    for p in range(k):
        row = panel + p * COLUMNS
        left = a[p]
        for x in range(COLUMNS):
            acc[x] = fmuladd(left, row[x], acc[x])
    for x in range(columns):
        c[x] = acc[x]


def multiply_panels(c: Ptr[T], ldc: i64, a: Ptr[T], lda: i64, panels: Ptr[T], m: i64, n: i64, k: i64) -> None:
    """C = A W', A being m x k and C m x n; their rows lie `lda` and `ldc` elements apart and have no gaps."""
    whole = m & -ROWS
    for panel in range(panels_of(n)):
        first = panel * COLUMNS
        columns = n - first
        if columns > COLUMNS:
            columns = COLUMNS
        source = panels + first * k
        i = 0
        while i < whole:
            multiply_rows(c + i * ldc + first, ldc, a + i * lda, lda, source, columns, k)
            i = i + ROWS
        while i < m:
            multiply_row(c + i * ldc + first, a + i * lda, source, columns, k)
            i = i + 1
