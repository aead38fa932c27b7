"""Tier 3: what an index of a tensor with masks and index tensors means: which elements, in which order.

An index comes as a layout, three bits for each part, the first part lowest: `AT` an int, `PART` a slice (start, end and
step), `NEW` None, `REST` ``...``, `TENSOR` a mask or an index tensor, `WHOLE` ``:``, `FLAG` a bool. `numbers` are the
ints and bools of the parts from left to right.

`make_plan` reads it into cells: the dimensions that ints and slices leave, and the *choosers*, the masks and index
tensors. Together these choose positions of one broadcast shape. A mask is first made the offsets of its true elements.
`offsets` gives the offsets of the elements of some positions; what moves elements is in `index_moves`.
"""

from __future__ import annotations

from tscript.abi import exceptions
from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Object,
    Ptr,
    T,
    TensorImpl,
    Thrown,
    Void,
    address,
    b8,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
    u8,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.raising import with_argument
from tscript.runtime.kernels.tensor import check_rank, sizes_of, strides_of
from tscript.runtime.kernels.views_slice import clip_index
from tscript.runtime.kernels.writer import begin_writer, put_int, put_utf8, put_word, word, written

AT = 1
PART = 2
NEW = 3
REST = 4
TENSOR = 5
WHOLE = 6
FLAG = 7
"""Kinds of parts."""
BITS = 3

BASE = 0
KEPT = 1
CHOOSERS = 2
FIRST = 3
WIDE = 4
COUNT = 5
MERGED = 6
BUFFER = 7
BUFFER_BYTES = 8
BAD = 9
BAD_DIM = 10
BAD_SIZE = 11
KEPT_SIZES = 12
KEPT_STRIDES = KEPT_SIZES + MAX_RANK
WIDE_SIZES = KEPT_STRIDES + MAX_RANK
MERGED_SIZES = WIDE_SIZES + MAX_RANK
CELLS = MERGED_SIZES + MAX_RANK
"""Cells of a plan: the offset of the first element; how many dimensions are kept, and their sizes and strides; how
many choosers there are, how many of the kept dimensions come before them; the dimensions of their broadcast shape, its
sizes and the product of these; the same shape with as few dimensions as possible; the memory of the offsets of masks;
an index that is out of range, its dimension and the size of that."""

DATA = 0
KIND = 1
DIM = 2
SIZE = 3
STRIDE = 4
BEFORE = 5
TRUE = 6
SOURCE = 7
STEPS = 8
CHOOSER = STEPS + MAX_RANK
"""Cells of a chooser: the address of its ints, and which they are; the first dimension that it indexes, its size and
stride; how many kept dimensions come before it; how many elements of a mask are true; its tensor; the strides of the
ints in the merged shape."""

MOST_PARTS = 21
"""Parts that a layout has room for."""
ROOM = MOST_PARTS * CHOOSER
"""Cells of all choosers."""

INT32 = 1
INT64 = 2
MASK = 3
FLAGS = 4
"""Kinds of choosers: index tensors, a mask, one bool. Masks become `INT64` with stride 1, without bounds."""

INDEX_ERROR = exceptions.number_of("IndexError")
RUNTIME_ERROR = exceptions.number_of("RuntimeError")
OPEN = word("[")
COMMA = word(", ")
CLOSE = word("]")


def put_sizes(w: Ptr[i64], sizes: Ptr[i64], n: i64) -> None:
    """Write a shape as messages show it."""
    put_word(w, OPEN)
    for i in range(n):
        if i > 0:
            put_word(w, COMMA)
        put_int(w, sizes[i])
    put_word(w, CLOSE)


def raise_shapes(
    number: i64, first: Ptr[u8], a: Ptr[i64], na: i64, between: Ptr[u8], b: Ptr[i64], nb: i64, behind: Ptr[u8]
) -> None:
    """Raise the builtin exception of this number with a message of two shapes."""
    w = stack(4, i64)
    begin_writer(w)
    put_utf8(w, first)
    put_sizes(w, a, na)
    put_utf8(w, between)
    put_sizes(w, b, nb)
    put_utf8(w, behind)
    raise Thrown(with_argument(number, pointer_cast(written(w), Object)))


def is_mask(code: i32) -> b8:
    """Whether tensors of this dtype are masks."""
    return code == codes.BOOL or code == codes.UINT8


