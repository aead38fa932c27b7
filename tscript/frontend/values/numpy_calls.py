"""Calls of NumPy itself, by the GIL: what there is no operator for, or only a slow path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.values.array_promotion import as_scalar
from tscript.ir.graph import Value
from tscript.operators.python.random_numbers import CALL
from tscript.types import BOOL, FLOAT, INT, STR, ScalarType, Type


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
    given = result
    if isinstance(result, ScalarType):
        dtype = result.dtype
        given = FLOAT if dtype.is_floating_point else INT if dtype.is_integer else BOOL
    operands = [lowering.const(text, STR, span), lowering.const(str(given), STR, span), *args, *named.values()]
    found = lowering.leaf(CALL, operands, given, span)
    return as_scalar(lowering, found, result.dtype, span) if isinstance(result, ScalarType) else found
