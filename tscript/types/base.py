"""`Type`: the base of all types, compared by what they are made of, within limits."""

from __future__ import annotations

from typing import Any

from tscript.late import dataclass, field
from tscript.types.declared import Declared

MAX_PARTS = 1 << 15
"""Parts of one type, those of its parts included; what occurs twice counts twice."""
MAX_LEVELS = 64
"""Types inside each other."""
MAX_MEMBERS = 64
"""Types of one union."""


class TypeLimitError(ValueError):
    """A type would be larger than a limit. Code that iterates over the parts of a type relies on these limits."""


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """Base of all types.

    Types are compared by what they are made of. As parts may be shared, a type can be far larger than the text that
    made it: its size is computed once, from those of its parts, and limited.

    Attributes:
        parts: How many types it is made of, itself included: what occurs twice counts twice.
        levels: How many of them are inside each other.
        owner: Of the classes, enums and named tuples in it, what was declared last; None: there are none. What lasts
            must not refer to the type then (`TypeTable`).

    Raises:
        TypeLimitError: It would have more than `MAX_PARTS` parts or `MAX_LEVELS` levels.
    """

    parts: int = field(init=False, repr=False, default=1)
    levels: int = field(init=False, repr=False, default=0)
    owner: Declared | None = field(init=False, repr=False, default=None)
    _made_of: tuple[object, ...] = field(init=False, repr=False, default=())
    _hash: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        made_of = tuple([getattr(self, name) for name in _fields(self)])
        parts, levels = 1, 0
        owner = next((part for part in made_of if isinstance(part, Declared)), None)
        for inner in _types_in(made_of):
            parts += inner.parts
            if inner.levels >= levels:
                levels = inner.levels + 1
            if inner.owner is not None and (owner is None or owner.serial < inner.owner.serial):
                owner = inner.owner
        if parts > MAX_PARTS:
            raise TypeLimitError(f"a type has at most {MAX_PARTS:,} parts, this {_kind(self)} would have {parts:,}")
        if levels > MAX_LEVELS:
            raise TypeLimitError(f"a type has at most {MAX_LEVELS} levels, this {_kind(self)} would have {levels}")
        put = object.__setattr__
        put(self, "parts", parts)
        put(self, "levels", levels)
        put(self, "owner", owner)
        put(self, "_made_of", made_of)
        put(self, "_hash", hash((self.__class__, made_of)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Type) or other.__class__ is not self.__class__:
            return False
        return self._hash == other._hash and self._made_of == other._made_of

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return (self.__class__, self._made_of)

    @property
    def made_of(self) -> list[Type]:
        """The types it is made of, in order: elements, parameters and result, key and value. Fields of a class are
        none."""
        return _types_in(self._made_of)


def _fields(type: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = type.__match_args__
    return names


def _types_in(made_of: tuple[object, ...]) -> list[Type]:
    found: list[Type] = []
    for part in made_of:
        if isinstance(part, Type):
            found.append(part)
        elif isinstance(part, tuple):
            found += part
    return found


def _kind(type: Type) -> str:
    return type.__class__.__name__.removesuffix("Type").lower()
