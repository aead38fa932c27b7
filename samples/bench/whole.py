"""Programs over whole arrays, the same text for all: formulas with several results, steps, slices; one thread."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from harness import Call, Row, interleave
from peers import jax, numba

import tscript

N = 1_000_000
SIDE = 1000


def black_scholes(s, k, t, r, v):
    """Prices of a call and a put; the normal distribution by its tanh formula."""
    d1 = (np.log(s / k) + (r + 0.5 * v * v) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    n1 = 0.5 * (1 + np.tanh(0.7978845608 * (d1 + 0.044715 * d1**3)))
    n2 = 0.5 * (1 + np.tanh(0.7978845608 * (d2 + 0.044715 * d2**3)))
    call = s * n1 - k * np.exp(-r * t) * n2
    return call, call - s + k * np.exp(-r * t)


def hue(r, g, b):
    """From red, green and blue to hue, saturation and value."""
    most = np.maximum(np.maximum(r, g), b)
    d = most - np.minimum(np.minimum(r, g), b)
    s = np.where(most == 0, 0.0, d / np.where(most == 0, 1.0, most))
    e = np.where(d == 0, 1.0, d)
    h = np.where(most == r, (g - b) / e % 6, np.where(most == g, (b - r) / e + 2, (r - g) / e + 4))
    return h / 6, s, most


def kalman(x, p, z, q, r):
    """One step of many filters."""
    q = p + q
    k = q / (q + r)
    return x + k * (z - x), (1 - k) * q


def lorenz(x, y, z, dt, n):
    """Steps of many systems."""
    for _ in range(n):
        dx = 10.0 * (y - x)
        dy = x * (28.0 - z) - y
        dz = x * y - 2.6666 * z
        x = x + dt * dx
        y = y + dt * dy
        z = z + dt * dz
    return x, y, z


def heat(u, n):
    """Steps of the heat equation, in place over slices."""
    for _ in range(n):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def wave(u, old, c, n):
    """Steps of the wave equation."""
    for _ in range(n):
        bend = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        new = 2 * u - old
        new[1:-1, 1:-1] += c * bend
        old = u
        u = new
    return u


LINES, PLANES = (N,), (SIDE, SIDE)

CASES: tuple[tuple[Callable[..., Any], tuple[Any, ...], bool], ...] = (
    (black_scholes, (LINES, LINES, LINES, 0.01, 0.2), True),
    (hue, (LINES, LINES, LINES), True),
    (kalman, (LINES, LINES, LINES, 0.1, 0.2), True),
    (lorenz, (LINES, LINES, LINES, 0.01, 10), True),
    (heat, (PLANES, 10), False),
    (wave, (PLANES, PLANES, 0.1, 5), False),
)
"""Functions, their arguments (shapes of arrays, numbers), and whether JAX takes them as they are."""


def run() -> list[Row]:
    """Time all of it."""
    tscript.set_num_threads(1)
    rows = []
    for function, given, pure in CASES:
        rng = np.random.default_rng(0)
        args = tuple(rng.random(a) + 0.5 if isinstance(a, tuple) else a for a in given)
        calls: dict[str, Call] = {"tscript": (tscript.script(function), args), "NumPy": (function, args)}
        if numba is not None:
            calls["Numba"] = (numba.njit(function), args)
        if jax is not None and pure:
            calls["JAX"] = (_jitted(function, args), args)
        rows.append(interleave(function.__name__, calls, rounds=12))
    return rows


def _jitted(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """A function jitted by JAX over arrays of its own, waited for."""
    jax.config.update("jax_enable_x64", True)
    arrays = [jax.numpy.asarray(a) for a in args if isinstance(a, np.ndarray)]
    numbers = [a for a in args if not isinstance(a, np.ndarray)]
    form = FunctionType(function.__code__, {**function.__globals__, "np": jax.numpy})
    compiled = jax.jit(lambda *a: form(*a, *numbers))
    return lambda *_: jax.block_until_ready(compiled(*arrays))
