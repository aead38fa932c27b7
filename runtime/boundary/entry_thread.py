"""States of threads as LLVM text: what a thread knows of operator callbacks.

A state (`ts_thread_v1`) is found by a key of the platform's threads. States are never freed: the destructor of the key
marks a state as free, and the next new thread takes it over.
"""

from __future__ import annotations

LEAST_MARGIN = 16 << 10
MOST_MARGIN = 256 << 10
MARGIN_SHIFT = 2
"""Stack that functions of unknown depth leave, in bytes: a quarter, within these bounds. It is for all that they call
and that does not look: kernels, BLAS, Python."""

TEXT = """
; a state that is never observed: nothing is ever due
@no_thread = internal global { [$scopes x i64], [$thread_rest x i8] } {
  [$scopes x i64] [$never], [$thread_rest x i8] zeroinitializer }, align 64
declare ptr @$tls_get(i64)
declare i32 @$tls_set(i64, ptr)
declare i64 @PyThread_get_thread_ident()

; the state of the calling thread; never null
define ptr @ts_thread_v1() {
  %key = load i64, ptr @tsb_thread_key
  %t = call ptr @$tls_get(i64 %key)
  %none = icmp eq ptr %t, null
  br i1 %none, label %make, label %out
make:
  %new = call ptr @new_thread()
  ret ptr %new
out:
  ret ptr %t
}

define internal ptr @new_thread() noinline cold {
entry:
  %registry = load ptr, ptr @tsb_registry
  %list = getelementptr i8, ptr %registry, i64 $rg_threads
  %key = load i64, ptr @tsb_thread_key
  %id = call i64 @PyThread_get_thread_ident()
  %newest = load atomic i64, ptr %list acquire, align 8
  br label %look
look:
  %at = phi i64 [ %newest, %entry ], [ %older, %next ]
  %end = icmp eq i64 %at, 0
  br i1 %end, label %make, label %try
try:
  %found = inttoptr i64 %at to ptr
  %ap = getelementptr i8, ptr %found, i64 $th_alive
  %pair = cmpxchg ptr %ap, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue { i64, i1 } %pair, 1
  br i1 %mine, label %use, label %next
next:
  %np = getelementptr i8, ptr %found, i64 $th_next
  %older = load i64, ptr %np
  br label %look
make:
  %new = call ptr @PyMem_RawCalloc(i64 $thread_size, i64 1)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %none, label %fill
none:
  ; no memory: a state that all such threads share and that is never observed
  %dp = getelementptr i8, ptr @no_thread, i64 $th_disabled
  store i64 1, ptr %dp
  ret ptr @no_thread
fill:
  %seeds = getelementptr i8, ptr %registry, i64 $rg_seed
  %counter = getelementptr i8, ptr %seeds, i64 8
  %before = atomicrmw add ptr %counter, i64 1 seq_cst
  %number = add i64 %before, 1
  %nump = getelementptr i8, ptr %new, i64 $th_number
  store i64 %number, ptr %nump
  %seed = load i64, ptr %seeds
  %spread = mul i64 %number, -7046029254386353131
  %mixed = xor i64 %seed, %spread
  %random = or i64 %mixed, 1
  %rp = getelementptr i8, ptr %new, i64 $th_random
  store i64 %random, ptr %rp
  %alp = getelementptr i8, ptr %new, i64 $th_alive
  store i64 1, ptr %alp
  %newp = getelementptr i8, ptr %new, i64 $th_next
  %number_of = ptrtoint ptr %new to i64
  br label %push
push:
  %head = load atomic i64, ptr %list acquire, align 8
  store i64 %head, ptr %newp
  %swap = cmpxchg ptr %list, i64 %head, i64 %number_of seq_cst seq_cst
  %done = extractvalue { i64, i1 } %swap, 1
  br i1 %done, label %use, label %push
use:
  %state = phi ptr [ %found, %try ], [ %new, %push ]
  %idp = getelementptr i8, ptr %state, i64 $th_id
  store i64 %id, ptr %idp
  %info = getelementptr i8, ptr %state, i64 $th_debug_info
  store i64 0, ptr %info
  %off = getelementptr i8, ptr %state, i64 $th_disabled
  store i64 0, ptr %off
  %stackp = getelementptr i8, ptr %state, i64 $th_stack
  store i64 0, ptr %stackp
  ; a generation that never was: the list of active callbacks is made anew
  %gp = getelementptr i8, ptr %state, i64 $th_generation
  store i64 -1, ptr %gp
  %ignored = call i32 @$tls_set(i64 %key, ptr %state)
  ret ptr %state
}

; the destructor of the key: callbacks of this thread alone end with it
define void @tsb_thread_exit(ptr %t) {
  %ep = getelementptr i8, ptr %t, i64 $th_epoch
  %epoch = load i64, ptr %ep
  %next = add i64 %epoch, 1
  store i64 %next, ptr %ep
  %gp = getelementptr i8, ptr %t, i64 $th_guard
  store i64 0, ptr %gp
  %op = getelementptr i8, ptr %t, i64 $th_open
  store ptr null, ptr %op
  %ap = getelementptr i8, ptr %t, i64 $th_alive
  store atomic i64 0, ptr %ap release, align 8
  ret void
}

define internal void @refreshed(ptr %t) alwaysinline {
  %registry = load ptr, ptr @tsb_registry
  %rp = getelementptr i8, ptr %registry, i64 $rg_generation
  %now = load atomic i64, ptr %rp acquire, align 8
  %gp = getelementptr i8, ptr %t, i64 $th_generation
  %then = load i64, ptr %gp
  %same = icmp eq i64 %now, %then
  br i1 %same, label %out, label %refresh
refresh:
  %kernel = load ptr, ptr @tsb_record_kernels
  %unset = icmp eq ptr %kernel, null
  br i1 %unset, label %out, label %call
call:
  %ignored = call i32 %kernel(ptr null, ptr %t)
  br label %out
out:
  ret void
}

; what counts the events of observed code that begins now: the state of the calling thread, up to date with the registry,
; or one that counts nothing. A callback that waits for a task may find itself here
define ptr @ts_observer_v1() {
  %t = call ptr @ts_thread_v1()
  %gp = getelementptr i8, ptr %t, i64 $th_guard
  %guard = load i64, ptr %gp
  %dp = getelementptr i8, ptr %t, i64 $th_disabled
  %disabled = load i64, ptr %dp
  %not = or i64 %guard, %disabled
  %quiet = icmp ne i64 %not, 0
  br i1 %quiet, label %nobody, label %current
nobody:
  ret ptr @no_thread
current:
  call void @refreshed(ptr %t)
  ret ptr %t
}

; a thread state that shall observe now, or null; while a callback runs, the list it is called from stays as it is
define internal ptr @watcher() alwaysinline {
  %t = call ptr @ts_thread_v1()
  %gp = getelementptr i8, ptr %t, i64 $th_guard
  %guard = load i64, ptr %gp
  %dp = getelementptr i8, ptr %t, i64 $th_disabled
  %disabled = load i64, ptr %dp
  %not = or i64 %guard, %disabled
  %quiet = icmp ne i64 %not, 0
  br i1 %quiet, label %no, label %current
no:
  ret ptr null
current:
  call void @refreshed(ptr %t)
  %cp = getelementptr i8, ptr %t, i64 $th_count
  %count = load i64, ptr %cp
  %nobody = icmp eq i64 %count, 0
  %r = select i1 %nobody, ptr null, ptr %t
  ret ptr %r
}

; where the stack of the calling thread ends, for functions of unknown depth: it grows down to there
define internal i64 @stack_limit() noinline cold {
  %t = call ptr @ts_thread_v1()
  %sp = getelementptr i8, ptr %t, i64 $th_stack
  %known = load i64, ptr %sp
  %none = icmp eq i64 %known, 0
  br i1 %none, label %find, label %out
out:
  ret i64 %known
find:
  %low = alloca i64
  %bytes = alloca i64
  store i64 0, ptr %low
  store i64 0, ptr %bytes
  call void @stack_bounds(ptr %low, ptr %bytes)
  %end = load i64, ptr %low
  %size = load i64, ptr %bytes
  %part = lshr i64 %size, $margin_shift
  %small = call i64 @llvm.umin.i64(i64 %part, i64 $most_margin)
  %margin = call i64 @llvm.umax.i64(i64 %small, i64 $least_margin)
  %limit = add i64 %end, %margin
  ; a state that threads share knows nothing of one
  %shared = icmp eq ptr %t, @no_thread
  br i1 %shared, label %told, label %keep
keep:
  store i64 %limit, ptr %sp
  br label %told
told:
  ret i64 %limit
}
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare ptr @llvm.frameaddress.p0(i32)

; 1: a function whose frame ends at this address, or the caller if it is above, has no room left; the limit is in the context
; from now on
define i32 @ts_stack_limit_v1(ptr %ctx, i64 %end) noinline {
entry:
  %here = call ptr @llvm.frameaddress.p0(i32 0)
  %own = ptrtoint ptr %here to i64
  %at = call i64 @llvm.umin.i64(i64 %own, i64 %end)
  %cp = getelementptr i8, ptr %ctx, i64 $c_stack
  %known = load i64, ptr %cp
  %unknown = icmp eq i64 %known, $no_stack
  br i1 %unknown, label %ask, label %look
ask:
  %found = call i64 @stack_limit()
  store i64 %found, ptr %cp
  br label %look
look:
  %limit = phi i64 [ %known, %entry ], [ %found, %ask ]
  %low = icmp ult i64 %at, %limit
  %status = zext i1 %low to i32
  ret i32 %status
}

; bytes of stack that are left above the margin; negative within it
define i64 @ts_stack_left_v1() noinline {
  ; before threads have states, the key of theirs is anybody's
  %registry = load ptr, ptr @tsb_registry
  %bare = icmp eq ptr %registry, null
  br i1 %bare, label %unknown, label %look
unknown:
  ret i64 9223372036854775807
look:
  %here = call ptr @llvm.frameaddress.p0(i32 0)
  %at = ptrtoint ptr %here to i64
  %limit = call i64 @stack_limit()
  %left = sub i64 %at, %limit
  ret i64 %left
}
"""

