"""Calls of Python functions from native code: what `Boundary._dispatch` does, for numbers,
None, constant strings and arrays.

`FUNCTIONS_BY_NAME` is a dict of the functions that can be called so
(`tscript.operators.python.python_calls.PythonFunctions.direct`): by the name of the operator, the function, and what
looks at a result that is of another class than the operator's rule says. It gives one of that class, or raises.
Everything else goes to the hook, which knows all.
"""

from __future__ import annotations

from tscript.abi.dispatch import END, DispatchKind
from tscript.dialect import (
    Ptr,
    PyObject,
    TensorImpl,
    Void,
    address,
    b8,
    bitcast,
    f64,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
    u8,
    unsigned_less,
)
from tscript.dialect.linkage import ALWAYS_INLINE, internal, variable
from tscript.runtime.boundary.native.arrays import array_in, array_out
from tscript.runtime.boundary.native.failures import PYTHON
from tscript.runtime.boundary.native.objects import decref, failed, incref, items_of
from tscript.runtime.boundary.native.python_api import (
    Py_False,
    Py_None,
    Py_True,
    PyBool_Type,
    PyDict_GetItemString,
    PyExc_OverflowError,
    PyFloat_AsDouble,
    PyFloat_FromDouble,
    PyFloat_Type,
    PyLong_AsLongLongAndOverflow,
    PyLong_FromLongLong,
    PyLong_Type,
    PyObject_CallOneArg,
    PyObject_Vectorcall,
    PyUnicode_FromString,
)
from tscript.runtime.boundary.native.table import ARRAY_TYPE, array_facts
from tscript.runtime.boundary.native.tensor import retain

MAX_ARGUMENTS = 16
"""Of a call that is made here."""

LARGE = "the int does not fit into 64 bits"
NOT_HERE = -1
"""In place of a status: the call is none that is made here, and nothing has been done."""

NONE = int(DispatchKind.NONE)
INT = int(DispatchKind.INT)
FLOAT = int(DispatchKind.FLOAT)
BOOL = int(DispatchKind.BOOL)
TENSOR = int(DispatchKind.TENSOR)
STR = int(DispatchKind.STR)
ARRAY = int(DispatchKind.ARRAY)
LAST = END

FUNCTIONS_BY_NAME = variable("tsb_python_functions", Ptr[PyObject], exported=True)
VARIABLES = (FUNCTIONS_BY_NAME,)


@internal(ALWAYS_INLINE)
def is_number(kind: u8) -> b8:
    """Whether it is the kind of an int, a float or a bool."""
    return (kind == INT) | (kind == FLOAT) | (kind == BOOL)


@internal(ALWAYS_INLINE)
def is_boxed(kind: u8) -> b8:
    """Whether `boxed` makes objects of the kind."""
    return is_number(kind) | (kind == NONE) | (kind == STR) | (kind == ARRAY)


def fits(o: Ptr[PyObject], kind: u8) -> b8:
    """Whether an object is what a leaf of a result must be."""
    if kind == INT:
        return o.type == PyLong_Type
    if kind == FLOAT:
        return o.type == PyFloat_Type
    if kind == BOOL:
        return o.type == PyBool_Type
    if kind == TENSOR:
        if o.type != ARRAY_TYPE[0]:
            return False
        return array_facts(o) >= 0
    return o == Py_None


def boxed(kind: u8, cell: i64) -> Ptr[PyObject]:
    """A number, None, a string or an array as an object, or null."""
    if kind == INT:
        return PyLong_FromLongLong(cell)
    if kind == FLOAT:
        return PyFloat_FromDouble(bitcast(cell, f64))
    if kind == STR:
        return PyUnicode_FromString(pointer(cell, Void))
    if kind == ARRAY:
        impl = pointer(cell, TensorImpl)
        retain(impl)
        return array_out(impl)
    found = select(kind == BOOL, select(cell == 0, Py_False, Py_True), Py_None)
    incref(found)
    return found


def unboxed(o: Ptr[PyObject], kind: u8, out: Ptr[i64]) -> b8:
    """Store a result that fits; takes the reference over. False: an exception is set."""
    if kind == INT:
        overflow = stack(1, i32)
        overflow[0] = 0
        number = PyLong_AsLongLongAndOverflow(o, overflow)
        if overflow[0] != 0:
            decref(o)
            failed(PyExc_OverflowError[0], text(LARGE))
            return False
        out[0] = number
    elif kind == FLOAT:
        pointer_cast(out, f64)[0] = PyFloat_AsDouble(o)
    elif kind == BOOL:
        out[0] = i64(o == Py_True)
    elif kind == TENSOR:
        out[0] = address(array_in(o))
    decref(o)
    if kind == TENSOR:
        return out[0] != 0
    return True


@internal(ALWAYS_INLINE)
def is_simple(kinds: Ptr[u8], nargs: i64) -> b8:
    """Whether the result is one number, an array or None, and `boxed` makes all arguments."""
    result = kinds + nargs
    if result[0] != LAST:
        if result[1] != LAST:
            return False
        if not is_number(result[0]) and result[0] != TENSOR:
            return False
    i = 0
    while i != nargs and is_boxed(kinds[i]):
        i = i + 1
    return i == nargs


def python_call(name: Ptr[Void], nargs: i64, kinds: Ptr[u8], cells: Ptr[i64], out: Ptr[i64]) -> i32:
    """The status of a call, or `NOT_HERE`."""
    functions = FUNCTIONS_BY_NAME[0]
    if address(functions) == 0 or unsigned_less(MAX_ARGUMENTS, nargs):
        return NOT_HERE
    if not is_simple(kinds, nargs):
        return NOT_HERE
    entry = PyDict_GetItemString(functions, name)
    if address(entry) == 0:
        return NOT_HERE
    function = items_of(entry)[0]
    conform = items_of(entry)[1]
    arguments = stack(MAX_ARGUMENTS, Ptr[PyObject])
    n = 0
    while n != nargs:
        arguments[n] = boxed(kinds[n], cells[n])
        if address(arguments[n]) == 0:
            break
        n = n + 1
    result = pointer(0, PyObject)
    if n == nargs:
        result = PyObject_Vectorcall(function, arguments, nargs, pointer(0, PyObject))
    for i in range(n):
        decref(arguments[i])
    if address(result) == 0:
        return PYTHON
    kind = kinds[nargs]
    if not fits(result, kind):
        converted = PyObject_CallOneArg(conform, result)
        decref(result)
        if address(converted) == 0:
            return PYTHON
        result = converted
    return select(unboxed(result, kind, out), i32(0), i32(PYTHON))


FUNCTIONS = ()
