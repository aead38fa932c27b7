"""Records of what operator callbacks observe: counted events, beginning and end of a record, C callbacks, the clock.

Who is due, and everything else that needs no Python, is decided by kernels (`tscript.runtime.kernels.record`), whose
addresses `thread.RECORD_KERNELS` holds. Calls from Python are observed by `observed_calls`, ranges by `ranges`;
`python_records` is what Python callbacks get.
"""

from __future__ import annotations

from tscript.abi.record import HOOK_NAMES, KERNELS
from tscript.dialect import (
    Context,
    Ptr,
    PyObject,
    Record,
    RecordSite,
    ThreadState,
    Void,
    b8,
    counter,
    i32,
    i64,
    pointer,
    stack,
    u8,
)
from tscript.dialect.linkage import ALWAYS_INLINE, FRAMED, c_signature, exported, internal, variable
from tscript.runtime.boundary.native.thread import RECORD_KERNELS

ENTER = KERNELS.index("record_enter")
EXIT = KERNELS.index("record_exit")
UNWIND = KERNELS.index("record_unwind")

WATCHING = variable("ts_watching_v1", i64, exported=True)
"""How many callbacks are registered and enabled."""
HOOKS = variable("tsb_record_hooks", Ptr[PyObject], len(HOOK_NAMES), exported=True)
VARIABLES = (WATCHING, HOOKS)

BEGIN = c_signature(
    i32, Ptr[Context], Ptr[ThreadState], Ptr[RecordSite], Ptr[u8], Ptr[i64], i64, Ptr[Ptr[Record]]
)  # fmt: skip
END = c_signature(i32, Ptr[Context], Ptr[ThreadState], Ptr[Record], i64, Ptr[u8], Ptr[i64], i64)
END_ALL = c_signature(i32, Ptr[Context], Ptr[ThreadState], Ptr[Record])
CALLBACK_ENTER = c_signature(i64, Ptr[Record], Ptr[Void])
CALLBACK_EXIT = c_signature(None, Ptr[Record], i64, Ptr[Void])


@internal(ALWAYS_INLINE)
def due(t: Ptr[ThreadState], scope: i64) -> b8:
    """Count an event of a scope; whether a callback is due."""
    left = t.countdown[scope] - 1
    t.countdown[scope] = left
    return left < 1


@internal(FRAMED)
def open_record(t: Ptr[ThreadState], site: Ptr[RecordSite], kinds: Ptr[u8], cells: Ptr[i64], n: i64) -> Ptr[Record]:
    """Begin a record with `n` inputs; null when nobody waits for its end."""
    made = stack(1, Ptr[Record])
    made[0] = pointer(0, Record)
    BEGIN(RECORD_KERNELS[ENTER], pointer(0, Context), t, site, kinds, cells, n, made)
    return made[0]


@internal(FRAMED)
def close_record(
    t: Ptr[ThreadState], record: Ptr[Record], is_failed: i64, kinds: Ptr[u8], cells: Ptr[i64], n: i64
) -> None:
    """End a record with `n` outputs."""
    END(RECORD_KERNELS[EXIT], pointer(0, Context), t, record, is_failed, kinds, cells, n)


@internal(FRAMED)
def unwind(t: Ptr[ThreadState], saved: Ptr[Record]) -> None:
    """End all records that were begun after `saved`, the newest that was open then: what they are of has raised."""
    if t.open != saved:
        END_ALL(RECORD_KERNELS[UNWIND], pointer(0, Context), t, saved)


@exported("ts_call_enter_v1", FRAMED)
def call_enter(f: Ptr[Void], record: Ptr[Record], data: Ptr[Void]) -> i64:
    """Call a C callback's enter; its context."""
    return CALLBACK_ENTER(f, record, data)


@exported("ts_call_exit_v1", FRAMED)
def call_exit(f: Ptr[Void], record: Ptr[Record], context: i64, data: Ptr[Void]) -> None:
    """Call a C callback's exit."""
    CALLBACK_EXIT(f, record, context, data)


@exported("ts_ticks_v1")
def ticks() -> i64:
    """A clock for short times, in a unit of its own; on a machine without one it stands still."""
    return counter()


FUNCTIONS = (call_enter, call_exit, ticks)
