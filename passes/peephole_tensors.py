"""Peephole rules for tensors: casts and views there and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tscript.definitions.opdef import SAME_DTYPE_IS_SELF, Pointwise
from tscript.dialect import machine
from tscript.ir.graph import Op, Value
from tscript.passes.index_checks import MAKERS
from tscript.passes.peephole_numbers import holds_all
from tscript.passes.peephole_window import Rule, Window
from tscript.types import TensorType, TupleType


def _each(name: str) -> Rule:
    """``size`` of a tensor of known rank: a tuple of its sizes, each asked for by ``size.int``."""

    def rule(node: Op, window: Window) -> Value | None:
        result = node.outputs[0].type
        if not isinstance(result, TupleType):
            return None
        builder, op = window.builder, window.context.table[name]
        sizes = [builder.op(op, node.inputs[0], builder.const(i)) for i in range(len(result.elements))]
        return builder.op(machine.TUPLE_MAKE, *sizes)

    return rule


def _numel(node: Op, window: Window) -> Value | None:
    """The number of elements of one dimension is its size."""
    if _rank(node.inputs[0]) != 1:
        return None
    return window.builder.op(window.context.table["size.int"], node.inputs[0], window.builder.const(0))


def _size(node: Op, window: Window) -> Value | None:
    """The size of a new tensor is part of the shape that it was made with."""
    made, dim, rank = node.inputs[0].node, node.inputs[1].constant, _rank(node.inputs[0])
    if not isinstance(made, Op) or made.op.name not in MAKERS or rank is None or not isinstance(dim, int):
        return None
    shape = made.inputs[0]
    if not -rank <= dim < rank:
        return None
    if isinstance(shape.constant, tuple) and len(shape.constant) == rank:
        return window.builder.const(shape.constant[dim])
    if isinstance(shape.node, Op) and shape.node.op is machine.TUPLE_MAKE and len(shape.node.inputs) == rank:
        return shape.node.inputs[dim]
    return None


def cast(node: Op, window: Window) -> Value | None:
    """A cast to the same dtype; a cast of an exact cast."""
    value, result = node.inputs[0], node.outputs[0].type
    if not (isinstance(value.type, TensorType) and isinstance(result, TensorType)) or result.dtype is None:
        return None
    if value.type.dtype is result.dtype:
        return value
    inner = value.node
    if not isinstance(inner, Op) or SAME_DTYPE_IS_SELF not in inner.op.tags:
        return None
    source = inner.inputs[0]
    if not isinstance(source.type, TensorType) or source.type.dtype is None or value.type.dtype is None:
        return None
    if not holds_all(source.type.dtype, value.type.dtype) or not window.is_unchanged(source):
        return None
    if source.type.dtype is result.dtype:
        return window.builder.op(window.context.table["clone"], source) if "clone" in window.context.table else None
    inputs = [source, *node.inputs[1:]]
    return window.builder.op(node.op, *inputs)


def _transposed_twice(node: Op, window: Window) -> Value | None:
    """``x.t().t()``: a view of a view with the dimensions as they were."""
    inner = node.inputs[0].node
    return window.view(node, inner.inputs[0]) if isinstance(inner, Op) and inner.op is node.op else None


def _alias(node: Op, window: Window) -> Value | None:
    """Another tensor over the same elements."""
    return None if window.is_observed(node.outputs[0]) else node.inputs[0]


def _dims(values: Sequence[Value], rank: int | None) -> tuple[int, ...] | None:
    """Constant dimensions, counted from the front."""
    out: list[int] = []
    for value in values:
        found = value.constant
        if isinstance(found, tuple):
            out += [d for d in found if isinstance(d, int)]
        elif isinstance(found, int):
            out.append(found)
        else:
            return None
    if any(d < 0 for d in out):
        if rank is None:
            return None
        out = [d + rank if d < 0 else d for d in out]
    return tuple(out)


def _rank(value: Value) -> int | None:
    return value.type.rank if isinstance(value.type, TensorType) else None


def _transpose(node: Op, window: Window) -> Value | None:
    rank = _rank(node.inputs[0])
    dims = _dims(node.inputs[1:], rank)
    if dims is None:
        return None
    if dims[0] == dims[1] and rank is not None and 0 <= dims[0] < rank:
        return window.view(node, node.inputs[0])
    inner = node.inputs[0].node
    if isinstance(inner, Op) and inner.op is node.op:
        earlier = _dims(inner.inputs[1:], rank)
        if earlier is not None and set(earlier) == set(dims):
            return window.view(node, inner.inputs[0])
    return None


def _permute(node: Op, window: Window) -> Value | None:
    source, rank = node.inputs[0], _rank(node.inputs[0])
    dims = _dims(node.inputs[1:], rank)
    if dims is None or rank is None or sorted(dims) != list(range(rank)):
        return None
    if dims == tuple(range(rank)):
        return window.view(node, source)
    inner = source.node
    if isinstance(inner, Op) and inner.op is node.op:
        earlier = _dims(inner.inputs[1:], rank)
        if earlier is None or sorted(earlier) != list(range(rank)):
            return None
        together = tuple(earlier[d] for d in dims)
        if together == tuple(range(rank)):
            return window.view(node, inner.inputs[0])
        return window.builder.op(node.op, inner.inputs[0], window.builder.const(together))
    return None


def _squeeze(node: Op, window: Window) -> Value | None:
    """Takes out the dimension that was just put in."""
    inner = node.inputs[0].node
    if not (isinstance(inner, Op) and inner.op is window.context.table["unsqueeze"]):
        return None
    rank = _rank(node.inputs[0])
    here, there = _dims(node.inputs[1:], rank), _dims(inner.inputs[1:], rank)
    return window.view(node, inner.inputs[0]) if here is not None and len(here) == 1 and here == there else None


def _contiguous(node: Op, window: Window) -> Value | None:
    """A new result of a pointwise operator, or of this one, is contiguous."""
    inner = node.inputs[0].node
    if not isinstance(inner, Op) or inner.op.effects.writes:
        return None
    if SAME_DTYPE_IS_SELF in inner.op.tags:
        return None
    return node.inputs[0] if isinstance(inner.op.implementation, Pointwise) or inner.op is node.op else None


TENSORS: Mapping[str, Rule] = {
    "size": _each("size.int"),
    "size.int": _size,
    "numel": _numel,
    "stride": _each("stride.int"),
    "t": _transposed_twice,
    "T": _transposed_twice,
    "mT": _transposed_twice,
    "transpose": _transpose,
    "permute": _permute,
    "squeeze.dims": _squeeze,
    "contiguous": _contiguous,
    "alias": _alias,
    "detach": _alias,
}
"""Rules of operators of tensors, by qualified name."""
