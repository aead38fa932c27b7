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
from tscript.frontend.values import (
    array_along,
    array_arithmetic,
    array_axes,
    array_library,
    array_reductions,
    array_shapes,
    generators,
    type_limits,
)
from tscript.frontend.values.array_axes import dtype_of_array, flat, rank_of, shaped, sizes
from tscript.frontend.values.array_calls import Call, Function, bound
from tscript.frontend.values.array_making import MAKING
from tscript.frontend.values.array_out import taking_out
from tscript.frontend.values.array_promotion import apply, as_dtype, as_scalar, promoted
from tscript.frontend.values.array_shape_errors import check_product
from tscript.frontend.values.array_ufuncs import OF_FLOATS, UFUNCS
from tscript.ir.graph import Value
from tscript.operators.python.functions import array_lists, array_order, array_selection, arrays
from tscript.types import BOOL, INT, ArrayType, TupleType, dtype_of, dtypes, scalar_dtype

Written = Callable[..., Any] | Generic


def call_numpy(lowering: FunctionLowering, node: ast.Call, symbol: NumpySymbol) -> Value:
    """A call of a function of NumPy."""
    name = f"np.{symbol.path}"
    function = FUNCTIONS.get(symbol.path) or array_reductions.method(symbol.path)
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
        check_product(lowering, a, b, span, is_dot=True)
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


def _or_numpy(
    name: str, parameters: str, own: Callable[[Call], Value], *further: str, when: Callable[[Call], bool] | None = None
) -> Function:
    """A function of which NumPy runs the calls with further arguments, or of arguments that compiled code refuses."""

    def lower(call: Call) -> Value:
        if any(call.has(p) for p in further) or (when is not None and when(call)):
            return array_library.form(name, call)
        return own(call)

    return Function(parameters, lower)


def _rank(call: Call, parameter: str) -> int:
    found = call.number(parameter)
    return rank_of(found) if isinstance(found.type, ArrayType) else 0


def _is_float(call: Call, parameter: str) -> bool:
    found = scalar_dtype([call.number(parameter).type])
    return found is not None and found.is_floating_point


def _is_int(call: Call, parameter: str) -> bool:
    return call.lowering.coerce(call.value(parameter), INT, call.span) is not None


def _is_array(call: Call, parameter: str) -> bool:
    return not isinstance(call.given.get(parameter), ast.List | ast.Tuple) and _rank(call, parameter) > 0


def _fmod(call: Call) -> Value:
    found = scalar_dtype([call.number(p).type for p in ("x1", "x2")])
    if found is None or found.is_floating_point:
        return OF_FLOATS["fmod"].lower(call)
    return array_library.form("fmod", call)


_INDICES = (array_selection.indices_1, array_selection.indices_2, array_selection.indices_3)
_ENUMERATED = (array_selection.enumerated_1, array_selection.enumerated_2, array_selection.enumerated_3)


def _ndindex(call: Call) -> Value:
    """``np.ndindex(n, m)`` and ``np.ndindex(a.shape)``: a list of tuples."""
    lowering = call.lowering
    given = [call.value(p) for p in ("shape", "n1", "n2") if call.has(p)]
    if len(given) == 1 and isinstance(given[0].type, TupleType):
        given = tuple_elements(lowering, given[0], call.span)
    sizes = [v for v in (lowering.coerce(v, INT, call.span) for v in given) if v is not None]
    if not 1 <= len(sizes) <= len(_INDICES) or len(sizes) < len(given):
        raise call.refuse("it takes one to three sizes", "write the loops")
    return call_function(lowering, _INDICES[len(sizes) - 1], sizes, call.span)


def _ndenumerate(call: Call) -> Value:
    """``np.ndenumerate(a)``: a list of indices and elements."""
    array = call.array("arr")
    rank = rank_of(array)
    if not 1 <= rank <= len(_ENUMERATED):
        raise call.refuse("it takes one to three dimensions", "write the loops", "arr")
    return call_function(call.lowering, _ENUMERATED[rank - 1], [array], call.span)


def _shape(call: Call) -> Value:
    return make_tuple(call.lowering, sizes(call, call.array("a")), call.span)


def _size(call: Call) -> Value:
    return call.lowering.apply("numel", [call.array("a")], call.span)


def _divmod(call: Call) -> Value:
    """``np.divmod(x1, x2)``"""
    x1, x2, names = call.number("x1"), call.number("x2"), ("floor_divide", "remainder")
    found = [array_arithmetic.binary(call.lowering, name, x1, x2, call.span) for name in names]
    return make_tuple(call.lowering, [v for v in found if v is not None], call.span)


_ANGLES = {
    "deg2rad": arrays.radians,
    "radians": arrays.radians,
    "rad2deg": arrays.degrees,
    "degrees": arrays.degrees,
    "reciprocal": arrays.reciprocal,
}
_LEAST = {"atleast_1d": 1, "atleast_2d": 2, "atleast_3d": 3}
_PAIRS = {"hypot": arrays.hypot, "copysign": arrays.copysign, "fmax": arrays.fmax, "fmin": arrays.fmin}

