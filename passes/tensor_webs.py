"""Which 0-d tensors that loops carry, or that branches result in, can be numbers in registers.

`Webs` sorts such values into webs: the results of an ``if``, the carried values of loops, and what flows into them. A
register is the number that a tensor holds, so it can stand for the tensor if nothing writes to the memory of any tensor
of the web as long as one is alive. What needs a tensor of the web *keeps* it (``return``, a list, a field) or does not
(``print``, a kernel). For those that do not, one may be made of the number. One that is kept has to be the very tensor
that the program made, a view of ``x`` for instance; so only one place may keep one, outside of the loops of the web.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, final

from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.graph import (
    Block,
    Break,
    Continue,
    Division,
    For,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    Return,
    Value,
    Yield,
    walk,
)
from tscript.late import dataclass, field
from tscript.passes.aliases import Aliases, holds_objects, is_opaque, may_give_back, own_writes
from tscript.types import OptionalType, TensorType

Merging: TypeAlias = If | Loop | For


@dataclass(slots=True)
class Use:
    """A use of a value: the node, the position among its inputs, when it is met, the loops around it."""

    node: Node
    at: int
    time: int
    loops: tuple[Loop | For, ...]


@dataclass(slots=True)
class Web:
    """Values that may be the same tensor.

    Attributes:
        merged: Carried values, and results of branches and of loops.
        sources: What else flows into them.
        flows: When something flows into them.
        first: When the first one flows.
        last: When the last one is used.
        keeps: The nodes that keep one.
    """

    merged: list[Value] = field(default_factory=list)
    sources: list[Value] = field(default_factory=list)
    flows: list[int] = field(default_factory=list)
    first: int = 0
    last: int = 0
    keeps: list[Use] = field(default_factory=list)


def is_single(value: Value) -> bool:
    """Whether a value is a 0-d tensor of a known dtype."""
    type = value.type
    return type.__class__ is TensorType and isinstance(type, TensorType) and type.rank == 0 and type.dtype is not None


def carries_single(graph: Graph) -> bool:
    """Whether a loop of a graph carries a 0-d tensor."""
    return any(isinstance(node, Loop | For) and any(map(is_single, node.body.params)) for node in walk(graph.body))


def keeps(use: Use) -> bool:
    """Whether a use may keep a tensor, or give another name to it."""
    node = use.node
    if not isinstance(node, Op) or is_opaque(node.op) or node.op is TUPLE_MAKE or node.op.effects.view_of is not None:
        return True
    if any(holds_objects(v.type) or isinstance(v.type, OptionalType) for v in (*node.inputs, *node.outputs)):
        return True
    return may_give_back(node)


@final
class Webs:
    """The webs of a graph.

    Attributes:
        targets: The values that inputs of a node flow into, with the positions of the inputs.
        around: The loops around a node with such inputs, outer ones first.
        merging: The node of each merged value.
    """

    def __init__(self, graph: Graph) -> None:
        self.targets: dict[Node, list[tuple[int, Value]]] = {}
        self.around: dict[Node, tuple[Loop | For, ...]] = {}
        self.merging: dict[Value, Merging] = {}
        self._graph = graph
        self._parents: dict[Value, Value] = {}
        self._uses: dict[Value, list[Use]] = {}
        self._extent: dict[Node, tuple[int, int]] = {}
        self._defined: dict[Value, tuple[Loop | For, ...]] = {}
        self._loops: dict[Label, Loop | For] = {}
        self._writes: list[tuple[int, Node]] = []
        self._aliases: Aliases | None = None
        self._flowed: dict[Node, int] = {}
        self._lost: set[Value] = set()
        self._time = 0
        self._candidates(graph.body)
        if self.merging:
            self._block(graph.body, (), ())
        self.all = list(self._collected())
        self.of: dict[Value, Web] = {v: web for web in self.all for v in web.merged}

    def _candidates(self, block: Block) -> None:
        for node in walk(block):
            found: Iterator[Value]
            match node:
                case If():
                    found = filter(is_single, node.outputs)
                case Loop():
                    found = filter(is_single, (*node.body.params, *node.outputs))
                case For() if node.division is Division.NONE:
                    pairs = zip(node.body.params[1:], node.outputs, strict=True)
                    found = (v for a, b in pairs if is_single(a) and a.type == b.type for v in (a, b))
                case _:
                    continue
            self.merging.update((v, node) for v in found)

    def _root(self, value: Value) -> Value:
        while (up := self._parents.get(value)) is not None:
            value = up
        return value

    def _union(self, a: Value, b: Value) -> None:
        a, b = self._root(a), self._root(b)
        if a is not b:
            self._parents[a] = b

    def _flow(self, node: Node, first: int, targets: Sequence[Value], loops: tuple[Loop | For, ...]) -> None:
        found: list[tuple[int, Value]] = []
        for at, target in enumerate(targets, first):
            if target not in self.merging:
                continue
            self._union(node.inputs[at], target)
            if node.inputs[at].type != target.type:
                self._lost.add(target)
            found.append((at, target))
        if found:
            self.targets[node] = found
            self.around[node] = loops
            self._flowed[node] = self._time

    def _block(self, block: Block, loops: tuple[Loop | For, ...], results: Sequence[Value]) -> None:
        for node in block.nodes:
            self._time += 1
            for at, value in enumerate(node.inputs):
                if is_single(value):
                    self._uses.setdefault(value, []).append(Use(node, at, self._time, loops))
            if not node.has_blocks:
                self._writes.append((self._time, node))
            self._defined.update((v, loops) for v in node.outputs if v in self.merging)
            match node:
                case If():
                    for inner in node.blocks:
                        self._block(inner, loops, node.outputs)
                case Loop() | For():
                    params = node.body.params[1:] if isinstance(node, For) else node.body.params
                    self._flow(node, 3 if isinstance(node, For) else 0, params, loops)
                    if isinstance(node, For):
                        for a, b in zip(params, node.outputs, strict=True):
                            if a in self.merging:
                                self._union(a, b)
                    begin, self._loops[node.label] = self._time, node
                    inside = (*loops, node)
                    self._defined.update((v, inside) for v in params if v in self.merging)
                    self._block(node.body, inside, ())
                    self._extent[node] = begin, self._time
                case Yield():
                    self._flow(node, 0, results, loops)
                case Break() if node.label in self._loops:
                    self._flow(node, 0, self._loops[node.label].outputs, loops)
                case Continue():
                    loop = self._loops[node.label]
                    self._flow(node, 0, loop.body.params[1:] if isinstance(loop, For) else loop.body.params, loops)
                case _:
                    for inner in node.blocks:
                        self._block(inner, loops, ())

    def _collected(self) -> Iterator[Web]:
        """The webs with a carried value, of which nothing is written while it is alive."""
        found: dict[Value, Web] = {}
        for value in self.merging:
            found.setdefault(self._root(value), Web()).merged.append(value)
        for node, targets in self.targets.items():
            for at, target in targets:
                source, web = node.inputs[at], found[self._root(target)]
                web.flows.append(self._flowed[node])
                if source not in self.merging:
                    web.sources.append(source)
        for web in found.values():
            if self._lost.isdisjoint(web.merged) and self._is_carried(web) and self._extend(web):
                yield web

    def _is_carried(self, web: Web) -> bool:
        return any(not isinstance(self.merging[v], If) for v in web.merged)

    def _extend(self, web: Web) -> bool:
        """Find out how long a web is alive, and what needs a tensor of it."""
        times = web.flows
        inside: set[Node] = {self.merging[v] for v in web.merged}
        for value in web.merged:
            node = self.merging[value]
            if node in self._extent:
                times += self._extent[node]
            for use in self._uses.get(value, ()):
                deeper = use.loops[len(self._defined[value]) :]
                times += [use.time, *(self._extent[loop][1] for loop in deeper)]
        web.first, web.last = min(times), max(times)
        for value in web.merged:
            for use in self._uses.get(value, ()):
                if self.target(use.node, use.at) is not None:
                    continue
                if isinstance(use.node, Op) and use.at in use.node.op.effects.writes:
                    return False
                if not keeps(use):
                    continue
                web.keeps.append(use)
                if any(loop in inside for loop in use.loops) or len(use.loops) > len(self._defined[value]):
                    if not isinstance(use.node, Return):
                        return False
        once = len(web.keeps) <= 1 or all(isinstance(u.node, Return) for u in web.keeps)
        return once and not self._is_written(web)

    def _is_written(self, web: Web) -> bool:
        if self._aliases is None:
            self._aliases = Aliases(self._graph)
        aliases = self._aliases
        root = aliases.root(web.merged[0])
        if root not in aliases.written:
            return False
        return any(web.first <= t <= web.last and root in own_writes(node, aliases) for t, node in self._writes)

    def target(self, node: Node, at: int) -> Value | None:
        """The merged value that an input flows into."""
        return next((v for i, v in self.targets.get(node, ()) if i == at), None)

    def flows(self, value: Value) -> bool:
        """Whether a value flows into a merged one."""
        return any(self.target(u.node, u.at) is not None for u in self._uses.get(value, ()))


__all__ = ["Merging", "Use", "Web", "Webs", "carries_single", "is_single", "keeps"]
