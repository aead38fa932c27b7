"""`FunctionLowering`: lowers one function by the rules of the language, the record `Language`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import hints
from tscript.frontend.lowering.bodies import unsupported
from tscript.frontend.lowering.effects import may_change_attributes, runs_other_code
from tscript.frontend.lowering.frames import ReturnState
from tscript.frontend.lowering.kinds import Kind, LoopSource
from tscript.frontend.lowering.language import Language
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.names import bind, poison
from tscript.frontend.lowering.opened import OpenContainers
from tscript.frontend.lowering.own_instance import own_instance
from tscript.frontend.lowering.program import LanguageProgram
from tscript.frontend.lowering.reads import Reads
from tscript.frontend.lowering.scopes import FACTS, POISONED, Bound, facts_in
from tscript.frontend.source import libraries
from tscript.frontend.source.classes import owner_of
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.symbols import LocalFunction, LocalSymbol, UnknownSymbol
from tscript.ir.graph import Block, Graph, Node, Value
from tscript.types import BOOL, ClassType, ListType, Type
from tscript.types.inference import has_open_part


class FunctionLowering(Lowering):
    """One function of the language being lowered.

    Args:
        language: The rules of the language.
    """

    program: LanguageProgram

    def __init__(
        self,
        language: Language[FunctionLowering],
        program: LanguageProgram,
        function: PythonFunction,
        graph: Graph,
        returns: ReturnState,
        context: TypeContext,
    ) -> None:
        super().__init__(program, function, graph, returns, context)
        self.language = language
        self.kinds = language.kinds
        self.opened = OpenContainers()
        """Containers that begin empty."""
        self.probed: dict[object, Type] = {}
        """Types found by trial lowering, by expression and known facts."""
        self.owner = owner_of(function)
        """The class whose function this is."""
        self.initialises = own_instance(self)
        """The instance that this function initialises."""
        self.reads = Reads()
        """What its expressions have read."""
        self.kept: dict[Value, str] = {}
        """Values that containers of the module are, with what reads them."""
        self.kept_early: dict[int, Value] = {}
        """Those that are made when the function begins, by the identities of symbols."""
        self.early = Block()
        """The code that makes them."""
        self.hidden = count(1)
        """Numbers of names that no source has."""

    def kind(self, value: Value) -> Kind[FunctionLowering]:
        """The operations of a value."""
        return self.kinds.of(value.type)

    # Syntax

    def statement(self, node: ast.stmt) -> None:
        """See `Lowering`."""
        handler = self.language.statements.get(type(node))
        if handler is None:
            raise unsupported(self, node)
        handler(self, node)

    def value(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        self.program.effort.spend()
        handler = self.language.expressions.get(type(node))
        if handler is None:
            what, instead = _UNSUPPORTED.get(type(node), ("this expression", "leave it out"))
            raise self.failure(errors.UnsupportedExpression(self.span(node), what, instead))
        self.begun.add(node)
        value = handler(self, node)
        self.lowered.add(node)
        return value

    def value_as(self, node: ast.expr, target: Type | None) -> Value:
        """Lower an expression where a value of type `target` is declared; its value may have another type."""
        handler = self.language.expected.get(type(node))
        if handler is None:
            return self.value(node)
        if target is None and self.contents:
            target = self.contents.get(self.span(node))
        self.begun.add(node)
        return handler(self, node, target)

    def condition(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        return self.language.condition(self, node)

    def value_for(self, target: ast.expr, node: ast.expr) -> Value:
        """See `Lowering`."""
        found = self.language.value_for(self, target, node)
        return super().value_for(target, node) if found is None else found

    def assign_from(self, target: ast.expr, node: ast.expr) -> None:
        """See `Lowering`."""
        self.language.assign_from(self, target, node)

    def store(self, target: ast.Subscript | ast.Attribute, value: Value) -> None:
        """See `Lowering`."""
        self.language.store(self, target, value)

    def define_lambda(self, name: str, node: ast.Lambda) -> None:
        """See `Lowering`. If a type is declared for the name, the lambda is a value."""
        declared = self.declared.get(name)
        if declared is None:
            super().define_lambda(name, node)
        else:
            bind(self, name, self.value_as(node, declared), self.span(node))

    def function_named(self, function: LocalFunction, node: ast.Name) -> Value | None:
        """See `Lowering`."""
        return self.language.function_named(self, LocalSymbol(function, node.id), node)

    def annotated_attribute(self, target: ast.Attribute, declared: Type, value: ast.expr | None) -> None:
        """See `Lowering`."""
        self.language.annotated_attribute(self, target, declared, value)

    def fail_assert(self, node: ast.Assert) -> None:
        """See `Lowering`."""
        self.language.fail_assert(self, node.msg, self.span(node))

    def exception_class(self, node: ast.expr) -> ClassType:
        """See `Lowering`."""
        return self.language.exception_class(self, node)

    def library_refusal(self, node: ast.Name | ast.Attribute) -> UnknownSymbol | None:
        """See `Lowering`."""
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self.scope or root.id in self.local_names:
            return None
        return libraries.at(self.function, node, self.program.resolver)

    # Values

    def truth(self, value: Value, span: Span) -> Value:
        """The truth of a value, a `bool`."""
        if value.type == BOOL:
            return value
        constant = value.constant
        if constant is not MISSING:
            return self.const(bool(constant), BOOL, span)
        return self.kind(value).truth(self, value, span)

    def apply(
        self,
        name: str,
        args: Sequence[Value],
        span: Span,
        kwargs: Mapping[str, Value] | None = None,
        shown_as: str = "",
    ) -> Value:
        """Apply the overload of an operator that takes the arguments; messages show `shown_as`, or its name."""
        return self.language.apply(self, name, args, span, kwargs, shown_as)

    def scalar(self, op: OpDef, inputs: Sequence[Value], span: Span) -> Value:
        """Apply one operator to complete inputs; one of scalars is computed where they are constant."""
        return self.language.scalar(self, op, inputs, span)

    def coerce(self, value: Value, target: Type, span: Span) -> Value | None:
        """See `Lowering`."""
        return self.language.coerce(self, value, target, span)

    def number_of(self, value: Value, wanted: Type, span: Span) -> Value | None:
        """See `Lowering`."""
        return self.language.number_of(self, value, wanted, span)

    def unified(self, first: Value, second: Value) -> Type | None:
        """See `Lowering`."""
        return self.language.unify(self, first, second)

    def listed(self, value: Value, target: ListType, span: Span) -> Value | None:
        """See `Lowering`."""
        sequence = self.coerce(value, ListType(target.element, frozen=True), span)
        return None if sequence is None else self.apply("to_list", [sequence], span)

    def unpack(self, value: Value, count: int, span: Span) -> list[Value]:
        """See `Lowering`."""
        parts = self.kind(value).parts
        if parts is None:
            instead = "only tuples, lists, strings, dicts, sets and shapes can be unpacked"
            raise self.failure(type_errors.NotUnpackable(span, article(value.type), instead))
        return parts(self, value, count, span)

    def unpack_starred(self, value: Value, before: int, after: int, span: Span) -> list[Value]:
        """See `Lowering`. What the star takes is a list."""
        parts = self.kind(value).parts_around
        if parts is None:
            instead = "only tuples, lists and strings can be unpacked"
            raise self.failure(type_errors.NotUnpackable(span, article(value.type), instead))
        return parts(self, value, before, after, span)

    # Names that may not have been assigned

    def not_assigned(self, name: str, type: Type | None, span: Span) -> Value | None:
        """See `Lowering`."""
        return self.language.unassigned(self, type, span)

    def assigned(self, name: str, found: Bound, span: Span) -> Value:
        """See `Lowering`."""
        return self.language.assigned(self, name, found, span)

    def broadcast(self, value: Value, count: int, span: Span) -> Value:
        """See `Lowering`."""
        return self.language.broadcast(self, value, count, span)

    # Containers that begin empty

    def settle(self, value: Value, target: Type) -> bool:
        """See `Lowering`."""
        return self.opened.settle(value, target)

    def open_parameter(self, value: Value) -> None:
        """See `Lowering`."""
        self.opened.add_parameter(value)

    def contents_found(self) -> Mapping[Span | str, Type]:
        """See `Lowering`. A place that makes containers of several types is left out."""
        return self.opened.found()

    # What has been read, and may have changed

    def forget_attributes(self, name: str = "") -> None:
        """Something may have changed attributes, those of this name if one is given: forget their narrowed types."""
        self.reads.changes += 1
        for frame in self.tries:
            frame.forgotten.add(name)
        if facts_in(self.scope).types:
            self.scope[FACTS] = facts_in(self.scope).without(name)

    def emit(self, node: Node) -> Value:
        """See `Lowering`."""
        if may_change_attributes(node):
            self.forget_attributes()
        return super().emit(node)

    def leaf(self, op: OpDef, inputs: Sequence[Value], type: Type, span: Span) -> Value:
        """See `Lowering`."""
        if runs_other_code(op):
            self.forget_attributes()
        if (wrong := type_errors.ConstantTensor.check(op, inputs, span)) is not None:
            raise self.failure(wrong)
        return super().leaf(op, inputs, type, span)

    def narrowing_of(self, test: ast.expr, holds: bool) -> Callable[[], None]:
        """See `Lowering`."""
        return self.language.narrowing_of(self, test, holds)

    def snapshot(self) -> Callable[[], None]:
        """See `Lowering`. Containers that began empty are open again."""
        base, opened = super().snapshot(), self.opened.snapshot()
        fields = {} if self.initialises is None else dict(self.initialises.open_fields)

        def go_back() -> None:
            base()
            opened()
            if self.initialises is not None:
                self.initialises.open_fields = dict(fields)

        return go_back

    def finish(self) -> None:
        """See `Lowering`."""
        self.language.finish(self)

    def abandon(self, node: ast.AST) -> None:
        """See `Lowering`. The parts of `node` that were not reached are checked for errors of their own."""
        super().abandon(node)
        if self.program.is_template:
            self._poison_open(node)
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            self.language.abandoned(self, node)
            poison(self, [node])
        if isinstance(node, ast.Global | ast.Nonlocal):
            self.scope.update(dict.fromkeys(node.names, POISONED))
        if isinstance(node, ast.Assert):
            self.language.silenced(self, node.test)

    def _poison_open(self, node: ast.AST) -> None:
        """Something that is left out may decide about the types of the containers in it that began empty."""
        todo, looked = [node], set[str]()
        while todo:
            names = {n.id for n in ast.walk(todo.pop()) if isinstance(n, ast.Name)} - looked
            looked |= names
            for name in names:
                bound = self.scope.get(name)
                if isinstance(bound, LocalFunction):
                    todo.append(bound.node)
                elif isinstance(bound, Bound) and has_open_part(bound.value.type):
                    self.scope[name] = POISONED

    def abandon_test(self, node: ast.expr) -> None:
        """See `Lowering`."""
        super().abandon_test(node)
        self.language.silenced(self, node)

    def unannotated(self, node: ast.expr, wanted: str) -> str:
        """See `Lowering`."""
        if wanted not in ("int", "float", "bool", "str"):
            return ""
        return hints.unannotated(self.function, self.scope, node, wanted)


Source = LoopSource[FunctionLowering]
"""An iterable."""


_UNSUPPORTED: dict[type[ast.expr], tuple[str, str]] = {
    ast.GeneratorExp: (
        "a generator expression",
        "make a list: [...]; a generator expression cannot be stored",
    ),
    ast.Await: ("'await'", "leave it to the caller"),
    ast.Yield: ("'yield'", "collect the values in a list and return it"),
    ast.YieldFrom: ("'yield from'", "collect the values in a list and return it"),
    ast.Starred: ("unpacking with '*'", "write each element by itself"),
    ast.Slice: ("a slice", "slices can only be used in an index"),
}
