"""Where the elements of lists that loops read are: which are there before the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tscript.ir.graph import For, Graph, Loop, Node, Op, Value, walk
from tscript.passes.base import PassContext
from tscript.passes.index_checks import Element, is_row
from tscript.passes.ranges import Ranges


@final
class Places(Ranges):
    """Which elements that a loop reads are there before it.

    Attributes:
        valid: By loop.
    """

    def __init__(self, graph: Graph, context: PassContext) -> None:
        super().__init__(graph, context, alone=True)
        self.valid: dict[Node, set[Element]] = {}

    def begin(self) -> None:
        """Start again."""
        self.valid.clear()

    def _enter(self, node: Loop | For, inits: Sequence[Value], params: Sequence[Value]) -> None:
        if self._last:
            rows = {(n.inputs[0], n.inputs[1]) for n in walk(node.body) if isinstance(n, Op) and is_row(n)}
            self.valid[node] = {(items, index) for items, index in rows if self.is_inside(index, items)}
        super()._enter(node, inits, params)
