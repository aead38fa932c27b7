"""Tier 1: the allocator and refcounts.

Blocks come in size classes, four per power of two, and are 64-byte aligned but for the smallest. A freed block goes to
the free list of its class, so allocation of a size seen before is a few instructions at any size, and large results
reuse memory whose pages are mapped already. Memory cached beyond `Heap.cache_limit` is returned to the C library.

A program may replace the C library by an allocator of its own (`Heap.allocator`, an `Allocator` struct). Its blocks are
not cached here: each is returned as soon as it is freed, to the allocator that made it, even if another one is current
then. Two words before a block record this: at -8 the original address, at -16 its `Allocator`, 0 for the C library.

Blocks of the smallest class are cut from slabs of the C library, one after the other, 16-byte aligned, because strings
and boxes are many and short-lived. The word at -8 is then 0, and they stay in their free list forever.

Frees are sized: the caller says how large the block was. Reference counts and free lists are plain until
``ts_concurrent_v1`` is set (before the first release of the GIL, and never cleared), then atomic and locked.
"""

from __future__ import annotations

from typing import Final

from tscript.abi import checked
from tscript.abi.layout import IMMORTAL, TYPEINFO
from tscript.dialect import (
    Allocator,
    Heap,
    Intrinsic,
    Ptr,
    TypeInfo,
    Void,
    address,
    atomic_add,
    atomic_cas,
    atomic_release,
    b8,
    bitcast,
    context,
    f64,
    free,
    i64,
    malloc,
    memset,
    pointer,
    pointer_cast,
    symbol,
    u8,
)
from tscript.dialect.machine import extern
from tscript.types import I64, NONE

FIRST_CLASS = 4115
"""The class number of 64-byte blocks as `_class_of` computes it before subtraction."""

LARGEST = 1 << 56
"""No block is larger, in bytes."""


SLAB_BYTES = 4080
SLAB_STEP = 80
"""Bytes from one block of a slab to the next: two words and the block."""

FOREIGN_HEAD = 64
"""Bytes before a block of an `Allocator`: its address and owner, and alignment."""


def _no_allocator(*_: object) -> int:
    """What the externs below mean under CPython."""
    return 0


foreign_allocate = Intrinsic(extern("ts_foreign_allocate_v1", (I64, I64), I64), _no_allocator)
"""``(table, nbytes)``: asks an `Allocator`; 0 when it has nothing."""

foreign_free = Intrinsic(extern("ts_foreign_free_v1", (I64, I64, I64), NONE), _no_allocator)
"""``(table, address, nbytes)``: gives memory back to an `Allocator`."""


IS_CHECKED: Final = checked.IS_CHECKED
HEAD_WORDS: Final = checked.HEAD // 8
LIVE_MARK: Final = checked.LIVE_MARK
FREED_MARK: Final = checked.FREED_MARK
FRESH: Final = checked.FRESH
FREED: Final = checked.FREED
ZONE: Final = checked.ZONE
ZONE_WORD: Final = checked.ZONE_WORD
MARK: Final = int(checked.Word.MARK)
NBYTES: Final = int(checked.Word.NBYTES)
SERIAL: Final = int(checked.Word.SERIAL)
NEXT: Final = int(checked.Word.NEXT)
PREVIOUS: Final = int(checked.Word.PREVIOUS)
SITE: Final = int(checked.Word.SITE)
ZONE_AT: Final = int(checked.Word.ZONE)
OLDEST: Final = int(checked.State.OLDEST)
NEWEST: Final = int(checked.State.NEWEST)
KEPT: Final = int(checked.State.KEPT)
LIMIT: Final = int(checked.State.LIMIT)
LIVE: Final = int(checked.State.LIVE)
SERIAL_OF_STATE: Final = int(checked.State.SERIAL)
NULL: Final = int(checked.Trouble.NULL)
MISALIGNED: Final = int(checked.Trouble.MISALIGNED)
WILD: Final = int(checked.Trouble.WILD)
UNKNOWN: Final = int(checked.Trouble.UNKNOWN)
DEAD: Final = int(checked.Trouble.DEAD)
COUNT: Final = int(checked.Trouble.COUNT)
WRONG_SIZE: Final = int(checked.Trouble.SIZE)
BEFORE: Final = int(checked.Trouble.BEFORE)
BEHIND: Final = int(checked.Trouble.BEHIND)
AFTER: Final = int(checked.Trouble.AFTER)
CONSTANT: Final = IMMORTAL // 2
"""Constant objects have more references than this."""

