"""User errors that only specialisation can find, because they depend on dtypes and ranks (codes TS6xx)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.diagnostics import Diagnostic, Note, Span, diagnostic


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
class CarriedByIterations(Diagnostic):
    """A loop that is to be divided carries a value from one iteration to the next.

    Attributes:
        name: The name that holds it.
    """

    code: ClassVar[str] = "TS605"
    python: ClassVar[type[Exception]] = ValueError
    title: ClassVar[str] = "'{name}' has what an earlier iteration of this prange loop made of it"
    label: ClassVar[str] = "its iterations run in no order"
    help: ClassVar[str] = (
        "combine it in one way only (+=, *=, min, max, |=, &=, ^=, 'if x > best: best = x'), or use range"
    )

    name: str


@diagnostic
class WritesOverlap(Diagnostic):
    """Iterations of a loop that is to be divided may write what others read or write.

    Attributes:
        name: The array or list.
        found: What the iterations may do.
        loop: The loop.
    """

    code: ClassVar[str] = "TS606"
    python: ClassVar[type[Exception]] = ValueError
    title: ClassVar[str] = "iterations of a prange loop {found} '{name}'"
    label: ClassVar[str] = "iterations run at the same time"
    help: ClassVar[str] = (
        "let each iteration write elements of its own, at an index such as i, i + 1 or 2 * i, and read no others of "
        "them; or use range"
    )

    name: str
    found: str
    loop: Span

    def notes(self) -> Sequence[Note]:
        """The loop."""
        return (Note(self.loop, "this loop"),)


@diagnostic
class ChangesShared(Diagnostic):
    """Iterations of a loop that is to be divided change what all of them have.

    Attributes:
        found: What the place does.
        loop: The loop.
    """

    code: ClassVar[str] = "TS607"
    python: ClassVar[type[Exception]] = ValueError
    title: ClassVar[str] = "{found} inside of a prange loop"
    label: ClassVar[str] = "its iterations run at the same time, in no order"
    help: ClassVar[str] = "write results to elements of an array, and do this behind the loop; or use range"

    found: str
    loop: Span

    def notes(self) -> Sequence[Note]:
        """The loop."""
        return (Note(self.loop, "this loop"),)


@diagnostic
class NestedTooDeeply(Diagnostic):
    """Blocks are nested too deeply for the compiler."""

    code: ClassVar[str] = "TS604"
    python: ClassVar[type[Exception]] = RecursionError
    title: ClassVar[str] = "the code of this function, with what it calls, is nested too deeply to be compiled"
    help: ClassVar[str] = "move inner parts into functions of their own"
