"""Builtins of Python that are given arrays and NumPy scalars: ``max(a[0], x)``, ``sum(a)``, ``round(x)``."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values import array_arithmetic
from tscript.frontend.values.array_promotion import apply, array_type, as_dtype, is_numeric, promoted
from tscript.frontend.values.scalars import number
from tscript.ir.graph import Value
from tscript.operators.python.functions import array_order, arrays
from tscript.types import INT, ArrayType, ScalarType, dtypes


def _are_scalars(values: Sequence[Value]) -> bool:
    return any(isinstance(v.type, ScalarType) for v in values) and all(
        is_numeric(v.type) and not isinstance(v.type, ArrayType) for v in values
    )


def extreme_of_values(lowering: FunctionLowering, name: str, values: Sequence[Value], span: Span) -> Value | None:
    """``max(x, y, ...)`` of NumPy scalars and numbers, in the dtype of arithmetic with all of them."""
    if not _are_scalars(values):
        return None
    best, *others = promoted(lowering, values, span)
    for other in others:
        test = apply(lowering, "gt" if name == "max" else "lt", [other, best], span)
        best = apply(lowering, "where", [test, other, best], span)
    return best


def extreme_of_array(lowering: FunctionLowering, name: str, array: Value, span: Span) -> Value | None:
    """``max(a)`` of one dimension."""
    if not isinstance(array.type, ArrayType) or array.type.rank != 1:
        return None
    return call_function(lowering, {"max": array_order.greatest, "min": array_order.least}[name], [array], span)


def total(lowering: FunctionLowering, array: Value, span: Span) -> Value | None:
    """``sum(a)``: the sum of the rows."""
    if not isinstance(array.type, ArrayType) or not array.type.rank:
        return None
    dtype = array.type.dtype
    assert dtype is not None
    if dtype is dtypes.bool_:
        array, dtype = as_dtype(lowering, array, dtypes.int64, span), dtypes.int64
    if array_type(array).rank == 1:
        return call_function(lowering, arrays.total, [array], span)
    dims = make_tuple(lowering, [lowering.const(0, INT, span)], span)
    return as_dtype(lowering, apply(lowering, "sum", [array, dims], span), dtype, span)


def decided(lowering: FunctionLowering, name: str, array: Value, span: Span) -> Value | None:
    """``any(a)`` and ``all(a)`` of one dimension."""
    if not isinstance(array.type, ArrayType):
        return None
    return lowering.apply("bool", [apply(lowering, name, [array], span)], span)


def rounded(lowering: FunctionLowering, values: Sequence[Value], span: Span) -> Value | None:
    """``round(x)``: an int of a NumPy scalar; with digits, a scalar of its dtype, as of an array."""
    first = values[0]
    if not isinstance(first.type, ArrayType | ScalarType):
        return None
    dtype = first.type.dtype
    assert dtype is not None
    if not dtype.is_floating_point:
        return lowering.coerce(first, INT, span) if len(values) == 1 else first
    if len(values) == 2:
        return call_function(lowering, arrays.round_to, list(values), span)
    found = apply(lowering, "round", [first], span)
    return found if isinstance(found.type, ArrayType) else lowering.apply("int", [number(lowering, found, span)], span)


def pair(lowering: FunctionLowering, values: Sequence[Value], span: Span) -> Value | None:
    """``divmod(x, y)``"""
    if not any(isinstance(v.type, ArrayType | ScalarType) for v in values):
        return None
    found = [array_arithmetic.binary(lowering, n, values[0], values[1], span) for n in ("floor_divide", "remainder")]
    return make_tuple(lowering, [v for v in found if v is not None], span) if None not in found else None
