"""Calls of the low-level dialect: intrinsics and externs, conversions, other dialect functions, families by type."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from tscript.definitions.opdef import CCall, Extern, OpDef, OperatorTypeError
from tscript.diagnostics import Span
from tscript.dialect import machine
from tscript.dialect.linkage import linkage_of
from tscript.frontend.diagnostics import dialect_errors, errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import machine_article, machine_name
from tscript.frontend.dialect.lowering import DialectLowering, Operand
from tscript.frontend.dialect.shapes import Shape, bind, shape_of
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.names import static
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction
from tscript.frontend.source.symbols import (
    ByTypeSymbol,
    LeafSymbol,
    Symbol,
    TypeVariableSymbol,
)
from tscript.ir.graph import Call, Value
from tscript.types import BOOL, FLOAT, INT, STR, TYPE, U8, PtrType, Type, dtype_of


def lower_call(lowering: DialectLowering, node: ast.Call) -> Operand:
    """The result of a call."""
    refuse_stars(lowering, node)
    to = lowering.type_operand(node.func)
    if to is not None:
        return _convert(lowering, node, to)
    symbol = static(lowering, node.func)
    handler = None if symbol is None else _CALLS.get(type(symbol))
    if handler is None:
        what = "a value" if symbol is None else shown_symbol(symbol)
        instead = "call a dialect function, an intrinsic or a type"
        raise lowering.failure(type_errors.NotCallable(lowering.span(node.func), what, instead))
    return handler(lowering, node, symbol)


def _no_keywords(lowering: DialectLowering, node: ast.Call) -> None:
    if node.keywords:
        instead = "give the arguments by position"
        raise lowering.failure(
            dialect_errors.DialectUnsupported(lowering.span(node.keywords[0]), "a keyword argument here", instead)
        )


def _convert(lowering: DialectLowering, node: ast.Call, to: Type) -> Operand:
    _no_keywords(lowering, node)
    span = lowering.span(node)
    if len(node.args) != 1:
        problem = f"a conversion takes one argument, {len(node.args)} given"
        raise lowering.failure(dialect_errors.IntrinsicRefused(span, str(to), problem))
    found = lowering.operand(node.args[0])
    if not isinstance(found, Value):
        dtype = dtype_of(to)
        if dtype is not None and dtype.name == "bool":
            return lowering.const(bool(found.value), BOOL, span)
        if dtype is not None and dtype.is_integer and isinstance(found.value, float):
            return lowering.const(machine.CONVERT.semantics(found.value, to), to, span)
        return lowering.adopt(found, to, span)
    if found.type == to:
        return found
    if dtype_of(found.type) is None or dtype_of(to) is None:
        problem = (
            f"{machine_article(found.type)} is not a number; convert pointers with pointer_cast, address and pointer"
        )
        raise lowering.failure(dialect_errors.IntrinsicRefused(span, str(to), problem))
    return lowering.leaf(machine.CONVERT, [found, lowering.const(to, TYPE, span)], to, span)


# ---- intrinsics and externs


def _leaf(lowering: DialectLowering, node: ast.Call, symbol: LeafSymbol) -> Operand:
    _no_keywords(lowering, node)
    op = symbol.op
    span = lowering.span(node)
    if isinstance(op.implementation, CCall):
        return _call_c(lowering, op, op.implementation, node)
    if op is machine.FUNCTION:
        return _address_of_function(lowering, node)
    parameters = op.schema.parameters
    if len(node.args) != len(parameters):
        problem = f"takes {len(parameters)} arguments, {len(node.args)} given"
        raise lowering.failure(dialect_errors.IntrinsicRefused(span, _shown_name(op), problem))
    given: list[Operand] = []
    for argument in node.args:
        type = lowering.type_operand(argument)
        given.append(
            lowering.operand(argument) if type is None else lowering.const(type, TYPE, lowering.span(argument))
        )
    return apply_leaf(lowering, op, given, span)


def apply_leaf(lowering: DialectLowering, op: OpDef, given: Sequence[Operand], span: Span) -> Value:
    """Apply a leaf operator; literals take the type of the other operands, or of what a pointer points to."""
    parameters = op.schema.parameters
    common: Type | None = None
    if not isinstance(op.implementation, Extern):
        for parameter, operand in zip(parameters, given, strict=True):
            if parameter.kind == "Any" and isinstance(operand, Value) and operand.type not in (TYPE, STR):
                common = operand.type.pointee if isinstance(operand.type, PtrType) else operand.type
                break
    inputs: list[Value] = []
    for parameter, operand in zip(parameters, given, strict=True):
        wanted = _KINDS.get(parameter.kind, common)
        inputs.append(lowering.materialise(operand, span) if wanted is None else lowering.adopt(operand, wanted, span))
        if parameter.kind in _KINDS and inputs[-1].type != _KINDS[parameter.kind]:
            problem = (
                f"'{parameter.name}' is {machine_article(_KINDS[parameter.kind])}, "
                f"found {machine_article(inputs[-1].type)}"
            )
            raise lowering.failure(dialect_errors.IntrinsicRefused(span, _shown_name(op), problem))
    try:
        result = op.type_rule(inputs)
    except OperatorTypeError as error:
        raise lowering.failure(dialect_errors.IntrinsicRefused(span, _shown_name(op), str(error))) from None
    return lowering.leaf(op, inputs, result, span)


def _call_c(lowering: DialectLowering, op: OpDef, call: CCall, node: ast.Call) -> Value:
    """A call of a C function: literals take the types of the parameters."""
    span = lowering.span(node)
    given = [lowering.operand(argument) for argument in node.args]
    address = [] if call.symbol else [lowering.materialise(operand, span) for operand in given[:1]]
    rest = given[len(address) :]
    inputs = [
        lowering.adopt(operand, call.parameters[i], span)
        if i < len(call.parameters)
        else lowering.materialise(operand, span)
        for i, operand in enumerate(rest)
    ]
    try:
        result = op.type_rule([*address, *inputs])
    except OperatorTypeError as error:
        raise lowering.failure(dialect_errors.IntrinsicRefused(span, call.symbol or "call", str(error))) from None
    return lowering.leaf(op, [*address, *inputs], result, span)


def _address_of_function(lowering: DialectLowering, node: ast.Call) -> Value:
    """``function(f)``: `f` becomes part of the program, its type variables bound as here."""
    span = lowering.span(node)
    named = static(lowering, node.args[0]) if len(node.args) == 1 else None
    if not isinstance(named, FunctionSymbol) or named.function.callable is None:
        raise lowering.failure(dialect_errors.IntrinsicRefused(span, "function", "takes the name of a function"))
    own = lowering.context.bindings
    bindings = {variable: own[variable] for variable in shape_of(named.function).variables if variable in own}
    instance = lowering.program.bound_instance(named.function, bindings, span)
    symbol = linkage_of(named.function.callable).symbol or instance.graph.name
    return lowering.leaf(machine.FUNCTION, [lowering.const(symbol, STR, span)], PtrType(U8), span)


def _shown_name(op: OpDef) -> str:
    return op.schema.overload or op.schema.name


_KINDS: dict[str, Type] = {"int": INT, "bool": BOOL, "str": STR, "float": FLOAT}


# ---- dialect functions


def _call_function(lowering: DialectLowering, node: ast.Call, symbol: FunctionSymbol) -> Operand:
    function = symbol.function
    span = lowering.span(node)
    shape = shape_of(function)
    arguments = _place_arguments(lowering, node, function, shape)
    given: list[Operand | Type] = []
    for name, pattern, argument in zip(shape.names, shape.patterns, arguments, strict=True):
        if pattern is not None:
            given.append(lowering.operand(argument))
            continue
        type = lowering.type_operand(argument)
        if type is None:
            raise lowering.failure(dialect_errors.TypeExpected(lowering.span(argument), name, function.name))
        given.append(type)
    return call_function(lowering, function, given, span)


def call_function(
    lowering: DialectLowering, function: PythonFunction, given: Sequence[Operand | Type], span: Span
) -> Value:
    """Call a dialect function with its arguments in order; its type variables are inferred from their types."""
    shape = shape_of(function)
    bindings: dict[str, Type] = {}
    for name, pattern, argument in zip(shape.names, shape.patterns, given, strict=True):
        if isinstance(argument, Type):
            bindings[name] = argument
        elif isinstance(argument, Value) and pattern is not None:
            bind(pattern, argument.type, bindings)
    for variable in sorted(shape.variables):
        if variable not in bindings:
            outer = lowering.context.bindings.get(variable) or _literal_type(shape, variable, given)
            if outer is None:
                raise lowering.failure(dialect_errors.UnboundVariable(span, variable, function.name))
            bindings[variable] = outer
    instance = lowering.program.bound_instance(function, bindings, span)
    if not instance.signature.valid:
        raise Abandoned
    inputs: list[Value] = []
    for parameter, argument in zip(instance.signature.parameters, given, strict=True):
        if isinstance(argument, Type):
            continue
        assert parameter.type is not None
        value = lowering.adopt(argument, parameter.type, span)
        if value.type != parameter.type:
            instead = f"convert it: {machine_name(parameter.type)}(...)"
            problem = errors.ArgumentType(
                span, function.name, parameter.name, machine_name(parameter.type), machine_name(value.type), instead
            )
            raise lowering.failure(problem)
        inputs.append(value)
    result = instance.result
    if result is None:
        if instance.finished:
            raise Abandoned
        raise lowering.failure(errors.RecursionWithoutType(span, function.name, function.header))
    return lowering.emit(Call(instance.graph.name, inputs, result, span))


def _literal_type(shape: Shape, variable: str, given: Sequence[Operand | Type]) -> Type | None:
    """The type of a type variable for which only literals are passed."""
    for pattern, argument in zip(shape.patterns, given, strict=True):
        if (
            isinstance(pattern, TypeVariableSymbol)
            and pattern.name == variable
            and not isinstance(argument, Value | Type)
        ):
            return FLOAT if isinstance(argument.value, float) else INT
    return None


def _place_arguments(
    lowering: DialectLowering, node: ast.Call, function: PythonFunction, shape: Shape
) -> list[ast.expr]:
    text = f"{function.name}({ast.unparse(function.tree.args)})"
    span = lowering.span(node)
    if len(node.args) > len(shape.names):
        count = len(shape.names)
        raise lowering.failure(errors.TooManyArguments(span, function.name, count, len(node.args), text))
    found: dict[str, ast.expr] = dict(zip(shape.names, node.args, strict=False))
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg not in shape.names or keyword.arg in found:
            instead = f"the signature is {text}"
            raise lowering.failure(errors.UnknownKeyword(lowering.span(keyword), function.name, keyword.arg, instead))
        found[keyword.arg] = keyword.value
    for name in shape.names:
        if name not in found:
            if name not in shape.defaults:
                raise lowering.failure(errors.MissingArgument(span, function.name, name, text))
            found[name] = shape.defaults[name]
    return [found[name] for name in shape.names]


def _by_type(lowering: DialectLowering, node: ast.Call, symbol: ByTypeSymbol) -> Operand:
    _no_keywords(lowering, node)
    span = lowering.span(node)
    given = [lowering.operand(a) for a in node.args]
    type = next((g.type for g in given if isinstance(g, Value)), FLOAT)
    dtype = dtype_of(type)
    fn = None if dtype is None else symbol.by_dtype.get(dtype)
    if fn is None:
        known = ", ".join(d.machine for d in symbol.by_dtype)
        raise lowering.failure(dialect_errors.NoVariant(span, machine_name(type), known))
    found = lowering.program.resolver.symbol(fn)
    if isinstance(found, LeafSymbol):
        return apply_leaf(lowering, found.op, given, span)
    function = lowering.program.resolver.function(fn)
    shape = shape_of(function)
    if len(given) != len(shape.names):
        problem = f"takes {len(shape.names)} arguments, {len(given)} given"
        raise lowering.failure(dialect_errors.IntrinsicRefused(span, function.name, problem))
    return call_function(lowering, function, given, span)


_CALLS: dict[type[Symbol], Callable[[DialectLowering, ast.Call, Any], Operand]] = {
    LeafSymbol: _leaf,
    FunctionSymbol: _call_function,
    ByTypeSymbol: _by_type,
}
