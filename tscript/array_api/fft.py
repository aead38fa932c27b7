"""The array API standard: its extension for Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tscript
from tscript.array_api.data_types import check_device
from tscript.array_api.tables import dims_of

_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")


def __getattr__(name: str) -> Any:
    if name in _ONE:
        value = _along_one(name)
    elif name in _SEVERAL:
        value = _along_several(name)
    else:
        raise AttributeError(f"module 'tscript.array_api.fft' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*_ONE, *_SEVERAL, "fftfreq", "fftshift", "ifftshift", "rfftfreq"))


def _along_one(name: str) -> Callable[..., Any]:
    operator = getattr(tscript.fft, name)

    def function(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
        return operator(x, n, axis, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`tscript.fft.{name}` along an axis."
    return function


def _along_several(name: str) -> Callable[..., Any]:
    operator = getattr(tscript.fft, name)

    def function(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
        return operator(x, s, axes, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`tscript.fft.{name}` along axes."
    return function


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of a transform of `n` samples at a distance `d`."""
    check_device(device)
    return tscript.fft.fftfreq(n, d) if dtype is None else tscript.fft.fftfreq(n, d, dtype=dtype)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies that are not negative."""
    check_device(device)
    return tscript.fft.rfftfreq(n, d) if dtype is None else tscript.fft.rfftfreq(n, d, dtype=dtype)


def fftshift(x: Any, /, *, axes: Any = None) -> Any:
    """Frequencies with 0 in the middle."""
    return tscript.fft.fftshift(x, dims_of(axes))


def ifftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The inverse of `fftshift`."""
    return tscript.fft.ifftshift(x, dims_of(axes))
