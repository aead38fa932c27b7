"""``record_function`` as LLVM text: a native type, for a range that nobody listens to must cost next to nothing.

Then it is an allocation and two calls that look at one word. A range entered again while it is open counts how deep it
is and is recorded once. One that ends on another thread than it began on is fine: its record is in nobody's list.
"""

from __future__ import annotations

from tscript.abi.record import RecordScope

RANGE = {"name": 16, "site": 24, "record": 32, "scope": 40, "depth": 48}
"""Offsets of a range's fields."""

RANGE_SIZE = 56

INTERNALS = ("tsb_range_new", "tsb_range_enter", "tsb_range_exit", "tsb_range_dealloc")

MESSAGES = {
    "m_range": "record_function() takes one argument, the name of the range, and it must be a str",
}


def constants() -> dict[str, object]:
    """What ``$names`` in `TEXT` stand for."""
    return {**{f"rf_{name}": at for name, at in RANGE.items()}, "user": int(RecordScope.USER)}


TEXT = """
; record_function(name)
define ptr @tsb_range_new(ptr %type, ptr %args, i64 %nargsf, ptr %kwnames) nounwind {
  %nargs = and i64 %nargsf, 9223372036854775807
  %one = icmp eq i64 %nargs, 1
  %plain = icmp eq ptr %kwnames, null
  %good = and i1 %one, %plain
  br i1 %good, label %look, label %bad
look:
  %name = load ptr, ptr %args
  %ntp = getelementptr i8, ptr %name, i64 $type
  %nt = load ptr, ptr %ntp
  %text = icmp eq ptr %nt, @PyUnicode_Type
  br i1 %text, label %make, label %bad
make:
  %o = call ptr @PyType_GenericAlloc(ptr %type, i64 0)
  %memory = icmp eq ptr %o, null
  br i1 %memory, label %out, label %fill
fill:
  call void @incref(ptr %name)
  %np = getelementptr i8, ptr %o, i64 $rf_name
  store ptr %name, ptr %np
  %sp = getelementptr i8, ptr %o, i64 $rf_scope
  store i64 $user, ptr %sp
  br label %out
out:
  ret ptr %o
bad:
  %e = load ptr, ptr @PyExc_TypeError
  call void @PyErr_SetString(ptr %e, ptr @m_range)
  ret ptr null
}

define ptr @tsb_range_enter(ptr %self, ptr %ignored) nounwind {
  call void @incref(ptr %self)
  %watching = load atomic i64, ptr @ts_watching_v1 monotonic, align 8
  %idle = icmp eq i64 %watching, 0
  br i1 %idle, label %out, label %observed
observed:
  call void @range_open(ptr %self)
  br label %out
out:
  ret ptr %self
}

define internal void @range_open(ptr %self) noinline cold nounwind {
  %dp = getelementptr i8, ptr %self, i64 $rf_depth
  %depth = load i64, ptr %dp
  %deeper = add i64 %depth, 1
  store i64 %deeper, ptr %dp
  %outermost = icmp eq i64 %depth, 0
  br i1 %outermost, label %thread, label %out
thread:
  %t = call ptr @watcher()
  %nobody = icmp eq ptr %t, null
  br i1 %nobody, label %out, label %site
site:
  %scp = getelementptr i8, ptr %self, i64 $rf_scope
  %scope = load i64, ptr %scp
  %sp = getelementptr i8, ptr %self, i64 $rf_site
  %known = load ptr, ptr %sp
  %fresh = icmp eq ptr %known, null
  br i1 %fresh, label %ask, label %count
ask:
  %hp = getelementptr ptr, ptr @tsb_record_hooks, i64 4
  %hook = load ptr, ptr %hp
  %np = getelementptr i8, ptr %self, i64 $rf_name
  %name = load ptr, ptr %np
  %number = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %hook, ptr @format_ol, ptr %name, i64 %scope)
  %refused = icmp eq ptr %number, null
  br i1 %refused, label %forget, label %numbered
forget:
  call void @forget()
  br label %out
numbered:
  %address = call i64 @PyLong_AsSsize_t(ptr %number)
  call void @Py_DecRef(ptr %number)
  %asked = inttoptr i64 %address to ptr
  store ptr %asked, ptr %sp
  br label %count
count:
  %place = phi ptr [ %known, %site ], [ %asked, %numbered ]
  %due = call i1 @due(ptr %t, i64 %scope)
  br i1 %due, label %begin, label %out
begin:
  %r = call ptr @open_record(ptr %t, ptr %place, ptr null, ptr null, i64 0)
  %rp = getelementptr i8, ptr %self, i64 $rf_record
  store ptr %r, ptr %rp
  br label %out
out:
  ret void
}

define ptr @tsb_range_exit(ptr %self, ptr %args, i64 %nargs) nounwind {
  %dp = getelementptr i8, ptr %self, i64 $rf_depth
  %depth = load i64, ptr %dp
  %idle = icmp eq i64 %depth, 0
  br i1 %idle, label %out, label %observed
observed:
  %given = icmp sgt i64 %nargs, 0
  br i1 %given, label %first, label %close
first:
  %a = load ptr, ptr %args
  %raised = icmp ne ptr %a, @_Py_NoneStruct
  br label %close
close:
  %failed = phi i1 [ false, %observed ], [ %raised, %first ]
  %failure = zext i1 %failed to i64
  call void @range_close(ptr %self, i64 %failure)
  br label %out
out:
  call void @incref(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
}

define internal void @range_close(ptr %self, i64 %failed) noinline cold nounwind {
  %dp = getelementptr i8, ptr %self, i64 $rf_depth
  %depth = load i64, ptr %dp
  %less = sub i64 %depth, 1
  store i64 %less, ptr %dp
  %outermost = icmp eq i64 %less, 0
  br i1 %outermost, label %look, label %out
look:
  %rp = getelementptr i8, ptr %self, i64 $rf_record
  %record = load ptr, ptr %rp
  store ptr null, ptr %rp
  %none = icmp eq ptr %record, null
  br i1 %none, label %out, label %end
end:
  %t = call ptr @ts_thread_v1()
  call void @close_record(ptr %t, ptr %record, i64 %failed, ptr null, ptr null, i64 0)
  br label %out
out:
  ret void
}

define void @tsb_range_dealloc(ptr %self) nounwind {
  %dp = getelementptr i8, ptr %self, i64 $rf_depth
  %depth = load i64, ptr %dp
  %closed = icmp eq i64 %depth, 0
  br i1 %closed, label %fields, label %open
open:
  ; a generator was thrown away inside the range
  store i64 1, ptr %dp
  call void @range_close(ptr %self, i64 1)
  br label %fields
fields:
  %np = getelementptr i8, ptr %self, i64 $rf_name
  %name = load ptr, ptr %np
  call void @xdecref(ptr %name)
  %tp = getelementptr i8, ptr %self, i64 $type
  %t = load ptr, ptr %tp
  call void @PyObject_Free(ptr %self)
  call void @Py_DecRef(ptr %t)
  ret void
}
"""
