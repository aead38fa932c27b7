"""What LAPACK does to stacks of matrices, in place: the steps of which `tscript.operators.tensor.matrices` makes
`tscript.linalg`. A matrix lies by columns: the last dimension is that of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.define import kernel
from tscript.definitions.opdef import Arg, Effects, OpDef, OperatorNotImplementedError
from tscript.definitions.rules import tensor_of
from tscript.types import NONE, Type, dtypes

TAKEN = (None, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


def _rule(args: Sequence[Arg]) -> Type:
    dtype = tensor_of(args[0]).dtype
    if dtype not in TAKEN:
        raise OperatorNotImplementedError(f"LAPACK takes no matrices of {dtype}: convert them to float32 or float64")
    return NONE


def _each(function: Callable[..., Any], first: Array, *others: Array) -> None:
    """Call a function with the matrices of a stack, and the parts of others that go with them."""
    batch = first.shape[:-2]
    for place in np.ndindex(*batch):
        function(first[place], *(other[(*place, ...)] for other in others))


def _lu_of(a: Array, pivots: Array, info: Array) -> None:
    """Gauss' elimination by columns with partial pivoting; `a` is the transposed matrix, as it lies."""
    matrix = a.T
    info[...] = 0
    for k in range(len(pivots)):
        best = k + int(np.argmax(np.abs(matrix[k:, k].real) + np.abs(matrix[k:, k].imag)))
        pivots[k] = best + 1
        if matrix[best, k] == 0:
            if info == 0:
                info[...] = k + 1
            continue
        matrix[[k, best]] = matrix[[best, k]]
        matrix[k + 1 :, k] /= matrix[k, k]
        matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])


def _lu(a: Array, pivots: Array, info: Array) -> None:
    _each(_lu_of, a, pivots, info)


def _lu_solve(lu: Array, pivots: Array, b: Array, scratch: Array, trans: int) -> None:
    def solve(lu: Array, pivots: Array, b: Array) -> None:
        n = len(pivots)
        lower, upper = np.tril(lu.T, -1) + np.eye(n), np.triu(lu.T)
        order = np.arange(n)
        for k, p in enumerate(pivots):
            order[[k, p - 1]] = order[[p - 1, k]]
        matrix = np.empty_like(lower)
        matrix[order] = lower @ upper
        turned = {"N": matrix, "T": matrix.T, "C": matrix.conj().T}[chr(trans)]
        try:
            with np.errstate(all="ignore"):
                b[...] = np.linalg.solve(turned, b.T).T.astype(b.dtype)
        except np.linalg.LinAlgError:  # LAPACK divides by zero
            b[...] = np.nan

    _each(solve, lu, pivots, b)


ALPHA = (1 + 17**0.5) / 8
"""How large a diagonal element is, beside the greatest one of its column, that is divided by."""


def _size(x: Array) -> Array:
    return np.asarray(np.abs(x.real) + np.abs(x.imag))


def _block(matrix: Array, k: int) -> tuple[int, int]:
    """The row that is exchanged, and how many rows the block at k has: Bunch and Kaufman, "Some stable methods for
    calculating inertia and solving symmetric linear systems" (1977). The matrix has both triangles."""
    below = _size(matrix[k + 1 :, k])
    greatest = below.max(initial=0)
    here = _size(matrix[k, k])
    if here >= ALPHA * greatest:
        return k, 1
    row = k + 1 + int(np.argmax(below))
    others = _size(matrix[row, k:]).copy()
    others[row - k] = 0
    if here >= ALPHA * greatest * (greatest / others.max()):
        return k, 1
    return row, 1 if _size(matrix[row, row]) >= ALPHA * others.max() else 2


def _ldl(a: Array, pivots: Array, info: Array, hermitian: int) -> None:
    def factor(a: Array, pivots: Array, info: Array) -> None:
        matrix, n, k = np.tril(a.T), len(a), 0
        turned = np.conj if hermitian else np.asarray
        if hermitian:
            np.fill_diagonal(matrix, np.diagonal(matrix).real)
        matrix += np.tril(turned(matrix), -1).T
        info[...] = 0
        while k < n:
            row, size = _block(matrix, k)
            last = k + size - 1
            pivots[k : k + size] = row + 1 if size == 1 else -row - 1
            matrix[[last, row], k:] = matrix[[row, last], k:]
            matrix[k:, [last, row]] = matrix[k:, [row, last]]
            diagonal, rest = matrix[k : k + size, k : k + size], matrix[k + size :, k : k + size].copy()
            if size == 1 and diagonal == 0:
                info[...] = info or k + 1
            else:
                scaled = np.linalg.solve(diagonal.T, rest.T).T
                matrix[k + size :, k + size :] -= scaled @ turned(rest).T
                matrix[k + size :, k : k + size] = scaled
            k += size
        a.T[...] = np.tril(matrix)

    _each(factor, a, pivots, info)


