"""Checks that IR is well-formed. Passes are verified by it in tests, and all IR from archives before anything uses it.

The rules:

- Every value is defined once, as an output of a node or a parameter of a block, and used only after its definition in
  the same block or in nested blocks. No node, block or label occurs twice.
- A block ends in one terminator and has no other. Blocks of an `If` and a `Fused` may yield, the others may not; exits
  name a loop around them; the values of each exit match their targets in number and type.
- Types: the inputs of an operator match its schema, and its type rule gives a subtype of the output's type; a
  constant is of its type; calls match the callee's parameters and result.
- A condition is a `bool`. A `For` counts in one integer type. A `Fused` has pointwise operators, reductions and
  constants only and uses only its parameters and constants from outside.
- A `Try` has handlers; those name classes of exceptions and take the slots, all of the types of those of the first, and
  at most an exception of a class that all of theirs derive from. A `SetSlot` stands in the body of its `Try`.
- A `Raise` names a builtin exception, and its message shows arguments it has.
- From a file: all operators are `OpDef.portable`, there is no `Fused`, and no value is a pointer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from tscript.abi.exceptions import is_exception
from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Native, OperatorTypeError, Pointwise
from tscript.definitions.resolve import takes_numbers
from tscript.definitions.rules import unbound_argument
from tscript.definitions.shared import Shared
from tscript.ir.analysis import builtin_exception, falls_through, message_fields
from tscript.ir.graph import (
    REQUIRED,
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
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    ParallelCall,
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
from tscript.ir.nodes import SHARED_KINDS
from tscript.ir.reductions import reduction_of
from tscript.ir.verify_types import Context, TypeChecks, VerifyError, accepts, holds_never, is_number
from tscript.late import dataclass, replace
from tscript.operators.python.caches import OPERATORS as CACHES
from tscript.types import (
    BOOL,
    DTYPE,
    INT,
    NEVER,
    NONE,
    TYPE,
    CallableType,
    FutureType,
    OptionalType,
    PtrType,
    StructType,
    TensorType,
    Type,
    dtype_of,
    is_subtype,
    is_taken,
    passes_as,
)


def verify(program: Program | Graph, *, from_file: bool = False) -> None:
    """Check a program, or a graph alone (then calls may name any graph).

    Args:
        program: What to check; not changed.
        from_file: Whether it comes from outside. Then it may not contain operators of the low-level dialect, operators
            that only the compiler makes, fused groups or pointers, and only types and positions of the language.

    Raises:
        VerifyError: The first broken rule.
    """
    context = Context(program if isinstance(program, Program) else None, from_file)
    graphs = [program] if isinstance(program, Graph) else list(program.graphs.values())
    if isinstance(program, Program):
        if program.main not in program.graphs:
            raise VerifyError(program.main, "", "the program's entry is not among its graphs")
        for name, graph in program.graphs.items():
            if graph.name != name:
                raise VerifyError(graph.name, "", f"the program knows this graph as @{name}")
    for graph in graphs:
        verifier = _Verifier(context, graph)
        try:
            if from_file and not graph.name.isprintable():
                raise VerifyError(graph.name, "", "the name of a graph is a line of characters that can be printed")
            verifier.check_graph()
        except RecursionError:
            raise VerifyError(graph.name, "", "blocks are nested too deeply") from None


@dataclass(frozen=True, slots=True)
class _Place:
    """The context of a block: the node of its yields, the enclosing loops, and the enclosing bodies of `Try`s."""

    yields_to: If | Fused | Try | None
    loops: tuple[Loop | For, ...]
    tries: tuple[Try, ...] = ()


class _Verifier(TypeChecks):
    """One graph being checked."""

    __slots__ = ("place", "visible")

    def __init__(self, context: Context, graph: Graph) -> None:
        super().__init__(context, graph)
        self.place = _Place(None, ())
        self.visible: set[Value] = set()

    # Graph, blocks, values

    def check_graph(self) -> None:
        graph = self.graph
        names: set[str] = set()
        for p in graph.params:
            if not p.name.isidentifier() or p.name in names:
                self.fail(f"parameter names are different identifiers, found {p.name!r}")
            names.add(p.name)
            if p.default is not REQUIRED and not self.holds_default(p.type, p.default):
                self.fail(f"the default of {p.name} is not a constant of type {p.type}")
        positional = [p for p in graph.params if not p.keyword_only]
        if list(graph.params[: len(positional)]) != positional:
            self.fail("keyword-only parameters stand behind the others")
        first = [p for p in graph.params if p.positional_only and not p.variadic]
        if list(graph.params[: len(first)]) != first or any(p.keyword_only for p in first):
            self.fail("positional-only parameters stand before the others")
        if len(graph.body.params) != len(graph.params):
            self.fail(f"{len(graph.params)} parameters, but the body has {len(graph.body.params)}")
        for p, value in zip(graph.params, graph.body.params, strict=True):
            if p.type != value.type:
                self.fail(f"parameter {p.name} is declared {p.type} but is {value.type} in the body")
            if holds_never(p.type):
                self.fail(f"there is no value of type {p.type} to give for parameter {p.name}")
        self.check_type(graph.result)
        self.check_block(graph.body, _Place(None, ()))

    def check_block(self, block: Block, place: _Place) -> None:
        """Check `block`; its definitions are visible only inside."""
        context, owner = self.context, self.node
        if block in context.seen_blocks:
            self.fail("a block stands in two places")
        context.seen_blocks.add(block)
        defined: list[Value] = []
        for value in block.params:
            if value.node is not None:
                self.fail(f"parameter {self.show(value)} of a block claims to be the output of a node")
            self.define(value, defined)
        if not block.nodes:
            self.fail("a block without a terminator")
        last = len(block.nodes) - 1
        for i, node in enumerate(block.nodes):
            self.node = node
            self.place = place
            if node in context.seen_nodes:
                self.fail("a node stands in two places")
            context.seen_nodes.add(node)
            if isinstance(node, Terminator) != (i == last):
                self.fail("a block ends without a terminator" if i == last else "a terminator in the middle of a block")
            for value in node.inputs:
                if value not in self.visible:
                    self.fail(f"{self.show(value)} is not visible here")
                if value.type == NEVER and self.context.from_file:
                    self.fail(f"{self.show(value)} is never there")
                if _is_shared(value) and not (
                    isinstance(node, Op) and node.op in CACHES and value not in node.inputs[2:]
                ):
                    self.fail(f"{self.show(value)} is shared by threads: only operators of caches take it")
            rule = _RULES.get(type(node))
            if rule is None:
                self.node = None
                self.fail(f"{type(node).__name__} is not a class of nodes")
            rule(self, node)
            self.node = node
            for value in node.outputs:
                if value.node is not node:
                    self.fail(f"output {self.show(value)} does not point to its node")
                self.define(value, defined)
            if isinstance(node, Unreachable) and (i == 0 or falls_through(block.nodes[i - 1])):
                self.fail("control can get here")
        self.visible.difference_update(defined)
        self.node = owner

    def define(self, value: Value, defined: list[Value]) -> None:
        if value in self.context.seen_values:
            self.fail(f"{self.show(value)} is defined twice")
        self.context.seen_values.add(value)
        self.check_type(value.type)
        if self.context.from_file and not (value.type == TYPE and isinstance(value.node, Const)):
            self.check_portable(value.type)
        self.visible.add(value)
        defined.append(value)

    def check_values(self, what: str, values: Sequence[Value], wanted: Sequence[Type]) -> None:
        """`values` match `wanted` in number and type."""
        if len(values) != len(wanted):
            self.fail(f"{what}: expected {len(wanted)} values, found {len(values)}")
        for value, type in zip(values, wanted, strict=True):
            if not passes_as(value.type, type):
                self.fail(f"{what}: expected {type}, found {self.show(value)} of type {value.type}")

    def check_outputs(self, count: int) -> None:
        assert self.node is not None
        if len(self.node.outputs) != count:
            self.fail(f"expected {count} outputs, found {len(self.node.outputs)}")

    # Nodes

    def const(self, node: Const) -> None:
        self.check_outputs(1)
        self.check_values("a constant has no inputs", node.inputs, ())
        if not self.holds(node.output.type, node.value):
            self.fail(f"the constant is not of type {node.output.type}")

    def op(self, node: Op) -> None:
        self.check_outputs(1)
        op = node.op
        if self.context.from_file and not op.portable:
            self.fail(f"the operator {op.name} is not allowed here: the compiler makes it for itself")
        if op in CACHES and not all(map(_is_shared, node.inputs[:2])):
            self.fail(f"{op.name} takes containers that are shared")
        parameters = op.schema.parameters
        count = len(node.inputs)
        if count < len(parameters) - 1 if op.variadic else count != len(parameters):
            self.fail(f"{op.name} has {len(parameters)} parameters, found {count} inputs")
        numbers, native = takes_numbers(op), isinstance(op.implementation, Native)
        given = (*parameters[:-1], *(parameters[-1:] * (count - len(parameters) + 1))) if op.variadic else parameters
        for p, value in zip(given, node.inputs, strict=True):
            number = numbers and p.kind == "Tensor" and not p.written and is_number(value.type)
            if not (number or accepts(p.kind, value.type)) or (p.kind == "type" and value.constant is MISSING):
                self.fail(f"parameter {p.name} takes {p.kind}, found {self.show(value)} of type {value.type}")
            if value.type == TYPE and p.kind != "type" and self.context.from_file:
                self.fail(f"parameter {p.name} takes a value, and {self.show(value)} is a type")
            if isinstance(value.type, OptionalType) and self.context.from_file and not (p.kind == "Any" or native):
                found_here = f"{self.show(value)} of type {value.type}"
                self.fail(f"parameter {p.name} takes a value or None that is known, found {found_here}")
        unbound = unbound_argument(op.schema, node.inputs) if native else None
        if unbound is not None:
            self.fail(unbound)
        try:
            found = op.type_rule(node.inputs)
        except OperatorTypeError as error:
            if not self.context.from_file and isinstance(error, RuntimeError | IndexError | ValueError):
                return  # it raises at run time: facts found by a pass do not change that
            self.fail(str(error))
        except Exception as error:  # noqa: BLE001 - rules are written for IR of the frontend
            self.fail(f"the type rule of {op.name} does not take these inputs ({type(error).__name__}: {error})")
        if not passes_as(found, node.output.type):
            self.fail(f"{op.name} gives {found}, not {node.output.type}")

    def call(self, node: Call) -> None:
        self.check_outputs(1)
        program = self.context.program
        if program is None:
            return
        callee = program.graphs.get(node.callee)
        if callee is None:
            self.fail(f"there is no graph @{node.callee}")
        self.check_values(f"arguments of @{node.callee}", node.inputs, [p.type for p in callee.params])
        if not passes_as(callee.result, node.output.type):
            self.fail(f"@{node.callee} returns {callee.result}, not {node.output.type}")

    def parallel(self, node: ParallelCall) -> None:
        if self.context.from_file:
            self.fail("a parallel call is not allowed here: the compiler makes it for itself")
        self.call(node)
        bounds = [v.type for v in node.inputs[:3]]
        if bounds != [INT, INT, INT] or node.work < 1:
            self.fail("a parallel call begins with start, stop and step, and takes some time")
        if bool(node.join) is (node.output.type == NONE):
            self.fail("a parallel call with a result, and no other, joins results")
        for position, kind in node.shared:
            if kind not in SHARED_KINDS or not 3 <= position < len(node.inputs):
                self.fail("a parallel call shares arguments, and joins copies of them in a known way")
            if not isinstance(node.inputs[position].type, TensorType):
                self.fail("a parallel call shares arrays alone")
        program = self.context.program
        if program is None or not node.join:
            return
        join, result = program.graphs.get(node.join), node.output.type
        if join is None or join.result != result or [p.type for p in join.params] != [result, result]:
            self.fail(f"@{node.join} makes no {result} of two")

    def fork(self, node: Fork) -> None:
        self.check_outputs(1)
        result = node.output.type
        if not isinstance(result, FutureType):
            self.fail(f"a fork gives a Future, not {result}")
        if self.context.from_file and not all(is_taken(v.type) for v in node.inputs):
            self.fail("a task takes only what never changes, and tensors")
        program = self.context.program
        if program is None:
            return
        callee = program.graphs.get(node.callee)
        if callee is None:
            self.fail(f"there is no graph @{node.callee}")
        self.check_values(f"arguments of @{node.callee}", node.inputs, [p.type for p in callee.params])
        if not passes_as(FutureType(callee.result), result):
            self.fail(f"a fork of @{node.callee} gives Future[{callee.result}], not {result}")

    def closure(self, node: Closure) -> None:
        self.check_outputs(1)
        type = node.output.type
        if not isinstance(type, CallableType):
            self.fail(f"a closure is a Callable, not {type}")
        program = self.context.program
        if program is None:
            return
        callee = program.graphs.get(node.callee)
        if callee is None:
            self.fail(f"there is no graph @{node.callee}")
        held = len(node.inputs)
        self.check_values(f"what @{node.callee} holds", node.inputs, [p.type for p in callee.params[:held]])
        left = tuple(p.type for p in callee.params[held:])
        if left != type.parameters or not passes_as(callee.result, type.result):
            self.fail(f"a closure of @{node.callee} is {CallableType(left, callee.result)}, not {type}")

    def invoke(self, node: Invoke) -> None:
        self.check_outputs(1)
        if not node.inputs or not isinstance(node.inputs[0].type, CallableType):
            self.fail("what is invoked is no Callable")
        type = node.inputs[0].type
        self.check_values("arguments of the value", node.inputs[1:], list(type.parameters))
        if not passes_as(type.result, node.output.type):
            self.fail(f"the value returns {type.result}, not {node.output.type}")

    def if_(self, node: If) -> None:
        self.check_values("the condition", node.inputs, (BOOL,))
        place = replace(self.place, yields_to=node)
        for block in node.blocks:
            self.check_values("a block of an if has no parameters", block.params, ())
            self.check_block(block, place)

    def loop(self, node: Loop) -> None:
        self.check_values("initial values", node.inputs, [p.type for p in node.body.params])
        self.check_loop(node)

    def for_(self, node: For) -> None:
        params = node.body.params
        if len(node.inputs) < 3 or not params:
            self.fail("a for has a counter and start, stop and step")
        counter = params[0].type
        dtype = dtype_of(counter)
        if dtype is None or not dtype.is_integer or any(v.type != counter for v in node.inputs[:3]):
            self.fail("counter, start, stop and step are of one integer type")
        carried = params[1:]
        self.check_values("initial values", node.inputs[3:], [p.type for p in carried])
        self.check_values("results when the range ends", carried, [v.type for v in node.outputs])
        self.check_loop(node)

    def check_loop(self, node: Loop | For) -> None:
        if node.label in self.context.seen_labels:
            self.fail("two nodes have one label")
        self.context.seen_labels.add(node.label)
        self.check_block(node.body, _Place(None, (*self.place.loops, node), self.place.tries))

    def fused(self, node: Fused) -> None:
        if self.context.from_file:
            self.fail("a fused group is not allowed here: the compiler makes it for itself")
        params = node.body.params
        self.check_values("inputs", node.inputs, [p.type for p in params])
        inside: set[Value] = set(params)
        if not inside.issuperset(node.reuse):
            self.fail("a fused group reuses the memory of its inputs only")
        for member in node.body.nodes:
            self.node = member
            match member:
                case Op():
                    effects = member.op.effects
                    # In-place pointwise operators return the argument they write, as a view of it.
                    writes_first = effects.writes == (0,) and effects.view_of in (None, 0)
                    plain = (not effects.writes and effects.view_of is None) or writes_first
                    fusible = isinstance(member.op.implementation, Pointwise) or reduction_of(member) is not None
                    if not fusible or effects.world or not plain:
                        self.fail("a fused group has pointwise operators and reductions only")
                case Const() | Yield():
                    pass
                case _:
                    self.fail("a fused group has pointwise operators and reductions only")
            for value in member.inputs:
                if value not in inside and not isinstance(value.node, Const):
                    self.fail(f"{self.show(value)} comes from outside the fused group")
            inside.update(member.outputs)
        self.node = node
        self.check_block(node.body, _Place(node, ()))

    def try_(self, node: Try) -> None:
        if node.label in self.context.seen_labels:
            self.fail("two nodes have one label")
        self.context.seen_labels.add(node.label)
        if not node.handlers:
            self.fail("a try has handlers")
        types = [p.type for p in node.slots(node.handlers[0])]
        self.check_values("slots", node.inputs, types)
        for handler in node.handlers:
            found = [p.type for p in handler.block.params]
            if found[: len(types)] != types or len(found) > len(types) + 1:
                self.fail("handlers take the slots, and then at most the exception")
            if not handler.classes or not all(map(is_exception, handler.classes)):
                self.fail("a handler names classes of exceptions")
            caught = node.caught(handler)
            if caught is not None and not all(is_subtype(c, caught.type) for c in handler.classes):
                self.fail(f"the exception is not always a {caught.type}")
            if caught is not None and not is_exception(caught.type):
                self.fail(f"{caught.type} is not a class of exceptions")
        place = replace(self.place, yields_to=node)
        self.check_values("the body of a try has no parameters", node.body.params, ())
        self.check_block(node.body, replace(place, tries=(*place.tries, node)))
        for handler in node.handlers:
            self.check_block(handler.block, place)

    def set_slot(self, node: SetSlot) -> None:
        self.check_outputs(0)
        target = next((t for t in self.place.tries if t.label is node.label), None)
        if target is None:
            self.fail("a slot is set in the body of its try")
        types = [p.type for p in target.slots(target.handlers[0])]
        if not 0 <= node.index < len(types):
            self.fail(f"there is no slot {node.index}")
        self.check_values("the slot", node.inputs, (types[node.index],))

    def throw(self, node: Throw) -> None:
        self.check_outputs(0)
        found = node.inputs[0].type if len(node.inputs) == 1 else None
        if found is None or not (is_exception(found) or found == PtrType(StructType("Object"))):
            self.fail("what is thrown is one exception")

    def yield_(self, node: Yield) -> None:
        target = self.place.yields_to
        if target is None:
            self.fail("yield only ends a block of an if, a try or a fused group")
        self.check_outputs(0)
        self.check_values("results", node.inputs, [v.type for v in target.outputs])

    def around(self, label: Label) -> Loop | For:
        for loop in reversed(self.place.loops):
            if loop.label is label:
                return loop
        raise self.error("the loop is not around this exit")

    def break_(self, node: Break) -> None:
        self.check_outputs(0)
        loop = self.around(node.label)
        self.check_values("results of the loop", node.inputs, [v.type for v in loop.outputs])

    def continue_(self, node: Continue) -> None:
        self.check_outputs(0)
        loop = self.around(node.label)
        carried = loop.body.params[1:] if isinstance(loop, For) else loop.body.params
        self.check_values("carried values", node.inputs, [v.type for v in carried])

    def return_(self, node: Return) -> None:
        self.check_outputs(0)
        self.check_values(f"result of @{self.graph.name}", node.inputs, (self.graph.result,))

    def raise_(self, node: Raise) -> None:
        self.check_outputs(0)
        if builtin_exception(node.exception) is None:
            self.fail(f"{node.exception} is not a builtin exception that takes a message")
        if len(node.inputs) > MAX_ERROR_ARGS:
            self.fail(f"at most {MAX_ERROR_ARGS} values are shown, found {len(node.inputs)}")
        for value in node.inputs:
            if dtype_of(value.type) is None and value.type != DTYPE:
                self.fail(f"a message shows numbers and dtypes, found {self.show(value)} of type {value.type}")
        try:
            fields = message_fields(node.message or "")
        except ValueError as error:
            self.fail(str(error))
        if self.context.from_file and len(re.findall(r"\{[0-9]+:", node.message or "")):
            self.fail("a message shows its arguments as they are: {0}, and no other form")
        if any(i >= len(node.inputs) for i in fields):
            self.fail(f"the message shows argument {max(fields)}, there are {len(node.inputs)}")

    def unreachable(self, node: Unreachable) -> None:
        self.check_outputs(0)
        self.check_values("unreachable has no inputs", node.inputs, ())


def _is_shared(value: Value) -> bool:
    return isinstance(value.node, Const) and isinstance(value.node.value, Shared)


_RULES: dict[type[Node], Callable[[_Verifier, Any], None]] = {
    Const: _Verifier.const,
    Op: _Verifier.op,
    Call: _Verifier.call,
    ParallelCall: _Verifier.parallel,
    Fork: _Verifier.fork,
    Closure: _Verifier.closure,
    Invoke: _Verifier.invoke,
    If: _Verifier.if_,
    Loop: _Verifier.loop,
    For: _Verifier.for_,
    Fused: _Verifier.fused,
    Try: _Verifier.try_,
    SetSlot: _Verifier.set_slot,
    Yield: _Verifier.yield_,
    Break: _Verifier.break_,
    Continue: _Verifier.continue_,
    Return: _Verifier.return_,
    Raise: _Verifier.raise_,
    Throw: _Verifier.throw,
    Unreachable: _Verifier.unreachable,
}
