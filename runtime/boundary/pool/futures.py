"""The life of a future: made where a call is forked, freed where nobody refers to it any more.

A `Future` holds the arguments of the call and the results of the task, or how it failed (`task_errors`). The task owns
one reference until it is done.
"""

from __future__ import annotations

from tscript.abi.kinds import FutureState, TypeKind
from tscript.abi.layout import FUTURE, MAX_DEPTH, NO_STACK
from tscript.abi.status import Status
from tscript.abi.symbols import FUTURE_NEW
from tscript.dialect import (
    Context,
    Future,
    Loaded,
    Object,
    Ptr,
    PyObject,
    RecordSite,
    Site,
    TensorImpl,
    TypeInfo,
    Unit,
    Void,
    Waiter,
    address,
    atomic_add_release,
    atomic_store,
    b8,
    field,
    function,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
    text,
    u8,
)
from tscript.dialect.linkage import COLD, NOINLINE, exported, internal, variable
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_IsInitialized,
    PyErr_WriteUnraisable,
    PyGILState_Ensure,
    PyGILState_Release,
    PyLong_FromVoidPtr,
    PyObject_CallOneArg,
)
from tscript.runtime.boundary.pool.imports import (
    CONCURRENT,
    drop_owner,
    heap_allocate,
    heap_free,
    object_release,
    tensor_release,
)
from tscript.runtime.boundary.pool.queue import GENERATION
from tscript.runtime.boundary.pool.task_errors import drop_exception, drop_record

FUTURE_BYTES = FUTURE.size
FUTURE_KIND = int(TypeKind.FUTURE)
DEPTH = MAX_DEPTH
UNKNOWN_STACK = NO_STACK
PENDING = int(FutureState.PENDING)
DONE = int(FutureState.DONE)
RAISED = int(Status.RAISED)
PYTHON = int(Status.PYTHON)

TENSOR, SIZE, FUTURE_LETTER, PYTHON_OBJECT, OBJECT = map(ord, "TSFOX")
"""Letters of results that are references (`tscript.abi.signature`)."""
INT, FLOAT, BOOL, DTYPE = map(ord, "ifbd")
"""Letters of results that are not."""

TYPE = variable("future_type", TypeInfo)
"""Of futures whose type nobody declares: what walks over objects asks it for its kind."""
LOST_HOOK = variable("tsp_lost_hook", Ptr[PyObject], exported=True)
"""``hook(address)``: a task failed, and nobody waited for it."""
VARIABLES = (TYPE, LOST_HOOK)


def begin(context: Ptr[Context], depth: i64, state: Ptr[Void]) -> None:
    """Make a context ready.

    Args:
        depth: Of calls that may be made inside each other.
        state: That of the thread, which gave the GIL away; null when it did not.
    """
    context.depth = depth
    context.thread_state = state
    context.work = 0
    context.ntrace = 0
    context.countdown = 0
    context.stack = UNKNOWN_STACK
    context.at = pointer(0, Site)


def declare_type() -> None:
    """Say what futures are."""
    TYPE.drop = function(drop)
    TYPE.kind = FUTURE_KIND
    TYPE.cells = 1
    TYPE.itemsize = 8
    TYPE.name = text("Future")


@exported(FUTURE_NEW)
def new_future(
    context: Ptr[Context], results: i64, arguments: i64, run: Ptr[Void], kinds: Ptr[u8], out: Ptr[Ptr[Future]]
) -> i32:
    """A future with room for so many cells of results and of arguments. 0, or the status of an error.

    Args:
        run: What the task runs.
        kinds: What the results are.
    """
    atomic_store(CONCURRENT, 1)
    nbytes = (results + arguments) * 8 + FUTURE_BYTES
    status = heap_allocate(context, nbytes, out)
    if status != 0:
        return status
    future = out[0]
    future.refcount = 1
    future.typeinfo = pointer_cast(TYPE, Void)
    future.state = PENDING
    future.status = 0
    future.run = run
    future.kinds = kinds
    future.nbytes = nbytes
    future.waiters = pointer(0, Waiter)
    future.generation = GENERATION[0]
    future.debug_info = 0
    future.waited = 0
    future.unit = pointer(0, Unit)
    future.site = pointer(0, RecordSite)
    future.error = pointer(0, PyObject)
    future.traceback = pointer(0, PyObject)
    future.owner = pointer(0, Loaded)
    return 0


@exported("tsp_release")
def release(future: Ptr[Future]) -> None:
    """Drop one reference of a future."""
    context = stack(1, Context)
    begin(context, DEPTH, pointer(0, Void))
    tensor_release(context, pointer_cast(future, TensorImpl))


def drop(future: Ptr[Future]) -> None:
    """`TypeInfo.drop`: nobody refers to the future any more."""
    context = stack(1, Context)
    begin(context, DEPTH, pointer(0, Void))
    if future.state == DONE:
        if future.status == 0:
            drop_results(context, future)
        else:
            if future.waited == 0:
                report(future)
            if future.status == RAISED:
                drop_record(context, future)
            else:
                drop_exception(future)
    owner = future.owner
    heap_free(context, future, future.nbytes)
    if address(owner) != 0:
        atomic_add_release(field(owner, "references"), -1)


def is_counted(letter: u8) -> b8:
    """Whether results of a letter are native objects with a count, tensors among them."""
    return (letter == TENSOR) | (letter == SIZE) | (letter == FUTURE_LETTER)


def is_number(letter: u8) -> b8:
    """Whether results of a letter are a cell without a reference."""
    return (letter == INT) | (letter == FLOAT) | (letter == BOOL) | (letter == DTYPE)


def drop_results(context: Ptr[Context], future: Ptr[Future]) -> None:
    """Give up the references among the results."""
    kinds = future.kinds
    cell = pointer_cast(future + 1, i64)
    while kinds[0] != 0:
        letter = kinds[0]
        kinds = kinds + 1
        if is_counted(letter):
            tensor_release(context, pointer(cell[0], TensorImpl))
        elif letter == PYTHON_OBJECT:
            drop_owner(pointer(cell[0], PyObject))
        elif letter == OBJECT:
            object_release(context, pointer(cell[0], Object))
        elif not is_number(letter):
            # Nothing is kept of it: parentheses, None, *.
            continue
        cell = cell + 1


@internal(NOINLINE, COLD)
def report(future: Ptr[Future]) -> None:
    """Say that a task failed, and that nobody waited for it."""
    hook = LOST_HOOK[0]
    if Py_IsInitialized() == 0 or address(hook) == 0:
        return
    state = PyGILState_Ensure()
    number = PyLong_FromVoidPtr(pointer_cast(future, Void))
    done = pointer(0, PyObject)
    if address(number) != 0:
        done = PyObject_CallOneArg(hook, number)
        Py_DecRef(number)
    if address(done) == 0:
        PyErr_WriteUnraisable(hook)
    else:
        Py_DecRef(done)
    PyGILState_Release(state)


FUNCTIONS = (new_future, release)
