"""Samples of orthogonal polynomials, by those that NumPy has, and angles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import FLOATS, Call, Samples, T, Wrong


def _each(value: Callable[[float, int], float], *, moved: bool = False) -> Callable[..., Any]:
    def reference(x: Any, n: Any) -> Any:
        made = np.result_type(*(a.dtype for a in (x, n) if isinstance(a, np.ndarray)))
        dtype = made if made.kind == "f" else np.float32
        points = 2.0 * np.asarray(x, np.float64) - 1.0 if moved else np.asarray(x, np.float64)
        return np.vectorize(lambda a, k: value(a, int(k)) if k >= 0 else 0.0, otypes=[float])(points, n).astype(dtype)

    return reference


def _series(kind: Any) -> Callable[[float, int], float]:
    return lambda x, n: float(kind.basis(n)(x))


def _second(x: float, n: int) -> float:
    """Chebyshev's of the second kind: sums of those of the first."""
    return sum((1.0 if k == 0 else 2.0) * _series(np.polynomial.Chebyshev)(x, k) for k in range(n % 2, n + 1, 2))


def _third(x: float, n: int) -> float:
    return _second(x, n) - (_second(x, n - 1) if n else 0.0)


def _fourth(x: float, n: int) -> float:
    return _second(x, n) + (_second(x, n - 1) if n else 0.0)


_VALUES: dict[str, Callable[[float, int], float]] = {
    "chebyshev_polynomial_t": _series(np.polynomial.Chebyshev),
    "chebyshev_polynomial_u": _second,
    "chebyshev_polynomial_v": _third,
    "chebyshev_polynomial_w": _fourth,
    "hermite_polynomial_h": _series(np.polynomial.Hermite),
    "hermite_polynomial_he": _series(np.polynomial.HermiteE),
    "laguerre_polynomial_l": _series(np.polynomial.Laguerre),
    "legendre_polynomial_p": _series(np.polynomial.Legendre),
}

_DEGREES = T(5, values=[0, 1, 2, 5, 9], dtype="int64")


def _samples(name: str, value: Callable[[float, int], float], *, moved: bool = False) -> Samples:
    return Samples(
        f"special.{name}",
        _each(value, moved=moved),
        Call(T(3, 5, low=-1.5, high=1.5), _DEGREES),
        Call(T(4, low=-1.5, high=1.5), 3),
        Call(0.5, _DEGREES),
        Call(T(3, values=[1, 2, -3], dtype="int64"), T(3, values=[2, -1, 3], dtype="int64")),
        Call(T(0, 5), _DEGREES),
        Call(T(5, low=-1.0, high=1.0, dtype="float64"), T(5, values=[0.0, 1.9, 2.0, 7.5, -3.0])),
        dtypes=FLOATS,
        rtol=1e-4,
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "size", T(2), T(3)),
            Wrong(NotImplementedError, "Complex", T(2, dtype="complex64"), 2),
        ),
    )


SAMPLES = (
    *(_samples(name, value) for name, value in _VALUES.items()),
    *(_samples(f"shifted_{name}", v, moved=True) for name, v in _VALUES.items() if name.startswith("cheby")),
)
"""All samples of this module."""
