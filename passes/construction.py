"""The construction step of specialisation: clones of the variants that the entry reaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.opdef import Arg, OpDef
from tscript.definitions.values import constant_type
from tscript.diagnostics import UNKNOWN, Span
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.analysis import falls_through
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
    Graph,
    Handler,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Raise,
    Return,
    SetSlot,
    Terminator,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
)
from tscript.ir.placing import place
from tscript.late import replace
from tscript.operators.python.conversions import BOX, UNBOX
from tscript.passes.facts import Held, Variant, known_type, stays
from tscript.passes.retyping import in_form
from tscript.types import NEVER, TYPE, FutureType, TupleType, Type


def construct(main: Variant) -> Program:
    """Clones of all variants that `main` reaches, under names of their own."""
    order: dict[Variant, None] = {}
    pending = [main]
    while pending:
        variant = pending.pop()
        if variant not in order:
            order[variant] = None
            pending.extend(reversed([v for v in variant.callees.values() if v not in order]))
    taken: set[str] = {v.graph.name for v in order}
    used: set[str] = set()
    for variant in order:
        name, n = variant.graph.name, 0
        while name in used or (n and name in taken):
            n += 1
            name = f"{variant.graph.name}_{n}"
        used.add(name)
        variant.name = name
    return Program(main.name, [_Construction(v).graph() for v in order])


@final
class _Inputs:
    """Inputs of a replacing overload: clones of values that are `Held`, and new nodes before it."""

    def __init__(self, values: Mapping[Value, Value], span: Span, out: list[Node]) -> None:
        self.values = values
        self.span = span
        self.out = out

    def given(self, arg: Arg) -> Value:
        assert isinstance(arg, Held)
        return self.values[arg.value]

    def constant(self, value: object) -> Value:
        return self._made(Const(value, constant_type(value), self.span))

    def gathered(self, elements: Sequence[Value]) -> Value:
        return self._made(Op(TUPLE_MAKE, elements, TupleType(tuple(e.type for e in elements)), self.span))

    def apply(self, op: OpDef, inputs: Sequence[Value]) -> Value:
        return self._made(Op(op, inputs, op.type_rule(inputs), self.span))

    def _made(self, node: Node) -> Value:
        self.out.append(node)
        return node.outputs[0]


@final
class _Construction:
    """Clones one variant with the types of its facts."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.facts = variant.facts
        self.values: dict[Value, Value] = {}
        self.labels: dict[Label, Label] = {}

    def at(self, node: Node) -> Span:
        """The place of the clone of `node`; nodes in bodies of operators get the place of the operator."""
        return node.span if self.variant.origin is None else UNKNOWN

    def graph(self) -> Graph:
        source = self.variant.graph
        result = self.variant.result.type
        if result == NEVER and not self.variant.dependents:
            result = source.result
        given = zip(source.params, self.variant.arguments, strict=True)
        # A default need not be of the type that is given: a tensor has another dtype and rank.
        params = [p if p.type == a.type else replace(p, type=a.type, default=REQUIRED) for p, a in given]
        span = source.span if self.variant.origin is None else UNKNOWN
        graph = Graph(self.variant.name, params, result, span, source.fastmath)
        for old, new in zip(source.body.params, graph.body.params, strict=True):
            new.name = old.name
        self.open(source.body, graph.body, graph.body.params)
        self.nodes(source.body, graph.body.nodes)
        return graph

    def open(self, source: Block, block: Block, params: Sequence[Value]) -> None:
        """Map the parameters of `source` to `params`, or to constants where known."""
        for old, new in zip(source.params, params, strict=True):
            fact = self.facts[old]
            if fact.is_written:
                node = Const(fact.constant, new.type, self.at(source.nodes[0]))
                node.outputs[0].name = old.name
                block.nodes.append(node)
                self.values[old] = node.outputs[0]
            else:
                self.values[old] = new

    def block(self, source: Block) -> Block:
        block = Block([Value(self.facts[p].type, p.name) for p in source.params])
        self.open(source, block, block.params)
        self.nodes(source, block.nodes)
        return block

    def nodes(self, source: Block, out: list[Node]) -> bool:
        """Append the clones of the nodes of `source` to `out`; whether its ``yield`` was reached (and left out) when
        `out` belongs to the block around."""
        for node in source.nodes:
            if not self.node(node, out):
                if not isinstance(out[-1], Terminator):
                    out.append(Unreachable(self.at(node)))
                return False
        return True

    def mapped(self, values: Sequence[Value]) -> list[Value]:
        mapping = self.values
        return [mapping[v] for v in values]

    def inputs(self, node: Node, out: list[Node]) -> list[Value]:
        """The clones of the inputs of `node`, in the form it takes them."""
        found, types = self.mapped(node.inputs), self.variant.formed.get(node)
        if types is None:
            return found
        builder = Builder(Block(), self.at(node))
        builder.block.nodes = out
        return [in_form(builder, value, type) for value, type in zip(found, types, strict=True)]

    def define(self, old: Node, new: Node) -> None:
        for a, b in zip(old.outputs, new.outputs, strict=True):
            b.name = a.name
            self.values[a] = b

    def node(self, node: Node, out: list[Node]) -> bool:
        """Clone one node; returns whether control continues after it."""
        match node:
            case Const():
                self.emit(node, Const(node.value, known_type(node.outputs[0].type, node.value), self.at(node)), out)
            case Op():
                return self.op(node, out)
            case Call():
                self.call(node, out)
                return self.variant.callees[node].result.type != NEVER
            case Fork():
                callee = self.variant.callees[node]
                future = FutureType(callee.result.type)
                self.emit(node, Fork(callee.name, self.mapped(node.inputs), future, self.at(node)), out)
            case Closure():
                name = self.variant.callees[node].name
                self.emit(node, Closure(name, self.mapped(node.inputs), node.output.type, self.at(node)), out)
            case Invoke():
                self.emit(node, Invoke(self.mapped(node.inputs), node.output.type, self.at(node)), out)
            case If():
                return self.if_(node, out)
            case Loop():
                types = [self.facts[v].type if v in self.facts else v.type for v in node.outputs]
                label = self.labels[node.label] = Label(node.label.name)
                clone = Loop(label, self.mapped(node.inputs), self.block(node.body), types, self.at(node))
                self.emit(node, clone, out)
                return falls_through(clone)
            case For():
                label = self.labels[node.label] = Label(node.label.name)
                start, stop, step, *inits = self.mapped(node.inputs)
                repeated = For(label, start, stop, step, inits, self.block(node.body), self.at(node), node.division)
                for value, old in zip(repeated.outputs, node.outputs, strict=True):
                    value.type = self.facts[old].type
                self.emit(node, repeated, out)
            case Try():
                types = [self.facts[v].type if v in self.facts else v.type for v in node.outputs]
                label = self.labels[node.label] = Label(node.label.name)
                inits, body = self.mapped(node.inputs), self.block(node.body)
                handlers = [Handler(h.classes, self.block(h.block)) for h in node.handlers]
                guarded = Try(label, inits, body, handlers, types, self.at(node))
                self.emit(node, guarded, out)
                return falls_through(guarded)
            case SetSlot():
                value = self.values[node.inputs[0]]
                out.append(SetSlot(self.labels[node.label], node.index, value, self.at(node)))
            case Return() if self.facts[node.inputs[0]].member == self.variant.result.type:
                number = self.conversion(UNBOX, self.values[node.inputs[0]], self.variant.result.type, node, out)
                out += number, Return(number.outputs[0], self.at(node))
                return False
            case _:
                out.append(_END[type(node)](self, node))
                return isinstance(node, Yield)
        return True

    def emit(self, old: Node, new: Node, out: list[Node]) -> None:
        """Append `new`, which replaces `old`. A value known to be constant is a constant for all later nodes, because
        types depend on it."""
        out.append(new)
        self.define(old, new)
        if isinstance(new, Const) or not falls_through(new):
            return
        for value in old.outputs:
            fact = self.facts.get(value)
            if fact is not None and fact.is_written:
                known = Const(fact.constant, fact.type, self.at(old))
                known.outputs[0].name = value.name
                out.append(known)
                self.values[value] = known.outputs[0]

    def op(self, node: Op, out: list[Node]) -> bool:
        if node in self.variant.refused:
            exception, message = self.variant.refused[node]
            out.append(Raise(exception, message.replace("{", "{{").replace("}", "}}"), (), self.at(node)))
            return False
        fact = self.facts[node.outputs[0]]
        if node.inputs and stays(node.op, self.facts[node.inputs[0]].type, node.outputs[0].type):
            self.values[node.outputs[0]] = self.values[node.inputs[0]]
            return True
        if node in self.variant.callees:
            self.call(node, out)
            return fact.type != NEVER
        if fact.is_written:
            self.emit(node, Const(fact.constant, fact.type, self.at(node)), out)
        elif node in self.variant.resolved:
            again = self.variant.resolved[node]
            inputs = place(again.slots, _Inputs(self.values, self.at(node), out))
            self.emit(node, Op(again.op, inputs, fact.type, self.at(node)), out)
        else:
            self.emit(node, Op(node.op, self.inputs(node, out), fact.type, self.at(node)), out)
        return fact.type != NEVER

    def conversion(self, op: OpDef, value: Value, target: Type, node: Node, out: list[Node]) -> Node:
        """Boxes or unboxes a number."""
        type = Const(target, TYPE, self.at(node))
        out.append(type)
        return Op(op, [value, type.outputs[0]], target, self.at(node))

    def call(self, node: Op | Call, out: list[Node]) -> None:
        callee = self.variant.callees[node]
        call: Node = Call(callee.name, self.inputs(node, out), callee.result.type, self.at(node))
        if self.facts[node.outputs[0]].member is not None:
            out.append(call)
            call = self.conversion(BOX, call.outputs[0], self.facts[node.outputs[0]].type, node, out)
        self.emit(node, call, out)

    def if_(self, node: If, out: list[Node]) -> bool:
        cond = self.facts[node.inputs[0]].constant
        if cond is not MISSING:
            taken = node.then if cond else node.orelse
            if not self.nodes(taken, out):
                return False
            end = out.pop()
            for old, new in zip(node.outputs, end.inputs, strict=True):
                self.values[old] = new
            return True
        types = [self.facts[v].type if v in self.facts else v.type for v in node.outputs]
        then, orelse = self.block(node.then), self.block(node.orelse)
        self.emit(node, If(self.values[node.inputs[0]], then, orelse, types, self.at(node)), out)
        return isinstance(then.nodes[-1], Yield) or isinstance(orelse.nodes[-1], Yield)


def _yield(c: _Construction, node: Yield) -> Node:
    return Yield(c.mapped(node.inputs), c.at(node))


def _break(c: _Construction, node: Break) -> Node:
    return Break(c.labels[node.label], c.mapped(node.inputs), c.at(node))


def _continue(c: _Construction, node: Continue) -> Node:
    return Continue(c.labels[node.label], c.mapped(node.inputs), c.at(node))


def _return(c: _Construction, node: Return) -> Node:
    return Return(c.values[node.inputs[0]], c.at(node))


def _raise(c: _Construction, node: Raise) -> Node:
    return Raise(node.exception, node.message, c.mapped(node.inputs), c.at(node))


def _throw(c: _Construction, node: Throw) -> Node:
    return Throw(c.values[node.inputs[0]], c.at(node))


def _unreachable(c: _Construction, node: Unreachable) -> Node:
    return Unreachable(c.at(node))


_END: dict[type[Node], Callable[[_Construction, Any], Node]] = {
    Yield: _yield,
    Break: _break,
    Continue: _continue,
    Return: _return,
    Raise: _raise,
    Throw: _throw,
    Unreachable: _unreachable,
}


__all__ = ["construct"]
