"""Evaluates nodes with constant inputs, and removes branches and loops that constant conditions rule out.

Before::

    %0: int = const 6
    %1: int = const 7
    %2: int = mul.int(%0, %1)
    %3: bool = lt.int(%2, %0)
    %4: int = if %3 {
      yield %0
    } else {
      yield %2
    }
    return %4

After (what is unused now is left to dead code elimination)::

    %2: int = const 42
    %3: bool = const False
    return %2

Operators are evaluated by their own `semantics`; one that raises stays where it is. Inside the branches of an `If`, and
after one of which only one branch falls through, the condition itself is a constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, final

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.ir.graph import (
    Block,
    Const,
    For,
    Graph,
    If,
    Node,
    Op,
    Program,
    Terminator,
    Unreachable,
    Value,
    Yield,
)
from tscript.ir.rewrite import resolve
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.passes.folding import BY_TYPE, TypeFold, fold, is_foldable_type, same_constant
from tscript.passes.retyping import is_narrower, retype


@dataclass(frozen=True, slots=True)
class ConstantPropagation(Pass):
    """Folds constants and prunes control flow by them."""

    name: ClassVar[str] = "constant_propagation"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk forwards."""
        walk = _Propagation(context.by_operator(BY_TYPE))
        walk.block(graph.body)
        if walk.narrowed:
            retype(graph, context.table)
        return walk.changed


@final
class _Propagation:
    """The walk: `mapping` has the replacements of values, `known` the constant conditions at this point."""

    def __init__(self, by_type: Mapping[OpDef, TypeFold]) -> None:
        self.by_type = by_type
        self.mapping: dict[Value, Value] = {}
        self.known: dict[Value, bool] = {}
        self.learned: list[tuple[Value, bool | None]] = []
        """Conditions that are known in open blocks, with what was known of them before."""
        self.changed = False
        self.narrowed = False

    def block(self, block: Block, cond: Value | None = None, truth: bool = False) -> None:
        """Rewrite `block`, in which `cond` is `truth`."""
        mark = len(self.learned)
        if cond is not None and cond.constant is MISSING:
            self.learn(cond, truth)
        out: list[Node] = []
        self.nodes(block.nodes, out)
        block.nodes = out
        while len(self.learned) > mark:
            value, before = self.learned.pop()
            if before is None:
                del self.known[value]
            else:
                self.known[value] = before

    def learn(self, cond: Value, truth: bool) -> None:
        """`cond` is `truth` until the end of the block."""
        self.learned.append((cond, self.known.get(cond)))
        self.known[cond] = truth

    def nodes(self, nodes: list[Node], out: list[Node]) -> None:
        """Append `nodes`, simplified, to `out`, until one of them leaves."""
        mapping, known = self.mapping, self.known
        for i, node in enumerate(nodes):
            if node.inputs and (mapping or known):
                self.inputs(node, out)
            match node:
                case Op():
                    self.op(node, out)
                case Const():
                    out.append(node)
                case If():
                    if not self.if_(node, out):
                        rest = nodes[i + 1 :]
                        self.changed |= not (len(rest) == 1 and isinstance(rest[0], Unreachable))
                        if not isinstance(out[-1], Terminator):
                            out.append(Unreachable(node.span))
                        return
                case For() if self.is_empty(node):
                    self.replace(node.outputs, node.inputs[3:])
                case _:
                    for inner in node.blocks:
                        self.block(inner)
                    out.append(node)

    def replace(self, old: Sequence[Value], new: Sequence[Value]) -> None:
        """Replace the values `old` by `new`."""
        self.mapping.update(zip(old, new, strict=True))
        self.changed = True
        self.narrowed |= is_narrower(old, new)

    def inputs(self, node: Node, out: list[Node]) -> None:
        """Replace the inputs of `node` by known values."""
        inputs, mapping, known = node.inputs, self.mapping, self.known
        for i, value in enumerate(inputs):
            if value in mapping:
                value = inputs[i] = resolve(mapping, value)
            if value in known:
                inputs[i] = self.constant(known[value], value, node.span, out)

    def constant(self, value: object, old: Value, span: Span, out: list[Node]) -> Value:
        """A new constant in place of `old`."""
        node = Const(value, old.type, span)
        node.outputs[0].name = old.name
        out.append(node)
        self.changed = True
        return node.outputs[0]

    def op(self, node: Op, out: list[Node]) -> None:
        output = node.outputs[0]
        value = fold(node.op, node.inputs, output.type, self.by_type)
        if value is MISSING:
            out.append(node)
        else:
            self.mapping[output] = self.constant(value, output, node.span, out)

    def if_(self, node: If, out: list[Node]) -> bool:
        """Simplify an `If`; returns whether control continues after it."""
        cond = node.inputs[0]
        if cond.constant is not MISSING:
            self.changed = True
            self.nodes((node.then if cond.constant else node.orelse).nodes, out)
            end = out[-1]
            if isinstance(end, Yield):
                out.pop()
                self.replace(node.outputs, end.inputs)
                return True
            return False
        self.block(node.then, cond, True)
        self.block(node.orelse, cond, False)
        out.append(node)
        then, orelse = node.then.terminator, node.orelse.terminator
        ends = [end for end in (then, orelse) if isinstance(end, Yield)]
        if not ends:
            return False
        if len(ends) == 1:
            self.learn(cond, ends[0] is then)
        for i, output in enumerate(node.outputs):
            first = ends[0].inputs[i]
            value = first.constant
            if value is MISSING or not is_foldable_type(output.type) or first.type != output.type:
                continue
            others = [end.inputs[i].constant for end in ends[1:]]
            if all(other is not MISSING and same_constant(other, value) for other in others):
                self.mapping[output] = self.constant(value, output, node.span, out)
        return True

    def is_empty(self, node: For) -> bool:
        """Whether the loop is known not to run at all."""
        start, stop, step = (v.constant for v in node.inputs[:3])
        if not (isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)) or step == 0:
            return False
        return start >= stop if step > 0 else start <= stop
