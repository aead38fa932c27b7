"""Tier 3: LAPACK over stacks of matrices, through LAPACKE by address; see `tscript.abi.lapack`.

A matrix lies by columns: the last dimension of a tensor is that of the rows of the matrix. All tensors are contiguous
and of one dtype; what is said of one matrix is done with each. `info` has what LAPACK says of each. Small real matrices
do without LAPACK: see `lapack_small`.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.lapack import (
    GEEV,
    GEQRF,
    GESDD,
    GETRF,
    GETRS,
    HETRF,
    HETRS,
    LAPACK,
    ORGQR,
    ORMQR,
    POTRF,
    SYEVD,
    SYTRF,
    SYTRS,
    TRTRS,
)
from tscript.dialect import Ptr, TensorImpl, Void, i32, i64, pointer, pointer_cast, symbol, u8
from tscript.dialect.linkage import c_signature
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.lapack_small import (
    is_small,
    small_cholesky,
    small_lu,
    small_lu_solve,
    small_q,
    small_qr,
)
from tscript.runtime.kernels.scalars import is_contiguous
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of

BY_COLUMNS: Final = 102
NO: Final = 78
YES: Final = 86
"""The letters N and V."""
LOWER: Final = 76
UPPER: Final = 85
ALL: Final = 65
SOME: Final = 83
LEFT: Final = 76
RIGHT: Final = 82
"""Letters of triangles, of how many vectors, and of sides."""

Bytes = Ptr[u8]
FACTOR = c_signature(i64, i32, i64, i64, Bytes, i64, Bytes)
SOLVE = c_signature(i64, i32, i32, i64, i64, Bytes, i64, Bytes, Bytes, i64)
LDL = c_signature(i64, i32, i32, i64, Bytes, i64, Bytes)
CHOLESKY = c_signature(i64, i32, i32, i64, Bytes, i64)
ORTHOGONAL = c_signature(i64, i32, i64, i64, i64, Bytes, i64, Bytes)
PRODUCT = c_signature(i64, i32, i32, i32, i64, i64, i64, Bytes, i64, Bytes, Bytes, i64)
SYMMETRIC = c_signature(i64, i32, i32, i32, i64, Bytes, i64, Bytes)
SINGULAR = c_signature(i64, i32, i32, i64, i64, Bytes, i64, Bytes, Bytes, i64, Bytes, i64)
GENERAL = c_signature(i64, i32, i32, i32, i64, Bytes, i64, Bytes, Bytes, i64, Bytes, i64)
TRIANGULAR = c_signature(i64, i32, i32, i32, i32, i64, i64, Bytes, i64, Bytes, i64)


def routine(number: i64, dtype: i32) -> Ptr[Void]:
    """The function for matrices of a dtype.

    Raises RuntimeError when there is none.
    """
    kind = i64(3)
    if dtype == codes.FLOAT32:
        kind = 0
    elif dtype == codes.FLOAT64:
        kind = 1
    elif dtype == codes.COMPLEX64:
        kind = 2
    elif dtype != codes.COMPLEX128:
        raise RuntimeError("LAPACK takes matrices of float32, float64, complex64 and complex128")
    found = symbol(LAPACK, i64)[1 + 4 * number + kind]
    if found == 0:
        raise RuntimeError("the BLAS of this NumPy has no LAPACK that can be called: install NumPy from its wheel")
    return pointer(found, Void)


def rows_of(t: Ptr[TensorImpl]) -> i64:
    """The rows of each matrix."""
    return sizes_of(t)[i64(t.ndim) - 1]


def columns_of(t: Ptr[TensorImpl]) -> i64:
    """The columns of each matrix."""
    return sizes_of(t)[i64(t.ndim) - 2]


def batch_of(t: Ptr[TensorImpl], dims: i64) -> i64:
    """How many matrices, or with one dimension vectors, there are."""
    found = i64(1)
    for i in range(i64(t.ndim) - dims):
        found = found * sizes_of(t)[i]
    return found


def least(m: i64, n: i64) -> i64:
    """The smaller of two sizes."""
    if m < n:
        return m
    return n


def check_room(t: Ptr[TensorImpl], dtype: i32, numel: i64) -> None:
    """Refuse a tensor that is not what LAPACK reads or writes: an archive may say anything.

    Raises RuntimeError.
    """
    if t.dtype != dtype or t.numel < numel or not is_contiguous(t):
        raise RuntimeError("LAPACK takes contiguous tensors of one dtype with room for all matrices")


def check_matrices(t: Ptr[TensorImpl], dtype: i32) -> None:
    """The same of a stack of matrices."""
    if t.ndim < 2:
        raise RuntimeError("LAPACK takes matrices")
    check_room(t, dtype, i64(0))


def check_square(t: Ptr[TensorImpl]) -> None:
    """The same of a stack of square matrices."""
    check_matrices(t, t.dtype)
    if rows_of(t) != columns_of(t):
        raise RuntimeError("LAPACK takes square matrices here")


def count_of(tau: Ptr[TensorImpl]) -> i64:
    """How many reflectors each matrix has."""
    if tau.ndim < 1:
        raise RuntimeError("LAPACK takes a vector of reflectors for each matrix")
    return rows_of(tau)


def check_info(info: Ptr[TensorImpl], a: Ptr[TensorImpl]) -> None:
    """The same of what is said of each matrix of a stack."""
    check_room(info, i32(codes.INT64), batch_of(a, 2))


def check_triangle(letter: i64) -> None:
    """Refuse a letter that is neither U nor L."""
    if letter != UPPER and letter != LOWER:
        raise RuntimeError("a triangle is the letter U or L")


def real_of(dtype: i32) -> i32:
    """The dtype of absolute values."""
    if dtype == codes.COMPLEX64:
        return i32(codes.FLOAT32)
    if dtype == codes.COMPLEX128:
        return i32(codes.FLOAT64)
    return dtype


def at(t: Ptr[TensorImpl], i: i64, elements: i64) -> Bytes:
    """The i-th of the parts of a tensor."""
    return t.data + i * elements * itemsize_of(t.dtype)


def at_least_one(n: i64) -> i64:
    """A leading dimension."""
    if n < 1:
        return i64(1)
    return n


def note(info: Ptr[TensorImpl], i: i64, found: i64) -> None:
    """Write down what LAPACK said; its integers may have 32 bits.

    Raises MemoryError when it had no memory.
    """
    said = i64(i32(found))
    if said <= -1010:
        raise MemoryError("LAPACK has no memory for its work")
    pointer_cast(info.data, i64)[i] = said


def widen(pivots: Ptr[i64], n: i64) -> None:
    """Pivots of 32 bits as int64, in place."""
    if symbol(LAPACK, i64)[0] == 4:
        narrow = pointer_cast(pivots, i32)
        for k in range(n):
            i = n - 1 - k
            pivots[i] = i64(narrow[i])


def narrowed(pivots: Ptr[i64], scratch: Ptr[i64], n: i64) -> Ptr[u8]:
    """Pivots as LAPACK takes them."""
    if symbol(LAPACK, i64)[0] == 4:
        narrow = pointer_cast(scratch, i32)
        for i in range(n):
            narrow[i] = i32(pivots[i])
        return pointer_cast(scratch, u8)
    return pointer_cast(pivots, u8)


def lapack_lu(a: Ptr[TensorImpl], pivots: Ptr[TensorImpl], info: Ptr[TensorImpl]) -> None:
    """The LU decomposition in place of the matrices, with pivots counted from 1."""
    call = routine(GETRF, a.dtype)
    check_matrices(a, a.dtype)
    check_info(info, a)
    m = rows_of(a)
    n = columns_of(a)
    k = least(m, n)
    check_room(pivots, i32(codes.INT64), batch_of(a, 2) * k)
    begin_work(a.numel * at_least_one(k))
    if a.numel != 0:
        for i in range(batch_of(a, 2)):
            rows = pointer_cast(pivots.data, i64) + i * k
            if is_small(a, m, n):
                note(info, i, small_lu(a, i, m, n, rows))
                continue
            note(info, i, FACTOR(call, BY_COLUMNS, m, n, at(a, i, m * n), m, pointer_cast(rows, u8)))
            widen(rows, k)


def lapack_lu_solve(
    lu: Ptr[TensorImpl], pivots: Ptr[TensorImpl], b: Ptr[TensorImpl], scratch: Ptr[TensorImpl], trans: i64
) -> None:
    """Solutions in place of the right hand sides; `trans` is the letter N, T or C.

    Raises RuntimeError when a pivot is no row, or the dtypes differ.
    """
    call = routine(GETRS, b.dtype)
    check_matrices(b, b.dtype)
    n = rows_of(b)
    k = columns_of(b)
    if lu.dtype != b.dtype:
        raise RuntimeError("the matrices of a system have one dtype")
    check_room(lu, b.dtype, batch_of(b, 2) * n * n)
    check_room(pivots, i32(codes.INT64), batch_of(b, 2) * n)
    check_room(scratch, i32(codes.INT64), n)
    for i in range(pivots.numel):
        if pointer_cast(pivots.data, i64)[i] < 1 or pointer_cast(pivots.data, i64)[i] > n:
            raise RuntimeError("a pivot is no row of the matrix")
    begin_work(b.numel * at_least_one(n))
    if b.numel != 0:
        for i in range(batch_of(b, 2)):
            if is_small(b, n, n):
                small_lu_solve(lu, pointer_cast(pivots.data, i64) + i * n, b, i, n, k, trans != NO)
                continue
            rows = narrowed(pointer_cast(pivots.data, i64) + i * n, pointer_cast(scratch.data, i64), n)
            SOLVE(call, BY_COLUMNS, i32(trans), n, k, at(lu, i, n * n), n, rows, at(b, i, n * k), n)


def is_hermitian(hermitian: i64, dtype: i32) -> i64:
    """1 if one triangle is the conjugate of the other; those of real numbers are the same."""
    if hermitian != 0 and real_of(dtype) != dtype:
        return i64(1)
    return i64(0)


def lapack_ldl(a: Ptr[TensorImpl], pivots: Ptr[TensorImpl], info: Ptr[TensorImpl], hermitian: i64) -> None:
    """The decomposition of Bunch and Kaufman in place of the lower triangles of symmetric or Hermitian matrices."""
    number = i64(SYTRF)
    if is_hermitian(hermitian, a.dtype) != 0:
        number = HETRF
    call = routine(number, a.dtype)
    check_square(a)
    check_info(info, a)
    n = rows_of(a)
    check_room(pivots, i32(codes.INT64), batch_of(a, 2) * n)
    begin_work(a.numel * at_least_one(n))
    if a.numel != 0:
        for i in range(batch_of(a, 2)):
            rows = pointer_cast(pivots.data, i64) + i * n
            note(info, i, LDL(call, BY_COLUMNS, i32(LOWER), n, at(a, i, n * n), n, pointer_cast(rows, u8)))
            widen(rows, n)


def check_blocks(pivots: Ptr[i64], n: i64) -> None:
    """Refuse pivots that `lapack_ldl` does not give: two of a block of two rows are the same, and negative.

    Raises RuntimeError.
    """
    second = False
    for i in range(n):
        row = pivots[i]
        if row < 0:
            row = -row
        if row < 1 or row > n:
            raise RuntimeError("a pivot is no row of the matrix")
        if second:
            if pivots[i] != pivots[i - 1]:
                raise RuntimeError("negative pivots come in twos")
            second = False
        else:
            second = pivots[i] < 0
    if second:
        raise RuntimeError("negative pivots come in twos")


def lapack_ldl_solve(
    ld: Ptr[TensorImpl], pivots: Ptr[TensorImpl], b: Ptr[TensorImpl], scratch: Ptr[TensorImpl], hermitian: i64
) -> None:
    """Solutions in place of the right hand sides, by what `lapack_ldl` gives.

    Raises RuntimeError when pivots are not those of such a decomposition, or the dtypes differ.
    """
    number = i64(SYTRS)
    if is_hermitian(hermitian, b.dtype) != 0:
        number = HETRS
    call = routine(number, b.dtype)
    check_matrices(b, b.dtype)
    n = rows_of(b)
    k = columns_of(b)
    if ld.dtype != b.dtype:
        raise RuntimeError("the matrices of a system have one dtype")
    check_room(ld, b.dtype, batch_of(b, 2) * n * n)
    check_room(pivots, i32(codes.INT64), batch_of(b, 2) * n)
    check_room(scratch, i32(codes.INT64), n)
    if b.numel != 0:
        for i in range(batch_of(b, 2)):
            check_blocks(pointer_cast(pivots.data, i64) + i * n, n)
    begin_work(b.numel * at_least_one(n))
    if b.numel != 0:
        for i in range(batch_of(b, 2)):
            rows = narrowed(pointer_cast(pivots.data, i64) + i * n, pointer_cast(scratch.data, i64), n)
            SOLVE(call, BY_COLUMNS, i32(LOWER), n, k, at(ld, i, n * n), n, rows, at(b, i, n * k), n)


def lapack_cholesky(a: Ptr[TensorImpl], info: Ptr[TensorImpl], triangle: i64) -> None:
    """The Cholesky decomposition in place of a triangle, by the letter U or L."""
    call = routine(POTRF, a.dtype)
    check_square(a)
    check_info(info, a)
    check_triangle(triangle)
    n = rows_of(a)
    begin_work(a.numel * at_least_one(n))
    if a.numel != 0:
        for i in range(batch_of(a, 2)):
            if is_small(a, n, n):
                note(info, i, small_cholesky(a, i, n, triangle == UPPER))
                continue
            note(info, i, CHOLESKY(call, BY_COLUMNS, i32(triangle), n, at(a, i, n * n), n))


def lapack_qr(a: Ptr[TensorImpl], tau: Ptr[TensorImpl], info: Ptr[TensorImpl]) -> None:
    """The QR decomposition in place: R above, reflectors below."""
    call = routine(GEQRF, a.dtype)
    check_matrices(a, a.dtype)
    check_info(info, a)
    m = rows_of(a)
    n = columns_of(a)
    k = least(m, n)
    check_room(tau, a.dtype, batch_of(a, 2) * k)
    begin_work(a.numel * at_least_one(k))
    if a.numel != 0:
        for i in range(batch_of(a, 2)):
            if is_small(a, m, n):
                note(info, i, small_qr(a, tau, i, m, n, k))
                continue
            note(info, i, FACTOR(call, BY_COLUMNS, m, n, at(a, i, m * n), m, at(tau, i, k)))


def lapack_q(a: Ptr[TensorImpl], tau: Ptr[TensorImpl], info: Ptr[TensorImpl]) -> None:
    """Q in place of the reflectors."""
    call = routine(ORGQR, a.dtype)
    check_matrices(a, a.dtype)
    check_info(info, a)
    m = rows_of(a)
    n = columns_of(a)
    k = count_of(tau)
    check_room(tau, a.dtype, batch_of(a, 2) * k)
    if n > m or k > n:
        raise RuntimeError("Q has no more columns than rows, and no fewer than there are reflectors")
    begin_work(a.numel * at_least_one(k))
    if a.numel != 0:
        for i in range(batch_of(a, 2)):
            if is_small(a, m, n):
                note(info, i, small_q(a, tau, i, m, n, k))
                continue
            note(info, i, ORTHOGONAL(call, BY_COLUMNS, m, n, k, at(a, i, m * n), m, at(tau, i, k)))


def lapack_q_times(a: Ptr[TensorImpl], tau: Ptr[TensorImpl], c: Ptr[TensorImpl], side: i64, trans: i64) -> None:
    """Products with Q in place of matrices, of its reflectors, by letters: L or R; N, T or C.

    Raises RuntimeError when the dtypes differ.
    """
    call = routine(ORMQR, c.dtype)
    check_matrices(c, c.dtype)
    m = rows_of(c)
    n = columns_of(c)
    k = count_of(tau)
    if a.dtype != c.dtype or tau.dtype != c.dtype:
        raise RuntimeError("the matrices of a product have one dtype")
    check_matrices(a, c.dtype)
    order = n
    if side == LEFT:
        order = m
    elif side != RIGHT:
        raise RuntimeError("a side is the letter L or R")
    if k > order or rows_of(a) < order:
        raise RuntimeError("Q is as large as that side of the matrix")
    check_room(a, c.dtype, batch_of(c, 2) * rows_of(a) * k)
    check_room(tau, c.dtype, batch_of(c, 2) * k)
    begin_work(c.numel * at_least_one(k))
    if c.numel != 0:
        rows = rows_of(a)
        for i in range(batch_of(c, 2)):
            from_a = at(a, i, rows * k)
            PRODUCT(call, BY_COLUMNS, i32(side), i32(trans), m, n, k, from_a, rows, at(tau, i, k), at(c, i, m * n), m)


def lapack_eigh(
    a: Ptr[TensorImpl], values: Ptr[TensorImpl], info: Ptr[TensorImpl], vectors: i64, triangle: i64
) -> None:
    """The eigenvalues of Hermitian matrices, of which a triangle is read; the vectors in their place if asked for."""
    call = routine(SYEVD, a.dtype)
    check_square(a)
    check_info(info, a)
    check_triangle(triangle)
    n = rows_of(a)
    check_room(values, real_of(a.dtype), batch_of(a, 2) * n)
    job = i32(NO)
    if vectors != 0:
        job = i32(YES)
    begin_work(a.numel * at_least_one(n))
    if a.numel != 0:
        for i in range(batch_of(a, 2)):
            found = SYMMETRIC(call, BY_COLUMNS, job, i32(triangle), n, at(a, i, n * n), n, at(values, i, n))
            note(info, i, found)


def lapack_svd(
    a: Ptr[TensorImpl],
    u: Ptr[TensorImpl],
    s: Ptr[TensorImpl],
    vt: Ptr[TensorImpl],
    info: Ptr[TensorImpl],
    job: i64,
) -> None:
    """Singular values, and the vectors that a letter asks for: N, S or A. The matrices are overwritten."""
    call = routine(GESDD, a.dtype)
    check_matrices(a, a.dtype)
    check_info(info, a)
    m = rows_of(a)
    n = columns_of(a)
    k = least(m, n)
    check_room(s, real_of(a.dtype), batch_of(a, 2) * k)
    check_matrices(u, a.dtype)
    check_matrices(vt, a.dtype)
    if job != ALL and job != SOME and job != NO:
        raise RuntimeError("LAPACK computes singular vectors by the letters N, S and A")
    if job != NO:
        wide = k
        high = k
        if job == ALL:
            wide = m
            high = n
        if rows_of(u) != m or columns_of(u) != wide or rows_of(vt) != high or columns_of(vt) != n:
            raise RuntimeError("the singular vectors have other sizes")
        check_room(u, a.dtype, batch_of(a, 2) * m * wide)
        check_room(vt, a.dtype, batch_of(a, 2) * high * n)
    begin_work(a.numel * at_least_one(k))
    if a.numel != 0:
        ldu = at_least_one(rows_of(u))
        ldvt = at_least_one(rows_of(vt))
        of_u = rows_of(u) * columns_of(u)
        of_vt = rows_of(vt) * columns_of(vt)
        for i in range(batch_of(a, 2)):
            to_u = at(u, i, of_u)
            to_vt = at(vt, i, of_vt)
            found = SINGULAR(call, BY_COLUMNS, i32(job), m, n, at(a, i, m * n), m, at(s, i, k), to_u, ldu, to_vt, ldvt)
            note(info, i, found)


def lapack_eig(a: Ptr[TensorImpl], values: Ptr[TensorImpl], v: Ptr[TensorImpl], info: Ptr[TensorImpl]) -> None:
    """Eigenvalues of complex matrices, and their vectors, unless there is no room for them. The matrices are
    overwritten."""
    call = routine(GEEV, a.dtype)
    if real_of(a.dtype) == a.dtype:
        raise RuntimeError("LAPACK takes complex matrices here")
    check_square(a)
    check_info(info, a)
    n = rows_of(a)
    check_room(values, a.dtype, batch_of(a, 2) * n)
    if v.numel != 0:
        check_room(v, a.dtype, a.numel)
    job = i32(NO)
    if v.numel != 0:
        job = i32(YES)
    begin_work(a.numel * at_least_one(n))
    if a.numel != 0:
        for i in range(batch_of(a, 2)):
            to = v.data
            if v.numel != 0:
                to = at(v, i, n * n)
            found = GENERAL(
                call, BY_COLUMNS, i32(NO), job, n, at(a, i, n * n), n, at(values, i, n), to, at_least_one(n), to, n
            )
            note(info, i, found)


def lapack_triangular(
    a: Ptr[TensorImpl], b: Ptr[TensorImpl], info: Ptr[TensorImpl], triangle: i64, trans: i64, diagonal: i64
) -> None:
    """Solutions in place of the right hand sides, by letters: U or L; N, T or C; N, or U for ones on the diagonal."""
    call = routine(TRTRS, b.dtype)
    check_matrices(b, b.dtype)
    check_info(info, b)
    check_triangle(triangle)
    n = rows_of(b)
    k = columns_of(b)
    if a.dtype != b.dtype:
        raise RuntimeError("the matrices of a system have one dtype")
    check_room(a, b.dtype, batch_of(b, 2) * n * n)
    begin_work(b.numel * at_least_one(n))
    if b.numel != 0:
        for i in range(batch_of(b, 2)):
            from_a = at(a, i, n * n)
            to_b = at(b, i, n * k)
            found = TRIANGULAR(call, BY_COLUMNS, i32(triangle), i32(trans), i32(diagonal), n, k, from_a, n, to_b, n)
            note(info, i, found)
