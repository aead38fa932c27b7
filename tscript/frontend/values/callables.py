"""Function values: made of a function, a lambda or a method, and called.

Each becomes a graph with the parameters and the result of its `CallableType`, after parameters for captured values. A
function value captures the values of names when it is made, so these names may not be assigned again later.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.definitions.absent import REQUIRED
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import callable_errors, errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import receivers
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.captures import check_captured
from tscript.frontend.lowering.common import IMPLICIT
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.functions import type_variables
from tscript.frontend.lowering.hidden import fresh_hidden
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.lambdas import lambda_instance
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import FunctionSymbol, IgnoredSymbol, PythonFunction
from tscript.frontend.source.signatures import Signature, read_signature
from tscript.frontend.source.symbols import (
    ExceptionSymbol,
    KnownSymbol,
    LocalFunction,
    LocalSymbol,
    OperatorSymbol,
    PythonSymbol,
    Symbol,
)
from tscript.frontend.values import methods, sequences
from tscript.ir.graph import Closure, Invoke, Value
from tscript.late import replace
from tscript.types import (
    TENSOR,
    CallableType,
    ClassType,
    EnumType,
    TupleType,
    Type,
    is_subtype,
    members_of,
)

_FUNCTIONS = (
    ExceptionSymbol | FunctionSymbol | IgnoredSymbol | KnownSymbol | LocalSymbol | OperatorSymbol | PythonSymbol
)


def lower_function(lowering: FunctionLowering, node: ast.expr, target: Type | None) -> Value:
    """A lambda, a name or an attribute where a value of type `target` is declared; it may have another type."""
    wanted = _wanted(target)
    if wanted is None:
        if isinstance(node, ast.Lambda):
            raise lowering.failure(callable_errors.UntypedFunction(lowering.span(node), "this lambda"))
        return lowering.value(node)
    if isinstance(node, ast.Lambda):
        return _closure(lowering, node, node, wanted)
    symbol = static(lowering, node)
    if isinstance(symbol, _FUNCTIONS):
        _check_type(lowering, symbol, node, wanted)
        return _closure(lowering, node, _calling(lowering, node, node, len(wanted.parameters)), wanted)
    if symbol is None and isinstance(node, ast.Attribute):
        return _bound_method(lowering, node, wanted)
    return lowering.value(node)


def _wanted(target: Type | None) -> CallableType | None:
    """The function type in a declared type, or None."""
    found = [m for m in members_of(target) if isinstance(m, CallableType)] if target is not None else []
    return found[0] if len(found) == 1 else None


def _calling(lowering: FunctionLowering, node: ast.expr, function: ast.expr, count: int) -> ast.Lambda:
    """``lambda a, b: function(a, b)``."""
    taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    names = [n for i in range(count + len(taken)) if (n := f"_{i}") not in taken][:count]
    arguments = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    call = ast.Call(function, [ast.Name(n, ast.Load()) for n in names], [])
    made = ast.copy_location(ast.Lambda(arguments, call), node)
    for inner in ast.walk(made):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return made


def _bound_method(lowering: FunctionLowering, node: ast.Attribute, wanted: CallableType) -> Value:
    """An attribute of a value: a function in a field, or a method bound to the value."""
    owner = lowering.value(node.value)
    definition = receivers.definition_of(owner)
    method = definition.method(node.attr) if definition is not None else None
    if method is None or method[1].kind == "property":
        has_own = isinstance(owner.type, ClassType | EnumType | TupleType)
        held = (
            lowering.kind(owner).attribute(lowering, owner, node.attr, lowering.span(node), None) if has_own else None
        )
        if held is not None:
            return held
    name = f"_self{fresh_hidden(lowering)[1:]}"
    lowering.scope[name] = Bound(owner, lowering.span(node))
    function = ast.copy_location(ast.Attribute(ast.Name(name, ast.Load()), node.attr, ast.Load()), node)
    found = _closure(lowering, node, _calling(lowering, node, function, len(wanted.parameters)), wanted)
    del lowering.scope[name]
    return found


# ---- making values


def _check_type(lowering: FunctionLowering, symbol: Symbol, node: ast.expr, wanted: CallableType) -> None:
    """Refuse a function whose own type does not match."""
    found = function_type(lowering, symbol, node)
    if found is None or len(found.parameters) != len(wanted.parameters):
        return
    pairs = [*zip(wanted.parameters, found.parameters, strict=True), (found.result, wanted.result)]
    if not all(a == b or (a, b) in IMPLICIT or is_subtype(a, b) for a, b in pairs):
        what, at = _named(symbol), lowering.span(node)
        raise lowering.failure(callable_errors.FunctionType(at, what, shown(found), shown(wanted)))


def _named(symbol: Symbol) -> str:
    return f"the function '{symbol.shown}'" if isinstance(symbol, LocalSymbol) else shown_symbol(symbol)


def function_type(lowering: FunctionLowering, symbol: Symbol, node: ast.expr) -> CallableType | None:
    """The type of a named function without declared type: that of its signature; None if it has none."""
    match symbol:
        case FunctionSymbol():
            if type_variables(symbol.function, lowering):
                return None
            instance = lowering.program.instance(symbol.function, lowering.span(node))
            return _of_signature(lowering, symbol.function, instance.signature, instance.result, node)
        case IgnoredSymbol():
            signature = read_signature(lowering.context, symbol.function, TENSOR, {})
            return _of_signature(lowering, symbol.function, signature, signature.result, node)
        case LocalSymbol(function=LocalFunction(node=ast.FunctionDef() as tree)):
            function = replace(lowering.function, name=tree.name, tree=tree, callable=None, annotations={})
            signature = read_signature(lowering.context, function, TENSOR, {})
            types = _positional(signature)
            if types is None:
                return None
            lam = _calling(lowering, node, node, len(types))
            instance, _, _ = lambda_instance(lowering, lam, CallableType(types, TENSOR), infer=True)
            return _of_signature(lowering, function, signature, instance.result, node)
    return None


def _of_signature(
    lowering: FunctionLowering, function: PythonFunction, signature: Signature, result: Type | None, node: ast.expr
) -> CallableType | None:
    types = _positional(signature)
    if not signature.valid:
        raise Abandoned
    if result is None:
        raise lowering.failure(errors.RecursionWithoutType(lowering.span(node), function.name, function.header))
    return None if types is None else CallableType(types, result)


def _positional(signature: Signature) -> tuple[Type, ...] | None:
    """The types of the parameters of a function value: those without defaults; None if it cannot be called by
    position."""
    needed = [p for p in signature.parameters if p.default is REQUIRED]
    types = [p.type for p in needed if p.type is not None and p.positional and not p.variadic]
    return tuple(types) if len(types) == len(needed) else None


def lower_lambda(lowering: FunctionLowering, node: ast.Lambda) -> Value:
    """A lambda whose type cannot be inferred."""
    return lower_function(lowering, node, None)


def named_function(lowering: FunctionLowering, symbol: Symbol, node: ast.expr) -> Value | None:
    """A named function as a value where no type is declared; None for other names."""
    if not isinstance(symbol, _FUNCTIONS):
        return None
    type = function_type(lowering, symbol, node)
    if type is None:
        raise lowering.failure(callable_errors.UntypedFunction(lowering.span(node), _named(symbol)))
    return _closure(lowering, node, _calling(lowering, node, node, len(type.parameters)), type)


def _closure(lowering: FunctionLowering, node: ast.expr, function: ast.Lambda, wanted: CallableType) -> Value:
    """The value of a lambda; `node` is its expression in the source."""
    span = lowering.span(node)
    instance, held, values = lambda_instance(lowering, function, wanted)
    lowering.closed |= dict.fromkeys(held, node)
    check_captured(lowering, held, node)
    return lowering.emit(Closure(instance.graph.name, values, wanted, span))


# ---- names that a value holds


# ---- functions that stay in Python


# ---- calls


def call_value(lowering: FunctionLowering, function: Value, node: ast.Call) -> Value:
    """The call of a function value."""
    type = function.type
    assert isinstance(type, CallableType)
    refuse_stars(lowering, node)
    if node.keywords:
        at = lowering.span(node.keywords[0])
        problem = f"has no parameter '{node.keywords[0].arg}': its parameters have no names"
        raise lowering.failure(callable_errors.CallArguments(at, shown(type), problem, "give arguments by position"))
    wanted = type.parameters
    if len(node.args) != len(wanted):
        problem = f"takes {len(wanted)} argument{'' if len(wanted) == 1 else 's'}, {len(node.args)} given"
        instead = "pass one argument for each parameter of its type"
        raise lowering.failure(callable_errors.CallArguments(lowering.span(node), shown(type), problem, instead))
    values = [lowering.value_as(a, t) for a, t in zip(node.args, wanted, strict=True)]
    return invoke(lowering, function, values, lowering.span(node), [lowering.span(a) for a in node.args])


def invoke(
    lowering: FunctionLowering, function: Value, args: Sequence[Value], span: Span, places: Sequence[Span] = ()
) -> Value:
    """Call a function value with values."""
    type = function.type
    assert isinstance(type, CallableType)
    if len(args) != len(type.parameters):
        problem = f"takes {len(type.parameters)} arguments, {len(args)} given"
        raise lowering.failure(
            callable_errors.CallArguments(span, shown(type), problem, "take a function of that many parameters")
        )
    inputs = [function]
    for i, (value, wanted) in enumerate(zip(args, type.parameters, strict=True)):
        at = places[i] if places else span
        converted = lowering.coerce(value, wanted, at)
        if converted is None:
            problem = f"takes {article(wanted)} as argument {i + 1}, not {article(value.type)}"
            instead = conversion_help(value, wanted)
            raise lowering.failure(callable_errors.CallArguments(at, shown(type), problem, instead))
        inputs.append(converted)
    return lowering.emit(Invoke(inputs, type.result, span))


CALLABLE = Kind(
    truth=sequences.always(True),
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    call=call_value,
    invoke=invoke,
)
