"""Refcount elision: removes each `retain` that a `release` undoes.

Before::

    %x: list[int] = getitem.list(%xs, %i)
    %0: None = retain(%x)
    %y: int = getitem.list(%x, %j)
    %1: None = release(%x)
    %ys: list[int] = list.make(%type, %y)
    %2: None = retain(%ys)
    return %ys

After::

    %x: list[int] = getitem.list(%xs, %i)
    %y: int = getitem.list(%x, %j)
    %ys: list[int] = list.make(%type, %y)
    return %ys

An element that is retained and released with nothing in between that can change its container is *borrowed*: the
container keeps it alive. A value that is retained to be passed on, and has its last use there, is *moved*. The idea is
that of Perceus (Reinking, Xie, de Moura, Leijen, PLDI 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import ClassVar, final

from tscript.definitions.opdef import Native, NativeCall, OpDef, PythonCall
from tscript.dialect import machine
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    Fused,
    Graph,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Return,
    Terminator,
    Try,
    Value,
    Yield,
    walk,
)
from tscript.late import dataclass
from tscript.operators.python.references import REFERENCES, RELEASE, RETAIN
from tscript.passes.base import Pass, PassContext
from tscript.passes.count_references import handed_on, owning_params, refers, takes_element
from tscript.types import TupleType, is_counted, references_in

Part = tuple[Value, int] | None
"""One reference of a value: its owner, and which of the owner's references it is; None if unknown or owned
elsewhere."""


@dataclass(frozen=True, slots=True)
class ElideRefcounts(Pass):
    """Removes pairs of ``retain`` and ``release``, and the ``retain`` of moved values."""

    name: ClassVar[str] = "elide_refcounts"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Borrowed elements first, because they change ownership."""
        if not any(_is(n, RETAIN) for n in walk(graph.body)):
            return False
        owners = _Owners(graph)
        elision = _Elision(owners)
        elision.borrow(graph.body)
        elision.move(graph.body)
        return elision.changed


def _is(node: Node, op: OpDef) -> bool:
    return isinstance(node, Op) and node.op is op


@final
class _Owners:
    """Ownership in a graph with refcounts.

    Attributes:
        home: By root, the block that owns it.
        uses: By value, the number of uses, without refcounts.
        inside: By loop and `Try`, the roots from outside that its blocks use.
    """

    def __init__(self, graph: Graph) -> None:
        self.home: dict[Value, Block] = {}
        self.uses: dict[Value, int] = {}
        self.inside: dict[Node, set[Value]] = {}
        self._roots: dict[Value, tuple[Value, ...]] = {}
        self._containers: dict[Value, Value] = {}
        self._parts: dict[Value, tuple[Part, ...]] = {}
        self._visit(graph.body)

    def _visit(self, block: Block) -> set[Value]:
        """The roots that a block uses."""
        found: set[Value] = set()
        for node in block.nodes:
            if node.__class__ is Const:
                continue
            used: set[Value] = set()
            for inner in node.blocks:
                for param in owning_params(node, inner):
                    self._own(param, inner)
                used |= self._visit(inner)
            if isinstance(node, Loop | For | Try):
                self.inside[node] = used
            if isinstance(node, Op) and node.op in REFERENCES:
                continue
            for value in node.inputs:
                self.uses[value] = self.uses.get(value, 0) + 1
                roots = self._roots.get(value)
                if roots is not None:
                    used = used.union(roots)
            if used:
                found |= used
            if isinstance(node, Op) and refers(node):
                self._roots[node.output] = tuple(dict.fromkeys(r for v in node.inputs for r in self._roots.get(v, ())))
            else:
                for output in node.outputs:
                    if is_counted(output.type):
                        self._own(output, block)
        return found

    def _own(self, value: Value, block: Block) -> None:
        self._roots[value] = (value,)
        self.home[value] = block

    def lend(self, value: Value, container: Value) -> None:
        """`value`, which was a root, is borrowed from a container."""
        self._containers[value] = container
        del self.home[value]

    def roots(self, value: Value) -> tuple[Value, ...]:
        """The roots that own what a value refers to."""
        found: list[Value] = []
        for root in self._roots.get(value, ()):
            container = self._containers.get(root)
            found += (root,) if container is None else self.roots(container)
        return tuple(dict.fromkeys(found))

    def parts(self, value: Value) -> tuple[Part, ...]:
        """The references of a value, one by one."""
        found = self._parts.get(value)
        if found is None:
            found = self._parts[value] = self._find_parts(value)
        return found

    def _find_parts(self, value: Value) -> tuple[Part, ...]:
        count, node = references_in(value.type), value.node
        if value in self.home:
            return tuple((value, i) for i in range(count))
        if isinstance(node, Op) and refers(node):
            if node.op is machine.TUPLE_GET or node.op.name == "getitem.tuple":
                source, at = node.inputs[0], node.inputs[1].constant
                if isinstance(at, int) and isinstance(source.type, TupleType):
                    widths = [references_in(t) for t in source.type.elements]
                    start = sum(widths[: at % len(widths)])
                    return self.parts(source)[start : start + count]
            else:
                all_parts = tuple(p for v in node.inputs for p in self.parts(v))
                if len(all_parts) == count:
                    return all_parts
        return (None,) * count


