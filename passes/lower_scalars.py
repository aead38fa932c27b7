"""Replaces operators on scalars by their bodies, which consist of machine operators.

Before::

    %0: int = floor_divide.int(%a, %b)

After::

    %0: int = const 0
    %1: bool = machine.eq(%b, %0)
    if %1 {
      raise ZeroDivisionError "integer division or modulo by zero"
    } else {
      yield
    }
    %2: int = machine.quot(%a, %b)
    ...

All nodes get the place of the operator, so an error names the user's line. Functions of libm stay calls by symbol;
large helpers without errors become graphs of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, final

from tscript.definitions.opdef import Pointwise, Scalar
from tscript.definitions.promotion import PointwiseRule
from tscript.diagnostics import InternalError, Span
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Call, Graph, Node, Op, Program, Raise, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.ir.splicing import splice_graph
from tscript.late import dataclass
from tscript.operators.python.elements import CONVERSIONS, MACHINE_OF, SCALAR_OF
from tscript.passes.base import Pass, PassContext
from tscript.passes.common_subexpressions import CommonSubexpressions
from tscript.passes.constant_propagation import ConstantPropagation
from tscript.passes.control_flow import ControlFlow
from tscript.passes.dead_code import DeadCode
from tscript.passes.inline import Inline
from tscript.types import DTYPE, ScalarType, Type, dtype_of, machine_type

_PREPARE: tuple[Pass, ...] = (ControlFlow(), ConstantPropagation(), CommonSubexpressions(), DeadCode())


@dataclass(frozen=True, slots=True)
class LowerScalars(Pass):
    """Lowers scalar operators.

    Attributes:
        max_helper: Helpers of a body with more nodes than this, and without errors of their own, are called.
    """

    name: ClassVar[str] = "lower_scalars"

    max_helper: int = 24

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Replace all scalar operators of `graph`."""
        lowering = _Lowering(self, program, context)
        return rewrite(graph.body, lowering.visit)


@final
class _Lowering:
    """Lowers the operators of one graph."""

    def __init__(self, options: LowerScalars, program: Program, context: PassContext) -> None:
        self.options = options
        self.program = program
        self.context = context

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """The rule: the body in place of the operator."""
        if not isinstance(node, Op):
            return None
        if node.op in CONVERSIONS:
            return (self.converted(node, builder),)
        if isinstance(node.op.implementation, Pointwise) and isinstance(node.output.type, ScalarType):
            return (self.pointwise(node, builder),)
        if not isinstance(node.op.implementation, Scalar):
            return None
        if any(dtype_of(v.type) is None and v.type != DTYPE for v in node.inputs):
            return None
        body = self.body(node, node.op.implementation.body, tuple(v.type for v in node.inputs))
        span = node.span
        result = splice_graph(builder, body, node.inputs, span, span_of=lambda _: span)
        if result is None:
            return ()
        if not result.name:
            result.name = node.outputs[0].name
        return (result,)

    def pointwise(self, node: Op, builder: Builder) -> Value:
        """A pointwise operator on NumPy scalars: its body on numbers of the dialect, converted as in a fused group."""
        implementation = node.op.implementation
        assert isinstance(implementation, Pointwise) and isinstance(implementation.rule, PointwiseRule)
        computation = implementation.rule(node.inputs)
        assert computation is not None
        compute = machine_type(computation.compute)
        positions = implementation.rule.operands
        entry, span = self.body(node, implementation.body, (compute,) * len(positions)), node.span
        operands = [
            _as_machine(builder, node.inputs[i], p.type, span)
            for i, p in zip(positions, entry.body.params, strict=True)
        ]
        found = splice_graph(builder, entry, operands, span, span_of=lambda _: span)
        assert found is not None
        found = _machine(builder, found, machine_type(computation.result), span)
        return builder.op(SCALAR_OF, found, span=span, name=node.output.name)

    def converted(self, node: Op, builder: Builder) -> Value:
        """A number as one of another type."""
        target = node.output.type
        dtype = dtype_of(target)
        assert dtype is not None
        found = _as_machine(builder, node.inputs[0], machine_type(dtype), node.span)
        return builder.op(SCALAR_OF, found, span=node.span) if isinstance(target, ScalarType) else found

    def body(self, node: Op, body: Callable[..., object], types: tuple[Type, ...]) -> Graph:
        """The body for arguments of `types`, simplified; its large helpers are part of the program."""
        key = (body, *types)
        found = self.context.lowered.get(key)
        if found is None:
            found = self.prepare(self.context.body(body, types, node.op.name), node)
            self.context.lowered[key] = found
        for callee in _callees(found.entry):
            self.take(found, callee)
        return found.entry

    def prepare(self, body: Program, node: Op) -> Program:
        """A copy of `body` with helpers inlined; names of those left are unlike any function's."""
        renamed = {name: f"scalar.{name}" for name in body.graphs}
        graphs = [clone_graph(g, renamed[name]) for name, g in body.graphs.items()]
        for graph in graphs:
            for inner in walk(graph.body):
                if isinstance(inner, Call):
                    inner.callee = renamed[inner.callee]
        own = Program(renamed[body.main], graphs)
        Inline(max_callee=self.options.max_helper, once=False).run(own, self.context)
        if any(isinstance(n, Raise) for g in own.graphs.values() if g is not own.entry for n in walk(g.body)):
            Inline(max_callee=1 << 30, max_caller=1 << 30).run(own, self.context)
        if own.main in _callees(own.entry):
            raise InternalError(f"the body of {node.op.name} calls itself", node.span)
        for step in _PREPARE:
            step.run(own, self.context)
        return own

    def take(self, source: Program, name: str) -> None:
        """Make the helper `name`, and what it calls, part of the program."""
        if name not in self.program.graphs:
            self.program.graphs[name] = clone_graph(source.graphs[name])
            for callee in _callees(source.graphs[name]):
                self.take(source, callee)


def _as_machine(builder: Builder, value: Value, type: Type, span: Span) -> Value:
    """A number or NumPy scalar as a number of the dialect of another type."""
    if isinstance(value.type, ScalarType):
        value = builder.op(MACHINE_OF, value, span=span)
    return _machine(builder, value, type, span)


def _machine(builder: Builder, value: Value, type: Type, span: Span) -> Value:
    if value.type == type:
        return value
    return builder.op(machine.CONVERT, value, builder.const(type, span), span=span)


def _callees(graph: Graph) -> list[str]:
    return [node.callee for node in walk(graph.body) if isinstance(node, Call)]
