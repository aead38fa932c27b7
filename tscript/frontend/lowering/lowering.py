"""`Lowering`: the state of one function while it is lowered, shared by both languages: blocks, names, branches.

The language (`tscript.frontend.lowering.function`) and the low-level dialect (`tscript.frontend.dialect`) derive from
it and ask their records what expressions mean. Returns, assignments and statements are modules over it.

An error is reported once and leaves the statement by `Abandoned`. The names that the statement assigns are poisoned,
and reading those is silent. So all errors of a function are found in one run.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from tscript.definitions.opdef import OpDef
from tscript.definitions.values import constant_type
from tscript.diagnostics import Diagnostic, Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.frames import FinalFrame, LoopFrame, Lowered, ReturnState, TryFrame
from tscript.frontend.lowering.program import ProgramBuilder, Unassigned
from tscript.frontend.lowering.remembered import Names, Remembered
from tscript.frontend.lowering.scopes import (
    Bound,
    Scope,
    assigned_names,
)
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.symbols import LocalFunction, UnknownSymbol
from tscript.ir.graph import Block, Const, Graph, Node, Op, Value
from tscript.late import replace
from tscript.types import (
    ClassType,
    ListType,
    Type,
    by_name,
)
from tscript.types.inference import weaken


class Lowering(ABC):
    """One function being lowered.

    Args:
        program: Where graphs and errors go.
        function: What is lowered.
        graph: Receives the nodes.
        returns: The declared result.
        context: What annotations in the body need.
    """

    has_handlers: ClassVar[bool] = True
    """Whether the language has ``try`` and ``with``."""

    def __init__(
        self,
        program: ProgramBuilder,
        function: PythonFunction,
        graph: Graph,
        returns: ReturnState,
        context: TypeContext,
    ) -> None:
        self.program = program
        self.context = context
        self.function = function
        self.graph = graph
        self.returns = returns
        self.block: Block = graph.body
        self.scope: Scope = {}
        self.declared: dict[str, Type] = {}
        self.local_names = assigned_names(function.tree.body, function.has_walrus)
        self.loops: list[LoopFrame] = []
        self.tries: list[TryFrame] = []
        self.finals: list[FinalFrame] = []
        self.handling: list[Value] = []
        """Exceptions whose handlers are being lowered."""
        self.contents: Mapping[Span | str, Type] = {}
        """Types of containers that begin empty, by place or name, found by an earlier lowering."""
        self.several: set[str] = set()
        """Names declared with an interface: they hold instances of any classes."""
        self.closed: dict[str, ast.expr] = {}
        """Names that function values capture, and where such a value is made."""
        self.unsigned: set[ast.expr] = set()
        """Constants that may be unsigned 64-bit ints, because only the lower bits of the expression are used."""
        self.begun: set[ast.expr] = set()
        """Expressions of the current statement whose lowering has begun."""
        self.lowered: set[ast.expr] = set()
        """Those that were lowered without an error."""
        self.remembered = Remembered(Names(function))
        """Results of earlier lowerings of the enclosing loop."""
        self.unassigned = Unassigned()
        """Names that are read where they may not have been assigned."""
        self.lost_return = False  # a statement with an error held a return

    # What the two languages define

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """Lower an expression to a value. Raises `Abandoned`."""

    @abstractmethod
    def statement(self, node: ast.stmt) -> None:
        """Lower one statement, by the handler of its class. Raises `Abandoned`."""

    @abstractmethod
    def condition(self, node: ast.expr) -> Value:
        """Lower an expression to a `bool` value that is its truth."""

    @abstractmethod
    def coerce(self, value: Value, target: Type, span: Span) -> Value | None:
        """`value` as one of type `target` where that is implicit; None when it is not."""

    @abstractmethod
    def value_as(self, node: ast.expr, target: Type) -> Value:
        """Lower an expression where a value of type `target` is declared; the value may still be of another type."""

    @abstractmethod
    def store(self, target: ast.Subscript | ast.Attribute, value: Value) -> None:
        """Assign to an element or field."""

    def number_of(self, value: Value, wanted: Type, span: Span) -> Value | None:
        """The element of a tensor where a number is wanted; None if the language takes no tensor there."""
        return None

    def define_lambda(self, name: str, node: ast.Lambda) -> None:
        """Lower ``name = lambda …``."""
        self.scope[name] = LocalFunction(node, self.span(node))

    def annotated_attribute(self, target: ast.Attribute, declared: Type, value: ast.expr | None) -> None:
        """Lower ``x.name: T = value``."""
        what = "an annotated attribute"
        raise self.failure(errors.UnsupportedTarget(self.span(target), what, "leave out the annotation"))

    def function_named(self, function: LocalFunction, node: ast.Name) -> Value | None:
        """An inner function as a value; None if the language has no function values."""
        return None

    @abstractmethod
    def unpack(self, value: Value, count: int, span: Span) -> list[Value]:
        """The `count` elements of a value that is unpacked."""

    def unpack_starred(self, value: Value, before: int, after: int, span: Span) -> list[Value]:
        """The elements of a value that is unpacked into ``before`` targets, one with a star, and ``after`` more."""
        raise self.failure(errors.StarredTarget(span))

    @abstractmethod
    def fail_assert(self, node: ast.Assert) -> None:
        """Lower what happens when an ``assert`` fails."""

    @abstractmethod
    def exception_class(self, node: ast.expr) -> ClassType:
        """The class of exceptions that an expression names. Raises `Abandoned`."""

    def not_assigned(self, name: str, type: Type | None, span: Span) -> Value | None:
        """The value of a name before anything of type `type` is assigned to it; None if the language has no such
        values."""
        return None

    def assigned(self, name: str, found: Bound, span: Span) -> Value:
        """The value of a name, after a test if it may not have been assigned."""
        return found.value

    def broadcast(self, value: Value, count: int, span: Span) -> Value:
        """A number as a list that holds it `count` times; another value as it is."""
        return value

    def listed(self, value: Value, target: ListType, span: Span) -> Value | None:
        """A tuple, or a shape, of such elements as a list; None if it is none."""
        return None

    def contents_found(self) -> Mapping[Span | str, Type]:
        """Types of containers that began empty, by place or name; unknown types are left out."""
        return {}

    def library_refusal(self, node: ast.Name | ast.Attribute) -> UnknownSymbol | None:
        """Why a name or dotted name cannot be used: it belongs to a library that is not compiled. None for other
        names."""
        return None

    @abstractmethod
    def assign_from(self, target: ast.expr, node: ast.expr) -> None:
        """Lower an expression and assign it to one target."""

    def value_for(self, target: ast.expr, node: ast.expr) -> Value:
        """Lower an expression that is assigned to a target, and may take its type from there."""
        declared = self.declared.get(target.id) if isinstance(target, ast.Name) else None
        return self.value(node) if declared is None else self.value_as(node, declared)

    def finish(self) -> None:
        """Lower the end of the body, if control reaches it."""
        return

    def narrowing_of(self, test: ast.expr, holds: bool) -> Callable[[], None]:
        """How a condition that has just been lowered narrows types where it holds, or does not; calling the result
        applies this to the current branch."""
        return _nothing

    def unified(self, first: Value, second: Value) -> Type | None:
        """The common type of values of two branches with different types; None if there is none."""
        return None

    def unannotated(self, node: ast.expr, wanted: str) -> str:
        """See `hints.unannotated`."""
        return ""

    def settle(self, value: Value, target: Type) -> bool:
        """Give a container that began empty the type of `target`. Returns whether it has that type now."""
        return False

    def open_parameter(self, value: Value) -> None:
        """Let the body decide about the type of a parameter, an empty container."""
        return

    # Errors

    def report(self, diagnostic: Diagnostic) -> None:
        """Report an error and go on."""
        self.program.report(diagnostic)

    def failure(self, diagnostic: Diagnostic) -> Abandoned:
        """Report an error; raise what this returns to leave the statement."""
        self.program.report(diagnostic)
        return Abandoned()

    def begin_statement(self) -> None:
        """Begin a statement."""
        self.begun, self.lowered = set(), set()

    def abandon(self, node: ast.AST) -> None:
        """Leave `node` out of the graph because of an error, which is in the findings of the program."""
        self.program.findings.abandoned.append(self.span(node))

    def abandon_test(self, node: ast.expr) -> None:
        """As `abandon`, for the condition of branches or of a loop."""
        self.abandon(node)

    def span(self, node: ast.AST) -> Span:
        """The place of a node of the syntax tree."""
        return self.function.span(node)

    # Nodes

    def emit(self, node: Node) -> Value:
        """Append a node with one output."""
        self.block.nodes.append(node)
        return node.outputs[0]

    def const(self, value: object, type: Type, span: Span) -> Value:
        """A constant."""
        node = Const(value, type, span)
        self.block.nodes.append(node)
        return node.outputs[0]

    def constant(self, value: object, span: Span) -> Value:
        """A constant of the language; an int must fit into 64 bits."""
        wrong = errors.IntegerTooLarge.check(span, value)
        if wrong is not None:
            raise self.failure(wrong)
        return self.const(by_name(value), weaken(constant_type(value)), span)

    def leaf(self, op: OpDef, inputs: Sequence[Value], type: Type, span: Span) -> Value:
        """An application of one operator, inputs complete."""
        node = Op(op, inputs, type, span)
        self.block.nodes.append(node)
        return node.outputs[0]

    @property
    def is_alive(self) -> bool:
        """Whether control can reach the end of the current block."""
        return not self.block.is_terminated

    # Branches

    def branch(self, run: Callable[[], Value | None]) -> Lowered:
        """Lower into a new block, with a copy of the scope."""
        block, scope = self.block, self.scope
        inner = Lowered(Block(), dict(scope))
        self.block, self.scope = inner.block, dict(scope)
        try:
            inner.value = run()
            inner.scope = self.scope if self.is_alive else None
            inner.block = self.block
        finally:
            self.block, self.scope = block, scope
        return inner

    def snapshot(self) -> Callable[[], None]:
        """Record the state besides nodes, names and errors; calling the result restores it. See `Trial`."""
        returns = replace(self.returns)
        declared, closed, lost_return = dict(self.declared), dict(self.closed), self.lost_return

        def go_back() -> None:
            for name in ReturnState.__slots__:
                setattr(self.returns, name, getattr(returns, name))
            self.declared, self.closed, self.lost_return = dict(declared), dict(closed), lost_return

        return go_back

    def refine(self, test: ast.expr, holds: bool) -> None:
        """Narrow types in the current branch by a condition that has just been lowered."""
        self.narrowing_of(test, holds)()


def _nothing() -> None:
    pass
