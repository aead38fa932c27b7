"""The string forms of arrays, NumPy scalars and generators, which are NumPy's."""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.lowering.branches import merged
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.values import numpy_calls
from tscript.ir.graph import Value
from tscript.operators.python.elements import BOOL_OF, FLOAT_OF, INT_OF
from tscript.types import BOOL, FLOAT, INT, STR, ScalarType, dtypes


def of_array(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    """``str(a)`` and ``repr(a)``."""
    return numpy_calls.call(lowering, f"ndarray.{special}", STR, [value], span)


def of_generator(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    """The same of a generator."""
    return numpy_calls.call(lowering, f"random.Generator.{special}", STR, [value], span)


def formatted_array(lowering: FunctionLowering, value: Value, spec: Value, span: Span) -> Value:
    """``format(a, spec)``, which raises for all arrays with dimensions."""
    return numpy_calls.call(lowering, "ndarray.__format__", STR, [value, spec], span)


def of_scalar(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    """``str(x)`` and ``repr(x)`` of a NumPy scalar."""
    assert isinstance(value.type, ScalarType)
    dtype = value.type.dtype
    if dtype is dtypes.bool_:
        if special == "__str__":
            return lowering.apply("str", [lowering.leaf(BOOL_OF, [value], BOOL, span)], span)
        names = (lambda: lowering.constant("np.True_", span)), (lambda: lowering.constant("np.False_", span))
        test = lowering.leaf(BOOL_OF, [value], BOOL, span)
        return merged(lowering, test, lowering.branch(names[0]), lowering.branch(names[1]), STR, span)
    if dtype is dtypes.float32:
        return numpy_calls.call(lowering, f"float32.{special}", STR, [value], span)
    op, number = (FLOAT_OF, FLOAT) if dtype.is_floating_point else (INT_OF, INT)
    text = lowering.apply("str", [lowering.leaf(op, [value], number, span)], span)
    if special == "__str__":
        return text
    parts = lowering.constant(f"np.{dtype.name}(", span), text, lowering.constant(")", span)
    return lowering.apply("add", [lowering.apply("add", parts[:2], span), parts[2]], span)
