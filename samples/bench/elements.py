"""Loops over elements of tensors: tscript with tensors, Numba with arrays over the same memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from harness import Call, Row, interleave
from peers import numba

import tscript

Array = np.ndarray[Any, np.dtype[np.float32]]


def affine(a, out):
    """2 * a + 1, element by element."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = 2 * a[i, j] + 1


def total(x, out):
    """The sum, kept in an element."""
    out[0] = 0
    for i in range(x.shape[0]):
        out[0] += x[i]


def product(a, b, out):
    """The product of two matrices, summed in place."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


def floyd_warshall(d):
    """Lengths of the shortest paths, in place."""
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            for j in range(d.shape[0]):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]


def programs(scale: float = 1.0) -> Mapping[str, tuple[Callable[..., None], tuple[Array, ...]]]:
    """The programs with arguments, the last of which is the result."""
    numbers = np.random.default_rng(7)

    def random(*shape: float) -> Array:
        return numbers.random([max(4, int(n * scale)) for n in shape], np.float32)

    return {
        "2-d map": (affine, (random(1000, 1000), random(1000, 1000))),
        "sum": (total, (random(1_000_000), random(1))),
        "product": (product, (random(200, 200), random(200, 200), random(200, 200))),
        "Floyd-Warshall": (floyd_warshall, (random(200, 200),)),
    }


def run(scale: float = 1.0, rounds: int = 7) -> list[Row]:
    """Time all of it; results are compared with CPython's on smaller arguments."""
    rows = []
    for name, (function, args) in programs(scale).items():
        small = programs(0.01)[name][1]
        expected, given = ([a.copy() for a in small] for _ in range(2))
        function(*expected)
        scripted = tscript.script(function, optimize="full")
        scripted(*map(tscript.from_numpy, given))
        if not np.allclose(given[-1], expected[-1], rtol=1e-5):
            raise SystemExit(f"tscript: {name} gives {given[-1]}, CPython {expected[-1]}")
        calls: dict[str, Call] = {"tscript": (scripted, tuple(map(tscript.from_numpy, args)))}
        if numba is not None:
            compiled = numba.njit(function)
            compiled(*small)
            calls["Numba"] = (compiled, args)
        rows.append(interleave(name, calls, rounds=rounds))
    return rows
