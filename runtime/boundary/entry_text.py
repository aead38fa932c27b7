"""The boundary module as LLVM text: everything through which Python objects reach native code.

What is left of it as text: the tensor wrapper and its number slots (`entry_tensor`), operator callbacks (`entry_record`,
`entry_range`), tasks, and here boxing helpers of the signature stubs, errors, and what native code calls back:
safepoints, the GIL, dispatch. The rest is written in the low-level dialect (`module`). Texts have ``$name`` for every
offset and constant, filled in by `boundary_text`; so the module depends on the layouts of `abi` and on the
interpreter's own, read at run time (`Interpreter`).

Every function that returns an object returns a new reference, or null with an exception set, unless it says otherwise.
All functions except those named ``ts_`` are called with the GIL held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Template

from tscript.abi.layout import CONTEXT, MAX_DEPTH, NO_STACK, TENSOR_STRUCT
from tscript.abi.python import OBJECT_BODY, OBJECT_TYPE
from tscript.abi.signature import Signature
from tscript.abi.status import Status
from tscript.backend.llvm.target import Target
from tscript.runtime.boundary import (
    entry_exceptions,
    entry_ops,
    entry_python,
    entry_range,
    entry_record,
    entry_task,
    entry_tensor,
    entry_values,
)
from tscript.runtime.boundary.module import module_lines, symbols_of
from tscript.runtime.boundary.stubs import HELPERS, stub_text

DTYPE_SLOTS = 32
"""Room for dtype codes."""


@dataclass(frozen=True)
class Interpreter:
    """What of the running interpreter's object layouts the text depends on; `native_types.check_interpreter` reads it.

    Attributes:
        tuple_items: Offset of the first item of a tuple.
    """

    tuple_items: int


EXTERNALS = """
@PyFloat_Type = external global i8
@PyLong_Type = external global i8
@PyBool_Type = external global i8
@PyTuple_Type = external global i8
@PyUnicode_Type = external global i8
@PyList_Type = external global i8
@_Py_NoneStruct = external global i8
@_Py_TrueStruct = external global i8
@_Py_FalseStruct = external global i8
@_Py_NotImplementedStruct = external global i8
@PyExc_TypeError = external global ptr
@PyExc_SystemError = external global ptr
@PyExc_OverflowError = external global ptr
@PyExc_ValueError = external global ptr
@PyExc_BaseException = external global ptr
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare i32 @Py_IsInitialized()
declare ptr @PyErr_Occurred()
declare i32 @PyErr_CheckSignals()
declare ptr @PyErr_NoMemory()
declare ptr @PyErr_Format(ptr, ptr, ...)
declare void @PyErr_SetString(ptr, ptr)
declare void @PyErr_SetObject(ptr, ptr)
declare i32 @PyException_SetTraceback(ptr, ptr)
declare ptr @PyException_GetTraceback(ptr)
declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyGILState_Check()
declare double @PyLong_AsDouble(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare i64 @PyLong_AsSsize_t(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyLong_FromVoidPtr(ptr)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyDict_New()
declare i32 @PyDict_SetItem(ptr, ptr, ptr)
declare ptr @PyList_AsTuple(ptr)
declare i32 @PyList_Append(ptr, ptr)
declare ptr @PyList_New(i64)
declare ptr @PyMethod_New(ptr, ptr)
declare ptr @PyObject_Call(ptr, ptr, ptr)
declare ptr @PyObject_CallOneArg(ptr, ptr)
declare i32 @PyObject_IsInstance(ptr, ptr)
declare void @PyObject_ClearWeakRefs(ptr)
declare void @PyObject_GC_UnTrack(ptr)
declare void @PyObject_GC_Del(ptr)
declare ptr @PyObject_Init(ptr, ptr)
declare ptr @PyObject_Malloc(i64)
declare void @PyObject_Free(ptr)
declare void @PyUnicode_InternInPlace(ptr)
declare ptr @PyType_GenericAlloc(ptr, i64)
declare ptr @PyMem_RawCalloc(i64, i64)
declare void @PyMem_RawFree(ptr)
"""

COMMON = """
@ts_concurrent_v1 = global i8 0, align 8
@tsb_raise_hook = global ptr null
@tsb_dispatch_hook = global ptr null
@tsb_trace_hook = global ptr null
@tsb_dtypes = global [$dtype_slots x ptr] zeroinitializer

; int object -> i64; not 0 with an exception set on failure
define i32 @tsb_unbox_int(ptr %o, ptr %out, i64 %position) {
  %overflow = alloca i32
  store i32 0, ptr %overflow
  %v = call i64 @PyLong_AsLongLongAndOverflow(ptr %o, ptr %overflow)
  store i64 %v, ptr %out
  %minus = icmp eq i64 %v, -1
  br i1 %minus, label %doubtful, label %good
doubtful:
  %over = load i32, ptr %overflow
  %fits = icmp eq i32 %over, 0
  br i1 %fits, label %other, label %large
large:
  %e = load ptr, ptr @PyExc_OverflowError
  %ignored = call ptr (ptr, ptr, ...) @PyErr_Format(ptr %e, ptr @m_int, i64 %position)
  ret i32 -1
other:
  %error = call ptr @PyErr_Occurred()
  %set = icmp ne ptr %error, null
  %bad = sext i1 %set to i32
  ret i32 %bad
good:
  ret i32 0
}

; dtype object -> its code; -1 with an exception set when it is none
define i32 @tsb_unbox_dtype(ptr %o) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %p = getelementptr ptr, ptr @tsb_dtypes, i64 %i
  %d = load ptr, ptr %p
  %same = icmp eq ptr %d, %o
  br i1 %same, label %found, label %more
more:
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, $dtype_slots
  br i1 %end, label %bad, label %loop
found:
  %code = trunc i64 %i to i32
  ret i32 %code
bad:
  %e = load ptr, ptr @PyExc_TypeError
  call void @PyErr_SetString(ptr %e, ptr @m_dtype)
  ret i32 -1
}

define ptr @tsb_box_dtype(i32 %code) {
  %inside = icmp ult i32 %code, $dtype_slots
  br i1 %inside, label %look, label %bad
look:
  %i = zext i32 %code to i64
  %p = getelementptr ptr, ptr @tsb_dtypes, i64 %i
  %d = load ptr, ptr %p
  %known = icmp ne ptr %d, null
  br i1 %known, label %good, label %bad
good:
  call void @incref(ptr %d)
  ret ptr %d
bad:
  %e = load ptr, ptr @PyExc_SystemError
  %ignored = call ptr (ptr, ptr, ...) @PyErr_Format(ptr %e, ptr @m_code, i32 %code)
  ret ptr null
}

define ptr @tsb_box_constant(ptr %constants, i64 %index) {
  %none = icmp eq ptr %constants, null
  br i1 %none, label %bad, label %count
count:
  %np = getelementptr i8, ptr %constants, i64 16
  %n = load i64, ptr %np
  %inside = icmp ult i64 %index, %n
  br i1 %inside, label %good, label %bad
good:
  %items = getelementptr i8, ptr %constants, i64 $tuple_items
  %p = getelementptr ptr, ptr %items, i64 %index
  %o = load ptr, ptr %p
  call void @incref(ptr %o)
  ret ptr %o
bad:
  %e = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %e, ptr @m_const)
  ret ptr null
}

