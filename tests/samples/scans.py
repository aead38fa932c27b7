"""Samples of scans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import FLOATS, NUMBERS, Array, Call, Name, Samples, T, Wrong

NAN = float("nan")


def _scan(function: Callable[..., Any]) -> Callable[..., Array]:
    def along(x: Array, dim: int, dtype: Any = None) -> Array:
        wanted = dtype or (np.int64 if x.dtype.kind in "biu" else x.dtype)
        if x.ndim == 0:
            return x.astype(wanted)
        return np.asarray(function(x.astype(wanted), axis=dim, dtype=wanted))

    return along


def _extremes(is_greatest: bool) -> Callable[..., tuple[Array, Array]]:
    def along(x: Array, dim: int) -> tuple[Array, Array]:
        values, places = np.atleast_1d(x.copy()), np.zeros(np.atleast_1d(x).shape, np.int64)
        lines, found = np.moveaxis(values, dim, 0), np.moveaxis(places, dim, 0)
        for k in range(1, len(lines)):
            beaten = lines[k] >= lines[k - 1] if is_greatest else lines[k] <= lines[k - 1]
            new = np.isnan(lines[k]) | (beaten & ~np.isnan(lines[k - 1]))
            found[k] = np.where(new, k, found[k - 1])
            lines[k] = np.where(new, lines[k], lines[k - 1])
        return values.reshape(x.shape), places.reshape(x.shape)

    return along


_RANGE = Wrong(IndexError, "Dimension out of range", T(3), 2)

SAMPLES = (
    *(
        Samples(
            name,
            _scan(function),
            Call(T(3, 4, low=0), 1),
            Call(T(3, 70, layout="t"), dim=0),
            Call(T(2, 71), 1),
            Call(T(2, 3, layout="r"), -1, dtype=Name("float64")),
            Call(T(), 0),
            Call(T(0, 3), 0),
            Call(T(3, 4, dtype="complex64"), 0),
            dtypes=(*NUMBERS, "complex128"),
            wrong=(_RANGE,),
        )
        for name, function in (("cumsum", np.cumsum), ("cumprod", np.cumprod))
    ),
    *(
        Samples(
            name,
            _extremes(name == "cummax"),
            Call(T(3, 4), 1),
            Call(T(3, 4, layout="s"), 0),
            Call(T(4, values=[1.0, NAN, 2.0, 2.0]), 0),
            Call(T(), -1),
            dtypes=NUMBERS,
            wrong=(_RANGE,),
        )
        for name in ("cummax", "cummin")
    ),
    Samples(
        "logcumsumexp",
        lambda x, dim: np.logaddexp.accumulate(x, axis=dim),
        Call(T(3, 4), 1),
        Call(T(3, values=[-np.inf, 0.0, np.inf]), 0),
        dtypes=FLOATS,
        wrong=(Wrong(NotImplementedError, "not implemented for 'Long'", T(3, dtype="int64"), 0), _RANGE),
    ),
)
"""All samples of this module."""
