"""Tier 3: fused groups with reductions: whether they may run as one loop over rows, and how that goes.

A row is all elements along the last dimension, or, in a group that reduces everything, all elements at all. Rows lie
equally far from each other in every tensor, so a loop over rows needs the address of the first one and a distance.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.layout import MAX_RANK, TENSOR_CONTIGUOUS
from tscript.abi.row_task import ARRAYS, LENGTH, SCRATCH
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


def distance(t: Ptr[TensorImpl], shape: Ptr[i64]) -> i64:
    """The distance of rows in elements, -1 when they are not equally far from each other or not runs."""
    own = i64(t.ndim)
    rank = shape[0]
    if own == 0 or sizes_of(t)[own - 1] != shape[rank]:
        return -1
    if shape[rank] > 1 and strides_of(t)[own - 1] != 1:
        return -1
    found = 0
    span = 0
    first = True
    for i in range(1, rank):
        size = shape[rank - i]
        if size != 1:
            d = own - 1 - i
            stride = 0
            if d >= 0:
                if sizes_of(t)[d] > 1:
                    stride = strides_of(t)[d]
            if first:
                if stride < 0:
                    return -1
                found = stride
                first = False
            elif stride != span:
                return -1
            span = stride * size
    return found


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
        elif distance(t, shape) < 0:
            return False
    return True


def rows_lay_out(tensors: Ptr[Ptr[TensorImpl]], n: i64, whole: i64, shape: Ptr[i64], task: Ptr[i64]) -> i64:
    """Fill in the task of a group that fits: the length of rows, and of each tensor the address of the first row and
    the distance. Gives the number of rows. Long work lets other threads run.

    Args:
        shape: Receives the rank and the sizes of all dimensions.
    """
    broadcast_of(tensors, n, -1, shape)
    rank = shape[0]
    numel = 1
    for d in range(rank):
        numel = numel * shape[1 + d]
    length = numel
    rows = 1
    if whole == 0:
        length = shape[rank]
        rows = numel // length
    task[LENGTH] = length
    task[SCRATCH] = 0
    for k in range(n):
        t = tensors[k]
        task[ARRAYS + 2 * k] = address(t.data)
        task[ARRAYS + 2 * k + 1] = 0
        if whole == 0:
            task[ARRAYS + 2 * k + 1] = distance(t, shape) * itemsize_of(t.dtype)
    begin_work(numel)
    return rows
