"""The native containers behind `Shared` constants, one for each and its type."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tscript.abi.symbols import kernel_symbol
from tscript.definitions.shared import Shared
from tscript.runtime.session.build import KernelLibrary
from tscript.types import ListType, Type

if TYPE_CHECKING:
    from tscript.ir.graph import Program


class Container:
    """A native dict or list, of which it owns a reference. It does not refer to its type: code keeps it as long as its
    memory exists, and the type may refer to the code.

    Attributes:
        address: Its address; 0: it was garbage and is freed, although a class that names it may have been rescued.
    """

    __slots__ = ("__weakref__", "_release", "address")

    def __init__(self, address: int, release: Callable[[None, int], int]) -> None:
        self.address = address
        self._release = release

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        address, self.address = self.address, 0
        if not is_finalizing():
            self._release(None, address)


class Containers:
    """The shared containers of this process. They live as long as their constant, or code that is linked with them.

    Args:
        library: Creates them.
    """

    def __init__(self, library: KernelLibrary) -> None:
        self._library = library
        self._lock = threading.RLock()
        self._release: Callable[[None, int], int] | None = None

    def of(self, shared: Shared, type: Type) -> Container:
        """The container of a type; created empty at the first call."""
        with self._lock:
            found: Container | None = shared.natives.get(type)
            if found is None or not found.address:
                found = shared.natives[type] = self._make(type)
            return found

    def _make(self, type: Type) -> Container:
        if self._release is None:
            address = self._library.address(kernel_symbol("object_release"))
            self._release = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
        out = ctypes.c_void_p()
        kernel = "cache_state" if isinstance(type, ListType) else "dict_new"
        self._library.call(kernel, self._library.types.address(type), ctypes.byref(out))
        assert out.value is not None
        return Container(out.value, self._release)


def numbered(program: Program) -> Mapping[int, Shared]:
    """The shared containers of a program that was parsed, by their numbers in the text."""
    from tscript.ir.graph import Const, walk

    constants = [n.value for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Const)]
    return {value.number: value for value in constants if isinstance(value, Shared) and value.number is not None}


__all__ = ["Container", "Containers", "numbered"]
