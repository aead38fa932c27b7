"""Lists and dicts of modules or parameters: ``ModuleList``, ``Sequential``, ``ModuleDict`` and the like.

Compiled code knows what they hold, so each is a tuple of its members, or of its names, where it is used.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.diagnostics.suggest import meant
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Parts
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.receivers import definition_of, values_named
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.classes import Members
from tscript.frontend.values import fields
from tscript.ir.graph import Raise, Value
from tscript.types import BOOL, INT, NEVER, STR, union


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
        values = _values(lowering, value, members, span)
        if not isinstance(node.slice, ast.Slice) and len({v.type for v in values}) > 1:
            key = lowering.value(node.slice)
            if key.type == INT and not isinstance(key.constant, int):
                return _chosen(lowering, values, key, range(len(values)), node)
        made = make_tuple(lowering, values, span)
        of_tuple = lowering.kind(made).item
        assert of_tuple is not None
        return of_tuple(lowering, made, node)
    key = lowering.value(node.slice)
    if key.type == STR and not isinstance(key.constant, str):
        return _chosen(lowering, _values(lowering, value, members, span), key, members.names, node)
    if not isinstance(key.constant, str):
        instead = "write the name, a string"
        raise lowering.failure(errors.UnsupportedExpression(lowering.span(node.slice), article(key.type), instead))
    if key.constant not in members.names:
        close = meant(key.constant, members.names)
        instead = f"did you mean '{close}'?" if close else f"it has {', '.join(members.names) or 'none'}"
        shown = ast.unparse(node.value)
        raise lowering.failure(type_errors.NoAttribute(span, shown, "member", key.constant, instead))
    return fields.get_field(lowering, value, key.constant, span)


def _chosen(
    lowering: FunctionLowering, values: Sequence[Value], key: Value, keys: Sequence[int | str], node: ast.Subscript
) -> Value:
    """The member that a computed position or name means, of the union of their types."""
    span = lowering.span(node)
    wanted = union([v.type for v in values]) if values else NEVER

    def choose(i: int) -> Value:
        if i == len(values):
            _raise_missing(lowering, key, node)
            return Value(wanted)
        test = lowering.apply("eq", [key, lowering.constant(keys[i], span)], span)
        if key.type == INT:  # counted from the end, too
            other = lowering.apply("eq", [key, lowering.constant(i - len(values), span)], span)
            test = lowering.apply("bitwise_or", [test, other], span)
        then = lowering.branch(lambda: lowering.coerce(values[i], wanted, span))
        orelse = lowering.branch(lambda: choose(i + 1))
        found = merge(lowering, test, then, orelse, span, wanted)
        assert found is not None
        return found

    return choose(0)


def _raise_missing(lowering: FunctionLowering, key: Value, node: ast.Subscript) -> None:
    """Raise what Python raises where there is no such member."""
    span = lowering.span(node)
    if key.type == INT:
        lowering.block.nodes.append(Raise("IndexError", "index {0} is out of range", (key,), span))
        return
    with values_named(lowering, [key], node) as names:
        error = ast.Raise(ast.Call(ast.Name("KeyError", ast.Load()), names, []), None)
        for part in ast.walk(error):
            if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
                ast.copy_location(part, node)
        lowering.language.statements[ast.Raise](lowering, error)


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
