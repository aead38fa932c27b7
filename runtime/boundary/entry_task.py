"""What tasks and futures need of the boundary, as LLVM text: boxes, observation, debug info, heap objects that say
themselves how they end.

A token of debug info is the address of a node ``{refcount, Python object}``, or 0. Native code copies tokens from
thread to task and back without the GIL; the object (`tscript.runtime.public.debug_info`) is looked at in Python only.
"""

from __future__ import annotations

from tscript.abi.layout import HEAP
from tscript.abi.record import RecordScope

EXPORTS = (
    "ts_interrupt_v1",
    "ts_drop_object_v1",
    "ts_task_variant_v1",
    "ts_task_enter_v1",
    "ts_task_leave_v1",
    "ts_debug_retain_v1",
    "ts_debug_release_v1",
)
"""Symbols that native code imports."""

INTERNALS = ("tsb_future_hook", "tsb_debug_new", "tsb_heap", "tsb_hold_heap", "tsb_free_heap")
"""Symbols that the Python half uses."""

FORK_LOOKS = 1 << 30
"""How often a thread that copies the process looks whether all caches are at rest: for about a second."""

MESSAGES = {"m_native": "_native"}


def constants() -> dict[str, object]:
    """What ``$names`` in `TEXT` stand for."""
    return {
        "function_scope": int(RecordScope.FUNCTION),
        "heap_caches": HEAP.offsets["caches"],
        "heap_copying": HEAP.offsets["copying"],
        "fork_looks": FORK_LOOKS,
    }


