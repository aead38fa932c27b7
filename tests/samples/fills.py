"""Samples of operators that fill tensors, count elements into bins and round to decimals."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, Array, Call, Samples, T, Wrong


def _histogram(x: Array, bins: Any = 100, **named: Any) -> tuple[Array, Array]:
    given = {("weights" if k == "weight" else k): v for k, v in named.items()}
    hist, edges = np.histogram(x, bins, **given)
    return hist.astype(x.dtype), edges.astype(x.dtype)


def _histogramdd(
    x: Array, bins: Any, range: Any = None, weight: Array | None = None, density: bool = False
) -> tuple[Array, tuple[Array, ...]]:
    rows = x.reshape(-1, x.shape[-1])
    pairs = None if range is None else list(zip(range[::2], range[1::2], strict=True))
    weights = None if weight is None else weight.reshape(-1)
    hist, edges = np.histogramdd(rows.astype(np.float64), bins, pairs, density, weights)
    return hist.astype(x.dtype), tuple(np.asarray(e).astype(x.dtype) for e in edges)


def _hash(x: Array, dim: Any = None, keepdim: bool = False, mode: int = 0) -> Array:
    wide = x.astype(np.float64).view(np.uint64) if x.dtype.kind == "f" else x.astype(np.int64).view(np.uint64)
    axis = None if dim in (None, ()) else dim
    return np.asarray(np.bitwise_xor.reduce(wide, axis=axis, keepdims=keepdim))


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
        "histogramdd",
        _histogramdd,
        Call(T(20, 2), [3, 4]),
        Call(T(4, 5, 3), 2),
        Call(T(10, 1, layout="t"), [3], range=[-1.0, 2.0], weight=T(10, low=0, high=1), density=True),
        Call(T(20, 2), [T(3, values=(-2.0, 0.5, 2.0)), T(4, values=(-3.0, 0.0, 0.5, 1.0))], density=True),
        wrong=(
            Wrong(RuntimeError, "at least 2 dimensions", T(3), [2]),
            Wrong(RuntimeError, "innermost dimension", T(3, 2), [2]),
            Wrong(RuntimeError, "bins must be > 0", T(3, 2), [2, 0]),
            Wrong(RuntimeError, "should have 4 elements", T(3, 2), [2, 2], range=[0.0, 1.0]),
            Wrong(RuntimeError, "min should not exceed max", T(3, 1), [2], range=[1.0, 0.0]),
            Wrong(RuntimeError, "same shape", T(3, 2), [2, 2], weight=T(2)),
            Wrong(NotImplementedError, "", T(3, 2, dtype="int64"), [2, 2]),
        ),
    ),
    Samples(
        "hash_tensor",
        _hash,
        Call(T(3, 4)),
        Call(T(3, 4, 2, layout="t"), (0, 2), keepdim=True),
        Call(T(3, 4, layout="s"), 1),
        Call(T()),
        dtypes=(*ALL, "float16", "uint64"),
        wrong=(
            Wrong(RuntimeError, "Unknown hash_tensor mode", T(2), mode=1),
            Wrong(NotImplementedError, "ComplexFloat", T(2, dtype="complex64")),
            Wrong(IndexError, "non-zero size", T(2, 0), 1),
        ),
    ),
    Samples(
        "Tensor.resize_",
        lambda x, *size: x,
        Call(T(2, 3), (2, 3)),
        Call(T(2, 3, layout="t"), 2, 3),
        Call(T(), ()),
        dtypes=ALL,
        wrong=(
            Wrong(NotImplementedError, "keeps its sizes, which are (2, 3) and not (6)", T(2, 3), 6, torch=False),
            Wrong(NotImplementedError, "a tensor keeps its sizes", T(2), (3,), torch=False),
        ),
    ),
    Samples(
        "Tensor.resize_as_",
        lambda x, other: x,
        Call(T(2, 3), T(2, 3)),
        wrong=(Wrong(NotImplementedError, "a tensor keeps its sizes", T(2), T(2, 1), torch=False),),
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
