"""``warnings.warn`` of compiled code: Python's own."""

from __future__ import annotations

import builtins
import sys
import warnings
from types import FrameType
from typing import Any

_SEEN: dict[str, dict[Any, Any]] = {}
"""What each file has warned of, as Python keeps it in modules."""


def warn(message: str, category: str, stacklevel: int, file: str, line: int) -> None:
    """Warn at a line of the scripted function, or at a frame around its call.

    Args:
        message: What to say.
        category: The name of a builtin class of warnings.
        stacklevel: 1 for the function itself, more for what has called it.
        file, line: Where the function warns.

    Raises:
        ValueError: There is no such class.
    """
    kind = getattr(builtins, category, None)
    if not (isinstance(kind, type) and issubclass(kind, Warning)):
        raise ValueError(f"{category!r} is no class of warnings")
    frame: FrameType | None = sys._getframe(1) if stacklevel > 1 else None
    while frame is not None and frame.f_globals.get("__name__", "").startswith("tscript."):
        frame = frame.f_back  # what lies between compiled code and its caller
    for _ in range(stacklevel - 2):
        frame = None if frame is None else frame.f_back
        if frame is None:
            break
    if frame is not None:
        file, line = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(message, kind, file, line, registry=_SEEN.setdefault(file, {}))
