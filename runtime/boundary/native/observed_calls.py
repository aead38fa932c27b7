"""Calls from Python while something is watched: the observed variant of the code, and the record of the call.

A call that hits a row of a signature table asks one word, `records.WATCHING`: only when that is not 0 does
`run_observed` run. It counts the call down, runs the observed variant of the code, which is made when it is first
needed, and opens and closes the record of the call.
"""

from __future__ import annotations

from tscript.abi.dispatch import DispatchKind
from tscript.abi.record import HOOK_NAMES
from tscript.dialect import (
    Ptr,
    PyFloat,
    PyObject,
    PyTensor,
    Record,
    ThreadState,
    Unit,
    Void,
    address,
    atomic_acquire,
    b8,
    bitcast,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
    u8,
)
from tscript.dialect.linkage import COLD, FRAMED, NOINLINE, c_signature, internal
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_None,
    Py_True,
    PyBool_Type,
    PyFloat_Type,
    PyLong_AsLongLongAndOverflow,
    PyLong_Type,
    PyObject_CallFunction,
)
from tscript.runtime.boundary.native.records import HOOKS, close_record, due, open_record, unwind
from tscript.runtime.boundary.native.table import TENSOR_TYPE
from tscript.runtime.boundary.native.thread import watcher

MAX_CELLS = 32
"""Arguments of a call from Python that its record shows, at most."""

BUILD = HOOK_NAMES.index("build")
NONE = int(DispatchKind.NONE)
INT = int(DispatchKind.INT)
FLOAT = int(DispatchKind.FLOAT)
BOOL = int(DispatchKind.BOOL)
TENSOR = int(DispatchKind.TENSOR)
OBJECT = int(DispatchKind.OBJECT)

STUB = c_signature(Ptr[PyObject], Ptr[Void], Ptr[Ptr[PyObject]], Ptr[PyObject])
"""``stub(code, arguments, constants)``."""


def describe(o: Ptr[PyObject], kind: Ptr[u8], cell: Ptr[i64]) -> None:
    """One object as a kind and a cell, borrowed."""
    found = o.type
    if found == TENSOR_TYPE[0]:
        kind[0] = TENSOR
        cell[0] = address(pointer_cast(o, PyTensor).impl)
    elif found == PyFloat_Type:
        kind[0] = FLOAT
        cell[0] = bitcast(pointer_cast(o, PyFloat).value, i64)
    elif found == PyBool_Type:
        kind[0] = BOOL
        cell[0] = i64(o == Py_True)
    elif o == Py_None:
        kind[0] = NONE
        cell[0] = 0
    elif found == PyLong_Type and is_stored(o, cell):
        kind[0] = INT
    else:
        kind[0] = OBJECT
        cell[0] = address(o)


def is_stored(o: Ptr[PyObject], cell: Ptr[i64]) -> b8:
    """Store an int in a cell; False: it does not fit."""
    overflow = stack(1, i32)
    number = PyLong_AsLongLongAndOverflow(o, overflow)
    if overflow[0] != 0:
        return False
    cell[0] = number
    return True


@internal(NOINLINE, COLD, FRAMED)
def run_observed(
    unit: Ptr[Unit], stub: Ptr[Void], code: Ptr[Void], constants: Ptr[PyObject], args: Ptr[Ptr[PyObject]], n: i64
) -> Ptr[PyObject]:
    """Run a stub with the observed variant of its code; with the code itself where nobody watches this thread, or there
    is no such variant."""
    t = pointer(0, ThreadState)
    if address(unit) != 0:
        t = watcher()
    if address(t) == 0:
        return STUB(stub, code, args, constants)
    granularity = t.granularity
    variant = unit.observed + granularity
    observed = atomic_acquire(variant)
    if address(observed) == 0:
        built = PyObject_CallFunction(HOOKS[BUILD], text("OL"), unit.source, granularity)
        if address(built) == 0:
            return built
        Py_DecRef(built)
        observed = atomic_acquire(variant)
        if address(observed) == 0:
            return STUB(stub, code, args, constants)
    site = unit.site
    saved = t.open
    kinds = stack(MAX_CELLS, u8)
    cells = stack(MAX_CELLS, i64)
    record = pointer(0, Record)
    if due(t, i64(site.scope)):
        shown = select(n > MAX_CELLS, i64(MAX_CELLS), n)
        for i in range(shown):
            describe(args[i], kinds + i, cells + i)
        record = open_record(t, site, kinds, cells, shown)
    result = STUB(stub, observed, args, constants)
    # An operator that raised left its record open, and its guard.
    t.guard = 0
    unwind(t, saved)
    if address(record) != 0:
        if address(result) != 0:
            describe(result, kinds, cells)
        close_record(t, record, i64(address(result) == 0), kinds, cells, 1)
    return result
