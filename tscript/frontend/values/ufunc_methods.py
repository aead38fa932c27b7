"""Methods of ufuncs, element by element: ``reduce``, ``accumulate``, ``outer``, ``at``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tscript.frontend.lowering.loops import count
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.values.array_axes import dtype_of_array, rank_of, shaped, sizes
from tscript.frontend.values.array_calls import Call
from tscript.frontend.values.array_literals import array_of, empty
from tscript.frontend.values.array_out import out_of, stored, where_of
from tscript.frontend.values.array_promotion import apply, as_dtype, as_scalar, only_element
from tscript.frontend.values.scalars import truth
from tscript.ir.graph import Division, Raise, Value
from tscript.late import dataclass
from tscript.operators.python.elements import ELEMENT, SET_ELEMENT
from tscript.types import INT, NONE, ArrayType, DType, ScalarType, TupleType, Type, dtypes

PARAMETERS = {
    "reduce": "a axis? dtype? out? keepdims? initial? where?",
    "accumulate": "a axis? dtype? out?",
    "outer": "x1 x2 * out? where?",
    "at": "a indices b?",
}
"""The parameters of the methods."""


@dataclass(frozen=True, slots=True)
class Ufunc:
    """A ufunc.

    Attributes:
        name: As NumPy's errors have it.
        of: The ufunc of some elements: NumPy scalars.
        result: The dtype of that, for the types of the elements.
        whole: The ufunc of two arrays.
        adds_up: Whether sums of small integers are int64.
    """

    name: str
    of: Callable[[Sequence[Value]], Value]
    result: Callable[[Sequence[Type]], DType]
    whole: Callable[[Sequence[Value]], Value]
    adds_up: bool = False


def lower_method(call: Call, ufunc: Ufunc, method: str) -> Value:
    """A call of a method of a ufunc of two arguments."""
    return {"reduce": _reduce, "accumulate": _accumulate, "outer": _outer, "at": _at}[method](call, ufunc)


def at(call: Call, value: Value, index: Sequence[Value]) -> Value:
    """An element of an array; other values stay what they are."""
    if not isinstance(value.type, ArrayType):
        return value
    assert value.type.dtype is not None
    return call.lowering.leaf(ELEMENT, [value, *index], ScalarType(value.type.dtype), call.span)


def put(call: Call, array: Value, value: Value, index: Sequence[Value]) -> None:
    """Set an element."""
    call.lowering.leaf(SET_ELEMENT, [array, value, *index], NONE, call.span)


def loops(
    call: Call,
    shape: Sequence[Value],
    each: Callable[[list[Value]], None],
    first: int | None = None,
    division: Division = Division.NONE,
) -> None:
    """Loops over all indices of a shape; over a dimension `first` from 1. `division` is that of the outermost."""

    def inner(index: list[Value]) -> None:
        number = len(index)
        if number == len(shape):
            each(index)
            return
        bounds = call.const(int(number == first)), shape[number], call.const(1)
        divided = division if number == 0 else Division.NONE
        count(call.lowering, bounds, lambda i: inner([*index, i]), {}, call.span, division=divided)

    inner([])


def _steps(call: Call, ufunc: Ufunc, array: Value) -> DType:
    """The dtype of results that are arguments again."""
    element = ScalarType(dtype_of_array(array))
    found = ufunc.result([element, element])
    found = ufunc.result([ScalarType(found), element])
    return call.dtype(dtypes.int64 if ufunc.adds_up and not found.is_floating_point else found)


def _axes(call: Call, array: Value) -> list[int]:
    if "axis" in call.given and not call.has("axis"):
        return list(range(rank_of(array)))
    found = call.constant("axis", 0)
    return sorted({call.dimension(x, array, "axis") for x in (found if isinstance(found, tuple) else (found,))})


def _reduce(call: Call, ufunc: Ufunc) -> Value:
    lowering, span = call.lowering, call.span
    array = call.array("a")
    dtype, axes = _steps(call, ufunc, array), _axes(call, array)
    where = where_of(call)
    shape = sizes(call, array)
    made = empty(lowering, [size for d, size in enumerate(shape) if d not in axes], dtype, span)
    starts = call.has("initial")
    if starts:
        lowering.apply("fill_", [made, as_scalar(lowering, call.number("initial"), dtype, span)], span)
    elif where is not None:
        problem = f"reduction operation '{ufunc.name}' does not have an identity"
        raise call.refuse(problem, "give 'initial' with 'where'", "where")
    else:
        _begin(call, ufunc, array, axes, made, dtype)
    mask = where and apply(lowering, "broadcast_to", [where, make_tuple(lowering, shape, span)], span)

    def each(index: list[Value]) -> None:
        own = [i for d, i in enumerate(index) if d not in axes]

        def step() -> None:
            found = ufunc.of([at(call, made, own), at(call, array, index)])
            put(call, made, as_scalar(lowering, found, dtype, span), own)

        if mask is not None:
            when(lowering, truth(lowering, at(call, mask, index), span), step, span)
        elif starts or len(axes) == 1:
            step()
        else:
            place = call.const(0)
            for axis in axes:
                place = lowering.apply("wrapping_add", [place, index[axis]], span)
            when(lowering, lowering.apply("gt", [place, call.const(0)], span), step, span)

    loops(call, shape, each, axes[0] if not starts and len(axes) == 1 else None)
    return finished(call, made, axes, shape)


def finished(call: Call, made: Value, axes: Sequence[int], shape: Sequence[Value]) -> Value:
    """The result of a reduction as its keywords ask for it."""
    if call.constant("keepdims", False):
        made = shaped(call, made, [call.const(1) if d in axes else size for d, size in enumerate(shape)])
    out = out_of(call)
    if out is not None:
        return stored(call, made, out, None)
    return only_element(call.lowering, made, call.span) if rank_of(made) == 0 else made


def _begin(call: Call, ufunc: Ufunc, array: Value, axes: Sequence[int], made: Value, dtype: DType) -> None:
    """Begin with the first elements; there are some."""
    lowering, span = call.lowering, call.span
    problem = f"zero-size array to reduction operation {ufunc.name} which has no identity"
    for axis in axes:
        none = lowering.apply("eq", [lowering.apply("size", [array, call.const(axis)], span), call.const(0)], span)
        failing = Raise("ValueError", problem, [], span)
        when(lowering, none, lambda failing=failing: lowering.block.nodes.append(failing), span)  # type: ignore[misc]
    part = array
    for axis in reversed(axes):
        part = apply(lowering, "select", [part, call.const(axis), call.const(0)], span)
    lowering.apply("copy_", [made, as_dtype(lowering, part, dtype, span)], span)


def _accumulate(call: Call, ufunc: Ufunc) -> Value:
    lowering, span = call.lowering, call.span
    array = call.array("a")
    found = call.axis(array, default=0)
    if found is None:
        raise call.refuse("it goes along one axis", "name it, as in 'axis=0'", "axis")
    axis, dtype, shape = found, _steps(call, ufunc, array), sizes(call, array)
    made = apply(lowering, "clone", [as_dtype(lowering, array, dtype, span)], span)

    def each(index: list[Value]) -> None:
        before = list(index)
        before[axis] = lowering.apply("wrapping_add", [index[axis], call.const(-1)], span)
        result = ufunc.of([at(call, made, before), at(call, array, index)])
        put(call, made, as_scalar(lowering, result, dtype, span), index)

    loops(call, shape, each, axis)
    return stored(call, made, out_of(call), None)


def _outer(call: Call, ufunc: Ufunc) -> Value:
    first, second = call.number("x1"), call.number("x2")
    if isinstance(first.type, ArrayType) and isinstance(second.type, ArrayType):
        ones = [call.const(1)] * rank_of(second)
        first = shaped(call, first, [*sizes(call, first), *ones])
    return stored(call, ufunc.whole([first, second]), out_of(call), where_of(call))


def _at(call: Call, ufunc: Ufunc) -> Value:
    """``f.at(a, indices, b)``: each index counts, repeated ones too."""
    lowering, span = call.lowering, call.span
    array = call.value("a")
    if not isinstance(array.type, ArrayType):
        raise call.refuse("it changes an array", "give an ndarray", "a")
    dtype = dtype_of_array(array)
    places = _places(call, rank_of(array))
    values = [call.number("b")] if call.has("b") else []
    result = ufunc.result([ScalarType(dtype), *(_element_type(v) for v in values)])
    if result.category > dtype.category:
        problem = f"cannot store a result of {result.name} in an array of {dtype.name}"
        raise call.refuse(problem, "convert the array with .astype", "a")
    arrays = [v for v in (*places, *values) if isinstance(v.type, ArrayType)]
    if any(rank_of(v) > 1 for v in arrays):
        raise call.refuse("indices have one dimension here", "make them flat with .ravel()", "indices")
    shape = [sizes(call, v)[0] for v in arrays if rank_of(v) == 1 and v in places][:1]
    size = make_tuple(lowering, shape, span)
    spread = {id(v): apply(lowering, "broadcast_to", [v, size], span) for v in arrays}

    def each(index: list[Value]) -> None:
        where = [lowering.coerce(at(call, spread.get(id(v), v), index), INT, span) for v in places]
        assert None not in where
        own = [v for v in where if v is not None]
        found = ufunc.of([at(call, array, own), *(at(call, spread.get(id(v), v), index) for v in values)])
        put(call, array, as_scalar(lowering, found, dtype, span), own)

    loops(call, shape, each)
    return lowering.const(None, NONE, span)


def _element_type(value: Value) -> Type:
    if not isinstance(value.type, ArrayType):
        return value.type
    return ScalarType(dtype_of_array(value))


def _places(call: Call, rank: int) -> list[Value]:
    """The indices, one for each dimension: ints and arrays of ints."""
    node = call.given["indices"]
    if isinstance(node, ast.Tuple):
        found = [call.lowering.value(e) for e in node.elts]
    else:
        value = call.value("indices") if not isinstance(node, ast.List) else call.number("indices")
        found = tuple_elements(call.lowering, value, call.span) if isinstance(value.type, TupleType) else [value]
    made: list[Value] = []
    for value in found:
        one = (
            value
            if isinstance(value.type, ScalarType) or value.type == INT
            else array_of(call.lowering, value, None, call.span)
        )
        if one is None or (isinstance(one.type, ArrayType) and not dtype_of_array(one).is_integer):
            raise call.refuse(
                "an index is an int or an array of ints", "for a mask write np.flatnonzero(mask)", "indices"
            )
        made.append(one)
    if len(made) != rank:
        problem = f"the array has {rank} dimensions, and {len(made)} are indexed"
        raise call.refuse(problem, "give a tuple with an index for each dimension", "indices")
    return made
