"""Attributes and methods of tensors that only read the header: ``x.shape``, ``x.numel()``."""

from __future__ import annotations

from tscript.dialect import Ptr, PyObject, PyTensor, TensorImpl, Void, address, i64, pointer_cast
from tscript.dialect.linkage import exported
from tscript.runtime.boundary.native.buffers import ENTRY, FORMATS
from tscript.runtime.boundary.native.objects import incref, ints
from tscript.runtime.boundary.native.python_api import Py_False, Py_True, PyLong_FromLongLong
from tscript.runtime.boundary.native.tensor import box_dtype
from tscript.types.dtypes import EVERY

FLOATING = sum(1 << d.code for d in EVERY if d.is_floating_point)
"""Which dtypes are floating-point numbers, a bit each by their codes."""
COMPLEX = sum(1 << d.code for d in EVERY if d.is_complex)

VARIABLES = ()


def itemsize_of(impl: Ptr[TensorImpl]) -> i64:
    """Bytes of an element."""
    return i64(FORMATS[ENTRY * i64(impl.dtype) + ENTRY - 1])


def truth_of(mask: i64, impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """Whether the dtype of a tensor is among those of a mask."""
    found = Py_False
    if (mask >> i64(impl.dtype)) & 1 != 0:
        found = Py_True
    incref(found)
    return found


@exported("tsb_tensor_ndim")
def ndim(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``ndim``."""
    return PyLong_FromLongLong(i64(a.impl.ndim))


@exported("tsb_tensor_dtype")
def dtype(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``dtype``."""
    return box_dtype(a.impl.dtype)


@exported("tsb_tensor_shape")
def shape(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``shape``."""
    return ints(pointer_cast(a.impl + 1, i64), i64(a.impl.ndim))


@exported("tsb_tensor_strides")
def strides(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``stride()``."""
    n = i64(a.impl.ndim)
    return ints(pointer_cast(a.impl + 1, i64) + n, n)


@exported("tsb_tensor_impl")
def impl_of(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """The address of the native tensor."""
    return PyLong_FromLongLong(address(a.impl))


@exported("tsb_tensor_version")
def version(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``_version``."""
    return PyLong_FromLongLong(a.impl.storage.version)


@exported("tsb_tensor_itemsize")
def itemsize(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``itemsize`` and ``element_size()``."""
    return PyLong_FromLongLong(itemsize_of(a.impl))


@exported("tsb_tensor_nbytes")
def nbytes(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``nbytes``."""
    return PyLong_FromLongLong(a.impl.numel * itemsize_of(a.impl))


@exported("tsb_tensor_numel")
def numel(a: Ptr[PyTensor], nothing: Ptr[Void]) -> Ptr[PyObject]:
    """``numel()``."""
    return PyLong_FromLongLong(a.impl.numel)


@exported("tsb_tensor_data_ptr")
def data_ptr(a: Ptr[PyTensor], nothing: Ptr[Void]) -> Ptr[PyObject]:
    """``data_ptr()``."""
    return PyLong_FromLongLong(address(a.impl.data))


@exported("tsb_tensor_storage_offset")
def storage_offset(a: Ptr[PyTensor], nothing: Ptr[Void]) -> Ptr[PyObject]:
    """``storage_offset()``."""
    nbytes = address(a.impl.data) - address(a.impl.storage.data)
    return PyLong_FromLongLong(nbytes // itemsize_of(a.impl))


@exported("tsb_tensor_is_floating_point")
def is_floating_point(a: Ptr[PyTensor], nothing: Ptr[Void]) -> Ptr[PyObject]:
    """``is_floating_point()``."""
    return truth_of(FLOATING, a.impl)


@exported("tsb_tensor_is_complex")
def is_complex(a: Ptr[PyTensor], nothing: Ptr[Void]) -> Ptr[PyObject]:
    """``is_complex()``."""
    return truth_of(COMPLEX, a.impl)


FUNCTIONS = (
    *(ndim, dtype, shape, strides, impl_of, version, itemsize, nbytes),
    *(numel, data_ptr, storage_offset, is_floating_point, is_complex),
)
