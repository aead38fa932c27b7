"""Tensors of numbers in lists, tuples and shapes, of any depth, that are values."""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.ir.graph import Value
from tscript.operators.python.functions import tensor_lists
from tscript.types import BOOL, COMPLEX, DTYPE, FLOAT, INT, ListType, SizeType, TupleType, Type, dtypes

_NUMBERS = frozenset({INT, FLOAT, BOOL})


def tensor_of_lists(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """``torch.tensor(value)``; None for a value that is not a sequence of bools, ints or floats, or of such
    sequences."""
    found = numbers_in(value.type)
    if found is None or found[0] == COMPLEX:
        return None
    number, depth = found
    rows, sizes = value, []
    for dim in range(1, depth):
        at = lowering.constant(dim, span)
        sizes.append(call_function(lowering, tensor_lists.row_length, [rows, at], span))
        rows = call_function(lowering, tensor_lists.joined, [rows], span)
    if isinstance(rows.type, TupleType):
        rows = make_list(lowering, ListType(number), tuple_elements(lowering, rows, span), span)
    elif isinstance(rows.type, SizeType):
        rows = call_function(lowering, tensor_lists.sizes_of, [rows], span)
    made = lowering.apply("list_tensor", [rows], span)
    if number != INT:
        is_float = number == FLOAT
        dtype = lowering.apply("get_default_dtype", [], span) if is_float else lowering.const(dtypes.bool_, DTYPE, span)
        made = lowering.apply("to", [made, dtype], span)
    if not sizes:
        return made
    count = lowering.apply("len", [value], span)
    return call_function(
        lowering, tensor_lists.with_sizes, [made, make_list(lowering, ListType(INT), [count, *sizes], span)], span
    )


def numbers_in(type: Type) -> tuple[Type, int] | None:
    """The type of the numbers in a sequence of sequences, and how many of them are within each other; None for any
    other type."""
    depth, at = 0, type
    while at not in _NUMBERS and at != COMPLEX:
        match at:
            case ListType(element=element):
                at = element
            case SizeType():
                at = INT
            case TupleType(elements=elements) if len(set(elements)) == 1:
                at = elements[0]
            case _:
                return None
        depth += 1
    return (at, depth) if depth else None
