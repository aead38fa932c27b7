"""States of threads: what a thread knows of operator callbacks, and where its stack ends.

A state is found by a key of the platform's threads. States are never freed: the destructor of the key marks a state as
free, and the next new thread takes it over.
"""

from __future__ import annotations

import sys

from tscript.abi.layout import NO_STACK, SCOPES, THREAD
from tscript.abi.record import KERNELS, NEVER
from tscript.dialect import (
    Context,
    Ptr,
    Record,
    Registry,
    ThreadState,
    Void,
    address,
    atomic_acquire,
    atomic_add,
    atomic_cas,
    atomic_release,
    frame_address,
    i32,
    i64,
    pointer,
    select,
    stack,
    unsigned_less,
    unsigned_shr,
)
from tscript.dialect.linkage import (
    ALWAYS_INLINE,
    COLD,
    NOINLINE,
    c_function,
    c_signature,
    exported,
    internal,
    variable,
)

LEAST_MARGIN = 16 << 10
MOST_MARGIN = 256 << 10
MARGIN_SHIFT = 2
"""Stack that functions of unknown depth leave, in bytes: a quarter, within these bounds. It is for all that they call
and that does not look: kernels, BLAS, Python."""

THREAD_BYTES = THREAD.size
UNKNOWN_STACK = NO_STACK
WHOLE = (1 << 63) - 1

THREAD_KEY = variable("tsb_thread_key", i64, exported=True)
"""The platform's key of the states."""
REGISTRY = variable("tsb_registry", Ptr[Registry], exported=True)
RECORD_KERNELS = variable("tsb_record_kernels", Ptr[Void], len(KERNELS), exported=True)
NOBODY = variable("no_thread", ThreadState, initial=b"".join(NEVER.to_bytes(8, "little") for _ in range(SCOPES)))
"""A state that is never observed: nothing is ever due."""

VARIABLES = (THREAD_KEY, REGISTRY, RECORD_KERNELS, NOBODY)

_GET, _SET = (
    ("TlsGetValue", "TlsSetValue") if sys.platform == "win32" else ("pthread_getspecific", "pthread_setspecific")
)
get_state = c_function(_GET, Ptr[ThreadState], i64)
set_state = c_function(_SET, i32, i64, Ptr[ThreadState])
thread_ident = c_function("PyThread_get_thread_ident", i64)
raw_calloc = c_function("PyMem_RawCalloc", Ptr[ThreadState], i64, i64)
refresh = c_signature(i32, Ptr[Context], Ptr[ThreadState])
"""The kernel that makes the list of a thread's active callbacks anew."""


@exported("ts_thread_v1")
def current_thread() -> Ptr[ThreadState]:
    """The state of the calling thread; never null."""
    found = get_state(THREAD_KEY[0])
    if address(found) == 0:
        return new_thread()
    return found


@internal(NOINLINE, COLD)
def new_thread() -> Ptr[ThreadState]:
    """A state for the calling thread: one that is free, or a new one."""
    t = free_state()
    if address(t) == 0:
        t = raw_calloc(THREAD_BYTES, 1)
        if address(t) == 0:
            # All threads without memory share it, and nothing observes them.
            NOBODY.disabled = 1
            return NOBODY
        enlist(t)
    t.id = thread_ident()
    t.debug_info = 0
    t.disabled = 0
    t.stack = 0
    t.heap = 0
    # No generation is this one: the list of active callbacks is made anew.
    t.generation = -1
    set_state(THREAD_KEY[0], t)
    return t


def free_state() -> Ptr[ThreadState]:
    """A state that no thread has, which is the caller's now; or null."""
    t = pointer(atomic_acquire(REGISTRY[0].threads), ThreadState)
    while address(t) != 0:
        if atomic_cas(t.alive, 0, 1):
            return t
        t = t.next
    return t


def enlist(t: Ptr[ThreadState]) -> None:
    """Number a new state, and put it before all others."""
    registry = REGISTRY[0]
    t.number = atomic_add(registry.seed + 1, 1) + 1
    t.random = (registry.seed[0] ^ (t.number * -7046029254386353131)) | 1
    t.alive[0] = 1
    newest = atomic_acquire(registry.threads)
    t.next = pointer(newest, ThreadState)
    while not atomic_cas(registry.threads, newest, address(t)):
        newest = atomic_acquire(registry.threads)
        t.next = pointer(newest, ThreadState)


def leave_state(t: Ptr[ThreadState]) -> None:
    """A thread ends: callbacks of it alone end with it, and another one may have its state."""
    t.epoch = t.epoch + 1
    t.guard = 0
    t.open = pointer(0, Record)
    atomic_release(t.alive, 0)


