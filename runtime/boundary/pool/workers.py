"""The threads of the inter-op pool, and the tasks that they run.

A thread takes the first future of the queue, runs it without the GIL and marks it done, which wakes those that wait for
it. A task has a context of its own. On a thread of the pool its `Context.thread_state` is null; on one that waits it is
that of the waiting code, so that signals are seen there. As everywhere, `Status.PYTHON` means that the GIL is held and
the exception is set; on a thread that had no GIL of its own, it is held by a ``PyGILState_Ensure`` that `run` balances.
"""

from __future__ import annotations

from tscript.abi.symbols import FORK
from tscript.dialect import (
    Context,
    Future,
    Ptr,
    Record,
    Void,
    Waiter,
    address,
    atomic_add_relaxed,
    atomic_relaxed,
    atomic_release,
    b8,
    field,
    function,
    i32,
    i64,
    pause,
    pointer,
    stack,
)
from tscript.dialect.linkage import FRAMED, c_signature, exported, internal
from tscript.runtime.boundary.native.python_api import (
    PyEval_SaveThread,
    PyGILState_Check,
    PyGILState_Ensure,
    PyGILState_Release,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_start_new_thread,
)
from tscript.runtime.boundary.pool.futures import DEPTH, DONE, PYTHON, RAISED, begin, release
from tscript.runtime.boundary.pool.imports import (
    current_thread,
    debug_release,
    debug_retain,
    observer,
    task_enter,
    task_leave,
    task_variant,
)
from tscript.runtime.boundary.pool.python_tasks import UNLOCKED, run_python
from tscript.runtime.boundary.pool.queue import (
    GENERATION,
    HEAD,
    IDLE,
    LIMIT,
    SEARCHING,
    THREADS,
    UNFINISHED,
    claim,
    lacks_thread,
    lock,
    put,
    unlock,
)
from tscript.runtime.boundary.pool.task_errors import keep_exception, keep_record

SPINS = 300
"""How often a thread looks for work, or for the end of the task it waits for, before it sleeps: a few microseconds."""
NOT_STARTED = -1
LOCKED = 0
"""CPython's ``PyGILState_LOCKED``: the thread held the GIL before."""

TASK = c_signature(i32, Ptr[Context], Ptr[Future])

VARIABLES = ()


# ---- tasks


@internal(FRAMED)
def run(future: Ptr[Future], depth: i64, state: Ptr[Void]) -> Ptr[Void]:
    """Run a claimed task and give its reference back; the thread state that the caller has afterwards.

    Args:
        depth: Of calls that the task may make inside each other.
        state: The caller's.
    """
    context = stack(1, Context)
    begin(context, depth, state)
    # The task has debug info of its own, and what it leaves open is closed when it ends.
    thread = current_thread()
    context.observer = observer()
    outer = thread.debug_info
    info = future.debug_info
    thread.debug_info = info
    opened = thread.open
    guard = thread.guard
    choose_variant(future)
    record = pointer(0, Record)
    if address(future.site) != 0:
        record = task_enter(future.site)
    held = PyGILState_Check()
    status = TASK(future.run, context, future)
    future.status = i64(status)
    after = settle(context, future, state, status, held)
    task_leave(record, opened, guard, i64(status != 0))
    thread.debug_info = outer
    debug_release(info)
    finish(future)
    release(future)
    return after


def choose_variant(future: Ptr[Future]) -> None:
    """Of a call forked from Python: run its observed variant where somebody watches this thread."""
    unit = future.unit
    if address(unit) != 0:
        plain = future.code
        chosen = task_variant(unit, plain)
        future.code = chosen
        if chosen != plain:
            future.site = unit.site


def settle(context: Ptr[Context], future: Ptr[Future], state: Ptr[Void], status: i32, held: i32) -> Ptr[Void]:
    """Keep how a task failed, and give away the GIL that it came to; the thread state of the caller from then on.

    Args:
        state: The caller's, before.
        held: Whether the thread had the GIL before.
    """
    if status == PYTHON:
        keep_exception(future)
        return give_gil(state)
    after = context.thread_state
    if status == RAISED:
        keep_record(context, future)
    # A Python exception that was caught left the GIL with the task.
    if PyGILState_Check() > held:
        return give_gil(state)
    return after


