"""Waiting for a task.

A task that no thread has begun is taken out of the queue and run by who waits for it: so a pool of any size gets
everything done. Who waits never runs another task: that one could wait, in turn, for what lies further down the same
stack. A thread that runs tasks inside each other to `NESTED` levels, or whose stack is used up, runs no further ones;
it starts another thread for them.
"""

from __future__ import annotations

from tscript.abi.exceptions import number_of
from tscript.abi.layout import MAX_DEPTH
from tscript.abi.symbols import WAIT
from tscript.dialect import (
    Context,
    Future,
    Ptr,
    Site,
    Void,
    Waiter,
    address,
    atomic_acquire,
    atomic_store_relaxed,
    b8,
    field,
    frame_address,
    i32,
    i64,
    pause,
    pointer,
    select,
    stack,
    text,
)
from tscript.dialect.linkage import COLD, FRAMED, NOINLINE, exported, internal, variable
from tscript.runtime.boundary.native.python_api import (
    PyEval_RestoreThread,
    PyGILState_Check,
    PyGILState_Ensure,
    PyThread_acquire_lock,
    PyThread_acquire_lock_timed,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
)
from tscript.runtime.boundary.pool.futures import DONE, PENDING, PYTHON, RAISED
from tscript.runtime.boundary.pool.imports import is_low, release_gil, safepoint
from tscript.runtime.boundary.pool.queue import (
    GENERATION,
    IDLE,
    MOST_THREADS,
    RUNNING,
    THREADS,
    claim,
    lacks_thread,
    lock,
    unlock,
)
from tscript.runtime.boundary.pool.task_errors import raise_exception, raise_record
from tscript.runtime.boundary.pool.workers import SPINS, run, start_thread

NESTED = 60
"""Tasks that one thread runs inside each other."""
NESTED_COST = 16
"""Levels of call depth that a task takes which runs inside another one."""
LEAST_DEPTH = MAX_DEPTH - NESTED * NESTED_COST
LOOK = 50_000
"""Microseconds between two looks at signals while a thread of Python waits."""
FOR_EVER = -1
ACQUIRED = 1
"""CPython's ``PY_LOCK_ACQUIRED``."""

LOST = "the task was not done when this process was forked off, and stays with the parent: fork it again here"
DEEP = "too many tasks wait for tasks that nobody has begun"
NO_MEMORY = "no memory to wait for a task"
RUNTIME_ERROR = number_of("RuntimeError")
RECURSION_ERROR = number_of("RecursionError")
MEMORY_ERROR = number_of("MemoryError")

LOST_SITE = variable("lost_site", Site)
DEEP_SITE = variable("deep_site", Site)
MEMORY_SITE = variable("memory_site", Site)
VARIABLES = (LOST_SITE, DEEP_SITE, MEMORY_SITE)


def declare_sites() -> None:
    """Say what waiting can raise."""
    declare_site(LOST_SITE, text("RuntimeError"), RUNTIME_ERROR, text(LOST))
    declare_site(DEEP_SITE, text("RecursionError"), RECURSION_ERROR, text(DEEP))
    declare_site(MEMORY_SITE, text("MemoryError"), MEMORY_ERROR, text(NO_MEMORY))


def declare_site(site: Ptr[Site], exception: Ptr[Void], number: i64, message: Ptr[Void]) -> None:
    """Say what is raised at a site."""
    site.file = text("<tscript>")
    site.function = text("wait")
    site.exception = exception
    site.number = number
    site.message = message
    site.line = 1


@internal(NOINLINE, COLD)
def refuse(context: Ptr[Context], site: Ptr[Site]) -> i32:
    """Raise what a site says."""
    context.ntrace = 1
    context.nargs = 0
    context.trace[0] = site
    return RAISED


