"""The arguments of calls of builtins, of functions, and of functions in the language that implement builtins
(`tscript.operators.python.functions`)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from tscript.definitions.absent import REQUIRED
from tscript.definitions.language import Generic
from tscript.diagnostics import Span
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.conversions import default_value
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.signatures import Signature
from tscript.ir.graph import Call, Value


def wrong(lowering: FunctionLowering, node: ast.AST, name: str, problem: str, instead: str = "") -> Abandoned:
    """Report arguments that a builtin does not take."""
    return lowering.failure(
        errors.BuiltinArguments(lowering.span(node), name, problem, instead or f"see Python's {name}()")
    )


def arguments(lowering: FunctionLowering, node: ast.Call, name: str, low: int, high: int) -> list[ast.expr]:
    """The positional arguments of a builtin that takes `low` to `high` of them, and no keywords."""
    refuse_stars(lowering, node)
    if node.keywords:
        raise wrong(lowering, node.keywords[0], name, "takes no keyword arguments here", "give them by position")
    count = len(node.args)
    if not low <= count <= high:
        wanted = f"{low}" if low == high else f"{low} to {high}" if high < 100 else f"{low} or more"
        raise wrong(lowering, node, name, f"takes {wanted} argument{'' if wanted == '1' else 's'}, {count} given")
    return node.args


def values(lowering: FunctionLowering, node: ast.Call, name: str, low: int, high: int) -> list[Value]:
    """Their values."""
    return [lowering.value(a) for a in arguments(lowering, node, name, low, high)]


def match_arguments(
    lowering: Lowering, node: ast.Call, function: PythonFunction, signature: Signature
) -> list[ast.expr | None]:
    """The argument of each parameter, None where the default stands.

    Raises:
        Abandoned: The call does not fit the signature; the error has been reported.
    """
    refuse_stars(lowering, node)
    name, text = function.name, signature.text(function)
    parameters = signature.parameters
    positional = [p for p in parameters if p.positional and not p.variadic]
    variadic = next((p for p in parameters if p.variadic), None)
    found: dict[str, ast.expr] = {}
    rest = node.args[len(positional) :]
    if rest and variadic is None:
        span = lowering.span(rest[0])
        raise lowering.failure(errors.TooManyArguments(span, name, len(positional), len(node.args), text))
    if rest and variadic is not None:
        found[variadic.name] = ast.copy_location(ast.Tuple(rest, ast.Load()), rest[0])
    for parameter, argument in zip(positional, node.args, strict=False):
        found[parameter.name] = argument
    by_name = {p.name: p for p in parameters}
    for keyword in node.keywords:
        assert keyword.arg is not None
        span = lowering.span(keyword)
        target = by_name.get(keyword.arg)
        if target is None:
            close = close_matches(keyword.arg, by_name)
            instead = f"did you mean '{close[0]}'?" if close else f"the signature is {text}"
            raise lowering.failure(errors.UnknownKeyword(span, name, keyword.arg, instead))
        if not target.keyword:
            raise lowering.failure(errors.PositionalOnly(span, name, keyword.arg, text))
        if keyword.arg in found:
            raise lowering.failure(errors.RepeatedArgument(span, name, keyword.arg))
        found[keyword.arg] = keyword.value
    for parameter in parameters:
        if parameter.name not in found and parameter.default is REQUIRED:
            raise lowering.failure(errors.MissingArgument(lowering.span(node), name, parameter.name, text))
    return [found.get(p.name) for p in parameters]


def refuse_stars(lowering: Lowering, node: ast.Call) -> None:
    """Report ``f(*x)`` and ``f(**x)``."""
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            raise lowering.failure(errors.StarredArgument(lowering.span(argument), "*"))
    for keyword in node.keywords:
        if keyword.arg is None:
            raise lowering.failure(errors.StarredArgument(lowering.span(keyword.value), "**"))


def in_source_order(arguments: Sequence[ast.expr | None], node: ast.Call) -> list[int]:
    """The positions of `arguments` in source order, which is the order of evaluation."""
    order = {id(a): i for i, a in enumerate([*node.args, *(k.value for k in node.keywords)])}

    def place(argument: ast.expr) -> int:
        gathered = isinstance(argument, ast.Tuple) and id(argument) not in order
        return order[id(argument.elts[0] if gathered else argument)]  # type: ignore[attr-defined]

    given = [(place(a), i) for i, a in enumerate(arguments) if a is not None]
    return [i for _, i in sorted(given)]


Function = Callable[..., Any]
"""A source function, `Generic` or not."""


def call_function(
    lowering: FunctionLowering, function: Function, args: Sequence[Value], span: Span, name: str = ""
) -> Value:
    """A call of a source function. A parameter without annotation gets the type of its argument. Other arguments are
    converted to the declared type. A parameter without argument gets its default.

    Args:
        name: The name in the source, for messages.

    Raises:
        Abandoned: An argument does not fit, or the function has an error; it has been reported.
    """
    known = lowering.program.resolver.function(function.function if isinstance(function, Generic) else function)
    parameters = known.tree.args.args
    given = {p.arg: v.type for p, v in zip(parameters, args, strict=False) if p.annotation is None}
    instance = lowering.program.instance(known, span, given)
    if instance.result is None:
        raise Abandoned
    inputs: list[Value] = []
    for i, parameter in enumerate(instance.signature.parameters):
        assert parameter.type is not None
        if i >= len(args):
            inputs.append(default_value(lowering, parameter.default, parameter.type, span))
            continue
        found = args[i] if parameter.name in given else lowering.coerce(args[i], parameter.type, span)
        if found is None:
            problem = f"takes {article(parameter.type)}, not {article(args[i].type)}"
            raise lowering.failure(errors.BuiltinArguments(span, name, problem, "convert the argument"))
        inputs.append(found)
    return lowering.emit(Call(instance.graph.name, inputs, instance.result, span))


def call_as_written(
    lowering: FunctionLowering, node: ast.Call, function: Function, first: Sequence[Value], name: str
) -> Value:
    """A call of a source function with values, followed by the arguments of a call, which may have keywords."""
    refuse_stars(lowering, node)
    parameters = lowering.program.resolver.function(function).tree.args
    positional = [a.arg for a in parameters.args]
    names = [*positional, *(a.arg for a in parameters.kwonlyargs)]
    given: dict[str, Value] = dict(zip(positional, first, strict=False))
    if len(first) + len(node.args) > len(positional):
        limit = len(positional) - len(first)
        problem = f"takes {limit} argument{'' if limit == 1 else 's'} by position, {len(node.args)} given"
        raise wrong(lowering, node, name, problem)
    for parameter, argument in zip(positional[len(first) :], node.args, strict=False):
        given[parameter] = lowering.value(argument)
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg not in names or keyword.arg in given:
            raise wrong(lowering, keyword, name, f"takes no argument '{keyword.arg}' here")
        given[keyword.arg] = lowering.value(keyword.value)
    instance = lowering.program.instance(lowering.program.resolver.function(function), lowering.span(node))
    args: list[Value] = []
    for parameter, known in zip(names, instance.signature.parameters, strict=True):
        if parameter in given:
            args.append(given[parameter])
        elif known.default is not REQUIRED:
            assert known.type is not None
            args.append(default_value(lowering, known.default, known.type, lowering.span(node)))
        else:
            raise wrong(lowering, node, name, f"is missing the argument '{parameter}'")
    return call_function(lowering, function, args, lowering.span(node), name)
