"""The inter-op pool as LLVM text: forked calls, the threads that run them, and waiting.

One queue, first in, first out, behind one lock; threads of the operating system that sleep on a lock of their own while
it is empty. Locks and threads are CPython's portable ones (``PyThread_…``), used without the GIL. All of a task's
changes of state happen under the lock:

- `ts_fork_v1` puts a future into the queue and wakes or starts a thread.
- A thread takes the first future, runs it without the GIL and marks it done, which wakes those that wait for it.
- `ts_wait_v1` takes the future out of the queue and runs it itself if no thread has begun it: so a pool of any size
  gets everything done. It never runs another task than the one it waits for: that one could wait, in turn, for what
  lies further down the same stack. A thread that runs tasks inside each other to `NESTED` levels runs no further ones;
  it starts another thread for them.

A task gets a context of its own. `Context.thread_state` of a waiting thread goes into the context of the task it runs,
so that signals are seen there; on threads of the pool it is null. As everywhere, `Status.PYTHON` means that the GIL is
held and the exception is set; on a thread that had no GIL of its own, it is held by a ``PyGILState_Ensure`` that `run`
balances.

The text is a module of its own, loaded at the first fork.
"""

from __future__ import annotations

from string import Template

from tscript.abi.layout import CONTEXT, FUTURE, MAX_DEPTH, NO_STACK, SITE, THREAD, TYPEINFO, FutureState, TypeKind
from tscript.abi.python import OBJECT_TYPE
from tscript.abi.status import Status
from tscript.runtime.boundary.pool_parts import FUTURES, PYTHON

NESTED = 60
"""Tasks that one thread runs inside each other."""
NESTED_COST = 16
"""Levels of call depth that a task takes which runs inside another one."""
MOST_THREADS = 1024
"""Threads of the pool when all of them wait for tasks that nobody has begun."""
SPINS = 300
"""How often a thread looks for work, or for the end of the task it waits for, before it sleeps: a few microseconds."""
LOOK = 50_000
"""Microseconds between two looks at signals while a thread of Python waits."""

EXPORTS = ("ts_future_new_v1", "ts_fork_v1", "ts_wait_v1")
"""Symbols that native code imports from this module."""

INTERNALS = (
    "tsp_limit",
    "tsp_threads",
    "tsp_unfinished",
    "tsp_lost_hook",
    "tsp_copy_hook",
    "tsp_start",
    "tsp_set_limit",
    "tsp_before_fork",
    "tsp_after_fork_in_parent",
    "tsp_after_fork_in_child",
    "tsp_fork_python",
    "tsp_wait_python",
    "tsp_release",
)
"""Symbols that the Python half uses."""

IMPORTS = (
    "ts_concurrent_v1",
    "ts_release_gil_v1",
    "ts_safepoint_v1",
    "ts_drop_owner_v1",
    "ts_heap_allocate_v1",
    "ts_heap_free_v1",
    "ts_tensor_release_v1",
    "ts_object_retain_v1",
    "ts_object_release_v1",
    "ts_thread_v1",
    "ts_stack_limit_v1",
    "ts_observer_v1",
    "ts_task_variant_v1",
    "ts_task_enter_v1",
    "ts_task_leave_v1",
    "ts_debug_retain_v1",
    "ts_debug_release_v1",
    "ts_trace_hold_v1",
    "ts_trace_leave_v1",
)
"""Runtime symbols that this module needs; besides them ``tsb_fail`` of the boundary."""

