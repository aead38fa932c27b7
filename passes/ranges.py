"""Interval analysis over structured IR: the range of each int at each point of a graph.

`Ranges` walks a graph in textual order. The range of a result follows from those of the operands
(`tscript.passes.intervals`). A condition narrows its operands, in the branch where it holds and after a branch that
leaves. Ranges of loop-carried values are found by iteration: all loops at once, with one walk of the graph each time.
Bounds that move are given up (widening), a last walk recovers bounds that were given up needlessly (narrowing), and no
bound counts before a walk has confirmed it. In a `For`, the range added by each iteration times the number of
iterations is a bound as well.

It also tracks which value is less than another one, from comparisons and counters, and minimum lengths of lists
(`tscript.passes.lengths`). That is enough to prove that an index is in range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
    Try,
    Value,
    Yield,
    walk,
)
from tscript.passes.base import PassContext
from tscript.passes.carried_ranges import Added, Carried
from tscript.passes.intervals import HIGHEST, LOWEST, WHOLE, Range, fits, join
from tscript.passes.lengths import Lengths
from tscript.passes.range_rules import CHECKED, COMPARES, GIVES, LENGTH, NEGATED, SUMS, WRAPPING
from tscript.types import INT

WALKS = 7
"""The number of walks after which bounds that still move are given up."""

FACTS = 4
"""The number of comparisons recorded for one value, so that a query takes a bounded number of steps."""

DEPTH = 5
"""The maximum depth of definitions that a comparison follows."""

STEPS = 60
"""The maximum number of values that it visits."""


class Ranges:
    """The analysis of one graph.

    Args:
        graph: Not changed.
        context: Of the pass that asks.

    Attributes:
        at: The ranges of ints at the current point of the walk; missing values may be anything.
        lengths: The lengths of containers there.

    Override `visit` to inspect nodes in the last walk, when all facts hold.
    """

    def __init__(self, graph: Graph, context: PassContext) -> None:
        self.graph = graph
        self.checked = context.by_operator(CHECKED)
        self.wrapping = context.by_operator(WRAPPING)
        self.gives = context.by_operator(GIVES)
        self.compares = context.by_operator(COMPARES)
        self.at: dict[Value, Range] = {}
        self.lengths = Lengths(graph)
        self._below: dict[Value, list[tuple[Value, int]]] = {}
        self._undo: list[Callable[[], object]] = []
        self._added: dict[Value, Added] = {}
        self._loops: dict[Label, Carried] = {}
        self._yields: list[list[Range | None]] = []
        self._yield_added: list[list[list[Added | None]]] = []
        self._carried: dict[Loop | For, Carried] = {}
        self._after = context.by_operator(_AFTER)
        self._sums = context.by_operator(SUMS)
        self._steps = 0
        self._last = False
        self._walks = 0

    def run(self) -> None:
        """Walk until all bounds are confirmed, the last time with `visit`."""
        self._carried = {n: Carried(n) for n in walk(self.graph.body) if isinstance(n, Loop | For)}
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
        self._below.clear()
        self._undo.clear()
        self._added.clear()
        self.lengths.clear()
        self.block(self.graph.body)
        moved = False
        for loop in self._carried.values():
            moved |= loop.grow(widen=self._walks > 1)
        return moved

    # Questions

    def of(self, value: Value) -> Range:
        """The range of an int at this point."""
        return self.at.get(value, WHOLE)

    def is_at_most(self, a: Value, b: Value, more: int, depth: int = DEPTH) -> bool:
        """Whether a <= b + more is certain."""
        if a is b:
            return more >= 0
        if self.of(a)[1] <= self.of(b)[0] + more:
            return True
        self._steps = STEPS if depth == DEPTH else self._steps - 1
        if depth == 0 or self._steps < 0:
            return False
        for other, distance in self._below.get(a, ()):
            if self.is_at_most(other, b, more - distance, depth - 1):
                return True
        return self._by_definition(a, b, more, depth - 1)

    def _by_definition(self, a: Value, b: Value, more: int, depth: int) -> bool:
        match a.node:
            case Op(op=op, inputs=[x, y]):
                match op.name:
                    case "add.int" | "wrapping_add.int" | "machine.add" if self.exact(a.node):
                        if self.is_at_most(x, b, more - self.of(y)[1], depth):
                            return True
                    case "sub.int" | "wrapping_sub.int" | "machine.sub" if self.exact(a.node):
                        if self.is_at_most(x, b, more + self.of(y)[0], depth):
                            return True
                    case "min.int":
                        if self.is_at_most(x, b, more, depth) or self.is_at_most(y, b, more, depth):
                            return True
                    case "remainder.int" if self.of(y)[0] > 0:
                        if self.is_at_most(y, b, more + 1, depth):
                            return True
                    case "floor_divide.int" | "machine.shr" if self.of(x)[0] >= 0 and self.of(y)[0] >= 0:
                        if self.is_at_most(x, b, more, depth):
                            return True
        match b.node:
            case Op(op=op, inputs=[x, y]):
                match op.name:
                    case "add.int" | "wrapping_add.int" | "machine.add" if self.exact(b.node):
                        return self.is_at_most(a, x, more + self.of(y)[0], depth)
                    case "sub.int" | "wrapping_sub.int" | "machine.sub" if self.exact(b.node):
                        return self.is_at_most(a, x, more - self.of(y)[1], depth)
                    case "max.int":
                        return self.is_at_most(a, x, more, depth) or self.is_at_most(a, y, more, depth)
        return False

    def exact(self, node: Op) -> bool:
        """Whether the result of arithmetic is that of unbounded ints: it is checked, or it fits."""
        if node.op in self.checked and node.op.effects.raises:
            return True
        rule = self.wrapping.get(node.op) or self.checked.get(node.op)
        return rule is not None and fits(rule(*[self.of(v) for v in node.inputs]))

    def is_inside(self, index: Value, container: Value) -> bool:
        """Whether `index` counts from the front and `container` has that element."""
        if self.of(index)[0] < 0:
            return False
        return any(
            self.of(index)[1] < more if length is None else self.is_at_most(index, length, more - 1)
            for length, more in self.lengths.of(container)
        )

    def answer(self, node: Op) -> bool | None:
        """The result of a comparison, if it is certain."""
        kind = self.compares[node.op]
        a, b = node.inputs
        if a.type != INT:
            return None
        for asked, answer in ((kind, True), (NEGATED[kind], False)):
            if self._holds(asked, a, b):
                return answer
        return None

    def _holds(self, kind: str, a: Value, b: Value) -> bool:
        match kind:
            case "lt":
                return self.is_at_most(a, b, -1, DEPTH)
            case "le":
                return self.is_at_most(a, b, 0, DEPTH)
            case "gt":
                return self.is_at_most(b, a, -1, DEPTH)
            case "ge":
                return self.is_at_most(b, a, 0, DEPTH)
            case "ne":
                return self.is_at_most(a, b, -1, DEPTH) or self.is_at_most(b, a, -1, DEPTH)
        (low, high), other = self.of(a), self.of(b)
        return low == high and other == (low, high)

    # Narrowing by what is known to hold

    def narrow(self, value: Value, low: int, high: int) -> None:
        """`value` lies in [low, high] from here to the end of the block."""
        old = self.at.get(value)
        if old is None:
            old = WHOLE
        new = (low if low > old[0] else old[0], high if high < old[1] else old[1])
        if new == old or new[0] > new[1]:
            return
        self._set(value, new)
        match value.node:  # the range of a sum narrows its operands
            case Op(op=op, inputs=[x, Value(constant=int() as k)]) if op in self._sums and self.exact(value.node):
                k *= self._sums[op]
                self.narrow(x, new[0] - k, new[1] - k)

    def _set(self, value: Value, range: Range) -> None:
        old = self.at.get(value)
        self.at[value] = range
        self._undo.append(lambda: self.at.pop(value, None) if old is None else self.at.__setitem__(value, old))

    def below(self, a: Value, b: Value, more: int) -> None:
        """a <= b + more from here to the end of the block."""
        known = self._below.setdefault(a, [])
        if len(known) < FACTS:
            known.append((b, more))
            self._undo.append(known.pop)

    def longer(self, container: Value, than: Value | None, more: int) -> None:
        """The length of `container` is at least that of `than` plus `more`, from here to the end of the block."""
        known = self.lengths.add(container, than, more)
        if known is not None:
            self._undo.append(known.pop)

    def _back_to(self, mark: int) -> None:
        undo = self._undo
        while len(undo) > mark:
            undo.pop()()

    def assume(self, condition: Value, holds: bool, depth: int = DEPTH) -> None:
        """`condition` is `holds` from here to the end of the block."""
        node = condition.node
        if depth == 0 or node is None:
            return
        if isinstance(node, Op):
            kind = self.compares.get(node.op)
            if kind is not None:
                a, b = node.inputs
                if a.type == INT:
                    self._compared(kind if holds else NEGATED[kind], a, b)
                return
            match node.op.name:
                case "not.bool" | "machine.not":
                    self.assume(node.inputs[0], not holds, depth - 1)
                case "bitwise_and.bool" | "machine.and" if holds:
                    for value in node.inputs:
                        self.assume(value, True, depth - 1)
                case "bitwise_or.bool" | "machine.or" if not holds:
                    for value in node.inputs:
                        self.assume(value, False, depth - 1)
                case "bool.int":
                    if holds:
                        self._compared_with_zero(node.inputs[0])
                    else:
                        self.narrow(node.inputs[0], 0, 0)
                case "has_item.list" if holds:
                    self.longer(node.inputs[0], node.inputs[1], 1)
                    self.narrow(node.inputs[1], 0, LENGTH[1] - 1)
        elif isinstance(node, If):
            at = node.outputs.index(condition)
            ends = [b.nodes[-1] for b in node.blocks]
            ways = [
                i for i, end in enumerate(ends) if isinstance(end, Yield) and end.inputs[at].constant is not (not holds)
            ]
            if len(ways) == 1:
                self.assume(node.inputs[0], ways[0] == 0, depth - 1)
                self.assume(ends[ways[0]].inputs[at], holds, depth - 1)

    def _compared_with_zero(self, value: Value) -> None:
        low, high = self.of(value)
        if low == 0:
            self.narrow(value, 1, high)
        elif high == 0:
            self.narrow(value, low, -1)

    def _compared(self, kind: str, a: Value, b: Value) -> None:
        if kind in ("gt", "ge"):
            kind, a, b = ("lt" if kind == "gt" else "le"), b, a
        (a_low, a_high), (b_low, b_high) = self.of(a), self.of(b)
        match kind:
            case "lt" | "le":
                less = 1 if kind == "lt" else 0
                self.narrow(a, LOWEST, b_high - less)
                self.narrow(b, a_low + less, HIGHEST)
                if not (a_low == a_high or b_low == b_high):
                    self.below(a, b, -less)
            case "eq":
                self.narrow(a, b_low, b_high)
                self.narrow(b, a_low, a_high)
                if not (a_low == a_high or b_low == b_high):
                    self.below(a, b, 0)
                    self.below(b, a, 0)
            case "ne":
                for x, known, other in ((a, (a_low, a_high), (b_low, b_high)), (b, (b_low, b_high), (a_low, a_high))):
                    if other[0] == other[1]:
                        low, high = known
                        self.narrow(x, low + (low == other[0]), high - (high == other[0]))

    # The walk

    def begin(self) -> None:
        """Results of earlier `visit` calls are void; subclasses drop them."""

    def visit(self, node: Node) -> None:
        """Called in the last walk, before the effect of `node`; for subclasses."""

    def block(self, block: Block) -> None:
        """Walk a block and what is nested in it."""
        mark = len(self._undo)
        for node in block.nodes:
            if self._last:
                self.visit(node)
            step = _STEPS.get(type(node))
            if step is not None:
                step(self, node)
        self._back_to(mark)

    def _const(self, node: Const) -> None:
        value = node.value
        if type(value) is int:
            self.at[node.outputs[0]] = (value, value)

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
            return None
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
        self.longer(node.inputs[0], node.outputs[0], 0)

    def _make(self, node: Op) -> None:
        self.longer(node.outputs[0], None, len(node.inputs) - 1)

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
        self._loops[node.label] = carried
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
    "list.make": Ranges._make,
    "mul.list": Ranges._repeat,
}
"""Facts that hold after an operator has not raised."""

_STEPS: dict[type[Node], Callable[[Ranges, Any], None]] = {
    Const: Ranges._const,
    Op: Ranges._op,
    If: Ranges._if,
    Loop: Ranges._loop,
    For: Ranges._for,
    Try: Ranges._try,
    Yield: Ranges._yield,
    Break: Ranges._break,
    Continue: Ranges._continue,
    Call: Ranges._other,
    Fork: Ranges._other,
    Closure: Ranges._other,
    Invoke: Ranges._other,
}
"""The effect of a node on the walk. The members of a `Fused` are tensors; other nodes have no ranges."""


def _trips(start: Range, stop: Range, step: Range) -> int | None:
    """The maximum number of iterations of a `For`; None if its step may have either sign."""
    if step[0] > 0:
        return max(0, -((start[0] - stop[1]) // step[0]))
    if step[1] < 0:
        return max(0, -((stop[0] - start[1]) // -step[1]))
    return None


__all__ = ["Ranges"]
