"""What classes, enums and named tuples are made of. One object per class; types compare it by identity.

They come and go: nothing that lasts may refer to them. What other layers make for a class is in its `Declared.made`,
and goes with it; `TypeTable` has a place for what is made for any type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tscript.late import dataclass, field
from tscript.types.base import Type
from tscript.types.declared import Declared


@dataclass(eq=False, slots=True)
class ClassInfo(Declared):
    """A class of the language. It is filled while its source is read; afterwards nothing changes, but that `fields` of
    which the source leaves something `open` get their types from the first instance.

    Attributes:
        name: Unique in the process: ``module.Class``, with a number behind it for a second one of that name.
        python: The Python class; None for one that came from an archive or a text.
        base: The base class besides `object`, or None.
        beside: The builtin exception class that an exception class derives from besides its base, or None.
        fields: Names and types of all attributes, those of the base first.
        flags: `tscript.abi.layout.CLASS_...`.
        special: Special methods that it or a base defines itself, by name: ``__eq__``, ``__repr__`` …
        late: Those of `fields` that something may read before they are set: an `AttributeError`, so each says whether
            it is.
        open: Those of `fields` whose types leave something to the first instance.
        guessed: The declared types of those of which the first instance does not say all: None, or an empty container.
        is_fixed: Whether there is code for the types of its fields.
        is_module: Whether instances are modules: dtype and rank of their tensors are known, and checked by each call.
    """

    name: str
    python: type | None = None
    base: ClassInfo | None = None
    fields: dict[str, Type] = field(default_factory=dict)
    flags: int = 0
    special: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    guessed: dict[str, Type] = field(default_factory=dict)
    is_fixed: bool = False
    beside: ClassInfo | None = None
    is_module: bool = False

    @property
    def bases(self) -> tuple[ClassInfo, ...]:
        """The class itself and all it derives from, nearest first."""
        out: list[ClassInfo] = []
        at: ClassInfo | None = self
        while at is not None:
            out.append(at)
            at = at.base
        return tuple(out)

    def derives_from(self, other: ClassInfo) -> bool:
        """Whether instances are instances of `other`."""
        return any(
            info is other or (info.beside is not None and info.beside.derives_from(other)) for info in self.bases
        )


@dataclass(eq=False, slots=True)
class EnumInfo(Declared):
    """An enum.

    Attributes:
        name: Unique in the process.
        members: Name and value of each member (aliases are not among them), in order.
        python: The Python class, or None.
        kind: What members are besides: ``int``, ``str``, or nothing.
    """

    name: str
    members: Mapping[str, object]
    python: type | None = None
    kind: str = ""


@dataclass(eq=False, slots=True)
class NamedTupleInfo(Declared):
    """A named tuple.

    Attributes:
        name: Unique in the process.
        fields: Names of its elements.
        defaults: Constants, by field.
        python: The Python class, or None.
        typed: If its fields leave something open: returns the type of those whose elements are of some types; None if
            other types are declared.
    """

    name: str
    fields: tuple[str, ...]
    defaults: Mapping[str, object] = field(default_factory=dict)
    python: type | None = None
    typed: Callable[[tuple[Any, ...]], Any] | None = None
