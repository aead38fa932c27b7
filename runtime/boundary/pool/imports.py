"""What the module of the pool calls of the boundary and of the native library."""

from __future__ import annotations

from tscript.abi.helpers import FAIL
from tscript.dialect import (
    Context,
    Future,
    Object,
    Ptr,
    PyObject,
    Record,
    RecordSite,
    Site,
    TensorImpl,
    ThreadState,
    Unit,
    Void,
    i32,
    i64,
    u8,
)
from tscript.dialect.linkage import c_function, external, variable_of

CONCURRENT = external("ts_concurrent_v1", u8)
"""Whether several threads may run native code at a time."""

release_gil = c_function("ts_release_gil_v1", i32, Ptr[Context])
safepoint = c_function("ts_safepoint_v1", i32, Ptr[Context])
drop_owner = c_function("ts_drop_owner_v1", None, Ptr[PyObject])

heap_allocate = c_function("ts_heap_allocate_v1", i32, Ptr[Context], i64, Ptr[Ptr[Future]])
heap_free = c_function("ts_heap_free_v1", i32, Ptr[Context], Ptr[Future], i64)
tensor_release = c_function("ts_tensor_release_v1", i32, Ptr[Context], Ptr[TensorImpl])
object_retain = c_function("ts_object_retain_v1", i32, Ptr[Context], Ptr[Object])
object_release = c_function("ts_object_release_v1", i32, Ptr[Context], Ptr[Object])
trace_hold = c_function("ts_trace_hold_v1", i32, Ptr[Context], Ptr[Ptr[Site]], i64)
trace_leave = c_function("ts_trace_leave_v1", i32, Ptr[Context], Ptr[Ptr[Site]], i64)

current_thread = c_function("ts_thread_v1", Ptr[ThreadState])
is_low = c_function("ts_stack_limit_v1", i32, Ptr[Context], i64)
observer = c_function("ts_observer_v1", Ptr[ThreadState])
task_variant = c_function("ts_task_variant_v1", Ptr[Void], Ptr[Unit], Ptr[Void])
task_enter = c_function("ts_task_enter_v1", Ptr[Record], Ptr[RecordSite])
task_leave = c_function("ts_task_leave_v1", None, Ptr[Record], Ptr[Record], i64, i64)
debug_retain = c_function("ts_debug_retain_v1", i64, i64)
debug_release = c_function("ts_debug_release_v1", None, i64)

fail = c_function(FAIL, Ptr[PyObject], Ptr[Context], i32)

RUNTIME_SYMBOLS: tuple[str, ...] = (
    variable_of(CONCURRENT).symbol,
    *(f.symbol for f in (release_gil, safepoint, drop_owner)),
    *(f.symbol for f in (heap_allocate, heap_free, tensor_release, object_retain, object_release)),
    *(f.symbol for f in (trace_hold, trace_leave, current_thread, is_low, observer)),
    *(f.symbol for f in (task_variant, task_enter, task_leave, debug_retain, debug_release)),
)
"""Symbols of the runtime that the module needs."""

BOUNDARY_SYMBOLS = (fail.symbol,)
"""Symbols of the boundary's module that native code does not know."""
