"""Loop-invariant code motion: what is the same in every iteration is computed before the loop.

Before::

    for L0 %j: int in range(%zero, %n, %one) {
      %m: int = size.int(%a, %one)
      %cells: list[float] = get_field.object(%grid, %name)
      ...
    }

After::

    %m: int = size.int(%a, %one)
    %some: bool = machine.lt(%zero, %n)
    if %some {
      %cells: list[float] = get_field.object(%grid, %name)
      for L0 %j: int in range(%zero, %n, %one) { ... }
      yield
    } else { yield }

An operator that cannot fail moves in any case: arithmetic, sizes of arrays, lengths of lists, numbers in fields. The
same holds for an element of a list whose index is valid before the loop. One that may raise, the first reading of an
object in a field, moves if it is what each iteration begins with; then the loop is put behind the question whether it
runs at all. What a list or an instance holds counts as the same if nothing in the loop can set it: by the types of
what is set, in a program without tasks (`is_alone`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import ClassVar, final

from tscript.definitions.opdef import Extern, Kernel, Leaf, Native, Pointwise, Scalar, Structural
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import (
    Block,
    Call,
    Closure,
    Const,
    For,
    Fork,
    Fused,
    Graph,
    If,
    Invoke,
    Loop,
    Node,
    Op,
    Program,
    SetSlot,
    Try,
    Value,
    Yield,
    walk,
)
from tscript.ir.rewrite import replace_inputs, replace_values, rewrite
from tscript.late import dataclass, replace
from tscript.operators.python.classes import GET_FIELD, SET_FIELD
from tscript.operators.python.unchecked import ITEM_IN
from tscript.passes.aliases import METADATA, can_raise, holds_tensor
from tscript.passes.base import Pass, PassContext
from tscript.passes.index_checks import Element, is_row
from tscript.passes.lengths import is_alone
from tscript.passes.random_streams import DRAWS
from tscript.types import BOOL, BYTES, FLOAT, INT, STR, ClassType, ListType, ScalarType, Type

_CHEAP = (Leaf, Scalar, Structural, Extern, Pointwise)
_NUMBERS = (INT, FLOAT, BOOL)
_PARTIAL = frozenset({"machine.quot", "machine.rem", "remainder.int", "wrapping_floor_divide.int"})
"""Operators that are computed only where the operands are known to be valid."""
_SETTERS = frozenset({"setitem.list", "set_item_in.list", SET_FIELD.name})
_LENGTHS = frozenset({"len.list", "len.str", "len.bytes"})


@dataclass(frozen=True, slots=True)
class LoopInvariantCodeMotion(Pass):
    """Moves invariant operators out of loops.

    Attributes:
        again: Whether only graphs count in which loops read objects from lists.
        alone: Whether no task may set what a loop reads; `knowing` finds out.
    """

    name: ClassVar[str] = "loop_invariant_code_motion"

    again: bool = False
    alone: bool = False

    def knowing(self, program: Program) -> Pass:
        """Whether it has tasks."""
        return replace(self, alone=is_alone(program))

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Inner loops first, so that what leaves one can leave the next."""
        nodes = list(walk(graph.body))
        reads = self.alone and any(map(is_row, nodes))
        if (self.again and not reads) or not any(isinstance(node, Loop | For) for node in nodes):
            return False
        valid: dict[Node, set[Element]] = {}
        if reads:
            from tscript.passes.element_places import Places

            places = Places(graph, context)
            places.run()
            valid = places.valid
        motion = _Motion(valid, alone=self.alone)
        motion.block(graph.body)
        return motion.changed


