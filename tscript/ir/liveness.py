"""`Crossing`: which values are alive at the loops of a graph."""

from __future__ import annotations

from tscript.ir.graph import Block, Const, For, Graph, Loop, Node, Value


class Crossing:
    """The values that are alive at each loop of a graph, its own parameters not among them.

    Loops are numbered in the order in which they begin. A value is alive in those that begin between its definition
    and its last use; a use in a loop behind the definition counts until the outermost such loop ends.
    """

    def __init__(self, graph: Graph) -> None:
        self._begun = 0
        self._open: list[int] = []
        self._ends: dict[int, int] = {}
        self._numbers: dict[Node, int] = {}
        self._defined: dict[Value, int] = {}
        self._last: dict[Value, int] = {}
        self._repeated: dict[Value, int] = {}
        self._block(graph.body)
        for value, loop in self._repeated.items():
            self._last[value] = max(self._last[value], self._ends[loop])

    def _block(self, block: Block) -> None:
        defined, begun = self._defined, self._begun
        for value in block.params:
            defined[value] = begun
        for node in block.nodes:
            for value in node.inputs:
                at = defined.get(value)
                if at is not None and at < self._begun:
                    self._use(value, at)
            if isinstance(node, Loop | For):
                self._begun += 1
                number = self._numbers[node] = self._begun
                self._open.append(number)
                self._block(node.body)
                self._open.pop()
                self._ends[number] = self._begun
            elif node.has_blocks:
                for inner in node.blocks:
                    self._block(inner)
            if type(node) is not Const:
                for value in node.outputs:
                    defined[value] = self._begun

    def _use(self, value: Value, at: int) -> None:
        self._last[value] = self._begun
        for loop in self._open:
            if loop > at:
                self._repeated[value] = loop
                break

    def at(self, loop: Loop | For) -> list[Value]:
        """What is alive in `loop`."""
        number = self._numbers[loop]
        return [v for v, last in self._last.items() if self._defined[v] < number <= last]
