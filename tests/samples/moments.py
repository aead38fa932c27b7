"""Samples of variances, norms, distances and products of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, FLOATS, HALVES, Array, Call, Name, Samples, T, Wrong

NAN = float("nan")
INF = float("inf")
ROUGH = (*FLOATS, *HALVES)
WRONG_DIM = Wrong(IndexError, "Dimension out of range", T(2, 3), 2)


def _corrected(x: Array, dim: Any = None, unbiased: Any = True, keepdim: bool = False, correction: Any = None) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return {
        "axis": None if dim is None or dim == () else dim,
        "ddof": int(unbiased) if correction is None else correction,
        "keepdims": keepdim,
    }


def _moment(function: Any) -> Any:
    def moment(x: Array, *args: Any, **kwargs: Any) -> Array:
        options = _corrected(x, *args, **kwargs)
        count = x.size if options["axis"] is None else np.prod([x.shape[d] for d in np.atleast_1d(options["axis"])])
        if count <= options["ddof"]:  # the divisor is 0 at the least
            options["ddof"] = float(count)
        return np.asarray(function(x, **options)).astype(x.dtype)

    return moment


def _with_mean(function: Any) -> Any:
    def both(x: Array, *args: Any, **kwargs: Any) -> tuple[Array, Array]:
        options = _corrected(x, *args, **kwargs)
        mean = np.mean(x, axis=options["axis"], keepdims=options["keepdims"])
        return _moment(function)(x, *args, **kwargs), np.asarray(mean)

    return both


def _norm(x: Array, order: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Array:
    x = np.abs(x if dtype is None else x.astype(dtype))
    order = 2 if order is None or order == "fro" else order
    axis = None if dim is None or dim == () else dim
    if order == 0:
        found = np.sum(x != 0, axis=axis, keepdims=keepdim)
    elif order in (INF, -INF):
        found = (np.max if order > 0 else np.min)(x, axis=axis, keepdims=keepdim)
    else:
        found = np.sum(x.astype(np.float64) ** order, axis=axis, keepdims=keepdim) ** (1 / order)
    return np.asarray(found).astype(x.dtype)


def _dist(x: Array, y: Array, p: float = 2) -> Array:
    return _norm(x - y, p)


def _pairwise(x: Array, y: Array, p: float = 2, eps: float = 1e-6, keepdim: bool = False) -> Array:
    return _norm(x - y + np.asarray(eps, x.dtype), p, -1, keepdim)


def _normalized(x: Array, p: float = 2, dim: Any = 1, eps: float = 1e-12) -> Array:
    return x / np.maximum(_norm(x, p, dim, True), np.asarray(eps, x.dtype))


def _cosine(x: Array, y: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    return np.asarray(
        np.sum(x * y, axis=dim) / (np.maximum(_norm(x, 2, dim), eps) * np.maximum(_norm(y, 2, dim), eps)), x.dtype
    )


def _inner(x: Array, y: Array) -> Array:
    return np.asarray(x * y if x.ndim == 0 or y.ndim == 0 else np.inner(x, y)).astype(np.result_type(x, y))


MOMENTS = (
    Call(T(3, 5)),
    Call(T(3, 5), False),
    Call(T(3, 5, layout="t"), 1),
    Call(T(2, 3, 4, layout="s"), (0, 2), False, True),
    Call(T(3, 5), 0, correction=2),
    Call(T(3, 5, layout="r"), correction=0, keepdim=True, dim=(0, 1)),
    Call(T(2, 3, values=[[1.0, NAN, 2.0], [0.0, -1.0, 4.0]]), 1),
    Call(T(40, 70), 0),
)
WRONG_MOMENTS = (WRONG_DIM, Wrong(RuntimeError, "floating point", T(3, dtype="int64")))

SAMPLES = (
    *(
        Samples(name, made(function), *MOMENTS, dtypes=ROUGH, wrong=WRONG_MOMENTS, rtol=1e-4, atol=1e-5)
        for name, made, function in (
            ("var", _moment, np.var),
            ("std", _moment, np.std),
            ("var_mean", _with_mean, np.var),
            ("std_mean", _with_mean, np.std),
        )
    ),
    Samples(
        "norm",
        _norm,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 1, 0),
        Call(T(3, 4, layout="s"), INF, (0, 1), True),
        Call(T(3, 4), "fro", dim=-1, dtype=Name("float64")),
        Call(T(5, layout="r"), 3.5),
        Call(T(4, values=[0.0, 1.0, 0.0, -2.0]), 0),
        Call(T(), 2),
        Call(T(0), 2),
        dtypes=ROUGH,
        wrong=(WRONG_DIM_2 := Wrong(IndexError, "Dimension out of range", T(3), 2, 1),),
    ),
    Samples(
        "linalg.vector_norm",
        _norm,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 1, 0),
        Call(T(3, 4, layout="s"), -INF, (0, 1), True),
        Call(T(3, 4), 3, dim=-1, dtype=Name("float64")),
        Call(T(5, layout="r"), 0.5),
        Call(T(3, dtype="complex64")),
        Call(T(0)),
        dtypes=ROUGH,
        wrong=(
            WRONG_DIM_2,
            Wrong(RuntimeError, "", T(0), INF),
            Wrong(RuntimeError, "floating point or complex", T(3, dtype="int64")),
        ),
    ),
    Samples(
        "dist",
        _dist,
        Call(T(3, 4), T(3, 4)),
        Call(T(3, 4, layout="t"), T(4), 1),
        Call(T(3), T(), INF),
        Call(T(3), T(3), 0),
        Call(T(0), T(0)),
        wrong=(Wrong(RuntimeError, "must match", T(3), T(4)),),
    ),
    *(
        Samples(
            name,
            _pairwise,
            Call(T(3, 4), T(3, 4)),
            Call(T(3, 4, layout="t"), T(4), 1.0, 0.5, True),
            Call(T(4), T(4), p=3.0),
            Call(T(2, 3, 4), T(3, 4, layout="s"), p=INF),
            wrong=(Wrong(RuntimeError, "", T(2, 3), T(2, 4)),),
        )
        for name in ("pairwise_distance", "nn.functional.pairwise_distance")
    ),
    Samples(
        "nn.functional.normalize",
        _normalized,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 1, 0),
        Call(T(2, 3, 4, layout="s"), dim=(0, 2)),
        Call(T(2, 3), p=3, dim=-1, eps=9.0),
        dtypes=ROUGH,
        wrong=(Wrong(IndexError, "Dimension out of range", T(3)),),
    ),
    *(
        Samples(
            name,
            _cosine,
            Call(T(3, 4), T(3, 4)),
            Call(T(3, 4, layout="t"), T(3, 4), 0),
            Call(T(2, 3, 4), T(3, 4, layout="s"), dim=-1),
            Call(T(4), T(4), 0, 2.5),
            wrong=(Wrong(RuntimeError, "", T(2, 3), T(2, 4)), Wrong(IndexError, "Dimension out of range", T(3), T(3))),
        )
        for name in ("cosine_similarity", "nn.functional.cosine_similarity")
    ),
    Samples(
        "inner",
        _inner,
        Call(T(4), T(4)),
        Call(T(2, 3, layout="t"), T(5, 3)),
        Call(T(2, 3), T()),
        Call(T(), T(3, layout="r")),
        Call(T(2, 0), T(3, 0)),
        Call(T(2, 2, 3), T(4, 3, layout="s")),
        dtypes=(*FLOATS, "int64", "complex64"),
        rtol=1e-4,
        atol=1e-5,
        wrong=(Wrong(RuntimeError, "", T(2), T(3)),),
    ),
    *(
        Samples(
            name,
            np.outer,
            Call(T(3), T(4)),
            Call(T(3, layout="s"), T(2, layout="r")),
            Call(T(0), T(3)),
            Call(T(2, dtype="int64"), T(2, dtype="float64")),
            dtypes=(*ALL, *HALVES, "complex64"),
            wrong=(Wrong(RuntimeError, "1-D", T(2, 2), T(2)),),
        )
        for name in ("outer", "ger")
    ),
    Samples(
        "trace",
        lambda x: np.asarray(np.trace(x), np.int64 if x.dtype.kind in "biu" else x.dtype),
        Call(T(3, 4)),
        Call(T(3, 3, layout="t")),
        Call(T(2, 3, layout="r")),
        Call(T(0, 2)),
        dtypes=(*FLOATS, "int64", "int8", "uint8", "complex64"),
        wrong=(Wrong(RuntimeError, "expected a matrix", T(3)),),
    ),
    Samples(
        "nn.functional.linear",
        lambda x, w, b=None: np.asarray(x @ w.T + (0 if b is None else b)).astype(x.dtype),
        Call(T(5, 3), T(2, 3)),
        Call(T(5, 3, layout="t"), T(2, 3, layout="s"), T(2)),
        Call(T(3), T(2, 3), T(2)),
        Call(T(2, 4, 3), T(2, 3)),
        Call(T(0, 3), T(2, 3), T(2)),
        Call(T(20, 50), T(30, 50), T(30)),
        dtypes=(*FLOATS, "int64", "complex64"),
        rtol=1e-4,
        atol=1e-5,
        wrong=(
            Wrong(RuntimeError, "", T(2, 3), T(2, 4)),
            Wrong(RuntimeError, "", T(2, 3), T(2, 3), T(3)),
            Wrong(RuntimeError, "dtype", T(2, 3), T(2, 3, dtype="int64")),
        ),
    ),
)
"""All samples of this module."""
