"""``def`` inside a function."""

from __future__ import annotations

import ast
import copy

from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.receivers import named
from tscript.frontend.source.symbols import LocalFunction
from tscript.frontend.values import caches


def define(lowering: FunctionLowering, node: ast.FunctionDef) -> None:
    """``def`` inside a function."""
    cache = caches.cache_around(lowering, node.decorator_list)
    for decorator in node.decorator_list if cache is None else ():
        instead = "decorate functions at the top level of the module"
        raise lowering.failure(errors.UnsupportedStatement(lowering.span(decorator), "a decorator here", instead))
    for inner in ast.walk(node):
        if isinstance(inner, ast.Nonlocal):
            instead = "return the new value, and assign it where the function is called"
            raise lowering.failure(errors.UnsupportedStatement(lowering.span(inner), "'nonlocal'", instead))
        if isinstance(inner, ast.Yield | ast.YieldFrom | ast.Await):
            raise lowering.failure(
                errors.UnsupportedExpression(lowering.span(inner), "a generator inside a function", "return a list")
            )
    if cache is not None:
        caches.define(lowering, node, cache)
        return
    lowering.scope[node.name] = LocalFunction(_with_defaults(lowering, node), lowering.span(node))


def _with_defaults(lowering: FunctionLowering, node: ast.FunctionDef) -> ast.FunctionDef:
    """A function whose defaults are computed at its ``def``: each that is not a literal becomes a hidden name."""
    arguments = node.args
    given = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
    if all(map(_is_literal, given)):
        return node

    def kept(default: ast.expr) -> ast.expr:
        return default if _is_literal(default) else named(lowering, lowering.value(default), default)

    made = copy.copy(node)
    made.args = copy.copy(arguments)
    made.args.defaults = [kept(d) for d in arguments.defaults]
    made.args.kw_defaults = [None if d is None else kept(d) for d in arguments.kw_defaults]
    return made


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True
