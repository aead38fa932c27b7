"""Groups of operators while `tscript.passes.fusion` collects them, and what it asks of single nodes and values."""

from __future__ import annotations

from typing import final

from tscript.definitions.opdef import SAME_DTYPE_IS_SELF, Pointwise
from tscript.definitions.promotion import PointwiseRule
from tscript.ir.graph import Node, Op, Value
from tscript.types import ScalarType, TensorType

Shape = frozenset[Value]
"""The values whose shapes broadcast to a shape; empty for 0-d."""


@final
class Group:
    """Operators that will be one `Fused`."""

    __slots__ = (
        *("checks", "first", "last", "leading", "members", "open", "origin", "originals", "rank", "reads", "shape"),
        *("tests", "used", "values", "whole"),
    )

    def __init__(self) -> None:
        self.members: list[tuple[int, Op]] = []
        """With their positions in the walk."""
        self.values: dict[Value, Shape] = {}
        """What members define."""
        self.used: dict[Value, int] = {}
        """How often members use what members define."""
        self.open: dict[Value, None] = {}
        """Values with uses that are not met yet, or are no members."""
        self.reads: dict[Value, None] = {}
        """Tensors from outside."""
        self.shape: Shape = frozenset()
        self.first: int | None = None
        self.last: int | None = None
        """Positions of the first and last member that can raise."""
        self.whole: bool | None = None
        """Of a group with reductions: whether they take all elements, not rows."""
        self.leading = 0
        """Of a group with reductions: how many dimensions they take, if these are the first ones but not all."""
        self.rank: int | None = 0
        """Of a group with reductions: that of their operands."""
        self.checks: dict[Shape, None] = {}
        """The shapes of the operands of reductions."""
        self.originals: list[tuple[int, Op]] | None = None
        """The members and the views between them as they were, if a view was moved."""
        self.origin: dict[Value, Value] = {}
        """What values stand for there."""
        self.tests: list[tuple[list[Value], tuple[int, ...]]] = []
        """What has to hold for that: tensors, and sets of them that have the shape of all."""


def is_fusible(node: Node) -> bool:
    """Whether `node` is a pointwise operator over tensors of known dtype, and of ranks on which its dtypes do not
    depend."""
    if not isinstance(node, Op) or not isinstance(node.op.implementation, Pointwise):
        return False
    if isinstance(node.output.type, ScalarType):
        return False
    rule = node.op.implementation.rule
    return isinstance(rule, PointwiseRule) and rule.is_decided(node.inputs)


def tensors_of(node: Op) -> list[Value]:
    """The operands that are tensors."""
    return [v for v in node.inputs if isinstance(v.type, TensorType)]


def is_itself(node: Op) -> bool:
    """Whether `node` is a cast to the dtype its operand has, which gives back the operand."""
    return SAME_DTYPE_IS_SELF in node.op.tags and node.inputs[0].type == node.outputs[0].type


def tensor_rank(value: Value) -> int | None:
    """The rank of a tensor, None if it is not known; 0 for other values."""
    return value.type.rank if isinstance(value.type, TensorType) else 0


def is_of_column(group: Group, value: Value) -> bool:
    """Whether `value`, read by a group that reduces the first dimensions, has an element for each column."""
    rank = value.type.rank if isinstance(value.type, TensorType) else None
    return group.leading > 0 and None not in (rank, group.rank) and (rank or 0) <= (group.rank or 0) - group.leading


def is_small(value: Value, rank: int) -> bool:
    """Whether `value` probably has fewer elements than a tensor with `rank` dimensions that it broadcasts to:
    fewer dimensions, or one reduced to size 1."""
    if isinstance(value.type, TensorType) and value.type.rank is not None and value.type.rank < rank:
        return True
    node = value.node
    if not isinstance(node, Op):
        return False
    if node.op.name == "unsqueeze":
        return True
    for parameter, given in zip(node.op.schema.parameters, node.inputs, strict=False):
        if parameter.name == "keepdim":
            return given.constant is True
    return False
