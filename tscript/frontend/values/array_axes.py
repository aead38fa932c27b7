"""Functions along an axis: ``a.sum(axis=0)``, ``np.sort(a)``, ``np.median(a, axis=1)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.definitions.opdef import OpDef
from tscript.frontend.lowering.arguments import Function, call_function
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values.array_calls import Call
from tscript.frontend.values.array_literals import array_of, empty
from tscript.frontend.values.array_promotion import (
    NUMBERS,
    apply,
    array_type,
    as_array,
    as_dtype,
    as_float,
    as_scalar,
    only_element,
)
from tscript.ir.graph import Raise, Value
from tscript.operators.python.functions import array_order, arrays
from tscript.operators.tensor.sorting import ARGSORT_ROWS, SORT_ROWS
from tscript.types import BOOL, FLOAT, INT, NONE, ArrayType, DType, dtypes
from tscript.types.dtypes import Category


def dtype_of_array(array: Value) -> DType:
    """Its dtype."""
    dtype = array_type(array).dtype
    assert dtype is not None
    return dtype


def rank_of(array: Value) -> int:
    """Its number of dimensions."""
    rank = array_type(array).rank
    assert rank is not None
    return rank


def sizes(call: Call, array: Value) -> list[Value]:
    """The size of each dimension."""
    return [call.lowering.apply("size", [array, call.const(dim)], call.span) for dim in range(rank_of(array))]


def flat(call: Call, array: Value) -> Value:
    """An array as one of one dimension: a view where the strides allow one."""
    return array if rank_of(array) == 1 else shaped(call, array, [call.const(-1)])


def shaped(call: Call, array: Value, shape: Sequence[Value]) -> Value:
    """An array in another shape."""
    count = call.lowering.apply("numel", [array], call.span)
    found = [count if size.constant == -1 else size for size in shape]
    return apply(call.lowering, "reshape", [array, make_tuple(call.lowering, found, call.span)], call.span)


def scalar_or_array(call: Call, array: Value) -> Value:
    """An array without dimensions as the NumPy scalar that NumPy gives."""
    return only_element(call.lowering, array, call.span) if rank_of(array) == 0 else array


# ---- reductions

_EMPTY = {
    "max": "zero-size array to reduction operation maximum which has no identity",
    "min": "zero-size array to reduction operation minimum which has no identity",
    "argmax": "attempt to get argmax of an empty sequence",
    "argmin": "attempt to get argmin of an empty sequence",
}
_ONE_AXIS = frozenset({"prod", "argmax", "argmin"})
_OF_FLOATS = frozenset({"mean", "var", "std"})
_OF_AXES = {"max": "amax", "min": "amin"}


def reduced(name: str, call: Call) -> Value:
    """A reduction over all elements gives a NumPy scalar, one over axes an array."""
    lowering, span = call.lowering, call.span
    array = call.array("a")
    dtype = dtype_of_array(array)
    if call.has("dtype"):
        array = as_dtype(lowering, array, call.dtype(dtype), span)
    elif name in _OF_FLOATS and not dtype.is_floating_point:
        array = as_dtype(lowering, array, dtypes.float64, span)
    elif name in ("any", "all") and dtype is not dtypes.bool_:
        array = as_dtype(lowering, array, dtypes.bool_, span)
    elif name in ("argmax", "argmin") and dtype is dtypes.bool_:
        array = as_dtype(lowering, array, dtypes.uint8, span)
    axes = _axes(call, array)
    keeps = bool(call.constant("keepdims", False))
    _check_not_empty(name, call, array, axes)
    if axes is None and keeps and name in _ONE_AXIS:
        return shaped(call, _reduction(name, call, array, None), [call.const(1)] * rank_of(array))
    if axes is None and keeps:
        axes = tuple(range(rank_of(array)))
    return scalar_or_array(call, _reduction(name, call, array, axes, keeps=keeps))


def _axes(call: Call, array: Value) -> tuple[int, ...] | None:
    found = call.constant("axis", None)
    if found is None:
        return None
    return tuple(call.dimension(x, array, "axis") for x in (found if isinstance(found, tuple) else (found,)))


def _reduction(name: str, call: Call, array: Value, axes: tuple[int, ...] | None, *, keeps: bool = False) -> Value:
    """Reduced axes stay with size 1 if it `keeps` them, which are not none."""
    lowering, span = call.lowering, call.span
    if name in ("var", "std"):
        found = _variance(call, array, axes, keeps=keeps)
        return apply(lowering, "sqrt", [found], span) if name == "std" else found
    if axes is None:
        return apply(lowering, name, [array], span)
    if len(axes) > 1 and name in _ONE_AXIS:
        raise call.refuse(f"there is no {name} over several axes", "reduce one axis after the other", "axis")
    if name in _ONE_AXIS:
        return apply(lowering, name, [array, call.const(axes[0]), call.const(keeps)], span)
    dims = make_tuple(lowering, [call.const(axis) for axis in axes], span)
    return apply(lowering, _OF_AXES.get(name, name), [array, dims, call.const(keeps)], span)


def _variance(call: Call, array: Value, axes: tuple[int, ...] | None, *, keeps: bool) -> Value:
    lowering, span = call.lowering, call.span
    ddof = call.value("ddof") if call.has("ddof") else call.const(0)
    dims = [call.const(axis) for axis in (range(rank_of(array)) if axes is None else axes)]
    if not dims:
        return apply(lowering, "sub", [array, array], span)
    options = {"correction": ddof, "keepdim": call.const(keeps)}
    return as_array(lowering.apply("var", [array, make_tuple(lowering, dims, span)], span, options))


def _check_not_empty(name: str, call: Call, array: Value, axes: tuple[int, ...] | None) -> None:
    if name not in _EMPTY:
        return
    lowering, span = call.lowering, call.span
    counts = [lowering.apply("numel", [array], span)]
    if axes is not None:
        counts = [lowering.apply("size", [array, call.const(axis)], span) for axis in axes]
    for count in counts:
        failing = Raise("ValueError", _EMPTY[name], [], span)
        none = lowering.apply("eq", [count, call.const(0)], span)
        when(lowering, none, lambda failing=failing: lowering.block.nodes.append(failing), span)  # type: ignore[misc]


def ptp(call: Call) -> Value:
    """``np.ptp(a, axis)``"""
    from tscript.frontend.values import array_arithmetic

    found = array_arithmetic.binary(call.lowering, "sub", reduced("max", call), reduced("min", call), call.span)
    assert found is not None
    return found


def count_nonzero(call: Call) -> Value:
    """``np.count_nonzero(a, axis)``"""
    call.receiver = as_dtype(call.lowering, call.array("a"), dtypes.bool_, call.span)
    return reduced("sum", call)


# ---- functions of rows

Width = Callable[[Value], Value]


def along(
    call: Call, array: Value, axis: int, dtype: DType, function: Function | OpDef, *extra: Value, one: bool = False
) -> Value:
    """What a function or an operator ``(rows, out, ...)`` of two dimensions writes for each row along an axis; with
    `one`, a number for each row."""
    lowering, span = call.lowering, call.span
    rank = rank_of(array)
    order = [d for d in range(rank) if d != axis]
    moved = array if axis == rank - 1 else _permuted(call, array, [*order, axis])
    found = sizes(call, array)
    lead, length = [found[d] for d in order], found[axis]
    count = call.const(1)
    for size in lead:
        count = lowering.apply("mul", [count, size], span)
    rows = shaped(call, moved, [count, length])
    width = call.const(1) if one else length
    out = empty(lowering, [count, width], dtype, span)
    if isinstance(function, OpDef):
        lowering.leaf(function, [rows, out, *extra], NONE, span)
    else:
        call_function(lowering, function, [rows, out, *extra], span)
    if one:
        return scalar_or_array(call, shaped(call, out, lead))
    made = shaped(call, out, [*lead, length])
    if axis == rank - 1:
        return made
    back = [*order, axis]
    return _permuted(call, made, [back.index(d) for d in range(rank)])


def _permuted(call: Call, array: Value, order: Sequence[int]) -> Value:
    dims = make_tuple(call.lowering, [call.const(d) for d in order], call.span)
    return apply(call.lowering, "permute", [array, dims], call.span)


def _over(call: Call, default: int | None) -> tuple[Value, int]:
    """The array and the axis; a flat array where the axis is None."""
    array = call.array("a")
    axis = call.axis(array, default=default if rank_of(array) else None)
    return (flat(call, array), 0) if axis is None else (array, axis)


def cumulative(function: Function, call: Call) -> Value:
    """``np.cumsum(a, axis)``"""
    array, axis = _over(call, None)
    dtype = dtype_of_array(array)
    wanted = call.dtype(dtypes.int64 if dtype.category < Category.FLOAT else dtype)
    return along(call, as_dtype(call.lowering, array, wanted, call.span), axis, wanted, function)


def sorted_copy(call: Call) -> Value:
    """``np.sort(a, axis)``"""
    array, axis = _over(call, -1)
    return along(call, array, axis, dtype_of_array(array), SORT_ROWS)


def sort_in_place(call: Call) -> Value:
    """``a.sort(axis)``"""
    made = sorted_copy(call)
    call.lowering.apply("copy_", [call.array("a"), made], call.span)
    return call.lowering.const(None, NONE, call.span)


def argsort(call: Call) -> Value:
    """``np.argsort(a, axis)``, stable."""
    array, axis = _over(call, -1)
    return along(call, array, axis, dtypes.int64, ARGSORT_ROWS)


def median(call: Call) -> Value:
    """``np.median(a, axis)``"""
    array, axis, dtype = _sorted_floats(call)
    return along(call, array, axis, dtype, array_order.median_rows, one=True)


def _sorted_floats(call: Call, *, wide: bool = False) -> tuple[Value, int, DType]:
    array, axis = _over(call, None)
    dtype = dtype_of_array(array)
    dtype = dtype if dtype.is_floating_point and not wide else dtypes.float64
    ordered = along(call, as_dtype(call.lowering, array, dtype, call.span), axis, dtype, SORT_ROWS)
    return ordered, axis, dtype


def quantile(scale: float, call: Call) -> Value:
    """``np.percentile(a, q, axis)`` and ``np.quantile``; several `q` are a new first dimension."""
    lowering, span = call.lowering, call.span
    given = call.number("q")
    array, axis, dtype = _sorted_floats(call, wide=isinstance(given.type, ArrayType))

    def one(q: Value) -> Value:
        if q.type not in NUMBERS or q.type == INT or q.type == BOOL:
            q = as_scalar(lowering, q, dtypes.float64, span)
        q = lowering.coerce(q, FLOAT, span) or q
        part = lowering.apply("div", [q, lowering.const(scale, FLOAT, span)], span) if scale != 1.0 else q
        return along(call, array, axis, dtype, array_order.quantile_rows, part, one=True)

    if not isinstance(given.type, ArrayType):
        return one(given)
    count = call.given["q"]
    elts = getattr(count, "elts", None)
    if elts is None:
        raise call.refuse("'q' is an array", "write a tuple of numbers, or a loop", "q")
    found = [array_of(lowering, one(lowering.value(e)), dtypes.float64, span) for e in elts]
    parts = make_tuple(lowering, [v for v in found if v is not None], span)
    return apply(lowering, "stack", [parts, call.const(0)], span)


def unique(call: Call) -> Value:
    """``np.unique(a, return_counts)``"""
    from tscript.frontend.lowering.tuples import tuple_elements

    array = flat(call, call.array("a"))
    ordered = along(call, array, 0, dtype_of_array(array), SORT_ROWS)
    found = call_function(call.lowering, array_order.unique, [ordered], call.span)
    if call.constant("return_counts", False):
        return found
    return tuple_elements(call.lowering, found, call.span)[0]


def diff(call: Call) -> Value:
    """``np.diff(a, n, axis)``"""
    lowering, span = call.lowering, call.span
    array, times = call.array("a"), call.constant("n", 1)
    axis = call.axis(array, default=-1)
    assert axis is not None and isinstance(times, int)
    at, one, none = call.const(axis), call.const(1), lowering.const(None, NONE, span)
    name = "ne" if dtype_of_array(array) is dtypes.bool_ else "sub"
    for _ in range(times):
        after = apply(lowering, "slice", [array, at, one, none, one], span)
        before = apply(lowering, "slice", [array, at, none, call.const(-1), one], span)
        array = apply(lowering, name, [after, before], span)
    return array


def roll(call: Call) -> Value:
    """``np.roll(a, shift, axis)``"""
    array, shift = call.array("a"), call.lowering.coerce(call.value("shift"), INT, call.span)
    if shift is None:
        raise call.refuse("'shift' is no int", "roll one axis after the other", "shift")
    axis = call.axis(array)
    if axis is None:
        made = along(call, flat(call, array), 0, dtype_of_array(array), arrays.roll_rows, shift)
        return shaped(call, made, sizes(call, array))
    return along(call, array, axis, dtype_of_array(array), arrays.roll_rows, shift)


def flip(axis: int | None, call: Call) -> Value:
    """``np.flip(a, axis)``: a copy."""
    array = call.array("a")
    found = call.axis(array) if axis is None else axis
    dims = range(rank_of(array)) if found is None else [found]
    for dim in dims:
        array = along(call, array, dim, dtype_of_array(array), arrays.flip_rows)
    return array


def trapezoid(call: Call) -> Value:
    """``np.trapezoid(y, x, dx)`` of one dimension."""
    lowering, span = call.lowering, call.span
    y = call.array("y")
    dtype = as_float(dtype_of_array(y))
    if call.has("x"):
        x = call.array("x")
        dtype = as_float(dtypes.promote_numpy(dtype, dtype_of_array(x)))
        points = [as_dtype(lowering, v, dtypes.float64, span) for v in (y, x)]
        found = call_function(lowering, arrays.trapezoid, points, span)
    else:
        step = as_scalar(lowering, call.number("dx") if call.has("dx") else call.const(1.0), dtypes.float64, span)
        found = call_function(
            lowering, arrays.trapezoid_of_steps, [as_dtype(lowering, y, dtypes.float64, span), step], span
        )
    return as_scalar(lowering, found, dtype, span)
