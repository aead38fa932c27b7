"""Tier 3: depthwise convolutions: windows of one channel, which make one or two of the result.

There is little to compute for each element, so what is beside that counts. Rows of one channel are copied with their
padding into the nearest cache, those of both parities apart where windows move by two. Zeros around them are written
once and stay. A place in the window is a distance then, so all rows of a block are computed in one line, with a few
positions between them that nothing needs, and moved to where they belong.

``T`` is float32 or float64. An element is one chain of fused multiply-adds, and the bias.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, address, b8, context, function, i64, pointer
from tscript.runtime.kernels.columns import DILATION, IN, OUT, PAD, STRIDE, WINDOW, least, most
from tscript.runtime.kernels.convolution_moves import move, move_plus, split_pairs
from tscript.runtime.kernels.convolution_task import (
    BATCH,
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
from tscript.runtime.kernels.convolution_tiles import WIDEST, lanes, tile_of
from tscript.runtime.kernels.epilogues import run_epilogue
from tscript.runtime.kernels.parallel import parallel

MOST_MADE = 2
"""Channels that one makes, at most: for more, it is worth while to read elements for several at once."""
MOST_TAPS = 512
"""Of a window: so many products are added up at once."""
MOST_STRIDE = 2
BLOCK = 4096
"""Elements of the copy of a block, about."""
MOST_ROOM = 1 << 15
"""Elements of it, at most."""

REACH_Y, REACH_X, TAPS, ROWS, OF_Y, LINE, PLANE, COPY, AT = range(OWN, OWN + 9)
"""How far the last place of the window is behind the first, in a phase; the places of a window; rows of a block and
blocks of a channel; elements of a line, of a phase and of the whole copy; the address of the distances. A *phase* has
the rows, and the columns, of one parity where windows move by two."""


def lay_out_depthwise(task: Ptr[i64], g: Ptr[i64], itemsize: i64) -> b8:
    """Decide about blocks; False where other ways take less."""
    if task[IN_CHANNELS] != 1 or task[OUT_CHANNELS] > MOST_MADE:
        return False
    if g[WINDOW] != 1 or g[STRIDE] != 1 or g[PAD] != 0:
        return False
    taps = g[WINDOW + 1] * g[WINDOW + 2]
    if taps > MOST_TAPS or g[STRIDE + 1] > MOST_STRIDE or g[STRIDE + 2] > MOST_STRIDE:
        return False
    phases = g[STRIDE + 1] * g[STRIDE + 2]
    reach_y = (g[WINDOW + 1] - 1) * g[DILATION + 1] // g[STRIDE + 1]
    reach_x = (g[WINDOW + 2] - 1) * g[DILATION + 2] // g[STRIDE + 2]
    if reach_x > g[OUT + 2] or reach_y > MOST_ROOM:
        return False
    out_h = g[OUT + 1]
    line = g[OUT + 2] + reach_x
    rows = least(out_h, most(BLOCK // (phases * line) - reach_y, most(2 * reach_y, 1)))
    blocks = (out_h + rows - 1) // rows
    rows = (out_h + blocks - 1) // blocks
    plane = (rows + reach_y) * line
    if plane > MOST_ROOM // phases:
        return False
    task[REACH_Y] = reach_y
    task[REACH_X] = reach_x
    task[TAPS] = taps
    task[ROWS] = rows
    task[OF_Y] = (out_h + rows - 1) // rows
    task[LINE] = line
    task[PLANE] = plane
    task[COPY] = (phases * plane + WIDEST + 15) & -16
    task[UNITS] = task[BATCH] * task[GROUPS] * g[OUT] * task[OF_Y]
    task[PARTS] = parts_of(task[UNITS], rows * line * (taps + 8) * task[OUT_CHANNELS])
    task[ROOM] = task[COPY] + ((rows * line + WIDEST + 15) & -16)
    # The distances of the window.
    task[SHARED] = (taps * 8 // itemsize + 15) & -16
    return True


def convolve_depthwise(task: Ptr[i64], g: Ptr[i64], element: T) -> None:
    """Compute a convolution that is laid out and has its room."""
    at = pointer(task[SCRATCH], i64)
    task[AT] = address(at)
    n = 0
    for ky in range(g[WINDOW + 1]):
        y = ky * g[DILATION + 1]
        for kx in range(g[WINDOW + 2]):
            x = kx * g[DILATION + 2]
            phase = y % g[STRIDE + 1] * g[STRIDE + 2] + x % g[STRIDE + 2]
            at[n] = phase * task[PLANE] + y // g[STRIDE + 1] * task[LINE] + x // g[STRIDE + 2]
            n = n + 1
    if task[PARTS] > 1:
        parallel(context(), function(depthwise_parts), task, task[PARTS], 1)
    else:
        depthwise_parts(task, 0, 1)


def depthwise_parts(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of the blocks, with the scratch memory of the first one."""
    scratch = room_of(task, begin, T(0))
    for i in range(task[ROOM]):
        scratch[i] = T(0)
    for unit in range(task[UNITS] * begin // task[PARTS], task[UNITS] * end // task[PARTS]):
        convolve_plane(pointer(task[TO], T), scratch, task, unit)


def convolve_plane(out: Ptr[T], copy: Ptr[T], task: Ptr[i64], unit: i64) -> None:
    """A block of the rows that one channel makes."""
    g = pointer(task[GEOMETRY], i64)
    which = unit // task[OF_Y]
    y0 = (unit - which * task[OF_Y]) * task[ROWS]
    rows = least(task[ROWS], g[OUT + 1] - y0)
    of_group = which // g[OUT]
    z = which - of_group * g[OUT]
    columns = g[OUT + 2]
    made = task[OUT_CHANNELS]
    flat = copy + task[COPY]
    copy_rows(copy, pointer(task[SOURCE], T) + which * (g[IN + 1] * g[IN + 2]), task, y0, rows)
    for m in range(made):
        channel = of_group % task[GROUPS] * made + m
        weights = pointer(task[WEIGHT], T) + channel * task[DEPTH]
        add_products(flat, copy, weights, task, (rows - 1) * task[LINE] + columns)
        bias = bias_of(task, channel, T(0))
        first = (of_group * made + m) * task[POSITIONS] + (z * g[OUT + 1] + y0) * columns
        for y in range(rows):
            move_plus(out + (first + y * columns), flat + y * task[LINE], columns, bias)
        if task[EPILOGUE] != 0:
            run_epilogue(task[EPILOGUE], first, rows * columns)


# ---- copies


def copy_rows(to: Ptr[T], source: Ptr[T], task: Ptr[i64], y0: i64, rows: i64) -> None:
    """What the windows of some rows reach of a channel. Padding is there, but for that above and below of blocks that
    have neighbours."""
    g = pointer(task[GEOMETRY], i64)
    step = g[STRIDE + 1]
    phases = g[STRIDE + 2]
    line = task[LINE]
    first = y0 * step - g[PAD + 1]
    for j in range((rows - 1) * step + (g[WINDOW + 1] - 1) * g[DILATION + 1] + 1):
        row = to + (j % step * phases * task[PLANE] + j // step * line)
        y = first + j
        if y < 0 or y >= g[IN + 1]:
            if task[OF_Y] > 1:
                for phase in range(phases):
                    for i in range(line):
                        row[phase * task[PLANE] + i] = T(0)
        elif phases == 1:
            n = least(g[IN + 2], line - g[PAD + 2])
            if n > 0:
                move(row + g[PAD + 2], source + y * g[IN + 2], n)
        else:
            copy_pairs(row, source + y * g[IN + 2], task[PLANE], g[PAD + 2], g[IN + 2], line)


def copy_pairs(row: Ptr[T], source: Ptr[T], plane: i64, pad: i64, n: i64, line: i64) -> None:
    """A row in two phases, which lie `plane` elements apart. Its first element is `pad` behind that of the padding."""
    even = row + ((pad & 1) * plane + pad // 2)
    odd = row + ((1 - (pad & 1)) * plane + (pad + 1) // 2)
    evens = least((n + 1) // 2, line - pad // 2)
    odds = most(least(n // 2, line - (pad + 1) // 2), 0)
    split_pairs(even, odd, source, odds)
    if evens > odds:
        even[odds] = source[2 * odds]


# ---- sums


wide_tile, narrow_tile = tile_of(1, 12), tile_of(1, 4)


def add_products(flat: Ptr[T], copy: Ptr[T], weights: Ptr[T], task: Ptr[i64], total: i64) -> None:
    """All positions of a block in one line."""
    at = pointer(task[AT], i64)
    taps = task[TAPS]
    narrow = 4 * lanes(T(0))
    q = 0
    while q < total:
        if total - q > 2 * narrow:
            wide_tile(flat + q, 0, weights, 0, copy + q, 0, 1, at, taps, False)
            q = q + 3 * narrow
        else:
            narrow_tile(flat + q, 0, weights, 0, copy + q, 0, 1, at, taps, False)
            q = q + narrow
