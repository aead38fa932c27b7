"""Tier 1: the checked mode (`tscript.abi.checked`): blocks with a head and a zone, and checks of what is used."""

from __future__ import annotations

from typing import Final

from tscript.abi import checked
from tscript.abi.layout import IMMORTAL
from tscript.dialect import (
    Heap,
    Intrinsic,
    Ptr,
    Void,
    address,
    b8,
    context,
    i64,
    memset,
    pointer,
    pointer_cast,
    symbol,
    u8,
)
from tscript.dialect.machine import extern
from tscript.runtime.kernels.memory_blocks import (
    LARGEST,
    class_bytes,
    no_allocator,
    plain_allocate,
    plain_free,
)
from tscript.runtime.kernels.memory_heaps import heap_lock, heap_unlock, own_heap
from tscript.runtime.kernels.memory_pages import size_class
from tscript.types import I64, NONE

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

complain = Intrinsic(extern("ts_complain_v1", (I64, I64, I64, I64), NONE), no_allocator)
"""``(trouble, address, bytes, site)``: reports an error that the checked mode has found."""


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
    heap_unlock(heap)
    own = own_heap()
    if address(own) != 0:
        own.live_blocks = own.live_blocks - 1
        own.live_bytes = own.live_bytes - class_bytes(size_class(room + 128))
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
    heap_unlock(heap)
    own = own_heap()
    if address(own) != 0:
        own.live_blocks = own.live_blocks + 1
        own.live_bytes = own.live_bytes + class_bytes(size_class(room + 128))
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
