"""The error bounds and special values that `tscript.dialect.vector_angles` states, measured on compiled vector code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tests.dialect.test_vector_math import LONG, SPECIAL, TARGETS, native, ulp
from tscript.backend.llvm.target import Target
from tscript.types import DType, dtypes

REFERENCE: dict[str, Callable[..., Any]] = {
    "atan": np.arctan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "exp2": np.exp2,
}
RANGES: dict[str, Sequence[tuple[float, float]]] = {
    "atan": [(-1e-3, 1e-3), (-1, 1), (-3, 3), (-1e3, 1e3), (-1e30, 1e30)],
    "asin": [(-1e-3, 1e-3), (-1, 1), (0.49, 0.51), (0.999, 1)],
    "acos": [(-1e-3, 1e-3), (-1, 1), (0.49, 0.51), (-0.51, -0.49), (0.999, 1)],
    "tan": [(-1e-3, 1e-3), (-1, 1), (-10, 10), (-1e5, 1e5), (1e7, 1e9)],
    "sinh": [(-1e-3, 1e-3), (-1, 1), (-40, 41), (-88, 88)],
    "cosh": [(-1e-3, 1e-3), (-1, 1), (-40, 41), (-88, 88)],
    "asinh": [(-1e-3, 1e-3), (-1, 1), (-100, 100), (-1e9, 1e9), (1e20, 1e30)],
    "acosh": [(1, 1.001), (1, 3), (1, 1000), (1e7, 1e9)],
    "atanh": [(-1e-3, 1e-3), (-0.9999, 0.9999), (0.99, 0.9999)],
    "exp2": [(-1, 1), (-120, 120)],
}
BOUNDS = {
    "atan": 1.0,
    "atan2": 2.2,
    "asin": 1.7,
    "acos": 1.2,
    "tan": 3.8,
    "sinh": 3.2,
    "cosh": 3.0,
    "asinh": 2.0,
    "acosh": 2.8,
    "atanh": 2.0,
    "exp2": 1.1,
}
"""ULP of f64, as the docstrings say; of f32 it is 0.6."""

ENDS = (710.1, -710.3, 711.0, 1023.5, 1024.0, -1074.0, -1075.5)
DTYPES = [dtypes.float32, dtypes.float64]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.cpu)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", REFERENCE)
def test_bounds(name: str, dtype: DType, target: Target) -> None:
    worst = 0.0
    for low, high in RANGES[name]:
        x = np.random.default_rng(1).uniform(low, high, 20_000).astype(dtype.name)
        worst = max(worst, float(ulp(native(name, dtype, target)(x), REFERENCE[name](x.astype(LONG))).max()))
    assert worst <= (0.6 if dtype is dtypes.float32 else BOUNDS[name])


def _check(found: Any, wanted: Any) -> None:
    assert (np.isnan(found) == np.isnan(wanted)).all()
    known = ~np.isnan(wanted)
    assert (np.signbit(found) == np.signbit(wanted))[known].all()
    np.testing.assert_allclose(found[known], wanted[known], rtol=1e-6, atol=1e-320)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", REFERENCE)
def test_special_values(name: str, dtype: DType) -> None:
    with np.errstate(all="ignore"):
        x = np.array((*SPECIAL, *ENDS)).astype(dtype.name)
        _check(native(name, dtype)(x), REFERENCE[name](x.astype(np.float64)).astype(dtype.name))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_angles_of_points(dtype: DType) -> None:
    draws = np.random.default_rng(2)
    for scale in (1.0, 1e-3, 1e10):
        y, x = (draws.normal(size=20_000).astype(dtype.name) * dtype_scale for dtype_scale in (scale, 1.0))
        y, x = y.astype(dtype.name), x.astype(dtype.name)
        worst = ulp(native("atan2", dtype)(y, x), np.arctan2(y.astype(LONG), x.astype(LONG))).max()
        assert worst <= (0.6 if dtype is dtypes.float32 else BOUNDS["atan2"])
    with np.errstate(all="ignore"):
        points = np.meshgrid(np.array(SPECIAL).astype(dtype.name), np.array(SPECIAL).astype(dtype.name))
        y, x = (np.ascontiguousarray(p).ravel() for p in points)
        _check(native("atan2", dtype)(y, x), np.arctan2(y, x))
