"""Functions that make arrays: ``np.zeros((n, m))``, ``np.array([1.0, 2.0])``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.values.array_calls import Call, Function
from tscript.frontend.values.array_literals import array_of, array_of_literal, empty
from tscript.frontend.values.array_promotion import apply, as_array, as_dtype, as_scalar
from tscript.ir.graph import Value
from tscript.operators.python.functions import arrays
from tscript.types import BOOL, DTYPE, FLOAT, INT, ArrayType, dtype_of, dtypes


def _filled(value: float | None, call: Call) -> Value:
    """``np.zeros(shape, dtype)`` and the like."""
    lowering, span = call.lowering, call.span
    shape, dtype = call.shape("shape"), call.dtype(dtypes.float64)
    kwargs = {"dtype": lowering.const(dtype, DTYPE, span)}
    name = {0.0: "zeros", 1.0: "ones", None: "empty"}[value]
    return as_array(lowering.apply(name, [shape], span, kwargs))


def _full(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    shape, fill = call.shape("shape"), call.number("fill_value")
    dtype = call.dtype(dtype_of(fill.type) or dtypes.float64)
    made = as_array(lowering.apply("empty", [shape], span, {"dtype": lowering.const(dtype, DTYPE, span)}))
    lowering.apply("fill_", [made, as_scalar(lowering, fill, dtype, span)], span)
    return made


def _like(name: str, call: Call) -> Value:
    lowering, span = call.lowering, call.span
    array = call.array("a")
    assert isinstance(array.type, ArrayType) and array.type.dtype is not None
    dtype = call.dtype(array.type.dtype)
    return as_array(lowering.apply(name, [array], span, {"dtype": lowering.const(dtype, DTYPE, span)}))


def _is_forward(start: Value, stop: Value, step: Value) -> bool:
    """Whether all are known, and the step leads from start to stop."""
    first, last, by = start.constant, stop.constant, step.constant
    return all(isinstance(n, int | float) for n in (first, last, by)) and by > 0 and last >= first  # type: ignore[operator]


def _arange(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    numbers = [call.number(p) for p in ("start", "stop", "step") if call.has(p)]
    numbers = [lowering.coerce(n, INT, span) or lowering.coerce(n, FLOAT, span) or n for n in numbers]
    all_ints = all(n.type == INT for n in numbers)
    first = numbers[0] if len(numbers) > 1 else call.const(0)
    step = numbers[2] if len(numbers) > 2 else call.const(1)
    at = min(len(numbers) - 1, 1)
    if not _is_forward(first, numbers[at], step):
        numbers[at] = call_function(lowering, arrays.arange_end, [first, numbers[at], step], span)
    dtype = call.dtype(dtypes.int64 if all_ints else dtypes.float64)
    return as_array(lowering.apply("arange", numbers, span, {"dtype": lowering.const(dtype, DTYPE, span)}))


def _array(copies: bool, call: Call) -> Value:
    """``np.array(object, dtype)`` and ``np.asarray``."""
    lowering, span = call.lowering, call.span
    dtype = call.dtype(dtypes.float64) if call.has("dtype") else None
    made = array_of_literal(lowering, call.given["object"], dtype)
    if made is not None:
        return made
    value = call.value("object")
    if isinstance(value.type, ArrayType) and copies and dtype in (None, value.type.dtype):
        return apply(lowering, "clone", [value], span)
    made = array_of(lowering, value, dtype, span)
    if made is None:
        raise call.refuse("no array can be made of it", "give a list of numbers", "object")
    return made


def _full_like(call: Call) -> Value:
    made = _like("empty_like", call)
    dtype = made.type.dtype if isinstance(made.type, ArrayType) else None
    assert dtype is not None
    fill = as_scalar(call.lowering, call.number("fill_value"), dtype, call.span)
    call.lowering.apply("fill_", [made, fill], call.span)
    return made


def _linspace(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    ends = [lowering.coerce(call.number(p), FLOAT, span) for p in ("start", "stop")]
    num = lowering.coerce(call.number("num"), INT, span) if call.has("num") else call.const(50)
    endpoint = lowering.const(bool(call.constant("endpoint", True)), BOOL, span)
    if ends[0] is None or ends[1] is None or num is None:
        raise call.refuse("it takes numbers", "give two floats and an int")
    made = call_function(lowering, arrays.linspace, [ends[0], ends[1], num, endpoint], span)
    return as_dtype(lowering, made, call.dtype(dtypes.float64), span)


def _eye(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    found = [call.number(p) if call.has(p) else None for p in ("N", "M") if p in call.given]
    sizes = [lowering.coerce(v, INT, span) for v in found if v is not None]
    rows = sizes[0]
    columns = sizes[1] if len(sizes) > 1 else rows
    if rows is None or columns is None:
        raise call.refuse("it takes ints", "give its size as an int")
    made = empty(lowering, [rows, columns], call.dtype(dtypes.float64), span)
    lowering.apply("zero_", [made], span)
    call_function(lowering, arrays.fill_diagonal, [made, call.number("k") if call.has("k") else call.const(0)], span)
    return made


MAKING: Mapping[str, Function] = {
    "zeros": Function("shape dtype?", partial(_filled, 0.0)),
    "ones": Function("shape dtype?", partial(_filled, 1.0)),
    "empty": Function("shape dtype?", partial(_filled, None)),
    "full": Function("shape fill_value dtype?", _full),
    "zeros_like": Function("a dtype?", partial(_like, "zeros_like")),
    "ones_like": Function("a dtype?", partial(_like, "ones_like")),
    "empty_like": Function("a dtype?", partial(_like, "empty_like")),
    "arange": Function("start stop? step? * dtype?", _arange),
    "full_like": Function("a fill_value dtype?", _full_like),
    "array": Function("object dtype?", partial(_array, True)),
    "asarray": Function("object dtype?", partial(_array, False)),
    "ascontiguousarray": Function("object dtype?", partial(_array, False)),
    "copy": Function("object", partial(_array, True)),
    "linspace": Function("start stop num? endpoint? * dtype?", _linspace),
    "eye": Function("N M? k? dtype?", _eye),
    "identity": Function("N dtype?", _eye),
}
"""The functions by their names inside `numpy`."""