TEXT = """
@tsb_future_hook = global ptr null
@tsb_heap = global ptr null
@ts_interrupt_v1 = global i8 0, align 8
@s_file = private unnamed_addr constant [10 x i8] c"<tscript>\\00"
@s_function = private unnamed_addr constant [10 x i8] c"safepoint\\00"
@s_exception = private unnamed_addr constant [13 x i8] c"RuntimeError\\00"
@s_message = private unnamed_addr constant [22 x i8] c"the process is ending\\00"
@interrupt_site = private unnamed_addr constant { ptr, ptr, ptr, ptr, i32, i32, ptr } {
  ptr @s_file, ptr @s_function, ptr @s_exception, ptr @s_message, i32 1, i32 0, ptr null }
declare ptr @PyLong_AsVoidPtr(ptr)
declare ptr @PyObject_GetAttrString(ptr, ptr)
declare ptr @PyMem_RawMalloc(i64)

; the Python object of a future, whose reference it takes over
define ptr @tsb_box_future(ptr %future) nounwind {
  %hook = load ptr, ptr @tsb_future_hook
  %address = call ptr @PyLong_FromVoidPtr(ptr %future)
  %none = icmp eq ptr %address, null
  br i1 %none, label %bad, label %go
go:
  %o = call ptr @PyObject_CallOneArg(ptr %hook, ptr %address)
  call void @Py_DecRef(ptr %address)
  %failed = icmp eq ptr %o, null
  br i1 %failed, label %bad, label %good
bad:
  call void @impl_release(ptr %future)
  ret ptr null
good:
  ret ptr %o
}

; the future behind a Python object, borrowed; null with an exception set
define ptr @tsb_unbox_future(ptr %o) nounwind {
  %address = call ptr @PyObject_GetAttrString(ptr %o, ptr @m_native)
  %none = icmp eq ptr %address, null
  br i1 %none, label %bad, label %go
go:
  %future = call ptr @PyLong_AsVoidPtr(ptr %address)
  call void @Py_DecRef(ptr %address)
  ret ptr %future
bad:
  ret ptr null
}

; what a safepoint does on a thread without a GIL: tasks that do not end must not keep the process from ending
define internal i32 @task_safepoint(ptr %ctx) nounwind {
  %flag = load atomic i8, ptr @ts_interrupt_v1 monotonic, align 8
  %ending = icmp ne i8 %flag, 0
  br i1 %ending, label %interrupt, label %out
interrupt:
  %np = getelementptr i8, ptr %ctx, i64 $c_ntrace
  store i64 1, ptr %np
  %ap = getelementptr i8, ptr %ctx, i64 $c_nargs
  store i64 0, ptr %ap
  %tp = getelementptr i8, ptr %ctx, i64 $c_trace
  store ptr @interrupt_site, ptr %tp
  ret i32 $raised
out:
  ret i32 0
}

; the last reference of a heap object that is no tensor is gone
define void @ts_drop_object_v1(ptr %object) #0 {
  %ip = getelementptr i8, ptr %object, i64 $t_typeinfo
  %info = load ptr, ptr %ip
  %drop = load ptr, ptr %info
  call void %drop(ptr %object)
  ret void
}

; the code to run for a call forked from Python: its observed variant when somebody watches this thread
define ptr @ts_task_variant_v1(ptr %unit, ptr %code) nounwind {
  %watching = load atomic i64, ptr @ts_watching_v1 monotonic, align 8
  %idle = icmp eq i64 %watching, 0
  br i1 %idle, label %plain, label %ask
plain:
  ret ptr %code
ask:
  %t = call ptr @watcher()
  %nobody = icmp eq ptr %t, null
  br i1 %nobody, label %plain, label %variant
variant:
  %grp = getelementptr i8, ptr %t, i64 $th_granularity
  %granularity = load i64, ptr %grp
  %op = getelementptr i8, ptr %unit, i64 $u_observed
  %vp = getelementptr ptr, ptr %op, i64 %granularity
  %made = load atomic ptr, ptr %vp acquire, align 8
  %missing = icmp eq ptr %made, null
  br i1 %missing, label %build, label %ready
ready:
  ret ptr %made
build:
  %g = call i32 @PyGILState_Ensure()
  %srcp = getelementptr i8, ptr %unit, i64 $u_source
  %source = load ptr, ptr %srcp
  %hook = load ptr, ptr @tsb_record_hooks
  %number = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %hook, ptr @format_ol, ptr %source, i64 %granularity)
  %raised = icmp eq ptr %number, null
  br i1 %raised, label %bad, label %built
bad:
  call void @forget()
  br label %leave
built:
  call void @Py_DecRef(ptr %number)
  br label %leave
leave:
  call void @PyGILState_Release(i32 %g)
  %now = load atomic ptr, ptr %vp acquire, align 8
  %still = icmp eq ptr %now, null
  %chosen = select i1 %still, ptr %code, ptr %now
  ret ptr %chosen
}

; begins the record of a task; null when nobody waits for its end
define ptr @ts_task_enter_v1(ptr %site) nounwind {
  %kinds = alloca i64
  %cells = alloca i64
  %watching = load atomic i64, ptr @ts_watching_v1 monotonic, align 8
  %idle = icmp eq i64 %watching, 0
  br i1 %idle, label %no, label %ask
ask:
  %t = call ptr @watcher()
  %nobody = icmp eq ptr %t, null
  br i1 %nobody, label %no, label %count
count:
  %due = call i1 @due(ptr %t, i64 $function_scope)
  br i1 %due, label %open, label %no
open:
  %r = call ptr @open_record(ptr %t, ptr %site, ptr %kinds, ptr %cells, i64 0)
  ret ptr %r
no:
  ret ptr null
}

; ends what a task has begun: records that it left open down to %saved, its guard, its own record unless that is null
define void @ts_task_leave_v1(ptr %record, ptr %saved, i64 %guard, i64 %failed) #0 {
  %kinds = alloca i64
  %cells = alloca i64
  %t = call ptr @ts_thread_v1()
  %gp = getelementptr i8, ptr %t, i64 $th_guard
  store i64 %guard, ptr %gp
  %openp = getelementptr i8, ptr %t, i64 $th_open
  %open = load ptr, ptr %openp
  %closed = icmp eq ptr %open, %saved
  br i1 %closed, label %own, label %unwind
unwind:
  %up = getelementptr ptr, ptr @tsb_record_kernels, i64 3
  %unwinder = load ptr, ptr %up
  %ignored = call i32 %unwinder(ptr null, ptr %t, ptr %saved)
  br label %own
own:
  %none = icmp eq ptr %record, null
  br i1 %none, label %out, label %close
close:
  call void @close_record(ptr %t, ptr %record, i64 %failed, ptr %kinds, ptr %cells, i64 0)
  br label %out
out:
  ret void
}

; nobody changes the heap, or a cache, while the process is copied; who is at work on one for too long may wait for the GIL
define void @tsb_hold_heap() nounwind {
entry:
  %heap = load ptr, ptr @tsb_heap
  %copying = getelementptr i8, ptr %heap, i64 $heap_copying
  %caches = getelementptr i8, ptr %heap, i64 $heap_caches
  store atomic i64 1, ptr %copying seq_cst, align 8
  br label %wait
wait:
  %i = phi i64 [ 0, %entry ], [ %i1, %wait ]
  %i1 = add i64 %i, 1
  %n = load atomic i64, ptr %caches seq_cst, align 8
  %busy = icmp ne i64 %n, 0
  %early = icmp ult i64 %i1, $fork_looks
  %again = and i1 %busy, %early
  br i1 %again, label %wait, label %spin
spin:
  %x = cmpxchg ptr %heap, i64 0, i64 1 acq_rel monotonic
  %got = extractvalue { i64, i1 } %x, 1
  br i1 %got, label %out, label %spin
out:
  ret void
}

define void @tsb_free_heap() nounwind {
  %heap = load ptr, ptr @tsb_heap
  store atomic i64 0, ptr %heap release, align 8
  %copying = getelementptr i8, ptr %heap, i64 $heap_copying
  store atomic i64 0, ptr %copying release, align 8
  ret void
}

; a token for a Python object, with one reference; 0 when there is no memory
define i64 @tsb_debug_new(ptr %object) nounwind {
  %node = call ptr @PyMem_RawMalloc(i64 16)
  %none = icmp eq ptr %node, null
  br i1 %none, label %bad, label %fill
fill:
  store i64 1, ptr %node
  %op = getelementptr i8, ptr %node, i64 8
  call void @incref(ptr %object)
  store ptr %object, ptr %op
  %token = ptrtoint ptr %node to i64
  ret i64 %token
bad:
  ret i64 0
}

define i64 @ts_debug_retain_v1(i64 %token) nounwind {
  %none = icmp eq i64 %token, 0
  br i1 %none, label %out, label %count
count:
  %node = inttoptr i64 %token to ptr
  %before = atomicrmw add ptr %node, i64 1 monotonic
  br label %out
out:
  ret i64 %token
}

define void @ts_debug_release_v1(i64 %token) nounwind {
  %none = icmp eq i64 %token, 0
  br i1 %none, label %out, label %count
count:
  %node = inttoptr i64 %token to ptr
  %before = atomicrmw sub ptr %node, i64 1 acq_rel
  %last = icmp eq i64 %before, 1
  br i1 %last, label %free, label %out
free:
  %op = getelementptr i8, ptr %node, i64 8
  %object = load ptr, ptr %op
  call void @ts_drop_owner_v1(ptr %object)
  call void @PyMem_RawFree(ptr %node)
  br label %out
out:
  ret void
}
"""