complain = Intrinsic(extern("ts_complain_v1", (I64, I64, I64, I64), NONE), _no_allocator)
"""``(trouble, address, bytes, site)``: reports an error that the checked mode has found."""


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


def heap_try_allocate(nbytes: i64) -> Ptr[Void]:
    """A block of at least `nbytes` bytes, 64-byte aligned, not initialised; null when there is no memory left.

    For code that has something to give back before it raises.
    """
    if IS_CHECKED != 0:
        return guarded_allocate(nbytes)
    return plain_allocate(nbytes)


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
        head = heap.free[index]
        if head != 0:
            heap.free[index] = pointer(head, i64)[0]
            heap.cached_bytes = heap.cached_bytes - size
    heap.live_blocks = heap.live_blocks + 1
    heap.live_bytes = heap.live_bytes + size
    heap_unlock(heap)
    if head != 0:
        return pointer(head, Void)
    if table != 0:
        return foreign_block(table, size)
    if index == 0:
        block = slab_block(heap)
        if block != 0:
            return pointer(block, Void)
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


def slab_block(heap: Ptr[Heap]) -> i64:
    """The first block of a new slab, whose others go to the free list; 0 when the cache has no room for them, or there
    is no memory left."""
    if heap.cached_bytes + SLAB_BYTES > heap.cache_limit:
        return 0
    raw = address(malloc(SLAB_BYTES))
    if raw == 0:
        return 0
    first = raw + 16
    last = raw + SLAB_BYTES - 64
    for k in range(SLAB_BYTES // SLAB_STEP):
        words = pointer(raw + k * SLAB_STEP, i64)
        words[0] = 0
        words[1] = 0
        words[2] = raw + (k + 1) * SLAB_STEP + 16
    heap_lock(heap)
    pointer(last, i64)[0] = heap.free[0]
    heap.free[0] = first + SLAB_STEP
    heap.cached_bytes = heap.cached_bytes + (SLAB_BYTES // SLAB_STEP - 1) * 64
    heap_unlock(heap)
    return first


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


def refuse(nbytes: i64) -> None:
    """Raise for memory that `heap_try_allocate` did not find."""
    heap = symbol("ts_heap_v1", Heap)
    table = heap.allocator
    if table != 0:
        if pointer(table, Allocator).misaligned != 0:
            raise RuntimeError("the allocator gave an address that is not a multiple of 64")
    raise MemoryError("cannot allocate {0} bytes", nbytes)


def heap_allocate(nbytes: i64) -> Ptr[Void]:
    """A block of at least `nbytes` bytes, 64-byte aligned, not initialised.

    Raises MemoryError when there is no memory left, RuntimeError when an `Allocator` gave what cannot be used.
    """
    block = heap_try_allocate(nbytes)
    if address(block) == 0:
        refuse(nbytes)
    return block


def heap_free(block: Ptr[Void], nbytes: i64) -> None:
    """Give back a block that `heap_allocate(nbytes)` returned."""
    if IS_CHECKED != 0:
        guarded_free(block, nbytes)
    else:
        plain_free(block, nbytes)


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
    if heap.foreign_blocks != 0:
        table = pointer_cast(block, i64)[-2]
    if table != 0:
        owner = pointer(table, Allocator)
        owner.live_blocks = owner.live_blocks - 1
        owner.live_bytes = owner.live_bytes - size
        heap.foreign_blocks = heap.foreign_blocks - 1
    elif heap.cached_bytes + size > heap.cache_limit:
        raw = pointer_cast(block, i64)[-1]
    if table == 0 and raw == 0:
        pointer_cast(block, i64)[0] = heap.free[index]
        heap.free[index] = address(block)
        heap.cached_bytes = heap.cached_bytes + size
    heap_unlock(heap)
    if table != 0:
        foreign_free(table, pointer_cast(block, i64)[-1], size + FOREIGN_HEAD)
    if raw != 0:
        free(pointer(raw, Void))


def heap_trim() -> None:
    """Give all cached blocks back to the C library, but for those of slabs."""
    heap = symbol("ts_heap_v1", Heap)
    heap_lock(heap)
    for index in range(256):
        block = heap.free[index]
        heap.free[index] = 0
        while block != 0:
            following = pointer(block, i64)[0]
            raw = pointer(block - 8, i64)[0]
            if raw == 0:
                pointer(block, i64)[0] = heap.free[index]
                heap.free[index] = block
            else:
                heap.cached_bytes = heap.cached_bytes - class_bytes(index)
                free(pointer(raw, Void))
            block = following
    heap_unlock(heap)


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


VALUES: Final = TYPEINFO.offsets["values"]


def value_made(info: Ptr[TypeInfo]) -> None:
    """There is one more heap object of a type, which stays for as long as there is one."""
    if info.values >= 0:
        count_up(pointer(address(info) + VALUES, i64))


def value_gone(info: Ptr[TypeInfo]) -> None:
    """There is one less."""
    if info.values >= 0:
        count_down(pointer(address(info) + VALUES, i64))


# ---- the checked mode (`tscript.abi.checked`)


def guarded_allocate(nbytes: i64) -> Ptr[Void]:
    """`heap_try_allocate`, between two red zones, and filled with what is no value."""
    if nbytes < 0 or nbytes > LARGEST:
        return pointer(0, Void)
    room = (nbytes + 63) & -64
    raw = plain_allocate(room + 128)
    if address(raw) == 0:
        return raw
    head = pointer_cast(raw, i64)
    block = pointer_cast(head + HEAD_WORDS, u8)
    memset(pointer_cast(head, u8), ZONE, 64)
    memset(block, FRESH, nbytes)
    memset(block + nbytes, ZONE, room - nbytes + 64)
    state = symbol("ts_checked_v1", i64)
    heap = symbol("ts_heap_v1", Heap)
    head[NBYTES] = nbytes
    head[PREVIOUS] = 0
    head[SITE] = place_of_call()
    heap_lock(heap)
    head[MARK] = LIVE_MARK
    state[SERIAL_OF_STATE] = state[SERIAL_OF_STATE] + 1
    head[SERIAL] = state[SERIAL_OF_STATE]
    head[NEXT] = state[LIVE]
    if state[LIVE] != 0:
        pointer(state[LIVE], i64)[PREVIOUS] = address(head)
    state[LIVE] = address(head)
    heap_unlock(heap)
    return pointer_cast(block, Void)


def guarded_free(block: Ptr[Void], nbytes: i64) -> None:
    """`heap_free`, which checks that the block is valid and undamaged, and delays its reuse."""
    found = block_trouble(address(block))
    if found != 0:
        complain(found, address(block), nbytes, place_of_call())
        return
    head = pointer_cast(block, i64) - HEAD_WORDS
    known = head[NBYTES]
    if size_class(known) != size_class(nbytes):
        complain(WRONG_SIZE, address(block), nbytes, place_of_call())
    if head[ZONE_AT] != ZONE_WORD or head[ZONE_AT + 1] != ZONE_WORD:
        complain(BEFORE, address(block), known, place_of_call())
    room = (known + 63) & -64
    if not is_filled(pointer_cast(block, u8) + known, room - known + 64, u8(ZONE)):
        complain(BEHIND, address(block), known, place_of_call())
    memset(pointer_cast(block, u8), FREED, known)
    state = symbol("ts_checked_v1", i64)
    heap = symbol("ts_heap_v1", Heap)
    heap_lock(heap)
    head[MARK] = FREED_MARK
    if head[PREVIOUS] != 0:
        pointer(head[PREVIOUS], i64)[NEXT] = head[NEXT]
    else:
        state[LIVE] = head[NEXT]
    if head[NEXT] != 0:
        pointer(head[NEXT], i64)[PREVIOUS] = head[PREVIOUS]
    head[NEXT] = 0
    if state[NEWEST] != 0:
        pointer(state[NEWEST], i64)[NEXT] = address(head)
    else:
        state[OLDEST] = address(head)
    state[NEWEST] = address(head)
    state[KEPT] = state[KEPT] + room
    heap.live_blocks = heap.live_blocks - 1
    heap.live_bytes = heap.live_bytes - class_bytes(size_class(room + 128))
    heap_unlock(heap)
    while state[KEPT] > state[LIMIT]:
        if not let_go():
            return


def let_go() -> b8:
    """Give back the block that has been free for longest; False when there is none."""
    state = symbol("ts_checked_v1", i64)
    heap = symbol("ts_heap_v1", Heap)
    heap_lock(heap)
    oldest = state[OLDEST]
    if oldest == 0:
        heap_unlock(heap)
        return False
    head = pointer(oldest, i64)
    known = head[NBYTES]
    room = (known + 63) & -64
    state[OLDEST] = head[NEXT]
    if state[OLDEST] == 0:
        state[NEWEST] = 0
    state[KEPT] = state[KEPT] - room
    heap.live_blocks = heap.live_blocks + 1
    heap.live_bytes = heap.live_bytes + class_bytes(size_class(room + 128))
    heap_unlock(heap)
    if not is_filled(pointer_cast(head + HEAD_WORDS, u8), known, u8(FREED)):
        complain(AFTER, oldest + 64, known, head[SITE])
    head[MARK] = 0
    plain_free(pointer_cast(head, Void), room + 128)
    return True


def is_filled(start: Ptr[u8], count: i64, value: u8) -> b8:
    """Whether bytes are all of one value."""
    for k in range(count):  # noqa: SIM110 - the dialect has no `all`
        if start[k] != value:
            return False
    return True


def place_of_call() -> i64:
    """Address of the `Site` of the operation that runs; 0 if unknown."""
    ctx = context()
    if address(ctx) == 0:
        return 0
    return address(ctx.at)


def block_trouble(at: i64) -> i64:
    """What is wrong with the address of a block that should be in use; 0: nothing."""
    if at == 0:
        return NULL
    if at >> 47 != 0 or at < 65536:
        return WILD
    if at & 7 != 0:
        return MISALIGNED
    mark = pointer(at - 64, i64)[0]
    if mark == LIVE_MARK:
        return 0
    if mark == FREED_MARK:
        return DEAD
    return UNKNOWN


def object_trouble(at: i64) -> i64:
    """What is wrong with the address of an object that should be in use; 0: nothing."""
    if at == 0:
        return NULL
    if at >> 47 != 0 or at < 65536:
        return WILD
    if at & 7 != 0:
        return MISALIGNED
    count = pointer(at, i64)[0]
    if count > CONSTANT and count < 4 * CONSTANT:
        return 0
    found = block_trouble(at)
    if found == 0 and (count < 1 or count > CONSTANT):
        return COUNT
    return found


def checked_object(object: Ptr[Void]) -> None:
    """Raise for what is no object in use."""
    found = object_trouble(address(object))
    if found != 0:
        refuse_object(found, address(object))


def checked_optional(object: Ptr[Void]) -> None:
    """Raise for what is neither null nor an object in use."""
    if address(object) != 0:
        checked_object(object)


def refuse_object(found: i64, at: i64) -> None:
    """Complain and raise."""
    complain(found, at, 0, place_of_call())
    raise SystemError("the checked mode found a bad address: {0}", at)
