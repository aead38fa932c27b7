"""Unrolls counted loops: fully when they run a small, known number of times, by a factor when their body is small.

Before, with constant bounds::

    %s: int = for L0 %i: int in range(%0, %3, %1) (%a: int = %0) {
      %4: int = mul.int(%i, %x)
      %5: int = add.int(%a, %4)
      continue L0 (%5)
    }

After (the multiplications by constants are left to the other passes)::

    %6: int = const 0
    %7: int = mul.int(%6, %x)
    %8: int = add.int(%0, %7)
    %9: int = const 1
    %10: int = mul.int(%9, %x)
    %11: int = add.int(%8, %10)
    ...

An iteration that may end in its middle becomes a `Loop` that runs once: ``continue`` leaves it, ``break`` leaves the
one around all of them. By a factor, with bounds that are not known::

    %stop4 = start + (number of iterations rounded down to a multiple of 4)
    %p = for L0 %i in range(%start, %stop4, 4) (...) { body(i); body(i + 1); body(i + 2); body(i + 3) }
    %s = for L1 %i in range(%stop4, %stop, 1) (... = %p) { body(i) }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar, final

from tscript.definitions.opdef import Extern, Leaf, Native, Scalar, Structural
from tscript.dialect import machine
from tscript.ir.analysis import trip_count, walk_blocks
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_nodes
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Value,
    walk,
)
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.aliases import has_tensors, holds_tensor
from tscript.passes.base import Pass, PassContext
from tscript.passes.retyping import retype
from tscript.types import INT

NATIVE = 16
"""Nodes that are as much machine code as an operator of containers or strings, with its checks."""


@dataclass(frozen=True, slots=True)
class LoopUnrolling(Pass):
    """Unrolls `For` loops.

    Attributes:
        max_trips: Loops with more iterations are not unrolled fully.
        max_nodes: Nor are those that would become more nodes than this; an operator of containers and strings counts as
            `NATIVE` nodes.
        factor: How many iterations become one where the number is not known or large; 1 for never.
        max_body: Only bodies of at most this many nodes are unrolled by the factor.
    """

    name: ClassVar[str] = "loop_unrolling"

    max_trips: int = 16
    max_nodes: int = 256
    factor: int = 4
    max_body: int = 16

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Inner loops first."""
        if not any(isinstance(node, For) for node in walk(graph.body)):
            return False
        changed = rewrite(graph.body, _Unrolling(self).visit)
        if changed and has_tensors(graph):
            retype(graph, context.table)
        return changed


@final
class _Unrolling:
    """Unrolls the loops of one graph."""

    def __init__(self, options: LoopUnrolling) -> None:
        self.options = options

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """The rule for a loop."""
        if not isinstance(node, For):
            return None
        trips = trip_count(node)
        limit = self.options.max_nodes
        if trips is not None and trips <= self.options.max_trips and trips * size_of(node.body, limit) <= limit:
            return self.fully(node, trips, builder)
        if self.options.factor > 1 and is_short(node.body, self.options.max_body) and is_simple(node):
            return self.by_factor(node, trips, builder)
        return None

    def fully(self, node: For, trips: int, builder: Builder) -> Sequence[Value]:
        """One copy of the body per iteration."""
        start, step = node.inputs[0].constant, node.inputs[2].constant
        assert isinstance(start, int) and isinstance(step, int)
        exits = list(_exits(node))
        end = node.body.nodes[-1]
        breaks = any(isinstance(e, Break) for e in exits)
        continues = [e for e in exits if isinstance(e, Continue)]
        straight = all(e is end for e in continues)
        carried: list[Value] = list(node.inputs[3:])
        outer = Label(node.label.name)
        whole = Loop(outer, (), Block(), [v.type for v in node.outputs], node.span)
        inside = Builder(whole.body if breaks else builder.block, node.span)
        for trip in range(trips):
            if not continues and trip:
                break
            counter = inside.const(start + trip * step, node.span, type=node.body.params[0].type)
            counter.name = node.body.params[0].name
            mapping = dict(zip(node.body.params, [counter, *carried], strict=True))
            once = Label(node.label.name)
            if straight:
                nodes = clone_nodes(node.body.nodes, mapping)
                _redirect(nodes, node.label, None, outer)
                last = nodes[-1]
                if isinstance(last, Continue) and last.label is node.label:
                    carried = list(last.inputs)
                    nodes.pop()
                inside.block.nodes += nodes
            else:
                body = Block()
                body.nodes = clone_nodes(node.body.nodes, mapping)
                _redirect(body.nodes, node.label, once, outer)
                iteration = Loop(once, (), body, [v.type for v in node.body.params[1:]], node.span)
                inside.append(iteration)
                carried = list(iteration.outputs)
            if inside.block.is_terminated:
                break
        if not breaks:
            return carried if not inside.block.is_terminated else ()
        if not inside.block.is_terminated:
            inside.break_(outer, *carried)
        builder.append(whole)
        return whole.outputs

    def by_factor(self, node: For, trips: int | None, builder: Builder) -> Sequence[Value] | None:
        """A loop over groups of `factor` iterations, and one over the rest."""
        start, stop, step = node.inputs[:3]
        factor = self.options.factor
        stride = step.constant
        type = start.type
        if stride not in (1, -1) or type != INT or (trips is not None and trips < 2 * factor):
            return None
        assert isinstance(stride, int)
        if isinstance(trips, int):
            first = start.constant
            assert isinstance(first, int)
            middle = builder.const(first + stride * (trips - trips % factor), type=type)
        else:
            middle = _rounded_down(builder, start, stop, stride, factor)
        params = node.body.params
        wide = builder.const(stride * factor, type=type)
        main_block = Block([Value(v.type, v.name) for v in params])
        main = For(Label(node.label.name), start, middle, wide, node.inputs[3:], main_block, node.span)
        inside = Builder(main_block, node.span)
        carried: list[Value] = list(main_block.params[1:])
        counter = main_block.params[0]
        for i in range(factor):
            if i:
                counter = inside.op(machine.ADD, main_block.params[0], inside.const(i * stride, type=type))
            nodes = clone_nodes(node.body.nodes, dict(zip(params, [counter, *carried], strict=True)))
            carried = list(nodes.pop().inputs)
            main_block.nodes += nodes
        inside.continue_(main.label, *carried)
        for output, param in zip(main.outputs, params[1:], strict=True):
            output.type = param.type
        builder.append(main)
        rest = For(node.label, middle, stop, step, main.outputs, node.body, node.span)
        for output, old in zip(rest.outputs, node.outputs, strict=True):
            output.type, output.name = old.type, old.name
        builder.append(rest)
        return rest.outputs


