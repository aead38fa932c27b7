"""``np.apply_along_axis(func1d, axis, arr)`` with a compiled function."""

from __future__ import annotations

import ast

from tscript.frontend.lowering.hidden import fresh_hidden
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.values.array_calls import Call
from tscript.frontend.values.array_literals import array_of
from tscript.frontend.values.array_promotion import apply, array_type
from tscript.ir.graph import Value


def apply_along_axis(call: Call) -> Value:
    """The function of each row, or each column, of an array of at most two dimensions."""
    lowering, span = call.lowering, call.span
    array = call.array("arr")
    axis, rank = call.axis(array), array_type(array).rank
    if rank is None or not 1 <= rank <= 2 or axis is None:
        raise call.refuse("it takes one or two dimensions", "write the loop", "arr")
    if rank == 1:
        array = apply(lowering, "unsqueeze", [array, call.const(0)], span)
    elif axis == 0:
        array = apply(lowering, "permute", [array, call.const((1, 0))], span)
    found = _of_rows(call, array)
    if rank == 1:
        return apply(lowering, "select", [found, call.const(0), call.const(0)], span)
    if axis == 1 or array_type(found).rank == 1:
        return found
    if array_type(found).rank != 2:
        raise call.refuse("the function gives an array of several dimensions", "write the loop", "func1d")
    return apply(lowering, "permute", [found, call.const((1, 0))], span)


def _of_rows(call: Call, array: Value) -> Value:
    """The results for the rows of an array: a list comprehension, stacked."""
    lowering, span, function = call.lowering, call.span, call.given["func1d"]
    rows = fresh_hidden(lowering)
    lowering.scope[rows] = Bound(array, span)
    each: ast.expr
    if isinstance(function, ast.Lambda) and len(function.args.args) == 1 and not function.args.defaults:
        row, each = function.args.args[0].arg, function.body
    else:
        row = fresh_hidden(lowering)
        each = ast.Call(function, [ast.Name(row, ast.Load())], [])
    source = ast.comprehension(ast.Name(row, ast.Store()), ast.Name(rows, ast.Load()), [], 0)
    node = ast.copy_location(ast.ListComp(each, [source]), function)
    made = lowering.value(ast.fix_missing_locations(node))
    lowering.scope.pop(rows, None)
    found = array_of(lowering, made, None, span)
    if found is None:
        raise call.refuse("the function gives no number and no array", "write the loop", "func1d")
    return found
