"""Instances of classes: making them, their attributes, their methods.

A method is a graph with the instance as its first parameter. A call goes to the method of the nearest base, or, where
classes are known that derive from the static class and override it, to the one of the instance's class, found by its
header. Which classes are known is what a function is compiled with; instances of others that override what was called
are refused where they come in (`ClassDefinition.late`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass
from typing import TYPE_CHECKING, Any

from tscript.abi.exceptions import FIELDS, RECORD_FIELD, is_exception
from tscript.diagnostics import Span
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import class_errors, errors, type_errors
from tscript.frontend.diagnostics.advice import narrowing_owner
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import calls
from tscript.frontend.lowering.arguments import in_source_order, match_arguments
from tscript.frontend.lowering.lowering import Abandoned
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.classes import (
    ClassDefinition,
    FieldSpec,
    MemberSymbol,
    Method,
    class_definition,
)
from tscript.frontend.source.signatures import Parameter, Signature
from tscript.frontend.source.symbols import ConstantSymbol, PythonSymbol, Symbol, UnknownSymbol
from tscript.frontend.values import conversions
from tscript.frontend.values.functions import named
from tscript.ir.graph import Call, Op, Raise, Unreachable, Value
from tscript.operators.core.schema import REQUIRED
from tscript.operators.python.classes import GET_FIELD, OBJECT_NEW, SET_FIELD
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.operators.python.exceptions import NEW
from tscript.types import (
    BOOL,
    INT,
    NONE,
    STR,
    TYPE,
    ClassType,
    DictType,
    EnumType,
    ListType,
    SetType,
    TupleType,
    Type,
    is_subtype,
    optional,
)
from tscript.types.inference import is_open

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering
    from tscript.frontend.lowering.program import Instance
    from tscript.frontend.source.text import PythonFunction

SET = ".set "
"""Before the name of an attribute: what says, among the names of ``__init__``, that it has been assigned."""


def definition_of(value: Value) -> ClassDefinition | None:
    """The class of an instance, a member of an enum or a named tuple."""
    if isinstance(value.type, ClassType | EnumType | TupleType):
        return class_definition(value.type)
    return None


@contextmanager
def values_named(lowering: LanguageLowering, values: Sequence[Value], node: ast.expr) -> Iterator[list[ast.expr]]:
    """Expressions that are values there already, as long as it lasts."""
    names = [named(lowering, value, node) for value in values]
    try:
        yield names
    finally:
        for name in names:
            assert isinstance(name, ast.Name)
            lowering.scope.pop(name.id, None)


def usable(lowering: LanguageLowering, definition: ClassDefinition) -> None:
    """Report what is wrong with a class, once it is used. Raises `Abandoned`."""
    if definition.problems:
        for problem in definition.problems:
            lowering.report(problem)
        raise Abandoned


# ---- making instances


def construct(lowering: LanguageLowering, node: ast.Call, definition: ClassDefinition) -> Value:
    """``Class(...)``."""
    span = lowering.span(node)
    usable(lowering, definition)
    if definition.abstract:
        names = ", ".join(definition.abstract)
        raise lowering.failure(class_errors.AbstractClass(span, definition.name, names))
    made = lowering.leaf(OBJECT_NEW, [lowering.const(definition.type, TYPE, span)], definition.type, span)
    preset_fields(lowering, definition, made, span)
    initialise(lowering, node, definition, made)
    return made


def preset_fields(lowering: LanguageLowering, definition: ClassDefinition, made: Value, span: Span) -> None:
    """Set what the class itself gives to a new instance, and may be read before ``__init__`` sets it."""
    for name in definition.preset:
        constant = definition.constant(name)
        assert constant is not None
        symbol = lowering.program.resolver.class_constant(*constant)
        value = symbol_value(lowering, symbol, f"'{definition.name}.{name}'", span)
        set_field(
            lowering, made, name, as_field(lowering, definition, name, definition.info.fields[name], value, span), span
        )


def initialise(lowering: LanguageLowering, node: ast.Call, definition: ClassDefinition, target: Value) -> None:
    """Do what ``__init__`` does to a new instance."""
    found = definition.method("__init__")
    if found is not None:
        call_directly(lowering, node, *found, target)
        return
    generator = definition.generator("__init__")
    if generator is not None:
        _fill_fields(lowering, node, generator, target)
        return
    if node.args or node.keywords:
        problem = "takes no arguments: the class has no '__init__'"
        instead = f"write 'def __init__(self, ...):' in {definition.name}"
        raise lowering.failure(errors.BuiltinArguments(lowering.span(node), definition.name, problem, instead))


def _fill_fields(lowering: LanguageLowering, node: ast.Call, definition: ClassDefinition, target: Value) -> None:
    """The generated ``__init__`` of a dataclass."""
    span = lowering.span(node)
    specs = definition.fields or []
    given = lower_fields(lowering, node, definition, [s for s in specs if s.init])
    initial: list[Value] = []
    for spec in specs:
        value = given.get(spec.name)
        if value is None and (spec.default is not MISSING or spec.factory is not MISSING):
            value = default_of(lowering, definition, spec, _type_of(definition, spec), node)
        if spec.only_init is not None:
            if value is not None:
                initial.append(value)
        elif value is not None:
            set_field(lowering, target, spec.name, value, span)
    post = definition.method("__post_init__")
    if post is not None:
        with values_named(lowering, initial, node) as names:
            call = ast.copy_location(ast.Call(node.func, list(names), []), node)
            call_method(lowering, call, definition, "__post_init__", target, exact=is_exact(target))


def _type_of(definition: ClassDefinition, spec: FieldSpec) -> Type:
    if spec.only_init is not None:
        return spec.only_init
    if isinstance(definition.type, TupleType):
        assert definition.type.named is not None
        return definition.type.elements[definition.type.named.fields.index(spec.name)]
    return definition.info.fields[spec.name]


def lower_fields(
    lowering: LanguageLowering, node: ast.Call, definition: ClassDefinition, specs: Sequence[FieldSpec]
) -> dict[str, Value]:
    """The arguments of a call as values of fields; those with defaults may be missing."""
    assert definition.place is not None
    parameters: list[Parameter] = []
    texts: list[str] = []
    for spec in sorted(specs, key=lambda s: s.kw_only):
        type = _type_of(definition, spec)
        required = spec.default is MISSING and spec.factory is MISSING
        default: object = REQUIRED if required else None
        parameters.append(Parameter(spec.name, type, default, not spec.kw_only, True, True, definition.place.header))
        if spec.kw_only and "*" not in texts:
            texts.append("*")
        texts.append(f"{spec.name}: {shown(type)}{'' if required else ' = ...'}")
    signature = _FieldSignature(tuple(parameters), None, None, True, f"{definition.name}({', '.join(texts)})")
    given = match_arguments(lowering, node, definition.place, signature)
    out: dict[str, Value] = {}
    for i in in_source_order(given, node):
        argument, parameter = given[i], parameters[i]
        assert argument is not None and parameter.type is not None
        value = lowering.value_as(argument, parameter.type)
        at = lowering.span(argument)
        converted = lowering.coerce(value, parameter.type, at)
        if converted is None:
            wanted, found = shown(parameter.type), shown(value.type)
            instead = conversion_help(value, parameter.type)
            raise lowering.failure(errors.ArgumentType(at, definition.name, parameter.name, wanted, found, instead))
        out[parameter.name] = converted
    return out


@dataclass(frozen=True, slots=True)
class _FieldSignature(Signature):
    """The signature of a generated ``__init__``, which is written nowhere."""

    written: str = ""

    def text(self, function: PythonFunction) -> str:
        """See `Signature`."""
        return self.written


def default_of(
    lowering: LanguageLowering, definition: ClassDefinition, spec: FieldSpec, type: Type, node: ast.expr
) -> Value:
    """The default of a field."""
    span = lowering.span(node)
    if spec.factory is not MISSING:
        value = _made(lowering, definition, spec, type, node)
    else:
        symbol = lowering.program.resolver.class_constant(definition, spec.default)
        value = symbol_value(lowering, symbol, f"the default of '{definition.name}.{spec.name}'", span)
    found = lowering.coerce(value, type, span)
    if found is None:
        raise lowering.failure(
            class_errors.FieldType(
                span, definition.name, spec.name, shown(type), shown(value.type), "give it a default of its type"
            )
        )
    return found


def _made(
    lowering: LanguageLowering, definition: ClassDefinition, spec: FieldSpec, type: Type, node: ast.expr
) -> Value:
    """What the ``default_factory`` of a field gives."""
    span = lowering.span(node)
    symbol = lowering.program.resolver.class_constant(definition, spec.factory)
    if isinstance(symbol, PythonSymbol) and symbol.value in (list, dict, set):
        match type:
            case ListType():
                return lowering.make_list(type, [], span)
            case DictType():
                return lowering.make_dict(type, [], span)
            case SetType():
                return lowering.make_set(type, [], span)
    if isinstance(symbol, UnknownSymbol):
        what = f"the default_factory of '{definition.name}.{spec.name}', {symbol.what},"
        raise lowering.failure(class_errors.UnsupportedClass(span, what, "name a function, a class, list, dict or set"))
    call = ast.copy_location(ast.Call(node, [], []), node)
    return calls.call_symbol(lowering, call, symbol)


def symbol_value(lowering: LanguageLowering, symbol: Symbol, what: str, span: Span) -> Value:
    """A constant of a class as a value."""
    match symbol:
        case MemberSymbol():
            return lowering.const(symbol.member, symbol.definition.type, span)
        case ConstantSymbol():
            return lowering.constant(symbol.value, span)
        case UnknownSymbol():
            raise lowering.failure(class_errors.UnsupportedClass(span, f"{what}, {symbol.what},", symbol.instead))
    raise lowering.failure(
        class_errors.UnsupportedClass(span, what, "use a number, text, dtype, a member of an enum or a tuple of those")
    )


# ---- fields


def get_field(lowering: LanguageLowering, value: Value, name: str, span: Span) -> Value:
    """A field that is there."""
    assert isinstance(value.type, ClassType)
    return lowering.leaf(GET_FIELD, [value, lowering.const(name, STR, span)], value.type.info.fields[name], span)


def set_field(lowering: LanguageLowering, target: Value, name: str, value: Value, span: Span) -> None:
    """Set a field to a value of its type."""
    lowering.leaf(SET_FIELD, [target, lowering.const(name, STR, span), value], NONE, span)
    lowering.forget_attributes(name)
    if is_own_init(lowering, target):
        lowering.scope[SET + name] = lowering.assigned_mark


def is_own_init(lowering: LanguageLowering, value: Value) -> bool:
    """Whether a value is the instance that the ``__init__`` being lowered initialises."""
    return lowering.initialises is not None and value is lowering.graph.body.params[0]


def get_attribute(lowering: LanguageLowering, value: Value, name: str, span: Span) -> Value | None:
    """``value.name`` of an instance; None when its class has nothing of that name."""
    definition = definition_of(value)
    if definition is None:
        return None
    usable_or_reading(lowering, definition)
    if isinstance(value.type, ClassType) and name in value.type.info.fields and name != RECORD_FIELD:
        if is_own_init(lowering, value) and not isinstance(lowering.scope.get(SET + name), Bound):
            problem = "is read here, and not assigned on every way to this point"
            raise lowering.failure(class_errors.FieldNotSet(span, name, problem))
        return get_field(lowering, value, name, span)
    if is_own_init(lowering, value) and name in lowering.open_fields:
        return lowering.open_fields[name]
    found = definition.method(name)
    if found is not None:
        _, method = found
        if method.kind == "property":
            node = placed(lowering, span)
            return call_method(lowering, node, definition, name, value, exact=is_exact(value))
        instead = f"'{name}' is a method: call it, '.{name}(...)'"
        raise lowering.failure(type_errors.NoAttribute(span, definition.name, "attribute", name, instead))
    constant = definition.constant(name)
    if constant is not None:
        return _class_constant(lowering, definition, name, constant, value, span)
    if name in definition.poisoned or (
        definition.is_reading and getattr(lowering.program, "discovering", None) is not None
    ):
        raise Abandoned
    close = close_matches(name, list(definition.names()))
    instead = f"did you mean '{close[0]}'?" if close else f"assign it in '__init__' of {definition.name}"
    if not close and not isinstance(value.type, ClassType):
        instead = f"it has {', '.join(definition.names()) or 'name, value'}"
    raise lowering.failure(type_errors.NoAttribute(span, definition.name, "attribute", name, instead))


def usable_or_reading(lowering: LanguageLowering, definition: ClassDefinition) -> None:
    """Report what is wrong with a class that is complete."""
    if not definition.is_reading:
        usable(lowering, definition)


def placed(lowering: LanguageLowering, span: Span) -> ast.Call:
    """A call without arguments that stands where something is lowered."""
    node = ast.Call(ast.Name("self", ast.Load()), [], [])
    line = span.line - lowering.function.line_offset
    for part in (node, node.func):
        part.lineno, part.end_lineno = line, span.end_line - lowering.function.line_offset
        part.col_offset, part.end_col_offset = span.col, span.end_col
    return node


def _class_constant(
    lowering: LanguageLowering,
    definition: ClassDefinition,
    name: str,
    constant: tuple[ClassDefinition, object],
    value: Value,
    span: Span,
) -> Value:
    def make(found: tuple[ClassDefinition, object]) -> Value:
        symbol = lowering.program.resolver.class_constant(*found)
        return symbol_value(lowering, symbol, f"'{found[0].name}.{name}'", span)

    others = [] if is_exact(value) else [d for d in definition.known_derived if name in d.constants]
    if not is_exact(value):
        _assume(definition, name)
    first = make(constant)
    if not others:
        return first

    def choose(position: int) -> Value:
        if position == len(others):
            return make(constant)
        other = others[position]
        test = lowering.leaf(IS_INSTANCE, [value, lowering.const(other.type, TYPE, span)], BOOL, span)
        then = lowering.branch(lambda: make((other, other.constants[name])))
        orelse = lowering.branch(lambda: choose(position + 1))
        return lowering.join_values(test, then, orelse, placed(lowering, span))

    return choose(0)


def store_attribute(lowering: LanguageLowering, target: ast.Attribute, value: Value) -> None:
    """``x.name = value``."""
    span = lowering.span(target)
    if lowering.static(target.value) is not None:
        what = f"the attribute '{target.attr}'"
        instead = "only instances of classes have attributes that can be assigned to: keep it in one"
        raise lowering.failure(errors.UnsupportedTarget(span, what, instead))
    store_into(lowering, lowering.value(target.value), target.attr, value, span, target)
    lowering.note_assigned(target, value)


def store_into(lowering: LanguageLowering, owner: Value, name: str, value: Value, span: Span, node: ast.expr) -> None:
    """Assign to an attribute of a value."""
    definition = definition_of(owner)
    if definition is None or not isinstance(owner.type, ClassType):
        what = f"the attribute '{name}'"
        instead = narrowing_owner(owner.type, node) or (
            "only instances of classes have attributes that can be assigned to; elements are: x[...] = y"
        )
        if isinstance(owner.type, TupleType):
            instead = "a named tuple does not change: make a new one, x._replace(...)"
        raise lowering.failure(errors.UnsupportedTarget(span, what, instead))
    usable_or_reading(lowering, definition)
    if _discovers(lowering, definition, owner):
        if definition.method(name) is None:  # a property sets other ones
            _discover(lowering, definition, owner, name, value, span)
        return
    if definition.frozen:
        instead = f"make a new one: {definition.name}(...)"
        why = "it is a frozen dataclass"
        raise lowering.failure(class_errors.FrozenField(span, definition.name, name, why, instead))
    fields = owner.type.info.fields
    if name in fields:
        if name in FIELDS and is_exception(owner.type):
            instead = "give the arguments to 'super().__init__(...)', and the cause to 'raise ... from ...'"
            raise lowering.failure(errors.UnsupportedTarget(span, f"the attribute '{name}' of an exception", instead))
        set_field(lowering, owner, name, as_field(lowering, definition, name, fields[name], value, span), span)
        return
    found = definition.method(name)
    if found is not None:
        setter = found[1].setter
        if setter is None:
            what = "a property without setter" if found[1].kind == "property" else "a method"
            instead = f"write '@{name}.setter'" if found[1].kind == "property" else "use another name"
            raise lowering.failure(class_errors.FrozenField(span, definition.name, name, f"it is {what}", instead))
        with values_named(lowering, [value], node) as names:
            call = ast.copy_location(ast.Call(node, list(names), []), node)
            call_directly(lowering, call, found[0], setter, owner)
        return
    if name in definition.poisoned:
        raise Abandoned
    close = close_matches(name, list(fields))
    instead = f"did you mean '{close[0]}'?" if close else f"assign it in '__init__' of {definition.name} too"
    raise lowering.failure(class_errors.UnknownField(span, definition.name, name, instead))


def as_field(
    lowering: LanguageLowering, definition: ClassDefinition, name: str, wanted: Type, value: Value, span: Span
) -> Value:
    """A value as one of a field."""
    found = lowering.coerce(value, wanted, span)
    if found is None:
        instead = conversion_help(value, wanted)
        if value.type == NONE:
            instead = f"declare in the class that it may be None: '{name}: Optional[{shown(wanted)}]'"
        raise lowering.failure(
            class_errors.FieldType(span, definition.name, name, shown(wanted), shown(value.type), instead)
        )
    return found


def _discovers(lowering: LanguageLowering, definition: ClassDefinition, owner: Value) -> bool:
    builder: Any = lowering.program
    return builder.discovering is definition and is_own_init(lowering, owner)


def _discover(
    lowering: LanguageLowering, definition: ClassDefinition, owner: Value, name: str, value: Value, span: Span
) -> None:
    """A first assignment to an attribute says its type, if the body of the class does not."""
    builder: Any = lowering.program
    fields = definition.info.fields
    wanted = fields.get(name) or builder.declared_fields.get(name)
    if wanted is None and is_open(value.type):
        builder.found_fields.setdefault(name, value)
        lowering.scope[SET + name] = lowering.assigned_mark
        lowering.open_fields[name] = value
        return
    if wanted is None:
        if value.type == NONE:
            builder.found_fields.setdefault(name, value)
            return
        before = builder.found_fields.setdefault(name, value)
        wanted = fields[name] = optional(value.type) if before.type == NONE else value.type
    converted = as_field(lowering, definition, name, wanted, value, span)
    fields.setdefault(name, wanted)
    set_field(lowering, owner, name, converted, span)


def annotated_field(lowering: LanguageLowering, target: ast.Attribute, declared: Type, value: ast.expr | None) -> None:
    """``self.name: T = value`` in ``__init__``."""
    owner = lowering.value(target.value)
    definition = definition_of(owner)
    span = lowering.span(target)
    if definition is None or not is_own_init(lowering, owner):
        what = "an annotated attribute outside of '__init__'"
        raise lowering.failure(errors.UnsupportedTarget(span, what, "leave out the annotation"))
    if _discovers(lowering, definition, owner):
        builder: Any = lowering.program
        builder.declared_fields.setdefault(target.attr, declared)
        definition.info.fields.setdefault(target.attr, declared)
    if value is not None:
        store_attribute(lowering, target, lowering.value_as(value, declared))


def finish_init(lowering: LanguageLowering) -> None:
    """Report attributes that ``__init__`` does not assign on every way to its end, unless a statement of it is left
    out."""
    definition = None if lowering.program.findings.abandoned else lowering.initialises
    if definition is None or definition.is_reading or not isinstance(definition.type, ClassType):
        return
    hidden = FIELDS if is_exception(definition.type) else ()
    for name in definition.info.fields:
        if name in hidden:
            continue
        if not isinstance(lowering.scope.get(SET + name), Bound) and definition.constant(name) is None:
            problem = f"of {definition.name} is not assigned on every way through '__init__'"
            lowering.report(class_errors.FieldNotSet(lowering.function.header, name, problem))


# ---- methods


def is_exact(value: Value) -> bool:
    """Whether the class of an instance is known to be its static one."""
    return isinstance(value.node, Op) and value.node.op in (OBJECT_NEW, NEW)


def _assume(definition: ClassDefinition, name: str) -> None:
    if not definition.is_final:
        definition.assumed.add(name)


def lower_method(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``receiver.name(...)`` of an instance, a member or a named tuple; None when it is none of those."""
    definition = definition_of(receiver)
    if definition is None:
        return None
    assert isinstance(node.func, ast.Attribute)
    usable_or_reading(lowering, definition)
    name = node.func.attr
    found = definition.method(name)
    if found is None:
        if isinstance(receiver.type, TupleType | EnumType):
            return None
        if isinstance(receiver.type, ClassType) and name in receiver.type.info.fields:
            field = get_field(lowering, receiver, name, lowering.span(node.func))
            return call_value(lowering, node, field)
        names = [n for d in definition.bases for n in d.methods]
        close = close_matches(name, names)
        instead = f"did you mean '{close[0]}'?" if close else f"define it in {definition.name}"
        raise lowering.failure(
            type_errors.NoAttribute(lowering.span(node.func), definition.name, "method", name, instead)
        )
    owner, method = found
    if method.kind in ("static", "class"):
        return call_static(lowering, node, owner, method)
    if method.kind == "property":
        value = call_method(lowering, placed(lowering, lowering.span(node.func)), definition, name, receiver)
        return call_value(lowering, node, value)
    return call_method(lowering, node, definition, name, receiver, exact=is_exact(receiver))