_EXTERNALS = """
@ts_concurrent_v1 = external global i8
@_Py_NoneStruct = external global i8
declare i32 @ts_release_gil_v1(ptr)
declare i32 @ts_safepoint_v1(ptr)
declare void @ts_drop_owner_v1(ptr)
declare i32 @ts_heap_allocate_v1(ptr, i64, ptr)
declare i32 @ts_heap_free_v1(ptr, ptr, i64)
declare i32 @ts_tensor_release_v1(ptr, ptr)
declare i32 @ts_object_retain_v1(ptr, ptr)
declare i32 @ts_object_release_v1(ptr, ptr)
declare ptr @ts_thread_v1()
declare i32 @ts_stack_limit_v1(ptr, i64)
declare ptr @llvm.frameaddress.p0(i32)
declare ptr @ts_observer_v1()
declare ptr @ts_task_variant_v1(ptr, ptr)
declare ptr @ts_task_enter_v1(ptr)
declare void @ts_task_leave_v1(ptr, ptr, i64, i64)
declare i64 @ts_debug_retain_v1(i64)
declare void @ts_debug_release_v1(i64)
declare i32 @ts_trace_hold_v1(ptr, ptr, i64)
declare i32 @ts_trace_leave_v1(ptr, ptr, i64)
declare ptr @tsb_fail(ptr, i32)
declare ptr @PyThread_allocate_lock()
declare void @PyThread_free_lock(ptr)
declare i32 @PyThread_acquire_lock(ptr, i32)
declare i32 @PyThread_acquire_lock_timed(ptr, i64, i32)
declare void @PyThread_release_lock(ptr)
declare i64 @PyThread_start_new_thread(ptr, ptr)
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyGILState_Check()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @Py_IsInitialized()
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyObject_Call(ptr, ptr, ptr)
declare ptr @PyObject_CallOneArg(ptr, ptr)
declare ptr @PyLong_FromVoidPtr(ptr)
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyErr_WriteUnraisable(ptr)
declare void @PyErr_Clear()
declare i32 @PyException_SetTraceback(ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

_TEXT = """
@lock = internal global ptr null
@head = internal global ptr null
@tail = internal global ptr null
@idle = internal global ptr null
@queued = internal global i64 0
@searching = internal global i64 0
@generation = internal global i64 0
@tsp_threads = global i64 0
@tsp_limit = global i64 1
@tsp_unfinished = global i64 0
@tsp_lost_hook = global ptr null
@tsp_copy_hook = global ptr null
@type_name = internal constant [7 x i8] c"Future\\00"
@typeinfo = internal constant $typeinfo
@python_kinds = internal constant [3 x i8] c"O\\00\\00"
@m_file = internal constant [10 x i8] c"<tscript>\\00"
@m_function = internal constant [5 x i8] c"wait\\00"
@m_runtime = internal constant [13 x i8] c"RuntimeError\\00"
@m_recursion = internal constant [15 x i8] c"RecursionError\\00"
@m_lost = internal constant [$n_lost x i8] c"$lost\\00"
@m_deep = internal constant [$n_deep x i8] c"$deep\\00"
@lost_site = internal constant { ptr, ptr, ptr, ptr, i32, i32, ptr } {
  ptr @m_file, ptr @m_function, ptr @m_runtime, ptr @m_lost, i32 1, i32 0, ptr null }
@deep_site = internal constant { ptr, ptr, ptr, ptr, i32, i32, ptr } {
  ptr @m_file, ptr @m_function, ptr @m_recursion, ptr @m_deep, i32 1, i32 0, ptr null }

define internal void @take() nounwind {
  %l = load ptr, ptr @lock
  %ignored = call i32 @PyThread_acquire_lock(ptr %l, i32 1)
  ret void
}

define internal void @give() nounwind {
  %l = load ptr, ptr @lock
  call void @PyThread_release_lock(ptr %l)
  ret void
}

; whether there is a lock; makes it at the first call, with the GIL held
define i32 @tsp_start() nounwind {
  %old = load ptr, ptr @lock
  %there = icmp ne ptr %old, null
  br i1 %there, label %out, label %make
make:
  %new = call ptr @PyThread_allocate_lock()
  store ptr %new, ptr @lock
  %got = icmp ne ptr %new, null
  br i1 %got, label %out, label %bad
out:
  ret i32 1
bad:
  ret i32 0
}