@internal(ALWAYS_INLINE)
def refreshed(t: Ptr[ThreadState]) -> None:
    """Bring the list of active callbacks up to date with the registry."""
    if atomic_acquire(REGISTRY[0].generation) != t.generation:
        kernel = RECORD_KERNELS[0]
        if address(kernel) != 0:
            refresh(kernel, pointer(0, Context), t)


@exported("ts_observer_v1")
def observer() -> Ptr[ThreadState]:
    """What counts the events of observed code that begins now.

    It is the state of the calling thread, up to date with the registry, or one that counts nothing: a callback that
    waits for a task may find itself here.
    """
    t = current_thread()
    if (t.guard | t.disabled) != 0:
        return NOBODY
    refreshed(t)
    return t


@internal(ALWAYS_INLINE)
def watcher() -> Ptr[ThreadState]:
    """A thread state that shall observe now, or null. While a callback runs, the list it is called from stays as it
    is."""
    t = current_thread()
    if (t.guard | t.disabled) != 0:
        return pointer(0, ThreadState)
    refreshed(t)
    return select(t.count == 0, pointer(0, ThreadState), t)


@internal(NOINLINE, COLD)
def stack_limit() -> i64:
    """Where the stack of the calling thread ends, for functions of unknown depth: it grows down to there."""
    t = current_thread()
    if t.stack != 0:
        return t.stack
    bounds = stack(2, i64)
    bounds[0] = 0
    bounds[1] = 0
    stack_bounds(bounds)
    part = unsigned_shr(bounds[1], MARGIN_SHIFT)
    small = select(unsigned_less(part, MOST_MARGIN), part, MOST_MARGIN)
    limit = bounds[0] + select(unsigned_less(small, LEAST_MARGIN), LEAST_MARGIN, small)
    # A state that threads share knows nothing of one.
    if t != NOBODY:
        t.stack = limit
    return limit


@exported("ts_stack_limit_v1", NOINLINE)
def is_low(context: Ptr[Context], end: i64) -> i32:
    """1: a function whose frame ends at `end`, or the caller if it is above, has no room left.

    The limit is in the context from now on.
    """
    own = frame_address()
    at = select(unsigned_less(own, end), own, end)
    limit = context.stack
    if limit == UNKNOWN_STACK:
        limit = stack_limit()
        context.stack = limit
    return i32(unsigned_less(at, limit))


@exported("ts_stack_left_v1", NOINLINE)
def stack_left() -> i64:
    """Bytes of stack that are left above the margin; negative within it."""
    # Before threads have states, the key of theirs is anybody's.
    if address(REGISTRY[0]) == 0:
        return WHOLE
    return frame_address() - stack_limit()


pthread_self = c_function("pthread_self", Ptr[Void])
pthread_getattr_np = c_function("pthread_getattr_np", i32, Ptr[Void], Ptr[Void])
pthread_attr_getstack = c_function("pthread_attr_getstack", i32, Ptr[Void], Ptr[i64], Ptr[i64])
pthread_attr_getguardsize = c_function("pthread_attr_getguardsize", i32, Ptr[Void], Ptr[i64])
pthread_attr_destroy = c_function("pthread_attr_destroy", i32, Ptr[Void])
pthread_get_stackaddr_np = c_function("pthread_get_stackaddr_np", i64, Ptr[Void])
pthread_get_stacksize_np = c_function("pthread_get_stacksize_np", i64, Ptr[Void])

ATTRIBUTES = 256
"""Room for a pthread_attr_t."""


@internal(NOINLINE, COLD)
def posix_bounds(bounds: Ptr[i64]) -> None:
    """Lowest address and size of the stack of the calling thread, without its guard."""
    attributes = stack(ATTRIBUTES, Void)
    guard = stack(1, i64)
    guard[0] = 0
    if pthread_getattr_np(pthread_self(), attributes) == 0:
        pthread_attr_getstack(attributes, bounds, bounds + 1)
        pthread_attr_getguardsize(attributes, guard)
        pthread_attr_destroy(attributes)
        bounds[0] = bounds[0] + guard[0]


@internal(NOINLINE, COLD)
def darwin_bounds(bounds: Ptr[i64]) -> None:
    """The same, by macOS's functions."""
    size = pthread_get_stacksize_np(pthread_self())
    bounds[0] = pthread_get_stackaddr_np(pthread_self()) - size
    bounds[1] = size


def no_bounds(bounds: Ptr[i64]) -> None:
    """Where nobody says: only the depth of calls is limited."""


stack_bounds = {"linux": posix_bounds, "darwin": darwin_bounds}.get(sys.platform, no_bounds)

FUNCTIONS = (current_thread, observer, is_low, stack_left)
