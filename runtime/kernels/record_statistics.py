"""Tier 1: the statistics of operators."""

from __future__ import annotations

from tscript.abi.layout import HISTOGRAM, STATISTIC, THREAD
from tscript.dialect import (
    Intrinsic,
    Ptr,
    RecordSite,
    Registry,
    Statistic,
    ThreadState,
    Void,
    address,
    atomic_release,
    b8,
    bitcast,
    f64,
    i64,
    malloc,
    memset,
    pointer,
    pointer_cast,
    symbol,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels.record_due import NEVER_DUE, absent, next_random
from tscript.types import I64

STATISTIC_BYTES = STATISTIC.size

BUCKETS = HISTOGRAM

STATISTICS_WORD = THREAD.offsets["statistics"] // 8

FIRST_TABLE = 64
"""Entries of a thread's first table of statistics."""

ticks = Intrinsic(extern("ts_ticks_v1", (), I64), absent)
"""The cycle counter."""


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
