"""`KernelLibrary`: the native library; each function is compiled at its first use.

A kernel is lowered from its dialect source, compiled with everything it calls as internal copies, and loaded. The
object is found by the sources of the kernel and of what lowers it (`tscript.pipeline.recipes`), so in later processes a
kernel costs reading three small files and its object. Archives that are trusted bring kernels along, which are taken
before anything is looked for.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tscript.abi.layout import CONTEXT, MAX_DEPTH, NO_STACK, OBJECT_VERSION
from tscript.abi.mode import IS_CHECKED
from tscript.abi.symbols import kernel_symbol, split_kernel_symbol, split_type_symbol
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.prebuilt import Prebuilt, of_process
from tscript.once import once
from tscript.room import Room
from tscript.runtime.values.errors import Errors

if TYPE_CHECKING:
    from tscript.archive import Kernels, NativeKernel
    from tscript.pipeline import Compiled, Compiler, KernelSource
    from tscript.runtime.values.typeinfo import TypeInfos
    from tscript.types import Type

BOUNDARY = (
    (
        "tscript.runtime.boundary.dialect_modules",
        "tscript.runtime.boundary.native.module",
        "tscript.runtime.boundary.pool.module",
    ),
    ("tscript.runtime.boundary.native_module", "tscript.runtime.session.pool", "tscript.runtime.session.runtime"),
)
"""The modules that make the boundary and the pool of threads, with all they import, and those that say what of it."""

AROUND = (__name__, "tscript.runtime.kernels.library")
"""The modules that say which function a kernel is."""

_PROTOTYPE = ctypes.PYFUNCTYPE(ctypes.c_int)  # made once: each is a new class


class KernelLibrary:
    """Addresses of runtime symbols.

    Args:
        compiler: Gives what compiles kernels.
        errors: Converts the exceptions of kernels.
        room: Runs the compiler.
        prebuilt: Has kernels that need not be compiled; None: all do.

    Attributes:
        prepare: Called once, before the first kernel is loaded: what no native value may be there without.
        generator: The class of generators of random tensors.
    """

    def __init__(
        self, compiler: Callable[[], Compiler], errors: Errors, room: Room, prebuilt: Prebuilt | None = None
    ) -> None:
        self._compiler = compiler
        self._errors = errors
        self._addresses: dict[str, int] = {}
        self._makers: dict[str, Callable[[], Mapping[str, int]]] = {}
        self._tables: list[object] = []
        self._offered: dict[tuple[str, str], dict[str, NativeKernel]] = {}
        self.prepare: Callable[[], None] | None = None
        self.generator: type | None = None
        self._lock = threading.RLock()
        self._room = room
        self._prebuilt = prebuilt
        if prebuilt is not None:
            prebuilt.resolve = self._external

    @once
    def types(self) -> TypeInfos:
        """Types at run time."""
        from tscript.runtime.values.typeinfo import TypeInfos

        return TypeInfos(lambda type: self._compiler().class_again(type), lambda: self.generator)

    def sweep(self) -> None:
        """Free what is left of types that nothing needs."""
        if "types" in vars(self):
            self.types.sweep()

    def define(self, symbols: Mapping[str, int]) -> None:
        """Define symbols that are not kernels: the heap, functions of the boundary, BLAS."""
        self._addresses.update(symbols)

    def provide(self, symbols: Iterable[str], make: Callable[[], Mapping[str, int]]) -> None:
        """Define symbols whose addresses `make` returns at the first request for one of them."""
        self._makers.update(dict.fromkeys(symbols, make))

    def take(self, kernels: Iterable[Kernels]) -> None:
        """Use the kernels of an archive whose native code is trusted, from now on and for all functions, as far as they
        are of this library and for this machine; those that were loaded before stay."""
        # Which library this is takes time to find out, and is asked for when a kernel is.
        runs = self._compiler().target.runs
        found = [k for k in kernels if not IS_CHECKED and k.abi == OBJECT_VERSION and runs(k.triple, k.features)]
        with self._lock:
            for one in found:
                known = self._offered.setdefault((one.library, one.features), {})
                for symbol, kernel in one.kernels.items():
                    if symbol not in self._addresses:
                        known.setdefault(symbol, kernel)

    def _from_archive(self, symbol: str) -> NativeKernel | None:
        """A kernel that an archive brought: of several the one that uses most features. It is given once."""
        having = [key for key, kernels in list(self._offered.items()) if symbol in kernels]
        fitting = [key for key in having if key[0] == self._compiler().library]
        best = max(fitting, key=lambda key: key[1].count("+"), default=None)
        found = None if best is None else self._offered[best][symbol]
        for key in having:
            self._offered[key].pop(symbol, None)
        return found

    def address(self, symbol: str) -> int:
        """The address of a runtime symbol; a kernel is built and loaded if it is not yet.

        Raises:
            InternalError: There is no such symbol.
        """
        found = self._addresses.get(symbol)
        if found is None and (type := self.type_of(symbol)) is not None:
            return self.types.address(type)
        if found is None and symbol in self._makers:
            # Not under the lock: `make` may wait for a kernel.
            self._addresses.update(self._makers[symbol]())
            found = self._addresses[symbol]
        if found is None:
            found = self._room.run(self._made, symbol)
        return found

    def type_of(self, symbol: str) -> Type | None:
        """The type of the `TypeInfo` with this symbol; None for other symbols. Its address is valid while something
        refers to the type."""
        text = split_type_symbol(symbol)
        if text is None:
            return None
        from tscript.types import parse_type

        return parse_type(text, self._compiler().classes)

    def _made(self, symbol: str) -> int:
        with self._lock:
            self._prepared()
            found = self._addresses.get(symbol)
            if found is None:
                found = self._addresses[symbol] = self._build(symbol)
        return found

    def _prepared(self) -> None:
        with self._lock:
            prepare, self.prepare = self.prepare, None
            if prepare is not None:
                try:
                    prepare()
                except BaseException:
                    self.prepare = prepare
                    raise

    def _build(self, symbol: str) -> int:
        if self._prebuilt is not None and symbol in self._prebuilt:
            return self._prebuilt.address(symbol)
        from tscript.abi.tables import TABLES

        if symbol in TABLES:
            table = ctypes.create_string_buffer(TABLES[symbol]())
            self._tables.append(table)
            return ctypes.addressof(table)
        given = self._from_archive(symbol)
        if given is not None:
            from tscript.diagnostics import InternalError

            try:
                return self._loaded(symbol, given.data, given.externals)
            except (LoadError, InternalError):  # it needs what this runtime lacks; its source does not
                pass
        compiled = compiled_kernel(self._compiler(), symbol)
        return self._loaded(symbol, compiled.object, compiled.externals)

    def _loaded(self, symbol: str, data: bytes, externals: Iterable[str]) -> int:
        imports = {external: self.address(external) for external in externals}
        return self._compiler().session.load(data, [symbol], imports).address(symbol)

    def _external(self, symbol: str) -> int:
        """The address of a symbol that the prebuilt library needs: one of the runtime, or of the process."""
        self._prepared()
        found = self._addresses.get(symbol)
        if found is None:
            found = self.address(symbol) if symbol.startswith("ts_") else of_process(symbol)
        return found

    def call(self, name: str, *args: Any) -> None:
        """Call the kernel `name` from Python. The native arguments follow the context, which is made here.

        Raises:
            Exception: The error of the kernel.
        """
        context = CONTEXT.ctype()
        context.depth, context.stack = MAX_DEPTH, NO_STACK
        function = _PROTOTYPE(self.address(kernel_symbol(name)))
        passed = [ctypes.c_int64(a) if isinstance(a, int) else a for a in args]
        function.argtypes = [ctypes.c_void_p, *(type(a) if not _is_reference(a) else ctypes.c_void_p for a in passed)]
        if function(ctypes.addressof(context), *passed):
            raise self._errors.exception_of(ctypes.addressof(context))


def named(symbol: str) -> tuple[str, dict[str, Type]]:
    """The name of a kernel, and what its type variables are bound to.

    Raises:
        InternalError: It is no symbol of a kernel.
    """
    from tscript.diagnostics import InternalError
    from tscript.types import MACHINE

    parts = split_kernel_symbol(symbol)
    if parts is None:
        raise InternalError(f"there is no runtime symbol {symbol}")
    return parts[0], dict(zip(("T", "U", "V"), (MACHINE[m] for m in parts[1]), strict=False))


def compiled_kernel(compiler: Compiler, symbol: str) -> Compiled:
    """The object of a kernel.

    Raises:
        InternalError: There is no kernel of that symbol.
    """
    name, bindings = named(symbol)
    return compiler.kernel(partial(source_of, name), bindings, symbol)


def is_kernel(symbol: str) -> bool:
    """Whether a runtime symbol is that of a kernel, and not of data or a function of the boundary."""
    parts = split_kernel_symbol(symbol)
    return parts is not None and parts[0] in kernels()


@cache
def kernels() -> Mapping[str, Callable[..., Any]]:
    """All kernels by symbol."""
    from tscript.definitions.opdef import Kernel, Native
    from tscript.operators.table import TABLE
    from tscript.runtime.kernels.library import library

    implementations = [op.implementation for op in TABLE if isinstance(op.implementation, Kernel | Native)]
    bodies = [i.body for i in implementations if i.body is not None]
    return library(bodies + [k.for_arrays.body for k in implementations if isinstance(k, Kernel) and k.for_arrays])


def source_of(name: str) -> KernelSource:
    """The dialect function of a kernel, what it shares with others, and where both are said."""
    from tscript.diagnostics import InternalError
    from tscript.runtime.kernels.library import CORE, SHARED

    found = kernels()
    if name not in found:
        raise InternalError(f"there is no kernel {name}")
    # The core kernels are used by every tensor: there a call costs more than a copy.
    before = SHARED[: SHARED.index(name)] if name in SHARED else SHARED
    shared = () if name in CORE else (*CORE, *before)
    functions = {core: found[core] for core in shared}
    places = {(f.__name__, f.__code__.co_filename): kernel_symbol(core) for core, f in functions.items()}
    return found[name], places, AROUND


def _is_reference(value: object) -> bool:
    return not isinstance(value, ctypes.c_int64)
