"""Methods of arrays: ``a.sum()``, ``a.reshape(n, m)``, ``a.astype(np.float32)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial

from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.method_names import missing
from tscript.frontend.values.array_functions import Call, bound, dtype_argument
from tscript.frontend.values.array_promotion import apply, array_type, as_array, as_dtype, as_scalar, only_element
from tscript.ir.graph import Value
from tscript.types import INT, NONE, dtypes

Method = Callable[[Call, Value], Value]


def lower_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """A call of a method of an array."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    found = METHODS.get(name)
    if found is None:
        instead = missing(lowering, node.func.value, "ndarray", name, METHODS)
        raise lowering.failure(type_errors.NoAttribute(lowering.span(node.func), "ndarray", "method", name, instead))
    parameters, lower = found
    if name == "reshape" and len(node.args) > 1:
        sizes = ast.copy_location(ast.Tuple(node.args, ast.Load()), node.args[0])
        node = ast.copy_location(ast.Call(node.func, [sizes], node.keywords), node)
    return lower(Call(lowering, node, f"ndarray.{name}", bound(lowering, node, name, parameters)), receiver)


def _astype(call: Call, array: Value) -> Value:
    lowering, dtype = call.lowering, dtype_argument(call.lowering, call.given["dtype"])
    if array_type(array).dtype is dtype:
        return as_array(lowering.apply("clone", [array], call.span))
    return as_dtype(lowering, array, dtype, call.span)


def _reduced(name: str, call: Call, array: Value) -> Value:
    """A reduction over all elements gives a NumPy scalar, one over an axis an array."""
    lowering, span = call.lowering, call.span
    dtype = array_type(array).dtype
    assert dtype is not None
    if name in ("mean", "var", "std") and not dtype.is_floating_point:
        array = as_dtype(lowering, array, dtypes.float64, span)
    if not call.has("axis"):
        return only_element(lowering, apply(lowering, name, [array], span), span)
    axis = lowering.coerce(call.value("axis"), INT, span)
    if axis is None:
        raise call.refuse("'axis' is no int", "give one axis", "axis")
    found = apply(lowering, {"max": "amax", "min": "amin"}.get(name, name), [array, axis], span)
    return only_element(lowering, found, span) if array_type(found).rank == 0 else found


def _reshape(call: Call, array: Value) -> Value:
    return apply(call.lowering, "reshape", [array, call.shape("shape")], call.span)


def _copy(call: Call, array: Value) -> Value:
    return apply(call.lowering, "clone", [array], call.span)


def _flat(call: Call, array: Value) -> Value:
    return apply(call.lowering, "flatten", [array], call.span)


def _fill(call: Call, array: Value) -> Value:
    lowering, span, dtype = call.lowering, call.span, array_type(array).dtype
    assert dtype is not None
    lowering.apply("fill_", [array, as_scalar(lowering, call.number("value"), dtype, span)], span)
    return lowering.const(None, NONE, span)


def _item(call: Call, array: Value) -> Value:
    return call.lowering.apply("item", [array], call.span)


METHODS: Mapping[str, tuple[str, Method]] = {
    **{n: ("axis?", partial(_reduced, n)) for n in ("sum", "prod", "mean", "max", "min", "any", "all")},
    **{n: ("axis?", partial(_reduced, n)) for n in ("argmax", "argmin")},
    "astype": ("dtype", _astype),
    "reshape": ("shape", _reshape),
    "copy": ("", _copy),
    "ravel": ("", _flat),
    "flatten": ("", _flat),
    "fill": ("value", _fill),
    "item": ("", _item),
}
"""The methods by name: their parameters, and what lowers a call."""

__all__ = ["METHODS", "lower_method"]
