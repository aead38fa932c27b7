"""The native containers behind `Shared` constants, one for each and its type, and what Python asks caches."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tscript.abi.symbols import kernel_symbol
from tscript.ir.graph import Const, Program, walk
from tscript.ops.caches import CacheInfo, Shared
from tscript.types import ListType, Type

if TYPE_CHECKING:
    from tscript.frontend import PythonFunction
    from tscript.runtime.build import KernelLibrary


class Container:
    """A native dict or list, which it owns a reference of.

    Attributes:
        address: Where it lies.
        type: Its type, whose `TypeInfo` it needs.
    """

    __slots__ = ("__weakref__", "_release", "address", "type")

    def __init__(self, address: int, type: Type, release: Callable[[None, int], int]) -> None:
        self.address = address
        self.type = type
        self._release = release

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self._release(None, self.address)


class Containers:
    """The shared containers of this process. They live as long as their constant, or code that was linked with them.

    Args:
        library: Makes them.
    """

    def __init__(self, library: KernelLibrary) -> None:
        self._library = library
        self._known: WeakKeyDictionary[Shared, dict[Type, Container]] = WeakKeyDictionary()
        self._lock = threading.RLock()
        self._release: Callable[[None, int], int] | None = None

    def of(self, shared: Shared, type: Type) -> Container:
        """The container of a type; made empty at the first call."""
        with self._lock:
            known = self._known.setdefault(shared, {})
            if type not in known:
                known[type] = self._make(type)
            return known[type]

    def _make(self, type: Type) -> Container:
        if self._release is None:
            address = self._library.address(kernel_symbol("object_release"))
            self._release = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
        out = ctypes.c_void_p()
        kernel = "cache_state" if isinstance(type, ListType) else "dict_new"
        self._library.call(kernel, self._library.types.address(type), ctypes.byref(out))
        assert out.value is not None
        return Container(out.value, type, self._release)

    def counts(self, held: Shared, state: Shared) -> tuple[int, int, int]:
        """Hits and misses of a cache, and how much it keeps."""
        out = (ctypes.c_int64 * 3)()
        self._call("cache_counts", held, state, ctypes.byref(out))
        return out[0], out[1], out[2]

    def clear(self, held: Shared, state: Shared) -> None:
        """Empty a cache."""
        self._call("cache_clear", held, state)

    def dress(self, function: Any, source: PythonFunction | None) -> Any:
        """Give a function with a cache what `functools.lru_cache` gives; returns it."""
        if source is None or source.cache is None:
            return function
        cache = source.cache

        def cache_info() -> CacheInfo:
            """Hits, misses, how much is kept at most, and how much is."""
            hits, misses, size = self.counts(cache.held, cache.state)
            return CacheInfo(hits, misses, cache.maxsize, size)

        def cache_clear() -> None:
            """Forget everything."""
            self.clear(cache.held, cache.state)

        def cache_parameters() -> dict[str, object]:
            """What the cache was made with."""
            return {"maxsize": cache.maxsize, "typed": cache.typed}

        function.cache_info, function.cache_clear = cache_info, cache_clear
        function.cache_parameters = cache_parameters
        return function

    def _call(self, kernel: str, held: Shared, state: Shared, *more: object) -> None:
        """Call a kernel for a cache, unless no code has been linked with it."""
        with self._lock:
            known = [c for shared in (held, state) for c in self._known.get(shared, {}).values()]
        if len(known) == 2:
            self._library.call(kernel, *(c.address for c in known), *more)


def numbered(program: Program) -> Mapping[int, Shared]:
    """The shared containers of a program that was read from a text, by the numbers they have there."""
    constants = [n.value for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Const)]
    return {value.number: value for value in constants if isinstance(value, Shared) and value.number is not None}


__all__ = ["Container", "Containers", "numbered"]