def call_value(lowering: LanguageLowering, node: ast.Call, value: Value) -> Value:
    """Call what an expression gives."""
    with values_named(lowering, [value], node.func) as names:
        return calls.lower_call(lowering, ast.copy_location(ast.Call(names[0], node.args, node.keywords), node))


def call_static(lowering: LanguageLowering, node: ast.Call, owner: ClassDefinition, method: Method) -> Value:
    """A call of a static or class method."""
    if method.mark == "ignore" and method.kind != "class":
        return calls.python_method(lowering, node, method, owner.type if method.kind == "method" else None)
    instance = calls.instance_of(lowering, owner, method, lowering.span(node), node)
    return _emit(lowering, node, instance)


def call_directly(
    lowering: LanguageLowering, node: ast.Call, owner: ClassDefinition, method: Method, receiver: Value
) -> Value:
    """A call of one method, whatever class the receiver is of."""
    if method.mark == "ignore":
        with values_named(lowering, [receiver], node.func) as names:
            call = ast.copy_location(ast.Call(node.func, [*names, *node.args], node.keywords), node)
            return calls.python_method(lowering, call, method, receiver.type)
    instance = calls.instance_of(lowering, owner, method, lowering.span(node), node, 1)
    with values_named(lowering, [receiver], node.func) as names:
        return _emit(
            lowering, ast.copy_location(ast.Call(node.func, [*names, *node.args], node.keywords), node), instance
        )


