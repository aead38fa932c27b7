"""Errors of the low-level dialect: TS7xx. See `tscript.frontend.diagnostics.errors`."""

from __future__ import annotations

from typing import ClassVar

from tscript.diagnostics import diagnostic
from tscript.frontend.diagnostics.errors import FrontendError


@diagnostic
class DialectOperands(FrontendError):
    """Operands of an operation differ in type, or are of a type that it does not take."""

    code: ClassVar[str] = "TS701"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{sign}' does not take {left} and {right}"
    help: ClassVar[str] = "{instead}"

    sign: str
    left: str
    right: str
    instead: str


@diagnostic
class LiteralType(FrontendError):
    """A literal is not a value of the expected type."""

    code: ClassVar[str] = "TS702"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "the literal {value} is not of type {type}"
    help: ClassVar[str] = "{instead}"

    value: str
    type: str
    instead: str


@diagnostic
class UnboundVariable(FrontendError):
    """A type variable of a called function cannot be inferred from the arguments."""

    code: ClassVar[str] = "TS703"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot infer the type variable '{variable}' of {function}() from the arguments"
    help: ClassVar[str] = "give {function}() a parameter 'dtype: type' and pass the type"

    variable: str
    function: str


@diagnostic
class NotABool(FrontendError):
    """A condition of the dialect is not a b8."""

    code: ClassVar[str] = "TS704"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "a condition must be a b8, found {found}"
    help: ClassVar[str] = "compare it: 'x != 0'"

    found: str


@diagnostic
class IntrinsicRefused(FrontendError):
    """An intrinsic does not take its arguments."""

    code: ClassVar[str] = "TS705"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{name}: {problem}"
    help: ClassVar[str] = "convert arguments with a type's name: i64(x), f32(x)"

    name: str
    problem: str


@diagnostic
class DialectUnsupported(FrontendError):
    """The dialect does not support a construct of Python or of the language."""

    code: ClassVar[str] = "TS706"
    python: ClassVar[type[Exception]] = SyntaxError
    title: ClassVar[str] = "{what} cannot be used in the low-level dialect"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


@diagnostic
class NotAPointer(FrontendError):
    """An element or field is accessed, but the value is not a pointer."""

    code: ClassVar[str] = "TS707"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{found} has no {what}"
    help: ClassVar[str] = "access elements and fields through a Ptr"

    found: str
    what: str


@diagnostic
class TypeExpected(FrontendError):
    """An argument must be a type, but is not."""

    code: ClassVar[str] = "TS708"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' of {function}() must be a type"
    help: ClassVar[str] = "give the name of a type: f32, Ptr[i64], T"

    name: str
    function: str


@diagnostic
class NoVariant(FrontendError):
    """A family of functions has no variant for a type."""

    code: ClassVar[str] = "TS709"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "there is no variant for {type}"
    help: ClassVar[str] = "there are variants for {known}"

    type: str
    known: str


@diagnostic
class MessageNotConstant(FrontendError):
    """The message of an exception in a kernel is no literal."""

    code: ClassVar[str] = "TS710"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "a message must be a string literal, not {what}"
    help: ClassVar[str] = 'write a string literal, with fields for ints: ValueError("{{0}} is negative", n)'

    what: str
