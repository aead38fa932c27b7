"""Lists and dicts of modules or parameters: ``ModuleList``, ``Sequential``, ``ModuleDict`` and the like.

Compiled code knows what they hold, so each is a tuple of its members, or of its names, where it is used.
"""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.diagnostics.suggest import meant
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Parts
from tscript.frontend.lowering.receivers import definition_of
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.classes import Members
from tscript.frontend.values import fields
from tscript.ir.graph import Value
from tscript.types import BOOL, INT, STR


def members_of(value: Value) -> Members | None:
    """What a value holds, if it is a list or dict of modules."""
    definition = definition_of(value)
    return None if definition is None else definition.members


def length(lowering: FunctionLowering, value: Value, members: Members, span: Span) -> Value:
    """``len(x)``."""
    return lowering.const(len(members.names), INT, span)


def source(lowering: FunctionLowering, value: Value, members: Members, span: Span) -> Source:
    """What a loop over it goes over."""
    return Parts(_names(lowering, members, span) if members.is_mapping else _values(lowering, value, members, span))


def item(lowering: FunctionLowering, value: Value, members: Members, node: ast.Subscript) -> Value | None:
    """``x[index]``; None if a class derived from it has another."""
    span = lowering.span(node)
    if not members.is_mapping:
        values = make_tuple(lowering, _values(lowering, value, members, span), span)
        of_tuple = lowering.kind(values).item
        assert of_tuple is not None
        return of_tuple(lowering, values, node)
    key = lowering.value(node.slice)
    if not isinstance(key.constant, str):
        instead = "write the name as a literal, or loop over 'items()'"
        raise lowering.failure(
            errors.UnsupportedExpression(lowering.span(node.slice), "a name that is computed", instead)
        )
    if key.constant not in members.names:
        close = meant(key.constant, members.names)
        instead = f"did you mean '{close}'?" if close else f"it has {', '.join(members.names) or 'none'}"
        shown = ast.unparse(node.value)
        raise lowering.failure(type_errors.NoAttribute(span, shown, "member", key.constant, instead))
    return fields.get_field(lowering, value, key.constant, span)


def contains(lowering: FunctionLowering, members: Members, key: Value, span: Span) -> Value:
    """``name in x`` of a dict."""
    if isinstance(key.constant, str):
        return lowering.const(key.constant in members.names, BOOL, span)
    names = make_tuple(lowering, _names(lowering, members, span), span)
    of_tuple = lowering.kind(names).contains
    found = None if of_tuple is None or not members.names else of_tuple(lowering, names, key, span)
    return lowering.const(False, BOOL, span) if found is None else found


def view(lowering: FunctionLowering, node: ast.Call, value: Value, members: Members) -> Value | None:
    """``x.keys()``, ``values()`` and ``items()`` of a dict, as tuples; None for other methods."""
    assert isinstance(node.func, ast.Attribute)
    name, span = node.func.attr, lowering.span(node)
    if not members.is_mapping or name not in ("keys", "values", "items"):
        return None
    refuse_stars(lowering, node)
    if node.args or node.keywords:
        raise lowering.failure(errors.BuiltinArguments(span, name, "takes no arguments", "leave them out"))
    names, values = _names(lowering, members, span), _values(lowering, value, members, span)
    if name == "items":
        return make_tuple(
            lowering, [make_tuple(lowering, pair, span) for pair in zip(names, values, strict=True)], span
        )
    return make_tuple(lowering, names if name == "keys" else values, span)


def _values(lowering: FunctionLowering, value: Value, members: Members, span: Span) -> list[Value]:
    return [fields.get_field(lowering, value, name, span) for name in members.names]


def _names(lowering: FunctionLowering, members: Members, span: Span) -> list[Value]:
    return [lowering.const(name, STR, span) for name in members.names]