; n owned objects (some null when an exception is set) -> a tuple; takes the references over in any case
define ptr @tsb_pack(ptr %boxes, i64 %n) {
entry:
  br label %check
check:
  %i = phi i64 [ 0, %entry ], [ %i1, %whole ]
  %done = icmp eq i64 %i, %n
  br i1 %done, label %make, label %look
look:
  %p = getelementptr ptr, ptr %boxes, i64 %i
  %o = load ptr, ptr %p
  %missing = icmp eq ptr %o, null
  br i1 %missing, label %drop, label %whole
whole:
  %i1 = add i64 %i, 1
  br label %check
make:
  %tuple = call ptr @PyTuple_New(i64 %n)
  %failed = icmp eq ptr %tuple, null
  br i1 %failed, label %drop, label %fill
fill:
  %j = phi i64 [ 0, %make ], [ %j1, %put ]
  %full = icmp eq i64 %j, %n
  br i1 %full, label %out, label %put
put:
  %q = getelementptr ptr, ptr %boxes, i64 %j
  %item = load ptr, ptr %q
  %ignored = call i32 @PyTuple_SetItem(ptr %tuple, i64 %j, ptr %item)
  %j1 = add i64 %j, 1
  br label %fill
out:
  ret ptr %tuple
drop:
  br label %each
each:
  %k = phi i64 [ 0, %drop ], [ %k1, %release ]
  %end = icmp eq i64 %k, %n
  br i1 %end, label %bad, label %release
release:
  %r = getelementptr ptr, ptr %boxes, i64 %k
  %owned = load ptr, ptr %r
  call void @xdecref(ptr %owned)
  %k1 = add i64 %k, 1
  br label %each
bad:
  ret ptr null
}

