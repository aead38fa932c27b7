"""Tier 3: fused groups with reductions: whether they may run as one loop over rows, and how that goes.

A row is all elements along the last dimension, or, in a group that reduces everything, all elements at all. The other
dimensions are merged as far as the tensors allow; the innermost of what is left is a *run* of rows that lie equally far
from each other in every tensor, the others are walked by an odometer.

In a group that reduces the first dimensions these are one dimension of rows, and the others one of columns.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.column_task import ARRAYS as COLUMN_ARRAYS
from tscript.abi.column_task import COLUMNS, FEWEST, ROWS
from tscript.abi.folds import LANES
from tscript.abi.layout import MAX_RANK, TENSOR_CONTIGUOUS
from tscript.abi.row_task import ARRAYS, DIMENSION_HEAD, FEW, INDEX, LENGTH, OUTER, PLAN_HEAD, RUN, SCRATCH, SIZE
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


def are_filled(
    tensors: Ptr[Ptr[TensorImpl]], n: i64, sets: Ptr[i64], nsets: i64, shape: Ptr[i64], part: Ptr[i64]
) -> b8:
    """Whether a shape has elements, and the tensors of each set broadcast to it."""
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
    return True


def are_many(shape: Ptr[i64]) -> b8:
    """Whether a shape has more rows than a few."""
    rows = 1
    for d in range(shape[0] - 1):
        rows = rows * shape[1 + d]
    return rows > FEW


def rows_fit(tensors: Ptr[Ptr[TensorImpl]], n: i64, sets: Ptr[i64], nsets: i64, whole: b8) -> b8:
    """Whether the group may run as one loop: see the operator."""
    shape = stack(SHAPE, i64)
    part = stack(SHAPE, i64)
    if not broadcast_of(tensors, n, -1, shape):
        return False
    if not are_filled(tensors, n, sets, nsets, shape, part):
        return False
    rank = shape[0]
    if not whole and (rank == 0 or (shape[rank] < LANES and are_many(shape))):
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
            if i64(t.ndim) != rank or sizes_of(t)[rank - 1] != 1:
                return False
    return True


def has_columns(t: Ptr[TensorImpl], shape: Ptr[i64], leading: i64) -> b8:
    """Whether the elements of a row of a tensor are one run, and its rows, if it has some, lie equally far from each
    other; see `columns_fit`."""
    rank = shape[0]
    missing = rank - i64(t.ndim)
    if missing > leading:
        return False
    sizes = sizes_of(t)
    strides = strides_of(t)
    expected = 1
    for k in range(rank - leading):
        d = rank - 1 - k
        size = sizes[d - missing]
        if size != shape[1 + d]:
            return False
        if size != 1 and strides[d - missing] != expected:
            return False
        expected = expected * size
    repeated = True
    for d in range(missing, leading):
        if sizes[d - missing] != 1:
            repeated = False
    if repeated:
        return True
    expected = 0
    for k in range(leading):
        d = leading - 1 - k
        size = shape[1 + d]
        if d < missing:
            if size != 1:
                return False
        else:
            if sizes[d - missing] != size:
                return False
            if size != 1:
                if expected != 0 and strides[d - missing] != expected:
                    return False
                expected = strides[d - missing] * size
    return True


def columns_fit(tensors: Ptr[Ptr[TensorImpl]], n: i64, sets: Ptr[i64], nsets: i64, leading: i64) -> b8:
    """Whether the group may run as one loop over columns: see the operator."""
    shape = stack(SHAPE, i64)
    part = stack(SHAPE, i64)
    if not broadcast_of(tensors, n, -1, shape):
        return False
    if not are_filled(tensors, n, sets, nsets, shape, part):
        return False
    columns = 1
    for d in range(leading, shape[0]):
        columns = columns * shape[1 + d]
    if columns < FEWEST:
        return False
    fit = True
    for k in range(n):
        if not has_columns(tensors[k], shape, leading):
            fit = False
    return fit


def columns_lay_out(tensors: Ptr[Ptr[TensorImpl]], n: i64, leading: i64, shape: Ptr[i64], task: Ptr[i64]) -> i64:
    """Fill in the task of a group that fits, but for its results and scalars. Gives the number of elements. Long work
    lets other threads run.

    Args:
        shape: Receives the rank and the sizes of all dimensions.
    """
    broadcast_of(tensors, n, -1, shape)
    rank = shape[0]
    rows = 1
    columns = 1
    innermost = 0
    for d in range(rank):
        if d < leading:
            rows = rows * shape[1 + d]
            if shape[1 + d] != 1:
                innermost = d
        else:
            columns = columns * shape[1 + d]
    task[ROWS] = rows
    task[COLUMNS] = columns
    for k in range(n):
        task[COLUMN_ARRAYS + 2 * k] = address(tensors[k].data)
        task[COLUMN_ARRAYS + 2 * k + 1] = step_of(tensors[k], rank, innermost)
    begin_work(rows * columns)
    return rows * columns


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
