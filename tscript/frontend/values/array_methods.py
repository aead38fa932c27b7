"""Methods of arrays: ``a.sum()``, ``a.reshape(n, m)``, ``a.astype(np.float32)``."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.method_names import missing
from tscript.frontend.values import array_axes, array_library, array_shapes
from tscript.frontend.values.array_calls import Call, Function, bound, dtype_argument
from tscript.frontend.values.array_functions import FUNCTIONS
from tscript.frontend.values.array_promotion import apply, array_type, as_array, as_dtype, as_scalar
from tscript.frontend.values.array_shape_errors import check_one_element
from tscript.ir.graph import Value
from tscript.operators.python.functions import array_selection
from tscript.types import NONE


def lower_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """A call of a method of an array."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    found = METHODS.get(name)
    if found is None:
        instead = missing(lowering, node.func.value, "ndarray", name, METHODS)
        raise lowering.failure(type_errors.NoAttribute(lowering.span(node.func), "ndarray", "method", name, instead))
    parameter = {"reshape": "shape", "transpose": "axes"}.get(name)
    if parameter and len(node.args) > 1:
        sizes = ast.copy_location(ast.Tuple(node.args, ast.Load()), node.args[0])
        node = ast.copy_location(ast.Call(node.func, [sizes], node.keywords), node)
    given = bound(lowering, node, name, found.parameters)
    return found.lower(Call(lowering, node, f"ndarray.{name}", given, receiver))


def _astype(call: Call) -> Value:
    lowering, dtype = call.lowering, dtype_argument(call.lowering, call.given["dtype"])
    array = call.array("a")
    if array_type(array).dtype is dtype:
        return as_array(lowering.apply("clone", [array], call.span))
    return as_dtype(lowering, array, dtype, call.span)


def _copy(call: Call) -> Value:
    return apply(call.lowering, "clone", [call.array("a")], call.span)


def _fill(call: Call) -> Value:
    lowering, span, dtype = call.lowering, call.span, array_type(call.array("a")).dtype
    assert dtype is not None
    value = as_scalar(lowering, call.number("value"), dtype, span)
    lowering.apply("fill_", [call.array("a"), value], span)
    return lowering.const(None, NONE, span)


def _item(call: Call) -> Value:
    check_one_element(call.lowering, call.array("a"), call.span)
    return call.lowering.apply("item", [call.array("a")], call.span)


def _tolist(call: Call) -> Value:
    array = call.array("a")
    if array_type(array).rank == 0:
        return _item(call)
    return call_function(call.lowering, array_selection.to_list, [array], call.span)


_FUNCTIONS = """
sum prod mean max min any all argmax argmin var std ptp cumsum cumprod argsort round dot reshape ravel transpose
swapaxes squeeze diagonal trace repeat searchsorted nonzero take put argpartition
"""

METHODS: Mapping[str, Function] = {
    **{
        name: Function(FUNCTIONS[name].parameters.removeprefix("a").strip(), FUNCTIONS[name].lower)
        for name in _FUNCTIONS.split()
    },
    "clip": Function("a_min=None a_max=None", FUNCTIONS["clip"].lower),
    "sort": Function("axis? kind?", array_axes.sort_in_place),
    "flatten": Function("", array_shapes.flatten),
    "astype": Function("dtype copy?", _astype),
    "copy": Function("", _copy),
    "fill": Function("value", _fill),
    "item": Function("", _item),
    "tolist": Function("", _tolist),
    "partition": array_library.function("ndarray.partition", "@a kth axis?", lambda call: NONE, is_method=True),
}
"""The methods by name: their parameters, and what lowers a call."""

__all__ = ["METHODS", "lower_method"]