def _ldl_solve(ld: Array, pivots: Array, b: Array, scratch: Array, hermitian: int) -> None:
    def solve(ld: Array, pivots: Array, b: Array) -> None:
        packed, n, k = np.tril(ld.T), len(pivots), 0
        turned = np.conj if hermitian else np.asarray
        lower, middle = np.eye(n, dtype=ld.dtype), np.zeros_like(packed)
        while k < n:
            size = 1 if pivots[k] > 0 else 2
            last, row = k + size - 1, abs(int(pivots[k])) - 1
            lower[:, [last, row]] = lower[:, [row, last]]
            lower[:, k : k + size] += lower[:, k + size :] @ packed[k + size :, k : k + size]
            middle[k : k + size, k : k + size] = packed[k : k + size, k : k + size]
            k += size
        middle += np.tril(turned(middle), -1).T
        with np.errstate(all="ignore"):
            try:
                found = np.linalg.solve(lower @ middle @ turned(lower).T, b.T)
            except np.linalg.LinAlgError:  # LAPACK divides by zero
                found = np.full_like(b.T, np.nan)
        b[...] = found.T

    _each(solve, ld, pivots, b)


def _cholesky(a: Array, info: Array, triangle: int) -> None:
    def factor(a: Array, info: Array) -> None:
        part = np.triu(a.T) if chr(triangle) == "U" else np.tril(a.T).conj().T
        whole = np.triu(part, 1).conj().T + part
        try:
            found = np.linalg.cholesky(whole)
        except np.linalg.LinAlgError:
            minors = (i + 1 for i in range(len(a)) if np.linalg.eigvalsh(whole[: i + 1, : i + 1])[0] <= 0)
            info[...] = next(minors, len(a))
            return
        info[...] = 0
        kept = np.triu(found.conj().T) if chr(triangle) == "U" else found
        rest = np.tril(a.T, -1) if chr(triangle) == "U" else np.triu(a.T, 1)
        a.T[...] = kept + rest

    _each(factor, a, info)


def _qr(a: Array, tau: Array, info: Array) -> None:
    def factor(a: Array, tau: Array, info: Array) -> None:
        raw, scales = np.linalg.qr(a.T, "raw")
        a[...], tau[...] = raw, scales

    info[...] = 0
    _each(factor, a, tau, info)


def _q(a: Array, tau: Array, info: Array) -> None:
    def build(a: Array, tau: Array, info: Array) -> None:
        columns, m = a.shape
        found = np.eye(m, columns, dtype=a.dtype)
        for k in reversed(range(len(tau))):
            v = np.concatenate((np.zeros(k), [1], a[k, k + 1 :])).astype(a.dtype)
            found = found - tau[k] * np.outer(v, v.conj() @ found)
        a[...] = found.T

    info[...] = 0
    _each(build, a, tau, info)


def _q_times(a: Array, tau: Array, c: Array, side: int, trans: int) -> None:
    def multiply(a: Array, tau: Array, c: Array) -> None:
        m = a.shape[1]
        found = np.eye(m, dtype=a.dtype)
        for k in reversed(range(len(tau))):
            v = np.concatenate((np.zeros(k), [1], a[k, k + 1 :])).astype(a.dtype)
            found = found - tau[k] * np.outer(v, v.conj() @ found)
        turned = found if chr(trans) == "N" else found.conj().T
        c.T[...] = turned @ c.T if chr(side) == "L" else c.T @ turned

    _each(multiply, a, tau, c)


def _eigh(a: Array, values: Array, info: Array, vectors: int, triangle: int) -> None:
    def solve(a: Array, values: Array, info: Array) -> None:
        found, columns = np.linalg.eigh(a.T, "U" if chr(triangle) == "U" else "L")
        values[...] = found
        if vectors:
            a[...] = columns.T

    info[...] = 0
    _each(solve, a, values, info)


def _svd(a: Array, u: Array, s: Array, vt: Array, info: Array, job: int) -> None:
    info[...] = 0
    for place in np.ndindex(*a.shape[:-2]):
        if chr(job) == "N":
            s[place] = np.linalg.svd(a[place].T, compute_uv=False)
            continue
        left, values, right = np.linalg.svd(a[place].T, full_matrices=chr(job) == "A")
        u[place], s[place], vt[place] = left.T, values, right.T


