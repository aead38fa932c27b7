"""Elements, fields and targets of pointers, in the low-level dialect."""

from __future__ import annotations

import ast

from tscript.abi.layout import STRUCTS
from tscript.diagnostics import Span
from tscript.dialect import machine
from tscript.frontend.diagnostics import dialect_errors, errors, type_errors
from tscript.frontend.diagnostics.type_names import machine_article, machine_name
from tscript.frontend.dialect.expressions import meant, offset
from tscript.frontend.dialect.lowering import DialectLowering, Literal, Operand
from tscript.frontend.lowering.constants import constant_int
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.tuples import tuple_element
from tscript.ir.graph import Value
from tscript.types import NONE, STR, PtrType, StructType, TupleType


def lower_attribute(lowering: DialectLowering, node: ast.Attribute) -> Operand:
    """``p.name``: the value of a field, or the address of an array."""
    symbol = static(lowering, node)
    if symbol is not None:
        return meant(lowering, symbol, node)
    pointer, is_array = _field(lowering, node)
    return pointer if is_array else load(lowering, pointer, node)


def _field(lowering: DialectLowering, node: ast.Attribute) -> tuple[Value, bool]:
    """Address of a field, and whether it is an array."""
    span = lowering.span(node)
    base = lowering.value(node.value)
    if not isinstance(base.type, PtrType) or not isinstance(base.type.pointee, StructType):
        raise lowering.failure(dialect_errors.NotAPointer(span, machine_article(base.type), f"field '{node.attr}'"))
    struct = STRUCTS[base.type.pointee.name]
    try:
        found = struct.field(node.attr)
    except KeyError:
        raise lowering.failure(
            dialect_errors.NotAPointer(span, f"struct {struct.name}", f"field '{node.attr}'")
        ) from None
    name = lowering.const(node.attr, STR, span)
    return lowering.leaf(machine.FIELD, [base, name], PtrType(found.type), span), found.count > 1


def lower_subscript(lowering: DialectLowering, node: ast.Subscript) -> Operand:
    """``p[i]``, or an element of a tuple."""
    container = lowering.value(node.value)
    if isinstance(container.type, TupleType):
        index = constant_int(lowering, node.slice)
        length = len(container.type.elements)
        if index is None or not -length <= index < length:
            span = lowering.span(node.slice)
            raise lowering.failure(type_errors.TupleIndexRange(span, index or 0, length, -length, length - 1))
        return tuple_element(lowering, container, index % length, lowering.span(node))
    return load(lowering, _element(lowering, container, node), node)


def _element(lowering: DialectLowering, base: Value, node: ast.Subscript) -> Value:
    """Address of an element."""
    span = lowering.span(node)
    if not isinstance(base.type, PtrType):
        raise lowering.failure(dialect_errors.NotAPointer(span, machine_article(base.type), "elements"))
    index = lowering.operand(node.slice)
    if isinstance(index, Literal) and index.value == 0:
        return base
    return offset(lowering, ast.Add(), base, index, span)


def load(lowering: DialectLowering, pointer: Value, node: ast.expr) -> Value:
    """The type of the target of a pointer."""
    assert isinstance(pointer.type, PtrType)
    if isinstance(pointer.type.pointee, StructType):
        raise lowering.failure(
            dialect_errors.NotAPointer(lowering.span(node), f"struct {pointer.type.pointee}", "value; name a field")
        )
    return lowering.leaf(machine.LOAD, [pointer], pointer.type.pointee, lowering.span(node))


def place(lowering: DialectLowering, target: ast.Subscript | ast.Attribute) -> Value:
    """The address that an assignment to `target` writes."""
    if isinstance(target, ast.Subscript):
        return _element(lowering, lowering.value(target.value), target)
    pointer, is_array = _field(lowering, target)
    if is_array:
        raise lowering.failure(
            errors.UnsupportedTarget(lowering.span(target), "an array field", "assign to its elements: p.name[i] = v")
        )
    return pointer


def store(lowering: DialectLowering, target: ast.Subscript | ast.Attribute, operand: Operand, span: Span) -> None:
    """Assign an operand to an element or field."""
    write(lowering, place(lowering, target), operand, span)


def write(lowering: DialectLowering, place: Value, operand: Operand, span: Span) -> None:
    """Write an operand to an address; a literal takes the type of the target."""
    assert isinstance(place.type, PtrType)
    wanted = place.type.pointee
    value = lowering.adopt(operand, wanted, span)
    if value.type != wanted:
        instead = f"convert it: {machine_name(wanted)}(...)"
        raise lowering.failure(
            dialect_errors.DialectOperands(span, "=", machine_article(wanted), machine_article(value.type), instead)
        )
    lowering.leaf(machine.STORE, [place, value], NONE, span)
