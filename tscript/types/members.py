"""Members of enums as constants where no type beside them says which enum they are of: in the defaults of parameters.

A `Const` has the type of what it holds, so it holds the name of a member alone: `by_name` makes the one of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tscript.late import dataclass
from tscript.types.types import EnumType


@dataclass(frozen=True, slots=True, repr=False)
class EnumMember:
    """A member of an enum."""

    type: EnumType
    name: str

    @property
    def python(self) -> object:
        """The member of the Python class."""
        members: Any = self.type.info.python
        return members[self.name]

    @property
    def value(self) -> object:
        """What it stands for."""
        return self.type.info.members[self.name]

    def __repr__(self) -> str:
        return f"{self.type.info.name.rpartition('.')[2]}.{self.name}"


def by_name(constant: object) -> object:
    """A constant as a `Const` of its type holds it."""
    if isinstance(constant, tuple):
        return tuple(map(by_name, constant))
    return constant.name if isinstance(constant, EnumMember) else constant


def in_python(constant: object) -> object:
    """A constant as Python has it."""
    if type(constant) is tuple:
        return tuple(map(in_python, constant))
    return constant.python if isinstance(constant, EnumMember) else constant


def members_in(constant: object) -> Iterator[EnumMember]:
    """The members in a constant."""
    if isinstance(constant, EnumMember):
        yield constant
    elif isinstance(constant, tuple):
        for element in constant:
            yield from members_in(element)
