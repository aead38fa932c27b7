"""Tier 3: the reduction driver. `reductions` makes operators with it.

**Order.** A result combines the N elements that reduce into it, taken in row-major order of the reduced dimensions, in
an order fixed by N alone: blocks of `BLOCK` elements; in a block element i goes to lane i modulo `LANES`, and
neighbouring lanes, then their results are combined as a binary tree; the blocks are combined as a binary counter
counts, so each partial result covers a power of two of blocks. Error therefore grows with the logarithm of N, and
neither strides, threads nor the CPU change a bit.

Two ways through memory give that same order: `along` takes one result at a time, its elements directly where they are
one run, else gathered block by block; `across` takes `WIDTH` results at a time and iterates over them row by row, if
neighbouring results are denser in memory than the elements of one.

Long reductions run on several threads: results are divided among them, or, if there are few, the elements of each, in
parts that are a power of two of blocks. The partial result of such a part is one of those that the counter has.

`reduction` is the driver; it is made from four dialect functions, a `Fold`, over the element type ``T`` and the result
type ``U``; those of the operators stand beside their definitions:

- ``lift(x: T, shift: U) -> U``: one element; `shift` is the caller's value for this result, or zero;
- ``start(first: U) -> U``: the start value of a lane, from the first element of the block (or zero if there is none);
- ``combine(a: U, b: U) -> U``;
- ``finish(a: U, count: i64) -> U``: the result of `count` elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

from tscript.abi.folds import BLOCK, LANES, LEVELS
from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    U,
    address,
    atomic_relaxed,
    b8,
    context,
    function,
    i64,
    pointer,
    stack,
)
from tscript.runtime.kernels.copy import lay_out, magnitude, row_major
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.tensor import sizes_of, strides_of

NAN = math.nan
HALF = LANES // 2
WIDTH = 64
TILE = LANES * WIDTH
TILE_LEVELS = LEVELS * WIDTH
GRAIN = 1 << 16
"""Elements that are worth another thread."""
ENOUGH_UNITS = 16
"""So many units keep all threads busy; of fewer, the elements of each are divided."""
MOST_PARTS = 64
MOST_TOTALS = MOST_PARTS * WIDTH


def plan(
    self: Ptr[TensorImpl],
    marks: Ptr[i64],
    kept: Ptr[i64],
    kept_out: Ptr[i64],
    kept_in: Ptr[i64],
    reduced: Ptr[i64],
    reduced_in: Ptr[i64],
    counts: Ptr[i64],
) -> None:
    """Split the dimensions of a tensor that is not empty into kept and reduced ones, each merged as far as possible.

    Args:
        marks: 1 for each dimension to reduce, else 0.
        kept, kept_out, kept_in: Sizes of the kept dimensions, their strides in the result and in `self`.
        reduced, reduced_in: Sizes of the reduced dimensions and their strides in `self`, in their order.
        counts: [number of kept dimensions, number of reduced dimensions], each at least 1 (of size 1).
    """
    ndim = i64(self.ndim)
    sizes = sizes_of(self)
    strides = strides_of(self)
    nkept = 0
    nreduced = 0
    for d in range(ndim):
        if marks[d] == 0:
            kept[nkept] = sizes[d]
            kept_in[nkept] = strides[d]
            nkept = nkept + 1
        else:
            if sizes[d] != 1:
                merged = False
                if nreduced > 0:
                    merged = reduced_in[nreduced - 1] == strides[d] * sizes[d]
                if merged:
                    reduced[nreduced - 1] = reduced[nreduced - 1] * sizes[d]
                    reduced_in[nreduced - 1] = strides[d]
                else:
                    reduced[nreduced] = sizes[d]
                    reduced_in[nreduced] = strides[d]
                    nreduced = nreduced + 1
    row_major(nkept, kept, kept_out)
    if nreduced == 0:
        reduced[0] = 1
        reduced_in[0] = 1
        nreduced = 1
    counts[0] = lay_out(nkept, kept, kept_out, kept_in)
    counts[1] = nreduced


def step(n: i64, sizes: Ptr[i64], strides: Ptr[i64], counters: Ptr[i64], at: i64) -> i64:
    """Advance counters over `n` dimensions by one; from the offset `at` gives the next. They wrap around at the end."""
    offset = at
    d = n - 1
    while d >= 0:
        counters[d] = counters[d] + 1
        offset = offset + strides[d]
        if counters[d] < sizes[d]:
            return offset
        counters[d] = 0
        offset = offset - strides[d] * sizes[d]
        d = d - 1
    return offset


def seek(n: i64, sizes: Ptr[i64], strides: Ptr[i64], counters: Ptr[i64], index: i64) -> i64:
    """Set counters over `n` dimensions to the position `index` in row-major order; its offset."""
    offset = 0
    rest = index
    d = n - 1
    while d >= 0:
        counters[d] = rest % sizes[d]
        rest = rest // sizes[d]
        offset = offset + counters[d] * strides[d]
        d = d - 1
    return offset


def gather(
    buffer: Ptr[T], source: Ptr[T], n: i64, sizes: Ptr[i64], strides: Ptr[i64], counters: Ptr[i64], at: i64, count: i64
) -> i64:
    """Copy the next `count` elements, in row-major order, into `buffer`; gives the offset of the one after them."""
    inner = n - 1
    stride = strides[inner]
    offset = at
    filled = 0
    while filled < count:
        run = sizes[inner] - counters[inner]
        if run > count - filled:
            run = count - filled
        for i in range(run):
            buffer[filled + i] = source[offset + i * stride]
        filled = filled + run
        # The last step of the run carries into the outer dimensions when it ends a row.
        counters[inner] = counters[inner] + run - 1
        offset = step(n, sizes, strides, counters, offset + (run - 1) * stride)
    return offset


def prefers_rows(kept_size: i64, kept_stride: i64, reduced_stride: i64, count: i64) -> b8:
    """Whether to go `across` many results: there are some, and they lie denser than the elements of one, or those are
    very few."""
    if kept_size < 8:
        return False
    return magnitude(kept_stride) < magnitude(reduced_stride) or count < LANES


# ---- the task: cells that the threads of a reduction share. A *unit* is a result, or `WIDTH` neighbouring ones.

OUT = 0
SOURCE = 1
SHIFTS = 2
DIMENSIONS = 3
"""Reduced ones; their sizes, strides, and how many elements there are for each result."""
SIZES = 4
STRIDES = 5
COUNT = 6
IS_ACROSS = 7
STRIDE = 8
"""Between the elements of neighbouring results."""
KEPT = 9
"""Kept dimensions but for the innermost one; their sizes and strides."""
KEPT_SIZES = 10
KEPT_STRIDES = 11
COLUMNS = 12
"""The size of the innermost one."""
GROUP = 13
GROUPS = 14
"""Results of a unit, units of a row."""
UNITS = 15
UNIT = 16
"""The unit whose elements are divided; how many elements make a part; where the results of parts lie."""
PART = 17
TOTALS = 18
POSITIONS = 19
"""Where the positions of the results go, and those of parts."""
FOUND = 20
CELLS = 21


def width_of(task: Ptr[i64], unit: i64) -> i64:
    """How many results a unit has."""
    column = unit % task[GROUPS] * task[GROUP]
    width = task[COLUMNS] - column
    if width > task[GROUP]:
        width = task[GROUP]
    return width


def first_of(task: Ptr[i64], unit: i64) -> i64:
    """The number of a unit's first result."""
    return unit // task[GROUPS] * task[COLUMNS] + unit % task[GROUPS] * task[GROUP]


