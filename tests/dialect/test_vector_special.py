"""The error bounds of float32 special functions, measured on compiled code against float64."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import tscript

BOUNDS = {"erfc": 4.5, "erfinv": 3.4, "special.ndtri": 5.0}
"""ULP."""
HARDEST = {"erfc": (0.25, 16.0), "erfinv": (2.0**-6, 1.0), "special.ndtri": (0.015625, 1.0)}
"""Where the errors are: every float32 here is tried."""
INFINITE = 0x7F800000
CHUNK = 1 << 21


def operator(name: str) -> Any:
    """The operator of this name."""
    return attrgetter(name)(tscript)


def _worst(name: str, begin: int, end: int, step: int) -> float:
    """The largest error, in ULP, over the float32 of every `step`-th pattern of bits."""
    worst = 0.0
    for low in range(begin, end, CHUNK * step):
        x = np.arange(low, min(low + CHUNK * step, end), step, dtype=np.uint64).astype(np.uint32).view(np.float32)
        if name == "erfinv":
            x = x[np.abs(x) < 1]
        if name == "special.ndtri":
            x = x[(x > 0) & (x < 1)]
        if x.size:
            worst = max(worst, _error(name, x))
    return worst


def _error(name: str, x: Any) -> float:
    wide = x.astype(np.float64)
    if name == "erfc":
        wanted = np.array([math.erfc(v) for v in wide.tolist()])
    else:
        wanted = operator(name)(tscript.from_numpy(wide)).numpy()
    found = operator(name)(tscript.from_numpy(x)).numpy().astype(np.float64)
    size = np.floor(np.log2(np.maximum(np.abs(wanted), 2.0**-126)))
    return float((np.abs(found - wanted) / 2.0 ** (size - 23)).max())


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_of_some_floats(name: str) -> None:
    for sign in (0, 1 << 31):
        assert _worst(name, sign, sign + INFINITE, 9973) <= BOUNDS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_where_they_are_reached(name: str) -> None:
    begin, end = (int(np.array(v, np.float32).view(np.uint32)) for v in HARDEST[name])
    assert _worst(name, begin, end, 1) <= BOUNDS[name]


@pytest.mark.parametrize("name", BOUNDS)
def test_ends(name: str) -> None:
    x = tscript.tensor([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 11.0])
    zero, one, inf, nan = 0.0, 1.0, math.inf, math.nan
    wanted = {
        "erfc": [one, one, math.erfc(1.0), math.erfc(-1.0), zero, 2.0, nan, zero],
        "erfinv": [zero, -zero, inf, -inf, nan, nan, nan, nan],
        "special.ndtri": [-inf, -inf, inf, nan, nan, nan, nan, nan],
    }
    np.testing.assert_allclose(operator(name)(x).numpy(), wanted[name], rtol=1e-6)
