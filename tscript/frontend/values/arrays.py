"""NumPy arrays: tensors with NumPy's semantics. An element is a NumPy scalar."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Items
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.method_names import missing
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values import array_arithmetic, array_indexing
from tscript.frontend.values.array_promotion import apply, array_type
from tscript.ir.graph import Value
from tscript.types import DTYPE, INT


def shape(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``a.shape``: a tuple of as many ints as there are dimensions."""
    rank = array_type(value).rank
    assert rank is not None
    sizes = [lowering.apply("size", [value, lowering.const(dim, INT, span)], span) for dim in range(rank)]
    return make_tuple(lowering, sizes, span)


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return lowering.apply("bool", [value], span)


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
        case "T":
            dims = [lowering.const(dim, INT, span) for dim in reversed(range(found.rank or 0))]
            return apply(lowering, "permute", [value, make_tuple(lowering, dims, span)], span)
    instead = missing(lowering, node, "ndarray", name, ("shape", "ndim", "size", "dtype", "itemsize", "T"))
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
    item=array_indexing.load_item,
    set_item=array_indexing.set_item,
    augment_item=array_indexing.augment_item,
    view=array_indexing.view_of,
    source=_rows,
    arithmetic=array_arithmetic.binary,
    unary=array_arithmetic.unary,
    equal=array_arithmetic.equal,
    unequal=array_arithmetic.unequal,
    order=array_arithmetic.compare,
    precedence=30,
    has_identity=True,
)
