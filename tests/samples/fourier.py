"""Samples of Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.samples.base import COMPLEX, FLOATS, Array, Call, Samples, T, Wrong


def _of(function: Callable[..., Array]) -> Callable[..., Array]:
    """NumPy's transform in the precision of the input."""

    def reference(x: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
        found = function(x, n, dim, norm)
        if x.dtype in (np.float64, np.complex128):
            return found
        return found.astype(np.complex64 if found.dtype.kind == "c" else np.float32)

    return reference


def _samples(name: str, dtypes: tuple[str, ...], *more: Call) -> Samples:
    return Samples(
        f"fft.{name}",
        _of(getattr(np.fft, name)),
        Call(T(3, 8)),
        Call(T(30), 20, norm="ortho"),
        Call(T(7, 3, layout="t"), dim=0, norm="forward"),
        Call(T(2, 5), 9, -1),
        *more,
        dtypes=dtypes,
        atol=2e-5,
        wrong=(
            Wrong(RuntimeError, "Invalid number of data points", T(3), 0),
            Wrong(RuntimeError, "Invalid normalization mode", T(3), norm="none"),
        ),
    )


SAMPLES = (
    _samples("fft", (*COMPLEX, *FLOATS), Call(T(4, dtype="int64"))),
    _samples("ifft", (*COMPLEX, *FLOATS)),
    _samples("rfft", FLOATS),
    _samples("irfft", COMPLEX),
    _samples("hfft", COMPLEX),
    _samples("ihfft", FLOATS),
    Samples("fft.fftfreq", lambda n, d=1.0: np.fft.fftfreq(n, d).astype(np.float32), Call(5), Call(4, 0.5)),
    Samples("fft.rfftfreq", lambda n, d=1.0: np.fft.rfftfreq(n, d).astype(np.float32), Call(5), Call(4, 0.5)),
)
"""All samples of this module."""
