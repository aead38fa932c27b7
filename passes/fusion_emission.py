"""Emits the groups that `tscript.passes.fusion` has collected: as `Fused` nodes, under a test where only the run knows
whether they may be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from tscript.diagnostics import Span
from tscript.dialect import machine
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.graph import Block, Const, Fused, If, Node, Op, Value, Yield
from tscript.ir.reductions import reduction_of
from tscript.ir.rewrite import use_counts
from tscript.passes.aliases import Aliases, holds_tensor
from tscript.passes.base import PassContext
from tscript.passes.fusion_groups import Group, Shape
from tscript.passes.fusion_report import Alone, Form, Joined, Reason, place_of
from tscript.types import BOOL, INT, TensorType, TupleType, Type


def form_of(group: Group) -> Form:
    """How a group runs."""
    if group.whole is None:
        return Form.ELEMENTS
    if group.leading:
        return Form.COLUMNS
    return Form.WHOLE if group.whole else Form.ROWS


def arrays_of(group: Group) -> list[Value]:
    """What a group reads that may have dimensions."""
    return [v for v in group.reads if not isinstance(v.type, TensorType) or v.type.rank != 0]


class GroupEmitter(ABC):
    """What the walk over a graph knows of its values, and how groups become nodes.

    Attributes:
        counts: How often values are used.
        of_row: Values of rows, and whether reduced dimensions of theirs stay with size 1.
        small: Results of groups that are values of rows.
        shapes: The shapes of values that are known.
        mapping: What stands for values that are gone.
        owner: The pending group that computes a value.
        out: The nodes that are emitted.
        views: Views of tensors that are emitted, by operator and inputs; constants by value.
        position: The number of the node that the walk is at.
    """

    def __init__(
        self, body: Block, aliases: Aliases, context: PassContext, notes: list[Joined | Alone] | None = None
    ) -> None:
        self.context = context
        self.notes = notes
        self.aliases = aliases
        self.counts = use_counts(body)
        self.of_row: dict[Value, bool] = {}
        self.small: set[Value] = set()
        self.shapes: dict[Value, Shape] = {}
        self.mapping: dict[Value, Value] = {}
        self.owner: dict[Value, Group] = {}
        self.out: list[Node] = []
        self.views: dict[tuple[object, ...], Value] = {}
        self.position = 0

    @abstractmethod
    def fuse_plainly(self, block: Block) -> None:
        """Fuse in a block without reductions and tests."""

    def shape_of(self, value: Value) -> Shape:
        """The shape of a tensor: its own unless it was computed from others."""
        found = self.shapes.get(value)
        if found is None:
            rank = value.type.rank if isinstance(value.type, TensorType) else None
            found = self.shapes[value] = frozenset() if rank == 0 else frozenset((value,))
        return found

    def emit_view(self, node: Op) -> Value:
        """Emit a view, or find the one that is there."""
        key = (node.op, *(node.inputs))
        found = self.views.get(key)
        if found is None:
            found = self.views[key] = node.outputs[0]
            self.out.append(node)
            self.aliases.merge(node.inputs[0], found)
        return found

    def constant(self, value: int | tuple[int, ...], type: Type, span: Span) -> Value:
        """Emit a constant."""
        found = self.views.get((value, type))
        if found is None:
            node = Const(value, type, span)
            found = self.views[value, type] = node.outputs[0]
            self.out.append(node)
        return found

    def note(self, group: Group, reason: Reason, node: Node | None) -> None:
        """Note that a group ends."""
        assert self.notes is not None
        form = form_of(group)
        if form is Form.ELEMENTS and (group.tests or self.other_shapes(group)):
            form = Form.ALIKE
        if group.whole is not None and not self.gains(group):
            form = Form.ELEMENTS
            alone = [m for _, m in group.members if reduction_of(m) is not None]
            self.notes += [Alone((m.op.name, m.span), Reason.ALONE) for m in alone]
            members = tuple((m.op.name, m.span) for _, m in group.members if m not in alone)
        else:
            members = tuple((m.op.name, m.span) for _, m in group.originals or group.members)
        if members:
            self.notes.append(Joined(members, form, reason, place_of(node) if node is not None else None))

    def gains(self, group: Group) -> bool:
        """Whether a group with reductions is worth a loop of its own."""
        reductions = sum(1 for _, member in group.members if reduction_of(member) is not None)
        return reductions > 1 or any(v not in self.of_row for v in group.values)

    def emit(self, group: Group) -> None:
        """Append the `Fused` of `group`, under a test if it has reductions."""
        for value in group.values:
            del self.owner[value]
        if group.whole is not None:
            self.emit_reducing(group)
            return
        fused, results = self.fused(group)
        if fused is None:
            return
        outputs = fused.outputs
        other = self.other_shapes(group)
        if other or group.tests:
            outputs = self.emit_under_test(group, fused, results, other)
        else:
            self.out.append(fused)
        for old, new in zip(results, outputs, strict=True):
            new.name = old.name
            self.mapping[old] = new
            self.shapes[new] = self.shapes[old]
            self.counts[new] = self.counts[old]
            self.aliases.merge(old, new)

    def other_shapes(self, group: Group) -> set[Shape]:
        """The shapes of results that have to be the group's."""
        return {s for v, s in group.values.items() if group.used.get(v, 0) < self.counts.get(v, 0)} - {group.shape}

    def emit_under_test(
        self, group: Group, fused: Fused, results: Sequence[Value], shapes: Iterable[Shape]
    ) -> list[Value]:
        """Append a group whose results have the same shape if `shapes` are the group's, and what is done if they are
        not."""
        span = group.members[-1][1].span
        plain, values = self.plain(group, results)
        arrays = arrays_of(group)
        tests = list(group.tests)
        if sets := self.masks(arrays, shapes):
            tests.append((arrays, sets))
        fit = self.test(tests, span)
        then = Block()
        then.nodes += [fused, Yield(fused.outputs, span)]
        plain.nodes.append(Yield(values, span))
        choice = If(fit, then, plain, [v.type for v in results], span)
        self.out.append(choice)
        return choice.outputs

    def masks(self, arrays: Sequence[Value], shapes: Iterable[Shape]) -> tuple[int, ...]:
        """For each shape the tensors that broadcast to it."""
        found = {sum(1 << i for i, v in enumerate(arrays) if self.shape_of(v) <= shape) for shape in shapes}
        return tuple(sorted(found))

    def test(
        self, tests: Iterable[tuple[Sequence[Value], tuple[int, ...]]], span: Span, found: Value | None = None
    ) -> Value:
        """Append tests whether sets of tensors have the shapes of all; gives whether all hold, and `found`."""
        for arrays, sets in tests:
            whole = Op(TUPLE_MAKE, arrays, TupleType(tuple(v.type for v in arrays)), span)
            given = Const(sets, TupleType((INT,) * len(sets)), span)
            fit = Op(self.context.table["shapes_fit"], [whole.output, given.output], BOOL, span)
            self.out += [whole, given, fit]
            if found is None:
                found = fit.output
            else:
                both = Op(machine.AND, [found, fit.output], BOOL, span)
                self.out.append(both)
                found = both.output
        assert found is not None
        return found

    def emit_reducing(self, group: Group) -> None:
        """Append a group with reductions: as one loop and as plain groups, or as these alone if there is nothing to
        gain."""
        made = [member.outputs[0] for _, member in group.members]
        results = [v for v in made if group.used.get(v, 0) < self.counts.get(v, 0)]
        plain, values = self.plain(group, results)
        if not results or not self.gains(group):
            self.out += plain.nodes
            outputs = values
        else:
            span = group.members[-1][1].span
            arrays = arrays_of(group)
            shapes = [*group.checks, *(self.shapes[v] for v in results if v not in self.of_row)]
            sets = tuple(m for m in self.masks(arrays, shapes) if m != (1 << len(arrays)) - 1)
            whole = Op(TUPLE_MAKE, arrays, TupleType(tuple(v.type for v in arrays)), span)
            kind = Const(group.leading, INT, span) if group.leading else Const(group.whole, BOOL, span)
            given = [Const(sets, TupleType((INT,) * len(sets)), span), kind]
            test = self.context.table["columns_fit" if group.leading else "rows_fit"]
            fit = Op(test, [whole.output, *(g.output for g in given)], BOOL, span)
            fused, yielded = self.fused(group)
            assert fused is not None and yielded == results
            then = Block()
            then.nodes += [fused, Yield(fused.outputs, span)]
            plain.nodes.append(Yield(values, span))
            self.out += [whole, *given, fit]
            choice = If(self.test(group.tests, span, fit.output), then, plain, [v.type for v in results], span)
            self.out.append(choice)
            outputs = choice.outputs
        for old, new in zip(results, outputs, strict=True):
            new.name = old.name
            self.mapping[old] = new
            self.counts[new] = self.counts[old]
            self.aliases.merge(old, new)
            if old in self.of_row:
                self.small.add(new)

    def plain(self, group: Group, results: Sequence[Value]) -> tuple[Block, list[Value]]:
        """The members of a group in groups without reductions, and what stands for `results`."""
        block = Block()
        inner: dict[Value, Value] = {}
        members, origin = group.members, dict[Value, Value]()
        if group.tests:
            assert group.originals is not None
            members, origin = group.originals, group.origin
        for _, member in members:
            inputs = [origin.get(v, v) for v in member.inputs]
            clone = Op(member.op, [inner.get(v, v) for v in inputs], member.outputs[0].type, member.span)
            clone.outputs[0].name = member.outputs[0].name
            inner[member.outputs[0]] = clone.outputs[0]
            block.nodes.append(clone)
        end = Yield([inner[origin.get(v, v)] for v in results], members[-1][1].span)
        block.nodes.append(end)
        self.fuse_plainly(block)
        block.nodes.remove(end)
        return block, end.inputs

    def fused(self, group: Group) -> tuple[Fused | None, list[Value]]:
        """The `Fused` of a group and what its outputs stand for; None if nobody needs it."""
        body = Block()
        inner: dict[Value, Value] = {}
        inputs: list[Value] = []
        results: list[Value] = []
        for _, member in group.members:
            operands = []
            for value in member.inputs:
                found = inner.get(value)
                if found is None:
                    if isinstance(value.node, Const) and not holds_tensor(value.type):
                        constant = Const(value.node.value, value.type, value.node.span)
                        body.nodes.append(constant)
                        found = constant.outputs[0]
                        found.name = value.name
                    else:
                        found = Value(value.type, value.name)
                        body.params.append(found)
                        inputs.append(value)
                    inner[value] = found
                operands.append(found)
            output = member.outputs[0]
            clone = Op(member.op, operands, output.type, member.span)
            clone.outputs[0].name = output.name
            body.nodes.append(clone)
            inner[output] = clone.outputs[0]
            if member.op.effects.writes:
                self.mapping[output] = member.inputs[0]
            elif group.used.get(output, 0) < self.counts.get(output, 0):
                results.append(output)
        last = group.members[-1][1]
        if not results and group.first is None and not last.op.effects.writes:
            return None, []
        span = last.span
        body.nodes.append(Yield([inner[v] for v in results], span))
        return Fused(inputs, body, [v.type for v in results], span), results