_POSIX = """
declare ptr @pthread_self()
declare i32 @pthread_getattr_np(ptr, ptr)
declare i32 @pthread_attr_getstack(ptr, ptr, ptr)
declare i32 @pthread_attr_getguardsize(ptr, ptr)
declare i32 @pthread_attr_destroy(ptr)
; lowest address and size of the stack of the calling thread, without its guard
define internal void @stack_bounds(ptr %low, ptr %bytes) noinline cold {
  %attributes = alloca [256 x i8], align 16
  %guard = alloca i64
  store i64 0, ptr %guard
  %self = call ptr @pthread_self()
  %rc = call i32 @pthread_getattr_np(ptr %self, ptr %attributes)
  %failed = icmp ne i32 %rc, 0
  br i1 %failed, label %out, label %ask
ask:
  %ignored = call i32 @pthread_attr_getstack(ptr %attributes, ptr %low, ptr %bytes)
  %ignored2 = call i32 @pthread_attr_getguardsize(ptr %attributes, ptr %guard)
  %ignored3 = call i32 @pthread_attr_destroy(ptr %attributes)
  %begin = load i64, ptr %low
  %page = load i64, ptr %guard
  %end = add i64 %begin, %page
  store i64 %end, ptr %low
  br label %out
out:
  ret void
}
"""

_DARWIN = """
declare ptr @pthread_self()
declare i64 @pthread_get_stackaddr_np(ptr)
declare i64 @pthread_get_stacksize_np(ptr)
define internal void @stack_bounds(ptr %low, ptr %bytes) noinline cold {
  %self = call ptr @pthread_self()
  %high = call i64 @pthread_get_stackaddr_np(ptr %self)
  %size = call i64 @pthread_get_stacksize_np(ptr %self)
  %end = sub i64 %high, %size
  store i64 %end, ptr %low
  store i64 %size, ptr %bytes
  ret void
}
"""

BOUNDS = {"linux": _POSIX, "darwin": _DARWIN}
"""By platform: the function that finds the bounds of the calling thread's stack."""

NO_BOUNDS = """
define internal void @stack_bounds(ptr %low, ptr %bytes) { ret void }
"""
"""Where nobody says: only the depth of calls is limited."""