; a Size (rank-1 int64 tensor, owned) -> a tuple of ints
define ptr @tsb_box_size(ptr %impl) {
  %none = icmp eq ptr %impl, null
  br i1 %none, label %bad, label %go
go:
  %np = getelementptr i8, ptr %impl, i64 $t_numel
  %n = load i64, ptr %np
  %dp = getelementptr i8, ptr %impl, i64 $t_data
  %d = load ptr, ptr %dp
  %tuple = call ptr @ints(ptr %d, i64 %n)
  call void @impl_release(ptr %impl)
  ret ptr %tuple
bad:
  %e = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %e, ptr @m_null)
  ret ptr null
}

; the result of a call, owned: itself, or null when the call failed in the end
define ptr @tsb_keep(ptr %o, i64 %failed) {
  %good = icmp eq i64 %failed, 0
  br i1 %good, label %out, label %drop
drop:
  call void @xdecref(ptr %o)
  ret ptr null
out:
  ret ptr %o
}

; a status that is not 0 -> the exception it means; returns null
define ptr @tsb_fail(ptr %ctx, i32 %status) noinline cold {
  %none = call ptr @tsb_fail_in(ptr %ctx, i32 %status, ptr null)
  ret ptr %none
}

; the same in a call that has a Marshal, or null
define ptr @tsb_fail_in(ptr %ctx, i32 %status, ptr %marshal) noinline cold {
entry:
  %vec = alloca [2 x ptr]
  %raised = icmp eq i32 %status, $raised
  br i1 %raised, label %build, label %python
build:
  %hook = load ptr, ptr @tsb_raise_hook
  %unset = icmp eq ptr %hook, null
  br i1 %unset, label %silent, label %address
address:
  %number = call ptr @PyLong_FromVoidPtr(ptr %ctx)
  %memory = icmp eq ptr %number, null
  br i1 %memory, label %out, label %ask
ask:
  %around = call ptr @PyLong_FromVoidPtr(ptr %marshal)
  %refused = icmp eq ptr %around, null
  br i1 %refused, label %forget, label %begin
forget:
  call void @Py_DecRef(ptr %number)
  ret ptr null
begin:
  store ptr %number, ptr %vec
  %second = getelementptr ptr, ptr %vec, i64 1
  store ptr %around, ptr %second
  %error = call ptr @PyObject_Vectorcall(ptr %hook, ptr %vec, i64 2, ptr null)
  call void @Py_DecRef(ptr %number)
  call void @Py_DecRef(ptr %around)
  %itself = icmp eq ptr %error, null
  br i1 %itself, label %out, label %verify
verify:
  %base = load ptr, ptr @PyExc_BaseException
  %kind = call i32 @PyObject_IsInstance(ptr %error, ptr %base)
  %fine = icmp eq i32 %kind, 1
  br i1 %fine, label %set, label %strange
set:
  %tp = getelementptr i8, ptr %error, i64 $type
  %class = load ptr, ptr %tp
  call void @PyErr_SetObject(ptr %class, ptr %error)
  call void @Py_DecRef(ptr %error)
  br label %out
strange:
  call void @Py_DecRef(ptr %error)
  %e = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %e, ptr @m_hook)
  br label %out
python:
  %there = call ptr @PyErr_Occurred()
  %lost = icmp eq ptr %there, null
  br i1 %lost, label %silent, label %trace
trace:
  ; the scripted lines that the exception of a callback came through
  %np = getelementptr i8, ptr %ctx, i64 $c_ntrace
  %n = load i64, ptr %np
  %nowhere = icmp eq i64 %n, 0
  br i1 %nowhere, label %out, label %fetch
fetch:
  %class_at = alloca ptr
  %error_at = alloca ptr
  %trace_at = alloca ptr
  call void @PyErr_Fetch(ptr %class_at, ptr %error_at, ptr %trace_at)
  call void @PyErr_NormalizeException(ptr %class_at, ptr %error_at, ptr %trace_at)
  %kept = load ptr, ptr %error_at
  %frames = load ptr, ptr %trace_at
  %bare = icmp eq ptr %frames, null
  br i1 %bare, label %show, label %attach
