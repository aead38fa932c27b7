"""User errors: one frozen dataclass per error, collected in a `CompileError`.

A diagnostic is data: a span, typed fields, and four texts (`title`, `label`, `notes`, `help`) written as format strings
over the fields. Each has a stable code (``TS201``) and the natural Python class of the problem, which the raised
`CompileError` also inherits, so ``except TypeError`` catches a type error of the compiler.

Example:
    >>> @diagnostic
    ... class UnknownName(Diagnostic):
    ...     code: ClassVar[str] = "TS101"
    ...     python: ClassVar[type[Exception]] = NameError
    ...     title: ClassVar[str] = "name '{name}' is not defined"
    ...     label: ClassVar[str] = "not found here or in the enclosing scopes"
    ...     name: str
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar, dataclass_transform

from tscript.diagnostics.span import Span
from tscript.late import dataclass, field

T = TypeVar("T")


@dataclass(frozen=True)
class Note:
    """A second place that explains an error, for instance where the other type came from."""

    span: Span | None
    text: str


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def diagnostic(cls: type[T]) -> type[T]:
    """The decorator of each `Diagnostic`: a frozen dataclass with the ``__eq__`` and ``__repr__`` of its base.

    Methods of its own for each of a hundred classes would slow down every start of the command.
    """
    return dataclass(frozen=True, eq=False, repr=False)(cls)


@diagnostic
class Diagnostic:
    """Base of every user error. Subclasses give the class variables and add typed fields.

    Attributes:
        code: Stable code, ``TS`` and three digits.
        python: The natural Python exception class.
        title: What is wrong, in one line; a format string over the fields.
        label: The text beside the caret; may be empty.
        help: How to fix it; may be empty.
    """

    code: ClassVar[str] = "TS000"
    python: ClassVar[type[Exception]] = Exception
    title: ClassVar[str] = ""
    label: ClassVar[str] = ""
    help: ClassVar[str] = ""

    span: Span

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def _format(self, template: str) -> str:
        from dataclasses import fields

        return template.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def message(self) -> str:
        """The title with its fields filled in."""
        return self._format(self.title)

    def caret_label(self) -> str:
        """The text beside the caret."""
        return self._format(self.label)

    def help_text(self) -> str:
        """The help line, empty when there is none."""
        return self._format(self.help)

    def notes(self) -> Sequence[Note]:
        """Further places and facts, in the order they are shown."""
        return ()
