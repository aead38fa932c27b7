"""Futures, and values of any type."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering.calls import waited
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.values import methods, sequences
from tscript.ir.graph import Value


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return lowering.apply("bool", [value], span)


def _future_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "wait" and not node.args and not node.keywords:
        return waited(lowering, receiver, lowering.span(node.func))
    return methods.lower_method(lowering, node, receiver)


FUTURE = Kind(truth=_truth, attribute=sequences.no_attribute, method=_future_method)

OTHER = Kind(truth=_truth, attribute=sequences.no_attribute, method=methods.lower_method)
