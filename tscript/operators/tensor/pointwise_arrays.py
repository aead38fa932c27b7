"""What pointwise operators do on NumPy arrays, step by step as their bodies compute, so that plain arithmetic agrees in
every bit. All arrays of one call have one dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tscript.operators.core.values import Array

Function = Callable[..., Any]


def check_divisor(x: Array, y: Array) -> None:
    """Raise, as PyTorch does, when integers are divided by a zero."""
    if y.dtype.kind != "f" and x.size and not y.all():
        raise RuntimeError("ZeroDivisionError")


def floor_divide(x: Array, y: Array) -> Any:
    if x.dtype.kind != "f":
        check_divisor(x, y)
        return np.floor_divide(x, y)
    m = np.fmod(x, y)
    d = (x - m) / y
    d = np.where((m != 0) & ((m < 0) != (y < 0)), d - x.dtype.type(1), d)
    f = np.floor(d)
    f = np.where(d - f > 0.5, f + x.dtype.type(1), f)
    f = np.where(d == 0, np.copysign(x.dtype.type(0), x / y), f)
    return np.where(y == 0, x / y, f)


def fmod(x: Array, y: Array) -> Any:
    if x.dtype.kind != "f":
        check_divisor(x, y)
    return np.fmod(x, y)


def remainder(x: Array, y: Array) -> Any:
    if x.dtype.kind != "f":
        check_divisor(x, y)
    m = np.fmod(x, y)
    return np.where((m != 0) & ((m < 0) != (y < 0)), m + y, m)


def trunc_divide(x: Array, y: Array) -> Any:
    if x.dtype.kind == "f":
        return np.trunc(x / y)
    check_divisor(x, y)
    q = np.floor_divide(x, y)
    return np.where((np.fmod(x, y) != 0) & ((x < 0) != (y < 0)), q + x.dtype.type(1), q)


def power(x: Array, y: Array) -> Any:
    if x.dtype.kind == "f":
        return np.power(x, y)
    one = x.dtype.type(1)
    out = np.where((y & 1) != 0, x, one)
    b = x
    for bit in (2, 4, 8, 16, 32):
        b = b * b
        out = np.where((y & x.dtype.type(bit)) != 0, out * b, out)
    out = np.where((y > 63) & ((x & 1) == 0), x.dtype.type(0), out)
    unit = (x == 1) | (x + one == 0)
    return np.where((y < 0) & ~unit, x.dtype.type(0), out)


def maximum(x: Array, y: Array) -> Any:
    """The greater of two arrays by element; NaN if one is."""
    return np.where((x > y) | (x != x), x, y)


def minimum(x: Array, y: Array) -> Any:
    """The lesser of two arrays by element; NaN if one is."""
    return np.where((x < y) | (x != x), x, y)


def at_least(x: Array, low: Array) -> Any:
    return np.where((x < low) | (low != low), low, x)


def at_most(x: Array, high: Array) -> Any:
    return np.where((x > high) | (high != high), high, x)


def clamp(x: Array, low: Array, high: Array) -> Any:
    return at_most(at_least(x, low), high)


def sign(x: Array) -> Any:
    one = x.dtype.type(1)
    return np.where(x > 0, one, np.where(x < 0, x.dtype.type(0) - one, x.dtype.type(0)))


def left_shift(x: Array, y: Array) -> Any:
    count = y.astype(np.int64)
    return np.where((count < 0) | (count > 63), 0, x.astype(np.int64) << (count & 63)).astype(x.dtype)


def right_shift(x: Array, y: Array) -> Any:
    count = y.astype(np.int64)
    return (x.astype(np.int64) >> np.where((count < 0) | (count > 63), 63, count)).astype(x.dtype)


def by_element(function: Callable[[float], float]) -> Function:
    def apply(x: Array) -> Array:
        flat = [function(float(v)) for v in x.ravel()]
        return np.array(flat, np.float64).reshape(x.shape).astype(x.dtype)

    return apply


erf = by_element(math.erf)


def sigmoid(x: Array) -> Any:
    wide = x.astype(np.float64)
    return (1 / (1 + np.exp(-wide))).astype(x.dtype)


def lerp(x: Array, end: Array, weight: Array) -> Any:
    one = x.dtype.type(1)
    return np.where(np.abs(weight) < 0.5, x + weight * (end - x), end - (end - x) * (one - weight))


def whole(function: Function) -> Function:
    return lambda x: function(x) if x.dtype.kind == "f" else x


def softplus(x: Array, beta: Array, threshold: Array) -> Any:
    z = x * beta
    return np.where(z > threshold, x, np.log1p(np.exp(z)) / beta)


def six(x: Array) -> Any:
    return clamp(x + x.dtype.type(3), x.dtype.type(0), x.dtype.type(6))


def gelu_erf(x: Array) -> Any:
    return x.dtype.type(0.5) * x * (x.dtype.type(1) + erf(x * x.dtype.type(0.7071067811865476)))


def gelu_tanh(x: Array) -> Any:
    of = x.dtype.type
    return of(0.5) * x * (of(1) + np.tanh(of(0.7978845608028654) * (x + of(0.044715) * x * x * x)))
