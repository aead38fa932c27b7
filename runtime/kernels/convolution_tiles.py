"""Tier 3: sums of products in registers, which convolutions consist of. ``T`` is float32 or float64.

A *tile* is a few rows (output channels) of a few vectors (positions): up to twelve accumulators, which registers hold.
Each element of it is one chain of fused multiply-adds, in the same order whatever tile it is in, and however wide
vectors are. So the shapes of tiles change no result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tscript.dialect import ByType, Ptr, T, b8, f32, f64, fmuladd, i64, stack, vector_bytes
from tscript.types import dtypes

MOST_LANES = 16
"""Elements of the widest vector."""
WIDEST = 12 * MOST_LANES
"""Positions of the widest tile."""


def lanes_f32(_like: f32) -> i64:
    """Elements of a vector."""
    return vector_bytes() >> 2


def lanes_f64(_like: f64) -> i64:
    """Elements of a vector."""
    return vector_bytes() >> 3


lanes = ByType({dtypes.float32: lanes_f32, dtypes.float64: lanes_f64})


@cache
def tile_of(rows: int, vectors: int, together: bool = False) -> Callable[..., Any]:
    """The function that computes a tile of 1, 2 or 4 rows, of so many vectors.

    Args:
        rows, vectors: Their numbers.
        together: Whether weights lie one row behind the other for each tap, so that all are read in one line; `a0` is
            1 then.

    It consists of four pieces, which are arrays of their own, and all is in one function: so LLVM keeps them in
    registers before it decides what to inline where.
    """
    across = 4 // rows
    length = vectors // across
    most = length * MOST_LANES
    step = rows if together else 1

    def tile(
        c: Ptr[T], c0: i64, a: Ptr[T], a0: i64, b: Ptr[T], b0: i64, channels: i64, at: Ptr[i64], taps: i64, add: b8
    ) -> None:
        """``C = A B``, or ``C = C + A B``.

        Args:
            c, c0: The result; rows lie `c0` elements apart.
            a, a0: Rows of ``channels * taps`` weights, `a0` elements apart.
            b, b0: The first position in a channel; channels lie `b0` elements apart.
            at, taps: For each weight of a channel, how far behind its position an element is that goes with it.
        """
        n = length * lanes(T(0))
        s0 = stack(most, T)
        s1 = stack(most, T)
        s2 = stack(most, T)
        s3 = stack(most, T)
        for x in range(n):
            s0[x] = T(0)
        for x in range(n):
            s1[x] = T(0)
        for x in range(n):
            s2[x] = T(0)
        for x in range(n):
            s3[x] = T(0)
        weights = a
        source = b
        for _c in range(channels):
            for t in range(taps):
                line = source + at[t]
                w = weights[t * step]
                for x in range(n):
                    s0[x] = fmuladd(w, line[x], s0[x])
                line1 = line + 1 % across * n
                w1 = weights[1 // across * a0 + t * step]
                for x in range(n):
                    s1[x] = fmuladd(w1, line1[x], s1[x])
                line2 = line + 2 % across * n
                w2 = weights[2 // across * a0 + t * step]
                for x in range(n):
                    s2[x] = fmuladd(w2, line2[x], s2[x])
                line3 = line + 3 % across * n
                w3 = weights[3 // across * a0 + t * step]
                for x in range(n):
                    s3[x] = fmuladd(w3, line3[x], s3[x])
            weights = weights + taps * step
            source = source + b0
        c1 = c + (1 // across * c0 + 1 % across * n)
        c2 = c + (2 // across * c0 + 2 % across * n)
        c3 = c + (3 // across * c0 + 3 % across * n)
        if add:
            for x in range(n):
                s0[x] = c[x] + s0[x]
            for x in range(n):
                s1[x] = c1[x] + s1[x]
            for x in range(n):
                s2[x] = c2[x] + s2[x]
            for x in range(n):
                s3[x] = c3[x] + s3[x]
        for x in range(n):
            c[x] = s0[x]
        for x in range(n):
            c1[x] = s1[x]
        for x in range(n):
            c2[x] = s2[x]
        for x in range(n):
            c3[x] = s3[x]

    return tile
