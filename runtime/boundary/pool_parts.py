"""Parts of the module that `pool_text` puts together: the life of a future, and what Python calls."""

from __future__ import annotations

FUTURES = """
; drops one reference of a future
define void @tsp_release(ptr %f) nounwind {
  %ctx = alloca [$c_size x i8], align 16
  call void @begin(ptr %ctx, i64 $max_depth, ptr null)
  %ignored = call i32 @ts_tensor_release_v1(ptr %ctx, ptr %f)
  ret void
}

; sets the Python exception of a failed task; with the GIL held. The frames that an exception goes through hang on its
; traceback, and may hold the future, into which the garbage collector does not see: so each time a copy is raised. The frames
; of a task that ran inside the frames of whoever waited for it hold these too: so their traceback goes with the first copy.
define internal void @reraise(ptr %f, i1 %inside) noinline cold nounwind {
  %ep = getelementptr i8, ptr %f, i64 $f_error
  %error = load ptr, ptr %ep
  %hook = load ptr, ptr @tsp_copy_hook
  %copy = call ptr @PyObject_CallOneArg(ptr %hook, ptr %error)
  %failed = icmp eq ptr %copy, null
  br i1 %failed, label %itself, label %set
itself:
  call void @PyErr_Clear()
  call void @Py_IncRef(ptr %error)
  br label %set
set:
  %raised = phi ptr [ %copy, %0 ], [ %error, %itself ]
  %typ = getelementptr i8, ptr %raised, i64 $type
  %type = load ptr, ptr %typ
  call void @Py_IncRef(ptr %type)
  %tbp = getelementptr i8, ptr %f, i64 $f_traceback
  %traceback = load ptr, ptr %tbp
  br i1 %inside, label %give, label %lend
give:
  store ptr null, ptr %tbp
  %ignored = call i32 @PyException_SetTraceback(ptr %error, ptr @_Py_NoneStruct)
  br label %restore
lend:
  call void @Py_IncRef(ptr %traceback)
  br label %restore
restore:
  call void @PyErr_Restore(ptr %type, ptr %raised, ptr %traceback)
  ret void
}

; the exception object that a task has raised, or null
define internal ptr @raised_object(ptr %f) nounwind {
  %tp = getelementptr i8, ptr %f, i64 $f_trace
  %site = load ptr, ptr %tp
  %np = getelementptr i8, ptr %site, i64 $s_number
  %number = load i64, ptr %np
  %is = icmp slt i64 %number, 0
  br i1 %is, label %object, label %none
object:
  %op = getelementptr i8, ptr %f, i64 $f_args
  %o = load ptr, ptr %op
  ret ptr %o
none:
  ret ptr null
}

; TypeInfo.drop: nobody refers to the future any more
define internal void @drop(ptr %f) nounwind {
entry:
  %ctx = alloca [$c_size x i8], align 16
  call void @begin(ptr %ctx, i64 $max_depth, ptr null)
  %stp = getelementptr i8, ptr %f, i64 $f_status
  %status = load i64, ptr %stp
  %sp = getelementptr i8, ptr %f, i64 $f_state
  %state = load i64, ptr %sp
  %done = icmp eq i64 %state, $done
  br i1 %done, label %ended, label %free
ended:
  %good = icmp eq i64 %status, 0
  br i1 %good, label %results, label %failed
failed:
  %wp = getelementptr i8, ptr %f, i64 $f_waited
  %waited = load i64, ptr %wp
  %seen = icmp ne i64 %waited, 0
  br i1 %seen, label %errors, label %unseen
unseen:
  call void @report(ptr %f)
  br label %errors
errors:
  %was = icmp eq i64 %status, $raised
  br i1 %was, label %thrown, label %owned
thrown:
  %raised = call ptr @raised_object(ptr %f)
  %dropped = call i32 @ts_object_release_v1(ptr %ctx, ptr %raised)
  %tnp = getelementptr i8, ptr %f, i64 $f_record
  %places = load i64, ptr %tnp
  %trp = getelementptr i8, ptr %f, i64 $f_trace
  %left = call i32 @ts_trace_leave_v1(ptr %ctx, ptr %trp, i64 %places)
  br label %free
owned:
  %ep = getelementptr i8, ptr %f, i64 $f_error
  %error = load ptr, ptr %ep
  call void @ts_drop_owner_v1(ptr %error)
  %tp = getelementptr i8, ptr %f, i64 $f_traceback
  %traceback = load ptr, ptr %tp
  call void @ts_drop_owner_v1(ptr %traceback)
  br label %free
results:
  %kp = getelementptr i8, ptr %f, i64 $f_kinds
  %kinds = load ptr, ptr %kp
  %cells = getelementptr i8, ptr %f, i64 $f_size
  br label %letter
letter:
  %i = phi i64 [ 0, %results ], [ %i1, %following ]
  %c = phi i64 [ 0, %results ], [ %c1, %following ]
  %lp = getelementptr i8, ptr %kinds, i64 %i
  %l = load i8, ptr %lp
  %cell = getelementptr i64, ptr %cells, i64 %c
  switch i8 %l, label %nothing [
    i8 0, label %free
    i8 84, label %counted
    i8 83, label %counted
    i8 70, label %counted
    i8 79, label %object
    i8 88, label %boxed
    i8 102, label %plain
    i8 105, label %plain
    i8 98, label %plain
    i8 100, label %plain
  ]
counted:
  %r = load ptr, ptr %cell
  %ignored = call i32 @ts_tensor_release_v1(ptr %ctx, ptr %r)
  br label %plain
boxed:
  %box = load ptr, ptr %cell
  %unused = call i32 @ts_object_release_v1(ptr %ctx, ptr %box)
  br label %plain
object:
  %o = load ptr, ptr %cell
  call void @ts_drop_owner_v1(ptr %o)
  br label %plain
plain:
  br label %following
nothing:
  br label %following
following:
  %step = phi i64 [ 1, %plain ], [ 0, %nothing ]
  %c1 = add i64 %c, %step
  %i1 = add i64 %i, 1
  br label %letter
free:
  %bp = getelementptr i8, ptr %f, i64 $f_nbytes
  %nbytes = load i64, ptr %bp
  %owp = getelementptr i8, ptr %f, i64 $f_owner
  %owner = load ptr, ptr %owp
  %freed = call i32 @ts_heap_free_v1(ptr %ctx, ptr %f, i64 %nbytes)
  %lasting = icmp eq ptr %owner, null
  br i1 %lasting, label %gone, label %leave
leave:
  %before = atomicrmw sub ptr %owner, i64 1 release
  br label %gone
gone:
  ret void
}

; a task failed and nobody waited for it
define internal void @report(ptr %f) noinline cold nounwind {
  %alive = call i32 @Py_IsInitialized()
  %dead = icmp eq i32 %alive, 0
  %hook = load ptr, ptr @tsp_lost_hook
  %unset = icmp eq ptr %hook, null
  %skip = or i1 %dead, %unset
  br i1 %skip, label %out, label %go
go:
  %g = call i32 @PyGILState_Ensure()
  %address = call ptr @PyLong_FromVoidPtr(ptr %f)
  %none = icmp eq ptr %address, null
  br i1 %none, label %bad, label %tell
tell:
  %r = call ptr @PyObject_CallOneArg(ptr %hook, ptr %address)
  call void @Py_DecRef(ptr %address)
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %bad, label %good
good:
  call void @Py_DecRef(ptr %r)
  br label %leave
bad:
  call void @PyErr_WriteUnraisable(ptr %hook)
  br label %leave
leave:
  call void @PyGILState_Release(i32 %g)
  br label %out
out:
  ret void
}

define i32 @ts_future_new_v1(ptr %ctx, i64 %results, i64 %arguments, ptr %run, ptr %kinds, ptr %out) nounwind {
  store atomic i8 1, ptr @ts_concurrent_v1 seq_cst, align 8
  %cells = add i64 %results, %arguments
  %payload = shl i64 %cells, 3
  %nbytes = add i64 %payload, $f_size
  %status = call i32 @ts_heap_allocate_v1(ptr %ctx, i64 %nbytes, ptr %out)
  %good = icmp eq i32 %status, 0
  br i1 %good, label %fill, label %bad
bad:
  ret i32 %status
fill:
  %f = load ptr, ptr %out
  store i64 1, ptr %f
  %tp = getelementptr i8, ptr %f, i64 $f_typeinfo
  store ptr @typeinfo, ptr %tp
  %sp = getelementptr i8, ptr %f, i64 $f_state
  store i64 $pending, ptr %sp
  %stp = getelementptr i8, ptr %f, i64 $f_status
  store i64 0, ptr %stp
  %rp = getelementptr i8, ptr %f, i64 $f_run
  store ptr %run, ptr %rp
  %kp = getelementptr i8, ptr %f, i64 $f_kinds
  store ptr %kinds, ptr %kp
  %bp = getelementptr i8, ptr %f, i64 $f_nbytes
  store i64 %nbytes, ptr %bp
  %wp = getelementptr i8, ptr %f, i64 $f_waiters
  store ptr null, ptr %wp
  %gp = getelementptr i8, ptr %f, i64 $f_generation
  %generation = load i64, ptr @generation
  store i64 %generation, ptr %gp
  %dp = getelementptr i8, ptr %f, i64 $f_debug_info
  store i64 0, ptr %dp
  %vp = getelementptr i8, ptr %f, i64 $f_waited
  store i64 0, ptr %vp
  %up = getelementptr i8, ptr %f, i64 $f_unit
  store ptr null, ptr %up
  %ip = getelementptr i8, ptr %f, i64 $f_site
  store ptr null, ptr %ip
  %owp = getelementptr i8, ptr %f, i64 $f_owner
  store ptr null, ptr %owp
  %ep = getelementptr i8, ptr %f, i64 $f_error
  store ptr null, ptr %ep
  %ap = getelementptr i8, ptr %f, i64 $f_traceback
  store ptr null, ptr %ap
  ret i32 0
}
"""

