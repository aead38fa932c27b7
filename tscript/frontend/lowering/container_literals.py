"""Literals and comprehensions of lists, dicts, sets and tuples, with the declared types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tscript.frontend.diagnostics import container_errors
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import iterables, sources, subscripts
from tscript.frontend.lowering.assignment import assign_to
from tscript.frontend.lowering.common import any_length, common
from tscript.frontend.lowering.conditions import conditional
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.holding import (
    add,
    append,
    append_at,
    collect,
    element,
    hashable,
    part_of,
    put,
    run_into,
)
from tscript.frontend.lowering.iterables import is_iterator
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.new_containers import make_dict, make_list, make_set
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.refinement import remember
from tscript.frontend.lowering.sources import source_of
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.ir.graph import Value
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NEVER,
    STR,
    ClassType,
    DictType,
    ListType,
    SetType,
    TensorType,
    TupleType,
    Type,
    members_of,
)
from tscript.types.inference import has_open_part, is_open


def lower_into(lowering: FunctionLowering, target: ast.expr, node: ast.expr) -> Value | None:
    """A lambda or a literal that takes its type from the element or attribute to which it is assigned; None for any
    other expression or target."""
    if not isinstance(target, ast.Subscript | ast.Attribute) or not (
        isinstance(node, ast.Lambda) or makes_container(node)
    ):
        return None
    place = type_of_expression(lowering, target.value) if is_slice(target) else place_type(lowering, target)
    return lowering.value_as(node, place)


def is_slice(target: ast.expr) -> bool:
    """Whether a target is a slice."""
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)


def _inside(element: Type | None, target: Type | None) -> Type | None:
    """The declared element type of a literal, or None. The elements of an `object` may have any type."""
    return ANY if element is None and target == ANY else element


def wanted_of(target: Type | None, kind: type[Type]) -> Any:
    """The member of a declared type that a literal of this kind can be, or None."""
    if target is None:
        return None
    found = [m for m in members_of(target) if isinstance(m, kind)]
    return found[0] if len(found) == 1 else None


def _common(
    lowering: FunctionLowering,
    values: Sequence[Value],
    nodes: Sequence[ast.expr],
    what: str,
    target: Type | None,
    key: Type | None = None,
) -> Type:
    """The common type of the elements of a literal; `ANY` if the literal is assigned to a `target` of any type. For
    values of a dict, `key` is the type of the keys."""
    if not values:
        return NEVER
    out = values[0].type
    for value, node in zip(values[1:], nodes[1:], strict=True):
        if value.type == out:
            continue
        if lowering.settle(value, out):
            continue
        if all(lowering.settle(v, value.type) for v in values[: values.index(value)]):
            out = value.type
            continue
        joined = out if is_open(value.type) else common(out, value.type) or any_length(out, value.type)
        if joined is None and target == ANY:
            return ANY
        if joined is None:
            both = f"{shown(out)} | {shown(value.type)}"
            example = {
                "key": f"d: dict[{both}, ...]",
                "dict": f"d: dict[{shown(key or STR)}, {both}]",
                "set": f"s: set[{both}]",
            }
            declared = example.get(what, f"xs: list[{both}]")
            instead = f"give all one type, or declare a union: '{declared} = ...'"
            if isinstance(out, TensorType) and value.type in (INT, FLOAT, BOOL):
                instead = conversion_help(value, out)
            raise lowering.failure(
                container_errors.ElementType(
                    lowering.span(node), part_of(what), shown(out), shown(value.type), instead, lowering.span(nodes[0])
                )
            )
        out = joined
    return out


def _list(lowering: FunctionLowering, node: ast.List, target: Type | None) -> Value:
    span = lowering.span(node)
    wanted = wanted_of(target, ListType)
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return _spread(lowering, node, None if wanted is None else wanted.element)
    inner = None if wanted is None else wanted.element
    values = [lowering.value_as(e, _inside(inner, target)) for e in node.elts]
    held = _common(lowering, values, node.elts, "list", target) if inner is None or inner == NEVER else inner
    parts = [element(lowering, e, v, held, "list") for e, v in zip(node.elts, values, strict=True)]
    return make_list(lowering, ListType(held), parts, span)


def _spread(lowering: FunctionLowering, node: ast.List | ast.Tuple | ast.Set, wanted: Type | None) -> Value:
    """A list with ``*`` in it."""
    span = lowering.span(node)
    if wanted is None:
        wanted = _spread_type(lowering, node.elts)
    out = make_list(lowering, ListType(NEVER if wanted is None else wanted), [], span)
    for part in node.elts:
        if isinstance(part, ast.Starred):
            source = sources.source_of(lowering, part.value)
            run_into(lowering, source, partial(append_at, lowering, out, part), part)
        else:
            assert isinstance(out.type, ListType)
            append(lowering, out, lowering.value_as(part, out.type.element), part)
    return out


def _spread_type(lowering: FunctionLowering, nodes: Sequence[ast.expr]) -> Type | None:
    """The common element type of a literal with ``*``, where that is not the type of its first element."""
    out: Type | None = None
    for node in nodes:
        if isinstance(node, ast.Starred) and iterables.is_iterator(lowering, node.value):
            return None
        found = type_of_expression(lowering, node.value if isinstance(node, ast.Starred) else node)
        if isinstance(node, ast.Starred):
            if not isinstance(found, ListType | SetType):
                return None
            found = found.element
        if found is None or has_open_part(found) or found == NEVER:
            return None
        out = found if out is None else common(out, found)
        if out is None:
            return None
    return out


def _tuple(lowering: FunctionLowering, node: ast.Tuple, target: Type | None) -> Value:
    span = lowering.span(node)
    frozen = wanted_of(target, ListType)
    if frozen is not None and frozen.frozen:
        wanted = [frozen.element] * len(node.elts)
    else:
        fixed = wanted_of(target, TupleType)
        wanted = list(fixed.elements) if fixed is not None and len(fixed.elements) == len(node.elts) else []
        if fixed is None and target == ANY:
            wanted = [ANY] * len(node.elts)
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return _spread_tuple(lowering, node)
    if not wanted:
        return make_tuple(lowering, [lowering.value(e) for e in node.elts], span)
    return make_tuple(lowering, [lowering.value_as(e, t) for e, t in zip(node.elts, wanted, strict=True)], span)


def _spread_tuple(lowering: FunctionLowering, node: ast.Tuple) -> Value:
    """``(a, *b)``: the tuples in it are of known length."""
    parts: list[Value] = []
    for part in node.elts:
        if not isinstance(part, ast.Starred):
            parts.append(lowering.value(part))
            continue
        value = lowering.value(part.value)
        if not isinstance(value.type, TupleType):
            raise lowering.failure(container_errors.SpreadLength(lowering.span(part), article(value.type)))
        parts += tuple_elements(lowering, value, lowering.span(part))
    return make_tuple(lowering, parts, lowering.span(node))


def _dict(lowering: FunctionLowering, node: ast.Dict, target: Type | None) -> Value:
    span = lowering.span(node)
    wanted = wanted_of(target, DictType)
    declared = None if wanted is None or wanted.key == NEVER else wanted
    keys = [k for k in node.keys if k is not None]
    pairs: list[tuple[Value, Value]] = []
    merged: list[tuple[int, ast.expr]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            merged.append((len(pairs), value))
            continue
        left = lowering.value_as(key, _inside(declared and declared.key, target))
        pairs.append((left, lowering.value_as(value, _inside(declared and declared.value, target))))
    if declared is None:
        plain = [v for k, v in zip(node.keys, node.values, strict=True) if k is not None]
        key_type = _common(lowering, [k for k, _ in pairs], keys, "key", target)
        value_type = _common(lowering, [v for _, v in pairs], plain, "dict", target, key_type)
        if merged and not pairs:
            first = lowering.value(merged[0][1])
            if isinstance(first.type, DictType):
                key_type, value_type = first.type.key, first.type.value
        declared = DictType(key_type, value_type)
    if keys:
        hashable(lowering, declared.key, lowering.span(keys[0]))
    flat: list[Value] = []
    values = [v for k, v in zip(node.keys, node.values, strict=True) if k is not None]
    for (left, right), key, value in zip(pairs, keys, values, strict=True):
        flat.append(element(lowering, key, left, declared.key, "key"))
        flat.append(element(lowering, value, right, declared.value, "dict"))
    if not merged:
        return make_dict(lowering, declared, flat, span)
    out = make_dict(lowering, declared, [], span)
    for i in range(len(pairs) + 1):
        for at, source in merged:
            if at == i:
                lowering.apply("update", [out, lowering.value(source)], lowering.span(source))
        if i < len(pairs):
            lowering.apply("setitem", [out, flat[2 * i], flat[2 * i + 1]], span)
    return out


def _set(lowering: FunctionLowering, node: ast.Set, target: Type | None) -> Value:
    span = lowering.span(node)
    wanted = wanted_of(target, SetType)
    inner = None if wanted is None or wanted.element == NEVER else wanted.element
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return lowering.apply("to_set", [_spread(lowering, node, inner)], span)
    values = [lowering.value_as(e, _inside(inner, target)) for e in node.elts]
    held = _common(lowering, values, node.elts, "set", target) if inner is None else inner
    hashable(lowering, held, span)
    parts = [element(lowering, e, v, held, "set") for e, v in zip(node.elts, values, strict=True)]
    return make_set(lowering, SetType(held), parts, span)


def _list_comp(lowering: FunctionLowering, node: ast.ListComp, target: Type | None) -> Value:
    declared = wanted_of(target, ListType)
    inner = NEVER if declared is None else declared.element
    out = make_list(lowering, ListType(inner), [], lowering.span(node))

    def body() -> None:
        assert isinstance(out.type, ListType)
        wanted = None if out.type.element == NEVER else out.type.element
        append(lowering, out, lowering.value_as(node.elt, wanted), node.elt)

    sources.comprehend(lowering, node, body, Run({}, lowering.span(node)))
    return out


def _set_comp(lowering: FunctionLowering, node: ast.SetComp, target: Type | None) -> Value:
    wanted = wanted_of(target, SetType)
    out = make_set(lowering, SetType(NEVER if wanted is None else wanted.element), [], lowering.span(node))

    def body() -> None:
        add(lowering, out, lowering.value(node.elt), node.elt)

    sources.comprehend(lowering, node, body, Run({}, lowering.span(node)))
    return out


def _dict_comp(lowering: FunctionLowering, node: ast.DictComp, target: Type | None) -> Value:
    wanted = wanted_of(target, DictType)
    start = DictType(NEVER, NEVER) if wanted is None else wanted
    out = make_dict(lowering, start, [], lowering.span(node))

    def body() -> None:
        assert isinstance(out.type, DictType)
        known = None if is_open(out.type) else out.type
        key = lowering.value_as(node.key, known.key if known else None)
        put(lowering, out, key, lowering.value_as(node.value, known.value if known else None), node.key, node.value)

    sources.comprehend(lowering, node, body, Run({}, lowering.span(node)))
    return out


def _conditional(lowering: FunctionLowering, node: ast.IfExp, target: Type | None) -> Value:

    return conditional(lowering, node, target)


def _part(lowering: FunctionLowering, node: ast.Subscript, target: Type | None) -> Value:
    """A slice has the type of the sliced value."""

    return subscripts.load(lowering, node, target if isinstance(node.slice, ast.Slice) else None)


_MADE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def is_copied_literal(node: ast.expr) -> bool:
    """Whether an expression copies a literal: ``[…].copy()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[], keywords=[]):
            return makes_container(value)
    return False


