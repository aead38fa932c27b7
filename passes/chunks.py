"""Runs summing loops in chunks without checks. Combined bits show after a chunk whether a check would have failed.

Before::

    %sum: int = for L0 %i: int in range(%start, %stop, %one) (%s: int = %zero) {
      %x: int = getitem.list(%xs, %i)
      %t: int = add.int(%s, %x)
      continue L0 (%t)
    }

After::

    %sum: int = loop L1 (%at: int = %start, %a: int = %zero) {
      ... break L1 (%a) unless %at < %stop
      %ok: bool = ... a whole chunk is left, it lies inside of %xs, and %a is not too large
      %fine: bool, %b: int = if %ok {
        %c: int, %bits: int = for L2 %k: int in range(0, 256, 1) (%s: int = %a, %seen: int = %zero) {
          %i: int = machine.add(%at, %k)
          %x: int = item_in.list(%xs, %i)
          %t: int = wrapping_add.int(%s, %x)
          %moved: int = machine.add(%x, %least)
          %both: int = machine.or(%seen, %moved)
          continue L2 (%t, %both)
        }
        yield (no high bit was seen), %c
      } else { yield False, %a }
      %next: int, %d: int = if %fine { yield %at + 256, %b } else { ... for L0 %i in range(%at, %end, %one) ..., what it
      was } continue L1 (%next, %d)
    }

The loop without checks is vectorised. It changes only its carried values, so a chunk with a large element is repeated
with checks from its beginning. A chunk contains no safepoint, so lists keep their lengths.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence, Set

from tscript.definitions.opdef import Leaf, OpDef, Scalar, Structural
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_nodes
from tscript.ir.graph import Block, Const, Continue, For, If, Label, Loop, Node, Op, Value, Yield, walk
from tscript.late import dataclass
from tscript.operators.python.unchecked import ITEM_IN
from tscript.passes.base import PassContext
from tscript.passes.intervals import Range
from tscript.passes.range_rules import SUMS
from tscript.types import BOOL, FLOAT, INT

SIZE = 256
"""Iterations of a chunk."""

BITS = (53, 44, 36, 31, 26, 20)
"""The numbers of bits that are tried for elements, without the sign."""

START = 1 << 62
"""The absolute value of a sum at the beginning of a chunk is less than this."""

DRIFT = 1 << 61
"""A chunk adds at most this."""

CARRIED: Range = (-START - DRIFT, START + DRIFT)
"""The bound of a sum inside a chunk."""

MOST = 60
"""The maximum number of nodes of a body that is duplicated."""

LOADS = frozenset({"getitem.list", "item_in.list"})
_READS = frozenset({"len.list", "len.str", "len.bytes", "has_item.list", "code_in.str"})
_DIVISIONS = frozenset({"remainder.int", "floor_divide.int", "wrapping_floor_divide.int"})
_SHIFTS = frozenset({"bitwise_right_shift.int", "bitwise_left_shift.int", "wrapping_shl.int"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """A loop that is to run in chunks.

    Attributes:
        bits: How many bits elements may have.
        sums: The carried values that must not be too large at the beginning of a chunk.
        values: Ints from outside, which may have as many bits.
        counts: Whether the counter may not have more bits either.
        proved: The replacements of nodes that need no check then.
    """

    bits: int
    sums: Sequence[int]
    values: Sequence[Value]
    counts: bool
    proved: Mapping[Node, OpDef]


def may_chunk(loop: For, left: Set[Node], proved: Container[Node]) -> bool:
    """Whether all iterations run to their ends and change only carried values, if `left` cannot fail; `proved`
    cannot."""
    end = loop.body.nodes[-1]
    if not isinstance(end, Continue) or loop.inputs[2].constant != 1:
        return False
    if any(p.type not in (INT, FLOAT, BOOL) for p in loop.body.params):
        return False
    inside = {v for n in walk(loop.body) for v in n.outputs}
    top = set(loop.body.nodes)
    for count, node in enumerate(walk(loop.body)):
        match node:
            case Const() | If() | Yield():
                pass
            case Op() if node.op.name in LOADS:
                items, index = node.inputs
                known = (
                    node in proved
                    or node.op is ITEM_IN
                    or (items not in inside and offset(index, loop.body.params[0]) is not None)
                )
                if (
                    not known
                    or (node.output.type == INT and node not in top)
                    or node.output.type not in (INT, FLOAT, BOOL)
                ):
                    return False
            case Op():
                fine = node in left or node in proved or _is_plain(node.op) or node.op.name in _READS
                if not (fine or _has_constant(node)):
                    return False
            case _:
                if node is not end:
                    return False
        if count > MOST:
            return False
    return True


def _is_plain(op: OpDef) -> bool:
    """Whether an operator is a few instructions that cannot fail: so few that no chunk of them has a safepoint."""
    return op.effects.is_pure and isinstance(op.implementation, Scalar | Leaf | Structural)


def _has_constant(node: Op) -> bool:
    """Whether a division or a shift cannot raise, because of its constant."""
    by = node.inputs[-1].constant if node.inputs else None
    name = node.op.name
    return isinstance(by, int) and ((name in _DIVISIONS and by not in (0, -1)) or (name in _SHIFTS and 0 <= by <= 63))


def offset(index: Value, counter: Value) -> int | None:
    """How far `index` is from `counter`, when that is constant."""
    if index is counter:
        return 0
    match index.node:
        case Op(op=op, inputs=[base, Value(constant=int() as k)]) if (
            op.name in SUMS and base is counter and abs(k) < 1 << 31
        ):
            return k * SUMS[op.name]
    return None


def chunked(loop: For, plan: Chunk, b: Builder, context: PassContext) -> list[Value]:
    """Append the replacement of `loop`, whose body goes to the part with checks; returns the replacements of its
    outputs."""
    start, stop, one = loop.inputs[:3]
    params = loop.body.params
    carried = [Value(p.type, p.name) for p in params[1:]]
    at = Value(INT, params[0].name)
    whole = Loop(Label("C"), [start, *loop.inputs[3:]], Block([at, *carried]), [p.type for p in carried], loop.span)
    o = Builder(whole.body, loop.span)
    with o.if_(o.op(machine.LT, at, stop)) as more, more.orelse:
        o.break_(whole.label, *carried)
    room = o.op(machine.GE, o.op(machine.SUB, stop, at), o.const(SIZE))
    end = o.op(machine.ADD, at, o.const(SIZE))
    types = [p.type for p in carried]
    with o.if_(_conditions(loop, plan, o, context, at, end, carried, room), [BOOL, *types]) as tried:
        with tried.then:
            o.yield_(*_quick(loop, plan, o, at, carried))
        with tried.orelse:
            o.yield_(o.const(False), *carried)
    fine, *found = tried.outputs
    with o.if_(o.op(machine.LIKELY, fine), [INT, *types]) as done:
        with done.then:
            o.yield_(end, *found)
        with done.orelse:
            last = o.op(machine.SELECT, room, end, stop)
            exact = For(loop.label, at, last, one, carried, loop.body, loop.span)
            for output, param in zip(exact.outputs, carried, strict=True):
                output.type = param.type
            o.append(exact)
            o.yield_(last, *exact.outputs)
    o.continue_(whole.label, *done.outputs)
    b.append(whole)
    for old, new in zip(loop.outputs, whole.outputs, strict=True):
        new.name = old.name
    return whole.outputs


def _conditions(
    loop: For,
    plan: Chunk,
    o: Builder,
    context: PassContext,
    at: Value,
    end: Value,
    carried: Sequence[Value],
    room: Value,
) -> Value:
    """Whether a chunk may be tried."""
    zero, found = o.const(0), room

    def also(condition: Value) -> None:
        nonlocal found
        found = o.op(machine.AND, found, condition)

    for i in plan.sums:
        also(o.op(machine.GE, o.op(machine.ADD, carried[i], o.const(START)), zero))
    for value in plan.values:
        moved = o.op(machine.ADD, value, o.const(1 << plan.bits))
        also(o.op(machine.EQ, o.op(machine.AND, moved, o.const(-(2 << plan.bits))), zero))
    if plan.counts:
        also(o.op(machine.LE, end, o.const(1 << plan.bits)))
    for items, more in dict.fromkeys(_indexed(loop)):
        length = o.op(context.table["len.list"], items)
        also(o.op(machine.LE, end, o.op(machine.SUB, length, o.const(more))))
    return found


def _indexed(loop: For) -> Iterator[tuple[Value, int]]:
    """The lists that are indexed with a check, and how far from the counter."""
    for node in walk(loop.body):
        if isinstance(node, Op) and node.op.name == "getitem.list":
            distance = offset(node.inputs[1], loop.body.params[0])
            assert distance is not None
            yield node.inputs[0], distance


def _quick(loop: For, plan: Chunk, o: Builder, at: Value, carried: Sequence[Value]) -> list[Value]:
    """The chunk without checks; returns whether it is valid, and its results."""
    zero, one, size = o.const(0), o.const(1), o.const(SIZE)
    names = [p.name for p in loop.body.params[1:]]
    with o.for_(zero, size, one, [*carried, zero], names=[*names, "seen"], counter="k") as quick:
        i = o.op(machine.ADD, at, quick.counter)
        i.name = loop.body.params[0].name
        *mine, seen = quick.params
        mapping = dict(zip(loop.body.params, [i, *mine], strict=True))
        nodes = clone_nodes(loop.body.nodes, mapping)
        last = nodes.pop()
        least = o.const(1 << plan.bits)
        old_nodes = list(_flat(loop.body.nodes[:-1]))
        for old, new in zip(old_nodes, list(_flat(nodes)), strict=True):
            if isinstance(new, Op):
                new.op = plan.proved.get(old, ITEM_IN if new.op.name == "getitem.list" else new.op)
        for node in nodes:
            o.append(node)
            if isinstance(node, Op) and node.op is ITEM_IN and node.output.type == INT:
                seen = o.op(machine.OR, seen, o.op(machine.ADD, node.output, least))
        o.continue_(quick, *last.inputs, seen)
    *results, bits = quick.outputs
    return [o.op(machine.EQ, o.op(machine.AND, bits, o.const(-(2 << plan.bits))), zero), *results]


def _flat(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for block in node.blocks:
            yield from _flat(block.nodes)


__all__ = ["BITS", "CARRIED", "DRIFT", "LOADS", "SIZE", "Chunk", "chunked", "may_chunk"]
