"""`Lowering`: the state of one function on its way to IR, and what both languages share: blocks, names, branches.

The language (`tscript.frontend.lowering.function`) and the low-level dialect (`tscript.frontend.dialect`) derive from it
and ask their records what expressions mean. Returns, assignments and statements are modules over it.

An error is reported once and leaves the statement by `Abandoned`; the names it would have assigned become poisoned, and
reading those is silent. So every error of a function is found in one go.
"""

from __future__ import annotations

import ast
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from tscript.diagnostics import Diagnostic, Span
from tscript.diagnostics.suggest import close_matches
from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.elsewhere import gives_none
from tscript.frontend.diagnostics.type_names import same_type_help, shown
from tscript.frontend.lowering.frames import FinalFrame, LoopExits, LoopFrame, Lowered, ReturnState, TryFrame
from tscript.frontend.lowering.hints import meant_name
from tscript.frontend.lowering.program import ProgramBuilder
from tscript.frontend.lowering.remembered import Names, Remembered
from tscript.frontend.lowering.scopes import (
    POISONED,
    Bound,
    Conflicting,
    Facts,
    PartlyBound,
    Poisoned,
    Scope,
    assigned_names,
)
from tscript.frontend.source.annotations import TypeContext
from tscript.frontend.source.functions import PythonFunction, is_cache_around
from tscript.frontend.source.symbols import LocalFunction, LocalSymbol, Symbol, UnknownSymbol
from tscript.ir.graph import Block, Const, Graph, If, Node, Op, SetSlot, Unreachable, Value, Yield
from tscript.operators.core.opdef import MISSING, OpDef
from tscript.operators.core.values import constant_type
from tscript.types import (
    ANY,
    INT,
    NONE,
    ClassType,
    OptionalType,
    TupleType,
    Type,
    UnionType,
    by_name,
    members_of,
    union,
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
    """Whether there is ``try`` and ``with``."""

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
        """Types of containers that begin empty, by their place or name, as an earlier lowering has found them."""
        self.closed: dict[str, ast.expr] = {}
        """Names that functions as values hold, and where such a value is made."""
        self.unsigned: set[ast.expr] = set()
        """Constants that may have 64 bits and no sign, because only lower bits of what they are part of are used."""
        self.begun: set[ast.expr] = set()
        """Expressions of the current statement whose lowering has begun."""
        self.lowered: set[ast.expr] = set()
        """Those that are lowered, without an error."""
        self.remembered = Remembered(Names(function))
        """What lowerings of the loop around the current statement have shown."""
        self.lost_return = False  # a statement with an error held a return

    # What the two languages say

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

    def define_lambda(self, name: str, node: ast.Lambda) -> None:
        """Lower ``name = lambda …``."""
        self.scope[name] = LocalFunction(node, self.span(node))

    def annotated_attribute(self, target: ast.Attribute, declared: Type, value: ast.expr | None) -> None:
        """Lower ``x.name: T = value``."""
        what = "an annotated attribute"
        raise self.failure(errors.UnsupportedTarget(self.span(target), what, "leave out the annotation"))

    def function_named(self, function: LocalFunction, node: ast.Name) -> Value | None:
        """A function inside the function as a value; None where functions are no values."""
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

    def contents_found(self) -> Mapping[Span | str, Type]:
        """Types of containers that began empty, by their place or name; those that are not known are left out."""
        return {}

    # Errors

    def report(self, diagnostic: Diagnostic) -> None:
        """Report an error and go on."""
        self.program.report(diagnostic)

    def failure(self, diagnostic: Diagnostic) -> Abandoned:
        """Report an error; raise what this returns to leave the statement."""
        self.program.report(diagnostic)
        return Abandoned()

    def begin_statement(self) -> None:
        """Nothing of the statement that begins has been lowered."""
        self.begun, self.lowered = set(), set()

    def abandon(self, node: ast.AST) -> None:
        """What `node` says is left out of the graph because of an error, which is in the program's findings."""
        self.program.findings.abandoned.append(self.span(node))

    def abandon_test(self, node: ast.expr) -> None:
        """As `abandon`, for the condition of branches or of a loop."""
        self.abandon(node)

    def span(self, node: ast.AST) -> Span:
        """Where a node of the function's tree stands."""
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

    def make_tuple(self, elements: Sequence[Value], span: Span) -> Value:
        """A tuple value; constant when all elements are."""
        constants = [e.constant for e in elements]
        type = TupleType(tuple(e.type for e in elements))
        if all(c is not MISSING for c in constants):
            return self.const(tuple(constants), type, span)
        return self.leaf(TUPLE_MAKE, elements, type, span)

    def tuple_element(self, value: Value, index: int, span: Span) -> Value:
        """Element `index` (not negative) of a tuple value."""
        assert isinstance(value.type, TupleType)
        element = value.type.elements[index]
        constant = value.constant
        if isinstance(constant, tuple):
            return self.const(constant[index], element, span)
        if value.node is not None and isinstance(value.node, Op) and value.node.op is TUPLE_MAKE:
            return value.node.inputs[index]
        return self.leaf(TUPLE_GET, [value, self.const(index, INT, span)], element, span)

    def tuple_elements(self, value: Value, span: Span) -> list[Value]:
        """All elements of a tuple value."""
        assert isinstance(value.type, TupleType)
        return [self.tuple_element(value, i, span) for i in range(len(value.type.elements))]

    @property
    def is_alive(self) -> bool:
        """Whether control can reach the end of the current block."""
        return not self.block.is_terminated

    # Names

    def bind(self, name: str, value: Value, span: Span) -> None:
        """Assign a value to a local name. A declared float takes an int; where a union is declared, it is known from
        here on which of its types it is."""
        declared, origin = self.declared.get(name), None
        if declared is not None and value.type != declared:
            member = self._as_member(value, declared, span)
            converted = self.coerce(value if member is None else member, declared, span)
            if converted is None:
                del self.declared[name]
            elif member is None:
                value = converted
            else:
                value, origin = member, Bound(converted, span)
        if not value.name and value.node is not None:
            value.name = name
        bound = self.scope[name] = Bound(value, span, origin)
        for frame in self.tries:
            if name in frame.slots:
                self._set_slot(frame, name, bound)

    def _set_slot(self, frame: TryFrame, name: str, bound: Bound) -> None:
        """Tell the handlers of a `try` that a name has a new value."""
        index, type = frame.slots[name]
        value = self.as_declared(frame.exits, name, type, bound)
        if value is None:
            frame.changed.setdefault(name, bound)
        else:
            self.block.nodes.append(SetSlot(frame.exits.label, index, value, bound.span))

    def as_declared(self, exits: LoopExits, name: str, type: Type, found: Bound) -> Value | None:
        """A value that `name` gets where it is of `type`; None when it does not fit: then it is noted if a wider type
        would do."""
        wide = self.joined(name, Value(type), found.value)
        if wide is None:
            return None
        if wide == type:
            converted = self.coerce(found.value, wide, found.span)
            return found.value if converted is None else converted
        earlier = exits.widened.get(name)
        exits.widened[name] = wide if earlier is None else self.wider(earlier, wide)
        return None

    def _as_member(self, value: Value, declared: Type, span: Span) -> Value | None:
        """A value as one of the types of a declared union, if it is of one of them; None stays what may be None."""
        if not isinstance(declared, OptionalType | UnionType) or isinstance(value.type, OptionalType | UnionType):
            return None
        members = [member for member in members_of(declared) if member != NONE]
        if value.type in members:
            return value
        return self.coerce(value, members[0], span) if len(members) == 1 and value.type not in (NONE, ANY) else None

    def joined(self, name: str, first: Value, second: Value) -> Type | None:
        """The type of a name that holds one of two values: a part of the union that is declared for it, or see
        `unified`."""
        declared = self.declared.get(name)
        if isinstance(declared, OptionalType | UnionType):
            held = union([first.type, second.type])
            if {*members_of(held)} <= {*members_of(declared)}:
                return held
        return self.unified(first, second)

    def read(self, node: ast.Name) -> Value | None:
        """The value of a local name; None when the name is not local."""
        name = node.id
        found = self.scope.get(name)
        match found:
            case Bound():
                return found.value
            case None:
                if name not in self.local_names:
                    return None
                assigned = self.local_names[name]
                at = self.span(assigned)
                close = close_matches(name, [n for n, b in self.scope.items() if isinstance(b, Bound)])
                instead = f"did you mean '{close[0]}'?" if close else f"assign '{name}' first"
                raise self.failure(errors.UsedBeforeAssignment(self.span(node), name, instead, at))
            case Poisoned():
                raise Abandoned
            case LocalFunction():
                made = self.function_named(found, node)
                if made is not None:
                    return made
                instead = f"call it: {name}(...), or take it as a parameter of type Callable"
                raise self.failure(errors.NotAValue(self.span(node), f"the function '{name}'", instead))
            case PartlyBound(span=assigned_at, in_loop=True):
                self.scope[name] = POISONED
                raise self.failure(errors.DefinedInLoop(self.span(node), name, assigned_at))
            case PartlyBound(span=assigned_at):
                self.scope[name] = POISONED
                raise self.failure(errors.DefinedInOneBranch(self.span(node), name, assigned_at))
            case Conflicting(first=first, second=second):
                self.scope[name] = POISONED
                a, b = first.value.type, second.value.type
                raise self.failure(
                    type_errors.BranchTypes(
                        second.span,
                        name,
                        shown(a),
                        shown(b),
                        same_type_help(name, a, b, first.value.constant),
                        first.span,
                        self.span(node),
                    )
                )
        raise AssertionError(found)

    def symbol_of(self, node: ast.Name) -> Symbol:
        """What a name that is not local stands for."""
        name = node.id
        function = self.function
        try:
            found = function.environment.lookup(name)
        except KeyError:
            if name == function.name and not function.is_cached():
                return self.program.own_symbol(function)
            names = [*self.scope, *function.environment.names()]
            close = meant_name(function, self.scope, node, names)
            instead = f"did you mean '{close}'?" if close else f"define '{name}', or take it as a parameter"
            if name in sys.stdlib_module_names:
                instead = f"import it at the top of the file: 'import {name}'"
            raise self.failure(errors.UnknownName(self.span(node), name, instead)) from None
        if name == function.name and function.is_cached():
            if not is_cache_around(found, function):
                instead = f"call it once '{name}' stands for the cached function"
                raise self.failure(errors.UnknownName(self.span(node), name, instead))
        elif name == function.name and function.qualname == name:
            return self.program.own_symbol(function)
        symbol = self.library(node) or self.program.resolver.symbol(found)
        if isinstance(symbol, UnknownSymbol):
            raise self.failure(
                errors.UnsupportedGlobal(
                    self.span(node), name, symbol.what.rstrip(","), symbol.instead or "leave it out"
                )
            )
        return symbol

    def static(self, node: ast.expr) -> Symbol | None:
        """The symbol of a name or dotted name that is not a local value; None for all other expressions."""
        if isinstance(node, ast.Name):
            binding = self.scope.get(node.id)
            if isinstance(binding, LocalFunction):
                return LocalSymbol(binding, node.id)
            if node.id in self.scope or node.id in self.local_names:
                return None
            return self.symbol_of(node)
        if isinstance(node, ast.Attribute):
            refused = self.library(node)
            if refused is not None:
                name = ast.unparse(node)
                raise self.failure(errors.UnsupportedGlobal(self.span(node), name, refused.what, refused.instead))
            owner = self.static(node.value)
            if owner is None:
                return None
            found = self.program.resolver.member(owner, node.attr)
            if isinstance(found, UnknownSymbol):
                raise self.failure(
                    errors.UnknownMember(self.span(node), ast.unparse(node.value), node.attr, found.instead)
                )
            return found
        return None

    def library(self, node: ast.Name | ast.Attribute) -> UnknownSymbol | None:
        """Why a name or dotted name cannot be used: it is of a library that nobody meant to compile. None when it is
        not."""
        return None

    # Assignment

    def poison(self, nodes: Sequence[ast.AST]) -> None:
        """Make every name that `nodes` assign silent: their statement had an error."""
        for name in assigned_names(nodes, self.function.has_walrus):
            self.scope[name] = POISONED

    @abstractmethod
    def assign_from(self, target: ast.expr, node: ast.expr) -> None:
        """Lower an expression and assign it to one target."""

    def value_for(self, target: ast.expr, node: ast.expr) -> Value:
        """Lower an expression that is assigned to a target, and may take its type from there."""
        declared = self.declared.get(target.id) if isinstance(target, ast.Name) else None
        return self.value(node) if declared is None else self.value_as(node, declared)

    # Branches

    def branch(self, run: Callable[[], Value | None]) -> Lowered:
        """Lower something into a block of its own, on a copy of the scope."""
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

    def merge(
        self, cond: Value, then: Lowered, orelse: Lowered, span: Span, value_type: Type | None = None
    ) -> Value | None:
        """Append the `If` of two branches; afterwards names assigned in them have the values they yield.

        Args:
            cond: The condition.
            then, orelse: From `branch`.
            value_type: Type of the expression's value, when the branches have one.

        Returns:
            The value of the expression, or None without one.
        """
        node = If(cond, then.block, orelse.block, (), span)
        self.block.nodes.append(node)
        alive = [b for b in (then, orelse) if b.scope is not None]
        if not alive:
            self.block.nodes.append(Unreachable(span))
            return None
        yields = [Yield((), span) for _ in alive]
        for branch, end in zip(alive, yields, strict=True):
            branch.block.nodes.append(end)
        out: Value | None = None
        if value_type is not None:
            for branch, end in zip(alive, yields, strict=True):
                assert branch.value is not None
                end.inputs.append(branch.value)
            out = node.add_output(value_type)
        before = self.scope
        merged = alive[0].scope if len(alive) == 1 else None
        if merged is not None:
            for name, binding in merged.items():
                if isinstance(binding, Bound) and self._is_new(name, binding, before):
                    yields[0].inputs.append(binding.value)
                    merged[name] = Bound(node.add_output(binding.value.type, name), binding.span)
            self.scope = merged
            return out
        assert then.scope is not None and orelse.scope is not None
        scope: Scope = {}
        for name in {**then.scope, **orelse.scope}:
            a, b = then.scope.get(name), orelse.scope.get(name)
            if isinstance(a, Bound) and isinstance(b, Bound) and a.base is b.base and a is not b:
                a = b = a.base
            if a is b:
                assert a is not None
                scope[name] = a
                continue
            match a, b:
                case Facts(), Facts():
                    scope[name] = a.together(b)
                case Bound(), Bound():
                    wide = None if a.value.type == b.value.type else self.joined(name, a.value, b.value)
                    if wide is not None:
                        for branch, end, binding in zip((then, orelse), yields, (a, b), strict=True):
                            end.inputs.append(self._widened(branch, end, name, binding, wide))
                        scope[name] = Bound(node.add_output(wide, name), b.span)
                    elif a.value.type == b.value.type:
                        yields[0].inputs.append(a.value)
                        yields[1].inputs.append(b.value)
                        at = a.span if b is before.get(name) else b.span
                        scope[name] = Bound(node.add_output(a.value.type, name), at)
                    elif isinstance(before.get(name), Bound):
                        changed, other = (a, b) if b is before.get(name) else (b, a)
                        self.report_change(name, other, changed, "a branch")
                        scope[name] = POISONED
                    else:
                        scope[name] = Conflicting(a, b)
                case (Poisoned(), _) | (_, Poisoned()):
                    scope[name] = POISONED
                case (LocalFunction() as only, _) | (_, LocalFunction() as only):
                    scope[name] = PartlyBound(only.span, in_loop=False)
                case (Bound() as only, None) | (None, Bound() as only):
                    scope[name] = PartlyBound(only.span, in_loop=False)
                case (PartlyBound() | Conflicting() as kept, _) | (_, PartlyBound() | Conflicting() as kept):
                    scope[name] = kept
        self.scope = scope
        return out

    @staticmethod
    def _is_new(name: str, binding: Bound, before: Scope) -> bool:
        """Whether a branch has bound a name, more than a condition said of it: then its block defines the value."""
        return binding is not before.get(name)

    def finish(self) -> None:
        """The end of the body, as far as control reaches it."""
        return

    def snapshot(self) -> Callable[[], None]:
        """What has been said so far besides nodes, names and errors; calling the result goes back to that. See
        `Trial`."""
        returns = replace(self.returns)
        declared, closed, lost_return = dict(self.declared), dict(self.closed), self.lost_return

        def go_back() -> None:
            for name in ReturnState.__slots__:
                setattr(self.returns, name, getattr(returns, name))
            self.declared, self.closed, self.lost_return = dict(declared), dict(closed), lost_return

        return go_back

    def told(self, test: ast.expr, holds: bool) -> Callable[[], None]:
        """What a condition, which has just been lowered, says of types where it holds, or does not; calling the result
        uses it in the current branch."""
        return _nothing

    def refine(self, test: ast.expr, holds: bool) -> None:
        """Use, in the current branch, what a condition that has just been lowered says of types."""
        self.told(test, holds)()

    def unified(self, first: Value, second: Value) -> Type | None:
        """The type that values of two branches have in common although their types differ; None when there is none."""
        return None

    def wider(self, first: Type, second: Type) -> Type:
        """The type that holds values of two types that names of a loop need."""
        return self.unified(Value(first), Value(second)) or second

    def _widened(self, branch: Lowered, end: Yield, name: str, binding: Bound, wide: Type) -> Value:
        """What a name holds at the end of a branch, as a value of type `wide`."""
        outer, self.block = self.block, branch.block
        self.block.nodes.pop()
        found = self.coerce(binding.value, wide, binding.span)
        if found is None:  # an empty container that cannot be settled here
            found = Value(wide)
            self.report_change(name, binding, Bound(found, binding.span), "a branch")
        self.block.nodes.append(end)
        self.block = outer
        return found

    def report_change(self, name: str, before: Bound, after: Bound, where: str) -> None:
        """Report that `name` changes its type in a branch or loop."""
        a, b = before.value.type, after.value.type
        instead = gives_none(self.function.tree, ast.Name(name)) if b == NONE else ""
        instead = instead or same_type_help(name, a, b, before.value.constant)
        self.report(type_errors.TypeChanged(after.span, name, shown(a), shown(b), where, instead, before.span))

    def unannotated(self, node: ast.expr, wanted: str) -> str:
        """See `hints.unannotated`."""
        return ""


def _nothing() -> None:
    pass
