"""Comparisons of tuples, element by element."""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.lowering import method_calls
from tscript.frontend.lowering.common import EQUAL, ORDER
from tscript.frontend.lowering.comparisons import are_equal, truth_of
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.classes import defines
from tscript.frontend.values import tuple_order
from tscript.frontend.values.instance_comparisons import says_order
from tscript.ir.graph import Value
from tscript.types import BOOL, INT, ClassType, TensorType, TupleType, Type


def _pairs(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> list[tuple[Value, Value]]:
    return list(zip(tuple_elements(lowering, left, span), tuple_elements(lowering, right, span), strict=True))


def equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` of which one is a tuple; None if the other is not a tuple."""
    a, b = left.type, right.type
    for one, other in ((left, right), (right, left)):
        found = method_calls.special_call(lowering, one, "__eq__", [other], span)
        if found is not None:
            return found
    if not (isinstance(a, TupleType) and isinstance(b, TupleType)):
        return None
    if len(a.elements) != len(b.elements):
        return lowering.const(False, BOOL, span)
    if defines(a, EQUAL) or defines(b, EQUAL):
        pairs = _pairs(lowering, left, right, span)
        return tuple_order.equal(lowering, pairs, lambda x, y: truth_of(lowering, "eq", x, y, span), span)
    out = lowering.const(True, BOOL, span)
    for i, (x, y) in enumerate(_pairs(lowering, left, right, span)):
        same = are_equal(lowering, x, y, span)
        out = same if i == 0 else lowering.apply("bitwise_and", [out, same], span)
    return out


def order(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """``left < right`` and the like of tuples that hold tensors, or instances that say how they compare; None for
    others."""
    a, b = left.type, right.type
    if not (isinstance(a, TupleType) and isinstance(b, TupleType)):
        return None
    if not defines(a, EQUAL + ORDER) or len(a.elements) != len(b.elements):
        return None

    def compare(by: str) -> tuple_order.Compare:
        return lambda x, y: truth_of(lowering, by, x, y, span)

    pairs = _pairs(lowering, left, right, span)
    first = pairs[0]

    def less(x: Value, y: Value) -> Value:
        if (x, y) == first or x.type != y.type or not _may_raise(x.type, name):
            return truth_of(lowering, name, x, y, span)
        sides = [make_tuple(lowering, [lowering.const(0, INT, span), v], span) for v in (x, y)]
        return lowering.apply(name, sides, span)  # raises TypeError if such values have no order

    return tuple_order.ordered(lowering, pairs, compare("eq"), less, name in ("le", "ge"), span)


def _may_raise(type: Type, name: str) -> bool:
    """Whether values of a type are compared in native code, which raises TypeError if they have no order."""
    return not (says_order(type, name) if isinstance(type, ClassType) else defines(type, ORDER))


def contains(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value:
    """``item in container``."""
    found = method_calls.special_call(lowering, container, "__contains__", [item], span)
    if found is not None:
        return lowering.truth(found, span)
    if isinstance(item.type, TensorType):
        pairs = [(element, item) for element in tuple_elements(lowering, container, span)]
        return tuple_order.any_equal(lowering, pairs, lambda x, y: truth_of(lowering, "eq", x, y, span), span)
    out = lowering.const(False, BOOL, span)
    for i, element in enumerate(tuple_elements(lowering, container, span)):
        same = are_equal(lowering, element, item, span)
        out = same if i == 0 else lowering.apply("bitwise_or", [out, same], span)
    return out
