"""The stub that forks uniform entries (`tscript.runtime.boundary.native.uniform`), whatever their signature."""

from __future__ import annotations

from tscript.dialect import (
    Context,
    Future,
    Loaded,
    Object,
    Ptr,
    PyObject,
    TensorImpl,
    Uniform,
    Unit,
    Void,
    address,
    atomic_add_relaxed,
    field,
    function,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.dialect.linkage import c_signature, exported
from tscript.runtime.boundary.native.objects import items_of
from tscript.runtime.boundary.native.python_api import PyLong_AsVoidPtr
from tscript.runtime.boundary.native.uniform import ABSENT, CLOSE, COLON, FUTURE, OPEN, TENSOR, number
from tscript.runtime.boundary.pool.futures import DEPTH, begin, new_future
from tscript.runtime.boundary.pool.imports import (
    box_future,
    fail,
    heap_free,
    object_retain,
    put_arguments,
    tensor_release,
)
from tscript.runtime.boundary.pool.workers import fork_future

VARIABLES = ()

ENTRY = c_signature(i32, Ptr[Context], Ptr[i64])


@exported("tsp_uniform_fork")
def uniform_fork(code: Ptr[Void], args: Ptr[Ptr[PyObject]], constants: Ptr[PyObject]) -> Ptr[PyObject]:
    """Start an entry as a task; its future. The constants are those of every fork stub, and what the stub of uniform
    entries knows of the signature, which the task keeps in a cell behind its arguments."""
    given = pointer(number(items_of(constants)[3]), Uniform)
    context = stack(1, Context)
    begin(context, DEPTH, pointer(0, Void))
    out = stack(1, Ptr[Future])
    kinds = PyLong_AsVoidPtr(items_of(constants)[0])
    status = new_future(context, given.results, given.arguments + 1, function(run_uniform), kinds, out)
    if status != 0:
        return fail(context, status)
    future = out[0]
    cells = pointer_cast(future + 1, i64) + given.results
    if put_arguments(given, args, cells) != 0:
        heap_free(context, future, future.nbytes)
        return pointer(0, PyObject)
    cells[given.arguments] = address(given)
    future.code = code
    future.unit = pointer_cast(PyLong_AsVoidPtr(items_of(constants)[1]), Unit)
    future.owner = pointer_cast(PyLong_AsVoidPtr(items_of(constants)[2]), Loaded)
    if address(future.owner) != 0:
        atomic_add_relaxed(field(future.owner, "references"), 1)
    hold(context, given, cells, 1)
    fork_future(context, future)
    return box_future(pointer_cast(future, TensorImpl))


def hold(context: Ptr[Context], given: Ptr[Uniform], cells: Ptr[i64], retains: i64) -> None:
    """One reference more of each argument that has a count, or one less."""
    at = given.text
    while at[0] != COLON:
        letter = at[0]
        at = at + 1
        if (letter == OPEN) | (letter == CLOSE) | (letter == ABSENT):
            continue
        if (letter == TENSOR) | (letter == FUTURE):
            if retains != 0:
                object_retain(context, pointer(cells[0], Object))
            else:
                tensor_release(context, pointer(cells[0], TensorImpl))
        cells = cells + 1


def run_uniform(context: Ptr[Context], future: Ptr[Future]) -> i32:
    """Run a task of such a future."""
    cells = pointer_cast(future + 1, i64)
    given = given_of(future)
    status = ENTRY(future.code, context, cells)
    hold(context, given, cells + given.results, 0)
    return status


def given_of(future: Ptr[Future]) -> Ptr[Uniform]:
    """What is known of the signature, which is in its last cell."""
    end = pointer_cast(pointer_cast(future, Void) + future.nbytes, i64)
    return pointer((end - 1)[0], Uniform)


FUNCTIONS = (uniform_fork,)
