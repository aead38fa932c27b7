"""NumPy scalars: elements of arrays in registers."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.values import array_arithmetic, methods, numpy_strings
from tscript.frontend.values.array_promotion import as_scalar
from tscript.ir.graph import Value
from tscript.operators.python.elements import BOOL_OF, FLOAT_OF, INT_OF
from tscript.types import BOOL, DTYPE, FLOAT, INT, ScalarType, Type, scalar_dtype
from tscript.types.dtypes import Category


def dtype_of_scalar(value: Value) -> ScalarType:
    """The type of a NumPy scalar."""
    assert isinstance(value.type, ScalarType)
    return value.type


def truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """Whether it is not 0."""
    return lowering.leaf(BOOL_OF, [value], BOOL, span)


def converted(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A NumPy scalar as a number of Python that is declared, or as a scalar of a dtype that holds it."""
    dtype = dtype_of_scalar(value).dtype
    if target == INT and dtype.is_integer:
        return lowering.leaf(INT_OF, [value], INT, span)
    if target == FLOAT and dtype.category is not Category.BOOL:
        return lowering.leaf(FLOAT_OF, [value], FLOAT, span)
    if target == BOOL and dtype.category is Category.BOOL:
        return truth(lowering, value, span)
    return number_converted(lowering, value, target, span)


def number_converted(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A number or a NumPy scalar as a scalar of a dtype that arithmetic with both has."""
    if isinstance(target, ScalarType) and scalar_dtype((value.type, target)) is target.dtype:
        return as_scalar(lowering, value, target.dtype, span)
    return None


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    dtype = dtype_of_scalar(value).dtype
    if name == "dtype":
        return lowering.const(dtype, DTYPE, span)
    if name == "ndim":
        return lowering.const(0, INT, span)
    if name in ("real", "T"):
        return value
    return None


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "item" and not node.args and not node.keywords:
        category = dtype_of_scalar(receiver).dtype.category
        number = {Category.BOOL: BOOL, Category.INTEGER: INT, Category.FLOAT: FLOAT}[category]
        found = converted(lowering, receiver, number, lowering.span(node))
        assert found is not None
        return found
    return methods.lower_method(lowering, node, receiver)


def number(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A NumPy scalar as the number of Python that is the same."""
    if not isinstance(value.type, ScalarType):
        return value
    category = value.type.dtype.category
    if category is Category.BOOL:
        return truth(lowering, value, span)
    found = lowering.coerce(value, FLOAT if category is Category.FLOAT else INT, span)
    assert found is not None
    return found


def _formatted(lowering: FunctionLowering, value: Value, spec: Value, span: Span) -> Value:
    return lowering.apply("format", [number(lowering, value, span), spec], span)


SCALAR_KIND = Kind(
    truth=truth,
    attribute=_attribute,
    method=_method,
    converted=converted,
    arithmetic=array_arithmetic.binary,
    as_string=numpy_strings.of_scalar,
    formatted=_formatted,
    unary=array_arithmetic.unary,
    equal=array_arithmetic.equal,
    unequal=array_arithmetic.unequal,
    order=array_arithmetic.compare,
    precedence=20,
)
