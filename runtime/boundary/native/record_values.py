"""Values of a record as Python objects: what `Boundary.values` does, for the kinds that are common.

A callback that asked for inputs gets them for every operator, so numbers and tensors are boxed here. Records with
values of any other kind (tuples, strings, dtypes) ask the hook, which knows all.
"""

from __future__ import annotations

from tscript.abi.dispatch import DispatchKind
from tscript.abi.record import HOOK_NAMES
from tscript.dialect import (
    Ptr,
    PyObject,
    TensorImpl,
    address,
    b8,
    i64,
    pointer,
    text,
    u8,
)
from tscript.dialect.linkage import variable
from tscript.runtime.boundary.native.failures import forget
from tscript.runtime.boundary.native.objects import decref, incref, items_of
from tscript.runtime.boundary.native.python_api import PyObject_CallFunction, PyTuple_New
from tscript.runtime.boundary.native.python_calls import boxed
from tscript.runtime.boundary.native.records import HOOKS
from tscript.runtime.boundary.native.tensor import wrap_borrowed

NONE = int(DispatchKind.NONE)
INT = int(DispatchKind.INT)
FLOAT = int(DispatchKind.FLOAT)
BOOL = int(DispatchKind.BOOL)
TENSOR = int(DispatchKind.TENSOR)
OBJECT = int(DispatchKind.OBJECT)
VALUES_HOOK = HOOK_NAMES.index("values")

EMPTY = variable("tsb_empty", Ptr[PyObject], exported=True)
"""The empty tuple."""
VARIABLES = (EMPTY,)


def is_common(kind: u8) -> b8:
    """Whether a value of the kind is boxed here."""
    return (kind <= TENSOR) | (kind == OBJECT)


def value(kind: u8, cell: i64) -> Ptr[PyObject]:
    """One value as an object, or null."""
    if kind == TENSOR:
        return wrap_borrowed(pointer(cell, TensorImpl))
    if kind == OBJECT:
        found = pointer(cell, PyObject)
        incref(found)
        return found
    return boxed(kind, cell)


def filled(made: Ptr[PyObject], kinds: Ptr[u8], n: i64, cells: Ptr[i64]) -> i64:
    """How many items of a tuple were made; fewer than `n` where a kind is not common, or memory is short."""
    items = items_of(made)
    i = 0
    while i != n and is_common(kinds[i]):
        items[i] = value(kinds[i], cells[i])
        if address(items[i]) == 0:
            break
        i = i + 1
    return i


def values(kinds: Ptr[u8], n: i64, cells: Ptr[i64]) -> Ptr[PyObject]:
    """Values of a record as a tuple; the empty one, without an exception, when that fails."""
    if address(cells) != 0 and n != 0:
        made = PyTuple_New(n)
        if address(made) != 0:
            done = filled(made, kinds, n, cells)
            if done == n:
                return made
            decref(made)
            if not is_common(kinds[done]):
                made = PyObject_CallFunction(HOOKS[VALUES_HOOK], text("LLL"), address(kinds), n, address(cells))
                if address(made) != 0:
                    return made
        forget()
    incref(EMPTY[0])
    return EMPTY[0]


FUNCTIONS = ()
