"""Tier 3: what all ways of computing a convolution share: the cells of a task, its operands, room for it."""

from __future__ import annotations

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, T, TensorImpl, Void, address, b8, i64, pointer, symbol
from tscript.runtime.kernels.columns import MOST_ELEMENTS, OUT, least, most
from tscript.runtime.kernels.copy import pack
from tscript.runtime.kernels.layouts import may_lay_out
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.tensor import sizes_of, strides_of, tensor_release, tensor_retain, tensor_try_alloc

GRAIN = 1 << 20
"""Products that are worth another thread."""

TO, SOURCE, WEIGHT, BIAS, BIAS_STRIDE, GEOMETRY, SCRATCH, IN_CHANNELS, OUT_CHANNELS, GROUPS = range(10)
POSITIONS, DEPTH, COLUMNS, BLOCKS, UNITS, PARTS, ROOM, SHARED, TOTAL, USES_BLAS, IS_PLAIN, BATCH = range(10, 22)
CONSTANT, OFFSET, FAST, EPILOGUE = range(22, 26)
OWN = 26
"""Cells that every task has. Channels are those of a group, ``DEPTH`` is the number of products of an element,
``BLOCKS`` are of a group of an element of the batch, ``ROOM`` is the number of elements of the scratch memory of a
part, ``SHARED`` the number of those before it that all parts share, and ``TOTAL`` of all. ``CONSTANT`` is the storage
of weights that never change, or 0, and ``OFFSET`` the byte of it where they begin. ``FAST`` is whether errors may be
larger than those of sums. ``EPILOGUE`` is the address of a record (`epilogues`), or 0. What comes behind belongs to a
way of computing."""
TASK = OWN + 24


def set_task(
    task: Ptr[i64],
    source: Ptr[TensorImpl],
    kernel: Ptr[TensorImpl],
    bias: Ptr[TensorImpl],
    g: Ptr[i64],
    groups: i64,
    batch: i64,
) -> None:
    """The cells that all convolutions have."""
    task[SOURCE] = address(source.data)
    task[WEIGHT] = address(kernel.data)
    task[CONSTANT] = 0
    task[FAST] = 0
    task[EPILOGUE] = 0
    task[OFFSET] = address(kernel.data) - address(kernel.storage.data)
    if may_lay_out(kernel.storage):
        task[CONSTANT] = address(kernel.storage)
    task[BIAS] = 0
    task[BIAS_STRIDE] = 0
    if address(bias) != 0:
        task[BIAS] = address(bias.data)
        task[BIAS_STRIDE] = strides_of(bias)[0]
    task[GEOMETRY] = address(g)
    task[GROUPS] = groups
    task[BATCH] = batch
    task[POSITIONS] = g[OUT] * g[OUT + 1] * g[OUT + 2]
    task[SCRATCH] = 0
    task[SHARED] = 0
    task[ROOM] = 0
    task[TOTAL] = 0
    task[PARTS] = 1


def parts_of(units: i64, products: i64) -> i64:
    """How many threads `units` are divided among, each of which has so many products."""
    if units * (products // 1024) < 2 * GRAIN // 1024:
        return 1
    return most(least(symbol("ts_parallel_threads_v1", i64)[0], units), 1)


def rooms(task: Ptr[i64]) -> i64:
    """How many elements of scratch memory all parts take together; too many for any memory where that is too many."""
    if task[ROOM] > MOST_ELEMENTS // task[PARTS] or task[SHARED] > MOST_ELEMENTS - task[PARTS] * task[ROOM]:
        return MOST_ELEMENTS
    return task[SHARED] + task[PARTS] * task[ROOM]


def reserve(task: Ptr[i64], itemsize: i64, minimum: i64) -> b8:
    """Make room for what parts share and for each of them, at least `minimum` elements; whether there is."""
    task[TOTAL] = most(rooms(task), minimum)
    if task[TOTAL] == 0:
        return True
    if task[TOTAL] == MOST_ELEMENTS:
        return False
    task[SCRATCH] = address(heap_try_allocate(task[TOTAL] * itemsize))
    return task[SCRATCH] != 0


def give_back(task: Ptr[i64], itemsize: i64) -> None:
    """Free what `reserve` has reserved."""
    if task[SCRATCH] != 0:
        heap_free(pointer(task[SCRATCH], Void), task[TOTAL] * itemsize)


def room_of(task: Ptr[i64], part: i64, _element: T) -> Ptr[T]:
    """The scratch memory of a part."""
    return pointer(task[SCRATCH], T) + (task[SHARED] + part * task[ROOM])


def bias_of(task: Ptr[i64], channel: i64, _element: T) -> T:
    """What is added to all elements of an output channel."""
    if task[BIAS] == 0:
        return T(0)
    return pointer(task[BIAS], T)[channel * task[BIAS_STRIDE]]


# ---- operands


def try_contiguous(t: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """A reference to the tensor itself, or to a contiguous copy; null where there is no memory."""
    if t.flags & TENSOR_CONTIGUOUS != 0:
        tensor_retain(t)
        return t
    made = tensor_try_alloc(t.dtype, i64(t.ndim), sizes_of(t), t.numel)
    if address(made) != 0:
        pack(made.data, t)
    return made


def try_alloc_checked(like: Ptr[TensorImpl], ndim: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A new tensor; null where it is too large."""
    numel = 1
    for i in range(ndim):
        n = sizes[i]
        if n != 0 and numel > MOST_ELEMENTS // n:
            return pointer(0, TensorImpl)
        numel = numel * n
    return tensor_try_alloc(like.dtype, ndim, sizes, numel)


def release_all(a: Ptr[TensorImpl], b: Ptr[TensorImpl], c: Ptr[TensorImpl]) -> None:
    """Drop references, of which some may be null."""
    tensor_release(a)
    tensor_release(b)
    tensor_release(c)
