"""The queue of the inter-op pool, and the threads that sleep while it is empty.

One queue, first in, first out, behind one lock. Each thread that has nothing to do sleeps on a lock of its own. Locks
are CPython's portable ones (``PyThread_…``), used without the GIL. Who has the pool's lock waits for nothing else, so
it may be taken with the GIL held.

A thread that has just become idle looks for work for a while before it sleeps (`SEARCHING`). Such threads need not be
woken: each takes the lock once more before it sleeps, and finds what came meanwhile.
"""

from __future__ import annotations

from tscript.abi.kinds import FutureState
from tscript.dialect import (
    Future,
    Ptr,
    Void,
    Waiter,
    address,
    atomic_release,
    atomic_store_relaxed,
    b8,
    field,
    i64,
    pointer,
)
from tscript.dialect.linkage import exported, variable
from tscript.runtime.boundary.native.python_api import (
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_release_lock,
)

RUNNING = int(FutureState.RUNNING)
MOST_THREADS = 1024
"""Threads of the pool when all of them wait for tasks that nobody has begun."""

LOCK = variable("pool_lock", Ptr[Void])
"""Of all that follows."""
HEAD = variable("queue_head", Ptr[Future])
"""The first pending future. Threads that search look at it without the lock."""
TAIL = variable("queue_tail", Ptr[Future])
QUEUED = variable("queue_length", i64)
IDLE = variable("idle_threads", Ptr[Waiter])
"""The threads that sleep until there is work."""
SEARCHING = variable("searching_threads", i64)
GENERATION = variable("pool_generation", i64)
"""How often this process and those it comes from were forked off."""
THREADS = variable("tsp_threads", i64, exported=True)
"""How many threads the pool has, or is about to have."""
LIMIT = variable("tsp_limit", i64, exported=True, initial=(1).to_bytes(8, "little"))
"""How many it has when there is work for them."""
UNFINISHED = variable("tsp_unfinished", i64, exported=True)
"""Tasks that are pending or running."""
VARIABLES = (LOCK, HEAD, TAIL, QUEUED, IDLE, SEARCHING, GENERATION, THREADS, LIMIT, UNFINISHED)


def lock() -> None:
    """Take the pool's lock."""
    PyThread_acquire_lock(LOCK[0], 1)


def unlock() -> None:
    """Give the pool's lock back."""
    PyThread_release_lock(LOCK[0])


# ---- under the lock


def put(future: Ptr[Future]) -> None:
    """Put a future behind all others."""
    last = TAIL[0]
    future.next = pointer(0, Future)
    future.previous = last
    TAIL[0] = future
    if address(last) == 0:
        atomic_store_relaxed(HEAD, future)
    else:
        last.next = future
    QUEUED[0] += 1
    UNFINISHED[0] += 1


def claim(future: Ptr[Future]) -> None:
    """Take a pending future out, to be run by the caller."""
    following = future.next
    previous = future.previous
    if address(previous) == 0:
        atomic_store_relaxed(HEAD, following)
    else:
        previous.next = following
    if address(following) == 0:
        TAIL[0] = previous
    else:
        following.previous = previous
    QUEUED[0] -= 1
    atomic_release(field(future, "state"), RUNNING)


def wake_idle() -> None:
    """Wake one of the threads that sleep until there is work."""
    waiter = IDLE[0]
    IDLE[0] = waiter.next
    PyThread_release_lock(waiter.lock)


def lacks_thread(most: i64) -> b8:
    """See to it that there is a thread for what is in the queue. True: the caller starts one, behind the lock.

    Args:
        most: How many there may be.
    """
    if SEARCHING[0] >= QUEUED[0]:
        return False
    if address(IDLE[0]) != 0:
        wake_idle()
        return False
    if THREADS[0] >= most:
        return False
    THREADS[0] += 1
    return True


# ---- the number of threads, and copies of the process


@exported("tsp_set_limit")
def set_limit(limit: i64) -> None:
    """Say how many threads the pool has when there is work; those beyond leave."""
    lock()
    LIMIT[0] = limit
    while address(IDLE[0]) != 0:
        wake_idle()
    unlock()


@exported("tsp_before_fork")
def before_fork() -> None:
    """Nobody changes the queue while the process is copied."""
    lock()


@exported("tsp_after_fork_in_parent")
def after_fork_in_parent() -> None:
    """The end of what `before_fork` began."""
    unlock()


@exported("tsp_after_fork_in_child")
def after_fork_in_child() -> None:
    """The child has none of the threads, and the tasks that were not done stay the parent's."""
    LOCK[0] = PyThread_allocate_lock()
    HEAD[0] = pointer(0, Future)
    TAIL[0] = pointer(0, Future)
    QUEUED[0] = 0
    IDLE[0] = pointer(0, Waiter)
    SEARCHING[0] = 0
    THREADS[0] = 0
    UNFINISHED[0] = 0
    GENERATION[0] += 1


FUNCTIONS = (set_limit, before_fork, after_fork_in_parent, after_fork_in_child)
