"""``warnings.warn`` of compiled code: in a process, Python's own; in an archive, a line that is printed."""

from __future__ import annotations

import builtins
import sys
import warnings
from typing import Any

_SEEN: dict[str, dict[Any, Any]] = {}
"""What each file has warned of, as Python keeps it in modules."""


def warn(message: str, category: str, stacklevel: int, file: str, line: int) -> None:
    """Warn at a line of the scripted function, or at a frame around its call.

    Args:
        message: What to say.
        category: The name of a builtin class.
        stacklevel: 1 for the function itself, more for what has called it.
        file, line: Where the function warns.
    """
    kind = getattr(builtins, category)
    if stacklevel > 1:
        try:
            frame = sys._getframe(stacklevel - 1)
        except ValueError:
            frame = sys._getframe(1)
        file, line = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(message, kind, file, line, registry=_SEEN.setdefault(file, {}))


def say(message: str, category: str, stacklevel: int, file: str, line: int) -> None:
    """`warn` where there is no Python function to call."""
    print(f"{category}: {message}")  # noqa: T201 - compiled code prints
