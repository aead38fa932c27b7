"""`KnownRanges`: which ints the values of a graph can be at one point of a walk, and the questions about that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.graph import (
    Graph,
    If,
    Op,
    Value,
    Yield,
)
from tscript.passes.base import PassContext
from tscript.passes.index_checks import MAKERS
from tscript.passes.intervals import HIGHEST, LOWEST, WHOLE, Range, fits
from tscript.passes.lengths import Lengths
from tscript.passes.range_rules import CHECKED, COMPARES, LENGTH, NEGATED, SUMS, WRAPPING
from tscript.types import INT

FACTS = 5
"""The number of comparisons recorded for one value, so that a query takes a bounded number of steps."""
DEPTH = 5
"""The maximum depth of definitions that a comparison follows."""
STEPS = 60
"""The maximum number of values that it visits."""


class KnownRanges:
    """The facts at one point of a walk over a graph.

    Attributes:
        at: The ranges of ints; missing values may be anything.
        lengths: The lengths of containers.
    """

    def __init__(self, graph: Graph, context: PassContext, *, alone: bool = False) -> None:
        self.checked = context.by_operator(CHECKED)
        self.wrapping = context.by_operator(WRAPPING)
        self.compares = context.by_operator(COMPARES)
        self.at: dict[Value, Range] = {}
        self.lengths = Lengths(graph, alone=alone)
        self._below: dict[Value, list[tuple[Value, int]]] = {}
        self._undo: list[Callable[[], object]] = []
        self._sums = context.by_operator(SUMS)
        self._steps = 0
        self._sizes: dict[tuple[Value, int], list[Value]] = {}

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
                        if self.is_at_most(x, b, more, depth) or self._is_middle_at_most(a.node, b, more, depth):
                            return True
            case If():
                at = a.node.outputs.index(a)
                ways = [end.inputs[at] for end in (i.nodes[-1] for i in a.node.blocks) if isinstance(end, Yield)]
                if ways and all(self.is_at_most(way, b, more, depth) for way in ways):
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

    def _is_middle_at_most(self, node: Op, b: Value, more: int, depth: int) -> bool:
        """Whether half of a sum is at most `b + more`, because its operands are, but for one that may be one more."""
        total, by = node.inputs
        halved = by.constant == (1 if node.op.name == "machine.shr" else 2)
        match total.node:
            case Op(op=op, inputs=[x, y]) if halved and self._sums.get(op) == 1 and self.exact(total.node):
                return any(
                    self.is_at_most(u, b, more, depth) and self.is_at_most(v, b, more + 1, depth)
                    for u, v in ((x, y), (y, x))
                )
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

    def at_most(self, value: Value) -> Sequence[tuple[Value, int]]:
        """Values, each with what it may be less than `value` by: recorded comparisons."""
        return self._below.get(value, ())

    def is_position(self, index: Value, array: Value, dim: int) -> bool:
        """Whether `index` counts from the front and lies inside of a dimension."""
        if self.of(index)[0] < 0:
            return False
        made = array.node
        if isinstance(made, Op) and made.op.name in MAKERS:
            shape = made.inputs[0]
            row = shape.constant
            if isinstance(row, tuple) and dim < len(row):
                size = row[dim]
                return isinstance(size, int) and self.of(index)[1] < size
            if isinstance(shape.node, Op) and shape.node.op is TUPLE_MAKE and dim < len(shape.node.inputs):
                if self.is_at_most(index, shape.node.inputs[dim], -1):
                    return True
        return any(self.is_at_most(index, size, -1) for size in self._sizes.get((array, dim), ()))

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

    def sized(self, array: Value, dim: int, size: Value) -> None:
        """`size` is that of a dimension, from here to the end of the block."""
        known = self._sizes.setdefault((array, dim), [])
        if len(known) < FACTS:
            known.append(size)
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
                case "machine.unsigned_less" if holds and self.of(node.inputs[1])[0] >= 0:
                    self.narrow(node.inputs[0], 0, HIGHEST)
                    self._compared("lt", *node.inputs)
                case "machine.likely":
                    self.assume(node.inputs[0], holds, depth - 1)
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
