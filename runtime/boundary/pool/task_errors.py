"""How a task failed: kept in its future where it ends, raised again where somebody waits for it.

What native code raised is in the context of the task (`Status.RAISED`), a Python exception in the state of its thread
(`Status.PYTHON`).
"""

from __future__ import annotations

from tscript.abi.layout import CONTEXT, FUTURE
from tscript.dialect import (
    Context,
    Future,
    Object,
    Ptr,
    PyObject,
    Site,
    address,
    field,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    stack,
)
from tscript.dialect.linkage import COLD, NOINLINE, internal, variable
from tscript.runtime.boundary.native.objects import incref
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_None,
    PyErr_Clear,
    PyErr_Fetch,
    PyErr_NormalizeException,
    PyErr_Restore,
    PyException_SetTraceback,
    PyObject_CallOneArg,
)
from tscript.runtime.boundary.pool.imports import (
    drop_owner,
    object_release,
    object_retain,
    trace_hold,
    trace_leave,
)

RECORD_BYTES = 8 * FUTURE.field("record").count
ARGS_WORD = (CONTEXT.offsets["args"] - CONTEXT.offsets["ntrace"]) // 8
TRACE_WORD = (CONTEXT.offsets["trace"] - CONTEXT.offsets["ntrace"]) // 8
"""Where parts of a context lie in the record that a future keeps of it."""

COPY_HOOK = variable("tsp_copy_hook", Ptr[PyObject], exported=True)
"""``hook(exception)``: a copy of it."""
VARIABLES = (COPY_HOOK,)


def kept_trace(future: Ptr[Future]) -> Ptr[Ptr[Site]]:
    """Where a native exception went through, innermost first."""
    return pointer_cast(future.record + TRACE_WORD, Ptr[Site])


def raised_object(future: Ptr[Future]) -> Ptr[Object]:
    """The exception object that a task raised, or null: it raised a class with arguments."""
    if kept_trace(future)[0].number < 0:
        return pointer(future.record[ARGS_WORD], Object)
    return pointer(0, Object)


def keep_record(context: Ptr[Context], future: Ptr[Future]) -> None:
    """Keep what native code raised."""
    memcpy(future.record, field(context, "ntrace"), RECORD_BYTES)
    trace_hold(context, kept_trace(future), future.record[0])


def raise_record(context: Ptr[Context], future: Ptr[Future]) -> None:
    """Raise what a task raised in another context."""
    memcpy(field(context, "ntrace"), future.record, RECORD_BYTES)
    object_retain(context, raised_object(future))


@internal(NOINLINE, COLD)
def keep_exception(future: Ptr[Future]) -> None:
    """Keep the Python exception that is set; with the GIL held."""
    fetched = stack(3, Ptr[PyObject])
    for i in range(3):
        fetched[i] = pointer(0, PyObject)
    PyErr_Fetch(fetched, fetched + 1, fetched + 2)
    PyErr_NormalizeException(fetched, fetched + 1, fetched + 2)
    Py_DecRef(fetched[0])
    future.error = fetched[1]
    future.traceback = fetched[2]


@internal(NOINLINE, COLD)
def raise_exception(future: Ptr[Future], is_inside: i64) -> None:
    """Set the Python exception of a failed task; with the GIL held.

    The frames that an exception goes through hang on its traceback, and may hold the future, into which the garbage
    collector does not see: so each time a copy is raised. The frames of a task that ran inside the frames of whoever
    waited for it hold these too: so their traceback goes with the first copy.
    """
    error = future.error
    raised = PyObject_CallOneArg(COPY_HOOK[0], error)
    if address(raised) == 0:
        PyErr_Clear()
        incref(error)
        raised = error
    kind = raised.type
    incref(kind)
    traceback = future.traceback
    if is_inside != 0:
        future.traceback = pointer(0, PyObject)
        PyException_SetTraceback(error, Py_None)
    elif address(traceback) != 0:
        incref(traceback)
    PyErr_Restore(kind, raised, traceback)


def drop_record(context: Ptr[Context], future: Ptr[Future]) -> None:
    """Give up what `keep_record` kept."""
    object_release(context, raised_object(future))
    trace_leave(context, kept_trace(future), future.record[0])


def drop_exception(future: Ptr[Future]) -> None:
    """Give up what `keep_exception` kept; from any thread."""
    drop_owner(future.error)
    drop_owner(future.traceback)


FUNCTIONS = ()
