"""Rows divided by one number each have the bits of a division, whatever the numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tscript
from tscript import Tensor


@tscript.script
def by_greatest(x: Tensor, y: Tensor) -> Tensor:
    """Rows of `x` divided by the greatest element of those of `y`."""
    return x / y.amax(dim=-1, keepdim=True)


def awkward(kind, rng, n):
    """Numbers of all magnitudes, of both signs, and those that rounding is hard for."""
    info = np.finfo(kind)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max, 1.0, 1 + info.eps]
    special += [-info.tiny, -info.smallest_subnormal, -info.max, 2 - info.eps, 3.0, 49.0, 2.0**-24, 2.0**24, 2.0**100]
    powers = rng.integers(info.minexp - info.nmant, info.maxexp, n)
    drawn = np.ldexp(rng.uniform(-2, 2, n), powers)
    ordinary = np.ldexp(rng.uniform(-2, 2, n), rng.integers(-12, 12, n))
    with np.errstate(all="ignore"):
        return np.concatenate([special, drawn, ordinary]).astype(kind)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("length", [1, 7, 32, 45, 1100])
def test_rows_are_divided_as_numbers_are(kind, length):
    rng = np.random.default_rng(length)
    divisors = awkward(kind, rng, 60)
    numbers = awkward(kind, rng, 2000)
    x = rng.choice(numbers, (len(divisors), length))
    x[:, 0] = 0.0
    x[-40:] = np.ldexp(rng.uniform(1, 2, (40, length)), 1).astype(kind)
    y = np.full((len(divisors), length), -np.inf, kind)
    y[:, -1] = divisors
    if length > 1:
        y[:, 0] = np.where(np.isnan(divisors), np.inf, -np.inf)
    with np.errstate(all="ignore"):
        expected = x / y.max(axis=-1, keepdims=True)
    found = by_greatest(tscript.from_numpy(x), tscript.from_numpy(y)).numpy()
    assert (np.isnan(found) == np.isnan(expected)).all()
    assert np.nan_to_num(found).tobytes() == np.nan_to_num(expected).tobytes()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_quotients_next_to_the_middle_of_two_numbers(kind):
    rng = np.random.default_rng(3)
    info = np.finfo(kind)
    y = np.full((400, 64), -np.inf, kind)
    y[:, 9] = rng.uniform(1, 2, 400)
    y[0, 9], y[1, 9] = 2 - info.eps, 1 + info.eps
    quotients = rng.uniform(1, 2, (400, 64)).astype(kind).astype(np.longdouble) + np.longdouble(info.eps) / 2
    x = (quotients * y.max(axis=-1, keepdims=True)).astype(kind)
    found = by_greatest(tscript.from_numpy(x), tscript.from_numpy(y)).numpy()
    assert found.tobytes() == (x / y.max(axis=-1, keepdims=True)).tobytes()
