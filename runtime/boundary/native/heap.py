"""The native heap: how an object that is no tensor ends, nobody at work on it while the process is copied, and memory
that the system may take."""

from __future__ import annotations

import sys
from typing import Final

from tscript.dialect import (
    Heap,
    Object,
    Ptr,
    Void,
    atomic_cas,
    atomic_load,
    atomic_release,
    atomic_store,
    field,
    i32,
    i64,
)
from tscript.dialect.linkage import FRAMED, c_function, c_signature, exported, variable
from tscript.runtime.boundary.native.python_api import Py_IsInitialized

MOST_LOOKS = 1 << 30
"""How often a thread that copies the process looks whether all caches are at rest: for about a second."""

HEAP = variable("tsb_heap", Ptr[Heap], exported=True)
VARIABLES = (HEAP,)

DROP = c_signature(None, Ptr[Object])
"""``TypeInfo.drop``."""


@exported("ts_drop_object_v1", FRAMED)
def drop_object(o: Ptr[Object]) -> None:
    """The last reference of a heap object that is no tensor is gone."""
    DROP(o.typeinfo.drop, o)


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
        pass


@exported("tsb_free_heap")
def free_heap() -> None:
    """After that, in both processes."""
    heap = HEAP[0]
    atomic_release(field(heap, "lock"), 0)
    atomic_release(field(heap, "copying"), 0)


madvise = c_function("madvise", i32, i64, i64, i32)

ON_LINUX: Final = int(sys.platform == "linux")

DONT_NEED = 4
"""MADV_DONTNEED: pages are zero when they are used again."""


@exported("ts_discard_v1")
def discard(at: i64, nbytes: i64) -> None:
    """The system may take memory whose contents are not needed any more."""
    if ON_LINUX != 0:
        madvise(at, nbytes, i32(DONT_NEED))


add_pending_call = c_function("Py_AddPendingCall", i32, Ptr[Void], i64)


@exported("ts_ask_for_decay_v1")
def ask_for_decay() -> None:
    """The main thread calls the hook of the heap soon, with the GIL. Without it, and without room, later ones ask."""
    heap = HEAP[0]
    if Py_IsInitialized() == 0 or add_pending_call(heap.hook, 0) != 0:
        heap.decays = 0


FUNCTIONS = (drop_object, hold_heap, free_heap, discard, ask_for_decay)
