"""Tier 3: the reduction driver. `reductions` makes operators with it.

**Order.** A result combines the N elements that reduce into it, taken in row-major order of the reduced dimensions, in
an order fixed by N alone: blocks of `BLOCK` elements; in a block element i goes to lane i modulo `LANES`, and the
lanes are combined as a binary tree; the blocks are combined as a binary counter counts, so each partial result covers
a power of two of blocks. Error therefore grows with the logarithm of N, and neither strides, threads nor the CPU
change a bit.

Two ways through memory give that same order: `along` takes one result at a time, its elements directly where they are
one run, else gathered block by block; `across` takes `WIDTH` results at a time and iterates over them row by row, if
neighbouring results are denser in memory than the elements of one.

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
from tscript.dialect import Ptr, T, TensorImpl, U, address, b8, i64, stack
from tscript.runtime.kernels.copy import lay_out, magnitude, row_major
from tscript.runtime.kernels.tensor import sizes_of, strides_of

NAN = math.nan
HALF = LANES // 2
WIDTH = 64
TILE = LANES * WIDTH
TILE_LEVELS = LEVELS * WIDTH


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


def reduction(fold: Fold) -> Callable[..., Any]:
    """The driver for one kind of reduction.

    It has the signature ``run(out: Ptr[U], source: Ptr[T], self: Ptr[TensorImpl], marks: Ptr[i64], shifts: Ptr[U])``
    and reduces the marked dimensions of `self`, whose elements begin at `source`, into `out`: one element per kept
    position, in row-major order. `shifts`, if not null, has a shift for each of them."""

    lift, start, combine, finish = fold.lift, fold.start, fold.combine, fold.finish

    def reduce_block(p: Ptr[T], n: i64, shift: U) -> U:
        lanes = stack(LANES, U)
        first = start(lift(p[0], shift))
        if n < LANES:
            for lane in range(n):
                lanes[lane] = combine(first, lift(p[lane], shift))
            half = HALF
            while half > 0:
                for lane in range(half):
                    if lane + half < n:
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
        for lane in range(HALF):
            lanes[lane] = low[lane]
            lanes[HALF + lane] = high[lane]
        for lane in range(n - whole):
            lanes[lane] = combine(lanes[lane], lift(p[whole + lane], shift))
        for lane in range(16):
            lanes[lane] = combine(lanes[lane], lanes[lane + 16])
        for lane in range(8):
            lanes[lane] = combine(lanes[lane], lanes[lane + 8])
        for lane in range(4):
            lanes[lane] = combine(lanes[lane], lanes[lane + 4])
        for lane in range(2):
            lanes[lane] = combine(lanes[lane], lanes[lane + 2])
        return combine(lanes[0], lanes[1])

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

    def end(out: Ptr[U], levels: Ptr[U], blocks: i64, width: i64, count: i64) -> None:
        total = levels
        rest = blocks
        while rest & 1 == 0:
            total = total + WIDTH
            rest = rest >> 1
        level = total
        rest = rest >> 1
        while rest != 0:
            level = level + WIDTH
            if rest & 1 != 0:
                merge(level, total, total, width)
            rest = rest >> 1
        for c in range(width):
            out[c] = finish(total[c], count)

    def along(
        out: Ptr[U],
        source: Ptr[T],
        n: i64,
        sizes: Ptr[i64],
        strides: Ptr[i64],
        count: i64,
        counters: Ptr[i64],
        buffer: Ptr[T],
        levels: Ptr[U],
        shift: U,
    ) -> None:
        value = stack(1, U)
        direct = n == 1 and strides[0] == 1
        for d in range(n):
            counters[d] = 0
        at = 0
        done = 0
        blocks = 0
        while done < count:
            length = count - done
            if length > BLOCK:
                length = BLOCK
            block = source + done
            if not direct:
                at = gather(buffer, source, n, sizes, strides, counters, at, length)
                block = buffer
            value[0] = reduce_block(block, length, shift)
            push(levels, blocks, value, 1)
            blocks = blocks + 1
            done = done + length
        end(out, levels, blocks, 1, count)

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
        out: Ptr[U],
        source: Ptr[T],
        stride: i64,
        width: i64,
        n: i64,
        sizes: Ptr[i64],
        strides: Ptr[i64],
        count: i64,
        counters: Ptr[i64],
        acc: Ptr[U],
        levels: Ptr[U],
        shift: Ptr[U],
    ) -> None:
        for d in range(n):
            counters[d] = 0
        at = 0
        done = 0
        blocks = 0
        while done < count:
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
            half = LANES // 2
            while half > 0:
                for lane in range(half):
                    if lane + half < lanes:
                        left = acc + lane * WIDTH
                        merge(left, left + half * WIDTH, left, width)
                half = half // 2
            push(levels, blocks, acc, width)
            blocks = blocks + 1
            done = done + length
        end(out, levels, blocks, width, count)

    def run(out: Ptr[U], source: Ptr[T], self: Ptr[TensorImpl], marks: Ptr[i64], shifts: Ptr[U]) -> None:
        kept = stack(MAX_RANK, i64)
        kept_out = stack(MAX_RANK, i64)
        kept_in = stack(MAX_RANK, i64)
        reduced = stack(MAX_RANK, i64)
        reduced_in = stack(MAX_RANK, i64)
        counters = stack(MAX_RANK, i64)
        outer = stack(MAX_RANK, i64)
        counts = stack(2, i64)
        buffer = stack(BLOCK, T)
        acc = stack(TILE, U)
        levels = stack(TILE_LEVELS, U)
        shift = stack(WIDTH, U)
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
        plan(self, marks, kept, kept_out, kept_in, reduced, reduced_in, counts)
        inner = counts[0] - 1
        n = counts[1]
        rows = prefers_rows(kept[inner], kept_in[inner], reduced_in[n - 1], count)
        group = 1
        if rows:
            group = WIDTH
        repeats = 1
        for d in range(inner):
            outer[d] = 0
            repeats = repeats * kept[d]
        for c in range(WIDTH):
            shift[c] = U(0)
        to = out
        at = 0
        for _ in range(repeats):
            column = 0
            while column < kept[inner]:
                width = kept[inner] - column
                if width > group:
                    width = group
                if address(shifts) != 0:
                    for c in range(width):
                        shift[c] = shifts[c]
                    shifts = shifts + width
                here = source + (at + column * kept_in[inner])
                if rows:
                    across(to, here, kept_in[inner], width, n, reduced, reduced_in, count, counters, acc, levels, shift)
                else:
                    along(to, here, n, reduced, reduced_in, count, counters, buffer, levels, shift[0])
                to = to + width
                column = column + width
            at = step(inner, kept, kept_in, outer, at)

    return run
