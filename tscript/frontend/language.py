"""`LanguageLowering`: the language's own half of lowering, what values, truth, conversions and places mean.

Expressions are in `expressions`, calls in `calls`, indexing in `subscripts`, error messages in `messages`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from tscript.abi.exceptions import is_exception
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import advice, errors, refusals, type_errors
from tscript.frontend.diagnostics.type_names import article, shown
from tscript.frontend.lowering import (
    calls,
    exceptions,
    expressions,
    hints,
    matching,
    refinement,
    sources,
    subscripts,
    unreached,
)
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.iteration import Entries, Indexed, Items, Range, Run, Source
from tscript.frontend.lowering.lowering import Lowered, Lowering
from tscript.frontend.lowering.scopes import FACTS, POISONED, Bound, LocalFunction, facts_in
from tscript.frontend.lowering.trials import Trial
from tscript.frontend.source import libraries
from tscript.frontend.source.classes import ClassDefinition, matched_names
from tscript.frontend.source.symbols import LocalSymbol, OperatorSymbol, PythonSymbol, UnknownSymbol
from tscript.frontend.source.text import FunctionSymbol
from tscript.frontend.values import (
    builtins,
    callables,
    comparing,
    conversions,
    displays,
    enums,
    functions,
    instances,
    iterators,
    messages,
    own_keys,
    tuples,
    unions,
)
from tscript.ir import placing
from tscript.ir.graph import Block as GraphBlock
from tscript.ir.graph import If, Node, Op, Raise, Value, Yield
from tscript.operators.core.opdef import MISSING, Arg, OpDef, OperatorTypeError, Scalar
from tscript.operators.core.resolve import resolve
from tscript.operators.core.values import constant_type
from tscript.operators.python.displays import DICT_MAKE, DISPLAYS, LIST_MAKE, SET_MAKE
from tscript.operators.python.exceptions import ARGS
from tscript.operators.python.functions import complex_numbers
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NEVER,
    NONE,
    STR,
    TYPE,
    CallableType,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    by_name,
)
from tscript.types.inference import is_open, is_open_within, weaken


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments as the inputs of an operator where it is applied."""

    lowering: LanguageLowering
    span: Span

    def given(self, arg: Arg) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        assert isinstance(arg, Value)
        return arg

    def constant(self, value: object) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        return self.lowering.const(value, constant_type(value), self.span)

    def gathered(self, elements: Sequence[Value]) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        return self.lowering.make_tuple(elements, self.span)

    def apply(self, op: OpDef, inputs: Sequence[Value]) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        return self.lowering.scalar(op, inputs, self.span)


