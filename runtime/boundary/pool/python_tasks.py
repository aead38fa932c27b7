"""Tasks that call a Python object."""

from __future__ import annotations

from tscript.dialect import (
    Context,
    Future,
    Ptr,
    PyObject,
    Void,
    address,
    function,
    i32,
    pointer,
    pointer_cast,
    stack,
    u8,
)
from tscript.dialect.linkage import internal, variable
from tscript.runtime.boundary.native.objects import incref
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    PyErr_Fetch,
    PyErr_Restore,
    PyEval_RestoreThread,
    PyEval_SaveThread,
    PyGILState_Ensure,
    PyGILState_Release,
    PyObject_Call,
)
from tscript.runtime.boundary.pool.futures import PYTHON, new_future

KINDS = variable("python_task_kinds", u8, 3, initial=b"O")
"""What futures of such tasks say of their results: one Python object, of no type of the language."""
VARIABLES = (KINDS,)

UNLOCKED = 1
"""CPython's ``PyGILState_UNLOCKED``: the thread did not hold the GIL before."""


def cells_of(future: Ptr[Future]) -> Ptr[Ptr[PyObject]]:
    """The cells of a future: the result, then the object to call, its arguments and keywords."""
    return pointer_cast(future + 1, Ptr[PyObject])


def new_python_task(
    context: Ptr[Context],
    called: Ptr[PyObject],
    arguments: Ptr[PyObject],
    keywords: Ptr[PyObject],
    out: Ptr[Ptr[Future]],
) -> i32:
    """A future of ``called(*arguments, **keywords)``. 0, or the status of an error."""
    status = new_future(context, 1, 3, function(run_python), KINDS, out)
    if status != 0:
        return status
    cells = cells_of(out[0])
    incref(called)
    cells[1] = called
    incref(arguments)
    cells[2] = arguments
    incref(keywords)
    cells[3] = keywords
    return 0


def drop_call(cells: Ptr[Ptr[PyObject]]) -> None:
    """Give up what was called with what."""
    for i in range(1, 4):
        Py_DecRef(cells[i])


def run_python(context: Ptr[Context], future: Ptr[Future]) -> i32:
    """What the task runs; its status. With `PYTHON` the GIL stays held, as everywhere."""
    state = context.thread_state
    if address(state) == 0:
        PyGILState_Ensure()
    else:
        PyEval_RestoreThread(state)
        context.thread_state = pointer(0, Void)
    cells = cells_of(future)
    result = PyObject_Call(cells[1], cells[2], cells[3])
    cells[0] = result
    if address(result) == 0:
        drop_failed_call(cells)
        return PYTHON
    drop_call(cells)
    if address(state) == 0:
        PyGILState_Release(UNLOCKED)
    else:
        context.thread_state = PyEval_SaveThread()
    return 0


@internal()
def drop_failed_call(cells: Ptr[Ptr[PyObject]]) -> None:
    """The same where it raised: what destructors of arguments do must not touch the exception."""
    fetched = stack(3, Ptr[PyObject])
    PyErr_Fetch(fetched, fetched + 1, fetched + 2)
    drop_call(cells)
    PyErr_Restore(fetched[0], fetched[1], fetched[2])


FUNCTIONS = ()
