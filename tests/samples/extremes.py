"""Samples of the least and the greatest, their positions, and of `all` and `any`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, COMPLEX, HALVES, NUMBERS, WIDE, Array, Call, Samples, T, Wrong

NAN = float("nan")
ORDERED = (*ALL, *HALVES, *WIDE)
TIES = T(2, 4, values=[[1, 3, 3, 0], [2, 2, 2, 2]])
WITH_NAN = T(2, 3, values=[[1.0, NAN, 2.0], [0.0, -1.0, NAN]])
WRONG_DIM = Wrong(IndexError, "Dimension out of range", T(2, 3), 2)


def _tested(function: Any) -> Any:
    def tested(x: Array, dim: Any = None, keepdim: bool = False) -> Array:
        found = function(x != 0, axis=dim, keepdims=keepdim)
        return np.asarray(found, np.uint8 if x.dtype == np.uint8 else np.bool_)

    return tested


def _extreme(function: Any) -> Any:
    return lambda x, dim=None, keepdim=False: function(x, axis=dim if dim != () else None, keepdims=keepdim)


def _position(function: Any) -> Any:
    def position(x: Array, dim: int | None = None, keepdim: bool = False) -> Array:
        if x.ndim == 0:
            return np.asarray(0)
        return np.asarray(function(x, axis=dim, keepdims=keepdim))

    return position


def _pair(extreme: Any, position: Any, pointwise: Any) -> Any:
    def pair(x: Array, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, np.ndarray):
            return pointwise(x, dim)
        if dim is None:
            return extreme(x)
        return extreme(x, axis=dim, keepdims=keepdim), np.asarray(position(x, axis=dim, keepdims=keepdim))

    return pair


SAMPLES = (
    *(
        Samples(
            name,
            _tested(function),
            Call(T(2, 3)),
            Call(T(2, 3, layout="t"), 0),
            Call(T(2, 3, 4, layout="s"), (0, 2), keepdim=True),
            Call(T(0, 2), 0),
            Call(T()),
            Call(T(0)),
            Call(WITH_NAN, -1),
            Call(T(3, 40, layout="r"), 1),
            dtypes=(*ORDERED, *COMPLEX),
            wrong=(WRONG_DIM,),
        )
        for name, function in (("all", np.all), ("any", np.any))
    ),
    *(
        Samples(
            name,
            _extreme(function),
            Call(T(2, 3)),
            Call(T(2, 3, layout="t"), 1),
            Call(T(2, 3, 4, layout="s"), (0, 2), True),
            Call(WITH_NAN, 0),
            Call(T(), 0),
            Call(T(3, 0), 0),
            Call(T(5, 60, layout="r"), -1),
            dtypes=ORDERED,
            wrong=(
                WRONG_DIM,
                Wrong(RuntimeError, "Specify the reduction dim", T(0)),
                Wrong(IndexError, "non-zero size", T(0, 2), 0),
                Wrong(RuntimeError, "appears multiple times", T(2, 3), (0, 0)),
            ),
        )
        for name, function in (("amax", np.max), ("amin", np.min))
    ),
    *(
        Samples(
            name,
            _position(function),
            Call(T(2, 30)),
            Call(T(3, 4, layout="t"), 1),
            Call(TIES, -1, True),
            Call(WITH_NAN, 1),
            Call(T()),
            Call(T(), 0),
            Call(T(0, 3), 1),
            Call(T(3, 50, layout="r"), 1),
            dtypes=(*NUMBERS, *HALVES),
            wrong=(
                WRONG_DIM,
                Wrong(IndexError, "reduction dim", T(0)),
                Wrong(IndexError, "non-zero size", T(0, 2), 0),
                Wrong(RuntimeError, "not implemented for 'Bool'", T(2, dtype="bool")),
            ),
        )
        for name, function in (("argmax", np.argmax), ("argmin", np.argmin))
    ),
    *(
        Samples(
            name,
            _pair(extreme, position, pointwise),
            Call(T(2, 30)),
            Call(T(3, 4, layout="t"), 1),
            Call(TIES, 1, True),
            Call(WITH_NAN, -1),
            Call(WITH_NAN),
            Call(T()),
            Call(T(0, 3), 1),
            Call(T(2, 3), T(3)),
            Call(T(3, 50, layout="r"), 1),
            dtypes=ORDERED,
            wrong=(
                WRONG_DIM,
                Wrong(RuntimeError, "Specify the reduction dim", T(0)),
                Wrong(IndexError, "non-zero size", T(0, 2), 0),
            ),
        )
        for name, extreme, position, pointwise in (
            ("max", np.max, np.argmax, np.maximum),
            ("min", np.min, np.argmin, np.minimum),
        )
    ),
)
"""All samples of this module."""
