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


def _istft(
    s: Array,
    n: int,
    hop: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Array:
    hop = n // 4 if hop is None else hop
    own = np.ones(n) if window is None else window
    spectra = np.swapaxes(s, -1, -2)
    norm = "ortho" if normalized else "backward"
    frames = (
        np.fft.ifft(spectra, norm=norm) if return_complex else np.fft.irfft(spectra[..., : n // 2 + 1], n, norm=norm)
    )
    total = n + hop * (frames.shape[-2] - 1)
    out = np.zeros((*frames.shape[:-2], total), np.complex128)
    squares = np.zeros(total, np.complex128)
    for i in range(frames.shape[-2]):
        out[..., i * hop : i * hop + n] += frames[..., i, :] * own
        squares[i * hop : i * hop + n] += own * own
    end = total - n // 2 if length is None else n // 2 + length
    found = (out / squares)[..., n // 2 : end]
    if length is not None:
        found = np.pad(found, [(0, 0)] * (found.ndim - 1) + [(0, length - found.shape[-1])])
    return found.astype(s.dtype) if return_complex else found.real.astype(s.real.dtype)


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
        _istft,
        Call(T(9, 5), 16),
        Call(T(2, 9, 4), 16, 4, 16, T(16, low=0.5, high=1.0, dtype="float32"), onesided=True, length=10),
        Call(T(8, 5), 8, 2, onesided=False),
        Call(T(8, 5), 8, 2, onesided=False, return_complex=True),
        Call(T(2, 8, 3), 8, 4, 8, T(8, low=0.5, high=1.0), True, False, False, None, True),
        Call(T(8, 3), 8, normalized=True, return_complex=True, onesided=False, length=9),
        dtypes=("complex64", "complex128"),
        wrong=(
            Wrong(RuntimeError, "requires a complex-valued input", T(9, 5, dtype="float32"), 16),
            Wrong(RuntimeError, "onesided", T(9, 5), 16, return_complex=True),
            Wrong(RuntimeError, "complex", T(9, 5), 16, window=T(16)),
        ),
    ),
)
"""All samples of this module."""
