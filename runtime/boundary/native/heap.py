"""The native heap: how an object that is no tensor ends, and nobody at work on it while the process is copied."""

from __future__ import annotations

from tscript.dialect import Heap, Object, Ptr, atomic_cas, atomic_load, atomic_release, atomic_store, field
from tscript.dialect.linkage import FRAMED, c_signature, exported, variable

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


FUNCTIONS = (drop_object, hold_heap, free_heap)
