"""Turns loops over lists whose bodies cannot change the length of the list into counted loops.

Before::

    %0: int = loop L0 (%start: int = %zero, %sum: int = %zero) {
      %1: bool = has_item.list(%xs, %start)
      if %1 { yield } else { break L0 (%sum) }
      %n: int = len.list(%xs)
      %2: int = for L1 %i: int in range(%start, %n, %one) (%s: int = %sum) {
        %3: bool = has_item.list(%xs, %i)
        %4: int = if %3 { ... } else { yield %s }
        continue L1 (%4)
      }
      continue L0 (%n, %2)
    }

After (constant conditions and the loop that runs once are left to the other passes)::

    %0: int = loop L0 (%start: int = %zero, %sum: int = %zero) {
      %1: bool = const True
      if %1 { yield } else { break L0 (%sum) }
      %n: int = len.list(%xs)
      %2: int = for L1 %i: int in range(%start, %n, %one) (%s: int = %sum) {
        %3: bool = const True
        %4: int = if %3 { ... } else { yield %s }
        continue L1 (%4)
      }
      break L0 (%2)
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.opdef import Extern, Kernel, Leaf, Native, Pointwise, Scalar, Structural
from tscript.ir.analysis import defined_values
from tscript.ir.builder import Builder
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    Graph,
    If,
    Loop,
    Node,
    Op,
    Program,
    SetSlot,
    Terminator,
    Try,
    Value,
    walk,
)
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.types import BOOL, BYTES, STR, DictType, ListType, SetType, Type


@dataclass(frozen=True, slots=True)
class SteadyLoops(Pass):
    """Removes tests whether a list has grown that cannot grow."""

    name: ClassVar[str] = "steady_loops"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """All loops, each on its own."""
        loops = [n for n in walk(graph.body) if isinstance(n, Loop)]
        if not loops:
            return False
        search = _Search()
        for node in loops:
            search.loop(node)
        return bool(search.true) and rewrite(graph.body, search.visit)


@final
class _Search:
    """Finds such loops.

    Attributes:
        true: `has_item` nodes that always hold.
    """

    def __init__(self) -> None:
        self.true: set[Node] = set()

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """The rule."""
        return [builder.const(True, node.span, type=BOOL)] if node in self.true else None

    def loop(self, node: Loop) -> None:
        """Rewrite a loop over a list of constant length."""
        from tscript.operators.python.iteration import HAS_ITEM

        nodes = [n for n in node.body.nodes if not isinstance(n, Const)]
        match nodes:
            case [
                Op(op=op, inputs=[items, start]) as first,
                If(inputs=[Value(node=condition)], orelse=Block(nodes=[Break() as leaving])),
                Op(outputs=[stop], inputs=[measured]) as length,
                *_,
                Continue() as again,
            ] if op is HAS_ITEM and condition is first and length.op.name == "len.list" and measured is items:
                pass
            case _:
                return
        params = node.body.params
        if start not in params or node.inputs[params.index(start)].constant != 0 or leaving.label is not node.label:
            return
        if again.label is not node.label or again.inputs[params.index(start)] is not stop:
            return
        if sum(isinstance(n, Continue) and n.label is node.label for n in walk(node.body)) != 1:
            return
        assert isinstance(items.type, ListType)
        inside = defined_values(node.body)
        known = dict(zip(params, again.inputs, strict=True))
        if items in inside or any(v in inside and v not in known for v in leaving.inputs):
            return
        if not all(_keeps_length(n, items.type) for n in walk(node.body)):
            return
        self.true.add(first)
        for counted in node.body.nodes:
            if isinstance(counted, For) and counted.inputs[0] is start and counted.inputs[1] is stop:
                self.true.update(
                    n
                    for n in walk(counted.body)
                    if isinstance(n, Op) and n.op is HAS_ITEM and n.inputs == [items, counted.body.params[0]]
                )
        node.body.nodes[-1] = Break(node.label, [known.get(v, v) for v in leaving.inputs], again.span)


def _keeps_length(node: Node, items: Type) -> bool:
    """Whether no list of type `items` is longer or shorter after a node."""
    if not isinstance(node, Op):
        return isinstance(node, Const | If | Loop | For | Try | SetSlot | Terminator)
    implementation = node.op.implementation
    if isinstance(implementation, Native):
        if not node.op.effects.world or node.op.name in ("setitem.list", "set_field.object"):
            return True
        changed = node.inputs[0].type if node.inputs else None
        return changed != items and (isinstance(changed, ListType | DictType | SetType) or changed in (STR, BYTES))
    return isinstance(implementation, Leaf | Scalar | Extern | Structural | Pointwise | Kernel)
