"""Faults of foreign code, a handler or a plugin. They are reported as warnings, so that they do not disturb the
program."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress


def one_line(error: BaseException) -> str:
    """An exception in one line, as tracebacks end: ``ValueError: no such host``.

    Example:
        >>> one_line(ValueError("no such host")), one_line(KeyboardInterrupt())
        ('ValueError: no such host', 'KeyboardInterrupt')
    """
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception that cannot even be printed is still to be reported
        text = "<no text>"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def warn(message: str) -> None:
    """Issue a `RuntimeWarning` at the innermost frame outside tscript. Raises nothing.

    If warnings are errors, the message goes to stderr instead, because the fault is not in the code of the program.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "tscript":
        level, frame = level + 1, frame.f_back
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=level)
    except Exception:  # noqa: BLE001 - a filter made it an error, or what shows warnings is broken
        write(f"RuntimeWarning: {message}\n")


def write(text: str) -> None:
    """Write to stderr if there is one that takes it."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
