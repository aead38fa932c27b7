"""Lambdas as graphs of their own, with the captured values in front."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.frontend.diagnostics import callable_errors, container_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering.captures import free_names
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import read
from tscript.frontend.lowering.program import Instance
from tscript.frontend.lowering.scopes import Given, Scope, given_in
from tscript.frontend.source.symbols import LocalFunction
from tscript.ir.graph import Value
from tscript.late import replace
from tscript.types import NONE, CallableType, Type
from tscript.types.inference import is_open


def type_of_lambda(lowering: FunctionLowering, node: ast.Lambda, parameters: Sequence[Type]) -> CallableType:
    """The type of a lambda with parameters of these types; the result type is that of its body."""
    type = CallableType(tuple(parameters), NONE)
    instance, _, _ = lambda_instance(lowering, node, type, infer=True)
    if instance.result is None:
        raise Abandoned
    return CallableType(type.parameters, instance.result)


def lambda_instance(
    lowering: FunctionLowering, function: ast.Lambda, wanted: CallableType, *, infer: bool = False
) -> tuple[Instance, list[str], list[Value]]:
    """The graph of a lambda for a type, the names it captures, and all captured values. `infer`: the result type is
    inferred."""

    span = lowering.span(function)
    held: dict[str, Value] = {}
    for name in free_names(lowering, LocalFunction(function, span)):
        value = read(lowering, ast.copy_location(ast.Name(name, ast.Load()), function))
        assert value is not None
        if is_open(value.type):
            kind = str(value.type).partition("[")[0]
            raise lowering.failure(container_errors.OpenContainer(span, kind, name, f"{kind}[int]"))
        held[name] = value
    own = [*function.args.posonlyargs, *function.args.args]
    count = len(wanted.parameters)
    defaults = [None] * (len(own) - len(function.args.defaults)) + list(function.args.defaults)
    extra = [*zip(own[count:], defaults[count:], strict=True)]
    extra += zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    if len(own) < count or any(d is None for _, d in extra) or function.args.vararg or function.args.kwarg:
        found = f"{len(own)} argument{'' if len(own) == 1 else 's'}"
        raise lowering.failure(callable_errors.FunctionParameters(span, "this lambda", found, shown(wanted), count))
    front = list(held.items())
    for argument, default in extra:
        assert default is not None
        front.append((argument.arg, lowering.value(default)))
    types = {n: v.type for n, v in front} | {a.arg: t for a, t in zip(own, wanted.parameters, strict=False)}
    parameters = [ast.arg(n) for n in [*(n for n, _ in front), *(a.arg for a in own[:count])]]
    arguments = ast.arguments(parameters, [], None, [], [], None, [])
    body = ast.copy_location(ast.Return(function.body), function.body)
    tree = ast.FunctionDef(name="lambda", args=arguments, body=[body], decorator_list=[], returns=None)
    ast.copy_location(tree, function)
    for argument in parameters:
        ast.copy_location(argument, function)
    made = replace(
        lowering.function,
        name="lambda",
        qualname=f"{lowering.function.qualname}.lambda",
        tree=tree,
        callable=None,
        annotations={},
    )
    functions: Scope = {n: b for n, b in lowering.scope.items() if isinstance(b, LocalFunction | Given)}
    key = (function, None if infer else wanted, tuple(types.items()), given_in(functions))
    program = lowering.program
    instance = program.known(key)
    if instance is None:
        instance = program.lower_instance(
            made,
            key,
            f"{lowering.graph.name}.lambda",
            span,
            lowering.context.bindings,
            types=types,
            functions=functions,
            result=None if infer else wanted.result,
        )
    if instance.findings.diagnostics:
        raise Abandoned
    lowering.closed |= {n: function for n in instance.closed if n in held}
    return instance, list(held), [v for _, v in front]
