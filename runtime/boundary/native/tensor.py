"""The tensor wrapper: the Python object of a `TensorImpl`, and its number slots.

A wrapper (`tscript.abi.boundary.PY_TENSOR`) owns one reference of its impl; the impl's `pyobject` points back while the
wrapper lives, so a tensor that comes out of native code again is the same Python object. The field is read and written
with the GIL held only. Wrappers take no part in garbage collection (they hold no Python object themselves) and come
from a free list.

Slots of the type (``nb_add`` …) forward to a table of callables that the runtime fills (`special_methods.SLOTS`, by the
name of the special method). A binary slot answers NotImplemented, so that Python asks the other operand, unless the
other operand is a tensor, a Python number or an instance of a type in `NUMBERS`. An in-place slot that is not set
answers
NotImplemented too: Python then uses the plain operator. Any other slot that is not set raises TypeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.boundary import PY_TENSOR
from tscript.abi.helpers import BOX_DTYPE, RETAIN, UNBOX_DTYPE, WRAP, WRAP_BORROWED
from tscript.abi.layout import MAX_DEPTH, NO_STACK
from tscript.dialect import (
    Context,
    Ptr,
    PyObject,
    PyTensor,
    Site,
    Slot,
    TensorImpl,
    Void,
    address,
    atomic_add_relaxed,
    atomic_relaxed,
    function,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
    u8,
    unsigned_less,
    unsigned_shr,
)
from tscript.dialect.linkage import ALWAYS_INLINE, FRAMED, c_signature, exported, internal, variable
from tscript.runtime.boundary.native.callable import call, call_any
from tscript.runtime.boundary.native.objects import decref, failed, incref
from tscript.runtime.boundary.native.python_api import (
    Py_False,
    Py_None,
    Py_NotImplemented,
    Py_True,
    PyBool_Type,
    PyComplex_Type,
    PyErr_Format,
    PyErr_NoMemory,
    PyErr_Occurred,
    PyErr_SetString,
    PyExc_SystemError,
    PyExc_TypeError,
    PyExc_ValueError,
    PyFloat_Type,
    PyLong_AsSsize_t,
    PyLong_Type,
    PyObject_ClearWeakRefs,
    PyObject_Free,
    PyObject_Init,
    PyObject_IsInstance,
    PyObject_Malloc,
)
from tscript.runtime.boundary.native.special_methods import (
    BINARY,
    BOOL,
    COMPLEX,
    LEN,
    POWER,
    SLOTS,
    UNARY,
    function_of,
)
from tscript.runtime.boundary.native.table import TENSOR_TYPE

NO_TENSOR = "native code returned no tensor where one is due"
UNSET = "this operation is not defined for tensors"
NEGATIVE = "the length of a tensor must not be negative"
NO_TRUTH = "the truth value of a tensor must be a bool"

NO_DTYPE = "the argument is not a dtype known to native code"
NO_CODE = "native code returned an unknown dtype code: %d"

DTYPE_SLOTS = 32
"""Room for dtype codes."""
FREE_LIMIT = 256
"""Wrappers kept for reuse."""
WRAPPER_BYTES = PY_TENSOR.size
DEPTH = MAX_DEPTH
UNKNOWN_STACK = NO_STACK
SLOT_BOOL = SLOTS.index(BOOL)
SLOT_COMPLEX = SLOTS.index(COMPLEX)
SLOT_LEN = SLOTS.index(LEN)

CONCURRENT = variable("ts_concurrent_v1", u8, exported=True)
"""Whether several threads may run native code at a time."""
NUMBERS = variable("tsb_numbers", Ptr[PyObject], exported=True)
"""A tuple of types whose instances are operands."""
RELEASE = variable("tsb_release", Ptr[Void], exported=True)
"""The kernel that drops a reference of a tensor."""
TABLE = variable("tsb_slots", Slot, len(SLOTS), exported=True)
"""What is behind the special methods."""
DTYPE_OBJECTS = variable("tsb_dtypes", Ptr[PyObject], DTYPE_SLOTS, exported=True)
"""The dtypes, by their codes."""
FREE_HEAD = variable("free_head", Ptr[PyTensor])
FREE_COUNT = variable("free_count", i64)
VARIABLES = (CONCURRENT, NUMBERS, RELEASE, TABLE, DTYPE_OBJECTS, FREE_HEAD, FREE_COUNT)

KERNEL = c_signature(i32, Ptr[Context], Ptr[TensorImpl])
VECTORCALL = c_signature(Ptr[PyObject], Ptr[PyObject], Ptr[Ptr[PyObject]], i64, Ptr[PyObject])


def impl_release(impl: Ptr[TensorImpl]) -> None:
    """Drop one reference of a native tensor."""
    if atomic_relaxed(CONCURRENT) == 0:
        if impl.refcount > 1:
            impl.refcount = impl.refcount - 1
            return
    context = stack(1, Context)
    context.depth = DEPTH
    context.stack = UNKNOWN_STACK
    context.at = pointer(0, Site)
    context.thread_state = pointer(0, Void)
    context.ntrace = 0
    release = RELEASE[0]
    if address(release) != 0:
        KERNEL(release, context, impl)


@exported(WRAP)
def wrap(impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """The Python object of a native tensor, whose reference it takes over."""
    if address(impl) == 0:
        return failed(PyExc_SystemError[0], text(NO_TENSOR))
    old = pointer_cast(impl.pyobject, PyObject)
    if address(old) != 0:
        incref(old)
        impl_release(impl)
        return old
    made = FREE_HEAD[0]
    if address(made) != 0:
        FREE_HEAD[0] = pointer_cast(made.impl, PyTensor)
        FREE_COUNT[0] = FREE_COUNT[0] - 1
    else:
        made = pointer_cast(PyObject_Malloc(WRAPPER_BYTES), PyTensor)
        if address(made) == 0:
            impl_release(impl)
            return PyErr_NoMemory()
    itself = pointer_cast(made, PyObject)
    PyObject_Init(itself, TENSOR_TYPE[0])
    made.impl = impl
    made.weak = pointer(0, PyObject)
    impl.pyobject = pointer_cast(made, Void)
    return itself


@exported(RETAIN)
def retain(impl: Ptr[TensorImpl]) -> None:
    """One more reference of a native tensor."""
    if atomic_relaxed(CONCURRENT) != 0:
        atomic_add_relaxed(pointer_cast(impl, i64), 1)
    else:
        impl.refcount = impl.refcount + 1


@exported(WRAP_BORROWED)
def wrap_borrowed(impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """As `wrap`, for a tensor that stays the caller's."""
    if address(impl) != 0:
        retain(impl)
    return wrap(impl)


