"""Gives every value its dtype and rank: clones the graphs of a program for concrete argument types.

Before, with `x` and `y` of any kind::

    graph @f(%x: Tensor, %y: Tensor) -> Tensor {
      %0: int = dim(%x)
      %1: int = const 1
      %2: bool = eq.int(%0, %1)
      %3: Tensor = if %2 { ... yield %x } else { %4: Tensor = sum(%x) ... yield %4 }
      %5: Tensor = add.Tensor(%3, %y, %1)
      return %5
    }

After ``specialise(program, [Tensor[float32, 1], Tensor[float64, 1]], {}, context)``::

    graph @f(%x: Tensor[float32, 1], %y: Tensor[float64, 1]) -> Tensor[float64, 1] {
      ...
      %5: Tensor[float64, 1] = add.Tensor(%x, %y, %1)
      return %5
    }

Two steps. *Analysis* computes for each value a fact (type and, where known, constant) by running the type rules over the
unchanged graph; where ways meet, facts are joined, and loops and recursive calls are repeated until nothing
changes. Branches that a constant condition rules out are not looked at. *Construction* clones what can be reached. A
value whose ways disagree about dtype or rank keeps a type that says so, and its operators are dispatched at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

from tscript.diagnostics import UNKNOWN, Diagnostic, InternalError, Span, compile_error
from tscript.ir.analysis import falls_through
from tscript.ir.builder import constant_type
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
from tscript.ops.conversions import BOX, UNBOX
from tscript.ops.machine import TUPLE_GET, TUPLE_MAKE
from tscript.ops.opdef import MISSING, Arg, Composite, OpDef, OperatorTypeError
from tscript.ops.resolve import Default, Gathered, Given, Resolved, Slot, resolve
from tscript.ops.schema import REQUIRED
from tscript.passes.base import PassContext
from tscript.passes.errors import NestedTooDeeply, NoCommonType, NotConstant, OperatorRefused
from tscript.passes.facts import Fact, Held, member_of, seen_by_caller, slot_fact, tested
from tscript.passes.folding import BY_TYPE, TypeFold, constant_key, fold, is_foldable_type, same_constant
from tscript.passes.retyping import raised_at_run_time
from tscript.passes.static_parameters import has_tensors, static_in
from tscript.types import NEVER, STR, TENSOR, TYPE, FutureType, TensorType, TupleType, Type, has_same_form, join

MAX_VARIANTS = 256
"""Variants of one function: a recursion whose argument types never repeat stops here."""

MAX_DEPTH = 20
"""Calls inside each other that are followed at once; Python's own stack is the limit."""


def _known(type: Type, value: object) -> Type:
    """The type of a constant: of tensors with dtype and rank."""
    if isinstance(type, TupleType) and isinstance(value, tuple):
        return TupleType(tuple(map(_known, type.elements, value)), type.named)
    return constant_type(value) if isinstance(type, TensorType) else type


def specialise(
    program: Program, types: Sequence[Type], constants: Mapping[int, object], context: PassContext
) -> Program:
    """A new program whose entry takes arguments of `types`.

    Args:
        program: As the frontend made it; not changed.
        types: Type of each parameter of the entry: tensors with dtype and rank.
        constants: Parameter index to value, for arguments that the new program is only good for (see
            `static_parameters`). The parameters stay.
        context: Operator table and bodies of operators.

    Returns:
        The entry under its old name and the variants of the functions it calls. `Composite` operators are calls.

    Raises:
        CompileError: Operators refuse the types; all errors at once.

    Example:
        >>> specialise(program, [TensorType(dtypes.float32, 2)], {}, context)
    """
    entry = program.entry
    if len(types) != len(entry.params):
        raise InternalError(f"@{entry.name} takes {len(entry.params)} arguments, not {len(types)}", entry.span)
    facts = [Fact(t, constants.get(i, MISSING)) for i, t in enumerate(types)]
    analysis = _Analysis(context)
    try:
        main = analysis.variant(program, entry, facts)
        analysis.settle(main)
        return _construct(main, analysis)
    except RecursionError:
        raise compile_error([NestedTooDeeply(entry.span)]) from None


