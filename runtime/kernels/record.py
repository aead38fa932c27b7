"""Tier 1: operator callbacks: which are due, records of observed operators, and the statistics of operators.

An observed operator counts down `ThreadState.countdown` of its scope; only when that reaches 0 does anything here run.
Each callback of a thread has a countdown of its own, drawn from the geometric distribution of its probability; the
thread's is the least of them. Both are in events of one scope, so a callback of several scopes has one for each: trials
are independent, so this is the same distribution.

A thread reads the registry only when its generation has changed, and then makes its own list of active callbacks.
Removing a callback changes the slot's generation, and waits until no thread is in the middle of a `section`: code that
has compared generations and may be calling. A record keeps the generations of the callbacks whose enter ran, so an exit
is never delivered to the next user of the slot.

The geometric draw is by inversion: 1 + floor(log(u) / log(1 - p)), L. Devroye, Non-Uniform Random Variate Generation
(1986), X.2. Random numbers are G. Marsaglia's xorshift64 (Xorshift RNGs, Journal of Statistical Software 8, 2003).
"""

from __future__ import annotations

from tscript.abi.layout import HISTOGRAM, MAX_ACTIVE, RECORD, SCOPES, STATISTIC, THREAD
from tscript.abi.record import NEVER, Route
from tscript.dialect import (
    Callback,
    Intrinsic,
    Ptr,
    Record,
    RecordSite,
    Registry,
    Statistic,
    ThreadState,
    Void,
    address,
    atomic_add,
    atomic_load,
    atomic_release,
    b8,
    bitcast,
    f64,
    floor,
    free,
    i64,
    libm,
    malloc,
    memset,
    pointer,
    pointer_cast,
    stack,
    symbol,
    u8,
)
from tscript.dialect.machine import extern
from tscript.types import I64, NONE, U8, PtrType, StructType

RECORD_BYTES = RECORD.size
STATISTIC_BYTES = STATISTIC.size
NEVER_DUE = NEVER
ACTIVE = MAX_ACTIVE
SCOPE_COUNT = SCOPES
BUCKETS = HISTOGRAM
NATIVE = int(Route.NATIVE)
PYTHON = int(Route.PYTHON)
"""The last route with functions of the user's."""
SECTION_WORD = THREAD.offsets["section"] // 8
STATISTICS_WORD = THREAD.offsets["statistics"] // 8
FIRST_TABLE = 64
"""Entries of a thread's first table of statistics."""

_RECORD = PtrType(StructType("Record"))
_CALLBACK = PtrType(StructType("Callback"))
_BYTES = PtrType(U8)


def _absent(*_: object) -> None:
    raise TypeError("there are no callbacks under CPython; bind a function of the test's own")


call_enter = Intrinsic(extern("ts_call_enter_v1", (_BYTES, _RECORD, _BYTES), I64), _absent)
"""``call_enter(enter, record, data)``: a C callback's enter; gives its context."""
call_exit = Intrinsic(extern("ts_call_exit_v1", (_BYTES, _RECORD, I64, _BYTES), NONE), _absent)
"""``call_exit(exit, record, context, data)``."""
python_enter = Intrinsic(extern("ts_python_enter_v1", (_RECORD, _CALLBACK), I64), _absent)
"""A Python callback's enter: takes the GIL, makes the Python record if there is none, contains what is raised."""
python_exit = Intrinsic(extern("ts_python_exit_v1", (_RECORD, _CALLBACK, I64, I64), NONE), _absent)
"""``python_exit(record, callback, context, last)``: gives the context back, and with `last` the Python record too. The
callback is null when it was removed meanwhile."""
ticks = Intrinsic(extern("ts_ticks_v1", (), I64), _absent)
"""The cycle counter."""


def next_random(t: Ptr[ThreadState]) -> i64:
    """The next 64 random bits of a thread."""
    x = t.random
    x = x ^ (x << 13)
    x = x ^ ((x >> 7) & 0x1FFFFFFFFFFFFFF)
    x = x ^ (x << 17)
    t.random = x
    return x


def draw(t: Ptr[ThreadState], c: Ptr[Callback]) -> i64:
    """Events up to and including the next one that a callback of this probability samples."""
    if c.probability >= 1.0:
        return 1
    if c.probability <= 0.0:
        return NEVER_DUE
    bits = (next_random(t) >> 11) & 0x1FFFFFFFFFFFFF
    uniform = (f64(bits) + 1.0) * 1.1102230246251565e-16
    gap = floor(libm.log(uniform) * c.inverse)
    if gap > 4e18:
        return NEVER_DUE
    return i64(gap) + 1


