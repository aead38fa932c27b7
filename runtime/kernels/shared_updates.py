"""Tier 3: copies of arrays of integers that threads of a parallel loop update, and joining them."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    atomic_cas,
    atomic_release,
    i8,
    i16,
    i32,
    i64,
    pause,
    pointer_cast,
    select,
    stack,
    u8,
    u16,
    u32,
    u64,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.convert import fill_contiguous
from tscript.runtime.kernels.tensor import itemsize_of, sizes_of, strides_of, tensor_alloc, tensor_release

ADD, OR, XOR, AND, MAX, MIN = range(6)
"""How copies are joined: `tscript.ir.nodes.SHARED_KINDS`."""


def shared_begin(array: Ptr[TensorImpl], kind: i64) -> Ptr[TensorImpl]:
    """An array of the same shape whose elements change nothing when they are joined. Raises MemoryError."""
    out = tensor_alloc(array.dtype, i64(array.ndim), sizes_of(array))
    fill_contiguous(out.data, array.dtype, 0.0, neutral(array.dtype, kind), out.numel)
    return out


def neutral(dtype: i32, kind: i64) -> i64:
    """What changes nothing, as an integer of the dtype with this code."""
    bits = 8 * itemsize_of(dtype)
    least = -1 << (bits - 1)
    greatest = -1 - least
    everything = i64(-1)
    if dtype == codes.UINT8 or dtype == codes.UINT16 or dtype == codes.UINT32:
        everything = (1 << bits) - 1
    if dtype == codes.UINT64 or everything != -1:
        least = 0
        greatest = everything
    if kind == AND:
        return everything
    if kind == MAX:
        return least
    if kind == MIN:
        return greatest
    return 0


def shared_end(array: Ptr[TensorImpl], own: Ptr[TensorImpl], kind: i64, lock: Ptr[i64]) -> None:
    """Join an array and what `shared_begin` gave, which may be null; one thread at a time."""
    if address(own) == 0:
        return
    while not atomic_cas(lock, 0, 1):
        pause()
    if array.dtype == codes.INT64:
        join_all(array, pointer_cast(array.data, i64), pointer_cast(own.data, i64), kind)
    elif array.dtype == codes.INT32:
        join_all(array, pointer_cast(array.data, i32), pointer_cast(own.data, i32), kind)
    elif array.dtype == codes.INT16:
        join_all(array, pointer_cast(array.data, i16), pointer_cast(own.data, i16), kind)
    elif array.dtype == codes.INT8:
        join_all(array, pointer_cast(array.data, i8), pointer_cast(own.data, i8), kind)
    elif array.dtype == codes.UINT16:
        join_all(array, pointer_cast(array.data, u16), pointer_cast(own.data, u16), kind)
    elif array.dtype == codes.UINT32:
        join_all(array, pointer_cast(array.data, u32), pointer_cast(own.data, u32), kind)
    elif array.dtype == codes.UINT64:
        join_all(array, pointer_cast(array.data, u64), pointer_cast(own.data, u64), kind)
    else:
        join_all(array, pointer_cast(array.data, u8), pointer_cast(own.data, u8), kind)
    atomic_release(lock, 0)
    tensor_release(own)


def join_all(array: Ptr[TensorImpl], to: Ptr[T], own: Ptr[T], kind: i64) -> None:
    """Join all elements of an array and a contiguous one."""
    inner = i64(array.ndim) - 1
    if inner < 0:
        join_row(to, 1, own, 1, kind)
        return
    if array.numel == 0:
        return
    counters = stack(MAX_RANK, i64)
    for d in range(inner):
        counters[d] = 0
    sizes = sizes_of(array)
    strides = strides_of(array)
    n = sizes[inner]
    at = 0
    done = 0
    while done < array.numel:
        join_row(to + at, strides[inner], own + done, n, kind)
        done = done + n
        d = inner - 1
        while d >= 0:
            counters[d] = counters[d] + 1
            at = at + strides[d]
            if counters[d] < sizes[d]:
                break
            counters[d] = 0
            at = at - strides[d] * sizes[d]
            d = d - 1


def join_row(to: Ptr[T], stride: i64, own: Ptr[T], n: i64, kind: i64) -> None:
    """Join `n` elements."""
    if kind == ADD:
        for i in range(n):
            to[i * stride] = to[i * stride] + own[i]
    elif kind == OR:
        for i in range(n):
            to[i * stride] = to[i * stride] | own[i]
    elif kind == XOR:
        for i in range(n):
            to[i * stride] = to[i * stride] ^ own[i]
    elif kind == AND:
        for i in range(n):
            to[i * stride] = to[i * stride] & own[i]
    elif kind == MAX:
        for i in range(n):
            to[i * stride] = select(to[i * stride] < own[i], own[i], to[i * stride])
    else:
        for i in range(n):
            to[i * stride] = select(own[i] < to[i * stride], own[i], to[i * stride])
