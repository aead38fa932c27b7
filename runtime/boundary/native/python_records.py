"""Records as Python callbacks get them, and calls of such callbacks.

A Python record is an object of a native type without a dict (`tscript.abi.boundary.PY_RECORD`). It is made for the
first Python callback of a record, kept in it, and given up behind the last. What callbacks raise goes to a hook and
never further.
"""

from __future__ import annotations

from tscript.abi.boundary import RECORD_OBJECTS
from tscript.abi.record import HOOK_NAMES
from tscript.dialect import (
    Callback,
    Ptr,
    PyObject,
    PyRecord,
    Record,
    Void,
    address,
    field,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
)
from tscript.dialect.linkage import COLD, NOINLINE, exported, internal, variable
from tscript.runtime.boundary.native.failures import forget
from tscript.runtime.boundary.native.objects import decref, incref, items_of, xdecref
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_IsInitialized,
    Py_None,
    Py_True,
    PyErr_Fetch,
    PyErr_NormalizeException,
    PyErr_Restore,
    PyErr_SetInterrupt,
    PyGILState_Ensure,
    PyGILState_Release,
    PyObject_CallFunction,
    PyObject_CallOneArg,
    PyObject_Free,
    PyObject_Vectorcall,
    PyType_GenericAlloc,
)
from tscript.runtime.boundary.native.record_values import EMPTY, values
from tscript.runtime.boundary.native.records import HOOKS

OF_SITE = RECORD_OBJECTS.index("inputs")
"""How many of them, the first ones, come from the site."""
OBJECT_COUNT = len(RECORD_OBJECTS)
SITE = HOOK_NAMES.index("site")
FAULT = HOOK_NAMES.index("fault")

MISSED = -1
"""In place of a context: there was no record to show."""

RECORD_TYPE = variable("tsb_record_type", Ptr[PyObject], exported=True)
VARIABLES = (RECORD_TYPE,)


def python_record(record: Ptr[Record]) -> Ptr[PyRecord]:
    """The Python record of a record, which keeps it; null without an exception when there is none to be had."""
    known = pointer_cast(record.python, PyRecord)
    if address(known) == 0:
        return new_record(record)
    # The callback that it was made for need not have asked for inputs.
    if known.inputs == EMPTY[0]:
        known.inputs = values(record.kinds, record.num_cells, record.inputs)
        decref(EMPTY[0])
    return known


def new_record(record: Ptr[Record]) -> Ptr[PyRecord]:
    """A Python record, as `python_record` gives it."""
    site = record.site
    if address(site.python) == 0:
        asked = PyObject_CallFunction(HOOKS[SITE], text("(L)"), address(site))
        if address(asked) == 0:
            forget()
            return pointer(0, PyRecord)
        site.python = pointer_cast(asked, Void)
    made = pointer_cast(PyType_GenericAlloc(RECORD_TYPE[0], 0), PyRecord)
    if address(made) == 0:
        forget()
        return made
    shared = items_of(pointer_cast(site.python, PyObject))
    objects = field(made, "name")
    for i in range(OF_SITE):
        incref(shared[i])
        objects[i] = shared[i]
    made.inputs = values(record.kinds, record.num_cells, record.inputs)
    nothing = EMPTY[0]
    incref(nothing)
    made.outputs = nothing
    made.line = i64(site.line)
    count = i64(site.num_inputs)
    made.num_inputs = select(count < 0, record.num_cells, count)
    made.thread_id = record.thread_id
    made.id = record.id
    made.sequence_nr = record.sequence_nr
    record.python = pointer_cast(made, Void)
    return made


@internal(NOINLINE, COLD)
def fault(callback: Ptr[Callback]) -> None:
    """Tell the hook what a callback raised."""
    fetched = stack(3, Ptr[PyObject])
    PyErr_Fetch(fetched, fetched + 1, fetched + 2)
    PyErr_NormalizeException(fetched, fetched + 1, fetched + 2)
    error = select(address(fetched[1]) == 0, Py_None, fetched[1])
    answer = PyObject_CallFunction(HOOKS[FAULT], text("LO"), address(callback), error)
    forget()
    # It was Ctrl-C, which belongs to the program.
    if answer == Py_True:
        PyErr_SetInterrupt()
    xdecref(answer)
    for i in range(3):
        xdecref(fetched[i])


