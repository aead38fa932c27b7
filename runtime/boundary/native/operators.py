"""What other people's C functions meet: custom operators and custom allocators.

What an operator calls (``ts_operator_raise_v1``), what compiled code calls around one, and calls through the function
pointers of an allocator (`tscript.runtime.session.allocators`).
"""

from __future__ import annotations

from tscript.abi.layout import ALIGNMENT
from tscript.dialect import (
    Allocator,
    Context,
    Ptr,
    PyObject,
    TensorImpl,
    Void,
    address,
    i32,
    i64,
    pointer,
    select,
    text,
)
from tscript.dialect.linkage import COLD, NOINLINE, c_function, c_signature, exported, internal
from tscript.runtime.boundary.native.failures import PYTHON, RAISED
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_IsInitialized,
    PyDict_GetItemString,
    PyErr_Clear,
    PyErr_Format,
    PyErr_SetObject,
    PyEval_GetBuiltins,
    PyEval_RestoreThread,
    PyExc_Exception,
    PyExc_RuntimeError,
    PyGILState_Ensure,
    PyGILState_Release,
    PyObject_IsSubclass,
    PyUnicode_DecodeUTF8,
)
from tscript.runtime.boundary.native.tensor import impl_release

UNSAID = "%s failed with status %d without saying why"
BLOCK_ALIGNMENT = ALIGNMENT

VARIABLES = ()

strlen = c_function("strlen", i64, Ptr[Void])
ALLOCATE = c_signature(Ptr[Void], i64, i64, Ptr[Void])
"""``allocate(nbytes, alignment, user)``."""
FREE = c_signature(None, Ptr[Void], i64, Ptr[Void])
"""``free(block, nbytes, user)``."""


def exception_class(name: Ptr[Void]) -> Ptr[PyObject]:
    """A builtin class of exceptions by name; RuntimeError for anything else."""
    if address(name) != 0:
        found = PyDict_GetItemString(PyEval_GetBuiltins(), name)
        if address(found) != 0:
            if PyObject_IsSubclass(found, PyExc_Exception[0]) == 1:
                return found
    PyErr_Clear()
    return PyExc_RuntimeError[0]


@internal(NOINLINE, COLD)
def set_error(name: Ptr[Void], message: Ptr[Void]) -> None:
    """Set an exception of the class `name` with a message in UTF-8, or null."""
    kind = exception_class(name)
    shown = select(address(message) == 0, text(""), message)
    decoded = PyUnicode_DecodeUTF8(shown, strlen(shown), text("replace"))
    if address(decoded) != 0:
        PyErr_SetObject(kind, decoded)
        Py_DecRef(decoded)


@exported("ts_operator_raise_v1", NOINLINE, COLD)
def operator_raise(context: Ptr[Context], name: Ptr[Void], message: Ptr[Void]) -> i32:
    """What an operator in C calls to raise; may be called with or without the GIL."""
    held = context.thread_state
    if address(held) != 0:
        # The GIL stays held: the caller unwinds into Python.
        PyEval_RestoreThread(held)
        context.thread_state = pointer(0, Void)
        set_error(name, message)
        return PYTHON
    state = PyGILState_Ensure()
    set_error(name, message)
    PyGILState_Release(state)
    return PYTHON


@exported("ts_operator_failed_v1")
def operator_failed(context: Ptr[Context], name: Ptr[Void], status: i32) -> i32:
    """A status of an operator in C, made one that native code leaves with."""
    if status == 0 or status == PYTHON:
        return status
    if status == RAISED:
        if context.ntrace != 0:
            return status
    held = context.thread_state
    if address(held) != 0:
        PyEval_RestoreThread(held)
        context.thread_state = pointer(0, Void)
        PyErr_Format(PyExc_RuntimeError[0], text(UNSAID), name, status)
        return PYTHON
    state = PyGILState_Ensure()
    PyErr_Format(PyExc_RuntimeError[0], text(UNSAID), name, status)
    PyGILState_Release(state)
    return PYTHON


@exported("ts_operator_drop_v1")
def operator_drop(context: Ptr[Context], impl: Ptr[TensorImpl]) -> i32:
    """Drop a tensor, or null, that an operator gave."""
    if address(impl) != 0:
        impl_release(impl)
    return 0


@exported("ts_foreign_allocate_v1")
def foreign_allocate(allocator: Ptr[Allocator], nbytes: i64) -> i64:
    """The address of a block of an allocator, or 0."""
    if Py_IsInitialized() == 0:
        return 0
    return address(ALLOCATE(allocator.allocate, nbytes, i64(BLOCK_ALIGNMENT), allocator.user))


@exported("ts_foreign_free_v1")
def foreign_free(allocator: Ptr[Allocator], block: Ptr[Void], nbytes: i64) -> None:
    """Give a block back. When the interpreter is gone a callback may need it: what is left goes with the process."""
    if Py_IsInitialized() != 0:
        FREE(allocator.free, block, nbytes, allocator.user)


FUNCTIONS = (operator_raise, operator_failed, operator_drop, foreign_allocate, foreign_free)
