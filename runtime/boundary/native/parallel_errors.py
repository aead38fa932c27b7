"""How a chunk of a divided loop failed: of several errors that of the first chunk is kept, which is the one that the
loop would have raised on one thread."""

from __future__ import annotations

from tscript.abi.layout import CONTEXT
from tscript.dialect import (
    Context,
    Ptr,
    PyObject,
    TensorImpl,
    Void,
    address,
    atomic_cas,
    atomic_release,
    b8,
    field,
    i32,
    i64,
    memcpy,
    pause,
    pointer,
    stack,
)
from tscript.dialect.linkage import COLD, NOINLINE, internal, variable
from tscript.runtime.boundary.native.failures import PYTHON, RAISED
from tscript.runtime.boundary.native.gil import drop_owner
from tscript.runtime.boundary.native.python_api import (
    PyErr_Fetch,
    PyErr_Restore,
    PyEval_RestoreThread,
    PyEval_SaveThread,
    PyGILState_Check,
    PyGILState_Ensure,
    PyGILState_Release,
)
from tscript.runtime.boundary.native.tensor import impl_release

RECORD_BYTES = CONTEXT.offsets["countdown"] - CONTEXT.offsets["ntrace"]
UNLOCKED = 1
"""CPython's ``PyGILState_UNLOCKED``."""
NONE_FAILED = 1 << 62

FAILED_AT = variable("parallel_failed_at", i64)
"""The chunk whose error is kept, or `NONE_FAILED`; under the lock, like all that follows."""
LOCK = variable("parallel_error_lock", i64)
STATUS = variable("parallel_status", i64)
RECORD = variable("parallel_record", Context)
ERROR = variable("parallel_error", Ptr[PyObject], 3)
VARIABLES = (FAILED_AT, LOCK, STATUS, RECORD, ERROR)


def thrown(context: Ptr[Context]) -> Ptr[Void]:
    """The exception object that was raised, or null: it was a class with arguments."""
    if context.trace[0].number < 0:
        return pointer(context.args[0], Void)
    return pointer(0, Void)


def lock() -> None:
    """Nobody else keeps an error."""
    while not atomic_cas(LOCK, 0, 1):
        pause()


def unlock() -> None:
    """The end of what `lock` began."""
    atomic_release(LOCK, 0)


@internal(NOINLINE, COLD)
def keep(context: Ptr[Context], chunk: i64, status: i32, is_python: b8) -> None:
    """Keep how a chunk failed, unless one before it did. The thread gives the GIL away that it came to.

    Args:
        is_python: Whether it is one of the interpreter's.
    """
    fetched = stack(3, Ptr[PyObject])
    for i in range(3):
        fetched[i] = pointer(0, PyObject)
    gone = pointer(0, Void)
    if status == PYTHON:
        PyErr_Fetch(fetched, fetched + 1, fetched + 2)
    give_gil(context, is_python)
    lock()
    if chunk < FAILED_AT[0]:
        if FAILED_AT[0] != NONE_FAILED:
            if STATUS[0] == RAISED:
                gone = thrown(RECORD)
        FAILED_AT[0] = chunk
        STATUS[0] = i64(status)
        if status == RAISED:
            memcpy(field(RECORD, "ntrace"), field(context, "ntrace"), RECORD_BYTES)
        for i in range(3):
            before = ERROR[i]
            ERROR[i] = fetched[i]
            fetched[i] = before
    elif status == RAISED:
        gone = thrown(context)
    unlock()
    for i in range(3):
        drop_owner(fetched[i])
    if address(gone) != 0:
        impl_release(pointer(address(gone), TensorImpl))


def give_gil(context: Ptr[Context], is_python: b8) -> None:
    """Give away the GIL if the thread has it."""
    if PyGILState_Check() != 0:
        if is_python:
            context.thread_state = PyEval_SaveThread()
        else:
            PyGILState_Release(UNLOCKED)


def collect(context: Ptr[Context]) -> i32:
    """Raise what was kept, when all chunks are done; 0: nothing was."""
    if FAILED_AT[0] == NONE_FAILED:
        return 0
    status = i32(STATUS[0])
    if status == PYTHON:
        state = context.thread_state
        if address(state) != 0:
            PyEval_RestoreThread(state)
            context.thread_state = pointer(0, Void)
        elif PyGILState_Check() == 0:
            PyGILState_Ensure()
        PyErr_Restore(ERROR[0], ERROR[1], ERROR[2])
        for i in range(3):
            ERROR[i] = pointer(0, PyObject)
    else:
        memcpy(field(context, "ntrace"), field(RECORD, "ntrace"), RECORD_BYTES)
    return status


FUNCTIONS = ()
