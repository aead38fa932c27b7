"""Exceptions as users see them: without frames of ours.

A Python function that raises stands in the traceback, whatever it does about it. So what users call is native: it calls a
Python function, which gives a `Refused` instead of raising, and the native caller raises what is in that (`missed` in
`entry_callable`). `tscript.runtime.public` makes such functions. Bugs of ours (`InternalError`, and whatever nobody
expected) keep all frames.
"""

from __future__ import annotations

import os
from types import TracebackType

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


def refused(error: BaseException, told: tuple[type[BaseException], ...] = TOLD) -> Refused | None:
    """The error as the native caller is to raise it; None when it has to go on as it is.

    Args:
        error: What was caught.
        told: Classes of errors that need no frames at all; of others some must be left, of scripted code or of the program.
    """
    is_told = isinstance(error, told)
    inner = (_without_own if is_told else foreign)(error.__traceback__)
    if (inner is None and not is_told) or os.environ.get(SHOW) == "1":
        return None
    if isinstance(error, CompileError):
        error.__cause__ = None
    if error.__suppress_context__ and error.__cause__ is None:
        # What was handled inside says nothing here. What the program is handling is put there when the error is raised.
        error.__context__, error.__suppress_context__ = None, False
    return Refused(error.with_traceback(inner))
