"""Unroll and jam: several iterations of a loop run side by side in one inner loop.

Before::

    for L0 %j: int in range(%zero, %m, %one) {
      %t: float = for L1 %p: int in range(%zero, %k, %one) (%s: float = %start) {
        %x: float = element_in.dense(%a, %i, %p)
        %y: float = element_in.dense(%b, %p, %j)
        %xy: float = mul(%x, %y)
        %u: float = add(%s, %xy)
        continue L1 (%u)
      }
      %0: None = set_element_in(%c, %t, %i, %j)
      continue L0
    }

After (two in place of eight)::

    %0: bool = machine.lt(%zero, %m)
    %1: int = machine.sub(%m, %zero)
    %2: int = machine.select(%0, %1, %zero)
    %3: int = machine.rem(%2, %two)
    %end: int = machine.sub(%m, %3)
    for L2 %j: int in range(%zero, %end, %two) {
      %j1: int = machine.add(%j, %one)
      %t: float, %t1: float = for L3 %p: int in range(%zero, %k, %one) (%s: float = %start, %s1: float = %start) {
        %x: float = element_in.dense(%a, %i, %p)
        %y: float = element_in.dense(%b, %p, %j)
        %xy: float = mul(%x, %y)
        %u: float = add(%s, %xy)
        %y1: float = element_in.dense(%b, %p, %j1)
        %xy1: float = mul(%x, %y1)
        %u1: float = add(%s1, %xy1)
        continue L3 (%u, %u1)
      }
      %4: None = set_element_in(%c, %t, %i, %j)
      %5: None = set_element_in(%c, %t1, %i, %j1)
      continue L2
    }
    %6: bool = machine.lt(%end, %m)
    if %6 {
      for L0 %j: int in range(%end, %m, %one) { ... }
      yield
    } else {
      yield
    }

A sum of floats has to be added up in order, so each addition waits for the one before. Sums that do not depend on each
other do not wait, and LLVM makes vectors of them. Every sum keeps its order, and so its bits.

The loop writes elements of arrays that were made in the function and that it does not read, each iteration its own
column; what it reads are elements that all iterations share, or neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.opdef import Leaf, Pointwise, Scalar, Structural
from tscript.dialect import machine
from tscript.ir.analysis import defined_values, trip_count
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_node
from tscript.ir.graph import Block, Const, Continue, Division, For, Graph, Label, Node, Op, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.aliases import Aliases, can_raise
from tscript.passes.base import Pass, PassContext
from tscript.passes.index_checks import DENSE, is_dense
from tscript.types import INT, TensorType, dtype_of

READS = ("element_in", "element_in.dense")
WRITES = ("set_element_in", "set_element_in.dense")
SUMS = ("wrapping_add.int", "wrapping_sub.int", "machine.add", "machine.sub")


@dataclass(frozen=True, slots=True)
class UnrollAndJam(Pass):
    """Runs iterations side by side that add up floats.

    Attributes:
        lanes: How many.
        max_nodes: Only bodies of at most this many nodes.
    """

    name: ClassVar[str] = "unroll_and_jam"

    lanes: int = 8
    max_nodes: int = 40

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Every loop around a loop that carries a float."""
        nests = [n for n in walk(graph.body) if isinstance(n, For) and self._is_nest(n)]
        if not nests:
            return False
        aliases = Aliases(graph)
        chosen = {n for n in nests if _Reader(n, aliases).is_apart()}

        def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
            if not isinstance(node, For) or node not in chosen:
                return None
            jam(node, builder, self.lanes)
            return ()

        return bool(chosen) and rewrite(graph.body, visit)

    def _is_nest(self, node: For) -> bool:
        """Whether a loop carries nothing, and consists of arithmetic, accesses to elements and loops of such."""
        counter = node.inputs[0].type == INT and node.inputs[2].constant == 1
        if not counter or len(node.inputs) > 3 or node.division is not Division.NONE or trip_count(node) is not None:
            return False
        inner = [n for n in node.body.nodes if isinstance(n, For)]
        if len(inner) != 1 or not any(_is_float(v) for v in inner[0].outputs):
            return False
        inside = [n for n in walk(node.body) if not isinstance(n, Const)]
        return len(inside) <= self.max_nodes and all(map(_is_plain, inside)) and _innermost(inner[0]) is not None


def _is_float(value: Value) -> bool:
    dtype = dtype_of(value.type)
    return dtype is not None and dtype.is_floating_point and not isinstance(value.type, TensorType)


def _innermost(node: For) -> For | None:
    """The loop in a loop that has at most one in each body."""
    inner = [n for n in node.body.nodes if isinstance(n, For)]
    return node if not inner else _innermost(inner[0]) if len(inner) == 1 else None


def _is_plain(node: Node) -> bool:
    if not isinstance(node, Op):
        return isinstance(node, For | Continue)
    if node.op.name in READS or node.op.name in WRITES:
        return True
    if can_raise(node) or node.op.effects.world or node.op.effects.writes:
        return False
    if any(isinstance(v.type, TensorType) for v in (*node.inputs, *node.outputs)):
        return False
    return isinstance(node.op.implementation, Leaf | Scalar | Structural | Pointwise)


