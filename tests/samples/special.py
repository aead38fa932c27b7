"""Samples of special functions that are composites; and of activations that are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.samples.base import FLOATS, INTS, Array, Call, Samples, T, Wrong

NAN, INF = float("nan"), float("inf")
_ODD = T(6, values=[NAN, INF, -INF, 0.0, -0.0, 2.0])
_WHY = "NumPy has no such function"


def _polygamma(n: int, x: Array) -> Any:
    """The series, and what is left of it by the formula of Euler and Maclaurin."""
    a = x + 200.0
    total = np.sum([(x + k) ** -(n + 1.0) for k in range(200)], 0)
    total = total + a**-n / n + a ** -(n + 1.0) / 2 + (n + 1) / 12 * a ** -(n + 2.0)
    return ((-1) ** (n + 1) * math.factorial(n) * total).astype(x.dtype)


SAMPLES = (
    Samples(
        "logit",
        lambda x, eps=0.0: np.log(np.clip(x, eps, 1 - eps) / (1 - np.clip(x, eps, 1 - eps))),
        Call(T(3, 4, low=0, high=1)),
        Call(T(3, 4), eps=0.1),
    ),
    Samples("sinc", np.sinc, Call(T(3, 4)), Call(T(2, values=[0.0, 1.0])), atol=1e-6),
    Samples("special.entr", None, Call(T(3, 4)), Call(_ODD), why=_WHY),
    Samples("special.zeta", None, Call(T(5, low=1.5, high=9), T(5, low=0.5, high=9)), why=_WHY),
    Samples(
        "polygamma",
        _polygamma,
        Call(1, T(5, low=0.5, high=9)),
        Call(3, T(5, low=0.5, high=9)),
        torch=False,
        why="PyTorch's of order 1 is less accurate",
    ),
    Samples("Tensor.polygamma", lambda x, n: _polygamma(n, x), Call(T(5, low=0.5, high=9), 2)),
    Samples("mvlgamma", None, Call(T(5, low=2, high=9), 3), why=_WHY, atol=1e-5),
    Samples(
        "nan_to_num",
        lambda x, nan=None, posinf=None, neginf=None: np.nan_to_num(x, True, nan or 0.0, posinf, neginf),
        Call(_ODD),
        Call(_ODD, 1.0, posinf=2.0, neginf=-2.0),
        Call(T(3, dtype="int64")),
    ),
    Samples("deg2rad", np.deg2rad, Call(T(3, 4))),
    Samples("rad2deg", np.rad2deg, Call(T(3, 4))),
    Samples("signbit", np.signbit, Call(T(3, 4)), Call(_ODD), Call(T(3, dtype="int64"))),
    Samples("isposinf", np.isposinf, Call(_ODD)),
    Samples("isneginf", np.isneginf, Call(_ODD)),
    Samples(
        "float_power",
        np.float_power,
        Call(T(3, 4, low=0), T(4)),
        Call(T(3, 4, low=1, dtype="int64"), 2.5),
        dtypes=FLOATS,
    ),
    Samples("gcd", np.gcd, Call(T(5, low=-30, high=30), T(5, low=-30, high=30)), dtypes=INTS[:3]),
    Samples("lcm", np.lcm, Call(T(5, low=-30, high=30), T(5, low=-30, high=30)), dtypes=INTS[:2]),
    Samples(
        "nn.functional.prelu",
        None,
        Call(T(2, 3, 4), T(3)),
        Call(T(2, 3), T(1)),
        why=_WHY,
        wrong=(Wrong(RuntimeError, "Mismatch", T(2, 3), T(2)),),
    ),
)
"""All samples of this module."""
