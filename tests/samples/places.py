"""Samples of operators over places of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, FLOATS, NUMBERS, Array, Call, Samples, T, Wrong


def _reduced(x: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool = True) -> Array:
    out = np.moveaxis(x.astype(np.float64), dim, 0)
    given = np.moveaxis(source.astype(np.float64), dim, 0)
    for i in range(len(out)):
        parts = [given[k] for k in range(len(index)) if index[k] == i]
        if parts:
            if include_self:
                parts.insert(0, out[i])
            how: Any = {"prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]
            found = how(np.stack(parts), 0)
            out[i] = np.floor(found) if x.dtype.kind in "iu" and reduce == "mean" else found
    return np.moveaxis(out, 0, dim).astype(x.dtype)


def _summed(x: Array, size: tuple[int, ...]) -> Array:
    more = x.ndim - len(size)
    dims = tuple(range(more)) + tuple(more + d for d, n in enumerate(size) if n != x.shape[more + d])
    return np.asarray(x.sum(dims, keepdims=True)).reshape(size)


SAMPLES = (
    Samples(
        "unravel_index",
        np.unravel_index,
        Call(T(2, 3, low=0, high=12), (3, 4)),
        Call(T(2, low=0, high=4), 5),
        dtypes=("int64", "int32"),
        wrong=(
            Wrong(TypeError, "integer dtype", T(2, dtype="float32"), (2, 2)),
            Wrong(ValueError, "negative", T(2), (2, -1)),
        ),
    ),
    Samples(
        "index_reduce",
        _reduced,
        Call(T(3, 2), 0, T(4, dtype="int64", values=(0, 2, 0, 0)), T(4, 2), "amax"),
        Call(T(2, 3), 1, T(2, dtype="int64", values=(1, 1)), T(2, 2), "prod"),
        Call(T(3), 0, T(2, dtype="int64", values=(1, 1)), T(2), "mean", include_self=False),
        Call(T(3), -1, T(2, dtype="int64", values=(1, 0)), T(2), "amin"),
        dtypes=NUMBERS,
        wrong=(
            Wrong(RuntimeError, "one of prod", T(2), 0, T(2, dtype="int64", values=(0, 1)), T(2), "sum"),
            Wrong(RuntimeError, "Number of indices", T(2), 0, T(2, dtype="int64", values=(0, 1)), T(3), "prod"),
            Wrong(IndexError, "vector", T(2), 0, T(1, 2, dtype="int64", values=(0, 1)), T(2), "prod"),
            Wrong(
                (RuntimeError), "out of bounds", T(2), 0, T(1, dtype="int64", values=(2,)), T(1), "prod", torch=False
            ),
        ),
    ),
    Samples(
        "narrow",
        lambda x, dim, start, length: x.take(range(start, start + length), dim),
        Call(T(4, 3), 0, 1, 2),
        Call(T(3, 4, layout="t"), -1, T(dtype="int64", low=1, high=2), 3),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "exceeds dimension size", T(3), 0, 2, 2),
            Wrong(RuntimeError, "0-dim integral", T(3), 0, T(1, dtype="int64"), 2),
        ),
    ),
    Samples(
        "narrow_copy",
        lambda x, dim, start, length: x.take(range(start, start + length), dim),
        Call(T(4, 3), 0, 1, 2),
        Call(T(3, 4, layout="t"), 1, 0, 3),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "exceeds dimension size", T(3), 0, 2, 2),),
    ),
    Samples(
        "Tensor.sum_to_size",
        _summed,
        Call(T(2, 3), (1, 3)),
        Call(T(2, 3, 4, layout="t"), (3, 1)),
        Call(T(2, 3), (2, 3)),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "not expandable", T(2), (3,)), Wrong(RuntimeError, "not expandable", T(2), (1, 2))),
    ),
)
"""All samples of this module."""
