"""`public`: functions as users call them, whose errors end at the user's own line (see `tracebacks`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from tscript.runtime.boundary.hidden import hidden
from tscript.runtime.session.process import current
from tscript.runtime.values.tracebacks import TOLD

F = TypeVar("F", bound=Callable[..., Any])


def public(function: F) -> F:
    """`function` without its own frame, and those behind it, above the errors that it tells.

    Args:
        function: A function or method. It stays reachable as ``__wrapped__``, so that its signature can be inspected.
    """

    made: Any = hidden(current().native, function, (*TOLD, OSError), _native_type())
    for name in ("__qualname__", "__doc__", "__module__"):
        setattr(made, name, getattr(function, name))
    made.__wrapped__ = function
    result: F = made
    return result


@cache
def _native_type() -> type:
    """The native type of public functions; pickled by name, as functions are."""
    kind: Any = current().native.new_callable_type("tscript.Function", "A function of tscript.")
    kind.__reduce__ = _name
    kind.__repr__ = _shown
    made: type = kind
    return made


def _name(function: Any) -> str:
    return str(function.__qualname__)


def _shown(function: Any) -> str:
    return f"<tscript function {function.__qualname__}>"
