"""Calls of eager operators from native code: what `Boundary._dispatch` does, for what most operators take and give:
numbers, None, constant strings, tensors, dtypes, sizes, and tuples of these.

`OPERATORS_BY_NAME` is a dict of the operators that can be called so (`DynamicOperators`): by name, the eager operator
and a tuple of the names of its last arguments that are keywords. Everything else goes to the hook, which knows all.
"""

from __future__ import annotations

from tscript.abi.dispatch import END, DispatchKind
from tscript.dialect import (
    Ptr,
    PyObject,
    PyTensor,
    TensorImpl,
    Void,
    address,
    b8,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
    text,
    u8,
    unsigned_less,
)
from tscript.dialect.linkage import ALWAYS_INLINE, internal, variable
from tscript.runtime.boundary.native.boxes import box_size, pack
from tscript.runtime.boundary.native.failures import PYTHON, SILENT
from tscript.runtime.boundary.native.objects import decref, failed, incref, items_of, length_of
from tscript.runtime.boundary.native.python_api import (
    Py_None,
    PyDict_GetItemString,
    PyExc_SystemError,
    PyObject_IsInstance,
    PyObject_Vectorcall,
    PyTuple_Type,
    PyUnicode_InternFromString,
)
from tscript.runtime.boundary.native.python_calls import NOT_HERE, boxed, fits, is_number, unboxed
from tscript.runtime.boundary.native.table import TENSOR_TYPE
from tscript.runtime.boundary.native.tensor import box_dtype, retain, wrap_borrowed

MAX_ARGUMENTS = 16
"""Of a call that is made here, elements of tuples included."""
MAX_RESULTS = 4

NONE = int(DispatchKind.NONE)
TENSOR = int(DispatchKind.TENSOR)
DTYPE = int(DispatchKind.DTYPE)
TUPLE = int(DispatchKind.TUPLE)
SIZE = int(DispatchKind.SIZE)
STR = int(DispatchKind.STR)
LAST = END

OPERATORS_BY_NAME = variable("tsb_operators", Ptr[PyObject], exported=True)
VARIABLES = (OPERATORS_BY_NAME,)


@internal(ALWAYS_INLINE)
def is_plain(kind: u8) -> b8:
    """Whether `object_of` makes objects of the kind."""
    return is_number(kind) | (kind == NONE) | (kind == STR) | (kind == TENSOR) | (kind == DTYPE) | (kind == SIZE)


def is_made_here(kinds: Ptr[u8], cells: Ptr[i64], count: i64) -> b8:
    """Whether all arguments and leaves of the result are of kinds that are known here."""
    inside = 0
    i = 0
    while i != count:
        if inside != 0:
            inside = inside - 1
        elif kinds[i] == TUPLE:
            inside = cells[i]
            i = i + 1
            continue
        if not is_plain(kinds[i]):
            return False
        i = i + 1
    results = 0
    while kinds[count + results] != LAST and results != MAX_RESULTS:
        if not is_number(kinds[count + results]) and kinds[count + results] != TENSOR:
            return False
        results = results + 1
    return kinds[count + results] == LAST


def object_of(kind: u8, cell: i64) -> Ptr[PyObject]:
    """An argument as an object, or null."""
    if kind == TENSOR:
        return wrap_borrowed(pointer(cell, TensorImpl))
    if kind == DTYPE:
        return box_dtype(i32(cell))
    if kind == SIZE:
        retain(pointer(cell, TensorImpl))
        return box_size(pointer(cell, TensorImpl))
    if kind == STR:  # the one string of this text, by whose address tables find code
        return PyUnicode_InternFromString(pointer(cell, Void))
    return boxed(kind, cell)


def objects_of(kinds: Ptr[u8], cells: Ptr[i64], count: i64, arguments: Ptr[Ptr[PyObject]]) -> i64:
    """Make the objects of all arguments; gives their number, negative if the last of them is null."""
    elements = stack(MAX_ARGUMENTS, Ptr[PyObject])
    i = 0
    made = 0
    while i != count:
        if kinds[i] == TUPLE:
            size = cells[i]
            for n in range(size):
                elements[n] = object_of(kinds[i + 1 + n], cells[i + 1 + n])
            arguments[made] = pack(elements, size)
            i = i + 1 + size
        else:
            arguments[made] = object_of(kinds[i], cells[i])
            i = i + 1
        if address(arguments[made]) == 0:
            return -1 - made
        made = made + 1
    return made


def is_result(o: Ptr[PyObject], kind: u8) -> b8:
    """Whether an object is what a leaf of the result must be."""
    if kind == TENSOR:
        return o.type == TENSOR_TYPE[0]
    return fits(o, kind)


def give(o: Ptr[PyObject], kind: u8, out: Ptr[i64]) -> b8:
    """Store a leaf that fits, and leave the object to its owner. False: an exception is set."""
    if kind == TENSOR:
        impl = pointer_cast(o, PyTensor).impl
        retain(impl)
        out[0] = address(impl)
        return True
    incref(o)
    return unboxed(o, kind, out)


def store(result: Ptr[PyObject], kinds: Ptr[u8], out: Ptr[i64]) -> i32:
    """Store a result; gives a status."""
    one = stack(1, Ptr[PyObject])
    one[0] = result
    leaves = one
    count = 1
    if kinds[0] == LAST:
        if result != Py_None:
            failed(PyExc_SystemError[0], text(SILENT))
            return PYTHON
        return 0
    if kinds[1] != LAST:
        if PyObject_IsInstance(result, PyTuple_Type) != 1:
            failed(PyExc_SystemError[0], text(SILENT))
            return PYTHON
        leaves = items_of(result)
        count = length_of(result)
    i = 0
    while i != count and kinds[i] != LAST and is_result(leaves[i], kinds[i]):
        i = i + 1
    if i != count or kinds[i] != LAST:
        failed(PyExc_SystemError[0], text(SILENT))
        return PYTHON
    for n in range(count):
        if not give(leaves[n], kinds[n], out + n):
            return PYTHON
    return 0


def operator_call(name: Ptr[Void], count: i64, kinds: Ptr[u8], cells: Ptr[i64], out: Ptr[i64]) -> i32:
    """The status of a call, or `NOT_HERE`."""
    operators = OPERATORS_BY_NAME[0]
    if address(operators) == 0 or unsigned_less(MAX_ARGUMENTS, count):
        return NOT_HERE
    if not is_made_here(kinds, cells, count):
        return NOT_HERE
    entry = PyDict_GetItemString(operators, name)
    if address(entry) == 0:
        return NOT_HERE
    names = items_of(entry)[1]
    arguments = stack(MAX_ARGUMENTS, Ptr[PyObject])
    made = objects_of(kinds, cells, count, arguments)
    result = pointer(0, PyObject)
    if made >= 0:
        if length_of(names) == 0:
            result = PyObject_Vectorcall(items_of(entry)[0], arguments, made, pointer(0, PyObject))
        else:
            result = PyObject_Vectorcall(items_of(entry)[0], arguments, made - length_of(names), names)
    else:
        made = -1 - made
    for i in range(made):
        decref(arguments[i])
    if address(result) == 0:
        return PYTHON
    status = store(result, kinds + count, out)
    decref(result)
    return status


FUNCTIONS = ()