@exported("tsb_tensor_dealloc")
def dealloc(o: Ptr[PyTensor]) -> None:
    """The last reference to the wrapper is gone."""
    kind = o.type
    impl = o.impl
    # First, so that a weak reference's callback that meets the tensor gets another wrapper.
    impl.pyobject = pointer(0, Void)
    if address(o.weak) != 0:
        PyObject_ClearWeakRefs(pointer_cast(o, PyObject))
    impl_release(impl)
    count = FREE_COUNT[0]
    if count < FREE_LIMIT:
        o.impl = pointer_cast(FREE_HEAD[0], TensorImpl)
        FREE_HEAD[0] = o
        FREE_COUNT[0] = count + 1
    else:
        PyObject_Free(pointer_cast(o, PyObject))
    decref(kind)


@exported("tsb_tensor_hash")
def hash_of(o: Ptr[PyTensor]) -> i64:
    """By identity."""
    found = unsigned_shr(address(o), 4) | i64(address(o) << 60)
    return select(found == -1, i64(-2), found)


@exported("tsb_slot_set")
def set_slot(index: i64, callable: Ptr[PyObject], is_native: i32) -> None:
    """Put a callable into the slot table; whoever calls this keeps it alive for ever."""
    slot = TABLE + index
    slot.callable = callable
    slot.call = select(is_native != 0, function(call), function(call_any))


def not_implemented() -> Ptr[PyObject]:
    """NotImplemented."""
    incref(Py_NotImplemented)
    return Py_NotImplemented


@internal(ALWAYS_INLINE)
def operand(o: Ptr[PyObject]) -> i32:
    """1 when a slot takes `o` as an operand, 0 when not, -1 with an exception."""
    kind = o.type
    if kind == TENSOR_TYPE[0]:
        return 1
    if (kind == PyFloat_Type) | (kind == PyLong_Type) | (kind == PyBool_Type):
        return 1
    types = NUMBERS[0]
    if address(types) == 0:
        return 0
    return PyObject_IsInstance(o, types)


@internal(FRAMED)
def binary(a: Ptr[PyObject], b: Ptr[PyObject], index: i64) -> Ptr[PyObject]:
    """A slot with two operands."""
    slot = TABLE + index
    run = slot.call
    if address(run) == 0:
        return not_implemented()
    is_operand = operand(a)
    if is_operand == 1:
        is_operand = operand(b)
        if is_operand == 1:
            args = stack(3, Ptr[PyObject])
            if (a.type == PyComplex_Type) | (b.type == PyComplex_Type):
                args[0] = slot.callable
                args[1] = a
                args[2] = b
                return call_slot(args, 3, SLOT_COMPLEX)
            args[0] = a
            args[1] = b
            return VECTORCALL(run, slot.callable, args, 2, pointer(0, PyObject))
    if is_operand < 0:
        return pointer(0, PyObject)
    return not_implemented()


