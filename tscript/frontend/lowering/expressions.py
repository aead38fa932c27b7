"""Expressions of the language: `EXPRESSIONS` maps a class of AST node to what lowers it. Here are names, attributes and
constants."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import kind_of_receiver, shown
from tscript.frontend.lowering import arithmetic, integers
from tscript.frontend.lowering.conversions import typed_constant
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import bind, named, read, static, symbol_of
from tscript.frontend.source.classes import MemberSymbol
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.symbols import (
    ConstantSymbol,
    ContainerSymbol,
    NumpyTypeSymbol,
    ObjectSymbol,
    Symbol,
    UnknownSymbol,
)
from tscript.ir.graph import Value
from tscript.once import LateTable
from tscript.types import DTYPE, ClassType


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
    if isinstance(symbol, ConstantSymbol) and symbol.type is not None:
        found = typed_constant(lowering, symbol.value, symbol.type, lowering.span(node))
        if found is None:
            what = f"a {shown(symbol.type)} of other elements than it declares"
            raise lowering.failure(errors.NotAValue(lowering.span(node), what, "pass it as an argument"))
        return found
    if isinstance(symbol, ObjectSymbol):
        return lowering.const(symbol.value, symbol.type, lowering.span(node))
    if isinstance(symbol, ContainerSymbol):
        from tscript.frontend.lowering.module_containers import container_value

        return container_value(lowering, symbol, node, symbol_value)
    if isinstance(symbol, ConstantSymbol):
        return integers.constant(lowering, symbol.value, node)
    if isinstance(symbol, NumpyTypeSymbol):
        return lowering.const(symbol.dtype, DTYPE, lowering.span(node))
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
    symbol = named(lowering, node)
    if symbol is not None:
        return symbol_value(lowering, symbol, node)
    for special in lowering.language.special_attributes:
        if (made := special(lowering, node)) is not None:
            return made
    root = static(lowering, node.value)
    value = lowering.value(node.value) if root is None else symbol_value(lowering, root, node.value)
    found = attribute(lowering, value, node.attr, lowering.span(node), node.value)
    if not isinstance(value.type, ClassType):
        return found
    from tscript.frontend.lowering.refinement import refined

    return refined(lowering, node, found)


def attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None = None) -> Value:
    """``value.name``; `node` is the value as written."""
    found = lowering.kind(value).attribute(lowering, value, name, span, node)
    if found is not None:
        return found
    from tscript.frontend.diagnostics import advice, elsewhere
    from tscript.frontend.lowering.method_names import methods_of

    kind = kind_of_receiver(value.type)
    instead = advice.narrowing([value.type]) or elsewhere.method(kind, name)
    if kind == "dict" and not instead:
        instead = f"an entry is d[{name!r}]"
    if kind and name in methods_of(lowering, kind):
        instead = f"'{name}' is a method: call it, '.{name}(...)'"
    raise lowering.failure(type_errors.NoAttribute(span, shown(value.type), "attribute", name, instead))


def _literal_container(lowering: FunctionLowering, node: ast.expr) -> Value:
    return lowering.value_as(node, None)


def _walrus(lowering: FunctionLowering, node: ast.NamedExpr) -> Value:
    value = lowering.value(node.value)
    bind(lowering, node.target.id, value, lowering.span(node.target))
    lowering.reads.note(node.target, lowering.scope)
    return value


def _bool_op() -> Callable[[FunctionLowering, Any], Value]:
    from tscript.frontend.lowering.conditions import lower_bool_op

    return lower_bool_op


def _conditional() -> Callable[[FunctionLowering, Any], Value]:
    from tscript.frontend.lowering.conditions import lower_conditional

    return lower_conditional


def _compare() -> Callable[[FunctionLowering, Any], Value]:
    from tscript.frontend.lowering.comparisons import lower_compare

    return lower_compare


def _call() -> Callable[[FunctionLowering, Any], Value]:
    from tscript.frontend.lowering.calls import lower_call

    return lower_call


def _subscript() -> Callable[[FunctionLowering, Any], Value]:
    from tscript.frontend.lowering.subscripts import load

    return load


EXPRESSIONS: LateTable[type[ast.expr], Callable[[FunctionLowering, Any], Value]] = LateTable(
    {
        ast.BoolOp: _bool_op,
        ast.Compare: _compare,
        ast.IfExp: _conditional,
        ast.Call: _call,
        ast.Subscript: _subscript,
    },
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.BinOp: arithmetic.lower_bin_op,
        ast.UnaryOp: arithmetic.lower_unary_op,
        ast.Tuple: _literal_container,
        ast.List: _literal_container,
        ast.Dict: _literal_container,
        ast.Set: _literal_container,
        ast.ListComp: _literal_container,
        ast.DictComp: _literal_container,
        ast.SetComp: _literal_container,
        ast.NamedExpr: _walrus,
    },
)
