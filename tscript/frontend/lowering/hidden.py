"""Names of the compiler's own."""

from __future__ import annotations

from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.scopes import Bound
from tscript.ir.graph import Value


def fresh_hidden(lowering: FunctionLowering) -> str:
    """A name that no source has."""
    return f".{next(lowering.hidden)}"


def hidden_value(lowering: FunctionLowering, name: str) -> Value:
    """The value of a hidden name."""
    found = lowering.scope[name]
    assert isinstance(found, Bound)
    return found.value
