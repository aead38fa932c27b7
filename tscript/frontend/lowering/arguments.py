"""The arguments of calls of builtins."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.lowering import Abandoned
from tscript.frontend.source.signatures import refuse_stars
from tscript.ir.graph import Value

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering


def wrong(lowering: LanguageLowering, node: ast.AST, name: str, problem: str, instead: str = "") -> Abandoned:
    """Report arguments that a builtin does not take."""
    return lowering.failure(
        errors.BuiltinArguments(lowering.span(node), name, problem, instead or f"see Python's {name}()")
    )


def arguments(lowering: LanguageLowering, node: ast.Call, name: str, low: int, high: int) -> list[ast.expr]:
    """The positional arguments of a builtin that takes no others, between `low` and `high` of them."""
    refuse_stars(lowering, node)
    if node.keywords:
        raise wrong(lowering, node.keywords[0], name, "takes no keyword arguments here", "give them by position")
    count = len(node.args)
    if not low <= count <= high:
        wanted = f"{low}" if low == high else f"{low} to {high}" if high < 100 else f"{low} or more"
        raise wrong(lowering, node, name, f"takes {wanted} argument{'' if wanted == '1' else 's'}, {count} given")
    return node.args


def values(lowering: LanguageLowering, node: ast.Call, name: str, low: int, high: int) -> list[Value]:
    """Their values."""
    return [lowering.value(a) for a in arguments(lowering, node, name, low, high)]
