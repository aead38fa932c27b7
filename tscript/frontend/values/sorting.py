"""Sorting lists in place, by a key or by comparison methods of the program."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering import holding, sources
from tscript.frontend.lowering.arguments import call_function, wrong
from tscript.frontend.lowering.calls import function_value, given_function
from tscript.frontend.lowering.common import ORDER
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.tries import lower_guarded
from tscript.frontend.source.classes import defines
from tscript.frontend.source.symbols import LocalSymbol
from tscript.ir.graph import Raise, Throw, Value
from tscript.operators.python.caches import is_kept
from tscript.operators.python.functions.containers import greatest_of, least_of, order_of
from tscript.types import BOOL, INT, NEVER, ClassType, EnumType, ListType, TensorType, TupleType, Type
from tscript.types.inference import is_open


def sort(lowering: FunctionLowering, node: ast.Call, items: Value, name: str) -> None:
    """Sort a list in place by the keywords ``key`` and ``reverse`` of a call."""
    span = lowering.span(node)
    assert isinstance(items.type, ListType)
    if is_open(items.type):
        return
    key: ast.expr | None = None
    reverse = lowering.const(False, BOOL, span)
    for keyword in node.keywords:
        if keyword.arg == "key":
            key = given_function(lowering, keyword.value)
        elif keyword.arg == "reverse":
            reverse = lowering.condition(keyword.value)
        else:
            raise wrong(lowering, keyword, name, f"has no keyword '{keyword.arg}'", "it takes 'key' and 'reverse'")
    if key is None and not needs_order(items.type.element):
        lowering.apply("sort", [items], span, {"reverse": reverse})
    elif name == "sorted" or (key is not None and _is_blind(lowering, items.type.element, key)):
        lowering.apply("permute", [items, _order_by(lowering, items, key, reverse, node)], span)
    else:
        _sort_emptied(lowering, items, key, reverse, node)


def _order_by(lowering: FunctionLowering, items: Value, key: ast.expr | None, reverse: Value, node: ast.Call) -> Value:
    """The indices that sort a list by its elements, or by their keys."""
    keys = items if key is None else keys_of(lowering, items, key, node)
    order = _order_objects(lowering, keys, reverse, lowering.span(node))
    return lowering.apply("argsort", [keys, reverse], lowering.span(node)) if order is None else order


def _is_blind(lowering: FunctionLowering, element: Type, key: ast.expr) -> bool:
    """Whether a key function cannot reach the sorted list: its arguments refer to nothing, and it uses only names of
    the module."""
    own = {a.arg for n in ast.walk(key) if isinstance(n, ast.arguments) for a in n.args}
    names = [n for n in ast.walk(key) if isinstance(n, ast.Name) and n.id not in own]
    symbols = [static(lowering, n) for n in names]
    return is_kept(element) and not any(m is None or isinstance(m, LocalSymbol) for m in symbols)


def _sort_emptied(
    lowering: FunctionLowering, items: Value, key: ast.expr | None, reverse: Value, node: ast.Call
) -> None:
    """Sort a list that is empty while code of the program computes the order, as in CPython. Elements that this code
    adds are lost and raise an error. If it raises, the list is unchanged."""
    span = lowering.span(node)
    held = lowering.apply("copy", [items], span)

    def run() -> None:
        lowering.apply("clear", [items], span)
        lowering.apply("permute", [held, _order_by(lowering, held, key, reverse, node)], span)
        length = lowering.apply("len", [items], span)
        error = Raise("ValueError", "list modified during sort", (), span)
        is_changed = lowering.apply("ne", [length, lowering.const(0, INT, span)], span)
        when(lowering, is_changed, lambda: lowering.block.nodes.append(error), span)
        lowering.apply("extend", [items, held], span)

    def leave(exception: Value | None) -> None:
        if exception is not None:
            lowering.apply("clear", [items], span)
            lowering.apply("extend", [items, held], span)
            lowering.block.nodes.append(Throw(exception, span))

    lower_guarded(lowering, ast.copy_location(ast.Expr(node), node), [node], run, leave)


def keys_of(lowering: FunctionLowering, items: Value, key: ast.expr, node: ast.expr) -> Value:
    """The list of keys of the elements of a list."""
    function = function_value(lowering, key)
    span = lowering.span(node)
    source = sources.value_source(lowering, items, node)
    out = make_list(lowering, ListType(NEVER), [], span)
    holding.run_into(lowering, source, lambda x: holding.append(lowering, out, function([x], span), key), node)
    return out


def _order_objects(lowering: FunctionLowering, keys: Value, reverse: Value, span: Span) -> Value | None:
    """The indices that sort a list by the order of its elements; None if the native library can sort."""
    if isinstance(keys.type, ListType) and needs_order(keys.type.element):
        return call_function(lowering, order_of, [keys, reverse], span)
    return None


def needs_order(type: Type) -> bool:
    """Whether code of the program defines the order of values of a type."""
    if isinstance(type, ClassType):
        return defines(type, ORDER)
    if isinstance(type, EnumType | TensorType):
        return True
    return isinstance(type, TupleType) and any(map(needs_order, type.elements))


def extreme(lowering: FunctionLowering, name: str, keys: Value, span: Span) -> Value | None:
    """The index of the least or greatest element by its own order; None if the native library can find it."""
    if isinstance(keys.type, ListType) and needs_order(keys.type.element):
        return call_function(lowering, least_of if name == "min" else greatest_of, [keys], span)
    return None
