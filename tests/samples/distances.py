"""Samples of distances of vectors, products that are added, and derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import FLOATS, Array, Call, Samples, T, Wrong


def _cdist(x: Array, y: Array, p: float = 2.0, compute_mode: str | None = None) -> Array:
    apart = x[..., :, None, :].astype(np.float64) - y[..., None, :, :].astype(np.float64)
    return np.linalg.norm(apart, p, -1).astype(x.dtype)


def _pdist(x: Array, p: float = 2.0) -> Array:
    return _cdist(x, x, p)[np.triu_indices(len(x), 1)]


def _added(product: Any) -> Any:
    def formula(x: Array, a: Array, b: Array, beta: float = 1, alpha: float = 1) -> Array:
        if x.dtype.kind in "iu":
            beta, alpha = int(beta), int(alpha)
        found = alpha * product(a, b)
        return np.asarray(np.broadcast_to(x * beta, found.shape) * (beta != 0) + found).astype(x.dtype)

    return formula


def _gradient(x: Array, spacing: Any = 1.0, dim: Any = None, edge_order: int = 1) -> list[Array]:
    distances = spacing if isinstance(spacing, tuple) else (spacing,)
    found = np.gradient(x, *distances, axis=dim, edge_order=edge_order)
    return list(found) if isinstance(found, list | tuple) else [found]


_SIZES = Wrong(RuntimeError, "", T(2, 2), T(2, 3), T(2, 3))
_BATCHES = Wrong(RuntimeError, "", T(1, 2, 2), T(1, 2, 3), T(1, 2, 3))

SAMPLES = (
    Samples(
        "cdist",
        _cdist,
        Call(T(3, 4), T(2, 4)),
        Call(T(2, 3, 2), T(1, 2, 2), 1.0),
        Call(T(3, 2), T(2, 2), p=float("inf")),
        Call(T(3, 2), T(2, 2), 3.0),
        wrong=(
            Wrong(RuntimeError, "2D tensors", T(2), T(2, 2)),
            Wrong(RuntimeError, "number of columns", T(2, 3), T(2, 2)),
            Wrong(RuntimeError, "floating-point", T(2, 2, dtype="int64"), T(2, 2)),
            Wrong(RuntimeError, "non-negative", T(2, 2), T(2, 2), -1.0),
        ),
    ),
    Samples(
        "pdist",
        _pdist,
        Call(T(4, 3)),
        Call(T(3, 2), 1.0),
        wrong=(Wrong(RuntimeError, "2D tensors", T(2)), Wrong(RuntimeError, "non-negative", T(2, 2), -1.0)),
    ),
    Samples(
        "addmm",
        _added(np.matmul),
        Call(T(2, 2), T(2, 3), T(3, 2), beta=0.5, alpha=2),
        Call(T(2, 2, dtype="int64"), T(2, 3, dtype="int64"), T(3, 2, dtype="int64"), beta=2.5, alpha=1.5),
        wrong=(_SIZES,),
    ),
    Samples(
        "addmv",
        _added(np.matmul),
        Call(T(2), T(2, 3), T(3), beta=0.5, alpha=2),
        Call(T(2, dtype="int64"), T(2, 3, dtype="int64"), T(3, dtype="int64"), beta=2.5, alpha=1.5),
        wrong=(_SIZES,),
    ),
    Samples(
        "addr",
        _added(np.outer),
        Call(T(2, 3), T(2), T(3), beta=0.5, alpha=2),
        Call(T(2, 3, dtype="int64"), T(2, dtype="int64"), T(3, dtype="int64"), beta=3, alpha=2),
        Call(T(2, 3, dtype="bool"), T(2, dtype="bool"), T(3, dtype="bool"), beta=0),
        Call(T(2, 3, dtype="bool"), T(2, dtype="bool"), T(3, dtype="bool")),
        wrong=(
            _SIZES,
            Wrong(
                RuntimeError,
                "argument beta must not be a floating",
                T(2, 3, dtype="int64"),
                T(2, dtype="int64"),
                T(3, dtype="int64"),
                beta=0.5,
            ),
        ),
    ),
    Samples(
        "baddbmm", _added(np.matmul), Call(T(2, 2, 2), T(2, 2, 3), T(2, 3, 2), beta=0.5, alpha=2), wrong=(_BATCHES,)
    ),
    Samples(
        "addbmm",
        _added(lambda a, b: (a @ b).sum(0)),
        Call(T(2, 2), T(3, 2, 4), T(3, 4, 2), beta=0.5, alpha=2),
        Call(T(1), T(3, 2, 4), T(3, 4, 2), beta=0),
        Call(T(2, 2, dtype="int64"), T(3, 2, 4, dtype="int64"), T(3, 4, 2, dtype="int64"), beta=2.5, alpha=0.5),
        wrong=(_BATCHES, Wrong(RuntimeError, "", T(2, 2, dtype="float64"), T(1, 2, 2), T(1, 2, 2))),
    ),
    Samples(
        "gradient",
        _gradient,
        Call(T(4)),
        Call(T(3, 4), spacing=2.0),
        Call(T(3, 4), dim=1, edge_order=2),
        Call(T(3, 4, layout="t"), dim=(1, 0)),
        Call(T(3, 4), spacing=(2.0, 0.5)),
        Call(T(3, 4), spacing=(T(3, values=(0.5, 1.0, 2.5)), T(4, values=(1.0, 2.0, 4.0, 3.0)))),
        Call(T(3, 4), spacing=(T(4, values=(0.5, 1.0, 2.5, 4.0)),), dim=-1, edge_order=2),
        dtypes=FLOATS,
        wrong=(
            Wrong(RuntimeError, "edge_order", T(3), edge_order=3),
            Wrong(RuntimeError, "at least edge_order", T(1)),
            Wrong(RuntimeError, "of length 2", T(2, 2), spacing=(1.0,)),
            Wrong(RuntimeError, "one dimension", T(2), spacing=(T(1, 2),)),
            Wrong(RuntimeError, "expected 2 places", T(2), spacing=(T(3),), torch=False),
            Wrong(IndexError, "out of range", T(3), dim=1),
        ),
    ),
)
"""All samples of this module."""
