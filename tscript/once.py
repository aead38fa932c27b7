"""What is made at its first use: `once`, a property, and `LateTable`, the values of a table.

`once` is `functools.cached_property` that makes its value once, whatever threads ask for it. That was so up to Python
3.11; later ones let every thread make a value of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
W = TypeVar("W")

if TYPE_CHECKING:
    from functools import cached_property as once
else:

    class once(cached_property):  # noqa: N801 - it is written as a decorator
        """A property that is computed at the first use, by one thread, and kept."""

        def __init__(self, function: Callable[[Any], object]) -> None:
            super().__init__(function)
            self._making = threading.RLock()

        def __get__(self, instance: object, owner: type | None = None) -> object:
            if instance is None:
                return self
            with self._making:
                return super().__get__(instance, owner)


class LateTable(Mapping[K, V]):
    """A table with values that are imported at their first use.

    Args:
        make: Import the values; none of them is None.
        made: Values that are there.

    Example:
        >>> table = LateTable({2: lambda: "two"}, {1: "one"})
        >>> table[2], table.get(3), sorted(table | LateTable({}, {3: "three"}))
        ('two', None, [1, 2, 3])
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Mapping[K, Callable[[], V]], made: Mapping[K, V] | None = None) -> None:
        self._make, self._made = make, dict(made or {})

    def __getitem__(self, key: K) -> V:
        found = self._made.get(key)
        if found is None:
            found = self._made.setdefault(key, self._make[key]())  # one thread's value is that of all
        return found

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, /, default: V | W) -> V | W: ...
    def get(self, key: K, /, default: object = None) -> object:
        """The value of a key; the default where there is none."""
        found = self._made.get(key)
        return found if found is not None else self[key] if key in self._make else default

    def __iter__(self) -> Iterator[K]:
        yield from [key for key in list(self._made) if key not in self._make]
        yield from self._make

    def __len__(self) -> int:
        return len({*self._made, *self._make})

    def __contains__(self, key: object) -> bool:
        return key in self._made or key in self._make

    def __or__(self, other: LateTable[K, W]) -> LateTable[K, V | W]:
        """Both tables; of two values of a key that of `other`."""
        made: dict[K, V | W] = {key: value for key, value in self._made.items() if key not in other}
        make: dict[K, Callable[[], V | W]] = {**self._make, **other._make}
        return LateTable(make, made | other._made)


__all__ = ["LateTable", "once"]
