"""Straightens control flow: values that are the same on every path, loops that run once, and `Try`s whose body cannot
raise.

Before::

    %0: int, %1: int = loop L0 (%i: int = %a, %n: int = %b) {
      %2: bool = lt.int(%i, %n)
      if %2 {
        yield
      } else {
        break L0 (%i, %n)
      }
      %3: int = add.int(%i, %n)
      continue L0 (%3, %n)
    }
    %4: int = loop L1 {
      %5: int = mul.int(%0, %1)
      break L1 (%5)
    }

After (the carried value and result that nothing uses now are left to dead code elimination)::

    %0: int, %1: int = loop L0 (%i: int = %a, %n: int = %b) {
      %2: bool = lt.int(%i, %b)
      if %2 {
        yield
      } else {
        break L0 (%i, %b)
      }
      %3: int = add.int(%i, %b)
      continue L0 (%3, %b)
    }
    %5: int = mul.int(%0, %b)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.opdef import Extern, Leaf, Scalar, Structural
from tscript.ir.analysis import defined_values
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Raise,
    SetSlot,
    Terminator,
    Throw,
    Try,
    Value,
    Yield,
    walk,
)
from tscript.ir.rewrite import erase, resolve
from tscript.ir.splicing import drop_dead_ends
from tscript.late import dataclass
from tscript.passes.aliases import can_raise
from tscript.passes.base import Pass, PassContext
from tscript.passes.retyping import is_narrower, retype


@dataclass(frozen=True, slots=True)
class ControlFlow(Pass):
    """Simplifies `If`, `Loop` and `For`."""

    name: ClassVar[str] = "control_flow"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk forwards."""
        if not any(node.has_blocks for node in graph.body.nodes):
            return False
        walk = _Straightening(graph.body)
        walk.block(graph.body)
        if walk.narrowed:
            retype(graph, context.table)
        return drop_dead_ends(graph.body) or walk.changed


def may_raise(block: Block) -> bool:
    """Whether an exception may come out of `block`: by anything but plain arithmetic and branches."""
    for node in walk(block):
        match node:
            case Op():
                plain = isinstance(node.op.implementation, Extern | Leaf | Scalar | Structural)
                if not plain or node.op.effects.world or can_raise(node):
                    return True
            case Raise() | Throw():
                return True
            case Const() | If() | SetSlot() | Terminator():
                pass
            case _:
                return True
    return False


