"""The tensor wrapper as LLVM text: the Python object of a `TensorImpl`, and its number slots.

A wrapper is ``{head, impl, weak references}`` and owns one reference of its impl; the impl's `pyobject` points back
while the wrapper lives, so a tensor that comes out of native code again is the same Python object. The field is read
and written with the GIL held only. Wrappers take no part in garbage collection (they hold no Python object themselves)
and come from a free list.

Slots of the type (`nb_add` …) forward to a table of callables that the runtime fills (`SLOTS`, by the name of the
special method). A binary slot answers NotImplemented, so that Python asks the other operand, unless the other operand
is a tensor, a Python number or an instance of a type in `tsb_numbers`. An in-place slot that is not set answers
NotImplemented too: Python then uses the plain operator. Any other slot that is not set raises TypeError.
"""

from __future__ import annotations

from tscript.abi.layout import TENSOR_STRUCT

IMPL = 16
WEAK = 24
SIZE = 32
"""Offsets in a wrapper, and its bytes."""

FREE_LIMIT = 256
"""Wrappers kept for reuse."""

BINARY: dict[str, int] = {
    "__add__": 7,
    "__and__": 8,
    "__floordiv__": 12,
    "__lshift__": 28,
    "__mul__": 29,
    "__or__": 31,
    "__mod__": 34,
    "__rshift__": 35,
    "__sub__": 36,
    "__truediv__": 37,
    "__xor__": 38,
    "__matmul__": 75,
    "__iadd__": 14,
    "__iand__": 15,
    "__ifloordiv__": 16,
    "__ilshift__": 17,
    "__imul__": 18,
    "__ior__": 19,
    "__imod__": 21,
    "__irshift__": 22,
    "__isub__": 23,
    "__itruediv__": 24,
    "__ixor__": 25,
    "__imatmul__": 76,
}
"""Special methods with two operands, and the numbers of their type slots (CPython's ``typeslots.h``, a stable ABI)."""

POWER: dict[str, int] = {"__pow__": 33, "__ipow__": 20}
UNARY: dict[str, int] = {
    "__abs__": 6,
    "__float__": 11,
    "__index__": 13,
    "__int__": 26,
    "__invert__": 27,
    "__neg__": 30,
    "__pos__": 32,
}
COMPARE: tuple[str, ...] = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
"""In the order of CPython's comparison codes."""

BOOL, LEN, GETITEM, SETITEM = "__bool__", "__len__", "__getitem__", "__setitem__"

SLOTS: tuple[str, ...] = (*COMPARE, *BINARY, *POWER, *UNARY, BOOL, LEN, GETITEM, SETITEM)
"""The slot table: entry n belongs to the n-th name. Comparisons come first, so that their code is their index."""

PROTOCOL: dict[str, int] = {
    "tsb_tensor_dealloc": 52,
    "tsb_tensor_hash": 59,
    "tsb_tensor_compare": 67,
    "tsb_tensor_bool": 9,
    "tsb_tensor_len": 4,
    "tsb_tensor_getitem": 5,
    "tsb_tensor_setitem": 3,
}
"""Functions of the type that have a form of their own, and the numbers of their slots."""

GETTERS: dict[str, tuple[str, str]] = {
    "ndim": ("tsb_tensor_ndim", "Number of dimensions."),
    "dtype": ("tsb_tensor_dtype", "Type of the elements."),
    "shape": ("tsb_tensor_shape", "Size of each dimension, as a tuple of ints."),
    "_impl": ("tsb_tensor_impl", "Address of the native tensor."),
}
"""Attributes of the type: the function that reads each, its documentation."""

MESSAGES = {
    "m_unset": "this operation is not defined for tensors",
    "m_delete": "elements of a tensor cannot be deleted",
    "m_length": "the length of a tensor must not be negative",
    "m_truth": "the truth value of a tensor must be a bool",
}


def function_of(slot: str) -> str:
    """Symbol of the function behind a binary, power or unary slot."""
    return f"tsb_tensor_{slot.strip('_')}"


EXPORTS = (
    "tsb_numbers",
    "tsb_release",
    "tsb_slots",
    "tsb_slot_set",
    "tsb_retain",
    "tsb_wrap_borrowed",
    *PROTOCOL,
    *(symbol for symbol, _ in GETTERS.values()),
    *(function_of(name) for name in (*BINARY, *POWER, *UNARY)),
)


