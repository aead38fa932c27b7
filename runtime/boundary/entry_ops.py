"""The part of the boundary module that other people's C functions meet: custom operators and custom allocators.

What an operator calls (``ts_operator_raise_v1``), what compiled code calls around one, and calls through the function
pointers of an allocator (`tscript.runtime.session.allocators`).
"""

from __future__ import annotations

EXTERNALS = """
@PyExc_Exception = external global ptr
@PyExc_RuntimeError = external global ptr
declare ptr @PyEval_GetBuiltins()
declare ptr @PyDict_GetItemString(ptr, ptr)
declare i32 @PyObject_IsSubclass(ptr, ptr)
declare ptr @PyUnicode_DecodeUTF8(ptr, i64, ptr)
declare i64 @strlen(ptr)
"""

TEXT = """
@op_replace = private unnamed_addr constant [8 x i8] c"replace\\00"
@op_nothing = private unnamed_addr constant [1 x i8] zeroinitializer

; sets the exception: a builtin class by name, RuntimeError for anything else, with a message in UTF-8
define internal void @operator_error(ptr %class, ptr %message) noinline cold {
  %none = icmp eq ptr %class, null
  br i1 %none, label %other, label %look
look:
  %builtins = call ptr @PyEval_GetBuiltins()
  %c = call ptr @PyDict_GetItemString(ptr %builtins, ptr %class)
  %unknown = icmp eq ptr %c, null
  br i1 %unknown, label %other, label %kind
kind:
  %exception = load ptr, ptr @PyExc_Exception
  %sub = call i32 @PyObject_IsSubclass(ptr %c, ptr %exception)
  %fine = icmp eq i32 %sub, 1
  br i1 %fine, label %say, label %other
other:
  call void @PyErr_Clear()
  %runtime = load ptr, ptr @PyExc_RuntimeError
  br label %say
say:
  %type = phi ptr [ %c, %kind ], [ %runtime, %other ]
  %silent = icmp eq ptr %message, null
  %text = select i1 %silent, ptr @op_nothing, ptr %message
  %n = call i64 @strlen(ptr %text)
  %u = call ptr @PyUnicode_DecodeUTF8(ptr %text, i64 %n, ptr @op_replace)
  %memory = icmp eq ptr %u, null
  br i1 %memory, label %out, label %set
set:
  call void @PyErr_SetObject(ptr %type, ptr %u)
  call void @Py_DecRef(ptr %u)
  br label %out
out:
  ret void
}

; what an operator in C calls to raise; may be called with or without the GIL
define i32 @ts_operator_raise_v1(ptr %ctx, ptr %class, ptr %message) noinline cold {
  %sp = getelementptr i8, ptr %ctx, i64 $c_state
  %s = load ptr, ptr %sp
  %held = icmp eq ptr %s, null
  br i1 %held, label %ensure, label %take
take:
  ; the GIL stays held: the caller unwinds into Python
  call void @PyEval_RestoreThread(ptr %s)
  store ptr null, ptr %sp
  call void @operator_error(ptr %class, ptr %message)
  ret i32 $python
ensure:
  %g = call i32 @PyGILState_Ensure()
  call void @operator_error(ptr %class, ptr %message)
  call void @PyGILState_Release(i32 %g)
  ret i32 $python
}

; a status of an operator in C, made one that native code leaves with
define i32 @ts_operator_failed_v1(ptr %ctx, ptr %name, i32 %status) {
  switch i32 %status, label %odd [
    i32 0, label %fine
    i32 $python, label %fine
    i32 $raised, label %raised
  ]
fine:
  ret i32 %status
raised:
  %np = getelementptr i8, ptr %ctx, i64 $c_ntrace
  %n = load i64, ptr %np
  %said = icmp ne i64 %n, 0
  br i1 %said, label %fine, label %odd
odd:
  %sp = getelementptr i8, ptr %ctx, i64 $c_state
  %s = load ptr, ptr %sp
  %held = icmp eq ptr %s, null
  br i1 %held, label %ensure, label %take
take:
  call void @PyEval_RestoreThread(ptr %s)
  store ptr null, ptr %sp
  %e0 = load ptr, ptr @PyExc_RuntimeError
  %i0 = call ptr (ptr, ptr, ...) @PyErr_Format(ptr %e0, ptr @m_operator, ptr %name, i32 %status)
  ret i32 $python
ensure:
  %g = call i32 @PyGILState_Ensure()
  %e1 = load ptr, ptr @PyExc_RuntimeError
  %i1 = call ptr (ptr, ptr, ...) @PyErr_Format(ptr %e1, ptr @m_operator, ptr %name, i32 %status)
  call void @PyGILState_Release(i32 %g)
  ret i32 $python
}

define i32 @ts_operator_drop_v1(ptr %ctx, ptr %t) {
  %none = icmp eq ptr %t, null
  br i1 %none, label %out, label %go
go:
  call void @impl_release(ptr %t)
  br label %out
out:
  ret i32 0
}

; table: {allocate, free, user}
define i64 @ts_foreign_allocate_v1(i64 %table, i64 %nbytes) {
  %alive = call i32 @Py_IsInitialized()
  %dead = icmp eq i32 %alive, 0
  br i1 %dead, label %nothing, label %go
nothing:
  ret i64 0
go:
  %t = inttoptr i64 %table to ptr
  %f = load ptr, ptr %t
  %up = getelementptr i8, ptr %t, i64 16
  %user = load ptr, ptr %up
  %p = call ptr %f(i64 %nbytes, i64 64, ptr %user)
  %n = ptrtoint ptr %p to i64
  ret i64 %n
}

; when the interpreter is gone a callback may need it: what is left is left to the process's end
define void @ts_foreign_free_v1(i64 %table, i64 %block, i64 %nbytes) {
  %alive = call i32 @Py_IsInitialized()
  %dead = icmp eq i32 %alive, 0
  br i1 %dead, label %out, label %go
go:
  %t = inttoptr i64 %table to ptr
  %fp = getelementptr i8, ptr %t, i64 8
  %f = load ptr, ptr %fp
  %up = getelementptr i8, ptr %t, i64 16
  %user = load ptr, ptr %up
  %p = inttoptr i64 %block to ptr
  call void %f(ptr %p, i64 %nbytes, ptr %user)
  br label %out
out:
  ret void
}
"""

MESSAGES: dict[str, str] = {"m_operator": "%s failed with status %d without saying why"}
"""Texts of exceptions, by the name of their constant."""

EXPORTS = (
    "ts_operator_raise_v1",
    "ts_operator_failed_v1",
    "ts_operator_drop_v1",
    "ts_foreign_allocate_v1",
    "ts_foreign_free_v1",
)
"""Symbols that native code imports from the boundary module."""
