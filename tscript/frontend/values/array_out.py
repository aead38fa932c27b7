"""``out=`` and ``where=`` of NumPy's ufuncs: results that are stored in arrays that the caller gives.

The result is computed as if `out` were another array, whatever memory it shares with the operands: it is fused with the
operator that stores it, which copies an operand only where that and `out` overlap in part.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.values.array_axes import dtype_of_array, rank_of, sizes
from tscript.frontend.values.array_calls import Call, Function
from tscript.frontend.values.array_promotion import apply, as_dtype, as_scalar, only_element
from tscript.ir.graph import Value
from tscript.operators.python.functions import array_out
from tscript.types import ArrayType, DType, ScalarType, dtype_of, dtypes
from tscript.types.dtypes import can_cast


def out_of(call: Call) -> Value | None:
    """The array given as ``out``, also as a tuple of one; None if there is none."""
    if not call.has("out"):
        return None
    node = call.given["out"]
    if isinstance(node, ast.Tuple) and len(node.elts) == 1:
        node = node.elts[0]
    found = call.lowering.value(node)
    if not isinstance(found.type, ArrayType):
        raise call.refuse("'out' is no ndarray", "give an array of the result's shape, or leave it out", "out")
    return found


def where_of(call: Call) -> Value | None:
    """The mask given as ``where``; None if there is none, or it is the literal True."""
    node = call.given.get("where")
    if node is None or (isinstance(node, ast.Constant) and node.value is True):
        return None
    found = call.number("where")
    dtype = found.type.dtype if isinstance(found.type, ArrayType | ScalarType) else None
    if dtype is not None and dtype is not dtypes.bool_:
        raise call.refuse(f"'where' is an array of {dtype.name}", "give a mask: an array of bools", "where")
    return as_dtype(call.lowering, found, dtypes.bool_, call.span)


def with_out(lower: Callable[[Call], Value], call: Call) -> Value:
    """A function with ``out=`` and ``where=``, whose result is given without them by `lower`."""
    return stored(call, lower(call), out_of(call), where_of(call))


def taking_out(function: Function, *, has_where: bool = True) -> Function:
    """A function of NumPy with the parameters ``out`` and ``where``."""
    before, _, after = function.parameters.partition("*")
    parameters = f"{before.strip()} out? * {after.strip()} {'where?' if has_where else ''}"
    return Function(parameters.strip().rstrip("*").strip(), partial(with_out, function.lower))


def is_same_kind(source: DType, target: DType) -> bool:
    """Whether results of a dtype are stored in another one: NumPy's ``same_kind``."""
    loses_sign = source.is_integer and source.is_signed and target.is_integer and not target.is_signed
    return can_cast(source, target) and not loses_sign


def check_cast(call: Call, source: DType, out: Value) -> None:
    """Refuse an ``out`` of a dtype to which results are not converted: NumPy's ``same_kind``."""
    target = dtype_of_array(out)
    if not is_same_kind(source, target):
        problem = f"cannot store a result of {source.name} in an array of {target.name}"
        raise call.refuse(problem, f"give an 'out' of {source.name}, or convert with .astype", "out")


def stored(call: Call, result: Value, out: Value | None, where: Value | None) -> Value:
    """The result of a ufunc: `result` itself, or `out` with it where `where` holds.

    Args:
        call: The call.
        result: An array, a NumPy scalar or a number.
        out: The array for it.
        where: The mask. Without `out`, other elements are 0.
    """
    lowering, span = call.lowering, call.span
    if not isinstance(result.type, ArrayType | ScalarType):  # of numbers of Python
        result = as_scalar(lowering, result, dtype_of(result.type) or dtypes.float64, span)
    assert isinstance(result.type, ArrayType | ScalarType) and result.type.dtype is not None
    dtype = result.type.dtype
    if out is None and where is None:
        return result
    if out is None:
        assert where is not None
        zero = as_dtype(lowering, call.const(0), dtype, span)
        if isinstance(where.type, ArrayType) or isinstance(result.type, ArrayType):
            found = apply(lowering, "where", [where, result, zero], span)
            return only_element(lowering, found, span) if rank_of(found) == 0 else found
        return apply(lowering, "where", [where, result, zero], span)
    check_cast(call, dtype, out)
    check_shape(call, [v for v in (result, where) if v is not None], out)
    target = dtype_of_array(out)
    result = as_dtype(lowering, result, target, span)
    if where is not None:
        result = apply(lowering, "where", [where, result, out], span)
    name = "copy_" if isinstance(result.type, ArrayType) else "fill_"
    lowering.apply(name, [out, result], span)
    return out


def check_shape(call: Call, operands: Sequence[Value], out: Value) -> None:
    """Raise NumPy's error where an operand has another shape than `out`, and is not broadcast to it."""
    for operand in operands:
        if not isinstance(operand.type, ArrayType):
            continue
        extra = rank_of(operand) - rank_of(out)
        if extra > 0:
            problem = f"'out' has {rank_of(out)} dimensions, and the result {rank_of(operand)}"
            raise call.refuse(problem, "give an 'out' of the result's shape", "out")
        for own, of_out in zip(sizes(call, operand), sizes(call, out)[-extra or None :], strict=False):
            call_function(call.lowering, array_out.check_size, [own, of_out], call.span)
