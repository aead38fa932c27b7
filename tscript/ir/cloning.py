"""Clones of nodes, blocks and graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tscript.diagnostics import Span
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
    ParallelCall,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
)

SpanOf = Callable[[Span], Span]


Labels = dict[Label, Label]


def same_span(span: Span) -> Span:
    return span


class Cloner:
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


def _const(c: Cloner, node: Const, span: Span) -> Node:
    return Const(node.value, node.outputs[0].type, span)


def _op(c: Cloner, node: Op, span: Span) -> Node:
    return Op(node.op, c.inputs(node), node.outputs[0].type, span)


def _call(c: Cloner, node: Call, span: Span) -> Node:
    return Call(node.callee, c.inputs(node), node.outputs[0].type, span)


def _parallel(c: Cloner, node: ParallelCall, span: Span) -> Node:
    return ParallelCall(node.callee, node.join, node.work, c.inputs(node), node.outputs[0].type, span, node.shared)


def _fork(c: Cloner, node: Fork, span: Span) -> Node:
    return Fork(node.callee, c.inputs(node), node.outputs[0].type, span)


def _closure(c: Cloner, node: Closure, span: Span) -> Node:
    return Closure(node.callee, c.inputs(node), node.outputs[0].type, span)


def _invoke(c: Cloner, node: Invoke, span: Span) -> Node:
    return Invoke(c.inputs(node), node.outputs[0].type, span)


def _if(c: Cloner, node: If, span: Span) -> Node:
    return If(c.inputs(node)[0], c.block(node.then), c.block(node.orelse), _types(node), span)


def _loop(c: Cloner, node: Loop, span: Span) -> Node:
    inputs = c.inputs(node)
    return Loop(c.fresh_label(node.label), inputs, c.block(node.body), _types(node), span)


def _for(c: Cloner, node: For, span: Span) -> Node:
    start, stop, step, *inits = c.inputs(node)
    return For(c.fresh_label(node.label), start, stop, step, inits, c.block(node.body), span, node.division)


def _fused(c: Cloner, node: Fused, span: Span) -> Node:
    inputs = c.inputs(node)
    made = Fused(inputs, c.block(node.body), _types(node), span)
    made.reuse = tuple(made.body.params[node.body.params.index(p)] for p in node.reuse)
    return made


def _try(c: Cloner, node: Try, span: Span) -> Node:
    inputs, label, body = c.inputs(node), c.fresh_label(node.label), c.block(node.body)
    handlers = [Handler(h.classes, c.block(h.block)) for h in node.handlers]
    return Try(label, inputs, body, handlers, _types(node), span)


def _set_slot(c: Cloner, node: SetSlot, span: Span) -> Node:
    return SetSlot(c.label(node.label), node.index, c.inputs(node)[0], span)


def _throw(c: Cloner, node: Throw, span: Span) -> Node:
    return Throw(c.inputs(node)[0], span)


def _yield(c: Cloner, node: Yield, span: Span) -> Node:
    return Yield(c.inputs(node), span)


def _break(c: Cloner, node: Break, span: Span) -> Node:
    return Break(c.label(node.label), c.inputs(node), span)


def _continue(c: Cloner, node: Continue, span: Span) -> Node:
    return Continue(c.label(node.label), c.inputs(node), span)


def _return(c: Cloner, node: Return, span: Span) -> Node:
    return Return(c.inputs(node)[0], span)


def _raise(c: Cloner, node: Raise, span: Span) -> Node:
    return Raise(node.exception, node.message, c.inputs(node), span)


def _unreachable(c: Cloner, node: Unreachable, span: Span) -> Node:
    return Unreachable(span)


_CLONES: dict[type[Node], Callable[[Cloner, Any, Span], Node]] = {
    Const: _const,
    Op: _op,
    Call: _call,
    ParallelCall: _parallel,
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
    span_of: SpanOf = same_span,
) -> Node:
    """A copy of `node` with fresh outputs, blocks and labels; see `clone_block`."""
    return Cloner({} if mapping is None else mapping, {} if labels is None else labels, span_of).node(node)


def clone_nodes(
    nodes: Iterable[Node],
    mapping: dict[Value, Value] | None = None,
    *,
    labels: Labels | None = None,
    span_of: SpanOf = same_span,
) -> list[Node]:
    """Copies of consecutive `nodes` of one block; see `clone_block`."""
    cloner = Cloner({} if mapping is None else mapping, {} if labels is None else labels, span_of)
    return [cloner.node(node) for node in nodes]


def clone_block(
    block: Block,
    mapping: dict[Value, Value] | None = None,
    *,
    labels: Labels | None = None,
    span_of: SpanOf = same_span,
) -> Block:
    """A copy of `block` with fresh values, nodes, blocks and labels.

    Args:
        block: What to copy.
        mapping: Replacements of values from outside; others stay. Receives the copies of all values inside, too.
        labels: Replacements of labels from outside, likewise.
        span_of: Returns the spans of the copies, for instance ``lambda s: s.inlined_at(call.span)``.
    """
    return Cloner({} if mapping is None else mapping, {} if labels is None else labels, span_of).block(block)


def clone_graph(
    graph: Graph,
    name: str | None = None,
    mapping: dict[Value, Value] | None = None,
    *,
    span_of: SpanOf = same_span,
) -> Graph:
    """A copy of `graph` that shares nothing with it but operators and constants.

    Args:
        graph: What to copy.
        name: Of the copy; left out, the same.
        mapping: Receives the copy of each value.
        span_of: Gives the spans of the copies.
    """
    out = Graph(graph.name if name is None else name, graph.params, graph.result, span_of(graph.span), graph.fastmath)
    out.body = clone_block(graph.body, mapping, span_of=span_of)
    return out
