"""Tier 1: which callbacks are due.

Each callback of a thread has a countdown of its own, drawn from the geometric distribution of its probability; the
thread's is the least of them. Both are in events of one scope, so a callback of several scopes has one for each: trials
are independent, so this is the same distribution.

A thread reads the registry only when its generation has changed, and then makes its own list of active callbacks.
Removing a callback changes the slot's generation, and waits until no thread is in the middle of a `section`: code that
has compared generations and may be calling.

The geometric draw is by inversion: 1 + floor(log(u) / log(1 - p)), L. Devroye, Non-Uniform Random Variate Generation
(1986), X.2. Random numbers are G. Marsaglia's xorshift64 (Xorshift RNGs, Journal of Statistical Software 8, 2003).
"""

from __future__ import annotations

from tscript.abi.layout import MAX_ACTIVE, SCOPES, THREAD
from tscript.abi.record import NEVER, Route
from tscript.dialect import (
    Callback,
    Ptr,
    Registry,
    ThreadState,
    address,
    atomic_add,
    atomic_load,
    atomic_release,
    b8,
    f64,
    floor,
    i64,
    libm,
    pointer,
    pointer_cast,
    stack,
    symbol,
)

NEVER_DUE = NEVER

ACTIVE = MAX_ACTIVE

SCOPE_COUNT = SCOPES

PYTHON = int(Route.PYTHON)
"""The last route with functions of the user's."""

SECTION_WORD = THREAD.offsets["section"] // 8


def absent(*_: object) -> None:
    """What the externs of callbacks mean under CPython."""
    raise TypeError("there are no callbacks under CPython; bind a function of the test's own")


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
