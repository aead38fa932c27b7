"""Splicing: the body of a called graph in place of the call."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.ir.analysis import falls_through, returns, walk_blocks
from tscript.ir.builder import Builder
from tscript.ir.cloning import Cloner, SpanOf, same_span
from tscript.ir.graph import (
    Block,
    Break,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Return,
    Unreachable,
    Value,
    Yield,
)
from tscript.ir.rewrite import blocks_inside_out

MAX_FOLDED_RETURNS = 16
"""The maximum number of early returns that `splice_graph` turns into nested `If`s; with more it makes a `Loop`, which
does not nest."""


MAX_COPIED = 8
"""The maximum number of nodes behind an `If` that move into both of its branches."""


def splice_graph(
    builder: Builder,
    callee: Graph,
    args: Sequence[Value],
    call_span: Span | None = None,
    *,
    span_of: SpanOf | None = None,
) -> Value | None:
    """Append a copy of the body of `callee`, called with `args`.

    A body with a single return at its end is spliced unchanged. Early returns become yields if the following statements
    can move into the other branch of an `If`. Otherwise the body is wrapped in a `Loop` that never repeats, and a
    return breaks out of it.

    Args:
        builder: Where the copy goes.
        callee: Not changed.
        args: One per parameter.
        call_span: The call, for tracebacks of inlined code.
        span_of: Returns the spans of the copies; by default, those of `callee` as inlined at `call_span`.

    Returns:
        The result; None if `callee` never returns: then the builder's block is terminated.
    """
    mapping = dict(zip(callee.body.params, args, strict=True))
    if span_of is None:
        span_of = same_span if call_span is None else lambda s: s.inlined_at(call_span)
    cloner = Cloner(mapping, {}, span_of)
    body = Block()
    body.nodes = [cloner.node(node) for node in callee.body.nodes]
    count = sum(1 for _ in returns(body))
    if count == 0:
        builder.block.nodes.extend(body.nodes)
        return None
    if not (count == 1 and isinstance(body.nodes[-1], Return)):
        if count <= MAX_FOLDED_RETURNS and _can_fold(body):
            _fold(body, callee)
        else:
            label = Label("inline")
            for inner in walk_blocks(body):
                last = inner.nodes[-1]
                if isinstance(last, Return):
                    inner.nodes[-1] = Break(label, last.inputs, last.span)
            loop = Loop(label, (), body, (callee.result,), builder.span if call_span is None else call_span)
            builder.append(loop)
            return loop.output
    *nodes, end = body.nodes
    builder.block.nodes.extend(nodes)
    return end.inputs[0]


def _has_return(block: Block) -> bool:
    return next(returns(block), None) is not None


def _first_leaving(block: Block) -> int | None:
    """Position of the first node of `block` that has a return inside."""
    for i, node in enumerate(block.nodes):
        if any(_has_return(inner) for inner in node.blocks):
            return i
    return None


def _can_fold(block: Block) -> bool:
    """Whether every return in `block` can become its result. `block` may end in a return, or leave otherwise."""
    at = _first_leaving(block)
    if at is None:
        return True
    node = block.nodes[at]
    if not isinstance(node, If):
        return False
    rest = block.nodes[at + 1 :]
    falling = sum(isinstance(inner.nodes[-1], Yield) for inner in node.blocks)
    if falling > 1 and (len(rest) > MAX_COPIED or any(n.has_blocks for n in rest)):
        return False
    return all(_can_fold(_followed(inner, rest)) for inner in node.blocks)


def _followed(block: Block, rest: Sequence[Node]) -> Block:
    """`block`, with `rest` in place of its yield if it ends in one."""
    if not isinstance(block.nodes[-1], Yield):
        return block
    longer = Block()
    longer.nodes = [*block.nodes[:-1], *rest]
    return longer


def _fold(block: Block, callee: Graph) -> None:
    """Make `block` end in a `Return` of one value, or leave; its inner returns become yields."""
    at = _first_leaving(block)
    if at is None:
        return
    node = block.nodes[at]
    assert isinstance(node, If)
    rest = block.nodes[at + 1 :]
    del block.nodes[at + 1 :]
    for inner in node.blocks:
        end = inner.nodes[-1]
        if isinstance(end, Yield):
            cloner = Cloner(dict(zip(node.outputs, end.inputs, strict=True)), {}, same_span)
            inner.nodes[-1:] = [cloner.node(n) for n in rest]
        _fold(inner, callee)
        if isinstance(inner.nodes[-1], Return):
            inner.nodes[-1] = Yield(inner.nodes[-1].inputs, inner.nodes[-1].span)
    # The results of the branches were only needed by the following nodes, which are now inside.
    node.outputs.clear()
    block.nodes.append(Return(node.add_output(callee.result), node.span))


def drop_dead_ends(block: Block) -> bool:
    """Keep only an `Unreachable` after each node that never falls through. Returns whether anything changed."""
    changed = False
    # Inner blocks first: what is dropped in them may have been the only way out of a loop.
    for inner in blocks_inside_out(block):
        for i, node in enumerate(inner.nodes):
            if not node.is_terminator and not falls_through(node):
                if len(inner.nodes) != i + 2 or not isinstance(inner.nodes[-1], Unreachable):
                    inner.nodes[i + 1 :] = [Unreachable(node.span)]
                    changed = True
                break
    return changed
