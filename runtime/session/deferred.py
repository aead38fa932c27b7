"""`Deferred`: the slow path of a scripted function that is checked at its first call."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from tscript.diagnostics import CompileError, InternalError

if TYPE_CHECKING:
    from tscript.runtime.boundary.callables import Miss


class Deferred:
    """The slow path of a function that is checked at its first call: from then on it has its parameters natively.

    Args:
        scripted: The function.
        miss: Its slow path.
    """

    def __init__(self, scripted: Any, miss: Miss) -> None:
        self._scripted = weakref.proxy(scripted)
        self._miss = miss
        self._is_waiting = True

    def miss(self, function: Any, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        """Answer a call."""
        if self._is_waiting:
            self._settle(function, args)
        return self._miss(function, args, kwargs)

    def _settle(self, function: Any, args: tuple[object, ...]) -> None:
        scripted = self._scripted
        owner = scripted.owner_of
        if owner is not None and (place := owner.find(args)) is not None:
            owner.tell(*place)
        try:
            with scripted.linker.compiling:
                flags, names, defaults = scripted.linker.room.run(lambda: scripted.native_parameters)
                if self._is_waiting:
                    self._is_waiting = False
                    callables = scripted.linker.native.callables
                    callables.set_parameters(function, len(flags), flags, names=names, defaults=defaults)
        except (CompileError, InternalError):
            return  # the call reports it
