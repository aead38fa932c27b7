"""Shapes: values of `Tensor.shape`."""

from __future__ import annotations

import ast

from tscript.definitions.opdef import OperatorTypeError
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import arguments, call_function
from tscript.frontend.lowering.comparisons import are_equal
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Items
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.subscripts import slice_of
from tscript.frontend.values import methods, sequences
from tscript.ir.graph import Value
from tscript.operators.python.functions import tensor_lists
from tscript.types import INT, SIZE, ListType, Type, is_subtype


def of_size(lowering: FunctionLowering, size: Value, frozen: bool, span: Span) -> Value:
    """A shape as a list or tuple of ints."""
    items = call_function(lowering, tensor_lists.sizes_of, [size], span)
    return lowering.apply("to_tuple", [items], span) if frozen else items


def _sizes(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    return Items(value, "getitem")


def _converted(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A shape as a tuple of ints, or as a new list of them, for which TorchScript takes it."""
    if target not in (ListType(INT), ListType(INT, frozen=True)):
        return None
    return of_size(lowering, value, target != ListType(INT), span)


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "numel":
        arguments(lowering, node, "Size.numel", 0, 0)
        return call_function(lowering, tensor_lists.product_of, [receiver], lowering.span(node), "Size.numel")
    return methods.lower_method(lowering, node, receiver)


def _size_item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value:
    span = lowering.span(node)
    if isinstance(node.slice, ast.Slice):
        part = slice_of(lowering, node.slice, "shape")
        op = lowering.program.resolver.table["slice.Size"]
        try:
            return lowering.scalar(op, [container, part.start, part.stop, part.step], span)
        except OperatorTypeError as error:
            instead = "the step of a slice is another int than 0"
            raise lowering.failure(
                errors.UnsupportedIndex(part.span, "shape", f"this slice ({error})", instead)
            ) from None
    given = lowering.value(node.slice)
    index = lowering.coerce(given, INT, span)
    if index is None:
        found = article(given.type)
        raise lowering.failure(errors.UnsupportedIndex(lowering.span(node.slice), "shape", found, "an index is an int"))
    return lowering.apply("getitem", [container, index], span)


def _are_shapes(left: Value, right: Value) -> bool:
    return is_subtype(left.type, SIZE) and is_subtype(right.type, SIZE)


def _arithmetic(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """One shape behind the other, whose lengths are not known yet."""
    if name != "add":
        return None
    row = ListType(INT, frozen=True)
    if row in (left.type, right.type):
        parts = [lowering.coerce(v, row, span) for v in (left, right)]
        rows = [part for part in parts if part is not None]
        return lowering.apply("add", rows, span) if len(rows) == 2 else None
    if not _are_shapes(left, right):
        return None
    return lowering.scalar(lowering.program.resolver.table["add.Size"], [left, right], span)


def _equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    row = ListType(INT, frozen=True)
    if row in (left.type, right.type):
        both = [lowering.coerce(v, row, span) for v in (left, right)]
        rows = [part for part in both if part is not None]
        return are_equal(lowering, rows[0], rows[1], span) if len(rows) == 2 else None
    if not _are_shapes(left, right):
        return None
    return lowering.scalar(lowering.program.resolver.table["eq.Size"], [left, right], span)


def _contains(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value | None:
    items = of_size(lowering, container, frozen=False, span=span)
    how = lowering.kind(items).contains
    assert how is not None
    return how(lowering, items, item, span)


SHAPE = Kind(
    contains=_contains,
    truth=sequences.not_empty,
    length=sequences.length,
    item=_size_item,
    attribute=sequences.no_attribute,
    method=_method,
    source=_sizes,
    parts=sequences.parts,
    converted=_converted,
    arithmetic=_arithmetic,
    equal=_equal,
    negates_equal=True,
    pattern=sequences.pattern,
)
