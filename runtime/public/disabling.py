"""`disabled`: run scripted functions as plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once


@contextmanager
def disabled() -> Iterator[None]:
    """Run scripted functions as plain Python, over eager operators: for `breakpoint`, `pdb`, coverage and `print`.

    It holds for all threads of the process while the ``with`` statement runs; code that runs already is not
    interrupted. Functions that are decorated meanwhile are checked at their first compiled call. Functions of archives
    stay native, for they have no Python. The environment variable ``TSCRIPT_DISABLE=1`` does the same from the start.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def half(n: int) -> float:
        ...     print("half of", n, tscript.is_scripting())
        ...     return n / 2
        >>> with tscript.disabled():
        ...     half(3)
        half of 3 False
        1.5
    """
    log_api_usage_once("tscript.disabled")
    disabling = current().scripts.disabling
    disabling.change(1)
    try:
        yield
    finally:
        disabling.change(-1)


disabled.__module__ = "tscript"

__all__ = ["disabled"]
