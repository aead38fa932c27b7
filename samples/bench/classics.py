"""Programs over arrays as users of Numba write them, without annotations: each runs in CPython, Numba and tscript."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from harness import Call, Row, interleave
from peers import numba

import tscript


def affine(a):
    """2 * a + 1, element by element."""
    n, m = a.shape
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = 2 * a[i, j] + 1
    return out


def matmul(a, b):
    """The product of two matrices."""
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            total = 0.0
            for p in range(k):
                total += a[i, p] * b[p, j]
            c[i, j] = total
    return c


def floyd_warshall(graph):
    """Lengths of the shortest paths between all nodes."""
    n = graph.shape[0]
    d = graph.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return d


def kmeans(points, k, steps):
    """The centres of k groups of points."""
    n, dims = points.shape
    centres = points[:k].copy()
    groups = np.zeros(n, dtype=np.int64)
    for _ in range(steps):
        for i in range(n):
            best = np.inf
            for c in range(k):
                distance = 0.0
                for d in range(dims):
                    diff = points[i, d] - centres[c, d]
                    distance += diff * diff
                if distance < best:
                    best = distance
                    groups[i] = c
        sums = np.zeros((k, dims))
        counts = np.zeros(k, dtype=np.int64)
        for i in range(n):
            c = groups[i]
            counts[c] += 1
            for d in range(dims):
                sums[c, d] += points[i, d]
        for c in range(k):
            if counts[c] > 0:
                for d in range(dims):
                    centres[c, d] = sums[c, d] / counts[c]
    return centres


def histogram(x, bins, low, high):
    """How many elements are in each of the bins between two bounds."""
    counts = np.zeros(bins, dtype=np.int64)
    width = (high - low) / bins
    for i in range(x.shape[0]):
        v = x[i]
        if low <= v < high:
            counts[min(int((v - low) / width), bins - 1)] += 1
    return counts


def life(board, steps):
    """Conway's game of life on a board whose edges meet."""
    n, m = board.shape
    now = board.copy()
    for _ in range(steps):
        after = np.zeros_like(now)
        for i in range(n):
            for j in range(m):
                alive = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if di != 0 or dj != 0:
                            alive += now[(i + di) % n, (j + dj) % m]
                if alive == 3 or (alive == 2 and now[i, j] == 1):
                    after[i, j] = 1
        now = after
    return now


def extremes(x):
    """The least and the greatest element."""
    low = x[0]
    high = x[0]
    for i in range(1, len(x)):
        if x[i] < low:
            low = x[i]
        if x[i] > high:
            high = x[i]
    return low, high


def mandelbrot(n, most):
    """How many steps n x n points take to escape."""
    out = np.zeros((n, n), dtype=np.int32)
    for i in range(n):
        for j in range(n):
            cr = -2.0 + 2.5 * j / n
            ci = -1.25 + 2.5 * i / n
            zr = 0.0
            zi = 0.0
            k = 0
            while k < most and zr * zr + zi * zi <= 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                k += 1
            out[i, j] = k
    return out


def running_sum(x):
    """Sums of all elements up to each."""
    out = np.empty_like(x)
    total = 0.0
    for i in range(x.size):
        total += x[i]
        out[i] = total
    return out


def sieve(n):
    """The primes below n."""
    prime = np.ones(n, dtype=np.bool_)
    prime[0] = False
    prime[1] = False
    for i in range(2, int(math.sqrt(n)) + 1):
        if prime[i]:
            for j in range(i * i, n, i):
                prime[j] = False
    count = 0
    for i in range(n):
        if prime[i]:
            count += 1
    out = np.empty(count, dtype=np.int64)
    at = 0
    for i in range(n):
        if prime[i]:
            out[at] = i
            at += 1
    return out


def convolve(image, kernel):
    """An image filtered by a small kernel, without its borders."""
    h, w = image.shape
    kh, kw = kernel.shape
    out = np.zeros((h - kh + 1, w - kw + 1), dtype=image.dtype)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for p in range(kh):
                for q in range(kw):
                    total += image[i + p, j + q] * kernel[p, q]
            out[i, j] = total
    return out


