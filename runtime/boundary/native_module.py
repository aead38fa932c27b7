"""`NativeModule`: the boundary module, compiled and loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from tscript.abi.python import TUPLE_ITEMS
from tscript.abi.signature import parse_signature
from tscript.backend.loader.prebuilt import BOUNDARY, Prebuilt
from tscript.runtime.values.interpreter import check_interpreter

if TYPE_CHECKING:
    from tscript.backend.llvm.emitted import Emitted
    from tscript.backend.llvm.target import Target

COMMON_SIGNATURES = (
    *("T:T", "TT:T", "Tf:T", "fT:T", "Ti:T", "iT:T", "Tb:T", "TTT:T"),
    *("T_:T", "TT_:T", "Tf_:T", "Ti_:T", "T__:T", "_T:T"),
    *("T:f", "T:i", "T:b", "T:d", "T:(i)", "T:(ii)", "T:(iii)", "f:f", "ff:f", "fff:f", "i:i", "ii:i", "i:f", "f:i"),
    *("if:f", "fi:f", "ii:b", "ff:b", "i:b", "f:b", ":N", "T:N", "TT:N", "TTf:T", "Tii:T", "T(i):T", "T(ii):T"),
    *("A:A", "AA:A", "AAA:A", "Af:A", "fA:A", "Ai:A", "iA:A", "A:f", "A:i", "A:N", "AA:N"),
)
"""Signatures whose stubs are part of the boundary module, so that they cost no compilation of their own."""


class Loader(Protocol):
    """Compiles LLVM modules and loads them."""

    def __call__(
        self,
        write: Callable[[], Emitted],
        exports: Sequence[str],
        imports: Mapping[str, int] | Callable[[Sequence[str]], Mapping[str, int]],
        *,
        name: str = "",
        is_stub: bool = False,
    ) -> tuple[Mapping[str, int], object]:
        """The addresses of `exports`, and what keeps them valid.

        Args:
            write: Makes the module.
            exports: Symbols it defines.
            imports: Addresses of symbols it declares, or what returns those of the symbols of the runtime among them;
                all others come from the process.
            name: With the sources of the compiler and the runtime it says what the module is, so that a kept object is
                found without it; empty: only its text says that.
            is_stub: It is one of many small ones, for which all sources of the package count.
        """


class NativeModule:
    """The module that `module.MODULES` make. It is never unloaded.

    Args:
        load: Compiles and loads it.
        target: What it is for.
        prebuilt: Has it if it need not be compiled.

    Attributes:
        load: As given.
        target: As given.
        prebuilt: As given.
        addresses: Of its symbols.
        symbols: Of those that native code may reference (``ts_safepoint_v1`` …).

    Raises:
        UnsupportedInterpreterError: The running Python is not one it knows.
    """

    def __init__(self, load: Loader, target: Target, prebuilt: Prebuilt | None = None) -> None:
        check_interpreter()
        self.load = load
        self.target = target
        self.prebuilt = prebuilt
        shipped = () if prebuilt is None else prebuilt.module(BOUNDARY)
        self.addresses = self._compiled() if prebuilt is None or not shipped else prebuilt.addresses(shipped)
        self.symbols: Mapping[str, int] = {name: at for name, at in self.addresses.items() if name.startswith("ts_")}

    def _compiled(self) -> Mapping[str, int]:
        from tscript.runtime.boundary.dialect_modules import emit_modules, exports_of
        from tscript.runtime.boundary.native.module import MODULES

        common = [parse_signature(s) for s in COMMON_SIGNATURES]
        write = partial(emit_modules, MODULES, self.target, common, TUPLE_ITEMS)
        exports = {*exports_of(MODULES), *(s.symbol for s in common)}
        addresses, keepalive = self.load(write, sorted(exports), {}, name=f"boundary {TUPLE_ITEMS}")
        # Objects whose deallocation runs code of the module may die after everything else at interpreter shutdown.
        leak(keepalive)
        return addresses

    def address(self, symbol: str) -> int:
        """Address of a symbol of the module that the Python half uses."""
        return self.addresses[symbol]

    def bind(self, symbol: str, result: Any, *parameters: Any) -> Callable[..., Any]:
        """A function of the module that needs the GIL, to call from Python."""
        return ctypes.PYFUNCTYPE(result, *parameters)(self.addresses[symbol])

    def set_pointer(self, symbol: str, value: object, index: int = 0) -> None:
        """Store a reference to `value` in a global of the module; it is kept alive for ever."""
        leak(value)
        ctypes.c_void_p.from_address(self.addresses[symbol] + 8 * index).value = id(value)


def leak(thing: object) -> None:
    """One reference that is never given back."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
