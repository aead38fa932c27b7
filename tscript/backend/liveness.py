"""Last uses of values that own references.

A value made by a node owns its references until the last node of its block that uses it, directly or in a nested block.
Tuples made of it, elements taken out of it and raw pointers derived from it are its *aliases*: they own nothing, their
uses count as uses of the value itself (the *root*). Parameters of a graph are borrowed and have no entry.

An element of a list, or a field of an instance, that is used before anything can change one, or run other code, is
*borrowed*: it is an alias of the list, so ``a[i][j]`` counts no references.
"""

from __future__ import annotations

from tscript.backend import structural
from tscript.backend.values import is_counted
from tscript.ir.graph import Block, Const, For, Graph, Loop, Node, Op, SetSlot, Terminator, Try, Value, walk
from tscript.ops.opdef import Leaf, Native, NativeCall, PythonCall, Structural
from tscript.types import PtrType

BORROWS = frozenset({"getitem.list", "entry_key.dict", "entry_key.set", "entry_value.dict", "get_field.object"})
"""Operators that give an element of their first input."""


def _disturbs(node: Node) -> bool:
    """Whether a node may drop what a container holds."""
    if not isinstance(node, Op):
        return not isinstance(node, Const | Terminator)
    if isinstance(node.op.implementation, Native):
        return node.op.effects.world
    return isinstance(node.op.implementation, PythonCall | NativeCall)


class Liveness:
    """Where the references of a graph's values end.

    Attributes:
        after: By node, the roots whose last use it is; they are released behind it unless it took them over.
        unused: By block, the parameters that own a reference and are never used.
        captured: By loop and `Try`, the roots from outside that its blocks use: they cannot be moved into its parameters.
        borrowed: Nodes whose outputs are borrowed from their first input.
    """

    __slots__ = ("_roots", "_uses", "after", "borrowed", "captured", "unused")

    def __init__(self, graph: Graph) -> None:
        self.after: dict[Node, list[Value]] = {}
        self.unused: dict[Block, list[Value]] = {}
        self.captured: dict[Node, set[Value]] = {}
        self.borrowed: set[Node] = set()
        self._roots: dict[Value, tuple[Value, ...]] = {}
        self._uses: dict[Value, int] = {}
        if any(isinstance(n, Op) and n.op.name in BORROWS for n in walk(graph.body)):
            for node in walk(graph.body):
                for value in node.inputs:
                    self._uses[value] = self._uses.get(value, 0) + 1
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
        if self._uses:
            self._find_borrowed(block)
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
                if node in self.borrowed or self._is_alias(node):
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

    def _find_borrowed(self, block: Block) -> None:
        """Add the nodes of `block` whose outputs are used up while nothing can change what they were taken from."""
        waiting: dict[Value, tuple[Node, int]] = {}
        for node in block.nodes:
            for position, value in enumerate(node.inputs):
                if value not in waiting:
                    continue
                source, left = waiting[value]
                if (
                    isinstance(node, Terminator)
                    or node.blocks
                    or (_disturbs(node) and (position or not isinstance(node, Op)))
                ):
                    del waiting[value]
                elif left == 1:
                    del waiting[value]
                    self.borrowed.add(source)
                else:
                    waiting[value] = source, left - 1
            if node.blocks or _disturbs(node):
                waiting.clear()
            if isinstance(node, Op) and node.op.name in BORROWS and is_counted(node.output.type):
                uses = self._uses.get(node.output, 0)
                if uses:
                    waiting[node.output] = node, uses

    @staticmethod
    def _is_alias(node: Op) -> bool:
        """Whether the output holds references, or raw pointers, that an input owns."""
        if isinstance(node.op.implementation, Leaf):
            return isinstance(node.outputs[0].type, PtrType)
        return isinstance(node.op.implementation, Structural) and node.op in structural.emitters()
