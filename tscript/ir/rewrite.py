"""Changing IR: uses and substitution, clones, erasing, a rewriting walk, splicing blocks and called graphs.

Definitions come before their uses in textual order, so one forward walk sees every definition before its
uses: `rewrite` applies replacements as it goes, in one walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from tscript.diagnostics import Span
from tscript.ir.analysis import falls_through, returns, walk_blocks
from tscript.ir.builder import Builder
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    Graph,
    Handler,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Raise,
    Return,
    SetSlot,
    Terminator,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
    walk,
)

SpanOf = Callable[[Span], Span]
Labels = dict[Label, Label]

# Uses and substitution


def uses(block: Block) -> dict[Value, list[tuple[Node, int]]]:
    """Where each value is used in `block` and below it: the nodes and the positions among their inputs, in order.

    Values that are not used do not appear.
    """
    found: dict[Value, list[tuple[Node, int]]] = {}
    for node in walk(block):
        for i, value in enumerate(node.inputs):
            found.setdefault(value, []).append((node, i))
    return found


def use_counts(block: Block) -> dict[Value, int]:
    """How often each value is used in `block` and below it."""
    found: dict[Value, int] = {}
    for node in walk(block):
        for value in node.inputs:
            found[value] = found.get(value, 0) + 1
    return found


def resolve(mapping: MutableMapping[Value, Value] | Mapping[Value, Value], value: Value) -> Value:
    """The final replacement of `value`, when a replacement may itself be replaced.

    Raises:
        ValueError: The replacements form a cycle.
    """
    found = mapping.get(value)
    if found is None:
        return value
    steps = 0
    while (further := mapping.get(found)) is not None and further is not found:
        found = further
        steps += 1
        if steps > len(mapping):
            raise ValueError(f"replacements of {value!r} go round in a circle")
    return found


def replace_values(block: Block, mapping: Mapping[Value, Value]) -> None:
    """Use ``mapping[v]`` in place of each ``v`` in `block` and below it; a replacement may be replaced in turn."""
    if not mapping:
        return
    for node in walk(block):
        replace_inputs(node, mapping)


def replace_inputs(node: Node, mapping: Mapping[Value, Value]) -> None:
    """`replace_values` for the inputs of `node` alone."""
    inputs = node.inputs
    for i, value in enumerate(inputs):
        if value in mapping:
            inputs[i] = resolve(mapping, value)


def erase(block: Block, nodes: Iterable[Node]) -> None:
    """Remove `nodes` from `block` and the blocks below it. Their outputs must not be used."""
    gone = set(nodes)
    if not gone:
        return
    for inner in list(walk_blocks(block)):
        if any(node in gone for node in inner.nodes):
            inner.nodes = [node for node in inner.nodes if node not in gone]


# Clones


def _same(span: Span) -> Span:
    return span


class _Cloner:
    """Makes fresh nodes; `values` and `labels` receive the replacements."""

    __slots__ = ("labels", "span_of", "values")

    def __init__(self, values: dict[Value, Value], labels: Labels, span_of: SpanOf) -> None:
        self.values = values
        self.labels = labels
        self.span_of = span_of

    def inputs(self, node: Node) -> list[Value]:
        values = self.values
        return [values.get(v, v) for v in node.inputs]

    def label(self, label: Label) -> Label:
        return self.labels.get(label, label)

    def fresh_label(self, label: Label) -> Label:
        fresh = self.labels[label] = Label(label.name)
        return fresh

    def block(self, block: Block) -> Block:
        out = Block()
        for value in block.params:
            fresh = self.values[value] = Value(value.type, value.name)
            out.params.append(fresh)
        for node in block.nodes:
            out.nodes.append(self.node(node))
        return out

    def node(self, node: Node) -> Node:
        fresh = _CLONES[type(node)](self, node, self.span_of(node.span))
        for old, new in zip(node.outputs, fresh.outputs, strict=True):
            new.type = old.type
            new.name = old.name
            self.values[old] = new
        return fresh


def _types(node: Node) -> list[Any]:
    return [v.type for v in node.outputs]


def _const(c: _Cloner, node: Const, span: Span) -> Node:
    return Const(node.value, node.outputs[0].type, span)


def _op(c: _Cloner, node: Op, span: Span) -> Node:
    return Op(node.op, c.inputs(node), node.outputs[0].type, span)


def _call(c: _Cloner, node: Call, span: Span) -> Node:
    return Call(node.callee, c.inputs(node), node.outputs[0].type, span)


def _fork(c: _Cloner, node: Fork, span: Span) -> Node:
    return Fork(node.callee, c.inputs(node), node.outputs[0].type, span)


def _closure(c: _Cloner, node: Closure, span: Span) -> Node:
    return Closure(node.callee, c.inputs(node), node.outputs[0].type, span)


def _invoke(c: _Cloner, node: Invoke, span: Span) -> Node:
    return Invoke(c.inputs(node), node.outputs[0].type, span)


def _if(c: _Cloner, node: If, span: Span) -> Node:
    return If(c.inputs(node)[0], c.block(node.then), c.block(node.orelse), _types(node), span)


def _loop(c: _Cloner, node: Loop, span: Span) -> Node:
    inputs = c.inputs(node)
    return Loop(c.fresh_label(node.label), inputs, c.block(node.body), _types(node), span)


def _for(c: _Cloner, node: For, span: Span) -> Node:
    start, stop, step, *inits = c.inputs(node)
    return For(c.fresh_label(node.label), start, stop, step, inits, c.block(node.body), span)


def _fused(c: _Cloner, node: Fused, span: Span) -> Node:
    inputs = c.inputs(node)
    return Fused(inputs, c.block(node.body), _types(node), span)


def _try(c: _Cloner, node: Try, span: Span) -> Node:
    inputs, label, body = c.inputs(node), c.fresh_label(node.label), c.block(node.body)
    handlers = [Handler(h.classes, c.block(h.block)) for h in node.handlers]
    return Try(label, inputs, body, handlers, _types(node), span)


def _set_slot(c: _Cloner, node: SetSlot, span: Span) -> Node:
    return SetSlot(c.label(node.label), node.index, c.inputs(node)[0], span)


def _throw(c: _Cloner, node: Throw, span: Span) -> Node:
    return Throw(c.inputs(node)[0], span)


def _yield(c: _Cloner, node: Yield, span: Span) -> Node:
    return Yield(c.inputs(node), span)


def _break(c: _Cloner, node: Break, span: Span) -> Node:
    return Break(c.label(node.label), c.inputs(node), span)


def _continue(c: _Cloner, node: Continue, span: Span) -> Node:
    return Continue(c.label(node.label), c.inputs(node), span)


def _return(c: _Cloner, node: Return, span: Span) -> Node:
    return Return(c.inputs(node)[0], span)


def _raise(c: _Cloner, node: Raise, span: Span) -> Node:
    return Raise(node.exception, node.message, c.inputs(node), span)


def _unreachable(c: _Cloner, node: Unreachable, span: Span) -> Node:
    return Unreachable(span)


_CLONES: dict[type[Node], Callable[[_Cloner, Any, Span], Node]] = {
    Const: _const,
    Op: _op,
    Call: _call,
    Fork: _fork,
    Closure: _closure,
    Invoke: _invoke,
    If: _if,
    Loop: _loop,
    For: _for,
    Fused: _fused,
    Try: _try,
    SetSlot: _set_slot,
    Yield: _yield,
    Break: _break,
    Continue: _continue,
    Return: _return,
    Raise: _raise,
    Throw: _throw,
    Unreachable: _unreachable,
}


def clone_node(
    node: Node,
    mapping: dict[Value, Value] | None = None,
    *,
    labels: Labels | None = None,
    span_of: SpanOf = _same,
) -> Node:
    """A copy of `node` with fresh outputs, blocks and labels; see `clone_block`."""
    return _Cloner({} if mapping is None else mapping, {} if labels is None else labels, span_of).node(node)


def clone_nodes(
    nodes: Iterable[Node],
    mapping: dict[Value, Value] | None = None,
    *,
    labels: Labels | None = None,
    span_of: SpanOf = _same,
) -> list[Node]:
    """Copies of consecutive `nodes` of one block; see `clone_block`."""
    cloner = _Cloner({} if mapping is None else mapping, {} if labels is None else labels, span_of)
    return [cloner.node(node) for node in nodes]


def clone_block(
    block: Block,
    mapping: dict[Value, Value] | None = None,
    *,
    labels: Labels | None = None,
    span_of: SpanOf = _same,
) -> Block:
    """A copy of `block` with fresh values, nodes, blocks and labels.

    Args:
        block: What to copy.
        mapping: Replacements of values from outside; others stay. Receives the copies of all values inside, too.
        labels: Replacements of labels from outside, likewise.
        span_of: Returns the spans of the copies, for instance ``lambda s: s.inlined_at(call.span)``.
    """
    return _Cloner({} if mapping is None else mapping, {} if labels is None else labels, span_of).block(block)


def clone_graph(
    graph: Graph,
    name: str | None = None,
    mapping: dict[Value, Value] | None = None,
    *,
    span_of: SpanOf = _same,
) -> Graph:
    """A copy of `graph` that shares nothing with it but operators and constants.

    Args:
        graph: What to copy.
        name: Of the copy; left out, the same.
        mapping: Receives the copy of each value.
        span_of: Gives the spans of the copies.
    """
    out = Graph(graph.name if name is None else name, graph.params, graph.result, span_of(graph.span))
    out.body = clone_block(graph.body, mapping, span_of=span_of)
    return out


# Walking while changing


def blocks_inside_out(block: Block) -> Iterator[Block]:
    """`block` and all blocks below it, inner ones first. The nodes of a block may be replaced once it is given."""
    for node in list(block.nodes):
        for inner in node.blocks:
            yield from blocks_inside_out(inner)
    yield block


Visit = Callable[[Node, Builder], Sequence[Value] | None]


def rewrite(block: Block, visit: Visit, mapping: dict[Value, Value] | None = None) -> bool:
    """Walk `block` and the blocks below it forwards, letting `visit` keep or replace each node.

    `visit(node, builder)` sees a node after its own blocks were rewritten and with its inputs replaced already. It
    either returns None: the node stays, after nodes appended to `builder`; or the replacements of the node's outputs
    (an empty sequence if it has none): then the node is dropped and the appended nodes replace it. Appended nodes are
    not visited. When a terminator was appended, the rest of the block is dropped.

    Args:
        block: Changed in place.
        visit: The rules.
        mapping: Initial replacements; receives new ones, too.

    Returns:
        Whether any node was replaced, inserted or dropped.

    Example:
        Drop all negations of negations::

            def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
                match node:
                    case Op(op=machine.NEG, inputs=[Value(node=Op(op=machine.NEG) as inner)]):
                        return inner.inputs
                return None
    """
    return _Rewriting(visit, {} if mapping is None else mapping).block(block)


class _Rewriting:
    """One walk of `rewrite`."""

    __slots__ = ("mapping", "visit")

    def __init__(self, visit: Visit, mapping: dict[Value, Value]) -> None:
        self.visit = visit
        self.mapping = mapping

    def block(self, block: Block) -> bool:
        old = block.nodes
        target = Block()
        new = target.nodes
        changed = False
        for i, node in enumerate(old):
            if self.mapping:
                replace_inputs(node, self.mapping)
            for inner in node.blocks:
                changed |= self.block(inner)
            builder = Builder(target, node.span)
            before = len(new)
            found = self.visit(node, builder)
            if found is None:
                changed |= len(new) != before
                if not target.is_terminated:
                    new.append(node)
            else:
                changed = True
                if not (target.is_terminated or len(found) == len(node.outputs)):
                    raise ValueError(f"{len(node.outputs)} outputs were replaced by {len(found)} values")
                self.mapping.update((a, b) for a, b in zip(node.outputs, found, strict=False) if a is not b)
            if target.is_terminated and i + 1 < len(old):
                changed = True
                break
        block.nodes = new
        return changed


# Splicing


MAX_FOLDED_RETURNS = 16
"""The maximum number of early returns that `splice_graph` turns into nested `If`s; with more it makes a `Loop`, which
does not nest."""


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
        span_of = _same if call_span is None else lambda s: s.inlined_at(call_span)
    cloner = _Cloner(mapping, {}, span_of)
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
    rest = Block()
    rest.nodes = block.nodes[at + 1 :]
    falling = [inner for inner in node.blocks if isinstance(inner.nodes[-1], Yield)]
    leaving = [inner for inner in node.blocks if inner not in falling]
    if len(falling) > 1 or any(_has_return(inner) for inner in falling):
        return False
    return all(_can_fold(inner) for inner in leaving) and (not falling or _can_fold(rest))


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
            moved = Block()
            moved.nodes = rest
            replace_values(moved, dict(zip(node.outputs, end.inputs, strict=True)))
            inner.nodes[-1:] = rest
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
            if not isinstance(node, Terminator) and not falls_through(node):
                if len(inner.nodes) != i + 2 or not isinstance(inner.nodes[-1], Unreachable):
                    inner.nodes[i + 1 :] = [Unreachable(node.span)]
                    changed = True
                break
    return changed
