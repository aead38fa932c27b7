"""Tier 3: decompositions of small real matrices, for which a call of LAPACK costs more than the work.

Each function does what the routine of LAPACK that it names does, with the same meaning of pivots, reflectors and the
number that it returns, where LAPACK returns ``info``. ``T`` is float32 or float64. A matrix lies by columns.
"""

from __future__ import annotations

from typing import Final

from tscript.dialect import Ptr, T, TensorImpl, b8, f32, f64, fabs, i32, i64, pointer_cast, sqrt
from tscript.runtime.kernels import codes

SMALL: Final = 8
"""Matrices with at most so many rows and columns."""


def is_small(t: Ptr[TensorImpl], m: i64, n: i64) -> b8:
    """Whether matrices of `m` rows and `n` columns are done here."""
    return m <= SMALL and n <= SMALL and (t.dtype == codes.FLOAT32 or t.dtype == codes.FLOAT64)


def factor_lu(a: Ptr[T], m: i64, n: i64, pivots: Ptr[i64]) -> i64:
    """``getrf``: Gauss' elimination with partial pivoting."""
    found = 0
    steps = n
    if m < n:
        steps = m
    for k in range(steps):
        column = a + k * m
        best = k
        for i in range(k + 1, m):
            if fabs(column[i]) > fabs(column[best]):
                best = i
        pivots[k] = best + 1
        if column[best] == T(0):
            if found == 0:
                found = k + 1
            continue
        if best != k:
            for j in range(n):
                kept = a[j * m + k]
                a[j * m + k] = a[j * m + best]
                a[j * m + best] = kept
        for i in range(k + 1, m):
            column[i] = column[i] / column[k]
        for j in range(k + 1, n):
            other = a + j * m
            for i in range(k + 1, m):
                other[i] = other[i] - column[i] * other[k]
    return found


def solve_lu(a: Ptr[T], pivots: Ptr[i64], b: Ptr[T], n: i64, k: i64, turned: b8) -> None:
    """``getrs``: solutions in place of `k` right hand sides; `turned`, of the transposed matrix."""
    for j in range(k):
        x = b + j * n
        if turned:
            for i in range(n):
                for p in range(i):
                    x[i] = x[i] - a[i * n + p] * x[p]
                x[i] = x[i] / a[i * n + i]
            for r in range(n):
                i = n - 1 - r
                for p in range(i + 1, n):
                    x[i] = x[i] - a[i * n + p] * x[p]
            for r in range(n):
                exchange(x, n - 1 - r, pivots[n - 1 - r] - 1)
        else:
            for i in range(n):
                exchange(x, i, pivots[i] - 1)
            for p in range(n):
                for i in range(p + 1, n):
                    x[i] = x[i] - a[p * n + i] * x[p]
            for r in range(n):
                p = n - 1 - r
                x[p] = x[p] / a[p * n + p]
                for i in range(p):
                    x[i] = x[i] - a[p * n + i] * x[p]


def exchange(x: Ptr[T], i: i64, k: i64) -> None:
    """Exchange two elements."""
    kept = x[i]
    x[i] = x[k]
    x[k] = kept


def factor_cholesky(a: Ptr[T], n: i64, down: i64, across: i64) -> i64:
    """``potrf``: ``U.T @ U`` of an upper triangle, whose element of row i and column j is ``a[i * down + j * across]``;
    with the steps exchanged, ``L @ L.T`` of a lower one."""
    for j in range(n):
        rest = a[j * (down + across)]
        for i in range(j):
            rest = rest - a[i * down + j * across] * a[i * down + j * across]
        if not rest > T(0):
            a[j * (down + across)] = rest
            return j + 1
        root = sqrt(rest)
        a[j * (down + across)] = root
        for k in range(j + 1, n):
            value = a[j * down + k * across]
            for i in range(j):
                value = value - a[i * down + j * across] * a[i * down + k * across]
            a[j * down + k * across] = value / root
    return 0


def length(x: Ptr[T], n: i64) -> T:
    """The length of a vector, without overflow."""
    greatest = T(0)
    for i in range(n):
        if not fabs(x[i]) <= greatest:
            greatest = fabs(x[i])
    if greatest == T(0):
        return greatest
    total = T(0)
    for i in range(n):
        total = total + (x[i] / greatest) * (x[i] / greatest)
    return greatest * sqrt(total)


