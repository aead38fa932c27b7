"""Moves views of what a group computes to what it reads, so that operators before and behind a view are one group.

Before::

    %0: Tensor[float32, 2] = mul(%x, %two)
    %1: Tensor[float32, 2] = t(%0)
    %2: Tensor[float32, 2] = add(%1, %y, %one)

After::

    %1: tuple[int, int] = const (1, 0)
    %2: Tensor[float32, 2] = permute(%x, %1)
    %3: Tensor[float32, 2] = fused (%2.1: Tensor[float32, 2] = %2, %y.1: Tensor[float32, 2] = %y) {
      %4: Tensor[float32, 2] = mul(%2.1, %two)
      %5: Tensor[float32, 2] = add(%4, %y.1, %one)
      yield %5
    }

*Arrangements* (transposed and permuted tensors, further dimensions of size 1) go together with broadcasting. *Cuts*
(slices, elements along a dimension) and *reshapes* need operands of one shape. Where only the run knows that, the group
stands under a test, beside its operators as they were. Nobody may see the layout of the view: only operators that make
new tensors take it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tscript.definitions.opdef import SAME_DTYPE_IS_SELF
from tscript.ir.graph import Block, Node, Op, Value, walk
from tscript.ir.reductions import reduction_of
from tscript.passes.aliases import can_raise
from tscript.passes.fusion_emission import GroupEmitter
from tscript.passes.fusion_groups import Group, Shape, is_fusible, is_small, tensor_rank
from tscript.types import INT, ArrayType, TensorType, TupleType

Arrangement = tuple[int | None, ...]
"""Of each dimension of a view that of its operand, None for one of size 1 that is new."""

CUTS = frozenset(("slice.Tensor", "select.int"))
RESHAPES = frozenset(("reshape", "view", "flatten", "ravel"))
MOST_COPIED = 4
"""Operators that are rather computed twice than stored for a view, and tensors read for all views of a value."""
MOST_STRIDED = 2
"""Tensors that a group may read in another order than they lie in because of one view."""


def arrangement_of(node: Node | None) -> Arrangement | None:
    """What a view does with dimensions, None if it is no such view of constants."""
    if not isinstance(node, Op) or not node.inputs or not isinstance(node.inputs[0].type, TensorType):
        return None
    name, rank = node.op.name, node.inputs[0].type.rank
    if rank is None:
        return None
    dims = list(range(rank))
    given = [v.constant for v in node.inputs[1:]]
    if name in ("t", "T"):
        return tuple(reversed(dims))
    if name == "mT" and rank > 1:
        return (*dims[:-2], dims[-1], dims[-2])
    if name == "transpose" and all(type(d) is int and -rank <= d < rank for d in given):
        first, second = (d % rank for d in given if isinstance(d, int))
        dims[first], dims[second] = dims[second], dims[first]
        return tuple(dims)
    if name == "permute" and isinstance(given[0], tuple) and all(type(d) is int for d in given[0]):
        chosen = tuple(d % rank for d in given[0]) if rank else ()
        return chosen if sorted(chosen) == dims else None
    if name == "unsqueeze" and type(given[0]) is int and -rank - 1 <= given[0] <= rank:
        at = given[0] % (rank + 1)
        return (*dims[:at], None, *dims[at:])
    return None


def is_view(node: Op) -> bool:
    """Whether `node` is a view that may be moved."""
    return node.op.name in CUTS or node.op.name in RESHAPES or arrangement_of(node) is not None


def users_of(block: Block) -> dict[Value, list[Node]]:
    """The nodes that use each value, in nested blocks too."""
    found: dict[Value, list[Node]] = {}
    for node in walk(block):
        for value in node.inputs:
            found.setdefault(value, []).append(node)
    return found


def is_layout_unseen(value: Value, users: Mapping[Value, list[Node]]) -> bool:
    """Whether only operators that make new tensors use `value`, and views that only such operators use."""
    for node in users.get(value, ()):
        if not isinstance(node, Op) or (node.op.effects.writes and node.inputs[0] is value):
            return False
        if is_fusible(node):
            if SAME_DTYPE_IS_SELF in node.op.tags:
                return False
        elif reduction_of(node) is None and not (is_view(node) and is_layout_unseen(node.outputs[0], users)):
            return False
    return True


def moved_view(emitter: GroupEmitter, group: Group, node: Op, *, alike: bool) -> bool:
    """Move the view `node` of a value of `group` to what the group reads, if that may be. The group then has one
    open value, which `node.outputs[0]` is mapped to.

    Args:
        alike: Whether tensors of the same rank are taken to have the same shape, under a test.
    """
    source, output = node.inputs[0], node.outputs[0]
    rank = tensor_rank(output)
    if rank is None or not isinstance(source.type, TensorType) or tensor_rank(source) is None:
        return False
    if group.whole is not None or any(m.op.effects.writes for _, m in group.members):
        return False
    reads = [v for v in group.reads if tensor_rank(v) != 0]
    if not reads:  # of numbers and tensors without dimensions alone nothing would have the dimensions of the view
        return False
    if any(tensor_rank(v) is None for v in reads) or max(
        (tensor_rank(v) or 0 for v in reads), default=0
    ) != tensor_rank(source):
        return False
    arrangement = arrangement_of(node)
    if arrangement is None:
        moved = _cut(emitter, group, node, reads, alike)
    else:
        moved = _arranged(emitter, group, node, reads, arrangement, alike)
    if moved is None:
        return False
    _rewrite(emitter, group, node, moved, rank)
    return True


def _cut(
    emitter: GroupEmitter, group: Group, node: Op, reads: Sequence[Value], alike: bool
) -> dict[Value, Value] | None:
    """The cuts of what a group reads, all of one shape."""
    rank = tensor_rank(node.inputs[0])
    if any(emitter.shape_of(v) != group.shape for v in reads):
        if (
            not alike
            or can_raise(node)
            or any(tensor_rank(v) != rank or v in emitter.small or is_small(v, rank or 0) for v in reads)
        ):
            return None
        group.tests.append((list(reads), tuple(1 << i for i in range(len(reads)))))
    elif can_raise(node) and group.first is not None:
        return None
    op = emitter.context.table["reshape"] if node.op.name == "view" else node.op
    moved: dict[Value, Value] = {}
    for value in reads:
        moved[value] = emitter.emit_view(Op(op, [value, *node.inputs[1:]], _like(node.outputs[0], value), node.span))
    return moved


def _arranged(
    emitter: GroupEmitter, group: Group, node: Op, reads: Sequence[Value], arrangement: Arrangement, alike: bool
) -> dict[Value, Value] | None:
    """What a group reads with its dimensions arranged in another way."""
    rank = tensor_rank(node.inputs[0]) or 0
    found: dict[Value, tuple[Value, Arrangement]] = {}
    strided = 0
    for value in reads:
        missing = rank - (tensor_rank(value) or 0)
        own: Arrangement = tuple(None if d is None or d < missing else d - missing for d in arrangement)
        base, given = value, value.node
        while (inner := arrangement_of(given)) is not None:
            assert given is not None
            own = tuple(None if d is None else inner[d] for d in own)
            base, given = given.inputs[0], given.inputs[0].node
        if {d for d in own if d is not None} != set(range(tensor_rank(base) or 0)):
            return None
        kept = [d for d in own if d is not None]
        strided += kept != sorted(kept)
        found[value] = (base, own)
    if strided > MOST_STRIDED:
        return None
    if group.first is not None:
        if not alike:
            return None
        group.tests.append((list(reads), ()))
    return {value: _arrange(emitter, base, own, node) for value, (base, own) in found.items()}


def _arrange(emitter: GroupEmitter, value: Value, arrangement: Arrangement, node: Op) -> Value:
    """A view of `value` with its dimensions arranged."""
    table, span = emitter.context.table, node.span
    dims = tuple(d for d in arrangement if d is not None)
    if dims != tuple(range(len(dims))):
        order = emitter.constant(dims, TupleType((INT,) * len(dims)), span)
        value = emitter.emit_view(Op(table["permute"], [value, order], value.type, span))
    for at, d in enumerate(arrangement):
        if d is None:
            dim = emitter.constant(at, INT, span)
            value = emitter.emit_view(
                Op(table["unsqueeze"], [value, dim], _with_rank(value.type, (tensor_rank(value) or 0) + 1), span)
            )
    return value


def _rewrite(emitter: GroupEmitter, group: Group, node: Op, moved: Mapping[Value, Value], rank: int) -> None:
    """Let a group read other values, so that it computes a view of its one open value."""
    source, output = node.inputs[0], node.outputs[0]
    uses = group.used.get(source, 0)
    left = emitter.counts.get(output, 0)
    firsts: dict[Shape, Value] = {}
    shapes: dict[Value, Shape] = {}
    for value, view in moved.items():
        shapes[value] = emitter.shapes.get(view) or frozenset((firsts.setdefault(emitter.shape_of(value), view),))
        emitter.shapes[view] = shapes[value]
    if group.originals is None:
        group.originals = list(group.members)
    group.originals.append((emitter.position, node))
    inner: dict[Value, Value] = dict(moved)
    members: list[tuple[int, Op]] = []
    values: dict[Value, Shape] = {}
    used: dict[Value, int] = {}
    for position, member in group.members:
        old = member.outputs[0]
        type = _with_rank(old.type, rank) if tensor_rank(old) != 0 else old.type
        clone = Op(member.op, [inner.get(v, v) for v in member.inputs], type, member.span)
        new = inner[old] = clone.outputs[0]
        new.name = old.name
        members.append((position, clone))
        values[new] = emitter.shapes[new] = frozenset().union(
            *(shapes[v] for v in moved if emitter.shape_of(v) <= group.values[old])
        )
        used[new] = group.used.get(old, 0)
        emitter.counts[new] = emitter.counts.get(old, 0)
        group.origin[new] = group.origin.get(old, old)
        del emitter.owner[old]
        emitter.owner[new] = group
        emitter.aliases.merge(old, new)
    new = inner[source]
    group.origin[new] = output
    emitter.counts[new] = uses + left
    emitter.mapping[output] = new
    group.members, group.values, group.used = members, values, used
    group.reads = {moved.get(v, v): None for v in group.reads}
    group.shape = frozenset().union(*shapes.values())
    group.open = {new: None} if left else {}


def copied(emitter: GroupEmitter, group: Group, source: Value) -> Group | None:
    """A group of its own for what `source` is computed from, which has other uses as well; None if that costs much."""
    wanted = {source}
    chosen: list[tuple[int, Op]] = []
    for position, member in reversed(group.members):
        if member.outputs[0] in wanted:
            if not member.op.exact or member.op.effects.writes:
                return None
            wanted.update(member.inputs)
            chosen.append((position, member))
    if len(chosen) > MOST_COPIED or group.first is not None or group.originals is not None:
        return None
    new = Group()
    inner: dict[Value, Value] = {}
    for position, member in reversed(chosen):
        old = member.outputs[0]
        clone = Op(member.op, [inner.get(v, v) for v in member.inputs], old.type, member.span)
        made = inner[old] = clone.outputs[0]
        made.name = old.name
        new.members.append((position, clone))
        new.values[made] = emitter.shapes[made] = group.values[old]
        new.reads.update(dict.fromkeys(v for v in member.inputs if v in group.reads))
        emitter.owner[made] = new
        for value in clone.inputs:
            if value in new.values:
                new.used[value] = new.used.get(value, 0) + 1
                emitter.counts[value] = new.used[value]
    if len([v for v in new.reads if tensor_rank(v) != 0]) * emitter.counts.get(source, 0) > MOST_COPIED:
        _abandon(emitter, new)
        return None
    new.shape = group.values[source]
    emitter.counts[inner[source]] = 1
    new.open[inner[source]] = None
    return new


def _abandon(emitter: GroupEmitter, group: Group) -> None:
    """Forget a group that is not pending yet."""
    for value in group.values:
        del emitter.owner[value]


def _with_rank(type: object, rank: int) -> TensorType:
    assert isinstance(type, TensorType)
    if isinstance(type, ArrayType):
        assert type.dtype is not None
        return ArrayType(type.dtype, rank)
    return TensorType(type.dtype, rank)


def _like(view: Value, operand: Value) -> TensorType:
    """The type of the same view of another tensor."""
    rank = tensor_rank(view)
    assert rank is not None
    return _with_rank(operand.type, rank)
