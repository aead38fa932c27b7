"""Which instances a graph makes for itself alone: nothing else can ever reach them.

`webs` sorts the values whose type is a class into webs, in each of which every value may be every other one: the
instances that the graph makes, and what they become as results of an ``if`` and as carried values of loops. A web is
*local* if its values are used for nothing but their fields. Its fields can then be values in registers, as long as each
name for an instance sees what was written by way of any other: either there is but one name, or instances are complete
before they get a second one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import final

from tscript.ir.graph import (
    Block,
    Break,
    Continue,
    For,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    Try,
    Value,
    Yield,
)
from tscript.late import dataclass, field
from tscript.operators.python.classes import GET_FIELD, OBJECT_NEW, SET_FIELD
from tscript.types import ClassType


@dataclass(slots=True)
class Web:
    """Values that may be the same instance.

    Attributes:
        values: All of them.
        makes: Those that are new instances.
        fields: The fields that are read.
    """

    values: list[Value] = field(default_factory=list)
    makes: list[Value] = field(default_factory=list)
    fields: dict[str, None] = field(default_factory=dict)


def is_class(value: Value) -> bool:
    """Whether values are instances of a class."""
    return value.type.__class__ is ClassType


def webs(graph: Graph) -> list[Web]:
    """The local webs of a graph."""
    if not any(isinstance(n, Op) and n.op is OBJECT_NEW for n in _nodes(graph.body)):
        return []
    search = _Search()
    search.escape(graph.body.params)
    search.block(graph.body, None)
    return list(search.local())


def _nodes(block: Block) -> Iterator[Node]:
    for node in block.nodes:
        yield node
        for inner in node.blocks:
            yield from _nodes(inner)


Place = tuple[int, Node | None, Node | None]
"""How many nodes come before in the text, the innermost loop, the innermost `Try`."""


@final
class _Search:
    """One walk over a graph."""

    def __init__(self) -> None:
        self._parents: dict[Value, Value] = {}
        self._escaped: set[Value] = set()
        self._made: dict[Value, Place] = {}
        self._set: dict[Value, list[Place]] = {}
        self._flows: dict[Value, int] = {}
        self._reads: list[tuple[Value, str]] = []
        self._seen: dict[Value, None] = {}
        self._loops: dict[Label, tuple[Sequence[Value], Sequence[Value]]] = {}
        self._place: Place = (0, None, None)

    def escape(self, values: Iterable[Value]) -> None:
        """These may be, or become, known elsewhere."""
        self._escaped.update(v for v in values if is_class(v))

    def _root(self, value: Value) -> Value:
        while (up := self._parents.get(value)) is not None:
            value = up
        return value

    def _flow(self, sources: Sequence[Value], targets: Sequence[Value]) -> None:
        for source, target in zip(sources, targets, strict=True):
            if not is_class(source) or source.type != target.type:
                self.escape((source, target))
                continue
            self._seen[target] = None
            self._flows.setdefault(source, self._place[0])
            a, b = self._root(source), self._root(target)
            if a is not b:
                self._parents[a] = b

    def block(self, block: Block, results: Sequence[Value] | None) -> None:
        """Walk a block, whose ``yield`` gives `results`."""
        for node in block.nodes:
            number, loop, attempt = self._place
            self._place = (number + 1, loop, attempt)
            match node:
                case Op():
                    self._op(node)
                case Loop():
                    self._flow(node.inputs, node.body.params)
                    self._inside(node, node.body.params)
                case For():
                    self._flow(node.inputs[3:], node.body.params[1:])
                    self._flow(node.body.params[1:], node.outputs)
                    self._inside(node, node.body.params[1:])
                case If():
                    self.block(node.then, node.outputs)
                    self.block(node.orelse, node.outputs)
                case Break():
                    self._flow(node.inputs, self._loops[node.label][1])
                case Continue():
                    self._flow(node.inputs, self._loops[node.label][0])
                case Yield() if results is not None:
                    self._flow(node.inputs, results)
                case _:
                    self.escape((*node.inputs, *node.outputs))
                    for inner in node.blocks:
                        self.escape(inner.params)
                        before = self._place
                        self._place = (before[0], before[1], node if isinstance(node, Try) else before[2])
                        self.block(inner, None)
                        self._place = (self._place[0], before[1], before[2])

    def _inside(self, node: Loop | For, params: Sequence[Value]) -> None:
        self._loops[node.label] = (params, node.outputs)
        _, loop, attempt = self._place
        self._place = (self._place[0], node, attempt)
        self.block(node.body, None)
        self._place = (self._place[0], loop, attempt)

    def _op(self, node: Op) -> None:
        if node.op is OBJECT_NEW and is_class(node.output):
            self._made[node.output] = self._place
            self._seen[node.output] = None
        elif node.op is GET_FIELD:
            self._reads.append((node.inputs[0], str(node.inputs[1].constant)))
            self.escape(node.outputs)
        elif node.op is SET_FIELD:
            owner, name, value = node.inputs
            self._set.setdefault(owner, []).append(self._place)
            self.escape((value,))
            if not isinstance(owner.type, ClassType) or owner.type.info.fields[str(name.constant)] != value.type:
                self.escape((owner,))
        else:
            self.escape((*node.inputs, *node.outputs))

    def local(self) -> Iterator[Web]:
        """The webs of which no value escapes, and whose instances are complete before they have a second name."""
        found: dict[Value, Web] = {}
        for value in self._seen:
            web = found.setdefault(self._root(value), Web())
            web.values.append(value)
            if value in self._made:
                web.makes.append(value)
        for value, name in self._reads:
            known = found.get(self._root(value))
            if known is not None:
                known.fields[name] = None
        lost = {self._root(v) for v in self._escaped}
        for root, web in found.items():
            if root not in lost and web.makes and all(self._is_plain(v, len(web.values) == 1) for v in web.values):
                yield web

    def _is_plain(self, value: Value, alone: bool) -> bool:
        """Whether a value is set only where that is seen by all who read it."""
        made, writes = self._made.get(value), self._set.get(value, ())
        if made is None:
            return not writes
        if any(w[2] is not made[2] for w in writes):
            return False  # a handler may see some of it
        if alone:
            return True
        first = self._flows.get(value)
        return first is None or all(w[0] < first and w[1] is made[1] for w in writes)


__all__ = ["Web", "is_class", "webs"]
