"""What is known about types, and goes with the classes in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast

from tscript.types.base import Type

V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., Any])

_CACHES: list[Any] = []


def kept_by_type(function: F) -> F:
    """`functools.cache` for a function of types: what it knows is forgotten now and then (`forget_types`).

    Example:
        >>> from tscript.types import INT, ListType
        >>> @kept_by_type
        ... def text(type):
        ...     return f"<{type}>"
        >>> text(ListType(INT))
        '<list[int]>'
    """
    cached = lru_cache(maxsize=4096)(function)
    _CACHES.append(cached)
    return cast(F, cached)


def forget_types() -> None:
    """Forget what functions of types have found out, and with that the types."""
    for cached in _CACHES:
        cached.cache_clear()


class TypeTable(Generic[V]):
    """A table with types as keys. An entry goes when one of the classes does that its type names.

    What lies in it may refer to its type.

    Example:
        >>> from tscript.types import INT
        >>> table = TypeTable[str]()
        >>> table.add(INT, "a number")
        'a number'
        >>> table.get(INT)
        'a number'
    """

    __slots__ = ("_plain",)

    def __init__(self) -> None:
        self._plain: dict[Type, V] = {}

    def get(self, type: Type) -> V | None:
        """What lies there, or None."""
        owner = type.owner
        if owner is None:
            return self._plain.get(type)
        found: V | None = owner.made.get((self, type))
        return found

    def add(self, type: Type, value: V) -> V:
        """Put something there, unless another thread did; gives what is there."""
        owner = type.owner
        if owner is None:
            return self._plain.setdefault(type, value)
        found: V = owner.made.setdefault((self, type), value)
        return found

    def __iter__(self) -> Iterator[Type]:
        """The types that name no class."""
        return iter(tuple(self._plain))


__all__ = ["TypeTable", "forget_types", "kept_by_type"]
