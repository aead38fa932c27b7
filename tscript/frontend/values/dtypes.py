"""Dtypes, and None: values whose truth is known."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering.conversions import is_none
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.values import methods, sequences
from tscript.ir.graph import Value
from tscript.types import NONE

DTYPE_ATTRIBUTES: dict[str, str] = {
    "is_complex": "is_complex",
    "is_floating_point": "is_floating_point",
    "is_signed": "is_signed",
    "itemsize": "itemsize",
}


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    operator = DTYPE_ATTRIBUTES.get(name)
    return None if operator is None else lowering.apply(operator, [value], span)


def _is_none(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    return is_none(lowering, right if left.type == NONE else left, span)


def _same_dtype(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    return lowering.apply("eq", [left, right], span) if left.type == right.type else None


NONE_KIND = Kind(
    truth=sequences.always(False),
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    precedence=7,
    equal=_is_none,
    negates_equal=True,
    same=_is_none,
)

DTYPE_KIND = Kind(truth=sequences.always(True), attribute=_attribute, method=methods.lower_method, same=_same_dtype)
