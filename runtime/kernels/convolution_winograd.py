"""Tier 3: convolutions of images with windows of 3 x 3 by Winograd's F(2 x 2, 3 x 3), or F(4 x 4, 3 x 3).

The formula is that of A. Lavin and S. Gray, "Fast algorithms for convolutional neural networks" (2015). A *tile* is
2 x 2 elements of the result, which take 4 x 4 of the input; it takes 4 products an element in place of 9 (see
`winograd_2x2`). Or it is 4 x 4 elements, which take 6 x 6 and 2.25 products each (`winograd_4x4`); so only where the
caller asks for speed (``FAST``). The transforms of weights and tiles are 16, or 36, matrices, which are multiplied.

An error is up to three times that of a sum of products, or eight times for the larger tiles, and relative to the
largest element of the 4 x 4 or 6 x 6, which the window of a neighbour may not hold. What is not finite would spread in
the same way, so if a result is not finite, the convolution is computed again out of copies.

``T`` is float32 or float64. Tiles of all images of a batch are numbered in one row and divided into blocks. Threads
take blocks, and shares of the output channels where there are fewer blocks. No result depends on where one begins.
"""

from __future__ import annotations

from tscript.dialect import Ptr, Storage, T, atomic_store, b8, context, function, i64, pointer, stack, symbol
from tscript.runtime.kernels.columns import DILATION, IN, OUT, STRIDE, WINDOW, least, most
from tscript.runtime.kernels.convolution_task import (
    BATCH,
    CONSTANT,
    EPILOGUE,
    FAST,
    GEOMETRY,
    GROUPS,
    IN_CHANNELS,
    OFFSET,
    OUT_CHANNELS,
    PARTS,
    POSITIONS,
    ROOM,
    SCRATCH,
    SHARED,
    TO,
    UNITS,
    WEIGHT,
    parts_of,
    room_of,
)
from tscript.runtime.kernels.convolution_tiles import MOST_LANES, lanes, tile_of
from tscript.runtime.kernels.epilogues import run_epilogue
from tscript.runtime.kernels.layouts import WINOGRAD_2X2, WINOGRAD_4X4, find_layout, keep_layout, new_layout
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.winograd_2x2 import store_tiles_2x2, transform_tiles_2x2, transform_window_2x2
from tscript.runtime.kernels.winograd_4x4 import store_tiles_4x4, transform_tiles_4x4, transform_window_4x4
from tscript.runtime.kernels.winograd_cells import (
    BLOCKS_OF,
    COUNT,
    GAP,
    INPUTS,
    IS_BAD,
    MATRICES,
    MOST_TILES,
    OF_X,
    OF_Y,
    PRODUCTS,
    SIDE,
    SPLIT,
    TILES,
    WEIGHTS,
    WIDTH,
)

