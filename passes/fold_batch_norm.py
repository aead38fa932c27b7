"""Folds the normalisation of channels by constants into the weights of what computes the channels.

Before, with constant tensors `%w`, `%mean`, `%var`, `%weight`, `%bias`::

    %y: Tensor = conv2d(%x, %w, None, ...)
    %z: Tensor = batch_norm(%y, %mean, %var, %weight, %bias, False, 0.1, 1e-05)

After, with ``s = weight / sqrt(var + eps)``, where `%w2` is ``w * s`` for each channel, and `%b2` is
``bias - mean * s``::

    %z: Tensor = conv2d(%x, %w2, %b2, ...)

So for convolutions over one to three dimensions, transposed ones, and linear layers. `%y` must have no other use than
questions for its shape. Dimension 1 is that of the channels only if the result has a dimension for the batch. Where
that is not known before the call, both forms stand in the branches of a test for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tscript.definitions.constant_arrays import constant_array
from tscript.definitions.values import cast, dtype_of_array
from tscript.ir.builder import Builder
from tscript.ir.graph import Block, Const, Graph, If, Node, Op, Value, Yield, walk
from tscript.ir.rewrite import rewrite, uses
from tscript.late import dataclass
from tscript.passes.aliases import METADATA
from tscript.passes.base import PassContext
from tscript.types import TensorType, dtypes

_RANKS = {
    **{f"conv{n}d": n + 2 for n in (1, 2, 3)},
    **{f"conv{n}d.padding": n + 2 for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": n + 2 for n in (1, 2, 3)},
    "linear": 2,
    "linear.bias": 2,
}
"""Operators with weights, and how many dimensions a result has whose dimension 1 is that of the channels."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A normalisation and what it normalises.

    Attributes:
        made: The operator with weights.
        norm: The normalisation.
        weight, bias: The folded ones.
        is_certain: Whether the result of `made` is known to have a batch.
    """

    made: Op
    norm: Op
    weight: Any
    bias: Any
    is_certain: bool


def fold_batch_norm(graph: Graph, context: PassContext) -> bool:
    """Fold what can be, in place; whether anything was. Several in a row take several calls."""
    table = context.table
    if "batch_norm" not in table:
        return False
    norm, found = table["batch_norm"], uses(graph.body)
    patterns: dict[Node, _Pattern] = {}
    for node in walk(graph.body):
        if isinstance(node, Op) and node.op is norm:
            pattern = _pattern(node, found, graph)
            if pattern is not None and pattern.made not in patterns:
                patterns[pattern.made] = patterns[node] = pattern
    folded: dict[Node, Value] = {}

    def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
        pattern = patterns.get(node)
        if pattern is None:
            return None
        if node is pattern.made:
            made = pattern.made
            if pattern.is_certain:
                folded[made] = _weighted(made, pattern, builder, context)
                return (folded[made],)
            rank = builder.op(table["dim"], made.inputs[0], span=made.span)
            is_batch = builder.op(table["eq.int"], rank, builder.const(_RANKS[made.op.name]), span=made.span)
            folded[made] = is_batch
            with builder.if_(is_batch, [made.output.type], span=made.span) as branch:
                with branch.then:
                    builder.yield_(_weighted(made, pattern, builder, context))
                with branch.orelse:
                    builder.yield_(builder.append(Op(made.op, made.inputs, made.output.type, made.span)).output)
            return branch.outputs
        before = node.inputs[0]
        if pattern.is_certain:
            return (before,)
        with builder.if_(folded[pattern.made], [node.outputs[0].type], span=node.span) as branch:
            with branch.then:
                builder.yield_(before)
            with branch.orelse:
                builder.yield_(builder.append(Op(norm, node.inputs, node.outputs[0].type, node.span)).output)
        return branch.outputs

    return rewrite(graph.body, visit) if patterns else False


def _pattern(norm: Op, found: dict[Value, list[tuple[Node, int]]], graph: Graph) -> _Pattern | None:
    value, *statistics = norm.inputs[:5]
    made = value.node
    if not isinstance(made, Op) or made.op.name not in _RANKS or norm.inputs[5].constant is not False:
        return None
    is_linear = made.op.name.startswith("linear")
    eps, weight = norm.inputs[7].constant, _array(made.inputs[1])
    mean, var, scale, shift = map(_array, statistics)
    bias = _array(made.inputs[2])
    absent = [v for v in (*statistics[2:], made.inputs[2]) if _array(v) is None and not _is_none(v)]
    if absent or not isinstance(eps, float) or weight is None or mean is None or var is None:
        return None
    if any(
        not (node is norm and at == 0) and not (isinstance(node, Op) and node.op.name in METADATA)
        for node, at in found[value]
    ):
        return None
    channels = len(mean)
    given = [a for a in (weight, mean, var, scale, shift, bias) if a is not None]
    dtype = dtype_of_array(weight)
    if any(dtype_of_array(a) is not dtype for a in given) or not dtype.is_floating_point:
        return None
    if any(a.shape != (channels,) for a in (mean, var, scale, shift, bias) if a is not None):
        return None
    groups = 1
    is_transposed = made.op.name.startswith("conv_transpose")
    if is_transposed:
        number = made.inputs[6].constant
        if not isinstance(number, int) or number < 1 or weight.ndim < 2 or weight.shape[0] % number:
            return None
        groups = number
    if weight.ndim < 2 or channels != (weight.shape[1] * groups if is_transposed else weight.shape[0]):
        return None
    weight, mean, var = map(_wide, (weight, mean, var))
    scale, shift, bias = (
        default if a is None else _wide(a) for a, default in ((scale, 1.0), (shift, 0.0), (bias, 0.0))
    )
    with np.errstate(all="ignore"):
        by = scale / np.sqrt(var + eps)
        folded = _scaled(weight, by, groups, is_transposed)
        added = (bias - mean) * by + shift
    is_certain = not is_linear and _has_rank(graph, value, norm, _RANKS[made.op.name])
    return _Pattern(made, norm, _constant(folded, dtype), _constant(added, dtype), is_certain)


def _array(value: Value) -> Any:
    """The array of a constant tensor; None for others."""
    return value.node.value if isinstance(value.node, Const) and isinstance(value.type, TensorType) else None


def _is_none(value: Value) -> bool:
    return isinstance(value.node, Const) and value.node.value is None


def _wide(array: Any) -> Any:
    return cast(array, dtypes.float64)


def _constant(array: Any, dtype: Any) -> Any:
    return constant_array(cast(np.ascontiguousarray(array), dtype))


def _scaled(weight: Any, by: Any, groups: int, is_transposed: bool) -> Any:
    """The weights, those of each output channel times a number."""
    if not is_transposed:
        return weight * by.reshape(-1, *[1] * (weight.ndim - 1))
    # (inputs, outputs of a group, ...): a group of inputs gives a group of outputs.
    rest = weight.shape[2:]
    parts = weight.reshape(groups, -1, weight.shape[1], *rest) * by.reshape(groups, 1, -1, *[1] * len(rest))
    return parts.reshape(weight.shape)


def _has_rank(graph: Graph, value: Value, norm: Op, rank: int) -> bool:
    """Whether a tensor has this rank where it is normalised: with another one, a test before that leaves."""
    block = next(b for b in _blocks(graph.body) if norm in b.nodes)
    for node in block.nodes[: block.nodes.index(norm)]:
        if not isinstance(node, If) or isinstance(node.then.nodes[-1], Yield):
            continue
        test = node.inputs[0].node
        if isinstance(test, Op) and test.op.name == "ne.int" and test.inputs[1].constant == rank:
            asked = test.inputs[0].node
            if isinstance(asked, Op) and asked.op.name == "dim" and asked.inputs[0] is value:
                return True
    return False


def _blocks(block: Block) -> Sequence[Block]:
    return [block, *(b for node in walk(block) for b in node.blocks)]


def _weighted(made: Op, pattern: _Pattern, builder: Builder, context: PassContext) -> Value:
    """The operator with the folded weights."""
    at = pattern.made.inputs[1]
    rank = pattern.weight.ndim
    dtype = dtype_of_array(pattern.weight)
    weight = builder.const(pattern.weight, made.span, type=TensorType(dtype, rank), name=at.name)
    bias = builder.const(pattern.bias, made.span, type=TensorType(dtype, 1))
    op = context.table["linear.bias"] if made.op.name == "linear" else made.op
    return builder.append(Op(op, [made.inputs[0], weight, bias, *made.inputs[3:]], made.output.type, made.span)).output
