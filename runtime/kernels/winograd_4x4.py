"""Tier 3: the transforms of Winograd's F(4 x 4, 3 x 3): of weights, of tiles of the input, of products.

A tile is 4 x 4 elements of the result, of 36 products for each channel, where sums of products take 144. Polynomials
are evaluated at 0, `A`, ``-A``, `B`, ``-B`` and infinity. Points next to 1, and numbers that floats hold exactly, make
errors a quarter of those of 1 and 2. ``T`` is float32 or float64.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, b8, fmuladd, i64, pointer, stack
from tscript.runtime.kernels.columns import IN, OUT, PAD, least, most
from tscript.runtime.kernels.convolution_moves import join_pairs, move, split_pairs
from tscript.runtime.kernels.convolution_task import (
    GEOMETRY,
    GROUPS,
    IN_CHANNELS,
    OUT_CHANNELS,
    POSITIONS,
    SOURCE,
    bias_of,
)
from tscript.runtime.kernels.convolution_tiles import MOST_LANES, lanes
from tscript.runtime.kernels.winograd_cells import INPUTS, OF_X, OF_Y, PRODUCTS, SEGMENT, is_finite, see

A, B = 0.625, 1.5
A2, B2 = A * A, B * B
A3, B3 = A * A2, B * B2
SUM, PRODUCT = A2 + B2, A2 * B2
OF_0, OF_A, OF_B = 1 / PRODUCT, 1 / (2 * A2 * (A2 - B2)), 1 / (2 * B2 * (B2 - A2))
"""What the weights are divided by at the points."""
PHASE = SEGMENT + MOST_LANES
"""Elements between the phases of a line: every fourth of its elements."""


def transform_window_4x4(made: Ptr[T], source: Ptr[T], n: i64) -> None:
    """``G w G^T`` of `n` channels, a vector at most: 36 vectors."""
    w = stack(9 * MOST_LANES, T)
    u = stack(18 * MOST_LANES, T)
    size = lanes(T(0))
    for x in range(n):
        for t in range(9):
            w[t * size + x] = source[9 * x + t]
    for t in range(9):
        for x in range(n, size):
            w[t * size + x] = T(0)
    for j in range(3):
        for x in range(size):
            w0 = w[j * size + x]
            w1 = w[(3 + j) * size + x]
            w2 = w[(6 + j) * size + x]
            u[j * size + x] = w0 * T(OF_0)
            u[(3 + j) * size + x] = (w0 + w2 * T(A2) + w1 * T(A)) * T(OF_A)
            u[(6 + j) * size + x] = (w0 + w2 * T(A2) - w1 * T(A)) * T(OF_A)
            u[(9 + j) * size + x] = (w0 + w2 * T(B2) + w1 * T(B)) * T(OF_B)
            u[(12 + j) * size + x] = (w0 + w2 * T(B2) - w1 * T(B)) * T(OF_B)
            u[(15 + j) * size + x] = w2
    for i in range(6):
        for x in range(size):
            u0 = u[3 * i * size + x]
            u1 = u[(3 * i + 1) * size + x]
            u2 = u[(3 * i + 2) * size + x]
            made[6 * i * size + x] = u0 * T(OF_0)
            made[(6 * i + 1) * size + x] = (u0 + u2 * T(A2) + u1 * T(A)) * T(OF_A)
            made[(6 * i + 2) * size + x] = (u0 + u2 * T(A2) - u1 * T(A)) * T(OF_A)
            made[(6 * i + 3) * size + x] = (u0 + u2 * T(B2) + u1 * T(B)) * T(OF_B)
            made[(6 * i + 4) * size + x] = (u0 + u2 * T(B2) - u1 * T(B)) * T(OF_B)
            made[(6 * i + 5) * size + x] = u2


def transform_tiles_4x4(to: Ptr[T], task: Ptr[i64], channel: i64, first: i64, n: i64) -> None:
    """``B^T d B`` of `n` tiles of a channel of all images, from tile `first` on."""
    g = pointer(task[GEOMETRY], i64)
    of_x = task[OF_X]
    channels = task[IN_CHANNELS] * task[GROUPS]
    lines = stack(24 * PHASE, T)
    at = 0
    while at < n:
        line = (first + at) // of_x
        x = first + at - line * of_x
        image = line // task[OF_Y]
        y = 4 * (line - image * task[OF_Y]) - g[PAD + 1]
        here = least(of_x - x, n - at)
        source = pointer(task[SOURCE], T) + (image * channels + channel) * g[IN + 1] * g[IN + 2]
        for r in range(6):
            is_inside = y + r >= 0 and y + r < g[IN + 1]
            read_fours(
                lines + 4 * r * PHASE,
                source + (y + r) * g[IN + 2],
                is_inside,
                4 * x - g[PAD + 2],
                g[IN + 2],
                here + 1,
            )
        for i in range(0, here, lanes(T(0))):
            transform_fours(to + (at + i), task[INPUTS], lines + i)
        at = at + here


def read_fours(to: Ptr[T], line: Ptr[T], is_inside: b8, x: i64, width: i64, n: i64) -> None:
    """Four neighbours of a line of an image, `n` times from column `x` on, each to its phase; zeros around it."""
    if not is_inside:
        for p in range(4):
            for i in range(n):
                to[p * PHASE + i] = T(0)
        return
    whole = stack(4 * PHASE, T)
    source = line + x
    if x < 0 or x + 4 * n > width:
        low = least(most(-x, 0), 4 * n)
        high = most(least(width - x, 4 * n), low)
        for i in range(low):
            whole[i] = T(0)
        move(whole + low, source + low, high - low)
        for i in range(high, 4 * n):
            whole[i] = T(0)
        source = whole
    even = stack(2 * PHASE, T)
    odd = stack(2 * PHASE, T)
    split_pairs(even, odd, source, 2 * n)
    split_pairs(to, to + 2 * PHASE, even, n)
    split_pairs(to + PHASE, to + 3 * PHASE, odd, n)


def transform_fours(to: Ptr[T], to0: i64, lines: Ptr[T]) -> None:
    """``B^T d B`` of a vector of tiles."""
    size = lanes(T(0))
    made = stack(36 * MOST_LANES, T)
    for j in range(6):
        of_phase(made + j * size, 6 * size, lines + (j & 3) * PHASE + (j >> 2), 4 * PHASE)
    for r in range(6):
        of_phase(to + 6 * r * to0, to0, made + 6 * r * size, size)


def of_phase(to: Ptr[T], to0: i64, d: Ptr[T], d0: i64) -> None:
    """``B^T d``: six vectors of six."""
    size = lanes(T(0))
    made = stack(6 * MOST_LANES, T)
    for x in range(size):
        d0x = d[x]
        d1x = d[d0 + x]
        d2x = d[2 * d0 + x]
        d3x = d[3 * d0 + x]
        d4x = d[4 * d0 + x]
        d5x = d[5 * d0 + x]
        even_a = fmuladd(T(-B2), d2x, d4x)
        odd_a = fmuladd(T(-B2), d1x, d3x) * T(A)
        even_b = fmuladd(T(-A2), d2x, d4x)
        odd_b = fmuladd(T(-A2), d1x, d3x) * T(B)
        made[x] = fmuladd(T(PRODUCT), d0x, fmuladd(T(-SUM), d2x, d4x))
        made[MOST_LANES + x] = even_a + odd_a
        made[2 * MOST_LANES + x] = even_a - odd_a
        made[3 * MOST_LANES + x] = even_b + odd_b
        made[4 * MOST_LANES + x] = even_b - odd_b
        made[5 * MOST_LANES + x] = fmuladd(T(PRODUCT), d1x, fmuladd(T(-SUM), d3x, d5x))
    # All is read before anything is written: LLVM makes no vectors of what may overlap.
    for k in range(6):
        for x in range(size):
            to[k * to0 + x] = made[k * MOST_LANES + x]


def store_tiles_4x4(out: Ptr[T], products: Ptr[T], task: Ptr[i64], channel: i64, first: i64, n: i64) -> b8:
    """``A^T m A`` of `n` tiles of an output channel of all images, with the bias; whether it is finite, as that of
    2 x 2."""
    g = pointer(task[GEOMETRY], i64)
    of_x = task[OF_X]
    channels = task[OUT_CHANNELS] * task[GROUPS]
    made = stack(16 * SEGMENT, T)
    even = stack(2 * SEGMENT, T)
    odd = stack(2 * SEGMENT, T)
    row = stack(4 * SEGMENT, T)
    bias = bias_of(task, channel, T(0))
    size = lanes(T(0))
    seen = stack(MOST_LANES, T)
    for i in range(size):
        seen[i] = T(0)
    at = 0
    while at < n:
        line = (first + at) // of_x
        x = first + at - line * of_x
        image = line // task[OF_Y]
        y = 4 * (line - image * task[OF_Y])
        here = least(of_x - x, n - at)
        for i in range(0, here, size):
            combine_fours(made + i, products + (at + i), task[PRODUCTS], bias)
            see(seen, made + i, 16)
        to = out + (image * channels + channel) * task[POSITIONS] + (y * g[OUT + 2] + 4 * x)
        columns = least(4 * here, g[OUT + 2] - 4 * x)
        for r in range(least(4, g[OUT + 1] - y)):
            join_pairs(even, made + 4 * r * SEGMENT, made + (4 * r + 2) * SEGMENT, here)
            join_pairs(odd, made + (4 * r + 1) * SEGMENT, made + (4 * r + 3) * SEGMENT, here)
            if columns == 4 * here:
                join_pairs(to + r * g[OUT + 2], even, odd, 2 * here)
            else:
                join_pairs(row, even, odd, 2 * here)
                move(to + r * g[OUT + 2], row, columns)
        at = at + here
    return is_finite(seen)


def combine_fours(made: Ptr[T], m: Ptr[T], m0: i64, bias: T) -> None:
    """``A^T m A`` of a vector of tiles: its sixteen elements, one row after the other."""
    size = lanes(T(0))
    lines = stack(24 * MOST_LANES, T)
    for j in range(6):
        of_products(lines + j * size, 6 * size, m + j * m0, 6 * m0, T(0))
    for r in range(4):
        of_products(made + 4 * r * SEGMENT, SEGMENT, lines + 6 * r * size, size, bias)


def of_products(to: Ptr[T], to0: i64, m: Ptr[T], m0: i64, bias: T) -> None:
    """``A^T m`` with the bias: four vectors of six."""
    for x in range(lanes(T(0))):
        sum_a = m[m0 + x] + m[2 * m0 + x]
        step_a = m[m0 + x] - m[2 * m0 + x]
        sum_b = m[3 * m0 + x] + m[4 * m0 + x]
        step_b = m[3 * m0 + x] - m[4 * m0 + x]
        to[x] = (m[x] + sum_a) + (sum_b + bias)
        to[to0 + x] = fmuladd(T(A), step_a, fmuladd(T(B), step_b, bias))
        to[2 * to0 + x] = fmuladd(T(A2), sum_a, fmuladd(T(B2), sum_b, bias))
        to[3 * to0 + x] = fmuladd(T(A3), step_a, fmuladd(T(B3), step_b, m[5 * m0 + x] + bias))
