"""Calls of functions, inner functions and methods with ``**names`` as a parameter: each call of other keywords is of a
function of its own (`tscript.frontend.source.keyword_parameters`)."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.source.classes import Method, method_function
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.keyword_parameters import with_keywords
from tscript.frontend.source.symbols import LocalFunction
from tscript.late import replace


def of_function(
    lowering: FunctionLowering, function: PythonFunction, node: ast.Call
) -> tuple[PythonFunction, ast.Call]:
    """The function that a call is of, and the call of that; both as they are without such a parameter.

    Raises:
        Abandoned: The body uses the parameter in a way that cannot be compiled; the error has been reported.
    """
    if function.tree.args.kwarg is None:
        return function, node
    tree, call = _spread(lowering, function, function.tree, node)
    names = tuple(a.arg for a in tree.args.kwonlyargs)
    made = lowering.program.keyworded.setdefault((function, names), replace(function, tree=tree, keywords=names))
    return made, call


def of_local(lowering: FunctionLowering, function: LocalFunction, node: ast.Call) -> tuple[LocalFunction, ast.Call]:
    """The same of an inner function."""
    definition = function.node
    if isinstance(definition, ast.Lambda) or definition.args.kwarg is None:
        return function, node
    tree, call = _spread(lowering, lowering.function, definition, node)
    key = function, tuple(a.arg for a in tree.args.kwonlyargs)
    return lowering.program.keyworded_inner.setdefault(key, LocalFunction(tree, function.span)), call


def of_method(lowering: FunctionLowering, method: Method, node: ast.Call) -> tuple[Method, ast.Call]:
    """The same of a method, whose call is without the receiver."""
    function = None if method.is_cached else method_function(method, lowering.report)
    if function is None or function.tree.args.kwarg is None:
        return method, node
    made, call = of_function(lowering, function, node)
    return replace(method, read=lambda: made, _function=made), call


def _spread(
    lowering: FunctionLowering, function: PythonFunction, tree: ast.FunctionDef, node: ast.Call
) -> tuple[ast.FunctionDef, ast.Call]:
    rest = tree.args.kwarg
    assert rest is not None
    refuse_stars(lowering, node)
    made, call, refused = with_keywords(tree, node)
    held = "Tensor" if rest.annotation is None else ast.unparse(rest.annotation)
    for name in refused:
        lowering.report(errors.VariadicParameter(function.span(name), name.id, held))
    if refused:
        raise Abandoned
    return made, call


__all__ = ["of_function", "of_local", "of_method"]
