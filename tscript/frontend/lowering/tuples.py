"""Tuples as values: made of elements, and unpacked."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.absent import MISSING
from tscript.diagnostics import Span
from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
from tscript.frontend.lowering.lowering import Lowering
from tscript.ir.graph import Op, Value
from tscript.types import INT, TupleType


def make_tuple(lowering: Lowering, elements: Sequence[Value], span: Span) -> Value:
    """A tuple value; constant when all elements are."""
    constants = [e.constant for e in elements]
    type = TupleType(tuple(e.type for e in elements))
    if all(c is not MISSING for c in constants):
        return lowering.const(tuple(constants), type, span)
    return lowering.leaf(TUPLE_MAKE, elements, type, span)


def tuple_element(lowering: Lowering, value: Value, index: int, span: Span) -> Value:
    """Element `index` (not negative) of a tuple value."""
    assert isinstance(value.type, TupleType)
    element = value.type.elements[index]
    constant = value.constant
    if isinstance(constant, tuple):
        return lowering.const(constant[index], element, span)
    if value.node is not None and isinstance(value.node, Op) and value.node.op is TUPLE_MAKE:
        return value.node.inputs[index]
    return lowering.leaf(TUPLE_GET, [value, lowering.const(index, INT, span)], element, span)


def tuple_elements(lowering: Lowering, value: Value, span: Span) -> list[Value]:
    """All elements of a tuple value."""
    assert isinstance(value.type, TupleType)
    return [tuple_element(lowering, value, i, span) for i in range(len(value.type.elements))]
