"""The native heap: how an object that is no tensor ends, the heaps of threads, nobody at work on what they share while
the process is copied, and memory that the system may take."""

from __future__ import annotations

import sys
from typing import Final

from tscript.abi.layout import HEAP_SLOT_SHIFT, HEAP_SLOTS, OWN_HEAP_BYTES
from tscript.dialect import (
    Heap,
    Object,
    Ptr,
    ThreadState,
    Void,
    address,
    atomic_acquire,
    atomic_cas,
    atomic_load,
    atomic_relaxed,
    atomic_release,
    atomic_store,
    atomic_store_relaxed,
    field,
    i32,
    i64,
    pause,
    pointer,
    thread_number,
)
from tscript.dialect.linkage import COLD, FRAMED, NOINLINE, c_function, c_signature, exported, internal, variable
from tscript.runtime.boundary.native.python_api import Py_IsInitialized
from tscript.runtime.boundary.native.thread import (
    NOBODY,
    THREAD_KEY,
    current_thread,
    get_state,
    leave_state,
    raw_calloc,
)

MOST_LOOKS = 1 << 30
"""How often a thread that copies the process looks whether all caches are at rest: for about a second."""

HEAP = variable("tsb_heap", Ptr[Heap], exported=True)
VARIABLES = (HEAP,)

LINE_BYTES = 64
"""Of the processor's cache."""

DROP = c_signature(None, Ptr[Object])
"""``TypeInfo.drop``."""


@exported("ts_drop_object_v1", FRAMED)
def drop_object(o: Ptr[Object]) -> None:
    """The last reference of a heap object that is no tensor is gone."""
    DROP(o.typeinfo.drop, o)


# ---- heaps of threads


@exported("ts_thread_heap_v1")
def thread_heap() -> i64:
    """The address of the heap of the calling thread; 0 when there is no memory for one."""
    t = get_state(THREAD_KEY[0])
    if address(t) != 0:
        if t.heap != 0:
            return t.heap
    return give_heap()


@internal(NOINLINE, COLD)
def keep_first_heap() -> None:
    """Before others may be at work for the first time: the first heap stays with this thread."""
    if address(HEAP[0]) != 0:
        thread_heap()


@internal(NOINLINE, COLD)
def give_heap() -> i64:
    """Let the calling thread have a heap that no thread has, or a new one; its address, or 0."""
    t = current_thread()
    if t == NOBODY:
        return 0
    heap = free_heap()
    if address(heap) == 0:
        heap = new_heap()
        if address(heap) == 0:
            return 0
    number = thread_number()
    atomic_store_relaxed(field(heap, "thread"), number)
    t.heap = address(heap)
    # A slot stays with whom it has, as long as that thread runs.
    slot = HEAP[0].slots + ((number >> HEAP_SLOT_SHIFT) & (HEAP_SLOTS - 1))
    other = pointer(atomic_relaxed(slot), Heap)
    if address(other) != 0:
        if atomic_relaxed(field(other, "thread")) != 0:
            return address(heap)
    atomic_store_relaxed(slot, address(heap))
    return address(heap)


def free_heap() -> Ptr[Heap]:
    """A heap that no thread has, which is the caller's now; or null."""
    heap = HEAP[0]
    while address(heap) != 0:
        if atomic_relaxed(field(heap, "taken")) == 0:
            if atomic_cas(field(heap, "taken"), 0, 1):
                return heap
        heap = pointer(atomic_acquire(field(heap, "next")), Heap)
    return heap


def new_heap() -> Ptr[Heap]:
    """A heap behind the first one; null when there is no memory left. Heaps stay."""
    raw = address(raw_calloc(OWN_HEAP_BYTES + LINE_BYTES, 1))
    if raw == 0:
        return pointer(0, Heap)
    heap = pointer((raw + LINE_BYTES - 1) & -LINE_BYTES, Heap)
    heap.taken = 1
    newest = atomic_acquire(field(HEAP[0], "next"))
    heap.next = newest
    while not atomic_cas(field(HEAP[0], "next"), newest, address(heap)):
        newest = atomic_acquire(field(HEAP[0], "next"))
        heap.next = newest
    return heap


