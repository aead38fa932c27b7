"""Attributes of instances: read, assigned, and found while ``__init__`` runs."""

from __future__ import annotations

import ast

from tscript.abi.exceptions import FIELDS, RECORD_FIELD, is_exception
from tscript.diagnostics import Span
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import class_errors, errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.lowering import expressions
from tscript.frontend.lowering.branches import join_values
from tscript.frontend.lowering.conversions import typed_constant
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.method_calls import call_directly, call_method
from tscript.frontend.lowering.own_instance import SET, OwnInstance
from tscript.frontend.lowering.receivers import (
    assume,
    definition_of,
    is_exact,
    placed,
    usable_or_reading,
    values_named,
)
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.subscripts import refuse_attribute, store_attribute
from tscript.frontend.source.classes import (
    ClassDefinition,
    MemberSymbol,
)
from tscript.frontend.source.symbols import ConstantSymbol, ContainerSymbol, Symbol, UnknownSymbol
from tscript.ir.graph import Value
from tscript.operators.python.classes import GET_FIELD, SET_FIELD
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.types import (
    BOOL,
    NONE,
    STR,
    TYPE,
    ClassType,
    Type,
    completed,
    is_complete,
    leaves_open,
    optional,
)
from tscript.types.inference import is_open

_ARRAY = "np.ndarray[tuple[int, int], np.dtype[np.float64]]"


def symbol_value(lowering: FunctionLowering, symbol: Symbol, what: str, span: Span) -> Value:
    """A constant of a class as a value."""
    match symbol:
        case MemberSymbol():
            return lowering.const(symbol.member, symbol.definition.type, span)
        case ConstantSymbol() if symbol.type is not None:
            if (found := typed_constant(lowering, symbol.value, symbol.type, span)) is not None:
                return found
        case ContainerSymbol():
            from tscript.frontend.lowering.module_containers import container_value

            return container_value(lowering, symbol, placed(lowering, span), expressions.symbol_value, what.strip("'"))
        case ConstantSymbol():
            return lowering.constant(symbol.value, span)
        case UnknownSymbol():
            inside = f" in the module '{symbol.module}'," if symbol.module else ""
            what = f"{what}, {symbol.what.rstrip(',')},{inside}"
            raise lowering.failure(class_errors.UnsupportedClass(span, what, symbol.instead))
    raise lowering.failure(
        class_errors.UnsupportedClass(
            span, what, "use a number, string, dtype, a member of an enum or a tuple of those"
        )
    )


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
        if name in value.type.info.open and leaves_open(value.type.info.fields[name]):
            if lowering.program.findings.abandoned:  # what was left out may have made the first instance
                raise Abandoned
            raise lowering.failure(class_errors.FieldTypeUnknown(span, definition.name, name, _ARRAY))
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
    if definition.is_module and definition.constant(name) is not None:
        instead = f"it is a constant: declare its type in the class, '{name}: Optional[Tensor]' or another"
    raise lowering.failure(class_errors.UnknownField(span, definition.name, name, instead))


def as_field(
    lowering: FunctionLowering, definition: ClassDefinition, name: str, wanted: Type, value: Value, span: Span
) -> Value:
    """A value converted to the type of a field."""
    found = lowering.coerce(value, wanted, span)
    if found is None:
        guessed = definition.info.guessed.get(name)
        said = None if guessed is None else completed(guessed, value.type)
        if guessed is not None and said is not None and is_complete(guessed, said):
            lowering.program.assigned[definition, name] = said
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
    if wanted is not None and leaves_open(wanted):
        found = completed(wanted, value.type)
        if found is None:
            as_field(lowering, definition, name, wanted, value, span)
        elif not is_complete(wanted, found):
            lowering.scope[SET + name] = own.mark
            own.open_fields[name] = value
            return
        else:
            builder.found_fields.setdefault(name, value)
            wanted = fields[name] = found
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
        found = lowering.value(value) if leaves_open(declared) else lowering.value_as(value, declared)
        store_attribute(lowering, target, found)


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
