"""NumPy's promotion (NEP 50) of the operands of arrays and NumPy scalars, before an operator of tensors is applied.

The operands get one dtype, of which PyTorch's operators make what NumPy's make.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import when
from tscript.ir.graph import Op, Raise, Value
from tscript.operators.python.elements import CONVERT, ELEMENT
from tscript.types import (
    BOOL,
    DTYPE,
    FLOAT,
    INT,
    TYPE,
    ArrayType,
    DType,
    ScalarType,
    TensorType,
    Type,
    UnionType,
    dtypes,
    scalar_dtype,
)

NUMBERS = (INT, FLOAT, BOOL)


def is_numeric(type: Type) -> bool:
    """Whether NumPy's arithmetic takes values of a type."""
    return isinstance(type, ArrayType | ScalarType) or type in NUMBERS


def one_number(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A value that is an int or a float as a float; any other value itself."""
    numbers = isinstance(value.type, UnionType) and all(member in NUMBERS for member in value.type.members)
    found = lowering.coerce(value, FLOAT, span) if numbers else None
    return value if found is None else found


def array_type(value: Value) -> ArrayType:
    """The type of an array."""
    assert isinstance(value.type, ArrayType)
    return value.type


def only_element(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """The element of an array without dimensions."""
    dtype = array_type(value).dtype
    assert dtype is not None
    return lowering.leaf(ELEMENT, [value], ScalarType(dtype), span)


def as_array(value: Value) -> Value:
    """A tensor that an operator has made of arrays, as an array: its rule tells dtype and rank, which tensors only get
    when a program is specialised."""
    found, node = value.type, value.node
    if isinstance(found, TensorType) and not isinstance(found, ArrayType):
        assert isinstance(node, Op)
        known = node.op.type_rule(node.inputs)
        assert isinstance(known, TensorType) and known.dtype is not None and known.rank is not None, node.op.name
        value.type = ArrayType(known.dtype, known.rank)
    return value


def apply(lowering: FunctionLowering, name: str, args: Sequence[Value], span: Span) -> Value:
    """An operator of tensors on arrays and NumPy scalars whose dtypes are promoted."""
    return as_array(lowering.apply(name, args, span))


def as_scalar(lowering: FunctionLowering, value: Value, dtype: DType, span: Span) -> Value:
    """A number or NumPy scalar as a NumPy scalar of a dtype; an int of Python that it does not hold is an
    `OverflowError`."""
    target = ScalarType(dtype)
    if value.type == target:
        return value
    if value.type == INT and dtype.is_integer and dtype is not dtypes.int64:
        _check_bounds(lowering, value, dtype, span)
    return lowering.leaf(CONVERT, [value, lowering.const(target, TYPE, span)], target, span)


def _check_bounds(lowering: FunctionLowering, value: Value, dtype: DType, span: Span) -> None:
    """Raise NumPy's error for an int that a dtype does not hold."""
    bits = 8 * dtype.itemsize
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.signed else (0, (1 << bits) - 1)
    if isinstance(value.constant, int) and low <= value.constant <= high:
        return
    message = f"Python integer {{0}} out of bounds for {dtype.name}"
    for name, bound in (("lt", low), ("gt", high)):
        outside = lowering.apply(name, [value, lowering.const(bound, INT, span)], span)
        _raise_if(lowering, outside, Raise("OverflowError", message, [value], span))


def _raise_if(lowering: FunctionLowering, outside: Value, failing: Raise) -> None:
    when(lowering, outside, lambda: lowering.block.nodes.append(failing), failing.span)


def as_dtype(lowering: FunctionLowering, value: Value, dtype: DType, span: Span) -> Value:
    """An array, NumPy scalar or number in a dtype; what has it already stays what it is."""
    if not isinstance(value.type, ArrayType):
        return as_scalar(lowering, value, dtype, span)
    if value.type.dtype is dtype:
        return value
    return apply(lowering, "to", [value, lowering.const(dtype, DTYPE, span)], span)


def promoted(
    lowering: FunctionLowering, operands: Sequence[Value], span: Span, dtype: DType | None = None
) -> list[Value]:
    """Operands of one operator in their common dtype, or in `dtype`. One is an array or a NumPy scalar."""
    common = dtype or scalar_dtype([v.type for v in operands])
    assert common is not None
    return [as_dtype(lowering, v, common, span) for v in operands]


def as_float(dtype: DType) -> DType:
    """The dtype of a function of floats, such as `sqrt`, of an argument of this dtype. NumPy's is a float16 for one
    byte, which there is not here: a float32 takes its place."""
    if dtype.is_floating_point:
        return dtype
    return dtypes.float32 if dtype.itemsize <= 2 else dtypes.float64
