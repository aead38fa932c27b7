"""Samples of operators that take diagonals out of tensors and put them into them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, Array, Call, Samples, T, Wrong


def _embedded(x: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    for i in range(x.shape[-1]):
        out[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def _blocks(*arrays: Any) -> Array:
    given = [np.atleast_2d(a) for a in arrays]
    out = np.zeros((sum(len(a) for a in given), sum(a.shape[1] for a in given)), np.result_type(*given))
    row = column = 0
    for a in given:
        out[row : row + a.shape[0], column : column + a.shape[1]] = a
        row, column = row + a.shape[0], column + a.shape[1]
    return out


SAMPLES = (
    Samples(
        "diag",
        np.diag,
        Call(T(3)),
        Call(T(3, 4, layout="t"), 1),
        Call(T(2, layout="r"), -2),
        Call(T(0)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "1D or 2D", T(2, 2, 2)), Wrong(RuntimeError, "Got 0D", T())),
    ),
    Samples("diagflat", np.diagflat, Call(T(2, 2)), Call(T(), 1), Call(T(2, 2, layout="t"), -1), dtypes=ALL),
    Samples(
        "diag_embed",
        _embedded,
        Call(T(2, 3)),
        Call(T(2, 3, layout="t"), 1, 0, -1),
        Call(T(3), offset=-1, dim1=1, dim2=0),
        dtypes=ALL,
        wrong=(
            Wrong(IndexError, "Dimension out of range", T(2), 0, 3, 0),
            Wrong(IndexError, "Dimension out of range", T()),
            Wrong(RuntimeError, "identical", T(2), 0, 1, -1),
        ),
    ),
    Samples(
        "block_diag",
        _blocks,
        Call(T(2, 3), T(1, 2)),
        Call(T(2, 2, layout="t"), T(3), T()),
        Call(T(2, dtype="int32"), T(1, 1, dtype="float64")),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "2 or fewer", T(2, 2, 2)),),
    ),
)
"""All samples of this module."""
