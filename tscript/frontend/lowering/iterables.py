"""Expressions that can only be iterated over."""

from __future__ import annotations

import ast

from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.symbols import Prange, PythonSymbol
from tscript.ir.graph import Value
from tscript.types import DictType


def is_iterator(lowering: FunctionLowering, node: ast.expr) -> bool:
    """Whether an expression can only be iterated over: `zip`, a view of a dict, a generator expression."""
    if isinstance(node, ast.GeneratorExp):
        return True
    if isinstance(node, ast.Name | ast.Attribute):
        return isinstance(static(lowering, node), ClassSymbol)
    if not isinstance(node, ast.Call):
        return False
    symbol = static(lowering, node.func)
    if symbol is None:
        return isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS and not node.args
    return isinstance(symbol, PythonSymbol) and symbol.value in ITERATORS


def viewed(lowering: FunctionLowering, node: ast.expr) -> Value | None:
    """The dict of which an expression is a view; None for other expressions."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or static(lowering, node.func) is not None
    ):
        return None
    if node.func.attr not in VIEWS or node.args or node.keywords:
        return None
    receiver = lowering.value(node.func.value)
    return receiver if isinstance(receiver.type, DictType) else None


ITERATORS = frozenset({range, Prange, enumerate, zip, reversed, map, filter})
"""Builtins whose results can only be iterated over."""

VIEWS = {"keys": "key", "values": "value", "items": "item"}
