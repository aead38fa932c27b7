"""The context of a rule of the peephole pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Value, walk
from tscript.passes.aliases import Aliases, observed
from tscript.passes.base import PassContext


@final
class Window:
    """The context of a rule.

    Attributes:
        builder: Appends in front of the operator.
    """

    __slots__ = ("_aliases", "_graph", "_observed", "_uses", "builder", "context")

    def __init__(self, graph: Graph, context: PassContext) -> None:
        self._graph = graph
        self._aliases: Aliases | None = None
        self._observed: set[Value] | None = None
        self._uses: dict[Value, list[Node]] | None = None
        self.context = context
        self.builder = Builder(graph.body)

    def is_unchanged(self, tensor: Value) -> bool:
        """Whether no node of the graph writes to `tensor`, so that it may be read later than it was."""
        if self._aliases is None:
            self._aliases = Aliases(self._graph)
        return self._aliases.root(tensor) not in self._aliases.written

    def is_observed(self, tensor: Value) -> bool:
        """Whether the program may distinguish `tensor` from another one over the same elements."""
        if self._observed is None:
            self._observed = observed(self._graph.body)
        return tensor in self._observed

    def uses(self, value: Value) -> list[Node]:
        """The nodes that used `value` before the walk; more than still do."""
        if self._uses is None:
            self._uses = {}
            for node in walk(self._graph.body):
                for used in node.inputs:
                    self._uses.setdefault(used, []).append(node)
        return self._uses.get(value, [])

    def view(self, node: Op, source: Value) -> Value | None:
        """`source` for the result of `node`, which is a view of all of it with the dimensions as they are."""
        if not self.is_observed(node.outputs[0]):
            return source
        return self.builder.op(self.context.table["alias"], source) if "alias" in self.context.table else None

    def const(self, value: object, like: Value) -> Value:
        """A constant of the type of `like`."""
        return self.builder.const(value, type=like.type, name=like.name)


Rule = Callable[[Op, Window], Value | None]
"""A rule: returns the replacement of the result of an operator, or None. The value must be visible at the operator."""
