"""What signature stubs call: values out of Python objects and into them, futures, rows' constants, tuples."""

from __future__ import annotations

from tscript.abi.boundary import PY_SIZED
from tscript.abi.helpers import BOX_CONSTANT, BOX_FUTURE, BOX_SIZE, KEEP, PACK, PACK_AS, UNBOX_FUTURE, UNBOX_INT
from tscript.abi.python import TUPLE_ITEMS
from tscript.dialect import (
    Ptr,
    PyObject,
    TensorImpl,
    Void,
    address,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
    text,
    unsigned_less,
)
from tscript.dialect.linkage import exported, variable
from tscript.runtime.boundary.native.objects import failed, incref, ints, items_of, length_of, xdecref
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    PyErr_Format,
    PyErr_Occurred,
    PyExc_OverflowError,
    PyExc_SystemError,
    PyLong_AsLongLongAndOverflow,
    PyLong_AsVoidPtr,
    PyLong_FromVoidPtr,
    PyObject_CallOneArg,
    PyObject_GetAttrString,
    PyTuple_New,
    PyTuple_SetItem,
    PyType_GenericAlloc,
)
from tscript.runtime.boundary.native.tensor import NO_TENSOR, impl_release

TOO_LARGE = "argument %zd: the int does not fit into 64 bits"
HAS_HASH = PY_SIZED.size < TUPLE_ITEMS
"""A tuple has its hash in front of its items, -1 before it is computed."""
NO_CONSTANT = "a signature row lacks one of its constants"

FUTURE_HOOK = variable("tsb_future_hook", Ptr[PyObject], exported=True)
"""``hook(address)``: the object of a future, whose reference it takes over."""
VARIABLES = (FUTURE_HOOK,)


@exported(UNBOX_INT)
def unbox_int(o: Ptr[PyObject], out: Ptr[i64], position: i64) -> i32:
    """An int as a number; not 0 with an exception on failure."""
    overflow = stack(1, i32)
    overflow[0] = 0
    value = PyLong_AsLongLongAndOverflow(o, overflow)
    out[0] = value
    if value == -1:
        if overflow[0] != 0:
            PyErr_Format(PyExc_OverflowError[0], text(TOO_LARGE), position)
            return -1
        if address(PyErr_Occurred()) != 0:
            return -1
    return 0


@exported(BOX_CONSTANT)
def box_constant(constants: Ptr[PyObject], index: i64) -> Ptr[PyObject]:
    """The constant of a row at an index."""
    if address(constants) != 0:
        if unsigned_less(index, length_of(constants)):
            found = items_of(constants)[index]
            incref(found)
            return found
    return failed(PyExc_SystemError[0], text(NO_CONSTANT))


@exported(PACK)
def pack(boxes: Ptr[Ptr[PyObject]], n: i64) -> Ptr[PyObject]:
    """A tuple of `n` objects, which it takes over in any case. Null when one of them is, and an exception is set."""
    made = pointer(0, PyObject)
    if are_whole(boxes, n) != 0:
        made = PyTuple_New(n)
    for i in range(n):
        if address(made) != 0:
            PyTuple_SetItem(made, i, boxes[i])
        else:
            xdecref(boxes[i])
    return made


@exported(PACK_AS)
def pack_as(boxes: Ptr[Ptr[PyObject]], n: i64, constants: Ptr[PyObject], index: i64) -> Ptr[PyObject]:
    """As `pack`, of the class of tuples that is the constant of a row at an index."""
    kind = pointer(0, PyObject)
    if address(constants) != 0:
        if unsigned_less(index, length_of(constants)):
            kind = items_of(constants)[index]
    made = pointer(0, PyObject)
    if address(kind) == 0:
        made = failed(PyExc_SystemError[0], text(NO_CONSTANT))
    elif are_whole(boxes, n) != 0:
        made = tuple_as(kind, n)
    for i in range(n):
        if address(made) != 0:
            items_of(made)[i] = boxes[i]
        else:
            xdecref(boxes[i])
    return made


def tuple_as(kind: Ptr[PyObject], n: i64) -> Ptr[PyObject]:
    """A new tuple of a class, with null for its `n` items; they must be put there before anything else happens."""
    made = PyType_GenericAlloc(kind, n)
    if HAS_HASH and address(made) != 0:
        pointer_cast(items_of(made), i64)[-1] = -1
    return made


def are_whole(boxes: Ptr[Ptr[PyObject]], n: i64) -> i64:
    """1: none of them is null."""
    for i in range(n):
        if address(boxes[i]) == 0:
            return 0
    return 1


@exported(BOX_SIZE)
def box_size(impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """A Size (a rank-1 int64 tensor, taken over) as a tuple of ints."""
    if address(impl) == 0:
        return failed(PyExc_SystemError[0], text(NO_TENSOR))
    made = ints(pointer_cast(impl.data, i64), impl.numel)
    impl_release(impl)
    return made


@exported(BOX_FUTURE)
def box_future(future: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """The object of a future, whose reference it takes over in any case."""
    number = PyLong_FromVoidPtr(pointer_cast(future, Void))
    if address(number) != 0:
        made = PyObject_CallOneArg(FUTURE_HOOK[0], number)
        Py_DecRef(number)
        if address(made) != 0:
            return made
    impl_release(future)
    return pointer(0, PyObject)


@exported(UNBOX_FUTURE)
def unbox_future(o: Ptr[PyObject]) -> Ptr[Void]:
    """The future behind an object, borrowed; null with an exception set."""
    number = PyObject_GetAttrString(o, text("_native"))
    if address(number) == 0:
        return pointer(0, Void)
    future = PyLong_AsVoidPtr(number)
    Py_DecRef(number)
    return future


@exported(KEEP)
def keep_unless(o: Ptr[PyObject], is_failed: i64) -> Ptr[PyObject]:
    """The result of a call, owned: itself, or null when the call failed in the end."""
    if is_failed == 0:
        return o
    xdecref(o)
    return pointer(0, PyObject)


FUNCTIONS = (unbox_int, box_constant, pack, pack_as, box_size, box_future, unbox_future, keep_unless)
