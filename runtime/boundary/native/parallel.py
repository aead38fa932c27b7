"""Loops divided among threads.

``ts_parallel_v1(context, run, task, n, grain)`` calls ``run(context, task, begin, end)`` for ranges that make up 0 to
n, each with a context of the thread that it runs on, and returns when all are done: 0, or the status of the first range
that failed, as if one thread had gone through all of them. The caller takes part; the others are *workers*. They are
started when there is something for them to do, look for more of it for a while, then sleep.

The ranges, or chunks, are numbered, and each thread has a *share* of neighbouring ones: the same of each loop of the
same length, so that what one loop wrote is in the cache of the thread that reads it in the next. It takes them from
the front, by adding to a word that has the number of the job, too; who has done his share takes chunks from the ends
of others. So nobody takes a chunk of another job than he has read, and the caller waits only for chunks that somebody
has taken: a worker that the system does not let run holds up nobody. One loop is divided at a time. Others that come
meanwhile, from other threads or from inside a chunk, run on their own thread.

Where the system has no processor to spare, dividing costs more than it gives. The caller compares how long the loop
took with how long it would have taken him alone, by his own chunks; after a loop that lost, some of the next are not
divided, and more of them each time, but none for longer than a tenth of a second. Until one wins again, workers hardly
look for more before they sleep. A worker may come too late, or be woken on the caller's own processor, leave a short
loop to him and wait until the system moves it: that loses little, so it takes several of them in a row, and less is
skipped.

The caller may hold the GIL: then chunks do not need it. A loop whose chunks may call Python is called without.
"""

from __future__ import annotations

from tscript.abi.exceptions import number_of
from tscript.dialect import (
    Context,
    Ptr,
    Site,
    Void,
    address,
    atomic_acquire,
    atomic_add,
    atomic_cas,
    atomic_load,
    atomic_relaxed,
    atomic_release,
    atomic_store,
    atomic_store_relaxed,
    b8,
    counter,
    function,
    i32,
    i64,
    pause,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
)
from tscript.dialect.linkage import COLD, FRAMED, NOINLINE, c_signature, exported, internal, variable
from tscript.runtime.boundary.native.failures import PYTHON, RAISED
from tscript.runtime.boundary.native.gil import let_go, let_others_run, release_gil, safepoint
from tscript.runtime.boundary.native.parallel_errors import FAILED_AT, NONE_FAILED, collect, give_gil, keep
from tscript.runtime.boundary.native.parallel_state import (
    ASLEEP,
    BITS,
    BUSY,
    CANCELLED,
    CONTEXTS,
    COUNT_CELL,
    CROWDED,
    DEPTH_CELL,
    GENERATION,
    JOB,
    LINE,
    LOW,
    MEMBERS_CELL,
    MOST_WORKERS,
    NUMBER,
    PROCESSOR_CELL,
    RANGES,
    REMAINING,
    RUN_CELL,
    SHORT_CELL,
    SIGNALLED,
    SIZE_CELL,
    TASK_CELL,
    THREADS,
    WAITING,
    WORKERS,
    let_run,
    processor,
)
from tscript.runtime.boundary.native.python_api import (
    PyErr_GivenExceptionMatches,
    PyErr_Occurred,
    PyExc_KeyboardInterrupt,
    PyThread_acquire_lock,
    PyThread_acquire_lock_timed,
    PyThread_allocate_lock,
    PyThread_release_lock,
    PyThread_start_new_thread,
)
from tscript.runtime.boundary.native.thread import UNKNOWN_STACK, observer

LONG = 16
"""Grains above which work lets other threads of Python run in any case: one may come meanwhile."""
PER_THREAD = 8
"""Chunks for each thread: so that one which started late, or was stopped for a while, leaves work to the others."""
PER_GRAIN = 4
"""Chunks of a grain, at most."""
ALIGNED = 1024
"""Elements from which chunks end where lines of the cache do."""
LINE_ELEMENTS = 64
LINE_BYTES = 8 * LINE
SPINS = 400
"""How often a thread looks for a job, or for the end of the last chunk, before it sleeps, where dividing loses: some
ten microseconds."""
MOST_SPINS = 4000
SPIN_TIME = 150_000
"""How often, and how many ticks of the clock, where it does not: some fifty microseconds."""
LONGEST = 300_000_000
"""Ticks of the clock, about a tenth of a second, for which loops are not divided at most: a short disturbance must not
cost seconds where they are long."""
TRIES = 4
"""Loops in a row that all workers may come too late to: the one that was woken for a loop is there for the next."""
FEW = 7
"""Loops that are not divided after one more of these, at most: it cost little."""
MOST_YIELDS = 1000
YIELD_TIME = 30_000_000
"""How often, and for how many ticks of the clock, about ten milliseconds, a worker on the processor of the caller waits
for another one, and lets the caller run meanwhile."""
SHORT = 64
"""Grains of a loop that a worker leaves to the caller where both have one processor."""
LOOK = 50_000
"""Microseconds between two looks at signals while a thread of Python waits."""
FOR_EVER = -1
NOT_STARTED = -1
ACQUIRED = 1
"""CPython's ``PY_LOCK_ACQUIRED``."""
BEFORE_ALL = -1
RUNTIME_ERROR = number_of("RuntimeError")

