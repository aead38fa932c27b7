"""Arithmetic and comparisons of arrays and NumPy scalars."""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.values.array_promotion import apply, array_type, is_numeric, only_element, promoted
from tscript.ir.graph import Value
from tscript.types import ArrayType, DType, ScalarType, dtypes, scalar_dtype

_BITS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"})
_NUMPY_NAMES = {"floor_divide": "numpy_floor_divide", "remainder": "numpy_remainder"}
"""Operators that differ from PyTorch's: an integer divided by zero gives 0."""


def binary(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """A binary operator of which one operand is an array or a NumPy scalar; None if the other one is no number."""
    if not (is_numeric(left.type) and is_numeric(right.type)):
        return None
    if name == "matmul":
        found = apply(lowering, name, promoted(lowering, [left, right], span), span)
        return only_element(lowering, found, span) if array_type(found).rank == 0 else found
    dtype = scalar_dtype((left.type, right.type))
    assert dtype is not None
    if name == "div":
        dtype = dtype if dtype.is_floating_point else dtypes.float64
    elif dtype is dtypes.bool_ and name in ("floor_divide", "remainder", "pow"):
        dtype = dtypes.int8
    elif (dtype.is_floating_point and name in _BITS) or (dtype is dtypes.bool_ and name == "sub"):
        raise lowering.failure(_refused(span, name, dtype))
    return apply(lowering, _NUMPY_NAMES.get(name, name), promoted(lowering, [left, right], span, dtype), span)


def _refused(span: Span, name: str, dtype: DType) -> type_errors.OperatorRefused:
    reason = f"NumPy has no '{name}' of {dtype.name}"
    instead = "write '^', or np.logical_xor" if dtype is dtypes.bool_ else "convert with .astype(np.int64)"
    return type_errors.OperatorRefused(span, reason, instead)


def unary(lowering: FunctionLowering, name: str, value: Value, span: Span) -> Value | None:
    """``-x``, ``+x`` and ``~x``."""
    assert isinstance(value.type, ArrayType | ScalarType)
    dtype = value.type.dtype
    assert dtype is not None
    if dtype is dtypes.bool_ and name != "bitwise_not":
        raise lowering.failure(_refused(span, name, dtype))
    if dtype.is_floating_point and name == "bitwise_not":
        raise lowering.failure(_refused(span, name, dtype))
    return apply(lowering, name, [value], span)


def compare(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """A comparison; ints of Python are compared with integers of any dtype by their value."""
    if not (is_numeric(left.type) and is_numeric(right.type)):
        return None
    dtype = scalar_dtype((left.type, right.type))
    assert dtype is not None
    if dtype.is_integer and not all(isinstance(v.type, ArrayType | ScalarType) for v in (left, right)):
        dtype = dtypes.int64
    return apply(lowering, name, promoted(lowering, [left, right], span, dtype), span)


def unequal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left != right``."""
    return compare(lowering, "ne", left, right, span)


def equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right``."""
    return compare(lowering, "eq", left, right, span)