@dataclass(slots=True, eq=False)
class _Variant:
    """One function for one signature; bodies of operators know the operator they came in by as `origin`. What a value runs
    returns what is `declared`."""

    program: Program
    graph: Graph
    arguments: list[Fact]
    origin: tuple[_Variant, Node] | None
    facts: dict[Value, Fact] = field(default_factory=dict)
    callees: dict[Node, _Variant] = field(default_factory=dict)
    dependents: dict[_Variant, None] = field(default_factory=dict)
    errors: dict[Node, Diagnostic] = field(default_factory=dict)
    refused: dict[Node, tuple[str, str]] = field(default_factory=dict)
    resolved: dict[Node, Resolved] = field(default_factory=dict)
    result: Fact = field(default_factory=lambda: Fact(NEVER))
    declared: Type | None = None
    name: str = ""


@final
class _Analysis:
    """Computes facts for all variants that the entry needs."""

    def __init__(self, context: PassContext) -> None:
        self.context = context
        self.by_type: dict[OpDef, TypeFold] = context.by_operator(BY_TYPE)
        self.variants: dict[tuple[object, ...], _Variant] = {}
        self.counts: dict[Graph, int] = {}
        self.static: dict[Graph, frozenset[int]] = {}
        self.pending: dict[_Variant, None] = {}
        self.depth = 0

    def variant(
        self,
        program: Program,
        graph: Graph,
        arguments: list[Fact],
        origin: tuple[_Variant, Node] | None = None,
        declared: Type | None = None,
    ) -> _Variant:
        """The variant of `graph` for `arguments`, made and analysed when it is new; one that returns what is `declared`,
        if that is given."""
        key = (graph, declared, *[(a.type, constant_key(a.constant)) for a in arguments])
        found = self.variants.get(key)
        if found is None:
            self.counts[graph] = self.counts.get(graph, 0) + 1
            if self.counts[graph] > MAX_VARIANTS:
                general = [Fact(p.type) for p in graph.params]
                if not all(a.is_same(b) for a, b in zip(arguments, general, strict=True)):
                    return self.variant(program, graph, general, origin, declared)
            found = self.variants[key] = _Variant(program, graph, arguments, origin, declared=declared)
            self.pending[found] = None
            if self.depth < MAX_DEPTH:
                self.run(found)
        return found

    def value_variant(self, variant: _Variant, node: Closure) -> _Variant:
        """The variant that a function as a value runs: for the declared types, which are all that who calls it knows."""
        graph = variant.program.graphs[node.callee]
        key = (graph, Closure)
        found = self.variants.get(key)
        if found is None:
            origin = (variant, node) if variant.origin is not None else None
            arguments = [Fact(p.type) for p in graph.params]
            found = _Variant(variant.program, graph, arguments, origin, declared=graph.result)
            self.variants[key] = found
            self.pending[found] = None
        return found

    def run(self, variant: _Variant) -> None:
        """Analyse `variant`; the variants it needs first, unless calls are nested very deeply: then it is run again."""
        del self.pending[variant]
        self.depth += 1
        _Flow(self, variant).run()
        self.depth -= 1

    def settle(self, main: _Variant) -> None:
        """Repeat variants whose callees turned out to return more, until nothing changes; report the errors left."""
        while self.pending:
            self.run(next(iter(self.pending)))
        errors = [_visible(v, e) for v in self.variants.values() for e in v.errors.values()]
        if errors:
            raise compile_error(dict.fromkeys(errors))

    def callee(
        self, variant: _Variant, node: Op | Call | Fork, arguments: list[Fact], declared: Type | None = None
    ) -> _Variant:
        """The variant that a call or a composite operator stands for; see `variant`."""
        if isinstance(node, Call | Fork):
            program = variant.program
            graph = program.graphs[node.callee]
            static = self.static.get(graph)
            if static is None:
                static = self.static[graph] = static_in(program, graph, {})
            arguments = [a if i in static else Fact(a.type) for i, a in enumerate(arguments)]
        else:
            body = node.op.implementation
            assert isinstance(body, Composite)
            program = self.context.body(body.body, [_generic(a.type) for a in arguments], node.op.name)
            graph = program.entry
            arguments = [Fact(a.type, a.constant if is_foldable_type(a.type) else MISSING) for a in arguments]
        origin = (variant, node) if isinstance(node, Op) or variant.origin is not None else None
        return self.variant(program, graph, arguments, origin, declared)


