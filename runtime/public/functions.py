"""`public`: functions as users call them (see `tscript.runtime.session.faces`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tscript.runtime.session.process import current

F = TypeVar("F", bound=Callable[..., Any])


def public(function: F) -> F:
    """`function` with errors that end at the user's own line."""
    return current().faces.public(function)