attach:
  %attached = call i32 @PyException_SetTraceback(ptr %kept, ptr %frames)
  br label %show
show:
  %tracer = load ptr, ptr @tsb_trace_hook
  %where = call ptr @PyLong_FromVoidPtr(ptr %ctx)
  %traced = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %tracer, ptr %where, ptr %kept, ptr null)
  call void @xdecref(ptr %where)
  call void @xdecref(ptr %traced)
  call void @PyErr_Clear()
  call void @xdecref(ptr %frames)
  %extended = call ptr @PyException_GetTraceback(ptr %kept)
  %kind_of = load ptr, ptr %class_at
  call void @PyErr_Restore(ptr %kind_of, ptr %kept, ptr %extended)
  br label %out
silent:
  %f = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %f, ptr @m_silent)
  br label %out
out:
  ret ptr null
}

; runs a stub on the items of a tuple, outside any table
define ptr @tsb_invoke(ptr %stub, ptr %code, ptr %arguments, ptr %constants, ptr %unit) {
  %items = getelementptr i8, ptr %arguments, i64 $tuple_items
  %cp = getelementptr i8, ptr %arguments, i64 16
  %n = load i64, ptr %cp
  %r = call ptr @run(ptr %unit, ptr %stub, ptr %code, ptr %constants, ptr %items, i64 %n)
  ret ptr %r
}
"""

CALLBACKS = """
define i32 @ts_release_gil_v1(ptr %ctx) {
  %sp = getelementptr i8, ptr %ctx, i64 $c_state
  %s = load ptr, ptr %sp
  %held = icmp eq ptr %s, null
  br i1 %held, label %check, label %out
check:
  ; a thread the interpreter does not know has no GIL to give
  %mine = call i32 @PyGILState_Check()
  %have = icmp ne i32 %mine, 0
  br i1 %have, label %release, label %out
release:
  store atomic i8 1, ptr @ts_concurrent_v1 seq_cst, align 8
  %new = call ptr @PyEval_SaveThread()
  store ptr %new, ptr %sp
  br label %out
out:
  ret i32 0
}

define i32 @ts_safepoint_v1(ptr %ctx) {
  %sp = getelementptr i8, ptr %ctx, i64 $c_state
  %s = load ptr, ptr %sp
  %held = icmp eq ptr %s, null
  br i1 %held, label %first, label %take
first:
  %mine = call i32 @PyGILState_Check()
  %have = icmp ne i32 %mine, 0
  br i1 %have, label %look, label %task
task:
  %t = call i32 @task_safepoint(ptr %ctx)
  ret i32 %t
take:
  call void @PyEval_RestoreThread(ptr %s)
  store ptr null, ptr %sp
  br label %look
look:
  %r = call i32 @PyErr_CheckSignals()
  %quiet = icmp eq i32 %r, 0
  br i1 %quiet, label %release, label %raised
release:
  store atomic i8 1, ptr @ts_concurrent_v1 seq_cst, align 8
  %new = call ptr @PyEval_SaveThread()
  store ptr %new, ptr %sp
  br label %out
out:
  ret i32 0
raised:
  ; the GIL stays held: the caller unwinds into Python
  ret i32 $python
}

define void @ts_drop_owner_v1(ptr %o) {
  %alive = call i32 @Py_IsInitialized()
  %dead = icmp eq i32 %alive, 0
  %none = icmp eq ptr %o, null
  %skip = or i1 %dead, %none
  br i1 %skip, label %out, label %go
go:
  %g = call i32 @PyGILState_Ensure()
  call void @Py_DecRef(ptr %o)
  call void @PyGILState_Release(i32 %g)
  br label %out
out:
  ret void
}

