"""Arrays by an index: an int for each dimension reads or writes an element; everything else is a view."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.augmented import augmented, write_in_place
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.values import array_arithmetic, tensor_indexing
from tscript.frontend.values.array_promotion import (
    apply,
    array_type,
    as_array,
    as_dtype,
    as_scalar,
    is_numeric,
    one_number,
)
from tscript.frontend.values.array_selecting import selection
from tscript.frontend.values.array_shape_errors import without_leading
from tscript.frontend.values.tensor_indexing import At
from tscript.ir.graph import Value
from tscript.operators.python.elements import ELEMENT, SET_ELEMENT
from tscript.types import INT, NONE, ArrayType, ScalarType


def row(lowering: FunctionLowering, array: Value, index: Value, span: Span) -> Value:
    """``a[i]``: a row, or an element of an array of one dimension."""
    found = array_type(array)
    if found.rank == 1:
        assert found.dtype is not None
        return lowering.leaf(ELEMENT, [array, index], ScalarType(found.dtype), span)
    return apply(lowering, "select", [array, lowering.const(0, INT, span), index], span)


def load_item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value:
    """``a[index]``."""
    before, after = tensor_indexing.parts(lowering, node.slice, "ndarray")
    if (chosen := selection(lowering, container, before, after, lowering.span(node.slice))) is not None:
        return chosen.read()
    indices = _element(lowering, container, before, after, node.slice)
    if indices is None:
        found = tensor_indexing.view(lowering, container, before, after)
        return as_array(lowering.apply("alias", [found], lowering.span(node)) if found is container else found)
    dtype = array_type(container).dtype
    assert dtype is not None
    return lowering.leaf(ELEMENT, [container, *indices], ScalarType(dtype), lowering.span(node))


def set_item(lowering: FunctionLowering, target: ast.Subscript, container: Value, value: Value) -> bool:
    """``a[index] = value``: a value is converted to the dtype of the array."""
    span, dtype = lowering.span(target), array_type(container).dtype
    assert dtype is not None
    value = one_number(lowering, value, span)
    if not is_numeric(value.type):
        instead = f"an element is a number: convert it to {dtype.name}"
        raise lowering.failure(errors.UnsupportedTarget(span, f"{article(value.type)} in an ndarray", instead))
    before, after = tensor_indexing.parts(lowering, target.slice, "ndarray")
    if (chosen := selection(lowering, container, before, after, lowering.span(target.slice))) is not None:
        chosen.write(value)
        return True
    indices = _element(lowering, container, before, after, target.slice)
    if indices is not None and not isinstance(value.type, ArrayType):
        stored = as_scalar(lowering, value, dtype, span)
        lowering.leaf(SET_ELEMENT, [container, stored, *indices], NONE, span)
        return True
    part = tensor_indexing.view(lowering, container, before, after)
    name = "copy_" if isinstance(value.type, ArrayType) else "fill_"
    value = without_leading(lowering, value, as_array(part), span)
    lowering.apply(name, [part, as_dtype(lowering, value, dtype, span)], span, shown_as="[]=")
    return True


def augment_item(lowering: FunctionLowering, node: ast.AugAssign, target: ast.Subscript, container: Value) -> None:
    """``a[index] op= value``: an element is read and written; other parts are changed in place."""
    span, dtype = lowering.span(target), array_type(container).dtype
    assert dtype is not None
    before, after = tensor_indexing.parts(lowering, target.slice, "ndarray")
    if (chosen := selection(lowering, container, before, after, lowering.span(target.slice))) is not None:
        current = chosen.read()
        changed = array_arithmetic.changed(lowering, node, current, lowering.value(node.value))
        chosen.write(changed)
        return
    indices = _element(lowering, container, before, after, target.slice)
    if indices is None:
        part = as_array(tensor_indexing.view(lowering, container, before, after))
        write_in_place(lowering, node, part, lowering.value(node.value))
        return
    value = augmented(lowering, node, lowering.leaf(ELEMENT, [container, *indices], ScalarType(dtype), span))
    if isinstance(value.type, ArrayType) or not is_numeric(value.type):
        instead = f"an element is a number: convert it to {dtype.name}"
        raise lowering.failure(errors.UnsupportedTarget(span, f"{article(value.type)} in an ndarray", instead))
    lowering.leaf(SET_ELEMENT, [container, as_scalar(lowering, value, dtype, span), *indices], NONE, span)


def _element(
    lowering: FunctionLowering,
    array: Value,
    before: list[tensor_indexing.Part],
    after: list[tensor_indexing.Part],
    index: ast.expr,
) -> list[Value] | None:
    """The indices of an element; None if the index is one of a view."""
    rank = array_type(array).rank
    assert rank is not None
    taken = [part for part in (*before, *after) if not isinstance(part, tensor_indexing.New)]
    if len(taken) > rank:
        instead = f"the array has {rank} dimension{'' if rank == 1 else 's'}"
        found = f"{len(taken)} indices"
        raise lowering.failure(errors.UnsupportedIndex(lowering.span(index), "ndarray", found, instead))
    indices = [part.index for part in (*before, *after) if isinstance(part, At)]
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    with_rest = any(isinstance(node, ast.Constant) and node.value is ... for node in nodes)
    return indices if len(indices) == rank == len(before) + len(after) and not with_rest else None