@final
class _Elision:
    """Removes pairs of refcounts of one graph."""

    def __init__(self, owners: _Owners) -> None:
        self._owners = owners
        self._open: list[Block] = []
        self._loops: dict[Label, int] = {}
        self.changed = False

    # Borrowed elements

    def borrow(self, block: Block) -> None:
        """Find the elements whose uses end before anything can change their container."""
        for node in block.nodes:
            if not isinstance(node, Fused):
                for inner in node.blocks:
                    self.borrow(inner)
        at = 0
        while at < len(block.nodes):  # it only becomes shorter behind the element
            node = block.nodes[at]
            if takes_element(node):
                retain = block.nodes[at + 1]
                owned = _is(retain, RETAIN) and retain.inputs[0] is node.outputs[0]
                if owned and self._is_used_up(block, at + 2, node.outputs[0]):
                    self._borrow(block, at, node)
            at += 1

    def _is_used_up(self, block: Block, start: int, element: Value) -> bool:
        """Whether all uses of an element come before anything that may drop it."""
        uses = self._owners.uses
        left = {element: uses[element]} if element in uses else {}
        for node in islice(block.nodes, start, None):
            if not left:
                return True
            places = [i for i, v in enumerate(node.inputs) if v in left]
            if isinstance(node, Op) and node.op in REFERENCES:
                if node.op is RETAIN and places:
                    return False
                continue
            if places:
                if isinstance(node, Terminator) or node.blocks:
                    return False
                if _disturbs(node) and (any(places) or not isinstance(node, Op)):
                    return False
                for i in places:
                    left[node.inputs[i]] -= 1
                left = {v: n for v, n in left.items() if n}
                if isinstance(node, Op) and refers(node) and node.output in uses:
                    left[node.output] = uses[node.output]
            if left and (node.blocks or _disturbs(node)):
                return False
        return not left

    def _borrow(self, block: Block, at: int, node: Node) -> None:
        """The container keeps the element: it is released no earlier than the element was."""
        nodes, element = block.nodes, node.outputs[0]
        end = next(i for i in range(at + 2, len(nodes)) if _is(nodes[i], RELEASE) and nodes[i].inputs[0] is element)
        self._owners.lend(element, node.inputs[0])
        keepers = self._owners.roots(node.inputs[0])
        moved = [n for n in nodes[at + 2 : end] if _is(n, RELEASE) and n.inputs[0] in keepers]
        kept = [n for n in nodes[at + 2 : end] if n not in moved]
        nodes[at + 1 : end + 1] = [*kept, *moved]
        self.changed = True

    # Values that are passed on

    def move(self, block: Block) -> None:
        """Find the values whose last use passes them on."""
        self._open.append(block)
        kept: list[Node] = []
        waiting: list[Node] = []
        position = 0
        nodes = block.nodes
        while position < len(nodes):
            node = nodes[position]
            position += 1
            if _is(node, RETAIN):
                waiting.append(node)
                continue
            if not waiting and not node.has_blocks:
                kept.append(node)
                continue
            ends: list[Node] = []
            if isinstance(node, Loop | For | Try):
                while position < len(nodes) and _is(nodes[position], RELEASE):
                    ends.append(nodes[position])
                    position += 1
            handed = handed_on(node) if waiting else ()
            taken: set[Part] = set()
            kept += [n for n in waiting if n.inputs[0] not in handed]
            kept += self._unmoved(node, [n for n in waiting if n.inputs[0] in handed], ends, taken)
            kept.append(node)
            for end in ends:
                if taken and {*self._owners.parts(end.inputs[0])} <= taken:
                    self.changed = True
                else:
                    kept.append(end)
            waiting = []
            self._inside(node)
        block.nodes = kept
        self._open.pop()

    def _inside(self, node: Node) -> None:
        if isinstance(node, Fused):
            return
        if isinstance(node, Loop | For):
            self._loops[node.label] = len(self._open)
        for inner in node.blocks:
            self.move(inner)

    def _unmoved(self, node: Node, retains: Sequence[Node], ends: Sequence[Node], taken: set[Part]) -> list[Node]:
        """The retains before a node that stay; moved references are added to `taken`."""
        if not retains:
            return []
        owners = self._owners
        ended = {n.inputs[0] for n in ends} - owners.inside.get(node, set())
        left = self._left(node)
        staying: list[Node] = []
        for retain in retains:
            parts = owners.parts(retain.inputs[0])
            distinct = {p for p in parts if p is not None}
            movable = len(distinct) == len(parts) and not distinct & taken
            if movable and all(owners.home[p[0]] in left or p[0] in ended for p in distinct):
                taken |= distinct
                self.changed = True
            else:
                staying.append(retain)
        return staying

    def _left(self, node: Node) -> Sequence[Block]:
        """The blocks that a terminator leaves."""
        match node:
            case Yield():
                return self._open[-1:]
            case Break() | Continue():
                return self._open[self._loops[node.label] :]
            case Return():
                return self._open
        return ()


def _disturbs(node: Node) -> bool:
    """Whether a node may release an element of a container."""
    if not isinstance(node, Op):
        return not isinstance(node, Const | Terminator)
    if isinstance(node.op.implementation, Native):
        return node.op.effects.world
    return isinstance(node.op.implementation, PythonCall | NativeCall)


__all__ = ["ElideRefcounts"]