def power(a: Ptr[PyObject], b: Ptr[PyObject], modulus: Ptr[PyObject], index: i64) -> Ptr[PyObject]:
    """A slot of powers; there are none with a modulus."""
    if modulus != Py_None:
        return not_implemented()
    return binary(a, b, index)


@internal(FRAMED)
def call_slot(args: Ptr[Ptr[PyObject]], nargs: i64, index: i64) -> Ptr[PyObject]:
    """Any other slot."""
    slot = TABLE + index
    run = slot.call
    if address(run) == 0:
        return failed(PyExc_TypeError[0], text(UNSET))
    return VECTORCALL(run, slot.callable, args, nargs, pointer(0, PyObject))


def unary(a: Ptr[PyObject], index: i64) -> Ptr[PyObject]:
    """A slot with one operand."""
    args = stack(1, Ptr[PyObject])
    args[0] = a
    return call_slot(args, 1, index)


@exported("tsb_tensor_compare")
def compare(a: Ptr[PyObject], b: Ptr[PyObject], op: i32) -> Ptr[PyObject]:
    """``tp_richcompare``: the slots of comparisons come first, in the order of their codes."""
    return binary(a, b, i64(op))


@exported("tsb_tensor_bool")
def truth(a: Ptr[PyObject]) -> i32:
    """``nb_bool``."""
    found = unary(a, SLOT_BOOL)
    if address(found) == 0:
        return -1
    is_true = found == Py_True
    is_bool = is_true | (found == Py_False)
    decref(found)
    if is_bool:
        return i32(is_true)
    PyErr_SetString(PyExc_TypeError[0], text(NO_TRUTH))
    return -1


@exported("tsb_tensor_len")
def length(a: Ptr[PyObject]) -> i64:
    """``sq_length``; that of a tensor without dimensions is what the slot says."""
    impl = pointer_cast(a, PyTensor).impl
    if impl.ndim != 0:
        return pointer_cast(impl + 1, i64)[0]
    found = unary(a, SLOT_LEN)
    if address(found) == 0:
        return -1
    n = PyLong_AsSsize_t(found)
    decref(found)
    if n >= 0:
        return n
    if address(PyErr_Occurred()) == 0:
        PyErr_SetString(PyExc_ValueError[0], text(NEGATIVE))
    return -1


@exported(UNBOX_DTYPE)
def unbox_dtype(o: Ptr[PyObject]) -> i32:
    """The code of a dtype; -1 with an exception when it is none."""
    for i in range(DTYPE_SLOTS):
        if DTYPE_OBJECTS[i] == o:
            return i32(i)
    PyErr_SetString(PyExc_TypeError[0], text(NO_DTYPE))
    return -1


@exported(BOX_DTYPE)
def box_dtype(code: i32) -> Ptr[PyObject]:
    """The dtype with a code."""
    if unsigned_less(i64(code), DTYPE_SLOTS):
        found = DTYPE_OBJECTS[i64(code)]
        if address(found) != 0:
            incref(found)
            return found
    return PyErr_Format(PyExc_SystemError[0], text(NO_CODE), code)


def _binary_slot(name: str) -> Callable[..., Any]:
    index = SLOTS.index(name)

    @exported(function_of(name))
    def slot(a: Ptr[PyObject], b: Ptr[PyObject]) -> Ptr[PyObject]:
        return binary(a, b, index)

    return slot


def _power_slot(name: str) -> Callable[..., Any]:
    index = SLOTS.index(name)

    @exported(function_of(name))
    def slot(a: Ptr[PyObject], b: Ptr[PyObject], modulus: Ptr[PyObject]) -> Ptr[PyObject]:
        return power(a, b, modulus, index)

    return slot


def _unary_slot(name: str) -> Callable[..., Any]:
    index = SLOTS.index(name)

    @exported(function_of(name))
    def slot(a: Ptr[PyObject]) -> Ptr[PyObject]:
        return unary(a, index)

    return slot


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(unbox_dtype, box_dtype, wrap, retain, wrap_borrowed, dealloc, hash_of, set_slot),
    *(compare, truth, length),
    *map(_binary_slot, BINARY),
    *map(_power_slot, POWER),
    *map(_unary_slot, UNARY),
)
