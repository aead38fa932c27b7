"""Tier 3: convolutions of images with windows of 3 x 3 by Winograd's F(2 x 2, 3 x 3).

It takes 4 products an element in place of 9. The formula is that of A. Lavin and S. Gray, "Fast algorithms for
convolutional neural networks" (2015). A *tile* is 2 x 2 elements of the result, which take 4 x 4 of the input. With
``B^T`` the rows d0 - d2, d1 + d2, d2 - d1, d1 - d3 of the input, ``G`` the rows w0, (w0 + w1 + w2) / 2,
(w0 - w1 + w2) / 2, w2 of the weights and ``A^T`` the rows m0 + m1 + m2, m1 - m2 - m3 of the products, a tile is
``A^T [sum over channels of (G w G^T) * (B^T d B)] A``: 16 products of matrices, of weights by tiles.

An error is up to three times that of a sum of products, and relative to the largest element of the 4 x 4, which the
window of a neighbour may not hold. What is not finite would spread in the same way, so if a result is not finite, the
convolution is computed again out of copies.

``T`` is float32 or float64. Tiles of all images of a batch are numbered in one row and divided into blocks. No result
depends on where a block begins.
"""

from __future__ import annotations

from tscript.dialect import Ptr, Storage, T, atomic_store, b8, context, function, i64, pointer, stack
from tscript.runtime.kernels.columns import DILATION, IN, OUT, PAD, STRIDE, WINDOW, least, most
from tscript.runtime.kernels.convolution_moves import join_pairs, split_pairs
from tscript.runtime.kernels.convolution_task import (
    BATCH,
    CONSTANT,
    GEOMETRY,
    GROUPS,
    IN_CHANNELS,
    OFFSET,
    OUT_CHANNELS,
    OWN,
    PARTS,
    POSITIONS,
    ROOM,
    SCRATCH,
    SHARED,
    SOURCE,
    TO,
    UNITS,
    WEIGHT,
    bias_of,
    parts_of,
    room_of,
)
from tscript.runtime.kernels.convolution_tiles import MOST_LANES, lanes, tile_of
from tscript.runtime.kernels.layouts import WINOGRAD, find_layout, keep_layout, new_layout
from tscript.runtime.kernels.parallel import parallel

LEAST_TILES = 40
LEAST_CHANNELS = 16
"""For fewer, what is saved is less than what the transforms take."""
LEAST_KEPT_TILES = 9
"""The same where the weights are constants, whose transforms are kept (`layouts`)."""
CHAIN = 128
"""Products that are added up at once."""
CACHE = 1 << 19
"""Bytes of the transformed input and of the products of a block, about."""
MOST_TILES = 192
"""Of a block."""
GAP = 2 * MOST_LANES
"""Elements between matrices, which vectors may run over into."""
SEGMENT = MOST_TILES + GAP

TILES, OF_X, OF_Y, WIDTH, BLOCKS_OF, WEIGHTS, INPUTS, PRODUCTS, IS_BAD, MATRICES = range(OWN, OWN + 10)
"""Tiles of a group, along dimensions, in a block; blocks of a group; elements of a matrix of weights, inputs and
products with the gap; whether a result is not finite; the address of the transformed weights, if there are any."""

tile_4x3 = tile_of(4, 3, together=True)
tile_4x2 = tile_of(4, 2, together=True)
tile_4x1 = tile_of(4, 1, together=True)