LOST = "this process was forked off inside a loop that runs on several threads, which stayed behind"

RUN = c_signature(i32, Ptr[Context], Ptr[Void], i64, i64)

LOCKS = variable("parallel_locks", Ptr[Void], MOST_WORKERS)
"""What each worker sleeps on; null where there never was one."""
BELL = variable("parallel_bell", Ptr[Void])
"""What the caller sleeps on."""
LOST_SITE = variable("parallel_lost_site", Site)
PENALTY = variable("parallel_penalty", i64, LINE)
"""How many loops are not divided after the next one that loses. Written by whom has `BUSY`, like `SKIPPED`."""
SKIPPED = variable("parallel_skipped", i64)
"""How many of the next loops are not divided."""
UNTIL = variable("parallel_until", i64)
"""From when on they are, nevertheless."""
LATE = variable("parallel_late", i64)
"""Loops in a row that all workers came too late to."""
MOST_PENALTY = variable("tsb_parallel_most_penalty", i64, exported=True, initial=(63).to_bytes(8, "little"))
"""The largest penalty."""
VARIABLES = (LOCKS, BELL, LOST_SITE, PENALTY, SKIPPED, UNTIL, LATE, MOST_PENALTY)


@exported("ts_parallel_v1", FRAMED)
def parallel(context: Ptr[Context], run: Ptr[Void], task: Ptr[Void], n: i64, grain: i64) -> i32:
    """Call ``run(context, task, begin, end)`` for ranges that make up 0 to `n`, on several threads if that pays; the
    status.

    Lets other threads of Python run meanwhile if there are any.

    Args:
        run: An address.
        task: What it gets.
        n: How many items there are.
        grain: How many of them take some ten microseconds; at least 1.
    """
    if n > grain * LONG:
        release_gil(context)
    else:
        let_others_run(context)
    threads = atomic_relaxed(THREADS)
    chunks = n // grain
    if (threads > 1) & (chunks > 1):
        if atomic_cas(BUSY, 0, 1):
            if (SKIPPED[0] > 0) & (UNTIL[0] - counter() > 0):
                SKIPPED[0] -= 1
            elif begin_workers(select(threads < chunks, threads, chunks) - 1):
                return divide(context, run, task, n, grain, select(threads < chunks, threads, chunks))
            atomic_release(BUSY, 0)
    return RUN(run, context, task, 0, n)


