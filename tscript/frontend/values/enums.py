"""Enums. Members are numbers, their names and values come from tables, and the lookup of a member is a chain of
comparisons."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from tscript.definitions.absent import MISSING
from tscript.definitions.values import constant_type
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import class_errors, errors
from tscript.frontend.diagnostics.type_names import article, shown
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.common import common
from tscript.frontend.lowering.conversions import is_string
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Indexed, Items
from tscript.frontend.lowering.kinds import Kind, KindOfClass
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.method_calls import special_call
from tscript.frontend.source.classes import ClassDefinition, enum_member, members_of_enum
from tscript.frontend.values import fields, hashes, instances, methods
from tscript.frontend.values.instance_comparisons import refuse
from tscript.frontend.values.representation import own_str
from tscript.ir.graph import Value
from tscript.operators.python.classes import ENUM_INDEX, ENUM_MEMBER
from tscript.operators.python.functions.containers import options_equal
from tscript.operators.python.functions.enum_members import no_enum_name, no_enum_value
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    STR,
    TYPE,
    EnumType,
    OptionalType,
    TupleType,
    Type,
    is_subtype,
    members_of,
    union,
)


def member(lowering: FunctionLowering, type: Type, name: str, span: Span) -> Value:
    """A member as a constant."""
    return lowering.const(name, type, span)


def number(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """The number of a member."""
    assert isinstance(value.type, EnumType)
    if value.member is not None:
        return lowering.const(list(value.type.info.members).index(value.member), INT, span)
    return lowering.leaf(ENUM_INDEX, [value], INT, span)


def from_table(lowering: FunctionLowering, value: Value, entries: Sequence[object], span: Span) -> Value:
    """The entry of a table that belongs to a member."""
    at = number(lowering, value, span)
    types = [constant_type(e) for e in entries]
    if isinstance(at.constant, int):
        return lowering.constant(entries[at.constant], span)
    if len(set(types)) == 1 and types[0] in (INT, FLOAT, BOOL, STR):
        table = lowering.const(tuple(entries), TupleType(tuple(types)), span)
        return lowering.apply("getitem", [table, at], span)
    out: Type | None = types[0]
    for other in types[1:]:
        out = union([out, other]) if out is not None and common(out, other) is None else common(out, other)  # type: ignore[arg-type]
    assert out is not None
    wanted = out

    def choose(low: int, high: int) -> Value:
        if high - low == 1:
            found = lowering.coerce(lowering.constant(entries[low], span), wanted, span)
            assert found is not None
            return found
        middle = (low + high) // 2
        test = lowering.apply("lt", [at, lowering.const(middle, INT, span)], span)
        then, orelse = lowering.branch(lambda: choose(low, middle)), lowering.branch(lambda: choose(middle, high))
        merged = merge(lowering, test, then, orelse, span, wanted)
        assert merged is not None
        return merged

    return choose(0, len(entries))


def value_of(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``member.value``."""
    assert isinstance(value.type, EnumType)
    entries = list(value.type.info.members.values())
    for entry in entries:
        try:
            constant_type(entry)
        except (TypeError, ValueError):
            found = f"the value {entry!r} of a member of {shown(value.type)}"
            raise lowering.failure(
                class_errors.UnsupportedClass(span, found, "use numbers, strings, or tuples of those as values")
            ) from None
    return from_table(lowering, value, entries, span)


def attribute(lowering: FunctionLowering, value: Value, name: str, span: Span) -> Value | None:
    """``member.name`` and ``member.value``; None for other attributes."""
    assert isinstance(value.type, EnumType)
    if name in ("value", "_value_"):
        return value_of(lowering, value, span)
    if name in ("name", "_name_"):
        return from_table(lowering, value, list(value.type.info.members), span)
    return None


