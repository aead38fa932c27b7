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


SAMPLES = (
    Samples(
        "diff",
        lambda x, n=1, dim=-1: np.diff(x, n, dim),
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 2, 0),
        Call(T(4, dtype="bool")),
        dtypes=NUMBERS,
        wrong=(Wrong(RuntimeError, "at least one-dimensional", T()),),
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
        lambda x, correction=1: np.cov(x, ddof=correction),
        Call(T(3, 5)),
        Call(T(5), correction=0),
        wrong=(Wrong(RuntimeError, "two or fewer", T(2, 2, 2)),),
    ),
    Samples("corrcoef", np.corrcoef, Call(T(3, 5)), wrong=(Wrong(RuntimeError, "two or fewer", T(2, 2, 2)),)),
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
