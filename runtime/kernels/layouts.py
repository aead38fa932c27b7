"""Tier 2: what kernels lay out of a constant once, and find again at the next call.

The storage of a constant (`STORAGE_CONSTANT`) has a list of *layouts*: copies of its elements, or what was computed of
them, in the order in which a kernel reads them. Weights are stored plain and laid out at their first use. A layout
belongs to its storage and is freed with it. Layouts are only ever added, so threads read the list without a lock; of
two threads that make the same one at once, the second frees its own.
"""

from __future__ import annotations

from tscript.abi.layout import STORAGE_CONSTANT, STORAGE_PASSING
from tscript.dialect import Ptr, Storage, Void, address, atomic_acquire, atomic_cas, b8, field, i64, pointer
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate

WINOGRAD_2X2, WINOGRAD_4X4, PANELS, COPY = range(4)
"""Kinds of layouts."""

NEXT, NBYTES, KIND, AT, FIRST, SECOND = range(6)
"""Cells before a layout: the address of the next one, bytes of both together; and what tells layouts apart: its kind,
the byte of the storage where the elements begin, and two numbers of the kernel's own."""
BEFORE = 64
"""Bytes before a layout."""


def may_lay_out(s: Ptr[Storage]) -> b8:
    """Whether the memory never changes."""
    return s.flags & STORAGE_CONSTANT != 0


def is_worth_it(s: Ptr[Storage]) -> b8:
    """Whether to lay out elements that have not been: not at the first use if they last for a loop alone."""
    if s.flags & STORAGE_PASSING == 0:
        return True
    s.version = s.version + 1
    return s.version > 1


def find_layout(s: Ptr[Storage], kind: i64, at: i64, first: i64, second: i64) -> i64:
    """The address of a layout, 0 if it has not been made. All but `s` are as for `new_layout`."""
    found = atomic_acquire(field(s, "layouts"))
    while found != 0:
        cells = pointer(found, i64)
        if cells[KIND] == kind and cells[AT] == at and cells[FIRST] == first and cells[SECOND] == second:
            return found + BEFORE
        found = cells[NEXT]
    return 0


def new_layout(nbytes: i64, kind: i64, at: i64, first: i64, second: i64) -> i64:
    """The address of room for a layout that nothing refers to yet; 0 where there is no memory.

    Args:
        nbytes: Its size.
        kind: `WINOGRAD_2X2` or another.
        at: The byte of the storage where the elements begin.
        first, second: What else tells it from others of this kind, such as sizes.
    """
    found = address(heap_try_allocate(nbytes + BEFORE))
    if found == 0:
        return 0
    cells = pointer(found, i64)
    cells[NBYTES] = nbytes + BEFORE
    cells[KIND] = kind
    cells[AT] = at
    cells[FIRST] = first
    cells[SECOND] = second
    return found + BEFORE


def keep_layout(s: Ptr[Storage], layout: i64) -> i64:
    """Give a finished layout to its storage. The result is what to read: another one if another thread was faster."""
    made = pointer(layout - BEFORE, i64)
    head = field(s, "layouts")
    while True:
        before = atomic_acquire(head)
        made[NEXT] = before
        known = find_layout(s, made[KIND], made[AT], made[FIRST], made[SECOND])
        if known != 0:
            heap_free(pointer(layout - BEFORE, Void), made[NBYTES])
            return known
        if atomic_cas(head, before, layout - BEFORE):
            return layout


def free_layouts(s: Ptr[Storage]) -> None:
    """Free all that were made of a storage."""
    found = s.layouts
    while found != 0:
        cells = pointer(found, i64)
        following = cells[NEXT]
        heap_free(pointer(found, Void), cells[NBYTES])
        found = following
