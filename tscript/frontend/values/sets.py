"""Sets."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering import holding, sources
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.new_containers import make_set
from tscript.frontend.values import container_comparisons, methods, own_keys, sequences
from tscript.frontend.values.methods import is_value
from tscript.frontend.values.representation import in_parts
from tscript.ir.graph import Value
from tscript.operators.python.functions import representation as bodies
from tscript.types import NEVER, SetType, Type


def _gather_set(name: str) -> Callable[[FunctionLowering, ast.Call, Value], Value | None]:
    """A method of sets that takes any iterable."""

    def lower(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
        span = lowering.span(node)
        out = receiver
        in_place = name == "update" or name.endswith("_update")
        if not node.args:
            return lowering.constant(None, span) if in_place else lowering.apply("copy", [receiver], span)
        for argument in node.args:
            value = as_set(lowering, argument, receiver.type)
            lowering.settle(receiver, value.type)
            found = lowering.apply(name, [receiver if in_place else out, value], span)
            out = receiver if in_place else found
        return lowering.constant(None, span) if in_place else out

    return lower


def as_set(lowering: FunctionLowering, node: ast.expr, wanted: Type) -> Value:
    """An iterable as a set."""
    if is_value(lowering, node):
        value = lowering.value_as(node, wanted)
        if isinstance(value.type, SetType):
            lowering.settle(value, wanted)
            return value
        source = sources.value_source(lowering, value, node)
    else:
        source = sources.source_of(lowering, node)
    out = make_set(lowering, wanted if isinstance(wanted, SetType) else SetType(NEVER), [], lowering.span(node))
    holding.run_into(lowering, source, lambda x: holding.add(lowering, out, x, node), node)
    return out


_GATHERING = (
    *("update", "union", "intersection", "difference", "symmetric_difference", "intersection_update"),
    *("difference_update", "symmetric_difference_update", "issubset", "issuperset", "isdisjoint"),
)


def _arithmetic(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    if name == "add" and isinstance(left.type, SetType):  # the method of that name has no sign
        what = f"'+' does not take {shown(left.type)} and {shown(right.type)}"
        raise lowering.failure(type_errors.OperatorRefused(span, what, "join sets with '|'"))
    return None


SET = Kind(
    truth=sequences.not_empty,
    length=sequences.length,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    methods=lambda: {name: _gather_set(name) for name in _GATHERING},
    as_string=in_parts(bodies.set_repr),
    source=sequences.entries,
    parts=sequences.entry_parts,
    parts_around=sequences.entry_parts_around,
    operator=own_keys.lower,
    filled=own_keys.filled_literal,
    arithmetic=_arithmetic,
    has_identity=True,
    contains=container_comparisons.contains,
)