def reflect(v: Ptr[T], tau: T, c: Ptr[T], m: i64, n: i64, n_rows: i64) -> None:
    """Apply the reflector of a vector, whose first element counts as 1, to the last `n_rows` rows of matrices."""
    for j in range(n):
        column = c + j * m
        total = column[0]
        for i in range(1, n_rows):
            total = total + v[i] * column[i]
        total = total * tau
        column[0] = column[0] - total
        for i in range(1, n_rows):
            column[i] = column[i] - v[i] * total


def factor_qr(a: Ptr[T], m: i64, n: i64, tau: Ptr[T]) -> i64:
    """``geqrf``: R above, Householder's reflectors below."""
    steps = n
    if m < n:
        steps = m
    for k in range(steps):
        v = a + (k * m + k)
        rows = m - k
        tau[k] = T(0)
        if length(v + 1, rows - 1) != T(0):
            first = v[0]
            beta = length(v, rows)
            if first > T(0):
                beta = -beta
            tau[k] = (beta - first) / beta
            for i in range(1, rows):
                v[i] = v[i] / (first - beta)
            v[0] = beta
            reflect(v, tau[k], v + m, m, n - k - 1, rows)
    return 0


def build_q(a: Ptr[T], m: i64, n: i64, k: i64, tau: Ptr[T]) -> i64:
    """``orgqr``: the first `n` columns of Q in place of `k` reflectors."""
    for j in range(k, n):
        for i in range(m):
            a[j * m + i] = T(0)
        a[j * m + j] = T(1)
    for r in range(k):
        i = k - 1 - r
        v = a + (i * m + i)
        reflect(v, tau[i], v + m, m, n - i - 1, m - i)
        for p in range(1, m - i):
            v[p] = -tau[i] * v[p]
        v[0] = T(1) - tau[i]
        for p in range(i):
            a[i * m + p] = T(0)
    return 0


def small_lu(a: Ptr[TensorImpl], i: i64, m: i64, n: i64, pivots: Ptr[i64]) -> i64:
    """`factor_lu` of the i-th matrix of a stack."""
    if a.dtype == i32(codes.FLOAT32):
        return factor_lu(pointer_cast(a.data, f32) + i * m * n, m, n, pivots)
    return factor_lu(pointer_cast(a.data, f64) + i * m * n, m, n, pivots)


def small_lu_solve(
    lu: Ptr[TensorImpl], pivots: Ptr[i64], b: Ptr[TensorImpl], i: i64, n: i64, k: i64, turned: b8
) -> None:
    """`solve_lu` of the i-th matrices of stacks."""
    if b.dtype == i32(codes.FLOAT32):
        solve_lu(pointer_cast(lu.data, f32) + i * n * n, pivots, pointer_cast(b.data, f32) + i * n * k, n, k, turned)
    else:
        solve_lu(pointer_cast(lu.data, f64) + i * n * n, pivots, pointer_cast(b.data, f64) + i * n * k, n, k, turned)


def small_cholesky(a: Ptr[TensorImpl], i: i64, n: i64, is_upper: b8) -> i64:
    """`factor_cholesky` of the i-th matrix of a stack."""
    down = n
    across = 1
    if is_upper:
        down = 1
        across = n
    if a.dtype == i32(codes.FLOAT32):
        return factor_cholesky(pointer_cast(a.data, f32) + i * n * n, n, down, across)
    return factor_cholesky(pointer_cast(a.data, f64) + i * n * n, n, down, across)


def small_qr(a: Ptr[TensorImpl], tau: Ptr[TensorImpl], i: i64, m: i64, n: i64, k: i64) -> i64:
    """`factor_qr` of the i-th matrix of a stack, with `k` reflectors."""
    if a.dtype == i32(codes.FLOAT32):
        return factor_qr(pointer_cast(a.data, f32) + i * m * n, m, n, pointer_cast(tau.data, f32) + i * k)
    return factor_qr(pointer_cast(a.data, f64) + i * m * n, m, n, pointer_cast(tau.data, f64) + i * k)


def small_q(a: Ptr[TensorImpl], tau: Ptr[TensorImpl], i: i64, m: i64, n: i64, k: i64) -> i64:
    """`build_q` of the i-th matrix of a stack, of `k` reflectors."""
    if a.dtype == i32(codes.FLOAT32):
        return build_q(pointer_cast(a.data, f32) + i * m * n, m, n, k, pointer_cast(tau.data, f32) + i * k)
    return build_q(pointer_cast(a.data, f64) + i * m * n, m, n, k, pointer_cast(tau.data, f64) + i * k)
