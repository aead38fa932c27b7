"""What native code calls back: the GIL, safepoints, operators that it dispatches to Python."""

from __future__ import annotations

from tscript.abi.layout import OFFERED
from tscript.dialect import (
    Context,
    Ptr,
    PyObject,
    Void,
    address,
    atomic_relaxed,
    atomic_store,
    atomic_store_relaxed,
    i32,
    i64,
    pointer,
    stack,
    text,
    u8,
)
from tscript.dialect.linkage import exported, variable
from tscript.runtime.boundary.native.boxes import pack
from tscript.runtime.boundary.native.failures import PYTHON, SILENT
from tscript.runtime.boundary.native.heap import keep_first_heap
from tscript.runtime.boundary.native.objects import failed
from tscript.runtime.boundary.native.operator_calls import operator_call
from tscript.runtime.boundary.native.parallel_state import SIGNALLED
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_IsInitialized,
    PyErr_CheckSignals,
    PyEval_RestoreThread,
    PyEval_SaveThread,
    PyExc_RecursionError,
    PyExc_SystemError,
    PyGILState_Check,
    PyGILState_Ensure,
    PyGILState_Release,
    PyInterpreterState_Get,
    PyInterpreterState_ThreadHead,
    PyLong_FromLongLong,
    PyObject_Call,
    PyObject_CallFunction,
    PyThreadState_Next,
)
from tscript.runtime.boundary.native.python_calls import NOT_HERE, python_call
from tscript.runtime.boundary.native.tasks import task_safepoint
from tscript.runtime.boundary.native.tensor import CONCURRENT
from tscript.runtime.boundary.native.thread import stack_left

PYTHON_STACK = 24 << 10
"""Bytes of stack that have to be left for a call: what is called may be compiled code again, and it may raise."""

DEEP = "maximum recursion depth exceeded: the stack is used up"

DISPATCH_HOOK = variable("tsb_dispatch_hook", Ptr[PyObject], exported=True)
"""``hook(context, name, nargs, kinds, args, out)``, all ints; it stores the result behind out."""
HOT_HOOK = variable("tsb_hot_hook", Ptr[PyObject], exported=True)
"""``hook(address of the tier)``."""
VARIABLES = (DISPATCH_HOOK, HOT_HOOK)


def let_go(context: Ptr[Context]) -> None:
    """Give the GIL away."""
    if atomic_relaxed(CONCURRENT) == 0:
        keep_first_heap()
        atomic_store(CONCURRENT, 1)
    context.thread_state = PyEval_SaveThread()


@exported("ts_release_gil_v1")
def release_gil(context: Ptr[Context]) -> i32:
    """Give the GIL away if this thread holds it. A thread the interpreter does not know has none to give."""
    if address(context.thread_state) == 0:
        if PyGILState_Check() != 0:
            let_go(context)
    return 0


@exported("ts_let_others_run_v1")
def let_others_run(context: Ptr[Context]) -> None:
    """Give the GIL away if this thread holds it and the interpreter has another thread. The call counts its work from
    now on, or never again."""
    context.work = OFFERED
    if address(context.thread_state) == 0:
        if PyGILState_Check() != 0:
            context.work = 0
            threads = PyInterpreterState_ThreadHead(PyInterpreterState_Get())
            if address(PyThreadState_Next(threads)) != 0:
                context.work = OFFERED
                let_go(context)


@exported("ts_safepoint_v1")
def safepoint(context: Ptr[Context]) -> i32:
    """Let signals and other threads in."""
    held = context.thread_state
    if address(held) == 0:
        if PyGILState_Check() == 0:
            return task_safepoint(context)
    else:
        PyEval_RestoreThread(held)
        context.thread_state = pointer(0, Void)
    if PyErr_CheckSignals() != 0:
        # The GIL stays held: the caller unwinds into Python.
        atomic_store_relaxed(SIGNALLED, address(context))
        return PYTHON
    let_go(context)
    return 0


