"""Tier 3: shapes of fused groups, and the order in which they visit tensors of any layout. See `tscript.abi.rows`.

Dimensions are merged where all arrays allow it; the innermost one is walked by the group's own vector loop, the others
by an odometer. An array whose inner stride is one element is used where it lies; an input that repeats one element is
spread over a vector once a row; everything else (transposed, sliced with a step, reversed) passes through a buffer of
`BLOCK` elements, so the group's code never depends on strides.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.layout import MAX_ERROR_ARGS, MAX_TRACE
from tscript.abi.rows import (
    ARRAY_HEAD,
    ARRAYS,
    BLOCK,
    BLOCK_BYTES,
    BUFFER,
    BUFFERED,
    CAPACITY,
    COUNT,
    DELAY,
    DELAY_BLOCK,
    DELAYED,
    DIRECT,
    DONE,
    FIRST_MEMBER,
    GATHERED,
    HEAD,
    IN_ORDER,
    INPUTS,
    ITEMSIZE,
    KIND,
    LEFT,
    LINE,
    MEMBERS,
    MINOR,
    POINTER,
    RANK,
    REPEAT,
    REPEATED,
    REPEATED_FROM,
    SHARED_CELLS,
    SHARED_PLAN,
    SHARED_TASK,
    SHARED_TASK_CELLS,
    SHORT,
    TENSORS,
    TILE_ROWS,
    TILED,
    UNIT,
    WRITTEN,
)
from tscript.dialect import Ptr, Site, TensorImpl, address, b8, context, i64, pointer
from tscript.runtime.kernels.copy import clone, magnitude, may_overlap
from tscript.runtime.kernels.rows_delay import end_run, place_of_next, write_all, write_until
from tscript.runtime.kernels.rows_moves import empty_buffer, fill_buffer, move
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of, strides_of, tensor_retain


def shape_of(plan: Ptr[i64], k: i64) -> Ptr[i64]:
    """The shape of a tensor or a member: its rank, then its sizes, aligned to the right in as many cells as the plan's
    `CAPACITY` says."""
    return plan + (HEAD + 2 * plan[CAPACITY] + k * (1 + plan[CAPACITY]))


def array_of(program: Ptr[i64], plan: Ptr[i64], k: i64) -> Ptr[i64]:
    """The cells of array `k`."""
    return shape_of(plan, program[TENSORS] + program[MEMBERS]) + k * (ARRAY_HEAD + plan[CAPACITY])


def raise_with(n: i64) -> None:
    """Prepare the context for an error with `n` ints as arguments."""
    ctx = context()
    ctx.nargs = n
    ctx.kinds = 0
    ctx.ntrace = 1


def broadcast_shape(capacity: i64, to: Ptr[i64], other: Ptr[i64]) -> b8:
    """Widen the shape `to` to the broadcast of both. Returns False when they do not go together, with the sizes and the
    dimension as arguments of the error."""
    if other[0] > to[0]:
        to[0] = other[0]
    rank = to[0]
    for k in range(rank):
        i = capacity - k
        a = to[i]
        b = other[i]
        if a == 1:
            to[i] = b
        elif b != 1 and a != b:
            ctx = context()
            ctx.args[0] = a
            ctx.args[1] = b
            ctx.args[2] = rank - 1 - k
            raise_with(3)
            return False
    return True


def broadcast_members(program: Ptr[i64], plan: Ptr[i64], tensors: Ptr[Ptr[TensorImpl]]) -> i64:
    """Compute the shape of every member and of the group, which becomes the sizes of the plan.

    Returns -1, or, if shapes do not match, the number of the member, or the number of members if the tensor that the
    last one writes in place has another shape than its operands broadcast to. The context then has the arguments of the
    error.
    """
    capacity = plan[CAPACITY]
    count = program[TENSORS]
    for t in range(count):
        shape = shape_of(plan, t)
        rank = i64(tensors[t].ndim)
        shape[0] = rank
        for i in range(capacity):
            d = i - (capacity - rank)
            shape[1 + i] = 1
            if d >= 0:
                shape[1 + i] = sizes_of(tensors[t])[d]
    at = program + FIRST_MEMBER
    for m in range(program[MEMBERS]):
        shape = shape_of(plan, count + m)
        shape[0] = 0
        for i in range(capacity):
            shape[1 + i] = 1
        for k in range(at[0]):
            if not broadcast_shape(capacity, shape, shape_of(plan, at[1 + k])):
                return m
        at = at + (1 + at[0])
    # Only now: a member whose operands do not go together is the one to name.
    plan[DELAY] = 0
    plan[IN_ORDER] = 0
    whole = plan + RANK
    whole[0] = 0
    for i in range(capacity):
        whole[1 + i] = 1
    for m in range(program[MEMBERS]):
        if not broadcast_shape(capacity, whole, shape_of(plan, count + m)):
            return m
    if program[WRITTEN] >= 0:
        own = shape_of(plan, program[WRITTEN])
        found = shape_of(plan, count + program[MEMBERS] - 1)
        same = own[0] == found[0]
        for i in range(capacity):
            if own[1 + i] != found[1 + i]:
                same = False
        if not same:
            n = own[0] + found[0]
            if n > MAX_ERROR_ARGS:
                n = 0
            ctx = context()
            if n > 0:
                for i in range(own[0]):
                    ctx.args[i] = own[1 + capacity - own[0] + i]
                for i in range(found[0]):
                    ctx.args[own[0] + i] = found[1 + capacity - found[0] + i]
            raise_with(n)
            return program[MEMBERS]
    return -1


def order_dimensions(program: Ptr[i64], plan: Ptr[i64]) -> None:
    """Sort the dimensions by falling stride of the first output: an in-place result is written as it lies in memory."""
    rank = plan[CAPACITY]
    arrays = program[ARRAYS]
    sizes = plan + HEAD
    leading = array_of(program, plan, program[INPUTS]) + ARRAY_HEAD
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
                        strides = array_of(program, plan, k) + ARRAY_HEAD
                        stride = strides[at]
                        strides[at] = strides[at - 1]
                        strides[at - 1] = stride
                    at = at - 1
                    moving = True


def merge_dimensions(program: Ptr[i64], plan: Ptr[i64]) -> i64:
    """Drop dimensions of size 1 and merge neighbours that are one run in every array.

    Returns how many are left, at least one.
    """
    arrays = program[ARRAYS]
    sizes = plan + HEAD
    rank = 0
    for d in range(plan[CAPACITY]):
        if sizes[d] != 1:
            merged = rank > 0
            if merged:
                for k in range(arrays):
                    strides = array_of(program, plan, k) + ARRAY_HEAD
                    if strides[rank - 1] != strides[d] * sizes[d]:
                        merged = False
            if merged:
                sizes[rank - 1] = sizes[rank - 1] * sizes[d]
            else:
                sizes[rank] = sizes[d]
                rank = rank + 1
            for k in range(arrays):
                strides = array_of(program, plan, k) + ARRAY_HEAD
                strides[rank - 1] = strides[d]
    if rank == 0:
        for k in range(arrays):
            array = array_of(program, plan, k)
            array[ARRAY_HEAD] = array[ITEMSIZE]
        rank = 1
    return rank


def rows_begin(
    program: Ptr[i64], plan: Ptr[i64], tensors: Ptr[Ptr[TensorImpl]], task: Ptr[i64], buffers: Ptr[i64]
) -> None:
    """Prepare the walk: order and merge dimensions, choose how each array is reached. Long work lets other threads run.

    Args:
        plan: With the sizes that `broadcast_members` has set.
        tensors: The arrays.
        task: Its masks are set here.
        buffers: `BLOCK_BYTES` for each array.
    """
    capacity = plan[CAPACITY]
    numel = 1
    for d in range(capacity):
        numel = numel * plan[HEAD + d]
    plan[DONE] = 0
    plan[COUNT] = 0
    plan[LEFT] = numel
    plan[BUFFERED] = 0
    if numel == 0:
        return
    plan[COUNT] = -1
    for k in range(program[ARRAYS]):
        t = tensors[k]
        array = array_of(program, plan, k)
        itemsize = itemsize_of(t.dtype)
        array[POINTER] = address(t.data)
        array[ITEMSIZE] = itemsize
        array[BUFFER] = address(buffers) + k * BLOCK_BYTES
        array[REPEATED_FROM] = 0
        rank = i64(t.ndim)
        for d in range(capacity):
            own = d - (capacity - rank)
            stride = 0
            if own >= 0:
                if sizes_of(t)[own] != 1:
                    stride = strides_of(t)[own] * itemsize
            array[ARRAY_HEAD + d] = stride
    order_dimensions(program, plan)
    rank = merge_dimensions(program, plan)
    plan[RANK] = rank
    plan[MINOR] = 0
    plan[TILED] = 0
    short = plan[HEAD + rank - 1]
    if rank > 1 and short <= SHORT:
        plan[MINOR] = short
    for k in range(program[ARRAYS]):
        array = array_of(program, plan, k)
        stride = array[ARRAY_HEAD + rank - 1]
        even = True
        if plan[MINOR] != 0:
            even = array[ARRAY_HEAD + rank - 2] == stride * short
        task[2 * k] = array[BUFFER]
        task[2 * k + 1] = -1
        if stride == array[ITEMSIZE] and even:
            array[KIND] = DIRECT
        elif stride == 0 and even and k < program[INPUTS]:
            array[KIND] = REPEATED
            task[2 * k + 1] = 0
        else:
            array[KIND] = GATHERED
            plan[BUFFERED] = 1
            if rank > 1 and plan[MINOR] == 0 and plan[DELAY] == 0 and plan[IN_ORDER] == 0:
                if magnitude(stride) >= LINE and magnitude(array[ARRAY_HEAD + rank - 2]) < LINE:
                    plan[TILED] = 1
    if plan[DELAY] != 0:
        array_of(program, plan, program[ARRAYS] - 1)[KIND] = DELAYED
    index = plan + (HEAD + capacity)
    for d in range(rank):
        index[d] = 0
    begin_work(numel)


def next_row(program: Ptr[i64], plan: Ptr[i64], inner: i64) -> None:
    """Move to the next row along the dimensions before `inner`; behind the last one comes the first."""
    arrays = program[ARRAYS]
    sizes = plan + HEAD
    index = sizes + plan[CAPACITY]
    d = inner - 1
    while d >= 0:
        index[d] = index[d] + 1
        if index[d] < sizes[d]:
            for k in range(arrays):
                array = array_of(program, plan, k)
                array[POINTER] = array[POINTER] + array[ARRAY_HEAD + d]
            return
        index[d] = 0
        for k in range(arrays):
            array = array_of(program, plan, k)
            array[POINTER] = array[POINTER] - (sizes[d] - 1) * array[ARRAY_HEAD + d]
        d = d - 1


def rows_parts(plan: Ptr[i64]) -> i64:
    """Into how many units the walk may be divided: 0 if it may not."""
    if plan[COUNT] == 0 or plan[DELAY] != 0 or plan[IN_ORDER] != 0:
        return 0
    if plan[TILED] != 0:
        return (plan[HEAD + plan[RANK] - 2] + TILE_ROWS - 1) // TILE_ROWS
    unit = unit_of(plan)
    return (plan[LEFT] + unit - 1) // unit


def unit_of(plan: Ptr[i64]) -> i64:
    """Elements of a unit: whole short rows."""
    if plan[MINOR] == 0:
        return UNIT
    return UNIT // plan[MINOR] * plan[MINOR]


def rows_enter(
    program: Ptr[i64],
    shared: Ptr[i64],
    plan: Ptr[i64],
    task: Ptr[i64],
    buffers: Ptr[i64],
    begin: i64,
    end: i64,
) -> None:
    """Prepare the walk over a range of units.

    Args:
        plan, task, buffers: Own ones.
    """
    for i in range(shared[SHARED_CELLS]):
        plan[i] = pointer(shared[SHARED_PLAN], i64)[i]
    for i in range(shared[SHARED_TASK_CELLS]):
        task[i] = pointer(shared[SHARED_TASK], i64)[i]
    for k in range(program[ARRAYS]):
        array = array_of(program, plan, k)
        array[BUFFER] = address(buffers) + k * BLOCK_BYTES
        array[REPEATED_FROM] = 0
        task[2 * k] = array[BUFFER]
    sizes = plan + HEAD
    inner = plan[RANK] - 1
    if plan[TILED] != 0:
        d = inner - 1
        first = begin * TILE_ROWS
        stop = end * TILE_ROWS
        if stop > sizes[d]:
            stop = sizes[d]
        plan[LEFT] = plan[LEFT] // sizes[d] * (stop - first)
        sizes[d] = stop - first
        for k in range(program[ARRAYS]):
            array = array_of(program, plan, k)
            array[POINTER] = array[POINTER] + first * array[ARRAY_HEAD + d]
        return
    unit = unit_of(plan)
    first = begin * unit
    if end * unit < plan[LEFT]:
        plan[LEFT] = end * unit
    plan[LEFT] = plan[LEFT] - first
    index = sizes + plan[CAPACITY]
    length = sizes[inner]
    if plan[MINOR] != 0:
        inner = inner - 1
        length = sizes[inner] * plan[MINOR]
    plan[DONE] = first % length
    row = first // length
    d = inner - 1
    while d >= 0:
        index[d] = row % sizes[d]
        row = row // sizes[d]
        for k in range(program[ARRAYS]):
            array = array_of(program, plan, k)
            array[POINTER] = array[POINTER] + index[d] * array[ARRAY_HEAD + d]
        d = d - 1


def next_run(program: Ptr[i64], plan: Ptr[i64], inner: i64, length: i64) -> None:
    """Move behind the run before, which is finished, of rows of `length` elements. Behind the
    last one comes the first."""
    d = inner - 1
    if plan[TILED] == 0:
        plan[DONE] = plan[DONE] + plan[COUNT]
        if plan[DONE] < length:
            return
        plan[DONE] = 0
        next_row(program, plan, inner)
        return
    arrays = program[ARRAYS]
    sizes = plan + HEAD
    index = sizes + plan[CAPACITY]
    index[d] = index[d] + 1
    if index[d] < sizes[d]:
        for k in range(arrays):
            array = array_of(program, plan, k)
            array[POINTER] = array[POINTER] + array[ARRAY_HEAD + d]
        return
    index[d] = 0
    for k in range(arrays):
        array = array_of(program, plan, k)
        array[POINTER] = array[POINTER] - (sizes[d] - 1) * array[ARRAY_HEAD + d]
    plan[DONE] = plan[DONE] + plan[COUNT]
    if plan[DONE] < length:
        return
    plan[DONE] = 0
    next_row(program, plan, d)


def rows_next(program: Ptr[i64], plan: Ptr[i64], task: Ptr[i64]) -> i64:
    """Finish the run before (write buffered outputs), then set the task's addresses for the next one.

    Returns its number of elements; 0 at the end.
    """
    arrays = program[ARRAYS]
    inputs = program[INPUTS]
    count = plan[COUNT]
    if count == 0:
        return 0
    minor = plan[MINOR]
    inner = plan[RANK] - 1
    length = plan[HEAD + inner]
    limit = BLOCK
    if minor != 0:
        inner = inner - 1
        length = plan[HEAD + inner] * minor
        limit = BLOCK // minor * minor
    if count > 0:
        if plan[BUFFERED] != 0:
            for k in range(inputs, arrays):
                array = array_of(program, plan, k)
                if array[KIND] == GATHERED:
                    empty_buffer(plan, array, inner, count)
        last = array_of(program, plan, arrays - 1)
        if plan[DELAY] != 0:
            end_run(plan, last)
        next_run(program, plan, inner, length)
        plan[LEFT] = plan[LEFT] - count
        if plan[LEFT] == 0:
            plan[COUNT] = 0
            if plan[DELAY] != 0:
                write_all(plan, last, inner)
            return 0
    count = length - plan[DONE]
    if count > plan[LEFT]:
        count = plan[LEFT]
    if plan[BUFFERED] != 0 and count > limit:
        count = limit
    if plan[DELAY] != 0:
        if plan[BUFFERED] == 0 and minor == 0 and count > DELAY_BLOCK:
            count = DELAY_BLOCK
        last = array_of(program, plan, arrays - 1)
        write_until(plan, last, inner)
        task[2 * arrays - 2] = place_of_next(plan, last, count)
    plan[COUNT] = count
    for k in range(arrays):
        array = array_of(program, plan, k)
        kind = array[KIND]
        itemsize = array[ITEMSIZE]
        if kind == DIRECT:
            task[2 * k] = array[POINTER] + plan[DONE] * itemsize
        elif kind == REPEATED:
            if array[REPEATED_FROM] != array[POINTER]:
                array[REPEATED_FROM] = array[POINTER]
                move(array[BUFFER], itemsize, array[POINTER], 0, program[REPEAT], itemsize)
        elif k < inputs:
            fill_buffer(plan, array, inner, count)
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


def append_site(site: Ptr[Site]) -> None:
    """Add a place in scripted source to the trace of an error."""
    ctx = context()
    if ctx.ntrace < MAX_TRACE:
        ctx.trace[ctx.ntrace] = site
        ctx.ntrace = ctx.ntrace + 1