FUNCTIONS: Mapping[str, Function] = {
    **UFUNCS,
    **MAKING,
    **generators.FUNCTIONS,
    **array_library.LIBRARY,
    # over an axis
    **array_reductions.REDUCTIONS,
    "ptp": Function("a axis? * keepdims?", array_axes.ptp),
    "count_nonzero": Function("a axis? * keepdims?", array_axes.count_nonzero),
    "cumsum": Function("a axis? dtype?", partial(array_axes.cumulative, arrays.cumsum_rows)),
    "cumprod": Function("a axis? dtype?", partial(array_axes.cumulative, arrays.cumprod_rows)),
    "sort": Function("a axis? kind?", array_axes.sorted_copy),
    "argsort": Function("a axis? kind?", array_axes.argsort),
    "median": _or_numpy("median", "a axis? * keepdims?", array_axes.median, "keepdims"),
    **{
        name: _or_numpy(
            name,
            "a q axis? * method? keepdims?",
            partial(array_axes.quantile, scale),
            "method",
            "keepdims",
            when=lambda call: _is_array(call, "q"),
        )
        for name, scale in (("percentile", 100.0), ("quantile", 1.0))
    },
    "unique": _or_numpy(
        "unique",
        "a return_index? return_inverse? return_counts? axis?",
        array_axes.unique,
        "return_index",
        "return_inverse",
        "axis",
    ),
    "diff": _or_numpy("diff", "a n? axis? prepend? append?", array_axes.diff, "prepend", "append"),
    "roll": _or_numpy("roll", "a shift axis?", array_axes.roll, when=lambda call: not _is_int(call, "shift")),
    "flip": _or_numpy(
        "flip",
        "a axis?",
        partial(array_axes.flip, None),
        when=lambda call: isinstance(call.constant("axis", None), tuple),
    ),
    "flipud": Function("a", partial(array_axes.flip, 0)),
    "fliplr": Function("a", partial(array_axes.flip, 1)),
    "trapezoid": _or_numpy("trapezoid", "y x? dx? axis?", array_axes.trapezoid, when=lambda call: _rank(call, "y") > 1),
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
    "split": Function("ary indices_or_sections axis?", partial(array_shapes.split, array_lists.split)),
    "array_split": Function("ary indices_or_sections axis?", partial(array_shapes.split, array_lists.array_split)),
    "divmod": Function("x1 x2", _divmod),
    "iinfo": Function("type", type_limits.integers),
    "finfo": Function("dtype", type_limits.floats),
    "apply_along_axis": Function("func1d axis arr", array_along.apply_along_axis),
    "vstack": Function("arrays", array_shapes.vstack),
    "hstack": Function("arrays", array_shapes.hstack),
    "column_stack": Function("arrays", array_shapes.column_stack),
    "append": _or_numpy("append", "a values axis?", array_shapes.append, "axis"),
    "tile": _or_numpy(
        "tile",
        "a reps",
        partial(array_shapes.repeated, "tile", "reps"),
        when=lambda call: _rank(call, "a") > 1 or not _is_int(call, "reps"),
    ),
    "repeat": _or_numpy(
        "repeat",
        "a repeats axis?",
        partial(array_shapes.repeated, "repeat", "repeats"),
        "axis",
        when=lambda call: not _is_int(call, "repeats"),
    ),
    **{name: Function("arys", partial(array_shapes.at_least, rank)) for name, rank in _LEAST.items()},
    # products
    "dot": Function("a b", _product),
    "vdot": Function("a b", _vdot),
    "outer": _function("a b", arrays.outer),
    "inner": _function("a b", arrays.inner),
    "trace": _or_numpy(
        "trace",
        "a offset? axis1? axis2?",
        _function("a", arrays.trace).lower,
        "offset",
        "axis1",
        "axis2",
        when=lambda call: _rank(call, "a") > 2,
    ),
    "linalg.norm": _or_numpy(
        "linalg.norm",
        "x ord? axis? * keepdims?",
        _function("x", arrays.norm).lower,
        "ord",
        "axis",
        "keepdims",
        when=lambda call: not _is_float(call, "x"),
    ),
    "fmod": Function("x1 x2", _fmod),
    # elements
    "clip": taking_out(_function("a a_min=None a_max=None", arrays.clip)),
    "round": taking_out(Function("a decimals?", _round), has_where=False),
    "around": taking_out(Function("a decimals?", _round), has_where=False),
    "isclose": _function("a b rtol=1e-05 atol=1e-08 equal_nan=False", arrays.isclose),
    "allclose": _function("a b rtol=1e-05 atol=1e-08 equal_nan=False", arrays.allclose),
    "array_equal": _function("a b", arrays.array_equal),
    **{n: taking_out(_function("x", f)) for n, f in _ANGLES.items()},
    **{n: taking_out(_function("x1 x2", f)) for n, f in _PAIRS.items()},
    # searching and counting
    "searchsorted": _or_numpy("searchsorted", "a v side? sorter?", _searchsorted, "sorter"),
    "interp": _or_numpy("interp", "x xp fp left? right? period?", _interp, "left", "right", "period"),
    "bincount": Function("x weights? minlength?", _bincount),
    "histogram": _or_numpy("histogram", "a bins? range? density? weights?", _histogram, "density", "weights"),
    "ndindex": Function("shape n1? n2?", _ndindex),
    "ndenumerate": Function("arr", _ndenumerate),
    "nonzero": _or_numpy("nonzero", "a", _nonzero, when=lambda call: _rank(call, "a") != 1),
    "flatnonzero": Function("a", _flatnonzero),
}
"""The functions by their names inside `numpy`."""
