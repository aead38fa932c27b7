"""``x.item()``: a number in Python, whose kind is that of the dtype.

While the dtype is not known, a tensor without dimensions stands for it. Where a number is declared, or it meets a float, the
kind is known all the same: then it is taken out as that, and a dtype that does not fit raises when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tscript.diagnostics import Span
from tscript.ir.graph import Const, Node, Op, Value
from tscript.ops.opdef import OpDef
from tscript.types import BOOL, FLOAT, INT, STR, TensorType, Type

if TYPE_CHECKING:
    from tscript.frontend.lowering import Lowering

_AS: dict[Type, str] = {FLOAT: "float.Tensor", INT: "item.int", BOOL: "item.bool"}


def is_item(value: Value) -> bool:
    """Whether a tensor stands for a number because its dtype is not known."""
    return isinstance(value.type, TensorType) and isinstance(value.node, Op) and value.node.op.name == "item"


def as_number(lowering: Lowering, value: Value, target: Type, span: Span) -> Value | None:
    """What ``x.item()`` gives as a number of the type `target`; None for another value or type."""
    if target not in _AS or not is_item(value):
        return None
    assert value.node is not None
    op: OpDef = lowering.program.resolver.table[_AS[target]]
    if _is_as_it_was(lowering, value.node):
        return lowering.leaf(op, [value.node.inputs[0]], target, span)
    return lowering.leaf(op, [value], target, span) if target == FLOAT else None


def _is_as_it_was(lowering: Lowering, node: Node) -> bool:
    """Whether nothing can have written to a tensor since a node of this block ran."""
    for later in reversed(lowering.block.nodes):
        if later is node:
            return True
        writes = not isinstance(later, Op) or later.op.effects.writes or later.op.effects.world
        if writes and not isinstance(later, Const):
            return False
    return False


def beside_float(lowering: Lowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """Two operands; what ``x.item()`` gives is a float beside one, as Python makes it one."""
    if left.type == FLOAT:
        return left, as_number(lowering, right, FLOAT, span) or right
    if right.type == FLOAT:
        return as_number(lowering, left, FLOAT, span) or left, right
    return left, right


def text(lowering: Lowering, value: Value, span: Span) -> Value | None:
    """``str(x.item())``; None for another value."""
    if not is_item(value):
        return None
    return lowering.leaf(lowering.program.resolver.table["str.item"], [value], STR, span)