def dims_of(t: Ptr[TensorImpl]) -> i64:
    """How many dimensions a mask or an index tensor indexes."""
    if is_mask(t.dtype):
        return i64(t.ndim)
    return 1


def value_at(t: Ptr[TensorImpl], at: i64) -> i64:
    """An element of an int32 or int64 tensor."""
    if t.dtype == codes.INT32:
        return i64(pointer_cast(t.data, i32)[at])
    return pointer_cast(t.data, i64)[at]


def keep(plan: Ptr[i64], size: i64, stride: i64) -> None:
    """Note a dimension that the result has."""
    n = plan[KEPT]
    check_rank(n + 1)
    plan[KEPT_SIZES + n] = size
    plan[KEPT_STRIDES + n] = stride
    plan[KEPT] = n + 1


def take(plan: Ptr[i64], index: i64, dim: i64, size: i64, stride: i64) -> None:
    """Go to one index of a dimension. Raises IndexError when it is out of range."""
    if index < -size or index >= size:
        raise IndexError("index {0} is out of bounds for dimension {1} with size {2}", index, dim, size)
    at = index
    if at < 0:
        at = at + size
    plan[BASE] = plan[BASE] + at * stride


def choose(plan: Ptr[i64], choosers: Ptr[i64], t: Ptr[TensorImpl], kind: i64, dim: i64, size: i64, stride: i64) -> None:
    """Note a chooser."""
    c = choosers + plan[CHOOSERS] * CHOOSER
    c[DATA] = 0
    c[KIND] = kind
    c[DIM] = dim
    c[SIZE] = size
    c[STRIDE] = stride
    c[BEFORE] = plan[KEPT]
    c[TRUE] = 0
    c[SOURCE] = address(t)
    if (kind == INT32) | (kind == INT64):
        c[DATA] = address(t.data)
    plan[CHOOSERS] = plan[CHOOSERS] + 1


def check_mask(self: Ptr[TensorImpl], mask: Ptr[TensorImpl], dim: i64) -> None:
    """Raise IndexError unless the sizes of a mask are those of the dimensions from `dim` on."""
    for k in range(i64(mask.ndim)):
        if sizes_of(mask)[k] != sizes_of(self)[dim + k]:
            w = stack(4, i64)
            begin_writer(w)
            put_utf8(w, text("The shape of the mask "))
            put_sizes(w, sizes_of(mask), i64(mask.ndim))
            put_utf8(w, text(" at index "))
            put_int(w, k)
            put_utf8(w, text(" does not match the shape of the indexed tensor "))
            put_sizes(w, sizes_of(self), i64(self.ndim))
            put_utf8(w, text(" at index "))
            put_int(w, dim + k)
            raise Thrown(with_argument(INDEX_ERROR, pointer_cast(written(w), Object)))


def count_row(p: Ptr[u8], stride: i64, n: i64) -> i64:
    """How many of some bytes are not 0."""
    found = 0
    if stride == 1:
        for k in range(n):
            found = found + i64(p[k] != 0)
    else:
        for k in range(n):
            found = found + i64(p[k * stride] != 0)
    return found


def count_true(t: Ptr[TensorImpl]) -> i64:
    """How many elements of a mask are true."""
    n = i64(t.ndim)
    sizes = sizes_of(t)
    strides = strides_of(t)
    if t.numel == 0:
        return 0
    if n == 0:
        return count_row(t.data, 1, 1)
    counters = stack(MAX_RANK, i64)
    rows = 1
    for d in range(n - 1):
        counters[d] = 0
        rows = rows * sizes[d]
    at = 0
    found = 0
    for _ in range(rows):
        found = found + count_row(t.data + at, strides[n - 1], sizes[n - 1])
        d = n - 2
        while d >= 0:
            counters[d] = counters[d] + 1
            at = at + strides[d]
            if counters[d] < sizes[d]:
                break
            counters[d] = 0
            at = at - strides[d] * sizes[d]
            d = d - 1
    return found


