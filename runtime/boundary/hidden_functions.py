"""`hidden`: Python functions as native callables, whose own frames do not show.

`tscript.runtime.values.tracebacks` says which frames go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tscript.runtime.boundary.callables import Callables
from tscript.runtime.values.tracebacks import refused

F = TypeVar("F", bound=Callable[..., Any])


def hidden(
    callables: Callables,
    function: F,
    told: Callable[[], tuple[type[BaseException], ...]] = tuple,
    type: type | None = None,
) -> F:
    """`function` as a native callable: without its own frame in the traceback of what it tells; see `refused`.

    Args:
        callables: Makes it.
        function: A function or method.
        told: Gives the classes of errors that need no frames at all.
        type: Of the callable, as for `Callables.new`.
    """

    def miss(_: object, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if (found := refused(error, told())) is None:
                raise
            return found

    made: F = callables.new(function.__name__, 0, (), miss, type=type)
    return made