LEAST_TILES = 40
LEAST_CHANNELS = 16
"""For fewer, what is saved is less than what the transforms take."""
LEAST_KEPT_TILES = 9
"""The same where the weights are constants, whose transforms are kept (`layouts`)."""
CHAIN = 128
"""Products that are added up at once."""
LEAST_LARGE_TILES = 12
"""Of 4 x 4, where they are allowed: for fewer, the transformed weights are read for too little."""
LEAST_SHARE = 16
"""Output channels that are worth transforming the input for again, on another thread."""
CACHE = 1 << 19
"""Bytes of the transformed input and of the products of a block, about."""

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
    side = 2
    count = 16
    kind = WINOGRAD_2X2
    if task[FAST] != 0 and task[BATCH] * ((g[OUT + 2] + 3) >> 2) * ((g[OUT + 1] + 3) >> 2) >= LEAST_LARGE_TILES:
        side = 4
        count = 36
        kind = WINOGRAD_4X4
    of_x = (g[OUT + 2] + side - 1) // side
    of_y = (g[OUT + 1] + side - 1) // side
    tiles = task[BATCH] * of_x * of_y
    if side == 2 and tiles < LEAST_TILES and (task[CONSTANT] == 0 or tiles < LEAST_KEPT_TILES):
        return False
    task[SIDE] = side
    task[COUNT] = count
    task[OF_X] = of_x
    task[OF_Y] = of_y
    step = 3 * lanes(element)
    width = least(most(CACHE // (count * itemsize * (channels + made)) // step, 1) * step, MOST_TILES)
    blocks = (tiles + width - 1) // width
    width = (tiles + blocks - 1) // blocks
    width = (width + lanes(element) - 1) & -lanes(element)
    task[TILES] = tiles
    task[WIDTH] = width
    task[BLOCKS_OF] = (tiles + width - 1) // width
    task[WEIGHTS] = ((made + 3) & -4) * channels + GAP
    task[INPUTS] = channels * width + GAP
    task[PRODUCTS] = ((made + 3) & -4) * width + GAP
    units = task[GROUPS] * task[BLOCKS_OF]
    products = count * channels * made * width
    threads = symbol("ts_parallel_threads_v1", i64)[0]
    task[SPLIT] = 1
    if units < threads:
        task[SPLIT] = most(least((threads + units - 1) // units, made // LEAST_SHARE), 1)
    task[UNITS] = units * task[SPLIT]
    task[PARTS] = parts_of(task[UNITS], products // task[SPLIT])
    if task[PARTS] == 1:
        task[UNITS] = units
        task[SPLIT] = 1
    task[ROOM] = count * (task[INPUTS] + task[PRODUCTS])
    task[MATRICES] = 0
    if task[CONSTANT] != 0:
        task[MATRICES] = find_layout(
            pointer(task[CONSTANT], Storage),
            kind,
            task[OFFSET],
            made << 32 | task[GROUPS],
            channels << 8 | itemsize,
        )
    task[SHARED] = 0
    if task[MATRICES] == 0:
        task[SHARED] = count * task[WEIGHTS] * task[GROUPS]
    return True


def transform_all(task: Ptr[i64], itemsize: i64, _element: T) -> None:
    """Transform the weights, of a constant for later calls too."""
    layout = 0
    kind = WINOGRAD_2X2
    if task[SIDE] == 4:
        kind = WINOGRAD_4X4
    if task[CONSTANT] != 0:
        layout = new_layout(
            task[SHARED] * itemsize,
            kind,
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
    """The weights of some quadruples of output channels.

    Of a matrix lie one after the other: chunks of `CHAIN` input channels, in these the quadruples, in these the
    channels, in these four weights.
    """
    made = task[OUT_CHANNELS]
    channels = task[IN_CHANNELS]
    quadruples = (made + 3) >> 2
    size = lanes(T(0))
    count = task[COUNT]
    four = stack(4 * 36 * MOST_LANES, T)
    for unit in range(begin, end):
        group = unit // quadruples
        first = 4 * (unit - group * quadruples)
        to = pointer(task[MATRICES], T) + group * count * task[WEIGHTS]
        weights = pointer(task[WEIGHT], T) + group * made * channels * 9
        for start in range(0, channels, CHAIN):
            depth = least(CHAIN, channels - start)
            row = to + (4 * quadruples * start + first * depth)
            for c in range(0, depth, size):
                n = least(depth - c, size)
                for r in range(4):
                    source = weights + ((first + r) * channels + start + c) * 9
                    if first + r >= made:
                        for i in range(count * size):
                            four[r * count * size + i] = T(0)
                    elif count == 16:
                        transform_window_2x2(four + r * count * size, source, n)
                    else:
                        transform_window_4x4(four + r * count * size, source, n)
                for p in range(count):
                    store_four(row + (p * task[WEIGHTS] + 4 * c), four + p * size, count * size, n)


def store_four(to: Ptr[T], source: Ptr[T], of_row: i64, n: i64) -> None:
    """`n` weights of each of four rows, `of_row` elements apart, of which those that go together lie together then."""
    size = lanes(T(0))
    if n == size:
        together = stack(4 * MOST_LANES, T)
        for x in range(size):
            together[4 * x] = source[x]
            together[4 * x + 1] = source[of_row + x]
            together[4 * x + 2] = source[2 * of_row + x]
            together[4 * x + 3] = source[3 * of_row + x]
        for x in range(4 * size):
            to[x] = together[x]
    else:
        for x in range(n):
            for r in range(4):
                to[4 * x + r] = source[r * of_row + x]


def winograd_parts(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of the blocks, with the scratch memory of the first one."""
    scratch = room_of(task, begin, T(0))
    units = task[UNITS]
    parts = task[PARTS]
    for unit in range(units * begin // parts, units * end // parts):
        if not compute_tiles(pointer(task[TO], T), scratch, task, unit):
            atomic_store(task + IS_BAD, 1)


def compute_tiles(out: Ptr[T], scratch: Ptr[T], task: Ptr[i64], unit: i64) -> b8:
    """A share of the output channels of a block of tiles; whether it is finite."""
    split = task[SPLIT]
    block = unit // split
    share = unit - block * split
    group = block // task[BLOCKS_OF]
    first = (block - group * task[BLOCKS_OF]) * task[WIDTH]
    made = task[OUT_CHANNELS]
    rows = (made + 3) & -4
    begin = rows * share // split & -4
    end = rows * (share + 1) // split & -4
    n = least(task[WIDTH], task[TILES] - first)
    width = (n + lanes(T(0)) - 1) & -lanes(T(0))
    count = task[COUNT]
    inputs = scratch
    products = scratch + count * task[INPUTS]
    channels = task[IN_CHANNELS]
    for c in range(channels):
        if count == 16:
            transform_tiles_2x2(inputs + c * width, task, group * channels + c, first, n)
        else:
            transform_tiles_4x4(inputs + c * width, task, group * channels + c, first, n)
    for p in range(count):
        # What a vector ran over into is read no more, but behind the last tile.
        for c in range(channels):
            for x in range(n, width):
                inputs[p * task[INPUTS] + c * width + x] = T(0)
        multiply_tiles(
            products + p * task[PRODUCTS],
            pointer(task[MATRICES], T) + (group * count + p) * task[WEIGHTS],
            inputs + p * task[INPUTS],
            rows,
            begin,
            end,
            width,
            channels,
        )
        for x in range(GAP):
            products[p * task[PRODUCTS] + end * width + x] = T(0)
    is_good = True
    for m in range(begin, least(end, made)):
        channel = group * made + m
        if count == 16:
            is_good = store_tiles_2x2(out, products + m * width, task, channel, first, n) and is_good
        else:
            is_good = store_tiles_4x4(out, products + m * width, task, channel, first, n) and is_good
        if task[EPILOGUE] != 0:
            finish_tiles(task, channel, first, n)
    return is_good


def finish_tiles(task: Ptr[i64], channel: i64, first: i64, n: i64) -> None:
    """Run the epilogue over `n` tiles of a channel of all images: over as many lines of tiles at once as are whole."""
    g = pointer(task[GEOMETRY], i64)
    of_x = task[OF_X]
    of_y = task[OF_Y]
    side = task[SIDE]
    columns = g[OUT + 2]
    channels = task[OUT_CHANNELS] * task[GROUPS]
    at = 0
    while at < n:
        line = (first + at) // of_x
        x = first + at - line * of_x
        image = line // of_y
        tile = line - image * of_y
        y = side * tile
        begin = (image * channels + channel) * task[POSITIONS] + (y * columns + side * x)
        whole = least((n - at) // of_x, of_y - tile)
        if x == 0 and whole > 0:
            run_epilogue(task[EPILOGUE], begin, least(side * whole, g[OUT + 1] - y) * columns)
            at = at + whole * of_x
        else:
            here = least(of_x - x, n - at)
            for r in range(least(side, g[OUT + 1] - y)):
                run_epilogue(task[EPILOGUE], begin + r * columns, least(side * here, columns - side * x))
            at = at + here


def multiply_tiles(c: Ptr[T], a: Ptr[T], b: Ptr[T], m: i64, begin: i64, end: i64, n: i64, k: i64) -> None:
    """Rows `begin` to `end` of C = A B without gaps, where they and `m` are multiples of 4 and `n` of a vector, and A
    lies as `transform_weights` says."""
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
                for i in range(begin, end, 4):
                    tile_4x3(to + i * n, n, left + i * depth, 1, right, 0, 1, at, depth, start > 0)
                x = x + 3 * size
            elif n - x >= 2 * size:
                for i in range(begin, end, 4):
                    tile_4x2(to + i * n, n, left + i * depth, 1, right, 0, 1, at, depth, start > 0)
                x = x + 2 * size
            else:
                for i in range(begin, end, 4):
                    tile_4x1(to + i * n, n, left + i * depth, 1, right, 0, 1, at, depth, start > 0)
                x = x + size
