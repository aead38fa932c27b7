"""Interval analysis over structured IR: the range of each int at each point of a graph.

`Ranges` walks a graph in textual order. The range of a result follows from those of the operands
(`tscript.passes.intervals`). A condition narrows its operands, in the branch where it holds and after a branch that
leaves. Ranges of loop-carried values are found by iteration: all loops at once, with one walk of the graph each time.
Bounds that move are given up (widening), a last walk recovers bounds that were given up needlessly (narrowing), and no
bound counts before a walk has confirmed it. In a `For`, the range added by each iteration times the number of
iterations is a bound as well.

It also tracks which value is less than another one, from comparisons and counters, and minimum lengths of lists
(`tscript.passes.lengths`). That is enough to prove that an index is in range. A loop-carried value counts as no greater
than its first value until a walk finds an iteration that may pass on a greater one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tscript.definitions.absent import MISSING
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Graph,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    ParallelCall,
    Try,
    Value,
    Yield,
    walk,
)
from tscript.passes.base import PassContext
from tscript.passes.carried_ranges import Added, Carried
from tscript.passes.index_checks import MAKERS
from tscript.passes.intervals import HIGHEST, LOWEST, WHOLE, Range, join
from tscript.passes.known_ranges import KnownRanges
from tscript.passes.range_rules import GIVES, LENGTH
from tscript.types import INT, ArrayType, ScalarType, TensorType

WALKS = 7
"""The number of walks after which bounds that still move are given up."""


class Ranges(KnownRanges):
    """The analysis of one graph.

    Args:
        graph: Not changed.
        context: Of the pass that asks.
        alone: See `tscript.passes.lengths.is_alone`.

    Override `visit` to inspect nodes in the last walk, when all facts hold.
    """

    def __init__(self, graph: Graph, context: PassContext, *, alone: bool = False) -> None:
        super().__init__(graph, context, alone=alone)
        self.graph = graph
        self.gives = context.by_operator(GIVES)
        self._added: dict[Value, Added] = {}
        self._loops: dict[Label, Carried] = {}
        self._yields: list[list[Range | None]] = []
        self._yield_added: list[list[list[Added | None]]] = []
        self._carried: dict[Loop | For, Carried] = {}
        self._after = context.by_operator(_AFTER)
        self._last = False
        self._trying = False
        self._first: dict[Label, Sequence[Value]] = {}
        self._walks = 0
        self._constants: dict[Value, Range] = {}
        self._work: dict[Block, list[tuple[Callable[[Ranges, Any], None], Node]]] = {}
        """The nodes of each block that have an effect on the walk, without constants."""

    def run(self) -> None:
        """Walk until all bounds are confirmed, the last time with `visit`."""
        for node in walk(self.graph.body):
            if isinstance(node, Const):
                if type(node.value) is int:
                    self._constants[node.outputs[0]] = (node.value, node.value)
            elif isinstance(node, Loop | For):
                self._carried[node] = Carried(node)
        loops = self._carried.values()
        while loops and self._walk():
            if self._walks == WALKS:
                for loop in loops:
                    loop.give_up()
        self._last = True
        kept = [loop.save() for loop in loops]
        for loop in loops:
            loop.tighten()
        self.begin()
        if self._walk():
            for loop, saved in zip(loops, kept, strict=True):
                loop.restore(saved)
            self.begin()
            self._walk()

    def _walk(self) -> bool:
        """One walk through the graph; returns whether a carried range has grown."""
        self._walks += 1
        self.at.clear()
        self.at.update(self._constants)
        self._below.clear()
        self._undo.clear()
        self._added.clear()
        self.lengths.clear()
        self._sizes.clear()
        self.block(self.graph.body)
        moved = False
        for loop in self._carried.values():
            moved |= loop.grow(widen=self._walks > 1)
        return moved

    # The walk
    def begin(self) -> None:
        """Results of earlier `visit` calls are void; subclasses drop them."""

    def visit(self, node: Node) -> None:
        """Called in the last walk, before the effect of `node`; for subclasses."""

    def block(self, block: Block) -> None:
        """Walk a block and what is nested in it."""
        mark = len(self._undo)
        if self._last:
            for node in block.nodes:
                self.visit(node)
                step = _STEPS.get(type(node))
                if step is not None:
                    step(self, node)
        else:
            work = self._work.get(block)
            if work is None:
                work = self._work[block] = list(self._with_effect(block))
            for step, node in work:
                step(self, node)
        self._back_to(mark)

    def _with_effect(self, block: Block) -> Iterator[tuple[Callable[[Ranges, Any], None], Node]]:
        for node in block.nodes:
            step = _STEPS.get(type(node))
            if step is None:
                continue
            if isinstance(node, Op) and node.outputs[0].type != INT and node.op not in self._after:
                if self.lengths.keeps(node.op):
                    continue
            yield step, node

    def _op(self, node: Op) -> None:
        output = node.outputs[0]
        self.lengths.effect(node.op)
        if output.type == INT:
            found = self._result(node)
            if found is None:
                self.at.pop(output, None)
            else:
                self.at[output] = found
                if self._added:
                    self._sum(node)
        after = self._after.get(node.op)
        if after is not None:
            after(self, node)

    def _result(self, node: Op) -> Range | None:
        """The result range of an operator; None if unknown."""
        op = node.op
        found = self.gives.get(op)
        if found is not None:
            return found
        checked = self.checked.get(op)
        rule = checked or self.wrapping.get(op)
        if rule is None:
            source = node.inputs[0].type if op.name == "scalar.int" else None
            return _RANGES.get(source.dtype.name) if isinstance(source, ScalarType) else None
        low, high = rule(*[self.at.get(v, WHOLE) for v in node.inputs])
        if low >= LOWEST and high <= HIGHEST:
            return (low, high)
        if checked is not None and op.effects.raises and low <= HIGHEST and high >= LOWEST:
            return (max(low, LOWEST), min(high, HIGHEST))
        return WHOLE

    def _index(self, node: Op) -> None:
        container, index = node.inputs[0], node.inputs[1]
        self.narrow(index, -LENGTH[1], LENGTH[1] - 1)
        if self.of(index)[0] >= 0:
            self.longer(container, index, 1)

    def _len(self, node: Op) -> None:
        container, length = node.inputs[0], node.outputs[0]
        self.longer(container, length, 0)
        made = container.node
        if isinstance(made, Op) and self.lengths.is_fixed(container):
            if made.op.name == "list.make":
                self.narrow(length, len(made.inputs) - 1, len(made.inputs) - 1)
            elif made.op.name == "mul.list" and self.of(made.inputs[1])[0] >= 0:
                items = made.inputs[0].node
                if isinstance(items, Op) and items.op.name == "list.make" and len(items.inputs) == 2:
                    self.below(length, made.inputs[1], 0)

    def _size(self, node: Op) -> None:
        array, dim = node.inputs[0], node.inputs[1].constant if len(node.inputs) > 1 else 0
        if isinstance(dim, int) and isinstance(array.type, TensorType) and array.type.rank is not None:
            self.sized(array, dim % max(array.type.rank, 1), node.outputs[0])
        if isinstance(array.type, ArrayType) and array.type.dtype is not None:
            self.narrow(node.outputs[0], 0, HIGHEST // array.type.dtype.itemsize)  # what NumPy gives an array at most

    def _make(self, node: Op) -> None:
        self.longer(node.outputs[0], None, len(node.inputs) - 1)

    def _shaped(self, node: Op) -> None:
        shape = node.inputs[0].node
        if isinstance(shape, Op) and shape.op is TUPLE_MAKE:
            for size in shape.inputs:
                if size.type == INT:
                    self.narrow(size, 0, HIGHEST)

    def _repeat(self, node: Op) -> None:
        made = node.inputs[0].node
        if isinstance(made, Op) and made.op.name == "list.make" and len(made.inputs) == 2:
            self.longer(node.outputs[0], node.inputs[1], 0)

    def _sum(self, node: Op) -> None:
        """The range that was added to a carried value."""
        sign = self._sums.get(node.op)
        if sign is None:
            return
        a, b = node.inputs
        minus = sign < 0
        found, (low, high) = self._added.get(a), self.of(b)
        if found is None and not minus:
            found, (low, high) = self._added.get(b), self.of(a)
        if found is not None and self.exact(node):
            base, least, most = found
            self._added[node.outputs[0]] = (
                (base, least - high, most - low) if minus else (base, least + low, most + high)
            )

    def _if(self, node: If) -> None:
        condition = node.inputs[0]
        results: list[Range | None] = [None] * len(node.outputs)
        added: list[list[Added | None]] = [[] for _ in node.outputs]
        self._yields.append(results)
        self._yield_added.append(added)
        for block, holds in ((node.then, True), (node.orelse, False)):
            mark = len(self._undo)
            self.assume(condition, holds)
            self.block(block)
            self._back_to(mark)
        self._yields.pop()
        self._yield_added.pop()
        self._define(node.outputs, results)
        for output, ways in zip(node.outputs, added, strict=True):
            self._join_added(output, ways)
        then, orelse = (isinstance(b.nodes[-1], Yield) for b in node.blocks)
        if then != orelse:
            self.assume(condition, then)

    def _define(self, outputs: Sequence[Value], results: Sequence[Range | None]) -> None:
        for output, range in zip(outputs, results, strict=True):
            if output.type == INT:
                self.at[output] = WHOLE if range is None else range

    def _join_added(self, output: Value, ways: Sequence[Added | None]) -> None:
        first = ways[0] if ways else None
        if first is None or any(w is None or w[0] is not first[0] for w in ways):
            self._added.pop(output, None)
            return
        self._added[output] = (first[0], min(w[1] for w in ways if w), max(w[2] for w in ways if w))

    def _yield(self, node: Yield) -> None:
        if not self._yields:
            return
        results, added = self._yields[-1], self._yield_added[-1]
        for i, value in enumerate(node.inputs):
            if value.type == INT:
                range, old = self.of(value), results[i]
                results[i] = range if old is None else join(old, range)
                added[i].append(self._added.get(value))
            else:
                added[i].append(None)

    def _loop(self, node: Loop) -> None:
        self._enter(node, node.inputs, node.body.params)
        self._leave(node, self._carried[node], node.outputs, ())

    def _for(self, node: For) -> None:
        start, stop, step = (self.of(v) for v in node.inputs[:3])
        carried = self._carried[node]
        counter = node.body.params[0]
        trips = None
        if counter.type == INT:
            trips = _trips(start, stop, step)
        carried.trips = trips
        mark = len(self._undo)
        if counter.type == INT:
            if step[0] > 0:
                self.at[counter] = (start[0], max(start[0], stop[1] - 1))
                self.narrow(node.inputs[1], start[0] + 1, HIGHEST)
                self.below(counter, node.inputs[1], -1)
                self.below(node.inputs[0], counter, 0)
            elif step[1] < 0:
                self.at[counter] = (min(stop[0] + 1, start[1]), start[1])
                self.below(counter, node.inputs[0], 0)
            else:
                self.at[counter] = (min(start[0], stop[0] + 1), max(start[1], stop[1] - 1))
        grows = self.lengths.grows(node)
        self._enter(node, node.inputs[3:], node.body.params[1:])
        self._back_to(mark)
        self._leave(node, carried, node.outputs, node.inputs[3:])
        if step == (1, 1):
            for container in grows:
                if start == (0, 0):
                    self.longer(container, node.inputs[1], 0)

    def _enter(self, node: Loop | For, inits: Sequence[Value], params: Sequence[Value]) -> None:
        carried = self._carried[node]
        self.lengths.enter_loop(node)
        for i, (init, param) in enumerate(zip(inits, params, strict=True)):
            if param.type == INT:
                self.at[param] = carried.begin(i, self.of(init))
                self._added[param] = (param, 0, 0)
                if carried.is_first_greatest(i) and init.constant is MISSING:
                    self.below(param, init, 0)
        self._loops[node.label] = carried
        self._first[node.label] = inits
        carried.start_walk()
        self.block(node.body)
        self.lengths.leave_loop()

    def _leave(self, node: Loop | For, carried: Carried, outputs: Sequence[Value], inits: Sequence[Value]) -> None:
        for i, output in enumerate(outputs):
            if output.type != INT:
                continue
            self.at[output] = carried.result(i)
            if inits:
                before = self._added.get(inits[i], (inits[i], 0, 0))
                change = carried.total(i)
                if change is not None and inits[i] in self._added:
                    self._added[output] = (before[0], before[1] + change[0], before[2] + change[1])

    def _break(self, node: Break) -> None:
        carried = self._loops.get(node.label)
        if carried is not None:
            for i, value in enumerate(node.inputs):
                carried.broke(i, self.of(value), self._added.get(value))

    def _continue(self, node: Continue) -> None:
        carried = self._loops.get(node.label)
        if carried is not None:
            for i, value in enumerate(node.inputs):
                if value.type == INT:
                    carried.continued(i, self.of(value), self._added.get(value))
                    if carried.is_first_greatest(i) and not self._trying:
                        if not self.is_at_most(value, self._first[node.label][i], 0):
                            carried.exceeds(i)

    def _try(self, node: Try) -> None:
        results: list[Range | None] = [None] * len(node.outputs)
        added: list[list[Added | None]] = [[] for _ in node.outputs]
        self._yields.append(results)
        self._yield_added.append(added)
        for block in node.blocks:
            self.lengths.forget()
            for param in block.params:
                self.at.pop(param, None)
                self._added.pop(param, None)
            self.block(block)
        self.lengths.forget()
        self._yields.pop()
        self._yield_added.pop()
        self._define(node.outputs, results)
        for output in node.outputs:
            self._added.pop(output, None)

    def _other(self, node: Node) -> None:
        """A call may change anything that others can reach."""
        self.lengths.forget()
        for output in node.outputs:
            self.at.pop(output, None)


_AFTER: Mapping[str, Callable[[Ranges, Op], None]] = {
    **dict.fromkeys(("getitem.list", "setitem.list", "code_at.str", "getitem.str", "getitem.bytes"), Ranges._index),
    **dict.fromkeys(("len.list", "len.str", "len.bytes"), Ranges._len),
    **dict.fromkeys(("size.int", "tensor.size", "len.Tensor"), Ranges._size),
    "list.make": Ranges._make,
    "mul.list": Ranges._repeat,
    **dict.fromkeys(MAKERS, Ranges._shaped),
}
"""Facts that hold after an operator has not raised."""

_STEPS: dict[type[Node], Callable[[Ranges, Any], None]] = {
    Op: Ranges._op,
    If: Ranges._if,
    Loop: Ranges._loop,
    For: Ranges._for,
    Try: Ranges._try,
    Yield: Ranges._yield,
    Break: Ranges._break,
    Continue: Ranges._continue,
    Call: Ranges._other,
    ParallelCall: Ranges._other,
    Fork: Ranges._other,
    Closure: Ranges._other,
    Invoke: Ranges._other,
}
"""The effect of a node on the walk. The members of a `Fused` are tensors; other nodes have no ranges."""

_RANGES: Mapping[str, Range] = {
    "bool": (0, 1),
    **{f"uint{n}": (0, (1 << n) - 1) for n in (8, 16, 32)},
    **{f"int{n}": (-(1 << n - 1), (1 << n - 1) - 1) for n in (8, 16, 32)},
}
"""What elements of a dtype can be."""


def _trips(start: Range, stop: Range, step: Range) -> int | None:
    """The maximum number of iterations of a `For`; None if its step may have either sign."""
    if step[0] > 0:
        return max(0, -((start[0] - stop[1]) // step[0]))
    if step[1] < 0:
        return max(0, -((stop[0] - start[1]) // -step[1]))
    return None


__all__ = ["Ranges"]
