"""Samples of Bessel functions: the integrals of the Digital Library of Mathematical Functions, 10.9, 10.32 and 9.5, by
trapezoids, which are as accurate as doubles for these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import FLOATS, Array, Call, Samples, T

_CIRCLE = (np.arange(400) + 0.5) * np.pi / 400


def _of(value: Callable[[float], float]) -> Callable[[Array], Any]:
    return lambda x: np.vectorize(value, otypes=[float])(x.astype(np.float64)).astype(
        x.dtype if x.dtype.kind == "f" else np.float32
    )


def _first(n: int) -> Callable[[float], float]:
    return lambda x: float(np.cos(n * _CIRCLE - x * np.sin(_CIRCLE)).mean())


def _second(n: int) -> Callable[[float], float]:
    def value(x: float) -> float:
        a, weights = np.polynomial.legendre.leggauss(400)
        circle = (a + 1) * np.pi / 2
        near = float((weights * np.sin(x * np.sin(circle) - n * circle)).sum()) / 2
        half = float(np.arcsinh(50 / x)) / 2  # where the integrand ends
        t = (a + 1) * half
        far = float((weights * (np.exp(n * t) + (-1) ** n * np.exp(-n * t)) * np.exp(-x * np.sinh(t))).sum()) * half
        return near - far / np.pi

    return value


def _modified(n: int, *, scaled: bool = False) -> Callable[[float], float]:
    def value(x: float) -> float:
        t = np.arange(0, 12, 1 / 256)
        terms = np.exp(-x * (np.cosh(t) - 1)) * np.cosh(n * t)
        found = float(terms.sum() - terms[0] / 2) / 256
        return found if scaled else found * float(np.exp(-x))

    return value


def _airy(x: float) -> float:
    """The integral along a line in the complex plane where the integrand falls."""
    t = np.arange(-14, 14, 1 / 256) + 1j
    return float((np.exp(1j * (t**3 / 3 + x * t)).sum() / 256 / (2 * np.pi)).real)


def _samples(name: str, value: Callable[[float], float], low: float) -> Samples:
    return Samples(
        f"special.{name}",
        _of(value),
        Call(T(3, 4, low=low, high=30.0)),
        Call(T(40, low=low, high=12.0, dtype="float64")),
        Call(T(2, values=[1, 5], dtype="int64")),
        dtypes=FLOATS,
        rtol=1e-4,
        atol=1e-6,
    )


SAMPLES = (
    _samples("bessel_j0", _first(0), -30.0),
    _samples("bessel_j1", _first(1), -30.0),
    _samples("bessel_y0", _second(0), 0.5),
    _samples("bessel_y1", _second(1), 0.5),
    _samples("modified_bessel_k0", _modified(0), 0.1),
    _samples("modified_bessel_k1", _modified(1), 0.1),
    _samples("scaled_modified_bessel_k0", _modified(0, scaled=True), 0.1),
    _samples("scaled_modified_bessel_k1", _modified(1, scaled=True), 0.1),
    _samples("spherical_bessel_j0", lambda x: float(np.sinc(x / np.pi)), -30.0),
    _samples("airy_ai", _airy, -12.0),
)
"""All samples of this module."""