@final
class _Motion:
    """One walk."""

    def __init__(self, valid: Mapping[Node, Set[Element]], *, alone: bool) -> None:
        self._valid = valid
        self._alone = alone
        self._known: dict[tuple[object, ...], Value] = {}
        self._equal: dict[Value, Value] = {}
        self._present: set[tuple[Value, object]] = set()
        """The fields that were read or set before: they are there."""
        self.changed = False

    def block(self, block: Block) -> None:
        """Move what is in the loops of a block before them."""
        out: list[Node] = []
        before = self._present
        self._present = set(before)
        for node in block.nodes:
            for inner in node.blocks:
                if not isinstance(node, Fused):
                    self.block(inner)
            if isinstance(node, Loop | For):
                out += self._loop(node)
            else:
                out.append(node)
                if isinstance(node, Op) and (node.op is GET_FIELD or node.op is SET_FIELD):
                    self._present.add((node.inputs[0], node.inputs[1].constant))
        block.nodes = out
        self._present = before

    def _loop(self, loop: Loop | For) -> list[Node]:
        """What stands in the place of a loop."""
        effects = _Effects(loop, self._valid.get(loop, set()), self._present, alone=self._alone)
        inside = set(loop.body.params)
        for node in walk(loop.body):
            inside.update(node.outputs)
            for nested in node.blocks:
                inside.update(nested.params)
        moved: list[Node] = []
        first: list[Node] = []
        self._known = {}
        self._equal = {}
        self._take(loop.body, inside, effects, moved, first, isinstance(loop, For) and _step(loop) != 0)
        if moved or first:
            self.changed = True
            replace_values(loop.body, self._equal)
            for node in (*moved, *first):
                replace_inputs(node, self._equal)
            _merge([*moved, *first], loop.body)
        if not first:
            return [*moved, loop]
        assert isinstance(loop, For)
        guarded = Block()
        b = Builder(guarded, loop.span)
        low, high = (0, 1) if _step(loop) > 0 else (1, 0)
        runs = If(
            b.op(machine.LT, loop.inputs[low], loop.inputs[high]),
            Block(),
            Block(),
            [v.type for v in loop.outputs],
            loop.span,
        )
        outputs = loop.outputs
        loop.outputs = [Value(v.type, v.name, loop) for v in outputs]
        for value, own in zip(outputs, runs.outputs, strict=True):
            own.name = value.name
        # The results keep their names for those who use them.
        runs.outputs = outputs
        for value in outputs:
            value.node = runs
        runs.then.nodes = [*first, loop, Yield(loop.outputs, loop.span)]
        runs.orelse.nodes = [Yield(loop.inputs[3:], loop.span)]
        return [*moved, *guarded.nodes, runs]

    def _take(
        self,
        body: Block,
        inside: set[Value],
        effects: _Effects,
        moved: list[Node],
        first: list[Node],
        counted: bool,
    ) -> None:
        """Take the invariant nodes out of a block: `moved` cannot fail, `first` are what each iteration begins with."""
        kept: list[Node] = []
        begins = counted
        for node in body.nodes:
            if isinstance(node, Op) and all(v not in inside or _is_constant(v) for v in node.inputs):
                if effects.is_free(node):
                    self._move(node, inside, self._target(node, moved, first))
                    continue
                if begins and effects.is_same(node):
                    self._move(node, inside, first)
                    continue
            if begins and not _is_quiet(node):
                begins = False
            if isinstance(node, If):
                for inner in node.blocks:
                    self._sizes(inner, inside, effects, moved, first)
            kept.append(node)
        gone = {*moved, *first}
        body.nodes = [n for n in kept if n not in gone]

    @staticmethod
    def _target(node: Node, moved: list[Node], first: list[Node]) -> list[Node]:
        """Where a node goes that cannot fail: behind what it needs."""
        needs = any(n.outputs[0] in node.inputs for n in first)
        return first if needs else moved

    def _sizes(self, block: Block, inside: set[Value], effects: _Effects, moved: list[Node], first: list[Node]) -> None:
        """The same for sizes of arrays and elements alone, in a block that may not run."""
        kept: list[Node] = []
        for node in block.nodes:
            if isinstance(node, Op) and (node.op.name in METADATA or node.op is ITEM_IN) and effects.is_free(node):
                if all(v not in inside or _is_constant(v) for v in node.inputs):
                    self._move(node, inside, self._target(node, moved, first))
                    continue
            if isinstance(node, If):
                for inner in node.blocks:
                    self._sizes(inner, inside, effects, moved, first)
            kept.append(node)
        block.nodes = kept

    def _move(self, node: Op, inside: set[Value], target: list[Node]) -> None:
        inputs: list[Value] = []
        for value in node.inputs:
            if value in inside and isinstance(value.node, Const):
                copy = Const(value.node.value, value.type, value.node.span)
                target.append(copy)
                inputs.append(copy.output)
            else:
                inputs.append(value)
        node.inputs = inputs
        inside.difference_update(node.outputs)
        key = (node.op, *(repr(v.constant) if isinstance(v.node, Const) else self._equal.get(v, v) for v in inputs))
        known = self._known.setdefault(key, node.output)
        if known is node.output:
            target.append(node)
        else:
            self._equal[node.output] = known


