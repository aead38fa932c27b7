"""What the boundary module is made of: everything through which Python objects reach native code.

All of it is written in the low-level dialect, but for the stubs of signatures (`tscript.backend.stubs`).

Every function that returns an object returns a new reference, or null with an exception set, unless it says otherwise.
All functions except those named ``ts_`` are called with the GIL held.
"""

from __future__ import annotations

from tscript.runtime.boundary.native import (
    arrays,
    attributes,
    boxes,
    buffers,
    callable,
    debug_info,
    failures,
    gil,
    heap,
    indexing,
    operator_calls,
    operators,
    parallel,
    parallel_errors,
    parallel_state,
    printing,
    python_calls,
    python_records,
    ranges,
    record_values,
    records,
    table,
    tasks,
    tensor,
    thread,
    uniform,
)

MODULES = (
    *(thread, table, callable, tensor, attributes, indexing, arrays, buffers, boxes, failures, python_calls),
    *(operator_calls, gil),
    *(operators, records, record_values, python_records, ranges, tasks, heap, debug_info, uniform),
    *(parallel_state, parallel_errors, parallel, printing),
)
"""What `tscript.runtime.boundary.dialect_modules` makes one LLVM module of: those that export something, and all that
they call."""
