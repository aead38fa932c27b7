"""What the threads that divide loops share: the job under way, and how it failed.

All words that threads write have lines of the cache for themselves.
"""

from __future__ import annotations

from tscript.dialect import Context, Ptr, address, atomic_relaxed, b8, i64
from tscript.dialect.linkage import variable

LINE = 16
"""Cells between words that different threads write."""
MOST_WORKERS = 255

TICKET = variable("parallel_ticket", i64, LINE)
"""The number of the job in the upper half, that of its next chunk in the lower one."""
REMAINING = variable("parallel_remaining", i64, LINE)
"""Chunks of the job that are not done."""
BUSY = variable("parallel_busy", i64, LINE)
"""Whether a thread divides a loop. Others run theirs alone, and so do loops inside the chunks of one."""
WAITING = variable("parallel_waiting", i64, LINE)
"""Whether that thread sleeps until its chunks are done."""
JOB = variable("parallel_job", i64, LINE)
"""The cells below; changed while the ticket is `CLOSED`."""
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
CONTEXTS = variable("parallel_contexts", i64, MOST_WORKERS)
"""The context of each worker."""
VARIABLES = (
    TICKET,
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
    CONTEXTS,
)

RUN_CELL = 0
TASK_CELL = 1
COUNT_CELL = 2
SIZE_CELL = 3
CHUNKS_CELL = 4
MEMBERS_CELL = 5
"""How many threads may take part."""
DEPTH_CELL = 6
"""Of calls that a chunk may make inside each other."""

CLOSED = (1 << 32) - 1
"""The lower half of a ticket for which there is no chunk, whatever the job is."""


def is_worker(context: Ptr[Context]) -> b8:
    """Whether a context is that of a worker."""
    for i in range(atomic_relaxed(WORKERS)):  # noqa: SIM110 - the dialect has no generators
        if atomic_relaxed(CONTEXTS + i) == address(context):
            return True
    return False


FUNCTIONS = ()