def constants() -> dict[str, object]:
    """What ``$names`` in the text stand for."""
    return {
        "w_impl": IMPL,
        "w_weak": WEAK,
        "w_size": SIZE,
        "free_limit": FREE_LIMIT,
        "nslots": len(SLOTS),
        "t_pyobject": TENSOR_STRUCT.offsets["pyobject"],
        **{f"slot_{name.strip('_')}": i for i, name in enumerate(SLOTS)},
    }


_TEXT = """
@tsb_numbers = global ptr null
@tsb_release = global ptr null
@tsb_slots = global [$nslots x { ptr, ptr }] zeroinitializer
@free_head = internal global ptr null
@free_count = internal global i64 0

; drops one reference of a native tensor
define internal void @impl_release(ptr %impl) {
entry:
  %ctx = alloca [$c_size x i8], align 16
  %flag = load atomic i8, ptr @ts_concurrent_v1 monotonic, align 8
  %shared = icmp ne i8 %flag, 0
  br i1 %shared, label %call, label %single
single:
  %rc = load i64, ptr %impl
  %many = icmp sgt i64 %rc, 1
  br i1 %many, label %down, label %call
down:
  %less = sub i64 %rc, 1
  store i64 %less, ptr %impl
  ret void
call:
  %dp = getelementptr i8, ptr %ctx, i64 $c_depth
  store i64 $max_depth, ptr %dp
  %skp = getelementptr i8, ptr %ctx, i64 $c_stack
  store i64 $no_stack, ptr %skp
  %atp = getelementptr i8, ptr %ctx, i64 $c_at
  store ptr null, ptr %atp
  %sp = getelementptr i8, ptr %ctx, i64 $c_state
  store ptr null, ptr %sp
  %np = getelementptr i8, ptr %ctx, i64 $c_ntrace
  store i64 0, ptr %np
  %release = load ptr, ptr @tsb_release
  %unset = icmp eq ptr %release, null
  br i1 %unset, label %leak, label %go
go:
  %ignored = call i32 %release(ptr %ctx, ptr %impl)
  ret void
leak:
  ret void
}

; the Python object of a native tensor, whose reference it takes over
define ptr @tsb_wrap(ptr %impl) {
entry:
  %lacking = icmp eq ptr %impl, null
  br i1 %lacking, label %bad, label %go
go:
  %pp = getelementptr i8, ptr %impl, i64 $t_pyobject
  %old = load ptr, ptr %pp
  %fresh = icmp eq ptr %old, null
  br i1 %fresh, label %new, label %same
same:
  call void @incref(ptr %old)
  call void @impl_release(ptr %impl)
  ret ptr %old
new:
  %head = load ptr, ptr @free_head
  %none = icmp eq ptr %head, null
  br i1 %none, label %allocate, label %reuse
reuse:
  %lp = getelementptr i8, ptr %head, i64 $w_impl
  %next = load ptr, ptr %lp
  store ptr %next, ptr @free_head
  %c = load i64, ptr @free_count
  %c1 = sub i64 %c, 1
  store i64 %c1, ptr @free_count
  br label %init
allocate:
  %memory = call ptr @PyObject_Malloc(i64 $w_size)
  %failed = icmp eq ptr %memory, null
  br i1 %failed, label %exhausted, label %init
exhausted:
  call void @impl_release(ptr %impl)
  %ignored = call ptr @PyErr_NoMemory()
  ret ptr null
init:
  %o = phi ptr [ %head, %reuse ], [ %memory, %allocate ]
  %t = load ptr, ptr @tsb_tensor_type
  %again = call ptr @PyObject_Init(ptr %o, ptr %t)
  %ip = getelementptr i8, ptr %o, i64 $w_impl
  store ptr %impl, ptr %ip
  %wp = getelementptr i8, ptr %o, i64 $w_weak
  store ptr null, ptr %wp
  store ptr %o, ptr %pp
  ret ptr %o
bad:
  %e = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %e, ptr @m_null)
  ret ptr null
}

; one more reference of a native tensor
define void @tsb_retain(ptr %impl) {
entry:
  %flag = load atomic i8, ptr @ts_concurrent_v1 monotonic, align 8
  %shared = icmp ne i8 %flag, 0
  br i1 %shared, label %atomic, label %single
atomic:
  %ignored = atomicrmw add ptr %impl, i64 1 monotonic
  ret void
single:
  %rc = load i64, ptr %impl
  %more = add i64 %rc, 1
  store i64 %more, ptr %impl
  ret void
}

; like tsb_wrap, for a tensor that stays the caller's
define ptr @tsb_wrap_borrowed(ptr %impl) {
entry:
  %lacking = icmp eq ptr %impl, null
  br i1 %lacking, label %wrap, label %retain
retain:
  call void @tsb_retain(ptr %impl)
  br label %wrap
wrap:
  %o = call ptr @tsb_wrap(ptr %impl)
  ret ptr %o
}

define void @tsb_tensor_dealloc(ptr %o) {
entry:
  %tp = getelementptr i8, ptr %o, i64 $type
  %t = load ptr, ptr %tp
  %ip = getelementptr i8, ptr %o, i64 $w_impl
  %impl = load ptr, ptr %ip
  ; first, so that a weak reference's callback that meets the tensor gets another wrapper
  %pp = getelementptr i8, ptr %impl, i64 $t_pyobject
  store ptr null, ptr %pp
  %wp = getelementptr i8, ptr %o, i64 $w_weak
  %weak = load ptr, ptr %wp
  %none = icmp eq ptr %weak, null
  br i1 %none, label %release, label %weakly
weakly:
  call void @PyObject_ClearWeakRefs(ptr %o)
  br label %release
release:
  call void @impl_release(ptr %impl)
  %c = load i64, ptr @free_count
  %room = icmp slt i64 %c, $free_limit
  br i1 %room, label %push, label %free
push:
  %head = load ptr, ptr @free_head
  store ptr %head, ptr %ip
  store ptr %o, ptr @free_head
  %c1 = add i64 %c, 1
  store i64 %c1, ptr @free_count
  br label %out
free:
  call void @PyObject_Free(ptr %o)
  br label %out
out:
  call void @decref(ptr %t)
  ret void
}

define i64 @tsb_tensor_hash(ptr %o) {
  %a = ptrtoint ptr %o to i64
  %h = call i64 @llvm.fshr.i64(i64 %a, i64 %a, i64 4)
  %reserved = icmp eq i64 %h, -1
  %r = select i1 %reserved, i64 -2, i64 %h
  ret i64 %r
}

declare i64 @llvm.fshr.i64(i64, i64, i64)

; puts a callable into the slot table; whoever calls this keeps it alive for ever
define void @tsb_slot_set(i64 %index, ptr %callable, i32 %native) {
  %p = getelementptr { ptr, ptr }, ptr @tsb_slots, i64 %index
  %op = getelementptr i8, ptr %p, i64 8
  %is_native = icmp ne i32 %native, 0
  %f = select i1 %is_native, ptr @tsb_call, ptr @tsb_call_any
  store ptr %callable, ptr %op
  store ptr %f, ptr %p
  ret void
}

define internal ptr @not_implemented() {
  call void @incref(ptr @_Py_NotImplementedStruct)
  ret ptr @_Py_NotImplementedStruct
}

define internal ptr @unset() {
  %e = load ptr, ptr @PyExc_TypeError
  call void @PyErr_SetString(ptr %e, ptr @m_unset)
  ret ptr null
}

; 1 when a slot takes o as an operand, 0 when not, -1 with an exception
define internal i32 @operand(ptr %o) alwaysinline {
  %tp = getelementptr i8, ptr %o, i64 $type
  %t = load ptr, ptr %tp
  %tensor = load ptr, ptr @tsb_tensor_type
  %is_tensor = icmp eq ptr %t, %tensor
  br i1 %is_tensor, label %yes, label %numbers
numbers:
  %is_float = icmp eq ptr %t, @PyFloat_Type
  %is_int = icmp eq ptr %t, @PyLong_Type
  %is_bool = icmp eq ptr %t, @PyBool_Type
  %fi = or i1 %is_float, %is_int
  %number = or i1 %fi, %is_bool
  br i1 %number, label %yes, label %foreign
foreign:
  %types = load ptr, ptr @tsb_numbers
  %none = icmp eq ptr %types, null
  br i1 %none, label %no, label %ask
ask:
  %r = call i32 @PyObject_IsInstance(ptr %o, ptr %types)
  ret i32 %r
yes:
  ret i32 1
no:
  ret i32 0
}

define internal ptr @binary(ptr %a, ptr %b, i64 %slot) {
entry:
  %args = alloca [2 x ptr]
  %p = getelementptr { ptr, ptr }, ptr @tsb_slots, i64 %slot
  %f = load ptr, ptr %p
  %unset = icmp eq ptr %f, null
  br i1 %unset, label %no, label %left
left:
  %ka = call i32 @operand(ptr %a)
  %fa = icmp eq i32 %ka, 1
  br i1 %fa, label %right, label %bad_left
bad_left:
  %ea = icmp slt i32 %ka, 0
  br i1 %ea, label %error, label %no
right:
  %kb = call i32 @operand(ptr %b)
  %fb = icmp eq i32 %kb, 1
  br i1 %fb, label %call, label %bad_right
bad_right:
  %eb = icmp slt i32 %kb, 0
  br i1 %eb, label %error, label %no
call:
  %op = getelementptr i8, ptr %p, i64 8
  %callable = load ptr, ptr %op
  store ptr %a, ptr %args
  %bp = getelementptr i8, ptr %args, i64 8
  store ptr %b, ptr %bp
  %r = call ptr %f(ptr %callable, ptr %args, i64 2, ptr null)
  ret ptr %r
no:
  %n = call ptr @not_implemented()
  ret ptr %n
error:
  ret ptr null
}

define internal ptr @power(ptr %a, ptr %b, ptr %modulus, i64 %slot) {
  %plain = icmp eq ptr %modulus, @_Py_NoneStruct
  br i1 %plain, label %go, label %no
go:
  %r = call ptr @binary(ptr %a, ptr %b, i64 %slot)
  ret ptr %r
no:
  %n = call ptr @not_implemented()
  ret ptr %n
}

define internal ptr @call_slot(ptr %args, i64 %nargs, i64 %slot) {
  %p = getelementptr { ptr, ptr }, ptr @tsb_slots, i64 %slot
  %f = load ptr, ptr %p
  %unset = icmp eq ptr %f, null
  br i1 %unset, label %no, label %call
call:
  %op = getelementptr i8, ptr %p, i64 8
  %callable = load ptr, ptr %op
  %r = call ptr %f(ptr %callable, ptr %args, i64 %nargs, ptr null)
  ret ptr %r
no:
  %n = call ptr @unset()
  ret ptr %n
}

define internal ptr @unary(ptr %a, i64 %slot) {
  %args = alloca [1 x ptr]
  store ptr %a, ptr %args
  %r = call ptr @call_slot(ptr %args, i64 1, i64 %slot)
  ret ptr %r
}

define ptr @tsb_tensor_compare(ptr %a, ptr %b, i32 %op) {
  %slot = zext i32 %op to i64
  %r = call ptr @binary(ptr %a, ptr %b, i64 %slot)
  ret ptr %r
}

define i32 @tsb_tensor_bool(ptr %a) {
  %r = call ptr @unary(ptr %a, i64 $slot_bool)
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %error, label %look
look:
  %true = icmp eq ptr %r, @_Py_TrueStruct
  %false = icmp eq ptr %r, @_Py_FalseStruct
  %either = or i1 %true, %false
  call void @decref(ptr %r)
  br i1 %either, label %good, label %strange
good:
  %v = zext i1 %true to i32
  ret i32 %v
strange:
  %e = load ptr, ptr @PyExc_TypeError
  call void @PyErr_SetString(ptr %e, ptr @m_truth)
  ret i32 -1
error:
  ret i32 -1
}

define i64 @tsb_tensor_len(ptr %a) {
  %r = call ptr @unary(ptr %a, i64 $slot_len)
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %error, label %good
good:
  %n = call i64 @PyLong_AsSsize_t(ptr %r)
  call void @decref(ptr %r)
  %negative = icmp slt i64 %n, 0
  br i1 %negative, label %look, label %out
look:
  %there = call ptr @PyErr_Occurred()
  %clear = icmp eq ptr %there, null
  br i1 %clear, label %refuse, label %error
refuse:
  %e = load ptr, ptr @PyExc_ValueError
  call void @PyErr_SetString(ptr %e, ptr @m_length)
  br label %error
out:
  ret i64 %n
error:
  ret i64 -1
}

define ptr @tsb_tensor_getitem(ptr %a, ptr %key) {
  %args = alloca [2 x ptr]
  store ptr %a, ptr %args
  %kp = getelementptr i8, ptr %args, i64 8
  store ptr %key, ptr %kp
  %r = call ptr @call_slot(ptr %args, i64 2, i64 $slot_getitem)
  ret ptr %r
}

define i32 @tsb_tensor_setitem(ptr %a, ptr %key, ptr %value) {
  %args = alloca [3 x ptr]
  %delete = icmp eq ptr %value, null
  br i1 %delete, label %refuse, label %go
refuse:
  %e = load ptr, ptr @PyExc_TypeError
  call void @PyErr_SetString(ptr %e, ptr @m_delete)
  ret i32 -1
go:
  store ptr %a, ptr %args
  %kp = getelementptr i8, ptr %args, i64 8
  store ptr %key, ptr %kp
  %vp = getelementptr i8, ptr %args, i64 16
  store ptr %value, ptr %vp
  %r = call ptr @call_slot(ptr %args, i64 3, i64 $slot_setitem)
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %error, label %good
good:
  call void @decref(ptr %r)
  ret i32 0
error:
  ret i32 -1
}

define ptr @tsb_tensor_ndim(ptr %a, ptr %closure) {
  %ip = getelementptr i8, ptr %a, i64 $w_impl
  %impl = load ptr, ptr %ip
  %np = getelementptr i8, ptr %impl, i64 $t_ndim
  %n = load i32, ptr %np
  %v = sext i32 %n to i64
  %o = call ptr @PyLong_FromLongLong(i64 %v)
  ret ptr %o
}

define ptr @tsb_tensor_dtype(ptr %a, ptr %closure) {
  %ip = getelementptr i8, ptr %a, i64 $w_impl
  %impl = load ptr, ptr %ip
  %dp = getelementptr i8, ptr %impl, i64 $t_dtype
  %d = load i32, ptr %dp
  %o = call ptr @tsb_box_dtype(i32 %d)
  ret ptr %o
}

define ptr @tsb_tensor_shape(ptr %a, ptr %closure) {
  %ip = getelementptr i8, ptr %a, i64 $w_impl
  %impl = load ptr, ptr %ip
  %np = getelementptr i8, ptr %impl, i64 $t_ndim
  %n = load i32, ptr %np
  %v = sext i32 %n to i64
  %sizes = getelementptr i8, ptr %impl, i64 $t_dims
  %o = call ptr @ints(ptr %sizes, i64 %v)
  ret ptr %o
}

define ptr @tsb_tensor_impl(ptr %a, ptr %closure) {
  %ip = getelementptr i8, ptr %a, i64 $w_impl
  %impl = load ptr, ptr %ip
  %v = ptrtoint ptr %impl to i64
  %o = call ptr @PyLong_FromLongLong(i64 %v)
  ret ptr %o
}
"""


def text() -> str:
    """The part of the module, with a function for each slot."""
    index = {name: i for i, name in enumerate(SLOTS)}
    out = [_TEXT]
    for name in BINARY:
        out.append(f"""define ptr @{function_of(name)}(ptr %a, ptr %b) {{
  %r = call ptr @binary(ptr %a, ptr %b, i64 {index[name]})
  ret ptr %r
}}
""")
    for name in POWER:
        out.append(f"""define ptr @{function_of(name)}(ptr %a, ptr %b, ptr %modulus) {{
  %r = call ptr @power(ptr %a, ptr %b, ptr %modulus, i64 {index[name]})
  ret ptr %r
}}
""")
    for name in UNARY:
        out.append(f"""define ptr @{function_of(name)}(ptr %a) {{
  %r = call ptr @unary(ptr %a, i64 {index[name]})
  ret ptr %r
}}
""")
    return "\n".join(out)
