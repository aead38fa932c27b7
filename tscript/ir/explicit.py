"""Makes implicit conversions in IR of a file explicit.

The verifier accepts a value in place of one of a wider type (a str for an `Any`, an instance for one of its base
class), because native code need not convert it. But passes replace values by others, and then an operator on an `Any`
would get a str, which its rule may refuse. After `make_explicit` there is an ``upcast`` between the two, as the
frontend writes it. Passes then refine only dtypes, ranks and sizes (`tscript.types.refines`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
from tscript.ir.builder import Builder
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Continue,
    For,
    Fork,
    Graph,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Return,
    SetSlot,
    Try,
    Value,
    Yield,
)
from tscript.ir.rewrite import replace_inputs
from tscript.operators.python.classes import NAMED_MAKE
from tscript.operators.python.conversions import UPCAST
from tscript.types import CallableType, TupleType, Type, refines


def make_explicit(program: Program) -> None:
    """Make the conversions of a valid program explicit, in place."""
    for graph in program.graphs.values():
        _Explicit(program, graph).block(graph.body, None)


def converted(builder: Builder, value: Value, type: Type) -> Value:
    """`value` converted to a type for which it is accepted."""
    if refines(value.type, type):
        return value
    if isinstance(value.type, TupleType) and isinstance(type, TupleType):
        parts = [builder.op(TUPLE_GET, value, builder.const(i)) for i in range(len(type.elements))]
        wider = [converted(builder, v, t) for v, t in zip(parts, type.elements, strict=True)]
        return (
            builder.op(TUPLE_MAKE, *wider)
            if type.named is None
            else builder.op(NAMED_MAKE, builder.const(type), *wider)
        )
    return builder.op(UPCAST, value, builder.const(type))


class _Explicit:
    """One graph."""

    def __init__(self, program: Program, graph: Graph) -> None:
        self.graphs = program.graphs
        self.graph = graph
        self.loops: dict[Label, Loop | For] = {}
        self.tries: dict[Label, Try] = {}
        self.wider: dict[Value, Value] = {}

    def block(self, block: Block, owner: Node | None) -> None:
        """Convert the inputs of the nodes of `block`, which belongs to `owner`, and their outputs."""
        target = Block()
        builder = Builder(target)
        for node in block.nodes:
            replace_inputs(node, self.wider)
            builder.span = node.span
            first = 1 if isinstance(node, Invoke) else 3 if isinstance(node, For) else 0
            wanted = self.wanted(node, owner)
            for i, type in enumerate(wanted, first):
                node.inputs[i] = converted(builder, node.inputs[i], type)
            if isinstance(node, Loop | For):
                self.loops[node.label] = node
            elif isinstance(node, Try):
                self.tries[node.label] = node
            for inner in node.blocks:
                self.block(inner, node)
            target.nodes.append(node)
            self.output(node, builder)
        block.nodes = target.nodes

    def wanted(self, node: Node, owner: Node | None) -> Sequence[Type]:
        """The types of the inputs of `node` that another node determines."""
        values: Sequence[Value] = ()
        match node:
            case Call() | Fork() | Closure():
                return [p.type for p in self.graphs[node.callee].params[: len(node.inputs)]]
            case Invoke():
                called = node.inputs[0].type
                return called.parameters if isinstance(called, CallableType) else ()
            case Return():
                return (self.graph.result,)
            case SetSlot():
                of = self.tries[node.label]
                return (of.slots(of.handlers[0])[node.index].type,)
            case Loop():
                values = node.body.params
            case For():
                values = node.body.params[1:]
            case Try():
                values = node.slots(node.handlers[0])
            case Break():
                values = self.loops[node.label].outputs
            case Continue():
                loop = self.loops[node.label]
                values = loop.body.params[1:] if isinstance(loop, For) else loop.body.params
            case Yield() if isinstance(owner, If | Try):
                values = owner.outputs
        return [v.type for v in values]

    def output(self, node: Node, builder: Builder) -> None:
        """Give the output of `node` its own type, and replace it by a converted one of the wider type."""
        match node:
            case Op():
                found = node.op.type_rule(node.inputs)
            case Call():
                found = self.graphs[node.callee].result
            case Invoke(inputs=[called, *_]) if isinstance(called.type, CallableType):
                found = called.type.result
            case _:
                return
        output = node.outputs[0]
        if not refines(found, output.type):
            declared, output.type = output.type, found
            self.wider[output] = converted(builder, output, declared)


__all__ = ["converted", "make_explicit"]
