"""Calls that make containers: ``list(…)``, ``tuple(…)``, ``set(…)`` and ``dict(…)``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tscript.diagnostics import Span
from tscript.frontend.lowering import container_literals, holding, iterables, sources
from tscript.frontend.lowering.arguments import arguments, call_function, refuse_stars, wrong
from tscript.frontend.lowering.calls import lower_method_of
from tscript.frontend.lowering.common import becomes
from tscript.frontend.lowering.container_literals import is_copied_literal
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.holding import collect
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.new_containers import make_dict, make_list, make_set
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.symbols import PythonSymbol
from tscript.frontend.values import methods, tensors
from tscript.ir.graph import Value
from tscript.operators.python.functions.containers import update_dict
from tscript.types import NEVER, DictType, ListType, SetType, SizeType, TupleType, Type
from tscript.types.inference import is_open

_OPEN_LIST, _OPEN_TUPLE = ListType(NEVER), ListType(NEVER, frozen=True)
_OPEN_SET, _OPEN_DICT = SetType(NEVER), DictType(NEVER, NEVER)


def _iterable(lowering: FunctionLowering, node: ast.Call, name: str) -> ast.expr | None:
    found = arguments(lowering, node, name, 0, 1)
    return found[0] if found else None


def declared(lowering: FunctionLowering, node: ast.Call, target: Type | None) -> Value | None:
    """``list(…)``, ``tuple(…)``, ``set(…)`` or ``dict(…)`` where a value of type `target` is declared; None for any
    other call."""
    if target is not None and isinstance(node.func, ast.Attribute) and node.func.attr == "fromkeys":
        owner = static(lowering, node.func.value)
        keyed = container_literals.wanted_of(target, DictType)
        if isinstance(owner, PythonSymbol) and owner.value is dict and keyed is not None:
            return _from_keys(lowering, node, keyed)
        return None
    symbol = static(lowering, node.func) if target is not None else None
    made = _CONTAINERS.get(symbol.value) if isinstance(symbol, PythonSymbol) else None
    if made is None:
        return None
    kind, frozen, handler = made
    wanted = container_literals.wanted_of(target, kind)
    if wanted is None or (kind is ListType and wanted.frozen is not frozen):
        return None
    return handler(lowering, node, wanted)


def call_list(lowering: FunctionLowering, node: ast.Call, wanted: ListType = _OPEN_LIST) -> Value:
    """``list(…)``, of the type `wanted`, which may be open."""
    argument = _iterable(lowering, node, "list")
    span = lowering.span(node)
    return make_list(lowering, wanted, [], span) if argument is None else list_of(lowering, argument, span, wanted)


def list_of(lowering: FunctionLowering, argument: ast.expr, span: Span, wanted: ListType = _OPEN_LIST) -> Value:
    """A new list, of a type that may be open, of the elements of an iterable."""
    if not iterables.is_iterator(lowering, argument):
        value = sources.consumed(lowering, argument, None if is_open(wanted) else wanted.element)
        if isinstance(value.type, ListType) and not value.type.frozen and not is_open(value.type):
            if is_open(wanted) or value.type == wanted:
                return lowering.apply("copy", [value], span)
        source = sources.value_source(lowering, value, argument)
    else:
        source = sources.source_of(lowering, argument)
    return _collected(lowering, source, argument, wanted)


def _collected(lowering: FunctionLowering, source: Source, node: ast.expr, wanted: ListType) -> Value:
    if is_open(wanted):
        return collect(lowering, source, node)
    out = make_list(lowering, wanted, [], lowering.span(node))
    holding.run_into(lowering, source, lambda x: holding.append(lowering, out, x, node), node)
    return out


def call_tuple(lowering: FunctionLowering, node: ast.Call, wanted: ListType = _OPEN_TUPLE) -> Value:
    """``tuple(…)``, of the type `wanted`, which may be open."""
    argument = _iterable(lowering, node, "tuple")
    span = lowering.span(node)
    if argument is None:
        return make_tuple(lowering, [], span)
    held = ListType(wanted.element)
    if iterables.is_iterator(lowering, argument):
        items = list_of(lowering, argument, span, held)
    else:
        items = lowering.value(argument)
        if isinstance(items.type, TupleType | SizeType) or (isinstance(items.type, ListType) and items.type.frozen):
            return items
        if not isinstance(items.type, ListType) or not (is_open(held) or is_open(items.type) or items.type == held):
            items = _collected(lowering, sources.value_source(lowering, items, argument), argument, held)
    assert isinstance(items.type, ListType)
    return lowering.apply("to_tuple", [items], span)


def call_set(lowering: FunctionLowering, node: ast.Call, wanted: SetType = _OPEN_SET) -> Value:
    """``set(…)``, of the type `wanted`, which may be open."""
    argument = _iterable(lowering, node, "set")
    span = lowering.span(node)
    if argument is None:
        return make_set(lowering, wanted, [], span)
    source = sources.source_of(lowering, argument)
    out = make_set(lowering, wanted, [], span)
    holding.run_into(lowering, source, lambda x: holding.add(lowering, out, x, argument), argument)
    return out


def call_dict(lowering: FunctionLowering, node: ast.Call, wanted: DictType = _OPEN_DICT) -> Value:
    """``dict(…)``, of the type `wanted`, which may be open."""
    refuse_stars(lowering, node)
    span = lowering.span(node)
    out = make_dict(lowering, wanted, [], span)
    if len(node.args) > 1:
        raise wrong(lowering, node, "dict", f"takes at most 1 argument by position, {len(node.args)} given")
    if node.args and not node.keywords and not iterables.is_iterator(lowering, node.args[0]):
        value = lowering.value(node.args[0])
        if becomes(value.type, wanted):
            call_function(lowering, update_dict, [out, value], span)
            return out
        if isinstance(value.type, DictType) and not is_open(value.type):
            return lowering.apply("copy", [value], span)
        source = sources.value_source(lowering, value, node.args[0])
        _store_pairs(lowering, out, source, node.args[0])
        return out
    function = ast.copy_location(ast.Attribute(node.func, "update", ast.Load()), node)
    lower_method_of(lowering, ast.copy_location(ast.Call(function, node.args, node.keywords), node), out)
    return out


def _from_keys(lowering: FunctionLowering, node: ast.Call, wanted: DictType) -> Value:
    """``dict.fromkeys(…)`` where a dict of a type is declared."""
    args = arguments(lowering, node, "dict.fromkeys", 1, 2)
    span = lowering.span(node)
    keys = list_of(lowering, args[0], span, ListType(wanted.key))
    if keys.type != ListType(wanted.key):
        source = sources.value_source(lowering, keys, args[0])
        keys = _collected(lowering, source, args[0], ListType(wanted.key))
    held = lowering.value_as(args[1], wanted.value) if len(args) == 2 else lowering.constant(None, span)
    value = holding.element(lowering, args[-1], held, wanted.value, "dict")
    return lowering.apply("fromkeys", [keys, value], span)


_CONTAINERS: dict[object, tuple[type[Type], bool, Callable[..., Value]]] = {
    list: (ListType, False, call_list),
    tuple: (ListType, True, call_tuple),
    set: (SetType, False, call_set),
    dict: (DictType, False, call_dict),
}
"""Constructors of containers: the kind of their type, whether it is frozen, and what lowers a call."""


def _store_pairs(lowering: FunctionLowering, out: Value, source: Source, node: ast.expr) -> None:
    def store(pair: Value) -> None:
        key, item = lowering.unpack(pair, 2, lowering.span(node))
        holding.put(lowering, out, key, item, node, node)

    holding.run_into(lowering, source, store, node)


def lower_expected(lowering: FunctionLowering, node: ast.Call, target: Type | None) -> Value:
    """A call where a value of type `target` is declared."""

    if target is not None and isinstance(node.func, ast.Attribute) and is_copied_literal(node):
        return methods.lower_method(lowering, node, lowering.value_as(node.func.value, target))
    found = tensors.to_list(lowering, node, target) or declared(lowering, node, target)
    return lowering.value(node) if found is None else found
