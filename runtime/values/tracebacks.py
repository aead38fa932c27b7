"""Exceptions as users see them: without frames of tscript.

A Python function that raises is always in the traceback. So users call native functions: each calls a Python function,
which returns a `Refused` instead of raising, and the native caller raises its error (`missed` in `callable`).
`tscript.runtime.boundary.hidden_functions` makes such functions. Bugs of tscript (`InternalError`, and unexpected
errors) keep all frames.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Any, TypeVar

SHOW = "TSCRIPT_INTERNAL_FRAMES"
"""The environment variable that keeps all frames in tracebacks, for developers of tscript."""


def _where(file: str) -> str:
    return file.rpartition("runtime")[0]


OWN = (_where(_where.__code__.co_filename), _where(globals().get("__file__", _where.__code__.co_filename)))
"""The folder of tscript, as frames call it and as it is. Frames have the names from when the byte code was made."""

LIBRARY = os.__file__.rpartition("os.py")[0]
"""The folder of Python's library."""

F = TypeVar("F", bound=Callable[..., Any])

_RAISING: set[CodeType] = set()


def user_errors() -> tuple[type[BaseException], ...]:
    """Errors whose message is sufficient without frames: about the program, or about a file."""
    from tscript.diagnostics import CompileError
    from tscript.diagnostics.archives import ArchiveError

    return CompileError, ArchiveError


def raises_user_errors(function: F) -> F:
    """Declare that errors raised by `function` itself, or by native code that it calls, are errors of the program, for
    which frames of tscript do not help."""
    _RAISING.add(function.__code__)
    return function


def shows_all() -> bool:
    """Whether frames of tscript stay in tracebacks; see `SHOW`."""
    return os.environ.get(SHOW) == "1"


def is_own(file: str) -> bool:
    """Whether a file belongs to tscript: kernels and what the compiler adds to programs are in such files, too."""
    return file.startswith(OWN)


class Refused:
    """The result of a function that lets its native caller raise `error`."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


def foreign(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of tscript at its beginning."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OWN):
        trace = trace.tb_next
    return trace


def _without_own(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without frames of tscript, or of the standard library, which are between those."""
    if trace is None:
        return None
    rest = _without_own(trace.tb_next)
    file = trace.tb_frame.f_code.co_filename
    if file.startswith(OWN) or (file.startswith(LIBRARY) and "site-packages" not in file):
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


def _is_user_error(error: BaseException, told: tuple[type[BaseException], ...]) -> bool:
    if isinstance(error, told):
        return True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code in _RAISING


def refused(error: BaseException, told: tuple[type[BaseException], ...]) -> Refused | None:
    """The error as the native caller raises it; None if it must propagate unchanged.

    Args:
        error: What was caught.
        told: Classes of errors that need no frames at all, like those of functions with `raises_user_errors`. Other
            errors must have some frames of scripted code or of the program.
    """
    from tscript.diagnostics import CompileError

    is_user_error = _is_user_error(error, told)
    inner = (_without_own if is_user_error else foreign)(error.__traceback__)
    if (inner is None and not is_user_error) or shows_all():
        return None
    if isinstance(error, CompileError):
        error.__cause__ = None
    if error.__suppress_context__ and error.__cause__ is None:
        # An exception handled inside is not relevant. The one that the program handles is set when the error is raised.
        error.__context__, error.__suppress_context__ = None, False
    return Refused(error.with_traceback(inner))