def _emit(lowering: LanguageLowering, node: ast.Call, instance: Instance) -> Value:
    graph, inputs, result = calls.bound_to(lowering, node, instance.function, instance)
    return lowering.emit(Call(graph, inputs, result, lowering.span(node)))


def call_method(
    lowering: LanguageLowering,
    node: ast.Call,
    definition: ClassDefinition,
    name: str,
    receiver: Value,
    *,
    exact: bool = False,
) -> Value:
    """A call of a method by name, which goes where the class of the receiver says."""
    found = definition.method(name)
    assert found is not None
    owner, method = found
    if not isinstance(receiver.type, ClassType):
        return call_directly(lowering, node, owner, method, receiver)
    others: list[tuple[ClassDefinition, Method]] = []
    if not exact:
        _assume(definition, name)
        others = [(d, d.methods[name]) for d in definition.known_derived if name in d.methods]
    if not others:
        return call_directly(lowering, node, owner, method, receiver)
    return _dispatch(lowering, node, owner, method, receiver, others)


def _dispatch(
    lowering: LanguageLowering,
    node: ast.Call,
    owner: ClassDefinition,
    method: Method,
    receiver: Value,
    others: list[tuple[ClassDefinition, Method]],
) -> Value:
    span = lowering.span(node)
    base = calls.instance_of(lowering, owner, method, span)
    if not base.signature.valid:
        raise Abandoned
    targets = [(d, m, calls.instance_of(lowering, d, m, span)) for d, m in others]
    skip_base = method.is_abstract
    result = base.result
    if skip_base or (base.finished and base.returns.first is None and base.returns.declared is None):
        returning = [
            t for _, _, t in targets if not (t.finished and t.returns.first is None and t.returns.declared is None)
        ]
        result = returning[0].result if returning else result
        if base.returns.declared is not None:
            result = base.result
    if result is None:
        raise lowering.failure(errors.RecursionWithoutType(span, base.function.name, base.function.header))
    wanted = result
    with values_named(lowering, [receiver], node.func) as (first,):
        call = _with_values(
            lowering, ast.copy_location(ast.Call(node.func, [first, *node.args], node.keywords), node), base
        )

        def run(instance: Instance, definition: ClassDefinition) -> Value:
            args = list(call.args)
            if definition is not owner:
                args[0] = named(lowering, conversions.narrow(lowering, receiver, definition.type, span), node.func)
            _check_override(lowering, base, instance, definition, owner, span, {k.arg for k in node.keywords})
            value = _emit(lowering, ast.copy_location(ast.Call(call.func, args, call.keywords), node), instance)
            converted = lowering.coerce(value, wanted, span)
            if converted is None:
                if _raises_only(instance):
                    lowering.block.nodes.append(Unreachable(span))
                    return value
                why = f"it gives {article(value.type)}, not {article(wanted)}"
                raise lowering.failure(
                    class_errors.OverrideDiffers(
                        instance.function.header,
                        f"{definition.name}.{instance.function.name}",
                        f"{owner.name}.{base.function.name}",
                        why,
                        "give both the same result type",
                        span,
                    )
                )
            return converted

        def choose(position: int) -> Value:
            if position == len(targets):
                return run(base, owner)
            definition, _, instance = targets[position]
            if position + 1 == len(targets) and skip_base:
                return run(instance, definition)
            test = lowering.leaf(IS_INSTANCE, [receiver, lowering.const(definition.type, TYPE, span)], BOOL, span)
            then = lowering.branch(lambda: run(instance, definition))
            orelse = lowering.branch(lambda: choose(position + 1))
            out = lowering.merge(test, then, orelse, span, wanted)
            if out is None:
                raise Abandoned
            return out

        found = choose(0)
        for name in call.args:
            if isinstance(name, ast.Name) and name.id.startswith("."):
                lowering.scope.pop(name.id, None)
    return found