def _visible(variant: _Variant, error: Diagnostic) -> Diagnostic:
    """`error` where the user can see it: one found in the body of an operator is one of the operator."""
    if variant.origin is None:
        return error
    while variant.origin is not None:
        variant, node = variant.origin
    name = node.op.schema.name if isinstance(node, Op) else ""
    reason = error.reason if isinstance(error, OperatorRefused) else error.message()
    return OperatorRefused(node.span, name, reason, ", ".join(str(variant.facts[v].type) for v in node.inputs))


def _generic(type: Type) -> Type:
    """`type` without dtypes and ranks: what bodies of operators are compiled for."""
    if isinstance(type, TensorType):
        return TENSOR
    if isinstance(type, TupleType):
        return TupleType(tuple(map(_generic, type.elements)), type.named)
    return type


_Exits = dict[Label, list[Fact] | None]


@final
class _Flow:
    """One run of the analysis over one variant."""

    def __init__(self, analysis: _Analysis, variant: _Variant) -> None:
        self.analysis = analysis
        self.variant = variant
        self.facts = variant.facts
        self.breaks: _Exits = {}
        self.continues: _Exits = {}
        self.slots: dict[Label, list[Fact]] = {}
        self.result: Fact | None = None

    def run(self) -> None:
        """Analyse the body; when the result changed, those that used it are to be run again."""
        variant = self.variant
        for value, fact in zip(variant.graph.body.params, variant.arguments, strict=True):
            self.facts[value] = fact
        self.block(variant.graph.body)
        result = self.result or Fact(NEVER)
        if variant.declared is not None and result.type != NEVER:
            result = Fact(variant.declared)
        elif result.member is not None:
            result = Fact(result.member)
        if not result.is_same(variant.result):
            variant.result = result
            self.analysis.pending.update(variant.dependents)

    def block(self, block: Block) -> bool:
        """Look at the nodes of `block` in order; whether control reaches its end (which then is a ``yield``)."""
        return all(_VISITORS[type(node)](self, node) for node in block.nodes)

    def inputs(self, node: Node) -> list[Fact]:
        """Facts of the node's inputs."""
        facts = self.facts
        return [facts[v] for v in node.inputs]

    def merge(self, old: Fact | None, new: Fact, node: Node) -> Fact:
        """What holds of both."""
        if old is None:
            return new
        if old.type == NEVER:
            return new
        if new.type == NEVER or old.is_same(new):
            return old
        type = old.type if old.type == new.type else join(old.type, new.type)
        if type is None:
            self.variant.errors[node] = NoCommonType(node.span, str(old.type), str(new.type))
            return old
        member = old.member if old.member == new.member else None
        return Fact(type, old.constant if old.constant_is_same(new) else MISSING, member)

    def merge_all(self, old: list[Fact] | None, new: Sequence[Fact], node: Node) -> list[Fact]:
        """`merge`, value by value."""
        return list(new) if old is None else [self.merge(a, b, node) for a, b in zip(old, new, strict=True)]

    # Each visitor says whether control goes on behind the node.

    def const(self, node: Const) -> bool:
        output = node.outputs[0]
        if output not in self.facts:
            self.facts[output] = Fact(_known(output.type, node.value), output.constant)
        return True

    def op(self, node: Op) -> bool:
        args = self.inputs(node)
        output = node.outputs[0]
        errors = self.variant.errors
        errors.pop(node, None)
        self.variant.refused.pop(node, None)
        op = node.op
        if op is TUPLE_GET:
            whole = node.inputs[0].node
            if isinstance(whole, Op) and whole.op is TUPLE_MAKE and isinstance(args[1].constant, int):
                self.facts[output] = self.facts[whole.inputs[args[1].constant]]
                return True
        self.variant.resolved.pop(node, None)
        try:
            type = op.type_rule(args)
        except OperatorTypeError as error:
            raised = raised_at_run_time(error)
            if raised is not None:
                self.variant.refused[node] = (raised, str(error))
                return False
            again = self.resolved_again(node, args)
            if again is None:
                found = ", ".join(str(a.type) for a in args)
                errors[node] = OperatorRefused(node.span, op.schema.name, str(error), found)
                self.facts[output] = Fact(output.type)
                return True
            self.variant.resolved[node] = again
            op, args = again.op, [slot_fact(slot) for slot in again.slots]
            type = op.type_rule(args)
        if isinstance(op.implementation, Composite):
            return self.called(node, args)
        for value, parameter in zip(args, op.schema.parameters, strict=False):
            if value.constant is MISSING and value.type == STR and has_tensors(op):
                errors[node] = NotConstant(node.span, op.schema.name, parameter.name)
        if output.type == NEVER or type == NEVER:
            self.facts[output] = Fact(NEVER)
            return False
        constant = tested(op, args)
        if constant is MISSING:
            constant = fold(op, args, type, self.analysis.by_type)
        self.facts[output] = Fact(type, constant, member_of(op, args))
        return True

    def resolved_again(self, node: Op, args: Sequence[Fact]) -> Resolved | None:
        """The overload to take instead of the operator of `node`, now that its arguments turned out to be of other kinds:
        what was a tensor of one element is a number, a `Size` is a tuple. None when there is none."""
        table, schema = self.analysis.context.table, node.op.schema
        given = [Held(a, v) for a, v in zip(args, node.inputs, strict=True)]
        positional: list[Held] = []
        named: dict[str, Held] = {}
        for parameter, arg in zip(schema.parameters, given, strict=False):
            if parameter.default is not REQUIRED and arg.constant is not MISSING:
                if same_constant(arg.constant, parameter.default):
                    continue
            if parameter.keyword_only or named or len(positional) != schema.parameters.index(parameter):
                named[parameter.name] = arg
            else:
                positional.append(arg)
        try:
            found = resolve(table, schema.name, positional, named)
        except OperatorTypeError:
            return None
        return found if found.op is not node.op and not isinstance(found.op.implementation, Composite) else None

    def called(self, node: Op | Call, args: list[Fact]) -> bool:
        callee = self.analysis.callee(self.variant, node, args)
        self.variant.callees[node] = callee
        callee.dependents[self.variant] = None
        self.facts[node.outputs[0]] = seen_by_caller(callee.result, node.outputs[0].type)
        return callee.result.type != NEVER

    def call(self, node: Call) -> bool:
        return self.called(node, self.inputs(node))

    def fork(self, node: Fork) -> bool:
        """What the callee returns is not known before the future is waited for, not even that it returns. A value that is
        not there yet cannot be converted: it has the form that the future was declared with."""
        args, output = self.inputs(node), node.outputs[0].type
        assert isinstance(output, FutureType)
        callee = self.analysis.callee(self.variant, node, args)
        if not has_same_form(callee.result.type, output.value):
            callee.dependents[self.variant] = None
            callee = self.analysis.callee(self.variant, node, args, output.value)
        self.variant.callees[node] = callee
        callee.dependents[self.variant] = None
        self.facts[node.outputs[0]] = Fact(FutureType(callee.result.type))
        return True

    def closure(self, node: Closure) -> bool:
        self.variant.callees[node] = self.analysis.value_variant(self.variant, node)
        self.facts[node.outputs[0]] = Fact(node.outputs[0].type)
        return True

    def invoke(self, node: Invoke) -> bool:
        self.facts[node.outputs[0]] = Fact(node.outputs[0].type)
        return True

    def if_(self, node: If) -> bool:
        cond = self.facts[node.inputs[0]].constant
        merged: list[Fact] | None = None
        for block, taken in ((node.then, True), (node.orelse, False)):
            if (cond is MISSING or bool(cond) is taken) and self.block(block):
                end = block.terminator
                merged = self.merge_all(merged, self.inputs(end), end)
        if merged is None:
            return False
        for value, fact in zip(node.outputs, merged, strict=True):
            self.facts[value] = fact
        return True

    def try_(self, node: Try) -> bool:
        self.slots[node.label] = self.inputs(node)
        merged = self.inputs(node.body.terminator) if self.block(node.body) else None
        for handler in node.handlers:
            for param, fact in zip(node.slots(handler), self.slots[node.label], strict=True):
                self.facts[param] = fact
            caught = node.caught(handler)
            if caught is not None:
                self.facts[caught] = Fact(caught.type)
            if self.block(handler.block):
                end = handler.block.terminator
                merged = self.merge_all(merged, self.inputs(end), end)
        if merged is None:
            return False
        for value, fact in zip(node.outputs, merged, strict=True):
            self.facts[value] = fact
        return True

    def set_slot(self, node: SetSlot) -> bool:
        slots = self.slots[node.label]
        slots[node.index] = self.merge(slots[node.index], self.facts[node.inputs[0]], node)
        return True

    def loop(self, node: Loop) -> bool:
        self.repeat(node, node.body.params, self.inputs(node), False)
        found = self.breaks[node.label]
        if found is None:
            return False
        for value, fact in zip(node.outputs, found, strict=True):
            self.facts[value] = fact
        return True

    def for_(self, node: For) -> bool:
        args = self.inputs(node)
        counter = node.body.params[0]
        self.facts[counter] = Fact(args[0].type)
        carried = node.body.params[1:]
        self.repeat(node, carried, args[3:], True)
        for value, param in zip(node.outputs, carried, strict=True):
            self.facts[value] = self.facts[param]
        return True

    def repeat(self, node: Loop | For, params: Sequence[Value], inits: Sequence[Fact], joined: bool) -> None:
        """Run the body until its parameters no longer change; `joined`: they also hold what breaks pass."""
        current = [self.merge(self.facts.get(p), f, node) for p, f in zip(params, inits, strict=True)]
        while True:
            for param, fact in zip(params, current, strict=True):
                self.facts[param] = fact
            self.breaks[node.label] = self.continues[node.label] = None
            self.block(node.body)
            after = current
            for found in (self.continues[node.label], self.breaks[node.label] if joined else None):
                if found is not None:
                    after = self.merge_all(after, found, node)
            if all(a.is_same(b) for a, b in zip(current, after, strict=True)):
                return
            current = after

    def break_(self, node: Break) -> bool:
        self.breaks[node.label] = self.merge_all(self.breaks[node.label], self.inputs(node), node)
        return False

    def continue_(self, node: Continue) -> bool:
        self.continues[node.label] = self.merge_all(self.continues[node.label], self.inputs(node), node)
        return False

    def return_(self, node: Return) -> bool:
        self.result = self.merge(self.result, self.facts[node.inputs[0]], node)
        return False

    def yield_(self, node: Yield) -> bool:
        return True

    def leave(self, node: Node) -> bool:
        return False


