"""Calls of the language: operators, tensor methods, scripted functions, builtins.

`_CALLS` maps a class of symbol to the function that lowers its call, `_BUILTINS` a builtin object to its own.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tscript.definitions.opdef import OpDef, OperatorTypeError
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import callable_errors, elsewhere, errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import functions, given_types, integers, keywords, receivers
from tscript.frontend.lowering.arguments import (
    in_source_order,
    match_arguments,
    refuse_stars,
    wrong,
)
from tscript.frontend.lowering.conversions import default_value
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hidden import fresh_hidden
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.numbers_of_tensors import number_of, with_numbers
from tscript.frontend.lowering.program import Instance
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.classes import ClassDefinition, ClassSymbol, Method, is_loaded_module, method_function
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import FunctionSymbol, IgnoredSymbol, PythonFunction
from tscript.frontend.source.signatures import Signature, read_signature
from tscript.frontend.source.symbols import (
    AnnotateSymbol,
    AssertSymbol,
    KnownSymbol,
    LeafSymbol,
    LocalSymbol,
    OperatorSymbol,
    Symbol,
    TypeSymbol,
    UnknownSymbol,
)
from tscript.ir.graph import Call, Value
from tscript.operators.python.wrapping import FUNCTIONS
from tscript.room import with_room
from tscript.types import (
    NEVER,
    NONE,
    TENSOR,
    CallableType,
    ClassType,
    DictType,
    KnownType,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    is_subtype,
    members_of,
)
from tscript.types.inference import has_open_part, weaken


def lower_call(lowering: FunctionLowering, node: ast.Call) -> Value:
    """The value of a call."""
    node = functions.spread(lowering, node)
    symbol = static(lowering, node.func)
    if symbol is not None:
        return call_symbol(lowering, node, symbol)
    for special in lowering.language.special_calls:
        if (made := special(lowering, node)) is not None:
            return made
    if isinstance(node.func, ast.Attribute):
        return _method(lowering, node, node.func)
    return call_value(lowering, lowering.value(node.func), node)


def call_value(lowering: FunctionLowering, callee: Value, node: ast.Call) -> Value:
    """A call of a value."""
    call = lowering.kind(callee).call
    if call is None:
        raise refuse_call(lowering, callee.type, node.func)
    return call(lowering, callee, node)


def call_symbol(lowering: FunctionLowering, node: ast.Call, symbol: Symbol) -> Value:
    """A call of a symbol."""
    handler = lowering.language.calls().get(type(symbol))
    if handler is None:
        instead = "write tscript.tensor(...)" if isinstance(symbol, TypeSymbol) and symbol.type == TENSOR else ""
        if isinstance(symbol, UnknownSymbol):
            instead = symbol.instead
        raise lowering.failure(type_errors.NotCallable(lowering.span(node.func), shown_symbol(symbol), instead))
    return handler(lowering, node, symbol)


def operator_argument(lowering: FunctionLowering, node: ast.expr) -> Value:
    """An argument of an operator, which takes a list for a tuple."""
    if isinstance(node, ast.List | ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.elts):
        return make_tuple(lowering, [operator_argument(lowering, e) for e in node.elts], lowering.span(node))
    if isinstance(node, ast.Name) and node.id in elsewhere.DTYPES and node.id not in lowering.scope:
        instead = f"write {elsewhere.DTYPES[node.id]}"
        raise lowering.failure(type_errors.OperatorRefused(lowering.span(node), f"'{node.id}' is not a dtype", instead))
    return lowering.value(node)


def operator_call(lowering: FunctionLowering, node: ast.Call, name: str, first: Sequence[Value], written: str) -> Value:
    refuse_stars(lowering, node)
    args = [*first, *(operator_argument(lowering, a) for a in node.args)]
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg in kwargs:
            raise lowering.failure(errors.RepeatedArgument(lowering.span(keyword), written, keyword.arg))
        kwargs[keyword.arg] = operator_argument(lowering, keyword.value)
    span = lowering.span(node)
    taken, named = with_numbers(lowering, name, args, kwargs, span)
    return lowering.apply(name, taken, span, named, written)


def lower_operator(lowering: FunctionLowering, node: ast.Call, symbol: OperatorSymbol) -> Value:
    if symbol.name in FUNCTIONS:
        for argument in [*node.args, *(k.value for k in node.keywords)]:
            integers.unsigned(lowering, argument)
    return operator_call(lowering, node, symbol.name, (), symbol.shown)


def _method(lowering: FunctionLowering, node: ast.Call, function: ast.Attribute) -> Value:
    return lower_method_of(lowering, node, lowering.value(function.value))


def _field_type(type: Type, name: str) -> Type | None:
    """The type of a field of an instance or a named tuple; None when there is no such field."""
    match type:
        case ClassType():
            return type.info.fields.get(name)
        case TupleType(named=named) if named is not None and name in named.fields:
            return type.elements[named.fields.index(name)]
    return None


def lower_method_of(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """The call of a method of a value."""
    function = node.func
    assert isinstance(function, ast.Attribute)
    name = function.attr
    if isinstance(_field_type(receiver.type, name), CallableType):
        held = lowering.kind(receiver).attribute(lowering, receiver, name, lowering.span(function), None)
        assert held is not None
        return call_value(lowering, held, node)
    return lowering.kind(receiver).method(lowering, node, receiver)


def function_value(lowering: FunctionLowering, node: ast.expr) -> Callable[[Sequence[Value], Span], Value]:
    """A function argument that is called directly: a lambda, or the name of a function or a builtin."""
    if isinstance(node, ast.Lambda):
        return _inline_lambda(lowering, node)
    if static(lowering, node) is None and not isinstance(node, ast.Attribute):
        function = lowering.value(node)
        invoke = lowering.kind(function).invoke
        if invoke is None:
            raise refuse_call(lowering, function.type, node)
        return lambda args, span: invoke(lowering, function, args, span)

    def call(args: Sequence[Value], span: Span) -> Value:
        names = [fresh_hidden(lowering) for _ in args]
        for name, value in zip(names, args, strict=True):
            lowering.scope[name] = Bound(value, span)
        arguments: list[ast.expr] = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in names]
        found = lower_call(lowering, ast.copy_location(ast.Call(node, arguments, []), node))
        for name in names:
            lowering.scope.pop(name, None)
        return found

    return call


def given_function(lowering: FunctionLowering, node: ast.expr | None) -> ast.expr | None:
    """An argument such as ``key=`` of a builtin; None where it is None, written or by its type."""
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    if isinstance(node, ast.Name) and static(lowering, node) is None and lowering.value(node).type == NONE:
        return None
    return node


def _inline_lambda(lowering: FunctionLowering, node: ast.Lambda) -> Callable[[Sequence[Value], Span], Value]:
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]

    def call(args: Sequence[Value], span: Span) -> Value:
        if len(args) != len(names) or arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
            problem = f"is called with {len(args)} argument{'' if len(args) == 1 else 's'}, and takes {len(names)}"
            raise lowering.failure(
                errors.BuiltinArguments(lowering.span(node), "lambda", problem, "give it that many parameters")
            )
        kept = {n: lowering.scope[n] for n in names if n in lowering.scope}
        for name, value in zip(names, args, strict=True):
            lowering.scope[name] = Bound(value, span)
        found = with_room(lowering.value, node.body)
        for name in names:
            lowering.scope.pop(name, None)
        lowering.scope.update(kept)
        return found

    return call


def _leaf(lowering: FunctionLowering, node: ast.Call, symbol: LeafSymbol) -> Value:
    refuse_stars(lowering, node)
    if node.keywords:
        raise lowering.failure(errors.StarredArgument(lowering.span(node.keywords[0]), "keywords"))
    args = [lowering.value(a) for a in node.args]
    span = lowering.span(node)
    try:
        found = symbol.op.type_rule(args)
    except (OperatorTypeError, IndexError) as error:
        raise lowering.failure(
            type_errors.OperatorRefused(span, str(error) or f"'{symbol.op.name}' is missing an argument")
        ) from None
    return lowering.leaf(symbol.op, args, weaken(found), span)


def _known(lowering: FunctionLowering, node: ast.Call, symbol: KnownSymbol) -> Value:
    for argument in [*node.args, *(k.value for k in node.keywords)]:
        lowering.value(argument)
    return lowering.constant(symbol.result, lowering.span(node))


def _assert(lowering: FunctionLowering, node: ast.Call, symbol: AssertSymbol) -> Value:
    """``torch._assert(condition, message)`` and ``torch._check(condition, lambda: message)``."""
    refuse_stars(lowering, node)
    given = [*node.args, *(k.value for k in node.keywords)]
    if not 1 <= len(given) <= 2:
        raise wrong(lowering, node, symbol.shown, "takes a condition and a message", f"{symbol.shown}(x, 'message')")
    message = given[1] if len(given) == 2 else ast.Constant(f"Expected {ast.unparse(given[0])}")
    if isinstance(message, ast.Lambda):
        message = message.body
    error = ast.Raise(ast.Call(ast.Name(symbol.error, ast.Load()), [message], []), None)
    checked: ast.stmt = ast.If(ast.UnaryOp(ast.Not(), given[0]), [error], [])
    if symbol.error == "AssertionError":
        checked = ast.Assert(given[0], message)
    for part in (checked, error, *(n for n in ast.walk(checked) if not hasattr(n, "lineno"))):
        if isinstance(part, ast.stmt | ast.expr):
            ast.copy_location(part, node)
    lowering.language.statements[type(checked)](lowering, checked)
    return lowering.const(None, NONE, lowering.span(node))


def _scripted(lowering: FunctionLowering, node: ast.Call, symbol: FunctionSymbol) -> Value:
    graph, inputs, result = bound_call(lowering, node, symbol.function)
    return lowering.emit(Call(graph, inputs, result, lowering.span(node)))


def _local(lowering: FunctionLowering, node: ast.Call, symbol: LocalSymbol) -> Value:
    definition = symbol.function.node
    if isinstance(definition, ast.Lambda):
        if node.keywords:
            raise wrong(lowering, node, symbol.shown, "takes no keyword arguments", "give them by position")
        return _inline_lambda(lowering, definition)([lowering.value(a) for a in node.args], lowering.span(node))
    called, node = keywords.of_local(lowering, symbol.function, node)
    function, instance, call = functions.local_instance(lowering, called, node)
    graph, inputs, result = bound_to(lowering, call, function, instance)
    return lowering.emit(Call(graph, inputs, result, lowering.span(node)))


def bound_call(lowering: FunctionLowering, node: ast.Call, function: PythonFunction) -> tuple[str, list[Value], Type]:
    """A call of a scripted function: its graph, one input per parameter, the type of its result."""
    function, node = keywords.of_function(lowering, function, node)
    variables = functions.type_variables(function, lowering)
    if variables:
        instance = functions.generic_instance(lowering, function, variables, node)
    else:
        given = given_types.types_given(lowering, function, node)
        instance = lowering.program.instance(function, lowering.span(node), given)
    return bound_to(lowering, node, function, instance)


FIELDS_IN = frozenset({"__init__", "__post_init__"})
"""Methods that give fields their types, which are the same for all calls."""


def instance_of(
    lowering: FunctionLowering,
    owner: ClassDefinition,
    method: Method,
    span: Span,
    call: ast.Call | None = None,
    first: int = 0,
) -> Instance:
    """The instance of a method, for a call whose arguments belong to the parameters from `first` on."""
    builder: Any = lowering.program
    given = (
        None
        if call is None or method.is_cached
        else partial(given_types.types_given, lowering, node=call, first=first, only_declared=method.name in FIELDS_IN)
    )
    found: Instance = builder.method_instance(owner, method, span, given)
    return found


def bound_to(
    lowering: FunctionLowering, node: ast.Call, function: PythonFunction, instance: Instance
) -> tuple[str, list[Value], Type]:
    """A call of one instance of a function: its graph, one input per parameter, the type of its result."""
    inputs = _inputs(lowering, node, function, instance.signature)
    result = instance.result
    if result is None and instance.graph is lowering.graph and not has_open_part(instance.returns.type or NEVER):
        result = instance.returns.type  # of the returns so far; if one of the rest is wider, all is lowered again
    if result is None and not instance.finished and not _gives_values(function):
        result = NONE
    if result is None:
        if instance.finished:
            raise Abandoned
        raise lowering.failure(errors.RecursionWithoutType(lowering.span(node), function.name, function.header))
    return instance.graph.name, inputs, result


def _gives_values(function: PythonFunction) -> bool:
    """Whether there is a ``return`` with a value in a function, or in one inside of it."""
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function.tree))


def _inputs(lowering: FunctionLowering, node: ast.Call, function: PythonFunction, signature: Signature) -> list[Value]:
    """One value per parameter for a call of a function."""
    span = lowering.span(node)
    if not signature.valid:
        raise Abandoned
    given = match_arguments(lowering, node, function, signature)
    values: dict[int, Value] = {}
    for i in in_source_order(given, node):
        argument = given[i]
        assert argument is not None
        declared = signature.parameters[i].type
        if isinstance(declared, KnownType):
            continue
        values[i] = lowering.value(argument) if declared is None else lowering.value_as(argument, declared)
    inputs: list[Value] = []
    for i, parameter in enumerate(signature.parameters):
        wanted = parameter.type
        assert wanted is not None
        if isinstance(wanted, KnownType):
            continue
        argument = given[i]
        if argument is None:
            inputs.append(default_value(lowering, parameter.default, wanted, span))
            continue
        at = lowering.span(argument)
        value = taken_for(lowering, values[i], wanted, at)
        if value is None:
            found = values[i].type
            if parameter.variadic and isinstance(argument, ast.Tuple) and isinstance(found, TupleType):
                raise _wrong_in_rest(lowering, function.name, parameter.name, wanted, argument, found)
            raise lowering.failure(
                errors.ArgumentType(
                    at,
                    function.name,
                    parameter.name,
                    shown(wanted),
                    shown(found),
                    _argument_help(function.name, parameter.name, parameter.declared, found, wanted),
                )
            )
        inputs.append(value)
    return inputs


def taken_for(lowering: FunctionLowering, value: Value, wanted: Type, span: Span) -> Value | None:
    """An argument as one of a parameter's type. Besides what converts everywhere, TorchScript takes a tuple for a list,
    which gets its own elements, and a tensor without dimensions for a number; and a list is taken for a tuple of any
    length. None if it is not taken."""
    found = lowering.coerce(value, wanted, span)
    inner = wanted.value if isinstance(wanted, OptionalType) else wanted
    listed = next((m for m in members_of(wanted) if isinstance(m, ListType)), None)
    if found is not None:
        return found
    if (number := number_of(lowering, value, inner, span)) is not None:
        found = number
    elif listed is not None and isinstance(value.type, TupleType) and value.type.named is None:
        parts = [lowering.coerce(e, listed.element, span) for e in tuple_elements(lowering, value, span)]
        known = [part for part in parts if part is not None]
        found = make_list(lowering, listed, known, span) if len(known) == len(parts) else None
    elif listed is not None and value.type == ListType(listed.element, frozen=True):
        found = lowering.apply("to_list", [value], span)
    elif isinstance(value.type, ListType) and ListType(value.type.element, frozen=True) in members_of(wanted):
        found = lowering.apply("to_tuple", [value], span)
    return None if found is None else lowering.coerce(found, wanted, span)


def _ignored(lowering: FunctionLowering, node: ast.Call, symbol: IgnoredSymbol) -> Value:
    return call_python(lowering, node, symbol.function)


def call_python(
    lowering: FunctionLowering, node: ast.Call, function: PythonFunction, owner: Type | None = None
) -> Value:
    """A call of a function that stays in Python. A call of a method has the instance in front, of class `owner`."""
    first = function.tree.args.posonlyargs or function.tree.args.args
    types = {first[0].arg: owner} if owner is not None and first else {}
    signature = read_signature(lowering.context, function, TENSOR, types)
    op, result = python_operator(lowering, function, signature, node)
    inputs = _inputs(lowering, node, function, signature)
    return lowering.leaf(op, inputs, result, lowering.span(node))


def python_method(lowering: FunctionLowering, node: ast.Call, method: Method, owner: Type | None) -> Value:
    """A call of a method that stays in Python, with the instance, which is an `owner`, in front; of a static one
    without."""
    function = method_function(method, lowering.report)
    if function is None:
        raise Abandoned
    return call_python(lowering, node, function, owner)


def _annotate(lowering: FunctionLowering, node: ast.Call, symbol: AnnotateSymbol) -> Value:
    """``annotate(type, value)``."""
    refuse_stars(lowering, node)
    if len(node.args) != 2 or node.keywords:
        raise wrong(lowering, node, "annotate", "takes a type and a value", "annotate(list[int], [])")
    declared = annotation_type(lowering.context, lowering.function, node.args[0])
    if declared is None:
        raise Abandoned
    found = lowering.value_as(node.args[1], declared)
    value = lowering.coerce(found, declared, lowering.span(node.args[1]))
    if value is None:
        at, instead = lowering.span(node.args[1]), conversion_help(found.type, declared)
        raise lowering.failure(type_errors.DeclaredType(at, "annotate", shown(declared), shown(found.type), instead))
    return value


def _wrong_in_rest(
    lowering: FunctionLowering, function: str, name: str, wanted: Type, given: ast.Tuple, found: TupleType
) -> Abandoned:
    """Report the first argument for ``*name`` of the wrong type."""
    assert isinstance(wanted, ListType)
    held = wanted.element
    wrong = next(i for i, e in enumerate(found.elements) if e != held and not is_subtype(e, held))
    type, span = found.elements[wrong], lowering.span(given.elts[wrong])
    instead = conversion_help(type, held)
    return lowering.failure(errors.ArgumentType(span, function, f"*{name}", shown(held), shown(type), instead))


def _argument_help(function: str, name: str, declared: bool, found: Type, wanted: Type) -> str:
    if not declared:
        return f"a parameter without annotation is a Tensor: annotate it in '{function}': '{name}: {shown(found)}'"
    return conversion_help(found, wanted)


def _class(lowering: FunctionLowering, node: ast.Call, symbol: ClassSymbol) -> Value:
    """``Class(...)`` for classes, enums and named tuples."""
    definition = symbol.definition
    receivers.usable_or_reading(lowering, definition)
    construct = lowering.kinds.of(definition.type).construct
    assert construct is not None
    return construct(lowering, node, definition)


CALLS: dict[type[Symbol], Callable[[FunctionLowering, ast.Call, Any], Value]] = {
    OperatorSymbol: lower_operator,
    LeafSymbol: _leaf,
    KnownSymbol: _known,
    AssertSymbol: _assert,
    FunctionSymbol: _scripted,
    IgnoredSymbol: _ignored,
    AnnotateSymbol: _annotate,
    LocalSymbol: _local,
    ClassSymbol: _class,
}


def python_operator(
    lowering: FunctionLowering, function: PythonFunction, signature: Signature, node: ast.expr
) -> tuple[OpDef, Type]:
    """The operator that calls a function that stays in Python, and its result."""
    if not signature.valid:
        raise Abandoned
    if signature.result is None:
        raise lowering.failure(callable_errors.UndeclaredPython(lowering.span(node), function.name))
    parameters = [(p.name, p.type) for p in signature.parameters if p.type is not None]
    target = function.callable
    if target is None:

        def target(*args: object) -> object:
            raise RuntimeError(f"{function.name}() stays in Python, and its file has been read, not run")

    made = lowering.program.resolver.python.operator(
        function.qualname,
        target,
        parameters,
        signature.result,
        variadic=any(p.variadic for p in signature.parameters),
        keywords=[p.name for p in signature.parameters if not p.positional],
    )
    return made, signature.result


def refuse_call(lowering: FunctionLowering, found: Type, node: ast.expr) -> Abandoned:
    """The error for a call of a value that is not a function."""

    instead = (
        narrowing([found])
        or (elsewhere.LOADED if is_loaded_module(found) else defining(found, "__call__"))
        or "call a function, or a value of a type such as Callable[[int], int]"
    )
    if isinstance(node, ast.Name) and hasattr(builtins, node.id):
        instead = f"'{node.id}' is a local name here and hides the builtin: rename the local"
    elif isinstance(node, ast.Attribute) and not isinstance(found, ClassType | TensorType):
        instead = narrowing([found]) or f"it is a value: write '{ast.unparse(node)}', without the parentheses"
    elif isinstance(found, ListType | DictType | TupleType | TensorType):
        instead = f"use brackets for an element: {ast.unparse(node)}[...]"
    return lowering.failure(type_errors.NotCallable(lowering.span(node), article(found), instead))
