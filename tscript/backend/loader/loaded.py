"""`LoadedCode`: the owner of an object in the process, and `Store`, the table of all of them.

Every user of the code of an object refers to its `LoadedCode`: a function through its specialisations, a running call
through the function that Python calls. Without such references the object is closed. Native values may still need it
then: function values, futures, caught exceptions, strings. They are counted in the data of the object
(`tscript.abi.layout.LOADED`). After the last of them is gone, the next sweep frees the object. Every load, every end of
a future or of a function value, and `memory_stats` sweep.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from tscript.abi.layout import IMMORTAL, LOADED


class Memory:
    """The memory of a loaded object.

    Attributes:
        free: Frees it; called once, when nothing needs it.
        nbytes: Its size.
        counts: Address of its `LOADED`; 0: native values are not counted, and it is never freed.
        kept: Objects that must live as long as it does.
    """

    __slots__ = ("counts", "free", "kept", "nbytes")

    def __init__(self, free: Callable[[], None], nbytes: int, counts: int = 0) -> None:
        self.free = free
        self.nbytes = nbytes
        self.counts = counts
        self.kept: list[object] = []

    @property
    def is_needed(self) -> bool:
        """Whether native values refer to it."""
        if not self.counts:
            return True
        header = LOADED.ctype.from_address(self.counts)
        if header.references != 1:
            return True
        texts = (ctypes.c_void_p * header.count).from_address(header.texts) if header.count else ()
        return any(ctypes.c_int64.from_address(text).value != IMMORTAL for text in texts)


class LoadedCode:
    """A loaded object. It is closed when nothing refers to it, or by `close`.

    Args:
        name: Unique in the process.
        addresses: Address of each exported function.
        memory: Its memory.
        store: The store that contains it.
        sites: Address of its table of observed places (`tscript.abi.symbols.SITES`); 0: it has none.
    """

    __slots__ = ("__weakref__", "_memory", "_store", "_used", "_when_needed", "addresses", "name", "sites")

    def __init__(self, name: str, addresses: Mapping[str, int], memory: Memory, store: Store, sites: int = 0) -> None:
        self.sites = sites
        self.name = name
        self.addresses = addresses
        self._memory: Memory | None = memory
        self._store = store
        self._used: Sequence[object] = ()
        self._when_needed: Callable[[object], None] = lambda thing: None
        store.add(memory)

    def address(self, name: str) -> int:
        """Address of an exported function.

        Raises:
            KeyError: It was not among the exports.
        """
        return self.addresses[name]

    def keep(self, thing: object) -> None:
        """Keep something alive until the object's memory is free. It must not refer to this `LoadedCode`."""
        if self._memory is not None:
            self._memory.kept.append(thing)

    def use(self, things: Sequence[object], when_needed: Callable[[object], None]) -> None:
        """Keep objects alive that the code uses and that may refer to this `LoadedCode`. They are freed with it, unless
        native values still need the object.

        Args:
            things: The objects; they are added to those of earlier calls.
            when_needed: Called with each that is kept for native values. Weak references to it are gone then, as it was
                garbage.
        """
        self._used, self._when_needed = (*self._used, *things), when_needed

    @property
    def counts(self) -> int:
        """Address of its `LOADED`, for native values that need it; 0 where there is none, or it is closed."""
        return 0 if self._memory is None else self._memory.counts

    @property
    def closed(self) -> bool:
        """Whether it was closed; its memory may wait for native values."""
        return self._memory is None

    def close(self) -> None:
        """Free the object as soon as no native value refers to it. A second call does nothing. No code may call into it
        any more."""
        memory, self._memory = self._memory, None
        used, self._used = self._used, ()
        if memory is not None:
            if used and memory.is_needed:
                memory.kept += used
                for thing in used:
                    self._when_needed(thing)
            self._store.retire(memory)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of a process threads may still run, and imported modules may be gone.
        if not is_finalizing():
            self.close()

    def __repr__(self) -> str:
        return f"<{'closed ' if self.closed else ''}code {self.name}: {', '.join(self.addresses)}>"


class Store:
    """The loaded objects of a process. All methods are thread-safe.

    Attributes:
        lock: Held while something is loaded or freed.
        nbytes: Their size in all.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._arrived: deque[Memory] = deque()
        self._waiting: list[Memory] = []
        # All of them: the function that frees an object must outlive its owner.
        self._memories: set[Memory] = set()
        self.nbytes = 0

    def add(self, memory: Memory) -> None:
        """An object was loaded."""
        with self.lock:
            self._memories.add(memory)
            self.nbytes += memory.nbytes

    @property
    def objects(self) -> int:
        """How many there are."""
        return len(self._memories)

    def retire(self, memory: Memory) -> None:
        """Nothing refers to the owner of an object any more: free it, now or at a later sweep."""
        self._arrived.append(memory)
        self.sweep()

    def sweep(self) -> None:
        """Free the objects that were closed and that no native value needs any more."""
        # This thread may hold the lock itself, if the garbage collector interrupted it.
        if not (self._arrived or self._waiting) or not self.lock.acquire(blocking=False):
            return
        kept: list[object] = []
        try:
            while self._arrived:
                self._waiting.append(self._arrived.popleft())
            for memory in [m for m in self._waiting if not m.is_needed]:
                self._waiting.remove(memory)
                memory.free()
                self._memories.remove(memory)
                self.nbytes -= memory.nbytes
                kept += memory.kept
        finally:
            self.lock.release()
        del kept  # may be owners of other objects

    @property
    def waiting(self) -> int:
        """Objects that were closed and are still needed."""
        return len(self._waiting) + len(self._arrived)

    def hold(self) -> None:
        """Wait until no thread changes anything, and block changes; called before a fork."""
        self.lock.acquire()

    def resume(self) -> None:
        """Unblock after `hold`."""
        self.lock.release()


__all__ = ["LoadedCode", "Memory", "Store"]
