"""Shapes: what `Tensor.shape` gives."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering, Kind, Source
from tscript.frontend.lowering.iteration import Items
from tscript.frontend.values import methods, sequences
from tscript.ir.graph import Value
from tscript.operators.python.functions import tensor_lists
from tscript.types import INT, ListType, Type


def of_size(lowering: FunctionLowering, size: Value, frozen: bool, span: Span) -> Value:
    """A shape as a list or tuple of ints."""
    items = call_function(lowering, tensor_lists.sizes_of, [size], span)
    return lowering.apply("to_tuple", [items], span) if frozen else items


def _sizes(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    return Items(value, "getitem")


def _converted(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A shape as a tuple of ints."""
    return of_size(lowering, value, True, span) if target == ListType(INT, frozen=True) else None


SHAPE = Kind(
    truth=sequences.not_empty,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    source=_sizes,
    parts=sequences.parts,
    converted=_converted,
)
