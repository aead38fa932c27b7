"""What the threads that divide loops share: the job under way, and how it failed.

All words that threads write have lines of the cache for themselves.
"""

from __future__ import annotations

from tscript.dialect import Context, Ptr, Void, address, atomic_relaxed, b8, i32, i64, pointer
from tscript.dialect.linkage import c_signature, variable

LINE = 16
"""Cells between words that different threads write."""
MOST_WORKERS = 255

NUMBER = variable("parallel_number", i64, LINE)
"""The number of the job."""
RANGES = variable("parallel_ranges", i64, LINE * (MOST_WORKERS + 1))
"""The chunks that are left of each thread's share: the number of the job in the upper half; in the lower one that of
the first chunk that nobody has taken and that of the one after the last, 16 bits each. Shares have no chunks unless
their job is under way."""
REMAINING = variable("parallel_remaining", i64, LINE)
"""Chunks of the job that are not done."""
BUSY = variable("parallel_busy", i64, LINE)
"""Whether a thread divides a loop. Others run theirs alone, and so do loops inside the chunks of one."""
WAITING = variable("parallel_waiting", i64, LINE)
"""Whether that thread sleeps until its chunks are done."""
JOB = variable("parallel_job", i64, LINE)
"""The cells below; changed while no share has a chunk."""
ASLEEP = variable("parallel_asleep", i64, LINE * MOST_WORKERS)
"""Whether each worker sleeps until there is a job."""
THREADS = variable("ts_parallel_threads_v1", i64, exported=True, initial=(1).to_bytes(8, "little"))
"""On how many threads a loop may run, that of the caller among them."""
WORKERS = variable("tsb_parallel_workers", i64, exported=True)
"""How many workers there are."""
GENERATION = variable("parallel_generation", i64)
"""How often this process and those it comes from were forked off."""
CANCELLED = variable("parallel_cancelled", i64, LINE)
"""Whether workers leave the chunks that they are in: a signal raised."""
SIGNALLED = variable("parallel_signalled", i64)
"""The context whose thread met a signal that raises at a safepoint; 0: none since the job began."""
CROWDED = variable("parallel_crowded", i64, LINE)
"""One more than the number of the last job of which a worker left its share: it ran on the processor of the caller."""
WHERE = variable("tsb_parallel_where", i64, exported=True)
"""The address of C's ``sched_getcpu``, or 0."""
OF_THREAD = c_signature(i32)
YIELD = variable("tsb_parallel_yield", i64, exported=True)
"""The address of C's ``sched_yield``, or 0."""
CONTEXTS = variable("parallel_contexts", i64, MOST_WORKERS)
"""The context of each worker."""
VARIABLES = (
    NUMBER,
    RANGES,
    REMAINING,
    BUSY,
    WAITING,
    JOB,
    ASLEEP,
    THREADS,
    WORKERS,
    GENERATION,
    CANCELLED,
    SIGNALLED,
    CROWDED,
    WHERE,
    YIELD,
    CONTEXTS,
)

RUN_CELL = 0
TASK_CELL = 1
COUNT_CELL = 2
SIZE_CELL = 3
MEMBERS_CELL = 4
"""How many threads may take part."""
DEPTH_CELL = 5
"""Of calls that a chunk may make inside each other."""

PROCESSOR_CELL = 6
"""That of the caller, or -1."""
SHORT_CELL = 7
"""Whether the loop is so short that no other processor becomes free meanwhile."""

BITS = 16
"""Of the number of a chunk in `RANGES`."""
LOW = (1 << BITS) - 1


def processor() -> i64:
    """The number of the processor that this thread runs on; -1: nobody knows."""
    if WHERE[0] == 0:
        return -1
    return i64(OF_THREAD(pointer(WHERE[0], Void)))


def let_run() -> None:
    """Let other threads of this processor run; the system may take this one to another."""
    if YIELD[0] != 0:
        OF_THREAD(pointer(YIELD[0], Void))


def is_worker(context: Ptr[Context]) -> b8:
    """Whether a context is that of a worker."""
    for i in range(atomic_relaxed(WORKERS)):  # noqa: SIM110 - the dialect has no generators
        if atomic_relaxed(CONTEXTS + i) == address(context):
            return True
    return False


FUNCTIONS = ()
