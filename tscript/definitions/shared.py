"""`Shared`: a container that code and threads share, where a cache outlives a call."""

from __future__ import annotations

import functools
from typing import Any

from tscript.abi.caches import WORDS
from tscript.types import INT, DictType, ListType, Type

LRU_CACHE: Any = type(functools.lru_cache(abs))
"""The class of what `functools.lru_cache` makes."""


class Shared:
    """A constant that is a container: all code that names it, in whatever thread, works on the same one.

    A dict is empty at first, a list of ints is the state of a cache. Only the operators of caches take it, which lock
    it. Compared by identity; each type that it is used as has a container of its own.

    Attributes:
        number: How the IR text that it was read from names it; None: it comes from no text.
        natives: The native container of each type, and code that asks them, which the runtime keeps here: they name
            classes, which may lead back here, and go together.
    """

    __slots__ = ("__weakref__", "_values", "natives", "number")

    def __init__(self, number: int | None = None) -> None:
        self.number = number
        self.natives: dict[object, Any] = {}
        self._values: dict[Type, Any] = {}

    def value(self, type: Type) -> Any:
        """The container as the interpreter sees it."""
        return self._values.setdefault(type, [0] * WORDS if isinstance(type, ListType) else {})

    @staticmethod
    def holds(type: Type) -> bool:
        """Whether there can be one of a type."""
        return isinstance(type, DictType) or type == ListType(INT)
