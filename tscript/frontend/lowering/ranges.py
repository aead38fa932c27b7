"""``range(...)``: its bounds, elements and length."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import advice, errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import hints
from tscript.frontend.lowering.arguments import call_function, wrong
from tscript.frontend.lowering.conversions import by_member
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.source.symbols import Prange, PythonSymbol
from tscript.ir.graph import Division, Value
from tscript.operators.python.functions import ranges, tensor_lists
from tscript.types import BOOL, FLOAT, INT, TensorType, UnionType


def in_range(lowering: FunctionLowering, item: Value, node: ast.Call) -> Value:
    """``item in range(...)``."""
    span = lowering.span(node)
    if isinstance(item.type, UnionType):
        return by_member(lowering, item, lambda member: in_range(lowering, member, node), BOOL, span)
    if item.type == FLOAT:
        return call_function(lowering, ranges.float_in_range, [item, *range_bounds(lowering, node)], span)
    if item.type not in (INT, BOOL):
        problem = f"holds ints, not {article(item.type)}"
        raise wrong(lowering, node, "range", problem, "compare it: 'start <= x < stop'")
    return call_function(lowering, ranges.in_range, [item, *range_bounds(lowering, node)], span)


def range_length(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``len(range(...))``."""
    return call_function(lowering, ranges.range_length, list(range_bounds(lowering, node)), lowering.span(node))


def range_item(lowering: FunctionLowering, node: ast.Call, index: Value) -> Value:
    """``range(...)[index]``."""
    return call_function(
        lowering, ranges.range_item, [*range_bounds(lowering, node), index], lowering.span(node), "range"
    )


def is_range(lowering: FunctionLowering, node: ast.Call) -> bool:
    """Whether a call is one of the builtin `range`, or of ``tscript.prange``."""
    symbol = static(lowering, node.func)
    return isinstance(symbol, PythonSymbol) and (symbol.value is range or symbol.value is Prange)


def division_of(lowering: FunctionLowering, node: ast.Call) -> Division:
    """Whether iterations over a range may run at the same time."""
    symbol = static(lowering, node.func)
    if isinstance(symbol, PythonSymbol) and symbol.value is Prange:
        return Division.REQUIRED
    return Division.ALLOWED if lowering.function.may_divide else Division.NONE


def range_bounds(lowering: FunctionLowering, node: ast.expr) -> tuple[Value, Value, Value]:
    """Start, stop and step of a call of `range`."""
    if not isinstance(node, ast.Call) or not is_range(lowering, node):
        raise lowering.failure(errors.LoopOver(lowering.span(node), "this", "write 'range(...)'"))
    span = lowering.span(node)
    arguments = node.args
    if node.keywords or not 1 <= len(arguments) <= 3:
        raise lowering.failure(
            errors.BuiltinArguments(
                span, "range", "takes one to three arguments by position", "write range(start, stop, step)"
            )
        )
    for argument in arguments:
        if isinstance(argument, ast.Starred):
            raise lowering.failure(errors.StarredArgument(lowering.span(argument), "*"))
    found: list[Value] = []
    for argument in arguments:
        at = lowering.span(argument)
        given = lowering.value(argument)
        value = lowering.coerce(given, INT, at)
        instead = "" if value is not None else hints.unannotated(lowering.function, lowering.scope, argument)
        if value is None and not instead and isinstance(given.type, TensorType):
            value = call_function(lowering, tensor_lists.whole_number, [given], at)
        if value is None:
            instead = instead or advice.counted(given.type, argument)
            raise lowering.failure(type_errors.RangeArgument(at, article(given.type), instead))
        found.append(value)
    if len(found) == 1:
        found.insert(0, lowering.const(0, INT, span))
    if len(found) == 2:
        found.append(lowering.const(1, INT, span))
    return found[0], found[1], found[2]
