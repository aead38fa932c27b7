"""Python objects as the boundary holds them: references, items of tuples, and errors without arguments."""

from __future__ import annotations

from tscript.abi.python import TUPLE_ITEMS
from tscript.dialect import Ptr, PyObject, PySized, Void, address, i32, i64, pointer, pointer_cast
from tscript.dialect.linkage import ALWAYS_INLINE, internal
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    PyErr_SetString,
    PyLong_FromLongLong,
    PyTuple_New,
    PyTuple_SetItem,
)


@internal(ALWAYS_INLINE)
def incref(o: Ptr[PyObject]) -> None:
    """One more reference; immortal objects have none to count."""
    if i32(o.refcount) >= 0:
        o.refcount = o.refcount + 1


@internal(ALWAYS_INLINE)
def decref(o: Ptr[PyObject]) -> None:
    """One reference less."""
    low = i32(o.refcount)
    if low > 1:
        o.refcount = o.refcount - 1
    elif low == 1:
        Py_DecRef(o)


def xdecref(o: Ptr[PyObject]) -> None:
    """One reference less, of an object or null."""
    if address(o) != 0:
        decref(o)


@internal(ALWAYS_INLINE)
def length_of(sized: Ptr[PyObject]) -> i64:
    """Items of a tuple."""
    return pointer_cast(sized, PySized).size


@internal(ALWAYS_INLINE)
def items_of(items: Ptr[PyObject]) -> Ptr[Ptr[PyObject]]:
    """Where the items of a tuple lie."""
    return pointer_cast(pointer_cast(items, Void) + TUPLE_ITEMS, Ptr[PyObject])


@internal(ALWAYS_INLINE)
def failed(kind: Ptr[PyObject], message: Ptr[Void]) -> Ptr[PyObject]:
    """Set an exception; null."""
    PyErr_SetString(kind, message)
    return pointer(0, PyObject)


def ints(values: Ptr[i64], n: i64) -> Ptr[PyObject]:
    """A tuple of `n` ints."""
    made = PyTuple_New(n)
    if address(made) == 0:
        return made
    for i in range(n):
        item = PyLong_FromLongLong(values[i])
        if address(item) == 0:
            Py_DecRef(made)
            return item
        PyTuple_SetItem(made, i, item)
    return made
