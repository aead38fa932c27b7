"""Shapes of arrays, and joining them: ``a.reshape(n, m)``, ``np.concatenate((a, b))``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.definitions.language import Generic
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.values.array_axes import flat, rank_of, shaped, sizes
from tscript.frontend.values.array_calls import Call
from tscript.frontend.values.array_promotion import apply, promoted
from tscript.frontend.values.array_shape_errors import (
    NOT_REPEATED,
    check_broadcast,
    check_joined,
    check_reshape,
    check_stacked,
)
from tscript.ir.graph import Value
from tscript.operators.python.functions import arrays
from tscript.types import INT, ArrayType, ListType, Type


def reshape(call: Call) -> Value:
    """``a.reshape(shape)``"""
    array, shape = call.array("a"), call.shape("shape")
    check_reshape(call.lowering, array, tuple_elements(call.lowering, shape, call.span), call.span)
    return apply(call.lowering, "reshape", [array, shape], call.span)


def ravel(call: Call) -> Value:
    """``a.ravel()``: a view where the strides allow one."""
    return flat(call, call.array("a"))


def flatten(call: Call) -> Value:
    """``a.flatten()``: a copy."""
    return flat(call, apply(call.lowering, "clone", [call.array("a")], call.span))


def _permuted(call: Call, array: Value, order: Sequence[int]) -> Value:
    dims = make_tuple(call.lowering, [call.const(d) for d in order], call.span)
    return apply(call.lowering, "permute", [array, dims], call.span)


def transpose(call: Call) -> Value:
    """``a.transpose(axes)``"""
    array = call.array("a")
    axes = call.constant("axes", None)
    if isinstance(axes, int):
        axes = (axes,)
    order = reversed(range(rank_of(array))) if axes is None else [call.dimension(x, array, "axes") for x in axes]
    found = list(order)
    if sorted(found) != list(range(rank_of(array))):
        raise call.refuse("axes don't match array", "name each dimension once", "axes")
    return _permuted(call, array, found)


def swapaxes(call: Call) -> Value:
    """``a.swapaxes(axis1, axis2)``"""
    array = call.array("a")
    first, second = call.axis(array, "axis1"), call.axis(array, "axis2")
    order = list(range(rank_of(array)))
    assert first is not None and second is not None
    order[first], order[second] = order[second], order[first]
    return _permuted(call, array, order)


def moveaxis(call: Call) -> Value:
    """``np.moveaxis(a, source, destination)``"""
    array = call.array("a")
    source, destination = call.axis(array, "source"), call.axis(array, "destination")
    assert source is not None and destination is not None
    order = [d for d in range(rank_of(array)) if d != source]
    order.insert(destination, source)
    return _permuted(call, array, order)


def squeeze(call: Call) -> Value:
    """``a.squeeze(axis)``: which dimensions go is a part of the type, so the axis is given."""
    array = call.array("a")
    found = call.constant("axis", None)
    if found is None:
        raise call.refuse("the result has an unknown number of dimensions", "name the axis: squeeze(axis=0)")
    axes = {call.dimension(x, array, "axis") for x in (found if isinstance(found, tuple) else (found,))}
    kept = [size for d, size in enumerate(sizes(call, array)) if d not in axes]
    return shaped(call, array, kept)


def expand_dims(call: Call) -> Value:
    """``np.expand_dims(a, axis)``"""
    axis = call.constant("axis", 0)
    return apply(call.lowering, "unsqueeze", [call.array("a"), call.const(axis)], call.span)


def broadcast_to(call: Call) -> Value:
    """``np.broadcast_to(a, shape)``"""
    array, shape = call.array("a"), call.shape("shape")
    wanted = tuple_elements(call.lowering, shape, call.span)
    check_broadcast(call.lowering, sizes(call, array), wanted, NOT_REPEATED, call.span)
    return apply(call.lowering, "broadcast_to", [array, shape], call.span)


def diagonal(call: Call) -> Value:
    """``np.diagonal(a, offset)``"""
    offset = call.value("offset") if call.has("offset") else call.const(0)
    return apply(call.lowering, "diagonal", [call.array("a"), offset], call.span)


# ---- joining


Parts = Sequence[Value] | Value
"""Arrays that are joined: one by one, or a list of them."""


def _parts(call: Call, each: Callable[[Value], Value] = lambda array: array) -> Parts:
    """The arrays of a call, with a function applied to each."""
    found = call.list_of_arrays("arrays", each)
    return [each(v) for v in call.arrays("arrays")] if found is None else found


def _first(parts: Parts) -> Type:
    """The type of the first one."""
    if not isinstance(parts, Value):
        return parts[0].type
    assert isinstance(parts.type, ListType)
    return parts.type.element


def _joined(call: Call, name: str, found: Parts, axis: int) -> Value:
    if isinstance(found, Value):
        check = arrays.check_joined if name == "cat" else arrays.check_stacked
        call_function(call.lowering, check, [found, call.const(axis)], call.span)
        return apply(call.lowering, name, [found, call.const(axis)], call.span)
    if name == "cat":
        check_joined(call.lowering, found, axis, call.span)
    else:
        check_stacked(call.lowering, found, call.span)
    parts = make_tuple(call.lowering, found, call.span)
    return apply(call.lowering, name, [parts, call.const(axis)], call.span)


def split(function: Generic, call: Call) -> Value:
    """``np.split(ary, sections)`` and ``np.array_split`` of the first axis: a list of views."""
    count = call.lowering.coerce(call.value("indices_or_sections"), INT, call.span)
    if count is None or call.constant("axis", 0) != 0:
        raise call.refuse("it takes a number of sections of the first axis", "write slices", "indices_or_sections")
    return call_function(call.lowering, function, [call.array("ary"), count], call.span)


def concatenate(call: Call) -> Value:
    """``np.concatenate(arrays, axis)``"""
    if "axis" in call.given and not call.has("axis"):
        return _joined(call, "cat", _parts(call, lambda v: flat(call, v)), 0)
    found = _parts(call)
    axis = call.dimension_of(call.constant("axis", 0), _first(found), "axis")
    return _joined(call, "cat", found, axis)


def stack(call: Call) -> Value:
    """``np.stack(arrays, axis)``"""
    return _joined(call, "stack", _parts(call), call.constant("axis", 0))


def _at_least(call: Call, array: Value, rank: int) -> Value:
    """An array with ones in front of its sizes."""
    while rank_of(array) < rank:
        array = apply(call.lowering, "unsqueeze", [array, call.const(0)], call.span)
    return array


def at_least(rank: int, call: Call) -> Value:
    """``np.atleast_2d(a)`` and its kin."""
    array = call.array("arys")
    found = rank_of(array)
    if rank < 3 or found == 0:
        return _at_least(call, array, rank)
    if found == 1:
        array = _at_least(call, array, 2)
    return apply(call.lowering, "unsqueeze", [array, call.const(2)], call.span) if found < 3 else array


def vstack(call: Call) -> Value:
    """``np.vstack(arrays)``"""
    return _joined(call, "cat", _parts(call, lambda v: _at_least(call, v, 2)), 0)


def hstack(call: Call) -> Value:
    """``np.hstack(arrays)``"""
    found = _parts(call, lambda v: _at_least(call, v, 1))
    type = _first(found)
    return _joined(call, "cat", found, 0 if isinstance(type, ArrayType) and type.rank == 1 else 1)


def column_stack(call: Call) -> Value:
    """``np.column_stack(arrays)``"""

    def column(array: Value) -> Value:
        made = _at_least(call, array, 1)
        return apply(call.lowering, "unsqueeze", [made, call.const(1)], call.span) if rank_of(made) == 1 else made

    return _joined(call, "cat", _parts(call, column), 1)


def append(call: Call) -> Value:
    """``np.append(a, values)`` of one dimension."""
    both = promoted(call.lowering, [call.array("a"), call.array("values")], call.span)
    return _joined(call, "cat", [flat(call, v) for v in both], 0)


def repeated(name: str, parameter: str, call: Call) -> Value:
    """``np.tile(a, reps)`` and ``np.repeat(a, repeats)``."""
    count = call.lowering.coerce(call.value(parameter), INT, call.span)
    if count is None:
        raise call.refuse("the number of repetitions is no int", "give one int", parameter)
    array = call.array("a")
    if name == "tile" and rank_of(array) > 1:
        raise call.refuse("it takes one dimension here", "write np.concatenate((a, a), axis)", "a")
    function = {"tile": arrays.tile, "repeat": arrays.repeat}[name]
    return call_function(call.lowering, function, [flat(call, array), count], call.span)
