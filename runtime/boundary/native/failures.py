"""Errors of native code as Python exceptions: a status that is not 0 becomes the exception it means; and what becomes
of exceptions that nobody is to see."""

from __future__ import annotations

from tscript.abi.helpers import FAIL, FAIL_IN
from tscript.abi.status import Status
from tscript.dialect import Context, Ptr, PyObject, Void, address, i32, pointer, pointer_cast, stack, text
from tscript.dialect.linkage import COLD, NOINLINE, exported, internal, variable
from tscript.runtime.boundary.native.objects import failed, xdecref
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    PyErr_Clear,
    PyErr_Fetch,
    PyErr_GivenExceptionMatches,
    PyErr_NormalizeException,
    PyErr_Occurred,
    PyErr_Restore,
    PyErr_SetInterrupt,
    PyErr_SetObject,
    PyExc_BaseException,
    PyExc_KeyboardInterrupt,
    PyExc_SystemError,
    PyException_GetTraceback,
    PyException_SetTraceback,
    PyLong_FromVoidPtr,
    PyObject_CallFunctionObjArgs,
    PyObject_IsInstance,
    PyObject_Vectorcall,
)

SILENT = "native code failed without setting an exception"
NO_EXCEPTION = "the hook of native errors did not return an exception"
RAISED = int(Status.RAISED)
PYTHON = int(Status.PYTHON)

RAISE_HOOK = variable("tsb_raise_hook", Ptr[PyObject], exported=True)
"""``hook(context, marshal)``: the exception of a context."""
TRACE_HOOK = variable("tsb_trace_hook", Ptr[PyObject], exported=True)
"""``hook(context, exception)``: adds the scripted lines it came through to its traceback."""
FETCH_HOOK = variable("tsb_fetch_hook", Ptr[PyObject], exported=True)
"""``hook(context, exception)``: keeps a Python exception that compiled code catches, and writes into the context what a
``raise`` would have."""
VARIABLES = (RAISE_HOOK, TRACE_HOOK, FETCH_HOOK)


@exported(FAIL, NOINLINE, COLD)
def fail(context: Ptr[Context], status: i32) -> Ptr[PyObject]:
    """Set the exception of a status that is not 0; null."""
    return fail_in(context, status, pointer(0, Void))


@exported(FAIL_IN, NOINLINE, COLD)
def fail_in(context: Ptr[Context], status: i32, marshal: Ptr[Void]) -> Ptr[PyObject]:
    """The same in a call that has a Marshal, or null."""
    if status == RAISED:
        build(context, marshal)
    elif address(PyErr_Occurred()) == 0:
        failed(PyExc_SystemError[0], text(SILENT))
    elif context.ntrace != 0:
        extend(context)
    return pointer(0, PyObject)


def build(context: Ptr[Context], marshal: Ptr[Void]) -> None:
    """Set the exception that a context tells."""
    hook = RAISE_HOOK[0]
    if address(hook) == 0:
        failed(PyExc_SystemError[0], text(SILENT))
        return
    arguments = stack(2, Ptr[PyObject])
    arguments[0] = PyLong_FromVoidPtr(pointer_cast(context, Void))
    if address(arguments[0]) == 0:
        return
    arguments[1] = PyLong_FromVoidPtr(marshal)
    if address(arguments[1]) == 0:
        Py_DecRef(arguments[0])
        return
    error = PyObject_Vectorcall(hook, arguments, 2, pointer(0, PyObject))
    Py_DecRef(arguments[0])
    Py_DecRef(arguments[1])
    if address(error) != 0:
        if PyObject_IsInstance(error, PyExc_BaseException[0]) == 1:
            PyErr_SetObject(error.type, error)
            Py_DecRef(error)
        else:
            Py_DecRef(error)
            failed(PyExc_SystemError[0], text(NO_EXCEPTION))


def extend(context: Ptr[Context]) -> None:
    """Add the scripted lines that the exception of a callback came through to its traceback."""
    fetched = stack(3, Ptr[PyObject])
    fetch(fetched)
    where = PyLong_FromVoidPtr(pointer_cast(context, Void))
    traced = PyObject_CallFunctionObjArgs(TRACE_HOOK[0], where, fetched[1], pointer(0, PyObject))
    xdecref(where)
    xdecref(traced)
    PyErr_Clear()
    xdecref(fetched[2])
    PyErr_Restore(fetched[0], fetched[1], PyException_GetTraceback(fetched[1]))


def fetch(fetched: Ptr[Ptr[PyObject]]) -> None:
    """Take the exception that is set: its class, itself, and its traceback, which it has too."""
    PyErr_Fetch(fetched, fetched + 1, fetched + 2)
    PyErr_NormalizeException(fetched, fetched + 1, fetched + 2)
    if address(fetched[2]) != 0:
        PyException_SetTraceback(fetched[1], fetched[2])


@exported("ts_exception_fetch_v1", NOINLINE, COLD)
def fetch_exception(context: Ptr[Context]) -> i32:
    """The Python exception of this thread becomes one of native code; the status it has from then on.

    The GIL stays as it is: code that holds it goes on holding it until its next safepoint.
    """
    fetched = stack(3, Ptr[PyObject])
    fetch(fetched)
    where = PyLong_FromVoidPtr(pointer_cast(context, Void))
    done = PyObject_CallFunctionObjArgs(FETCH_HOOK[0], where, fetched[1], pointer(0, PyObject))
    xdecref(where)
    xdecref(fetched[0])
    xdecref(fetched[1])
    xdecref(fetched[2])
    if address(done) == 0:
        return PYTHON
    Py_DecRef(done)
    return RAISED


@internal(NOINLINE, COLD)
def forget() -> None:
    """Drop the exception that is set, if there is one: our own Python code raised it.

    Ctrl-C belongs to the program and is delivered again, later.
    """
    kind = PyErr_Occurred()
    if address(kind) != 0:
        is_interrupt = PyErr_GivenExceptionMatches(kind, PyExc_KeyboardInterrupt[0])
        PyErr_Clear()
        if is_interrupt != 0:
            PyErr_SetInterrupt()


FUNCTIONS = (fail, fail_in, fetch_exception)
