"""Samples of copies of views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.samples.base import ALL, Array, Call, Samples, T, Wrong


def _strided(x: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0) -> Array:
    flat = np.ascontiguousarray(x).reshape(-1)[storage_offset:]
    return np.lib.stride_tricks.as_strided(flat, size, [s * x.itemsize for s in stride])


def _slice(x: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Array:
    return x[(*(slice(None),) * (dim % x.ndim), slice(start, end, step))]


def _split(x: Any, size: Any, dim: int = 0) -> Any:
    cuts = range(size, x.shape[dim], size) if isinstance(size, int) else np.cumsum(size)[:-1]
    return tuple(np.split(x, cuts, dim))


def _windows(x: Array, dimension: int, size: int, step: int) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dimension)
    return windows[(*(slice(None),) * (dimension % x.ndim), slice(None, None, step))]


def _squeezed(x: Array, dim: Any = None) -> Array:
    if dim is None:
        return x.squeeze()
    dims = (dim,) if isinstance(dim, int) else dim
    return x.squeeze(tuple(d for d in dims if x.shape[d] == 1))


_RANGE = "Dimension out of range"

SAMPLES = (
    Samples("alias_copy", lambda x: x, Call(T(2, 3)), Call(T(2, 3, layout="t")), Call(T()), dtypes=ALL),
    Samples("detach_copy", lambda x: x, Call(T(2, 3)), Call(T(0)), dtypes=ALL),
    Samples(
        "as_strided_copy",
        _strided,
        Call(T(2, 3), (2, 2), (3, 1), 1),
        Call(T(6), (5, 2), (1, 1)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "out of bounds", T(3), (2,), (3,)),),
    ),
    Samples(
        "diagonal_copy",
        lambda x, offset=0, dim1=0, dim2=1: np.diagonal(x, offset, dim1, dim2),
        Call(T(3, 4)),
        Call(T(2, 3, 4, layout="t"), 1, 2, 0),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "identical", T(2, 2), 0, 1, 1), Wrong(IndexError, _RANGE, T(2))),
    ),
    Samples(
        "expand_copy",
        np.broadcast_to,
        Call(T(2, 1), (3, 2, 4)),
        Call(T(1, layout="s"), (2,)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "expanded size", T(2, 3), (2, 4)),),
    ),
    Samples(
        "permute_copy",
        np.transpose,
        Call(T(2, 3, 4), (2, 0, 1)),
        Call(T(2, 3, layout="t"), (-1, 0)),
        dtypes=ALL,
        wrong=(Wrong(IndexError, _RANGE, T(2, 3), (0, 2)),),
    ),
    Samples(
        "select_copy",
        lambda x, dim, index: x.take(index, dim),
        Call(T(3, 4), 1, -2),
        Call(T(3, layout="r"), 0, 0),
        dtypes=ALL,
        wrong=(Wrong(IndexError, "out of bounds", T(3), 0, 3),),
    ),
    Samples(
        "slice_copy",
        _slice,
        Call(T(4, 5), 1, 1, 4, 2),
        Call(T(4, 2, layout="t")),
        Call(T(4), 0, -3),
        Call(T(3, 4, 2), -2, 1),
        dtypes=ALL,
        wrong=(Wrong(IndexError, _RANGE, T(3), 1),),
    ),
    Samples(
        "split_copy",
        _split,
        Call(T(5, 2), 2),
        Call(T(2, 5, layout="t"), 3, -1),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "non-negative", T(3), -1),),
    ),
    Samples(
        "split_with_sizes_copy",
        _split,
        Call(T(5, 2), (2, 0, 3)),
        Call(T(2, 5, layout="s"), (1, 4), dim=1),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "sum exactly to 3", T(3), (1, 1)),),
    ),
    Samples("squeeze_copy", _squeezed, Call(T(2, 1, 3, 1)), Call(T(1, 2, 1), 0), Call(T(1, 2, 1), (0, 1)), dtypes=ALL),
    Samples("t_copy", np.transpose, Call(T(2, 3)), Call(T(3)), dtypes=ALL),
    Samples(
        "transpose_copy",
        np.swapaxes,
        Call(T(2, 3, 4), 0, 2),
        Call(T(2, 3, layout="t"), -1, 0),
        dtypes=ALL,
        wrong=(Wrong(IndexError, _RANGE, T(2), 0, 1),),
    ),
    Samples(
        "unbind_copy",
        lambda x, dim=0: tuple(np.moveaxis(x, dim, 0)),
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), -1),
        dtypes=ALL,
        wrong=(Wrong(IndexError, _RANGE, T(3), 2),),
    ),
    Samples(
        "unfold_copy",
        _windows,
        Call(T(2, 5), 1, 3, 2),
        Call(T(4, 3, layout="t"), -2, 2, 1),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "maximum size", T(3), 0, 4, 1),),
    ),
    Samples(
        "unsqueeze_copy",
        np.expand_dims,
        Call(T(2, 3), 1),
        Call(T(), 0),
        dtypes=ALL,
        wrong=(Wrong(IndexError, _RANGE, T(2), 2),),
    ),
    Samples(
        "view_copy",
        np.reshape,
        Call(T(2, 6), (3, -1)),
        Call(T(0, 3), (0,)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "invalid for input of size", T(4), (3,)),),
    ),
    Samples(
        "view_as_real_copy",
        lambda x: np.stack((x.real, x.imag), -1),
        Call(T(2, 3)),
        Call(T()),
        dtypes=("complex64", "complex128"),
    ),
    Samples(
        "view_as_complex_copy",
        lambda x: x[..., 0] + 1j * x[..., 1],
        Call(T(3, 2)),
        wrong=(Wrong(RuntimeError, "size 2", T(3)),),
    ),
)
"""All samples of this module."""
