"""Samples of incomplete gamma functions, and of floats taken apart."""

from __future__ import annotations

import math

import numpy as np

from tests.samples.base import FLOATS, NUMBERS, Array, Call, Samples, T, Wrong

_INF, _NAN = float("inf"), float("nan")


def _lower(a: Array, x: Array) -> Array:
    """By 20,000 trapezoids, of the exponential of the variable."""

    def one(s: float, z: float) -> float:
        t = np.linspace(math.log(z) - 60 / s, math.log(z), 20001)
        values = np.exp(s * t - np.exp(t))
        return float((values.sum() - (values[0] + values[-1]) / 2) * (t[1] - t[0]) / math.gamma(s))

    return np.vectorize(one)(np.float64(a), np.float64(x)).astype(a.dtype)


def _frexp(x: Array) -> tuple[Array, Array]:
    mantissa, exponent = np.frexp(x)
    return mantissa, np.where(np.isfinite(x), exponent, 0).astype(np.int32)


_PAIRS = (
    Call(T(3, 4, low=0.5, high=9), T(4, low=0.1, high=12)),
    Call(T(2, values=(2.0, 5.0)), T(2, values=(1.0, 20.0))),
)

SAMPLES = (
    Samples(
        "igamma",
        _lower,
        *_PAIRS,
        dtypes=("float32",),
        rtol=1e-4,
        wrong=(Wrong(NotImplementedError, "", T(2, dtype="int64"), T(2, dtype="int64")),),
    ),
    Samples("igammac", lambda a, x: 1 - _lower(a, x), *_PAIRS, dtypes=("float32",), rtol=1e-4, atol=1e-5),
    Samples(
        "nextafter",
        np.nextafter,
        Call(T(3, 4), T(4)),
        Call(T(6, values=(0.0, 1.0, -1.0, _INF, _NAN, 2.0)), T(6, values=(-1.0, 2.0, 0.0, 0.0, 1.0, 2.0))),
        rtol=1e-12,
        atol=0,
        wrong=(Wrong(NotImplementedError, "nextafter_cpu", T(2, dtype="int64"), T(2, dtype="int64")),),
    ),
    Samples(
        "frexp",
        _frexp,
        Call(T(3, 4)),
        Call(T(6, values=(0.0, 1e-40, -8.0, _INF, -_INF, _NAN))),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "floating-point", T(2, dtype="int64")),),
    ),
    Samples(
        "ldexp",
        lambda x, y: (x * 2.0 ** y.astype(np.float64)).astype(
            np.result_type(x, np.float32) if x.dtype.kind == "f" else np.float32
        ),
        Call(T(2, 3), T(3, dtype="int64")),
        dtypes=(*FLOATS, *NUMBERS[2:4]),
    ),
)
"""All samples of this module."""
