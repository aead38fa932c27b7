"""Attributes and methods of tensors that only read the header: ``x.shape``, ``x.numel()``."""

from __future__ import annotations

from tscript.abi.layout import TENSOR_ROLE
from tscript.dialect import Ptr, PyObject, PyTensor, TensorImpl, Void, address, i32, i64, pointer_cast, stack, text
from tscript.dialect.linkage import exported
from tscript.runtime.boundary.native.buffers import ENTRY, FORMATS
from tscript.runtime.boundary.native.objects import incref, ints
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_False,
    Py_True,
    PyLong_AsLongLongAndOverflow,
    PyLong_FromLongLong,
    PyLong_Type,
    PyObject_GetAttrString,
    PyObject_Vectorcall,
)
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


@exported("tsb_tensor_size")
def size(a: Ptr[PyTensor], args: Ptr[Ptr[PyObject]], nargs: i64, names: Ptr[PyObject]) -> Ptr[PyObject]:
    """``size(dim=None)``."""
    return all_or_one(a, pointer_cast(a.impl + 1, i64), text("_size"), args, nargs, names)


@exported("tsb_tensor_stride")
def stride(a: Ptr[PyTensor], args: Ptr[Ptr[PyObject]], nargs: i64, names: Ptr[PyObject]) -> Ptr[PyObject]:
    """``stride(dim=None)``."""
    return all_or_one(a, pointer_cast(a.impl + 1, i64) + i64(a.impl.ndim), text("_stride"), args, nargs, names)


def all_or_one(
    a: Ptr[PyTensor], values: Ptr[i64], slow: Ptr[Void], args: Ptr[Ptr[PyObject]], nargs: i64, names: Ptr[PyObject]
) -> Ptr[PyObject]:
    """The numbers of all dimensions, or that of one. What is neither no argument nor a dimension goes to the method of
    Python named `slow`."""
    n = i64(a.impl.ndim)
    if address(names) == 0:
        if nargs == 0:
            return ints(values, n)
        if nargs == 1 and args[0].type == PyLong_Type:
            overflow = stack(1, i32)
            d = PyLong_AsLongLongAndOverflow(args[0], overflow)
            if overflow[0] == 0 and d >= -n and d < n:
                if d < 0:
                    d = d + n
                return PyLong_FromLongLong(values[d])
    method = PyObject_GetAttrString(pointer_cast(a, PyObject), slow)
    if address(method) == 0:
        return method
    found = PyObject_Vectorcall(method, args, nargs, names)
    Py_DecRef(method)
    return found


@exported("tsb_tensor_role")
def role(a: Ptr[PyTensor], closure: Ptr[Void]) -> Ptr[PyObject]:
    """``_role``."""
    return PyLong_FromLongLong(i64(a.impl.flags) & TENSOR_ROLE)


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
    *(ndim, dtype, shape, size, stride, role, impl_of, version, itemsize, nbytes),
    *(numel, data_ptr, storage_offset, is_floating_point, is_complex),
)