def _merge(moved: Sequence[Node], body: Block) -> None:
    """Use what is read before the loop in place of what is read again in it."""
    known = {(n.op, *n.inputs[:2]): n.output for n in moved if isinstance(n, Op) and n.op is ITEM_IN}
    fields = {(n.inputs[0], n.inputs[1].constant): n.output for n in moved if isinstance(n, Op) and n.op is GET_FIELD}

    def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
        if not isinstance(node, Op):
            return None
        if node.op is ITEM_IN:
            found = known.get((node.op, *node.inputs[:2]))
        elif node.op is GET_FIELD:
            found = fields.get((node.inputs[0], node.inputs[1].constant))
        else:
            found = None
        return None if found is None else [found]

    if known or fields:
        rewrite(body, visit)


def _step(loop: For) -> int:
    """The step of a loop; 0 if it is not known."""
    step = loop.inputs[2].constant
    return step if isinstance(step, int) else 0


def _is_constant(value: Value) -> bool:
    return isinstance(value.node, Const) and not holds_tensor(value.type)


def _is_quiet(node: Node) -> bool:
    """Whether a node neither does what can be seen, nor raises, nor leaves the iteration."""
    if isinstance(node, Const):
        return True
    return isinstance(node, Op) and not (node.op.effects.world or node.op.effects.writes) and not can_raise(node)


@final
class _Effects:
    """What a loop may change."""

    def __init__(
        self, loop: Loop | For, valid: Set[Element], present: Set[tuple[Value, object]], *, alone: bool
    ) -> None:
        self._alone = alone
        self._present = present
        self._valid = valid
        self._opaque = False
        self._set: set[tuple[str, str]] = set()
        self._grown: set[Type] = set()
        for node in walk(loop.body):
            self._note(node)

    def _note(self, node: Node) -> None:
        if isinstance(node, Call | Fork | Closure | Invoke | Try | SetSlot):
            self._opaque = True
        elif isinstance(node, Op):
            name = node.op.name
            if name == "append.list":
                self._grown.add(node.inputs[0].type)
            elif name in _SETTERS:
                self._set.add(_place(node))
            elif node.op not in DRAWS and not isinstance(node.op.implementation, (*_CHEAP, Kernel)):
                effects = node.op.effects
                if not isinstance(node.op.implementation, Native) or effects.world:
                    self._opaque = True

    def is_free(self, node: Op) -> bool:
        """Whether an operator whose operands are invariant may be computed before the loop, needed or not."""
        op, output = node.op, node.outputs[0]
        if op.name in METADATA:
            return not can_raise(node) and output.type == INT
        if op.name in _LENGTHS:
            container = node.inputs[0].type
            if container in (STR, BYTES) or (isinstance(container, ListType) and container.frozen):
                return True
            return self._alone and not self._opaque and container not in self._grown
        if op is ITEM_IN:
            return (node.inputs[0], node.inputs[1]) in self._valid and self._keeps(node)
        if op is GET_FIELD:
            owner, field = node.inputs[0].type, str(node.inputs[1].constant)
            late = isinstance(owner, ClassType) and field in owner.info.late
            total = (output.type in _NUMBERS and not late) or (node.inputs[0], field) in self._present
            return total and self._keeps(node)
        if not op.effects.is_pure or not isinstance(op.implementation, _CHEAP) or op.name in _PARTIAL:
            return False
        return all(isinstance(v.type, ScalarType) or v.type in _NUMBERS or _is_constant(v) for v in _values(node))

    def is_same(self, node: Op) -> bool:
        """Whether what an operator reads is the same in each iteration, though reading it may not be valid before."""
        return node.op is GET_FIELD and self._keeps(node)

    def _keeps(self, node: Op) -> bool:
        return self._alone and not self._opaque and _place(node) not in self._set


def _values(node: Op) -> Sequence[Value]:
    return (*node.inputs, *node.outputs)


def _place(node: Op) -> tuple[str, str]:
    """The place that an operator reads or sets."""
    owner = node.inputs[0].type
    if isinstance(owner, ClassType):
        return owner.info.bases[-1].name, str(node.inputs[1].constant)
    return str(owner), ""


__all__: Sequence[str] = ["LoopInvariantCodeMotion"]
