"""Tier 1: the heaps of threads.

Each thread has a heap of its own: pages (`memory_pages`) with blocks of up to 8 KiB, which it takes and gives back
without a lock. A block that another thread frees goes to a list of the heap that has its page (`Heap.returned`); the
owner looks there when a page is full. (Leijen, Zorn, de Moura, "Mimalloc: Free List Sharding in Action", 2019.)

The heap of a thread that has ended belongs to nobody. Who frees a block of it does so in its place, and a new thread
takes it over whole. In the child of a fork, heaps of threads that are gone stay as they are: one may have been at work.

What all threads share, larger blocks and empty pages, has a lock. It is part of the first heap, at ``ts_heap_v1``,
which is also that of the only thread until ``ts_concurrent_v1`` is set (before the first release of the GIL, and never
cleared).
"""

from __future__ import annotations

from typing import Final

from tscript.abi import layout
from tscript.dialect import (
    Heap,
    Intrinsic,
    Ptr,
    address,
    atomic_cas,
    atomic_relaxed,
    atomic_release,
    b8,
    field,
    likely,
    pause,
    pointer,
    symbol,
    thread_number,
    u8,
)
from tscript.dialect.machine import extern
from tscript.types import I64, NONE

SLOTS: Final = layout.HEAP_SLOTS

SLOT_SHIFT: Final = layout.HEAP_SLOT_SHIFT

LOOKS: Final = 64
"""How often a thread looks for a lock before it lets another one run."""


def only_heap() -> int:
    """What `thread_heap` means under CPython: there is one thread."""
    return address(symbol("ts_heap_v1", Heap))


def no_wait() -> None:
    """What `let_run` means under CPython."""


thread_heap = Intrinsic(extern("ts_thread_heap_v1", (), I64), only_heap)
"""The address of the heap of the calling thread, which may be a new one; 0 when there is no memory for it."""

let_run = Intrinsic(extern("ts_let_run_v1", (), NONE), no_wait)
"""Gives the processor to another thread."""


def is_concurrent() -> b8:
    """Whether more than one thread may run native code."""
    flag = symbol("ts_concurrent_v1", u8)
    return flag[0] != 0


def own_heap() -> Ptr[Heap]:
    """The heap of the calling thread; null if there is no memory for one."""
    shared = symbol("ts_heap_v1", Heap)
    if is_concurrent():
        number = thread_number()
        found = pointer(atomic_relaxed(shared.slots + ((number >> SLOT_SHIFT) & (SLOTS - 1))), Heap)
        if likely(number != 0 and address(found) != 0):
            if likely(found.thread == number):
                return found
        return pointer(thread_heap(), Heap)
    return shared


def take_heap(heap: Ptr[Heap]) -> b8:
    """Be at work on a heap that no thread has; False: one has it. `leave_heap` ends it."""
    if atomic_relaxed(field(heap, "taken")) != 0:
        return False
    return atomic_cas(field(heap, "taken"), 0, 1)


def leave_heap(heap: Ptr[Heap]) -> None:
    """The end of what `take_heap` began."""
    atomic_release(field(heap, "taken"), 0)


def heap_lock(heap: Ptr[Heap]) -> None:
    """Take the lock of what threads share; nothing to do while one thread runs native code."""
    if is_concurrent():
        lock = field(heap, "lock")
        looks = 0
        while not atomic_cas(lock, 0, 1):
            while atomic_relaxed(lock) != 0:
                pause()
                looks = looks + 1
                if looks & (LOOKS - 1) == 0:
                    let_run()


def heap_unlock(heap: Ptr[Heap]) -> None:
    """Give the lock back."""
    lock = field(heap, "lock")
    if lock[0] != 0:
        atomic_release(lock, 0)
