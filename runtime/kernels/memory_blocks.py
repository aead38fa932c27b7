"""Tier 1: blocks of the allocator, and refcounts.

Blocks come in size classes, four per power of two, and are 64-byte aligned. A freed block goes to
the free list of its class, so allocation of a size seen before is a few instructions at any size, and large results
reuse memory whose pages are mapped already. Memory cached beyond `Heap.cache_limit` is returned to the C library.

A program may replace the C library by an allocator of its own (`Heap.allocator`, an `Allocator` struct). Its blocks are
not cached here: each is returned as soon as it is freed, to the allocator that made it, even if another one is current
then. Two words before a block record this: at -8 the original address, at -16 its `Allocator`, 0 for the C library.

Blocks of up to 8 KiB are cut from pages (`memory_pages`) instead, and have no such words. Those whose size is no
multiple of 64 are 16-byte aligned.

Frees are sized. Reference counts are plain until ``ts_concurrent_v1`` is set, then atomic; free lists are locked then,
and blocks of pages come from the heap of the thread (`memory_heaps`).
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
    atomic_relaxed,
    b8,
    bitcast,
    f64,
    field,
    free,
    i64,
    likely,
    malloc,
    pointer,
    symbol,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels.memory_heaps import heap_lock, heap_unlock, is_concurrent, own_heap
from tscript.runtime.kernels.memory_pages import (
    FIRST_CLASS,
    PAGE_SHIFT,
    ask_for_decay,
    collect,
    collect_rest,
    give_back_pages,
    is_paged,
    must_ask,
    page_of,
    paged_allocate,
    paged_free,
    return_block,
    size_class,
)
from tscript.types import I64, NONE

SIZE_CLASSES: Final = layout.SIZE_CLASSES

PAGED_CLASSES: Final = layout.PAGED_CLASSES

LARGEST = 1 << 56
"""No block is larger, in bytes."""

HUGE_FROM = 1 << 22
"""Blocks from this size on, in bytes, get large pages where the program wants that."""

FOREIGN_HEAD = 64
"""Bytes before a block of an `Allocator`: its address and owner, and alignment."""


def no_allocator(*_: object) -> int:
    """What the externs below mean under CPython."""
    return 0


foreign_allocate = Intrinsic(extern("ts_foreign_allocate_v1", (I64, I64), I64), no_allocator)
"""``(table, nbytes)``: asks an `Allocator`; 0 when it has nothing."""

foreign_free = Intrinsic(extern("ts_foreign_free_v1", (I64, I64, I64), NONE), no_allocator)
"""``(table, address, nbytes)``: gives memory back to an `Allocator`."""

huge_pages = Intrinsic(extern("ts_huge_pages_v1", (I64, I64), NONE), no_allocator)
"""``(address, nbytes)``: memory that is about to be used for the first time had better come in large pages."""

IS_CHECKED: Final = mode.IS_CHECKED


def class_bytes(index: i64) -> i64:
    """Bytes of the blocks of class `index`."""
    return i64(bitcast((index + FIRST_CLASS + 1) << 50, f64))


def fits_block(nbytes: i64, more: i64) -> b8:
    """Whether a block of `nbytes` bytes also holds `more`, so that it can be given back as one of these."""
    if IS_CHECKED != 0:  # a red zone begins right after it
        return nbytes == more
    return size_class(nbytes) == size_class(more)


def plain_allocate(nbytes: i64) -> Ptr[Void]:
    """`heap_try_allocate` without guards."""
    if nbytes < 0 or nbytes > LARGEST:
        return pointer(0, Void)
    shared = symbol("ts_heap_v1", Heap)
    heap = own_heap()
    if address(heap) == 0:
        return pointer(0, Void)
    index = size_class(nbytes)
    size = class_bytes(index)
    if index < PAGED_CLASSES and shared.paged != 0 and shared.allocator == 0:
        block = paged_allocate(heap, index, size)
        if block != 0:
            heap.paged_bytes = heap.paged_bytes + size
            heap.live_blocks = heap.live_blocks + 1
            heap.live_bytes = heap.live_bytes + size
        return pointer(block, Void)
    return large_allocate(heap, index, size)


def large_allocate(heap: Ptr[Heap], index: i64, size: i64) -> Ptr[Void]:
    """A block of class `index` that lies in no page, for the thread with this heap; null when there is no memory."""
    shared = symbol("ts_heap_v1", Heap)
    block = 0
    heap_lock(shared)
    table = shared.allocator
    if table == 0:
        block = shared.free[index]
        if block != 0:
            shared.free[index] = pointer(block, i64)[0]
            shared.cached_bytes = shared.cached_bytes - size
            if shared.cached_bytes < shared.least_cached:
                shared.least_cached = shared.cached_bytes
    heap_unlock(shared)
    if block == 0:
        block = foreign_block(table, size) if table != 0 else fresh_block(size)
    if block != 0:
        heap.live_blocks = heap.live_blocks + 1
        heap.live_bytes = heap.live_bytes + size
        heap.allocated_bytes = heap.allocated_bytes + size
        if heap.live_bytes > heap.peak_bytes:
            heap.peak_bytes = heap.live_bytes
    return pointer(block, Void)


def fresh_block(size: i64) -> i64:
    """A block of `size` bytes from the C library; 0 when there is no memory left."""
    raw = address(malloc(size + 128))
    if raw == 0:
        return 0
    if size >= HUGE_FROM and symbol("ts_heap_v1", Heap).huge != 0:
        huge_pages(raw, size)
    # Memory of the C library is 16-byte aligned, so there is room for two words.
    block = (raw + 71) & -64
    pointer(block - 8, i64)[0] = raw
    pointer(block - 16, i64)[0] = 0
    return block


def foreign_block(table: i64, size: i64) -> i64:
    """A block of `size` bytes from the `Allocator` at `table`; 0 when it gives none that can be used."""
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
        owner.failures = owner.failures + 1
        owner.misaligned = odd
    heap_unlock(heap)
    if raw == 0:
        return 0
    if odd != 0:
        foreign_free(table, raw, size + FOREIGN_HEAD)
        return 0
    block = raw + FOREIGN_HEAD
    pointer(block - 8, i64)[0] = raw
    pointer(block - 16, i64)[0] = table
    return block


def plain_free(block: Ptr[Void], nbytes: i64) -> None:
    """`heap_free` without guards."""
    shared = symbol("ts_heap_v1", Heap)
    heap = own_heap()
    index = size_class(nbytes)
    size = class_bytes(index)
    paged = index < PAGED_CLASSES and shared.paged != 0
    if shared.foreign_blocks != 0:
        heap_lock(shared)
        paged = is_paged(shared, address(block))
        heap_unlock(shared)
    if address(heap) != 0:
        heap.live_blocks = heap.live_blocks - 1
        heap.live_bytes = heap.live_bytes - size
        if paged:
            heap.paged_bytes = heap.paged_bytes - size
    if not paged:
        large_free(address(block), index, size)
    elif likely(page_of(address(block)).owner == address(heap)):
        paged_free(heap, address(block), index)
    else:
        return_block(address(block), index)


def large_free(block: i64, index: i64, size: i64) -> None:
    """Give back a block of class `index` that lies in no page."""
    shared = symbol("ts_heap_v1", Heap)
    raw = 0
    asks = False
    heap_lock(shared)
    table = 0
    if shared.foreign_blocks != 0:
        table = pointer(block, i64)[-2]
    if table != 0:
        owner = pointer(table, Allocator)
        owner.live_blocks = owner.live_blocks - 1
        owner.live_bytes = owner.live_bytes - size
        shared.foreign_blocks = shared.foreign_blocks - 1
    elif shared.cached_bytes + size > shared.cache_limit:
        raw = pointer(block, i64)[-1]
    else:
        pointer(block, i64)[0] = shared.free[index]
        shared.free[index] = block
        shared.cached_bytes = shared.cached_bytes + size
        asks = must_ask(shared)
    heap_unlock(shared)
    if asks:
        ask_for_decay()
    if table != 0:
        foreign_free(table, pointer(block, i64)[-1], size + FOREIGN_HEAD)
    if raw != 0:
        free(pointer(raw, Void))


def heap_collect() -> None:
    """Take back what other threads freed of the heap of this one, and of those that no thread has."""
    heap = own_heap()
    if address(heap) != 0:
        if atomic_relaxed(field(heap, "returned")) != 0:
            collect(heap)
    collect_rest()


def heap_trim() -> None:
    """Give all cached blocks back to the C library, and the memory of empty pages to the system."""
    heap = symbol("ts_heap_v1", Heap)
    heap_collect()
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
    heap_collect()
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
