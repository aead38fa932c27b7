"""Makes reference counts explicit: writes ``retain`` and ``release``.

Before::

    %x: list[int] = getitem.list(%xs, %i)
    %y: int = getitem.list(%x, %j)
    %ys: list[int] = list.make(%type, %y)
    return %ys

After::

    %x: list[int] = getitem.list(%xs, %i)
    %0: None = retain(%x)
    %y: int = getitem.list(%x, %j)
    %1: None = release(%x)
    %ys: list[int] = list.make(%type, %y)
    %2: None = retain(%ys)
    return %ys

Each owner acts on its own (`tscript.operators.python.references` defines ownership): an element read from a container
is retained, a value that is passed on is retained before, and each value is released after its last use.
`elide_refcounts` removes pairs that cancel out.

Both passes come last, because others do not handle refcounts. On a graph with refcounts this pass starts over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.opdef import Leaf, OpDef
from tscript.diagnostics import Span
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    Fused,
    Graph,
    Loop,
    Node,
    Op,
    Program,
    Return,
    SetSlot,
    Terminator,
    Try,
    Unreachable,
    Value,
    Yield,
    walk,
)
from tscript.late import dataclass
from tscript.operators.python.references import BORROWS, REFERENCES, RELEASE, RETAIN, is_alias
from tscript.passes.base import Pass, PassContext
from tscript.types import NONE, PtrType, is_counted


@dataclass(frozen=True, slots=True)
class CountReferences(Pass):
    """Writes ``retain`` and ``release``."""

    name: ClassVar[str] = "count_references"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk, after removing the refcounts of an earlier one."""
        if not any(is_counted(v.type) for n in walk(graph.body) for v in (*n.inputs, *n.outputs)):
            return False
        _strip(graph.body)
        _Counting().visit(graph.body, ())
        return True


def _strip(block: Block) -> None:
    """Remove all counts."""
    block.nodes = [n for n in block.nodes if not (isinstance(n, Op) and n.op in REFERENCES)]
    for node in block.nodes:
        if isinstance(node, Fused):
            node.reuse = ()
        if node.has_blocks:
            for inner in node.blocks:
                _strip(inner)


def _count(op: OpDef, value: Value, span: Span) -> Op:
    return Op(op, [value], NONE, span)


def handed_on(node: Node) -> Sequence[Value]:
    """The inputs that a node takes ownership of, or that leave with it."""
    match node:
        case For():
            return node.inputs[3:]
        case Loop() | Try() | Yield() | Break() | Continue() | Return():
            return node.inputs
    return ()


def owning_params(node: Node, block: Block) -> Sequence[Value]:
    """The parameters of a block of `node` that own what they refer to."""
    return [p for p in block.params if is_counted(p.type)] if isinstance(node, Loop | For | Try) else ()


def refers(node: Op) -> bool:
    """Whether the output of a node refers to what its inputs own, and owns nothing."""
    if isinstance(node.op.implementation, Leaf):
        return isinstance(node.output.type, PtrType)
    return is_alias(node.op) and is_counted(node.output.type)


def takes_element(node: Node) -> bool:
    """Whether the output of a node is an element of a container."""
    return isinstance(node, Op) and node.op.name in BORROWS and is_counted(node.output.type)


@final
class _Counting:
    """Writes the counts of one graph.

    A value that owns something is a *root*. A value derived from it without ownership refers to roots, and its uses are
    uses of these.
    """

    def __init__(self) -> None:
        self._roots: dict[Value, tuple[Value, ...]] = {}

    def visit(self, block: Block, params: Sequence[Value]) -> set[Value]:
        """Write the refcounts of a block; returns the roots from outside that it uses."""
        roots = self._roots
        roots.update((p, (p,)) for p in params)
        last: dict[Value, Node | None] = dict.fromkeys(params)
        outside: set[Value] = set()
        for node in block.nodes:
            if node.__class__ is Const:
                continue
            used = {r for v in node.inputs for r in roots.get(v, ())}
            for inner in node.blocks:
                if isinstance(node, Fused):
                    used |= {r for n in walk(inner) for v in n.inputs for r in roots.get(v, ())}
                else:
                    used |= self.visit(inner, owning_params(node, inner))
            for root in used:
                if root in last:
                    last[root] = node
                else:
                    outside.add(root)
            if isinstance(node, SetSlot | Terminator):
                continue
            if isinstance(node, Op) and refers(node):
                if used:
                    roots[node.output] = tuple(used)
                continue
            for output in node.outputs:
                if is_counted(output.type):
                    roots[output] = (output,)
                    last[output] = node
        self._write(block, last)
        return outside

    def _write(self, block: Block, last: dict[Value, Node | None]) -> None:
        ends: dict[Node | None, list[Value]] = {}
        for root, node in last.items():
            ends.setdefault(node, []).append(root)
        nodes: list[Node] = [_count(RELEASE, root, block.nodes[0].span) for root in ends.get(None, ())]
        never = block.nodes[-2:-1] if isinstance(block.nodes[-1], Unreachable) else []
        for node in block.nodes:
            if node.has_blocks or node.is_terminator:
                nodes += [_count(RETAIN, v, node.span) for v in handed_on(node) if is_counted(v.type)]
            nodes.append(node)
            if takes_element(node):
                nodes.append(_count(RETAIN, node.outputs[0], node.span))
            if node in ends and not node.is_terminator and node not in never:  # control does not get past it
                nodes += [_count(RELEASE, root, node.span) for root in ends[node]]
        block.nodes = nodes


__all__ = ["CountReferences", "handed_on", "owning_params", "refers", "takes_element"]
