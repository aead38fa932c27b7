"""Removes dead code: unused values, loops without effect, unused results and carried values, uncalled graphs.

Before::

    %0: int = const 1
    %1: int = add.int(%x, %0)
    %2: int, %3: int = for L0 %i: int in range(%0, %x, %0) (%a: int = %0, %b: int = %0) {
      %4: int = add.int(%a, %i)
      %5: int = mul.int(%b, %i)
      continue L0 (%4, %5)
    }
    return %2

After::

    %0: int = const 1
    %2: int = for L0 %i: int in range(%0, %x, %0) (%a: int = %0) {
      %4: int = add.int(%a, %i)
      continue L0 (%4)
    }
    return %2

Nodes that raise, write or have effects stay, except boxes, and except nodes outside of a `Loop` that only raise for an
int that does not fit. A `Loop` that repeats stays too, because it may not end. Marking starts at these and at
``return`` and ``raise``, and follows inputs, exits and conditions. A carried value that is only needed for itself is
never reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    Graph,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Value,
    Yield,
)
from tscript.late import dataclass
from tscript.operators.python.conversions import BOX
from tscript.passes.aliases import can_raise
from tscript.passes.base import Pass, PassContext, guarded
from tscript.passes.inline import drop_uncalled


@dataclass(frozen=True, slots=True)
class DeadCode(Pass):
    """Removes dead code."""

    name: ClassVar[str] = "dead_code"

    def run(self, program: Program, context: PassContext) -> bool:
        """Graph by graph; then the graphs that nothing calls any more."""
        changed = False
        for graph in list(program.graphs.values()):
            changed |= guarded(self, graph, program, context)
        return (len(program.graphs) > 1 and drop_uncalled(program)) or changed

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Mark what is needed, then sweep the rest."""
        marking = _Marking()
        marking.collect(graph.body, None)
        marking.propagate()
        return _Sweep(marking).block(graph.body)


def has_effect(node: Node, repeated: bool = True) -> bool:
    """Whether `node` by itself, leaving its blocks aside, has to stay; `repeated` says whether a `Loop` is around it.

    An unused int need not fit. But a loop may run until it overflows; then the error ends the loop.
    """
    match node:
        case Op():
            effects = node.op.effects
            if node.op is BOX:
                return False
            return bool(effects.world or effects.writes) or (can_raise(node) and (repeated or not effects.overflows))
        case Call() | Fork() | Invoke() | Raise() | Throw() | Return():
            return True
    return False


@final
class _Marking:
    """Finds needed nodes, and needed outputs and parameters of nodes with blocks."""

    def __init__(self) -> None:
        self.nodes: set[Node] = set()
        self.values: set[Value] = set()
        self.pending_values: list[Value] = []
        self.pending_nodes: list[Node] = []
        self.parents: dict[Node, Node | None] = {}
        self.sources: dict[Value, list[tuple[Node, Value]]] = {}
        """Block parameters and results of nodes with blocks: what flows into them, and by which terminator or node."""
        self.exits: dict[Node, list[Node]] = {}
        """The exits of each loop, which stand or fall with it."""
        self.loops: dict[Label, Loop | For] = {}
        self.tries: dict[Label, Try] = {}
        self.depth = 0
        """How many loops of the kind `Loop` are around."""

    def collect(self, block: Block, parent: Node | None) -> None:
        """Record how values flow in `block` and below it, and where marking begins."""
        parents, repeated = self.parents, self.depth > 0
        for node in block.nodes:
            parents[node] = parent
            match node:
                case Op():
                    if has_effect(node, repeated):
                        self.pending_nodes.append(node)
                case Const() | Closure():
                    pass
                case Call() | Fork() | Invoke() | Raise() | Throw() | Return():
                    self.pending_nodes.append(node)
                case If():
                    self.collect(node.then, node)
                    self.collect(node.orelse, node)
                case Loop() | For():
                    self.loops[node.label] = node
                    self.exits[node] = []
                    carried = node.body.params if isinstance(node, Loop) else node.body.params[1:]
                    inits = node.inputs if isinstance(node, Loop) else node.inputs[3:]
                    self.flow(node, inits, carried)
                    if isinstance(node, For):
                        self.flow(node, carried, node.outputs)
                    self.depth += isinstance(node, Loop)
                    self.collect(node.body, node)
                    self.depth -= isinstance(node, Loop)
                    if isinstance(node, Loop) and any(isinstance(end, Continue) for end in self.exits[node]):
                        self.pending_nodes.append(node)
                case Try():
                    self.tries[node.label] = node
                    for handler in node.handlers:
                        self.flow(node, node.inputs, node.slots(handler))
                    for inner in node.blocks:
                        self.collect(inner, node)
                case SetSlot():
                    for handler in self.tries[node.label].handlers:
                        self.flow(node, node.inputs, [handler.block.params[node.index]])
                case Fused():
                    self.flow(node, node.inputs, node.body.params)
                    self.collect(node.body, node)
                case Yield():
                    if parent is not None:
                        self.flow(node, node.inputs, parent.outputs)
                case Break():
                    loop = self.loops[node.label]
                    self.flow(node, node.inputs, loop.outputs)
                    self.exits[loop].append(node)
                case Continue():
                    loop = self.loops[node.label]
                    self.flow(node, node.inputs, loop.body.params if isinstance(loop, Loop) else loop.body.params[1:])
                    self.exits[loop].append(node)

    def flow(self, by: Node, sources: Sequence[Value], targets: Sequence[Value]) -> None:
        for source, target in zip(sources, targets, strict=True):
            self.sources.setdefault(target, []).append((by, source))

    def propagate(self) -> None:
        """Mark until nothing new is reached."""
        nodes, values, sources = self.pending_nodes, self.pending_values, self.sources
        marked, marked_values, parents = self.nodes, self.values, self.parents
        while True:
            if nodes:
                node = nodes.pop()
                if node in marked:
                    continue
                marked.add(node)
                parent = parents[node]
                if parent is not None:
                    nodes.append(parent)
                if node.__class__ in _PASSES_ON:
                    self.mark_inputs(node)
                else:
                    values += node.inputs
            elif values:
                value = values.pop()
                if value in marked_values:
                    continue
                marked_values.add(value)
                for by, source in sources.get(value, ()):
                    values.append(source)
                    nodes.append(by)
                if value.node is not None:
                    nodes.append(value.node)
            else:
                return

    def mark_inputs(self, node: Node) -> None:
        """What a node needs by itself that passes values on."""
        match node:
            case If():
                self.pending_values.append(node.inputs[0])
            case For():
                self.pending_values += node.inputs[:3]
                self.pending_nodes += self.exits[node]
            case Loop():
                self.pending_nodes += self.exits[node]


