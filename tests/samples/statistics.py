"""Samples of differences, integrals, quantiles and moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import FLOATS, NUMBERS, Array, Call, Samples, T, Wrong

NAN = float("nan")
_SOME = T(2, 3, values=[[NAN, 3.0, 1.0], [0.0, 2.0, 1.0]])


def _trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, dim: int = -1) -> Any:
    return np.trapezoid(y, x, dx, dim)


def _cumulative(y: Array, x: Array | None = None, dx: float = 1.0, dim: int = -1) -> Array:
    lines = np.moveaxis(y, dim, -1)
    steps = dx if x is None else np.diff(x)
    return np.moveaxis(np.cumsum((lines[..., 1:] + lines[..., :-1]) / 2 * steps, -1), -1, dim)


def _quantile(x: Array, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear") -> Any:
    return np.quantile(x, q, dim, keepdims=keepdim, method=interpolation).astype(x.dtype)  # type: ignore[call-overload]


def _diff(x: Array, n: int = 1, dim: int = -1, prepend: Array | None = None, append: Array | None = None) -> Array:
    parts = [part for part in (prepend, x, append) if part is not None]
    return np.diff(np.concatenate(parts, dim) if len(parts) > 1 else x, n, dim)


SAMPLES = (
    Samples(
        "diff",
        _diff,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 2, 0),
        Call(T(4, dtype="bool")),
        Call(T(3, 4), 1, 1, T(3, 2), T(3, 1)),
        Call(T(4), append=T(2)),
        dtypes=NUMBERS,
        wrong=(Wrong(RuntimeError, "at least one-dimensional", T()), Wrong(RuntimeError, "", T(2, 2), prepend=T(3, 1))),
    ),
    Samples(
        "trapezoid",
        _trapezoid,
        Call(T(3, 4)),
        Call(T(3, 4), dx=0.5, dim=0),
        Call(T(3, 4), T(4)),
        Call(T(3, 0)),
    ),
    Samples("cumulative_trapezoid", _cumulative, Call(T(3, 4)), Call(T(3, 4), T(4)), Call(T(3, 4), dx=2.0, dim=0)),
    Samples(
        "nansum",
        lambda x, dim=None, keepdim=False: np.nansum(x, dim, keepdims=keepdim),
        Call(_SOME),
        Call(_SOME, 1, True),
        dtypes=FLOATS,
    ),
    Samples(
        "nanmean",
        lambda x, dim=None, keepdim=False: np.nanmean(x, dim, keepdims=keepdim),
        Call(_SOME),
        Call(_SOME, 0),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "floating point", T(3, dtype="int64")),),
    ),
    Samples(
        "aminmax",
        lambda x, dim=None, keepdim=False: (np.min(x, dim, keepdims=keepdim), np.max(x, dim, keepdims=keepdim)),
        Call(T(3, 4)),
        Call(T(3, 4, layout="s"), dim=1, keepdim=True),
        dtypes=NUMBERS,
        wrong=(Wrong(RuntimeError, "no identity", T(0)),),
    ),
    Samples(
        "quantile",
        _quantile,
        Call(T(3, 4), 0.3),
        Call(T(3, 5), T(2, values=[0.25, 0.9]), dim=1),
        Call(T(3, 5), T(2, values=[0.25, 0.9]), dim=0, keepdim=True),
        Call(T(2, 3, 4), 0.6, dim=1, interpolation="nearest"),
        Call(T(7), 0.4, interpolation="midpoint"),
        Call(T(7), T(2, values=[0.25, 0.9]), interpolation="lower"),
        wrong=(
            Wrong(RuntimeError, "in the range", T(3), 1.5),
            Wrong(RuntimeError, "non-empty", T(0), 0.5),
            Wrong(RuntimeError, "float or double", T(3, dtype="int64"), 0.5),
        ),
    ),
    Samples(
        "nanquantile",
        lambda x, q, dim=None, keepdim=False: np.nanquantile(x, q, dim, keepdims=keepdim).astype(x.dtype),
        Call(_SOME, 0.3),
        Call(_SOME, T(2, values=[0.25, 0.9]), dim=1),
    ),
    Samples(
        "cov",
        lambda x, correction=1, fweights=None, aweights=None: np.cov(
            x, ddof=correction, fweights=fweights, aweights=aweights
        ),
        Call(T(3, 5)),
        Call(T(5), correction=0),
        Call(T(2, 3), fweights=T(3, dtype="int64", values=(1, 2, 1)), aweights=T(3, low=0.5, high=2)),
        Call(T(2, 3), aweights=T(3, low=0.5, high=2)),
        wrong=(
            Wrong(RuntimeError, "two or fewer", T(2, 2, 2)),
            Wrong(RuntimeError, "integral", T(2, 3), fweights=T(3)),
            Wrong(RuntimeError, "floating point", T(2, 3), aweights=T(3, dtype="int64")),
            Wrong(RuntimeError, "numel", T(2, 3), aweights=T(2)),
            Wrong(RuntimeError, "negative", T(2, 3), aweights=T(3, values=(1, -1, 1))),
        ),
    ),
    Samples(
        "corrcoef", np.corrcoef, Call(T(3, 5)), Call(T(1, 4)), wrong=(Wrong(RuntimeError, "two or fewer", T(2, 2, 2)),)
    ),
    Samples(
        "histc",
        lambda x, bins=100, min=0, max=0: np.histogram(x, bins, None if min == max else (min, max))[0].astype(x.dtype),
        Call(T(50), 7, -2, 2),
        Call(T(5, 6), 4),
        wrong=(Wrong(RuntimeError, "bins must be > 0", T(3), 0),),
    ),
    Samples(
        "renorm",
        lambda x, p, dim, maxnorm: x * np.minimum(1, maxnorm / (np.linalg.norm(x, p, 1 - dim, keepdims=True) + 1e-7)),
        Call(T(3, 4), 2, 0, 1.0),
        Call(T(3, 4), 1, 1, 2.0),
    ),
)
"""All samples of this module."""