def settle(t: Ptr[ThreadState], scope: i64) -> None:
    """Bring the active callbacks up to the events counted down since last time."""
    events = t.refill[scope] - t.countdown[scope]
    if events != 0:
        for i in range(t.count):
            if (t.scopes[i] >> scope) & 1 != 0:
                t.seen[i] = t.seen[i] + events
                t.left[i * SCOPE_COUNT + scope] = t.left[i * SCOPE_COUNT + scope] - events
        t.refill[scope] = t.countdown[scope]


def wind(t: Ptr[ThreadState], scope: i64) -> None:
    """Set the countdown of a scope to the next event that an active callback samples."""
    least = NEVER_DUE
    for i in range(t.count):
        if (t.scopes[i] >> scope) & 1 != 0:
            if t.left[i * SCOPE_COUNT + scope] < least:
                least = t.left[i * SCOPE_COUNT + scope]
    t.countdown[scope] = least
    t.refill[scope] = least


def flush(c: Ptr[Callback], generation: i64, seen: i64, sampled: i64) -> None:
    """Keep what a thread counted for a callback that it is done with."""
    now = atomic_load(c.generation)
    if now == generation or now == generation + 1:
        atomic_add(c.totals, seen)
        atomic_add(c.totals + 1, sampled)


def concerns(t: Ptr[ThreadState], c: Ptr[Callback]) -> b8:
    """Whether a callback is registered, enabled and for this thread."""
    if atomic_load(c.generation) & 1 == 0 or c.enabled == 0:
        return False
    if address(c.owner) == 0:
        return True
    return address(c.owner) == address(t) and c.owner_epoch == t.epoch


def following(t: Ptr[ThreadState], registry: Ptr[Registry], last: i64) -> Ptr[Callback]:
    """The first callback for a thread that was registered after number `last`; null if there is none."""
    found = pointer(0, Callback)
    for i in range(registry.count):
        c = registry.callbacks + i
        if c.order > last and concerns(t, c):
            if address(found) == 0 or c.order < found.order:
                found = c
    return found


def enlist(t: Ptr[ThreadState], c: Ptr[Callback], old: Ptr[ThreadState], at: i64) -> None:
    """Make `c` the active callback number `at` of a thread; it goes on as it stood in the `old` list."""
    found = -1
    for j in range(old.count):
        if address(old.callbacks[j]) == address(c) and old.generations[j] == c.generation[0]:
            found = j
    t.callbacks[at] = c
    t.generations[at] = c.generation[0]
    t.versions[at] = c.version
    t.scopes[at] = c.scopes
    t.seen[at] = 0
    t.sampled[at] = 0
    if c.granularity > t.granularity:
        t.granularity = c.granularity
    if found < 0 and c.route > PYTHON:
        t.timing = 0
    if found >= 0:
        t.seen[at] = old.seen[found]
        t.sampled[at] = old.sampled[found]
        old.callbacks[found] = pointer(0, Callback)
    for s in range(SCOPE_COUNT):
        if found >= 0 and old.versions[found] == c.version:
            t.left[at * SCOPE_COUNT + s] = old.left[found * SCOPE_COUNT + s]
        else:
            t.left[at * SCOPE_COUNT + s] = draw(t, c)


def copy_active(to: Ptr[ThreadState], source: Ptr[ThreadState]) -> None:
    """Copy the list of active callbacks."""
    to.count = source.count
    for i in range(source.count):
        to.callbacks[i] = source.callbacks[i]
        to.generations[i] = source.generations[i]
        to.versions[i] = source.versions[i]
        to.scopes[i] = source.scopes[i]
        to.seen[i] = source.seen[i]
        to.sampled[i] = source.sampled[i]
    for i in range(source.count * SCOPE_COUNT):
        to.left[i] = source.left[i]


def mark_refresh(t: Ptr[ThreadState]) -> None:
    """Let who sums up counts know that they are on the move."""
    atomic_release(pointer_cast(t, i64) + (SECTION_WORD + 1), t.section[1] + 1)