_PASSES_ON = frozenset((If, For, Loop, Yield, Break, Continue, Fused, Try))
"""Nodes whose inputs are needed if what they are passed to is."""


@final
class _Sweep:
    """Removes unmarked nodes."""

    def __init__(self, marking: _Marking) -> None:
        self.needed = marking.nodes
        self.values = marking.values
        self.keeps: dict[Node, list[bool]] = {}
        self.parameters: dict[Node, list[bool]] = {}
        self.labels: dict[Label, Loop | For] = marking.loops
        self.tries = marking.tries
        self.slots: dict[Try, list[bool]] = {}
        self.changed = False

    def block(self, block: Block, parent: Node | None = None) -> bool:
        """Sweep `block` and those below it; returns whether anything was removed."""
        needed = self.needed
        kept: list[Node] = []
        for node in block.nodes:
            match node:
                case Op() | Const() | Call() | Fork() | Closure() | Invoke():
                    if node not in needed:
                        continue
                case Yield():
                    if parent is not None:
                        self.select(node, self.keeps[parent])
                case Break():
                    self.break_(node, self.labels[node.label])
                case Continue():
                    loop = self.labels[node.label]
                    self.select(node, self.keeps[loop] if isinstance(loop, For) else self.parameters[loop])
                case SetSlot():
                    keep = self.slots[self.tries[node.label]]
                    if not keep[node.index]:
                        continue
                    node.index = sum(keep[: node.index])
                case If() | Loop() | For() | Fused() | Try():
                    if node not in needed:
                        continue
                    self.narrow(node)
                    for inner in node.blocks:
                        self.block(inner, node)
            kept.append(node)
        if len(kept) != len(block.nodes):
            self.changed = True
            block.nodes = kept
        return self.changed

    def select(self, node: Node, keep: Sequence[bool]) -> None:
        if not all(keep):
            node.inputs = [v for v, kept in zip(node.inputs, keep, strict=True) if kept]

    def break_(self, node: Break, loop: Loop | For) -> None:
        """A result of a `For` that stays only because it is carried gets any value that is left."""
        self.select(node, self.keeps[loop])
        if isinstance(loop, For):
            for i, output in enumerate(loop.outputs):
                if output not in self.values:
                    node.inputs[i] = loop.body.params[1 + i]

    def narrow(self, node: If | Loop | For | Fused | Try) -> None:
        """Take unused results, parameters and what they start from off `node`; exits follow when they are met."""
        values = self.values
        keep = [v in values for v in node.outputs]
        match node:
            case For():
                keep = [k or p in values for k, p in zip(keep, node.body.params[1:], strict=True)]
                if not all(keep):
                    node.body.params = node.body.params[:1] + _kept(node.body.params[1:], keep)
                    node.inputs = node.inputs[:3] + _kept(node.inputs[3:], keep)
            case Try():
                self.narrow_slots(node)
            case Loop() | Fused():
                params = [p in values for p in node.body.params]
                self.parameters[node] = params
                if not all(params):
                    self.changed = True
                    node.inputs = _kept(node.inputs, params)
                    node.body.params = _kept(node.body.params, params)
        self.keeps[node] = keep
        if not all(keep):
            self.changed = True
            node.outputs = _kept(node.outputs, keep)

    def narrow_slots(self, node: Try) -> None:
        """Take slots that no handler reads off `node`, and the exception off handlers that do not look at it."""
        values = self.values
        columns = zip(*(node.slots(h) for h in node.handlers), strict=True)
        slots = self.slots[node] = [any(p in values for p in column) for column in columns]
        for handler in node.handlers:
            caught = node.caught(handler)
            keep = slots if caught is None else [*slots, caught in values]
            if not all(keep):
                self.changed = True
                handler.block.params = _kept(handler.block.params, keep)
        node.inputs = _kept(node.inputs, slots)


def _kept(values: Sequence[Value], keep: Sequence[bool]) -> list[Value]:
    return [v for v, kept in zip(values, keep, strict=True) if kept]