PYTHON = """
; ---- called with the GIL held

; None, or null with the task's exception set
define ptr @tsp_wait_python(ptr %f) nounwind {
  %ctx = alloca [$c_size x i8], align 16
  call void @begin(ptr %ctx, i64 $max_depth, ptr null)
  %status = call i32 @ts_wait_v1(ptr %ctx, ptr %f)
  %sp = getelementptr i8, ptr %ctx, i64 $c_thread_state
  %state = load ptr, ptr %sp
  %held = icmp eq ptr %state, null
  br i1 %held, label %holding, label %restore
restore:
  call void @PyEval_RestoreThread(ptr %state)
  br label %holding
holding:
  %good = icmp eq i32 %status, 0
  br i1 %good, label %done, label %failed
done:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
failed:
  %null = call ptr @tsb_fail(ptr %ctx, i32 %status)
  ret ptr null
}

; a task that calls a Python object; the new future, null with an exception set
define ptr @tsp_fork_python(ptr %function, ptr %arguments, ptr %keywords) nounwind {
  %ctx = alloca [$c_size x i8], align 16
  %out = alloca ptr
  call void @begin(ptr %ctx, i64 $max_depth, ptr null)
  %status = call i32 @ts_future_new_v1(ptr %ctx, i64 1, i64 3, ptr @run_python, ptr @python_kinds, ptr %out)
  %good = icmp eq i32 %status, 0
  br i1 %good, label %fill, label %bad
bad:
  %null = call ptr @tsb_fail(ptr %ctx, i32 %status)
  ret ptr null
fill:
  %f = load ptr, ptr %out
  %cp = getelementptr i8, ptr %f, i64 $python_cells
  call void @Py_IncRef(ptr %function)
  store ptr %function, ptr %cp
  %ap = getelementptr i8, ptr %cp, i64 8
  call void @Py_IncRef(ptr %arguments)
  store ptr %arguments, ptr %ap
  %kp = getelementptr i8, ptr %cp, i64 16
  call void @Py_IncRef(ptr %keywords)
  store ptr %keywords, ptr %kp
  %forked = call i32 @ts_fork_v1(ptr %ctx, ptr %f)
  ret ptr %f
}

define internal i32 @run_python(ptr %ctx, ptr %f) nounwind {
  %sp = getelementptr i8, ptr %ctx, i64 $c_thread_state
  %state = load ptr, ptr %sp
  %stranger = icmp eq ptr %state, null
  br i1 %stranger, label %ensure, label %restore
ensure:
  %g = call i32 @PyGILState_Ensure()
  br label %call
restore:
  call void @PyEval_RestoreThread(ptr %state)
  store ptr null, ptr %sp
  br label %call
call:
  %cp = getelementptr i8, ptr %f, i64 $python_cells
  %function = load ptr, ptr %cp
  %ap = getelementptr i8, ptr %cp, i64 8
  %arguments = load ptr, ptr %ap
  %kp = getelementptr i8, ptr %cp, i64 16
  %keywords = load ptr, ptr %kp
  %r = call ptr @PyObject_Call(ptr %function, ptr %arguments, ptr %keywords)
  %op = getelementptr i8, ptr %f, i64 $f_size
  store ptr %r, ptr %op
  %none = icmp eq ptr %r, null
  br i1 %none, label %failed, label %good
good:
  call void @Py_DecRef(ptr %function)
  call void @Py_DecRef(ptr %arguments)
  call void @Py_DecRef(ptr %keywords)
  br i1 %stranger, label %balance, label %save
balance:
  call void @PyGILState_Release(i32 1)
  ret i32 0
save:
  %saved = call ptr @PyEval_SaveThread()
  store ptr %saved, ptr %sp
  ret i32 0
failed:
  ; what the arguments' destructors do must not touch the exception
  %type = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback)
  call void @Py_DecRef(ptr %function)
  call void @Py_DecRef(ptr %arguments)
  call void @Py_DecRef(ptr %keywords)
  %t = load ptr, ptr %type
  %v = load ptr, ptr %value
  %b = load ptr, ptr %traceback
  call void @PyErr_Restore(ptr %t, ptr %v, ptr %b)
  ret i32 $python
}

; how many threads the pool has when there is work; those beyond leave
define void @tsp_set_limit(i64 %limit) nounwind {
entry:
  call void @take()
  store i64 %limit, ptr @tsp_limit
  br label %each
each:
  %i = load ptr, ptr @idle
  %none = icmp eq ptr %i, null
  br i1 %none, label %out, label %wake
wake:
  %next = load ptr, ptr %i
  store ptr %next, ptr @idle
  %lp = getelementptr i8, ptr %i, i64 8
  %l = load ptr, ptr %lp
  call void @PyThread_release_lock(ptr %l)
  br label %each
out:
  call void @give()
  ret void
}

; nobody changes the queue while the process is copied
define void @tsp_before_fork() nounwind {
  call void @take()
  ret void
}

define void @tsp_after_fork_in_parent() nounwind {
  call void @give()
  ret void
}

; the child has none of the threads, and the tasks that were not done stay the parent's
define void @tsp_after_fork_in_child() nounwind {
  %l = call ptr @PyThread_allocate_lock()
  store ptr %l, ptr @lock
  store ptr null, ptr @head
  store ptr null, ptr @tail
  store ptr null, ptr @idle
  store i64 0, ptr @tsp_threads
  store i64 0, ptr @tsp_unfinished
  store i64 0, ptr @queued
  store i64 0, ptr @searching
  %g = load i64, ptr @generation
  %g1 = add i64 %g, 1
  store i64 %g1, ptr @generation
  ret void
}
"""
