"""`Caches`: the Python interface of caches of compiled code, together with `functools.lru_cache`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from tscript.definitions.opdef import OpDef
from tscript.definitions.shared import Shared
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Program
from tscript.operators.python.caches import CLEAR, COUNTS, CacheInfo
from tscript.runtime.boundary.stubs import Stubs
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.session.call import Specialisation
from tscript.runtime.session.containers import Container
from tscript.runtime.session.linker import Linker
from tscript.types import INT, NONE, DictType, ListType, TupleType

if TYPE_CHECKING:
    from tscript.frontend import PythonFunction


class _Emptied:
    """Empties a cache that is garbage, so that its entries do not keep classes and code alive that lead back to it."""

    __slots__ = ("_empty", "_held", "_state")

    def __init__(self, empty: Callable[[int, int], None], held: Shared, state: Shared) -> None:
        self._empty = empty
        self._held, self._state = held.natives, state.natives

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if is_finalizing():
            return
        (state,) = [c.address for c in self._state.values() if isinstance(c, Container)] or [0]
        for held in [c.address for c in self._held.values() if isinstance(c, Container)]:
            if held and state:
                self._empty(held, state)
        self._held.clear()
        self._state.clear()


class Caches:
    """The Python interface of caches of compiled code.

    Args:
        stubs: Calls the compiled operators.
        library: Empties caches that are garbage.
        linker: Compiles the operators.
    """

    def __init__(self, stubs: Stubs, library: KernelLibrary, linker: Linker) -> None:
        self._stubs = stubs
        self._library = library
        self._linker = linker

    def counts(self, held: Shared, state: Shared) -> tuple[int, int, int]:
        """Hits, misses and size of a cache."""
        found: tuple[int, int, int] | None = self._ask(COUNTS, held, state)
        return found or (0, 0, 0)

    def clear(self, held: Shared, state: Shared) -> None:
        """Empty a cache."""
        self._ask(CLEAR, held, state)

    def dress(self, function: Any, source: PythonFunction | None) -> Any:
        """Give a function with a cache the methods of `functools.lru_cache`; returns it."""
        if source is None or source.cache is None:
            return function
        cache = source.cache
        self.watch(cache.held, cache.state)

        def cache_info() -> CacheInfo:
            """Hits, misses, maximum size, and size."""
            hits, misses, size = self.counts(cache.held, cache.state)
            return CacheInfo(hits, misses, cache.maxsize, size)

        def cache_clear() -> None:
            """Forget everything."""
            self.clear(cache.held, cache.state)

        def cache_parameters() -> dict[str, object]:
            """The parameters of the cache."""
            return {"maxsize": cache.maxsize, "typed": cache.typed}

        function.cache_info, function.cache_clear = cache_info, cache_clear
        function.cache_parameters = cache_parameters
        return function

    def watch(self, held: Shared, state: Shared) -> None:
        """Empty a cache once it is garbage."""
        held.natives[_Emptied] = _Emptied(partial(self._library.call, "cache_clear"), held, state)

    def beside(self, cache: Any, held: Shared, state: Shared, is_in_front: bool) -> None:
        """Let ``cache_info`` and ``cache_clear`` of one of Python's caches include a cache of compiled code.

        Args:
            cache: The `functools.lru_cache`.
            held, state: The other one.
            is_in_front: Whether a miss of that one calls `cache`.
        """
        info, clear = cache.cache_info, cache.cache_clear
        self.watch(held, state)

        @wraps(info)
        def cache_info() -> Any:
            own = info()
            hits, misses, size = self.counts(held, state)
            hits += own.hits
            return (
                own._replace(hits=hits)
                if is_in_front
                else type(own)(hits, own.misses + misses, own.maxsize, own.currsize + size)
            )

        @wraps(clear)
        def cache_clear() -> None:
            clear()
            self.clear(held, state)

        cache.cache_info, cache.cache_clear = cache_info, cache_clear

    def _ask(self, op: OpDef, held: Shared, state: Shared) -> Any:
        """Run an operator on a cache; None if no code has been linked with it. It may wait for the cache, without the
        GIL."""
        type = next((t for t in list(held.natives) if isinstance(t, DictType)), None)
        if type is None:
            return None
        code: Specialisation | None = held.natives.get(op.name)
        if code is None:
            result = TupleType((INT, INT, INT)) if op is COUNTS else NONE
            graph = Graph(op.schema.name, [], result)
            builder = Builder(graph.body)
            given = builder.const(held, type=type), builder.const(state, type=ListType(INT))
            builder.return_(builder.op(op, *given))
            code = held.natives[op.name] = self._linker.link_apart(lambda: Program(graph.name, [graph]))
        return self._stubs.invoke(code.signature, code.address, constants=code.constants)


__all__ = ["Caches"]