def makes_container(node: ast.expr) -> bool:
    """Whether an expression creates a list, dict or set, whose elements take the declared types."""
    if isinstance(node, ast.IfExp):
        return makes_container(node.body) and makes_container(node.orelse)
    return isinstance(node, _MADE) or is_copied_literal(node)


EXPECTED: dict[type[ast.expr], Callable[[FunctionLowering, Any, Type | None], Value]] = {
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Dict: _dict,
    ast.Set: _set,
    ast.ListComp: _list_comp,
    ast.SetComp: _set_comp,
    ast.DictComp: _dict_comp,
    ast.IfExp: _conditional,
    ast.Subscript: _part,
}


def place_type(lowering: FunctionLowering, target: ast.Subscript | ast.Attribute) -> Type:
    """The type of an element or attribute that is assigned to; `ANY` if it cannot be inferred."""
    owner = type_of_expression(lowering, target.value)
    match owner:
        case ListType():
            return owner.element
        case DictType():
            return owner.value
        case ClassType() if isinstance(target, ast.Attribute):
            return owner.info.fields.get(target.attr, ANY)
    return ANY


def assign_from(lowering: FunctionLowering, target: ast.expr, node: ast.expr) -> None:
    """An iterable may be unpacked, and assigned to a slice."""
    if (isinstance(target, ast.Tuple | ast.List) or is_slice(target)) and is_iterator(lowering, node):
        assign_to(lowering, target, collect(lowering, source_of(lowering, node), node))
    else:
        assign_to(lowering, target, lowering.value_for(target, node))
        if isinstance(target, ast.Name) and isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Call):
            remember(lowering, target.id, node)
