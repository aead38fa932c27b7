"""User errors that only specialisation can find, because they depend on dtypes and ranks (codes TS6xx)."""

from __future__ import annotations

from typing import ClassVar

from tscript.diagnostics import Diagnostic, diagnostic


@diagnostic
class OperatorRefused(Diagnostic):
    """An operator does not take arguments of these dtypes and ranks.

    Attributes:
        operator: Name of the operator, ``matmul``.
        reason: The message of its type rule.
        types: The argument types, ``Tensor[float32, 1], int``.
    """

    code: ClassVar[str] = "TS601"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{operator}' refuses these arguments: {reason}"
    label: ClassVar[str] = "called with ({types})"

    operator: str
    reason: str
    types: str


@diagnostic
class NotConstant(Diagnostic):
    """An argument that must be known at compile time is not a constant.

    Attributes:
        operator: Name of the operator, ``sum``.
        parameter: Name of the argument, ``keepdim``.
    """

    code: ClassVar[str] = "TS602"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "argument '{parameter}' of '{operator}' must be known when the function is compiled"
    label: ClassVar[str] = "depends on a value computed at run time"
    help: ClassVar[str] = "pass a constant, or an argument of the function unchanged"

    operator: str
    parameter: str


@diagnostic
class NoCommonType(Diagnostic):
    """A value has types without a common type on the paths that lead to it.

    Attributes:
        first: One type.
        second: The other.
    """

    code: ClassVar[str] = "TS603"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "a value is {first} on one way through the function and {second} on another"
    label: ClassVar[str] = "the two ways meet here"

    first: str
    second: str


@diagnostic
class NestedTooDeeply(Diagnostic):
    """Blocks are nested too deeply for the compiler."""

    code: ClassVar[str] = "TS604"
    python: ClassVar[type[Exception]] = RecursionError
    title: ClassVar[str] = "the code of this function, with what it calls, is nested too deeply to be compiled"
    help: ClassVar[str] = "move inner parts into functions of their own"
