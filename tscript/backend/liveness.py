"""Last uses of values that own references.

A value made by a node owns its references until the last node of its block that uses it, directly or in a nested block.
Tuples made of it, elements taken out of it and raw pointers derived from it are its *aliases*: they own nothing, their
uses count as uses of the value itself (the *root*). Parameters of a graph are borrowed and have no entry.
"""

from __future__ import annotations

from tscript.backend import structural
from tscript.backend.values import is_counted
from tscript.ir.graph import Block, Const, For, Graph, Loop, Node, Op, SetSlot, Terminator, Try, Value
from tscript.ops.opdef import Leaf, Structural
from tscript.types import PtrType


class Liveness:
    """Where the references of a graph's values end.

    Attributes:
        after: By node, the roots whose last use it is; they are released behind it unless it took them over.
        unused: By block, the parameters that own a reference and are never used.
        captured: By loop and `Try`, the roots from outside that its blocks use: they cannot be moved into its parameters.
    """

    __slots__ = ("_roots", "after", "captured", "unused")

    def __init__(self, graph: Graph) -> None:
        self.after: dict[Node, list[Value]] = {}
        self.unused: dict[Block, list[Value]] = {}
        self.captured: dict[Node, set[Value]] = {}
        self._roots: dict[Value, tuple[Value, ...]] = {}
        self._visit(graph.body, ())

    def roots(self, value: Value) -> tuple[Value, ...]:
        """The values that own what `value` refers to."""
        return self._roots.get(value, ())

    def _define(self, value: Value) -> bool:
        if not is_counted(value.type):
            return False
        self._roots[value] = (value,)
        return True

    def _visit(self, block: Block, params: tuple[Value, ...] | list[Value]) -> set[Value]:
        roots = self._roots
        own = [p for p in params if self._define(p)]
        last: dict[Value, Node | None] = dict.fromkeys(own)
        used_outside: set[Value] = set()
        for node in block.nodes:
            used = {r for v in node.inputs if v in roots for r in roots[v]}
            if node.blocks:
                inside: set[Value] = set()
                for inner in node.blocks:
                    inside |= self._visit(inner, inner.params if isinstance(node, Loop | For | Try) else ())
                if isinstance(node, Loop | For | Try):
                    self.captured[node] = inside
                used |= inside
            for root in used:
                if root in last:
                    last[root] = node
                else:
                    used_outside.add(root)
            if isinstance(node, Const | SetSlot | Terminator):
                continue
            if isinstance(node, Op):
                output = node.outputs[0]
                if not used and not is_counted(output.type):
                    continue
                if self._is_alias(node):
                    if used:
                        roots[output] = tuple(used)
                    continue
            for output in node.outputs:
                if self._define(output):
                    last[output] = node
        for root, end in last.items():
            if end is not None:
                self.after.setdefault(end, []).append(root)
            else:
                self.unused.setdefault(block, []).append(root)
        return used_outside

    @staticmethod
    def _is_alias(node: Op) -> bool:
        """Whether the output holds references, or raw pointers, that an input owns."""
        if isinstance(node.op.implementation, Leaf):
            return isinstance(node.outputs[0].type, PtrType)
        return isinstance(node.op.implementation, Structural) and node.op in structural.emitters()
