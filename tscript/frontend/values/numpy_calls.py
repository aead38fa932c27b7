"""Calls of NumPy itself, by the GIL: what there is no operator for, or only a slow path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.values.array_promotion import as_scalar
from tscript.ir.graph import Value
from tscript.operators.python.random_numbers import CALL
from tscript.types import BOOL, FLOAT, INT, STR, ScalarType, TupleType, Type


def call(
    lowering: FunctionLowering,
    path: str,
    result: Type,
    args: Sequence[Value],
    span: Span,
    keywords: Mapping[str, Value] | None = None,
) -> Value:
    """Call the function at a path inside `numpy`.

    Args:
        lowering: The function that is lowered.
        path: ``random.Generator.normal``.
        result: The type of what it returns.
        args: Arguments by position.
        span: The call.
        keywords: Arguments by name.
    """
    named = keywords or {}
    text = " ".join((path, *named))
    given = _plain(result)
    operands = [lowering.const(text, STR, span), lowering.const(str(given), STR, span), *args, *named.values()]
    return _scalars(lowering, lowering.leaf(CALL, operands, given, span), result, span)


def _plain(type: Type) -> Type:
    """The type of a result with numbers of Python in place of NumPy scalars."""
    match type:
        case ScalarType(dtype=dtype):
            return FLOAT if dtype.is_floating_point else INT if dtype.is_integer else BOOL
        case TupleType(elements=elements):
            return TupleType(tuple(map(_plain, elements)))
    return type


def _scalars(lowering: FunctionLowering, value: Value, wanted: Type, span: Span) -> Value:
    """A result with the NumPy scalars that it has."""
    if isinstance(wanted, ScalarType):
        return as_scalar(lowering, value, wanted.dtype, span)
    if value.type == wanted or not isinstance(wanted, TupleType):
        return value
    parts = tuple_elements(lowering, value, span)
    return make_tuple(
        lowering, [_scalars(lowering, v, t, span) for v, t in zip(parts, wanted.elements, strict=True)], span
    )
