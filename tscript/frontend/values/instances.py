"""Instances of classes: their methods, and their kind. `making_instances` makes them, `fields` has their attributes.

A method is a graph with the instance as its first parameter. A call goes to the method of the nearest base. If derived
classes are known that override it, the call dispatches on the class in the header of the instance. A function is
compiled for the classes known at that time. Later classes that override a called method are refused at calls from
Python (`ClassDefinition.late`).
"""

from __future__ import annotations

import ast

from tscript.abi.exceptions import is_exception
from tscript.diagnostics import Span
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import elsewhere, type_errors
from tscript.frontend.lowering import calls
from tscript.frontend.lowering.calls import refuse_call
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.method_calls import call_method, call_static, special_call
from tscript.frontend.lowering.receivers import (
    definition_of,
    is_exact,
    placed,
    usable_or_reading,
    values_named,
)
from tscript.frontend.source.classes import is_loaded_module
from tscript.frontend.values import methods, module_members
from tscript.frontend.values.fields import get_attribute, get_field, store_into
from tscript.frontend.values.iterators import source_of
from tscript.frontend.values.making_instances import construct
from tscript.ir.graph import Raise, Value
from tscript.operators.python.exceptions import ARGS
from tscript.types import (
    BOOL,
    INT,
    ClassType,
    EnumType,
    TupleType,
)


def lower_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``receiver.name(...)`` of an instance, a member or a named tuple; None when it is none of those."""
    definition = definition_of(receiver)
    if definition is None:
        return None
    assert isinstance(node.func, ast.Attribute)
    usable_or_reading(lowering, definition)
    name = node.func.attr
    if definition.members is not None:
        made = module_members.view(lowering, node, receiver, definition.members)
        if made is not None:
            return made
    found = definition.method(name)
    if found is None:
        if isinstance(receiver.type, TupleType | EnumType):
            return None
        if isinstance(receiver.type, ClassType) and name in receiver.type.info.fields:
            field = get_field(lowering, receiver, name, lowering.span(node.func))
            return call_value(lowering, node, field)
        constant = definition.constant(name)
        if constant is not None:
            symbol = lowering.program.resolver.class_constant(*constant)
            return calls.call_symbol(lowering, node, symbol)
        names = [n for d in definition.bases for n in d.methods]
        close = close_matches(name, names)
        instead = f"did you mean '{close[0]}'?" if close else f"define it in {definition.name}"
        if is_loaded_module(receiver.type) and not close:
            instead = elsewhere.LOADED
        raise lowering.failure(
            type_errors.NoAttribute(lowering.span(node.func), definition.name, "method", name, instead)
        )
    owner, method = found
    if method.kind in ("static", "class"):
        return call_static(lowering, node, owner, method)
    if method.kind == "property":
        value = call_method(lowering, placed(lowering, lowering.span(node.func)), definition, name, receiver)
        return call_value(lowering, node, value)
    return call_method(lowering, node, definition, name, receiver, exact=is_exact(receiver))


def call_value(lowering: FunctionLowering, node: ast.Call, value: Value) -> Value:
    """Call the value of an expression."""
    with values_named(lowering, [value], node.func) as names:
        return calls.lower_call(lowering, ast.copy_location(ast.Call(names[0], node.args, node.keywords), node))


# ---- special methods


def length(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """``len(x)`` of a class with ``__len__``; None without one."""
    if (members := module_members.members_of(value)) is not None:
        return module_members.length(lowering, value, members, span)
    found = special_call(lowering, value, "__len__", [], span)
    if found is not None and found.type == INT:
        failing = Raise("ValueError", "__len__() should return >= 0", (), span)
        negative = lowering.apply("lt", [found, lowering.const(0, INT, span)], span)
        when(lowering, negative, lambda: lowering.block.nodes.append(failing), span)
    return found


# ---- the kind


def _instance_truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    found = special_call(lowering, value, "__bool__", [], span)
    if found is None:
        found = length(lowering, value, span)
    return lowering.const(True, BOOL, span) if found is None else lowering.truth(found, span)


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    if is_exception(value.type) and name == "args":
        return lowering.leaf(ARGS, [value], ARGS.type_rule([value]), span)
    return get_attribute(lowering, value, name, span)


def method_or_builtin(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """``receiver.name(...)``: of its class, or of the builtin class that it derives from."""
    found = lower_method(lowering, node, receiver)
    return methods.lower_method(lowering, node, receiver) if found is None else found


def iterated(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source | None:
    """The iterable of an instance; None if its class has no ``__iter__``."""
    if (members := module_members.members_of(value)) is not None:
        return module_members.source(lowering, value, members, lowering.span(node))
    return source_of(lowering, value, node)


def call_instance(lowering: FunctionLowering, callee: Value, node: ast.Call) -> Value:
    """``x(...)`` by ``__call__``."""
    definition = definition_of(callee)
    if definition is None or definition.method("__call__") is None:
        raise refuse_call(lowering, callee.type, node.func)
    return call_method(lowering, node, definition, "__call__", callee, exact=is_exact(callee))


def _item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value | None:
    if (members := module_members.members_of(container)) is not None:
        return module_members.item(lowering, container, members, node)
    return special_call(lowering, container, "__getitem__", [lowering.value(node.slice)], lowering.span(node))


def _set_item(lowering: FunctionLowering, target: ast.Subscript, container: Value, value: Value) -> bool:
    key = lowering.value(target.slice)
    return special_call(lowering, container, "__setitem__", [key, value], lowering.span(target)) is not None


def _delete_item(lowering: FunctionLowering, target: ast.Subscript, container: Value) -> bool:
    key = lowering.value(target.slice)
    return special_call(lowering, container, "__delitem__", [key], lowering.span(target)) is not None


PLAIN = Kind(
    truth=_instance_truth,
    length=length,
    item=_item,
    set_item=_set_item,
    delete_item=_delete_item,
    attribute=_attribute,
    method=method_or_builtin,
    set_attribute=store_into,
    source=iterated,
    call=call_instance,
    construct=construct,
)
"""The operations of instances, except their string form."""
