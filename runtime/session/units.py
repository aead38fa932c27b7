"""`Unit`: what the rows of one specialisation share, and its observed variants, compiled when they are needed."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from tscript.abi.boundary import UNIT

if TYPE_CHECKING:
    from tscript.backend.loader.loaded import LoadedCode

_NO_ROOM = (RecursionError, MemoryError)


class Unit:
    """The shared data of the rows of one specialisation (`tscript.abi.boundary.UNIT`).

    Args:
        site: Address of the `RecordSite` of calls from Python, or a function that returns it, called for the first
            variant.
        code: Address of the plain variant.
        variant: Compiles an observed variant (with fused groups or without) and returns its address and owner; None if
            the code has nothing to observe, like that of an eager operator.
    """

    __slots__ = ("_observed", "_site", "_words", "code", "name", "variant")

    def __init__(
        self,
        site: int | Callable[[], int],
        code: int,
        name: str,
        variant: Callable[[bool], tuple[int, LoadedCode]] | None,
    ) -> None:
        self._observed: list[LoadedCode] = []
        self._site = site
        self.code = code
        self.name = name
        self.variant = variant
        observed = 0 if variant else code
        known = site if isinstance(site, int) else 0
        self._words = (ctypes.c_int64 * (UNIT.size // 8))(known, observed, observed, id(self))

    @property
    def address(self) -> int:
        """Address of the words."""
        return ctypes.addressof(self._words)

    def build(self, granularity: int) -> int:
        """Compile the observed variant; if that fails, the plain one replaces it, with a warning."""
        assert self.variant is not None
        made: int = self._words[1 + granularity]
        if made:
            return made
        try:
            if not isinstance(self._site, int):
                self._words[0] = self._site = self._site()
            address, owner = self.variant(granularity == 0)
            self._observed.append(owner)
        except Exception as error:  # noqa: BLE001 - observing must never break the program
            if isinstance(error, _NO_ROOM) or isinstance(error.__cause__, _NO_ROOM):
                return self.code  # this time; the next call may have more stack
            warn(f"{self.name}() cannot be observed, its operators will not be seen by callbacks: {error}")
            if not self._words[0]:
                return self.code  # without a site there is nothing to make a record of
            address = self.code
        self._words[1 + granularity] = address
        return address


def warn(message: str) -> None:
    """Warn; never raise, whatever filters say."""
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    except Exception:  # noqa: BLE001 - a filter may make any exception of a warning
        with contextlib.suppress(Exception):
            sys.stderr.write(f"tscript: {message}\n")
