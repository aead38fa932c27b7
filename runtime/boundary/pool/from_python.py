"""What Python calls of the inter-op pool, with the GIL held."""

from __future__ import annotations

from tscript.dialect import Context, Future, Ptr, PyObject, Void, address, i32, pointer, stack
from tscript.dialect.linkage import exported
from tscript.runtime.boundary.native.objects import incref
from tscript.runtime.boundary.native.python_api import Py_None, PyEval_RestoreThread, PyThread_allocate_lock
from tscript.runtime.boundary.pool.futures import DEPTH, begin, declare_type
from tscript.runtime.boundary.pool.imports import fail
from tscript.runtime.boundary.pool.python_tasks import new_python_task
from tscript.runtime.boundary.pool.queue import LOCK
from tscript.runtime.boundary.pool.waiting import declare_sites, wait_for
from tscript.runtime.boundary.pool.workers import fork_future

VARIABLES = ()


@exported("tsp_start")
def start() -> i32:
    """Make the pool ready, once before all else; 0: there is no memory for its lock."""
    declare_type()
    declare_sites()
    if address(LOCK[0]) == 0:
        LOCK[0] = PyThread_allocate_lock()
    return i32(address(LOCK[0]) != 0)


@exported("tsp_fork_python")
def fork_python(called: Ptr[PyObject], arguments: Ptr[PyObject], keywords: Ptr[PyObject]) -> Ptr[Future]:
    """Fork ``called(*arguments, **keywords)``; the new future, or null with an exception set."""
    context = stack(1, Context)
    out = stack(1, Ptr[Future])
    begin(context, DEPTH, pointer(0, Void))
    status = new_python_task(context, called, arguments, keywords, out)
    if status != 0:
        fail(context, status)
        return pointer(0, Future)
    fork_future(context, out[0])
    return out[0]


@exported("tsp_wait_python")
def wait_python(future: Ptr[Future]) -> Ptr[PyObject]:
    """Wait for a task: None, or null with its exception set."""
    context = stack(1, Context)
    begin(context, DEPTH, pointer(0, Void))
    status = wait_for(context, future)
    if address(context.thread_state) != 0:
        PyEval_RestoreThread(context.thread_state)
    if status != 0:
        return fail(context, status)
    incref(Py_None)
    return Py_None


FUNCTIONS = (start, fork_python, wait_python)