def lay_out_winograd(task: Ptr[i64], g: Ptr[i64], itemsize: i64, element: T) -> b8:
    """Decide about blocks; False, and nothing changes, where other ways take less."""
    for i in range(1, 3):
        if g[WINDOW + i] != 3 or g[STRIDE + i] != 1 or g[DILATION + i] != 1:
            return False
    if g[WINDOW] != 1 or g[IN] != 1 or g[OUT] != 1:
        return False
    channels = task[IN_CHANNELS]
    made = task[OUT_CHANNELS]
    if channels < LEAST_CHANNELS or made < LEAST_CHANNELS:
        return False
    of_x = (g[OUT + 2] + 1) >> 1
    of_y = (g[OUT + 1] + 1) >> 1
    tiles = task[BATCH] * of_x * of_y
    if tiles < LEAST_TILES and (task[CONSTANT] == 0 or tiles < LEAST_KEPT_TILES):
        return False
    task[OF_X] = of_x
    task[OF_Y] = of_y
    step = 3 * lanes(element)
    width = least(most(CACHE // (16 * itemsize * (channels + made)) // step, 1) * step, MOST_TILES)
    blocks = (tiles + width - 1) // width
    width = (tiles + blocks - 1) // blocks
    width = (width + lanes(element) - 1) & -lanes(element)
    task[TILES] = tiles
    task[WIDTH] = width
    task[BLOCKS_OF] = (tiles + width - 1) // width
    task[WEIGHTS] = ((made + 3) & -4) * channels + GAP
    task[INPUTS] = channels * width + GAP
    task[PRODUCTS] = ((made + 3) & -4) * width + GAP
    task[UNITS] = task[GROUPS] * task[BLOCKS_OF]
    task[PARTS] = parts_of(task[UNITS], 16 * channels * made * width)
    task[ROOM] = 16 * (task[INPUTS] + task[PRODUCTS])
    task[MATRICES] = 0
    if task[CONSTANT] != 0:
        task[MATRICES] = find_layout(
            pointer(task[CONSTANT], Storage),
            WINOGRAD,
            task[OFFSET],
            made << 32 | task[GROUPS],
            channels << 8 | itemsize,
        )
    task[SHARED] = 0
    if task[MATRICES] == 0:
        task[SHARED] = 16 * task[WEIGHTS] * task[GROUPS]
    return True


def transform_all(task: Ptr[i64], itemsize: i64, _element: T) -> None:
    """Transform the weights, of a constant for later calls too."""
    layout = 0
    if task[CONSTANT] != 0:
        layout = new_layout(
            task[SHARED] * itemsize,
            WINOGRAD,
            task[OFFSET],
            task[OUT_CHANNELS] << 32 | task[GROUPS],
            task[IN_CHANNELS] << 8 | itemsize,
        )
    task[MATRICES] = layout
    if layout == 0:
        task[MATRICES] = task[SCRATCH]
    rows = task[GROUPS] * ((task[OUT_CHANNELS] + 3) >> 2)
    if task[PARTS] > 1:
        parallel(context(), function(transform_weights), task, rows, most((1 << 16) // (4 * task[IN_CHANNELS]), 1))
    else:
        transform_weights(task, 0, rows)
    if layout != 0:
        task[MATRICES] = keep_layout(pointer(task[CONSTANT], Storage), layout)


def convolve_winograd(task: Ptr[i64], itemsize: i64, element: T) -> b8:
    """Compute a convolution that is laid out and has its room; whether all of its results are finite."""
    task[IS_BAD] = 0
    if task[MATRICES] == 0:
        transform_all(task, itemsize, element)
    if task[PARTS] > 1:
        parallel(context(), function(winograd_parts), task, task[PARTS], 1)
    else:
        winograd_parts(task, 0, 1)
    return task[IS_BAD] == 0


def transform_weights(task: Ptr[i64], begin: i64, end: i64) -> None:
    """``G w G^T`` of some quadruples of output channels.

    Of a matrix lie one after the other: chunks of `CHAIN` input channels, in these the quadruples, in these the
    channels, in these four weights.
    """
    made = task[OUT_CHANNELS]
    channels = task[IN_CHANNELS]
    quadruples = (made + 3) >> 2
    size = lanes(T(0))
    four = stack(4 * 16 * MOST_LANES, T)
    for unit in range(begin, end):
        group = unit // quadruples
        first = 4 * (unit - group * quadruples)
        to = pointer(task[MATRICES], T) + group * 16 * task[WEIGHTS]
        weights = pointer(task[WEIGHT], T) + group * made * channels * 9
        for start in range(0, channels, CHAIN):
            depth = least(CHAIN, channels - start)
            row = to + (4 * quadruples * start + first * depth)
            for c in range(0, depth, size):
                n = least(depth - c, size)
                for r in range(4):
                    if first + r < made:
                        source = weights + ((first + r) * channels + start + c) * 9
                        transform_window(four + r * 16 * size, source, n)
                    else:
                        for i in range(16 * size):
                            four[r * 16 * size + i] = T(0)
                for p in range(16):
                    store_four(row + (p * task[WEIGHTS] + 4 * c), four + p * size, n)


def store_four(to: Ptr[T], source: Ptr[T], n: i64) -> None:
    """`n` weights of each of four rows, of which those that go together lie together then."""
    size = lanes(T(0))
    if n == size:
        together = stack(4 * MOST_LANES, T)
        for x in range(size):
            together[4 * x] = source[x]
            together[4 * x + 1] = source[16 * size + x]
            together[4 * x + 2] = source[32 * size + x]
            together[4 * x + 3] = source[48 * size + x]
        for x in range(4 * size):
            to[x] = together[x]
    else:
        for x in range(n):
            for r in range(4):
                to[4 * x + r] = source[16 * r * size + x]


def transform_window(made: Ptr[T], source: Ptr[T], n: i64) -> None:
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


def winograd_parts(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of the blocks, with the scratch memory of the first one."""
    scratch = room_of(task, begin, T(0))
    units = task[UNITS]
    parts = task[PARTS]
    for unit in range(units * begin // parts, units * end // parts):
        if not compute_tiles(pointer(task[TO], T), scratch, task, unit):
            atomic_store(task + IS_BAD, 1)


def compute_tiles(out: Ptr[T], scratch: Ptr[T], task: Ptr[i64], unit: i64) -> b8:
    """A block of tiles; whether it is finite."""
    group = unit // task[BLOCKS_OF]
    first = (unit - group * task[BLOCKS_OF]) * task[WIDTH]
    n = least(task[WIDTH], task[TILES] - first)
    width = (n + lanes(T(0)) - 1) & -lanes(T(0))
    inputs = scratch
    products = scratch + 16 * task[INPUTS]
    channels = task[IN_CHANNELS]
    for c in range(channels):
        transform_tiles(inputs + c * width, task, group * channels + c, first, n)
    for p in range(16):
        # What a vector ran over into is read no more, but behind the last tile.
        for c in range(channels):
            for x in range(n, width):
                inputs[p * task[INPUTS] + c * width + x] = T(0)
        multiply_tiles(
            products + p * task[PRODUCTS],
            pointer(task[MATRICES], T) + (group * 16 + p) * task[WEIGHTS],
            inputs + p * task[INPUTS],
            (task[OUT_CHANNELS] + 3) & -4,
            width,
            channels,
        )
    is_good = True
    for m in range(task[OUT_CHANNELS]):
        is_good = store_tiles(out, products + m * width, task, group * task[OUT_CHANNELS] + m, first, n) and is_good
    return is_good


def multiply_tiles(c: Ptr[T], a: Ptr[T], b: Ptr[T], m: i64, n: i64, k: i64) -> None:
    """C = A B without gaps, where `m` is a multiple of 4 and `n` of a vector, and A as `transform_weights` says."""
    size = lanes(T(0))
    at = stack(CHAIN, i64)
    for i in range(least(k, CHAIN)):
        at[i] = i * n
    for start in range(0, k, CHAIN):
        depth = least(CHAIN, k - start)
        x = 0
        while x < n:
            left = a + m * start
            right = b + (start * n + x)
            to = c + x
            if n - x >= 3 * size:
                for i in range(0, m, 4):
                    tile_4x3(to + i * n, n, left + i * depth, 1, right, 0, 1, at, depth, start > 0)
                x = x + 3 * size
            elif n - x >= 2 * size:
                for i in range(0, m, 4):
                    tile_4x2(to + i * n, n, left + i * depth, 1, right, 0, 1, at, depth, start > 0)
                x = x + 2 * size
            else:
                for i in range(0, m, 4):
                    tile_4x1(to + i * n, n, left + i * depth, 1, right, 0, 1, at, depth, start > 0)
                x = x + size


def transform_tiles(to: Ptr[T], task: Ptr[i64], channel: i64, first: i64, n: i64) -> None:
    """``B^T d B`` of `n` tiles of a channel of all images, from tile `first` on."""
    g = pointer(task[GEOMETRY], i64)
    of_x = task[OF_X]
    channels = task[IN_CHANNELS] * task[GROUPS]
    even = stack(4 * SEGMENT, T)
    odd = stack(4 * SEGMENT, T)
    at = 0
    while at < n:
        line = (first + at) // of_x
        x = first + at - line * of_x
        image = line // task[OF_Y]
        y = 2 * (line - image * task[OF_Y]) - g[PAD + 1]
        here = least(of_x - x, n - at)
        source = pointer(task[SOURCE], T) + (image * channels + channel) * g[IN + 1] * g[IN + 2]
        for r in range(4):
            read_line(
                even + r * SEGMENT,
                odd + r * SEGMENT,
                source + (y + r) * g[IN + 2],
                y + r >= 0 and y + r < g[IN + 1],
                2 * x - g[PAD + 2],
                g[IN + 2],
                here + 1,
            )
        for i in range(0, here, lanes(T(0))):
            transform_vector(to + (at + i), task[INPUTS], even + i, odd + i)
        at = at + here


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


def transform_vector(to: Ptr[T], to0: i64, even: Ptr[T], odd: Ptr[T]) -> None:
    """``B^T d B`` of a vector of tiles."""
    size = lanes(T(0))
    lines = stack(16 * MOST_LANES, T)
    transform_column(lines, even)
    transform_column(lines + size, odd)
    transform_column(lines + 2 * size, even + 1)
    transform_column(lines + 3 * size, odd + 1)
    for r in range(4):
        line = lines + 4 * r * size
        row = to + 4 * r * to0
        for x in range(size):
            row[x] = line[x] - line[2 * size + x]
        for x in range(size):
            row[to0 + x] = line[size + x] + line[2 * size + x]
        for x in range(size):
            row[2 * to0 + x] = line[2 * size + x] - line[size + x]
        for x in range(size):
            row[3 * to0 + x] = line[size + x] - line[3 * size + x]


def transform_column(to: Ptr[T], d: Ptr[T]) -> None:
    """One of the four columns of ``B^T d``."""
    size = lanes(T(0))
    for x in range(size):
        to[x] = d[x] - d[2 * SEGMENT + x]
    for x in range(size):
        to[4 * size + x] = d[SEGMENT + x] + d[2 * SEGMENT + x]
    for x in range(size):
        to[8 * size + x] = d[2 * SEGMENT + x] - d[SEGMENT + x]
    for x in range(size):
        to[12 * size + x] = d[SEGMENT + x] - d[3 * SEGMENT + x]


def store_tiles(out: Ptr[T], products: Ptr[T], task: Ptr[i64], channel: i64, first: i64, n: i64) -> b8:
    """``A^T m A`` of `n` tiles of an output channel of all images, with the bias; whether it is finite."""
    g = pointer(task[GEOMETRY], i64)
    of_x = task[OF_X]
    channels = task[OUT_CHANNELS] * task[GROUPS]
    made = stack(4 * SEGMENT, T)
    bias = bias_of(task, channel, T(0))
    bad = 0
    at = 0
    while at < n:
        line = (first + at) // of_x
        x = first + at - line * of_x
        image = line // task[OF_Y]
        y = 2 * (line - image * task[OF_Y])
        here = least(of_x - x, n - at)
        for i in range(0, here, lanes(T(0))):
            combine_vector(made + i, products + (at + i), task[PRODUCTS], bias)
        for i in range(here):
            total = (made[i] + made[SEGMENT + i]) + (made[2 * SEGMENT + i] + made[3 * SEGMENT + i])
            bad = bad | i64(total - total != T(0))
        to = out + (image * channels + channel) * task[POSITIONS] + (y * g[OUT + 2] + 2 * x)
        columns = least(2 * here, g[OUT + 2] - 2 * x)
        store_pairs(to, made, columns)
        if y + 1 < g[OUT + 1]:
            store_pairs(to + g[OUT + 2], made + 2 * SEGMENT, columns)
        at = at + here
    return bad == 0


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
