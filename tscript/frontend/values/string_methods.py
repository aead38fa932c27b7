"""Methods of strings and bytes whose arguments are not plain values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from tscript.frontend.lowering import holding, sources
from tscript.frontend.lowering.arguments import Function, call_function, values
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.values.formatting import lower_format, lower_format_map
from tscript.frontend.values.methods import is_value, only
from tscript.ir.graph import Value
from tscript.operators.python.functions import byte_strings, strings
from tscript.operators.python.functions import strings as bodies
from tscript.types import (
    BOOL,
    BYTES,
    INT,
    NONE,
    STR,
    DictType,
    ListType,
    TupleType,
    Type,
    optional,
)


def _join(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    argument = only(lowering, node, "str.join")
    if is_value(lowering, argument):
        value = lowering.value_as(argument, ListType(receiver.type))
        lowering.settle(value, ListType(receiver.type))
        if value.type == ListType(receiver.type):
            return lowering.apply("join", [receiver, value], lowering.span(node))
        source = sources.value_source(lowering, value, argument)
    else:
        source = sources.source_of(lowering, argument)
    items = make_list(lowering, ListType(receiver.type), [], lowering.span(node))
    holding.run_into(lowering, source, lambda x: holding.append(lowering, items, x, argument), argument)
    return lowering.apply("join", [receiver, items], lowering.span(node))


_TRANSLATE: dict[Type, Function] = {
    INT: strings.translate_points,
    optional(INT): strings.translate_some_points,
    STR: strings.translate_strings,
    optional(STR): strings.translate_optional_strings,
}


def translate(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """``text.translate(table)``."""
    (table,) = values(lowering, node, "str.translate", 1, 1)
    held = table.type.value if isinstance(table.type, DictType) else NONE
    function = _TRANSLATE.get(held, strings.translate_points)
    return call_function(lowering, function, [receiver, table], lowering.span(node), "str.translate")


def starts_or_ends(
    function: Function, bytes_function: Function
) -> Callable[[FunctionLowering, ast.Call, Value], Value]:
    """``text.startswith(prefixes, start, end)``, where the first argument may be a tuple."""

    def lower(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
        assert isinstance(node.func, ast.Attribute)
        name, span = node.func.attr, lowering.span(node)
        found = values(lowering, node, f"{receiver.type}.{name}", 1, 3)
        if not isinstance(found[0].type, TupleType | ListType):
            return lowering.apply(name, [receiver, *found], span)
        bounds = [*found[1:], *[lowering.constant(None, span)] * (3 - len(found))]
        chosen = bytes_function if receiver.type == BYTES else function
        return call_function(lowering, chosen, [receiver, found[0], *bounds], span, f"{receiver.type}.{name}")

    return lower


def byte_found(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``data.find(65)`` and the like, where an int means one byte; None for any other argument."""
    assert isinstance(node.func, ast.Attribute)
    if not node.args or type_of_expression(lowering, node.args[0]) not in (INT, BOOL):
        return None
    found = values(lowering, node, f"bytes.{node.func.attr}", 1, 3)
    span = lowering.span(node)
    items = make_list(lowering, ListType(INT), found[:1], span)
    return lowering.apply(node.func.attr, [receiver, lowering.apply("bytes", [items], span), *found[1:]], span)


def bytes_hex(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``data.hex(separator)``; None without one."""
    if not node.args:
        return None
    found = values(lowering, node, "bytes.hex", 1, 1)
    return call_function(lowering, byte_strings.hex_with, [receiver, *found], lowering.span(node), "bytes.hex")


BYTES_METHODS: Mapping[str, Callable[[FunctionLowering, ast.Call, Value], Value | None]] = {
    "join": _join,
    "startswith": starts_or_ends(bodies.starts_with_any, bodies.bytes_start_with_any),
    "endswith": starts_or_ends(bodies.ends_with_any, bodies.bytes_end_with_any),
    "hex": bytes_hex,
    **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), byte_found),
}

STRING_METHODS: Mapping[str, Callable[[FunctionLowering, ast.Call, Value], Value | None]] = {
    "join": _join,
    "format": lower_format,
    "format_map": lower_format_map,
    "startswith": starts_or_ends(bodies.starts_with_any, bodies.bytes_start_with_any),
    "endswith": starts_or_ends(bodies.ends_with_any, bodies.bytes_end_with_any),
    "translate": translate,
}
