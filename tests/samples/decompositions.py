"""Samples of `tscript.linalg`. Where signs of vectors are free, what is compared is what they make up."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong

WIDE = ("float32", "float64", "complex64", "complex128")
GENERAL = [[4.0, 1.0, 2.0], [-1.0, 5.0, 3.0], [2.0, -3.0, 6.0]]
DEFINITE = [[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 6.0]]
LOWER = [[2.0, 0.0], [1.0, 3.0]]
REAL = WIDE[:2]


def of(values: Any, dtype: str | None = None, layout: str = "c") -> T:
    return T(*np.shape(values), values=values, dtype=dtype, layout=layout)


def stack(values: Any) -> T:
    return of([values, 2.0 * np.array(values)])


def two(name: str) -> Any:
    """A function of `numpy.linalg` whose named tuple is a plain one."""
    return lambda a, **k: tuple(getattr(np.linalg, name)(a, **k))


def adjoint(a: Array) -> Array:
    return np.swapaxes(a, -1, -2).conj()


def rebuilt(values: Array, vectors: Array) -> tuple[Array, ...]:
    return values, (vectors * values[..., None, :]) @ adjoint(vectors)


def rebuilt_any(values: Array, vectors: Array) -> tuple[Array, ...]:
    order = np.argsort(values.real + 1e-3 * values.imag, axis=-1)
    return np.take_along_axis(values, order, -1), (vectors * values[..., None, :]) @ np.linalg.inv(vectors)


def product(u: Array, s: Array, vh: Array) -> tuple[Array, ...]:
    k = s.shape[-1]
    return s, (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], adjoint(u) @ u


def with_v(a: Array) -> tuple[Array, ...]:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return u, s, adjoint(vh)


def product_v(u: Array, s: Array, v: Array) -> tuple[Array, ...]:
    return product(u, s, adjoint(v))


def lu_parts(a: Array) -> tuple[Array, Array]:
    """The LU decomposition and pivots from 1, by Gauss' elimination."""
    lu, pivots = a.astype(a.dtype.char.replace("f", "d").replace("F", "D")), []
    for k in range(min(a.shape)):
        best = k + int(np.argmax(np.abs(lu[k:, k].real) + np.abs(lu[k:, k].imag)))
        pivots.append(best + 1)
        lu[[k, best]] = lu[[best, k]]
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return lu.astype(a.dtype), np.array(pivots, np.int32)


def lu(a: Array) -> tuple[Array, ...]:
    found, pivots = lu_parts(a)
    k = min(a.shape)
    order = np.arange(len(a))
    for i, p in enumerate(pivots):
        order[[i, p - 1]] = order[[p - 1, i]]
    permutation = np.eye(len(a), dtype=a.dtype)[:, :][order].T
    return permutation, np.tril(found[:, :k], -1) + np.eye(len(a), k, dtype=a.dtype), np.triu(found[:k])


def exponential(a: Array) -> Array:
    """The sum of the first terms of the series."""
    term = total = np.broadcast_to(np.eye(a.shape[-1]), a.shape).astype(np.complex128)
    for k in range(1, 60):
        term = term @ a / k
        total = total + term
    return total.astype(a.dtype) if np.iscomplexobj(a) else total.real.astype(a.dtype)


