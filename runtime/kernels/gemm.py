"""Tier 3: the product of two matrices, by BLAS or by own loops. ``T`` is the dtype of all.

Names: A is m x k, B is k x n, and C, the result, is contiguous, m x n. A matrix is its first element and two strides.
"""

from __future__ import annotations

from typing import Any

from tscript.dialect import (
    ByType,
    Intrinsic,
    Ptr,
    T,
    address,
    b8,
    c64,
    c128,
    context,
    f32,
    f64,
    function,
    i32,
    i64,
    pointer,
    stack,
    symbol,
    u8,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels.copy import copy_elements
from tscript.runtime.kernels.parallel import parallel
from tscript.types import C64, C128, F32, F64, I32, I64, NONE, PtrType, Type, dtypes

ROW_MAJOR = 101
NO_TRANSPOSE = 111
TRANSPOSE = 112
LARGEST_BLAS_SIZE = 2147483647
"""A BLAS with 32-bit integers takes no larger size."""


def _gemm_model(
    order: int,
    trans_a: int,
    trans_b: int,
    m: int,
    n: int,
    k: int,
    alpha: float,
    a: Any,
    lda: int,
    b: Any,
    ldb: int,
    beta: float,
    c: Any,
    ldc: int,
) -> None:
    """What `sgemm` and `dgemm` mean under CPython."""
    assert order == ROW_MAJOR
    assert lda >= max(1, m if trans_a == TRANSPOSE else k)
    assert ldb >= max(1, k if trans_b == TRANSPOSE else n)
    assert ldc >= max(1, n)
    for i in range(m):
        for j in range(n):
            total: Any = 0.0
            for p in range(k):
                x = a[p * lda + i if trans_a == TRANSPOSE else i * lda + p]
                y = b[j * ldb + p if trans_b == TRANSPOSE else p * ldb + j]
                total += x * y if isinstance(alpha, complex) else float(x) * float(y)
            c[i * ldc + j] = alpha * total + (beta * c[i * ldc + j] if beta else 0.0)


def _gemv_model(
    order: int,
    trans: int,
    rows: int,
    columns: int,
    alpha: float,
    a: Any,
    lda: int,
    x: Any,
    incx: int,
    beta: float,
    y: Any,
    incy: int,
) -> None:
    """What `sgemv` and `dgemv` mean under CPython."""
    assert order == ROW_MAJOR
    assert lda >= max(1, columns)
    assert incx > 0
    assert incy == 1
    m, k = (columns, rows) if trans == TRANSPOSE else (rows, columns)
    for i in range(m):
        total = 0.0
        for p in range(k):
            total += float(a[p * lda + i if trans == TRANSPOSE else i * lda + p]) * float(x[p * incx])
        y[i] = alpha * total + beta * float(y[i])


def _complex_gemm_model(*given: Any) -> None:
    """What `cgemm` and `zgemm` mean under CPython."""
    arguments = list(given)
    arguments[6], arguments[11] = given[6][0], given[11][0]
    _gemm_model(*arguments)


def _complex_gemm_parameters(element: Type) -> tuple[Type, ...]:
    found = list(_gemm_parameters(element))
    found[6] = found[11] = PtrType(element)
    return tuple(found)


def _gemv_parameters(element: Type) -> tuple[Type, ...]:
    matrix = PtrType(element)
    return (I32, I32, I64, I64, element, matrix, I64, matrix, I64, element, matrix, I64)


def _gemm_parameters(element: Type) -> tuple[Type, ...]:
    matrix = PtrType(element)
    return (I32, I32, I32, I64, I64, I64, element, matrix, I64, matrix, I64, element, matrix, I64)


sgemm = Intrinsic(extern("ts_sgemm_v1", _gemm_parameters(F32), NONE), _gemm_model)
"""``cblas_sgemm(order, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)`` with 64-bit sizes. A BLAS with
32-bit sizes serves too: it reads the lower halves."""
dgemm = Intrinsic(extern("ts_dgemm_v1", _gemm_parameters(F64), NONE), _gemm_model)
"""The same for float64."""
cgemm = Intrinsic(extern("ts_cgemm_v1", _complex_gemm_parameters(C64), NONE), _complex_gemm_model)
"""``cblas_cgemm``, which takes alpha and beta by address."""
zgemm = Intrinsic(extern("ts_zgemm_v1", _complex_gemm_parameters(C128), NONE), _complex_gemm_model)
"""The same for complex128."""
sgemv = Intrinsic(extern("ts_sgemv_v1", _gemv_parameters(F32), NONE), _gemv_model)
"""``cblas_sgemv(order, trans, m, n, alpha, A, lda, x, incx, beta, y, incy)``; m x n is A as it lies."""
dgemv = Intrinsic(extern("ts_dgemv_v1", _gemv_parameters(F64), NONE), _gemv_model)
"""The same for float64."""


def has_blas() -> b8:
    """Whether the symbols above may be called."""
    return symbol("ts_has_blas_v1", u8)[0] != 0


SPLITS_F32 = 2
SPLITS_F64 = 4


def splits_f32(_like: T) -> b8:
    """Whether the product of a part of a matrix is, bit for bit, that part of the product."""
    return symbol("ts_has_blas_v1", u8)[0] & SPLITS_F32 != 0


def splits_f64(_like: T) -> b8:
    """The same of float64."""
    return symbol("ts_has_blas_v1", u8)[0] & SPLITS_F64 != 0


def splits_none(_like: T) -> b8:
    """The same of dtypes whose products nobody compared."""
    return False


splits = ByType(
    {
        dtypes.float32: splits_f32,
        dtypes.float64: splits_f64,
        **{
            d: splits_none
            for d in (*dtypes.DTYPES, *dtypes.COMPLEX_DTYPES)
            if d not in (dtypes.float32, dtypes.float64)
        },
    }
)


ROWS = 4
COLUMNS = 16
ACCUMULATORS = ROWS * COLUMNS
DEPTH = 256
"""Products summed up before they are added to the result: keeps the error of long sums small."""


def multiply_tile(c: Ptr[T], ldc: i64, a: Ptr[T], a0: i64, a1: i64, b: Ptr[T], b0: i64, depth: i64, add: b8) -> None:
    """`ROWS` x `COLUMNS` elements of the result from `depth` products each; `add` to what is there or replace it."""
    acc = stack(ACCUMULATORS, T)
    for x in range(ACCUMULATORS):
        acc[x] = T(0)
    for p in range(depth):
        row = b + p * b0
        for r in range(ROWS):
            left = a[r * a0 + p * a1]
            for x in range(COLUMNS):
                acc[r * COLUMNS + x] = acc[r * COLUMNS + x] + left * row[x]
    for r in range(ROWS):
        if add:
            for x in range(COLUMNS):
                c[r * ldc + x] = c[r * ldc + x] + acc[r * COLUMNS + x]
        else:
            for x in range(COLUMNS):
                c[r * ldc + x] = acc[r * COLUMNS + x]


def multiply_edge(
    c: Ptr[T],
    ldc: i64,
    a: Ptr[T],
    a0: i64,
    a1: i64,
    b: Ptr[T],
    b0: i64,
    rows: i64,
    columns: i64,
    depth: i64,
    add: b8,
) -> None:
    """`multiply_tile` for fewer rows or columns."""
    for r in range(rows):
        for x in range(columns):
            total = T(0)
            for p in range(depth):
                total = total + a[r * a0 + p * a1] * b[p * b0 + x]
            if add:
                total = c[r * ldc + x] + total
            c[r * ldc + x] = total


def multiply_own(c: Ptr[T], a: Ptr[T], a0: i64, a1: i64, b: Ptr[T], b0: i64, m: i64, n: i64, k: i64, ldc: i64) -> None:
    """C = A B, tile by tile.

    Args:
        c, ldc: m x n; rows lie `ldc` elements apart and have no gaps.
        a, a0, a1: m x k with its strides.
        b, b0: k x n; rows lie `b0` elements apart and have no gaps.
    """
    start = 0
    while start < k:
        depth = k - start
        if depth > DEPTH:
            depth = DEPTH
        i = 0
        while i < m:
            rows = m - i
            if rows > ROWS:
                rows = ROWS
            j = 0
            while j < n:
                columns = n - j
                if columns > COLUMNS:
                    columns = COLUMNS
                to = c + (i * ldc + j)
                left = a + (i * a0 + start * a1)
                right = b + (start * b0 + j)
                if rows == ROWS and columns == COLUMNS:
                    multiply_tile(to, ldc, left, a0, a1, right, b0, depth, start > 0)
                else:
                    multiply_edge(to, ldc, left, a0, a1, right, b0, rows, columns, depth, start > 0)
                j = j + COLUMNS
            i = i + ROWS
        start = start + DEPTH


def is_row_major(rows: i64, columns: i64, stride0: i64, stride1: i64) -> b8:
    """Whether BLAS can read a matrix as rows that lie `stride0` elements apart."""
    if stride1 != 1 and columns != 1:
        return False
    return rows == 1 or (stride0 >= columns and stride0 <= LARGEST_BLAS_SIZE)


def leading(rows: i64, columns: i64, stride0: i64) -> i64:
    """The leading dimension of a matrix that `is_row_major`."""
    if rows == 1:
        return columns
    return stride0


def must_pack(rows: i64, columns: i64, stride0: i64, stride1: i64) -> b8:
    """Whether BLAS can read a matrix neither as it lies nor transposed."""
    if is_row_major(rows, columns, stride0, stride1):
        return False
    return not is_row_major(columns, rows, stride1, stride0)


def gemm_f32(
    one: f32,
    trans_a: i32,
    trans_b: i32,
    m: i64,
    n: i64,
    k: i64,
    a: Ptr[f32],
    lda: i64,
    b: Ptr[f32],
    ldb: i64,
    c: Ptr[f32],
    ldc: i64,
) -> None:
    """C = A B by BLAS."""
    sgemm(i32(ROW_MAJOR), trans_a, trans_b, m, n, k, one, a, lda, b, ldb, f32(0.0), c, ldc)


def gemm_f64(
    one: f64,
    trans_a: i32,
    trans_b: i32,
    m: i64,
    n: i64,
    k: i64,
    a: Ptr[f64],
    lda: i64,
    b: Ptr[f64],
    ldb: i64,
    c: Ptr[f64],
    ldc: i64,
) -> None:
    """C = A B by BLAS."""
    dgemm(i32(ROW_MAJOR), trans_a, trans_b, m, n, k, one, a, lda, b, ldb, 0.0, c, ldc)


def gemm_c64(
    one: c64,
    trans_a: i32,
    trans_b: i32,
    m: i64,
    n: i64,
    k: i64,
    a: Ptr[c64],
    lda: i64,
    b: Ptr[c64],
    ldb: i64,
    c: Ptr[c64],
    ldc: i64,
) -> None:
    """C = A B by BLAS."""
    factors = stack(2, c64)
    factors[0] = one
    factors[1] = c64(0)
    cgemm(i32(ROW_MAJOR), trans_a, trans_b, m, n, k, factors, a, lda, b, ldb, factors + 1, c, ldc)


def gemm_c128(
    one: c128,
    trans_a: i32,
    trans_b: i32,
    m: i64,
    n: i64,
    k: i64,
    a: Ptr[c128],
    lda: i64,
    b: Ptr[c128],
    ldb: i64,
    c: Ptr[c128],
    ldc: i64,
) -> None:
    """C = A B by BLAS."""
    factors = stack(2, c128)
    factors[0] = one
    factors[1] = c128(0)
    zgemm(i32(ROW_MAJOR), trans_a, trans_b, m, n, k, factors, a, lda, b, ldb, factors + 1, c, ldc)


def gemm_none(
    one: T,
    trans_a: i32,
    trans_b: i32,
    m: i64,
    n: i64,
    k: i64,
    a: Ptr[T],
    lda: i64,
    b: Ptr[T],
    ldb: i64,
    c: Ptr[T],
    ldc: i64,
) -> None:
    """Stands for `gemm` of the dtypes that BLAS does not know; not called."""


gemm = ByType(
    {
        dtypes.float32: gemm_f32,
        dtypes.float64: gemm_f64,
        dtypes.complex64: gemm_c64,
        dtypes.complex128: gemm_c128,
        **{d: gemm_none for d in dtypes.DTYPES if d not in (dtypes.float32, dtypes.float64)},
    }
)


def gemv_f32(one: f32, trans: i32, m: i64, n: i64, a: Ptr[f32], lda: i64, x: Ptr[f32], step: i64, y: Ptr[f32]) -> None:
    """y = A x by BLAS, y being zero before."""
    sgemv(i32(ROW_MAJOR), trans, m, n, one, a, lda, x, step, one, y, 1)


def gemv_f64(one: f64, trans: i32, m: i64, n: i64, a: Ptr[f64], lda: i64, x: Ptr[f64], step: i64, y: Ptr[f64]) -> None:
    """y = A x by BLAS, y being zero before."""
    dgemv(i32(ROW_MAJOR), trans, m, n, one, a, lda, x, step, one, y, 1)


def gemv_c64(one: c64, trans: i32, m: i64, n: i64, a: Ptr[c64], lda: i64, x: Ptr[c64], step: i64, y: Ptr[c64]) -> None:
    """y = A x by BLAS, as a matrix with one column."""
    if trans == NO_TRANSPOSE:
        gemm_c64(one, trans, i32(NO_TRANSPOSE), m, 1, n, a, lda, x, step, y, 1)
    else:
        gemm_c64(one, trans, i32(NO_TRANSPOSE), n, 1, m, a, lda, x, step, y, 1)


def gemv_c128(
    one: c128, trans: i32, m: i64, n: i64, a: Ptr[c128], lda: i64, x: Ptr[c128], step: i64, y: Ptr[c128]
) -> None:
    """The same of complex128."""
    if trans == NO_TRANSPOSE:
        gemm_c128(one, trans, i32(NO_TRANSPOSE), m, 1, n, a, lda, x, step, y, 1)
    else:
        gemm_c128(one, trans, i32(NO_TRANSPOSE), n, 1, m, a, lda, x, step, y, 1)


def gemv_none(one: T, trans: i32, m: i64, n: i64, a: Ptr[T], lda: i64, x: Ptr[T], step: i64, y: Ptr[T]) -> None:
    """Stands for `gemv` of the dtypes that BLAS does not know; not called."""


gemv = ByType(
    {
        dtypes.float32: gemv_f32,
        dtypes.float64: gemv_f64,
        dtypes.complex64: gemv_c64,
        dtypes.complex128: gemv_c128,
        **{d: gemv_none for d in dtypes.DTYPES if d not in (dtypes.float32, dtypes.float64)},
    }
)


def multiply_vector(y: Ptr[T], a: Ptr[T], a0: i64, a1: i64, x: Ptr[T], step: i64, m: i64, k: i64) -> None:
    """y = A x by BLAS, A being m x k; A does not have to be packed, and the step of x is positive."""
    for i in range(m):
        y[i] = T(0)
    if is_row_major(m, k, a0, a1):
        gemv(T(1), i32(NO_TRANSPOSE), m, k, a, leading(m, k, a0), x, step, y)
    else:
        gemv(T(1), i32(TRANSPOSE), k, m, a, leading(k, m, a1), x, step, y)


def multiply_blas(c: Ptr[T], a: Ptr[T], a0: i64, a1: i64, b: Ptr[T], b0: i64, b1: i64, m: i64, n: i64, k: i64) -> None:
    """C = A B by BLAS, long ones on several threads; neither operand `must_pack`."""
    if n == 1:
        step = b0
        if k == 1:
            step = 1
        multiply_vector(c, a, a0, a1, b, step, m, k)
        return
    if m == 1:
        step = a1
        if k == 1:
            step = 1
        multiply_vector(c, b, b1, b0, a, step, n, k)
        return
    if m * n >= LEAST_PRODUCTS // k:
        divide_product(c, a, a0, a1, b, b0, b1, m, n, k)
        return
    multiply_part(c, a, a0, a1, b, b0, b1, m, n, k, n)


def multiply_part(
    c: Ptr[T], a: Ptr[T], a0: i64, a1: i64, b: Ptr[T], b0: i64, b1: i64, m: i64, n: i64, k: i64, ldc: i64
) -> None:
    """The same, for a part of C, whose rows lie `ldc` elements apart."""
    trans_a = i32(NO_TRANSPOSE)
    lda = leading(m, k, a0)
    if not is_row_major(m, k, a0, a1):
        trans_a = i32(TRANSPOSE)
        lda = leading(k, m, a1)
    trans_b = i32(NO_TRANSPOSE)
    ldb = leading(k, n, b0)
    if not is_row_major(k, n, b0, b1):
        trans_b = i32(TRANSPOSE)
        ldb = leading(n, k, b1)
    gemm(T(1), trans_a, trans_b, m, n, k, a, lda, b, ldb, c, ldc)


# ---- long products: rows of C, or columns if there are more of them, are divided among threads
#
# The BLAS of many processors computes an element in one way wherever it stands. Then there is a part for each thread,
# and one for one thread. Elsewhere parts depend on sizes alone.

LEAST_PRODUCTS = 1 << 22
"""Products that are worth another thread; BLAS has other ways for smaller ones."""
PART = 64
"""Parts are multiples of so many rows: no tile of BLAS is larger."""
FIXED_PART = 512
FIXED_UNIT = 16
FEW_PARTS = 4
"""Where parts depend on sizes: of a product that has fewer of `FIXED_PART`, if it is large enough."""

A, A0, A1, B, B0, B1, C, ROWS_OF_C, COLUMNS_OF_C, INNER, SIZE, PARTS, BY_COLUMNS, IS_ONE = range(14)
CELLS = 14


def divide_product(c: Ptr[T], a: Ptr[T], a0: i64, a1: i64, b: Ptr[T], b0: i64, b1: i64, m: i64, n: i64, k: i64) -> None:
    """`multiply_blas` of matrices that are no vectors, on several threads."""
    task = stack(CELLS, i64)
    by_columns = n > m
    length = m
    if by_columns:
        length = n
    is_one = splits(T(0))
    unit = FIXED_UNIT
    wanted = length // PART
    if wanted > FEW_PARTS:
        wanted = FEW_PARTS
    if wanted < length // FIXED_PART:
        wanted = length // FIXED_PART
    if is_one:
        unit = PART
        wanted = symbol("ts_parallel_threads_v1", i64)[0]
        if wanted > length // PART:
            wanted = length // PART
    most = 2 * m * n // (LEAST_PRODUCTS // k + 1)
    if wanted > most:
        wanted = most
    if wanted < 2:
        multiply_part(c, a, a0, a1, b, b0, b1, m, n, k, n)
        return
    size = ((length + wanted - 1) // wanted + unit - 1) & -unit
    task[A] = address(a)
    task[A0] = a0
    task[A1] = a1
    task[B] = address(b)
    task[B0] = b0
    task[B1] = b1
    task[C] = address(c)
    task[ROWS_OF_C] = m
    task[COLUMNS_OF_C] = n
    task[INNER] = k
    task[SIZE] = size
    task[PARTS] = (length + size // 2) // size
    task[BY_COLUMNS] = i64(by_columns)
    task[IS_ONE] = i64(is_one)
    parallel(context(), function(multiply_parts), task, task[PARTS], 1)


def multiply_parts(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of a product: in one if that changes nothing. The last one has what is left."""
    part = begin
    while part < end:
        following = part + 1
        if task[IS_ONE] != 0:
            following = end
        multiply_range(pointer(task[C], T), task, part, following)
        part = following


def multiply_range(c: Ptr[T], task: Ptr[i64], begin: i64, end: i64) -> None:
    """Neighbouring parts of a product in one."""
    m = task[ROWS_OF_C]
    n = task[COLUMNS_OF_C]
    ldc = n
    a = pointer(task[A], T)
    b = pointer(task[B], T)
    first = begin * task[SIZE]
    if task[BY_COLUMNS] != 0:
        if end < task[PARTS]:
            n = end * task[SIZE]
        n = n - first
        b = b + first * task[B1]
        c = c + first
    else:
        if end < task[PARTS]:
            m = end * task[SIZE]
        m = m - first
        a = a + first * task[A0]
        c = c + first * ldc
    multiply_part(c, a, task[A0], task[A1], b, task[B0], task[B1], m, n, task[INNER], ldc)


def pack_matrix(to: Ptr[T], source: Ptr[T], rows: i64, columns: i64, stride0: i64, stride1: i64) -> None:
    """Copy a matrix into row-major order without gaps."""
    sizes = stack(2, i64)
    strides = stack(2, i64)
    dense = stack(2, i64)
    sizes[0] = rows
    sizes[1] = columns
    strides[0] = stride0
    strides[1] = stride1
    dense[0] = columns
    dense[1] = 1
    copy_elements(to, dense, source, strides, sizes, 2)
