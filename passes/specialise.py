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

There are two steps. *Analysis* computes a fact for each value (type and, where known, constant) by running the type
rules over the unchanged graph. Where paths meet, facts are joined; loops and recursive calls are repeated until nothing
changes. Branches that a constant condition rules out are skipped. *Construction* clones the reachable part. A value
with different dtypes or ranks on different paths keeps an open type. Its operators are dispatched at run time if it
is the dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from tscript.abi.layout import MAX_RANK
from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.opdef import Arg, Composite, OpDef, OperatorRuntimeError, OperatorTypeError
from tscript.definitions.resolve import Resolved, check_numbers, resolve
from tscript.diagnostics import Diagnostic, InternalError, compile_error
from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
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
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
)
from tscript.ir.static_parameters import has_tensors, static_by_graph
from tscript.passes.base import PassContext
from tscript.passes.construction import construct
from tscript.passes.errors import NestedTooDeeply, NoCommonType, NotConstant, OperatorRefused
from tscript.passes.facts import Fact, Held, Variant, input_facts, known_type, member_of, seen_by_caller, stays, tested
from tscript.passes.folding import BY_TYPE, TypeFold, constant_key, fold, is_foldable_type, same_constant
from tscript.passes.retyping import raised_at_run_time, taken_forms
from tscript.types import NEVER, STR, ArrayType, FutureType, TensorType, Type, general, has_same_form, join, passes_as
from tscript.types.dtypes import default_float

MAX_VARIANTS = 256
"""The maximum number of variants of one function; further calls use the declared types."""

MAX_NESTED = 8
"""The maximum number of nested variants of one function, which stops a recursion whose argument types never repeat."""

MAX_DEPTH = 20
"""The maximum depth of calls that are followed at once, because of Python's own stack."""