; hook(ctx, op_name, nargs, kinds, args, out), all ints; it stores the result behind out
define internal i32 @dispatch(ptr %ctx, ptr %name, i64 %nargs, ptr %kinds, ptr %args, ptr %out) {
entry:
  %boxes = alloca [6 x ptr]
  ; Python looks at the depth of calls alone
  %left = call i64 @ts_stack_left_v1()
  %shallow = icmp slt i64 %left, $python_stack
  br i1 %shallow, label %deep, label %try
deep:
  %re = load ptr, ptr @PyExc_RecursionError
  call void @PyErr_SetString(ptr %re, ptr @m_deep)
  ret i32 $python
try:
  %here = call i32 @python_call(ptr %name, i64 %nargs, ptr %kinds, ptr %args, ptr %out)
  %other = icmp eq i32 %here, -1
  br i1 %other, label %ask, label %done
done:
  ret i32 %here
ask:
  %hook = load ptr, ptr @tsb_dispatch_hook
  %unset = icmp eq ptr %hook, null
  br i1 %unset, label %silent, label %box
silent:
  %e = load ptr, ptr @PyExc_SystemError
  call void @PyErr_SetString(ptr %e, ptr @m_silent)
  ret i32 $python
box:
  %v0 = ptrtoint ptr %ctx to i64
  %v1 = ptrtoint ptr %name to i64
  %v3 = ptrtoint ptr %kinds to i64
  %v4 = ptrtoint ptr %args to i64
  %v5 = ptrtoint ptr %out to i64
$dispatch_boxes
  %tuple = call ptr @tsb_pack(ptr %boxes, i64 6)
  %memory = icmp eq ptr %tuple, null
  br i1 %memory, label %bad, label %call
call:
  %r = call ptr @PyObject_Call(ptr %hook, ptr %tuple, ptr null)
  call void @Py_DecRef(ptr %tuple)
  %error = icmp eq ptr %r, null
  br i1 %error, label %bad, label %good
bad:
  ret i32 $python
good:
  call void @Py_DecRef(ptr %r)
  ret i32 0
}