def thread_refresh(t: Ptr[ThreadState]) -> None:
    """Make the thread's list of active callbacks anew when the registry has changed."""
    registry = symbol("ts_registry_v1", Registry)
    generation = atomic_load(registry.generation)
    if t.generation == generation:
        return
    mark_refresh(t)
    for s in range(SCOPE_COUNT):
        settle(t, s)
    old = stack(1, ThreadState)
    copy_active(old, t)
    t.granularity = 0
    count = 0
    c = following(t, registry, 0)
    while address(c) != 0 and count < ACTIVE:
        last = c.order
        enlist(t, c, old, count)
        count = count + 1
        c = following(t, registry, last)
    t.count = count
    for j in range(old.count):
        if address(old.callbacks[j]) != 0:
            flush(old.callbacks[j], old.generations[j], old.seen[j], old.sampled[j])
    t.generation = generation
    for s in range(SCOPE_COUNT):
        wind(t, s)
    mark_refresh(t)


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


def statistics_grow(t: Ptr[ThreadState]) -> b8:
    """Give the thread's table of statistics more room; False when there is no memory left.

    The old table stays, for another thread may be reading it; all of them together are as large as the last.
    """
    old = t.statistics
    capacity = FIRST_TABLE
    if address(old) != 0:
        capacity = old[0] * 2
    table = pointer_cast(malloc((capacity + 2) * 8), i64)
    if address(table) == 0:
        return False
    memset(pointer_cast(table, Void), 0, (capacity + 2) * 8)
    table[0] = capacity
    if address(old) != 0:
        table[1] = old[1]
        for i in range(old[0]):
            if old[2 + i] != 0:
                at = hash_of(address(pointer(old[2 + i], Statistic).site)) & (capacity - 1)
                while table[2 + at] != 0:
                    at = (at + 1) & (capacity - 1)
                table[2 + at] = old[2 + i]
    atomic_release(pointer_cast(t, i64) + STATISTICS_WORD, address(table))
    return True


def hash_of(site: i64) -> i64:
    """Spreads addresses over a table; multiplicative hashing, D. Knuth, The Art of Computer Programming 3, 6.4."""
    return ((site * -7046029254386353131) >> 32) & 0x7FFFFFFF


def statistic_of(t: Ptr[ThreadState], site: Ptr[RecordSite]) -> Ptr[Statistic]:
    """The thread's statistics of a site; null when there is no memory left."""
    table = t.statistics
    if address(table) == 0 or table[1] * 2 >= table[0]:
        if not statistics_grow(t):
            return pointer(0, Statistic)
        table = t.statistics
    mask = table[0] - 1
    at = hash_of(address(site)) & mask
    while table[2 + at] != 0:
        found = pointer(table[2 + at], Statistic)
        if address(found.site) == address(site):
            return found
        at = (at + 1) & mask
    made = pointer_cast(malloc(STATISTIC_BYTES), Statistic)
    if address(made) != 0:
        memset(pointer_cast(made, Void), 0, STATISTIC_BYTES)
        made.site = site
        atomic_release(table + (2 + at), address(made))
        table[1] = table[1] + 1
    return made


def statistics_enter(t: Ptr[ThreadState], site: Ptr[RecordSite]) -> i64:
    """Count an event; the ticks at its beginning when it is one that is timed, else 0."""
    found = statistic_of(t, site)
    if address(found) == 0:
        return 0
    found.count = found.count + 1
    t.timing = t.timing - 1
    if t.timing > 0:
        return 0
    gap = symbol("ts_registry_v1", Registry).timing_gap
    if gap <= 0:
        t.timing = NEVER_DUE
        return 0
    t.timing = 1
    if gap > 1:
        # Uniform from 1 to 2 gap - 1: no rhythm of a loop can fall into step with it.
        t.timing = 1 + (next_random(t) & 0x7FFFFFFFFFFFFFFF) % (2 * gap - 1)
    return ticks()


def statistics_exit(t: Ptr[ThreadState], site: Ptr[RecordSite], began: i64) -> None:
    """Add the time since `began` ticks."""
    found = statistic_of(t, site)
    if address(found) != 0:
        elapsed = f64(ticks() - began) * symbol("ts_registry_v1", Registry).tick_scale
        if elapsed < 0.0:
            elapsed = 0.0
        duration = i64(elapsed)
        found.timed = found.timed + 1
        found.total = found.total + duration
        if duration > found.maximum:
            found.maximum = duration
        # The exponent of a double is the logarithm.
        bucket = ((bitcast(elapsed + 1.0, i64) >> 52) & 0x7FF) - 1023
        if bucket >= BUCKETS:
            bucket = BUCKETS - 1
        found.histogram[bucket] = found.histogram[bucket] + 1


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
