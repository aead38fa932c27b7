"""Samples of operators that take tensors apart, and of others whose result is a tuple of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, Call, Samples, T, Wrong


def _unbind(x: Any, dim: int = 0) -> Any:
    return tuple(np.moveaxis(x, dim, 0))


def _split(x: Any, size: Any, dim: int = 0) -> Any:
    if isinstance(size, int):
        return tuple(np.split(x, range(size, x.shape[dim], size) if size else [], dim))
    return tuple(np.split(x, np.cumsum(size)[:-1], dim))


def _chunk(x: Any, n: int, dim: int = 0) -> Any:
    size = x.shape[dim]
    return _split(x, -(-size // n), dim) if size else tuple([x] * n)


def _meshgrid(*arrays: Any, indexing: str = "ij") -> Any:
    arrays = arrays[0] if isinstance(arrays[0], list) else arrays
    return tuple(np.meshgrid(*map(np.atleast_1d, arrays), indexing=indexing))


def _broadcast(*arrays: Any) -> Any:
    return np.broadcast_arrays(*(arrays[0] if isinstance(arrays[0], list | tuple) else arrays))


def _at_least(n: int) -> Any:
    function = (np.atleast_1d, np.atleast_2d, np.atleast_3d)[n - 1]
    return lambda *arrays: function(*(arrays[0] if isinstance(arrays[0], list | tuple) else arrays))


SAMPLES = (
    Samples(
        "unbind",
        _unbind,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), -1),
        Call(T(0, 2)),
        Call(T(2, 3, layout="s"), dim=1),
        dtypes=ALL,
        wrong=(Wrong(IndexError, "Dimension out of range", T(3), 2), Wrong(IndexError, "has no dimensions", T())),
    ),
    Samples(
        "split",
        _split,
        Call(T(5, 4), 2),
        Call(T(5, 4, layout="t"), (1, 3), -1),
        Call(T(0, 3), 2),
        Call(T(4, layout="r"), 4),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "non-negative", T(3), -1),
            Wrong(RuntimeError, "sum exactly to 3", T(3), (1, 1)),
            Wrong(RuntimeError, "1-dimensional", T(), 1),
            Wrong(IndexError, "Dimension out of range", T(3), 1, 2),
        ),
    ),
    Samples("split_with_sizes", _split, Call(T(5, 2), (2, 0, 3)), Call(T(2, 5, layout="s"), [1, 4], dim=1)),
    Samples("unsafe_split", _split, Call(T(5, 2), 2), Call(T(2, 5), 3, 1)),
    Samples("unsafe_split_with_sizes", _split, Call(T(5, 2), (2, 3))),
    Samples(
        "chunk",
        _chunk,
        Call(T(5, 4), 2),
        Call(T(4, 5, layout="t"), 3, dim=-1),
        Call(T(0, 3), 2),
        Call(T(2), 5),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "greater than 0", T(3), 0), Wrong(RuntimeError, "1-dimensional", T(), 1)),
    ),
    Samples("unsafe_chunk", _chunk, Call(T(5, 4), 2)),
    Samples(
        "tensor_split",
        lambda x, cuts, dim=0: np.array_split(x, cuts if np.ndim(cuts) else int(cuts), dim),
        Call(T(5, 4), 3),
        Call(T(5, 4, layout="t"), (1, 3), -1),
        Call(T(5), (3, 1, 9)),
        Call(T(5), (-2,)),
        Call(T(5), T(2, dtype="int64", values=(1, 3))),
        Call(T(5), T(dtype="int64", low=2, high=3)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "larger than 0", T(3), 0),),
    ),
    Samples(
        "hsplit",
        np.hsplit,
        Call(T(3, 4), 2),
        Call(T(4), (1, 2)),
        wrong=(Wrong(RuntimeError, "not divisible", T(2, 3), 2), Wrong(RuntimeError, "at least 1", T(), 2)),
    ),
    Samples("vsplit", np.vsplit, Call(T(4, 3), 2), Call(T(4, 2), (1, 2)), wrong=(Wrong(RuntimeError, "2", T(4), 2),)),
    Samples("dsplit", np.dsplit, Call(T(1, 2, 4), 2), Call(T(1, 2, 4), (1, 2))),
    Samples(
        "meshgrid",
        _meshgrid,
        Call(T(3), T(4), indexing="ij"),
        Call([T(3), T(), T(2, layout="r")], indexing="xy"),
        Call(T(0), T(2), indexing="ij"),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "0D or 1D", T(2, 2), T(2)),
            Wrong(RuntimeError, "indexing must be one of", T(2), indexing="uv"),
            Wrong(RuntimeError, "same dtype", T(2), T(2, dtype="int64")),
        ),
    ),
    Samples(
        "broadcast_tensors",
        _broadcast,
        Call(T(3, 1), T(4)),
        Call(T(2, dtype="int64"), T(), T(3, 1)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "must match", T(3), T(4)),),
    ),
    Samples("atleast_1d", _at_least(1), Call(T()), Call(T(2, 2)), Call(T(), T(3)), dtypes=ALL),
    Samples("atleast_2d", _at_least(2), Call(T(3)), Call(T()), Call([T(3), T(1, 2, 3)])),
    Samples("atleast_3d", _at_least(3), Call(T(3)), Call(T(2, 3)), Call(T()), Call(T(1), T(2, 2, 2, 2))),
)
"""All samples of this module."""
