"""Tier 3: products with one matrix that is laid out once and used many times. ``T`` is float32 or float64.

The matrix W is n x k, and A W' is wanted for many A. Panels of `COLUMNS` rows of W lie one after the other, each column
by column, and the last one is filled with zeros: a tile of the result reads them from the first to the last element.
BLAS would lay W out anew for each product.

Products are summed up in chunks of `DEPTH`. An element is the same sum wherever it stands and whatever thread computes
it.
"""

from __future__ import annotations

from tscript.dialect import Ptr, Storage, T, address, b8, context, fmuladd, function, i64, pointer, stack, symbol
from tscript.runtime.kernels.columns import least
from tscript.runtime.kernels.layouts import PANELS, find_layout, is_worth_it, keep_layout, new_layout
from tscript.runtime.kernels.parallel import parallel

COLUMNS = 24
"""Of a panel: elements of a row of the result that are computed together."""
ROWS = 4
TILE = ROWS * COLUMNS
DEPTH = 256
"""Products that are added up at once: so much of a panel stays in the nearest cache."""
BLOCK = 192
"""Rows of A that are gone over before the next panel."""
GRAIN = 1 << 20
"""Products that are worth another thread."""
LARGEST = 1 << 31
"""Larger sizes are not laid out."""


def panels_of(n: i64) -> i64:
    """How many panels `n` rows make."""
    return (n + COLUMNS - 1) // COLUMNS


def lay_out_panels(to: Ptr[T], w: Ptr[T], w0: i64, w1: i64, n: i64, k: i64) -> None:
    """Lay out the matrix W with the strides `w0` and `w1`; `to` has room for ``panels_of(n) * COLUMNS * k``."""
    for panel in range(panels_of(n)):
        first = panel * COLUMNS
        rows = n - first
        if rows > COLUMNS:
            rows = COLUMNS
        target = to + first * k
        source = w + first * w0
        if w0 == 1:
            for p in range(k):
                for x in range(rows):
                    target[p * COLUMNS + x] = source[x + p * w1]
        else:
            for x in range(rows):
                for p in range(k):
                    target[p * COLUMNS + x] = source[x * w0 + p * w1]
        for x in range(rows, COLUMNS):
            for p in range(k):
                target[p * COLUMNS + x] = T(0)


def multiply_rows(c: Ptr[T], ldc: i64, a: Ptr[T], lda: i64, panel: Ptr[T], columns: i64, k: i64, add: b8) -> None:
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
    if columns == COLUMNS:
        for r in range(ROWS):
            if add:
                for x in range(COLUMNS):
                    acc[r * COLUMNS + x] = c[r * ldc + x] + acc[r * COLUMNS + x]
            for x in range(COLUMNS):
                c[r * ldc + x] = acc[r * COLUMNS + x]
    else:
        for r in range(ROWS):
            for x in range(columns):
                if add:
                    acc[r * COLUMNS + x] = c[r * ldc + x] + acc[r * COLUMNS + x]
                c[r * ldc + x] = acc[r * COLUMNS + x]


def multiply_row(c: Ptr[T], a: Ptr[T], panel: Ptr[T], columns: i64, k: i64, add: b8) -> None:
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
        if add:
            acc[x] = c[x] + acc[x]
        c[x] = acc[x]


def multiply_panels(c: Ptr[T], ldc: i64, a: Ptr[T], lda: i64, panels: Ptr[T], m: i64, n: i64, k: i64) -> None:
    """C = A W', A being m x k and C m x n; their rows lie `lda` and `ldc` elements apart and have no gaps."""
    for start in range(0, k, DEPTH):
        depth = least(DEPTH, k - start)
        for top in range(0, m, BLOCK):
            rows = least(BLOCK, m - top)
            to = c + top * ldc
            left = a + (top * lda + start)
            whole = rows & -ROWS
            for panel in range(panels_of(n)):
                first = panel * COLUMNS
                columns = least(COLUMNS, n - first)
                source = panels + (first * k + start * COLUMNS)
                for i in range(0, whole, ROWS):
                    multiply_rows(to + (i * ldc + first), ldc, left + i * lda, lda, source, columns, depth, start > 0)
                for i in range(whole, rows):
                    multiply_row(to + (i * ldc + first), left + i * lda, source, columns, depth, start > 0)


# ---- constants

C, LDC, A, LDA, LAID_OUT, ROWS_OF_C, COLUMNS_OF_C, INNER, PARTS = range(9)
TASK = 9


def panels_of_constant(s: Ptr[Storage], w: Ptr[T], w0: i64, w1: i64, n: i64, k: i64, itemsize: i64) -> i64:
    """The address of the panels of a matrix in a constant storage, which are made when they are worth it; 0 else, and
    where they cannot be made."""
    if n >= LARGEST or k >= LARGEST or not ((w0 == k and w1 == 1) or (w0 == 1 and w1 == n)):
        return 0
    at = address(w) - address(s.data)
    which = i64(w1 == 1) << 8 | itemsize
    found = find_layout(s, PANELS, at, n << 32 | k, which)
    if found == 0 and is_worth_it(s):
        found = new_layout(panels_of(n) * COLUMNS * k * itemsize, PANELS, at, n << 32 | k, which)
        if found != 0:
            lay_out_panels(pointer(found, T), w, w0, w1, n, k)
            found = keep_layout(s, found)
    return found


def multiply_laid_out(c: Ptr[T], a: Ptr[T], lda: i64, panels: Ptr[T], m: i64, n: i64, k: i64) -> None:
    """C = A W' as `multiply_panels`, C having no gaps, on several threads where it is long: rows are divided, or
    panels where there are more of them."""
    threads = symbol("ts_parallel_threads_v1", i64)[0]
    length = panels_of(n) * COLUMNS
    if m > length:
        length = m
    parts = least(least(threads, m * n // (GRAIN // k + 1)), length // (2 * COLUMNS))
    if parts < 2:
        multiply_panels(c, n, a, lda, panels, m, n, k)
        return
    task = stack(TASK, i64)
    task[C] = address(c)
    task[LDC] = n
    task[A] = address(a)
    task[LDA] = lda
    task[LAID_OUT] = address(panels)
    task[ROWS_OF_C] = m
    task[COLUMNS_OF_C] = n
    task[INNER] = k
    task[PARTS] = parts
    parallel(context(), function(multiply_shares), task, parts, 1)


def multiply_shares(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of a product."""
    m = task[ROWS_OF_C]
    n = task[COLUMNS_OF_C]
    k = task[INNER]
    parts = task[PARTS]
    c = pointer(task[C], T)
    a = pointer(task[A], T)
    panels = pointer(task[LAID_OUT], T)
    if m > panels_of(n) * COLUMNS:
        first = (m * begin // parts) & -ROWS
        last = (m * end // parts) & -ROWS
        if end == parts:
            last = m
        multiply_panels(c + first * n, n, a + first * task[LDA], task[LDA], panels, last - first, n, k)
    else:
        first = panels_of(n) * begin // parts * COLUMNS
        last = least(panels_of(n) * end // parts * COLUMNS, n)
        multiply_panels(c + first, n, a, task[LDA], panels + first * k, m, last - first, k)
