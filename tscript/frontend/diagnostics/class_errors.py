"""The frontend's errors about classes, enums and named tuples: TS24x. See `tscript.frontend.diagnostics.errors`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.diagnostics import Note, Span, diagnostic
from tscript.frontend.diagnostics.errors import FrontendError


@diagnostic
class UnknownField(FrontendError):
    """An attribute is assigned that ``__init__`` does not create."""

    code: ClassVar[str] = "TS241"
    python: ClassVar[type[Exception]] = AttributeError
    title: ClassVar[str] = "{owner} has no attribute '{name}' to assign to"
    help: ClassVar[str] = "{instead}"

    owner: str
    name: str
    instead: str


@diagnostic
class FieldNotSet(FrontendError):
    """An attribute is read before it is assigned, or some path through ``__init__`` does not assign it."""

    code: ClassVar[str] = "TS242"
    python: ClassVar[type[Exception]] = AttributeError
    title: ClassVar[str] = "attribute '{name}' {problem}"
    help: ClassVar[str] = "{instead}"

    name: str
    problem: str
    instead: str = "assign it before, at the beginning of '__init__'"


@diagnostic
class FieldType(FrontendError):
    """A value is assigned to an attribute of another type."""

    code: ClassVar[str] = "TS243"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "attribute '{name}' of {owner} must be {wanted}, not {found}"
    label: ClassVar[str] = "{found} here"
    help: ClassVar[str] = "{instead}"

    owner: str
    name: str
    wanted: str
    found: str
    instead: str


@diagnostic
class FieldTypeUnknown(FrontendError):
    """The type of an attribute cannot be inferred."""

    code: ClassVar[str] = "TS244"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot infer the type of the attribute '{name}' of {owner}"
    help: ClassVar[str] = "declare it in the class: '{name}: {example}'"

    owner: str
    name: str
    example: str


@diagnostic
class FrozenField(FrontendError):
    """An attribute of a frozen dataclass, a property or a method is assigned to."""

    code: ClassVar[str] = "TS245"
    python: ClassVar[type[Exception]] = AttributeError
    title: ClassVar[str] = "cannot assign to '{name}' of {owner}: {why}"
    help: ClassVar[str] = "{instead}"

    owner: str
    name: str
    why: str
    instead: str


@diagnostic
class UnsupportedClass(FrontendError):
    """A class contains something that cannot be compiled."""

    code: ClassVar[str] = "TS246"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} cannot be compiled"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


@diagnostic
class OverrideDiffers(FrontendError):
    """A method of a derived class does not match the one it overrides."""

    code: ClassVar[str] = "TS247"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{derived}' does not match '{base}', which it overrides: {why}"
    help: ClassVar[str] = "{instead}"

    derived: str
    base: str
    why: str
    instead: str
    call: Span | None = None

    def places(self) -> Sequence[Note]:
        """The call that may reach both."""
        return [] if self.call is None else [Note(self.call, "this call may reach either of them")]


@diagnostic
class NoMember(FrontendError):
    """An enum has no member with this name or value."""

    code: ClassVar[str] = "TS248"
    python: ClassVar[type[Exception]] = ValueError
    title: ClassVar[str] = "{problem}"
    help: ClassVar[str] = "{instead}"

    problem: str
    instead: str


@diagnostic
class AbstractClass(FrontendError):
    """A class with abstract methods is instantiated."""

    code: ClassVar[str] = "TS249"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{owner} has abstract methods ({names}), so it cannot be instantiated"
    help: ClassVar[str] = "instantiate a derived class that defines them"

    owner: str
    names: str
