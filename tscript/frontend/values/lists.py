"""Lists, and tuples of any length."""

from __future__ import annotations

import ast

from tscript.frontend.lowering import holding, sources
from tscript.frontend.lowering.arguments import wrong
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Items
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.values import container_comparisons, elements, hashes, methods, own_keys, sequences, sorting
from tscript.frontend.values.methods import is_value, only
from tscript.frontend.values.representation import in_parts
from tscript.ir.graph import Value
from tscript.late import replace
from tscript.operators.python.functions import representation as bodies
from tscript.types import ListType


def _extend(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    argument = only(lowering, node, "list.extend")
    span = lowering.span(node)
    if is_value(lowering, argument):
        value = lowering.value_as(argument, receiver.type)
        lowering.settle(receiver, value.type)
        lowering.settle(value, receiver.type)
        if value.type == receiver.type:
            return lowering.apply("extend", [receiver, value], span)
        source = sources.value_source(lowering, value, argument)
    else:
        source = sources.source_of(lowering, argument)
    holding.run_into(lowering, source, lambda x: holding.append(lowering, receiver, x, argument), argument)
    return lowering.constant(None, span)


def _index_of_tuple(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``t.index(x)``, whose message names a tuple."""
    if not isinstance(receiver.type, ListType) or node.keywords or not node.args:
        return None
    element = receiver.type.element
    item = holding.element(lowering, node.args[0], lowering.value(node.args[0]), element, "tuple")
    return lowering.apply(
        "tuple_index", [receiver, item, *(lowering.value(a) for a in node.args[1:])], lowering.span(node)
    )


def _sort(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    if node.args:
        raise wrong(lowering, node, "list.sort", "takes no arguments by position")
    sorting.sort(lowering, node, receiver, "list.sort")
    return lowering.constant(None, lowering.span(node))


def _items(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    assert isinstance(value.type, ListType)
    return Items(value, "getitem", not value.type.frozen)


LIST = Kind(
    truth=sequences.not_empty,
    length=sequences.length,
    item=elements.load_item,
    set_item=elements.set_item,
    delete_item=elements.delete_item,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    methods=lambda: {"extend": _extend, "sort": _sort},
    as_string=in_parts(bodies.list_repr),
    source=_items,
    parts=sequences.parts,
    parts_around=sequences.parts_around,
    operator=own_keys.lower,
    repeats=True,
    equal=container_comparisons.equal_lists,
    has_identity=True,
    contains=container_comparisons.contains,
    widened=container_comparisons.widened_list,
    pattern=sequences.pattern,
)

ROW = replace(
    LIST,
    methods=lambda: {"index": _index_of_tuple},
    as_string=in_parts(bodies.long_tuple_repr),
    has_identity=False,
    hash=hashes.of_row,
)
"""Tuples of any length."""
