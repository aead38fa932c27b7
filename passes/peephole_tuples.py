"""Peephole rules for tuples: elements of what has just been made."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.dialect import machine
from tscript.ir.graph import Const, Node, Op, Value
from tscript.passes.peephole_window import Rule, Window
from tscript.types import TupleType


def _tuple_get(node: Op, window: Window) -> Value | None:
    whole, index = node.inputs[0], node.inputs[1].constant
    if not isinstance(index, int):
        return None
    made = whole.node
    if isinstance(made, Op) and made.op is machine.TUPLE_MAKE:
        return made.inputs[index]
    if isinstance(made, Const) and isinstance(made.value, tuple):
        return window.const(made.value[index], node.outputs[0])
    return None


def _values_alone(name: str) -> Rule:
    """A rule for an operator that gives values and indices, if nobody uses the indices: the operator `name` gives the
    values. What stands for the indices is of their type, and dead."""

    def rule(node: Op, window: Window) -> Value | None:
        uses = window.uses(node.outputs[0])
        table = window.context.table
        if not uses or not all(_is_item(use, 0) for use in uses) or name not in table or "to_long" not in table:
            return None
        values = window.builder.op(table[name], *node.inputs)
        return window.builder.op(machine.TUPLE_MAKE, values, window.builder.op(table["to_long"], values))

    return rule


def _is_item(node: Node, index: int) -> bool:
    """Whether a node takes this element of a tuple."""
    return isinstance(node, Op) and node.op is machine.TUPLE_GET and node.inputs[1].constant == index


def _tuple_make(node: Op, window: Window) -> Value | None:
    """A tuple of all elements of a tuple, in order."""
    whole: Value | None = None
    for i, value in enumerate(node.inputs):
        item = value.node
        if not (isinstance(item, Op) and item.op is machine.TUPLE_GET and item.inputs[1].constant == i):
            return None
        if whole is not None and item.inputs[0] is not whole:
            return None
        whole = item.inputs[0]
    if whole is None or not isinstance(whole.type, TupleType) or len(whole.type.elements) != len(node.inputs):
        return None
    return whole


def _tuple_item(node: Op, window: Window) -> Value | None:
    """An index into a tuple, or into a shape whose length is known by now."""
    whole, index = node.inputs[0], node.inputs[1].constant
    if not isinstance(whole.type, TupleType) or not isinstance(index, int):
        return None
    length = len(whole.type.elements)
    if not -length <= index < length:
        return None
    position = window.builder.const(index % length)
    return window.builder.op(machine.TUPLE_GET, whole, position)


def _part_of_size(node: Op, window: Window) -> Value | None:
    """Part of a shape of known length."""
    from tscript.operators.tensor.shape import slice_of

    whole, result = node.inputs[0], node.outputs[0].type
    if not isinstance(whole.type, TupleType) or not isinstance(result, TupleType):
        return None
    bounds = slice_of(node.inputs[1:])
    return None if bounds is None else window.builder.op(machine.TUPLE_MAKE, *_items(whole, window)[bounds])


def _sum_of_sizes(node: Op, window: Window) -> Value | None:
    """Two shapes of known length, one after the other."""
    if not all(isinstance(value.type, TupleType) for value in node.inputs):
        return None
    return window.builder.op(machine.TUPLE_MAKE, *[item for value in node.inputs for item in _items(value, window)])


def _items(whole: Value, window: Window) -> list[Value]:
    """The elements of a tuple."""
    assert isinstance(whole.type, TupleType)
    made, builder = whole.node, window.builder
    if isinstance(made, Op) and made.op is machine.TUPLE_MAKE:
        return list(made.inputs)
    return [builder.op(machine.TUPLE_GET, whole, builder.const(i)) for i in range(len(whole.type.elements))]


TUPLES: Mapping[str, Rule] = {
    "tuple.get": _tuple_get,
    "tuple.make": _tuple_make,
    "max.dim": _values_alone("max_values"),
    "min.dim": _values_alone("min_values"),
    "getitem.tuple": _tuple_item,
    "getitem.Size": _tuple_item,
    "slice.Size": _part_of_size,
    "add.Size": _sum_of_sizes,
}
"""Rules of operators of tuples, by qualified name."""
