"""Computes equal things once: dominance-scoped value numbering of constants, pure operators, views and reads.

Before::

    %0: int = const 2
    %1: int = mul.int(%x, %0)
    %2: int = const 2
    %3: int = mul.int(%x, %2)
    %4: int = add.int(%1, %3)

After::

    %0: int = const 2
    %1: int = mul.int(%x, %0)
    %4: int = add.int(%1, %1)

An earlier value replaces a later equal one if it is visible there. Nodes that read the elements of a tensor are only
merged if nothing can have written to them in between. Two new tensors are only merged if the program cannot distinguish
them: neither is written to, and at most one of them leaves the function. Nodes that can raise are merged too: if the
first had raised, control would not reach the second.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, final

from tscript.definitions.opdef import Composite, OpDef
from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
from tscript.ir.graph import (
    Block,
    Call,
    Closure,
    Const,
    For,
    Fork,
    Fused,
    Graph,
    Invoke,
    Loop,
    Node,
    Op,
    Program,
    Value,
)
from tscript.ir.rewrite import resolve
from tscript.late import dataclass
from tscript.passes.aliases import (
    METADATA,
    Aliases,
    has_tensors,
    holds_objects,
    holds_tensor,
    is_opaque,
    observed,
    own_writes,
)
from tscript.passes.base import Pass, PassContext
from tscript.passes.folding import constant_key
from tscript.types import TensorType

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class CommonSubexpressions(Pass):
    """Merges equal computations."""

    name: ClassVar[str] = "common_subexpressions"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk forwards."""
        numbering = _Numbering(graph, Aliases(graph) if has_tensors(graph) else None)
        numbering.block(graph.body)
        return numbering.changed


@final
class _Numbering:
    """The walk: `available` maps what is computed to the value that holds it."""

    def __init__(self, graph: Graph, aliases: Aliases | None) -> None:
        self.aliases = aliases
        self._graph = graph
        self._observed: set[Value] | None = None
        self.available: dict[Key, Value] = {}
        self.mapping: dict[Value, Value] = {}
        self.epochs: dict[Value, int] = {}
        """How often each storage class may have been written so far."""
        self.changed = False
        self._written: dict[Node, set[Value]] = {}

    def block(self, block: Block) -> None:
        """Number `block`; its additions to `available` are dropped after it."""
        added: list[Key] = []
        kept: list[Node] = []
        mapping = self.mapping
        for node in block.nodes:
            if mapping:
                inputs = node.inputs
                for i, value in enumerate(inputs):
                    if value in mapping:
                        inputs[i] = resolve(mapping, value)
            key = self.key(node)
            if key is not None:
                earlier = self.available.get(key)
                if earlier is not None and self.may_merge(earlier, node):
                    mapping[node.outputs[0]] = earlier
                    self.changed = True
                    continue
                if earlier is None:
                    self.available[key] = node.outputs[0]
                    added.append(key)
            elif node.has_blocks:
                self.nested(node)
            if self.aliases is not None and may_write(node):
                self.wrote(self.written(node, self.aliases))
            kept.append(node)
        if len(kept) != len(block.nodes):
            block.nodes = kept
        for key in added:
            del self.available[key]

    def nested(self, node: Node) -> None:
        """Number the blocks of `node`. The body of a loop also sees its own writes of the last iteration."""
        if isinstance(node, (Loop, For)) and self.aliases is not None:
            self.wrote(self.written(node, self.aliases))
        if isinstance(node, Fused):
            outside, self.available = self.available, {}
            self.block(node.body)
            self.available = outside
            return
        for inner in node.blocks:
            self.block(inner)

    def written(self, node: Node, aliases: Aliases) -> set[Value]:
        """The classes that a node with all its blocks may write: found once for each node."""
        found = self._written.get(node)
        if found is None:
            found = self._written[node] = own_writes(node, aliases)
            for block in node.blocks:
                for inner in filter(may_write, block.nodes):
                    found |= self.written(inner, aliases)
        return found

    def wrote(self, classes: Iterable[Value]) -> None:
        for root in classes:
            self.epochs[root] = self.epochs.get(root, 0) + 1

    def key(self, node: Node) -> Key | None:
        """The key of a computation: equal keys mean equal values. None if the node must stay."""
        if isinstance(node, Const):
            type = node.outputs[0].type
            return None if isinstance(type, TensorType) else (type, constant_key(node.value))
        if not isinstance(node, Op):
            return None
        op = node.op
        if not is_mergeable(op):
            return None
        for value in node.inputs:
            if holds_objects(value.type):
                return None  # the elements of a list may have changed
        key: Key = (op, node.outputs[0].type, *node.inputs)
        if self.aliases is not None and op.effects.view_of is None and op.name not in METADATA:
            reads = [self.epochs.get(self.aliases.root(v), 0) for v in node.inputs if holds_tensor(v.type)]
            if reads:
                key = (*key, *reads)
        return key

    def may_merge(self, earlier: Value, node: Node) -> bool:
        """Whether the program cannot distinguish the result of `node` from `earlier`, which has the same elements."""
        aliases, later = self.aliases, node.outputs[0]
        if aliases is None or not holds_tensor(later.type):
            return True
        if self._observed is None:
            self._observed = observed(self._graph.body)
        if later in self._observed:
            if earlier in self._observed:
                return False
            self._observed.add(earlier)
        if not makes_tensor(node):
            return True
        a, b = aliases.root(earlier), aliases.root(later)
        if a in aliases.written or b in aliases.written:
            return False
        if a in aliases.escaping and b in aliases.escaping:
            return False
        epoch = max(self.epochs.get(a, 0), self.epochs.get(b, 0))
        aliases.merge(a, b)
        self.epochs[aliases.root(a)] = epoch
        return True


def makes_tensor(node: Node) -> bool:
    """Whether the result of `node` has storage of its own: it is neither a view nor a tuple of existing values."""
    return isinstance(node, Op) and node.op.effects.view_of is None and node.op not in (TUPLE_MAKE, TUPLE_GET)


def may_write(node: Node) -> bool:
    """Whether `node` may write to a tensor, by a quick look."""
    if isinstance(node, Op):
        return bool(node.op.effects.writes) or is_opaque(node.op)
    return node.has_blocks or isinstance(node, Call | Fork | Closure | Invoke)


def is_mergeable(op: OpDef) -> bool:
    """Whether two calls of `op` with the same arguments have the same result."""
    return not (op.effects.world or op.effects.writes or isinstance(op.implementation, Composite))
