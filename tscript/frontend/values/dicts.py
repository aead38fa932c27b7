"""Dicts."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering import common, holding, sources
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.values import container_comparisons, elements, methods, own_keys, sequences
from tscript.frontend.values.methods import is_value, lower_method
from tscript.frontend.values.representation import in_parts
from tscript.ir.graph import Value
from tscript.operators.python.functions import representation as bodies
from tscript.operators.python.functions.containers import update_dict
from tscript.types import DictType
from tscript.types.inference import is_open


def _get(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``d.get(key, None)`` is ``d.get(key)``."""
    last = node.args[-1] if len(node.args) == 2 else None
    if not isinstance(last, ast.Constant) or last.value is not None or node.keywords:
        return None
    plain = ast.copy_location(ast.Call(node.func, node.args[:1], []), node)
    return lower_method(lowering, plain, receiver)


def _setdefault(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    if is_open(receiver.type) and len(node.args) == 2:
        key, value = lowering.value(node.args[0]), lowering.value(node.args[1])
        lowering.settle(
            receiver, DictType(holding.hashable(lowering, key.type, lowering.span(node.args[0])), value.type)
        )
        return lowering.apply("setdefault", [receiver, key, value], lowering.span(node))
    return None


def _update_dict(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    span = lowering.span(node)
    assert isinstance(receiver.type, DictType)
    for argument in node.args[:1]:
        if is_value(lowering, argument):
            value = lowering.value_as(argument, receiver.type)
            lowering.settle(receiver, value.type)
            lowering.settle(value, receiver.type)
            if value.type == receiver.type:
                lowering.apply("update", [receiver, value], span)
                continue
            if common.becomes(value.type, receiver.type):
                call_function(lowering, update_dict, [receiver, value], span)
                continue
            source = sources.value_source(lowering, value, argument)
        else:
            source = sources.source_of(lowering, argument)

        def store(pair: Value, at: ast.expr = argument) -> None:
            key, item = lowering.unpack(pair, 2, span)
            holding.put(lowering, receiver, key, item, at, at)

        holding.run_into(lowering, source, store, argument)
    for keyword in node.keywords:
        key = lowering.constant(keyword.arg, span)
        holding.put(lowering, receiver, key, lowering.value(keyword.value), keyword.value, keyword.value)
    return lowering.constant(None, span)


def _views(what: str) -> Callable[[FunctionLowering, ast.Call, Value], Value | None]:
    def lower(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
        instead = f"loop over it, or make a list: 'list({ast.unparse(node)})'"
        raise lowering.failure(
            errors.UnsupportedExpression(lowering.span(node), f"'.{what}()' of a dict as a value", instead)
        )

    return lower


DICT = Kind(
    truth=sequences.not_empty,
    length=sequences.length,
    item=elements.load_item,
    set_item=elements.set_item,
    delete_item=elements.delete_item,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    methods=lambda: {
        "get": _get,
        "setdefault": _setdefault,
        "update": _update_dict,
        "keys": _views("keys"),
        "values": _views("values"),
        "items": _views("items"),
    },
    as_string=in_parts(bodies.dict_repr),
    source=sequences.entries,
    parts=sequences.entry_parts,
    parts_around=sequences.entry_parts_around,
    operator=own_keys.lower,
    filled=own_keys.filled_literal,
    equal=container_comparisons.equal_dicts,
    has_identity=True,
    contains=container_comparisons.contains,
    widened=container_comparisons.widened_dict,
    has_keys=True,
)