@final
class _Straightening:
    """The walk: `mapping` has the replacements of values."""

    def __init__(self, body: Block) -> None:
        self.mapping: dict[Value, Value] = {}
        self.breaks: dict[Label, list[Break]] = {}
        self.continues: dict[Label, list[Continue]] = {}
        self.slots: dict[Label, set[int]] = {}
        """Numbers of the slots that are ever set."""
        self.changed = False
        self.narrowed = False
        for node in walk(body):
            if not node.inputs and not node.is_terminator:
                continue
            if isinstance(node, Break):
                self.breaks.setdefault(node.label, []).append(node)
            elif isinstance(node, Continue):
                self.continues.setdefault(node.label, []).append(node)
            elif isinstance(node, SetSlot):
                self.slots.setdefault(node.label, set()).add(node.index)

    def block(self, block: Block) -> None:
        out: list[Node] = []
        self.nodes(block.nodes, out)
        block.nodes = out

    def nodes(self, nodes: Sequence[Node], out: list[Node]) -> None:
        """Append `nodes`, straightened, to `out`, until one of them leaves."""
        mapping = self.mapping
        for node in nodes:
            if mapping:
                self.inputs(node)
            if not node.has_blocks:
                out.append(node)
                continue
            match node:
                case If():
                    self.block(node.then)
                    self.block(node.orelse)
                    out.append(node)
                    self.same_on_both_sides(node)
                case Loop() if self.runs_once(node):
                    self.changed = True
                    self.replace(node.body.params, node.inputs)
                    self.nodes(node.body.nodes, out)
                    end = out[-1]
                    assert isinstance(end, Terminator)
                    if not (isinstance(end, Break) and end.label is node.label):
                        return
                    out.pop()
                    self.replace(node.outputs, end.inputs)
                case Loop():
                    self.invariant(node, node.body.params, node.inputs)
                    self.block(node.body)
                    out.append(node)
                    self.same_at_all_breaks(node)
                case For():
                    self.invariant(node, node.body.params[1:], node.inputs[3:])
                    self.block(node.body)
                    out.append(node)
                case Try() if not may_raise(node.body):
                    self.changed = True
                    erase(node.body, [n for n in walk(node.body) if isinstance(n, SetSlot) and n.label is node.label])
                    self.nodes(node.body.nodes, out)
                    end = out[-1]
                    if not isinstance(end, Yield):
                        return
                    out.pop()
                    self.replace(node.outputs, end.inputs)
                case Try():
                    self.untouched(node)
                    for inner in node.blocks:
                        self.block(inner)
                    out.append(node)
                case _:
                    for inner in node.blocks:
                        self.block(inner)
                    out.append(node)

    def inputs(self, node: Node) -> None:
        inputs, mapping = node.inputs, self.mapping
        for i, value in enumerate(inputs):
            if value in mapping:
                inputs[i] = resolve(mapping, value)

    def replace(self, old: Sequence[Value], new: Sequence[Value]) -> None:
        self.mapping.update((a, resolve(self.mapping, b)) for a, b in zip(old, new, strict=True))
        self.changed |= bool(old)
        self.narrowed |= is_narrower(old, new)

    def resolved(self, values: Sequence[Value]) -> list[Value]:
        return [resolve(self.mapping, v) for v in values]

    def same_on_both_sides(self, node: If) -> None:
        """A result to which both branches yield the same earlier value is that value; one that is True in one branch
        and False in the other is the condition."""
        ends = [b.nodes[-1] for b in node.blocks if isinstance(b.nodes[-1], Yield)]
        if not node.outputs or not ends:
            return
        inside: set[Value] | None = None
        for i, output in enumerate(node.outputs):
            value = ends[0].inputs[i]
            if len(ends) == 2:
                other = ends[1].inputs[i]
                if value.constant is True and other.constant is False:
                    self.replace([output], [node.inputs[0]])
                if value is not other:
                    continue
            else:
                if inside is None:
                    inside = {v for b in node.blocks for v in defined_values(b)}
                if value in inside:
                    continue
            if value.type == output.type:
                self.replace([output], [value])

    def runs_once(self, node: Loop) -> bool:
        """Whether the body ends the loop and nothing else in it does."""
        if self.continues.get(node.label):
            return False
        found = self.breaks.get(node.label, ())
        end = node.body.nodes[-1]
        return not found or (len(found) == 1 and found[0] is end)

    def invariant(self, node: Loop | For, params: Sequence[Value], inits: Sequence[Value]) -> None:
        """A carried value that every iteration passes on as it was is the initial one."""
        found = [self.resolved(end.inputs) for end in self.continues.get(node.label, ())]
        breaks = [self.resolved(end.inputs) for end in self.breaks.get(node.label, ())]
        for i, (param, init) in enumerate(zip(params, inits, strict=True)):
            if param.type == init.type and all(end[i] is param or end[i] is init for end in found):
                self.replace([param], [init])
                if isinstance(node, For) and all(end[i] is param or end[i] is init for end in breaks):
                    self.replace([node.outputs[i]], [init])

    def untouched(self, node: Try) -> None:
        """A slot that is never set holds its initial value."""
        touched = self.slots.get(node.label, ())
        for handler in node.handlers:
            for i, (param, init) in enumerate(zip(node.slots(handler), node.inputs, strict=True)):
                if i not in touched and param.type == init.type:
                    self.replace([param], [init])

    def same_at_all_breaks(self, node: Loop) -> None:
        """A result for which every break passes one value from before the loop is that value."""
        found = self.breaks.get(node.label)
        if not found or not node.outputs:
            return
        inside: set[Value] | None = None
        for i, output in enumerate(node.outputs):
            value = found[0].inputs[i]
            if value.type != output.type or any(end.inputs[i] is not value for end in found):
                continue
            if inside is None:
                inside = defined_values(node.body)
            if value not in inside:
                self.replace([output], [value])
