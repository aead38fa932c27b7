"""Conditions, ``and``, ``or``, ``not``, and ``a if c else b``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering import conversions
from tscript.frontend.lowering.branches import either, join_values
from tscript.frontend.lowering.frames import Lowered
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.ir.graph import Const, Op, Value
from tscript.operators.python.classes import GET_FIELD
from tscript.types import BOOL, NONE, ClassType, OptionalType, Type


def lower_condition(lowering: FunctionLowering, node: ast.expr) -> Value:
    """The truth of an expression. Here the operands of ``and`` and ``or`` need no common type."""
    if isinstance(node, ast.BoolOp):
        return _boolean(lowering, node.op, node.values, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return lower_not(lowering, node)
    return lowering.truth(lowering.value(node), lowering.span(node))


def lower_not(lowering: FunctionLowering, node: ast.UnaryOp) -> Value:
    """``not x``."""
    span = lowering.span(node)
    return lowering.apply("not", [lower_condition(lowering, node.operand)], span, shown_as="not")


def _boolean(lowering: FunctionLowering, op: ast.boolop, values: list[ast.expr], node: ast.expr) -> Value:
    first = lower_condition(lowering, values[0])
    if len(values) == 1:
        return first
    stops = isinstance(op, ast.Or)
    if first.constant is stops:
        return first
    if first.constant is (not stops):
        return _boolean(lowering, op, values[1:], node)
    span = lowering.span(node)

    def others() -> Value:
        lowering.refine(values[0], not stops)
        return _boolean(lowering, op, values[1:], node)

    rest = lowering.branch(others)
    if _decides(rest, stops) and rest.scope == lowering.scope:
        return lowering.const(stops, BOOL, span)  # ``flag and not is_scripting()`` is False, whatever the flag is
    stop = lowering.branch(lambda: lowering.const(stops, BOOL, span))
    out = merge(lowering, first, stop if stops else rest, rest if stops else stop, span, BOOL)
    assert out is not None
    return out


def _decides(rest: Lowered, stops: bool) -> bool:
    """Whether what follows the first operand is known, stops the others and does nothing else."""
    if rest.value is None or rest.value.constant is not stops:
        return False
    return all(isinstance(n, Const) or (isinstance(n, Op) and _does_nothing(n)) for n in rest.block.nodes)


def _does_nothing(node: Op) -> bool:
    """Whether leaving an operator out changes nothing but its result."""
    if node.op is GET_FIELD:
        held = node.inputs[0].type
        return isinstance(held, ClassType) and node.inputs[1].constant not in held.info.late
    return node.op.effects.is_pure


def lower_bool_op(lowering: FunctionLowering, node: ast.BoolOp) -> Value:
    """``and`` and ``or``: one of the operands."""
    return _operands(lowering, node, node.values, lowering.value(node.values[0]))


def _operands(lowering: FunctionLowering, node: ast.BoolOp, values: list[ast.expr], first: Value) -> Value:
    if len(values) == 1:
        return first
    sign = "or" if isinstance(node.op, ast.Or) else "and"

    def others() -> Value:
        lowering.refine(values[0], sign == "and")
        return _operands(lowering, node, values[1:], lowering.value(values[1]))

    return short_circuit(lowering, sign, first, others, node)


def short_circuit(
    lowering: FunctionLowering, sign: str, first: Value, rest: Callable[[], Value], node: ast.AST
) -> Value:
    """``first and rest()`` or ``first or rest()``: one of the two values."""
    span = lowering.span(node)
    cond = lowering.truth(first, span)
    stops = sign == "or"
    if cond.constant is stops:
        return first
    if cond.constant is (not stops):
        return rest()
    inner = first.type.value if isinstance(first.type, OptionalType) else first.type
    other = lowering.branch(rest)
    kept = lowering.branch(lambda: conversions.narrow(lowering, first, inner, span) if stops else first)
    assert other.value is not None and kept.value is not None
    held = kept.value.type
    found = conversions.unify(lowering, kept.value, other.value)
    if found is None or (found not in (held, other.value.type) and NONE not in (held, other.value.type)):
        instead = f"give both one type, or write '... if ... else ...' where '{either(first, other.value)}' is declared"
        raise lowering.failure(
            type_errors.ConditionalTypes(span, sign, shown(first.type), shown(other.value.type), instead)
        )
    return join_values(lowering, cond, kept if stops else other, other if stops else kept, node)


def lower_conditional(lowering: FunctionLowering, node: ast.IfExp) -> Value:
    """``a if c else b``."""
    return conditional(lowering, node, None)


def conditional(
    lowering: FunctionLowering,
    node: ast.IfExp,
    target: Type | None,
    value_of: Callable[[ast.expr], Value] | None = None,
) -> Value:
    """``a if c else b``, where a value of type `target` is declared; `value_of` lowers ``a`` and ``b``."""

    def run(part: ast.expr) -> Callable[[], Value]:
        narrow = lowering.narrowing_of(node.test, part is node.body)

        def lower() -> Value:
            narrow()
            return value_of(part) if value_of else lowering.value_as(part, target)

        return lower

    cond = lower_condition(lowering, node.test)
    if isinstance(cond.constant, bool):
        return run(node.body if cond.constant else node.orelse)()
    body, other = run(node.body), run(node.orelse)
    then, orelse = lowering.branch(body), lowering.branch(other)
    return join_values(lowering, cond, then, orelse, node, target)
