"""Copies matrices before loops that multiply by them again and again, so that products lay them out once.

Before, where nothing in the loop writes to `%w`::

    %2: Tensor[float32, 2] = for L0 %t: int in range(%zero, %n, %one) (%h: Tensor[float32, 2] = %h0) {
      %1: Tensor[float32, 2] = matmul(%h, %w)
      continue L0 (%1)
    }

After::

    %0: Tensor[float32, 2] = steady(%w)
    %2: Tensor[float32, 2] = for L0 %t: int in range(%zero, %n, %one) (%h: Tensor[float32, 2] = %h0) {
      %1: Tensor[float32, 2] = matmul(%h, %0)
      continue L0 (%1)
    }

The copy is a constant as long as it lives (`STORAGE_CONSTANT`); a product takes it as it lies the first time, and lays
it out the second time. Constants of frozen modules need no copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tscript.ir.analysis import defined_values
from tscript.ir.builder import Builder
from tscript.ir.graph import Block, Call, Closure, Const, For, Fork, Graph, Invoke, Loop, Op, Program, Value, walk
from tscript.late import dataclass
from tscript.passes.aliases import Aliases, is_opaque
from tscript.passes.base import Pass, PassContext
from tscript.types import TensorType, dtypes

_PRODUCTS: Mapping[str, int] = {"matmul": 1, "mm": 1}
"""Operators that lay out a constant operand, and which one."""
_KEEPING = frozenset({"append.list", "setitem.list", "set_item_in.list"})
"""Operators with effects that change no element of a tensor."""


@dataclass(frozen=True, slots=True)
class SteadyOperands(Pass):
    """Makes copies of matrices for loops."""

    name: ClassVar[str] = "steady_operands"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """All outermost loops in which an operand does not change."""
        if not any(isinstance(n, Op) and n.op.name in _PRODUCTS for n in walk(graph.body)):
            return False
        loops = [n for n in walk(graph.body) if isinstance(n, Loop | For)]
        return bool(loops) and _block(graph.body, Aliases(graph), context)


def _block(block: Block, aliases: Aliases, context: PassContext) -> bool:
    nodes, changed = [*block.nodes], False
    block.nodes = []
    for node in nodes:
        if isinstance(node, Loop | For):
            for value in _operands(node, aliases):
                copy = Builder(block, node.span).op(context.table["steady"], value)
                for inner in walk(node.body):
                    if isinstance(inner, Op) and inner.op.name in _PRODUCTS:
                        at = _PRODUCTS[inner.op.name]
                        if inner.inputs[at] is value:
                            inner.inputs = [*inner.inputs[:at], copy, *inner.inputs[at + 1 :]]
                changed = True
        for inner_block in node.blocks:
            changed |= _block(inner_block, aliases, context)
        block.nodes.append(node)
    return changed


def _operands(loop: Loop | For, aliases: Aliases) -> list[Value]:
    """The matrices that a loop multiplies by and never changes, that are there before it."""
    inside = {*defined_values(loop.body), *loop.body.params}
    found: dict[Value, None] = {}
    written: set[Value] = set()
    for node in walk(loop.body):
        if isinstance(node, Call | Fork | Closure | Invoke):
            return []
        if not isinstance(node, Op):
            continue
        if is_opaque(node.op) and node.op.name not in _KEEPING:
            return []
        written |= aliases.roots(node.inputs[i] for i in node.op.effects.writes)
        if node.op.name in _PRODUCTS:
            left, right = node.inputs[0], node.inputs[_PRODUCTS[node.op.name]]
            if right not in inside and _is_matrix(right, 2) and _is_matrix(left, 2, 3, 4):
                found[right] = None
    return [value for value in found if aliases.root(value) not in written]


def _is_matrix(value: Value, *ranks: int) -> bool:
    """Whether a value is a tensor of these ranks, of floats that products lay out, and no constant that stays one."""
    type = value.type
    if not isinstance(type, TensorType) or type.rank not in ranks:
        return False
    return type.dtype in (dtypes.float32, dtypes.float64) and not (isinstance(value.node, Const) and _stays(value.node))


def _stays(node: Const) -> bool:
    from tscript.definitions.constant_arrays import is_constant_array

    return is_constant_array(node.value)
