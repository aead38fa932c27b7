"""Names that are read where they may not have been assigned: in one branch only, or in a loop that may not run.

The first lowering of a function finds them. The next one binds each at the beginning to None, as an optional of what is
assigned to it, and tests it where it is read:

    for i in range(n):          k = None
        k = i                   for i in range(n):
    return k                        k = i
                                if k is None: raise UnboundLocalError
                                return k

A name that may really be None is left out: then it has to be assigned before.
"""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.conversions import is_none, narrow
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.scopes import POISONED, Bound
from tscript.ir.graph import Block, If, Raise, Value, Yield
from tscript.types import NONE, Type, members_of, optional, union

MESSAGE = "cannot access local variable '{}' where it is not associated with a value"


def unassigned(lowering: FunctionLowering, type: Type | None, span: Span) -> Value:
    """The value of a name before it is assigned.

    Args:
        lowering: Where it begins.
        type: Of the values that are assigned to it, as far as known.
        span: The function.
    """
    none = lowering.const(None, NONE, span)
    found = None if type is None else lowering.coerce(none, optional(type), span)
    return none if found is None else found


def assigned(lowering: FunctionLowering, name: str, found: Bound, span: Span) -> Value:
    """The value of a name that may not have been assigned, after a test; from here on it has been."""
    if found.value.type == NONE:  # nothing is known of it: it is assigned nowhere before, or that was left out
        lowering.scope[name] = POISONED
        raise Abandoned if lowering.program.is_template else lowering.failure(lowering.unassigned.names[name])
    then, orelse = Block(), Block()
    then.nodes.append(Raise("UnboundLocalError", MESSAGE.format(name), (), span))
    orelse.nodes.append(Yield((), span))
    lowering.block.nodes.append(If(is_none(lowering, found.value, span), then, orelse, (), span))
    present = union([m for m in members_of(found.value.type) if m != NONE])
    value = narrow(lowering, found.value, present, span)
    lowering.scope[name] = Bound(value, found.span, found.base)
    return value


__all__ = ["assigned", "unassigned"]
