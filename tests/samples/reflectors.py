"""Samples of Householder's reflectors, other forms of LU decompositions, and what `tscript.linalg` has besides."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong
from tests.samples.decompositions import GENERAL, REAL, RIGHT, WIDE, adjoint, lu_parts, of, product_v

_BOUND: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-5}
_TAU = [0.5, 1.25]


def _reflected(a: Array, tau: Array) -> Array:
    """The square product of reflectors."""
    found = np.eye(a.shape[-2], dtype=a.dtype)
    for k in range(len(tau)):
        v = np.concatenate((np.zeros(k), [1], a[k + 1 :, k])).astype(a.dtype)
        found = found @ (np.eye(len(v), dtype=a.dtype) - tau[k] * np.outer(v, v.conj()))
    return found


def _times(a: Array, tau: Array, c: Array, left: bool = True, transpose: bool = False) -> Array:
    q = adjoint(_reflected(a, tau)) if transpose else _reflected(a, tau)
    return q @ c if left else c @ q


def _geqrf(a: Array) -> tuple[Array, Array]:
    raw, tau = np.linalg.qr(a, "raw")
    return np.swapaxes(raw, -1, -2), tau


def _chain(*matrices: Any) -> Any:
    return reduce(np.matmul, matrices[0] if isinstance(matrices[0], list) else matrices)


def _center(a: Array, q: int, center: bool = True) -> tuple[Array, ...]:
    u, s, vh = np.linalg.svd(a - a.mean(-2, keepdims=True) * center, full_matrices=False)
    return u[..., :q], s[..., :q], adjoint(vh)[..., :q]


def _low(a: Array, q: int = 6) -> tuple[Array, ...]:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return u[..., :q], s[..., :q], adjoint(vh)[..., :q]


def _unpacked(both: Array, pivots: Array) -> tuple[Array, ...]:
    m, n = both.shape
    order = np.arange(m)
    for i, p in enumerate(pivots):
        order[[i, p - 1]] = order[[p - 1, i]]
    k = min(m, n)
    return np.eye(m, dtype=both.dtype)[order].T, np.tril(both[:, :k], -1) + np.eye(m, k), np.triu(both[:k])


SAMPLES = (
    Samples("geqrf", _geqrf, Call(of(GENERAL)), Call(T(4, 2)), Call(T(2, 2, 3)), dtypes=WIDE, **_BOUND),
    Samples(
        "linalg.householder_product",
        lambda a, tau: _reflected(a, tau)[:, : a.shape[1]],
        Call(of(RIGHT), of(_TAU)),
        Call(of(RIGHT), of(_TAU[:1])),
        dtypes=REAL,
        **_BOUND,
        wrong=(
            Wrong(RuntimeError, "greater than or equal", T(2, 3), T(2)),
            Wrong(RuntimeError, "tau must have", T(3, 2), T(3)),
        ),
    ),
    Samples("orgqr", lambda a, tau: _reflected(a, tau)[:, :2], Call(of(RIGHT), of(_TAU)), dtypes=REAL, **_BOUND),
    Samples(
        "ormqr",
        _times,
        Call(of(RIGHT), of(_TAU), T(3, 4)),
        Call(of(RIGHT), of(_TAU), T(4, 3), False),
        Call(of(RIGHT), of(_TAU), T(3, 4), True, True),
        dtypes=WIDE,
        **_BOUND,
        wrong=(Wrong(RuntimeError, "must be equal to input.shape[-2]", T(3, 2), T(2), T(2, 3)),),
    ),
    Samples(
        "svd_lowrank",
        _low,
        Call(T(5, 3), 3),
        Call(T(2, 3, 5), q=3),
        dtypes=WIDE,
        view=product_v,
        **_BOUND,
        wrong=(
            Wrong(ValueError, "not greater than min", T(2, 3), 3, torch=False),
            Wrong(ValueError, "niter", T(2, 3), 2, -1, torch=False),
        ),
    ),
    Samples(
        "pca_lowrank",
        _center,
        Call(T(5, 3), 3),
        Call(T(4, 3), q=3, center=False),
        dtypes=REAL,
        view=product_v,
        **_BOUND,
        wrong=(Wrong(ValueError, "not greater than min", T(2, 3), 3),),
    ),
    Samples(
        "linalg.lu_factor_ex",
        lambda a: (*lu_parts(a), np.int32(0)),
        Call(of(GENERAL)),
        dtypes=WIDE,
        **_BOUND,
        wrong=(Wrong(RuntimeError, "diagonal element 2", of([[1.0, 2.0], [2.0, 4.0]], "float32"), check_errors=True),),
    ),
    Samples(
        "lu",
        lambda a, get_infos=False: (*lu_parts(a), np.int32(0)) if get_infos else lu_parts(a),
        Call(of(GENERAL)),
        Call(of(GENERAL), get_infos=True),
        dtypes=WIDE,
        **_BOUND,
    ),
    Samples(
        "lu_solve",
        lambda b, both, pivots: np.linalg.solve((np.tril(both, -1) + np.eye(3)) @ np.triu(both), b).astype(b.dtype),
        Call(of(RIGHT), of(GENERAL), of([1, 2, 3], "int32")),
        dtypes=WIDE,
        **_BOUND,
        wrong=(Wrong(RuntimeError, "", T(2, 2), T(3, 3), of([1, 2, 3], "int32")),),
    ),
    Samples(
        "lu_unpack",
        _unpacked,
        Call(of(GENERAL), of([2, 3, 3], "int32")),
        Call(of(RIGHT), of([3, 2], "int32")),
        dtypes=WIDE,
        **_BOUND,
        wrong=(Wrong(RuntimeError, "int32", T(2, 2), of([1, 2], "int64")),),
    ),
    Samples(
        "linalg.solve_ex",
        lambda a, b: (np.linalg.solve(a, b), np.int32(0)),
        Call(of(GENERAL), of(RIGHT)),
        dtypes=WIDE,
        **_BOUND,
        wrong=(Wrong(RuntimeError, "singular", of([[1.0, 2.0], [2.0, 4.0]]), T(2), check_errors=True),),
    ),
    Samples(
        "linalg.multi_dot",
        _chain,
        Call([T(2, 3), T(3, 4), T(4, 2)]),
        Call([T(3), T(3, 4), T(4)]),
        Call([T(10, 2), T(2, 10), T(10, 3), T(3, 1)]),
        dtypes=WIDE,
        **_BOUND,
        wrong=(
            Wrong(RuntimeError, "at least 2 tensors", [T(2, 2)]),
            Wrong(RuntimeError, "cannot be multiplied", [T(2, 3), T(2, 3)]),
            Wrong(RuntimeError, "2D but got 1D", [T(2, 3), T(3), T(3)]),
        ),
    ),
    Samples("chain_matmul", _chain, Call(T(2, 3), T(3, 4)), dtypes=REAL, **_BOUND),
    Samples(
        "linalg.diagonal",
        lambda a, offset=0: np.diagonal(a, offset, -2, -1),
        Call(T(2, 3, 4)),
        Call(T(3, 4), offset=1),
    ),
    Samples(
        "linalg.vander",
        lambda x, N=None: np.stack([np.atleast_1d(x) ** k for k in range(N or x.shape[-1])], -1),
        Call(T(2, 3)),
        Call(T(), N=3),
        Call(T(2), N=4),
        dtypes=(*WIDE, "int64"),
        **_BOUND,
        wrong=(Wrong(RuntimeError, "greater than 1", T(3), N=1),),
    ),
)
"""All samples of this module."""