@exported(WAIT, FRAMED)
def wait_for(context: Ptr[Context], future: Ptr[Future]) -> i32:
    """Return when a task is done; its status. Gives the GIL away if it has to wait."""
    seen = atomic_acquire(field(future, "state"))
    if seen == DONE:
        return collect(context, future, 0)
    if future.generation != GENERATION[0]:
        return refuse(context, LOST_SITE)
    release_gil(context)
    if seen == RUNNING and is_over(future):
        return collect(context, future, 0)
    lock()
    if seen == PENDING and future.state == RUNNING:
        # It was taken between the two looks.
        unlock()
        if is_over(future):
            return collect(context, future, 0)
        lock()
    if future.state == DONE:
        unlock()
        return collect(context, future, 0)
    starts = False
    if future.state == PENDING:
        if has_room(context):
            claim(future)
            unlock()
            context.thread_state = run(future, context.depth - NESTED_COST, context.thread_state)
            return collect(context, future, 1)
        if address(IDLE[0]) == 0 and THREADS[0] >= MOST_THREADS:
            unlock()
            return refuse(context, DEEP_SITE)
        starts = lacks_thread(MOST_THREADS)
    status = sleep(context, future, starts)
    if status != 0:
        return status
    return collect(context, future, 0)


def is_over(future: Ptr[Future]) -> b8:
    """Look for a while whether a task ends: short ones are over sooner than a thread would sleep."""
    spins = 0
    while spins < SPINS:
        pause()
        if atomic_acquire(field(future, "state")) == DONE:
            return True
        spins = spins + 1
    return False


def has_room(context: Ptr[Context]) -> b8:
    """Whether one more task can run inside those that this thread runs."""
    return context.depth > LEAST_DEPTH and is_low(context, frame_address()) == 0


# ---- asleep


def sleep(context: Ptr[Context], future: Ptr[Future], starts: b8) -> i32:
    """Sleep until a task is done; with the lock, which it gives back. 0, or the status of what a signal raised.

    Args:
        starts: Whether to start a thread first, behind the lock.
    """
    me = stack(1, Waiter)
    bell = PyThread_allocate_lock()
    if address(bell) != 0:
        PyThread_acquire_lock(bell, 1)
        me.lock = bell
        me.next = future.waiters
        future.waiters = me
    unlock()
    has_threads = not starts or start_thread()
    if address(bell) == 0:
        return refuse(context, MEMORY_SITE)
    if has_threads or atomic_acquire(field(future, "state")) != PENDING:
        status = listen(context, bell)
    else:
        status = refuse(context, DEEP_SITE)
    # Whoever wakes this thread holds the lock until it needs nothing here any more.
    lock()
    if status == 0 or is_unlisted(future, me):
        PyThread_release_lock(bell)
    unlock()
    PyThread_free_lock(bell)
    return status


def listen(context: Ptr[Context], bell: Ptr[Void]) -> i32:
    """Wait for a lock to be given back, and look at signals; 0, or the status of what one raised."""
    while True:
        # A thread that gave the GIL away is one that signals are for.
        is_deaf = address(context.thread_state) == 0
        if PyThread_acquire_lock_timed(bell, select(is_deaf, i64(FOR_EVER), i64(LOOK)), 1) == ACQUIRED:
            return 0
        if not is_deaf:
            status = safepoint(context)
            if status != 0:
                return status


def is_unlisted(future: Ptr[Future], me: Ptr[Waiter]) -> b8:
    """Take a thread out of those that wait; false: it was woken already. Under the lock."""
    place = field(future, "waiters")
    while address(place[0]) != 0:
        if place[0] == me:
            place[0] = me.next
            return True
        place = field(place[0], "next")
    return False


# ---- the end


def collect(context: Ptr[Context], future: Ptr[Future], is_inside: i64) -> i32:
    """The status of a task that is done, with what it raised.

    Args:
        is_inside: 1: it ran inside the frames of the caller.
    """
    atomic_store_relaxed(field(future, "waited"), 1)
    status = i32(future.status)
    if status == RAISED:
        raise_record(context, future)
    elif status == PYTHON:
        take_gil(context)
        raise_exception(future, is_inside)
    return status


def take_gil(context: Ptr[Context]) -> None:
    """Have the GIL."""
    state = context.thread_state
    if address(state) != 0:
        PyEval_RestoreThread(state)
        context.thread_state = pointer(0, Void)
    elif PyGILState_Check() == 0:
        PyGILState_Ensure()


FUNCTIONS = (wait_for,)
