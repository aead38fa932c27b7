"""Samples of operators that make tensors of several."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from tests.samples.base import ALL, NUMBERS, Array, Call, Name, Samples, T, Wrong


def _product(*arrays: Any) -> Array:
    return np.stack([side.reshape(-1) for side in np.meshgrid(*arrays, indexing="ij")], 1)


def _chosen(x: Array, r: int = 2, with_replacement: bool = False) -> Array:
    ways = combinations_with_replacement(x, r) if with_replacement else combinations(x, r)
    return np.array(list(ways), x.dtype).reshape(-1, r) if r else np.empty((0,), x.dtype)


def _vander(x: Array, n: int | None = None, increasing: bool = False, **named: Any) -> Array:
    wide = x.astype(np.int64) if x.dtype.kind in "iub" else x
    return np.vander(wide, named.get("N", n), increasing)


def _logspace(start: float, end: float, steps: int, base: float = 10.0, dtype: Any = np.float32) -> Array:
    start, end = (int(x) if np.dtype(dtype).kind in "iu" else float(x) for x in (start, end))
    return np.logspace(start, end, steps, base=base, dtype=np.float64).astype(dtype)


def _linspace(start: float, end: float, steps: int, dtype: Any = np.float32) -> Array:
    start, end = (int(x) if np.dtype(dtype).kind in "iu" else float(x) for x in (start, end))
    return np.linspace(start, end, steps, dtype=np.float64).astype(dtype)


SAMPLES = (
    Samples(
        "rot90",
        lambda x, k=1, dims=(0, 1): np.rot90(x, k, dims),
        Call(T(2, 3)),
        Call(T(2, 3, 2, layout="t"), -1, (0, 2)),
        Call(T(2, 3), 2),
        Call(T(2, 0), 4, dims=[1, 0]),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "dims >= 2", T(2)),
            Wrong(RuntimeError, "to be different", T(2, 2), 1, (0, -2)),
            Wrong(RuntimeError, "rotation dims == 2", T(2, 2), 1, (0,)),
            Wrong(IndexError, "Dimension out of range", T(2, 2), 1, (0, 3)),
        ),
    ),
    Samples(
        "column_stack",
        np.column_stack,
        Call((T(3), T(3, 2))),
        Call([T(3, 2, layout="t"), T(3)]),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "", [T(2), T(3)]),),
    ),
    Samples("kron", np.kron, Call(T(2, 3), T(2, 2)), Call(T(2, 1, 2), T(3)), Call(T(), T(2)), dtypes=NUMBERS),
    Samples(
        "vander",
        _vander,
        Call(T(3)),
        Call(T(3, layout="r"), 2, True),
        Call(T(3), N=0),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "one-dimensional", T(2, 2)), Wrong(RuntimeError, "non-negative", T(2), -1)),
    ),
    Samples(
        "cartesian_prod",
        _product,
        Call(T(2), T(3)),
        Call(T(2), T(1), T(2, layout="r")),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "1D vector", T(2), T(2, 2)), Wrong(RuntimeError, "dtype", T(2), T(2, dtype="int8"))),
    ),
    Samples(
        "combinations",
        _chosen,
        Call(T(4)),
        Call(T(3), 2, True),
        Call(T(4), r=3),
        Call(T(2), 3),
        Call(T(2), 0),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "1D vector", T(2, 2)), Wrong(RuntimeError, "non-negative", T(2), -1)),
    ),
    Samples(
        "logspace",
        _logspace,
        Call(0, 3, 4),
        Call(-1.0, 2.0, 7, 2.0),
        Call(0, 5, 6, base=2.0, dtype=Name("int32")),
        Call(2.6, 0, 3, base=2.0, dtype=Name("int64")),
        Call(T(values=0.5), T(values=2, dtype="int64"), 4),
        Call(T(values=0.5), 3, 4, 2.0),
        Call(0, T(values=1.5), 3, dtype=Name("float64")),
        wrong=(
            Wrong(RuntimeError, "non-negative", 0, 1, -1),
            Wrong(RuntimeError, "0-dimensional", T(1), 1, 3),
        ),
    ),
    Samples(
        "linspace",
        _linspace,
        Call(0, 3, 4),
        Call(-1.0, 2.0, 7),
        Call(4.3, -3, 8, dtype=Name("int64")),
        Call(1.5, 2.5, 1),
        Call(T(values=0.5), T(values=2, dtype="int64"), 4),
        Call(T(values=0.5), 3, 4),
        Call(0, T(values=1.5), 3, dtype=Name("float64")),
        wrong=(
            Wrong(RuntimeError, "non-negative", 0, 1, -1),
            Wrong(RuntimeError, "0-dimensional", T(1), 1, 3),
            Wrong(RuntimeError, "0-dimensional", 1, T(1, 1), 3),
        ),
    ),
)
"""All samples of this module."""