def give_gil(state: Ptr[Void]) -> Ptr[Void]:
    """Give the GIL away; the state to take it with again, or null: the thread had none."""
    if address(state) != 0:
        return PyEval_SaveThread()
    PyGILState_Release(UNLOCKED)
    return pointer(0, Void)


def finish(future: Ptr[Future]) -> None:
    """Mark a task done, and wake those that wait for it."""
    lock()
    # In a process that was forked off inside the task, those that wait and those that count stayed behind.
    if future.generation == GENERATION[0]:
        UNFINISHED[0] -= 1
        waiter = future.waiters
        while address(waiter) != 0:
            # It lies on the stack of a thread that goes on when it is woken and has had the pool's lock.
            following = waiter.next
            PyThread_release_lock(waiter.lock)
            waiter = following
    future.waiters = pointer(0, Waiter)
    atomic_release(field(future, "state"), DONE)
    unlock()


# ---- threads


@exported(FORK)
def fork_future(context: Ptr[Context], future: Ptr[Future]) -> i32:
    """Put a future into the queue, and wake or start a thread for it; 0."""
    atomic_add_relaxed(field(future, "refcount"), 1)
    future.debug_info = debug_retain(current_thread().debug_info)
    lock()
    put(future)
    starts = lacks_thread(LIMIT[0])
    unlock()
    if starts:
        start_thread()
    return 0


def start_thread() -> b8:
    """Start a thread that is counted already. False: there is none, nor any other."""
    if PyThread_start_new_thread(function(worker), pointer(0, Void)) != NOT_STARTED:
        return True
    lock()
    THREADS[0] -= 1
    has_others = THREADS[0] > 0
    unlock()
    return has_others


@internal(FRAMED)
def worker(ignored: Ptr[Void]) -> None:
    """What a thread of the pool runs."""
    me = stack(1, Waiter)
    me.lock = PyThread_allocate_lock()
    knows_python = False
    lock()
    if address(me.lock) != 0:
        PyThread_acquire_lock(me.lock, 1)
        knows_python = serve(me)
    THREADS[0] -= 1
    unlock()
    if address(me.lock) != 0:
        PyThread_release_lock(me.lock)
        PyThread_free_lock(me.lock)
    if knows_python:
        forget_python()


@internal(FRAMED)
def serve(me: Ptr[Waiter]) -> b8:
    """Run tasks until there are more threads than there shall be; with the lock, which it gives up meanwhile.

    Returns:
        Whether the interpreter knows the thread.
    """
    knows_python = False
    is_tired = False
    while True:
        future = HEAD[0]
        if address(future) != 0:
            claim(future)
            unlock()
            if future.run == function(run_python) and not knows_python:
                meet_python()
                knows_python = True
            run(future, DEPTH, pointer(0, Void))
            lock()
            is_tired = False
        elif THREADS[0] > LIMIT[0]:
            return knows_python
        elif is_tired:
            sleep_idle(me)
            is_tired = False
        else:
            search()
            is_tired = True


def sleep_idle(me: Ptr[Waiter]) -> None:
    """Sleep until there is work."""
    me.next = IDLE[0]
    IDLE[0] = me
    unlock()
    PyThread_acquire_lock(me.lock, 1)
    lock()


def search() -> None:
    """Look for work for a while, without the lock."""
    SEARCHING[0] += 1
    unlock()
    spins = 0
    while address(atomic_relaxed(HEAD)) == 0 and spins < SPINS:
        pause()
        spins = spins + 1
    lock()
    SEARCHING[0] -= 1


def meet_python() -> None:
    """Keep the state that the interpreter has of this thread from its first Python task on."""
    PyGILState_Ensure()
    PyEval_SaveThread()


def forget_python() -> None:
    """The end of what `meet_python` began."""
    PyGILState_Ensure()
    PyGILState_Release(LOCKED)
    PyGILState_Release(UNLOCKED)


FUNCTIONS = (fork_future,)
