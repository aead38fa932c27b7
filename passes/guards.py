"""Duplicates loops. The first copy has no checks and runs while a test in each iteration proves that none can fail. The
second copy, with checks, continues from there.

Before::

    %k: int = loop L0 (%a: int = %start, %n: int = %zero) {
      %done: bool = eq.int(%a, %one)
      if %done { break L0 (%n) } else { yield }
      %b: int = if %even { ... mul.int(%a, %three) ... } else { ... }
      %m: int = add.int(%n, %one)
      continue L0 (%b, %m)
    }

After::

    %k: int = loop L1 {
      %c: int, %d: int = loop L2 {
        loop L0 (%a: int = %start, %n: int = %zero) {
          %done: bool = eq.int(%a, %one)
          if %done { break L1 (%n) } else { yield }
          %0: bool = machine.lt(%a, %large)
          %1: bool = machine.likely(%0)
          if %1 { yield } else { break L2 (%a, %n) }
          %b: int = if %even { ... wrapping_mul.int(%a, %three) ... } else { ... }
          %m: int = add.int(%n, %one)
          continue L0 (%b, %m)
        }
        unreachable
      }
      loop L3 (%a: int = %c, %n: int = %d) {
        ... what it was, breaking out of L1
      }
      unreachable
    }

A check inside a branch prevents the branch from becoming a selection; one test before it costs almost nothing. A check
outside of branches costs less than a test. Only small innermost loops are duplicated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Leaf, OpDef, Scalar
from tscript.dialect import machine
from tscript.ir.analysis import breaks
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_node
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Const,
    For,
    Fork,
    Fused,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Try,
    Unreachable,
    Value,
    Yield,
    walk,
)
from tscript.late import dataclass
from tscript.types import INT

BITS = (61, 60, 56, 48, 31)
"""The numbers of bits that are tried for ints, without the sign."""

MOST = 80
"""The maximum number of nodes of a body that is duplicated."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A loop to be duplicated.

    Attributes:
        bits: How many bits the values may have.
        signed: Whether one of them may be negative.
        values: The tested values.
        proved: The replacements of nodes that need no check then.
    """

    bits: int
    signed: bool
    values: Sequence[Value]
    proved: Mapping[Node, OpDef]


def may_guard(loop: Loop | For) -> bool:
    """Whether the body is small and made of operators and branches alone."""
    for count, node in enumerate(walk(loop.body)):
        if count > MOST or isinstance(node, Loop | For | Try | Fused | Call | Fork | Closure | Invoke):
            return False
    return True


def in_branches(loop: Loop | For, nodes: Set[Node]) -> list[Node]:
    """Those of `nodes` that are in branches which meet again."""
    found: list[Node] = []
    pending = [inner for node in loop.body.nodes for inner in node.blocks]
    while pending:
        block = pending.pop()
        if isinstance(block.nodes[-1], Yield):
            found += [n for n in block.nodes if n in nodes]
            pending += [inner for node in block.nodes for inner in node.blocks]
    return found


def needed(loop: Loop | For, nodes: Iterable[Node]) -> list[Value]:
    """The ints that the loop begins an iteration with and that `nodes` are computed from."""
    inside: dict[Value, Node] = {}
    for node in walk(loop.body):
        inside.update((v, node) for v in node.outputs)
    found: dict[Value, None] = {}
    seen: set[Value] = set()
    pending = [v for n in nodes for v in n.inputs]
    while pending:
        value = pending.pop()
        if value in seen or value.type != INT:
            continue
        seen.add(value)
        maker = inside.get(value)
        if maker is None:
            found[value] = None
        elif isinstance(maker, If):
            at = maker.outputs.index(value)
            pending += [b.nodes[-1].inputs[at] for b in maker.blocks if isinstance(b.nodes[-1], Yield)]
        elif isinstance(maker, Op) and isinstance(maker.op.implementation, Scalar | Leaf):
            pending += maker.inputs
    return [v for v in found if v.constant is MISSING]


def twice(loop: Loop | For, guard: Guard, b: Builder) -> list[Value]:
    """Append both versions of `loop`, whose body goes to the second; returns the replacements of its outputs."""
    whole = Loop(Label("G"), (), Block(), [v.type for v in loop.outputs], loop.span)
    for old, new in zip(loop.outputs, whole.outputs, strict=True):
        new.name = old.name
    left = Loop(Label("W"), (), Block(), [p.type for p in loop.body.params], loop.span)
    mapping: dict[Value, Value] = {}
    fast = clone_node(loop, mapping)
    assert isinstance(fast, Loop | For)
    for node, copy in zip(walk(loop.body), list(walk(fast.body)), strict=True):
        op = guard.proved.get(node)
        if op is not None:
            assert isinstance(copy, Op)
            copy.op = op
    unsafe = (i for i, n in enumerate(loop.body.nodes) if not _can_be_repeated(n) or _holds(n, guard.proved))
    _insert(fast, next(unsafe), guard, left.label, [mapping.get(v, v) for v in guard.values])
    left.body.nodes += [fast, _finish(fast, whole.label)]
    exact: Loop | For
    if isinstance(loop, For):
        stop, step = loop.inputs[1:3]
        exact = For(loop.label, left.outputs[0], stop, step, left.outputs[1:], loop.body, loop.span)
        for old, new in zip(loop.outputs, exact.outputs, strict=True):
            new.type = old.type
    else:
        exact = Loop(loop.label, left.outputs, loop.body, (), loop.span)
    whole.body.nodes += [left, exact, _finish(exact, whole.label)]
    b.append(whole)
    return whole.outputs


def _finish(loop: Loop | For, whole: Label) -> Node:
    """Let the exits of a loop leave `whole`; returns the node after it."""
    for node in breaks(loop.body, loop.label):
        node.label = whole
    if isinstance(loop, For):
        return Break(whole, loop.outputs, loop.span)
    loop.outputs = []
    return Unreachable(loop.span)


def _insert(loop: Loop | For, at: int, guard: Guard, left: Label, values: Sequence[Value]) -> None:
    """Insert the test into the body, after nodes that may run twice when the iteration is repeated."""
    nodes = loop.body.nodes
    test = Block()
    b = Builder(test, nodes[at].span)
    fine = b.op(machine.LIKELY, _are_small(guard, values, b))
    with b.if_(fine) as branch, branch.orelse:
        b.break_(left, *loop.body.params)
    nodes[at:at] = test.nodes


def _are_small(guard: Guard, values: Sequence[Value], b: Builder) -> Value:
    """Whether no value has more bits: moved up so that none is negative, they have no higher bit together."""
    end = b.const(1 << guard.bits)
    together: Value | None = None
    for value in values:
        moved = b.op(machine.ADD, value, end) if guard.signed else value
        together = moved if together is None else b.op(machine.OR, together, moved)
    assert together is not None
    if not guard.signed:
        return b.op(machine.LT, together, end)
    return b.op(machine.EQ, b.op(machine.AND, together, b.const(-(2 << guard.bits))), b.const(0))


def _can_be_repeated(node: Node) -> bool:
    """Whether `node` changes nothing, raises nothing that is not checked before, and leaves nothing but the loop."""
    return (
        isinstance(node, Const | If)
        and all(isinstance(inner, Break | Yield | Const) or _is_pure(inner) for inner in _flat(node))
    ) or _is_pure(node)


def _holds(node: Node, wanted: Mapping[Node, OpDef]) -> bool:
    return node in wanted or any(inner in wanted for inner in _flat(node))


def _is_pure(node: Node) -> bool:
    return isinstance(node, Op) and node.op.effects.is_pure


def _flat(node: Node) -> Iterator[Node]:
    for block in node.blocks:
        yield from walk(block)


__all__ = ["BITS", "Guard", "in_branches", "may_guard", "needed", "twice"]
