"""The buffer protocol of tensors: ``memoryview(t)``, and whatever else reads memory of Python objects.

A buffer is the tensor's memory, with its sizes and strides, and refers to the tensor.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.layout import STORAGE_READONLY, TENSOR_CONTIGUOUS
from tscript.dialect import (
    Ptr,
    PyBuffer,
    PyObject,
    PyTensor,
    TensorImpl,
    Void,
    address,
    b8,
    i32,
    i64,
    pointer,
    pointer_cast,
    text,
    u8,
)
from tscript.dialect.linkage import exported, variable
from tscript.runtime.boundary.native.objects import incref
from tscript.runtime.boundary.native.python_api import (
    PyErr_NoMemory,
    PyErr_SetString,
    PyExc_BufferError,
    PyMem_RawCalloc,
    PyMem_RawFree,
)
from tscript.types.dtypes import EVERY

WRITABLE, WITH_FORMAT, WITH_SIZES, WITH_STRIDES = 0x1, 0x4, 0x8, 0x18
IN_ROWS, IN_COLUMNS, IN_EITHER = 0x38, 0x58, 0x98
"""What is asked for: CPython's ``PyBUF_...``."""

NO_FORMAT = "there is no format for elements of this dtype: convert the tensor with .float() first"
READ_ONLY = "the memory of this tensor is read-only"
NOT_IN_ORDER = "the elements of this tensor are not in the order that is asked for: clone() it first"

ENTRY: Final = 4


def _formats() -> bytes:
    """By the codes of dtypes: the format of `struct`, NUL, and at the end the bytes of an element."""
    found = bytearray(ENTRY * 32)
    for dtype in EVERY:
        found[ENTRY * dtype.code : ENTRY * dtype.code + len(dtype.letter)] = dtype.letter.encode()
        found[ENTRY * dtype.code + ENTRY - 1] = dtype.itemsize
    return bytes(found)


FORMATS = variable("tsb_formats", u8, ENTRY * 32, initial=_formats())
VARIABLES = (FORMATS,)


@exported("tsb_tensor_get_buffer")
def get_buffer(o: Ptr[PyTensor], buffer: Ptr[PyBuffer], flags: i32) -> i32:
    """``bf_getbuffer``."""
    impl = o.impl
    buffer.object = pointer(0, PyObject)
    readonly = i32(impl.storage.flags & STORAGE_READONLY != 0)
    if flags & WRITABLE != 0 and readonly != 0:
        return refused(text(READ_ONLY))
    if FORMATS[ENTRY * i64(impl.dtype)] == 0:
        return refused(text(NO_FORMAT))
    if not is_ordered(impl, flags):
        return refused(text(NOT_IN_ORDER))
    ndim = i64(impl.ndim)
    form = FORMATS + ENTRY * i64(impl.dtype)
    itemsize = i64(form[ENTRY - 1])
    own = pointer_cast(PyMem_RawCalloc(ndim + 1, 8), i64)
    if address(own) == 0:
        PyErr_NoMemory()
        return -1
    sizes = pointer_cast(impl + 1, i64)
    for i in range(ndim):
        own[i] = sizes[ndim + i] * itemsize
    incref(pointer_cast(o, PyObject))
    buffer.data = impl.data
    buffer.object = pointer_cast(o, PyObject)
    buffer.nbytes = impl.numel * itemsize
    buffer.itemsize = itemsize
    buffer.readonly = readonly
    buffer.ndim = impl.ndim
    buffer.format = pointer(0, u8)
    buffer.sizes = pointer(0, i64)
    buffer.strides = pointer(0, i64)
    buffer.offsets = pointer(0, i64)
    buffer.own = pointer_cast(own, u8)
    if flags & WITH_FORMAT != 0:
        buffer.format = form
    if flags & WITH_SIZES != 0:
        buffer.sizes = sizes
    if flags & WITH_STRIDES == WITH_STRIDES:
        buffer.strides = own
    return 0


def refused(message: Ptr[Void]) -> i32:
    """-1, with an exception."""
    PyErr_SetString(PyExc_BufferError[0], message)
    return -1


def is_ordered(impl: Ptr[TensorImpl], flags: i32) -> b8:
    """Whether the elements are in the order that is asked for: in that of rows if strides are not."""
    if impl.flags & TENSOR_CONTIGUOUS != 0:
        return flags & IN_COLUMNS != IN_COLUMNS or is_in_columns(impl)
    if flags & IN_COLUMNS == IN_COLUMNS or flags & IN_EITHER == IN_EITHER:
        return is_in_columns(impl)
    return flags & WITH_STRIDES == WITH_STRIDES and flags & IN_ROWS != IN_ROWS


def is_in_columns(impl: Ptr[TensorImpl]) -> b8:
    """Whether the first index varies fastest, without gaps."""
    ndim = i64(impl.ndim)
    sizes = pointer_cast(impl + 1, i64)
    stride = 1
    for i in range(ndim):
        if sizes[i] != 1 and sizes[ndim + i] != stride:
            return impl.numel == 0
        stride = stride * sizes[i]
    return True


@exported("tsb_tensor_release_buffer")
def release_buffer(o: Ptr[PyTensor], buffer: Ptr[PyBuffer]) -> None:
    """``bf_releasebuffer``."""
    PyMem_RawFree(pointer_cast(buffer.own, Void))


FUNCTIONS = (get_buffer, release_buffer)
