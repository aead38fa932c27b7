"""Expressions with two branches: their common type, and the value of that type."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering import common, conversions
from tscript.frontend.lowering.frames import Lowered
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.ir.graph import Value
from tscript.types import FLOAT, INT, Type, union


def either(first: Value, second: Value) -> str:
    """The annotation for a value of either type."""
    return shown(union([first.type, second.type]))


def join_values(
    lowering: FunctionLowering, cond: Value, then: Lowered, orelse: Lowered, node: ast.AST, target: Type | None = None
) -> Value:
    """The value of a branch on a condition."""
    assert then.value is not None and orelse.value is not None
    a, b = then.value.type, orelse.value.type
    span = lowering.span(node)
    found = conversions.unify(lowering, then.value, orelse.value)
    if found is None and target is not None:
        found = target
    if found is None:
        found = common.any_length(a, b)
    if found is None:
        instead = f"give both one type, or declare a union: 'x: {either(then.value, orelse.value)} = ...'"
        if {a, b} == {INT, FLOAT}:
            instead = "write both as floats: '1.0' instead of '1', or float(...)"
        raise lowering.failure(type_errors.ConditionalTypes(span, "if else", shown(a), shown(b), instead))
    for branch in (then, orelse):
        outer, lowering.block = lowering.block, branch.block
        assert branch.value is not None
        converted = lowering.coerce(branch.value, found, span)
        if converted is None:
            raise lowering.failure(
                type_errors.ConditionalTypes(span, "if else", shown(a), shown(b), f"both must be {shown(found)}")
            )
        branch.value, branch.block, lowering.block = converted, lowering.block, outer
    out = merge(lowering, cond, then, orelse, span, found)
    assert out is not None
    return out


def merged(lowering: FunctionLowering, test: Value, then: Lowered, orelse: Lowered, wanted: Type, span: Span) -> Value:
    """The value of an expression with two branches."""
    found = merge(lowering, test, then, orelse, span, wanted)
    assert found is not None
    return found
