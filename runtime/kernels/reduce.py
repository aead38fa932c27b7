"""Tier 3: the reduction driver, and the reductions it makes. Their operators are in `reductions`.

**Order.** A result combines the N elements that reduce into it, taken in row-major order of the reduced dimensions, in
an order fixed by N alone: blocks of `BLOCK` elements; in a block element i goes to lane i modulo `LANES`, and the
lanes are combined as a binary tree; the blocks are combined as a binary counter counts, so each partial result covers
a power of two of blocks. Error therefore grows with the logarithm of N, and neither strides, threads nor the CPU
change a bit.

Two ways through memory give that same order: `along` takes one result at a time, its elements directly where they are
one run, else gathered block by block; `across` takes `WIDTH` results at a time and goes over them row by row, when
neighbouring results lie denser in memory than the elements of one.

`reduction` is the driver; it is made from four dialect functions over the element type ``T`` and the result type ``U``:

- ``lift(x: T, shift: U) -> U``: one element; `shift` is what the caller gave for this result, or zero;
- ``start(first: U) -> U``: what a lane begins with, given the first element of the block (or zero when there is none);
- ``combine(a: U, b: U) -> U``;
- ``finish(a: U, count: i64) -> U``: the result of `count` elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tscript.abi.layout import MAX_RANK
from tscript.ops.dialect import Ptr, T, TensorImpl, U, address, b8, f64, i64, stack
from tscript.ops.reduction_bodies import add, greater, lesser, multiply, same
from tscript.runtime.kernels.copy import lay_out, magnitude, row_major
from tscript.runtime.kernels.tensor import sizes_of, strides_of

NAN = math.nan
LANES = 16
BLOCK = 1024
WIDTH = 32
TILE = LANES * WIDTH
LEVELS = 56
"""Enough partial results for any number of blocks."""
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


def reduction(
    lift: Callable[..., Any], start: Callable[..., Any], combine: Callable[..., Any], finish: Callable[..., Any]
) -> Callable[..., Any]:
    """The driver for one kind of reduction.

    It has the signature ``run(out: Ptr[U], source: Ptr[T], self: Ptr[TensorImpl], marks: Ptr[i64], shifts: Ptr[U])``
    and reduces the marked dimensions of `self`, whose elements begin at `source`, into `out`: one element per kept
    position, in row-major order. `shifts`, if not null, has a shift for each of them."""

    def reduce_block(p: Ptr[T], n: i64, shift: U) -> U:
        acc = stack(LANES, U)
        first = start(lift(p[0], shift))
        for lane in range(LANES):
            acc[lane] = first
        if n < LANES:
            for lane in range(n):
                acc[lane] = combine(acc[lane], lift(p[lane], shift))
            width = LANES // 2
            while width > 0:
                for lane in range(width):
                    if lane + width < n:
                        acc[lane] = combine(acc[lane], acc[lane + width])
                width = width // 2
            return acc[0]
        whole = n & -LANES
        i = 0
        while i < whole:
            for lane in range(LANES):
                acc[lane] = combine(acc[lane], lift(p[i + lane], shift))
            i = i + LANES
        for lane in range(n - whole):
            acc[lane] = combine(acc[lane], lift(p[whole + lane], shift))
        for lane in range(8):
            acc[lane] = combine(acc[lane], acc[lane + 8])
        for lane in range(4):
            acc[lane] = combine(acc[lane], acc[lane + 4])
        for lane in range(2):
            acc[lane] = combine(acc[lane], acc[lane + 2])
        return combine(acc[0], acc[1])

    def along(
        source: Ptr[T],
        n: i64,
        sizes: Ptr[i64],
        strides: Ptr[i64],
        count: i64,
        counters: Ptr[i64],
        buffer: Ptr[T],
        levels: Ptr[U],
        shift: U,
    ) -> U:
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
            value = reduce_block(block, length, shift)
            level = 0
            carry = blocks
            while carry & 1 != 0:
                value = combine(levels[level], value)
                level = level + 1
                carry = carry >> 1
            levels[level] = value
            blocks = blocks + 1
            done = done + length
        level = 0
        while (blocks >> level) & 1 == 0:
            level = level + 1
        total = levels[level]
        level = level + 1
        while (blocks >> level) != 0:
            if (blocks >> level) & 1 != 0:
                total = combine(levels[level], total)
            level = level + 1
        return finish(total, count)

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

    def merge(a: Ptr[U], b: Ptr[U], to: Ptr[U], width: i64) -> None:
        for c in range(width):
            to[c] = combine(a[c], b[c])

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
                first = start(lift(source[at + c * stride], shift[c]))
                for lane in range(lanes):
                    acc[lane * WIDTH + c] = first
            for j in range(length):
                add_row(acc + (j & 15) * WIDTH, source + at, stride, width, shift)
                at = step(n, sizes, strides, counters, at)
            half = LANES // 2
            while half > 0:
                for lane in range(half):
                    if lane + half < lanes:
                        left = acc + lane * WIDTH
                        merge(left, acc + (lane + half) * WIDTH, left, width)
                half = half // 2
            level = 0
            carry = blocks
            while carry & 1 != 0:
                merge(levels + level * WIDTH, acc, acc, width)
                level = level + 1
                carry = carry >> 1
            for c in range(width):
                levels[level * WIDTH + c] = acc[c]
            blocks = blocks + 1
            done = done + length
        level = 0
        while (blocks >> level) & 1 == 0:
            level = level + 1
        total = levels + level * WIDTH
        level = level + 1
        while (blocks >> level) != 0:
            if (blocks >> level) & 1 != 0:
                merge(levels + level * WIDTH, total, total, width)
            level = level + 1
        for c in range(width):
            out[c] = finish(total[c], count)

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
        nkept = counts[0]
        n = counts[1]
        inner = nkept - 1
        rows = prefers_rows(kept[inner], kept_in[inner], reduced_in[n - 1], count)
        dims = nkept
        if rows:
            dims = inner
        repeats = 1
        for d in range(dims):
            outer[d] = 0
            repeats = repeats * kept[d]
        for c in range(WIDTH):
            shift[c] = U(0)
        at = 0
        at_out = 0
        for _ in range(repeats):
            if rows:
                column = 0
                while column < kept[inner]:
                    width = kept[inner] - column
                    if width > WIDTH:
                        width = WIDTH
                    if address(shifts) != 0:
                        for c in range(width):
                            shift[c] = shifts[at_out + column + c]
                    across(
                        out + (at_out + column),
                        source + (at + column * kept_in[inner]),
                        kept_in[inner],
                        width,
                        n,
                        reduced,
                        reduced_in,
                        count,
                        counters,
                        acc,
                        levels,
                        shift,
                    )
                    column = column + WIDTH
                at_out = at_out + kept[inner]
            else:
                if address(shifts) != 0:
                    shift[0] = shifts[at_out]
                out[at_out] = along(source + at, n, reduced, reduced_in, count, counters, buffer, levels, shift[0])
                at_out = at_out + 1
            at = step(dims, kept, kept_in, outer, at)

    return run


def as_result(x: T, shift: U) -> U:
    """Lift: the element converted."""
    return U(x)


def is_true(x: T, shift: U) -> U:
    """Lift: whether the element is not zero."""
    return U(x != T(0))


def squared_distance(x: T, shift: U) -> U:
    """Lift of var: the square of the distance from the mean."""
    return (U(x) - shift) * (U(x) - shift)


def zero(first: U) -> U:
    """Start of sum, mean and any."""
    return U(0)


def one(first: U) -> U:
    """Start of prod and all."""
    return U(1)


def itself(first: U) -> U:
    """Start of max and min."""
    return first


def either(a: U, b: U) -> U:
    """Combine of any."""
    return a | b


def both(a: U, b: U) -> U:
    """Combine of all."""
    return a & b


def divided(a: U, count: i64) -> U:
    """Finish of mean; NaN when there is nothing to take it of."""
    if count == 0:
        return U(NAN)
    return U(f64(a) / f64(count))


sum_into = reduction(as_result, zero, add, same)
squares_into = reduction(squared_distance, zero, add, same)
mean_into = reduction(as_result, zero, add, divided)
prod_into = reduction(as_result, one, multiply, same)
max_into = reduction(as_result, itself, greater, same)
min_into = reduction(as_result, itself, lesser, same)
any_into = reduction(is_true, zero, either, same)
all_into = reduction(is_true, one, both, same)
