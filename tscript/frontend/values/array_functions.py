"""Functions of NumPy, and what makes a NumPy scalar of a number: ``np.sqrt(x)``, ``np.zeros(n)``, ``np.float32(x)``.

`FUNCTIONS` has an entry for each function: its parameters, as NumPy names them, and what lowers a call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tscript.definitions.language import Generic
from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source import libraries
from tscript.frontend.source.symbols import NumpySymbol, NumpyTypeSymbol
from tscript.frontend.values import array_arithmetic, array_axes, array_shapes, generators
from tscript.frontend.values.array_axes import dtype_of_array, flat, rank_of, shaped, sizes
from tscript.frontend.values.array_calls import Call, Function, bound
from tscript.frontend.values.array_making import MAKING
from tscript.frontend.values.array_promotion import apply, as_dtype, as_scalar, promoted
from tscript.frontend.values.array_ufuncs import UFUNCS
from tscript.ir.graph import Value
from tscript.operators.python.functions import array_order, arrays
from tscript.types import BOOL, INT, ArrayType, dtype_of, dtypes, scalar_dtype

Written = Callable[..., Any] | Generic


def call_numpy(lowering: FunctionLowering, node: ast.Call, symbol: NumpySymbol) -> Value:
    """A call of a function of NumPy."""
    name = f"np.{symbol.path}"
    function = FUNCTIONS.get(symbol.path)
    if function is None:
        instead = libraries.instead(f"numpy.{symbol.path}", lowering.program.resolver.table)
        span = lowering.span(node.func)
        raise lowering.failure(errors.UnsupportedGlobal(span, name, "a function of the library 'numpy'", instead))
    return function.lower(Call(lowering, node, name, bound(lowering, node, name, function.parameters)))


def call_type(lowering: FunctionLowering, node: ast.Call, symbol: NumpyTypeSymbol) -> Value:
    """``np.float32(x)``: a number as a NumPy scalar, an array in a dtype."""
    call = Call(lowering, node, symbol.shown, bound(lowering, node, symbol.shown, "x?"))
    if not call.given:
        return as_scalar(lowering, call.const(0), symbol.dtype, call.span)
    return as_dtype(lowering, call.number("x"), symbol.dtype, call.span)


# ---- functions written in the language


def _written(function: Written, parameters: str, call: Call) -> Value:
    """A call of a function that is written in the language."""
    args = []
    for parameter in parameters.replace("*", "").split():
        name, _, default = parameter.partition("=")
        if name in call.given or (name == "a" and call.receiver is not None):
            args.append(call.number(name) if call.has(name) or name == "a" else call.const(None))
        else:
            args.append(call.const(ast.literal_eval(default)))
    return call_function(call.lowering, function, args, call.span)


def _function(parameters: str, function: Written) -> Function:
    return Function(parameters, partial(_written, function, parameters))


def _round(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    x = call.number("a")
    dtype = scalar_dtype([x.type]) or dtype_of(x.type)
    assert dtype is not None
    if not isinstance(x.type, ArrayType):
        x = as_scalar(lowering, x, dtype, span)
    if not dtype.is_floating_point:
        return apply(lowering, "clone", [x], span) if isinstance(x.type, ArrayType) else x
    if not call.has("decimals"):
        return apply(lowering, "round", [x], span)
    return call_function(lowering, arrays.round_to, [x, call.number("decimals")], span)


def _product(call: Call) -> Value:
    """``np.dot(a, b)`` of at most two dimensions."""
    lowering, span = call.lowering, call.span
    a, b = call.number("a"), call.number("b")
    ranks = [rank_of(v) if isinstance(v.type, ArrayType) else 0 for v in (a, b)]
    if 0 in ranks:
        found = array_arithmetic.binary(lowering, "mul", a, b, span)
    elif ranks[1] > 2:
        raise call.refuse("it takes at most two dimensions here", "write 'a @ b'", "b")
    else:
        found = array_arithmetic.binary(lowering, "matmul", a, b, span)
    assert found is not None
    return found


def _vdot(call: Call) -> Value:
    a, b = (flat(call, call.array(p)) for p in ("a", "b"))
    found = array_arithmetic.binary(call.lowering, "matmul", a, b, call.span)
    assert found is not None
    return found


def _searchsorted(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    side = call.constant("side", "left")
    if side not in ("left", "right"):
        raise call.refuse("'side' is 'left' or 'right'", "write side='right'", "side")
    a, v = promoted(lowering, [call.array("a"), call.number("v")], span)
    right = lowering.const(side == "right", BOOL, span)
    if not isinstance(v.type, ArrayType):
        found = call_function(lowering, array_order.place_in, [a, v, right], span)
        return as_scalar(lowering, found, dtypes.int64, span)
    return shaped(call, call_function(lowering, array_order.places_in, [a, flat(call, v), right], span), sizes(call, v))


def _interp(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    x = as_dtype(lowering, call.number("x"), dtypes.float64, span)
    points = [as_dtype(lowering, call.array(p), dtypes.float64, span) for p in ("xp", "fp")]
    if not isinstance(x.type, ArrayType):
        return call_function(lowering, array_order.interp_at, [x, *points], span)
    return shaped(call, call_function(lowering, array_order.interp, [flat(call, x), *points], span), sizes(call, x))


def _bincount(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    x = call.array("x")
    if dtype_of_array(x).is_floating_point:
        raise call.refuse("'x' is an array of floats", "it counts ints: convert with .astype(np.int64)", "x")
    least = lowering.coerce(call.number("minlength"), INT, span) if call.has("minlength") else call.const(0)
    if least is None:
        raise call.refuse("'minlength' is no int", "give an int", "minlength")
    if not call.has("weights"):
        return call_function(lowering, array_order.bincount, [x, least], span)
    weights = as_dtype(lowering, call.array("weights"), dtypes.float64, span)
    return call_function(lowering, array_order.bincount_of_weights, [x, weights, least], span)


def _histogram(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    a = flat(call, call.array("a"))
    bins = call.number("bins") if call.has("bins") else call.const(10)
    if isinstance(bins.type, ArrayType):
        counts = call_function(lowering, array_order.histogram_of_edges, [a, bins], span)
        return make_tuple(lowering, [counts, bins], span)
    if call.has("range"):
        ends = tuple_elements(lowering, call.value("range"), span)
        low, high = (as_scalar(lowering, v, dtypes.float64, span) for v in ends)
        found = call_function(lowering, array_order.histogram_between, [a, bins, low, high], span)
    else:
        found = call_function(lowering, array_order.histogram, [a, bins], span)
    counts, edges = tuple_elements(lowering, found, span)
    wanted = dtypes.float32 if dtype_of_array(a) is dtypes.float32 else dtypes.float64
    return make_tuple(lowering, [counts, as_dtype(lowering, edges, wanted, span)], span)


def _flatnonzero(call: Call) -> Value:
    return call_function(call.lowering, array_order.flatnonzero, [flat(call, call.array("a"))], call.span)


def _nonzero(call: Call) -> Value:
    array = call.array("a")
    if rank_of(array) != 1:
        raise call.refuse("it takes one dimension here", "write np.flatnonzero(a)", "a")
    return make_tuple(call.lowering, [_flatnonzero(call)], call.span)


def _shape(call: Call) -> Value:
    return make_tuple(call.lowering, sizes(call, call.array("a")), call.span)


def _size(call: Call) -> Value:
    return call.lowering.apply("numel", [call.array("a")], call.span)


_ANGLES = {
    "deg2rad": arrays.radians,
    "radians": arrays.radians,
    "rad2deg": arrays.degrees,
    "degrees": arrays.degrees,
    "reciprocal": arrays.reciprocal,
}
_PAIRS = {"hypot": arrays.hypot, "copysign": arrays.copysign, "fmax": arrays.fmax, "fmin": arrays.fmin}

FUNCTIONS: Mapping[str, Function] = {
    **UFUNCS,
    **MAKING,
    **generators.FUNCTIONS,
    # over an axis
    **{n: Function("a axis? dtype? * keepdims?", partial(array_axes.reduced, n)) for n in ("sum", "prod", "mean")},
    **{n: Function("a axis? * keepdims?", partial(array_axes.reduced, n)) for n in ("max", "min", "any", "all")},
    "amax": Function("a axis? * keepdims?", partial(array_axes.reduced, "max")),
    "amin": Function("a axis? * keepdims?", partial(array_axes.reduced, "min")),
    **{n: Function("a axis? * keepdims?", partial(array_axes.reduced, n)) for n in ("argmax", "argmin")},
    **{n: Function("a axis? dtype? ddof? * keepdims?", partial(array_axes.reduced, n)) for n in ("var", "std")},
    "ptp": Function("a axis? * keepdims?", array_axes.ptp),
    "count_nonzero": Function("a axis? * keepdims?", array_axes.count_nonzero),
    "cumsum": Function("a axis? dtype?", partial(array_axes.cumulative, arrays.cumsum_rows)),
    "cumprod": Function("a axis? dtype?", partial(array_axes.cumulative, arrays.cumprod_rows)),
    "sort": Function("a axis?", array_axes.sorted_copy),
    "argsort": Function("a axis? kind?", array_axes.argsort),
    "median": Function("a axis?", array_axes.median),
    "percentile": Function("a q axis?", partial(array_axes.quantile, 100.0)),
    "quantile": Function("a q axis?", partial(array_axes.quantile, 1.0)),
    "unique": Function("a return_counts?", array_axes.unique),
    "diff": Function("a n? axis?", array_axes.diff),
    "roll": Function("a shift axis?", array_axes.roll),
    "flip": Function("a axis?", partial(array_axes.flip, None)),
    "flipud": Function("a", partial(array_axes.flip, 0)),
    "fliplr": Function("a", partial(array_axes.flip, 1)),
    "trapezoid": Function("y x? dx?", array_axes.trapezoid),
    "trapz": Function("y x? dx?", array_axes.trapezoid),
    # shapes
    "shape": Function("a", _shape),
    "size": Function("a", _size),
    "reshape": Function("a shape", array_shapes.reshape),
    "ravel": Function("a", array_shapes.ravel),
    "transpose": Function("a axes?", array_shapes.transpose),
    "swapaxes": Function("a axis1 axis2", array_shapes.swapaxes),
    "moveaxis": Function("a source destination", array_shapes.moveaxis),
    "squeeze": Function("a axis?", array_shapes.squeeze),
    "expand_dims": Function("a axis", array_shapes.expand_dims),
    "broadcast_to": Function("a shape", array_shapes.broadcast_to),
    "diagonal": Function("a offset?", array_shapes.diagonal),
    "concatenate": Function("arrays axis?", array_shapes.concatenate),
    "stack": Function("arrays axis?", array_shapes.stack),
    "vstack": Function("arrays", array_shapes.vstack),
    "hstack": Function("arrays", array_shapes.hstack),
    "column_stack": Function("arrays", array_shapes.column_stack),
    "append": Function("a values", array_shapes.append),
    "tile": Function("a reps", partial(array_shapes.repeated, "tile", "reps")),
    "repeat": Function("a repeats", partial(array_shapes.repeated, "repeat", "repeats")),
    # products
    "dot": Function("a b", _product),
    "vdot": Function("a b", _vdot),
    "outer": _function("a b", arrays.outer),
    "inner": _function("a b", arrays.inner),
    "trace": _function("a", arrays.trace),
    "linalg.norm": _function("x", arrays.norm),
    # elements
    "clip": _function("a a_min=None a_max=None", arrays.clip),
    "round": Function("a decimals?", _round),
    "around": Function("a decimals?", _round),
    "isclose": _function("a b rtol=1e-05 atol=1e-08 equal_nan=False", arrays.isclose),
    "allclose": _function("a b rtol=1e-05 atol=1e-08 equal_nan=False", arrays.allclose),
    "array_equal": _function("a b", arrays.array_equal),
    **{n: _function("x", f) for n, f in _ANGLES.items()},
    **{n: _function("x1 x2", f) for n, f in _PAIRS.items()},
    # searching and counting
    "searchsorted": Function("a v side?", _searchsorted),
    "interp": Function("x xp fp", _interp),
    "bincount": Function("x weights? minlength?", _bincount),
    "histogram": Function("a bins? range?", _histogram),
    "nonzero": Function("a", _nonzero),
    "flatnonzero": Function("a", _flatnonzero),
}
"""The functions by their names inside `numpy`."""
