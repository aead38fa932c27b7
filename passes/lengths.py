"""Minimum lengths of containers at each point of a graph.

A fact says that the length of a container is at least that of a value plus a number. Facts about str, bytes, ``tuple[T,
...]``, and about a list that nothing else can reach and that never becomes shorter, hold forever. A list that others
may reach can become shorter in a call and at the safepoint of a loop. Facts about it end there, and at every operator
that is not known to preserve lengths. Where a program has no tasks, no others are there, and facts about all lists of a
type that no operator of the graph makes shorter hold forever, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from tscript.definitions.opdef import Extern, Kernel, Leaf, Native, OpDef, Pointwise, Scalar, Structural
from tscript.ir.graph import (
    Break,
    Call,
    Closure,
    Continue,
    For,
    Fork,
    Graph,
    Invoke,
    Loop,
    Node,
    Op,
    Program,
    Return,
    Value,
    walk,
)
from tscript.ir.rewrite import uses
from tscript.types import (
    ANY,
    BYTES,
    STR,
    CallableType,
    FutureType,
    ListType,
    OptionalType,
    Type,
    UnionType,
)

Fact = tuple[Value | None, int, int]
"""(value or None, number, when it was found): the length is at least value + number."""

_MAKES = frozenset({"list.make", "mul.list", "copy.list", "to_list.list", "sorted.list"})
"""Operators that return a new list."""

_KEEPS = frozenset(
    {
        *("len.list", "getitem.list", "setitem.list", "append.list", "has_item.list", "reserve.list"),
        *("item_in.list", "set_item_in.list", "code_in.str", "get_field.object", "set_field.object"),
        *("code_at.str", "len.str", "len.bytes", "getitem.str", "getitem.bytes", "sum.list_int", "sum.list_float"),
    }
)
"""Operators that neither shorten the list that is their first argument nor pass it on."""

_PLAIN = (Leaf, Scalar, Extern, Structural, Pointwise)


@final
class Lengths:
    """The facts at the current point of a walk.

    Args:
        graph: What is walked.
        alone: Whether no task and no other thread can have a list of the program (`is_alone`).
    """

    def __init__(self, graph: Graph, *, alone: bool = False) -> None:
        self._graph = graph
        self._alone = alone
        self._calm: frozenset[Type] | None = None
        self._grown: set[Value] | None = None
        self._facts: dict[Value, list[Fact]] = {}
        self._time = 0
        self._own: set[Value] | None = None
        self._keeps: dict[OpDef, bool] = {}

    def clear(self) -> None:
        """Before a walk."""
        self._facts.clear()

    def of(self, container: Value) -> Iterator[tuple[Value | None, int]]:
        """The lower bounds of the length of `container`."""
        known = self._facts.get(container)
        if known:
            lasting = self.is_lasting(container)
            for value, more, time in known:
                if lasting or time == self._time:
                    yield value, more

    def add(self, container: Value, value: Value | None, more: int) -> list[Fact] | None:
        """Add a fact; returns the list whose last element it is, to remove it later."""
        if not self.can_last(container.type) and not isinstance(container.type, ListType):
            return None
        known = self._facts.setdefault(container, [])
        if len(known) >= 4:
            return None
        known.append((value, more, self._time))
        return known

    def can_last(self, type: Type) -> bool:
        """Whether values of `type` never change their lengths."""
        return type in (STR, BYTES) or (isinstance(type, ListType) and type.frozen)

    def is_lasting(self, container: Value) -> bool:
        """Whether facts about `container` hold for good."""
        if self.can_last(container.type):
            return True
        if self._alone:
            if self._calm is None:
                self._calm = self._calm_types()
            if container.type in self._calm:
                return True
        return self._is_own(container)

    def _is_own(self, container: Value) -> bool:
        if self._own is None:
            self._own = set(_own_lists(self._graph))
        return container in self._own

    def is_fixed(self, container: Value) -> bool:
        """Whether a list that is made here, and that nothing else can reach, keeps its length."""
        if not self._is_own(container):
            return False
        if self._grown is None:
            nodes = walk(self._graph.body)
            self._grown = {n.inputs[0] for n in nodes if isinstance(n, Op) and n.op.name == "append.list"}
        return container not in self._grown

    def _calm_types(self) -> frozenset[Type]:
        """The types of lists that nothing in the graph can make shorter."""
        found: set[Type] = set()
        shortened: set[Type] = set()
        for node in walk(self._graph.body):
            if isinstance(node, _LEAVING):
                return frozenset()
            values = (*node.inputs, *node.outputs)
            found.update(v.type for v in values if isinstance(v.type, ListType))
            if isinstance(node, Op) and not self.keeps(node.op):
                if isinstance(node.op.implementation, Native) and not node.op.effects.world:
                    continue
                if not isinstance(node.op.implementation, Native | Kernel):
                    return frozenset()
                for value in node.inputs:
                    if value.type == ANY or isinstance(value.type, _OPAQUE):
                        return frozenset()
                    shortened.add(value.type)
        found.update(p.type for p in self._graph.body.params if isinstance(p.type, ListType))
        return frozenset(found - shortened)

    def forget(self) -> None:
        """Drop facts about containers that others can reach."""
        self._time += 1

    def effect(self, op: OpDef) -> None:
        """An operator runs."""
        if not self.keeps(op):
            self._time += 1

    def keeps(self, op: OpDef) -> bool:
        """Whether no list that others can reach becomes shorter when an operator runs."""
        keeps = self._keeps.get(op)
        if keeps is None:
            native = isinstance(op.implementation, Native) and op.effects.is_pure
            keeps = self._keeps[op] = native or isinstance(op.implementation, _PLAIN) or op.name in _KEEPS
        return keeps

    def enter_loop(self, node: Loop | For) -> None:
        """A loop, with a safepoint at its end."""
        self._time += 1

    def leave_loop(self) -> None:
        """The same."""
        self._time += 1

    def grows(self, node: For) -> list[Value]:
        """Own lists from outside that each iteration of `node` makes longer by one or more, and that no other way
        leaves."""
        appended = [n.inputs[0] for n in node.body.nodes if isinstance(n, Op) and n.op.name == "append.list"]
        if not appended or not any(map(self.is_lasting, appended)):
            return []
        inside: set[Value] = set()
        for inner in walk(node.body):
            inside.update(inner.outputs)
            if isinstance(inner, Break) and inner.label is node.label:
                return []
            if isinstance(inner, Continue) and inner.label is node.label and inner is not node.body.nodes[-1]:
                return []
        return [v for v in dict.fromkeys(appended) if v not in inside and self.is_lasting(v)]


_LEAVING = (Call, Fork, Closure, Invoke)
_OPAQUE = (OptionalType, UnionType, CallableType, FutureType)


def is_alone(program: Program) -> bool:
    """Whether the lists of a program are those of one call: there are no tasks, and no functions as values, which other
    threads may have. What Python passes is copied, and caches keep no lists."""
    for graph in program.graphs.values():
        if any(isinstance(p.type, CallableType | FutureType) for p in graph.body.params):
            return False
        if any(isinstance(node, Fork | Closure | Invoke) for node in walk(graph.body)):
            return False
    return True


def _own_lists(graph: Graph) -> Iterator[Value]:
    """Lists created in `graph` without aliases, which are only read, written to and made longer."""
    made = [n.outputs[0] for n in walk(graph.body) if isinstance(n, Op) and n.op.name in _MAKES]
    if not made:
        return
    found = uses(graph.body)
    for value in made:
        if isinstance(value.type, ListType) and all(_is_harmless(node, at) for node, at in found.get(value, ())):
            yield value


def _is_harmless(node: Node, at: int) -> bool:
    return isinstance(node, Return) or (isinstance(node, Op) and at == 0 and node.op.name in _KEEPS)


__all__ = ["Lengths", "is_alone"]