def place(task: Ptr[i64], unit: i64, counters: Ptr[i64]) -> i64:
    """The offset of the first element of a unit."""
    sizes = pointer(task[KEPT_SIZES], i64)
    strides = pointer(task[KEPT_STRIDES], i64)
    row = seek(task[KEPT], sizes, strides, counters, unit // task[GROUPS])
    return row + unit % task[GROUPS] * task[GROUP] * task[STRIDE]


class Fold(Protocol):
    """The parts of a reduction: see the module."""

    @property
    def lift(self) -> Callable[..., Any]: ...
    @property
    def start(self) -> Callable[..., Any]: ...
    @property
    def combine(self) -> Callable[..., Any]: ...
    @property
    def finish(self) -> Callable[..., Any]: ...


def describe(
    task: Ptr[i64],
    self: Ptr[TensorImpl],
    marks: Ptr[i64],
    results: i64,
    count: i64,
    kept: Ptr[i64],
    kept_in: Ptr[i64],
    reduced: Ptr[i64],
    reduced_in: Ptr[i64],
) -> None:
    """Fill the cells of a task that say how to go through a tensor: `results` of `count` elements each.

    Args:
        kept, kept_in, reduced, reduced_in: Room for what `plan` finds.
    """
    kept_out = stack(MAX_RANK, i64)
    counts = stack(2, i64)
    plan(self, marks, kept, kept_out, kept_in, reduced, reduced_in, counts)
    inner = counts[0] - 1
    n = counts[1]
    columns = kept[inner]
    group = 1
    task[IS_ACROSS] = 0
    if prefers_rows(columns, kept_in[inner], reduced_in[n - 1], count):
        group = WIDTH
        task[IS_ACROSS] = 1
    groups = (columns + group - 1) // group
    task[DIMENSIONS] = n
    task[SIZES] = address(reduced)
    task[STRIDES] = address(reduced_in)
    task[COUNT] = count
    task[STRIDE] = kept_in[inner]
    task[KEPT] = inner
    task[KEPT_SIZES] = address(kept)
    task[KEPT_STRIDES] = address(kept_in)
    task[COLUMNS] = columns
    task[GROUP] = group
    task[GROUPS] = groups
    task[UNITS] = results // columns * groups


def elements_of_unit(task: Ptr[i64]) -> i64:
    """How many elements a whole unit has."""
    if task[COLUMNS] < task[GROUP]:
        return task[COUNT] * task[COLUMNS]
    return task[COUNT] * task[GROUP]


def part_of(task: Ptr[i64], of_unit: i64) -> i64:
    """How many elements make a part, where the `of_unit` elements of a unit are divided."""
    part = BLOCK
    while part * MOST_PARTS < task[COUNT] or part * (of_unit // task[COUNT]) < GRAIN:
        part = part * 2
    return part


def reduction(fold: Fold) -> Callable[..., Any]:
    """The driver for one kind of reduction.

    It has the signature ``run(out: Ptr[U], source: Ptr[T], self: Ptr[TensorImpl], marks: Ptr[i64], shifts: Ptr[U])``
    and reduces the marked dimensions of `self`, whose elements begin at `source`, into `out`: one element per kept
    position, in row-major order. `shifts`, if not null, has a shift for each of them."""

    lift, start, combine, finish = fold.lift, fold.start, fold.combine, fold.finish

    def join_lanes(lanes: Ptr[U]) -> U:
        # Loads that LLVM does not look through to the stores of vectors before them: it would take these apart.
        for lane in range(16):
            lanes[lane] = combine(atomic_relaxed(lanes + 2 * lane), atomic_relaxed(lanes + (2 * lane + 1)))
        for lane in range(8):
            lanes[lane] = combine(lanes[lane], lanes[lane + 8])
        for lane in range(4):
            lanes[lane] = combine(lanes[lane], lanes[lane + 4])
        for lane in range(2):
            lanes[lane] = combine(lanes[lane], lanes[lane + 2])
        return combine(lanes[0], lanes[1])

    def join_pairs(sums: Ptr[U]) -> U:
        """The rest of the tree, for sums of pairs at even places."""
        a = combine(atomic_relaxed(sums), atomic_relaxed(sums + 8))
        b = combine(atomic_relaxed(sums + 2), atomic_relaxed(sums + 10))
        c = combine(atomic_relaxed(sums + 4), atomic_relaxed(sums + 12))
        d = combine(atomic_relaxed(sums + 6), atomic_relaxed(sums + 14))
        return combine(combine(a, c), combine(b, d))

    def reduce_block(p: Ptr[T], n: i64, shift: U) -> U:
        lanes = stack(LANES, U)
        first = start(lift(p[0], shift))
        if n < LANES:
            for lane in range(n):
                lanes[lane] = combine(first, lift(p[lane], shift))
            for lane in range(n // 2):
                lanes[lane] = combine(lanes[2 * lane], lanes[2 * lane + 1])
            pairs = (n + 1) // 2
            if n % 2 != 0:
                lanes[pairs - 1] = lanes[n - 1]
            half = HALF // 2
            while half > 0:
                for lane in range(half):
                    if lane + half < pairs:
                        lanes[lane] = combine(lanes[lane], lanes[lane + half])
                half = half // 2
            return lanes[0]
        # Two arrays, and loops short enough to be unrolled: so they become registers.
        low = stack(HALF, U)
        high = stack(HALF, U)
        for lane in range(HALF):
            low[lane] = first
            high[lane] = first
        whole = n & -LANES
        i = 0
        while i < whole:
            for lane in range(HALF):
                low[lane] = combine(low[lane], lift(p[i + lane], shift))
            for lane in range(HALF):
                high[lane] = combine(high[lane], lift(p[i + HALF + lane], shift))
            i = i + LANES
        if whole == n:
            # LLVM does this with vectors: neighbours, then the lanes of the two halves.
            for lane in range(HALF):
                lanes[lane] = combine(combine(low[lane], low[lane ^ 1]), combine(high[lane], high[lane ^ 1]))
            return join_pairs(lanes)
        for lane in range(HALF):
            lanes[lane] = low[lane]
            lanes[HALF + lane] = high[lane]
        for lane in range(n - whole):
            lanes[lane] = combine(lanes[lane], lift(p[whole + lane], shift))
        return join_lanes(lanes)

    def merge(a: Ptr[U], b: Ptr[U], to: Ptr[U], width: i64) -> None:
        for c in range(width):
            to[c] = combine(a[c], b[c])

    def push(levels: Ptr[U], blocks: i64, values: Ptr[U], width: i64) -> None:
        to = levels
        carry = blocks
        while carry & 1 != 0:
            merge(to, values, values, width)
            to = to + WIDTH
            carry = carry >> 1
        for c in range(width):
            to[c] = values[c]

    def total_of(total: Ptr[U], levels: Ptr[U], blocks: i64, width: i64) -> None:
        """Combine the last partial result with those before it: `total` becomes that of all."""
        level = levels
        rest = blocks
        while rest != 0:
            if rest & 1 != 0:
                merge(level, total, total, width)
            level = level + WIDTH
            rest = rest >> 1

    def along(
        total: Ptr[U],
        source: Ptr[T],
        n: i64,
        sizes: Ptr[i64],
        strides: Ptr[i64],
        first: i64,
        count: i64,
        counters: Ptr[i64],
        buffer: Ptr[T],
        levels: Ptr[U],
        shift: U,
    ) -> None:
        """Combine `count` elements from number `first` on, which begins a block."""
        direct = n == 1 and strides[0] == 1
        at = seek(n, sizes, strides, counters, first)
        done = 0
        blocks = 0
        while done < count:
            if done > 0:
                push(levels, blocks - 1, total, 1)
            length = count - done
            if length > BLOCK:
                length = BLOCK
            block = source + (first + done)
            if not direct:
                at = gather(buffer, source, n, sizes, strides, counters, at, length)
                block = buffer
            total[0] = reduce_block(block, length, shift)
            blocks = blocks + 1
            done = done + length
        total_of(total, levels, blocks - 1, 1)

    def add_row(acc: Ptr[U], row: Ptr[T], stride: i64, width: i64, shift: Ptr[U]) -> None:
        if stride == 1:
            if width == WIDTH:
                for c in range(WIDTH):
                    acc[c] = combine(acc[c], lift(row[c], shift[c]))
            else:
                for c in range(width):
                    acc[c] = combine(acc[c], lift(row[c], shift[c]))
        else:
            for c in range(width):
                acc[c] = combine(acc[c], lift(row[c * stride], shift[c]))

    def across(
        source: Ptr[T],
        stride: i64,
        width: i64,
        n: i64,
        sizes: Ptr[i64],
        strides: Ptr[i64],
        first: i64,
        count: i64,
        counters: Ptr[i64],
        acc: Ptr[U],
        levels: Ptr[U],
        shift: Ptr[U],
    ) -> None:
        """The same for `width` results, `stride` elements apart: `acc` begins with them."""
        at = seek(n, sizes, strides, counters, first)
        done = 0
        blocks = 0
        while done < count:
            if done > 0:
                push(levels, blocks - 1, acc, width)
            length = count - done
            if length > BLOCK:
                length = BLOCK
            lanes = length
            if lanes > LANES:
                lanes = LANES
            for c in range(width):
                acc[c] = start(lift(source[at + c * stride], shift[c]))
            for lane in range(1, lanes):
                for c in range(width):
                    acc[lane * WIDTH + c] = acc[c]
            for j in range(length):
                add_row(acc + (j & (LANES - 1)) * WIDTH, source + at, stride, width, shift)
                if n == 1:
                    at = at + strides[0]
                else:
                    at = step(n, sizes, strides, counters, at)
            for lane in range(0, lanes - 1, 2):
                left = acc + lane * WIDTH
                merge(left, left + WIDTH, left, width)
            half = LANES // 2
            while half > 1:
                for lane in range(0, half, 2):
                    if lane + half < lanes:
                        left = acc + lane * WIDTH
                        merge(left, left + half * WIDTH, left, width)
                half = half // 2
            blocks = blocks + 1
            done = done + length
        total_of(acc, levels, blocks - 1, width)

    def combine_elements(
        total: Ptr[U], task: Ptr[i64], source: Ptr[T], width: i64, first: i64, count: i64, shift: Ptr[U]
    ) -> None:
        """Combine `count` elements from number `first` on for each of `width` results."""
        n = task[DIMENSIONS]
        sizes = pointer(task[SIZES], i64)
        strides = pointer(task[STRIDES], i64)
        counters = stack(MAX_RANK, i64)
        levels = stack(TILE_LEVELS, U)
        if task[IS_ACROSS] != 0:
            acc = stack(TILE, U)
            across(source, task[STRIDE], width, n, sizes, strides, first, count, counters, acc, levels, shift)
            for c in range(width):
                total[c] = acc[c]
        else:
            buffer = stack(BLOCK, T)
            along(total, source, n, sizes, strides, first, count, counters, buffer, levels, shift[0])

    def units(task: Ptr[i64], begin: i64, end: i64) -> None:
        """The results of some units."""
        counters = stack(MAX_RANK, i64)
        shift = stack(WIDTH, U)
        total = stack(WIDTH, U)
        outer = task[KEPT]
        sizes = pointer(task[KEPT_SIZES], i64)
        strides = pointer(task[KEPT_STRIDES], i64)
        columns = task[COLUMNS]
        count = task[COUNT]
        at = seek(outer, sizes, strides, counters, begin // task[GROUPS])
        column = begin % task[GROUPS] * task[GROUP]
        to = pointer(task[OUT], U) + first_of(task, begin)
        shifts = pointer(task[SHIFTS], U)
        if address(shifts) != 0:
            shifts = shifts + first_of(task, begin)
        for c in range(WIDTH):
            shift[c] = U(0)
        for _ in range(end - begin):
            width = columns - column
            if width > task[GROUP]:
                width = task[GROUP]
            if address(shifts) != 0:
                for c in range(width):
                    shift[c] = shifts[c]
                shifts = shifts + width
            source = pointer(task[SOURCE], T) + (at + column * task[STRIDE])
            combine_elements(total, task, source, width, 0, count, shift)
            for c in range(width):
                to[c] = finish(total[c], count)
            to = to + width
            column = column + width
            if column >= columns:
                column = 0
                at = step(outer, sizes, strides, counters, at)

    def parts(task: Ptr[i64], begin: i64, end: i64) -> None:
        """Partial results of one unit: each of `PART` elements, which make up a power of two of blocks."""
        counters = stack(MAX_RANK, i64)
        shift = stack(WIDTH, U)
        unit = task[UNIT]
        width = width_of(task, unit)
        for c in range(width):
            shift[c] = U(0)
            if task[SHIFTS] != 0:
                shift[c] = pointer(task[SHIFTS], U)[first_of(task, unit) + c]
        source = pointer(task[SOURCE], T) + place(task, unit, counters)
        part = begin
        while part < end:
            first = part * task[PART]
            count = task[COUNT] - first
            if count > task[PART]:
                count = task[PART]
            combine_elements(pointer(task[TOTALS], U) + part * WIDTH, task, source, width, first, count, shift)
            part = part + 1

    def divide_unit(task: Ptr[i64], out: Ptr[U], source: Ptr[T], unit: i64, part: i64) -> None:
        """The results of one unit, its elements on several threads."""
        totals = stack(MOST_TOTALS, U)
        levels = stack(TILE_LEVELS, U)
        task[UNIT] = unit
        task[PART] = part
        task[TOTALS] = address(totals)
        count = (task[COUNT] + part - 1) // part
        parallel(context(), function(parts), task, count, 1)
        width = width_of(task, unit)
        for k in range(count - 1):
            push(levels, k, totals + k * WIDTH, width)
        total = totals + (count - 1) * WIDTH
        total_of(total, levels, count - 1, width)
        to = out + first_of(task, unit)
        for c in range(width):
            to[c] = finish(total[c], task[COUNT])

    def run_units(task: Ptr[i64], out: Ptr[U], source: Ptr[T]) -> None:
        """All results."""
        count = task[UNITS]
        of_unit = elements_of_unit(task)
        if count * of_unit <= GRAIN:
            units(task, 0, count)
            return
        if count >= ENOUGH_UNITS or of_unit <= GRAIN:
            parallel(context(), function(units), task, count, GRAIN // of_unit + 1)
            return
        part = part_of(task, of_unit)
        for unit in range(count):
            divide_unit(task, out, source, unit, part)

    def run(out: Ptr[U], source: Ptr[T], self: Ptr[TensorImpl], marks: Ptr[i64], shifts: Ptr[U]) -> None:
        kept = stack(MAX_RANK, i64)
        kept_in = stack(MAX_RANK, i64)
        reduced = stack(MAX_RANK, i64)
        reduced_in = stack(MAX_RANK, i64)
        task = stack(CELLS, i64)
        results = 1
        count = 1
        for d in range(i64(self.ndim)):
            if marks[d] == 0:
                results = results * sizes_of(self)[d]
            else:
                count = count * sizes_of(self)[d]
        if results == 0:
            return
        if count == 0:
            nothing = finish(start(U(0)), 0)
            for i in range(results):
                out[i] = nothing
            return
        describe(task, self, marks, results, count, kept, kept_in, reduced, reduced_in)
        task[OUT] = address(out)
        task[SOURCE] = address(source)
        task[SHIFTS] = address(shifts)
        run_units(task, out, source)

    return run