define internal void @begin(ptr %ctx, i64 %depth, ptr %state) nounwind {
  %dp = getelementptr i8, ptr %ctx, i64 $c_depth
  store i64 %depth, ptr %dp
  %sp = getelementptr i8, ptr %ctx, i64 $c_thread_state
  store ptr %state, ptr %sp
  %np = getelementptr i8, ptr %ctx, i64 $c_ntrace
  store i64 0, ptr %np
  %cp = getelementptr i8, ptr %ctx, i64 $c_countdown
  store i64 0, ptr %cp
  %skp = getelementptr i8, ptr %ctx, i64 $c_stack
  store i64 $no_stack, ptr %skp
  %atp = getelementptr i8, ptr %ctx, i64 $c_at
  store ptr null, ptr %atp
  ret void
}

define internal void @start_thread() nounwind {
  %id = call i64 @PyThread_start_new_thread(ptr @worker, ptr null)
  %failed = icmp eq i64 %id, -1
  br i1 %failed, label %less, label %out
less:
  call void @take()
  %n = load i64, ptr @tsp_threads
  %n1 = sub i64 %n, 1
  store i64 %n1, ptr @tsp_threads
  call void @give()
  br label %out
out:
  ret void
}

; under the lock: sees to it that there is a thread for what is in the queue; true when one is to be started (behind the
; lock)
define internal i1 @call_thread(i64 %most) nounwind {
  %q = load i64, ptr @queued
  %s = load i64, ptr @searching
  %enough = icmp sge i64 %s, %q
  br i1 %enough, label %full, label %sleepers
sleepers:
  %i = load ptr, ptr @idle
  %none = icmp eq ptr %i, null
  br i1 %none, label %more, label %wake
wake:
  %next = load ptr, ptr %i
  store ptr %next, ptr @idle
  %lp = getelementptr i8, ptr %i, i64 8
  %l = load ptr, ptr %lp
  call void @PyThread_release_lock(ptr %l)
  ret i1 false
more:
  %n = load i64, ptr @tsp_threads
  %room = icmp slt i64 %n, %most
  br i1 %room, label %new, label %full
new:
  %n1 = add i64 %n, 1
  store i64 %n1, ptr @tsp_threads
  ret i1 true
full:
  ret i1 false
}

define i32 @ts_fork_v1(ptr %ctx, ptr %f) nounwind {
  %before = atomicrmw add ptr %f, i64 1 monotonic
  %t = call ptr @ts_thread_v1()
  %tip = getelementptr i8, ptr %t, i64 $th_debug_info
  %info = load i64, ptr %tip
  %kept = call i64 @ts_debug_retain_v1(i64 %info)
  %ip = getelementptr i8, ptr %f, i64 $f_debug_info
  store i64 %kept, ptr %ip
  call void @take()
  %np = getelementptr i8, ptr %f, i64 $f_next
  store ptr null, ptr %np
  %last = load ptr, ptr @tail
  %pp = getelementptr i8, ptr %f, i64 $f_previous
  store ptr %last, ptr %pp
  store ptr %f, ptr @tail
  %first = icmp eq ptr %last, null
  %lp = getelementptr i8, ptr %last, i64 $f_next
  %place = select i1 %first, ptr @head, ptr %lp
  store ptr %f, ptr %place
  %u = load i64, ptr @tsp_unfinished
  %u1 = add i64 %u, 1
  store i64 %u1, ptr @tsp_unfinished
  %q = load i64, ptr @queued
  %q1 = add i64 %q, 1
  store i64 %q1, ptr @queued
  %limit = load i64, ptr @tsp_limit
  %start = call i1 @call_thread(i64 %limit)
  call void @give()
  br i1 %start, label %new, label %out
new:
  call void @start_thread()
  br label %out
out:
  ret i32 0
}

; under the lock: takes a pending future out of the queue, to be run by the caller
define internal void @claim(ptr %f) nounwind {
  %np = getelementptr i8, ptr %f, i64 $f_next
  %next = load ptr, ptr %np
  %pp = getelementptr i8, ptr %f, i64 $f_previous
  %previous = load ptr, ptr %pp
  %q = load i64, ptr @queued
  %q1 = sub i64 %q, 1
  store i64 %q1, ptr @queued
  %first = icmp eq ptr %previous, null
  %pnp = getelementptr i8, ptr %previous, i64 $f_next
  %forward = select i1 %first, ptr @head, ptr %pnp
  store ptr %next, ptr %forward
  %last = icmp eq ptr %next, null
  %npp = getelementptr i8, ptr %next, i64 $f_previous
  %backward = select i1 %last, ptr @tail, ptr %npp
  store ptr %previous, ptr %backward
  %sp = getelementptr i8, ptr %f, i64 $f_state
  store atomic i64 $running, ptr %sp release, align 8
  ret void
}

