"""Tier 3: convolutions without columns: windows of a block of the input, which the cache holds, are read as they lie.

A block is a few rows of the result. What its windows reach is copied with its padding, channel by channel; where
windows move by more than one element, elements that one place of the window meets lie side by side (a *phase*).
In such a copy all positions of a block lie in one line, and a place in the window is a distance: `tile_of` reads them
as they are. Between rows there are positions that nothing needs, which are computed and left out.

``T`` is float32 or float64. The products of an element are added up in chunks of channels that depend on the sizes of
the window and the channels alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.dialect import Ptr, T, address, b8, context, function, i64, pointer, stack, symbol
from tscript.runtime.kernels.columns import DILATION, IN, OUT, PAD, STRIDE, WINDOW, first_inside, least, most
from tscript.runtime.kernels.convolution_moves import add_to, move, move_every_other
from tscript.runtime.kernels.convolution_task import (
    BATCH,
    BIAS,
    DEPTH,
    EPILOGUE,
    GEOMETRY,
    GROUPS,
    IN_CHANNELS,
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
from tscript.runtime.kernels.convolution_tiles import MOST_LANES, WIDEST, lanes, tile_of
from tscript.runtime.kernels.epilogues import run_epilogue
from tscript.runtime.kernels.parallel import parallel

MOST_TAPS = 1024
"""Of a window: larger ones are summed up in parts by other means."""
CHAIN = 512
"""Products that are added up at once, about."""
BLOCK_COLUMNS = 512
BLOCK_POSITIONS = 512
"""Of a block, about."""
MOST_ROOM = 1 << 16
"""Elements of the copy of a block, about."""
MOST_OF_CHANNEL = 1 << 18
"""Elements of one channel of it, at most."""

PHASES, REACH = OWN, OWN + 3
TAPS, ROWS, LINE, PLANE, OF_CHANNEL, CHUNK, CHUNKS, OF_Y, OF_X, SPLIT, WIDTH, AT = range(OWN + 6, OWN + 18)
"""Three cells each for the phases of the dimensions and how far the last place of the window is behind the first; the
places of a window; rows and columns (``WIDTH``) of a block, elements of a line, of a phase and of a channel of its
copy; channels of a chunk and how many chunks there are; blocks along the last two dimensions and parts of output
channels; the address of the distances."""


def divisor(a: i64, b: i64) -> i64:
    """The greatest common divisor of positive numbers."""
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return a


def lay_out_direct(task: Ptr[i64], g: Ptr[i64], itemsize: i64) -> b8:
    """Decide about blocks; False where columns take less."""
    taps = g[WINDOW] * g[WINDOW + 1] * g[WINDOW + 2]
    if taps > MOST_TAPS:
        return False
    phases = 1
    for i in range(3):
        period = g[STRIDE + i] // divisor(g[STRIDE + i], g[DILATION + i])
        task[PHASES + i] = least(g[WINDOW + i], period)
        task[REACH + i] = (g[WINDOW + i] - 1) * g[DILATION + i] // g[STRIDE + i]
        phases = phases * task[PHASES + i]
    out_h = g[OUT + 1]
    out_w = g[OUT + 2]
    nx = (out_w + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS
    width = (out_w + nx - 1) // nx
    line = width + task[REACH + 2]
    rows = 1
    if 2 * line <= 3 * width:
        rows = least(out_h, most(BLOCK_POSITIONS // line, least(2 * task[REACH + 1], 2 * BLOCK_POSITIONS // line)))
        rows = most(rows, 1)
    ny = (out_h + rows - 1) // rows
    rows = (out_h + ny - 1) // ny
    plane = (task[REACH] + 1) * (rows + task[REACH + 1]) * line
    if plane > MOST_OF_CHANNEL // phases or phases * plane > 2 * taps * rows * width + WIDEST:
        return False
    channels = task[IN_CHANNELS]
    chunks = (channels * taps + CHAIN - 1) // CHAIN
    chunk = (channels + chunks - 1) // chunks
    task[TAPS] = taps
    task[ROWS] = rows
    task[WIDTH] = width
    task[LINE] = line
    task[PLANE] = plane
    task[OF_CHANNEL] = phases * plane
    task[CHUNK] = chunk
    task[CHUNKS] = (channels + chunk - 1) // chunk
    task[OF_Y] = (out_h + rows - 1) // rows
    task[OF_X] = nx
    units = task[BATCH] * task[GROUPS] * g[OUT] * task[OF_Y] * nx
    products = rows * width * task[DEPTH] * task[OUT_CHANNELS]
    task[SPLIT] = 1
    threads = symbol("ts_parallel_threads_v1", i64)[0]
    if threads > 1 and units < 4 * threads:
        task[SPLIT] = most(least((4 * threads + units - 1) // units, task[OUT_CHANNELS] // 8), 1)
    task[UNITS] = units * task[SPLIT]
    task[PARTS] = parts_of(task[UNITS], products // task[SPLIT])
    if task[PARTS] == 1:
        task[UNITS] = units
        task[SPLIT] = 1
    task[ROOM] = (chunk * task[OF_CHANNEL] + WIDEST + 15) & -16
    # The distances of the window.
    task[SHARED] = (taps * 8 // itemsize + 15) & -16
    return True


def convolve_directly(task: Ptr[i64], g: Ptr[i64], element: T) -> None:
    """Compute a convolution that is laid out and has its room."""
    at = pointer(task[SCRATCH], i64)
    task[AT] = address(at)
    line = task[LINE]
    per_z = task[PLANE] // (task[REACH] + 1)
    n = 0
    for kz in range(g[WINDOW]):
        pz = kz % task[PHASES]
        z = (kz * g[DILATION] - pz * g[DILATION] % g[STRIDE]) // g[STRIDE]
        for ky in range(g[WINDOW + 1]):
            py = ky % task[PHASES + 1]
            y = (ky * g[DILATION + 1] - py * g[DILATION + 1] % g[STRIDE + 1]) // g[STRIDE + 1]
            for kx in range(g[WINDOW + 2]):
                px = kx % task[PHASES + 2]
                x = (kx * g[DILATION + 2] - px * g[DILATION + 2] % g[STRIDE + 2]) // g[STRIDE + 2]
                phase = (pz * task[PHASES + 1] + py) * task[PHASES + 2] + px
                at[n] = phase * task[PLANE] + z * per_z + y * line + x
                n = n + 1
    if task[PARTS] > 1:
        parallel(context(), function(direct_parts), task, task[PARTS], 1)
    else:
        direct_parts(task, 0, 1)


def direct_parts(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of the blocks, with the scratch memory of the first one."""
    scratch = room_of(task, begin, T(0))
    units = task[UNITS]
    parts = task[PARTS]
    first = units * begin // parts
    for i in range(task[ROOM] - task[CHUNK] * task[OF_CHANNEL]):
        scratch[task[CHUNK] * task[OF_CHANNEL] + i] = T(0)
    for unit in range(first, units * end // parts):
        convolve_block(pointer(task[TO], T), scratch, task, unit, unit == first)


def convolve_block(out: Ptr[T], scratch: Ptr[T], task: Ptr[i64], unit: i64, is_first: b8) -> None:
    """Some output channels of a block; unless it `is_first`, its copy may be there."""
    g = pointer(task[GEOMETRY], i64)
    split = task[SPLIT]
    block = unit // split
    share = unit - block * split
    rest = block // task[OF_X]
    x0 = (block - rest * task[OF_X]) * task[WIDTH]
    block = rest
    rest = block // task[OF_Y]
    y0 = (block - rest * task[OF_Y]) * task[ROWS]
    of_group = rest // g[OUT]
    z = rest - of_group * g[OUT]
    group = of_group % task[GROUPS]
    rows = least(task[ROWS], g[OUT + 1] - y0)
    columns = least(task[WIDTH], g[OUT + 2] - x0)
    made = task[OUT_CHANNELS]
    size = ((made + split - 1) // split + 3) & -4
    begin = least(share * size, made)
    end = least(begin + size, made)
    to = out + of_group * made * task[POSITIONS] + ((z * g[OUT + 1] + y0) * g[OUT + 2] + x0)
    if task[BIAS] != 0:
        for m in range(begin, end):
            value = bias_of(task, group * made + m, T(0))
            for y in range(rows):
                row = to + (m * task[POSITIONS] + y * g[OUT + 2])
                for i in range(columns):
                    row[i] = value
    channels = task[IN_CHANNELS]
    source = pointer(task[SOURCE], T) + of_group * channels * g[IN] * g[IN + 1] * g[IN + 2]
    weights = pointer(task[WEIGHT], T) + group * made * task[DEPTH]
    for k in range(task[CHUNKS]):
        first = k * task[CHUNK]
        n = least(task[CHUNK], channels - first)
        if is_first or share == 0 or task[CHUNKS] > 1:
            copy_block(scratch, source + first * g[IN] * g[IN + 1] * g[IN + 2], task, n, z, y0, x0, rows)
        add = k > 0 or task[BIAS] != 0
        left = weights + first * task[TAPS]
        four = begin + ((end - begin) & -4)
        two = four + ((end - four) & -2)
        sweep_4(to, scratch, left, task, n, begin, four, rows, columns, add)
        sweep_2(to, scratch, left, task, n, four, two, rows, columns, add)
        sweep_1(to, scratch, left, task, n, two, end, rows, columns, add)
    if task[EPILOGUE] != 0:
        at = of_group * made * task[POSITIONS] + ((z * g[OUT + 1] + y0) * g[OUT + 2] + x0)
        for m in range(begin, end):
            if columns == g[OUT + 2]:
                run_epilogue(task[EPILOGUE], at + m * task[POSITIONS], rows * columns)
            else:
                for y in range(rows):
                    run_epilogue(task[EPILOGUE], at + (m * task[POSITIONS] + y * g[OUT + 2]), columns)


def copy_block(to: Ptr[T], source: Ptr[T], task: Ptr[i64], channels: i64, z: i64, y0: i64, x0: i64, rows: i64) -> None:
    """What the windows of a block reach of some channels, with padding, in phases."""
    g = pointer(task[GEOMETRY], i64)
    line = task[LINE]
    step = g[STRIDE + 2]
    plane = to
    for c in range(channels):
        of_channel = source + c * g[IN] * g[IN + 1] * g[IN + 2]
        for pz in range(task[PHASES]):
            first_z = z * g[STRIDE] - g[PAD] + pz * g[DILATION] % g[STRIDE]
            for py in range(task[PHASES + 1]):
                first_y = y0 * g[STRIDE + 1] - g[PAD + 1] + py * g[DILATION + 1] % g[STRIDE + 1]
                for px in range(task[PHASES + 2]):
                    shift = x0 * step - g[PAD + 2] + px * g[DILATION + 2] % step
                    low = least(first_inside(shift, step), line)
                    high = low
                    if shift + low * step < g[IN + 2]:
                        high = least(line, (g[IN + 2] - 1 - shift) // step + 1)
                    row = plane
                    for iz in range(task[REACH] + 1):
                        at_z = first_z + iz * g[STRIDE]
                        for iy in range(rows + task[REACH + 1]):
                            at_y = first_y + iy * g[STRIDE + 1]
                            if at_z < 0 or at_z >= g[IN] or at_y < 0 or at_y >= g[IN + 1]:
                                for i in range(line):
                                    row[i] = T(0)
                            else:
                                copy_line(
                                    row,
                                    of_channel + (at_z * g[IN + 1] + at_y) * g[IN + 2] + shift,
                                    step,
                                    low,
                                    high,
                                    line,
                                )
                            row = row + line
                        row = row + (task[ROWS] - rows) * line
                    plane = plane + task[PLANE]


def copy_line(to: Ptr[T], source: Ptr[T], step: i64, low: i64, high: i64, n: i64) -> None:
    """Every `step`-th element from `low` to `high`, between zeros."""
    for i in range(low):
        to[i] = T(0)
    if step == 1:
        move(to + low, source + low, high - low)
    elif step == 2:
        move_every_other(to + low, source + 2 * low, high - low)
    else:
        for i in range(low, high):
            to[i] = source[i * step]
    for i in range(high, n):
        to[i] = T(0)


def sweep_of(rows: int, vectors: int, fewer: int) -> Callable[..., Any]:
    """The function that computes output channels of a block, so many at once, in tiles of so many vectors or fewer."""
    wide, narrow = tile_of(rows, vectors), tile_of(rows, fewer)
    most_of_tile = rows * vectors * MOST_LANES

    def sweep(
        out: Ptr[T],
        scratch: Ptr[T],
        weights: Ptr[T],
        task: Ptr[i64],
        channels: i64,
        begin: i64,
        end: i64,
        block_rows: i64,
        columns: i64,
        add: b8,
    ) -> None:
        if begin == end:
            return
        line = task[LINE]
        out_w = pointer(task[GEOMETRY], i64)[OUT + 2]
        positions = task[POSITIONS]
        depth = task[DEPTH]
        b0 = task[OF_CHANNEL]
        taps = task[TAPS]
        at = pointer(task[AT], i64)
        tile = stack(most_of_tile, T)
        total = (block_rows - 1) * line + columns
        q = 0
        while q < total:
            y = q // line
            x = q - y * line
            left = total - q
            is_wide = left > fewer * lanes(T(0))
            width = fewer * lanes(T(0))
            if is_wide:
                width = vectors * lanes(T(0))
            to = out + (y * out_w + x)
            if x + width <= columns:
                for m in range(begin, end, rows):
                    if is_wide:
                        wide(
                            to + m * positions,
                            positions,
                            weights + m * depth,
                            depth,
                            scratch + q,
                            b0,
                            channels,
                            at,
                            taps,
                            add,
                        )
                    else:
                        narrow(
                            to + m * positions,
                            positions,
                            weights + m * depth,
                            depth,
                            scratch + q,
                            b0,
                            channels,
                            at,
                            taps,
                            add,
                        )
            else:
                for m in range(begin, end, rows):
                    if is_wide:
                        wide(tile, width, weights + m * depth, depth, scratch + q, b0, channels, at, taps, False)
                    else:
                        narrow(tile, width, weights + m * depth, depth, scratch + q, b0, channels, at, taps, False)
                    for r in range(rows):
                        store_row(
                            to + (m + r) * positions, tile + r * width, least(width, left), x, columns, line, out_w, add
                        )
            q = q + width

    return sweep


sweep_4 = sweep_of(4, 3, 2)
sweep_2 = sweep_of(2, 4, 2)
sweep_1 = sweep_of(1, 12, 4)


def store_row(to: Ptr[T], tile: Ptr[T], n: i64, x: i64, columns: i64, line: i64, out_w: i64, add: b8) -> None:
    """`n` positions from column `x` of a line on, those of the result among them."""
    i = 0
    row = to
    at = x
    while i < n:
        m = least(least(n - i, line - at), columns - at)
        if add:
            add_to(row, tile + i, m)
        else:
            move(row, tile + i, m)
        i = i + line - at
        row = row + (out_w - at)
        at = 0
