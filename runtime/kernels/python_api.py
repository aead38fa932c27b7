"""Tier 1: Python objects: what of CPython's C API the conversions call, and what they read of objects directly.

All of it runs with the GIL held. Objects are pointers to bytes; *owned* results are null with an exception set on
failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tscript.abi import helpers
from tscript.abi.conversion import PythonWord
from tscript.dialect import Intrinsic, Ptr, Void, address, b8, f64, i32, i64, pointer, pointer_cast, stack, symbol
from tscript.dialect.machine import extern
from tscript.types import F64, I32, I64, NONE, U8, PtrType, Type

_OBJECT = PtrType(U8)
_NUMBERS = PtrType(I64)


def _absent(*_: object) -> object:
    raise TypeError("there is no C API under CPython's own memory model")


def _function(name: str, parameters: Sequence[Type], result: Type) -> Intrinsic:
    return Intrinsic(extern(name, tuple(parameters), result), _absent)


type_flags = _function("PyType_GetFlags", (_OBJECT,), I64)
type_is = _function("PyType_IsSubtype", (_OBJECT, _OBJECT), I32)
type_new = _function("PyType_GenericNew", (_OBJECT, _OBJECT, _OBJECT), _OBJECT)
decref_slow = _function("Py_DecRef", (_OBJECT,), NONE)
error_set = _function("PyErr_SetString", (_OBJECT, _OBJECT), NONE)
error_there = _function("PyErr_Occurred", (), _OBJECT)
error_clear = _function("PyErr_Clear", (), NONE)
error_fetch = _function("PyErr_Fetch", (_NUMBERS, _NUMBERS, _NUMBERS), NONE)
error_restore = _function("PyErr_Restore", (_OBJECT, _OBJECT, _OBJECT), NONE)
error_memory = _function("PyErr_NoMemory", (), _OBJECT)
error_matches = _function("PyErr_ExceptionMatches", (_OBJECT,), I32)
call_one = _function("PyObject_CallOneArg", (_OBJECT, _OBJECT), _OBJECT)
call_tuple = _function("PyObject_Call", (_OBJECT, _OBJECT, _OBJECT), _OBJECT)
long_from = _function("PyLong_FromLongLong", (I64,), _OBJECT)
long_as = _function("PyLong_AsLongLongAndOverflow", (_OBJECT, PtrType(I32)), I64)
long_as_double = _function("PyLong_AsDouble", (_OBJECT,), F64)
long_address = _function("PyLong_AsLongLong", (_OBJECT,), I64)
float_from = _function("PyFloat_FromDouble", (F64,), _OBJECT)
complex_from = _function("PyComplex_FromDoubles", (F64, F64), _OBJECT)
unicode_new = _function("PyUnicode_New", (I64, I32), _OBJECT)
unicode_from = _function("PyUnicode_FromKindAndData", (I32, _OBJECT, I64), _OBJECT)
unicode_length = _function("PyUnicode_GetLength", (_OBJECT,), I64)
bytes_from = _function("PyBytes_FromStringAndSize", (_OBJECT, I64), _OBJECT)
list_new = _function("PyList_New", (I64,), _OBJECT)
list_append = _function("PyList_Append", (_OBJECT, _OBJECT), I32)
list_set_slice = _function("PyList_SetSlice", (_OBJECT, I64, I64, _OBJECT), I32)
sequence_list = _function("PySequence_List", (_OBJECT,), _OBJECT)
tuple_new = _function("PyTuple_New", (I64,), _OBJECT)
dict_new = _function("PyDict_New", (), _OBJECT)
dict_next = _function("PyDict_Next", (_OBJECT, _NUMBERS, _NUMBERS, _NUMBERS), I32)
callable_check = _function("PyCallable_Check", (_OBJECT,), I32)
dict_size = _function("PyDict_Size", (_OBJECT,), I64)
dict_set = _function("PyDict_SetItem", (_OBJECT, _OBJECT, _OBJECT), I32)
dict_get = _function("PyDict_GetItemWithError", (_OBJECT, _OBJECT), _OBJECT)
dict_clear = _function("PyDict_Clear", (_OBJECT,), NONE)
dict_update = _function("PyDict_Update", (_OBJECT, _OBJECT), I32)
set_new = _function("PySet_New", (_OBJECT,), _OBJECT)
set_add = _function("PySet_Add", (_OBJECT, _OBJECT), I32)
set_clear = _function("PySet_Clear", (_OBJECT,), I32)
attribute_get = _function("PyObject_GenericGetAttr", (_OBJECT, _OBJECT), _OBJECT)
attribute_set = _function("PyObject_GenericSetAttr", (_OBJECT, _OBJECT, _OBJECT), I32)
wrap_borrowed = _function(helpers.WRAP_BORROWED, (_OBJECT,), _OBJECT)
"""The Python tensor of a native one."""
unbox_shared = _function(helpers.UNBOX_SHARED, (_OBJECT, _NUMBERS), _OBJECT)
"""A tensor over the memory of an array of others, owned."""
is_shared = _function(helpers.IS_SHARED, (_OBJECT,), I32)
scalar_cell = _function(helpers.SCALAR_CELL, (_OBJECT, I64, _NUMBERS), I32)
"""Write a NumPy scalar of a dtype to a cell; 0: it is none."""
scalar_of_cell = _function(helpers.SCALAR_OF_CELL, (I64, I64), _OBJECT)
"""The NumPy scalar in a cell."""
is_given = _function(helpers.IS_GIVEN, (_OBJECT, _OBJECT), I32)
generator_in = _function(helpers.GENERATOR_IN, (_OBJECT,), _OBJECT)
"""A tensor over the ``bitgen_t`` of a Generator of NumPy, owned."""
generator_out = _function(helpers.GENERATOR_OUT, (_OBJECT,), _OBJECT)
"""The Generator of such a tensor, whose reference it takes over."""
box_tensor = _function(helpers.BOX_TENSOR, (_OBJECT, I64), _OBJECT)
"""The Python form of a tensor, whose reference it takes over, in a call whose tensors came as `Seen` says."""
box_size = _function(helpers.BOX_SIZE, (_OBJECT,), _OBJECT)
"""The tuple of a native Size, whose reference it takes over."""
box_future = _function(helpers.BOX_FUTURE, (_OBJECT,), _OBJECT)
"""The Python object of a future, whose reference it takes over."""
unbox_future = _function(helpers.UNBOX_FUTURE, (_OBJECT,), _OBJECT)
box_dtype = _function(helpers.BOX_DTYPE, (I32,), _OBJECT)
unbox_dtype = _function(helpers.UNBOX_DTYPE, (_OBJECT,), I32)

LIST_FLAG: Final = 1 << 25
TUPLE_FLAG: Final = 1 << 26
BYTES_FLAG: Final = 1 << 27
STR_FLAG: Final = 1 << 28
DICT_FLAG: Final = 1 << 29
INT_FLAG: Final = 1 << 24
"""Flags of types derived from the builtin ones."""

INT_TAG: Final = int(PythonWord.INT_TAG)
TUPLE_ITEMS: Final = int(PythonWord.TUPLE_ITEMS)
ASCII_DATA: Final = int(PythonWord.ASCII_DATA)
COMPACT_DATA: Final = int(PythonWord.COMPACT_DATA)
KIND_SHIFT: Final = int(PythonWord.KIND_SHIFT)
CLASSES: Final = int(PythonWord.CLASSES)
CLASS_HOOK: Final = int(PythonWord.CLASS_HOOK)
TYPE_HOOK: Final = int(PythonWord.TYPE_HOOK)
EXCEPTION_HOOK: Final = int(PythonWord.EXCEPTION_HOOK)
FAIL_HOOK: Final = int(PythonWord.FAIL_HOOK)
RETURN_HOOK: Final = int(PythonWord.RETURN_HOOK)
TENSOR_TYPE: Final = int(PythonWord.TENSOR_TYPE)
DTYPE_TYPE: Final = int(PythonWord.DTYPE_TYPE)
FUTURE_TYPE: Final = int(PythonWord.FUTURE_TYPE)
FUNCTION_IN_HOOK: Final = int(PythonWord.FUNCTION_IN_HOOK)
FUNCTION_OUT_HOOK: Final = int(PythonWord.FUNCTION_OUT_HOOK)
OWN_HOOK: Final = int(PythonWord.OWN_HOOK)
DEPTH_TEXT: Final = int(PythonWord.DEPTH_TEXT)


def null() -> Ptr[Void]:
    """No object."""
    return pointer(0, Void)


def python_word(index: i64) -> i64:
    """A layout or hook; see `PythonWord`."""
    return symbol("ts_python_v1", i64)[index]


def hook(index: i64) -> Ptr[Void]:
    """One of the hooks, borrowed."""
    return pointer(python_word(index), Void)


def type_of(o: Ptr[Void]) -> Ptr[Void]:
    """The type of an object, borrowed."""
    return pointer(pointer_cast(o, i64)[1], Void)


def incref(o: Ptr[Void]) -> None:
    """One more reference; immortal objects stay as they are."""
    if pointer_cast(o, i32)[0] >= 0:
        counts = pointer_cast(o, i64)
        counts[0] = counts[0] + 1


def decref(o: Ptr[Void]) -> None:
    """One reference less."""
    low = pointer_cast(o, i32)[0]
    if low > 1:
        counts = pointer_cast(o, i64)
        counts[0] = counts[0] - 1
    elif low == 1:
        decref_slow(o)


def xdecref(o: Ptr[Void]) -> None:
    """One reference less, nothing for null."""
    if address(o) != 0:
        decref(o)


def has_flag(o: Ptr[Void], flag: i64) -> b8:
    """Whether the type of an object derives from a builtin one."""
    return type_flags(type_of(o)) & flag != 0


def is_none(o: Ptr[Void]) -> b8:
    """Whether an object is None."""
    return address(o) == address(symbol("_Py_NoneStruct", Void))


def is_bool(o: Ptr[Void]) -> b8:
    """Whether an object is True or False."""
    return address(type_of(o)) == address(symbol("PyBool_Type", Void))


def is_int(o: Ptr[Void]) -> b8:
    """Whether an object is an int, of a derived type too (bools are)."""
    return address(type_of(o)) == address(symbol("PyLong_Type", Void)) or has_flag(o, INT_FLAG)


def is_float(o: Ptr[Void]) -> b8:
    """Whether an object is a float, of a derived type too."""
    base = symbol("PyFloat_Type", Void)
    return address(type_of(o)) == address(base) or type_is(type_of(o), base) != 0


def is_complex(o: Ptr[Void]) -> b8:
    """Whether an object is a complex number, of a derived type too."""
    base = symbol("PyComplex_Type", Void)
    return address(type_of(o)) == address(base) or type_is(type_of(o), base) != 0


def is_str(o: Ptr[Void]) -> b8:
    """Whether an object is a str, of a derived type too."""
    return address(type_of(o)) == address(symbol("PyUnicode_Type", Void)) or has_flag(o, STR_FLAG)


def is_list(o: Ptr[Void]) -> b8:
    """Whether an object is a list, of a derived type too."""
    return address(type_of(o)) == address(symbol("PyList_Type", Void)) or has_flag(o, LIST_FLAG)


def is_tuple(o: Ptr[Void]) -> b8:
    """Whether an object is a tuple, of a derived type too."""
    return address(type_of(o)) == address(symbol("PyTuple_Type", Void)) or has_flag(o, TUPLE_FLAG)


def is_dict(o: Ptr[Void]) -> b8:
    """Whether an object is a dict, of a derived type too."""
    return address(type_of(o)) == address(symbol("PyDict_Type", Void)) or has_flag(o, DICT_FLAG)


def is_set(o: Ptr[Void]) -> b8:
    """Whether an object is a set, of a derived type too."""
    base = symbol("PySet_Type", Void)
    return address(type_of(o)) == address(base) or type_is(type_of(o), base) != 0


def sequence_size(o: Ptr[Void]) -> i64:
    """The length of a list, a tuple or bytes."""
    return pointer_cast(o, i64)[2]


def list_items(o: Ptr[Void]) -> Ptr[i64]:
    """The array of the addresses of a list's elements; valid until the list changes."""
    return pointer(pointer_cast(o, i64)[3], i64)