; runs a claimed task and gives its reference back; gives the thread state that the caller has afterwards
define internal ptr @run(ptr %f, i64 %depth, ptr %state) #0 {
  %ctx = alloca [$c_size x i8], align 16
  %type = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  call void @begin(ptr %ctx, i64 %depth, ptr %state)
  ; the task has debug info of its own, and what it leaves open is closed when it ends
  %t = call ptr @ts_thread_v1()
  %observer = call ptr @ts_observer_v1()
  %obp = getelementptr i8, ptr %ctx, i64 $c_observer
  store ptr %observer, ptr %obp
  %tip = getelementptr i8, ptr %t, i64 $th_debug_info
  %outer_info = load i64, ptr %tip
  %ip = getelementptr i8, ptr %f, i64 $f_debug_info
  %info = load i64, ptr %ip
  store i64 %info, ptr %tip
  %openp = getelementptr i8, ptr %t, i64 $th_open
  %open = load ptr, ptr %openp
  %gup = getelementptr i8, ptr %t, i64 $th_guard
  %guard = load i64, ptr %gup
  %up = getelementptr i8, ptr %f, i64 $f_unit
  %unit = load ptr, ptr %up
  %ungiven = icmp eq ptr %unit, null
  br i1 %ungiven, label %place, label %choose
choose:
  %cp = getelementptr i8, ptr %f, i64 $f_code
  %plain = load ptr, ptr %cp
  %chosen = call ptr @ts_task_variant_v1(ptr %unit, ptr %plain)
  store ptr %chosen, ptr %cp
  %same = icmp eq ptr %chosen, %plain
  br i1 %same, label %place, label %named
named:
  %its_site = load ptr, ptr %unit
  %nsp = getelementptr i8, ptr %f, i64 $f_site
  store ptr %its_site, ptr %nsp
  br label %place
place:
  %sitep = getelementptr i8, ptr %f, i64 $f_site
  %site = load ptr, ptr %sitep
  %nowhere = icmp eq ptr %site, null
  br i1 %nowhere, label %call, label %enter
enter:
  %opened = call ptr @ts_task_enter_v1(ptr %site)
  br label %call
call:
  %record = phi ptr [ null, %place ], [ %opened, %enter ]
  %rp = getelementptr i8, ptr %f, i64 $f_run
  %code = load ptr, ptr %rp
  %had = call i32 @PyGILState_Check()
  %status = call i32 %code(ptr %ctx, ptr %f)
  %wide = sext i32 %status to i64
  %stp = getelementptr i8, ptr %f, i64 $f_status
  store i64 %wide, ptr %stp
  %sp = getelementptr i8, ptr %ctx, i64 $c_thread_state
  %now = load ptr, ptr %sp
  switch i32 %status, label %quiet [
    i32 $raised, label %raised
    i32 $python, label %python
  ]
raised:
  %from = getelementptr i8, ptr %ctx, i64 $c_ntrace
  %to = getelementptr i8, ptr %f, i64 $f_record
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 $record_size, i1 false)
  %places = load i64, ptr %to
  %trp = getelementptr i8, ptr %f, i64 $f_trace
  %keeps = call i32 @ts_trace_hold_v1(ptr %ctx, ptr %trp, i64 %places)
  br label %quiet
quiet:
  ; a Python exception that was caught left the GIL with the task
  %has = call i32 @PyGILState_Check()
  %gained = icmp sgt i32 %has, %had
  br i1 %gained, label %ungive, label %finish
ungive:
  %known = icmp ne ptr %state, null
  br i1 %known, label %hand, label %leave
