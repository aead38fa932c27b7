"""Tier 3: maximum and minimum along dimensions, and their positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.folds import BLOCK
from tscript.abi.layout import MAX_RANK, NONE_INT
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.reduce import (
    COUNT,
    DIMENSIONS,
    IS_ACROSS,
    POSITIONS,
    SIZES,
    STRIDE,
    STRIDES,
    Fold,
    gather,
    located,
    reduction,
    step,
)
from tscript.runtime.kernels.reductions import mark_all, mark_one, reduced_tensor
from tscript.runtime.kernels.shapes import mark_dims
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    tensor_release,
    tensor_try_alloc,
)

CHUNK = 256
"""Elements that are looked through at a time for the position of an extreme."""

MAX = 0

MIN = 1

AMAX = 2

AMIN = 3

ARGMAX = 4

ARGMIN = 5
"""Which operator an error names."""

WHICH = {"max": MAX, "min": MIN, "amax": AMAX, "amin": AMIN, "argmax": ARGMAX, "argmin": ARGMIN}


def raise_nothing_to_compare(which: i64) -> None:
    """Raise the error of an operator over all elements of an empty tensor: as in PyTorch not the same for all."""
    if which == MAX:
        raise RuntimeError(
            "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == MIN:
        raise RuntimeError(
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == AMAX:
        raise RuntimeError(
            "amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == AMIN:
        raise RuntimeError(
            "amin(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if which == ARGMAX:
        raise IndexError("argmax(): Expected reduction dim to be specified for input.numel() == 0.")
    raise IndexError("argmin(): Expected reduction dim to be specified for input.numel() == 0.")


def raise_empty_dim(which: i64, d: i64) -> None:
    """Raise the error of an operator along a dimension of size 0."""
    if which == MAX:
        raise IndexError("max(): Expected reduction dim {0} to have non-zero size.", d)
    if which == MIN:
        raise IndexError("min(): Expected reduction dim {0} to have non-zero size.", d)
    if which == AMAX:
        raise IndexError("amax(): Expected reduction dim {0} to have non-zero size.", d)
    if which == AMIN:
        raise IndexError("amin(): Expected reduction dim {0} to have non-zero size.", d)
    if which == ARGMAX:
        raise IndexError("argmax(): Expected reduction dim {0} to have non-zero size.", d)
    raise IndexError("argmin(): Expected reduction dim {0} to have non-zero size.", d)


def check_not_empty(self: Ptr[TensorImpl], marks: Ptr[i64], which: i64) -> None:
    """Raise when a result would have no elements to compare."""
    for d in range(i64(self.ndim)):
        if marks[d] != 0 and sizes_of(self)[d] == 0:
            raise_empty_dim(which, d)


def extreme_all(fold: Fold, name: str) -> Callable[..., Any]:
    """The greatest or least element. Raises RuntimeError when there is none."""
    into, which = reduction(fold), WHICH[name]

    def operator(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
        if self.numel == 0:
            raise_nothing_to_compare(which)
        marks = stack(MAX_RANK, i64)
        mark_all(self, marks)
        out = reduced_tensor(self, marks, False, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def extreme_dims(fold: Fold, name: str) -> Callable[..., Any]:
    """The greatest or least elements along dimensions.

    Raises IndexError when a dimension is out of range or empty, RuntimeError when there are no elements at all.
    """
    into, which = reduction(fold), WHICH[name]

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        if n <= 0 and self.numel == 0:
            raise_nothing_to_compare(which)
        check_not_empty(self, marks, which)
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def extreme_dims_or_zero(fold: Fold) -> Callable[..., Any]:
    """The greatest or least elements along dimensions, 0 where there are none.

    Raises IndexError when a dimension is out of range.
    """
    into = reduction(fold)

    def operator(self: Ptr[TensorImpl], dims: Ptr[i64], n: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_dims(dims, n, i64(self.ndim), marks)
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def extreme_values(fold: Fold, name: str) -> Callable[..., Any]:
    """The greatest or least elements along a dimension. Raises IndexError when it is out of range or empty."""
    into, which = reduction(fold), WHICH[name]

    def operator(self: Ptr[TensorImpl], dim: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        mark_one(self, dim, marks)
        check_not_empty(self, marks, which)
        out = reduced_tensor(self, marks, keepdim, self.dtype)
        begin_work(self.numel)
        into(pointer_cast(out.data, T), pointer_cast(self.data, T), self, marks, pointer(0, T))
        return out

    return operator


def is_match(x: T, wanted: T) -> b8:
    """Whether an element is the extreme that was found; where that is NaN, whether it is NaN too."""
    return (x == wanted) | (x != x)


def find_along(
    source: Ptr[T],
    n: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    count: i64,
    counters: Ptr[i64],
    buffer: Ptr[T],
    wanted: T,
) -> i64:
    """The first position, in row-major order of `n` dimensions, of a match."""
    direct = n == 1 and strides[0] == 1
    for d in range(n):
        counters[d] = 0
    at = 0
    done = 0
    while done < count:
        length = count - done
        if length > BLOCK:
            length = BLOCK
        block = source + done
        if not direct:
            at = gather(buffer, source, n, sizes, strides, counters, at, length)
            block = buffer
        # Whole chunks are looked through without a way out, so that they vectorise.
        chunk = 0
        while chunk < length:
            stop = chunk + CHUNK
            if stop > length:
                stop = length
            first = i32(BLOCK)
            for i in range(chunk, stop):
                own = select(is_match(block[i], wanted), i32(i), i32(BLOCK))
                first = select(own < first, own, first)
            if first < BLOCK:
                return done + i64(first)
            chunk = chunk + CHUNK
        done = done + length
    return 0


def find_across(
    out: Ptr[i64],
    source: Ptr[T],
    stride: i64,
    width: i64,
    n: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    count: i64,
    counters: Ptr[i64],
    wanted: Ptr[T],
) -> None:
    """`find_along` for `width` neighbouring results, row by row."""
    for d in range(n):
        counters[d] = 0
    for c in range(width):
        out[c] = -1
    at = 0
    for j in range(count):
        row = source + at
        for c in range(width):
            x = row[c * stride]
            found = out[c]
            out[c] = select(found < 0, select(is_match(x, wanted[c]), j, found), found)
        at = step(n, sizes, strides, counters, at)


def find_positions(task: Ptr[i64], source: Ptr[T], width: i64, number: i64, totals: Ptr[T]) -> None:
    """The positions of neighbouring results: of the first elements equal to them."""
    counters = stack(MAX_RANK, i64)
    out = pointer(task[POSITIONS], i64) + number
    n = task[DIMENSIONS]
    sizes = pointer(task[SIZES], i64)
    strides = pointer(task[STRIDES], i64)
    count = task[COUNT]
    if task[IS_ACROSS] != 0:
        find_across(out, source, task[STRIDE], width, n, sizes, strides, count, counters, totals)
    else:
        buffer = stack(BLOCK, T)
        out[0] = find_along(source, n, sizes, strides, count, counters, buffer, totals[0])


def position(fold: Fold, name: str) -> Callable[..., Any]:
    """The index of the greatest or least element, the first of equals; `dim` may be `NONE_INT` for all elements.

    Raises IndexError when the dimension is out of range or empty, or there are no elements at all.
    """
    into, which = located(fold, find_positions), WHICH[name]

    def operator(self: Ptr[TensorImpl], dim: i64, keepdim: b8) -> Ptr[TensorImpl]:
        marks = stack(MAX_RANK, i64)
        if dim == NONE_INT:
            mark_all(self, marks)
            if self.numel == 0:
                raise_nothing_to_compare(which)
        else:
            mark_one(self, dim, marks)
        check_not_empty(self, marks, which)
        out = reduced_tensor(self, marks, keepdim, i32(codes.INT64))
        nbytes = out.numel * itemsize_of(self.dtype)
        values = heap_try_allocate(nbytes)
        if address(values) == 0:
            tensor_release(out)
            refuse(nbytes)
        begin_work(self.numel)
        source = pointer_cast(self.data, T)
        extremes = pointer_cast(values, T)
        into(extremes, source, self, marks, pointer_cast(out.data, i64))
        heap_free(values, nbytes)
        return out

    return operator


def extreme_dim(fold: Fold, name: str) -> Callable[..., Any]:
    """The greatest or least elements along a dimension, and their indices, the first of equals.

    Raises IndexError when the dimension is out of range or empty.
    """
    into, which = located(fold, find_positions), WHICH[name]

    def operator(self: Ptr[TensorImpl], dim: i64, keepdim: b8) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl]]:
        marks = stack(MAX_RANK, i64)
        mark_one(self, dim, marks)
        check_not_empty(self, marks, which)
        values = reduced_tensor(self, marks, keepdim, self.dtype)
        indices = tensor_try_alloc(i32(codes.INT64), i64(values.ndim), sizes_of(values), values.numel)
        if address(indices) == 0:
            nbytes = values.numel * 8
            tensor_release(values)
            refuse(nbytes)
        begin_work(self.numel)
        source = pointer_cast(self.data, T)
        extremes = pointer_cast(values.data, T)
        into(extremes, source, self, marks, pointer_cast(indices.data, i64))
        return values, indices

    return operator