def _raises_only(instance: Instance) -> bool:
    return instance.finished and instance.returns.first is None and instance.returns.declared is None


def _with_values(lowering: LanguageLowering, node: ast.Call, instance: Instance) -> ast.Call:
    """A call whose arguments are values already, of the types that a signature declares."""
    given = match_arguments(lowering, node, instance.function, instance.signature)
    values: dict[int, ast.expr] = {}
    for i in in_source_order(given, node):
        argument, parameter = given[i], instance.signature.parameters[i]
        assert argument is not None
        if parameter.variadic:
            continue
        value = lowering.value(argument) if parameter.type is None else lowering.value_as(argument, parameter.type)
        values[id(argument)] = named(lowering, value, argument)
    args = [values.get(id(a), a) for a in node.args]
    keywords = [ast.copy_location(ast.keyword(k.arg, values.get(id(k.value), k.value)), k) for k in node.keywords]
    return ast.copy_location(ast.Call(node.func, args, keywords), node)


def _check_override(
    lowering: LanguageLowering,
    base: Instance,
    instance: Instance,
    definition: ClassDefinition,
    owner: ClassDefinition,
    span: Span,
    by_name: Collection[str | None],
) -> None:
    if instance is base:
        return
    ours, theirs = base.signature.parameters[1:], instance.signature.parameters[1:]
    names, others = [p.name for p in ours], [p.name for p in theirs]
    renamed = any(
        a.name != b.name and (not a.positional or a.name in by_name) for a, b in zip(ours, theirs, strict=False)
    )
    if (
        renamed
        or len(others) < len(names)
        or any(p.default is REQUIRED for p in theirs[len(names) :] if not p.variadic)
    ):
        why = f"it takes ({', '.join(others)}), not ({', '.join(names)})"
    else:
        wrong = next(
            (
                (a, b)
                for a, b in zip(ours, theirs, strict=False)
                if a.type is not None and b.type is not None and not is_subtype(a.type, b.type)
            ),
            None,
        )
        if wrong is None:
            return
        assert wrong[0].type is not None and wrong[1].type is not None
        why = f"'{wrong[0].name}' is {article(wrong[1].type)}, not {article(wrong[0].type)}"
    raise lowering.failure(
        class_errors.OverrideDiffers(
            instance.function.header,
            f"{definition.name}.{instance.function.name}",
            f"{owner.name}.{base.function.name}",
            why,
            "give both the same parameters",
            span,
        )
    )


