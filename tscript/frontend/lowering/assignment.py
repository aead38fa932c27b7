"""Assignment of a value to a target of any kind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.names import bind
from tscript.ir.graph import Value


def _assign_name(lowering: Lowering, target: ast.Name, value: Value) -> None:
    bind(lowering, target.id, value, lowering.span(target))


def _assign_elements(lowering: Lowering, target: ast.Tuple | ast.List, value: Value) -> None:
    span = lowering.span(target)
    stars = [i for i, element in enumerate(target.elts) if isinstance(element, ast.Starred)]
    if len(stars) > 1:
        raise lowering.failure(errors.StarredTarget(lowering.span(target.elts[stars[1]])))
    if stars:
        found = lowering.unpack_starred(value, stars[0], len(target.elts) - stars[0] - 1, span)
    else:
        found = lowering.unpack(value, len(target.elts), span)
    for element, part in zip(target.elts, found, strict=True):
        assign_to(lowering, element.value if isinstance(element, ast.Starred) else element, part)


def _assign_place(lowering: Lowering, target: ast.Subscript | ast.Attribute, value: Value) -> None:
    lowering.store(target, value)


def assign_to(lowering: Lowering, target: ast.expr, value: Value) -> None:
    """Assign a value to a target of any kind."""
    handler = _TARGETS.get(type(target))
    if handler is None:
        raise lowering.failure(errors.StarredTarget(lowering.span(target)))
    handler(lowering, target, value)


_TARGETS: dict[type[ast.expr], Callable[[Lowering, Any, Value], None]] = {
    ast.Name: _assign_name,
    ast.Tuple: _assign_elements,
    ast.List: _assign_elements,
    ast.Subscript: _assign_place,
    ast.Attribute: _assign_place,
}
