"""The native containers behind `Shared` constants, one for each and its type, and what Python asks caches."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tscript.abi.symbols import kernel_symbol
from tscript.ir.builder import Builder
from tscript.ir.graph import Const, Graph, Program, walk
from tscript.ops.caches import CLEAR, COUNTS, CacheInfo, Shared
from tscript.ops.opdef import OpDef
from tscript.types import INT, NONE, ListType, TupleType, Type

if TYPE_CHECKING:
    from tscript.frontend import PythonFunction
    from tscript.runtime.call import Specialisation
    from tscript.runtime.process import Runtime


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
        runtime: Makes them, and runs what Python asks of caches.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._known: WeakKeyDictionary[Shared, dict[Type, Container]] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[Shared, dict[str, Specialisation]] = WeakKeyDictionary()
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
        library = self._runtime.library
        if self._release is None:
            address = library.address(kernel_symbol("object_release"))
            self._release = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
        out = ctypes.c_void_p()
        kernel = "cache_state" if isinstance(type, ListType) else "dict_new"
        library.call(kernel, library.types.address(type), ctypes.byref(out))
        assert out.value is not None
        return Container(out.value, type, self._release)

    def counts(self, held: Shared, state: Shared) -> tuple[int, int, int]:
        """Hits and misses of a cache, and how much it keeps."""
        found: tuple[int, int, int] | None = self._ask(COUNTS, held, state)
        return found or (0, 0, 0)

    def clear(self, held: Shared, state: Shared) -> None:
        """Empty a cache."""
        self._ask(CLEAR, held, state)

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

    def _ask(self, op: OpDef, held: Shared, state: Shared) -> Any:
        """Run an operator on a cache; None when no code has been linked with it. Like all code it may wait for the cache, without
        the GIL."""
        with self._lock:
            types = list(self._known.get(held, ()))
            asked = self._asked.setdefault(held, {})
        if not types:
            return None
        code = asked.get(op.name)
        if code is None:
            result = TupleType((INT, INT, INT)) if op is COUNTS else NONE
            graph = Graph(op.schema.name, [], result)
            builder = Builder(graph.body)
            given = builder.const(held, type=types[0]), builder.const(state, type=ListType(INT))
            builder.return_(builder.op(op, *given))
            code = asked[op.name] = self._runtime.room.run(self._linked, Program(graph.name, [graph]))
        return self._runtime.native.invoke(code.signature, code.address, constants=code.constants)

    def _linked(self, program: Program) -> Specialisation:
        with self._runtime.compiling:
            return self._runtime.link(program, ())


def numbered(program: Program) -> Mapping[int, Shared]:
    """The shared containers of a program that was read from a text, by the numbers they have there."""
    constants = [n.value for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Const)]
    return {value.number: value for value in constants if isinstance(value, Shared) and value.number is not None}


__all__ = ["Container", "Containers", "numbered"]
