"""``x.item()``: a number whose Python type depends on the dtype.

The dtype is known when a call is compiled, or at run time. Until then the number is an ``int | float | bool``,
`NUMBER`, and so are results of arithmetic on it. If one of the three types is declared, or the other operand is a
float, the number is converted to that type. A dtype that does not fit the declared type raises at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.calls import refuse_call
from tscript.frontend.lowering.common import EQUAL, has_own
from tscript.frontend.lowering.comparisons import truth_of
from tscript.frontend.lowering.conversions import by_member, is_none, narrow
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.instance_tests import value_one_of
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.receivers import named, values_named
from tscript.frontend.lowering.unions import each
from tscript.frontend.source.classes import class_definition, defines
from tscript.frontend.values import hashes, methods, sequences, tuple_order
from tscript.frontend.values.array_promotion import one_number
from tscript.frontend.values.representation import STR_METHODS
from tscript.ir.graph import Const, Node, Op, Raise, Value
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.operators.python.functions import representation as bodies
from tscript.operators.python.functions.containers import options_equal, same_options
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    TYPE,
    ArrayType,
    ClassType,
    OptionalType,
    ScalarType,
    Type,
    UnionType,
    is_instance_of,
    is_subtype,
    members_of,
)
from tscript.types.inference import weaken

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
    """A `NUMBER` as an operand beside a float is a float, as in Python; beside arrays and NumPy scalars, whose dtypes
    have to be known, any number is."""
    if isinstance(other, ArrayType | ScalarType):
        return one_number(lowering, value, span)
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


def one_of(lowering: FunctionLowering, value: Value, wanted: Sequence[Type], span: Span) -> Value:
    """Whether a value of a union is of one of some of its members."""
    out = lowering.const(False, BOOL, span)
    for i, type in enumerate(wanted):
        test = lowering.leaf(IS_INSTANCE, [value, lowering.const(type, TYPE, span)], BOOL, span)
        out = lowering.apply("bitwise_or", [out, test], span) if i else test
    return out


def _one_of_optional(lowering: FunctionLowering, value: Value, wanted: Sequence[Type], span: Span) -> Value:
    if not wanted:
        return lowering.const(False, BOOL, span)
    assert isinstance(value.type, OptionalType)
    absent = is_none(lowering, value, span)
    if NONE in wanted:
        return lowering.const(True, BOOL, span) if len(wanted) > 1 else absent
    inner = value.type.value
    present = lowering.apply("not", [absent], span)
    if is_subtype(inner, wanted[0]):
        return present
    then = lowering.branch(lambda: one_of(lowering, narrow(lowering, value, inner, span), wanted[:1], span))
    orelse = lowering.branch(lambda: lowering.const(False, BOOL, span))
    out = merge(lowering, present, then, orelse, span, BOOL)
    assert out is not None
    return out


def _is_instance(lowering: FunctionLowering, value: Value, type: Type, span: Span) -> Value:
    members = members_of(weaken(value.type))
    wanted = [m for m in members if any(is_instance_of(m, w) for w in members_of(type))]
    classes = [m for m in members if isinstance(m, ClassType)]
    wanted += [
        m for m in members_of(type) if isinstance(m, ClassType) and any(m.info.derives_from(c.info) for c in classes)
    ]
    return value_one_of(lowering, value, list(dict.fromkeys(wanted)), span)


def _equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` where one may be an instance that defines equality."""
    if not (has_own(left.type) or has_own(right.type)):
        return None
    if any(NONE in members_of(v.type) for v in (left, right)):
        return call_function(lowering, options_equal, [left, right], span)
    return each(lowering, [left, right], lambda v: truth_of(lowering, "eq", v[0], v[1], span), span)


