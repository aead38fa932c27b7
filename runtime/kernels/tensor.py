"""Tier 2: tensor headers, storages and layouts."""

from __future__ import annotations

from typing import Final

from tscript.abi import layout
from tscript.abi.layout import MAX_RANK, STORAGE_READONLY, TENSOR_CONTIGUOUS, TENSOR_GIVEN
from tscript.dialect import (
    Intrinsic,
    Ptr,
    Storage,
    TensorImpl,
    Void,
    address,
    b8,
    context,
    i32,
    i64,
    pointer,
    pointer_cast,
    u8,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.layouts import free_layouts
from tscript.runtime.kernels.memory import heap_allocate, heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.memory_blocks import IS_CHECKED, LARGEST, count_down, count_up
from tscript.runtime.kernels.memory_checked import complain, object_trouble, place_of_call
from tscript.types import NONE, U8, PtrType, StructType

HEADER = 64
"""Bytes of a `Storage` and of a `TensorImpl` before its sizes."""

SHORT_WORK: Final = 1 << 15
"""Kernels that went over more elements in a call let other Python threads run if there are any: some ten
microseconds."""

LEAST_WORK: Final = 1 << 10
"""Kernels over no more elements are not counted."""

MUCH_WORK: Final = layout.MUCH_WORK

UNITS: Final = MUCH_WORK // SHORT_WORK
"""Of `Context.work`, for an element."""

LONG_WORK = 1 << 18
"""Kernels over more elements release the GIL in any case: another thread may come meanwhile."""


def _ignore(_: object) -> None:
    """What the externs below mean under CPython."""


drop_owner = Intrinsic(extern("ts_drop_owner_v1", (PtrType(U8),), NONE), _ignore)
"""Releases the Python object that keeps foreign data alive; takes the GIL for it."""

drop_object = Intrinsic(extern("ts_drop_object_v1", (PtrType(U8),), NONE), _ignore)
"""Free a heap object that is not a tensor, by its `TypeInfo`, when its last reference is gone."""

release_gil = Intrinsic(extern("ts_release_gil_v1", (PtrType(StructType("Context")),), NONE), _ignore)
"""Releases the GIL unless this call has done so before; the entry wrapper takes it back."""

let_others_run = Intrinsic(extern("ts_let_others_run_v1", (PtrType(StructType("Context")),), NONE), _ignore)
"""The same if the interpreter has another thread."""


def itemsize_of(dtype: i32) -> i64:
    """Bytes of one element of the dtype with this code."""
    return i64(1) << itemsize_shift(dtype)


def itemsize_shift(dtype: i32) -> i64:
    """The power of two that the bytes of one element are."""
    if dtype > codes.SPLIT:
        return (i64(codes.FURTHER_SHIFTS) >> 3 * (i64(dtype) - codes.SPLIT - 1)) & 7
    return (i64(codes.SHIFTS) >> 3 * i64(dtype)) & 7


def is_floating(dtype: i32) -> b8:
    """Whether elements of the dtype with this code are floating-point numbers."""
    return (i64(codes.FLOATING) >> i64(dtype)) & 1 != 0


def is_complex(dtype: i32) -> b8:
    """Whether elements of the dtype with this code are complex numbers."""
    return dtype == codes.COMPLEX64 or dtype == codes.COMPLEX128


def part_of(dtype: i32) -> i32:
    """The code of the dtype of the parts of complex numbers."""
    if dtype == codes.COMPLEX64:
        return i32(codes.FLOAT32)
    return i32(codes.FLOAT64)


def sizes_of(t: Ptr[TensorImpl]) -> Ptr[i64]:
    """The sizes after the header."""
    return pointer_cast(t + 1, i64)


def strides_of(t: Ptr[TensorImpl]) -> Ptr[i64]:
    """The strides, in elements, after the sizes."""
    return pointer_cast(t + 1, i64) + i64(t.ndim)


def check_rank(ndim: i64) -> None:
    """Raise RuntimeError when a tensor would have more dimensions than `MAX_RANK`."""
    if ndim < 0 or ndim > MAX_RANK:
        raise RuntimeError("tensors have at most 64 dimensions, this would have {0}", ndim)


def begin_work(elements: i64) -> None:
    """Let other Python threads run while a kernel processes many elements, or a call many together. Call it after the
    last allocation that may raise."""
    if elements > LEAST_WORK:
        ctx = context()
        if elements > LONG_WORK:
            release_gil(ctx)
        else:
            ctx.work = ctx.work + elements * UNITS
            if ctx.work > MUCH_WORK:
                let_others_run(ctx)


def storage_fill(s: Ptr[Storage], data: Ptr[u8], nbytes: i64) -> None:
    """Set the fields of a new storage: one reference, no owner."""
    s.refcount = 1
    s.typeinfo = pointer(0, u8)
    s.data = data
    s.nbytes = nbytes
    s.version = 0
    s.owner = pointer(0, u8)
    s.flags = 0
    s.layouts = 0


def storage_release(s: Ptr[Storage]) -> None:
    """Drop one reference; the last frees the data or lets go of its owner."""
    if count_down(pointer_cast(s, i64)):
        owner = s.owner
        if address(s.data) == address(s) + HEADER:
            heap_free(pointer_cast(s, Void), s.nbytes + HEADER)
        else:
            free_layouts(s)
            heap_free(pointer_cast(s, Void), HEADER)
        if address(owner) != 0:
            drop_owner(owner)


def header_allocate(ndim: i64) -> Ptr[TensorImpl]:
    """Memory for a tensor header of `ndim` dimensions, not initialised: `header_fill` comes next.

    Raises MemoryError when there is none left; callers hold nothing they would have to give back.
    """
    return pointer_cast(heap_allocate(HEADER + 16 * ndim), TensorImpl)


def header_fill(t: Ptr[TensorImpl], storage: Ptr[Storage], dtype: i32, ndim: i64) -> None:
    """Set the fields of a new header, which takes over a reference to `storage`; data at its start, sizes and strides
    not set."""
    t.refcount = 1
    t.typeinfo = pointer(0, u8)
    t.storage = storage
    t.data = storage.data
    t.dtype = dtype
    t.ndim = i32(ndim)
    t.numel = 0
    t.pyobject = pointer(0, u8)
    t.flags = 0


def count_elements(ndim: i64, sizes: Ptr[i64]) -> i64:
    """The product of sizes that a tensor may have.

    Raises RuntimeError for a negative size or too many dimensions, MemoryError when the product is beyond any memory.
    """
    check_rank(ndim)
    numel = 1
    for i in range(ndim):
        n = sizes[i]
        if n < 0:
            raise RuntimeError("Trying to create tensor with negative dimension {0}", n)
        # Division is slow; small factors need none.
        if (numel | n) >> 28 != 0:
            if n != 0 and numel > LARGEST // n:
                raise MemoryError("a tensor of this size does not fit into memory")
        numel = numel * n
    return numel


def tensor_try_alloc(dtype: i32, ndim: i64, sizes: Ptr[i64], numel: i64) -> Ptr[TensorImpl]:
    """A contiguous tensor, not initialised; null when there is no memory left.

    For code that has to free something before it raises.

    Args:
        numel: The result of `count_elements` for the sizes.
    """
    nbytes = numel * itemsize_of(dtype)
    t = pointer_cast(heap_try_allocate(HEADER + 16 * ndim), TensorImpl)
    if address(t) == 0:
        return t
    s = pointer_cast(heap_try_allocate(nbytes + HEADER), Storage)
    if address(s) == 0:
        heap_free(pointer_cast(t, Void), HEADER + 16 * ndim)
        return pointer(0, TensorImpl)
    storage_fill(s, pointer_cast(s + 1, u8), nbytes)
    header_fill(t, s, dtype, ndim)
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


def tensor_alloc(dtype: i32, ndim: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A contiguous tensor, not initialised.

    Raises RuntimeError for a negative size or too many dimensions, MemoryError when it is too large.
    """
    numel = count_elements(ndim, sizes)
    t = tensor_try_alloc(dtype, ndim, sizes, numel)
    if address(t) == 0:
        refuse(numel * itemsize_of(dtype))
    return t


def tensor_alloc_over(dtype: i32, ndim: i64, sizes: Ptr[i64], old: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """As `tensor_alloc`, but the result is `old` if nothing else refers to it or its memory, and it is what would be
    made.

    For a caller that owns a reference to `old` and only computes the result from it. The elements stay as they are.
    """
    if is_replaceable(old):
        if old.dtype == dtype and i64(old.ndim) == ndim:
            storage = old.storage
            own_sizes = sizes_of(old)
            strides = strides_of(old)
            stride = 1
            same = True
            for k in range(ndim):
                i = ndim - 1 - k
                same = same and own_sizes[i] == sizes[i] and strides[i] == stride
                if sizes[i] > 1:
                    stride = stride * sizes[i]
            if same and storage.nbytes == old.numel * itemsize_of(dtype):
                storage.version = 0
                count_up(pointer_cast(old, i64))
                return old
    return tensor_alloc(dtype, ndim, sizes)


def is_replaceable(t: Ptr[TensorImpl]) -> b8:
    """Whether the caller's is the only reference to a tensor with memory of its own. No callback has seen it."""
    if t.refcount != 1:
        return False
    storage = t.storage
    if storage.refcount != 1 or storage.flags != 0:
        return False
    return address(storage.data) == address(storage) + HEADER


def tensor_retain(t: Ptr[TensorImpl]) -> None:
    """One more reference; nothing for null, as in a place that has not been set."""
    if address(t) != 0:
        if IS_CHECKED != 0:
            if object_trouble(address(t)) != 0:
                complain(object_trouble(address(t)), address(t), 0, place_of_call())
                return
        count_up(pointer_cast(t, i64))


def tensor_release(t: Ptr[TensorImpl]) -> None:
    """Drop one reference; the last frees the header and drops the storage. Nothing for null.

    Any heap object is accepted: one that is not a tensor is freed by its `TypeInfo`.
    """
    if address(t) == 0:
        return
    if IS_CHECKED != 0:
        if object_trouble(address(t)) != 0:
            complain(object_trouble(address(t)), address(t), 0, place_of_call())
            return
    if count_down(pointer_cast(t, i64)):
        if address(t.typeinfo) != 0:
            drop_object(pointer_cast(t, u8))
            return
        storage = t.storage
        heap_free(pointer_cast(t, Void), HEADER + 16 * i64(t.ndim))
        storage_release(storage)


def finish_layout(t: Ptr[TensorImpl]) -> None:
    """Set `numel` and the contiguous flag from sizes and strides; an empty tensor gets the strides of a new one."""
    sizes = sizes_of(t)
    strides = strides_of(t)
    ndim = i64(t.ndim)
    numel = 1
    dense = True
    for k in range(ndim):
        i = ndim - 1 - k
        if sizes[i] != 1 and strides[i] != numel:
            dense = False
        numel = numel * sizes[i]
    if numel == 0:
        dense = True
        stride = 1
        for k in range(ndim):
            strides[ndim - 1 - k] = stride
            if sizes[ndim - 1 - k] > 1:
                stride = stride * sizes[ndim - 1 - k]
    t.numel = numel
    t.flags = 0
    if dense:
        t.flags = TENSOR_CONTIGUOUS


def view_of(t: Ptr[TensorImpl], ndim: i64) -> Ptr[TensorImpl]:
    """A new header of `ndim` dimensions over the storage of `t`, with the same first element. Fill in sizes and
    strides, then call `finish_layout`."""
    check_rank(ndim)
    v = header_allocate(ndim)
    count_up(pointer_cast(t.storage, i64))
    header_fill(v, t.storage, t.dtype, ndim)
    v.data = t.data
    return v


def is_readonly(t: Ptr[TensorImpl]) -> b8:
    """Whether the storage refuses writes."""
    return t.storage.flags & STORAGE_READONLY != 0


def tensor_from_memory(
    data: Ptr[u8],
    nbytes: i64,
    owner: Ptr[u8],
    flags: i64,
    dtype: i32,
    ndim: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
    offset: i64,
) -> Ptr[TensorImpl]:
    """A tensor over foreign memory.

    Args:
        data, nbytes: The memory.
        owner: The PyObject that keeps it alive, whose reference is taken over (not when this raises).
        flags: Of the storage: `STORAGE_READONLY` and `STORAGE_CONSTANT`.
        sizes, strides: `ndim` each; strides in elements.
        offset: Bytes from `data` to the first element.
    """
    check_rank(ndim)
    t = header_allocate(ndim)
    s = pointer_cast(heap_try_allocate(HEADER), Storage)
    if address(s) == 0:
        heap_free(pointer_cast(t, Void), HEADER + 16 * ndim)
        refuse(HEADER)
    storage_fill(s, data, nbytes)
    s.owner = owner
    s.flags = flags
    header_fill(t, s, dtype, ndim)
    t.data = data + offset
    own_sizes = sizes_of(t)
    own_strides = strides_of(t)
    for i in range(ndim):
        own_sizes[i] = sizes[i]
        own_strides[i] = strides[i]
    finish_layout(t)
    return t


def tensor_from_array(
    data: Ptr[u8],
    owner: Ptr[u8],
    readonly: i64,
    dtype: i64,
    ndim: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
) -> Ptr[TensorImpl]:
    """A tensor over a Python object that is an array as it stands: as `tensor_from_memory`, from the first element on.

    Args:
        data: The first element.
        owner: The object, whose reference is taken over (not when this raises).
        readonly: Not 0: in-place writes are refused.
        sizes, strides: `ndim` each; strides in bytes, multiples of the element's where there are several.
    """
    check_rank(ndim)
    t = header_allocate(ndim)
    s = pointer_cast(heap_try_allocate(HEADER), Storage)
    if address(s) == 0:
        heap_free(pointer_cast(t, Void), HEADER + 16 * ndim)
        refuse(HEADER)
    shift = itemsize_shift(i32(dtype))
    own_sizes = sizes_of(t)
    own_strides = own_sizes + ndim
    low = 0
    high = 1 << shift
    for i in range(ndim):
        own_sizes[i] = sizes[i]
        own_strides[i] = strides[i] >> shift
        reach = strides[i] * (sizes[i] - 1)
        if reach < 0:
            low = low + reach
        else:
            high = high + reach
    storage_fill(s, data, 0)
    s.owner = owner
    s.flags = i64(readonly != 0) * STORAGE_READONLY
    header_fill(t, s, i32(dtype), ndim)
    finish_layout(t)
    if t.numel != 0:
        s.data = data + low
        s.nbytes = high - low
    t.flags = t.flags | TENSOR_GIVEN
    return t
