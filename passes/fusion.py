"""Groups pointwise operators into `Fused` nodes, each of which becomes one loop nest; afterwards none stands alone.

Before::

    %0: Tensor[float32, 2] = exp(%x)
    %1: int = add.int(%n, %n)
    %2: Tensor[float32, 2] = mul(%0, %y)

After::

    %1: int = add.int(%n, %n)
    %2: Tensor[float32, 2] = fused (%x.1: Tensor[float32, 2] = %x, %y.1: Tensor[float32, 2] = %y) {
      %3: Tensor[float32, 2] = exp(%x.1)
      %4: Tensor[float32, 2] = mul(%3, %y.1)
      yield %4
    }

One walk over each block keeps *pending* groups: operators met but not emitted yet. An operator joins the groups that
compute its operands where that is allowed, else those are emitted in front of it. Before every other node, the groups
that it depends on or conflicts with are emitted. So a group moves down past unrelated nodes.

*Shapes* decide what is allowed: the shape of a value is the set of values whose shapes broadcast to it. All outputs of
a group have the shape of the group, so a value whose shape may be smaller cannot be an output.

A *reduction* along the first dimensions, the last one, or of everything, joins the group of its operand. Its result
and what is computed of such results alone are values of the row (or of the column): they have another shape than the
group, and may be outputs too.
Only the run knows whether shapes and layouts allow one loop over rows, so such a group stands under a test, beside the
same operators in groups without reductions::

    %4: tuple[Tensor[float32, 2]] = tuple.make(%x)
    %5: bool = rows_fit(%4, (), False)
    %6: Tensor[float32, 2] = if %5 {
      %7: Tensor[float32, 2] = fused (%x.1: Tensor[float32, 2] = %x) {
        %8: Tensor[float32, 2] = amax(%x.1, (-1,), True)
        %9: Tensor[float32, 2] = sub(%x.1, %8, 1)
        yield %9
      }
      yield %7
    } else {
      %10: Tensor[float32, 2] = amax(%x, (-1,), True)
      %11: Tensor[float32, 2] = fused (%x.2: Tensor[float32, 2] = %x, %10.1: Tensor[float32, 2] = %10) { ... }
      yield %11
    }

Tensors of the same rank mostly have the same shape. Where a group needs that, so that an operand of a member is a
result too, it stands under a test as well::

    %4: tuple[Tensor[float32, 2], Tensor[float32, 2]] = tuple.make(%x, %y)
    %5: bool = shapes_fit(%4, (1,))
    %6: Tensor[float32, 2], %7: Tensor[float32, 2] = if %5 {
      %8: Tensor[float32, 2], %9: Tensor[float32, 2] = fused (%x.1: Tensor[float32, 2] = %x, %y.1: ...) {
        %10: Tensor[float32, 2] = exp(%x.1)
        %11: Tensor[float32, 2] = add(%10, %y.1, 1)
        yield %10, %11
      }
      yield %8, %9
    } else {
      ...
    }

Groups that end at the same place and read a tensor in common (*siblings*) become one, with the results of both.

A *view* of what a group computes becomes a view of what the group reads: see `tscript.passes.fusion_views`.

An in-place operator ends its group, into which everything else in it goes, and its result is the tensor it writes. The
order of observable effects, errors and writes, is kept. Operators whose dtypes are not known are left to dispatch at
run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, final

from tscript.definitions.opdef import Kernel, Pointwise
from tscript.ir.graph import Block, Call, Closure, Const, Fork, Fused, Graph, Invoke, Node, Op, Program, Value, walk
from tscript.ir.reductions import ReductionNode, reduction_of
from tscript.ir.rewrite import resolve
from tscript.late import dataclass, replace
from tscript.passes.aliases import Aliases, can_raise, summarise
from tscript.passes.base import Pass, PassContext
from tscript.passes.fusion_emission import GroupEmitter
from tscript.passes.fusion_groups import (
    Group,
    Shape,
    is_fusible,
    is_itself,
    is_of_column,
    is_small,
    tensor_rank,
    tensors_of,
)
from tscript.passes.fusion_report import Alone, Joined, Reason
from tscript.passes.fusion_views import copied, is_layout_unseen, is_view, moved_view, users_of
from tscript.types import TensorType


@dataclass(frozen=True, slots=True)
class Fusion(Pass):
    """Groups pointwise operators.

    Attributes:
        max_members: Operators of one group.
        max_inputs: Tensors that one group reads.
        reductions: Whether groups have reductions.
        alike: Whether tensors of the same rank are taken to have the same shape, under a test.
    """

    name: ClassVar[str] = "fusion"

    max_members: int = 64
    max_inputs: int = 24
    reductions: bool = True
    alike: bool = True

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk forwards."""
        notes = context.fusion.notes.setdefault(graph.name, []) if context.fusion is not None else None
        if notes is None and not any(is_fusible(node) for node in walk(graph.body)):
            return False
        _Fusing(self, graph.body, Aliases(graph), context, notes).block(graph.body)
        return True


