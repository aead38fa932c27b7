"""Samples of operators that put elements into another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, NUMBERS, Array, Call, Samples, T, Wrong


def _repeated(x: Array, times: Any = None, dim: int | None = None, output_size: int | None = None) -> Array:
    return np.repeat(np.arange(len(x)), x) if times is None else np.repeat(x, times, dim)


SAMPLES = (
    Samples(
        "flip",
        np.flip,
        Call(T(3, 4), (0,)),
        Call(T(3, 4, layout="t"), (0, -1)),
        Call(T(0, 3), (1,)),
        Call(T(2, layout="r"), (0,)),
        dtypes=ALL,
        wrong=(Wrong(IndexError, "Dimension out of range", T(3), (2,)), Wrong(RuntimeError, "dim", T(3), (0, -1))),
    ),
    Samples("fliplr", np.fliplr, Call(T(3, 4)), dtypes=ALL),
    Samples("flipud", np.flipud, Call(T(3, 4)), dtypes=ALL),
    Samples(
        "roll",
        lambda x, shifts, dims=None: np.roll(x, shifts, dims),
        Call(T(3, 4), 2),
        Call(T(3, 4, layout="t"), (1, -5), (0, 1)),
        Call(T(0, 3), 1, 0),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "must align", T(3), (1, 2), (0,)),),
    ),
    Samples(
        "Tensor.repeat",
        np.tile,
        Call(T(3, 2), (2, 1)),
        Call(T(2, 2, layout="t"), (2, 1, 3)),
        Call(T(2), (0,)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "can not be smaller", T(2, 2), (2,)),),
    ),
    Samples("tile", np.tile, Call(T(3, 2), (2,)), Call(T(2), (2, 2)), dtypes=ALL),
    Samples(
        "repeat_interleave",
        _repeated,
        Call(T(3, 2), 2),
        Call(T(3, 2, layout="t"), 3, -1),
        Call(T(2, 2), 0, dim=0),
        Call(T(3, 2), T(3, dtype="int64", values=(2, 0, 1)), dim=0, output_size=3),
        Call(T(2, layout="r"), T(dtype="int32", low=2, high=3)),
        Call(T(3, dtype="int64", low=0, high=3)),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "", T(2), -1),
            Wrong(RuntimeError, "same size", T(2), T(3, dtype="int64", values=(1, 2, 3))),
            Wrong(RuntimeError, "negative", T(2), T(2, dtype="int64", values=(1, -2))),
            Wrong(RuntimeError, "required size", T(1), T(1, dtype="int64", values=(1,)), output_size=4),
        ),
    ),
    Samples(
        "tril",
        lambda x, k=0: np.tril(x, k),
        Call(T(3, 4)),
        Call(T(2, 3, 3, layout="t"), 1),
        Call(T(3, 3), -9),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "2 dimensions", T(3)),),
    ),
    Samples("triu", lambda x, k=0: np.triu(x, k), Call(T(3, 4)), Call(T(2, 3, 3, layout="s"), -1), dtypes=ALL),
    Samples(
        "movedim",
        np.moveaxis,
        Call(T(2, 3, 4), 0, -1),
        Call(T(2, 3, 4), 2, 0),
        Call(T(2, 3, 4), (0, -1), (2, 1)),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "repeated dim", T(2, 3), (0, 0), (0, 1)),
            Wrong(RuntimeError, "same number", T(2, 3), (0, 1), (0,)),
            Wrong(IndexError, "out of range", T(2), (1,), (0,)),
        ),
    ),
    Samples("hstack", np.hstack, Call([T(2, 3), T(2, 1)]), Call((T(2), T(3))), dtypes=ALL),
    Samples("vstack", np.vstack, Call([T(2, 3), T(1, 3)]), Call((T(2), T(2))), dtypes=ALL),
    Samples("dstack", np.dstack, Call([T(2, 3), T(2, 3)]), Call((T(2), T(2))), dtypes=ALL),
    Samples(
        "linalg.cross",
        lambda x, y, dim=-1: np.cross(x, y, axis=dim),
        Call(T(4, 3), T(4, 3)),
        Call(T(3, 2), T(3, 1), dim=0),
        dtypes=NUMBERS,
        wrong=(Wrong(RuntimeError, "length 3", T(2), T(2)),),
    ),
    Samples(
        "tensordot",
        lambda x, y, dims=2: np.tensordot(x, y, dims),
        Call(T(2, 3, 4), T(3, 4, 5)),
        Call(T(2, 3), T(3, 2), dims=1),
        Call(T(2), T(3), dims=0),
        Call(T(2, 3, 4), T(4, 5, 2), dims=([0, 2], [2, 0])),
        Call(T(3, 2, layout="t"), T(3, 4), dims=((-2,), (0,))),
        wrong=(
            Wrong(RuntimeError, "need to match", T(2, 3), T(2, 3), 1),
            Wrong(RuntimeError, "need to match", T(2, 3), T(2, 3), ([0], [1])),
            Wrong(RuntimeError, "same length", T(2, 3), T(2, 3), ([0], [0, 1])),
            Wrong(IndexError, "out of range", T(2, 3), T(2, 3), ([2], [0])),
        ),
    ),
)
"""All samples of this module."""
