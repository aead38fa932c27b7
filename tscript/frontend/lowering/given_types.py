"""Types that a call gives to open parameters of its callee."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import callable_errors, errors
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering.captures import names_read
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.scopes import Bound, Given
from tscript.frontend.source.classes import MemberSymbol
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction
from tscript.frontend.source.opened import open_parameters
from tscript.frontend.source.signatures import is_function
from tscript.frontend.source.symbols import ConstantSymbol, ContainerSymbol, LocalFunction, LocalSymbol
from tscript.late import replace
from tscript.types import NEVER, OPEN, TENSOR, KnownType, Type, completed
from tscript.types.inference import has_open_part, is_open


def types_given(
    lowering: FunctionLowering, function: PythonFunction, node: ast.Call, first: int = 0, *, only_declared: bool = False
) -> dict[str, Type]:
    """The types that a call gives to open parameters of `function`, by name.

    Those that get a tensor where it is meant anyway are left out. The arguments belong to the parameters from `first`
    on. With `only_declared`, those without annotation are left out too.
    """
    stored = function.stored
    if stored is not None and not stored.versions:
        return {}
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
        is_fixed = only_declared and declared == OPEN and name not in (function.keywords or ())
        if name not in given or is_fixed or (stored is not None and name not in stored.opened):
            continue
        if (type := _type_of(lowering, given[name])) is None:
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
    if (function := function_type(lowering, node)) is not None:
        return function
    symbol = None if isinstance(node, ast.Lambda) else static(lowering, node)
    if symbol is None or isinstance(symbol, FunctionSymbol | ConstantSymbol | MemberSymbol | ContainerSymbol):
        return None if isinstance(node, ast.Lambda) else _known(type_of_expression(lowering, node))
    return None


def function_type(lowering: FunctionLowering, node: ast.expr) -> KnownType | None:
    """The type of a function that a parameter without declared type can stand for; None of anything else, and of
    functions with a type that values can have."""
    if isinstance(node, ast.Name) and isinstance(bound := lowering.scope.get(node.id), Bound | Given):
        return bound.type if isinstance(bound, Given) else None
    if isinstance(node, ast.Lambda):
        return _inner(lowering, LocalFunction(node, lowering.span(node)), node)
    symbol = static(lowering, node)
    if isinstance(symbol, LocalSymbol):
        return _inner(lowering, symbol.function, node)
    if isinstance(symbol, FunctionSymbol):
        is_open = open_parameters(symbol.function, lowering.program.resolver)
        return KnownType(symbol.function.callable or symbol.function) if is_open else None
    return KnownType(symbol) if symbol is not None and is_function(symbol) else None


def _inner(lowering: FunctionLowering, function: LocalFunction, at: ast.expr) -> KnownType | None:
    """The type of an inner function that captures nothing: it is the same wherever it is called."""
    tree = function.node
    captures = any(name in lowering.scope or name in lowering.local_names for name in names_read(tree))
    if isinstance(tree, ast.FunctionDef) and tree in lowering.program.caches:
        return None
    if captures:
        what = "this lambda, which captures a name," if isinstance(tree, ast.Lambda) else f"the function '{tree.name}'"
        raise lowering.failure(callable_errors.UntypedFunction(lowering.span(at), what))
    made = lowering.program.apart.get(tree)
    if made is None:
        name = "lambda" if isinstance(tree, ast.Lambda) else tree.name
        if isinstance(tree, ast.Lambda):
            body = ast.copy_location(ast.Return(tree.body), tree.body)
            lone = ast.FunctionDef(name=name, args=tree.args, body=[body], decorator_list=[], returns=None)
            tree = ast.copy_location(lone, tree)
        qualname = f"{lowering.function.qualname}.{name}"
        around = lowering.function
        made = replace(around, name=name, qualname=qualname, tree=tree, callable=None, annotations={}, cache=None)
        lowering.program.apart[function.node] = made
    return KnownType(made)


def _known(type: Type) -> Type | None:
    """A type, if something is known of it. What an empty container holds is found in the callee."""
    return None if type == NEVER or (has_open_part(type) and not is_open(type)) else type
