"""Samples of reductions."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL, FLOATS, NUMBERS, Call, Name, Samples, T, Wrong

NAN = float("nan")


def _dims(dim: int | tuple[int, ...] | None) -> int | tuple[int, ...] | None:
    return None if dim == () else dim


SAMPLES = (
    Samples(
        "sum",
        lambda x, dim=None, keepdim=False, dtype=None: np.sum(
            x, _dims(dim), keepdims=keepdim, dtype=dtype or (np.int64 if x.dtype.kind in "biu" else None)
        ),
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 1),
        Call(T(2, 3, 4, layout="r"), (0, -1), keepdim=True),
        Call(T(0, 3), 0),
        Call(T(), dtype=Name("float64")),
        Call(T(3, values=[1.0, NAN, 2.0])),
        Call(T(3, 40, dtype="complex64", layout="t"), 1),
        dtypes=(*ALL, "complex128"),
        wrong=(Wrong(IndexError, "Dimension out of range", T(3), 2),),
    ),
    Samples(
        "mean",
        lambda x, dim=None, keepdim=False: np.mean(x, dim, keepdims=keepdim),
        Call(T(3, 4)),
        Call(T(3, 4, layout="s"), 0),
        Call(T(2, 3, 4), (0, 2), True),
        Call(T(0)),
        Call(T(3, 4, dtype="complex64"), 0),
        dtypes=(*FLOATS, "complex128"),
        wrong=(Wrong(RuntimeError, "could not infer output dtype", T(3, dtype="int64")),),
    ),
    Samples(
        "prod",
        lambda x, dim=None, keepdim=False: np.prod(x, dim, keepdims=keepdim),
        Call(T(3, 2)),
        Call(T(3, 2, layout="t"), 1, True),
        Call(T(0, 2), 0),
        Call(T(3, 4, dtype="complex64"), 0),
        dtypes=NUMBERS,
    ),
)
"""All samples of this module."""
