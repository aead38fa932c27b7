"""Tier 3: elements moved to and from the positions that an index chooses; see `index_plan`."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK, TENSOR_CONTIGUOUS
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    Void,
    address,
    b8,
    bf16,
    c64,
    c128,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    memcpy,
    pointer_cast,
    select,
    stack,
    text,
    u8,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.convert import convert_elements, fill_contiguous
from tscript.runtime.kernels.copy import copy_alone, lay_out, may_overlap, row_major
from tscript.runtime.kernels.index_plan import (
    BASE,
    CELLS,
    CHOOSER,
    CHOOSERS,
    COUNT,
    FIRST,
    KEPT,
    KEPT_SIZES,
    KEPT_STRIDES,
    KIND,
    MASK,
    ROOM,
    RUNTIME_ERROR,
    TENSOR,
    WIDE,
    WIDE_SIZES,
    drop_masks,
    list_masks,
    make_plan,
    offsets,
    raise_bad,
    raise_shapes,
)
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.shapes import bump_version, check_distinct
from tscript.runtime.kernels.tensor import (
    begin_work,
    count_elements,
    finish_layout,
    is_complex,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_release,
    tensor_retain,
    view_of,
)
from tscript.runtime.kernels.views_slice import select as select_

BLOCK = 512
"""Positions whose offsets are in a buffer at once."""

READ = 0
WRITE = 1
ADD = 2
MULTIPLY = 3
LEAST = 4
MOST = 5
"""What is done with elements: read, written, or combined with what is there."""


def move_items(chosen: Ptr[T], row: Ptr[T], places: Ptr[i64], n: i64, step: i64, action: i64) -> None:
    """Single elements, from or to `row`, whose elements are `step` apart."""
    if action == READ:
        for k in range(n):
            row[k] = chosen[places[k]]
    elif step == 1:
        for k in range(n):
            chosen[places[k]] = row[k]
    else:
        value = row[0]
        for k in range(n):
            chosen[places[k]] = value


def move_rows(chosen: Ptr[T], row: Ptr[T], places: Ptr[i64], n: i64, length: i64, step: i64, action: i64) -> None:
    """Short rows of contiguous elements; `step` is 0 where all that is written is one element."""
    for k in range(n):
        there = chosen + places[k]
        if action == READ:
            here = row + k * length
            for i in range(length):
                here[i] = there[i]
        elif step == 1:
            here = row + k * length
            for i in range(length):
                there[i] = here[i]
        else:
            value = row[0]
            for i in range(length):
                there[i] = value


def move_block(
    chosen: Ptr[u8],
    row: Ptr[u8],
    places: Ptr[i64],
    n: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    dims: i64,
    slab: i64,
    itemsize: i64,
    step: i64,
    action: i64,
) -> None:
    """The parts of some positions.

    Args:
        sizes, strides, dims, slab: Of the part of one position, whose elements lie in `row` without gaps.
    """
    if itemsize <= 8 and (slab == 1 or (dims == 1 and strides[0] == 1 and slab * itemsize <= 256)):
        length = slab
        if itemsize == 4:
            if length == 1:
                move_items(pointer_cast(chosen, i32), pointer_cast(row, i32), places, n, step, action)
            else:
                move_rows(pointer_cast(chosen, i32), pointer_cast(row, i32), places, n, length, step, action)
        elif itemsize == 8:
            if length == 1:
                move_items(pointer_cast(chosen, i64), pointer_cast(row, i64), places, n, step, action)
            else:
                move_rows(pointer_cast(chosen, i64), pointer_cast(row, i64), places, n, length, step, action)
        elif itemsize == 1:
            if length == 1:
                move_items(pointer_cast(chosen, i8), pointer_cast(row, i8), places, n, step, action)
            else:
                move_rows(pointer_cast(chosen, i8), pointer_cast(row, i8), places, n, length, step, action)
        elif itemsize == 2:
            if length == 1:
                move_items(pointer_cast(chosen, i16), pointer_cast(row, i16), places, n, step, action)
            else:
                move_rows(pointer_cast(chosen, i16), pointer_cast(row, i16), places, n, length, step, action)
        return
    own = stack(MAX_RANK, i64)
    row_major(dims, sizes, own)
    for d in range(dims):
        own[d] = own[d] * step
    for k in range(n):
        there = chosen + places[k] * itemsize
        here = row + k * slab * step * itemsize
        if action == READ:
            if dims == 1 and strides[0] == 1:
                memcpy(here, there, slab * itemsize)
            else:
                copy_alone(here, own, there, strides, sizes, dims, itemsize)
        elif dims == 1 and strides[0] == 1 and step == 1:
            memcpy(there, here, slab * itemsize)
        else:
            copy_alone(there, strides, here, own, sizes, dims, itemsize)


def combined(old: T, new: T, action: i64) -> T:
    """What becomes of an element."""
    if action == ADD:
        return old + new
    if action == MULTIPLY:
        return old * new
    if action == LEAST:
        return select((new < old) | (new != new), new, old)
    return select((new > old) | (new != new), new, old)


def combine_rows(
    chosen: Ptr[T],
    row: Ptr[T],
    places: Ptr[i64],
    n: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    dims: i64,
    slab: i64,
    step: i64,
    action: i64,
) -> None:
    """The parts of some positions, one after the other: a position may come several times."""
    if slab == 1:
        if action == ADD and step == 1:
            for k in range(n):
                chosen[places[k]] = chosen[places[k]] + row[k]
        else:
            for k in range(n):
                chosen[places[k]] = combined(chosen[places[k]], row[k * step], action)
        return
    counters = stack(MAX_RANK, i64)
    length = sizes[dims - 1]
    stride = strides[dims - 1]
    for d in range(dims):
        counters[d] = 0
    for k in range(n):
        there = chosen + places[k]
        here = row + k * slab * step
        done = 0
        while done < slab:
            if stride == 1 and step == 1 and action == ADD:
                for i in range(length):
                    there[i] = there[i] + here[i]
            else:
                for i in range(length):
                    there[i * stride] = combined(there[i * stride], here[i * step], action)
            here = here + length * step
            done = done + length
            d = dims - 2
            while d >= 0:
                counters[d] = counters[d] + 1
                there = there + strides[d]
                if counters[d] < sizes[d]:
                    break
                counters[d] = 0
                there = there + -(strides[d] * sizes[d])
                d = d - 1


def item_offset(item: i64, sizes: Ptr[i64], strides: Ptr[i64], dims: i64) -> i64:
    """Where an item of a part lies, in elements behind its first one."""
    offset = 0
    rest = item
    d = dims - 1
    while d >= 0:
        offset = offset + rest % sizes[d] * strides[d]
        rest = rest // sizes[d]
        d = d - 1
    return offset


def add_rows(
    chosen: Ptr[T],
    row: Ptr[T],
    places: Ptr[i64],
    n: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    dims: i64,
    slab: i64,
    step: i64,
    action: i64,
) -> None:
    """`combine_rows` of numbers that have no order."""
    for k in range(n):
        for item in range(slab):
            there = chosen + (places[k] + item_offset(item, sizes, strides, dims))
            new = row[(k * slab + item) * step]
            if action == ADD:
                there[0] = there[0] + new
            else:
                there[0] = there[0] * new


def combine_halves(
    chosen: Ptr[T],
    row: Ptr[T],
    places: Ptr[i64],
    n: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    dims: i64,
    slab: i64,
    step: i64,
    action: i64,
) -> None:
    """`combine_rows` of floats of 16 bits: each sum, product or comparison is that of float32, rounded."""
    for k in range(n):
        for item in range(slab):
            there = chosen + (places[k] + item_offset(item, sizes, strides, dims))
            there[0] = T(combined(f32(there[0]), f32(row[(k * slab + item) * step]), action))


def check_combined(code: i32, action: i64) -> None:
    """Raise RuntimeError for what is not done with a dtype, and for what is no way to write: an archive may say so."""
    if action < WRITE or action > MOST:
        raise RuntimeError("there is no action {0} at indices", action)
    is_wide = (code == codes.UINT16) | (code == codes.UINT32) | (code == codes.UINT64)
    if (action >= LEAST) & is_complex(code):
        raise RuntimeError("complex numbers have no order: they are not compared at indices")
    if (action >= LEAST) & is_wide:
        raise RuntimeError("elements of this dtype are not compared at indices: convert them to int64")


def combine_block(
    chosen: Ptr[u8],
    row: Ptr[u8],
    code: i32,
    places: Ptr[i64],
    n: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    dims: i64,
    slab: i64,
    step: i64,
    action: i64,
) -> None:
    """`combine_rows` of a dtype that `check_combined` lets through; the sum of bools is whether one is true."""
    if code == codes.FLOAT32:
        a = pointer_cast(chosen, f32)
        combine_rows(a, pointer_cast(row, f32), places, n, sizes, strides, dims, slab, step, action)
    elif code == codes.FLOAT64:
        b = pointer_cast(chosen, f64)
        combine_rows(b, pointer_cast(row, f64), places, n, sizes, strides, dims, slab, step, action)
    elif code == codes.COMPLEX64:
        add_rows(pointer_cast(chosen, c64), pointer_cast(row, c64), places, n, sizes, strides, dims, slab, step, action)
    elif code == codes.COMPLEX128:
        add_rows(
            pointer_cast(chosen, c128), pointer_cast(row, c128), places, n, sizes, strides, dims, slab, step, action
        )
    elif code == codes.FLOAT16:
        g = pointer_cast(chosen, f16)
        combine_halves(g, pointer_cast(row, f16), places, n, sizes, strides, dims, slab, step, action)
    elif code == codes.BFLOAT16:
        h = pointer_cast(chosen, bf16)
        combine_halves(h, pointer_cast(row, bf16), places, n, sizes, strides, dims, slab, step, action)
    elif (code == codes.INT64) | (code == codes.UINT64):
        c = pointer_cast(chosen, i64)
        combine_rows(c, pointer_cast(row, i64), places, n, sizes, strides, dims, slab, step, action)
    elif (code == codes.INT32) | (code == codes.UINT32):
        d = pointer_cast(chosen, i32)
        combine_rows(d, pointer_cast(row, i32), places, n, sizes, strides, dims, slab, step, action)
    elif (code == codes.INT16) | (code == codes.UINT16):
        e = pointer_cast(chosen, i16)
        combine_rows(e, pointer_cast(row, i16), places, n, sizes, strides, dims, slab, step, action)
    elif code == codes.INT8:
        f = pointer_cast(chosen, i8)
        combine_rows(f, pointer_cast(row, i8), places, n, sizes, strides, dims, slab, step, action)
    else:
        way = action
        if code == codes.BOOL:
            way = select((action == ADD) | (action == MOST), i64(MOST), i64(LEAST))
        combine_rows(chosen, row, places, n, sizes, strides, dims, slab, step, way)


def move(plan: Ptr[i64], choosers: Ptr[i64], chosen: Ptr[u8], row: Ptr[u8], code: i32, step: i64, action: i64) -> i64:
    """All that an index chooses, from or to memory without gaps; 0 when an index is out of range, see `raise_bad`."""
    places = stack(BLOCK, i64)
    sizes = stack(MAX_RANK, i64)
    strides = stack(MAX_RANK, i64)
    counters = stack(MAX_RANK, i64)
    dims = plan[KEPT] - plan[FIRST]
    slab = 1
    for d in range(dims):
        sizes[d] = plan[KEPT_SIZES + plan[FIRST] + d]
        strides[d] = plan[KEPT_STRIDES + plan[FIRST] + d]
        slab = slab * sizes[d]
    leads = 1
    for d in range(plan[FIRST]):
        leads = leads * plan[KEPT_SIZES + d]
        counters[d] = 0
    count = plan[COUNT]
    itemsize = itemsize_of(code)
    if slab > 1:
        own = stack(MAX_RANK, i64)
        row_major(dims, sizes, own)
        dims = lay_out(dims, sizes, own, strides)
        # `lay_out` sorts dimensions by the first strides: these stay in row-major order.
    unit = itemsize
    wide = 1
    if itemsize == 16 and action < ADD and step == 1:
        # Elements of 16 bytes are rows of two.
        unit = 8
        wide = 2
        if slab == 1:
            dims = 0
        for d in range(dims):
            strides[d] = strides[d] * 2
        if dims == 1 and strides[0] == 2 and step == 1:
            strides[0] = 1
            sizes[0] = sizes[0] * 2
        else:
            sizes[dims] = 2
            strides[dims] = 1
            dims = dims + 1
        slab = slab * 2
    begin = 0
    while begin < count:
        n = count - begin
        if n > BLOCK:
            n = BLOCK
        if not offsets(plan, choosers, begin, n, places):
            return 0
        if wide == 2:
            for k in range(n):
                places[k] = places[k] * 2
        lead = 0
        for r in range(leads):
            at = (r * count + begin) * slab * step
            there = chosen + lead * itemsize
            if action >= ADD and slab > 0:
                combine_block(there, row + at * unit, code, places, n, sizes, strides, dims, slab, step, action)
            elif slab > 0:
                move_block(
                    there,
                    row + at * unit,
                    places,
                    n,
                    sizes,
                    strides,
                    dims,
                    slab,
                    unit,
                    step,
                    action,
                )
            d = plan[FIRST] - 1
            while d >= 0:
                counters[d] = counters[d] + 1
                lead = lead + plan[KEPT_STRIDES + d]
                if counters[d] < plan[KEPT_SIZES + d]:
                    break
                counters[d] = 0
                lead = lead - plan[KEPT_STRIDES + d] * plan[KEPT_SIZES + d]
                d = d - 1
        begin = begin + n
    return 1


def result_sizes(plan: Ptr[i64], to: Ptr[i64]) -> i64:
    """The sizes of the result of an index, and how many there are."""
    n = 0
    for d in range(plan[FIRST]):
        to[n] = plan[KEPT_SIZES + d]
        n = n + 1
    for d in range(plan[WIDE]):
        to[n] = plan[WIDE_SIZES + d]
        n = n + 1
    for d in range(plan[FIRST], plan[KEPT]):
        to[n] = plan[KEPT_SIZES + d]
        n = n + 1
    return n


def index_read(
    self: Ptr[TensorImpl], layout: i64, numbers: Ptr[i64], count: i64, tensors: Ptr[Ptr[TensorImpl]], n: i64
) -> Ptr[TensorImpl]:
    """``x[index]``: a copy of what masks and index tensors choose. An index without any gives a view.

    Args:
        layout, numbers, tensors: See `index_plan.make_plan`.

    Raises IndexError, ValueError as `index_plan.make_plan` does, and IndexError for an index out of range.
    """
    plan = stack(CELLS, i64)
    choosers = stack(ROOM, i64)
    make_plan(plan, choosers, self, layout, numbers, tensors, n)
    sizes = stack(2 * MAX_RANK, i64)
    itemsize = itemsize_of(self.dtype)
    if plan[CHOOSERS] == 0:
        v = view_of(self, plan[KEPT])
        for d in range(plan[KEPT]):
            sizes_of(v)[d] = plan[KEPT_SIZES + d]
            (sizes_of(v) + plan[KEPT])[d] = plan[KEPT_STRIDES + d]
        v.data = self.data + plan[BASE] * itemsize
        finish_layout(v)
        return v
    ndim = result_sizes(plan, sizes)
    out = tensor_alloc(self.dtype, ndim, sizes)
    if not list_masks(plan, choosers, self):
        tensor_release(out)
        refuse(self.numel)
    begin_work(out.numel)
    found = move(plan, choosers, self.data, out.data, self.dtype, 1, READ)
    drop_masks(plan)
    if found == 0:
        tensor_release(out)
        raise_bad(plan)
    return out


def broadcast_value(value: Ptr[TensorImpl], sizes: Ptr[i64], ndim: i64, strides: Ptr[i64]) -> None:
    """The strides that repeat a value to a shape; its leading dimensions of size 1 go.

    Raises RuntimeError when it does not fit."""
    other = i64(value.ndim)
    own = sizes_of(value)
    for i in range(ndim):
        strides[i] = 0
    for k in range(other):
        i = ndim - other + k
        fits = own[k] == 1
        if i >= 0:
            if own[k] == sizes[i]:
                fits = True
                strides[i] = strides_of(value)[k]
        if not fits:
            raise_shapes(
                RUNTIME_ERROR,
                text("shape mismatch: value tensor of shape "),
                own,
                other,
                text(" cannot be broadcast to indexing result of shape "),
                sizes,
                ndim,
                text(""),
            )


def row_of(
    value: Ptr[TensorImpl],
    code: i32,
    sizes: Ptr[i64],
    ndim: i64,
    strides: Ptr[i64],
    total: i64,
    apart: b8,
    made: Ptr[i64],
) -> Ptr[u8]:
    """The elements of a value, broadcast and converted, without gaps; one of them if all are one.

    Args:
        strides: What `broadcast_value` gave.
        apart: Whether its memory can be read while the target is written.
        made: Set to the bytes of the buffer that was made, 0 for none, -1 when there is no memory for it.
    """
    made[0] = 0
    same = value.dtype == code and apart
    if value.numel == 1:
        if same:
            return value.data
        made[0] = itemsize_of(code)
        one = heap_try_allocate(made[0])
        if address(one) == 0:
            made[0] = -1
            return value.data
        sizes = stack(1, i64)
        zero = stack(1, i64)
        sizes[0] = 1
        zero[0] = 0
        convert_elements(pointer_cast(one, u8), code, zero, value.data, value.dtype, zero, sizes, 1)
        return pointer_cast(one, u8)
    if same and value.numel == total and value.flags & TENSOR_CONTIGUOUS != 0:
        return value.data
    made[0] = total * itemsize_of(code)
    buffer = heap_try_allocate(made[0])
    if address(buffer) == 0:
        made[0] = -1
        return value.data
    own = stack(2 * MAX_RANK, i64)
    row_major(ndim, sizes, own)
    convert_elements(pointer_cast(buffer, u8), code, own, value.data, value.dtype, strides, sizes, ndim)
    return pointer_cast(buffer, u8)


def index_write(
    self: Ptr[TensorImpl],
    value: Ptr[TensorImpl],
    layout: i64,
    numbers: Ptr[i64],
    count: i64,
    tensors: Ptr[Ptr[TensorImpl]],
    n: i64,
    action: i64,
) -> Ptr[TensorImpl]:
    """``x[index] = value``: the value is broadcast and converted. Returns `self`.

    Args:
        layout, numbers, tensors: See `index_plan.make_plan`.
        action: `WRITE`, or how to combine it with what is there.

    Raises what `index_read` raises, and RuntimeError for a value of another shape, or if `self` may not be written.
    Then nothing has been written.
    """
    check_distinct(self)
    check_combined(self.dtype, action)
    plan = stack(CELLS, i64)
    choosers = stack(ROOM, i64)
    make_plan(plan, choosers, self, layout, numbers, tensors, n)
    sizes = stack(2 * MAX_RANK, i64)
    strides = stack(2 * MAX_RANK, i64)
    if value.dtype != self.dtype and plan[CHOOSERS] > 0 and (value.numel != 1 or not are_masks(plan, choosers)):
        raise RuntimeError(
            "Index put requires the source and destination dtypes match: convert the values with .to(x.dtype)"
        )
    ndim = result_sizes(plan, sizes)
    total = count_elements(ndim, sizes)
    broadcast_value(value, sizes, ndim, strides)
    apart = self.numel == 0 or value.numel == 0 or not may_overlap(self, value)
    if not list_masks(plan, choosers, self):
        refuse(self.numel)
    found = check_choice(plan, choosers)
    if found != 0 and total != 0:
        made = stack(1, i64)
        row = row_of(value, self.dtype, sizes, ndim, strides, total, apart, made)
        if made[0] < 0:
            drop_masks(plan)
            refuse(total * itemsize_of(self.dtype))
        begin_work(total)
        move(plan, choosers, self.data, row, self.dtype, i64(value.numel != 1), action)
        if made[0] > 0:
            heap_free(pointer_cast(row, Void), made[0])
        bump_version(self)
    drop_masks(plan)
    if found == 0:
        raise_bad(plan)
    tensor_retain(self)
    return self


def are_masks(plan: Ptr[i64], choosers: Ptr[i64]) -> b8:
    """Whether all choosers are masks."""
    found = True
    for j in range(plan[CHOOSERS]):
        kind = choosers[j * CHOOSER + KIND]
        found = found and kind == MASK
    return found


def check_choice(plan: Ptr[i64], choosers: Ptr[i64]) -> i64:
    """0 when an index is out of range, see `raise_bad`."""
    places = stack(BLOCK, i64)
    begin = 0
    while begin < plan[COUNT]:
        n = plan[COUNT] - begin
        if n > BLOCK:
            n = BLOCK
        if not offsets(plan, choosers, begin, n, places):
            return 0
        begin = begin + n
    return 1


def index_fill(
    self: Ptr[TensorImpl],
    value: f64,
    whole: i64,
    layout: i64,
    numbers: Ptr[i64],
    count: i64,
    tensors: Ptr[Ptr[TensorImpl]],
    n: i64,
) -> Ptr[TensorImpl]:
    """``x[index] = value`` of a number. Returns `self`.

    Args:
        value: For floats and bools.
        whole: The same number for integers.
        layout, numbers, tensors: See `index_plan.make_plan`.

    Raises what `index_read` raises, and RuntimeError if `self` may not be written. Then nothing has been written.
    """
    check_distinct(self)
    plan = stack(CELLS, i64)
    choosers = stack(ROOM, i64)
    make_plan(plan, choosers, self, layout, numbers, tensors, n)
    if not list_masks(plan, choosers, self):
        refuse(self.numel)
    found = check_choice(plan, choosers)
    if found != 0:
        element = stack(2, i64)
        element[0] = 0
        element[1] = 0
        row = pointer_cast(element, u8)
        fill_contiguous(row, self.dtype, value, whole, 1)
        begin_work(plan[COUNT])
        move(plan, choosers, self.data, row, self.dtype, 0, WRITE)
        bump_version(self)
    drop_masks(plan)
    if found == 0:
        raise_bad(plan)
    tensor_retain(self)
    return self


def row(self: Ptr[TensorImpl], index: i64) -> Ptr[TensorImpl]:
    """``x[index]`` of an int: a view.

    Raises IndexError when it is out of range.
    """
    return select_(self, 0, index)


def index_one(self: Ptr[TensorImpl], index: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """``x[index]`` of one mask or index tensor; see `index_read`."""
    tensors = stack(1, Ptr[TensorImpl])
    numbers = stack(1, i64)
    tensors[0] = index
    return index_read(self, TENSOR, numbers, 0, tensors, 1)


def index_one_write(self: Ptr[TensorImpl], index: Ptr[TensorImpl], value: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """``x[index] = value`` of one mask or index tensor; see `index_write`."""
    tensors = stack(1, Ptr[TensorImpl])
    numbers = stack(1, i64)
    tensors[0] = index
    return index_write(self, value, TENSOR, numbers, 0, tensors, 1, WRITE)


def index_one_fill(self: Ptr[TensorImpl], index: Ptr[TensorImpl], value: f64, whole: i64) -> Ptr[TensorImpl]:
    """``x[index] = value`` of one mask or index tensor, and a number; see `index_fill`."""
    tensors = stack(1, Ptr[TensorImpl])
    numbers = stack(1, i64)
    tensors[0] = index
    return index_fill(self, value, whole, TENSOR, numbers, 0, tensors, 1)
