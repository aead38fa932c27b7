"""Instances of classes: making them, their attributes, their methods.

A method is a graph with the instance as its first parameter. A call goes to the method of the nearest base. If derived
classes are known that override it, the call dispatches on the class in the header of the instance. A function is
compiled for the classes known at that time. Later classes that override a called method are refused at calls from
Python (`ClassDefinition.late`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import MISSING, dataclass

from tscript.abi.exceptions import FIELDS, RECORD_FIELD, is_exception
from tscript.diagnostics import Span
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import class_errors, errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.lowering import calls
from tscript.frontend.lowering.arguments import in_source_order, match_arguments
from tscript.frontend.lowering.branches import join_values
from tscript.frontend.lowering.calls import refuse_call
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.method_calls import call_directly, call_method, call_static, special_call
from tscript.frontend.lowering.new_containers import make_dict, make_list, make_set
from tscript.frontend.lowering.own_instance import SET, OwnInstance
from tscript.frontend.lowering.receivers import (
    assume,
    definition_of,
    is_exact,
    placed,
    usable,
    usable_or_reading,
    values_named,
)
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.subscripts import refuse_attribute, store_attribute
from tscript.frontend.source.classes import (
    ClassDefinition,
    FieldSpec,
    MemberSymbol,
)
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.signatures import Parameter, Signature
from tscript.frontend.source.symbols import ConstantSymbol, PythonSymbol, Symbol, UnknownSymbol
from tscript.frontend.values import methods
from tscript.frontend.values.iterators import source_of
from tscript.ir.graph import Raise, Value
from tscript.operators.core.schema import REQUIRED
from tscript.operators.python.classes import GET_FIELD, OBJECT_NEW, SET_FIELD
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.operators.python.exceptions import ARGS
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
    optional,
)
from tscript.types.inference import is_open

# ---- making instances


def construct(lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition) -> Value:
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


def preset_fields(lowering: FunctionLowering, definition: ClassDefinition, made: Value, span: Span) -> None:
    """Set the attributes that a new instance gets from its class, because they may be read before ``__init__`` sets
    them."""
    for name in definition.preset:
        constant = definition.constant(name)
        assert constant is not None
        symbol = lowering.program.resolver.class_constant(*constant)
        value = symbol_value(lowering, symbol, f"'{definition.name}.{name}'", span)
        set_field(
            lowering, made, name, as_field(lowering, definition, name, definition.info.fields[name], value, span), span
        )


def initialise(lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition, target: Value) -> None:
    """Initialise a new instance."""
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


def _fill_fields(lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition, target: Value) -> None:
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
    lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition, specs: Sequence[FieldSpec]
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
    """The signature of a generated ``__init__``."""

    written: str = ""

    def text(self, function: PythonFunction) -> str:
        """See `Signature`."""
        return self.written


def default_of(
    lowering: FunctionLowering, definition: ClassDefinition, spec: FieldSpec, type: Type, node: ast.expr
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
    lowering: FunctionLowering, definition: ClassDefinition, spec: FieldSpec, type: Type, node: ast.expr
) -> Value:
    """The result of the ``default_factory`` of a field."""
    span = lowering.span(node)
    symbol = lowering.program.resolver.class_constant(definition, spec.factory)
    if isinstance(symbol, PythonSymbol) and symbol.value in (list, dict, set):
        match type:
            case ListType():
                return make_list(lowering, type, [], span)
            case DictType():
                return make_dict(lowering, type, [], span)
            case SetType():
                return make_set(lowering, type, [], span)
    if isinstance(symbol, UnknownSymbol):
        what = f"the default_factory of '{definition.name}.{spec.name}', {symbol.what},"
        raise lowering.failure(class_errors.UnsupportedClass(span, what, "name a function, a class, list, dict or set"))
    call = ast.copy_location(ast.Call(node, [], []), node)
    return calls.call_symbol(lowering, call, symbol)


def symbol_value(lowering: FunctionLowering, symbol: Symbol, what: str, span: Span) -> Value:
    """A constant of a class as a value."""
    match symbol:
        case MemberSymbol():
            return lowering.const(symbol.member, symbol.definition.type, span)
        case ConstantSymbol():
            return lowering.constant(symbol.value, span)
        case UnknownSymbol():
            raise lowering.failure(class_errors.UnsupportedClass(span, f"{what}, {symbol.what},", symbol.instead))
    raise lowering.failure(
        class_errors.UnsupportedClass(
            span, what, "use a number, string, dtype, a member of an enum or a tuple of those"
        )
    )


# ---- fields


def get_field(lowering: FunctionLowering, value: Value, name: str, span: Span) -> Value:
    """An existing field."""
    assert isinstance(value.type, ClassType)
    return lowering.leaf(GET_FIELD, [value, lowering.const(name, STR, span)], value.type.info.fields[name], span)


def set_field(lowering: FunctionLowering, target: Value, name: str, value: Value, span: Span) -> None:
    """Set a field to a value of its type."""
    lowering.leaf(SET_FIELD, [target, lowering.const(name, STR, span), value], NONE, span)
    lowering.forget_attributes(name)
    if (own := initialised(lowering, target)) is not None:
        lowering.scope[SET + name] = own.mark


def initialised(lowering: FunctionLowering, value: Value) -> OwnInstance | None:
    """The instance that the ``__init__`` being lowered initialises, if a value is that one."""
    own = lowering.initialises
    return own if own is not None and value is lowering.graph.body.params[0] else None


def get_attribute(lowering: FunctionLowering, value: Value, name: str, span: Span) -> Value | None:
    """``value.name`` of an instance; None if its class has no such attribute."""
    definition = definition_of(value)
    if definition is None:
        return None
    usable_or_reading(lowering, definition)
    own = initialised(lowering, value)
    if isinstance(value.type, ClassType) and name in value.type.info.fields and name != RECORD_FIELD:
        if own is not None and not isinstance(lowering.scope.get(SET + name), Bound):
            problem = "may be read here before it is assigned"
            raise lowering.failure(class_errors.FieldNotSet(span, name, problem))
        return get_field(lowering, value, name, span)
    if own is not None and name in own.open_fields:
        return own.open_fields[name]
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


def _class_constant(
    lowering: FunctionLowering,
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
        assume(definition, name)
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
        return join_values(lowering, test, then, orelse, placed(lowering, span))

    return choose(0)


def store_into(lowering: FunctionLowering, owner: Value, name: str, value: Value, span: Span, node: ast.expr) -> None:
    """Assign to an attribute of a value."""
    definition = definition_of(owner)
    if definition is None or not isinstance(owner.type, ClassType):
        raise refuse_attribute(lowering, owner, name, span, node)
    usable_or_reading(lowering, definition)
    own = _discovered(lowering, definition, owner)
    if own is not None:
        if definition.method(name) is None:  # a property sets other attributes
            _discover(lowering, own, owner, name, value, span)
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
    lowering: FunctionLowering, definition: ClassDefinition, name: str, wanted: Type, value: Value, span: Span
) -> Value:
    """A value converted to the type of a field."""
    found = lowering.coerce(value, wanted, span)
    if found is None:
        instead = conversion_help(value, wanted)
        if value.type == NONE:
            instead = f"declare in the class that it may be None: '{name}: Optional[{shown(wanted)}]'"
        raise lowering.failure(
            class_errors.FieldType(span, definition.name, name, shown(wanted), shown(value.type), instead)
        )
    return found


def _discovered(lowering: FunctionLowering, definition: ClassDefinition, owner: Value) -> OwnInstance | None:
    """The instance that is initialised, while the attributes of its class are being found."""
    return initialised(lowering, owner) if lowering.program.discovering is definition else None


def _discover(lowering: FunctionLowering, own: OwnInstance, owner: Value, name: str, value: Value, span: Span) -> None:
    """The first assignment to an attribute determines its type, if the body of the class does not."""
    builder, definition = lowering.program, own.definition
    fields = definition.info.fields
    wanted = fields.get(name) or builder.declared_fields.get(name)
    if wanted is None and is_open(value.type):
        builder.found_fields.setdefault(name, value)
        lowering.scope[SET + name] = own.mark
        own.open_fields[name] = value
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


def annotated_field(lowering: FunctionLowering, target: ast.Attribute, declared: Type, value: ast.expr | None) -> None:
    """``self.name: T = value`` in ``__init__``."""
    owner = lowering.value(target.value)
    definition = definition_of(owner)
    span = lowering.span(target)
    if definition is None or initialised(lowering, owner) is None:
        what = "an annotated attribute outside of '__init__'"
        raise lowering.failure(errors.UnsupportedTarget(span, what, "leave out the annotation"))
    if _discovered(lowering, definition, owner) is not None:
        builder = lowering.program
        builder.declared_fields.setdefault(target.attr, declared)
        definition.info.fields.setdefault(target.attr, declared)
    if value is not None:
        store_attribute(lowering, target, lowering.value_as(value, declared))


def finish_init(lowering: FunctionLowering) -> None:
    """Report attributes that ``__init__`` does not assign on every path to its end, unless one of its statements is
    left out."""
    own = None if lowering.program.findings.abandoned else lowering.initialises
    if own is None or own.definition.is_reading or not isinstance(own.definition.type, ClassType):
        return
    definition = own.definition
    hidden = FIELDS if is_exception(definition.type) else ()
    for name in definition.info.fields:
        if name in hidden:
            continue
        if not isinstance(lowering.scope.get(SET + name), Bound) and definition.constant(name) is None:
            problem = f"of {definition.name} is not assigned on every path through '__init__'"
            lowering.report(class_errors.FieldNotSet(lowering.function.header, name, problem))


# ---- methods


def lower_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
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


def call_value(lowering: FunctionLowering, node: ast.Call, value: Value) -> Value:
    """Call the value of an expression."""
    with values_named(lowering, [value], node.func) as names:
        return calls.lower_call(lowering, ast.copy_location(ast.Call(names[0], node.args, node.keywords), node))


# ---- special methods


def length(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """``len(x)`` of a class with ``__len__``; None without one."""
    found = special_call(lowering, value, "__len__", [], span)
    if found is not None and found.type == INT:
        failing = Raise("ValueError", "__len__() should return >= 0", (), span)
        negative = lowering.apply("lt", [found, lowering.const(0, INT, span)], span)
        when(lowering, negative, lambda: lowering.block.nodes.append(failing), span)
    return found


# ---- the kind


def _instance_truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    found = special_call(lowering, value, "__bool__", [], span)
    if found is None:
        found = length(lowering, value, span)
    return lowering.const(True, BOOL, span) if found is None else lowering.truth(found, span)


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    if is_exception(value.type) and name == "args":
        return lowering.leaf(ARGS, [value], ARGS.type_rule([value]), span)
    return get_attribute(lowering, value, name, span)


def method_or_builtin(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """``receiver.name(...)``: of its class, or of the builtin class that it derives from."""
    found = lower_method(lowering, node, receiver)
    return methods.lower_method(lowering, node, receiver) if found is None else found


def iterated(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source | None:
    """The iterable of an instance; None if its class has no ``__iter__``."""
    return source_of(lowering, value, node)


def call_instance(lowering: FunctionLowering, callee: Value, node: ast.Call) -> Value:
    """``x(...)`` by ``__call__``."""
    definition = definition_of(callee)
    if definition is None or definition.method("__call__") is None:
        raise refuse_call(lowering, callee.type, node.func)
    return call_method(lowering, node, definition, "__call__", callee, exact=is_exact(callee))


def _item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value | None:
    return special_call(lowering, container, "__getitem__", [lowering.value(node.slice)], lowering.span(node))


def _set_item(lowering: FunctionLowering, target: ast.Subscript, container: Value, value: Value) -> bool:
    key = lowering.value(target.slice)
    return special_call(lowering, container, "__setitem__", [key, value], lowering.span(target)) is not None


def _delete_item(lowering: FunctionLowering, target: ast.Subscript, container: Value) -> bool:
    key = lowering.value(target.slice)
    return special_call(lowering, container, "__delitem__", [key], lowering.span(target)) is not None


PLAIN = Kind(
    truth=_instance_truth,
    length=length,
    item=_item,
    set_item=_set_item,
    delete_item=_delete_item,
    attribute=_attribute,
    method=method_or_builtin,
    set_attribute=store_into,
    source=iterated,
    call=call_instance,
    construct=construct,
)
"""The operations of instances, except their string form."""
