"""Custom allocators: `set_allocator` puts a program's own functions in the place of the C library's, `memory_stats`
counts.

The memory of all tensors that native code makes comes from there (not that of NumPy arrays, which tensors only share).
The native side is in `tscript.runtime.kernels.memory`.
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, field
from typing import Any

from tscript.abi.layout import ALIGNMENT, ALLOCATOR
from tscript.runtime.session.custom_ops import address_of
from tscript.runtime.session.process import Runtime, current
from tscript.runtime.session.usage import log_api_usage_once


@dataclass(frozen=True, slots=True, eq=False)
class Allocator:
    """A table of C functions that give memory and take it back.

    ::

        void *allocate(int64_t nbytes, int64_t alignment, void *user);
        void  free(void *block, int64_t nbytes, void *user);

    They are called from any thread, from several at once, with or without the GIL, and must not call tscript.
    `allocate` gives an address that is a multiple of `alignment` (64), or null when it has no memory; `free` is told
    the size that was asked for.

    Args:
        allocate: Address of a function, or a function pointer of `ctypes`.
        free: Likewise.
        user: What both get as their last argument.

    Raises:
        ValueError: A pointer is null.
        TypeError: It is none.
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
        """How often it gave nothing that could be used."""
        return int(self._table.failures)


class Allocators:
    """The allocators of one process: every one that was ever in place is kept, since blocks of it may be alive."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.lock = threading.Lock()
        self.current: Allocator | None = None
        self.kept: list[Allocator] = []

    def put(self, allocator: Allocator | None) -> Allocator | None:
        with self.lock:
            before = self.current
            if allocator is not None and allocator not in self.kept:
                _try_out(allocator)
                self.kept.append(allocator)
            self.runtime.heap.allocator = 0 if allocator is None else ctypes.addressof(allocator._table)
            self.current = allocator
            return before


def _try_out(allocator: Allocator) -> None:
    """Ask for one block and give it back, so that an allocator that cannot work is refused now.

    Raises:
        MemoryError: It has nothing.
        ValueError: What it gives is not aligned.
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


def set_allocator(allocator: Allocator | None) -> Allocator | None:
    """Let new tensors take their memory from `allocator`; None is the default: the C library behind a cache of freed
    blocks.

    It may be called at any time: tensors that are alive keep their memory, and each block goes back to the allocator
    that gave it. Blocks of a custom allocator are not cached. It is asked for one block here, to see that it works.

    Args:
        allocator: An `Allocator`.

    Returns:
        The one before, None for the default.

    Raises:
        TypeError: It is something else.
        MemoryError, ValueError: It gave nothing, or what is not aligned, when it was tried.

    Example:
        >>> import ctypes, tscript
        >>> libc = ctypes.CDLL(None)
        >>> @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        ... def allocate(nbytes, alignment, user):
        ...     block = ctypes.c_void_p()
        ...     libc.posix_memalign(ctypes.byref(block), ctypes.c_size_t(alignment), ctypes.c_size_t(nbytes))
        ...     return block.value
        >>> @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
        ... def free(block, nbytes, user):
        ...     libc.free(ctypes.c_void_p(block))
        >>> mine = tscript.Allocator(allocate, free)
        >>> before = tscript.set_allocator(mine)
        >>> x = tscript.zeros(1000)
        >>> mine.live_blocks
        2
        >>> tscript.set_allocator(before) is mine
        True
    """
    log_api_usage_once("tscript.set_allocator")
    if allocator is not None and not isinstance(allocator, Allocator):
        raise TypeError(f"expected a tscript.Allocator or None, not {type(allocator).__name__}")
    return current().allocators.put(allocator)


def get_allocator() -> Allocator | None:
    """The custom allocator in place, or None.

    Example:
        >>> tscript.get_allocator() is None
        True
    """
    return current().allocators.current


def memory_stats() -> dict[str, int]:
    """Counters of native memory.

    Returns:
        ``live_blocks`` and ``live_bytes``: in use by tensors (a tensor is a header and its elements). ``cached_bytes``:
        freed and kept for reuse. ``cache_limit``: how much is kept. ``foreign_blocks``: those among the live ones that
        come from a custom allocator. ``code_objects`` and ``code_bytes``: compiled code that is loaded, of the
        functions and of tscript itself; that of a function is freed with the function and what it made.

    Example:
        >>> before = tscript.memory_stats()["live_blocks"]
        >>> x = tscript.ones(3)
        >>> tscript.memory_stats()["live_blocks"] - before
        2
    """
    runtime = current()
    heap, code = runtime.heap, runtime.compiler.session.store
    code.sweep()
    names = ("live_blocks", "live_bytes", "cached_bytes", "cache_limit", "foreign_blocks")
    found = {name: int(getattr(heap, name)) for name in names}
    return {**found, "code_objects": code.objects, "code_bytes": code.nbytes}


__all__ = ["Allocator", "get_allocator", "memory_stats", "set_allocator"]