define i32 @ts_dispatch_v1(ptr %ctx, ptr %name, i64 %nargs, ptr %kinds, ptr %args, ptr %out) {
  %sp = getelementptr i8, ptr %ctx, i64 $c_state
  %s = load ptr, ptr %sp
  %held = icmp eq ptr %s, null
  br i1 %held, label %ensure, label %take
take:
  ; this thread gave the GIL away itself: take it back and keep what is set meanwhile
  call void @PyEval_RestoreThread(ptr %s)
  store ptr null, ptr %sp
  %r1 = call i32 @dispatch(ptr %ctx, ptr %name, i64 %nargs, ptr %kinds, ptr %args, ptr %out)
  %good = icmp eq i32 %r1, 0
  br i1 %good, label %again, label %stay
again:
  %new = call ptr @PyEval_SaveThread()
  store ptr %new, ptr %sp
  ret i32 0
stay:
  ret i32 %r1
ensure:
  %g = call i32 @PyGILState_Ensure()
  %r2 = call i32 @dispatch(ptr %ctx, ptr %name, i64 %nargs, ptr %kinds, ptr %args, ptr %out)
  ; the exception belongs to this thread's state, so one that had no GIL keeps it until the error is taken
  %fine = icmp eq i32 %r2, 0
  %nested = icmp eq i32 %g, 0
  %release = or i1 %fine, %nested
  br i1 %release, label %leave, label %holding
leave:
  call void @PyGILState_Release(i32 %g)
  ret i32 %r2
holding:
  ret i32 %r2
}
"""

MESSAGES: dict[str, str] = {
    "m_silent": "native code failed without setting an exception",
    "m_hook": "the hook of native errors did not return an exception",
    "m_int": "argument %zd: the int does not fit into 64 bits",
    "m_dtype": "the argument is not a dtype known to native code",
    "m_null": "native code returned no tensor where one is due",
    "m_code": "native code returned an unknown dtype code: %d",
    "m_const": "a signature row lacks one of its constants",
    **entry_task.MESSAGES,
    **entry_python.MESSAGES,
    **entry_range.MESSAGES,
    **entry_tensor.MESSAGES,
    **entry_ops.MESSAGES,
}
"""Texts of exceptions, by the name of their constant."""

EXPORTS = (
    "ts_concurrent_v1",
    "ts_release_gil_v1",
    "ts_safepoint_v1",
    "ts_drop_owner_v1",
    "ts_dispatch_v1",
    *entry_exceptions.EXPORTS,
    *entry_ops.EXPORTS,
    *entry_record.EXPORTS,
    *entry_task.EXPORTS,
)
"""Symbols that native code imports from the boundary module."""

INTERNALS = (
    "tsb_raise_hook",
    "tsb_dispatch_hook",
    "tsb_trace_hook",
    "tsb_dtypes",
    "tsb_invoke",
    *HELPERS,
    *entry_tensor.EXPORTS,
    *entry_exceptions.INTERNALS,
    *entry_record.INTERNALS,
    *entry_task.INTERNALS,
    *entry_python.INTERNALS,
    *entry_range.INTERNALS,
)
"""Symbols that the Python half and the stubs use."""

COMMON_SIGNATURES = (
    *(
        "T:T",
        "TT:T",
        "Tf:T",
        "fT:T",
        "Ti:T",
        "iT:T",
        "Tb:T",
        "TTT:T",
        "T_:T",
        "TT_:T",
        "Tf_:T",
        "Ti_:T",
        "T__:T",
        "_T:T",
    ),
    *("T:f", "T:i", "T:b", "T:d", "T:(i)", "T:(ii)", "T:(iii)", "f:f", "ff:f", "fff:f", "i:i", "ii:i", "i:f", "f:i"),
    *("if:f", "fi:f", "ii:b", "ff:b", "i:b", "f:b", ":N", "T:N", "TT:N", "TTf:T", "Tii:T", "T(i):T", "T(ii):T"),
)
"""Signatures whose stubs are part of the boundary module, so that they cost no compilation of their own."""


def _constants(interpreter: Interpreter) -> dict[str, str]:
    offsets = {f"t_{name}": at for name, at in TENSOR_STRUCT.offsets.items()}
    boxes = []
    for i, value in enumerate(("%v0", "%v1", "%nargs", "%v3", "%v4", "%v5")):
        boxes.append(f"  %o{i} = call ptr @PyLong_FromLongLong(i64 {value})")
        boxes.append(f"  %p{i} = getelementptr ptr, ptr %boxes, i64 {i}")
        boxes.append(f"  store ptr %o{i}, ptr %p{i}")
    found: Mapping[str, object] = {
        **offsets,
        "t_dims": TENSOR_STRUCT.size,
        "dtype_slots": DTYPE_SLOTS,
        "tuple_items": interpreter.tuple_items,
        "type": OBJECT_TYPE,
        "body": OBJECT_BODY,
        "c_size": CONTEXT.size,
        "c_depth": CONTEXT.offsets["depth"],
        "c_stack": CONTEXT.offsets["stack"],
        "no_stack": NO_STACK,
        "c_at": CONTEXT.offsets["at"],
        "c_state": CONTEXT.offsets["thread_state"],
        "c_ntrace": CONTEXT.offsets["ntrace"],
        "c_nargs": CONTEXT.offsets["nargs"],
        "c_trace": CONTEXT.offsets["trace"],
        "max_depth": MAX_DEPTH,
        "raised": int(Status.RAISED),
        "python": int(Status.PYTHON),
        "dispatch_boxes": "\n".join(boxes),
        **entry_record.constants(),
        **entry_task.constants(),
        **entry_python.constants(),
        **entry_range.constants(),
        **entry_tensor.constants(),
    }
    return {name: str(value) for name, value in found.items()}


def _messages() -> str:
    lines = []
    for name, text in MESSAGES.items():
        lines.append(f'@{name} = private unnamed_addr constant [{len(text) + 1} x i8] c"{text}\\00"')
    return "\n".join(lines)


def boundary_text(interpreter: Interpreter, signatures: Iterable[Signature], target: Target) -> str:
    """The whole module, with the stubs of `signatures` in it.

    Args:
        interpreter: Layouts of the running interpreter.
        signatures: Stubs to include, each with external linkage under `Signature.symbol`.
        target: What it is for.
    """
    parts = [COMMON, CALLBACKS, entry_ops.TEXT, entry_tensor.text()]
    parts += [entry_exceptions.TEXT, entry_values.TEXT, entry_python.TEXT]
    parts += [entry_record.text(target.architecture), entry_range.TEXT, entry_task.TEXT]
    body = "\n".join(Template(part).substitute(_constants(interpreter)) for part in parts)
    wanted: dict[str, str] = {}
    stubs = [stub_text(s, wanted, interpreter.tuple_items) for s in signatures]
    here = {line.strip() for line in EXTERNALS.splitlines()}
    declarations = [line for symbol, line in wanted.items() if line not in here and symbol not in HELPERS]
    written = [EXTERNALS, entry_ops.EXTERNALS, entry_python.EXTERNALS, *declarations, _messages(), body, *stubs]
    return "\n".join([*written, *module_lines(target, symbols_of(written))]) + "\n"