hand:
  %handed = call ptr @PyEval_SaveThread()
  br label %finish
leave:
  call void @PyGILState_Release(i32 1)
  br label %finish
python:
  store ptr null, ptr %type
  store ptr null, ptr %value
  store ptr null, ptr %traceback
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback)
  call void @PyErr_NormalizeException(ptr %type, ptr %value, ptr %traceback)
  %class = load ptr, ptr %type
  call void @Py_DecRef(ptr %class)
  %v = load ptr, ptr %value
  %ep = getelementptr i8, ptr %f, i64 $f_error
  store ptr %v, ptr %ep
  %b = load ptr, ptr %traceback
  %bp = getelementptr i8, ptr %f, i64 $f_traceback
  store ptr %b, ptr %bp
  %mine = icmp ne ptr %state, null
  br i1 %mine, label %save, label %balance
save:
  %saved = call ptr @PyEval_SaveThread()
  br label %finish
balance:
  call void @PyGILState_Release(i32 1)
  br label %finish
finish:
  %after = phi ptr [ %now, %quiet ], [ %handed, %hand ], [ null, %leave ], [ %saved, %save ], [ null, %balance ]
  %bad = icmp ne i32 %status, 0
  %failed = zext i1 %bad to i64
  call void @ts_task_leave_v1(ptr %record, ptr %open, i64 %guard, i64 %failed)
  store i64 %outer_info, ptr %tip
  call void @ts_debug_release_v1(i64 %info)
  call void @take()
  %fsp = getelementptr i8, ptr %f, i64 $f_state
  store atomic i64 $done, ptr %fsp release, align 8
  %u = load i64, ptr @tsp_unfinished
  %u1 = sub i64 %u, 1
  store i64 %u1, ptr @tsp_unfinished
  %wp = getelementptr i8, ptr %f, i64 $f_waiters
  %first = load ptr, ptr %wp
  store ptr null, ptr %wp
  br label %each
each:
  %w = phi ptr [ %first, %finish ], [ %next, %wake ]
  %end = icmp eq ptr %w, null
  br i1 %end, label %out, label %wake
wake:
  %next = load ptr, ptr %w
  %lp = getelementptr i8, ptr %w, i64 8
  %l = load ptr, ptr %lp
  call void @PyThread_release_lock(ptr %l)
  br label %each
out:
  call void @give()
  call void @tsp_release(ptr %f)
  ret ptr %after
}

; a thread of the pool
define internal void @worker(ptr %ignored) #0 {
entry:
  %me = alloca { ptr, ptr }
  %l = call ptr @PyThread_allocate_lock()
  %lp = getelementptr i8, ptr %me, i64 8
  store ptr %l, ptr %lp
  %none = icmp eq ptr %l, null
  call void @take()
  br i1 %none, label %leave, label %ready
ready:
  %now = call i32 @PyThread_acquire_lock(ptr %l, i32 1)
  br label %look
look:
  %known = phi i1 [ false, %ready ], [ %known, %awake ], [ %known1, %ran ], [ %known, %searched ]
  %tired = phi i1 [ false, %ready ], [ false, %awake ], [ false, %ran ], [ true, %searched ]
  %f = load ptr, ptr @head
  %empty = icmp eq ptr %f, null
  br i1 %empty, label %rest, label %work
work:
  call void @claim(ptr %f)
  call void @give()
  ; the thread state of the interpreter that the first Python task needs is kept for the next ones
  %rp = getelementptr i8, ptr %f, i64 $f_run
  %code = load ptr, ptr %rp
  %calls_python = icmp eq ptr %code, @run_python
  %unknown = xor i1 %known, true
  %introduce = and i1 %calls_python, %unknown
  br i1 %introduce, label %enter, label %go
enter:
  %g = call i32 @PyGILState_Ensure()
  %state = call ptr @PyEval_SaveThread()
  br label %go
go:
  %known1 = or i1 %known, %calls_python
  %nothing = call ptr @run(ptr %f, i64 $max_depth, ptr null)
  br label %ran
ran:
  call void @take()
  br label %look