def nbody(position, velocity, mass, steps, dt):
    """Positions of bodies that attract each other, after some steps."""
    x = position.copy()
    v = velocity.copy()
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                dz = x[i, 2] - x[j, 2]
                squared = dx * dx + dy * dy + dz * dz + 0.01
                force = dt / (squared * np.sqrt(squared))
                v[i, 0] -= dx * mass[j] * force
                v[i, 1] -= dy * mass[j] * force
                v[i, 2] -= dz * mass[j] * force
                v[j, 0] += dx * mass[i] * force
                v[j, 1] += dy * mass[i] * force
                v[j, 2] += dz * mass[i] * force
        for i in range(n):
            for d in range(3):
                x[i, d] += dt * v[i, d]
    return x


def monte_carlo_pi(n, seed):
    """Pi, from the part of random points of a square that are in its circle; the numbers are those of the C standard's
    example."""
    state = seed
    inside = 0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        x = state / 2147483648
        state = (1103515245 * state + 12345) % 2147483648
        y = state / 2147483648
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


Program = Callable[..., Any]


def programs(scale: float = 1.0) -> Mapping[str, tuple[Program, tuple[Any, ...]]]:
    """The programs with arguments; a smaller scale makes them fit for CPython."""
    numbers = np.random.default_rng(7)

    def size(n: int) -> int:
        return max(8, int(n * scale))

    def normal(*shape: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        return numbers.standard_normal(shape)

    n = size(300)
    return {
        "2-d map": (affine, (normal(size(1000), size(1000)),)),
        "product by elements": (matmul, (normal(n, n), normal(n, n))),
        "Floyd-Warshall": (floyd_warshall, (numbers.uniform(1.0, 100.0, (n, n)),)),
        "k-means": (kmeans, (normal(size(5000), 8), 8, 5)),
        "histogram": (histogram, (normal(size(1_000_000)), 100, -3.0, 3.0)),
        "game of life": (life, ((numbers.random((size(256), size(256))) < 0.3).astype(np.uint8), 5)),
        "min and max": (extremes, (normal(size(1_000_000)),)),
        "mandelbrot": (mandelbrot, (size(256), 100)),
        "running sum": (running_sum, (normal(size(1_000_000)),)),
        "sieve": (sieve, (size(1_000_000),)),
        "convolution": (convolve, (normal(size(512), size(512)), normal(3, 3))),
        "n-body": (nbody, (normal(size(200), 3), normal(size(200), 3), numbers.random(size(200)) + 0.5, 5, 0.01)),
        "pi by Monte Carlo": (monte_carlo_pi, (size(1_000_000), 42)),
    }


def equal(found: Any, expected: Any) -> bool:
    """Whether two results agree, values and dtypes."""
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(equal(f, e) for f, e in zip(found, expected, strict=True))
    if isinstance(expected, np.ndarray) and (not isinstance(found, np.ndarray) or found.dtype != expected.dtype):
        return False
    return bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9))


def run() -> list[Row]:
    """Time all of it; results are compared with CPython's on smaller arguments."""
    small = programs(0.03)
    rows = []
    for name, (function, args) in programs().items():
        engines: dict[str, Program] = {"tscript": tscript.script(function, optimize="full")}
        if numba is not None:
            engines["Numba"] = numba.njit(function)
        expected = function(*small[name][1])
        calls: dict[str, Call] = {}
        for engine, compiled in engines.items():
            try:
                found = compiled(*small[name][1])
            except tscript.CompileError as error:
                print(f"{engine} refuses {name}: {error}", file=sys.stderr)
                continue
            if not equal(found, expected):
                raise SystemExit(f"{engine}: {name} gives {found}, CPython {expected}")
            calls[engine] = (compiled, args)
        rows.append(interleave(name, calls, rounds=7))
    return rows
