"""New instances: ``C(...)``, generated and written ``__init__``."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import MISSING

from tscript.definitions.absent import REQUIRED
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import class_errors, errors
from tscript.frontend.diagnostics.container_errors import nothing_said
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.lowering import calls
from tscript.frontend.lowering.arguments import in_source_order, match_arguments
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.given_types import types_given
from tscript.frontend.lowering.method_calls import call_directly, call_method
from tscript.frontend.lowering.new_containers import make_dict, make_list, make_set
from tscript.frontend.lowering.receivers import (
    is_exact,
    usable,
    usable_or_reading,
    values_named,
)
from tscript.frontend.source.class_fields import settle
from tscript.frontend.source.classes import (
    ClassDefinition,
    FieldSpec,
    method_function,
)
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.signatures import Parameter, Signature
from tscript.frontend.source.symbols import PythonSymbol, UnknownSymbol
from tscript.frontend.values.fields import as_field, set_field, symbol_value
from tscript.ir.graph import Call, Value
from tscript.late import dataclass
from tscript.operators.python.classes import OBJECT_NEW
from tscript.types import (
    NEVER,
    TYPE,
    DictType,
    ListType,
    SetType,
    TupleType,
    Type,
    completed,
    is_complete,
    leaves_open,
)
from tscript.types.opened import has_unknown, with_rank


def construct(lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition) -> Value:
    """``Class(...)``."""
    span = lowering.span(node)
    usable(lowering, definition)
    settle_by_call(lowering, node, definition)
    if definition.abstract:
        names = ", ".join(definition.abstract)
        raise lowering.failure(class_errors.AbstractClass(span, definition.name, names))
    if definition.maker is not None:
        graph, inputs, result = calls.bound_call(lowering, node, definition.maker.function())
        return lowering.emit(Call(graph, inputs, result, span))
    made = lowering.leaf(OBJECT_NEW, [lowering.const(definition.type, TYPE, span)], definition.type, span)
    preset_fields(lowering, definition, made, span)
    initialise(lowering, node, definition, made)
    return made


def settle_by_call(lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition) -> None:
    """Give attributes whose types the class leaves open those that a written ``__init__`` assigns in this call. What
    initialises an instance calls it first."""
    found = definition.method("__init__") if leaves_open(definition.type) else None
    function = None if found is None else method_function(found[1], lowering.report)
    if found is not None and function is not None:
        given = types_given(lowering, function, node, first=1, only_declared=True)
        lowering.program.resolver.assigned(*found, {}, given)
        settle_fields(lowering, found[0], found[0].info.fields, lowering.span(node))


def settle_fields(
    lowering: FunctionLowering, definition: ClassDefinition, types: Mapping[str, Type], span: Span
) -> None:
    """See `settle`."""
    try:
        settle(definition, {name: type for name, type in types.items() if not leaves_open(type)})
    except TypeError as error:
        raise lowering.failure(errors.BuiltinArguments(span, definition.name, f"cannot be made: {error}", "")) from None


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
    usable_or_reading(lowering, definition)
    span = lowering.span(node)
    specs = definition.fields or []
    given = lower_fields(lowering, node, definition, [s for s in specs if s.init])
    initial: list[Value] = []
    for spec in specs:
        value = given.get(spec.name)
        if value is None and (spec.default is not MISSING or spec.factory is not MISSING):
            settle_fields(lowering, definition, {spec.name: NEVER}, span)
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
    text = f"{definition.name}({', '.join(texts)})"
    signature = _FieldSignature(tuple(parameters), None, None, True, written=text)
    given = match_arguments(lowering, node, definition.place, signature)
    out: dict[str, Value] = {}
    for i in in_source_order(given, node):
        argument, parameter = given[i], parameters[i]
        assert argument is not None and parameter.type is not None
        at, type = lowering.span(argument), parameter.type
        if leaves_open(type):
            value = lowering.value(argument)
            type = _completed(type, value.type)
            if has_unknown(type) and (wrong := nothing_said([value], at)) is not None:
                raise lowering.failure(wrong)
            settle_fields(lowering, definition, {parameter.name: type}, at)
        else:
            value = lowering.value_as(argument, type)
        converted = lowering.coerce(value, type, at)
        if converted is None:
            wanted, found = shown(type), shown(value.type)
            instead = conversion_help(value, type)
            raise lowering.failure(errors.ArgumentType(at, definition.name, parameter.name, wanted, found, instead))
        out[parameter.name] = converted
    return out


def _completed(declared: Type, given: Type) -> Type:
    """An open type with that of a value in place of what it leaves open; as declared if the value is another."""
    found = completed(declared, given)
    if found is None:
        return declared
    return found if is_complete(declared, found) else with_rank(declared, given, 1)


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
        what = f"the default_factory of '{definition.name}.{spec.name}', {symbol.what.rstrip(',')},"
        raise lowering.failure(class_errors.UnsupportedClass(span, what, "name a function, a class, list, dict or set"))
    call = ast.copy_location(ast.Call(node, [], []), node)
    return calls.call_symbol(lowering, call, symbol)