rest:
  %n = load i64, ptr @tsp_threads
  %limit = load i64, ptr @tsp_limit
  %surplus = icmp sgt i64 %n, %limit
  br i1 %surplus, label %leave, label %stay
stay:
  br i1 %tired, label %sleep, label %search
search:
  %s = load i64, ptr @searching
  %s1 = add i64 %s, 1
  store i64 %s1, ptr @searching
  call void @give()
  br label %spin
spin:
  %k = phi i64 [ 0, %search ], [ %k1, %spun ]
  %k1 = add i64 %k, 1
  $pause
  %h = load atomic ptr, ptr @head monotonic, align 8
  %still = icmp eq ptr %h, null
  br i1 %still, label %spun, label %searched
spun:
  %on = icmp slt i64 %k, $spins
  br i1 %on, label %spin, label %searched
searched:
  call void @take()
  %s2 = load i64, ptr @searching
  %s3 = sub i64 %s2, 1
  store i64 %s3, ptr @searching
  br label %look
sleep:
  %i = load ptr, ptr @idle
  store ptr %i, ptr %me
  store ptr %me, ptr @idle
  call void @give()
  %woken = call i32 @PyThread_acquire_lock(ptr %l, i32 1)
  br label %awake
awake:
  call void @take()
  br label %look
leave:
  %introduced = phi i1 [ false, %entry ], [ %known, %rest ]
  %m = load i64, ptr @tsp_threads
  %m1 = sub i64 %m, 1
  store i64 %m1, ptr @tsp_threads
  call void @give()
  br i1 %none, label %out, label %free
free:
  call void @PyThread_release_lock(ptr %l)
  call void @PyThread_free_lock(ptr %l)
  br i1 %introduced, label %forget, label %out
forget:
  %again = call i32 @PyGILState_Ensure()
  call void @PyGILState_Release(i32 0)
  call void @PyGILState_Release(i32 1)
  br label %out
out:
  ret void
}

define internal i32 @refuse(ptr %ctx, ptr %site) nounwind {
  %np = getelementptr i8, ptr %ctx, i64 $c_ntrace
  store i64 1, ptr %np
  %ap = getelementptr i8, ptr %ctx, i64 $c_nargs
  store i64 0, ptr %ap
  %tp = getelementptr i8, ptr %ctx, i64 $c_trace
  store ptr %site, ptr %tp
  ret i32 $raised
}

define i32 @ts_wait_v1(ptr %ctx, ptr %f) #0 {
entry:
  %me = alloca { ptr, ptr }
  %sp = getelementptr i8, ptr %f, i64 $f_state
  %csp = getelementptr i8, ptr %ctx, i64 $c_thread_state
  %s0 = load atomic i64, ptr %sp acquire, align 8
  %ready = icmp eq i64 %s0, $done
  br i1 %ready, label %collect, label %old
old:
  %gp = getelementptr i8, ptr %f, i64 $f_generation
  %born = load i64, ptr %gp
  %today = load i64, ptr @generation
  %lost = icmp ne i64 %born, %today
  br i1 %lost, label %is_lost, label %begin
is_lost:
  %rl = call i32 @refuse(ptr %ctx, ptr @lost_site)
  ret i32 %rl
begin:
  %ignored = call i32 @ts_release_gil_v1(ptr %ctx)
  %pends = icmp eq i64 %s0, $pending
  br i1 %pends, label %enquire, label %spin
spin:
  ; short tasks are over sooner than this thread would sleep
  %k = phi i64 [ 0, %begin ], [ 0, %later ], [ %k1, %spun ]
  %k1 = add i64 %k, 1
  $pause
  %sk = load atomic i64, ptr %sp acquire, align 8
  %over = icmp eq i64 %sk, $done
  br i1 %over, label %collect, label %spun
spun:
  %on = icmp slt i64 %k, $spins
  br i1 %on, label %spin, label %enquire
enquire:
  %first = phi i1 [ %pends, %begin ], [ false, %spun ]
  call void @take()
  %s1 = load i64, ptr %sp
  switch i64 %s1, label %busy_elsewhere [
    i64 $done, label %unlock
    i64 $pending, label %pending
  ]
