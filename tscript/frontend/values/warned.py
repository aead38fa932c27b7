"""``warnings.warn(message, category, stacklevel)``."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import refuse_stars, wrong
from tscript.frontend.lowering.calls import call_python, call_symbol
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hidden import fresh_hidden
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.functions import FunctionSymbol
from tscript.frontend.source.symbols import ExceptionSymbol
from tscript.ir.graph import Value
from tscript.operators.python.functions.warned import say, warn
from tscript.types import STR

NAME = "warnings.warn"


def lower_warn(lowering: FunctionLowering, node: ast.Call) -> Value:
    """A warning of a builtin class, with a text. Archives print it."""
    refuse_stars(lowering, node)
    given = dict(zip(("message", "category", "stacklevel", "source"), node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg is not None}
    if unknown := given.keys() - {"message", "category", "stacklevel"}:
        raise wrong(lowering, node, NAME, f"takes no '{min(unknown)}' here", "leave it out")
    if "message" not in given:
        raise wrong(lowering, node, NAME, "takes a message", "warnings.warn('what is odd')")
    text = lowering.value(given["message"])
    if text.type != STR:
        raise wrong(
            lowering, node, NAME, f"takes a str here, not {article(text.type)}", "warnings.warn(message, category)"
        )
    category = "UserWarning"
    kind = given.get("category")
    if kind is not None and not (isinstance(kind, ast.Constant) and kind.value is None):
        symbol = static(lowering, kind)
        if not isinstance(symbol, ExceptionSymbol) or symbol.type is not None or not symbol.name.endswith("Warning"):
            instead = "use UserWarning, DeprecationWarning or another of Python's"
            raise wrong(lowering, node, NAME, f"takes one of Python's warnings, not '{ast.unparse(kind)}'", instead)
        category = symbol.name
    span = lowering.span(node)
    name = fresh_hidden(lowering)
    lowering.scope[name] = Bound(text, span)
    args: list[ast.expr] = [
        ast.Name(name, ast.Load()),
        ast.Constant(category),
        given.get("stacklevel", ast.Constant(1)),
        ast.Constant(span.source.name),
        ast.Constant(span.line),
    ]
    call = ast.copy_location(
        ast.Call(node.func, [a if hasattr(a, "lineno") else ast.copy_location(a, node) for a in args], []), node
    )
    resolver = lowering.program.resolver
    if resolver.keeps_caches:
        found = call_symbol(lowering, call, FunctionSymbol(resolver.function(say)))
    else:
        found = call_python(lowering, call, resolver.function(warn))
    lowering.scope.pop(name, None)
    return found
