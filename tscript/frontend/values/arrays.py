"""NumPy arrays: tensors with NumPy's semantics. An element is a NumPy scalar."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Items
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.method_names import missing
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values import array_arithmetic, array_indexing, numpy_strings
from tscript.frontend.values.array_promotion import apply, array_type, is_numeric
from tscript.ir.graph import Raise, Value
from tscript.operators.python.functions import array_selection
from tscript.types import DTYPE, INT


def shape(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``a.shape``: a tuple of as many ints as there are dimensions."""
    rank = array_type(value).rank
    assert rank is not None
    sizes = [lowering.apply("size", [value, lowering.const(dim, INT, span)], span) for dim in range(rank)]
    return make_tuple(lowering, sizes, span)


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    count = shape_count(lowering, value, span)
    problem = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
    if count is not None:
        failing = Raise("ValueError", problem, [], span)
        many = lowering.apply("gt", [count, lowering.const(1, INT, span)], span)
        when(lowering, many, lambda: lowering.block.nodes.append(failing), span)
        nothing = Raise("ValueError", "The truth value of an empty array is ambiguous. Use `array.size > 0`", [], span)
        none = lowering.apply("eq", [count, lowering.const(0, INT, span)], span)
        when(lowering, none, lambda: lowering.block.nodes.append(nothing), span)
    return lowering.apply("bool", [value], span)


def shape_count(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """The number of elements of an array that may have any; None of one without dimensions."""
    return lowering.apply("numel", [value], span) if array_type(value).rank else None


def _contains(lowering: FunctionLowering, container: Value, found: Value, span: Span) -> Value | None:
    if not is_numeric(found.type):
        return None
    return call_function(lowering, array_selection.contains, [container, found], span)


def _parts(lowering: FunctionLowering, value: Value, count: int, span: Span) -> list[Value]:
    """``x, y = a``"""
    size = _length(lowering, value, span)
    for test, problem in (("gt", f"too many values to unpack (expected {count})"), ("lt", "")):
        text = problem or f"not enough values to unpack (expected {count}, got {{0}})"
        failing = Raise("ValueError", text, [] if problem else [size], span)
        wrong = lowering.apply(test, [size, lowering.const(count, INT, span)], span)
        when(lowering, wrong, lambda failing=failing: lowering.block.nodes.append(failing), span)  # type: ignore[misc]
    return [array_indexing.row(lowering, value, lowering.const(i, INT, span), span) for i in range(count)]


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    found = array_type(value)
    match name:
        case "shape":
            return shape(lowering, value, span)
        case "ndim":
            return lowering.const(found.rank, INT, span)
        case "size":
            return lowering.apply("numel", [value], span)
        case "dtype":
            return lowering.const(found.dtype, DTYPE, span)
        case "itemsize":
            assert found.dtype is not None
            return lowering.const(found.dtype.itemsize, INT, span)
        case "nbytes":
            assert found.dtype is not None
            count = lowering.apply("numel", [value], span)
            return lowering.apply("mul", [count, lowering.const(found.dtype.itemsize, INT, span)], span)
        case "T":
            dims = [lowering.const(dim, INT, span) for dim in reversed(range(found.rank or 0))]
            return apply(lowering, "permute", [value, make_tuple(lowering, dims, span)], span)
    instead = missing(lowering, node, "ndarray", name, ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "T"))
    raise lowering.failure(type_errors.NoAttribute(span, "ndarray", "attribute", name, instead))


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    from tscript.frontend.values.array_methods import lower_method

    return lower_method(lowering, node, receiver)


def _length(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return lowering.apply("size", [value, lowering.const(0, INT, span)], span)


class Rows(Items):
    """The rows of an array, or the elements of one of one dimension."""

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        return _length(lowering, self.container, span)

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        return array_indexing.row(lowering, self.container, index, span)


def _rows(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    return Rows(value, "select")


ARRAY_KIND = Kind(
    truth=_truth,
    attribute=_attribute,
    method=_method,
    length=_length,
    as_string=numpy_strings.of_array,
    formatted=numpy_strings.formatted_array,
    item=array_indexing.load_item,
    set_item=array_indexing.set_item,
    augment=array_arithmetic.in_place,
    contains=_contains,
    parts=_parts,
    augment_item=array_indexing.augment_item,
    source=_rows,
    arithmetic=array_arithmetic.binary,
    unary=array_arithmetic.unary,
    equal=array_arithmetic.equal,
    unequal=array_arithmetic.unequal,
    order=array_arithmetic.compare,
    precedence=30,
    has_identity=True,
)