def list_true(t: Ptr[TensorImpl], targets: Ptr[i64], to: Ptr[i64], most: i64) -> None:
    """The offsets of the true elements of a mask, in a tensor with the strides `targets`.

    Args:
        most: As many as `count_true` found. The mask may have changed since: no more are written, and where there are
            fewer the rest is 0.
    """
    n = i64(t.ndim)
    sizes = sizes_of(t)
    strides = strides_of(t)
    found = 0
    if t.numel != 0 and most > 0:
        counters = stack(MAX_RANK, i64)
        rows = 1
        length = 1
        step = 0
        target = 0
        if n > 0:
            length = sizes[n - 1]
            step = strides[n - 1]
            target = targets[n - 1]
        for d in range(n - 1):
            counters[d] = 0
            rows = rows * sizes[d]
        at = 0
        there = 0
        for _ in range(rows):
            row = t.data + at
            for k in range(length):
                # Written without a jump: whether an element is true is not to be foreseen.
                to[found] = there + k * target
                found = found + i64(row[k * step] != 0)
                if found >= most:
                    break
            if found >= most:
                break
            d = n - 2
            while d >= 0:
                counters[d] = counters[d] + 1
                at = at + strides[d]
                there = there + targets[d]
                if counters[d] < sizes[d]:
                    break
                counters[d] = 0
                at = at - strides[d] * sizes[d]
                there = there - targets[d] * sizes[d]
                d = d - 1
    for k in range(found, most):
        to[k] = 0


def make_plan(
    plan: Ptr[i64],
    choosers: Ptr[i64],
    self: Ptr[TensorImpl],
    layout: i64,
    numbers: Ptr[i64],
    tensors: Ptr[Ptr[TensorImpl]],
    n: i64,
) -> None:
    """Read an index. Nothing is allocated.

    Args:
        plan: Room for `CELLS`.
        choosers: Room for `ROOM` cells.
        layout, numbers: See the module.
        tensors: The `n` tensors of the parts `TENSOR`; null stands for `WHOLE`.

    Raises IndexError: too many indices, one out of range, masks of other sizes, shapes that do not go together, another
    dtype. ValueError: a step below 1.
    """
    ndim = i64(self.ndim)
    own = sizes_of(self)
    strides = strides_of(self)
    plan[BASE] = 0
    plan[KEPT] = 0
    plan[CHOOSERS] = 0
    plan[BUFFER] = 0
    plan[BUFFER_BYTES] = 0
    taken = 0
    number = 0
    rests = 0
    left = layout
    while left != 0:
        kind = left & 7
        left = left >> BITS
        if (kind == AT) | (kind == PART) | (kind == WHOLE):
            taken = taken + 1
        elif kind == REST:
            rests = rests + 1
        elif kind == TENSOR:
            t = tensors[number]
            number = number + 1
            if address(t) == 0:
                taken = taken + 1
            else:
                if not is_mask(t.dtype) and t.dtype != codes.INT32 and t.dtype != codes.INT64:
                    raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
                taken = taken + dims_of(t)
    if taken > ndim:
        raise IndexError("too many indices for tensor of dimension {0}", ndim)
    if rests > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    d = 0
    at = 0
    number = 0
    left = layout
    while left != 0:
        kind = left & 7
        left = left >> BITS
        if kind == AT:
            take(plan, numbers[at], d, own[d], strides[d])
            at = at + 1
            d = d + 1
        elif kind == PART:
            step = numbers[at + 2]
            if step == 0:
                raise ValueError("slice step cannot be zero")
            if step < 0:
                raise ValueError("step must be greater than zero")
            first = clip_index(numbers[at], own[d])
            last = clip_index(numbers[at + 1], own[d])
            length = 0
            if last > first:
                length = (last - first - 1) // step + 1
                plan[BASE] = plan[BASE] + first * strides[d]
            stride = strides[d]
            if length > 1:
                stride = stride * step
            keep(plan, length, stride)
            at = at + 3
            d = d + 1
        elif kind == NEW:
            keep(plan, 1, 0)
        elif kind == WHOLE:
            keep(plan, own[d], strides[d])
            d = d + 1
        elif kind == REST:
            for _ in range(ndim - taken):
                keep(plan, own[d], strides[d])
                d = d + 1
        elif kind == FLAG:
            check_rank(plan[CHOOSERS] + 1)
            choose(plan, choosers, self, FLAGS, d, 1, 0)
            choosers[(plan[CHOOSERS] - 1) * CHOOSER + TRUE] = i64(numbers[at] != 0)
            at = at + 1
        else:
            t = tensors[number]
            number = number + 1
            if address(t) == 0:
                keep(plan, own[d], strides[d])
                d = d + 1
            elif is_mask(t.dtype):
                check_rank(plan[CHOOSERS] + 1)
                check_mask(self, t, d)
                choose(plan, choosers, t, MASK, d, 1, 0)
                choosers[(plan[CHOOSERS] - 1) * CHOOSER + TRUE] = count_true(t)
                d = d + i64(t.ndim)
            elif t.ndim == 0:
                take(plan, value_at(t, 0), d, own[d], strides[d])
                d = d + 1
            else:
                kind_of = INT64
                if t.dtype == codes.INT32:
                    kind_of = INT32
                choose(plan, choosers, t, kind_of, d, own[d], strides[d])
                d = d + 1
    while d < ndim:
        keep(plan, own[d], strides[d])
        d = d + 1
    broadcast_choosers(plan, choosers)


