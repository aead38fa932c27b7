"""Tier 1: blocks of the allocator, and refcounts.

Blocks come in size classes, four per power of two, and are 64-byte aligned. A freed block goes to
the free list of its class, so allocation of a size seen before is a few instructions at any size, and large results
reuse memory whose pages are mapped already. Memory cached beyond `Heap.cache_limit` is returned to the C library.

A program may replace the C library by an allocator of its own (`Heap.allocator`, an `Allocator` struct). Its blocks are
not cached here: each is returned as soon as it is freed, to the allocator that made it, even if another one is current
then. Two words before a block record this: at -8 the original address, at -16 its `Allocator`, 0 for the C library.

Blocks of up to 8 KiB are cut from pages (`memory_pages`) instead, and have no such words. Those whose size is no
multiple of 64 are 16-byte aligned.

Frees are sized. Reference counts and free lists are plain until ``ts_concurrent_v1`` is set (before the first release
of the GIL, and never cleared), then atomic and locked.
"""

from __future__ import annotations

from typing import Final

from tscript.abi import layout, mode
from tscript.dialect import (
    Allocator,
    Heap,
    Intrinsic,
    Ptr,
    Void,
    address,
    atomic_add,
    atomic_cas,
    atomic_release,
    b8,
    bitcast,
    f64,
    free,
    i64,
    malloc,
    pointer,
    pointer_cast,
    symbol,
    u8,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels.memory_pages import PAGE_SHIFT, give_back_pages, is_paged, paged_allocate, paged_free
from tscript.types import I64, NONE

FIRST_CLASS = 4115
"""The class number of 64-byte blocks as `_class_of` computes it before subtraction."""

SIZE_CLASSES: Final = layout.SIZE_CLASSES

PAGED_CLASSES: Final = layout.PAGED_CLASSES

LARGEST = 1 << 56
"""No block is larger, in bytes."""

FOREIGN_HEAD = 64
"""Bytes before a block of an `Allocator`: its address and owner, and alignment."""


def no_allocator(*_: object) -> int:
    """What the externs below mean under CPython."""
    return 0


foreign_allocate = Intrinsic(extern("ts_foreign_allocate_v1", (I64, I64), I64), no_allocator)
"""``(table, nbytes)``: asks an `Allocator`; 0 when it has nothing."""

foreign_free = Intrinsic(extern("ts_foreign_free_v1", (I64, I64, I64), NONE), no_allocator)
"""``(table, address, nbytes)``: gives memory back to an `Allocator`."""

ask_for_decay = Intrinsic(extern("ts_ask_for_decay_v1", (), NONE), no_allocator)
"""Has `heap_decay` called from time to time."""

DECAY_FROM = 1 << 26
"""With more bytes cached than these, some go back when they have not been used for a while."""

IS_CHECKED: Final = mode.IS_CHECKED


def is_concurrent() -> b8:
    """Whether more than one thread may run native code."""
    flag = symbol("ts_concurrent_v1", u8)
    return flag[0] != 0


def size_class(nbytes: i64) -> i64:
    """Class of blocks that hold `nbytes` (at least 1): exponent and top two mantissa bits of nbytes - 1."""
    n = nbytes
    if n < 64:
        n = 64
    return (bitcast(f64(n - 1), i64) >> 50) - FIRST_CLASS


def class_bytes(index: i64) -> i64:
    """Bytes of the blocks of class `index`."""
    return i64(bitcast((index + FIRST_CLASS + 1) << 50, f64))


def fits_block(nbytes: i64, more: i64) -> b8:
    """Whether a block of `nbytes` bytes also holds `more`, so that it can be given back as one of these."""
    if IS_CHECKED != 0:  # a red zone begins right after it
        return nbytes == more
    return size_class(nbytes) == size_class(more)


def heap_lock(heap: Ptr[Heap]) -> None:
    """Take the allocator's lock; nothing to do while one thread runs native code."""
    if is_concurrent():
        lock = pointer_cast(heap, i64)
        while not atomic_cas(lock, 0, 1):
            pass


def heap_unlock(heap: Ptr[Heap]) -> None:
    """Give the allocator's lock back."""
    lock = pointer_cast(heap, i64)
    if lock[0] != 0:
        atomic_release(lock, 0)


def plain_allocate(nbytes: i64) -> Ptr[Void]:
    """`heap_try_allocate` without guards."""
    if nbytes < 0 or nbytes > LARGEST:
        return pointer(0, Void)
    heap = symbol("ts_heap_v1", Heap)
    index = size_class(nbytes)
    size = class_bytes(index)
    heap_lock(heap)
    table = heap.allocator
    head = 0
    if table == 0:
        if index < PAGED_CLASSES and heap.paged != 0:
            head = paged_allocate(heap, index, size)
            if head != 0:
                heap.paged_bytes = heap.paged_bytes + size
        else:
            head = heap.free[index]
            if head != 0:
                heap.free[index] = pointer(head, i64)[0]
                heap.cached_bytes = heap.cached_bytes - size
                if heap.cached_bytes < heap.least_cached:
                    heap.least_cached = heap.cached_bytes
    heap.live_blocks = heap.live_blocks + 1
    heap.live_bytes = heap.live_bytes + size
    heap_unlock(heap)
    if head != 0:
        return pointer(head, Void)
    if table != 0:
        return foreign_block(table, size)
    raw = 0
    if index >= PAGED_CLASSES or heap.paged == 0:
        raw = address(malloc(size + 128))
    if raw == 0:
        heap_lock(heap)
        heap.live_blocks = heap.live_blocks - 1
        heap.live_bytes = heap.live_bytes - size
        heap_unlock(heap)
        return pointer(0, Void)
    # Memory of the C library is 16-byte aligned, so there is room for two words.
    block = (raw + 71) & -64
    pointer(block - 8, i64)[0] = raw
    pointer(block - 16, i64)[0] = 0
    return pointer(block, Void)


def foreign_block(table: i64, size: i64) -> Ptr[Void]:
    """A block of `size` bytes, which are counted already, from the `Allocator` at `table`; null when it gives none that
    can be used."""
    heap = symbol("ts_heap_v1", Heap)
    owner = pointer(table, Allocator)
    raw = foreign_allocate(table, size + FOREIGN_HEAD)
    odd = raw & 63
    heap_lock(heap)
    if raw != 0 and odd == 0:
        heap.foreign_blocks = heap.foreign_blocks + 1
        owner.live_blocks = owner.live_blocks + 1
        owner.live_bytes = owner.live_bytes + size
    else:
        heap.live_blocks = heap.live_blocks - 1
        heap.live_bytes = heap.live_bytes - size
        owner.failures = owner.failures + 1
        owner.misaligned = odd
    heap_unlock(heap)
    if raw == 0:
        return pointer(0, Void)
    if odd != 0:
        foreign_free(table, raw, size + FOREIGN_HEAD)
        return pointer(0, Void)
    block = raw + FOREIGN_HEAD
    pointer(block - 8, i64)[0] = raw
    pointer(block - 16, i64)[0] = table
    return pointer(block, Void)


def plain_free(block: Ptr[Void], nbytes: i64) -> None:
    """`heap_free` without guards."""
    heap = symbol("ts_heap_v1", Heap)
    index = size_class(nbytes)
    size = class_bytes(index)
    raw = 0
    table = 0
    heap_lock(heap)
    heap.live_blocks = heap.live_blocks - 1
    heap.live_bytes = heap.live_bytes - size
    paged = index < PAGED_CLASSES and heap.paged != 0
    if heap.foreign_blocks != 0:
        paged = is_paged(heap, address(block))
        if not paged:
            table = pointer_cast(block, i64)[-2]
    if paged:
        heap.paged_bytes = heap.paged_bytes - size
        paged_free(heap, address(block), index)
    elif table != 0:
        owner = pointer(table, Allocator)
        owner.live_blocks = owner.live_blocks - 1
        owner.live_bytes = owner.live_bytes - size
        heap.foreign_blocks = heap.foreign_blocks - 1
    elif heap.cached_bytes + size > heap.cache_limit:
        raw = pointer_cast(block, i64)[-1]
    else:
        pointer_cast(block, i64)[0] = heap.free[index]
        heap.free[index] = address(block)
        heap.cached_bytes = heap.cached_bytes + size
    decays = heap.decays
    if decays == 0 and heap.cached_bytes + (heap.kept_pages << PAGE_SHIFT) > DECAY_FROM:
        if address(heap.hook) != 0:
            heap.decays = 1
            decays = 2
    heap_unlock(heap)
    if decays == 2:
        ask_for_decay()
    if table != 0:
        foreign_free(table, pointer_cast(block, i64)[-1], size + FOREIGN_HEAD)
    if raw != 0:
        free(pointer(raw, Void))


def heap_trim() -> None:
    """Give all cached blocks back to the C library, and the memory of empty pages to the system."""
    heap = symbol("ts_heap_v1", Heap)
    heap_lock(heap)
    give_back_pages(heap, 0, heap.kept_pages)
    for index in range(SIZE_CLASSES):
        block = heap.free[index]
        heap.free[index] = 0
        while block != 0:
            following = pointer(block, i64)[0]
            heap.cached_bytes = heap.cached_bytes - class_bytes(index)
            free(pointer(pointer(block - 8, i64)[0], Void))
            block = following
    heap_unlock(heap)


def heap_decay(most: i64) -> i64:
    """Give back what was cached all the time since this was done last: `most` bytes, more or less, with each call.

    Returns what it gave, in bytes; 0: nothing is left of it, and the next time begins.
    """
    heap = symbol("ts_heap_v1", Heap)
    chain = 0
    gave = 0
    heap_lock(heap)
    index = SIZE_CLASSES
    while index > 0:
        index = index - 1
        size = class_bytes(index)
        block = heap.free[index]
        while block != 0 and size <= heap.least_cached and gave < most:
            heap.free[index] = pointer(block, i64)[0]
            heap.cached_bytes = heap.cached_bytes - size
            heap.least_cached = heap.least_cached - size
            gave = gave + size
            pointer(block, i64)[0] = chain
            chain = block
            block = heap.free[index]
    pages = heap.least_kept
    if pages > (most - gave) >> PAGE_SHIFT:
        pages = (most - gave) >> PAGE_SHIFT
    if pages > 0:
        give_back_pages(heap, heap.kept_pages - heap.least_kept, pages)
        heap.least_kept = heap.least_kept - pages
        gave = gave + (pages << PAGE_SHIFT)
    if gave == 0:
        heap.least_cached = heap.cached_bytes
        heap.least_kept = heap.kept_pages
    heap_unlock(heap)
    while chain != 0:
        following = pointer(chain, i64)[0]
        free(pointer(pointer(chain - 8, i64)[0], Void))
        chain = following
    return gave


def count_up(refcount: Ptr[i64]) -> None:
    """One more reference."""
    if is_concurrent():
        atomic_add(refcount, 1)
    else:
        refcount[0] = refcount[0] + 1


def count_down(refcount: Ptr[i64]) -> b8:
    """One reference less; True when it was the last."""
    if is_concurrent():
        return atomic_add(refcount, -1) == 1
    refcount[0] = refcount[0] - 1
    return refcount[0] == 0
