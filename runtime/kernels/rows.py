"""Tier 3: the order in which fused groups visit tensors of any layout. See `tscript.abi.rows` for the plan.

Dimensions are merged where all arrays allow it; the innermost one is walked by the group's own vector loop, the others by
an odometer. An array whose inner stride is one element is used where it lies; an input that repeats one element is
spread over a vector once a row; everything else (transposed, sliced with a step, reversed) passes through a buffer of
`BLOCK` elements, so the group's code never depends on strides.
"""

from __future__ import annotations

from tscript.abi.rows import (
    ARRAY_HEAD,
    ARRAYS,
    BLOCK,
    BUFFER,
    BUFFERED,
    CAPACITY,
    COUNT,
    DIRECT,
    DONE,
    GATHERED,
    HEAD,
    INPUTS,
    ITEMSIZE,
    KIND,
    POINTER,
    RANK,
    REPEAT,
    REPEATED,
    REPEATED_FROM,
    TASK,
)
from tscript.ops.dialect import Ptr, T, TensorImpl, b8, i8, i16, i32, i64, pointer
from tscript.runtime.kernels.copy import clone, may_overlap
from tscript.runtime.kernels.tensor import sizes_of, strides_of, tensor_retain


def array_of(plan: Ptr[i64], k: i64) -> Ptr[i64]:
    """The cells of array `k`."""
    return plan + (HEAD + 2 * plan[CAPACITY] + k * (ARRAY_HEAD + plan[CAPACITY]))


def move_elements(to: Ptr[T], step_to: i64, source: Ptr[T], step: i64, n: i64) -> None:
    """Copy `n` elements; steps in elements."""
    if step_to == 1 and step == 1:
        for i in range(n):
            to[i] = source[i]
        return
    if step_to == 1:
        for i in range(n):
            to[i] = source[i * step]
        return
    for i in range(n):
        to[i * step_to] = source[i * step]


