"""States of threads as LLVM text: what a thread knows of operator callbacks.

A state (`ts_thread_v1`) is found by a key of the platform's threads. States are never freed: the destructor of the key marks
a state as free, and the next new thread takes it over.
"""

from __future__ import annotations

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
"""
