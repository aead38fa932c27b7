"""Types that a call gives to open parameters of its callee."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.classes import MemberSymbol
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction
from tscript.frontend.source.opened import open_parameters
from tscript.frontend.source.symbols import ConstantSymbol
from tscript.types import NEVER, TENSOR, Type, completed
from tscript.types.inference import has_open_part, is_open


def types_given(
    lowering: FunctionLowering, function: PythonFunction, node: ast.Call, first: int = 0
) -> dict[str, Type]:
    """The types that a call gives to open parameters of `function`, by name.

    Those that get a tensor where it is meant anyway are left out. The arguments belong to the parameters from `first`
    on.
    """
    arguments = function.tree.args
    plain = [*arguments.posonlyargs, *arguments.args]
    named = {k.arg: k.value for k in node.keywords}
    given = dict(zip([a.arg for a in plain[first:]], _before_stars(node.args), strict=False)) | {
        a.arg: named[a.arg] for a in (*plain[first:], *arguments.kwonlyargs) if a.arg in named
    }
    optional = {a.arg for a in plain[len(plain) - len(arguments.defaults) :]} | {
        a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None
    }
    found: dict[str, Type] = {}
    for name, declared in open_parameters(function, lowering.program.resolver).items():
        if name not in given or (type := _type_of(lowering, given[name])) is None:
            continue
        wanted_type = completed(declared, type, narrow=True)
        if wanted_type is None:
            span, wanted, instead = lowering.span(given[name]), article(declared), conversion_help(type, declared)
            raise lowering.failure(errors.ArgumentType(span, function.name, name, wanted, shown(type), instead))
        if type != TENSOR or name in optional:
            found[name] = wanted_type
    return found


def _before_stars(args: list[ast.expr]) -> list[ast.expr]:
    stars = [i for i, a in enumerate(args) if isinstance(a, ast.Starred)]
    return args[: stars[0]] if stars else args


def _type_of(lowering: FunctionLowering, node: ast.expr) -> Type | None:
    """The type of an argument; None if it has none by itself. Cheap tests, without lowering it, come first."""
    if isinstance(node, ast.Name):
        bound = lowering.scope.get(node.id)
        if isinstance(bound, Bound):
            return _known(bound.value.type)
    if isinstance(node, ast.Lambda):
        return None
    symbol = static(lowering, node)
    if isinstance(symbol, FunctionSymbol) and not open_parameters(symbol.function, lowering.program.resolver):
        return _known(type_of_expression(lowering, node))
    if symbol is not None and not isinstance(symbol, ConstantSymbol | MemberSymbol):
        return None
    return _known(type_of_expression(lowering, node))


def _known(type: Type) -> Type | None:
    """A type, if something is known of it. What an empty container holds is found in the callee."""
    return None if type == NEVER or (has_open_part(type) and not is_open(type)) else type
