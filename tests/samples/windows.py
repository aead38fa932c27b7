"""Samples of `tscript.signal.windows`, against their formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Name, Samples, Wrong


def _of(symmetric: Callable[..., Array]) -> Callable[..., Array]:
    def reference(n: int, *, sym: bool = True, dtype: Any = np.float32, **more: Any) -> Array:
        found = symmetric(n, **more) if sym or n < 2 else symmetric(n + 1, **more)[:n]
        return (np.ones(1) if n == 1 else np.asarray(found)).astype(dtype)

    return reference


def _cosines(a: tuple[float, ...]) -> Callable[[int], Array]:
    def window(n: int) -> Array:
        angle = np.linspace(0, 2 * np.pi, n)
        return np.asarray(sum((-1) ** k * c * np.cos(k * angle) for k, c in enumerate(a)))

    return window


def _middle(n: int) -> Array:
    return np.arange(n) - (n - 1) / 2


def _window(name: str, symmetric: Callable[..., Array], *wrong: Wrong, **more: Any) -> Samples:
    given = {"a": [0.4, 0.5, 0.1]} if name == "general_cosine" else {}
    calls = [Call(n, **given, sym=sym) for n in (7, 8, 1, 0) for sym in (True, False)]
    return Samples(
        f"signal.windows.{name}",
        _of(symmetric),
        *calls,
        Call(5, **{**given, **more}, dtype=Name("float64")),
        dtypes=("float32",),
        atol=1e-6,
        wrong=(Wrong(ValueError, "non-negative window length", -1, **given), *wrong),
    )


SAMPLES = (
    _window("bartlett", np.bartlett),
    _window("blackman", np.blackman),
    _window("cosine", lambda n: np.sin(np.pi * (np.arange(n) + 0.5) / max(n, 1))),
    _window(
        "exponential",
        lambda n, tau=1.0: np.exp(-np.abs(_middle(n)) / tau),
        Wrong(ValueError, "Tau must be positive", 3, tau=0.0),
        Wrong(ValueError, "Center must be None", 3, center=1.0),
        tau=2.0,
    ),
    _window(
        "gaussian",
        lambda n, std=1.0: np.exp(-0.5 * (_middle(n) / std) ** 2),
        Wrong(ValueError, "must be positive", 3, std=-1.0),
        std=2.0,
    ),
    _window(
        "general_cosine",
        lambda n, a: _cosines(tuple(a))(n),
        Wrong(ValueError, "cannot be empty", 3, a=[]),
    ),
    _window("general_hamming", lambda n, alpha=0.54: _cosines((alpha, 1 - alpha))(n), alpha=0.6),
    _window("hamming", np.hamming),
    _window("hann", np.hanning),
    _window(
        "kaiser",
        lambda n, beta=12.0: np.kaiser(n, beta),
        Wrong(ValueError, "non-negative", 3, beta=-1.0),
        beta=3.0,
    ),
    _window("nuttall", _cosines((0.3635819, 0.4891775, 0.1365995, 0.0106411))),
)
"""All samples of this module."""
