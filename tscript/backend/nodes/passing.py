"""Values passed to exits and loops, with the references in them."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.leaves import leaves
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.references import release
from tscript.backend.nodes.state import Operands
from tscript.backend.nodes.values import coerce
from tscript.diagnostics import InternalError
from tscript.ir.graph import Value
from tscript.types import (
    Type,
    is_counted,
)


def pass_on(f: FunctionEmitter, values: Sequence[Value], types: Sequence[Type], depth: int) -> Operands:
    """Operands of `values` for an exit that leaves all scopes from `depth` on, each reference owned by who gets it.

    The scopes stay as they are: other paths go on with them.
    """
    operands = [o for v, t in zip(values, types, strict=True) for o in coerce(f, v, t)]
    leaving = [o for scope in f.scopes[depth:] for o in scope]
    _hand_over(f, operands, types, leaving)
    for operand in reversed(leaving):
        release(f, operand)
    return tuple(operands)


def pass_in(f: FunctionEmitter, values: Sequence[Value], types: Sequence[Type]) -> Operands:
    """Operands of the initial `values` of a loop, each reference owned by the loop's parameters."""
    operands = [o for v, t in zip(values, types, strict=True) for o in coerce(f, v, t)]
    _hand_over(f, operands, types, f.scopes[-1])
    return tuple(operands)


def _hand_over(f: FunctionEmitter, operands: Sequence[str], types: Sequence[Type], owned: list[str]) -> None:
    """Remove the references among `operands` from those that are `owned`."""
    for operand, leaf in zip(operands, [leaf for t in types for leaf in leaves(t)], strict=True):
        if is_counted(leaf):
            if operand not in owned:
                raise InternalError(f"nobody owns the reference {operand} that is handed on", f.graph.span)
            owned.remove(operand)
