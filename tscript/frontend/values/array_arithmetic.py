"""Arithmetic and comparisons of arrays and NumPy scalars."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.arithmetic import BINARY
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.values.array_promotion import apply, array_type, as_dtype, is_numeric, only_element, promoted
from tscript.frontend.values.array_shape_errors import check_product
from tscript.ir.graph import Value
from tscript.operators.python.functions import arrays
from tscript.types import ArrayType, DType, ScalarType, dtypes, scalar_dtype

_BITS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"})
_NUMPY_NAMES = {"floor_divide": "numpy_floor_divide", "remainder": "numpy_remainder"}
"""Operators that differ from PyTorch's: an integer divided by zero gives 0."""


def binary(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """A binary operator of which one operand is an array or a NumPy scalar; None if the other one is no number."""
    if not (is_numeric(left.type) and is_numeric(right.type)):
        return None
    if name == "matmul":
        if isinstance(left.type, ArrayType) and isinstance(right.type, ArrayType):
            check_product(lowering, left, right, span)
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
    if name == "pow" and not dtype.is_floating_point and not _is_natural(right):
        call_function(lowering, arrays.check_exponents, [right], span)
    return apply(lowering, _NUMPY_NAMES.get(name, name), promoted(lowering, [left, right], span, dtype), span)


def _is_natural(value: Value) -> bool:
    """Whether a value is an int that is known not to be negative."""
    if isinstance(value.type, ArrayType | ScalarType) and value.type.dtype in (dtypes.uint8, dtypes.bool_):
        return True
    return isinstance(value.constant, int) and value.constant >= 0


def _refused(span: Span, name: str, dtype: DType) -> type_errors.OperatorRefused:
    reason = f"NumPy has no '{name}' of {dtype.name}"
    instead = "write '^', or np.logical_xor" if dtype is dtypes.bool_ else "convert with .astype(np.int64)"
    return type_errors.OperatorRefused(span, reason, instead)


def changed(lowering: FunctionLowering, node: ast.AugAssign, array: Value, value: Value) -> Value:
    """The result of ``array op= value`` in the dtype of the array, of the same kind or wider, as NumPy asks."""
    operator, span = BINARY[type(node.op)][0], lowering.span(node)
    found = binary(lowering, operator, array, value, span)
    dtype = array_type(array).dtype
    assert dtype is not None
    if found is None:
        raise lowering.failure(type_errors.OperatorRefused(span, "the right side is no number", "convert it"))
    made = found.type.dtype if isinstance(found.type, ArrayType | ScalarType) else None
    assert made is not None
    if made.category > dtype.category:
        problem = (
            f"Cannot cast ufunc '{_UFUNCS.get(operator, operator)}' output from dtype('{made.name}') to "
            f"dtype('{dtype.name}') with casting rule 'same_kind'"
        )
        instead = f"make a new array: write {ast.unparse(node.target)} = ..., or convert the right side"
        raise lowering.failure(type_errors.OperatorRefused(span, problem, instead))
    return as_dtype(lowering, found, dtype, span)


_UFUNCS = {"sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power"}
"""Operators that NumPy calls otherwise."""


def in_place(lowering: FunctionLowering, node: ast.AugAssign, array: Value, value: Value) -> None:
    """``array op= value``: the operator in place where the dtypes are the same, else a copy of its result."""
    operator, span = BINARY[type(node.op)][0], lowering.span(node)
    dtype, name = array_type(array).dtype, f"{operator}_"
    simple = operator in ("add", "sub", "mul", "div", *_BITS) and dtype is not dtypes.bool_
    if simple and is_numeric(value.type) and scalar_dtype((array.type, value.type)) is dtype is not None:
        if operator != "div" or dtype.is_floating_point:
            lowering.apply(name, [array, as_dtype(lowering, value, dtype, span)], span)
            return
    lowering.apply("copy_", [array, changed(lowering, node, array, value)], span)


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