def _equal_optional(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    if not (defines(left.type, EQUAL) and defines(right.type, EQUAL)):
        return None
    return call_function(lowering, options_equal, [left, right], span)


def same_or_equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    """Whether two values are the same object, or equal."""
    if any(isinstance(v.type, UnionType) for v in (left, right)):
        if any(NONE in members_of(v.type) for v in (left, right)):
            return call_function(lowering, same_options, [left, right], span)
        found = each(lowering, [left, right], lambda v: same_or_equal(lowering, v[0], v[1], span), span)
        if found is not None:
            return found
    return tuple_order.equal(lowering, [(left, right)], lambda x, y: truth_of(lowering, "eq", x, y, span), span)


def _are_instances(type: Type) -> bool:
    return all(isinstance(member, ClassType) for member in members_of(type))


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    """An attribute that instances of all classes have."""
    if not _are_instances(value.type) or any(not _has(member, name, called=False) for member in members_of(value.type)):
        return sequences.no_attribute(lowering, value, name, span, node)
    return each(lowering, [value], lambda v: _attribute_of(lowering, v[0], name, span, node), span)


def _attribute_of(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value:
    of_kind = lowering.kind(value).attribute
    found = None if of_kind is None else of_kind(lowering, value, name, span, node)
    if found is None:
        raise Abandoned
    return found


def _has(type: Type, name: str, *, called: bool) -> bool:
    """Whether instances of a class have an attribute, or a method if it is called."""
    definition = class_definition(type)
    assert definition is not None and isinstance(type, ClassType)
    if name in type.info.fields:
        return True
    method = definition.method(name)
    return method is not None and (called or method[1].kind == "property")


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """A method that instances of all classes have, of the class that the receiver is of."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    found = _called(lowering, node, receiver, name) if _are_instances(receiver.type) else None
    return methods.lower_method(lowering, node, receiver) if found is None else found


def _call(lowering: FunctionLowering, callee: Value, node: ast.Call) -> Value:
    """``x(...)`` of instances that can be called."""
    found = _called(lowering, node, callee, "__call__") if _are_instances(callee.type) else None
    if found is None:
        raise refuse_call(lowering, callee.type, node.func)
    return found


def _called(lowering: FunctionLowering, node: ast.Call, receiver: Value, name: str) -> Value | None:
    if any(not _has(member, name, called=True) for member in members_of(receiver.type)):
        return None
    kept: list[ast.expr] = []

    def known(argument: ast.expr) -> ast.expr:
        """An argument that is computed once, before the class is looked at, if it has a type by itself."""
        if isinstance(argument, _TYPED_BY_PLACE) or static(lowering, argument) is not None:
            return argument
        kept.append(named(lowering, lowering.value(argument), argument))
        return kept[-1]

    args = [known(a) for a in node.args]
    keywords = [ast.copy_location(ast.keyword(k.arg, known(k.value)), k) for k in node.keywords]

    def of(values: Sequence[Value]) -> Value:
        with values_named(lowering, values, node.func) as (self,):
            func = self if name == "__call__" else ast.copy_location(ast.Attribute(self, name, ast.Load()), node.func)
            call = ast.copy_location(ast.Call(func, args, keywords), node)
            kind = lowering.kind(values[0])
            how = kind.call if name == "__call__" else None
            return how(lowering, values[0], call) if how is not None else kind.method(lowering, call, values[0])

    try:
        return each(lowering, [receiver], of, lowering.span(node))
    finally:
        for name_node in kept:
            assert isinstance(name_node, ast.Name)
            lowering.scope.pop(name_node.id, None)


_TYPED_BY_PLACE = (
    ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.DictComp, ast.SetComp, ast.Lambda, ast.Starred,
    ast.GeneratorExp, ast.Constant, ast.IfExp,
)  # fmt: skip
"""Expressions that may take their type from the parameter."""

OPTIONAL = Kind(
    truth=_truth,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    as_string=_optional_as_string,
    precedence=1,
    equal=_equal_optional,
    hash=hashes.of_option,
    instance=_is_instance,
    one_of=_one_of_optional,
)

UNION = Kind(
    truth=_truth,
    attribute=_attribute,
    method=_method,
    call=_call,
    converted=_converted,
    beside=_beside,
    precedence=5,
    equal=_equal,
    hash=hashes.of_union,
    instance=_is_instance,
    one_of=one_of,
)