@exported("ts_drop_owner_v1")
def drop_owner(o: Ptr[PyObject]) -> None:
    """Drop a reference to a Python object, or null, from any thread."""
    if Py_IsInitialized() != 0:
        if address(o) != 0:
            state = PyGILState_Ensure()
            Py_DecRef(o)
            PyGILState_Release(state)


def ask(context: Ptr[Context], name: Ptr[Void], nargs: i64, kinds: Ptr[u8], args: Ptr[i64], out: Ptr[i64]) -> i32:
    """Run an operator in Python, with the GIL held."""
    # Python looks at the depth of calls alone.
    if stack_left() < PYTHON_STACK:
        failed(PyExc_RecursionError[0], text(DEEP))
        return PYTHON
    status = python_call(name, nargs, kinds, args, out)
    if status == NOT_HERE:
        status = operator_call(name, nargs, kinds, args, out)
    if status != NOT_HERE:
        return status
    hook = DISPATCH_HOOK[0]
    if address(hook) == 0:
        failed(PyExc_SystemError[0], text(SILENT))
        return PYTHON
    boxes = stack(6, Ptr[PyObject])
    boxes[0] = PyLong_FromLongLong(address(context))
    boxes[1] = PyLong_FromLongLong(address(name))
    boxes[2] = PyLong_FromLongLong(nargs)
    boxes[3] = PyLong_FromLongLong(address(kinds))
    boxes[4] = PyLong_FromLongLong(address(args))
    boxes[5] = PyLong_FromLongLong(address(out))
    arguments = pack(boxes, 6)
    if address(arguments) == 0:
        return PYTHON
    done = PyObject_Call(hook, arguments, pointer(0, PyObject))
    Py_DecRef(arguments)
    if address(done) == 0:
        return PYTHON
    Py_DecRef(done)
    return 0


@exported("ts_dispatch_v1")
def dispatch(context: Ptr[Context], name: Ptr[Void], nargs: i64, kinds: Ptr[u8], args: Ptr[i64], out: Ptr[i64]) -> i32:
    """Run an operator in Python; takes the GIL if this thread gave it away."""
    held = context.thread_state
    if address(held) != 0:
        # This thread gave the GIL away itself: take it back and keep what is set meanwhile.
        PyEval_RestoreThread(held)
        context.thread_state = pointer(0, Void)
        status = ask(context, name, nargs, kinds, args, out)
        if status == 0:
            context.thread_state = PyEval_SaveThread()
        return status
    state = PyGILState_Ensure()
    status = ask(context, name, nargs, kinds, args, out)
    # The exception belongs to this thread's state, so one that had no GIL keeps it until the error is taken.
    if (status == 0) | (state == 0):
        PyGILState_Release(state)
    return status


def tell_hot(tier: Ptr[i64]) -> i32:
    """Call the hook, with the GIL held; it raises what a handler of signals raised."""
    hook = HOT_HOOK[0]
    if address(hook) == 0:
        return 0
    done = PyObject_CallFunction(hook, text("L"), address(tier))
    if address(done) == 0:
        return PYTHON
    Py_DecRef(done)
    return 0


@exported("ts_hot_v1")
def hot(context: Ptr[Context], tier: Ptr[i64]) -> i32:
    """Quick code ran often enough: ask for better code. Holds the GIL meanwhile, like `dispatch`."""
    if Py_IsInitialized() == 0:
        return 0
    held = context.thread_state
    if address(held) != 0:
        PyEval_RestoreThread(held)
        context.thread_state = pointer(0, Void)
        status = tell_hot(tier)
        if status == 0:
            context.thread_state = PyEval_SaveThread()
        return status
    state = PyGILState_Ensure()
    status = tell_hot(tier)
    if (status == 0) | (state == 0):
        PyGILState_Release(state)
    return status


FUNCTIONS = (release_gil, let_others_run, safepoint, drop_owner, dispatch, hot)
