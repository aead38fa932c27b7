"""Samples of operators that ask whether tensors are equal, exactly or about."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL, Call, Samples, T, Wrong

_NAN, _INF = float("nan"), float("inf")

SAMPLES = (
    Samples(
        "equal",
        np.array_equal,
        Call(T(3, values=(1, 2, 3)), T(3, values=(1, 2, 3))),
        Call(T(2, 3), T(3, 2)),
        Call(T(2, values=(_NAN, 1)), T(2, values=(_NAN, 1))),
        Call(T(0), T(0)),
        dtypes=ALL,
    ),
    Samples(
        "isclose",
        np.isclose,
        Call(T(2, 3), T(2, 3)),
        Call(T(4, values=(1, _INF, -_INF, _NAN)), T(4, values=(1 + 1e-9, _INF, 5, _NAN)), equal_nan=True),
        Call(T(2, 3, layout="t"), T(3), rtol=0.5, atol=0.25),
        Call(T(2), T(2), 0.0, 0.0),
        dtypes=ALL[:-1],
        wrong=(
            Wrong(RuntimeError, "", T(2, dtype="float32"), T(2, dtype="float64")),
            Wrong(RuntimeError, "rtol must be", T(2), T(2), rtol=-1.0),
            Wrong(RuntimeError, "atol must be", T(2), T(2), atol=_NAN),
        ),
    ),
    Samples(
        "allclose",
        np.allclose,
        Call(T(2, values=(1, 2)), T(2, values=(1, 2))),
        Call(T(2, values=(1, _NAN)), T(2, values=(1, _NAN)), equal_nan=True),
        Call(T(2), T(2, 2), 0.1),
        dtypes=ALL[:-1],
    ),
    Samples("isreal", np.isreal, Call(T(2, 3)), Call(T(2, values=(1j, 2), dtype="complex64")), dtypes=ALL),
)
"""All samples of this module."""