@exported("tsb_thread_exit")
def thread_exit(t: Ptr[ThreadState]) -> None:
    """The destructor of the key of states: nobody has the state now, and nobody the heap."""
    if t.heap != 0:
        heap = pointer(t.heap, Heap)
        t.heap = 0
        atomic_store_relaxed(field(heap, "thread"), 0)
        atomic_release(field(heap, "taken"), 0)
    leave_state(t)


sched_yield = c_function("SwitchToThread" if sys.platform == "win32" else "sched_yield", i32)


@exported("ts_let_run_v1", COLD)
def let_run() -> None:
    """Give the processor to another thread."""
    sched_yield()


# ---- copies of the process


@exported("tsb_hold_heap")
def hold_heap() -> None:
    """Before the process is copied: from now on nobody changes the heap, or a cache.

    Who is at work on a cache for too long may wait for the GIL.
    """
    heap = HEAP[0]
    atomic_store(field(heap, "copying"), 1)
    looks = 0
    while atomic_load(field(heap, "caches")) != 0 and looks < MOST_LOOKS:
        looks = looks + 1
    while not atomic_cas(field(heap, "lock"), 0, 1):
        pause()


@exported("tsb_let_heap_go")
def let_heap_go() -> None:
    """After that, in both processes."""
    heap = HEAP[0]
    atomic_release(field(heap, "lock"), 0)
    atomic_release(field(heap, "copying"), 0)


@exported("tsb_heap_in_child")
def heap_in_child() -> None:
    """The child has no other threads; what they were at work on, nobody has for ever. Another one may get the number of
    one of them."""
    own = 0
    t = get_state(THREAD_KEY[0])
    if address(t) != 0:
        own = t.heap
    for i in range(HEAP_SLOTS):
        HEAP[0].slots[i] = 0
    heap = HEAP[0]
    while address(heap) != 0:
        if address(heap) != own:
            heap.thread = 0
        heap = pointer(heap.next, Heap)
    let_heap_go()


# ---- memory for the system


madvise = c_function("madvise", i32, i64, i64, i32)

ON_LINUX: Final = int(sys.platform == "linux")

DONT_NEED = 4
"""MADV_DONTNEED: pages are zero when they are used again."""


@exported("ts_discard_v1")
def discard(at: i64, nbytes: i64) -> None:
    """The system may take memory whose contents are not needed any more."""
    if ON_LINUX != 0:
        madvise(at, nbytes, i32(DONT_NEED))


HUGE_PAGES = 14
"""MADV_HUGEPAGE: few large pages in place of many."""

SYSTEM_PAGE = 4096
"""Bytes; where pages are larger, advice for less than one is refused, and nothing is lost."""


@exported("ts_huge_pages_v1")
def huge_pages(at: i64, nbytes: i64) -> None:
    """Memory that is about to be used for the first time had better come in large pages, if the system has them."""
    if ON_LINUX != 0:
        begin = (at + SYSTEM_PAGE - 1) & -SYSTEM_PAGE
        madvise(begin, ((at + nbytes) & -SYSTEM_PAGE) - begin, i32(HUGE_PAGES))


add_pending_call = c_function("Py_AddPendingCall", i32, Ptr[Void], i64)


@exported("ts_ask_for_decay_v1")
def ask_for_decay() -> None:
    """The main thread calls the hook of the heap soon, with the GIL. Without it, and without room, later ones ask."""
    heap = HEAP[0]
    if Py_IsInitialized() == 0 or add_pending_call(heap.hook, 0) != 0:
        heap.decays = 0


FUNCTIONS = (
    *(drop_object, thread_heap, thread_exit, let_run, hold_heap, let_heap_go, heap_in_child),
    *(discard, huge_pages, ask_for_decay),
)