def shape_of(c: Ptr[i64], n: Ptr[i64]) -> Ptr[i64]:
    """The sizes of the positions of a chooser; `n` is set to their number."""
    if c[KIND] == INT32 or c[KIND] == INT64:
        t = pointer(c[SOURCE], TensorImpl)
        n[0] = i64(t.ndim)
        return sizes_of(t)
    n[0] = 1
    return c + TRUE


def broadcast_choosers(plan: Ptr[i64], choosers: Ptr[i64]) -> None:
    """Find the shape that the choosers have together, and its strides in each."""
    count = plan[CHOOSERS]
    wide = 0
    n = stack(1, i64)
    plan[FIRST] = 0
    for j in range(count):
        shape_of(choosers + j * CHOOSER, n)
        if n[0] > wide:
            wide = n[0]
    if count > 0:
        plan[FIRST] = choosers[BEFORE]
    sizes = plan + WIDE_SIZES
    for i in range(wide):
        sizes[i] = 1
    for j in range(count):
        c = choosers + j * CHOOSER
        if c[BEFORE] != choosers[BEFORE]:
            plan[FIRST] = 0
        own = shape_of(c, n)
        for k in range(n[0]):
            i = wide - n[0] + k
            if sizes[i] == 1:
                sizes[i] = own[k]
            elif own[k] != 1 and own[k] != sizes[i]:
                first = shape_of(choosers, n)
                first_count = n[0]
                shape_of(c, n)
                raise_shapes(
                    INDEX_ERROR,
                    text("shape mismatch: indexing tensors could not be broadcast together with shapes "),
                    first,
                    first_count,
                    text(", "),
                    own,
                    n[0],
                    text(""),
                )
    check_rank(wide + plan[KEPT])
    plan[WIDE] = wide
    total = 1
    for i in range(wide):
        total = total * sizes[i]
    plan[COUNT] = total
    # The same with as few dimensions as possible.
    merged = 0
    merged_sizes = plan + MERGED_SIZES
    for i in range(wide):
        if sizes[i] != 1:
            together = merged > 0
            for j in range(count):
                c = choosers + j * CHOOSER
                own = shape_of(c, n)
                k = i - (wide - n[0])
                stride = 0
                if k >= 0 and own[k] != 1:
                    stride = 1
                    if c[KIND] == INT32 or c[KIND] == INT64:
                        stride = strides_of(pointer(c[SOURCE], TensorImpl))[k]
                c[STEPS + merged] = stride
                if merged > 0:
                    together = together and c[STEPS + merged - 1] == stride * sizes[i]
            if together:
                for j in range(count):
                    c = choosers + j * CHOOSER
                    c[STEPS + merged - 1] = c[STEPS + merged]
                merged_sizes[merged - 1] = merged_sizes[merged - 1] * sizes[i]
            else:
                merged_sizes[merged] = sizes[i]
                merged = merged + 1
    if merged == 0:
        merged_sizes[0] = 1
        for j in range(count):
            choosers[j * CHOOSER + STEPS] = 0
        merged = 1
    plan[MERGED] = merged