def move(to: i64, step_to: i64, source: i64, step: i64, n: i64, itemsize: i64) -> None:
    """Copy `n` elements of `itemsize` bytes between two addresses; steps in bytes, multiples of `itemsize`."""
    if itemsize == 4:
        move_elements(pointer(to, i32), step_to // 4, pointer(source, i32), step // 4, n)
    elif itemsize == 8:
        move_elements(pointer(to, i64), step_to // 8, pointer(source, i64), step // 8, n)
    elif itemsize == 1:
        move_elements(pointer(to, i8), step_to, pointer(source, i8), step, n)
    else:
        move_elements(pointer(to, i16), step_to // 2, pointer(source, i16), step // 2, n)


def order_dimensions(plan: Ptr[i64]) -> None:
    """Sort the dimensions by falling stride of the first output: an in-place result is written as it lies in memory."""
    rank = plan[CAPACITY]
    arrays = plan[ARRAYS]
    sizes = plan + HEAD
    leading = array_of(plan, plan[INPUTS]) + ARRAY_HEAD
    for i in range(1, rank):
        at = i
        moving = True
        while moving:
            moving = False
            if at > 0 and sizes[at] != 1:
                before = leading[at - 1]
                own = leading[at]
                if before < 0:
                    before = -before
                if own < 0:
                    own = -own
                if before < own or sizes[at - 1] == 1:
                    size = sizes[at]
                    sizes[at] = sizes[at - 1]
                    sizes[at - 1] = size
                    for k in range(arrays):
                        strides = array_of(plan, k) + ARRAY_HEAD
                        stride = strides[at]
                        strides[at] = strides[at - 1]
                        strides[at - 1] = stride
                    at = at - 1
                    moving = True


def merge_dimensions(plan: Ptr[i64]) -> i64:
    """Drop dimensions of size 1 and merge neighbours that are one run in every array. Returns how many are left."""
    arrays = plan[ARRAYS]
    sizes = plan + HEAD
    rank = 0
    for d in range(plan[CAPACITY]):
        if sizes[d] != 1:
            merged = rank > 0
            if merged:
                for k in range(arrays):
                    strides = array_of(plan, k) + ARRAY_HEAD
                    if strides[rank - 1] != strides[d] * sizes[d]:
                        merged = False
            if merged:
                sizes[rank - 1] = sizes[rank - 1] * sizes[d]
            else:
                sizes[rank] = sizes[d]
                rank = rank + 1
            for k in range(arrays):
                strides = array_of(plan, k) + ARRAY_HEAD
                strides[rank - 1] = strides[d]
    if rank == 0:
        for k in range(arrays):
            array = array_of(plan, k)
            array[ARRAY_HEAD] = array[ITEMSIZE]
        rank = 1
    return rank


def rows_begin(plan: Ptr[i64]) -> None:
    """Prepare the walk: order and merge dimensions, choose how each array is reached.

    The caller has set the first five cells, the sizes (none is 0) and of each array all but its kind.
    """
    order_dimensions(plan)
    rank = merge_dimensions(plan)
    plan[RANK] = rank
    task = pointer(plan[TASK], i64)
    plan[BUFFERED] = 0
    for k in range(plan[ARRAYS]):
        array = array_of(plan, k)
        stride = array[ARRAY_HEAD + rank - 1]
        kind = GATHERED
        if stride == array[ITEMSIZE]:
            kind = DIRECT
        elif stride == 0 and k < plan[INPUTS]:
            kind = REPEATED
        else:
            plan[BUFFERED] = 1
        array[KIND] = kind
        array[REPEATED_FROM] = 0
        task[2 * k] = array[BUFFER]
        task[2 * k + 1] = -1
        if kind == REPEATED:
            task[2 * k + 1] = 0
    index = plan + (HEAD + plan[CAPACITY])
    for d in range(rank):
        index[d] = 0
    plan[DONE] = 0
    plan[COUNT] = -1


def next_row(plan: Ptr[i64]) -> b8:
    """Move to the next row. Returns False when there is none."""
    arrays = plan[ARRAYS]
    sizes = plan + HEAD
    index = sizes + plan[CAPACITY]
    d = plan[RANK] - 2
    while d >= 0:
        index[d] = index[d] + 1
        if index[d] < sizes[d]:
            for k in range(arrays):
                array = array_of(plan, k)
                array[POINTER] = array[POINTER] + array[ARRAY_HEAD + d]
            return True
        index[d] = 0
        for k in range(arrays):
            array = array_of(plan, k)
            array[POINTER] = array[POINTER] - (sizes[d] - 1) * array[ARRAY_HEAD + d]
        d = d - 1
    return False


def rows_next(plan: Ptr[i64]) -> i64:
    """Finish the run before (write buffered outputs), then set the task's addresses for the next one.

    Returns its number of elements; 0 at the end.
    """
    arrays = plan[ARRAYS]
    inputs = plan[INPUTS]
    inner = plan[RANK] - 1
    length = plan[HEAD + inner]
    task = pointer(plan[TASK], i64)
    count = plan[COUNT]
    if count > 0:
        if plan[BUFFERED] != 0:
            for k in range(inputs, arrays):
                array = array_of(plan, k)
                if array[KIND] == GATHERED:
                    stride = array[ARRAY_HEAD + inner]
                    to = array[POINTER] + plan[DONE] * stride
                    move(to, stride, array[BUFFER], array[ITEMSIZE], count, array[ITEMSIZE])
        plan[DONE] = plan[DONE] + count
        if plan[DONE] == length:
            plan[DONE] = 0
            if not next_row(plan):
                plan[COUNT] = 0
                return 0
    done = plan[DONE]
    count = length - done
    if plan[BUFFERED] != 0 and count > BLOCK:
        count = BLOCK
    plan[COUNT] = count
    for k in range(arrays):
        array = array_of(plan, k)
        kind = array[KIND]
        itemsize = array[ITEMSIZE]
        if kind == DIRECT:
            task[2 * k] = array[POINTER] + done * itemsize
        elif kind == REPEATED:
            if array[REPEATED_FROM] != array[POINTER]:
                array[REPEATED_FROM] = array[POINTER]
                move(array[BUFFER], itemsize, array[POINTER], 0, plan[REPEAT], itemsize)
        elif k < inputs:
            stride = array[ARRAY_HEAD + inner]
            move(array[BUFFER], itemsize, array[POINTER] + done * stride, stride, count, itemsize)
    return count


def separate(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """What an operator that writes `self` element by element may read in place of `other`.

    That is `other` itself where the two have no memory in common, or are one: an element is read before it is written.
    Otherwise it is a copy.
    """
    if self.numel == 0 or other.numel == 0 or not may_overlap(self, other):
        tensor_retain(other)
        return other
    same = self.data == other.data and self.dtype == other.dtype and self.ndim == other.ndim
    if same:
        for d in range(i64(self.ndim)):
            if sizes_of(self)[d] != sizes_of(other)[d]:
                same = False
            if sizes_of(self)[d] > 1 and strides_of(self)[d] != strides_of(other)[d]:
                same = False
    if same:
        tensor_retain(other)
        return other
    return clone(other)
