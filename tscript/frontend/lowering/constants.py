"""Constants whose values the compiler needs."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.lowering import Lowering
from tscript.types import BOOL, INT


def constant_int(lowering: Lowering, node: ast.expr | None) -> int | None:
    """The constant int an expression is, None for no expression."""
    if node is None:
        return None
    value = lowering.value(node)
    if value.type not in (INT, BOOL) or not isinstance(value.constant, int):
        raise lowering.failure(type_errors.TupleIndexNotConstant(lowering.span(node)))
    return int(value.constant)