unlock:
  call void @give()
  br label %collect
busy_elsewhere:
  ; it was taken between the two looks
  br i1 %first, label %later, label %sleep
later:
  call void @give()
  br label %spin
pending:
  %dp = getelementptr i8, ptr %ctx, i64 $c_depth
  %depth = load i64, ptr %dp
  %shallow = icmp sgt i64 %depth, $least_depth
  br i1 %shallow, label %measure, label %ask
measure:
  %frame = call ptr @llvm.frameaddress.p0(i32 0)
  %standing = ptrtoint ptr %frame to i64
  %full = call i32 @ts_stack_limit_v1(ptr %ctx, i64 %standing)
  %room = icmp eq i32 %full, 0
  br i1 %room, label %help, label %ask
help:
  call void @claim(ptr %f)
  call void @give()
  %state = load ptr, ptr %csp
  %rest = sub i64 %depth, $nested_cost
  %after = call ptr @run(ptr %f, i64 %rest, ptr %state)
  store ptr %after, ptr %csp
  br label %collect
ask:
  %i = load ptr, ptr @idle
  %busy = icmp eq ptr %i, null
  %n = load i64, ptr @tsp_threads
  %many = icmp sge i64 %n, $most_threads
  %hopeless = and i1 %busy, %many
  br i1 %hopeless, label %too_deep, label %other
too_deep:
  call void @give()
  %rd = call i32 @refuse(ptr %ctx, ptr @deep_site)
  ret i32 %rd
other:
  %start = call i1 @call_thread(i64 $most_threads)
  br label %sleep
sleep:
  %new = phi i1 [ false, %busy_elsewhere ], [ %start, %other ]
  %l = call ptr @PyThread_allocate_lock()
  %lp = getelementptr i8, ptr %me, i64 8
  store ptr %l, ptr %lp
  %now = call i32 @PyThread_acquire_lock(ptr %l, i32 1)
  %wp = getelementptr i8, ptr %f, i64 $f_waiters
  %w = load ptr, ptr %wp
  store ptr %w, ptr %me
  store ptr %me, ptr %wp
  call void @give()
  br i1 %new, label %hire, label %again
hire:
  call void @start_thread()
  br label %again
again:
  %ts = load ptr, ptr %csp
  %deaf = icmp eq ptr %ts, null
  %us = select i1 %deaf, i64 -1, i64 $look
  %r = call i32 @PyThread_acquire_lock_timed(ptr %l, i64 %us, i32 1)
  %woken = icmp eq i32 %r, 1
  br i1 %woken, label %woke, label %signals
woke:
  ; whoever woke this thread holds the lock until it needs nothing here any more
  call void @take()
  call void @give()
  call void @PyThread_release_lock(ptr %l)
  call void @PyThread_free_lock(ptr %l)
  br label %collect
signals:
  br i1 %deaf, label %again, label %hear
hear:
  %heard = call i32 @ts_safepoint_v1(ptr %ctx)
  %quiet = icmp eq i32 %heard, 0
  br i1 %quiet, label %again, label %stop
stop:
  call void @take()
  br label %search
search:
  %at = phi ptr [ %wp, %stop ], [ %here, %onward ]
  %here = load ptr, ptr %at
  %gone = icmp eq ptr %here, null
  br i1 %gone, label %unlisted, label %compare
compare:
  %found = icmp eq ptr %here, %me
  br i1 %found, label %unlink, label %onward
onward:
  br label %search
unlink:
  %beyond = load ptr, ptr %me
  store ptr %beyond, ptr %at
  br label %unlisted
unlisted:
  call void @give()
  call void @PyThread_release_lock(ptr %l)
  call void @PyThread_free_lock(ptr %l)
  ret i32 %heard
collect:
  %helped = phi i1 [ false, %entry ], [ false, %spin ], [ false, %unlock ], [ true, %help ], [ false, %woke ]
  %vp = getelementptr i8, ptr %f, i64 $f_waited
  store i64 1, ptr %vp
  %stp = getelementptr i8, ptr %f, i64 $f_status
  %wide = load i64, ptr %stp
  %status = trunc i64 %wide to i32
  switch i32 %status, label %out [
    i32 $raised, label %raised
    i32 $python, label %python
  ]
