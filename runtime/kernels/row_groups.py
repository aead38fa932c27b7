"""Tier 3: fused groups with reductions: whether they may run as one loop over rows, and how that goes.

A row is all elements along the last dimension, or, in a group that reduces everything, all elements at all. The other
dimensions are merged as far as the tensors allow; the innermost of what is left is a *run* of rows that lie equally far
from each other in every tensor, the others are walked by an odometer.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.layout import MAX_RANK, TENSOR_CONTIGUOUS
from tscript.abi.row_task import ARRAYS, DIMENSION_HEAD, INDEX, LENGTH, OUTER, PLAN_HEAD, RUN, SCRATCH, SIZE
from tscript.dialect import Ptr, TensorImpl, address, b8, i64, stack
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of, strides_of

SHAPE = MAX_RANK + 1
"""Cells of a shape: its rank, then its sizes."""


def broadcast_of(tensors: Ptr[Ptr[TensorImpl]], n: i64, members: i64, shape: Ptr[i64]) -> b8:
    """The shape that the tensors of a set broadcast to. Returns False when they do not."""
    rank = 0
    for k in range(n):
        if members >> k & 1 != 0 and i64(tensors[k].ndim) > rank:
            rank = i64(tensors[k].ndim)
    shape[0] = rank
    for d in range(rank):
        shape[1 + d] = 1
    for k in range(n):
        if members >> k & 1 != 0:
            t = tensors[k]
            missing = rank - i64(t.ndim)
            for d in range(i64(t.ndim)):
                size = sizes_of(t)[d]
                own = shape[1 + missing + d]
                if own == 1:
                    shape[1 + missing + d] = size
                elif size != 1 and size != own:
                    return False
    return True


def has_rows(t: Ptr[TensorImpl], length: i64) -> b8:
    """Whether the last dimension is a run of so many elements."""
    rank = i64(t.ndim)
    if rank == 0 or sizes_of(t)[rank - 1] != length:
        return False
    return length == 1 or strides_of(t)[rank - 1] == 1


def rows_fit(tensors: Ptr[Ptr[TensorImpl]], n: i64, sets: Ptr[i64], nsets: i64, whole: b8) -> b8:
    """Whether the group may run as one loop: see the operator."""
    shape = stack(SHAPE, i64)
    part = stack(SHAPE, i64)
    if not broadcast_of(tensors, n, -1, shape):
        return False
    rank = shape[0]
    for d in range(rank):
        if shape[1 + d] == 0:
            return False
    for s in range(nsets):
        broadcast_of(tensors, n, sets[s], part)
        if part[0] != rank:
            return False
        for d in range(rank):
            if part[1 + d] != shape[1 + d]:
                return False
    for k in range(n):
        t = tensors[k]
        if whole:
            if i64(t.ndim) != rank or t.flags & TENSOR_CONTIGUOUS == 0:
                return False
            for d in range(rank):
                if sizes_of(t)[d] != shape[1 + d]:
                    return False
        elif not has_rows(t, shape[rank]):
            return False
    return True


def shapes_fit(tensors: Ptr[Ptr[TensorImpl]], n: i64, sets: Ptr[i64], nsets: i64) -> b8:
    """Whether the tensors of each set broadcast to the shape of all."""
    if have_one_shape(tensors, n):
        return True
    shape = stack(SHAPE, i64)
    part = stack(SHAPE, i64)
    if not broadcast_of(tensors, n, -1, shape):
        return False
    for s in range(nsets):
        broadcast_of(tensors, n, sets[s], part)
        for d in range(shape[0] + 1):
            if part[d] != shape[d]:
                return False
    return True


def have_one_shape(tensors: Ptr[Ptr[TensorImpl]], n: i64) -> b8:
    """Whether all tensors have the shape of the first."""
    first = tensors[0]
    ndim = first.ndim
    sizes = sizes_of(first)
    for k in range(1, n):
        t = tensors[k]
        if t.ndim != ndim:
            return False
        own = sizes_of(t)
        for d in range(i64(ndim)):
            if own[d] != sizes[d]:
                return False
    return True


def step_of(t: Ptr[TensorImpl], rank: i64, d: i64) -> i64:
    """The distance in bytes along dimension `d` of a shape of `rank` dimensions that `t` is broadcast to."""
    own = d - (rank - i64(t.ndim))
    if own < 0:
        return 0
    if sizes_of(t)[own] == 1:
        return 0
    return strides_of(t)[own] * itemsize_of(t.dtype)


def rows_lay_out(
    tensors: Ptr[Ptr[TensorImpl]], n: i64, whole: i64, shape: Ptr[i64], task: Ptr[i64], plan: Ptr[i64]
) -> i64:
    """Fill in the task of a group that fits: the length of rows, and of each tensor that is read the address of the
    first row and the distance, and the plan. Gives the number of rows of the first run. Long work lets other threads
    run.

    Args:
        shape: Receives the rank and the sizes of all dimensions.
    """
    broadcast_of(tensors, n, -1, shape)
    rank = shape[0]
    numel = 1
    for d in range(rank):
        numel = numel * shape[1 + d]
    task[SCRATCH] = 0
    for k in range(n):
        task[ARRAYS + 2 * k] = address(tensors[k].data)
        task[ARRAYS + 2 * k + 1] = 0
    begin_work(numel)
    plan[OUTER] = 0
    plan[RUN] = 1
    if whole != 0:
        task[LENGTH] = numel
        return 1
    task[LENGTH] = shape[rank]
    cells = DIMENSION_HEAD + n
    dims = 0
    for d in range(rank - 1):
        size = shape[1 + d]
        if size != 1:
            last = plan + (PLAN_HEAD + (dims - 1) * cells)
            merged = dims > 0
            if merged:
                for k in range(n):
                    if last[DIMENSION_HEAD + k] != step_of(tensors[k], rank, d) * size:
                        merged = False
            if merged:
                last[SIZE] = last[SIZE] * size
            else:
                last = last + cells
                last[SIZE] = size
                last[INDEX] = 0
                dims = dims + 1
            for k in range(n):
                last[DIMENSION_HEAD + k] = step_of(tensors[k], rank, d)
    if dims > 0:
        inner = plan + (PLAN_HEAD + (dims - 1) * cells)
        plan[OUTER] = dims - 1
        plan[RUN] = inner[SIZE]
        for k in range(n):
            task[ARRAYS + 2 * k + 1] = inner[DIMENSION_HEAD + k]
    return plan[RUN]


def rows_advance(n: i64, arrays: i64, task: Ptr[i64], plan: Ptr[i64]) -> i64:
    """Move the task to the next run. Gives its number of rows, 0 at the end.

    Args:
        n: How many arrays are read; those that are written, behind them, have their rows one after the other.
        arrays: How many there are.
    """
    cells = DIMENSION_HEAD + n
    d = plan[OUTER] - 1
    while d >= 0:
        dimension = plan + (PLAN_HEAD + d * cells)
        dimension[INDEX] = dimension[INDEX] + 1
        if dimension[INDEX] < dimension[SIZE]:
            for k in range(n):
                task[ARRAYS + 2 * k] = task[ARRAYS + 2 * k] + dimension[DIMENSION_HEAD + k]
            for k in range(n, arrays):
                task[ARRAYS + 2 * k] = task[ARRAYS + 2 * k] + plan[RUN] * task[ARRAYS + 2 * k + 1]
            return plan[RUN]
        dimension[INDEX] = 0
        for k in range(n):
            back = (dimension[SIZE] - 1) * dimension[DIMENSION_HEAD + k]
            task[ARRAYS + 2 * k] = task[ARRAYS + 2 * k] - back
        d = d - 1
    return 0
