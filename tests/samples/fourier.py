"""Samples of Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

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
            Wrong(IndexError, "no dimensions", T()),
            Wrong(IndexError, "no dimensions", T(), 2),
        ),
    )


def _of_several(name: str) -> Callable[..., Array]:
    """NumPy's transform along several dimensions in the precision of the input."""

    def along(x: Array, s: Any, dim: Any, norm: str | None) -> Array:
        if name in ("fftn", "ifftn", "rfftn", "irfftn"):
            return np.asarray(getattr(np.fft, name)(x, s, dim, norm))
        dims = tuple(range(x.ndim))[-len(s or x.shape) :] if dim is None else dim
        sizes = [None] * len(dims) if s is None else s
        if name == "hfftn":
            for size, axis in zip(sizes[:-1], dims[:-1], strict=True):
                x = np.fft.fft(x, size, axis, norm)
            return np.asarray(np.fft.hfft(x, sizes[-1], dims[-1], norm))
        found = np.fft.ihfft(x, sizes[-1], dims[-1], norm)
        for size, axis in zip(sizes[:-1], dims[:-1], strict=True):
            found = np.fft.ifft(found, size, axis, norm)
        return np.asarray(found)

    def reference(x: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
        if s is not None and dim is None:
            dim = tuple(range(-len(s), 0))
        found = along(x, s, dim, norm)
        if x.dtype in (np.float64, np.complex128):
            return found
        return found.astype(np.complex64 if found.dtype.kind == "c" else np.float32)

    return reference


def _several(name: str, dtypes: tuple[str, ...]) -> Iterator[Samples]:
    reference = _of_several(name)
    yield Samples(
        f"fft.{name}",
        reference,
        Call(T(3, 4, 5)),
        Call(T(3, 6, layout="t"), (2, 8), norm="ortho"),
        Call(T(2, 4, 4), dim=(0, -1), norm="forward"),
        dtypes=dtypes,
        atol=2e-5,
        wrong=(
            Wrong(RuntimeError, "FFT dims must be unique", T(3, 3), dim=(0, -2)),
            Wrong(RuntimeError, "must have the same length", T(3, 3), (2,), (0, 1)),
            Wrong(IndexError, "Dimension out of range", T(3, 3), dim=(0, 2)),
        ),
    )
    yield Samples(
        f"fft.{name[:-1]}2",
        lambda x, s=None, dim=(-2, -1), norm=None: reference(x, s, dim, norm),
        Call(T(2, 4, 5)),
        Call(T(4, 5), (3, 6), (1, 0)),
        dtypes=dtypes[:1],
        atol=2e-5,
    )


SAMPLES = (
    *(
        sample
        for name in ("fftn", "ifftn", "irfftn", "hfftn", "rfftn", "ihfftn")
        for sample in _several(name, FLOATS if name[0] == "r" or name == "ihfftn" else (*COMPLEX, *FLOATS[:1]))
    ),
    *(
        Samples(
            f"fft.{name}",
            lambda x, dim=None, name=name: getattr(np.fft, name)(x, dim),
            Call(T(5)),
            Call(T(3, 4)),
            Call(T(2, 5, 4, layout="t"), (0, -2)),
        )
        for name in ("fftshift", "ifftshift")
    ),
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
