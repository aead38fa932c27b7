"""Tier 2: copies of matrices that loops multiply by again and again, which count as constants."""

from __future__ import annotations

from tscript.abi.layout import STORAGE_CONSTANT, STORAGE_PASSING, STORAGE_READONLY
from tscript.dialect import Ptr, Storage, TensorImpl, Void, address, i64, pointer, pointer_cast, u8
from tscript.runtime.kernels.copy import pack
from tscript.runtime.kernels.layouts import COPY, keep_layout, new_layout
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import (
    HEADER,
    begin_work,
    finish_layout,
    header_allocate,
    header_fill,
    itemsize_of,
    sizes_of,
    storage_fill,
    strides_of,
)


def steady(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """A contiguous copy whose elements never change, so that products lay it out at their second use.

    Raises MemoryError where there is no memory.
    """
    ndim = i64(self.ndim)
    t = header_allocate(ndim)
    s = pointer_cast(heap_try_allocate(HEADER), Storage)
    nbytes = self.numel * itemsize_of(self.dtype)
    elements = 0
    if address(s) != 0:
        elements = new_layout(nbytes, COPY, 0, 0, 0)
    if elements == 0:
        if address(s) != 0:
            heap_free(pointer_cast(s, Void), HEADER)
        heap_free(pointer_cast(t, Void), HEADER + 16 * ndim)
        refuse(nbytes)
    storage_fill(s, pointer(elements, u8), nbytes)
    s.flags = STORAGE_READONLY | STORAGE_CONSTANT | STORAGE_PASSING
    keep_layout(s, elements)
    header_fill(t, s, self.dtype, ndim)
    copy_sizes(sizes_of(t), sizes_of(self), ndim)
    step = 1
    for k in range(ndim):
        strides_of(t)[ndim - 1 - k] = step
        step = step * sizes_of(t)[ndim - 1 - k]
    finish_layout(t)
    begin_work(self.numel)
    pack(t.data, self)
    return t