def text(lowering: FunctionLowering, value: Value, how: Any, span: Span) -> Value:
    """``str``, ``repr`` or ``format`` of a member, if its class defines it."""
    assert isinstance(value.type, EnumType) and value.type.info.python is not None
    members: Any = value.type.info.python
    return from_table(lowering, value, [how(m) for m in members], span)


def plain(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A member of an IntEnum or StrEnum as its int or str; any other value unchanged."""
    if isinstance(value.type, EnumType) and value.type.info.kind:
        return value_of(lowering, value, span)
    return value


def by_value(lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition) -> Value:
    """``Color(value)``."""
    span = lowering.span(node)
    if len(node.args) != 1 or node.keywords:
        raise lowering.failure(
            errors.BuiltinArguments(span, definition.name, "takes one value", f"write {definition.name}(value)")
        )
    value = lowering.value(node.args[0])
    if value.type == definition.type:
        return value
    value = plain(lowering, value, span)
    assert isinstance(definition.type, EnumType)
    members = definition.type.info.members
    constant = value.constant
    if constant is not MISSING:
        for name, entry in members.items():
            if entry == constant:
                return member(lowering, definition.type, name, span)
    entries = [(n, v) for n, v in members.items() if _may_equal(constant_type(v), value.type)]
    if not entries:
        problem = f"no member of {definition.name} has {article(value.type)} as its value"
        raise lowering.failure(class_errors.NoMember(span, problem, "give the value of a member"))

    def missing() -> None:
        call_function(lowering, no_enum_value, [value, lowering.constant(definition.name, span)], span)

    return _search(lowering, definition, value, entries, missing, span)


def _may_equal(entry: Type, found: Type) -> bool:
    numbers = (INT, FLOAT, BOOL)
    return any(entry == m or (entry in numbers and m in numbers) for m in members_of(found))


def _search(
    lowering: FunctionLowering,
    definition: ClassDefinition,
    value: Value,
    entries: Sequence[tuple[str, object]],
    missing: Any,
    span: Span,
) -> Value:
    def choose(position: int) -> Value:
        if position == len(entries):
            missing()
            return member(lowering, definition.type, entries[0][0], span)
        name, entry = entries[position]
        test = lowering.apply("eq", [value, lowering.constant(entry, span)], span)
        then = lowering.branch(lambda: member(lowering, definition.type, name, span))
        orelse = lowering.branch(lambda: choose(position + 1))
        out = merge(lowering, test, then, orelse, span, definition.type)
        assert out is not None
        return out

    return choose(0)


def by_name(lowering: FunctionLowering, node: ast.Subscript, definition: ClassDefinition) -> Value:
    """``Color["RED"]``."""
    span = lowering.span(node)
    value = lowering.value(node.slice)
    constant = value.constant
    if value.type != STR:
        found = article(value.type)
        raise lowering.failure(errors.UnsupportedIndex(span, definition.name, found, "give the name of a member"))
    if isinstance(constant, str):
        found = enum_member(definition, constant)
        if not found:
            known = ", ".join(members_of_enum(definition))
            problem = f"{definition.name} has no member {constant!r}"
            raise lowering.failure(class_errors.NoMember(span, problem, f"its members are {known}"))
        return member(lowering, definition.type, found, span)
    names = [(enum_member(definition, n), n) for n in members_of_enum(definition)]

    def missing() -> None:
        call_function(lowering, no_enum_name, [value], span)

    return _search(lowering, definition, value, names, missing, span)


class Members(Indexed):
    """A loop over an enum."""

    def __init__(self, definition: ClassDefinition) -> None:
        assert isinstance(definition.type, EnumType)
        self.type = definition.type

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        return lowering.const(len(self.type.info.members), INT, span)

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        type = lowering.const(self.type, TYPE, span)
        return lowering.leaf(ENUM_MEMBER, [type, index], self.type, span)


def _member_truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    found = special_call(lowering, value, "__bool__", [], span)
    held = plain(lowering, value, span)
    if found is not None or held is not value:
        return lowering.truth(held if found is None else found, span)
    return lowering.const(True, BOOL, span)


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    found = attribute(lowering, value, name, span)
    return fields.get_attribute(lowering, value, name, span) if found is None else found


def _source(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source | None:
    if is_string(value.type):
        return Items(plain(lowering, value, lowering.span(node)), "getitem")
    return instances.iterated(lowering, value, node)


def _converted(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A member of an IntEnum or StrEnum, converted like its number or string."""
    assert isinstance(value.type, EnumType)
    if not value.type.info.kind or isinstance(target, EnumType) or is_subtype(value.type, target):
        return None
    return lowering.coerce(plain(lowering, value, span), target, span)


def _as_string(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    own = own_str(lowering, value, special, span)
    return text(lowering, value, str if special == "__str__" else repr, span) if own is None else own


def _formatted(lowering: FunctionLowering, value: Value, spec: Value, span: Span) -> Value:
    own = special_call(lowering, value, "__format__", [spec], span)
    if own is not None:
        return own
    held = plain(lowering, value, span)
    if held is value or held.type == STR:
        held = text(lowering, value, format, span)
    return lowering.apply("format", [held, spec], span)


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    found = instances.lower_method(lowering, node, receiver)
    if found is not None:
        return found
    if is_string(receiver.type):
        held = plain(lowering, receiver, lowering.span(node))
        return lowering.kind(held).method(lowering, node, held)
    return methods.lower_method(lowering, node, receiver)


def _equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    a, b = left.type, right.type
    for one, other in ((left, right), (right, left)):
        found = special_call(lowering, one, "__eq__", [other], span)
        if found is not None:
            return found
    if a == b:
        return lowering.apply("eq", [number(lowering, v, span) for v in (left, right)], span)
    x, y = plain(lowering, left, span), plain(lowering, right, span)
    if isinstance(x.type, EnumType) or isinstance(y.type, EnumType):
        other_type = y.type if isinstance(x.type, EnumType) else x.type
        if isinstance(other_type, OptionalType) and isinstance(other_type.value, EnumType):
            return call_function(lowering, options_equal, [left, right], span)
        return lowering.const(False, BOOL, span)
    numbers = (INT, BOOL)
    if x.type != y.type and not (x.type in numbers and y.type in numbers) and STR in (x.type, y.type):
        return lowering.const(False, BOOL, span)
    return lowering.apply("eq", [x, y], span, shown_as="==")


def _order(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    x, y = plain(lowering, left, span), plain(lowering, right, span)
    if not isinstance(x.type, EnumType) and not isinstance(y.type, EnumType):
        return lowering.apply(name, [x, y], span)
    if isinstance(left.type, EnumType) and isinstance(right.type, EnumType):
        return refuse(lowering, left.type, right.type, name, span)
    return None


def _same(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    if not (isinstance(left.type, EnumType) and isinstance(right.type, EnumType)):
        return None
    if left.type != right.type:
        return lowering.const(False, BOOL, span)
    return lowering.apply("eq", [number(lowering, v, span) for v in (left, right)], span)


def _contains(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value | None:
    own = special_call(lowering, container, "__contains__", [item], span)
    if own is not None:
        return lowering.truth(own, span)
    held = plain(lowering, container, span)
    how = lowering.kind(held).contains
    return None if held is container or how is None else how(lowering, held, item, span)


ENUM = Kind(
    truth=_member_truth,
    length=instances.length,
    attribute=_attribute,
    method=_method,
    as_string=_as_string,
    formatted=_formatted,
    source=_source,
    call=instances.call_instance,
    plain=plain,
    converted=_converted,
    construct=by_value,
    of_class=KindOfClass(Members, by_name),
    has_methods=True,
    precedence=4,
    equal=_equal,
    negates_equal=True,
    order=_order,
    same=_same,
    contains=_contains,
    hash=hashes.of_member,
)
