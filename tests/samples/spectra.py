"""Samples of windows and short-time Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.samples.base import FLOATS, Array, Call, Name, Samples, T, Wrong


def _window(symmetric: Callable[..., Array]) -> Callable[..., Array]:
    def reference(n: int, periodic: bool = True, *more: float, dtype: type = np.float32) -> Array:
        found = symmetric(n + 1, *more)[:n] if periodic and n > 1 else symmetric(n, *more)
        return found.astype(dtype)

    return reference


def _stft(x: Array, n: int, hop: int | None = None, *, window: Array | None = None, return_complex: bool) -> Array:
    step = hop or n // 4
    padded = np.pad(x, (n // 2, n // 2), "reflect")
    weights = np.ones(n, x.dtype) if window is None else window
    pieces = [padded[k : k + n] * weights for k in range(0, len(padded) - n + 1, step)]
    found = np.fft.rfft(np.array(pieces)).T.astype(np.complex64 if x.dtype == np.float32 else np.complex128)
    return found if return_complex else np.stack([found.real, found.imag], -1)


def _windows(name: str, symmetric: Callable[..., Array], *more: Call) -> Samples:
    calls = (Call(8), Call(7, False), Call(1), Call(5, dtype=Name("float64")), *more)
    wrong = (Wrong(RuntimeError, "must be non-negative", -1),) if name == "hann_window" else ()
    return Samples(name, _window(symmetric), *calls, wrong=wrong)


SAMPLES = (
    _windows("hann_window", np.hanning),
    _windows("hamming_window", np.hamming),
    _windows("blackman_window", np.blackman),
    _windows("bartlett_window", np.bartlett),
    _windows("kaiser_window", lambda n, beta=12.0: np.kaiser(n, beta), Call(6, False, 8.0)),
    Samples(
        "stft",
        _stft,
        Call(T(40), 16, return_complex=True),
        Call(T(40), 8, 3, window=T(8, low=0.5), return_complex=False),
        dtypes=FLOATS,
        atol=2e-5,
        wrong=(Wrong(RuntimeError, "return_complex", T(40), 8),),
    ),
    Samples(
        "istft",
        lambda s, n: np.zeros((n // 4) * (s.shape[1] - 1), s.real.dtype),
        Call(T(9, 5, low=0.0, high=0.0), 16),
        dtypes=("complex64", "complex128"),
        wrong=(Wrong(RuntimeError, "requires a complex-valued input", T(9, 5, dtype="float32"), 16),),
    ),
)
"""All samples of this module."""