raised:
  %to = getelementptr i8, ptr %ctx, i64 $c_ntrace
  %from = getelementptr i8, ptr %f, i64 $f_record
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 $record_size, i1 false)
  %object = call ptr @raised_object(ptr %f)
  %counted = call i32 @ts_object_retain_v1(ptr %ctx, ptr %object)
  ret i32 $raised
python:
  %mine = load ptr, ptr %csp
  %away = icmp ne ptr %mine, null
  br i1 %away, label %back, label %holding
back:
  call void @PyEval_RestoreThread(ptr %mine)
  store ptr null, ptr %csp
  br label %set
holding:
  %have = call i32 @PyGILState_Check()
  %held = icmp ne i32 %have, 0
  br i1 %held, label %set, label %ensure
ensure:
  %g = call i32 @PyGILState_Ensure()
  br label %set
set:
  call void @reraise(ptr %f, i1 %helped)
  ret i32 $python
out:
  ret i32 0
}
"""

LOST = "the task was not done when this process was forked off, and stays with the parent: fork it again here"
DEEP = "too many tasks wait for tasks that nobody has begun"


_PAUSES = {
    "x86_64": ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
    "aarch64": ("call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"),
}
"""By processor: the instruction that tells it that a loop waits, and its declaration."""


def _typeinfo() -> str:
    """The `TypeInfo` of a future whose type nobody declares: what walks over objects asks it for its kind."""
    told = {"drop": "ptr @drop", "kind": f"i64 {TypeKind.FUTURE:d}", "cells": "i64 1", "name": "ptr @type_name"}
    fields = [told.get(f.name, "i64 0") for f in TYPEINFO.fields]
    return f"{{ {', '.join(f.split()[0] for f in fields)} }} {{ {', '.join(fields)} }}"


def pool_text(triple: str) -> str:
    """The whole module.

    Args:
        triple: What it is compiled for.
    """
    pause, declaration = _PAUSES.get(triple.partition("-")[0].replace("arm64", "aarch64"), ("", ""))
    found = {
        **{f"f_{name}": at for name, at in FUTURE.offsets.items()},
        **{f"c_{name}": at for name, at in CONTEXT.offsets.items()},
        **{state.name.lower(): int(state) for state in FutureState},
        **{f"th_{name}": THREAD.offsets[name] for name in ("debug_info", "open", "guard")},
        "f_trace": FUTURE.offsets["record"] + CONTEXT.offsets["trace"] - CONTEXT.offsets["ntrace"],
        "f_args": FUTURE.offsets["record"] + CONTEXT.offsets["args"] - CONTEXT.offsets["ntrace"],
        "s_number": SITE.offsets["number"],
        "f_size": FUTURE.size,
        "typeinfo": _typeinfo(),
        "c_size": CONTEXT.size,
        "python_cells": FUTURE.size + 8,
        "record_size": 8 * FUTURE.field("record").count,
        "raised": int(Status.RAISED),
        "python": int(Status.PYTHON),
        "max_depth": MAX_DEPTH,
        "no_stack": NO_STACK,
        "least_depth": MAX_DEPTH - NESTED * NESTED_COST,
        "nested_cost": NESTED_COST,
        "most_threads": MOST_THREADS,
        "spins": SPINS,
        "pause": pause,
        "look": LOOK,
        "type": OBJECT_TYPE,
        "lost": LOST,
        "n_lost": len(LOST) + 1,
        "deep": DEEP,
        "n_deep": len(DEEP) + 1,
    }
    assert (
        CONTEXT.offsets["trace"] - CONTEXT.offsets["ntrace"] + 8 * CONTEXT.field("trace").count == found["record_size"]
    )
    return (
        _EXTERNALS
        + declaration
        + Template(_TEXT + FUTURES + PYTHON).substitute({name: str(value) for name, value in found.items()})
    )
