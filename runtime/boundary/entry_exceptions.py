"""Python exceptions that compiled code catches: the boundary's half of ``exception_fetch``.

The exception of the thread goes to a hook, which keeps it and writes into the context what a ``raise`` would have
(`tscript.runtime.session.exceptions.Exceptions.fetch`). The GIL stays as it is: code that holds it goes on holding it until
its next safepoint.
"""

from __future__ import annotations

EXPORTS = ("ts_exception_fetch_v1",)
"""Symbols that native code imports."""

INTERNALS = ("tsb_fetch_hook",)

TEXT = """
@tsb_fetch_hook = global ptr null

; the Python exception of this thread becomes one of native code; gives the status it has from then on
define i32 @ts_exception_fetch_v1(ptr %ctx) noinline cold {
  %class_at = alloca ptr
  %error_at = alloca ptr
  %trace_at = alloca ptr
  call void @PyErr_Fetch(ptr %class_at, ptr %error_at, ptr %trace_at)
  call void @PyErr_NormalizeException(ptr %class_at, ptr %error_at, ptr %trace_at)
  %class = load ptr, ptr %class_at
  %error = load ptr, ptr %error_at
  %frames = load ptr, ptr %trace_at
  %bare = icmp eq ptr %frames, null
  br i1 %bare, label %tell, label %attach
attach:
  %attached = call i32 @PyException_SetTraceback(ptr %error, ptr %frames)
  br label %tell
tell:
  %hook = load ptr, ptr @tsb_fetch_hook
  %where = call ptr @PyLong_FromVoidPtr(ptr %ctx)
  %done = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %hook, ptr %where, ptr %error, ptr null)
  call void @xdecref(ptr %where)
  call void @xdecref(ptr %class)
  call void @xdecref(ptr %error)
  call void @xdecref(ptr %frames)
  %failed = icmp eq ptr %done, null
  br i1 %failed, label %python, label %raised
python:
  ret i32 $python
raised:
  call void @Py_DecRef(ptr %done)
  ret i32 $raised
}
"""
