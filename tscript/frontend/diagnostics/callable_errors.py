"""The frontend's errors about functions as values, and about functions that stay in Python: TS25x. See
`tscript.frontend.diagnostics.errors`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.diagnostics import Note, Span, diagnostic
from tscript.frontend.diagnostics.errors import FrontendError


@diagnostic
class UntypedFunction(FrontendError):
    """A lambda or generic function is used as a value, and its type cannot be inferred."""

    code: ClassVar[str] = "TS251"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot infer the type of {what} here"
    help: ClassVar[str] = (
        "declare it: 'f: Callable[[int], int] = ...', or as the type of the parameter or result it goes to"
    )

    what: str


@diagnostic
class FunctionParameters(FrontendError):
    """A function value takes another number of arguments than the declared type."""

    code: ClassVar[str] = "TS252"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} takes {found}, and {wanted} is called with {count}"
    help: ClassVar[str] = "give it that many parameters; further ones need defaults"

    what: str
    found: str
    wanted: str
    count: int


@diagnostic
class CallArguments(FrontendError):
    """A function value is called with arguments that it does not take."""

    code: ClassVar[str] = "TS253"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{type} {problem}"
    help: ClassVar[str] = "{instead}"

    type: str
    problem: str
    instead: str


@diagnostic
class CapturedRebound(FrontendError):
    """A function value captures a name that is assigned again later."""

    code: ClassVar[str] = "TS254"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' is assigned again after this function captured its value"
    label: ClassVar[str] = "captures '{name}'"
    help: ClassVar[str] = "{instead}"

    name: str
    instead: str
    assigned: Span

    def places(self) -> Sequence[Note]:
        """The assignment."""
        return [Note(self.assigned, f"'{self.name}' is assigned here")]


@diagnostic
class UndeclaredPython(FrontendError):
    """A function that stays in Python is called, but its result has no annotation."""

    code: ClassVar[str] = "TS255"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' stays in Python and has no result annotation"
    help: ClassVar[str] = "annotate its result: '-> int', or '-> None'"

    name: str


@diagnostic
class FunctionType(FrontendError):
    """A function is used where a function of another type is declared."""

    code: ClassVar[str] = "TS256"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} is a {found}, and a {wanted} is declared here"
    label: ClassVar[str] = "{found}"
    help: ClassVar[str] = "write a lambda that converts the values, or change one of the two types"

    what: str
    found: str
    wanted: str


@diagnostic
class ComparedFunctions(FrontendError):
    """Two function values are compared."""

    code: ClassVar[str] = "TS257"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "function values cannot be compared"
    help: ClassVar[str] = "compare something that identifies the function, for instance its name in a dict"
