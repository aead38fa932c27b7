"""Lets results of fused groups take the memory of operands that are not used again.

Before::

    %b: Tensor[float32, 2] = matmul(%x, %w)
    %c: Tensor[float32, 2] = fused (%b.1: Tensor[float32, 2] = %b, %y.1: Tensor[float32, 2] = %y) {
      ...
    }
    %0: None = release(%b)

After::

    %b: Tensor[float32, 2] = matmul(%x, %w)
    %c: Tensor[float32, 2] = fused (%b.1: Tensor[float32, 2] = %b, %y.1: Tensor[float32, 2] = %y) over (%b.1) {
      ...
    }
    %0: None = release(%b)

A group reads each element of an operand before it writes that of a result. So if the operand is released right behind
it, the result may be the operand itself. Whether it is, the run decides: nothing else may refer to the tensor or its
memory (a view, an object of Python), and shape and layout must be those of a new tensor.

This pass reads the refcount operations that `count_references` and `elide_refcounts` leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.ir.graph import Block, Const, Fused, Graph, If, Op, Program, Value, Yield, walk
from tscript.late import dataclass
from tscript.operators.python.references import REFERENCES, RELEASE
from tscript.passes.base import Pass, PassContext
from tscript.types import TensorType

Path = Sequence[tuple[Block, int]]
"""Where a node stands: its block and its place there, behind those of the ``if``s around it, the outermost first."""


@dataclass(frozen=True, slots=True)
class ReuseBuffers(Pass):
    """Marks the operands of fused groups whose memory results may take."""

    name: ClassVar[str] = "reuse_buffers"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk over all blocks."""
        if not any(isinstance(node, Fused) for node in walk(graph.body)):
            return False
        return _visit(graph.body, ())


def _visit(block: Block, around: Path) -> bool:
    changed = False
    for i, node in enumerate(block.nodes):
        path = (*around, (block, i))
        if isinstance(node, Fused):
            found = tuple(_reusable(node, path))
            changed |= found != node.reuse
            node.reuse = found
        else:
            for inner in node.blocks:
                changed |= _visit(inner, path if isinstance(node, If) else ())
    return changed


def _reusable(node: Fused, path: Path) -> list[Value]:
    """The parameters of a group whose tensors have the dtype of a new result, and are released right behind it."""
    if any(isinstance(n, Op) and n.op.effects.writes for n in node.body.nodes):
        return []
    wanted = {v.type.dtype for v in node.outputs if isinstance(v.type, TensorType)} - {None}
    found: dict[Value, Value] = {}
    for param, given in zip(node.body.params, node.inputs, strict=True):
        type = given.type
        if isinstance(type, TensorType) and type.rank != 0 and type.dtype in wanted and given not in found:
            if _is_released(given, path):
                found[given] = param
    return list(found.values())


def _is_released(value: Value, path: Path) -> bool:
    """Whether nothing happens between a node and the release of `value`."""
    for block, at in reversed(path):
        ends = False
        for node in block.nodes[at + 1 :]:
            if isinstance(node, Op) and node.op in REFERENCES:
                if node.inputs[0] is value:
                    return node.op is RELEASE
            elif isinstance(node, Yield):
                ends = value not in node.inputs
            elif not isinstance(node, Const):
                return False
        if not ends:
            return False
    return False


__all__ = ["ReuseBuffers"]
