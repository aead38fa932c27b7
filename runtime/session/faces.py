"""`Faces`: functions as users call them, whose errors end at the user's own line.

See
`tscript.runtime.values.tracebacks` for the removed frames.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tscript.runtime.boundary.callables import Callables
from tscript.runtime.boundary.hidden_functions import hidden
from tscript.runtime.values.tracebacks import user_errors

F = TypeVar("F", bound=Callable[..., Any])


class Faces:
    """Makes the functions of a process that users call.

    Args:
        callables: Makes native callables.
    """

    def __init__(self, callables: Callables) -> None:
        self._callables = callables
        kind: Any = callables.new_type("tscript.Function", "A function of tscript.")
        kind.__reduce__ = _name
        kind.__repr__ = _shown
        self._type: type = kind

    def public(self, function: F) -> F:
        """`function` without its own and inner frames in the traceback of user errors.

        Args:
            function: A function or method. It stays reachable as ``__wrapped__``, so that its signature can be
                inspected.
        """
        made: Any = hidden(self._callables, function, lambda: (*user_errors(), OSError), self._type)
        for name in ("__qualname__", "__doc__", "__module__"):
            setattr(made, name, getattr(function, name))
        made.__wrapped__ = function
        result: F = made
        return result


def _name(function: Any) -> str:
    """Pickled by name, as functions are."""
    return str(function.__qualname__)


def _shown(function: Any) -> str:
    return f"<tscript function {function.__qualname__}>"
