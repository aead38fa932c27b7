"""`FunctionLowering`: one function of the language on its way to IR; what it asks the language is a record.

`Language` is the record: tables from classes of syntax to what lowers them, and `Kinds`, from a type to its `Kind`, which
says what values of the type can do. They are made in `tscript.frontend.language` and handed in, so that the modules of
this room depend on the records' types alone.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import hints
from tscript.frontend.lowering.bodies import unsupported
from tscript.frontend.lowering.effects import may_change_attributes, runs_other_code
from tscript.frontend.lowering.frames import LoopExits, ReturnState
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.opened import OpenContainers
from tscript.frontend.lowering.program import LanguageProgram
from tscript.frontend.lowering.scopes import FACTS, POISONED, Bound, facts_in
from tscript.frontend.source import libraries
from tscript.frontend.source.annotations import TypeContext
from tscript.frontend.source.classes import ClassDefinition
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.symbols import LocalFunction, LocalSymbol, Symbol, UnknownSymbol
from tscript.ir.graph import Graph, Node, Value
from tscript.operators.core.opdef import MISSING, OpDef
from tscript.operators.python.container_literals import DICT_MAKE, LIST_MAKE, SET_MAKE
from tscript.types import BOOL, TYPE, ClassType, DictType, ListType, SetType, Type
from tscript.types.inference import is_open

Body = Callable[[Value], None]
"""Lowers what is done with one element."""


@dataclass(slots=True)
class Run:
    """How a source is run.

    Attributes:
        assigned: Names that the body assigns.
        span: The loop.
        orelse: What runs when the source is used up.
        breaks: Whether a ``break`` in the body leaves the loop.
        leaves: Whether a ``break`` or ``continue`` in it belongs to the loop.
        exits: Those of a loop around, which a ``break`` leaves.
        name: Hint for the element.
    """

    assigned: dict[str, ast.AST]
    span: Span
    orelse: Sequence[ast.stmt] = ()
    breaks: bool = False
    leaves: bool = False
    exits: LoopExits | None = None
    name: str = ""


class Source(ABC):
    """What a loop goes over."""

    @abstractmethod
    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """Lower a loop over it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What values of one kind can do. A capability that is None is absent; others report by themselves what they do not
    take.

    Attributes:
        truth: Their truth, a `bool`.
        attribute: ``x.name``, with the expression of ``x`` where there is one; None where there is no such attribute.
        method: ``x.name(...)``.
        methods: Those of its methods whose arguments are no plain values; None: the operator of the same name does it
            after all.
        length: ``len(x)``; None where a class has no ``__len__``.
        as_string: Their string form by a special method, ``__str__`` or ``__repr__``; None where the native library
            has it.
        formatted: Their string form by a format spec.
        item: ``x[index]``; None where the class of `x` has no ``__getitem__``.
        set_item: ``x[index] = value``, the container before the value; whether there is such a thing.
        delete_item: ``del x[index]``; whether there is such a thing.
        view: A part of a tensor by an index, which is written in place.
        set_attribute: ``x.name = value``.
        source: What a loop over them goes over, None where a class has no ``__iter__``.
        parts: The values that they are unpacked into, of this number.
        parts_around: The same with a star: those before it, a list, and those behind.
        call: ``x(...)``.
        invoke: The same with values.
        plain: Members of an enum as the numbers or strings that they are.
        converted: One of another type where that need not be written; None where it is not.
        beside: One as the operand of arithmetic, beside a value of a type.
        arithmetic: A binary operator, by name, of which one operand is of this kind; None for others.
        unary: A unary operator by name; None where the operator of the table does it.
        percent: ``x % values`` that makes a string.
        operator: An operator of the table that asks the classes of what is in a container; None for all others.
        filled: A new container with what a literal puts into it, where it asks their classes; None where not.
        construct: ``C(...)`` of a class.
        of_class: What a class itself can do.
    """

    truth: Callable[[FunctionLowering, Value, Span], Value]
    attribute: Callable[[FunctionLowering, Value, str, Span, ast.expr | None], Value | None]
    method: Callable[[FunctionLowering, ast.Call, Value], Value]
    methods: Mapping[str, Callable[[FunctionLowering, ast.Call, Value], Value | None]] = field(default_factory=dict)
    length: Callable[[FunctionLowering, Value, Span], Value | None] | None = None
    as_string: Callable[[FunctionLowering, Value, str, Span], Value | None] | None = None
    formatted: Callable[[FunctionLowering, Value, Value, Span], Value] | None = None
    item: Callable[[FunctionLowering, Value, ast.Subscript], Value | None] | None = None
    set_item: Callable[[FunctionLowering, ast.Subscript, Value, Value], bool] | None = None
    delete_item: Callable[[FunctionLowering, ast.Subscript, Value], bool] | None = None
    view: Callable[[FunctionLowering, Value, ast.expr], Value] | None = None
    set_attribute: Callable[[FunctionLowering, Value, str, Value, Span, ast.expr], None] | None = None
    source: Callable[[FunctionLowering, Value, ast.expr], Source | None] | None = None
    parts: Callable[[FunctionLowering, Value, int, Span], list[Value]] | None = None
    parts_around: Callable[[FunctionLowering, Value, int, int, Span], list[Value]] | None = None
    call: Callable[[FunctionLowering, Value, ast.Call], Value] | None = None
    invoke: Callable[[FunctionLowering, Value, Sequence[Value], Span], Value] | None = None
    plain: Callable[[FunctionLowering, Value, Span], Value] | None = None
    converted: Callable[[FunctionLowering, Value, Type, Span], Value | None] | None = None
    beside: Callable[[FunctionLowering, Value, Type, Span], Value] | None = None
    arithmetic: Callable[[FunctionLowering, str, Value, Value, Span], Value | None] | None = None
    unary: Callable[[FunctionLowering, str, Value, Span], Value | None] | None = None
    percent: Callable[[FunctionLowering, Value, ast.expr, ast.BinOp], Value] | None = None
    operator: Callable[[FunctionLowering, OpDef, Sequence[Value], Span], Value | None] | None = None
    filled: Callable[[FunctionLowering, DictType | SetType, Sequence[Value], Span], Value | None] | None = None
    construct: Callable[[FunctionLowering, ast.Call, ClassDefinition], Value] | None = None
    of_class: KindOfClass | None = None


@dataclass(frozen=True, slots=True)
class KindOfClass:
    """What a class that source names can do by itself.

    Attributes:
        source: What a loop over it goes over.
        item: ``C[name]``.
    """

    source: Callable[[ClassDefinition], Source]
    item: Callable[[FunctionLowering, ast.Subscript, ClassDefinition], Value]


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kind of each type.

    Attributes:
        classes: By the class of the type.
        simple: By the type, for those that have no parts.
        rows: Of tuples of any length.
        other: Of all others.
    """

    classes: Mapping[type[Type], Kind]
    simple: Mapping[Type, Kind]
    rows: Kind
    other: Kind

    def of(self, type: Type) -> Kind:
        """The kind of a type."""
        if isinstance(type, ListType) and type.frozen:
            return self.rows
        return self.classes.get(type.__class__) or self.simple.get(type, self.other)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Comparisons of two values of any kinds, by the kind that decides; each gives None where the operator of the table
    does it.

    Attributes:
        equal: ``left == right``.
        order: ``left < right`` and the like, by the name of the operator.
        same: ``left is right``; None for values that have no identity.
        contains: ``item in container``, the container first.
        alike: Two containers of different types as containers of the wider one.
        arithmetic: A binary operator, by name, that a class defines.
    """

    equal: Callable[[FunctionLowering, Value, Value, Span], Value | None]
    order: Callable[[FunctionLowering, str, Value, Value, Span], Value | None]
    same: Callable[[FunctionLowering, Value, Value, Span], Value | None]
    contains: Callable[[FunctionLowering, Value, Value, Span], Value | None]
    alike: Callable[[FunctionLowering, Value, Value, Span], tuple[Value, Value] | None]
    arithmetic: Callable[[FunctionLowering, str, Value, Value, Span], Value | None]


@dataclass(frozen=True, slots=True)
class Language:
    """What the language says.

    Attributes:
        kinds: What values can do.
        statements: What lowers each class of statement.
        expressions: What lowers each class of expression.
        expected: What lowers those that take a type from where they stand.
        calls: What lowers a call of what a name stands for.
        special_calls: Calls that mean something by what is written, tried one after the other.
        special_attributes: The same of attributes.
        comparisons: Comparisons of two values.
        function_named: A function by its name as a value; None for what is no function.
        apply: An operator of the table by its name.
        scalar: One operator, inputs complete.
        condition: The truth of an expression.
        coerce: A value as one of a type, where that is implicit.
        unify: The type that two values have in common.
        value_for: An expression that takes its type from the element or attribute it is assigned to; None for others.
        assign_from: An expression that is assigned to a target.
        store: ``x[index] = value`` and ``x.name = value``.
        told: What a condition says of types; the result uses it.
        abandoned: What was not reached of a statement or expression is looked at.
        silenced: Names of which a condition with an error may have said something are poisoned.
        annotated_attribute: ``x.name: T = value``.
        finish: The end of a function.
        fail_assert: What happens when an ``assert`` fails.
        exception_class: The class of exceptions that an expression names.
    """

    kinds: Kinds
    statements: Mapping[type[ast.stmt], Callable[[FunctionLowering, Any], None]]
    expressions: Mapping[type[ast.expr], Callable[[FunctionLowering, Any], Value]]
    expected: Mapping[type[ast.expr], Callable[[FunctionLowering, Any, Type | None], Value]]
    calls: Mapping[type[Symbol], Callable[[FunctionLowering, ast.Call, Any], Value]]
    special_calls: Sequence[Callable[[FunctionLowering, ast.Call], Value | None]]
    special_attributes: Sequence[Callable[[FunctionLowering, ast.Attribute], Value | None]]
    comparisons: Comparisons
    function_named: Callable[[FunctionLowering, Symbol, ast.expr], Value | None]
    apply: Callable[[FunctionLowering, str, Sequence[Value], Span, Mapping[str, Value] | None, str], Value]
    scalar: Callable[[FunctionLowering, OpDef, Sequence[Value], Span], Value]
    condition: Callable[[FunctionLowering, ast.expr], Value]
    coerce: Callable[[FunctionLowering, Value, Type, Span], Value | None]
    unify: Callable[[FunctionLowering, Value, Value], Type | None]
    value_for: Callable[[FunctionLowering, ast.expr, ast.expr], Value | None]
    assign_from: Callable[[FunctionLowering, ast.expr, ast.expr], None]
    store: Callable[[FunctionLowering, ast.Subscript | ast.Attribute, Value], None]
    told: Callable[[FunctionLowering, ast.expr, bool], Callable[[], None]]
    abandoned: Callable[[FunctionLowering, ast.AST], None]
    silenced: Callable[[FunctionLowering, ast.expr], None]
    annotated_attribute: Callable[[FunctionLowering, ast.Attribute, Type, ast.expr | None], None]
    finish: Callable[[FunctionLowering], None]
    fail_assert: Callable[[FunctionLowering, ast.expr | None, Span], None]
    exception_class: Callable[[FunctionLowering, ast.expr], ClassType]


@dataclass(slots=True)
class OwnInstance:
    """The instance that an ``__init__`` initialises.

    Attributes:
        definition: Its class.
        mark: What an attribute that has been assigned is bound to in a scope.
        open_fields: Empty containers that attributes begin with, while the attributes of the class are being found.
    """

    definition: ClassDefinition
    mark: Bound
    open_fields: dict[str, Value] = field(default_factory=dict)


SET = ".set "
"""Before the name of an attribute: what says, among the names of ``__init__``, that it has been assigned."""


class FunctionLowering(Lowering):
    """One function of the language being lowered.

    Args:
        language: What the language says.
    """

    program: LanguageProgram

    def __init__(
        self,
        language: Language,
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
        """Types found by lowering something that is thrown away, by expression and what is known before it."""
        self.owner = function.owner
        """The class whose function this is."""
        self.initialises = self._initialised()
        """The instance that this function initialises."""
        self._hidden = 0
        self._changes = 0
        """How often something may have changed attributes."""
        self._read: dict[ast.expr, object] = {}
        """What was read last by which part of an expression: the binding of a name, and for an attribute besides how
        often something had changed attributes."""

    def _initialised(self) -> OwnInstance | None:
        definition, name, header = self.owner, self.function.name, self.function.header
        if definition is None or name not in ("__init__", "__post_init__") or name not in definition.methods:
            return None
        if definition.methods[name]._function is not self.function:
            return None
        own = OwnInstance(definition, Bound(self.const(True, BOOL, header), header))
        if name == "__post_init__":
            for attribute in (f.name for f in definition.fields or () if f.only_init is None):
                self.scope[SET + attribute] = own.mark
        return own

    def kind(self, value: Value) -> Kind:
        """What a value can do."""
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
        """Lower an expression where a value of type `target` is declared, which it may still not be."""
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
        """See `Lowering`. Where a type is declared for the name it is a value."""
        declared = self.declared.get(name)
        if declared is None:
            super().define_lambda(name, node)
        else:
            self.bind(name, self.value_as(node, declared), self.span(node))

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

    def library(self, node: ast.Name | ast.Attribute) -> UnknownSymbol | None:
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

    def unified(self, first: Value, second: Value) -> Type | None:
        """See `Lowering`."""
        return self.language.unify(self, first, second)

    def unpack(self, value: Value, count: int, span: Span) -> list[Value]:
        """See `Lowering`."""
        parts = self.kind(value).parts
        if parts is None:
            instead = "tuples, lists, strings, dicts, sets and shapes have parts"
            raise self.failure(type_errors.NotUnpackable(span, article(value.type), instead))
        return parts(self, value, count, span)

    def unpack_starred(self, value: Value, before: int, after: int, span: Span) -> list[Value]:
        """See `Lowering`. What the star takes is a list."""
        parts = self.kind(value).parts_around
        if parts is None:
            instead = "only tuples, lists and strings have parts"
            raise self.failure(type_errors.NotUnpackable(span, article(value.type), instead))
        return parts(self, value, before, after, span)

    # Containers that the compiler makes

    def make_list(self, type: ListType, elements: Sequence[Value], span: Span) -> Value:
        """A new list (or tuple of any length) of elements that are of its element type."""
        return self._literal_container(LIST_MAKE, type, elements, span)

    def make_dict(self, type: DictType, items: Sequence[Value], span: Span) -> Value:
        """A new dict of keys and values in turn, which are of its types."""
        return self._literal_container(DICT_MAKE, type, items, span)

    def make_set(self, type: SetType, elements: Sequence[Value], span: Span) -> Value:
        """A new set of elements that are of its element type."""
        return self._literal_container(SET_MAKE, type, elements, span)

    def _literal_container(self, op: OpDef, made: Type, elements: Sequence[Value], span: Span) -> Value:
        if elements and isinstance(made, DictType | SetType):
            filled = self.kinds.of(made).filled
            if filled is not None and (out := filled(self, made, elements, span)) is not None:
                return out
        if not is_open(made):
            return self.leaf(op, [self.const(made, TYPE, span), *elements], made, span)
        known = self.contents.get(span)
        found = known if known is not None and type(known) is type(made) else made
        out = self.leaf(op, [self.const(found, TYPE, span), *elements], found, span)
        self.opened.add(out)
        return out

    def settle(self, value: Value, target: Type) -> bool:
        """Give a container that began empty the type of `target`; whether it is of that now."""
        return self.opened.settle(value, target)

    def contents_found(self) -> Mapping[Span | str, Type]:
        """See `Lowering`. A place that makes containers of several types says nothing."""
        return self.opened.found()

    # What has been read, and may have changed

    def forget_attributes(self, name: str = "") -> None:
        """Something may have changed attributes, those of this name if one is given: what is known of them holds no
        more."""
        self._changes += 1
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

    def note_read(self, node: ast.expr) -> None:
        """Keep what a name or attribute, which has just been read, is at this point; see `is_as_read`."""
        self._read[node] = self._state_of(node)

    def is_as_read(self, node: ast.expr) -> bool:
        """Whether a name or attribute is still what it was when the expression `node` read it."""
        return node in self._read and self._read[node] == self._state_of(node)

    def _state_of(self, node: ast.expr) -> object:
        if isinstance(node, ast.Attribute):
            return self._state_of(node.value), self._changes
        binding = self.scope.get(node.id) if isinstance(node, ast.Name) else None
        return binding.base if isinstance(binding, Bound) else None

    def read(self, node: ast.Name) -> Value | None:
        """See `Lowering`."""
        self.note_read(node)
        return super().read(node)

    def bind(self, name: str, value: Value, span: Span) -> None:
        """See `Lowering`."""
        if name in self.contents and is_open(value.type):
            self.settle(value, self.contents[name])
        super().bind(name, value, span)

    def told(self, test: ast.expr, holds: bool) -> Callable[[], None]:
        """See `Lowering`."""
        return self.language.told(self, test, holds)

    # Names of the compiler's own

    def fresh_hidden(self) -> str:
        """A name that no source has."""
        self._hidden += 1
        return f".{self._hidden}"

    def hidden_value(self, name: str) -> Value:
        """What a hidden name holds."""
        found = self.scope[name]
        assert isinstance(found, Bound)
        return found.value

    # Control

    def when(self, cond: Value, run: Callable[[], None], span: Span) -> None:
        """Lower something that only happens when a condition holds."""
        if isinstance(cond.constant, bool):
            if cond.constant:
                run()
            return
        then, orelse = self.branch(run), self.branch(lambda: None)
        self.merge(cond, then, orelse, span)

    def refine_in(self, test: ast.expr, cond: Value, run: Callable[[], None], span: Span) -> None:
        """Lower something where a condition holds, with what it says of types."""

        def refined() -> None:
            self.refine(test, True)
            run()

        self.when(cond, refined, span)

    def leave_loop(self, depth: int, span: Span) -> None:
        """End the block with a ``break`` out of the loop that is `depth` loops deep."""
        if depth < len(self.loops):
            self.loops[depth].exits.leave(self, span)

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
        """See `Lowering`. What was not reached of `node` is looked at for errors of its own."""
        super().abandon(node)
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            self.language.abandoned(self, node)
            self.poison([node])
        if isinstance(node, ast.Global | ast.Nonlocal):
            self.scope.update(dict.fromkeys(node.names, POISONED))
        if isinstance(node, ast.Assert):
            self.language.silenced(self, node.test)

    def abandon_test(self, node: ast.expr) -> None:
        """See `Lowering`."""
        super().abandon_test(node)
        self.language.silenced(self, node)

    def unannotated(self, node: ast.expr, wanted: str) -> str:
        """See `Lowering`."""
        if wanted not in ("int", "float", "bool", "str"):
            return ""
        return hints.unannotated(self.function, self.scope, node, wanted)


_UNSUPPORTED: dict[type[ast.expr], tuple[str, str]] = {
    ast.GeneratorExp: (
        "a generator expression",
        "make a list: [...]; generator expressions are used up where they stand",
    ),
    ast.Await: ("'await'", "leave it to the caller"),
    ast.Yield: ("'yield'", "collect the values in a list and return it"),
    ast.YieldFrom: ("'yield from'", "collect the values in a list and return it"),
    ast.Starred: ("unpacking with '*'", "write each element out"),
    ast.Slice: ("a slice", "slices stand only in an index"),
}
