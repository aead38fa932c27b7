"""Tier 1: operator callbacks: records of observed operators.

An observed operator counts down `ThreadState.countdown` of its scope; only when that reaches 0 does anything here run.
A record keeps the generations of the callbacks whose enter ran, so an exit is never delivered to the next user of the
slot.
"""

from __future__ import annotations

from tscript.abi.layout import RECORD
from tscript.abi.record import Route
from tscript.dialect import (
    Callback,
    Intrinsic,
    Ptr,
    Record,
    RecordSite,
    Registry,
    ThreadState,
    Void,
    address,
    atomic_add,
    atomic_load,
    atomic_release,
    b8,
    free,
    i64,
    malloc,
    pointer,
    pointer_cast,
    symbol,
    u8,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels.record_due import (
    NEVER_DUE,
    PYTHON,
    SCOPE_COUNT,
    SECTION_WORD,
    absent,
    draw,
    thread_refresh,
)
from tscript.runtime.kernels.record_statistics import statistics_enter, statistics_exit
from tscript.types import I64, NONE, U8, PtrType, StructType

RECORD_BYTES = RECORD.size

NATIVE = int(Route.NATIVE)

_RECORD = PtrType(StructType("Record"))

_CALLBACK = PtrType(StructType("Callback"))

_BYTES = PtrType(U8)

call_enter = Intrinsic(extern("ts_call_enter_v1", (_BYTES, _RECORD, _BYTES), I64), absent)
"""``call_enter(enter, record, data)``: a C callback's enter; gives its context."""

call_exit = Intrinsic(extern("ts_call_exit_v1", (_BYTES, _RECORD, I64, _BYTES), NONE), absent)
"""``call_exit(exit, record, context, data)``."""

python_enter = Intrinsic(extern("ts_python_enter_v1", (_RECORD, _CALLBACK), I64), absent)
"""A Python callback's enter: takes the GIL, makes the Python record if there is none, contains what is raised."""

python_exit = Intrinsic(extern("ts_python_exit_v1", (_RECORD, _CALLBACK, I64, I64), NONE), absent)
"""``python_exit(record, callback, context, last)``: gives the context back, and with `last` the Python record too. The
callback is null when it was removed meanwhile."""


def open_record(t: Ptr[ThreadState], site: Ptr[RecordSite]) -> Ptr[Record]:
    """A record of `site`; null when there is no memory left."""
    r = t.free
    if address(r) == 0:
        r = pointer_cast(malloc(RECORD_BYTES), Record)
        if address(r) == 0:
            return r
    else:
        t.free = r.next
    r.site = site
    t.records = t.records + 1
    r.id = (t.number << 40) + t.records
    r.sequence_nr = -1
    r.thread_id = t.id
    r.inputs = pointer(0, i64)
    r.num_cells = 0
    r.outputs = pointer(0, i64)
    r.num_output_cells = 0
    r.failed = 0
    r.next = pointer(0, Record)
    r.python = pointer(0, u8)
    r.pythons = 0
    r.count = 0
    return r


def close_record(t: Ptr[ThreadState], r: Ptr[Record]) -> None:
    """Give a record back. One that another thread has made is not kept: that thread will make more of them."""
    if (r.id >> 40) != t.number:
        free(pointer_cast(r, Void))
    else:
        r.next = t.free
        t.free = r


def begin_section(t: Ptr[ThreadState]) -> b8:
    """From here to the end of the section, callbacks found registered may be called. False inside a section: a range
    can end within a callback.

    Another thread may see the store and the following loads in another order. So removing a callback first makes all
    threads pass a memory barrier.
    """
    if t.section[0] & 1 != 0:
        return False
    atomic_release(pointer_cast(t, i64) + SECTION_WORD, t.section[0] + 1)
    return True


def end_section(t: Ptr[ThreadState], began: b8) -> None:
    """The end of it, for who has begun it."""
    if began:
        atomic_release(pointer_cast(t, i64) + SECTION_WORD, t.section[0] + 1)


def begin_pair(
    t: Ptr[ThreadState],
    c: Ptr[Callback],
    generation: i64,
    before: Ptr[Record],
    site: Ptr[RecordSite],
    kinds: Ptr[u8],
    cells: Ptr[i64],
    count: i64,
) -> Ptr[Record]:
    """Call one callback's enter, with the record that others have been given `before` if there is one; gives the
    record."""
    route = c.route
    context = 0
    if route > PYTHON:
        context = statistics_enter(t, site)
        if context == 0:
            return before
    record = before
    if address(record) == 0:
        record = open_record(t, site)
        if address(record) == 0:
            return record
        record.kinds = kinds
        record.num_cells = count
    if c.needs & 1 != 0:
        record.inputs = cells
    n = record.count
    if route == NATIVE:
        if address(c.enter) != 0:
            context = call_enter(c.enter, record, c.data)
    elif route == PYTHON:
        record.pythons = record.pythons + 1
        context = python_enter(record, c)
    record.callbacks[n] = address(c)
    record.generations[n] = generation
    record.contexts[n] = context
    record.routes[n] = route
    record.count = n + 1
    return record


def enter(t: Ptr[ThreadState], site: Ptr[RecordSite], kinds: Ptr[u8], cells: Ptr[i64], count: i64) -> Ptr[Record]:
    """Run the enter of every callback that is due; null if none waits for the end."""
    scope = i64(site.scope)
    began = begin_section(t)
    t.guard = t.guard + 1
    thread_refresh(t)
    events = t.refill[scope] - t.countdown[scope]
    t.refill[scope] = t.countdown[scope]
    record = pointer(0, Record)
    least = NEVER_DUE
    for i in range(t.count):
        if (t.scopes[i] >> scope) & 1 != 0:
            t.seen[i] = t.seen[i] + events
            left = t.left[i * SCOPE_COUNT + scope] - events
            if left <= 0:
                c = t.callbacks[i]
                left = draw(t, c)
                if atomic_load(c.generation) == t.generations[i]:
                    t.sampled[i] = t.sampled[i] + 1
                    record = begin_pair(t, c, t.generations[i], record, site, kinds, cells, count)
            t.left[i * SCOPE_COUNT + scope] = left
            if left < least:
                least = left
    t.countdown[scope] = least
    t.refill[scope] = least
    t.guard = t.guard - 1
    end_section(t, began)
    return record


def leave(t: Ptr[ThreadState], r: Ptr[Record], failed: i64, kinds: Ptr[u8], cells: Ptr[i64], count: i64) -> None:
    """Run the exits of a record, the last enter first, and give it back."""
    began = begin_section(t)
    t.guard = t.guard + 1
    r.failed = failed
    i = r.count - 1
    while i >= 0:
        c = pointer(r.callbacks[i], Callback)
        live = atomic_load(c.generation) == r.generations[i]
        if live and c.needs & 2 != 0 and failed == 0:
            r.output_kinds = kinds
            r.outputs = cells
            r.num_output_cells = count
        if r.routes[i] == NATIVE:
            if live and address(c.exit) != 0:
                call_exit(c.exit, r, r.contexts[i], c.data)
        elif r.routes[i] == PYTHON:
            r.pythons = r.pythons - 1
            if not live:
                c = pointer(0, Callback)
            python_exit(r, c, r.contexts[i], i64(r.pythons == 0))
        else:
            statistics_exit(t, r.site, r.contexts[i])
        i = i - 1
    t.guard = t.guard - 1
    end_section(t, began)
    close_record(t, r)


def record_enter(
    t: Ptr[ThreadState], site: Ptr[RecordSite], kinds: Ptr[u8], cells: Ptr[i64], count: i64
) -> Ptr[Record]:
    """Begin an observed call from Python: the countdown of its scope has come to its end."""
    return enter(t, site, kinds, cells, count)


def record_exit(t: Ptr[ThreadState], r: Ptr[Record], failed: i64, kinds: Ptr[u8], cells: Ptr[i64], count: i64) -> None:
    """End it."""
    leave(t, r, failed, kinds, cells, count)


def record_begin(t: Ptr[ThreadState], site: Ptr[RecordSite], cells: Ptr[i64]) -> Ptr[Record]:
    """Begin an observed operator of compiled code: the countdown of its scope has come to its end.

    The record is kept in `ThreadState.open` too, so that `record_unwind` ends it when the operator raises.
    """
    r = enter(t, site, site.kinds, cells, i64(site.num_cells))
    if address(r) != 0:
        r.next = t.open
        t.open = r
    return r


def record_end(t: Ptr[ThreadState], r: Ptr[Record], cells: Ptr[i64]) -> None:
    """End it: it succeeded."""
    t.open = r.next
    leave(t, r, 0, r.site.output_kinds, cells, i64(r.site.num_output_cells))


def record_unwind(t: Ptr[ThreadState], until: Ptr[Record]) -> None:
    """End the records that were opened after `until`, as failed."""
    while address(t.open) != address(until) and address(t.open) != 0:
        r = t.open
        t.open = r.next
        leave(t, r, 1, pointer(0, u8), pointer(0, i64), 0)


def callback_publish(c: Ptr[Callback], generation: i64) -> None:
    """Make the fields of a slot valid (an odd generation) or withdraw them, and notify all threads."""
    atomic_release(c.generation, generation)
    atomic_add(symbol("ts_registry_v1", Registry).generation, 1)
