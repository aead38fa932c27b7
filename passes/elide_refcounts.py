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

An element that is retained and released with nothing in between that can take it out of its container is *borrowed*:
the container keeps it alive. Setting a field takes nothing out of a list, nor out of another field. A value that is
retained to be passed on, and has its last use there, is *moved*. The idea is that of Perceus (Reinking, Xie, de
Moura, Leijen, PLDI 2021).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
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
    If,
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
from tscript.operators.python.unchecked import SET_ITEM_IN
from tscript.passes.base import Pass, PassContext
from tscript.passes.count_references import handed_on, owning_params, refers, takes_element
from tscript.types import ClassType, TupleType, is_counted, references_in

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

    def links(self, value: Value) -> Iterator[Link]:
        """The places that keep alive what a value refers to, as far as it is borrowed."""
        for root in self._roots.get(value, ()):
            container = self._containers.get(root)
            if container is not None and isinstance(root.node, Op):
                yield _link(root.node)
                yield from self.links(container)

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
        """Find the elements whose uses end before anything can take them out of their container. Those of outer blocks
        first: what is borrowed from a borrowed container depends on more."""
        at = 0
        while at < len(block.nodes):  # it only becomes shorter behind the element
            node = block.nodes[at]
            if takes_element(node):
                retain = block.nodes[at + 1]
                owned = _is(retain, RETAIN) and retain.inputs[0] is node.outputs[0]
                if owned and isinstance(node, Op) and self._is_used_up(block, at + 2, node):
                    self._borrow(block, at, node)
            at += 1
        for node in block.nodes:
            if not isinstance(node, Fused):
                for inner in node.blocks:
                    self.borrow(inner)

    def _is_used_up(self, block: Block, start: int, taken: Op) -> bool:
        """Whether all uses of an element come before anything that may drop it."""
        uses, element = self._owners.uses, taken.outputs[0]
        left = {element: uses[element]} if element in uses else {}
        links = {_link(taken), *self._owners.links(taken.inputs[0])}
        if not any(_is(n, RELEASE) and n.inputs[0] is element for n in islice(block.nodes, start, None)):
            return False
        return self._is_safe(islice(block.nodes, start, None), left, links) and not left

    def _is_safe(self, nodes: Iterable[Node], left: dict[Value, int], links: Set[Link]) -> bool:
        """Whether no node before the last of the uses that are `left` may drop an element; takes uses off `left`."""
        uses = self._owners.uses
        for node in nodes:
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
                if _disturbs(node, links) and (any(places) or not isinstance(node, Op)):
                    return False
                for value in node.inputs:
                    if value in left:
                        left[value] -= 1
                        if not left[value]:
                            del left[value]
                if isinstance(node, Op) and refers(node) and node.output in uses:
                    left[node.output] = uses[node.output]
            if left and isinstance(node, If):
                if not all(self._is_safe(inner.nodes, left, links) for inner in node.blocks):
                    return False
            elif left and (node.blocks or _disturbs(node, links)):
                return False
        return True

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


Link = tuple[str, str]
"""A kind of place that keeps an object alive: the elements of the containers of a type, or a field of a class and all
that derive from it."""


def _link(node: Op) -> Link:
    """The place from which a node takes an element, or at which it puts one."""
    owner = node.inputs[0].type
    if isinstance(owner, ClassType):
        return owner.info.bases[-1].name, str(node.inputs[1].constant)
    return str(owner), ""


_SETS = frozenset({"set_field.object", "setitem.list", SET_ITEM_IN.name})
"""Operators that release what was at one place, and nothing else."""


def _disturbs(node: Node, links: Set[Link]) -> bool:
    """Whether a node may release what is at one of the places `links`."""
    if not isinstance(node, Op):
        return not isinstance(node, Const | Terminator)
    if node.op.name in _SETS:
        return _link(node) in links
    if isinstance(node.op.implementation, Native):
        if node.op.name == "append.list":
            return False
        return node.op.effects.world
    return isinstance(node.op.implementation, PythonCall | NativeCall)


__all__ = ["ElideRefcounts"]
