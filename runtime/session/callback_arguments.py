"""Arguments of functions that register callbacks and switch statistics on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsFloat

from tscript.abi.record import RecordScope


class CallbackError(RuntimeError):
    """A callback cannot be registered, or is not registered any more."""


CallbackError.__module__ = "tscript"


def probability_of(value: object, what: str = "a sampling probability") -> float:
    """A probability argument.

    Args:
        value: A number of Python or NumPy.
        what: Its name, for messages.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not between 0 and 1.
    """
    if not isinstance(value, SupportsFloat):
        raise TypeError(f"{what} must be a number, not {type(value).__name__}")
    if not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"{what} lies between 0 and 1, found {value}")
    return float(value)


def scopes_of(scopes: Iterable[RecordScope | str] | RecordScope | str | None) -> tuple[RecordScope, ...]:
    """A scopes argument.

    Args:
        scopes: `RecordScope`s or their names, one or several; None: all of them.

    Raises:
        TypeError: It has another type.
        ValueError: There is no such scope, or none is given.
    """
    known = ", ".join(RecordScope.__members__)
    if scopes is None:
        return tuple(RecordScope)
    if isinstance(scopes, str | RecordScope):
        scopes = (scopes,)
    if not isinstance(scopes, Iterable):
        raise TypeError(f"scopes must be a list of scopes or their names ({known}), not {type(scopes).__name__}")
    found = []
    for scope in scopes:
        name = scope.name if isinstance(scope, RecordScope) else scope
        if not isinstance(name, str) or name not in RecordScope.__members__:
            raise ValueError(f"unknown scope {scope!r}; there are {known}")
        found.append(RecordScope[name])
    if not found:
        raise ValueError("no scope is given; leave scopes out for all of them")
    return tuple(found)
