"""Samples of operators that fill tensors, count elements into bins and round to decimals."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, Array, Call, Samples, T, Wrong


def _histogram(x: Array, bins: Any = 100, **named: Any) -> tuple[Array, Array]:
    given = {("weights" if k == "weight" else k): v for k, v in named.items()}
    hist, edges = np.histogram(x, bins, **given)
    return hist.astype(x.dtype), edges.astype(x.dtype)


def _static(x: Array, size: int, fill_value: int = -1) -> Array:
    found = np.argwhere(x)[:size]
    return np.concatenate([found, np.full((size - len(found), x.ndim), fill_value)])


SAMPLES = (
    Samples(
        "fill",
        lambda x, value: np.full_like(x, value),
        Call(T(2, 3), 2),
        Call(T(2, 3, layout="t"), T()),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "0-dimension", T(2), T(2)),),
    ),
    Samples(
        "round",
        lambda x, decimals=0: np.round(x, decimals),
        Call(T(3, 4)),
        Call(T(3, 4), decimals=2),
        Call(T(5, low=-2000, high=2000), decimals=-2),
        Call(T(3), decimals=0),
        wrong=(Wrong(RuntimeError, "", T(2, dtype="bool"), decimals=1),),
    ),
    Samples(
        "histogram",
        _histogram,
        Call(T(20), 5),
        Call(T(4, 5), 4, range=(-1.0, 2.0), weight=T(4, 5, low=0, high=1), density=True),
        Call(T(20), T(4, values=(-2.0, 0.0, 0.5, 2.0))),
        wrong=(
            Wrong(RuntimeError, "bins must be > 0", T(3), 0),
            Wrong(RuntimeError, "same shape", T(3), 2, weight=T(2)),
            Wrong(RuntimeError, "one dimension", T(3), T(2, 2)),
        ),
    ),
    Samples(
        "nonzero_static",
        _static,
        Call(T(3, 4, low=-1, high=2, dtype="int64"), size=20),
        Call(T(3, 4, low=-1, high=2, dtype="int64"), size=2, fill_value=7),
        dtypes=("int64", "bool"),
        wrong=(Wrong(RuntimeError, "non-negative", T(2), size=-1),),
    ),
    Samples(
        "broadcast_shapes",
        np.broadcast_shapes,
        Call((2, 1), (3,)),
        Call((4, 1), 3, (2, 1, 1)),
        Call((), (2,), (1,), (1, 1)),
        Call((2, 3)),
        wrong=(Wrong(RuntimeError, "", (2, 1), (3, 2)),),
    ),
)
"""All samples of this module."""
