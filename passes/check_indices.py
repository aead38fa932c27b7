"""Splits the reading or writing of an element into the checks of its indices and the access to a position.

Before::

    %v: numpy.float64 = element(%x, %i, %j)

After::

    %zero: int = const 0
    %one: int = const 1
    %p: int = element_index(%x, %zero, %i)
    %q: int = element_index(%x, %one, %j)
    %v: numpy.float64 = element_in(%x, %p, %q)

So each check can be removed by itself (`tscript.passes.value_range`), and moved out of a loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext


@dataclass(frozen=True, slots=True)
class CheckIndices(Pass):
    """Makes checks of indices nodes of their own."""

    name: ClassVar[str] = "check_indices"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk."""
        names = ("element", "set_element")
        if not any(isinstance(node, Op) and node.op.name in names for node in walk(graph.body)):
            return False
        from tscript.operators.python.elements import ELEMENT, ELEMENT_IN, INDEX, SET_ELEMENT, SET_ELEMENT_IN

        inside = {ELEMENT: (ELEMENT_IN, 1), SET_ELEMENT: (SET_ELEMENT_IN, 2)}

        def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
            if not isinstance(node, Op) or node.op not in inside:
                return None
            op, count = inside[node.op]
            span, array = node.span, node.inputs[0]
            positions = [
                builder.op(INDEX, array, builder.const(dim, span), index, span=span)
                for dim, index in enumerate(node.inputs[count:])
            ]
            return (builder.op(op, *node.inputs[:count], *positions, span=span, name=node.output.name),)

        return rewrite(graph.body, visit)