def list_masks(plan: Ptr[i64], choosers: Ptr[i64], self: Ptr[TensorImpl]) -> b8:
    """Make the offsets of all true elements of masks; False when there is no memory for them. `drop_masks` comes at the
    end."""
    total = 0
    for j in range(plan[CHOOSERS]):
        c = choosers + j * CHOOSER
        if c[KIND] == MASK or c[KIND] == FLAGS:
            total = total + c[TRUE]
    if total > 0:
        # One more: `list_true` writes where the next one would be.
        plan[BUFFER_BYTES] = 8 * (total + 1)
        made = heap_try_allocate(plan[BUFFER_BYTES])
        if address(made) == 0:
            return False
        plan[BUFFER] = address(made)
    to = pointer(plan[BUFFER], i64)
    for j in range(plan[CHOOSERS]):
        c = choosers + j * CHOOSER
        if c[KIND] == MASK or c[KIND] == FLAGS:
            if c[TRUE] > 0:
                if c[KIND] == MASK:
                    list_true(pointer(c[SOURCE], TensorImpl), strides_of(self) + c[DIM], to, c[TRUE])
                else:
                    to[0] = 0
            c[DATA] = address(to)
            c[KIND] = MASK
            to = to + c[TRUE]
    return True


def drop_masks(plan: Ptr[i64]) -> None:
    """Give the memory of `list_masks` back."""
    if plan[BUFFER] != 0:
        heap_free(pointer(plan[BUFFER], Void), plan[BUFFER_BYTES])
        plan[BUFFER] = 0


def add_offsets(to: Ptr[i64], source: Ptr[T], step: i64, n: i64, size: i64, stride: i64) -> i64:
    """Add the offsets of `n` indices of a dimension to `to`; how many are out of range, whose are 0."""
    bad = 0
    if step == 1:
        for k in range(n):
            index = i64(source[k])
            at = select(index < 0, index + size, index)
            is_bad = (at < 0) | (at >= size)
            bad = bad + i64(is_bad)
            to[k] = to[k] + select(is_bad, i64(0), at * stride)
    else:
        for k in range(n):
            index = i64(source[k * step])
            at = select(index < 0, index + size, index)
            is_bad = (at < 0) | (at >= size)
            bad = bad + i64(is_bad)
            to[k] = to[k] + select(is_bad, i64(0), at * stride)
    return bad


def find_bad(plan: Ptr[i64], c: Ptr[i64], source: Ptr[T], step: i64, n: i64) -> None:
    """Note the first index that is out of range."""
    size = c[SIZE]
    plan[BAD_DIM] = c[DIM]
    plan[BAD_SIZE] = size
    for k in range(n):
        index = i64(source[k * step])
        if index < -size or index >= size:
            plan[BAD] = index
            return


def offsets(plan: Ptr[i64], choosers: Ptr[i64], begin: i64, n: i64, to: Ptr[i64]) -> b8:
    """The offsets of the positions from `begin` on.

    False when an index is out of range: `raise_bad` says which. Offsets are within the tensor in any case."""
    for k in range(n):
        to[k] = plan[BASE]
    merged = plan[MERGED]
    sizes = plan + MERGED_SIZES
    length = sizes[merged - 1]
    done = 0
    while done < n:
        position = begin + done
        column = position
        row = 0
        if merged > 1:
            row = position // length
            column = position - row * length
        count = length - column
        if count > n - done:
            count = n - done
        for j in range(plan[CHOOSERS]):
            c = choosers + j * CHOOSER
            step = c[STEPS + merged - 1]
            at = column * step
            rest = row
            d = merged - 2
            while d >= 0:
                at = at + rest % sizes[d] * c[STEPS + d]
                rest = rest // sizes[d]
                d = d - 1
            if c[KIND] == INT64:
                source = pointer(c[DATA], i64) + at
                if add_offsets(to + done, source, step, count, c[SIZE], c[STRIDE]) != 0:
                    find_bad(plan, c, source, step, count)
                    return False
            elif c[KIND] == INT32:
                narrow = pointer(c[DATA], i32) + at
                if add_offsets(to + done, narrow, step, count, c[SIZE], c[STRIDE]) != 0:
                    find_bad(plan, c, narrow, step, count)
                    return False
            else:
                listed = pointer(c[DATA], i64) + at
                for k in range(count):
                    to[done + k] = to[done + k] + listed[k * step]
        done = done + count
    return True


def raise_bad(plan: Ptr[i64]) -> None:
    """Raise IndexError for the index that `offsets` found."""
    raise IndexError(
        "index {0} is out of bounds for dimension {1} with size {2}", plan[BAD], plan[BAD_DIM], plan[BAD_SIZE]
    )
