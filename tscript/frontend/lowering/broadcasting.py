"""Parameters for which a number stands for a list: ``BroadcastingList2[int]``."""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.lowering.conversions import by_member
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.new_containers import make_list
from tscript.ir.graph import Value
from tscript.types import ListType, members_of, union


def broadcast(lowering: FunctionLowering, value: Value, count: int, span: Span) -> Value:
    """A number as a list that holds it `count` times; a list, and None, as it is.

    Args:
        lowering: Where it begins.
        value: Of a parameter.
        count: How many elements.
        span: The parameter.
    """
    members = members_of(value.type)
    listed = next((m for m in members if isinstance(m, ListType)), None)
    if listed is None or listed.element not in members:
        return value
    wanted = union([m for m in members if m != listed.element])

    def of(found: Value) -> Value:
        made = make_list(lowering, listed, [found] * count, span) if found.type == listed.element else found
        return lowering.coerce(made, wanted, span) or made

    return by_member(lowering, value, of, wanted, span)


__all__ = ["broadcast"]