def triangle(a: Array, b: Array, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Array:
    part = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        part = part - np.diag(np.diagonal(part)) + np.eye(len(a), dtype=a.dtype)
    return np.linalg.solve(part, b) if left else adjoint(np.linalg.solve(adjoint(part), adjoint(b)))


def least(a: Array, b: Array, driver: str = "gelsy") -> tuple[Array, ...]:
    x, residuals, rank, values = np.linalg.lstsq(a, b, rcond=None)
    if driver == "gelsy":
        residuals = values = np.zeros(0)
    return x, residuals.astype(a.real.dtype), np.int64(rank), values.astype(a.real.dtype)


def _of_square(path: str, reference: Any, *calls: Call, **kwargs: Any) -> Samples:
    wrong = (
        Wrong(RuntimeError, "batches of square matrices", T(2, 3)),
        Wrong(RuntimeError, "at least 2 dimensions", T(3)),
        *kwargs.pop("wrong", ()),
    )
    return Samples(
        path,
        reference,
        Call(of(GENERAL)),
        Call(stack(GENERAL)),
        Call(T(0, 2, 2)),
        *calls,
        dtypes=kwargs.pop("dtypes", WIDE),
        rtol=1e-4,
        atol=1e-5,
        wrong=wrong,
        **kwargs,
    )


SINGULAR = Wrong(RuntimeError, "The diagonal element 2 is zero", of([[1.0, 2.0], [2.0, 4.0]], "float32"))
NOT_FINITE = Wrong(RuntimeError, "non-finite", of([[np.nan, 2.0], [2.0, 4.0]], "float32"))
RIGHT = [[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]

SAMPLES = (
    _of_square("linalg.det", np.linalg.det, Call(of([[1.0, 2.0], [2.0, 4.0]]))),
    _of_square("linalg.slogdet", two("slogdet")),
    Samples("logdet", lambda a: np.log(np.linalg.det(a)), Call(of(DEFINITE)), dtypes=REAL, rtol=1e-4),
    _of_square("linalg.inv", np.linalg.inv, wrong=(SINGULAR,)),
    Samples(
        "linalg.inv_ex",
        lambda a: (np.linalg.inv(a), np.int32(0)),
        Call(of(GENERAL)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "linalg.solve",
        lambda a, b, left=True: np.linalg.solve(a, b) if left else adjoint(np.linalg.solve(adjoint(a), adjoint(b))),
        Call(of(GENERAL), of(RIGHT)),
        Call(of(GENERAL, layout="t"), T(3)),
        Call(stack(GENERAL), of(RIGHT)),
        Call(of(GENERAL), T(2, 3), left=False),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        wrong=(Wrong(RuntimeError, "Incompatible shapes", T(3, 3), T(2, 2)),),
    ),
    Samples("linalg.lu_factor", lu_parts, Call(of(GENERAL)), Call(T(3, 2)), dtypes=WIDE, rtol=1e-4, atol=1e-5),
    Samples("linalg.lu", lu, Call(of(GENERAL)), Call(T(3, 2)), Call(T(2, 3)), dtypes=WIDE, rtol=1e-4, atol=1e-5),
    Samples(
        "linalg.lu_solve",
        lambda lu, pivots, b, adjoint=False: np.linalg.solve(
            np.conj((np.tril(lu, -1) + np.eye(3)) @ np.triu(lu)).T
            if adjoint
            else (np.tril(lu, -1) + np.eye(3)) @ np.triu(lu),
            b,
        ).astype(b.dtype),
        Call(of(GENERAL), of([1, 2, 3], "int32"), of(RIGHT)),
        Call(of(GENERAL), of([1, 2, 3], "int32"), of(RIGHT), adjoint=True),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "linalg.cholesky",
        lambda a, upper=False: adjoint(np.linalg.cholesky(a)) if upper else np.linalg.cholesky(a),
        Call(of(DEFINITE)),
        Call(stack(DEFINITE)),
        Call(of(DEFINITE), upper=True),
        dtypes=WIDE,
        rtol=1e-4,
        wrong=(Wrong(RuntimeError, "leading minor of order 2", of([[1.0, 2.0], [2.0, 1.0]], "float32")),),
    ),
    Samples("cholesky", lambda a: np.linalg.cholesky(a), Call(of(DEFINITE)), dtypes=WIDE, rtol=1e-4),
    Samples(
        "linalg.cholesky_ex",
        lambda a: (np.linalg.cholesky(a), np.int32(0)),
        Call(of(DEFINITE)),
        dtypes=WIDE,
        rtol=1e-4,
    ),
    Samples(
        "cholesky_solve",
        lambda b, lower: np.linalg.solve(lower @ adjoint(lower), b),
        Call(T(2, 2), of(LOWER)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "cholesky_inverse",
        lambda lower: np.linalg.inv(lower @ adjoint(lower)),
        Call(of(LOWER)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "linalg.solve_triangular",
        triangle,
        Call(of(GENERAL), of(RIGHT), upper=True),
        Call(of(GENERAL), of(RIGHT), upper=False, unitriangular=True),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "triangular_solve",
        lambda b, a, upper=True: (np.linalg.solve(np.triu(a) if upper else np.tril(a), b), a),
        Call(of(RIGHT), of(GENERAL)),
        Call(of(RIGHT), of(GENERAL), False),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "linalg.qr",
        lambda a, mode="reduced": tuple(np.linalg.qr(a, mode)),
        Call(of(GENERAL)),
        Call(T(2, 4, 2)),
        Call(T(3, 2), "complete"),
        Call(T(2, 3)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        view=lambda q, r: (q @ r, adjoint(q) @ q, np.abs(r)),
        wrong=(Wrong(RuntimeError, "unrecognized mode", T(2, 2), "raw"),),
    ),
    Samples(
        "qr",
        lambda a: tuple(np.linalg.qr(a)),
        Call(of(GENERAL)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        view=lambda q, r: (q @ r, np.abs(r)),
    ),
    Samples(
        "linalg.eigh",
        lambda a, UPLO="L": tuple(np.linalg.eigh(a, UPLO)),
        Call(of(DEFINITE)),
        Call(stack(DEFINITE)),
        Call(of(GENERAL), "U"),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        view=rebuilt,
        wrong=(Wrong(RuntimeError, "non-finite", of([[np.nan, 2.0], [2.0, 4.0]], "float32"), torch=False),),
    ),
    Samples("linalg.eigvalsh", np.linalg.eigvalsh, Call(of(DEFINITE)), Call(T(0, 0)), dtypes=WIDE, rtol=1e-4),
    Samples(
        "linalg.eig",
        lambda a: tuple(x.astype(np.result_type(a.dtype, np.complex64)) for x in np.linalg.eig(a)),
        Call(of(GENERAL)),
        Call(stack(GENERAL)),
        dtypes=WIDE,
        rtol=1e-3,
        atol=1e-4,
        view=rebuilt_any,
        wrong=(NOT_FINITE,),
    ),
    Samples(
        "linalg.eigvals",
        lambda a: np.linalg.eigvals(a).astype(np.result_type(a.dtype, np.complex64)),
        Call(of(GENERAL)),
        dtypes=WIDE,
        rtol=1e-3,
        atol=1e-4,
        view=lambda w: w[np.argsort(w.real + 1e-3 * w.imag)],
    ),
    Samples(
        "linalg.svd",
        lambda a, full_matrices=True: tuple(np.linalg.svd(a, full_matrices)),
        Call(of(GENERAL)),
        Call(T(2, 3, 2)),
        Call(T(2, 4), full_matrices=False),
        Call(T(0, 2)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        view=product,
        wrong=(NOT_FINITE,),
    ),
    Samples(
        "svd",
        with_v,
        Call(T(4, 2)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        view=product_v,
    ),
    Samples("linalg.svdvals", lambda a: np.linalg.svd(a, compute_uv=False), Call(T(2, 3)), dtypes=WIDE, rtol=1e-4),
    Samples(
        "linalg.pinv",
        lambda a, rcond=None, rtol=1e-5: np.linalg.pinv(a, rtol if rcond is None else rcond),
        Call(T(2, 3)),
        Call(of([[1.0, 2.0], [2.0, 4.0]])),
        Call(T(0, 3)),
        Call(of([[1.0, 2.0], [2.0, 4.0]]), 0.1),
        Call(of(DEFINITE), rtol=T(values=0.01)),
        dtypes=WIDE,
        rtol=1e-3,
        atol=1e-4,
    ),
    Samples("pinverse", np.linalg.pinv, Call(T(3, 2)), dtypes=WIDE, rtol=1e-3, atol=1e-4),
    Samples(
        "linalg.matrix_rank",
        lambda a, tol=None: np.int64(np.linalg.matrix_rank(a, tol)),
        Call(of([[1.0, 2.0], [2.0, 4.0]])),
        Call(T(3, 2)),
        Call(of(DEFINITE), 0.01),
        dtypes=WIDE,
    ),
    Samples(
        "linalg.lstsq",
        least,
        Call(of(RIGHT), T(3, 2), driver="gelsd"),
        Call(of(RIGHT), T(3, 2)),
        dtypes=WIDE,
        rtol=1e-3,
        atol=1e-4,
        wrong=(Wrong(RuntimeError, "should be one of", T(3, 2), T(3, 2), driver="qr"),),
    ),
    Samples(
        "linalg.matrix_power",
        np.linalg.matrix_power,
        Call(of(GENERAL), 3),
        Call(of(GENERAL), -2),
        Call(of(GENERAL), 0),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "linalg.matrix_exp",
        exponential,
        Call(of(np.array(GENERAL) / 8)),
        Call(T(2, 2, 2)),
        Call(T(0, 0)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-4,
    ),
    Samples(
        "linalg.cond",
        lambda a, p=None: np.linalg.cond(a, p),
        Call(of(GENERAL)),
        Call(of(GENERAL), -2),
        Call(of(GENERAL), 1),
        Call(of(GENERAL), "nuc"),
        Call(of(GENERAL), "fro"),
        Call(of([[1.0, 2.0], [2.0, 4.0]]), float("inf")),
        dtypes=WIDE,
        rtol=1e-3,
        wrong=(Wrong(RuntimeError, "invalid norm type", T(2, 2), 3),),
    ),
    Samples(
        "linalg.matrix_norm",
        lambda a, ord="fro", dim=(-2, -1), keepdim=False: np.linalg.norm(a, ord, tuple(dim), keepdim),
        Call(of(GENERAL)),
        Call(T(2, 3, 2), "nuc", (0, 1)),
        Call(T(2, 3, 2), float("inf"), (2, 0), True),
        Call(T(3, 2), -1),
        Call(T(2, 3), 2),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        wrong=(Wrong(RuntimeError, "Order 3", T(2, 2), 3), Wrong(RuntimeError, "at least 2", T(2))),
    ),
    Samples(
        "linalg.norm",
        lambda a, ord=None, dim=None, keepdim=False: np.linalg.norm(
            a.ravel() if ord is None and dim is None else a, ord, dim, keepdim
        ),
        Call(T(2, 3, 2)),
        Call(T(2, 3), 1),
        Call(T(2, 3), "nuc"),
        Call(T(2, 3), 3, 1),
        Call(T(2, 3), 2.0, (0, 1)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "linalg.vecdot",
        lambda x, y, dim=-1: (x.conj() * y).sum(dim),
        Call(T(2, 3), T(2, 3)),
        Call(T(2, 3), T(2, 1), dim=0),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "linalg.tensorinv",
        np.linalg.tensorinv,
        Call(of(np.array(GENERAL).reshape(1, 3, 3))),
        Call(of(np.array(GENERAL).reshape(3, 3, 1)), 1),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
        wrong=(Wrong(RuntimeError, "must be equal", T(2, 3), 1),),
    ),
    Samples(
        "linalg.tensorsolve",
        np.linalg.tensorsolve,
        Call(of(np.array(GENERAL).reshape(3, 1, 3)), T(3, 1)),
        Call(of(np.array(GENERAL).reshape(3, 3, 1)), T(3, 1), (1,)),
        dtypes=WIDE,
        rtol=1e-4,
        atol=1e-5,
    ),
)
