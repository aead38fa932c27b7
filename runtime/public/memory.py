"""`set_allocator` puts a program's own functions in the place of the C library's, `memory_stats` counts."""

from __future__ import annotations

from tscript.abi.layout import PAGE_BYTES
from tscript.runtime.session.allocators import Allocator
from tscript.runtime.session.keeper import total
from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once


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
        kept for reuse; if that is more than 64 MiB, what is not used for a second or two goes back to the system.
        ``cache_limit``: how much is kept at most. ``foreign_blocks``: those among the live ones that come from a custom
        allocator. ``peak_bytes``: the most that was in use (of several threads, the sum of what each had of its own);
        ``allocated_bytes``: of all blocks ever taken. Both are about blocks of more than 8 KiB: smaller ones count for
        the peak if they are in use when those are made. ``code_objects`` and ``code_bytes``: compiled code that is
        loaded, of the functions and of tscript itself; that of a function is freed with the function and what it made.
        ``background_compiles``: functions that ran often or long and got better code. ``background_waiting``: those
        that wait for it. ``library_bytes``, ``library_resident``: the prebuilt native library as it is mapped, and what
        of it this process has in memory, most of it shared with others. ``library_functions``: those of it that are
        used so far.

    Example:
        >>> before = tscript.memory_stats()["live_blocks"]
        >>> x = tscript.ones(3)
        >>> tscript.memory_stats()["live_blocks"] - before
        2
    """
    runtime = current()
    heap, code = runtime.heap, runtime.compiler.session.store
    code.sweep()
    found = {name: total(heap, name) for name in ("live_blocks", "live_bytes", "peak_bytes", "allocated_bytes")}
    found["peak_bytes"] = max(found["peak_bytes"], found["live_bytes"])
    found |= {name: int(getattr(heap, name)) for name in ("cached_bytes", "cache_limit", "foreign_blocks")}
    found["cached_bytes"] += PAGE_BYTES * (heap.pages_in_use + heap.kept_pages) - total(heap, "paged_bytes")
    tiers = runtime.tiers
    found |= {"background_compiles": tiers.done, "background_waiting": tiers.waiting}
    library = runtime.prebuilt
    mapped = (0, 0, 0) if library is None else (library.nbytes, library.resident, len(library.asked))
    found |= dict(zip(("library_bytes", "library_resident", "library_functions"), mapped, strict=True))
    return {**found, "code_objects": code.objects, "code_bytes": code.nbytes}


def empty_cache() -> None:
    """Give memory that is kept for reuse back to the system.

    Example:
        >>> tscript.empty_cache()
    """
    current().keeper.empty()


__all__ = ["empty_cache", "get_allocator", "memory_stats", "set_allocator"]
