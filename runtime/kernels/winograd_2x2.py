"""Tier 3: the transforms of Winograd's F(2 x 2, 3 x 3): of weights, of tiles of the input, of products.

With ``B^T`` the rows d0 - d2, d1 + d2, d2 - d1, d1 - d3 of the input, ``G`` the rows w0, (w0 + w1 + w2) / 2,
(w0 - w1 + w2) / 2, w2 of the weights and ``A^T`` the rows m0 + m1 + m2, m1 - m2 - m3 of the products, a tile is
``A^T [sum over channels of (G w G^T) * (B^T d B)] A``: 2 x 2 elements of the result, of 16 products for each channel.
``T`` is float32 or float64.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, b8, i64, pointer, stack
from tscript.runtime.kernels.columns import IN, OUT, PAD, least, most
from tscript.runtime.kernels.convolution_moves import join_pairs, split_pairs
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


def transform_window_2x2(made: Ptr[T], source: Ptr[T], n: i64) -> None:
    """``G w G^T`` of `n` channels, a vector at most: sixteen vectors."""
    w = stack(9 * MOST_LANES, T)
    u = stack(12 * MOST_LANES, T)
    half = T(1) / T(2)
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
            u[j * size + x] = w0
            u[(3 + j) * size + x] = (w0 + w1 + w2) * half
            u[(6 + j) * size + x] = (w0 - w1 + w2) * half
            u[(9 + j) * size + x] = w2
    for i in range(4):
        for x in range(size):
            u0 = u[3 * i * size + x]
            u1 = u[(3 * i + 1) * size + x]
            u2 = u[(3 * i + 2) * size + x]
            made[4 * i * size + x] = u0
            made[(4 * i + 1) * size + x] = (u0 + u1 + u2) * half
            made[(4 * i + 2) * size + x] = (u0 - u1 + u2) * half
            made[(4 * i + 3) * size + x] = u2


def transform_tiles_2x2(to: Ptr[T], task: Ptr[i64], channel: i64, first: i64, n: i64) -> None:
    """``B^T d B`` of `n` tiles of a channel of all images, from tile `first` on."""
    g = pointer(task[GEOMETRY], i64)
    of_x = task[OF_X]
    channels = task[IN_CHANNELS] * task[GROUPS]
    even = stack(4 * SEGMENT, T)
    odd = stack(4 * SEGMENT, T)
    upper = 0
    before = -1
    at = 0
    while at < n:
        line = (first + at) // of_x
        x = first + at - line * of_x
        image = line // task[OF_Y]
        y = 2 * (line - image * task[OF_Y]) - g[PAD + 1]
        here = least(of_x - x, n - at)
        source = pointer(task[SOURCE], T) + (image * channels + channel) * g[IN + 1] * g[IN + 2]
        begin = 0
        if before >= here and y + g[PAD + 1] > 0:
            # The lower two lines of the tiles above are the upper ones of these.
            begin = 2
            upper = 2 * SEGMENT - upper
        for r in range(begin, 4):
            slot = upper + (r & 1) * SEGMENT
            if r >= 2:
                slot = 2 * SEGMENT - upper + (r & 1) * SEGMENT
            read_line(
                even + slot,
                odd + slot,
                source + (y + r) * g[IN + 2],
                y + r >= 0 and y + r < g[IN + 1],
                2 * x - g[PAD + 2],
                g[IN + 2],
                here + 1,
            )
        for i in range(0, here, lanes(T(0))):
            transform_vector(
                to + (at + i), task[INPUTS], even + (upper + i), odd + (upper + i), 2 * SEGMENT - 2 * upper
            )
        at = at + here
        before = -1
        if x == 0:
            before = here


def read_line(even: Ptr[T], odd: Ptr[T], line: Ptr[T], is_inside: b8, x: i64, width: i64, n: i64) -> None:
    """`n` pairs of neighbours of a line of an image, from column `x` on, one here and one there; zeros around it."""
    low = 0
    high = 0
    if is_inside:
        low = least(most((1 - x) >> 1, 0), n)
        high = most(least((width - x) >> 1, n), low)
    for i in range(low):
        even[i] = T(0)
        odd[i] = T(0)
    source = line + x
    split_pairs(even + low, odd + low, source + 2 * low, high - low)
    for i in range(high, n):
        even[i] = T(0)
        odd[i] = T(0)
    if is_inside:
        # Half a pair before, and one behind.
        if low > 0 and x + 2 * low - 1 >= 0 and x + 2 * low - 1 < width:
            odd[low - 1] = source[2 * low - 1]
        if high < n and x + 2 * high >= 0 and x + 2 * high < width:
            even[high] = source[2 * high]


def transform_vector(to: Ptr[T], to0: i64, even: Ptr[T], odd: Ptr[T], far: i64) -> None:
    """``B^T d B`` of a vector of tiles, whose lower two lines are `far` behind the upper ones."""
    size = lanes(T(0))
    lines = stack(16 * MOST_LANES, T)
    transform_column(lines, even, even + far)
    transform_column(lines + size, odd, odd + far)
    transform_column(lines + 2 * size, even + 1, even + (far + 1))
    transform_column(lines + 3 * size, odd + 1, odd + (far + 1))
    v0 = stack(MOST_LANES, T)
    v1 = stack(MOST_LANES, T)
    v2 = stack(MOST_LANES, T)
    v3 = stack(MOST_LANES, T)
    for r in range(4):
        line = lines + 4 * r * size
        # All is read before anything is written: LLVM makes no vectors of what may overlap.
        for x in range(size):
            v0[x] = line[x] - line[2 * size + x]
        for x in range(size):
            v1[x] = line[size + x] + line[2 * size + x]
        for x in range(size):
            v2[x] = line[2 * size + x] - line[size + x]
        for x in range(size):
            v3[x] = line[size + x] - line[3 * size + x]
        row = to + 4 * r * to0
        for x in range(size):
            row[x] = v0[x]
        for x in range(size):
            row[to0 + x] = v1[x]
        for x in range(size):
            row[2 * to0 + x] = v2[x]
        for x in range(size):
            row[3 * to0 + x] = v3[x]


def transform_column(to: Ptr[T], d: Ptr[T], lower: Ptr[T]) -> None:
    """One of the four columns of ``B^T d``: `d` and `lower` are two lines each."""
    size = lanes(T(0))
    for x in range(size):
        to[x] = d[x] - lower[x]
    for x in range(size):
        to[4 * size + x] = d[SEGMENT + x] + lower[x]
    for x in range(size):
        to[8 * size + x] = lower[x] - d[SEGMENT + x]
    for x in range(size):
        to[12 * size + x] = d[SEGMENT + x] - lower[SEGMENT + x]


def store_tiles_2x2(out: Ptr[T], products: Ptr[T], task: Ptr[i64], channel: i64, first: i64, n: i64) -> b8:
    """``A^T m A`` of `n` tiles of an output channel of all images, with the bias; whether it is finite.

    So is what the last vector runs over into: products of tiles behind these or of another channel, or zeros.
    """
    g = pointer(task[GEOMETRY], i64)
    of_x = task[OF_X]
    channels = task[OUT_CHANNELS] * task[GROUPS]
    made = stack(4 * SEGMENT, T)
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
        y = 2 * (line - image * task[OF_Y])
        here = least(of_x - x, n - at)
        for i in range(0, here, size):
            combine_vector(made + i, products + (at + i), task[PRODUCTS], bias)
            see(seen, made + i, 4)
        to = out + (image * channels + channel) * task[POSITIONS] + (y * g[OUT + 2] + 2 * x)
        columns = least(2 * here, g[OUT + 2] - 2 * x)
        store_pairs(to, made, columns)
        if y + 1 < g[OUT + 1]:
            store_pairs(to + g[OUT + 2], made + 2 * SEGMENT, columns)
        at = at + here
    return is_finite(seen)


def store_pairs(to: Ptr[T], made: Ptr[T], n: i64) -> None:
    """`n` elements of a line of the result, of which every other one lies elsewhere."""
    join_pairs(to, made, made + SEGMENT, n >> 1)
    if n & 1 != 0:
        to[n - 1] = made[n >> 1]


def combine_vector(made: Ptr[T], m: Ptr[T], m0: i64, bias: T) -> None:
    """``A^T m A`` of a vector of tiles: its four elements, one after the other."""
    size = lanes(T(0))
    lines = stack(8 * MOST_LANES, T)
    for j in range(4):
        p = m + j * m0
        for x in range(size):
            lines[j * size + x] = p[x] + p[4 * m0 + x] + p[8 * m0 + x]
        for x in range(size):
            lines[(4 + j) * size + x] = p[4 * m0 + x] - p[8 * m0 + x] - p[12 * m0 + x]
    for r in range(2):
        line = lines + 4 * r * size
        row = made + 2 * r * SEGMENT
        for x in range(size):
            row[x] = line[x] + line[size + x] + line[2 * size + x] + bias
        for x in range(size):
            row[SEGMENT + x] = line[size + x] - line[2 * size + x] - line[3 * size + x] + bias
