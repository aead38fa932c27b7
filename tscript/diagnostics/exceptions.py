"""`CompileError`, a collection of diagnostics, and `InternalError`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from tscript.diagnostics.errors import Diagnostic
from tscript.diagnostics.render import render_all
from tscript.diagnostics.span import Span


class CompileError(Exception):
    """A function cannot be compiled; `diagnostics` holds every error found in it.

    The exception raised also inherits the natural Python class of its first diagnostic (`TypeError`, `NameError`,
    `SyntaxError` …). ``str(error)`` is the rendered text.
    """

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(str(self))

    def __str__(self) -> str:
        return "\n" + render_all(self.diagnostics)

    def __reduce__(self) -> tuple[object, ...]:
        return (compile_error, (self.diagnostics,))


@cache
def _class_for(natural: type[Exception]) -> type[CompileError]:
    if natural is Exception:
        return CompileError
    body = {"__module__": CompileError.__module__, "__doc__": CompileError.__doc__, "__str__": CompileError.__str__}
    return type("CompileError", (CompileError, natural), body)


def compile_error(diagnostics: Iterable[Diagnostic]) -> CompileError:
    """The exception for `diagnostics` (at least one): a `CompileError` that is also the first one's Python class."""
    found = tuple(diagnostics)
    return _class_for(found[0].python)(found)  # type: ignore[arg-type]  # classes are hashable


class InternalError(Exception):
    """A bug of the compiler itself. It names the function and line that were being compiled. Please report it."""

    def __init__(self, what: str, span: Span | None = None) -> None:
        where = f"{span}: " if span is not None else ""
        inside = f" while compiling '{span.function}'" if span is not None and span.function else ""
        super().__init__(f"{where}internal error{inside}: {what} (this is a bug in tscript, please report it)")
        self.span = span