@internal(FRAMED, NOINLINE)
def divide(context: Ptr[Context], run: Ptr[Void], task: Ptr[Void], n: i64, grain: i64, threads: i64) -> i32:
    """Run a loop on several threads; by whom has `BUSY`, which ends."""
    generation = GENERATION[0]
    was_released = address(context.thread_state) != 0
    most = threads * PER_THREAD
    least = (grain + PER_GRAIN - 1) // PER_GRAIN
    size = (n + most - 1) // most
    size = select(size < least, least, size)
    if size >= ALIGNED:
        size = (size + LINE_ELEMENTS - 1) & -LINE_ELEMENTS
    FAILED_AT[0] = NONE_FAILED
    atomic_store_relaxed(SIGNALLED, 0)
    start = counter()
    publish(run, task, n, size, threads, context.depth, n < grain * SHORT)
    wake_workers(threads - 1)
    own = take_chunks(context, 0)
    middle = counter()
    if GENERATION[0] != generation:
        return lost(context)
    if was_released & (address(context.thread_state) == 0):
        let_go(context)
    await_chunks(context)
    judge(start, middle, counter(), own, (n + size - 1) // size)
    status = collect(context)
    atomic_store_relaxed(CANCELLED, 0)
    atomic_release(BUSY, 0)
    return status


def judge(start: i64, middle: i64, now: i64, own: i64, chunks: i64) -> None:
    """See whether it paid to divide a loop.

    Args:
        start: When it began.
        middle: Until when the caller worked on it.
        now: When it was done.
        own: How many of its chunks he did.

    Where there is no clock, it did. Losses of up to a quarter change nothing: what is in the cache of one thread only
    makes loops of networks lose now and then.
    """
    whole = now - start
    alone = middle - start
    is_crowded = atomic_relaxed(CROWDED) == atomic_relaxed(NUMBER) + 1
    if ((own * whole < alone * chunks) & (not is_crowded)) | (whole == 0):
        atomic_store_relaxed(PENALTY, PENALTY[0] >> 1)
        LATE[0] = 0
    elif own == chunks:
        judge_late(now)
    elif (4 * own * whole > 5 * alone * chunks) | is_crowded:
        most = MOST_PENALTY[0]
        penalty = select(PENALTY[0] < most, 2 * PENALTY[0] + 1, most)
        atomic_store_relaxed(PENALTY, penalty)
        SKIPPED[0] = penalty
        UNTIL[0] = now + LONGEST


def judge_late(now: i64) -> None:
    """See what follows from a loop that all workers came too late to. It lost little: who is awake looks for more."""
    if PENALTY[0] == 0:
        LATE[0] += 1
        if LATE[0] >= TRIES:
            atomic_store_relaxed(PENALTY, select(MOST_PENALTY[0] < FEW, MOST_PENALTY[0], i64(FEW)))
            SKIPPED[0] = PENALTY[0]
            UNTIL[0] = now + LONGEST
    elif UNTIL[0] - now > 0:
        SKIPPED[0] = select(PENALTY[0] < FEW, PENALTY[0], i64(FEW))
    else:
        atomic_store_relaxed(PENALTY, 0)
        LATE[0] = 0


@internal(NOINLINE, COLD)
def lost(context: Ptr[Context]) -> i32:
    """Raise: the workers have stayed with the parent."""
    site = LOST_SITE
    site.file = text("<tscript>")
    site.function = text("parallel")
    site.exception = text("RuntimeError")
    site.number = RUNTIME_ERROR
    site.message = text(LOST)
    site.line = 1
    context.ntrace = 1
    context.nargs = 0
    context.trace[0] = site
    return RAISED


def publish(run: Ptr[Void], task: Ptr[Void], n: i64, size: i64, threads: i64, depth: i64, is_short: b8) -> None:
    """Offer the chunks of a loop to all threads."""
    chunks = (n + size - 1) // size
    number = (atomic_relaxed(NUMBER) + 1) & ((1 << 31) - 1)
    # Nobody can take a chunk now. Who sees one of the new job sees all that is stored before.
    atomic_release(JOB + RUN_CELL, address(run))
    atomic_release(JOB + TASK_CELL, address(task))
    atomic_release(JOB + COUNT_CELL, n)
    atomic_release(JOB + SIZE_CELL, size)
    atomic_release(JOB + MEMBERS_CELL, threads)
    atomic_release(JOB + DEPTH_CELL, depth)
    atomic_release(JOB + PROCESSOR_CELL, processor())
    atomic_release(JOB + SHORT_CELL, i64(is_short))
    atomic_release(REMAINING, chunks)
    for member in range(threads):
        first = chunks * member // threads
        end = chunks * (member + 1) // threads
        atomic_release(RANGES + member * LINE, share(number, first, end))
    atomic_store(NUMBER, number)


# ---- chunks


def share(number: i64, first: i64, end: i64) -> i64:
    """A word of `RANGES`."""
    return (number << (2 * BITS)) | (first << BITS) | end


@internal(FRAMED)
def take_chunks(context: Ptr[Context], member: i64) -> i64:
    """Run chunks of the job until there is none left; how many it were.

    Args:
        member: 0 is the caller.
    """
    taken = 0
    tried = 0
    of = member
    while tried < atomic_relaxed(JOB + MEMBERS_CELL):
        at = take(of, member)
        if at < 0:
            tried = tried + 1
            of = of + 1
            if of >= atomic_relaxed(JOB + MEMBERS_CELL):
                of = 0
        else:
            run = atomic_relaxed(JOB + RUN_CELL)
            task = atomic_relaxed(JOB + TASK_CELL)
            n = atomic_relaxed(JOB + COUNT_CELL)
            size = atomic_relaxed(JOB + SIZE_CELL)
            begin = at * size
            end = select(begin + size < n, begin + size, n)
            if member != 0:
                context.depth = atomic_relaxed(JOB + DEPTH_CELL)
            status = RUN(pointer(run, Void), context, pointer(task, Void), begin, end)
            if status != 0:
                if member == 0 and is_interrupt(context, status):
                    end_all(context, status)
                else:
                    keep(context, at, status, member == 0)
                    leave_from(at)
            elif member != 0:
                # A Python exception that was caught left the GIL with the chunk.
                give_gil(context, False)
            taken = taken + 1
    if taken > 0:
        finish(taken)
    return taken


def take(of: i64, member: i64) -> i64:
    """Take the next chunk of one's own share, or the last one of another; -1: there is none.

    Args:
        of: Whose share.
        member: Who takes it.
    """
    while True:
        left = atomic_acquire(RANGES + of * LINE)
        at = (left >> BITS) & LOW
        end = left & LOW
        # The job has not ended since if the word is still the same below.
        if (at >= end) | (member >= atomic_relaxed(JOB + MEMBERS_CELL)):
            return -1
        if of == member:
            if atomic_cas(RANGES + of * LINE, left, left + (1 << BITS)):
                return at
        elif atomic_cas(RANGES + of * LINE, left, left - 1):
            return end - 1


def finish(chunks: i64) -> None:
    """So many chunks are done; whoever did the last one wakes the caller."""
    if atomic_add(REMAINING, -chunks) == chunks:
        if atomic_cas(WAITING, 1, 0):
            PyThread_release_lock(BELL[0])


@internal(NOINLINE, COLD)
def is_interrupt(context: Ptr[Context], status: i32) -> b8:
    """Whether a signal ended a chunk of the caller: at a safepoint, or in Python code that it called."""
    if atomic_relaxed(SIGNALLED) == address(context):
        return True
    if status != PYTHON:
        return False
    return PyErr_GivenExceptionMatches(PyErr_Occurred(), PyExc_KeyboardInterrupt[0]) != 0


@internal(NOINLINE, COLD)
def leave_from(chunk: i64) -> None:
    """Nobody begins a chunk of the job behind this one. By a thread that has not finished one."""
    for member in range(atomic_relaxed(JOB + MEMBERS_CELL)):
        is_left = True
        while is_left:
            left = atomic_acquire(RANGES + member * LINE)
            at = (left >> BITS) & LOW
            end = left & LOW
            kept = select(at > chunk, at, chunk)
            if end <= kept:
                is_left = False
            elif atomic_cas(RANGES + member * LINE, left, left - end + kept):
                finish(end - kept)
                is_left = False


# ---- the caller waits


def await_chunks(context: Ptr[Context]) -> None:
    """Return when all chunks are done."""
    begun = counter()
    spins = 0
    while is_early(spins, begun):
        if atomic_acquire(REMAINING) == 0:
            return
        pause()
        spins = spins + 1
    sleep(context)


def is_early(spins: i64, begun: i64) -> b8:
    """Whether it is worth while to look once more.

    Args:
        spins: How often was looked.
        begun: When that began.
    """
    if spins < SPINS:
        return True
    if (spins >= MOST_SPINS) | (atomic_relaxed(PENALTY) != 0):
        return False
    return counter() - begun < SPIN_TIME


@internal(NOINLINE)
def sleep(context: Ptr[Context]) -> None:
    """Sleep until all chunks are done, and look at signals meanwhile if the caller gave the GIL away."""
    while True:
        atomic_store(WAITING, 1)
        if atomic_load(REMAINING) == 0:
            take_back()
            return
        is_deaf = (address(context.thread_state) == 0) | (atomic_relaxed(CANCELLED) != 0)
        timeout = select(is_deaf, i64(FOR_EVER), i64(LOOK))
        if PyThread_acquire_lock_timed(BELL[0], timeout, 1) != ACQUIRED:
            take_back()
            if not is_deaf:
                look(context)
        if atomic_acquire(REMAINING) == 0:
            return


def take_back() -> None:
    """Be one who does not sleep: who wants to wake him already does it."""
    if not atomic_cas(WAITING, 1, 0):
        PyThread_acquire_lock(BELL[0], 1)


def look(context: Ptr[Context]) -> None:
    """Let signals in; if one raises, no chunk goes on."""
    status = safepoint(context)
    if status != 0:
        end_all(context, status)


@internal(NOINLINE, COLD)
def end_all(context: Ptr[Context], status: i32) -> None:
    """A signal raised on the thread of the caller: no chunk goes on."""
    keep(context, BEFORE_ALL, status, True)
    atomic_store(CANCELLED, 1)
    leave_from(0)


# ---- workers


def begin_workers(wanted: i64) -> b8:
    """See to it that there are so many workers; False: there is none. By whom has `BUSY`."""
    if WORKERS[0] < wanted:
        start_workers(wanted)
    return WORKERS[0] > 0


@internal(NOINLINE, COLD)
def start_workers(wanted: i64) -> None:
    """Start workers until there are so many, or no more can be had."""
    if address(BELL[0]) == 0:
        BELL[0] = new_lock()
        if address(BELL[0]) == 0:
            return
    number = WORKERS[0]
    while (number < wanted) & (number < MOST_WORKERS):
        if address(LOCKS[number]) == 0:
            LOCKS[number] = new_lock()
            if address(LOCKS[number]) == 0:
                return
        if PyThread_start_new_thread(function(work), pointer_cast(ASLEEP + number * LINE, Void)) == NOT_STARTED:
            return
        number = number + 1
        atomic_store_relaxed(WORKERS, number)


def new_lock() -> Ptr[Void]:
    """A lock that is held, or null."""
    made = PyThread_allocate_lock()
    if address(made) != 0:
        PyThread_acquire_lock(made, 1)
    return made


def wake_workers(count: i64) -> None:
    """Wake the first workers if they sleep."""
    for i in range(count):
        if i >= WORKERS[0]:
            return
        if atomic_load(ASLEEP + i * LINE) != 0:
            if atomic_cas(ASLEEP + i * LINE, 1, 0):
                PyThread_release_lock(LOCKS[i])


@internal(FRAMED)
def work(own: Ptr[Void]) -> None:
    """What a worker runs, for ever.

    Args:
        own: Its cell of `ASLEEP`.
    """
    asleep = pointer_cast(own, i64)
    member = (address(asleep) - address(ASLEEP)) // LINE_BYTES + 1
    context = stack(1, Context)
    context.thread_state = pointer(0, Void)
    context.ntrace = 0
    context.countdown = 0
    context.work = 0
    context.stack = UNKNOWN_STACK
    context.at = pointer(0, Site)
    context.observer = observer()
    atomic_release(CONTEXTS + (member - 1), address(context))
    while True:
        seen = atomic_acquire(NUMBER)
        is_alone = not is_crowded()
        if not is_alone:
            atomic_store_relaxed(CROWDED, seen + 1)
            is_alone = is_moved()
        if is_alone | (atomic_relaxed(JOB + SHORT_CELL) == 0):
            take_chunks(context, member)
        begun = counter()
        spins = select(is_alone, i64(0), i64(MOST_SPINS))
        while (atomic_relaxed(NUMBER) == seen) & is_early(spins, begun):
            pause()
            spins = spins + 1
        if atomic_relaxed(NUMBER) == seen:
            atomic_store(asleep, 1)
            is_wanted = atomic_load(NUMBER) != seen
            if is_wanted:
                is_wanted = atomic_cas(asleep, 1, 0)
            if not is_wanted:
                PyThread_acquire_lock(LOCKS[member - 1], 1)


def is_crowded() -> b8:
    """Whether this thread runs on the processor of the caller of the job."""
    here = processor()
    return (here >= 0) & (here == atomic_relaxed(JOB + PROCESSOR_CELL))


@internal(NOINLINE, COLD)
def is_moved() -> b8:
    """Wait until the system takes this thread to another processor than the caller's; whether it did.

    It does so only with threads that want to run, and never with one that sleeps again at once.
    """
    begun = counter()
    for _ in range(MOST_YIELDS):
        let_run()
        if not is_crowded():
            return True
        if counter() - begun > YIELD_TIME:
            return False
    return False


@exported("tsb_parallel_after_fork")
def after_fork_in_child() -> None:
    """The child has none of the workers."""
    for i in range(MOST_WORKERS + 1):
        atomic_store(RANGES + i * LINE, 0)
    WORKERS[0] = 0
    atomic_store_relaxed(PENALTY, 0)
    SKIPPED[0] = 0
    BELL[0] = pointer(0, Void)
    for i in range(MOST_WORKERS):
        LOCKS[i] = pointer(0, Void)
        atomic_store(ASLEEP + i * LINE, 0)
    atomic_store_relaxed(CANCELLED, 0)
    atomic_store(REMAINING, 0)
    atomic_store(WAITING, 0)
    GENERATION[0] += 1
    atomic_release(BUSY, 0)


FUNCTIONS = (parallel, after_fork_in_child)