def _eig(a: Array, values: Array, v: Array, info: Array) -> None:
    info[...] = 0
    for place in np.ndindex(*a.shape[:-2]):
        found, columns = np.linalg.eig(a[place].T)
        values[place] = found
        if v.size:
            v[place] = columns.T


def _triangular(a: Array, b: Array, info: Array, triangle: int, trans: int, diagonal: int) -> None:
    def solve(a: Array, b: Array, info: Array) -> None:
        matrix = np.triu(a.T) if chr(triangle) == "U" else np.tril(a.T)
        if chr(diagonal) == "U":
            np.fill_diagonal(matrix, 1)
        zeros = np.flatnonzero(np.diagonal(matrix) == 0)
        info[...] = zeros[0] + 1 if len(zeros) else 0
        if len(zeros) == 0:
            turned = {"N": matrix, "T": matrix.T, "C": matrix.conj().T}[chr(trans)]
            b[...] = np.linalg.solve(turned, b.T).T

    _each(solve, a, b, info)


def _step(schema: str, semantics: Callable[..., object], doc: str, writes: tuple[int, ...]) -> OpDef:
    name = schema.partition("(")[0]
    effects = Effects(writes=writes, raises=True)
    return kernel(schema, _rule, semantics, f"lapack.{name}", doc, effects=effects, exact=False, names="", complex=True)


LU_FACTOR = _step(
    "lapack_lu(Tensor(a!) a, Tensor(b!) pivots, Tensor(c!) info) -> None",
    _lu,
    "The LU decomposition in place of the matrices.",
    (0, 1, 2),
)
LU_SOLVE = _step(
    "lapack_lu_solve(Tensor lu, Tensor pivots, Tensor(a!) b, Tensor(b!) scratch, int trans) -> None",
    _lu_solve,
    "Solutions in place of right hand sides, by an LU decomposition.",
    (2, 3),
)
LDL_FACTOR = _step(
    "lapack_ldl(Tensor(a!) a, Tensor(b!) pivots, Tensor(c!) info, int hermitian) -> None",
    _ldl,
    "The decomposition of Bunch and Kaufman in place of the lower triangles of matrices.",
    (0, 1, 2),
)
LDL_SOLVE = _step(
    "lapack_ldl_solve(Tensor ld, Tensor pivots, Tensor(a!) b, Tensor(b!) scratch, int hermitian) -> None",
    _ldl_solve,
    "Solutions in place of right hand sides, by a decomposition of Bunch and Kaufman.",
    (2, 3),
)
CHOLESKY = _step(
    "lapack_cholesky(Tensor(a!) a, Tensor(b!) info, int triangle) -> None",
    _cholesky,
    "The Cholesky decomposition in place of a triangle.",
    (0, 1),
)
QR = _step(
    "lapack_qr(Tensor(a!) a, Tensor(b!) tau, Tensor(c!) info) -> None",
    _qr,
    "The QR decomposition, in place.",
    (0, 1, 2),
)
Q = _step("lapack_q(Tensor(a!) a, Tensor tau, Tensor(b!) info) -> None", _q, "Q in place of its reflectors.", (0, 2))
Q_TIMES = _step(
    "lapack_q_times(Tensor a, Tensor tau, Tensor(a!) c, int side, int trans) -> None",
    _q_times,
    "Products with Q, in place, of its reflectors.",
    (2,),
)
EIGH = _step(
    "lapack_eigh(Tensor(a!) a, Tensor(b!) values, Tensor(c!) info, int vectors, int triangle) -> None",
    _eigh,
    "Eigenvalues of Hermitian matrices, and the vectors in their place.",
    (0, 1, 2),
)
SVD = _step(
    "lapack_svd(Tensor(a!) a, Tensor(b!) u, Tensor(c!) s, Tensor(d!) vt, Tensor(e!) info, int job) -> None",
    _svd,
    "Singular values and vectors.",
    (0, 1, 2, 3, 4),
)
EIG = _step(
    "lapack_eig(Tensor(a!) a, Tensor(b!) values, Tensor(c!) v, Tensor(d!) info) -> None",
    _eig,
    "Eigenvalues of complex matrices, and their vectors.",
    (0, 1, 2, 3),
)
TRIANGULAR = _step(
    "lapack_triangular(Tensor a, Tensor(a!) b, Tensor(b!) info, int triangle, int trans, int diagonal) -> None",
    _triangular,
    "Solutions in place of right hand sides, by a triangle.",
    (1, 2),
)

HIDDEN: tuple[OpDef, ...] = (
    LU_FACTOR,
    LU_SOLVE,
    LDL_FACTOR,
    LDL_SOLVE,
    CHOLESKY,
    QR,
    Q,
    Q_TIMES,
    EIGH,
    SVD,
    EIG,
    TRIANGULAR,
)
