"""What the module of the pool calls of the boundary and of the native library."""

from __future__ import annotations

from tscript.dialect import (
    Context,
    Future,
    Object,
    Ptr,
    Site,
    TensorImpl,
    i32,
    i64,
    u8,
)
from tscript.dialect.linkage import c_function, external, imported, variable_of
from tscript.runtime.boundary.native import boxes, debug_info, failures, gil, tasks, thread, uniform

CONCURRENT = external("ts_concurrent_v1", u8)
"""Whether several threads may run native code at a time."""

release_gil = imported(gil.release_gil)
safepoint = imported(gil.safepoint)
drop_owner = imported(gil.drop_owner)

heap_allocate = c_function("ts_heap_allocate_v1", i32, Ptr[Context], i64, Ptr[Ptr[Future]])
heap_free = c_function("ts_heap_free_v1", i32, Ptr[Context], Ptr[Future], i64)
tensor_release = c_function("ts_tensor_release_v1", i32, Ptr[Context], Ptr[TensorImpl])
object_retain = c_function("ts_object_retain_v1", i32, Ptr[Context], Ptr[Object])
object_release = c_function("ts_object_release_v1", i32, Ptr[Context], Ptr[Object])
trace_hold = c_function("ts_trace_hold_v1", i32, Ptr[Context], Ptr[Ptr[Site]], i64)
trace_leave = c_function("ts_trace_leave_v1", i32, Ptr[Context], Ptr[Ptr[Site]], i64)

current_thread = imported(thread.current_thread)
is_low = imported(thread.is_low)
observer = imported(thread.observer)
task_variant = imported(tasks.task_variant)
task_enter = imported(tasks.task_enter)
task_leave = imported(tasks.task_leave)
debug_retain = imported(debug_info.retain_token)
debug_release = imported(debug_info.release_token)

fail = imported(failures.fail)
box_future = imported(boxes.box_future)
put_arguments = imported(uniform.put_arguments)

RUNTIME_SYMBOLS: tuple[str, ...] = (
    variable_of(CONCURRENT).symbol,
    *(f.symbol for f in (release_gil, safepoint, drop_owner)),
    *(f.symbol for f in (heap_allocate, heap_free, tensor_release, object_retain, object_release)),
    *(f.symbol for f in (trace_hold, trace_leave, current_thread, is_low, observer)),
    *(f.symbol for f in (task_variant, task_enter, task_leave, debug_retain, debug_release)),
)
"""Symbols of the runtime that the module needs."""

BOUNDARY_SYMBOLS = (fail.symbol, box_future.symbol, put_arguments.symbol)
"""Symbols of the boundary's module that native code does not know."""
