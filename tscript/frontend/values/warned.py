"""``warnings.warn(message, category, stacklevel)``."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import refuse_stars, wrong
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.source.symbols import ExceptionSymbol
from tscript.ir.graph import Value
from tscript.operators.python.python_calls import WARN
from tscript.types import INT, NONE, STR

NAME = "warnings.warn"


def lower_warn(lowering: FunctionLowering, node: ast.Call) -> Value:
    """A warning of a builtin class, with a text."""
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
    level = lowering.coerce(lowering.value(given["stacklevel"]), INT, span) if "stacklevel" in given else None
    if level is None and "stacklevel" in given:
        raise wrong(lowering, node, NAME, "takes an int as 'stacklevel'", "warnings.warn(message, stacklevel=2)")
    inputs = [
        text,
        lowering.const(category, STR, span),
        level or lowering.const(1, INT, span),
        lowering.const(span.source.name, STR, span),
        lowering.const(span.line, INT, span),
    ]
    return lowering.leaf(WARN, inputs, NONE, span)
