"""Futures, and values of any type."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering import conversions
from tscript.frontend.lowering.branches import merged
from tscript.frontend.lowering.common import has_own
from tscript.frontend.lowering.comparisons import compare_values
from tscript.frontend.lowering.forks import waited
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.values import methods, sequences
from tscript.frontend.values.unions import one_of
from tscript.ir.graph import Value
from tscript.late import replace
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.types import ANY, BOOL, TYPE, ClassType, TensorType, Type, instances_of


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return lowering.apply("bool", [value], span)


def _future_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "wait" and not node.args and not node.keywords:
        return waited(lowering, receiver, lowering.span(node.func))
    return methods.lower_method(lowering, node, receiver)


FUTURE = Kind(truth=_truth, attribute=sequences.no_attribute, method=_future_method)


def _equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` where one has any type: the method of its class if it is an instance of the other's class; None
    if both have any type."""
    other = right.type if left.type == ANY else left.type
    if other == ANY or isinstance(other, TensorType):
        return None
    if not (isinstance(other, ClassType) and has_own(other)):
        return lowering.apply(
            "eq", [conversions.widen(lowering, v, ANY, span) for v in (left, right)], span, shown_as="=="
        )

    def known(value: Value) -> Value:
        return conversions.narrow(lowering, value, other, span) if value.type == ANY else value

    value = left if left.type == ANY else right
    test = lowering.leaf(IS_INSTANCE, [value, lowering.const(other, TYPE, span)], BOOL, span)
    then = lowering.branch(
        lambda: lowering.truth(compare_values(lowering, "eq", known(left), known(right), span), span)
    )
    return merged(lowering, test, then, lowering.branch(lambda: lowering.const(False, BOOL, span)), BOOL, span)


def _is_instance(lowering: FunctionLowering, value: Value, type: Type, span: Span) -> Value:
    return one_of(lowering, value, instances_of(type), span)


OTHER = Kind(truth=_truth, attribute=sequences.no_attribute, method=methods.lower_method)

ANYTHING = replace(OTHER, precedence=6, equal=_equal, instance=_is_instance, one_of=one_of)
"""Values that may be anything."""