@final
class _Fusing(GroupEmitter):
    """The walk over one graph."""

    def __init__(
        self,
        options: Fusion,
        body: Block,
        aliases: Aliases,
        context: PassContext,
        notes: list[Joined | Alone] | None = None,
    ) -> None:
        super().__init__(body, aliases, context, notes)
        self.options = options
        self.body = body
        self.refused = Reason.ORDER
        """Why the last node could not join the groups of its operands."""
        self.pending: dict[Group, None] = {}
        self.users: dict[Value, list[Node]] | None = None

    def fuse_plainly(self, block: Block) -> None:
        options = replace(self.options, reductions=False, alike=False)
        _Fusing(options, block, self.aliases, self.context).block(block)

    # The walk

    def block(self, block: Block) -> None:
        """Fuse in `block` and below it."""
        outer = self.pending, self.out, self.views
        self.pending, self.out, self.views = {}, [], dict(self.views)
        for node in block.nodes:
            self.position += 1
            self.substitute(node)
            match node:
                case Op() if is_fusible(node):
                    if is_itself(node):
                        source, output = node.inputs[0], node.outputs[0]
                        self.mapping[output] = source
                        self.counts[source] += self.counts.get(output, 0) - 1
                    else:
                        self.pointwise(node)
                    continue
                case Op() if self.options.reductions and (found := reduction_of(node)) is not None:
                    self.reduction(node, found)
                    continue
                case Const() | Fused():
                    pass
                case Op() if node.inputs and node.inputs[0] in self.owner and self.view(node):
                    continue
                case Op() | Call() | Fork() | Closure() | Invoke():
                    self.flush_for(node)
                    self.note_alone(node)
                case _:
                    self.flush(self.pending, Reason.CONTROL)
                    self.substitute(node)
                    for inner in node.blocks:
                        self.block(inner)
            self.out.append(node)
        block.nodes = self.out
        self.pending, self.out, self.views = outer

    def substitute(self, node: Node) -> None:
        if self.mapping:
            inputs = node.inputs
            for i, value in enumerate(inputs):
                if value in self.mapping:
                    inputs[i] = resolve(self.mapping, value)

    def flush_for(self, node: Op | Call | Fork | Closure | Invoke) -> None:
        """Emit the groups that `node`, which is in no group, depends on or must not overtake."""
        if not self.pending:
            return
        self.flush(self.owners(node), Reason.USED, node)
        needed: dict[Group, None] = {}
        summary = summarise(node, self.aliases)
        visible = summary.is_visible
        for group in self.pending:
            if (visible and group.first is not None) or self.reads(group, summary.writes):
                needed[group] = None
        self.flush(needed, Reason.ORDER, node)
        self.substitute(node)

    def view(self, node: Op) -> bool:
        """Move a view of what a pending group computes to what the group reads, if that may be."""
        source, group = node.inputs[0], self.owner[node.inputs[0]]
        if not is_view(node) or source in self.of_row or len(self.owners(node)) > 1:
            return False
        if self.users is None:
            self.users = users_of(self.body)
        if not is_layout_unseen(node.outputs[0], self.users):
            return False
        raises = can_raise(node)
        if raises:
            others = {g: None for g in self.pending if g is not group and g.first is not None}
            self.flush(others, Reason.ORDER, node)
            if group not in self.pending:
                return False
        if self.ends_in(group, node):
            return moved_view(self, group, node, alike=self.options.alike)
        made = copied(self, group, source)
        if made is None:
            return False
        (twin,) = made.open
        again = Op(node.op, [twin, *node.inputs[1:]], node.outputs[0].type, node.span)
        self.counts[again.outputs[0]] = self.counts.get(node.outputs[0], 0)
        self.pending[made] = None
        if not moved_view(self, made, again, alike=self.options.alike):
            self.pending.pop(made)
            for value in made.values:
                del self.owner[value]
            return False
        self.mapping[node.outputs[0]] = again.outputs[0]
        self.counts[source] -= 1
        if group.used.get(source, 0) >= self.counts[source]:
            group.open.pop(source, None)
        return True

    def note_alone(self, node: Node) -> None:
        """Note why an operator that gives a tensor is in no group."""
        if self.notes is None or not isinstance(node, Op) or not isinstance(node.outputs[0].type, TensorType):
            return
        implementation = node.op.implementation
        reason = Reason.OPERATOR
        if isinstance(implementation, Pointwise):
            reason = Reason.DTYPES
        elif isinstance(implementation, Kernel) and implementation.reduces is not None:
            reason = Reason.DIMENSIONS
        elif node.op.effects.view_of is not None:
            reason = Reason.VIEW
        self.notes.append(Alone((node.op.name, node.span), reason))

    def owners(self, node: Node) -> dict[Group, None]:
        """The pending groups that compute inputs of `node`."""
        return {self.owner[v]: None for v in node.inputs if v in self.owner}

    def reads(self, group: Group, classes: set[Value]) -> bool:
        """Whether `group` reads a tensor of `classes`."""
        return bool(classes) and any(self.aliases.root(v) in classes for v in group.reads)

    # Joining

    def pointwise(self, node: Op) -> None:
        """Put `node` into a group."""
        self.flush(self.unlike(node), Reason.BROADCAST, node)
        self.substitute(node)
        rows = self.pending_rows(node)
        shape: Shape = frozenset().union(
            *(self.owner[v].shape if v in rows else self.shape_of(v) for v in tensors_of(node))
        )
        writes = bool(node.op.effects.writes)
        raises = writes or self.may_raise(node, shape)
        for found, reason in self.unfit(node, shape).items():
            self.flush({found: None}, reason, node)
        self.substitute(node)
        group = self.join(node, raises)
        if group is None:
            self.flush(self.owners(node), self.refused, node)
            self.substitute(node)
            group = Group()
            self.pending[group] = None
        if writes:
            classes = {self.aliases.root(node.inputs[0])}
            others = [g for g in self.pending if g is not group]
            ordered = {g: None for g in others if g.first is not None or self.reads(g, classes)}
            self.flush(ordered, Reason.ORDER, node)
        self.add(group, node, shape, raises)
        if rows:
            beside = [v for v in tensors_of(node) if v not in rows and self.shape_of(v) and not is_of_column(group, v)]
            if not beside:
                self.of_row[node.outputs[0]] = any(self.of_row[v] for v in rows)
            elif group.leading or not (group.whole or any(tensor_rank(v) != group.rank for v in beside)):
                group.checks[frozenset().union(*map(self.shape_of, beside))] = None
        if writes:
            self.flush({group: None}, Reason.WRITES)

    def reduction(self, node: Op, found: ReductionNode) -> None:
        """Put a reduction into the group of its operand, or one of its own."""
        operand = node.inputs[0]
        group = self.owner.get(operand)
        if group is not None:
            refused: Reason | None = None
            if operand in self.of_row:
                refused = Reason.OF_ROWS
            elif group.whole is not None and (group.whole, group.leading) != (found.whole, found.leading):
                refused = Reason.KINDS
            elif not self.are_alike(self.shape_of(operand), group.shape):
                refused = Reason.SHAPES
            elif not self.suits(group, group.shape, found.whole):
                refused = Reason.RANKS
            if refused is not None:
                self.flush({group: None}, refused, node)
                self.substitute(node)
        shape = self.shape_of(node.inputs[0])
        group = self.join(node, found.refuses_empty)
        if group is None:
            self.flush(self.owners(node), self.refused, node)
            self.substitute(node)
            shape = self.shape_of(node.inputs[0])
            group = Group()
            self.pending[group] = None
        source = node.inputs[0].type
        assert isinstance(source, TensorType)
        group.whole, group.leading, group.rank = found.whole, found.leading, source.rank
        group.checks[shape] = None
        self.add(group, node, shape, found.refuses_empty)
        self.of_row[node.outputs[0]] = found.keepdim

    def pending_rows(self, node: Op) -> list[Value]:
        """The operands that are values of the rows of pending groups."""
        return [v for v in tensors_of(node) if v in self.of_row and v in self.owner]

    def unlike(self, node: Op) -> dict[Group, None]:
        """The groups of values of rows that are no operands of `node` in one loop: they would have to be broadcast in
        other ways than along rows."""
        rows = self.pending_rows(node)
        shaped = any(v not in rows and self.shape_of(v) for v in tensors_of(node))
        mixed = len({self.of_row[v] for v in rows}) > 1
        found: dict[Group, None] = {}
        for v in rows:
            owner = self.owner[v]
            spread = shaped and not self.of_row[v] and not owner.whole
            if ((mixed or spread) and not owner.leading) or node.op.effects.writes:
                found[owner] = None
        return found

    def suits(self, group: Group, shape: Shape, whole: bool | None) -> bool:
        """Whether a group with reductions may have this shape, as far as ranks tell."""
        ranks = {v.type.rank for v in shape if isinstance(v.type, TensorType)}
        if group.whole not in (None, whole) and whole is not None:
            return False
        if None in ranks:
            return len(shape) == 1
        if group.whole is None:
            return not whole or len(ranks) == 1
        return ranks == {group.rank} if group.whole else max(r or 0 for r in ranks) == group.rank

    def may_raise(self, node: Op, shape: Shape) -> bool:
        """Whether the shapes of the operands may fail to broadcast: not when one of them is that of the result."""
        return len(shape) > 1 and all(self.shape_of(v) != shape for v in tensors_of(node))

    def unfit(self, node: Op, shape: Shape) -> dict[Group, Reason]:
        """The groups that compute operands of `node`, of this shape, but cannot have it as a member, and why."""
        own = self.owner.get(node.inputs[0]) if node.op.effects.writes else None
        found: dict[Group, Reason] = {}
        for group in self.owners(node):
            if node.op.effects.writes:
                feeds = self.ends_in(group, node) and all(self.counts.get(v) for v in group.values)
                if group is own or group.whole is not None or not feeds:
                    found[group] = Reason.READS
            elif group.whole is not None and not self.suits(group, shape, None):
                found[group] = Reason.RANKS
            elif (group.shape < shape and group.whole is not None) or self.are_alike(group.shape, shape):
                pass
            elif not group.shape < shape:
                found[group] = Reason.SHAPES
            elif not self.ends_in(group, node):
                found[group] = Reason.OTHER_USES
            elif not self.may_repeat(group, shape):
                found[group] = Reason.COSTLY
        return found

    def are_alike(self, a: Shape, b: Shape) -> bool:
        """Whether two shapes are the same, or can be taken to be under a test."""
        if a == b:
            return True
        if not self.options.alike:
            return False
        ranks = {v.type.rank for v in (*a, *b) if isinstance(v.type, TensorType)}
        if None in ranks:
            return False
        largest = max((r or 0 for r in ranks), default=0)
        return all(any(self.is_large(v, largest) for v in shape) for shape in (a, b))

    def is_large(self, value: Value, rank: int) -> bool:
        """Whether `value` probably has the shape of a tensor with `rank` dimensions that it broadcasts to."""
        return value not in self.small and not is_small(value, rank)

    def may_repeat(self, group: Group, whole: Shape) -> bool:
        """Whether `group` may be computed once per element of the larger shape `whole`.

        Cheap arithmetic may; so may everything if the shapes are not known to differ.
        """
        if not group.shape or all(member.op.exact for _, member in group.members):
            return True
        rank = max((v.type.rank or 0 for v in whole if isinstance(v.type, TensorType)), default=0)
        return not all(v in self.small or is_small(v, rank) for v in group.shape)

    def join(self, node: Op, raises: bool) -> Group | None:
        """The group that `node` becomes a member of, made of all that compute its operands."""
        groups = list(self.owners(node))
        if not groups:
            return None
        reads = {v for g in groups for v in g.reads} | {v for v in tensors_of(node) if v not in self.owner}
        if sum(len(g.members) for g in groups) >= self.options.max_members:
            self.refused = Reason.MEMBERS
        elif len(reads) > self.options.max_inputs:
            self.refused = Reason.INPUTS
        elif len({(g.whole, g.leading) for g in groups if g.whole is not None}) > 1:
            self.refused = Reason.KINDS
        else:
            self.refused = Reason.ORDER
            return self.merged(groups, raises)
        return None

    def ends_in(self, group: Group, node: Op) -> bool:
        """Whether nothing but `node` needs what `group` computes."""
        return all(
            group.used.get(v, 0) + sum(1 for i in node.inputs if i is v) >= self.counts.get(v, 0) for v in group.open
        )

    def merged(self, groups: list[Group], raises: bool) -> Group | None:
        """One group from several for a member that `raises`, or None when errors would get out of order."""
        firsts = [g.first for g in groups if g.first is not None]
        lasts = [g.last for g in groups if g.last is not None]
        if raises:
            firsts.append(self.position)
            lasts.append(self.position)
        if firsts:
            first, last = min(firsts), max(lasts)
            for other in self.pending:
                if other in groups or other.first is None or other.last is None:
                    continue
                if other.first < last and other.last > first:
                    return None
        group, *others = groups
        if any(g.originals is not None for g in groups):
            originals = [m for g in groups for m in (g.originals or g.members)]
            group.originals = sorted(originals, key=lambda member: member[0])
        for other in others:
            del self.pending[other]
            group.members += other.members
            group.origin.update(other.origin)
            group.tests += other.tests
            group.values.update(other.values)
            for value, n in other.used.items():
                group.used[value] = group.used.get(value, 0) + n
            group.open.update(other.open)
            group.reads.update(other.reads)
            group.shape |= other.shape
            group.checks |= other.checks
            if other.whole is not None:
                group.whole, group.leading, group.rank = other.whole, other.leading, other.rank
            for value in other.values:
                self.owner[value] = group
        if others:
            group.members.sort(key=lambda member: member[0])
        if firsts:
            group.first, group.last = min(firsts), max(lasts)
        return group

    def add(self, group: Group, node: Op, shape: Shape, raises: bool) -> None:
        """Make `node` the last member of `group`."""
        output = node.outputs[0]
        group.members.append((self.position, node))
        if group.originals is not None:
            group.originals.append((self.position, node))
        group.shape |= shape
        for value in node.inputs:
            if value in group.values:
                used = group.used[value] = group.used.get(value, 0) + 1
                if used >= self.counts.get(value, 0):
                    group.open.pop(value, None)
        for value in tensors_of(node):
            if value not in group.values:
                group.reads[value] = None
        if raises:
            group.first = self.position if group.first is None else group.first
            group.last = self.position
        self.owner[output] = group
        group.values[output] = self.shapes[output] = shape
        if self.counts.get(output, 0):
            group.open[output] = None

    # Emitting

    def flush(self, groups: Mapping[Group, None], reason: Reason, node: Node | None = None) -> None:
        """Emit `groups`, and with each that can raise those that do so before it. The `reason` that they end is `node`
        if it is given."""
        if not groups:
            return
        last = max((g.first for g in groups if g.first is not None), default=-1)
        chosen = [g for g in self.pending if g in groups or (g.first is not None and g.first < last)]
        asked = set(groups)
        if len(chosen) > 1:
            chosen = self.with_siblings(chosen)
        chosen.sort(key=lambda g: -1 if g.first is None else g.first)
        for group in chosen:
            del self.pending[group]
            if self.notes is not None:
                self.note(group, reason if group in asked else Reason.ORDER, node)
            self.emit(group)

    def with_siblings(self, groups: Sequence[Group]) -> list[Group]:
        """`groups`, with those that read the same tensors made one."""
        found: list[Group] = []
        for group in groups:
            for other in found:
                if self.are_siblings(other, group) and self.merged([other, group], raises=False) is not None:
                    break
            else:
                found.append(group)
        return found

    def are_siblings(self, a: Group, b: Group) -> bool:
        """Whether two groups may be one loop, and read a tensor in common that need not be loaded twice."""
        if a.whole is not None or b.whole is not None or not self.are_alike(a.shape, b.shape):
            return False
        if len(a.members) + len(b.members) > self.options.max_members:
            return False
        common = [v for v in a.reads if v in b.reads and v in a.shape]
        return bool(common) and len({*a.reads, *b.reads}) <= self.options.max_inputs
