"""Tier 3: convolutions as products of matrices: windows of a block of positions are laid out as columns.

So are those whose windows need no copies, since they are one element each, and those that are too large or too far
apart for `convolution_direct`.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, b8, context, function, i64, pointer
from tscript.runtime.kernels.columns import IN, PAD, STRIDE, WINDOW, gather_columns, least
from tscript.runtime.kernels.convolution_task import (
    BATCH,
    BIAS,
    BLOCKS,
    COLUMNS,
    DEPTH,
    EPILOGUE,
    GEOMETRY,
    GROUPS,
    IN_CHANNELS,
    IS_PLAIN,
    OUT_CHANNELS,
    PARTS,
    POSITIONS,
    ROOM,
    SOURCE,
    TO,
    UNITS,
    USES_BLAS,
    WEIGHT,
    bias_of,
    parts_of,
    room_of,
)
from tscript.runtime.kernels.epilogues import run_epilogue
from tscript.runtime.kernels.gemm import LARGEST_BLAS_SIZE, has_blas, multiply_blas, multiply_own, multiply_part
from tscript.runtime.kernels.parallel import parallel

BLOCK = 1 << 18
"""Elements of the columns of a block, about."""

PLAIN_BLOCK = 1 << 17
"""Elements of the input and the result of a block without columns, about: it is in the second cache when biases and
epilogues go over it."""

LEAST_COLUMNS = 64
"""Of a block."""


def is_plain(g: Ptr[i64]) -> b8:
    """Whether windows are one element each, side by side, so that the input is a matrix of columns as it is."""
    found = True
    for i in range(3):
        found = found and g[WINDOW + i] == 1 and g[STRIDE + i] == 1 and g[PAD + i] == 0
    return found


def lay_out_products(task: Ptr[i64], g: Ptr[i64]) -> None:
    """Decide how many positions a block has, and how many parts of blocks there are."""
    plain = is_plain(g)
    positions = task[POSITIONS]
    columns = (BLOCK // task[DEPTH]) & -16
    if plain:
        columns = (PLAIN_BLOCK // (task[DEPTH] + task[OUT_CHANNELS])) & -16
    if columns < LEAST_COLUMNS:
        columns = LEAST_COLUMNS
    if columns > positions:
        columns = positions
    # Blocks of about one size.
    blocks = (positions + columns - 1) // columns
    columns = least(((positions + blocks - 1) // blocks + 15) & -16, positions)
    blocks = (positions + columns - 1) // columns
    task[COLUMNS] = columns
    task[BLOCKS] = blocks
    task[UNITS] = task[BATCH] * task[GROUPS] * blocks
    task[IS_PLAIN] = i64(plain)
    task[ROOM] = task[DEPTH] * columns
    if plain:
        task[ROOM] = 0
    task[PARTS] = parts_of(task[UNITS], task[OUT_CHANNELS] * task[DEPTH] * columns)
    task[USES_BLAS] = i64(has_blas() and (task[OUT_CHANNELS] | task[DEPTH] | positions) <= LARGEST_BLAS_SIZE)


def convolve_products(task: Ptr[i64], _element: T) -> None:
    """Compute a convolution that is laid out and has its room."""
    if task[PARTS] > 1:
        parallel(context(), function(multiply_blocks), task, task[PARTS], 1)
    else:
        multiply_blocks(task, 0, 1)


def multiply_blocks(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of the blocks, with the scratch memory of the first one."""
    scratch = room_of(task, begin, T(0))
    units = task[UNITS]
    parts = task[PARTS]
    for unit in range(units * begin // parts, units * end // parts):
        multiply_block(pointer(task[TO], T), scratch, task, unit)


def multiply_block(out: Ptr[T], scratch: Ptr[T], task: Ptr[i64], unit: i64) -> None:
    """The products of the weights of a group with a block of columns."""
    blocks = task[BLOCKS]
    positions = task[POSITIONS]
    made = task[OUT_CHANNELS]
    depth = task[DEPTH]
    g = pointer(task[GEOMETRY], i64)
    of_group = unit // blocks
    first = (unit - of_group * blocks) * task[COLUMNS]
    n = least(task[COLUMNS], positions - first)
    group = of_group % task[GROUPS]
    to = out + (of_group * made * positions + first)
    left = pointer(task[WEIGHT], T) + group * made * depth
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    right = pointer(task[SOURCE], T) + of_group * task[IN_CHANNELS] * plane
    ld = positions
    if task[IS_PLAIN] != 0:
        right = right + first
    else:
        gather_columns(scratch, n, right, g, task[IN_CHANNELS], first, first + n)
        right = scratch
        ld = n
    if task[USES_BLAS] == 0:
        multiply_own(to, left, depth, 1, right, ld, made, n, depth, positions)
    elif blocks == 1 and ld == n:
        multiply_blas(to, left, depth, 1, right, ld, 1, made, n, depth)
    else:
        multiply_part(to, left, depth, 1, right, ld, 1, made, n, depth, positions)
    if task[BIAS] != 0:
        for m in range(made):
            value = bias_of(task, group * made + m, T(0))
            row = to + m * positions
            for i in range(n):
                row[i] = row[i] + value
    if task[EPILOGUE] != 0:
        for m in range(made):
            run_epilogue(task[EPILOGUE], (of_group * made + m) * positions + first, n)