@exported("ts_python_enter_v1")
def enter(record: Ptr[Record], callback: Ptr[Callback]) -> i64:
    """Call a callback's enter.

    Returns:
        What it returned, as a number that owns it; 0: nothing; `MISSED`.
    """
    if Py_IsInitialized() == 0:
        return 0
    state = PyGILState_Ensure()
    before = stack(3, Ptr[PyObject])
    PyErr_Fetch(before, before + 1, before + 2)
    shown = pointer_cast(python_record(record), PyObject)
    context = pointer(0, PyObject)
    f = pointer_cast(callback.enter, PyObject)
    if address(shown) != 0 and address(f) != 0:
        # The callback may remove itself, and with it the last reference to this function.
        incref(f)
        context = PyObject_CallOneArg(f, shown)
        decref(f)
        if address(context) == 0:
            fault(callback)
    PyErr_Restore(before[0], before[1], before[2])
    PyGILState_Release(state)
    return select(address(shown) == 0, i64(MISSED), address(context))


@exported("ts_python_exit_v1")
def exit(record: Ptr[Record], callback: Ptr[Callback], number: i64, last: i64) -> None:
    """Call a callback's exit, and give back what `enter` returned.

    Args:
        record: What ends.
        callback: Null when it was removed meanwhile: it is not called.
        number: What `enter` returned.
        last: Not 0: no callback sees the record after this one.
    """
    if Py_IsInitialized() == 0:
        return
    state = PyGILState_Ensure()
    before = stack(3, Ptr[PyObject])
    PyErr_Fetch(before, before + 1, before + 2)
    if number != MISSED:
        context = pointer(number, PyObject)
        if address(callback) != 0:
            leave(record, callback, context)
        xdecref(context)
    if last != 0:
        give_up(record)
    PyErr_Restore(before[0], before[1], before[2])
    PyGILState_Release(state)


def leave(record: Ptr[Record], callback: Ptr[Callback], context: Ptr[PyObject]) -> None:
    """Call a callback's exit, if it has one."""
    f = pointer_cast(callback.exit, PyObject)
    if address(f) == 0:
        return
    shown = python_record(record)
    if address(shown) == 0:
        return
    shown.failed = record.failed
    if address(record.outputs) != 0:
        outputs = values(record.output_kinds, record.num_output_cells, record.outputs)
        before = shown.outputs
        shown.outputs = outputs
        xdecref(before)
    arguments = stack(2, Ptr[PyObject])
    arguments[0] = pointer_cast(shown, PyObject)
    arguments[1] = select(address(context) == 0, Py_None, context)
    incref(f)
    result = PyObject_Vectorcall(f, arguments, 2, pointer(0, PyObject))
    decref(f)
    if address(result) == 0:
        fault(callback)
    else:
        decref(result)


def give_up(record: Ptr[Record]) -> None:
    """Give the Python record up. One that a callback keeps does not keep tensors."""
    shown = pointer_cast(record.python, PyRecord)
    record.python = pointer(0, Void)
    if address(shown) != 0:
        empty(field(shown, "inputs"))
        empty(field(shown, "outputs"))
        decref(pointer_cast(shown, PyObject))


def empty(place: Ptr[Ptr[PyObject]]) -> None:
    """Put the empty tuple in the place of values."""
    before = place[0]
    nothing = EMPTY[0]
    if before != nothing:
        incref(nothing)
        place[0] = nothing
        xdecref(before)


@exported("tsb_record_dealloc")
def dealloc(self: Ptr[PyRecord]) -> None:
    """The last reference is gone."""
    objects = field(self, "name")
    for i in range(OBJECT_COUNT):
        xdecref(objects[i])
    kind = self.type
    PyObject_Free(pointer_cast(self, PyObject))
    Py_DecRef(kind)


FUNCTIONS = (enter, exit, dealloc)