# ---- special methods


def special_call(
    lowering: LanguageLowering, value: Value, name: str, args: Sequence[Value], span: Span
) -> Value | None:
    """The call of a special method that a class has itself; None without one, or when it does not take the
    arguments."""
    definition = definition_of(value)
    if definition is None:
        return None
    usable_or_reading(lowering, definition)
    found = definition.method(name)
    if found is None:
        return None
    if name == "__exit__":
        args = [args[1], args[1], args[2]]
    node = placed(lowering, span)
    instance = calls.instance_of(lowering, *found, span)
    parameters = instance.signature.parameters[1:]
    for argument, parameter in zip(args, parameters, strict=False):
        wanted = parameter.type
        if wanted is None:
            raise Abandoned
        if parameter.variadic and isinstance(wanted, ListType):
            wanted = wanted.element
        if not takes(argument.type, wanted):
            return None
    with values_named(lowering, args, node) as names:
        call = ast.copy_location(ast.Call(node.func, list(names), []), node)
        return call_method(lowering, call, definition, name, value, exact=is_exact(value))


def length(lowering: LanguageLowering, value: Value, span: Span) -> Value | None:
    """``len(x)`` of a class with ``__len__``; None without one."""
    found = special_call(lowering, value, "__len__", [], span)
    if found is not None and found.type == INT:
        failing = Raise("ValueError", "__len__() should return >= 0", (), span)
        negative = lowering.apply("lt", [found, lowering.const(0, INT, span)], span)
        lowering.when(negative, lambda: lowering.block.nodes.append(failing), span)
    return found


def takes(found: Type, wanted: Type) -> bool:
    """Whether a value of a type may be an argument where another type is declared."""
    return (
        is_subtype(found, wanted)
        or (found, wanted) in conversions.IMPLICIT
        or is_open(found)
        or (isinstance(found, TupleType) and isinstance(wanted, TupleType) and len(found.elements) == len(wanted.elements)
            and all(map(takes, found.elements, wanted.elements)))
    )  # fmt: skip