class LanguageLowering(Lowering):
    """One function of the language being lowered."""

    _hidden = 0

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._changes = 0
        """How often something may have changed attributes."""
        self._read: dict[ast.expr, object] = {}
        """What was read last by which part of an expression: the binding of a name, and for an attribute besides how
        often something had changed attributes."""
        self._settled: list[tuple[Value, Type]] = []
        self._open: list[Value] = []
        self._probed: dict[object, Type] = {}  # by expression and what is known before it
        self._heard: dict[Span | str, Type] = {}
        self.owner = self.function.owner
        """The class whose function this is."""
        self.initialises = self._initialised()
        """The class whose instances this function initialises."""
        self.open_fields: dict[str, Value] = {}
        """Empty containers that the attributes of a class begin with, while its attributes are being found."""
        self.assigned_mark = Bound(Value(BOOL), self.function.header)
        """What an attribute that has been assigned is bound to in a scope."""
        if self.initialises is not None:
            self.assigned_mark = Bound(self.const(True, BOOL, self.function.header), self.function.header)
            if self.function.name == "__post_init__":
                for name in (f.name for f in self.initialises.fields or () if f.only_init is None):
                    self.scope[instances.SET + name] = self.assigned_mark

    def _initialised(self) -> ClassDefinition | None:
        definition, name = self.owner, self.function.name
        if definition is None or name not in ("__init__", "__post_init__") or name not in definition.methods:
            return None
        return definition if definition.methods[name]._function is self.function else None

    # Expressions

    def value(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        self.program.effort.spend()
        return expressions.lower_expression(self, node)

    def value_as(self, node: ast.expr, target: Type) -> Value:
        """See `Lowering`. A display of a list, dict, set or tuple takes its element types from `target`."""
        return displays.lower_as(self, node, target)

    def condition(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        return expressions.lower_condition(self, node)

    def truth(self, value: Value, span: Span) -> Value:
        """The truth of a value, a `bool`."""
        constant = value.constant
        match value.type:
            case _ if value.type == BOOL:
                return value
            case _ if constant is not MISSING and value.type != DTYPE and not isinstance(value.type, EnumType):
                return self.const(bool(constant), BOOL, span)
            case _ if value.type == NONE:
                return self.const(False, BOOL, span)
            case _ if value.type == DTYPE:
                return self.const(True, BOOL, span)
            case EnumType():
                return self._member_truth(value, span)
            case ClassType():
                return self._instance_truth(value, span)
            case TupleType(elements=elements):
                return self.const(bool(elements), BOOL, span)
            case SizeType() | ListType() | DictType() | SetType():
                return self.apply("ne", [self.apply("len", [value], span), self.const(0, INT, span)], span)
            case _ if value.type in (STR, BYTES):
                return self.apply("ne", [self.apply("len", [value], span), self.const(0, INT, span)], span)
            case CallableType():
                return self.const(True, BOOL, span)
            case OptionalType() | UnionType():
                return conversions.by_member(self, value, lambda member: self.truth(member, span), BOOL, span)
        if value.type == COMPLEX:
            return call_function(self, complex_numbers.complex_truth, [value], span)
        return self.apply("bool", [value], span)

    def _member_truth(self, value: Value, span: Span) -> Value:
        found = instances.special_call(self, value, "__bool__", [], span)
        plain = enums.plain(self, value, span)
        if found is not None or plain is not value:
            return self.truth(plain if found is None else found, span)
        return self.const(True, BOOL, span)

    def _instance_truth(self, value: Value, span: Span) -> Value:
        found = instances.special_call(self, value, "__bool__", [], span)
        if found is None:
            found = instances.length(self, value, span)
        return self.const(True, BOOL, span) if found is None else self.truth(found, span)

    def library(self, node: ast.Name | ast.Attribute) -> UnknownSymbol | None:
        """See `Lowering`."""
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self.scope or root.id in self.local_names:
            return None
        return libraries.at(self.function, node, self.program.resolver)

    # Operators

    def apply(
        self,
        name: str,
        args: Sequence[Value],
        span: Span,
        kwargs: Mapping[str, Value] | None = None,
        shown_as: str = "",
    ) -> Value:
        """Apply the overload of an operator that takes the arguments; messages show `shown_as`, or its name."""
        try:
            resolved = resolve(self.program.resolver.table, name, args, kwargs)
        except OperatorTypeError as error:
            named = {} if kwargs is None else kwargs

            def again(v: Sequence[Value]) -> Value:
                return self.apply(name, v[: len(args)], span, dict(zip(named, v[len(args) :], strict=True)), shown_as)

            found = unions.each(self, [*args, *named.values()], again, span, shown_as or name)
            if found is not None:
                return found
            table = self.program.resolver.table
            raise self.failure(refusals.refusal(table, error, name, args, kwargs or {}, span, shown_as)) from None
        return placing.apply(resolved, Arguments(self, span))

    def scalar(self, op: OpDef, inputs: Sequence[Value], span: Span) -> Value:
        """Apply one operator to complete inputs; one of scalars is computed where they are constant."""
        if (own := own_keys.lower(self, op, inputs, span)) is not None:
            return own
        type = weaken(op.type_rule(inputs))
        if isinstance(op.implementation, Scalar):
            constants = [v.constant for v in inputs]
            if all(c is not MISSING for c in constants):
                with suppress(ArithmeticError, ValueError):
                    return self.const(op.semantics(*constants), type, span)
        return self.leaf(op, inputs, type, span)

    # Conversions

    def coerce(self, value: Value, target: Type, span: Span) -> Value | None:
        """See `Lowering`."""
        return conversions.coerce(self, value, target, span)

    def unified(self, first: Value, second: Value) -> Type | None:
        """See `Lowering`."""
        return conversions.unify(self, first, second)

    def default(self, value: object, type: Type, span: Span) -> Value:
        """The default of a parameter of a type."""
        if isinstance(type, ListType) and isinstance(value, tuple):
            return self.make_list(type, [self.default(v, type.element, span) for v in value], span)
        wide = (OptionalType, UnionType, ListType, TupleType)
        if (
            isinstance(type, TupleType)
            and not type.named
            and any(isinstance(t, wide) or t == ANY for t in type.elements)
        ):
            assert isinstance(value, tuple)
            elements = [self.default(v, t, span) for v, t in zip(value, type.elements, strict=True)]
            return conversions.widen(self, self.make_tuple(elements, span), type, span)
        if value is None or (not isinstance(type, OptionalType | UnionType) and type != ANY):
            return self.const(by_name(value), type, span)
        found = self.coerce(self.constant(value, span), type, span)
        assert found is not None
        return found

    def type_of_expression(self, node: ast.expr) -> Type:
        """The type of an expression, found by lowering it into a block that is thrown away; once for what is known
        there."""
        state = None if isinstance(node, ast.Name) else (node, self.remembered.state(self, self.span(node)))
        if state in self._probed:
            return self._probed[state]
        trial = Trial(self)
        found = self.branch(lambda: self.value(node)).value
        assert found is not None
        type = found.type
        trial.take_back()
        if state is not None and not conversions.has_open_part(type):
            self._probed[state] = type
        return type

    def define(self, node: ast.FunctionDef) -> None:
        """See `Lowering`."""
        functions.define(self, node)

    def value_for(self, target: ast.expr, node: ast.expr) -> Value:
        """See `Lowering`."""
        found = displays.lower_into(self, target, node)
        return super().value_for(target, node) if found is None else found

    def assign_from(self, target: ast.expr, node: ast.expr) -> None:
        """See `Lowering`. What a loop goes over may be unpacked, and put in the place of a slice."""
        if (isinstance(target, ast.Tuple | ast.List) or displays.is_slice(target)) and sources.is_iterator(self, node):
            self.assign(target, self.collect(sources.source_of(self, node), node))
        else:
            super().assign_from(target, node)

    def define_lambda(self, name: str, node: ast.Lambda) -> None:
        """See `Lowering`. Where a type is declared for the name it is a value."""
        declared = self.declared.get(name)
        if declared is None:
            super().define_lambda(name, node)
        else:
            self.bind(name, self.value_as(node, declared), self.span(node))

    def function_named(self, function: LocalFunction, node: ast.Name) -> Value | None:
        """See `Lowering`."""
        return callables.named_function(self, LocalSymbol(function, node.id), node)

    def settle(self, value: Value, target: Type) -> bool:
        """See `conversions.settle`; what is settled can be taken back."""
        changed = conversions.settle(self, value, target)
        if changed is None:
            if is_open(value.type) and type(value.type) is type(target) and not is_open(target):
                conversions.hint(value, target, self._heard)
            return False
        self._settled += changed
        return value.type == target

    def expect(self, value: Value, type: Type) -> None:
        """Say what a container holds whose elements are containers that began empty."""
        if isinstance(value.node, Op) and value.node.op in DISPLAYS:
            self._heard[value.span] = type

    def abandon(self, node: ast.AST) -> None:
        """See `Lowering`. What was not reached of `node` is looked at for errors of its own."""
        super().abandon(node)
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            unreached.look(self, node)
            self.poison([node])
        if isinstance(node, ast.Global | ast.Nonlocal):
            self.scope.update(dict.fromkeys(node.names, POISONED))
        if isinstance(node, ast.Assert):
            unreached.silence(self, node.test)

    def unannotated(self, node: ast.expr, wanted: str) -> str:
        """See `Lowering`."""
        named = wanted in ("int", "float", "bool", "str")
        return hints.unannotated(self.function, self.scope, node, wanted) if named else ""

    def abandon_test(self, node: ast.expr) -> None:
        """See `Lowering`."""
        super().abandon_test(node)
        unreached.silence(self, node)

    def snapshot(self) -> Callable[[], None]:
        """See `Lowering`. Containers that began empty are open again."""
        base, settled, opened, heard = super().snapshot(), len(self._settled), len(self._open), dict(self._heard)
        fields = dict(self.open_fields)

        def go_back() -> None:
            base()
            while len(self._settled) > settled:
                conversions.retype(*self._settled.pop())
            del self._open[opened:]
            self._heard, self.open_fields = dict(heard), dict(fields)

        return go_back

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
        if refinement.may_change_attributes(node):
            self.forget_attributes()
        return super().emit(node)

    def leaf(self, op: OpDef, inputs: Sequence[Value], type: Type, span: Span) -> Value:
        """See `Lowering`."""
        if refinement.runs_other_code(op):
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

    def finish(self) -> None:
        """See `Lowering`."""
        instances.finish_init(self)

    def told(self, test: ast.expr, holds: bool) -> Callable[[], None]:
        """See `Lowering`."""
        found = refinement.facts_of(self, test, holds)
        return lambda: refinement.apply(self, found, test)

    def delete(self, node: ast.Delete) -> None:
        """See `Lowering`."""
        subscripts.lower_delete(self, node)

    def lower_with(self, node: ast.With) -> None:
        """See `Lowering`."""
        exceptions.lower_with(self, node)

    def make_list(self, type: ListType, elements: Sequence[Value], span: Span) -> Value:
        """A new list (or tuple of any length) of elements that are of its element type."""
        return self._display(LIST_MAKE, type, elements, span)

    def make_dict(self, type: DictType, items: Sequence[Value], span: Span) -> Value:
        """A new dict of keys and values in turn, which are of its types."""
        return self._display(DICT_MAKE, type, items, span)

    def make_set(self, type: SetType, elements: Sequence[Value], span: Span) -> Value:
        """A new set of elements that are of its element type."""
        return self._display(SET_MAKE, type, elements, span)

    def _display(self, op: OpDef, made: Type, elements: Sequence[Value], span: Span) -> Value:
        if elements and own_keys.asks_keys(made):
            return own_keys.filled(self, self._display(op, made, (), span), elements, span)
        if not is_open(made):
            return self.leaf(op, [self.const(made, TYPE, span), *elements], made, span)
        known = self.contents.get(span)
        found = known if known is not None and type(known) is type(made) else made
        out = self.leaf(op, [self.const(found, TYPE, span), *elements], found, span)
        self._open.append(out)
        return out

    def contents_found(self) -> Mapping[Span | str, Type]:
        """See `Lowering`. A place that makes containers of several types says nothing."""
        types: dict[Span, set[Type]] = {}
        for value in self._open:
            if not is_open(value.type) and not is_open_within(value.type):
                types.setdefault(value.span, set()).add(value.type)
        return {**{span: next(iter(found)) for span, found in types.items() if len(found) == 1}, **self._heard}

    # Places

    def store(self, target: ast.Subscript | ast.Attribute, value: Value) -> None:
        """See `Lowering`."""
        subscripts.store(self, target, value)

    def annotated_attribute(self, target: ast.Attribute, declared: Type, value: ast.expr | None) -> None:
        """See `Lowering`."""
        instances.annotated_field(self, target, declared, value)

    def augment(self, node: ast.AugAssign) -> None:
        """See `Lowering`."""
        expressions.lower_augmented(self, node)

    # Loops and unpacking

    def is_range(self, node: ast.Call) -> bool:
        """Whether a call is one of the builtin `range`."""
        symbol = self.static(node.func)
        return isinstance(symbol, PythonSymbol) and symbol.value is range

    def range_bounds(self, node: ast.expr) -> tuple[Value, Value, Value]:
        """See `Lowering`."""
        if not isinstance(node, ast.Call) or not self.is_range(node):
            raise self.failure(errors.LoopOver(self.span(node), "this", "write 'range(...)'"))
        span = self.span(node)
        arguments = node.args
        if node.keywords or not 1 <= len(arguments) <= 3:
            raise self.failure(
                errors.BuiltinArguments(
                    span, "range", "takes one to three arguments by position", "write range(start, stop, step)"
                )
            )
        for argument in arguments:
            if isinstance(argument, ast.Starred):
                raise self.failure(errors.StarredArgument(self.span(argument), "*"))
        found: list[Value] = []
        for argument in arguments:
            at = self.span(argument)
            given = self.value(argument)
            value = self.coerce(given, INT, at)
            if value is None:
                instead = hints.unannotated(self.function, self.scope, argument) or advice.counted(given.type, argument)
                raise self.failure(type_errors.RangeArgument(at, article(given.type), instead))
            found.append(value)
        if len(found) == 1:
            found.insert(0, self.const(0, INT, span))
        if len(found) == 2:
            found.append(self.const(1, INT, span))
        return found[0], found[1], found[2]

    def lower_for(self, node: ast.For) -> None:
        """See `Lowering`."""
        sources.lower_for(self, node)

    def iterate_object(self, value: Value, node: ast.expr) -> Source | None:
        """What a loop over an instance of a class goes over; None when it is no iterable."""
        return iterators.source_of(self, value, node)

    def collect(self, source: Source, node: ast.AST) -> Value:
        """A list of what a source gives."""
        out = self.make_list(ListType(NEVER), [], self.span(node))
        if isinstance(source, Range):
            self.settle(out, ListType(INT))
            self.apply("reserve", [out, source.length(self, self.span(node))], self.span(node))
        displays.run_into(self, source, lambda x: displays.append(self, out, x, node), node)
        return out

    def check_lengths(self, sources: Sequence[Indexed], strict: Value, span: Span) -> None:
        """Raise unless what `zip` goes over is of one length, where that is asked for."""
        first = sources[0].length(self, span)
        for position, source in enumerate(sources[1:], 2):
            other = source.length(self, span)
            for sign, what in (("lt", "shorter"), ("gt", "longer")):
                differs = self.apply("bitwise_and", [strict, self.apply(sign, [other, first], span)], span)
                before = "argument 1" if position == 2 else f"arguments 1-{position - 1}"
                failing = Raise("ValueError", f"zip() argument {position} is {what} than {before}", (), span)
                self.when(differs, partial(self._end_with, failing), span)

    def _end_with(self, node: Raise) -> None:
        self.block.nodes.append(node)

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

    def note_assigned(self, target: ast.Attribute, value: Value) -> None:
        """Use what is known of an attribute because it has just been set to a value."""
        refinement.assigned(self, target, value)

    def refine_name(self, name: str, type: Type, node: ast.AST) -> None:
        """Say that a name is of a narrower type in the current branch."""
        binding = self.scope.get(name)
        if isinstance(binding, Bound):
            refinement.apply(self, [(ast.Name(name, ast.Load()), binding.base.value, type)], node)

    def comparable(self, first: Type, second: Type) -> bool:
        """Whether values of two types may be equal."""
        numbers = (INT, FLOAT, BOOL, COMPLEX)
        return first == second or (first in numbers and second in numbers) or ANY in (first, second)

    def type_test(self, value: Value, wanted: Sequence[Type], span: Span) -> Value:
        """Whether a value of a union is of one of some types."""
        return builtins.one_of(self, value, wanted, span)

    def equal(self, left: Value, right: Value, node: ast.AST) -> Value:
        """``left == right``, a bool."""
        return self.truth(expressions.equal(self, left, right, node), self.span(node))

    def is_none(self, value: Value, span: Span) -> Value:
        """Whether a value is None."""
        return expressions.is_none(self, value, span)

    def match_arguments(self, type: Type, node: ast.AST) -> Sequence[str]:
        """The attributes that patterns by position stand for."""
        return matched_names(type)

    def set_hidden(self, name: str, value: Value, span: Span) -> None:
        """Bind a hidden name."""
        self.scope[name] = Bound(value, span)

    def lower_match(self, node: ast.Match) -> None:
        """See `Lowering`."""
        matching.lower_match(self, node)

    def leave_loop(self, depth: int, span: Span) -> None:
        """End the block with a ``break`` out of the loop that is `depth` loops deep."""
        if depth < len(self.loops):
            self.loops[depth].exits.leave(self, span)

    def probe(self, source: Source, span: Span) -> Type | None:
        """The type of what a source gives, found by lowering a loop over it that is thrown away; once for what is known
        there."""
        state = span, self.remembered.state(self, span)
        if state in self._probed:
            return self._probed[state]
        found: list[Type] = []
        trial = Trial(self)
        self.branch(lambda: source.run(self, lambda x: found.append(x.type), Run({}, span)))
        if not found:
            return None
        trial.take_back()
        if not conversions.has_open_part(found[0]):
            self._probed[state] = found[0]
        return found[0]

    def join_values(self, cond: Value, then: Lowered, orelse: Lowered, node: ast.AST) -> Value:
        """The value of an expression with two branches."""
        return expressions.join_values(self, cond, then, orelse, node)

    def instance_test(self, value: Value, written: ast.expr, span: Span) -> Value:
        """``isinstance(value, written)``."""
        return builtins.instance_test(self, value, written, span)

    def is_callable(self, node: ast.expr) -> bool:
        """Whether an expression can be called."""
        symbol = self.static(node)
        if symbol is None:
            return isinstance(self.value(node).type, CallableType)
        return isinstance(symbol, FunctionSymbol | OperatorSymbol | PythonSymbol)

    def special_method(self, value: Value, name: str, args: Sequence[Value], span: Span) -> Value | None:
        """The call of a special method that the class of a value defines; None when it defines none."""
        if is_exception(value.type) and name in exceptions.SPECIAL_METHODS:
            return exceptions.lower_text(self, value, name, span)
        if name in ("__str__", "__repr__"):
            return comparing.text(self, value, name, span)
        found = instances.special_call(self, value, name, args, span)
        if found is None and name == "__format__" and isinstance(value.type, EnumType):
            plain = enums.plain(self, value, span)
            if plain is value or plain.type == STR:
                plain = enums.text(self, value, format, span)
            return self.apply("format", [plain, *args], span)
        return found

    def attribute(self, value: Value, name: str, span: Span) -> Value:
        """``value.name``."""
        return expressions.attribute(self, value, name, span)

    def object_attribute(self, value: Value, name: str, span: Span) -> Value | None:
        """An attribute of an instance, a named tuple or an enum; None when there is none."""
        if value.type == COMPLEX and name in ("real", "imag"):
            return self.apply(name, [value], span)
        if is_exception(value.type) and name == "args":
            return self.leaf(ARGS, [value], ARGS.type_rule([value]), span)
        found: Value | None = None
        if isinstance(value.type, EnumType):
            found = enums.attribute(self, value, name, span)
        elif isinstance(value.type, TupleType) and value.type.named is not None:
            found = tuples.attribute(self, value, name, span)
        return instances.get_attribute(self, value, name, span) if found is None else found

    def order_objects(self, keys: Value, reverse: Value, node: ast.Call) -> Value | None:
        """The places of a list of instances in order of their ``__lt__``; None when its elements are no such."""
        return comparing.order_objects(self, keys, reverse, self.span(node))

    def fresh_hidden(self) -> str:
        """See `set_hidden`."""
        self._hidden += 1
        return f".{self._hidden}"

    def hidden_value(self, name: str) -> Value:
        """What a hidden name holds."""
        found = self.scope[name]
        assert isinstance(found, Bound)
        return found.value

    def method(self, node: ast.Call, receiver: Value) -> Value:
        """A call of a method of a value."""
        return calls.lower_method_of(self, node, receiver)

    def function_value(self, node: ast.expr) -> Callable[[Sequence[Value], Span], Value]:
        """A function that is called where it is written: a lambda, or a function by its name."""
        return calls.function_value(self, node)

    def _elements(self, value: Value) -> Value:
        """What is unpacked: the keys of a dict and the items of a set as a list."""
        if isinstance(value.type, DictType | SetType) and not is_open(value.type):
            return self.collect(Entries(value, "key"), self.function.tree)
        return value

    def unpack(self, value: Value, count: int, span: Span) -> list[Value]:
        """See `Lowering`. The length of a shape is checked when the function runs."""
        value = self._elements(value)
        match value.type:
            case TupleType(elements=elements):
                if len(elements) != count:
                    raise self.failure(type_errors.UnpackCount(span, len(elements), count, shown(value.type)))
                return self.tuple_elements(value, span)
            case SizeType() | ListType():
                return self._unpack_size(value, count, span)
            case _ if value.type in (STR, BYTES):
                return self._unpack_size(value, count, span)
            case TensorType():
                instead = "take its elements one by one: x[0], x[1]"
            case _:
                instead = "tuples, lists, strings, dicts, sets and shapes have parts"
        raise self.failure(type_errors.NotUnpackable(span, article(value.type), instead))

    def unpack_starred(self, value: Value, before: int, after: int, span: Span) -> list[Value]:
        """See `Lowering`. What the star takes is a list."""
        value = self._elements(value)
        if isinstance(value.type, TupleType):
            elements = self.tuple_elements(value, span)
            if len(elements) < before + after:
                raise self.failure(type_errors.UnpackCount(span, len(elements), before + after, shown(value.type)))
            end = len(elements) - after
            middle = self.make_list(ListType(NEVER), [], span)
            for element in elements[before:end]:
                self.settle(middle, ListType(element.type))
                displays.append(self, middle, element, self.function.tree)
            return [*elements[:before], middle, *elements[end:]]
        if not isinstance(value.type, ListType) and value.type not in (STR, BYTES):
            raise self.failure(
                type_errors.NotUnpackable(span, article(value.type), "only tuples, lists and strings have parts")
            )
        length = self.apply("len", [value], span)
        least = self.const(before + after, INT, span)
        failing = Raise(
            "ValueError", f"not enough values to unpack (expected at least {before + after}, got {{0}})", [length], span
        )
        self.when(self.apply("lt", [length, least], span), lambda: self.block.nodes.append(failing), span)
        front = [self.apply("getitem", [value, self.const(i, INT, span)], span) for i in range(before)]
        back = [self.apply("getitem", [value, self.const(i, INT, span)], span) for i in range(-after, 0)]
        stop = self.apply("wrapping_sub", [length, self.const(after, INT, span)], span)
        part = self.apply("slice", [value, self.const(before, INT, span), stop, self.const(1, INT, span)], span)
        if not isinstance(part.type, ListType):
            part = self.collect(Items(part, "getitem"), self.function.tree)
        elif part.type.frozen:
            part = self.apply("to_list", [part], span)
        return [*front, part, *back]

    def _unpack_size(self, value: Value, count: int, span: Span) -> list[Value]:
        length = self.apply("len", [value], span)
        wanted = self.const(count, INT, span)
        less = GraphBlock()
        less.nodes.append(
            Raise("ValueError", f"not enough values to unpack (expected {count}, got {{0}})", [length], span)
        )
        more = GraphBlock()
        more.nodes.append(Raise("ValueError", f"too many values to unpack (expected {count})", (), span))
        for name, failing in (("lt", less), ("gt", more)):
            fine = GraphBlock()
            fine.nodes.append(Yield((), span))
            self.block.nodes.append(If(self.apply(name, [length, wanted], span), failing, fine, (), span))
        return [self.apply("getitem", [value, self.const(i, INT, span)], span) for i in range(count)]

    # Errors raised by the function

    def raise_(self, node: ast.Raise) -> None:
        """See `Lowering`."""
        exceptions.lower_raise(self, node)

    def fail_assert(self, node: ast.Assert) -> None:
        """See `Lowering`."""
        exceptions.lower_failed_assert(self, node.msg, self.span(node))

    def exception_class(self, node: ast.expr) -> ClassType:
        """See `Lowering`."""
        return messages.exception_class(self, node)

    def named_exception(self, node: ast.expr) -> ClassType | None:
        """The class of exceptions that an expression names; None when it is a value."""
        return messages.named_exception(self, node)

    def argument(self, node: ast.expr) -> Value:
        """An argument of an operator, where a list stands for a tuple."""
        return calls.operator_argument(self, node)
