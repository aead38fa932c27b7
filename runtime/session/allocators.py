"""Custom allocators: functions of the program instead of the C library's.

The memory of all tensors that native code makes comes from them (not that of NumPy arrays, which tensors only share).
The native side is in `tscript.runtime.kernels.memory`.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from tscript.abi.layout import ALIGNMENT, ALLOCATOR
from tscript.late import dataclass, field
from tscript.runtime.session.addresses import address_of


@dataclass(frozen=True, slots=True, eq=False)
class Allocator:
    """A table of C functions that allocate and free memory.

    ::

        void *allocate(int64_t nbytes, int64_t alignment, void *user);
        void  free(void *block, int64_t nbytes, void *user);

    They are called from any thread, from several at once, with or without the GIL, and must not call tscript.
    `allocate` returns an address that is a multiple of `alignment` (64), or null if it has no memory; `free` gets the
    requested size.

    Args:
        allocate: Address of a function, or a function pointer of `ctypes`.
        free: Likewise.
        user: The last argument of both.

    Raises:
        ValueError: A pointer is null.
        TypeError: It is not a pointer.
    """

    allocate: Any
    free: Any
    user: int = 0
    _table: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        table = ALLOCATOR.ctype()
        table.allocate = address_of(self.allocate, "an allocator's 'allocate'")
        table.free = address_of(self.free, "an allocator's 'free'")
        user = self.user.value if isinstance(self.user, ctypes.c_void_p) else self.user
        if user is not None and (not isinstance(user, int) or isinstance(user, bool) or not 0 <= user < 1 << 64):
            raise TypeError(f"an allocator's 'user' is an address, not {self.user!r}")
        table.user = user or None
        object.__setattr__(self, "_table", table)

    @property
    def live_blocks(self) -> int:
        """Blocks of it that are in use."""
        return int(self._table.live_blocks)

    @property
    def live_bytes(self) -> int:
        """Bytes of tensors in them."""
        return int(self._table.live_bytes)

    @property
    def failures(self) -> int:
        """The number of failed allocations."""
        return int(self._table.failures)


class Allocators:
    """The allocators of one process. Every one that was ever used is kept, because blocks of it may be alive.

    Args:
        heap: View of the heap.
    """

    def __init__(self, heap: Any) -> None:
        self._heap = heap
        self.lock = threading.Lock()
        self.current: Allocator | None = None
        self.kept: list[Allocator] = []

    def put(self, allocator: Allocator | None) -> Allocator | None:
        """Let new blocks come from an allocator; returns the one before."""
        with self.lock:
            before = self.current
            if allocator is not None and allocator not in self.kept:
                _try_out(allocator)
                self.kept.append(allocator)
            self._heap.allocator = 0 if allocator is None else ctypes.addressof(allocator._table)
            self.current = allocator
            return before


def _try_out(allocator: Allocator) -> None:
    """Allocate and free one block, so that a broken allocator is refused now.

    Raises:
        MemoryError: It has no memory.
        ValueError: The block is not aligned.
    """
    table = allocator._table
    give = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(table.allocate)
    take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(table.free)
    block = give(2 * ALIGNMENT, ALIGNMENT, table.user)
    if not block:
        raise MemoryError(f"the allocator gave nothing when it was asked for {2 * ALIGNMENT} bytes")
    take(block, 2 * ALIGNMENT, table.user)
    if block % ALIGNMENT:
        raise ValueError(
            f"the allocator gave {block:#x}, which is not a multiple of {ALIGNMENT}, the alignment asked for"
        )


__all__ = ["Allocator", "Allocators"]
