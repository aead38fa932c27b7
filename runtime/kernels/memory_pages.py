"""Tier 1: blocks of up to 8 KiB, cut from pages of 64 KiB, each of which one heap has.

A page has blocks of one size class, and its own list of free ones. So what is allocated in a row lies close together,
in whatever order blocks were freed before; with one list for the whole class it would be strewn over memory. (Free
list sharding: Leijen, Zorn, de Moura, "Mimalloc: Free List Sharding in Action", 2019.)

Pages lie in chunks whose addresses are multiples of their size, so the address of a block leads to its page. The first
page of a chunk describes the others. Blocks have no head, and are 64-byte aligned if their size is a multiple of 64.

Each class has a list of pages that have room. Blocks come from the first one, until it is full and leaves the list. A
page that was full joins again behind the first; one without blocks in use, but for the first, becomes an empty page,
which any class of any heap can take.
"""

from __future__ import annotations

from typing import Final

from tscript.abi import layout
from tscript.dialect import (
    Heap,
    Intrinsic,
    Page,
    Ptr,
    address,
    atomic_acquire,
    atomic_cas,
    atomic_relaxed,
    b8,
    bitcast,
    f64,
    field,
    free,
    i64,
    malloc,
    memset,
    pointer,
    symbol,
    u8,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels.memory_heaps import heap_lock, heap_unlock, leave_heap, take_heap
from tscript.types import I64, NONE

PAGE_SHIFT: Final = layout.PAGE_SHIFT

PAGE_BYTES: Final = layout.PAGE_BYTES

CHUNK_SHIFT: Final = 21

CHUNK_BYTES: Final = 1 << CHUNK_SHIFT

PAGE_HEAD: Final = layout.PAGE.size
"""Bytes of the description of a page."""

BATCH: Final = 4096
"""Bytes of blocks that a page lists at a time: memory of the others is not touched yet."""

FIRST_CLASS: Final = 4115
"""The class number of 64-byte blocks as `size_class` computes it before subtraction."""

DECAY_FROM = 1 << 26
"""With more bytes cached than these, some go back when they have not been used for a while."""

FIRST: Final = 0
LISTED: Final = 1
FULL: Final = PAGE_BYTES
"""`Page.least`: with fewer blocks in use than this, a page has to move: never, when it is empty, at once."""


def keep(*_: object) -> None:
    """What `discard` means under CPython."""


discard = Intrinsic(extern("ts_discard_v1", (I64, I64), NONE), keep)
"""``(address, nbytes)``: the system may take this memory, whose contents are not needed any more."""


def no_decay() -> None:
    """What `ask_for_decay` means under CPython."""


ask_for_decay = Intrinsic(extern("ts_ask_for_decay_v1", (), NONE), no_decay)
"""Has `heap_decay` called from time to time."""


def size_class(nbytes: i64) -> i64:
    """Class of blocks that hold `nbytes` (at least 1): exponent and top two mantissa bits of nbytes - 1."""
    n = nbytes
    if n < 64:
        n = 64
    return (bitcast(f64(n - 1), i64) >> 50) - FIRST_CLASS


def page_of(block: i64) -> Ptr[Page]:
    """The page of a block."""
    chunk = block & -CHUNK_BYTES
    return pointer(chunk + ((block - chunk) >> PAGE_SHIFT) * PAGE_HEAD, Page)


def paged_take(heap: Ptr[Heap], index: i64) -> i64:
    """The address of a free block of class `index` from the first page, or 0."""
    page = pointer(heap.pages[index], Page)
    if address(page) == 0:
        return 0
    block = page.free
    if block != 0:
        page.free = pointer(block, i64)[0]
        page.used = page.used + 1
    return block


def paged_allocate(heap: Ptr[Heap], index: i64, nbytes: i64) -> i64:
    """The address of a block of class `index`, whose blocks have `nbytes` bytes; 0 when there is no memory left."""
    block = paged_take(heap, index)
    while block == 0:
        page = pointer(heap.pages[index], Page)
        if address(page) == 0:
            page = empty_page()
            if address(page) == 0:
                return 0
            page.nbytes = nbytes
            page.next = 0
            page.least = FIRST
            page.owner = address(heap)
            heap.pages[index] = address(page)
        if atomic_relaxed(field(heap, "returned")) != 0:
            collect(heap)
        elif page.fresh != 0:
            list_fresh(page)
        else:
            leave_list(heap, page, index)
        block = paged_take(heap, index)
    return block


def leave_list(heap: Ptr[Heap], page: Ptr[Page], index: i64) -> None:
    """The first page of a class is full."""
    page.least = FULL
    heap.pages[index] = page.next
    if page.next != 0:
        following = pointer(page.next, Page)
        following.least = FIRST
        following.previous = 0


def list_fresh(page: Ptr[Page]) -> None:
    """Make the next blocks of a page that were never used its free ones."""
    nbytes = page.nbytes
    last = start_of(page) + PAGE_BYTES - nbytes
    at = page.fresh
    page.free = at
    stop = at + BATCH
    while at + nbytes <= last and at + nbytes < stop:
        pointer(at, i64)[0] = at + nbytes
        at = at + nbytes
    pointer(at, i64)[0] = 0
    page.fresh = at + nbytes if at + nbytes <= last else 0


def empty_page() -> Ptr[Page]:
    """A page without blocks, which is nobody's now; null when there is no memory left."""
    shared = symbol("ts_heap_v1", Heap)
    if shared.empty == 0:
        collect_rest()
    heap_lock(shared)
    if shared.empty == 0:
        new_chunk(shared)
    found = pointer(shared.empty, Page)
    if address(found) != 0:
        shared.empty = found.next
        shared.kept_pages = shared.kept_pages - found.owner
        if shared.kept_pages < shared.least_kept:
            shared.least_kept = shared.kept_pages
        shared.pages_in_use = shared.pages_in_use + 1
    heap_unlock(shared)
    return found


def new_chunk(heap: Ptr[Heap]) -> None:
    """Make more empty pages, if there is memory."""
    raw = address(malloc(2 * CHUNK_BYTES))
    if raw == 0:
        return
    chunk = (raw + CHUNK_BYTES - 1) & -CHUNK_BYTES
    if not enter_chunk(heap, chunk):
        free(pointer(raw, u8))
        return
    number = CHUNK_BYTES >> PAGE_SHIFT
    while number > 1:
        number = number - 1
        page = pointer(chunk + number * PAGE_HEAD, Page)
        put_empty(heap, page)
        page.owner = 0


def put_empty(heap: Ptr[Heap], page: Ptr[Page]) -> None:
    """A page has no blocks, and any class may take it."""
    page.free = 0
    page.used = 0
    page.fresh = start_of(page)
    page.previous = 0
    page.next = heap.empty
    heap.empty = address(page)


def paged_free(heap: Ptr[Heap], block: i64, index: i64) -> None:
    """Give back a block of class `index`, whose page the heap has."""
    page = page_of(block)
    pointer(block, i64)[0] = page.free
    page.free = block
    page.used = page.used - 1
    if page.used < page.least:
        page_moves(heap, page, index)


def page_moves(heap: Ptr[Heap], page: Ptr[Page], index: i64) -> None:
    """A page that was full has room now, or one that is not the first has no blocks in use."""
    if page.least == FULL:
        first = heap.pages[index]
        page.previous = first
        if first == 0:
            page.next = 0
            page.least = FIRST
            heap.pages[index] = address(page)
            return
        head = pointer(first, Page)
        page.next = head.next
        if head.next != 0:
            pointer(head.next, Page).previous = address(page)
        head.next = address(page)
        page.least = LISTED
        if page.used != 0:
            return
    pointer(page.previous, Page).next = page.next
    if page.next != 0:
        pointer(page.next, Page).previous = page.previous
    retire(page)


def retire(page: Ptr[Page]) -> None:
    """A page that is in no list any more has no blocks."""
    shared = symbol("ts_heap_v1", Heap)
    heap_lock(shared)
    put_empty(shared, page)
    shared.pages_in_use = shared.pages_in_use - 1
    page.owner = 1
    shared.kept_pages = shared.kept_pages + 1
    if shared.cached_bytes + (shared.kept_pages << PAGE_SHIFT) > shared.cache_limit:
        give_back(shared, page)
    asks = must_ask(shared)
    heap_unlock(shared)
    if asks:
        ask_for_decay()


def must_ask(heap: Ptr[Heap]) -> b8:
    """Whether so much is cached that `ask_for_decay` is to be called, which is noted as done."""
    if heap.decays != 0 or address(heap.hook) == 0:
        return False
    if heap.cached_bytes + (heap.kept_pages << PAGE_SHIFT) <= DECAY_FROM:
        return False
    heap.decays = 1
    return True


def return_block(block: i64, index: i64) -> None:
    """Give back a block of class `index`, whose page another heap has than the one of this thread."""
    owner = pointer(page_of(block).owner, Heap)
    if take_heap(owner):
        collect(owner)
        paged_free(owner, block, index)
        leave_heap(owner)
        return
    returned = field(owner, "returned")
    head = atomic_relaxed(returned)
    pointer(block, i64)[0] = head
    while not atomic_cas(returned, head, block):
        head = atomic_relaxed(returned)
        pointer(block, i64)[0] = head


def collect(heap: Ptr[Heap]) -> None:
    """Give back the blocks of a heap that other threads freed; by its owner."""
    returned = field(heap, "returned")
    block = atomic_acquire(returned)
    while block != 0 and not atomic_cas(returned, block, 0):
        block = atomic_acquire(returned)
    while block != 0:
        following = pointer(block, i64)[0]
        paged_free(heap, block, size_class(page_of(block).nbytes))
        block = following


def collect_rest() -> None:
    """Give back what waits in heaps that no thread has."""
    heap = symbol("ts_heap_v1", Heap)
    while address(heap) != 0:
        if atomic_relaxed(field(heap, "returned")) != 0:
            if take_heap(heap):
                collect(heap)
                leave_heap(heap)
        heap = pointer(atomic_acquire(field(heap, "next")), Heap)


def give_back(heap: Ptr[Heap], page: Ptr[Page]) -> None:
    """Let the system have the memory of an empty page."""
    if page.owner != 0:
        page.owner = 0
        heap.kept_pages = heap.kept_pages - 1
        discard(start_of(page), PAGE_BYTES)


def give_back_pages(heap: Ptr[Heap], skip: i64, most: i64) -> None:
    """Let the system have the memory of `most` empty pages at most, but of none of the first `skip` that have some."""
    at = heap.empty
    seen = 0
    left = most
    while at != 0 and left > 0:
        page = pointer(at, Page)
        if page.owner != 0:
            seen = seen + 1
            if seen > skip:
                give_back(heap, page)
                left = left - 1
        at = page.next


def start_of(page: Ptr[Page]) -> i64:
    """Where the memory of a page begins."""
    chunk = address(page) & -CHUNK_BYTES
    return chunk + (((address(page) - chunk) // PAGE_HEAD) << PAGE_SHIFT)


def enter_chunk(heap: Ptr[Heap], chunk: i64) -> b8:
    """Note that `chunk` is one; False when there is no memory left. The notes are a hash table with open addressing."""
    if 2 * (heap.chunks + 1) > heap.chunk_room:
        room = 2 * heap.chunk_room
        if room == 0:
            room = 64
        made = malloc(8 * room)
        if address(made) == 0:
            return False
        memset(made, 0, 8 * room)
        old = heap.chunk_table
        for k in range(heap.chunk_room):
            put_chunk(address(made), room, pointer(old, i64)[k])
        if old != 0:
            free(pointer(old, u8))
        heap.chunk_table = address(made)
        heap.chunk_room = room
    put_chunk(heap.chunk_table, heap.chunk_room, chunk)
    heap.chunks = heap.chunks + 1
    return True


def put_chunk(table: i64, room: i64, chunk: i64) -> None:
    """Write a chunk, or 0 for none, into a table of `room` words, a power of two, that has a free one."""
    if chunk == 0:
        return
    words = pointer(table, i64)
    at = (chunk >> CHUNK_SHIFT) & (room - 1)
    while words[at] != 0:
        at = (at + 1) & (room - 1)
    words[at] = chunk


def is_paged(heap: Ptr[Heap], block: i64) -> b8:
    """Whether a block lies in a page, and has no head."""
    if heap.chunk_room == 0:
        return False
    chunk = block & -CHUNK_BYTES
    words = pointer(heap.chunk_table, i64)
    at = (chunk >> CHUNK_SHIFT) & (heap.chunk_room - 1)
    while words[at] != 0:
        if words[at] == chunk:
            return True
        at = (at + 1) & (heap.chunk_room - 1)
    return False
