"""Tier 2: tensor headers, storages and layouts."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK, STORAGE_READONLY, TENSOR_CONTIGUOUS
from tscript.ops.dialect import MemoryIntrinsic, Ptr, Storage, TensorImpl, Void, address, b8, i32, i64, pointer, pointer_cast, u8
from tscript.ops.machine import extern
from tscript.runtime.kernels.memory import count_down, count_up, heap_allocate, heap_free
from tscript.types import NONE, U8, PtrType

HEADER = 64
"""Bytes of a `Storage` and of a `TensorImpl` before its sizes."""

drop_owner = MemoryIntrinsic(extern("ts_drop_owner_v1", (PtrType(U8),), NONE))
"""Releases the Python object that keeps foreign data alive; takes the GIL for it."""


def itemsize_of(dtype: i32) -> i64:
    """Bytes of one element of the dtype with this code."""
    if dtype == 6 or dtype == 3:
        return 4
    if dtype == 4 or dtype == 7:
        return 8
    if dtype == 2:
        return 2
    return 1


def sizes_of(t: Ptr[TensorImpl]) -> Ptr[i64]:
    """The sizes behind the header."""
    return pointer_cast(t + 1, i64)


def strides_of(t: Ptr[TensorImpl]) -> Ptr[i64]:
    """The strides, in elements, behind the sizes."""
    return pointer_cast(t + 1, i64) + i64(t.ndim)


def check_rank(ndim: i64) -> None:
    """Raise RuntimeError when a tensor would have more dimensions than `MAX_RANK`."""
    if ndim < 0 or ndim > MAX_RANK:
        raise RuntimeError("tensors have at most 64 dimensions, this would have {0}", ndim)


def storage_allocate(nbytes: i64) -> Ptr[Storage]:
    """A storage of `nbytes` bytes with one reference, not initialised."""
    s = pointer_cast(heap_allocate(nbytes + HEADER), Storage)
    s.refcount = 1
    s.typeinfo = pointer(0, u8)
    s.data = pointer_cast(s + 1, u8)
    s.nbytes = nbytes
    s.version = 0
    s.owner = pointer(0, u8)
    s.flags = 0
    s.reserved = 0
    return s


def storage_release(s: Ptr[Storage]) -> None:
    """Drop one reference; the last frees the data or lets go of its owner."""
    if count_down(pointer_cast(s, i64)):
        owner = s.owner
        if address(s.data) == address(s) + HEADER:
            heap_free(pointer_cast(s, Void), s.nbytes + HEADER)
        else:
            heap_free(pointer_cast(s, Void), HEADER)
        if address(owner) != 0:
            drop_owner(owner)


def header_allocate(storage: Ptr[Storage], dtype: i32, ndim: i64) -> Ptr[TensorImpl]:
    """A tensor header over `storage`, whose reference it takes over; sizes and strides are not set, data at the start."""
    t = pointer_cast(heap_allocate(HEADER + 16 * ndim), TensorImpl)
    t.refcount = 1
    t.typeinfo = pointer(0, u8)
    t.storage = storage
    t.data = storage.data
    t.dtype = dtype
    t.ndim = i32(ndim)
    t.numel = 0
    t.pyobject = pointer(0, u8)
    t.flags = 0
    return t


def tensor_alloc(dtype: i32, ndim: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A contiguous tensor, not initialised.

    Raises RuntimeError for a negative size or too many dimensions, MemoryError when it is too large.
    """
    check_rank(ndim)
    numel = 1
    for i in range(ndim):
        n = sizes[i]
        if n < 0:
            raise RuntimeError("cannot make a tensor with a negative size: {0} in dimension {1}", n, i)
        if n != 0 and numel > (1 << 56) // n:
            raise MemoryError("a tensor of this size does not fit into memory")
        numel = numel * n
    t = header_allocate(storage_allocate(numel * itemsize_of(dtype)), dtype, ndim)
    own_sizes = sizes_of(t)
    strides = strides_of(t)
    stride = 1
    for k in range(ndim):
        i = ndim - 1 - k
        own_sizes[i] = sizes[i]
        strides[i] = stride
        if sizes[i] > 1:
            stride = stride * sizes[i]
    t.numel = numel
    t.flags = TENSOR_CONTIGUOUS
    return t


def tensor_retain(t: Ptr[TensorImpl]) -> None:
    """One more reference."""
    count_up(pointer_cast(t, i64))


def tensor_release(t: Ptr[TensorImpl]) -> None:
    """Drop one reference; the last frees the header and drops the storage."""
    if count_down(pointer_cast(t, i64)):
        storage = t.storage
        heap_free(pointer_cast(t, Void), HEADER + 16 * i64(t.ndim))
        storage_release(storage)


def finish_layout(t: Ptr[TensorImpl]) -> None:
    """Set `numel` and the contiguous flag from sizes and strides."""
    sizes = sizes_of(t)
    strides = strides_of(t)
    numel = 1
    dense = True
    for k in range(i64(t.ndim)):
        i = i64(t.ndim) - 1 - k
        if sizes[i] != 1 and strides[i] != numel:
            dense = False
        numel = numel * sizes[i]
    t.numel = numel
    t.flags = 0
    if dense or numel == 0:
        t.flags = TENSOR_CONTIGUOUS


def view_of(t: Ptr[TensorImpl], ndim: i64) -> Ptr[TensorImpl]:
    """A new header of `ndim` dimensions over the storage of `t`, its data where t's is. Fill sizes and strides, then call
    `finish_layout`."""
    check_rank(ndim)
    count_up(pointer_cast(t.storage, i64))
    v = header_allocate(t.storage, t.dtype, ndim)
    v.data = t.data
    return v


def is_readonly(t: Ptr[TensorImpl]) -> b8:
    """Whether the storage refuses writes."""
    return t.storage.flags & STORAGE_READONLY != 0


def tensor_from_memory(
    data: Ptr[u8], nbytes: i64, owner: Ptr[u8], readonly: b8, dtype: i32, ndim: i64, sizes: Ptr[i64], strides: Ptr[i64], offset: i64
) -> Ptr[TensorImpl]:
    """A tensor over foreign memory.

    Args:
        data, nbytes: The memory.
        owner: The PyObject that keeps it alive, whose reference is taken over.
        readonly: Whether in-place writes are refused.
        sizes, strides: `ndim` each; strides in elements.
        offset: Bytes from `data` to the first element.
    """
    check_rank(ndim)
    s = pointer_cast(heap_allocate(HEADER), Storage)
    s.refcount = 1
    s.typeinfo = pointer(0, u8)
    s.data = data
    s.nbytes = nbytes
    s.version = 0
    s.owner = owner
    s.flags = 0
    s.reserved = 0
    if readonly:
        s.flags = STORAGE_READONLY
    t = header_allocate(s, dtype, ndim)
    t.data = data + offset
    own_sizes = sizes_of(t)
    own_strides = strides_of(t)
    for i in range(ndim):
        own_sizes[i] = sizes[i]
        own_strides[i] = strides[i]
    finish_layout(t)
    return t