@final
class _Reader:
    """What a nest reads and writes.

    Args:
        loop: The outer loop.
    """

    def __init__(self, loop: For, aliases: Aliases) -> None:
        self._loop = loop
        self._aliases = aliases
        self._counter = loop.body.params[0]
        self._varies = {self._counter}
        self._inside = defined_values(loop.body)

    def is_apart(self) -> bool:
        """Whether iterations may run side by side, and gain by it."""
        written: list[Value] = []
        read: list[Value] = []
        neighbours = 0
        for node in walk(self._loop.body):
            if isinstance(node, For):
                if any(v in self._varies for v in node.inputs[:3]):
                    return False
                self._varies.update(node.body.params[1:])
                self._varies.update(node.outputs)
            elif isinstance(node, Op):
                if any(v in self._varies for v in node.inputs):
                    self._varies.update(node.outputs)
                if node.op.name in WRITES:
                    *rows, column = node.inputs[2:]
                    if node not in self._loop.body.nodes or column is not self._counter:
                        return False
                    if any(v in self._varies for v in rows):
                        return False
                    written.append(node.inputs[0])
                elif node.op.name in READS:
                    kind = self._kind(node)
                    if kind is None:
                        return False
                    neighbours += kind
                    read.append(node.inputs[0])
        return neighbours > 0 and bool(written) and all(self._is_new(w, read) for w in written)

    def _kind(self, node: Op) -> int | None:
        """1 for a read of neighbours, 0 for one of the same element in all iterations, None for any other."""
        array, *rows, column = node.inputs
        if array in self._inside or any(v in self._varies for v in rows):
            return None
        if column not in self._varies:
            return 0
        return 1 if (node.op.name == "element_in.dense" or is_dense(array)) and self._is_near(column) else None

    def _is_near(self, column: Value) -> bool:
        """Whether an index grows by 1 with the counter."""
        if column is self._counter:
            return True
        match column.node:
            case Op(op=op, inputs=[a, b]) if op.name in SUMS and b not in self._varies:
                return self._is_near(a)
            case Op(op=op, inputs=[a, b]) if op.name in SUMS and "add" in op.name and a not in self._varies:
                return self._is_near(b)
        return False

    def _is_new(self, array: Value, read: Sequence[Value]) -> bool:
        """Whether an array was made in this graph, and nothing that is read shares its memory."""
        made = array.node
        if array in self._inside or not isinstance(made, Op) or made.op.name.partition(".")[0] not in DENSE:
            return False
        root = self._aliases.root(array)
        return all(r is not array and (r.node is None or self._aliases.root(r) is not root) for r in read)


def jam(loop: For, builder: Builder, lanes: int) -> None:
    """Append `loop` with `lanes` iterations side by side, and the rest of it."""
    start, stop = loop.inputs[:2]
    span = loop.span
    # In a loop with iterations the counter is a position, so that the difference fits.
    runs = builder.op(machine.LT, start, stop, span=span)
    length = builder.op(machine.SUB, stop, start, span=span)
    count = builder.op(machine.SELECT, runs, length, builder.const(0, span), span=span)
    rest = builder.op(machine.REM, count, builder.const(lanes, span), span=span)
    end = builder.op(machine.SUB, stop, rest, span=span)
    builder.append(_Lanes(lanes).outer(loop, end, builder))
    more = builder.op(machine.LT, end, stop, span=span)
    with builder.if_(more, span=span) as branches:
        with branches.then:
            again = clone_node(loop)
            again.inputs[0] = end
            builder.append(again)
            builder.yield_()
        with branches.orelse:
            builder.yield_()


@final
class _Lanes:
    """Copies of nodes for several iterations: `shared` has what they have in common, `own` what each has."""

    def __init__(self, count: int) -> None:
        self.own: list[dict[Value, Value]] = [{} for _ in range(count)]
        self.shared: dict[Value, Value] = {}

    def outer(self, loop: For, end: Value, builder: Builder) -> For:
        """The loop whose iterations run side by side."""
        body = Block()
        counter = Value(INT, loop.body.params[0].name)
        body.params.append(counter)
        into = Builder(body, loop.span)
        old = loop.body.params[0]
        for i, own in enumerate(self.own):
            own[old] = into.op(machine.ADD, counter, into.const(i), name=old.name) if i else counter
        label = Label(loop.label.name)
        self._nodes(loop.body.nodes[:-1], into)
        body.nodes.append(Continue(label, [], loop.body.nodes[-1].span))
        return For(label, loop.inputs[0], end, builder.const(len(self.own), loop.span), [], body, loop.span)

    def _nodes(self, nodes: Sequence[Node], into: Builder) -> None:
        for node in nodes:
            if isinstance(node, For):
                self._inner(node, into)
            elif any(v in self.own[0] for v in node.inputs):
                for own in self.own:
                    known = {v: self._of(v, own) for v in node.inputs}
                    copy = into.append(clone_node(node, known))
                    own.update(zip(node.outputs, copy.outputs, strict=True))
            else:
                into.append(clone_node(node, self.shared))

    def _inner(self, loop: For, into: Builder) -> None:
        body = Block()
        counter = Value(loop.body.params[0].type, loop.body.params[0].name)
        body.params.append(counter)
        self.shared[loop.body.params[0]] = counter
        start, stop, step = (self.shared.get(v, v) for v in loop.inputs[:3])
        inits = []
        for param, init in zip(loop.body.params[1:], loop.inputs[3:], strict=True):
            for own in self.own:
                inits.append(self._of(init, own))
                own[param] = Value(param.type, param.name)
                body.params.append(own[param])
        label = Label(loop.label.name)
        self._nodes(loop.body.nodes[:-1], Builder(body, loop.span))
        end = loop.body.nodes[-1]
        body.nodes.append(Continue(label, [self._of(v, own) for v in end.inputs for own in self.own], end.span))
        made = into.append(For(label, start, stop, step, inits, body, loop.span))
        results = iter(made.outputs)
        for output in loop.outputs:
            for own in self.own:
                own[output] = next(results)
                own[output].name = output.name

    def _of(self, value: Value, own: dict[Value, Value]) -> Value:
        return own.get(value) or self.shared.get(value, value)


__all__ = ["UnrollAndJam"]
