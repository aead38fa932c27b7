"""``x.item()``: a number whose Python type depends on the dtype.

The dtype is known when a call is compiled, or at run time. Until then the number is an ``int | float | bool``,
`NUMBER`, and so are results of arithmetic on it. If one of the three types is declared, or the other operand is a
float, the number is converted to that type. A dtype that does not fit the declared type raises at run time.
"""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.conversions import by_member
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.source.classes import defines
from tscript.frontend.values import methods, sequences
from tscript.frontend.values.representation import STR_METHODS
from tscript.ir.graph import Const, Node, Op, Raise, Value
from tscript.operators.python.functions import representation as bodies
from tscript.types import BOOL, FLOAT, INT, NONE, NUMBER, OptionalType, Type, UnionType, members_of

_AS: dict[Type, str] = {FLOAT: "item.float", INT: "item.int", BOOL: "item.bool"}


def as_number(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A `NUMBER` as a number of the type `target`, and an optional one as an optional of it; None for another value or
    type."""
    wanted = target.value if isinstance(target, OptionalType) and value.type != NUMBER else target
    numbers = {*members_of(value.type)} - ({NONE} if wanted != target else set())
    if wanted not in _AS or numbers != {*NUMBER.members}:
        return None
    tensor = _source(value)
    if tensor is not None and _is_as_it_was(lowering, value.node):
        return lowering.leaf(lowering.program.resolver.table[_AS[target]], [tensor], target, span)

    def of(member: Value) -> Value:
        if member.type != NONE and (member.type == FLOAT != wanted or member.type != wanted == BOOL):
            message = f"{article(wanted)} is declared, but the number is {article(member.type)}"
            lowering.block.nodes.append(Raise("TypeError", message, (), span))
            return Value(target)
        number = member if member.type == NONE else lowering.coerce(member, wanted, span)
        found = None if number is None else lowering.coerce(number, target, span)
        assert found is not None
        return found

    return by_member(lowering, value, of, target, span)


def _source(value: Value) -> Value | None:
    """The tensor of which a number is the item."""
    node = value.node
    return node.inputs[0] if isinstance(node, Op) and node.op.name == "item.number" else None


def _is_as_it_was(lowering: FunctionLowering, node: Node | None) -> bool:
    """Whether nothing can have written to a tensor since a node of this block ran."""
    for later in reversed(lowering.block.nodes):
        if later is node:
            return True
        writes = not isinstance(later, Op) or later.op.effects.writes or later.op.effects.world
        if writes and not isinstance(later, Const):
            return False
    return False


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return by_member(lowering, value, lambda member: lowering.truth(member, span), BOOL, span)


def _beside(lowering: FunctionLowering, value: Value, other: Type, span: Span) -> Value:
    """A `NUMBER` as an operand beside a float is a float, as in Python."""
    return as_number(lowering, value, FLOAT, span) or value if other == FLOAT else value


def _converted(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    if isinstance(value.type, UnionType) and {*value.type.members} - {NONE} == {*NUMBER.members}:
        return as_number(lowering, value, target, span)
    return None


def _optional_as_string(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    if not defines(value.type, STR_METHODS):
        return None
    text = bodies.option_str if special == "__str__" else bodies.optional_repr
    return call_function(lowering, text, [value], span)


OPTIONAL = Kind(
    truth=_truth,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    as_string=_optional_as_string,
)

UNION = Kind(
    truth=_truth,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    converted=_converted,
    beside=_beside,
)
