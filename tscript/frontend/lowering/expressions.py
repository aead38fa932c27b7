"""Expressions of the language: `EXPRESSIONS` maps a class of AST node to what lowers it. Here are names, attributes and
constants."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import advice, elsewhere, errors, type_errors
from tscript.frontend.diagnostics.type_names import kind_of_receiver, shown
from tscript.frontend.lowering import (
    arithmetic,
    calls,
    comparisons,
    conditions,
    integers,
    method_names,
    refinement,
    subscripts,
)
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import bind, read, static, symbol_of
from tscript.frontend.source.classes import MemberSymbol
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.symbols import ConstantSymbol, Symbol, UnknownSymbol
from tscript.ir.graph import Value
from tscript.types import ClassType


def _constant(lowering: FunctionLowering, node: ast.Constant) -> Value:
    value = node.value
    span = lowering.span(node)
    if value is None or isinstance(value, bool | int | float | str | bytes | complex):
        return integers.constant(lowering, value, node)
    raise lowering.failure(errors.UnsupportedExpression(span, "'...'", "use it only in an index: x[..., 0]"))


def _name(lowering: FunctionLowering, node: ast.Name) -> Value:
    lowering.reads.note(node, lowering.scope)
    found = read(lowering, node)
    return found if found is not None else symbol_value(lowering, symbol_of(lowering, node), node)


def symbol_value(lowering: FunctionLowering, symbol: Symbol, node: ast.expr) -> Value:
    """The value of a global name."""
    if isinstance(symbol, ConstantSymbol):
        return integers.constant(lowering, symbol.value, node)
    made = lowering.language.function_named(lowering, symbol, node)
    if made is not None:
        return made
    if isinstance(symbol, MemberSymbol):
        return lowering.const(symbol.member, symbol.definition.type, lowering.span(node))
    instead = "functions, modules and types can only be called, or used in annotations"
    if isinstance(symbol, UnknownSymbol) and symbol.instead:
        instead = symbol.instead
    raise lowering.failure(errors.NotAValue(lowering.span(node), shown_symbol(symbol), instead))


def _attribute(lowering: FunctionLowering, node: ast.Attribute) -> Value:
    symbol = static(lowering, node)
    if symbol is not None:
        return symbol_value(lowering, symbol, node)
    for special in lowering.language.special_attributes:
        if (made := special(lowering, node)) is not None:
            return made
    root = static(lowering, node.value)
    value = lowering.value(node.value) if root is None else symbol_value(lowering, root, node.value)
    found = attribute(lowering, value, node.attr, lowering.span(node), node.value)
    return refinement.refined(lowering, node, found) if isinstance(value.type, ClassType) else found


def attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None = None) -> Value:
    """``value.name``; `node` is the value as written."""
    found = lowering.kind(value).attribute(lowering, value, name, span, node)
    if found is not None:
        return found
    kind = kind_of_receiver(value.type)
    instead = advice.narrowing([value.type]) or elsewhere.method(kind, name)
    if kind == "dict" and not instead:
        instead = f"an entry is d[{name!r}]"
    if kind and name in method_names.methods_of(lowering, kind):
        instead = f"'{name}' is a method: call it, '.{name}(...)'"
    raise lowering.failure(type_errors.NoAttribute(span, shown(value.type), "attribute", name, instead))


def _literal_container(lowering: FunctionLowering, node: ast.expr) -> Value:
    return lowering.value_as(node, None)


def _walrus(lowering: FunctionLowering, node: ast.NamedExpr) -> Value:
    value = lowering.value(node.value)
    bind(lowering, node.target.id, value, lowering.span(node.target))
    lowering.reads.note(node.target, lowering.scope)
    return value


EXPRESSIONS: dict[type[ast.expr], Callable[[FunctionLowering, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: arithmetic.lower_bin_op,
    ast.UnaryOp: arithmetic.lower_unary_op,
    ast.BoolOp: conditions.lower_bool_op,
    ast.Compare: comparisons.lower_compare,
    ast.IfExp: conditions.lower_conditional,
    ast.Call: calls.lower_call,
    ast.Subscript: subscripts.load,
    ast.Tuple: _literal_container,
    ast.List: _literal_container,
    ast.Dict: _literal_container,
    ast.Set: _literal_container,
    ast.ListComp: _literal_container,
    ast.DictComp: _literal_container,
    ast.SetComp: _literal_container,
    ast.NamedExpr: _walrus,
}
