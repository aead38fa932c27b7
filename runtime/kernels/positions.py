"""Tier 3: where the extremes of dimensions are, in one pass; the first of equals, and NaN before all numbers.

`located` makes the driver of a comparison, ``beats(x: T, best: T) -> b8``. Elements that lie one after another are
looked through by `locate`: in blocks, of which it keeps the first with the extreme for each lane of a vector, so that
only one block has to be searched. Others are gathered, or gone through row by row, as `reduce` does; from there are
the task and its units.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.folds import BLOCK, LANES
from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    atomic_relaxed,
    b8,
    context,
    function,
    i32,
    i64,
    pointer,
    select,
    stack,
)
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.reduce import (
    CELLS,
    COLUMNS,
    COUNT,
    DIMENSIONS,
    ENOUGH_UNITS,
    FOUND,
    GRAIN,
    GROUP,
    GROUPS,
    HALF,
    IS_ACROSS,
    KEPT,
    KEPT_SIZES,
    KEPT_STRIDES,
    MOST_TOTALS,
    OUT,
    PART,
    POSITIONS,
    SIZES,
    SOURCE,
    STRIDE,
    STRIDES,
    TOTALS,
    UNIT,
    UNITS,
    WIDTH,
    describe,
    elements_of_unit,
    first_of,
    gather,
    part_of,
    place,
    seek,
    step,
    width_of,
)
from tscript.runtime.kernels.tensor import sizes_of

STEPS = 4
"""Times all lanes that a block of a long row has."""
MOST_ROWS = 1 << 31
"""Rows whose numbers fit into the cells of `across`."""


def first_nan(p: Ptr[T], n: i64) -> i64:
    """The position of the first NaN."""
    for i in range(n):
        if p[i] != p[i]:
            return i
    return 0


def first_in_block(p: Ptr[T], size: i64, wanted: T) -> i64:
    """The position of the first element of a block that is `wanted`."""
    first = i32(size)
    for i in range(size):
        own = select(p[i] == wanted, i32(i), i32(size))
        first = select(own < first, own, first)
    return i64(first)


def located(beats: Callable[..., Any]) -> Callable[..., Any]:
    """The driver for a comparison of numbers.

    It has the signature ``run(values: Ptr[T], source: Ptr[T], self: Ptr[TensorImpl], marks: Ptr[i64], positions:
    Ptr[i64])`` and finds the first extreme along the marked dimensions of `self`, which have elements: its position
    and, unless `values` is null, the element itself, for each kept position in row-major order."""

    def wins(x: T, best: T) -> b8:
        """Whether an element comes before the best one so far, be they numbers or not."""
        return beats(x, best) | ((x != x) & (best == best))

    def locate_few(p: Ptr[T], n: i64) -> i64:
        best = p[0]
        at = 0
        for i in range(1, n):
            is_better = wins(p[i], best)
            best = select(is_better, p[i], best)
            at = select(is_better, i, at)
        return at

    def locate(p: Ptr[T], n: i64) -> i64:
        """The position of the extreme of `n` elements that lie one after another."""
        if n < LANES:
            return locate_few(p, n)
        size = select(n < STEPS * LANES, i64(LANES), i64(STEPS * LANES))
        # LLVM would take the vectors apart to have longer ones, if it could count the loops up to here.
        last = stack(1, i64)
        last[0] = size
        low = stack(HALF, T)
        high = stack(HALF, T)
        low_at = stack(HALF, i32)
        high_at = stack(HALF, i32)
        low_odd = stack(HALF, T)
        high_odd = stack(HALF, T)
        for lane in range(HALF):
            low[lane] = p[lane]
            high[lane] = p[HALF + lane]
            low_odd[lane] = p[lane]
            high_odd[lane] = p[HALF + lane]
            low_at[lane] = i32(0)
            high_at[lane] = i32(0)
        # The last block ends with the elements, and may have some of the one before once more: those come too late.
        blocks = (n + size - 1) // size
        for number in range(blocks):
            start = number * size
            if start > n - size:
                start = n - size
            block = p + start
            low_best = stack(HALF, T)
            high_best = stack(HALF, T)
            for lane in range(HALF):
                low_best[lane] = block[lane]
                high_best[lane] = block[HALF + lane]
            at = 0
            while at < atomic_relaxed(last):
                row = block + at
                for lane in range(HALF):
                    x = row[lane]
                    low_best[lane] = select(beats(x, low_best[lane]), x, low_best[lane])
                    low_odd[lane] = select(x != x, x, low_odd[lane])
                for lane in range(HALF):
                    y = row[HALF + lane]
                    high_best[lane] = select(beats(y, high_best[lane]), y, high_best[lane])
                    high_odd[lane] = select(y != y, y, high_odd[lane])
                at = at + LANES
            for lane in range(HALF):
                low_at[lane] = select(beats(low_best[lane], low[lane]), i32(number), low_at[lane])
                low[lane] = select(beats(low_best[lane], low[lane]), low_best[lane], low[lane])
            for lane in range(HALF):
                high_at[lane] = select(beats(high_best[lane], high[lane]), i32(number), high_at[lane])
                high[lane] = select(beats(high_best[lane], high[lane]), high_best[lane], high[lane])
        is_odd = False
        for lane in range(HALF):
            is_odd = is_odd | (low_odd[lane] != low_odd[lane]) | (high_odd[lane] != high_odd[lane])
        if is_odd:
            return first_nan(p, n)
        best = low[0]
        for lane in range(HALF):
            best = select(beats(low[lane], best), low[lane], best)
            best = select(beats(high[lane], best), high[lane], best)
        least = i32(blocks)
        for lane in range(HALF):
            own = select(low[lane] == best, low_at[lane], i32(blocks))
            least = select(own < least, own, least)
            other = select(high[lane] == best, high_at[lane], i32(blocks))
            least = select(other < least, other, least)
        start = i64(least) * size
        if start > n - size:
            start = n - size
        return start + first_in_block(p + start, size, best)

    def along(
        best: Ptr[T],
        found: Ptr[i64],
        source: Ptr[T],
        n: i64,
        sizes: Ptr[i64],
        strides: Ptr[i64],
        first: i64,
        count: i64,
    ) -> None:
        """The extreme of `count` elements from number `first` on, and which element it is."""
        if n == 1 and strides[0] == 1:
            at = first + locate(source + first, count)
            found[0] = at
            best[0] = source[at]
            return
        counters = stack(MAX_RANK, i64)
        buffer = stack(BLOCK, T)
        offset = seek(n, sizes, strides, counters, first)
        done = 0
        while done < count:
            length = count - done
            if length > BLOCK:
                length = BLOCK
            offset = gather(buffer, source, n, sizes, strides, counters, offset, length)
            own = locate(buffer, length)
            is_better = True
            if done > 0:
                is_better = wins(buffer[own], best[0])
            if is_better:
                best[0] = buffer[own]
                found[0] = first + done + own
            done = done + length

    def look_at_row(best: Ptr[T], found: Ptr[i32], row: Ptr[T], stride: i64, width: i64, number: i32) -> None:
        if stride == 1 and width == WIDTH:
            for c in range(WIDTH):
                is_better = wins(row[c], best[c])
                found[c] = select(is_better, number, found[c])
                best[c] = select(is_better, row[c], best[c])
        else:
            for c in range(width):
                x = row[c * stride]
                is_better = wins(x, best[c])
                found[c] = select(is_better, number, found[c])
                best[c] = select(is_better, x, best[c])

    def across(
        best: Ptr[T],
        found: Ptr[i64],
        source: Ptr[T],
        stride: i64,
        width: i64,
        n: i64,
        sizes: Ptr[i64],
        strides: Ptr[i64],
        first: i64,
        count: i64,
    ) -> None:
        """The same for `width` results, `stride` elements apart."""
        counters = stack(MAX_RANK, i64)
        numbers = stack(WIDTH, i32)
        at = seek(n, sizes, strides, counters, first)
        for c in range(width):
            best[c] = source[at + c * stride]
            numbers[c] = i32(0)
        for j in range(count):
            look_at_row(best, numbers, source + at, stride, width, i32(j))
            if n == 1:
                at = at + strides[0]
            else:
                at = step(n, sizes, strides, counters, at)
        for c in range(width):
            found[c] = first + i64(numbers[c])

    def find(task: Ptr[i64], source: Ptr[T], width: i64, first: i64, count: i64, best: Ptr[T], found: Ptr[i64]) -> None:
        """The extremes of `count` elements from number `first` on, for each of `width` results."""
        n = task[DIMENSIONS]
        sizes = pointer(task[SIZES], i64)
        strides = pointer(task[STRIDES], i64)
        if task[IS_ACROSS] != 0 and count < MOST_ROWS:
            across(best, found, source, task[STRIDE], width, n, sizes, strides, first, count)
        else:
            for c in range(width):
                along(best + c, found + c, source + c * task[STRIDE], n, sizes, strides, first, count)

    def units(task: Ptr[i64], begin: i64, end: i64) -> None:
        """The results of some units."""
        counters = stack(MAX_RANK, i64)
        best = stack(WIDTH, T)
        found = stack(WIDTH, i64)
        outer = task[KEPT]
        sizes = pointer(task[KEPT_SIZES], i64)
        strides = pointer(task[KEPT_STRIDES], i64)
        columns = task[COLUMNS]
        at = seek(outer, sizes, strides, counters, begin // task[GROUPS])
        column = begin % task[GROUPS] * task[GROUP]
        number = first_of(task, begin)
        for _ in range(end - begin):
            width = columns - column
            if width > task[GROUP]:
                width = task[GROUP]
            source = pointer(task[SOURCE], T) + (at + column * task[STRIDE])
            find(task, source, width, 0, task[COUNT], best, found)
            keep(task, number, width, best, found)
            number = number + width
            column = column + width
            if column >= columns:
                column = 0
                at = step(outer, sizes, strides, counters, at)

    def keep(task: Ptr[i64], number: i64, width: i64, best: Ptr[T], found: Ptr[i64]) -> None:
        """Write neighbouring results, from number `number` on."""
        positions = pointer(task[POSITIONS], i64) + number
        for c in range(width):
            positions[c] = found[c]
        if task[OUT] != 0:
            values = pointer(task[OUT], T) + number
            for c in range(width):
                values[c] = best[c]

    def parts(task: Ptr[i64], begin: i64, end: i64) -> None:
        """The extremes of parts of one unit."""
        counters = stack(MAX_RANK, i64)
        unit = task[UNIT]
        width = width_of(task, unit)
        source = pointer(task[SOURCE], T) + place(task, unit, counters)
        for part in range(begin, end):
            first = part * task[PART]
            count = task[COUNT] - first
            if count > task[PART]:
                count = task[PART]
            to = part * WIDTH
            find(task, source, width, first, count, pointer(task[TOTALS], T) + to, pointer(task[FOUND], i64) + to)

    def divide_unit(task: Ptr[i64], source: Ptr[T], unit: i64, part: i64) -> None:
        """The results of one unit, its elements on several threads."""
        best = stack(MOST_TOTALS, T)
        found = stack(MOST_TOTALS, i64)
        task[UNIT] = unit
        task[PART] = part
        task[TOTALS] = address(best)
        task[FOUND] = address(found)
        count = (task[COUNT] + part - 1) // part
        parallel(context(), function(parts), task, count, 1)
        width = width_of(task, unit)
        for k in range(1, count):
            for c in range(width):
                other = k * WIDTH + c
                if wins(best[other], best[c]):
                    best[c] = best[other]
                    found[c] = found[other]
        keep(task, first_of(task, unit), width, best, found)

    def run(values: Ptr[T], source: Ptr[T], self: Ptr[TensorImpl], marks: Ptr[i64], positions: Ptr[i64]) -> None:
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
        describe(task, self, marks, results, count, kept, kept_in, reduced, reduced_in)
        task[OUT] = address(values)
        task[SOURCE] = address(source)
        task[POSITIONS] = address(positions)
        of_unit = elements_of_unit(task)
        units_count = task[UNITS]
        if units_count * of_unit <= GRAIN:
            units(task, 0, units_count)
        elif units_count >= ENOUGH_UNITS or of_unit <= GRAIN:
            parallel(context(), function(units), task, units_count, GRAIN // of_unit + 1)
        else:
            part = part_of(task, of_unit)
            for unit in range(units_count):
                divide_unit(task, source, unit, part)

    return run