def specialise(
    program: Program, types: Sequence[Type], constants: Mapping[int, object], context: PassContext
) -> Program:
    """A new program whose entry takes arguments of `types`.

    Args:
        program: As the frontend made it; not changed.
        types: Type of each parameter of the entry: tensors with dtype and rank.
        constants: Parameter index to value, for arguments with which alone the new program may be called (see
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
        return construct(main)
    except RecursionError:
        raise compile_error([NestedTooDeeply(entry.span)]) from None


def result_type(op: OpDef, args: Sequence[Arg], context: PassContext) -> Type:
    """The result type of an operator: by its rule, or by the body of a composite one for these types and constants;
    computed once for each. NEVER if it raises for all of them.

    Raises:
        OperatorTypeError: The operator does not take the arguments.

    Example:
        >>> result_type(TABLE["softmax"], [Constant(MISSING, TensorType(dtypes.float32, 2)), Constant(1, INT)], context)
    """
    declared = op.type_rule(args)
    if not isinstance(op.implementation, Composite):
        return declared
    facts = [Fact(a.type, a.constant if is_foldable_type(a.type) else MISSING) for a in args]
    key = (op, default_float(), *[(f.type, constant_key(f.constant)) for f in facts])
    found = context.results.get(key)
    if found is None:
        program = context.body(op.implementation.body, [general(a.type) for a in args], op.name)
        analysis = _Analysis(context)
        main = analysis.variant(program, program.entry, facts)
        analysis.settle(main)
        found = context.results[key] = main.result.type
    return found


@final
class _Analysis:
    """Computes facts for all variants that the entry needs."""

    def __init__(self, context: PassContext) -> None:
        self.context = context
        self.by_type: Mapping[OpDef, TypeFold] = context.by_operator(BY_TYPE)
        self.variants: dict[tuple[object, ...], Variant] = {}
        self.counts: dict[Graph, int] = {}
        self.static: dict[Program, dict[str, frozenset[int]]] = {}
        self.pending: dict[Variant, None] = {}
        self.depth = 0

    def variant(
        self,
        program: Program,
        graph: Graph,
        arguments: list[Fact],
        origin: tuple[Variant, Node] | None = None,
        declared: Type | None = None,
        caller: Variant | None = None,
    ) -> Variant:
        """The variant of `graph` for `arguments`, made and analysed if it is new; with the `declared` result, if given.
        Beyond the limit, `caller` gets the one for the declared types."""
        key = (graph, declared, *[(a.type, constant_key(a.constant)) for a in arguments])
        found = self.variants.get(key)
        if found is None:
            self.counts[graph] = self.counts.get(graph, 0) + 1
            found = Variant(program, graph, arguments, origin, declared=declared, caller=caller)
            if self.counts[graph] > MAX_VARIANTS or found.nested >= MAX_NESTED:
                general = [Fact(p.type) for p in graph.params]
                if not all(a.is_same(b) for a, b in zip(arguments, general, strict=True)):
                    return self.variant(program, graph, general, origin, declared, caller)
            self.variants[key] = found
            self.pending[found] = None
            if self.depth < MAX_DEPTH:
                self.run(found)
        return found

    def value_variant(self, variant: Variant, node: Closure) -> Variant:
        """The variant for a function value: for the declared types, since callers know no others."""
        graph = variant.program.graphs[node.callee]
        key = (graph, Closure)
        found = self.variants.get(key)
        if found is None:
            origin = (variant, node) if variant.origin is not None else None
            arguments = [Fact(p.type) for p in graph.params]
            found = Variant(variant.program, graph, arguments, origin, declared=graph.result, caller=variant)
            self.variants[key] = found
            self.pending[found] = None
        return found

    def run(self, variant: Variant) -> None:
        """Analyse `variant`; the variants it needs first, unless calls are nested very deeply: then it is run again."""
        del self.pending[variant]
        self.depth += 1
        _Flow(self, variant).run()
        self.depth -= 1

    def settle(self, main: Variant) -> None:
        """Repeat variants whose callees return wider types than assumed, until nothing changes; report the remaining
        errors."""
        while self.pending:
            self.run(next(iter(self.pending)))
        errors = [_visible(v, e) for v in self.variants.values() for e in v.errors.values()]
        if errors:
            raise compile_error(dict.fromkeys(errors))

    def callee(
        self, variant: Variant, node: Op | Call | Fork, arguments: list[Fact], declared: Type | None = None
    ) -> Variant:
        """The variant for a call or a composite operator; see `variant`."""
        if isinstance(node, Call | Fork):
            program = variant.program
            graph = program.graphs[node.callee]
            static = self.static.get(program)
            if static is None:
                static = self.static[program] = static_by_graph(program)
            arguments = [a if i in static[node.callee] else Fact(a.type) for i, a in enumerate(arguments)]
        else:
            body = node.op.implementation
            assert isinstance(body, Composite)
            program = self.context.body(body.body, [general(a.type) for a in arguments], node.op.name)
            graph = program.entry
            arguments = [Fact(a.type, a.constant if is_foldable_type(a.type) else MISSING) for a in arguments]
        origin = (variant, node) if isinstance(node, Op) or variant.origin is not None else None
        return self.variant(program, graph, arguments, origin, declared, variant)


def _visible(variant: Variant, error: Diagnostic) -> Diagnostic:
    """`error` where the user can see it: one found in the body of an operator is one of the operator."""
    if variant.origin is None:
        return error
    while variant.origin is not None:
        variant, node = variant.origin
    name = node.op.schema.name if isinstance(node, Op) else ""
    reason = error.reason if isinstance(error, OperatorRefused) else error.message()
    return OperatorRefused(node.span, name, reason, ", ".join(str(variant.facts[v].type) for v in node.inputs))


def _check_rank(type: Type) -> None:
    """Refuse a tensor of more dimensions than there can be, as the runtime does where the rank is not known before.

    Raises:
        OperatorRuntimeError: It has more.
    """
    if isinstance(type, TensorType) and type.rank is not None and type.rank > MAX_RANK:
        raise OperatorRuntimeError(f"tensors have at most {MAX_RANK} dimensions, this would have {type.rank}")


_Exits = dict[Label, list[Fact] | None]


@final
class _Flow:
    """One run of the analysis over one variant."""

    def __init__(self, analysis: _Analysis, variant: Variant) -> None:
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
        """Visit the nodes of `block` in order; returns whether control reaches its end (which then is a ``yield``)."""
        return all(_VISITORS[type(node)](self, node) for node in block.nodes)

    def inputs(self, node: Node) -> list[Fact]:
        """Facts of the node's inputs."""
        facts = self.facts
        return [facts[v] for v in node.inputs]

    def merge(self, old: Fact | None, new: Fact, node: Node) -> Fact:
        """The join of two facts."""
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

    # Each visitor returns whether control continues after the node.

    def const(self, node: Const) -> bool:
        output = node.outputs[0]
        if output not in self.facts:
            self.facts[output] = Fact(known_type(output.type, node.value), output.constant)
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
        if stays(op, args[0].type if args else NEVER, output.type):
            self.facts[output] = args[0]
            return True
        self.variant.resolved.pop(node, None)
        self.variant.formed.pop(node, None)
        refused: OperatorTypeError | None = None
        try:
            check_numbers(op, args)
            type = op.type_rule(args)
            _check_rank(type)
        except OperatorTypeError as error:
            refused, type = error, NEVER
            raised = raised_at_run_time(error)
            if raised is not None:
                self.variant.refused[node] = (raised, str(error))
                return False
        if refused is not None or not passes_as(type, output.type):
            again = None if refused is None else self.resolved_again(node, args)
            taken = None if again else taken_forms(op, args, [v.type for v in node.inputs], output.type)
            if again is not None:
                self.variant.resolved[node] = again
                op, args = again.op, input_facts(again)
                type = op.type_rule(args)
            elif taken is not None:
                self.variant.formed[node], type = taken
                args = [a if a.type == t else Fact(t) for a, t in zip(args, taken[0], strict=True)]
            elif refused is not None:
                found = ", ".join(str(a.type) for a in args)
                errors[node] = OperatorRefused(node.span, op.schema.name, str(refused), found)
                self.facts[output] = Fact(output.type)
                return True
        if isinstance(op.implementation, Composite):
            return self.called(node, args)
        for value, parameter in zip(args, op.schema.parameters, strict=False):
            if value.constant is MISSING and value.type == STR and has_tensors(op):
                errors[node] = NotConstant(node.span, op.schema.name, parameter.name)
        if output.type == NEVER or type == NEVER:
            self.facts[output] = Fact(NEVER)
            return False
        if isinstance(output.type, ArrayType):
            type = output.type  # what the rule says of a tensor; its form in Python is the frontend's
        constant = tested(op, args)
        if constant is MISSING:
            constant = fold(op, args, type, self.analysis.by_type)
        self.facts[output] = Fact(type, constant, member_of(op, args))
        return True

    def resolved_again(self, node: Op, args: Sequence[Fact]) -> Resolved | None:
        """The overload that replaces the operator of `node` when its arguments have other
        kinds: a number for a tensor of one element, a tuple for a `Size`. None if there is none."""
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
        """The result of the callee is unknown until the future is waited for, even whether it returns. A future value
        cannot be converted, so it has the declared form."""
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
