"""Tier 3: fused groups that write in place what they also read at other places: `u[1:-1] = (u[:-2] + u[2:]) / 2`.

What such a group computes has to be as if all of it were computed before any of it is written. The written tensor is
walked as it lies in memory. If what is read of the same memory has the same strides, a run reads elements at fixed
distances from those that it writes, so results need to wait only until the walk is further than the largest distance
backwards: a few rows, in a ring that stays in the cache. See `tscript.abi.rows`.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Final

from tscript.abi.rows import (
    ARRAY_HEAD,
    BEHIND,
    BLOCK,
    COUNT,
    DELAY,
    DELAY_BLOCK,
    DELAY_HEAD,
    DONE,
    IN_ORDER,
    ITEMSIZE,
    MINOR,
    NEXT,
    OFFSET,
    OLDEST,
    POINTER,
    ROOM,
    RUN_CELLS,
    RUN_COUNT,
    RUN_DONE,
    RUN_OFFSET,
    RUN_POINTER,
    RUNS,
    SHORT,
)
from tscript.dialect import Ptr, TensorImpl, address, b8, i32, i64, pointer, pointer_cast, stack
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.copy import clone, may_overlap
from tscript.runtime.kernels.rows_moves import write_run
from tscript.runtime.kernels.tensor import itemsize_of, sizes_of, strides_of, tensor_alloc, tensor_retain

MOST: Final = 2
"""Results wait if those that wait take at most this part of the memory of all."""


def lies_in_order(t: Ptr[TensorImpl]) -> b8:
    """Whether elements, walked by falling strides, lie one behind the other."""
    sizes = sizes_of(t)
    strides = strides_of(t)
    for d in range(i64(t.ndim)):
        if sizes[d] > 1:
            span = 1
            for e in range(i64(t.ndim)):
                if sizes[e] > 1 and e != d:
                    if strides[e] == strides[d]:
                        return False
                    if strides[e] < strides[d]:
                        span = span + (sizes[e] - 1) * strides[e]
            if strides[d] < span:
                return False
    return True


def has_layout(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> b8:
    """Whether two tensors have the same sizes and distances in memory."""
    if self.ndim != other.ndim or itemsize_of(self.dtype) != itemsize_of(other.dtype):
        return False
    for d in range(i64(self.ndim)):
        if sizes_of(self)[d] != sizes_of(other)[d]:
            return False
        if sizes_of(self)[d] > 1 and strides_of(self)[d] != strides_of(other)[d]:
            return False
    return True


def run_reach(t: Ptr[TensorImpl], rows: Ptr[i64]) -> i64:
    """How many bytes of a tensor that lies in order one run spans at most.

    Args:
        rows: Receives the size of the innermost dimension in memory, and the bytes between its rows; 0 if there is one.
    """
    sizes = sizes_of(t)
    strides = strides_of(t)
    inner = 0
    outer = 0
    n = 1
    for d in range(i64(t.ndim)):
        if sizes[d] > 1:
            if inner == 0 or strides[d] < inner:
                outer = inner
                inner = strides[d]
                n = sizes[d]
            elif outer == 0 or strides[d] < outer:
                outer = strides[d]
    itemsize = itemsize_of(t.dtype)
    rows[0] = n
    rows[1] = outer * itemsize
    reach = DELAY_BLOCK * inner * itemsize
    if outer != 0 and n <= SHORT:
        own = (BLOCK // n + 2) * outer * itemsize
        if own > reach:
            reach = own
    return reach


def most_runs(t: Ptr[TensorImpl], behind: i64) -> i64:
    """How many runs of a tensor that lies in order begin within so many bytes and the reach of one, at most."""
    rows = stack(2, i64)
    reach = run_reach(t, rows)
    of_row = (rows[0] + BLOCK - 1) // BLOCK + 1
    if rows[1] == 0:
        return of_row
    return ((behind + reach) // rows[1] + 3) * of_row


def delay_bytes(t: Ptr[TensorImpl], behind: i64) -> i64:
    """Bytes for the results that wait, if something is read so far behind the place that is written."""
    return behind + 4 * run_reach(t, stack(2, i64))


def separate_later(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """What a group that writes `self` in place, as `rows_delay` allows it, may read in place of `other`: this itself,
    or a copy if it overlaps in another way than by a fixed distance, or by too large a one."""
    if self.numel != 0 and other.numel != 0 and may_overlap(self, other):
        if not has_layout(self, other) or not lies_in_order(self):
            return clone(other)
        behind = address(self.data) - address(other.data)
        if behind > 0 and MOST * delay_bytes(self, behind) > self.numel * itemsize_of(self.dtype):
            return clone(other)
    tensor_retain(other)
    return other


def rows_delay(written: Ptr[TensorImpl], tensors: Ptr[Ptr[TensorImpl]], n: i64, plan: Ptr[i64]) -> Ptr[TensorImpl]:
    """Memory for results that have to wait, or null; its cells are the plan's. Says whether the walk must be in order.

    Args:
        written: What is written.
        tensors: What is read, `n` of them, as `separate_later` gives it.
    """
    behind = 0
    for k in range(n):
        t = tensors[k]
        if t.numel != 0 and written.numel != 0 and may_overlap(written, t):
            if address(written.data) - address(t.data) > behind:
                behind = address(written.data) - address(t.data)
            if address(written.data) < address(t.data):
                plan[IN_ORDER] = 1
    plan[DELAY] = 0
    if behind == 0:
        return pointer(0, TensorImpl)
    runs = most_runs(written, behind)
    room = delay_bytes(written, behind)
    size = stack(1, i64)
    size[0] = 8 * (DELAY_HEAD + RUN_CELLS * runs) + room
    made = tensor_alloc(i32(codes.UINT8), 1, size)
    cells = pointer_cast(made.data, i64)
    plan[DELAY] = address(cells)
    cells[NEXT] = 0
    cells[OLDEST] = 0
    cells[RUNS] = runs
    cells[BEHIND] = behind
    cells[ROOM] = room
    cells[OFFSET] = 0
    return made


def place_of_next(plan: Ptr[i64], array: Ptr[i64], count: i64) -> i64:
    """The address for the results of the next run, of `count` elements."""
    cells = pointer(plan[DELAY], i64)
    if cells[OFFSET] + count * array[ITEMSIZE] > cells[ROOM]:
        cells[OFFSET] = 0
    return plan[DELAY] + 8 * (DELAY_HEAD + RUN_CELLS * cells[RUNS]) + cells[OFFSET]


def run_cells(cells: Ptr[i64], number: i64) -> Ptr[i64]:
    """The cells of a run."""
    return cells + (DELAY_HEAD + RUN_CELLS * (number % cells[RUNS]))


def end_run(plan: Ptr[i64], array: Ptr[i64]) -> None:
    """The results of a run are there, and wait."""
    cells = pointer(plan[DELAY], i64)
    run = run_cells(cells, cells[NEXT])
    run[RUN_POINTER] = array[POINTER]
    run[RUN_DONE] = plan[DONE]
    run[RUN_COUNT] = plan[COUNT]
    run[RUN_OFFSET] = cells[OFFSET]
    cells[OFFSET] = cells[OFFSET] + plan[COUNT] * array[ITEMSIZE]
    cells[NEXT] = cells[NEXT] + 1


def place_in(plan: Ptr[i64], array: Ptr[i64], inner: i64, start: i64, done: i64) -> i64:
    """The address behind the first `done` elements of a row of an array."""
    if plan[MINOR] != 0:
        return start + done // plan[MINOR] * array[ARRAY_HEAD + inner]
    return start + done * array[ARRAY_HEAD + inner]


def write_until(plan: Ptr[i64], array: Ptr[i64], inner: i64) -> None:
    """Write the results of the runs that nothing reads from where the walk is now."""
    cells = pointer(plan[DELAY], i64)
    limit = place_in(plan, array, inner, array[POINTER], plan[DONE]) - cells[BEHIND]
    waiting = cells[OLDEST] < cells[NEXT]
    while waiting:
        run = run_cells(cells, cells[OLDEST])
        last = place_in(plan, array, inner, run[RUN_POINTER], run[RUN_DONE] + run[RUN_COUNT] - 1)
        if plan[MINOR] != 0:
            last = last + (plan[MINOR] - 1) * array[ARRAY_HEAD + inner + 1]
        if last + array[ITEMSIZE] > limit:
            waiting = False
        else:
            write_oldest(plan, array, inner)
            waiting = cells[OLDEST] < cells[NEXT]


def write_oldest(plan: Ptr[i64], array: Ptr[i64], inner: i64) -> None:
    """Write the results of the run that waits for the longest time."""
    cells = pointer(plan[DELAY], i64)
    run = run_cells(cells, cells[OLDEST])
    results = plan[DELAY] + 8 * (DELAY_HEAD + RUN_CELLS * cells[RUNS]) + run[RUN_OFFSET]
    write_run(plan, array, inner, run[RUN_POINTER], run[RUN_DONE], run[RUN_COUNT], results)
    cells[OLDEST] = cells[OLDEST] + 1


def write_all(plan: Ptr[i64], array: Ptr[i64], inner: i64) -> None:
    """Write the results of all runs that wait."""
    cells = pointer(plan[DELAY], i64)
    while cells[OLDEST] < cells[NEXT]:
        write_oldest(plan, array, inner)
