"""Tasks: their safepoints, and the callbacks that observe those whose calls were forked from Python."""

from __future__ import annotations

from tscript.abi.exceptions import number_of
from tscript.abi.record import HOOK_NAMES, RecordScope
from tscript.dialect import (
    Context,
    Ptr,
    Record,
    RecordSite,
    Site,
    Unit,
    Void,
    address,
    atomic_acquire,
    atomic_relaxed,
    i32,
    i64,
    pointer,
    select,
    stack,
    text,
    u8,
)
from tscript.dialect.linkage import COLD, FRAMED, NOINLINE, exported, internal, variable
from tscript.runtime.boundary.native.failures import RAISED, forget
from tscript.runtime.boundary.native.parallel_state import CANCELLED, is_worker
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    PyGILState_Ensure,
    PyGILState_Release,
    PyObject_CallFunction,
)
from tscript.runtime.boundary.native.records import HOOKS, WATCHING, close_record, due, open_record, unwind
from tscript.runtime.boundary.native.thread import current_thread, watcher

ENDING = "the process is ending"
SYSTEM_EXIT = number_of("SystemExit")
"""The number in native code of what tasks end with: ``except Exception`` does not catch it."""
FUNCTION_SCOPE = int(RecordScope.FUNCTION)

BUILD = HOOK_NAMES.index("build")

INTERRUPT = variable("ts_interrupt_v1", u8, exported=True)
"""Not 0: tasks end at their next safepoint."""
INTERRUPT_SITE = variable("tsb_interrupt_site", Site)
"""Where they are said to raise."""
VARIABLES = (INTERRUPT, INTERRUPT_SITE)


def task_safepoint(context: Ptr[Context]) -> i32:
    """What a safepoint does on a thread without a GIL: tasks that do not end must not keep the process from ending."""
    if (atomic_relaxed(INTERRUPT) == 0) & (atomic_relaxed(CANCELLED) == 0):
        return 0
    return interrupted(context)


@internal(NOINLINE, COLD)
def interrupted(context: Ptr[Context]) -> i32:
    """Raise what ends a task, or what a worker does for a loop that goes on no longer."""
    if atomic_relaxed(INTERRUPT) == 0:
        if not is_worker(context):
            return 0
    # Threads write the same.
    site = INTERRUPT_SITE
    site.file = text("<tscript>")
    site.function = text("safepoint")
    site.exception = text("SystemExit")
    site.message = text(ENDING)
    site.line = 1
    site.number = SYSTEM_EXIT
    context.ntrace = 1
    context.nargs = 0
    context.trace[0] = site
    return RAISED


@exported("ts_task_variant_v1")
def task_variant(unit: Ptr[Unit], code: Ptr[Void]) -> Ptr[Void]:
    """The code to run for a forked call: its observed variant where somebody watches this thread."""
    if atomic_relaxed(WATCHING) == 0:
        return code
    t = watcher()
    if address(t) == 0:
        return code
    place = unit.observed + t.granularity
    made = atomic_acquire(place)
    if address(made) == 0:
        build_variant(unit, t.granularity)
        made = atomic_acquire(place)
    return select(address(made) == 0, code, made)


@internal(NOINLINE, COLD)
def build_variant(unit: Ptr[Unit], granularity: i64) -> None:
    """Have Python make an observed variant; there is none when that fails."""
    state = PyGILState_Ensure()
    number = PyObject_CallFunction(HOOKS[BUILD], text("OL"), unit.source, granularity)
    if address(number) == 0:
        forget()
    else:
        Py_DecRef(number)
    PyGILState_Release(state)


@exported("ts_task_enter_v1", FRAMED)
def task_enter(site: Ptr[RecordSite]) -> Ptr[Record]:
    """Begin the record of a task; null where nobody waits for its end."""
    if atomic_relaxed(WATCHING) == 0:
        return pointer(0, Record)
    t = watcher()
    if address(t) == 0:
        return pointer(0, Record)
    if not due(t, FUNCTION_SCOPE):
        return pointer(0, Record)
    return open_record(t, site, stack(1, u8), stack(1, i64), 0)


@exported("ts_task_leave_v1", FRAMED)
def task_leave(record: Ptr[Record], saved: Ptr[Record], guard: i64, failed: i64) -> None:
    """End what a task has begun: records that it left open down to `saved`, its guard, its own record unless null."""
    t = current_thread()
    t.guard = guard
    unwind(t, saved)
    if address(record) != 0:
        close_record(t, record, failed, stack(1, u8), stack(1, i64), 0)


FUNCTIONS = (task_variant, task_enter, task_leave)