def tuple_items(o: Ptr[Void]) -> Ptr[i64]:
    """Where the addresses of a tuple's elements are."""
    return pointer_cast(o + python_word(TUPLE_ITEMS), i64)


def read_int(o: Ptr[Void], out: Ptr[i64]) -> b8:
    """Read an int; False when it needs more than 64 bits."""
    tag = pointer_cast(o, i64)[2]
    digit = i64(pointer_cast(o, i32)[6])
    if python_word(INT_TAG) != 0:
        if tag >= 0 and tag < 16:
            out[0] = (1 - (tag & 3)) * digit
            return True
    elif tag >= -1 and tag <= 1:
        out[0] = tag * digit
        return True
    return read_long(o, out)


def read_long(o: Ptr[Void], out: Ptr[i64]) -> b8:
    """`read_int` for numbers of several digits."""
    overflow = stack(1, i32)
    overflow[0] = 0
    out[0] = long_as(o, overflow)
    return overflow[0] == 0


def read_float(o: Ptr[Void]) -> f64:
    """The number in a float object."""
    return pointer_cast(o, f64)[2]


def width_of(o: Ptr[Void]) -> i64:
    """Bytes of a character of a str: 1, 2 or 4."""
    state = i64(pointer_cast(o, i32)[8])
    width = (state >> python_word(KIND_SHIFT)) & 7
    if width != 0:
        return width
    # A str of the old kind, which asking for its length converts.
    unicode_length(o)
    return (i64(pointer_cast(o, i32)[8]) >> python_word(KIND_SHIFT)) & 7


def is_ascii(o: Ptr[Void]) -> b8:
    """Whether all characters of a str are below 128."""
    return (i64(pointer_cast(o, i32)[8]) >> (python_word(KIND_SHIFT) + 4)) & 1 != 0


def characters(o: Ptr[Void]) -> Ptr[Void]:
    """Where the characters of a str are."""
    flags = i64(pointer_cast(o, i32)[8]) >> (python_word(KIND_SHIFT) + 3)
    if flags & 1 == 0:
        return pointer(pointer_cast(o + python_word(COMPACT_DATA), i64)[0], Void)
    if flags & 2 != 0:
        return o + python_word(ASCII_DATA)
    return o + python_word(COMPACT_DATA)


def bytes_data(o: Ptr[Void]) -> Ptr[Void]:
    """Where the contents of a bytes object are."""
    return o + 32
