"""``x.item()``: a number in Python, whose kind is that of the dtype.

The dtype is known when a call is compiled, or when it runs. Until then the number is an ``int | float | bool``, `NUMBER`. So is
what arithmetic makes of it. Where one of the three is declared, or a number meets a float, it is taken as that, and a dtype
that does not fit what is declared raises when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tscript.diagnostics import Span
from tscript.frontend.conversions import by_member
from tscript.frontend.scopes import article
from tscript.ir.graph import Const, Node, Op, Raise, Value
from tscript.types import BOOL, FLOAT, INT, NUMBER, Type

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering

_AS: dict[Type, str] = {FLOAT: "item.float", INT: "item.int", BOOL: "item.bool"}


def item(lowering: LanguageLowering, tensor: Value, span: Span) -> Value:
    """``tensor.item()``."""
    return lowering.leaf(lowering.program.resolver.table["item.number"], [tensor], NUMBER, span)


def as_number(lowering: LanguageLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A `NUMBER` as a number of the type `target`; None for another value or type."""
    if target not in _AS or value.type != NUMBER:
        return None
    tensor = _source(value)
    if tensor is not None and _is_as_it_was(lowering, value.node):
        return lowering.leaf(lowering.program.resolver.table[_AS[target]], [tensor], target, span)

    def of(member: Value) -> Value:
        if member.type == FLOAT != target or member.type != target == BOOL:
            message = f"{article(target)} is declared, but the number is {article(member.type)}"
            lowering.block.nodes.append(Raise("TypeError", message, (), span))
            return Value(target)
        found = lowering.coerce(member, target, span)
        assert found is not None
        return found

    return by_member(lowering, value, of, target, span)


def _source(value: Value) -> Value | None:
    """The tensor that a number is the item of."""
    node = value.node
    return node.inputs[0] if isinstance(node, Op) and node.op.name == "item.number" else None


def _is_as_it_was(lowering: LanguageLowering, node: Node | None) -> bool:
    """Whether nothing can have written to a tensor since a node of this block ran."""
    for later in reversed(lowering.block.nodes):
        if later is node:
            return True
        writes = not isinstance(later, Op) or later.op.effects.writes or later.op.effects.world
        if writes and not isinstance(later, Const):
            return False
    return False


def beside_float(lowering: LanguageLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """The operands of arithmetic; a `NUMBER` is a float beside one, as Python makes it one."""
    if left.type == FLOAT:
        return left, as_number(lowering, right, FLOAT, span) or right
    if right.type == FLOAT:
        return as_number(lowering, left, FLOAT, span) or left, right
    return left, right
