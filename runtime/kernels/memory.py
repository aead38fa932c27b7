"""Tier 1: the allocator, in the plain or the checked mode, and the count of values of a type.

The caller of a free says how large the block was. Blocks are made in `memory_blocks`; the checked mode puts a head and
a zone around each (`memory_checked`).
"""

from __future__ import annotations

from typing import Final

from tscript.abi.layout import TYPEINFO
from tscript.dialect import (
    Allocator,
    Heap,
    Ptr,
    TypeInfo,
    Void,
    address,
    i64,
    pointer,
    symbol,
)
from tscript.runtime.kernels.memory_blocks import IS_CHECKED, count_down, count_up, plain_allocate, plain_free
from tscript.runtime.kernels.memory_checked import guarded_allocate, guarded_free


def heap_try_allocate(nbytes: i64) -> Ptr[Void]:
    """A block of at least `nbytes` bytes, 64-byte aligned, not initialised; null when there is no memory left.

    For code that has something to give back before it raises.
    """
    if IS_CHECKED != 0:
        return guarded_allocate(nbytes)
    return plain_allocate(nbytes)


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


VALUES: Final = TYPEINFO.offsets["values"]


def value_made(info: Ptr[TypeInfo]) -> None:
    """There is one more heap object of a type, which stays for as long as there is one."""
    if info.values >= 0:
        count_up(pointer(address(info) + VALUES, i64))


def value_gone(info: Ptr[TypeInfo]) -> None:
    """There is one less."""
    if info.values >= 0:
        count_down(pointer(address(info) + VALUES, i64))