_VISITORS: dict[type[Node], Callable[[_Flow, Any], bool]] = {
    Const: _Flow.const,
    Op: _Flow.op,
    Call: _Flow.call,
    Fork: _Flow.fork,
    Closure: _Flow.closure,
    Invoke: _Flow.invoke,
    If: _Flow.if_,
    Loop: _Flow.loop,
    For: _Flow.for_,
    Try: _Flow.try_,
    SetSlot: _Flow.set_slot,
    Yield: _Flow.yield_,
    Break: _Flow.break_,
    Continue: _Flow.continue_,
    Return: _Flow.return_,
    Raise: _Flow.leave,
    Throw: _Flow.leave,
    Unreachable: _Flow.leave,
}


def _construct(main: _Variant, analysis: _Analysis) -> Program:
    """Clones of all variants that `main` reaches, under names of their own."""
    order: dict[_Variant, None] = {}
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
class _Construction:
    """Clones one variant with the types of its facts."""

    def __init__(self, variant: _Variant) -> None:
        self.variant = variant
        self.facts = variant.facts
        self.values: dict[Value, Value] = {}
        self.labels: dict[Label, Label] = {}

    def at(self, node: Node) -> Span:
        """Where the clone of `node` stands; bodies of operators have no place that the user knows."""
        return node.span if self.variant.origin is None else UNKNOWN

    def graph(self) -> Graph:
        source = self.variant.graph
        result = self.variant.result.type
        if result == NEVER and not self.variant.dependents:
            result = source.result
        params = [replace(p, type=a.type) for p, a in zip(source.params, self.variant.arguments, strict=True)]
        graph = Graph(self.variant.name, params, result, source.span if self.variant.origin is None else UNKNOWN)
        for old, new in zip(source.body.params, graph.body.params, strict=True):
            new.name = old.name
        self.open(source.body, graph.body, graph.body.params)
        self.nodes(source.body, graph.body.nodes)
        return graph

    def open(self, source: Block, block: Block, params: Sequence[Value]) -> None:
        """Let the parameters of `source` stand for `params`, or for constants where they are known."""
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

    def define(self, old: Node, new: Node) -> None:
        for a, b in zip(old.outputs, new.outputs, strict=True):
            b.name = a.name
            self.values[a] = b

    def node(self, node: Node, out: list[Node]) -> bool:
        """Clone one node; whether control goes on behind it."""
        match node:
            case Const():
                self.emit(node, Const(node.value, _known(node.outputs[0].type, node.value), self.at(node)), out)
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
                repeated = For(label, start, stop, step, inits, self.block(node.body), self.at(node))
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
        """Append `new`, which stands for `old`. What is known to be a constant is one to whatever stands behind: types were
        decided by it."""
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
        if node in self.variant.callees:
            self.call(node, out)
            return fact.type != NEVER
        if fact.is_written:
            self.emit(node, Const(fact.constant, fact.type, self.at(node)), out)
        elif node in self.variant.resolved:
            again = self.variant.resolved[node]
            inputs = [self.slot(slot, node, out) for slot in again.slots]
            self.emit(node, Op(again.op, inputs, fact.type, self.at(node)), out)
        else:
            self.emit(node, Op(node.op, self.mapped(node.inputs), fact.type, self.at(node)), out)
        return fact.type != NEVER

    def slot(self, slot: Slot, node: Op, out: list[Node]) -> Value:
        """The value for a parameter of the overload taken instead."""
        match slot:
            case Given(arg, None):
                return self.given(arg)
            case Given(arg, convert):
                assert convert is not None
                new: Node = Op(convert, [self.given(arg)], convert.type_rule([arg]), self.at(node))
            case Gathered(args):
                type = TupleType(tuple(a.type for a in args))
                new = Op(TUPLE_MAKE, [self.given(a) for a in args], type, self.at(node))
            case Default(value):
                new = Const(value, constant_type(value), self.at(node))
        out.append(new)
        return new.outputs[0]

    def conversion(self, op: OpDef, value: Value, target: Type, node: Node, out: list[Node]) -> Node:
        """Puts a number into a box, or takes it out."""
        type = Const(target, TYPE, self.at(node))
        out.append(type)
        return Op(op, [value, type.outputs[0]], target, self.at(node))

    def given(self, arg: Arg) -> Value:
        assert isinstance(arg, Held)
        return self.values[arg.value]

    def call(self, node: Op | Call, out: list[Node]) -> None:
        callee = self.variant.callees[node]
        result = callee.result.type
        call: Node = Call(callee.name, self.mapped(node.inputs), result, self.at(node))
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
