"""Exceptions as users see them: without frames of ours.

A Python function that raises stands in the traceback, whatever it does about it. So what users call is native: it calls
a Python function, which gives a `Refused` instead of raising, and the native caller raises what is in that (`missed` in
`callable`). `tscript.runtime.boundary.hidden_functions` makes such functions. Bugs of ours (`InternalError`, and
whatever nobody expected) keep all frames.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Any, TypeVar

from tscript.archive import ArchiveError
from tscript.diagnostics import CompileError

SHOW = "TSCRIPT_INTERNAL_FRAMES"
"""The environment variable that leaves everything in tracebacks, for those who develop tscript."""

OWN = __file__.rpartition("runtime")[0]
"""The folder of tscript."""

LIBRARY = os.__file__.rpartition("os.py")[0]
"""The folder of Python's library."""

TOLD = (CompileError, ArchiveError)
"""Errors that say all there is to say: about the program, or about a file."""


F = TypeVar("F", bound=Callable[..., Any])

_TELLERS: set[CodeType] = set()


def tells(function: F) -> F:
    """Say that what `function` raises itself, or native code that it calls, is about the program: none of our frames
    help."""
    _TELLERS.add(function.__code__)
    return function


def shows_all() -> bool:
    """Whether our frames stay in tracebacks; see `SHOW`."""
    return os.environ.get(SHOW) == "1"


def is_own(file: str) -> bool:
    """Whether a file belongs to tscript: kernels and what the compiler adds to programs are in such files, too."""
    return file.startswith(OWN)


class Refused:
    """What a function gives to raise `error` in its native caller."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


def foreign(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of tscript at its beginning."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OWN):
        trace = trace.tb_next
    return trace


def _without_own(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without any frame of tscript, or of Python's library, which lies between those."""
    if trace is None:
        return None
    rest = _without_own(trace.tb_next)
    file = trace.tb_frame.f_code.co_filename
    if file.startswith(OWN) or (file.startswith(LIBRARY) and "site-packages" not in file):
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


def _is_told(error: BaseException, told: tuple[type[BaseException], ...]) -> bool:
    if isinstance(error, told):
        return True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code in _TELLERS


def refused(error: BaseException, told: tuple[type[BaseException], ...] = TOLD) -> Refused | None:
    """The error as the native caller is to raise it; None when it has to go on as it is.

    Args:
        error: What was caught.
        told: Classes of errors that need no frames at all, as those that a function raises which `tells`; of others
            some must be left, of scripted code or of the program.
    """
    is_told = _is_told(error, told)
    inner = (_without_own if is_told else foreign)(error.__traceback__)
    if (inner is None and not is_told) or shows_all():
        return None
    if isinstance(error, CompileError):
        error.__cause__ = None
    if error.__suppress_context__ and error.__cause__ is None:
        # What was handled inside says nothing here. What the program is handling is put there when the error is raised.
        error.__context__, error.__suppress_context__ = None, False
    return Refused(error.with_traceback(inner))