def is_short(block: Block, most: int) -> bool:
    """Whether a block has at most so many nodes."""
    return next(islice(walk(block), most, None), None) is None


def size_of(block: Block, limit: int) -> int:
    """The nodes of a block, weighted; once there are more than `limit`, the rest does not count."""
    size = 0
    for node in walk(block):
        is_native = isinstance(node, Op) and isinstance(node.op.implementation, Native)
        size += NATIVE if is_native and not any(holds_tensor(v.type) for v in node.inputs) else 1
        if size > limit:
            break
    return size


def is_simple(node: For) -> bool:
    """Whether the body is only arithmetic on scalars, perhaps in branches, and every iteration runs to its end."""
    end = node.body.nodes[-1]
    if any(holds_tensor(v.type) for v in node.body.params):
        return False
    for inner in walk(node.body):
        match inner:
            case Op():
                if not isinstance(inner.op.implementation, (Scalar, Leaf, Extern, Structural)):
                    return False
                if holds_tensor(inner.outputs[0].type) or any(holds_tensor(v.type) for v in inner.inputs):
                    return False
            case Const() | If():
                pass
            case Break():
                return False
            case Continue():
                if inner is not end:
                    return False
            case _:
                if inner.blocks or inner.outputs:
                    return False
    return isinstance(end, Continue) and end.label is node.label


def _rounded_down(builder: Builder, start: Value, stop: Value, stride: int, factor: int) -> Value:
    """The end of the last full group of `factor` iterations. The distance is correct modulo the width even if it does
    not fit the signed type, and rounding it down with a mask preserves this."""
    low, high = (start, stop) if stride > 0 else (stop, start)
    zero = builder.const(0, type=start.type)
    distance = builder.op(machine.SELECT, builder.op(machine.LT, low, high), builder.op(machine.SUB, high, low), zero)
    groups = builder.op(machine.AND, distance, builder.const(-factor, type=start.type))
    return builder.op(machine.ADD if stride > 0 else machine.SUB, start, groups, name="middle")


def _exits(node: For) -> Iterator[Break | Continue]:
    for inner in walk(node.body):
        if isinstance(inner, (Break, Continue)) and inner.label is node.label:
            yield inner


def _redirect(nodes: list[Node], label: Label, once: Label | None, outer: Label) -> None:
    """Let exits of the loop `label` in `nodes` leave what replaces it. The continue at the end stays when there is no
    `once`."""
    holder = Block()
    holder.nodes = nodes
    for block in walk_blocks(holder):
        end = block.nodes[-1]
        if isinstance(end, Break) and end.label is label:
            end.label = outer
        elif isinstance(end, Continue) and end.label is label and once is not None:
            block.nodes[-1] = Break(once, end.inputs, end.span)
