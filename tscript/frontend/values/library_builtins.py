"""Functions of Python's library that the compiler handles itself: ``typing.cast`` and ``itertools.repeat``."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering.arguments import arguments, wrong
from tscript.frontend.lowering.conversions import narrow
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.instance_tests import value_one_of
from tscript.frontend.lowering.merging import when
from tscript.frontend.source.annotations import annotation_type
from tscript.ir.graph import Raise, Value
from tscript.parsing import parse
from tscript.types import ANY, Type, is_subtype, members_of


def lower_cast(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``cast(T, x)``: the value. That of a union or an optional is narrowed to `T`, which it has to be of."""
    written, argument = arguments(lowering, node, "cast", 2, 2)
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        text = parse(written.value, mode="eval").body
        for part in ast.walk(text):
            ast.copy_location(part, written)
        written = text
    declared = annotation_type(lowering.context, lowering.function, written)
    if declared is None:
        raise Abandoned
    value, span = lowering.value_as(argument, declared), lowering.span(node)
    if declared == value.type or not (value.type == ANY or is_subtype(declared, value.type)):
        return value  # nothing is converted, as in Python
    holds = _is_of(lowering, value, declared, node)
    failing = Raise("TypeError", f"cast() to {shown(declared)} of a value that is of another type", (), span)
    when(lowering, lowering.apply("not", [holds], span), lambda: lowering.block.nodes.append(failing), span)
    return narrow(lowering, value, declared, span)


def _is_of(lowering: FunctionLowering, value: Value, type: Type, node: ast.Call) -> Value:
    span, instance = lowering.span(node), lowering.kind(value).instance
    if value.type != ANY or instance is None:
        return value_one_of(lowering, value, members_of(type), span)
    first, *rest = (instance(lowering, value, member, span) for member in members_of(type))
    for test in rest:
        first = lowering.apply("bitwise_or", [first, test], span)
    return first


def lower_repeat(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``repeat(x, n)``, as the tuple of that."""
    if len(node.args) != 2 or node.keywords:
        raise wrong(lowering, node, "repeat", "takes a value and how often here", "repeat(x, 3)")
    elements = ast.copy_location(ast.Tuple([node.args[0]], ast.Load()), node)
    return lowering.value(ast.copy_location(ast.BinOp(elements, ast.Mult(), node.args[1]), node))
