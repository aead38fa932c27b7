"""The frontend's errors about lists, dicts, sets and strings: TS23x. See `tscript.frontend.diagnostics.errors`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from tscript.diagnostics import Note, Span, diagnostic
from tscript.frontend.diagnostics.errors import FrontendError
from tscript.ir.graph import Value
from tscript.types import NEVER, DictType, ListType, SetType, Type
from tscript.types.inference import is_open


@diagnostic
class ElementType(FrontendError):
    """An element is not of the container's element type."""

    code: ClassVar[str] = "TS231"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{part} must be {wanted}, not {found}"
    label: ClassVar[str] = "{found} here"
    help: ClassVar[str] = "{instead}"

    part: str
    wanted: str
    found: str
    instead: str
    first: Span | None = None

    def places(self) -> Sequence[Note]:
        """The element from which the type was inferred."""
        return [] if self.first is None else [Note(self.first, f"{self.wanted} here")]


@diagnostic
class UnhashableKey(FrontendError):
    """A dict key or set element has no hash."""

    code: ClassVar[str] = "TS232"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{found} cannot be a key of a dict or an element of a set: {problem}"
    help: ClassVar[str] = "{instead}"

    found: str
    problem: str
    instead: str


@diagnostic
class SpreadLength(FrontendError):
    """``(*xs, 1)`` with a value whose length is unknown at compile time."""

    code: ClassVar[str] = "TS233"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{found} has no fixed length, so it cannot be unpacked into a tuple"
    help: ClassVar[str] = "make a list: [*xs, 1]"

    found: str


@diagnostic
class OpenContainer(FrontendError):
    """The element type of an empty list, dict or set cannot be inferred."""

    code: ClassVar[str] = "TS234"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot infer the element type of this empty {container}"
    help: ClassVar[str] = "declare it where it begins: '{name}: {example} = ...'"

    container: str
    name: str
    example: str


def nothing_said(values: Iterable[Value], span: Span) -> OpenContainer | None:
    """The error about the use of an empty container, or of an element of one; None when `values` contain none."""
    for value in values:
        if value.type == NEVER:
            inputs = value.node.inputs if value.node is not None else ()
            return nothing_said(inputs[:1], span) or OpenContainer(span, "list", value.name or "xs", "list[int]")
        for kind, (what, example) in _EXAMPLES.items():
            if isinstance(value.type, kind) and is_open(value.type):
                return OpenContainer(span, what, value.name or {"list": "xs"}.get(what, what[0]), example)
    return None


_EXAMPLES: dict[type[Type], tuple[str, str]] = {
    ListType: ("list", "list[int]"),
    SetType: ("set", "set[int]"),
    DictType: ("dict", "dict[str, int]"),
}


@diagnostic
class SumType(FrontendError):
    """The type of a sum changes while the elements are added."""

    code: ClassVar[str] = "TS235"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "this sum begins as {start} and becomes {found}"
    help: ClassVar[str] = "give a start value of the result type: sum(xs, 0.0)"

    start: str
    found: str


@diagnostic
class SpreadArguments(FrontendError):
    """``f(*xs)`` with a value whose length is unknown at compile time."""

    code: ClassVar[str] = "TS236"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{found} has no fixed length, so it cannot be unpacked into arguments"
    help: ClassVar[str] = "unpack a tuple, or pass it as one argument"

    found: str


@diagnostic
class UnboundVariable(FrontendError):
    """A type variable of a generic function cannot be inferred from the arguments of the call."""

    code: ClassVar[str] = "TS237"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot infer the type variable '{name}' from this call of '{function}'"
    help: ClassVar[str] = "use '{name}' in the type of a parameter that is given"

    function: str
    name: str
