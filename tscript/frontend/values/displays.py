"""Displays and comprehensions of lists, dicts, sets and tuples, with the types that their place declares."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import container_errors
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import sources
from tscript.frontend.lowering.iteration import Items, Run, Source
from tscript.frontend.source.hashing import no_key, unhashable_part
from tscript.frontend.values import callables
from tscript.frontend.values.conversions import any_length, common, has_open_part
from tscript.ir.graph import Value
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NEVER,
    NONE,
    STR,
    ClassType,
    DictType,
    EnumType,
    ListType,
    SetType,
    TensorType,
    TupleType,
    Type,
    members_of,
    optional,
    union,
)
from tscript.types.inference import is_open

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering

MAX_MEMBERS = 8
"""Types that elements of a display may be of where nothing says which."""


def lower_as(lowering: LanguageLowering, node: ast.expr, target: Type | None) -> Value:
    """An expression where a value of type `target` is declared, which it may still not be."""
    handler = _DISPLAYS.get(type(node))
    if handler is None:
        return lowering.value(node)
    if target is None and lowering.contents:
        target = lowering.contents.get(lowering.span(node))
    lowering.begun.add(node)
    return handler(lowering, node, target)


def lower_into(lowering: LanguageLowering, target: ast.expr, node: ast.expr) -> Value | None:
    """A lambda or a display that is assigned to an element or an attribute, and takes its type from there; None for any
    other expression or target."""
    if not isinstance(target, ast.Subscript | ast.Attribute) or not (
        isinstance(node, ast.Lambda) or makes_container(node)
    ):
        return None
    place = lowering.type_of_expression(target.value) if is_slice(target) else callables.place_type(lowering, target)
    return lower_as(lowering, node, place)


def is_slice(target: ast.expr) -> bool:
    """Whether a target is a slice."""
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)


def consumed(lowering: LanguageLowering, node: ast.expr, wanted: Type | None = None) -> Value:
    """What is gone over where it is written. A display needs no type in common there: its elements are of a union of
    theirs, or `wanted`."""
    if not isinstance(node, ast.List) or len(node.elts) < 2 or any(isinstance(e, ast.Starred) for e in node.elts):
        return lowering.value(node)
    if wanted is None:
        types = list(dict.fromkeys(lowering.type_of_expression(e) for e in node.elts))
        if len(types) == 1 or len(types) > MAX_MEMBERS or not all(_may_differ(t) for t in types):
            return lowering.value(node)
        found: Type | None = types[0]
        for type in types[1:]:
            found = None if found is None else common(found, type)
        wanted = union(types) if found is None else None
    return lowering.value(node) if wanted is None else lower_as(lowering, node, ListType(wanted))


def _may_differ(type: Type) -> bool:
    """Whether values of a type may lie beside others in a list that nothing is said of."""
    return isinstance(type, EnumType | ClassType) or type in (INT, FLOAT, BOOL, STR, NONE)


def _inside(element: Type | None, target: Type | None) -> Type | None:
    """The type that is declared for the elements of a display, if any is: of what may be anything they may be
    anything."""
    return ANY if element is None and target == ANY else element


def wanted_of(target: Type | None, kind: type[Type]) -> Any:
    """The member of a declared type that a display of this kind can be, or None."""
    if target is None:
        return None
    found = [m for m in members_of(target) if isinstance(m, kind)]
    return found[0] if len(found) == 1 else None


def element(
    lowering: LanguageLowering, node: ast.AST, value: Value, wanted: Type, what: str, first: Span | None = None
) -> Value:
    """A value as an element of a container."""
    span = lowering.span(node)
    found = lowering.coerce(value, wanted, span)
    if found is None:
        nothing = container_errors.nothing_said([Value(wanted)], span)
        if nothing is not None:
            raise lowering.failure(nothing)
        instead = conversion_help(value, wanted)
        if wanted == NONE:
            kind = shown(value.type)
            instead = f"declare what it will hold, as in 'xs: list[{kind} | None] = [None] * n', or begin with a value of {kind}"
        raise lowering.failure(
            container_errors.ElementType(span, part_of(what), shown(wanted), shown(value.type), instead, first)
        )
    return found


def part_of(what: str) -> str:
    """What is inside of a container, as messages call it; `what` is its kind or type, or "key" for those of a dict."""
    if what == "key":
        return "a key of this dict"
    return f"a value of this {what}" if what.startswith("dict") else f"an element of this {what}"


def _common(
    lowering: LanguageLowering,
    values: Sequence[Value],
    nodes: Sequence[ast.expr],
    what: str,
    target: Type | None,
    key: Type | None = None,
) -> Type:
    """The type that the elements of a display have in common: any, if the display goes to a `target` that may be
    anything. Of the values of a dict, `key` is the type of the keys."""
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
            instead = f"make all of one type, or declare what they are: '{declared} = ...'"
            if isinstance(out, TensorType) and value.type in (INT, FLOAT, BOOL):
                instead = conversion_help(value, out)
            raise lowering.failure(
                container_errors.ElementType(
                    lowering.span(node), part_of(what), shown(out), shown(value.type), instead, lowering.span(nodes[0])
                )
            )
        out = joined
    return out


def hashable(lowering: LanguageLowering, type: Type, span: Span) -> Type:
    """The type of a key."""
    wrong = unhashable_part(type)
    if wrong is not None:
        raise lowering.failure(container_errors.UnhashableKey(span, article(wrong), *no_key(wrong)))
    return type


def _list(lowering: LanguageLowering, node: ast.List, target: Type | None) -> Value:
    span = lowering.span(node)
    wanted = wanted_of(target, ListType)
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return _spread(lowering, node, None if wanted is None else wanted.element)
    inner = None if wanted is None else wanted.element
    values = [lower_as(lowering, e, _inside(inner, target)) for e in node.elts]
    held = _common(lowering, values, node.elts, "list", target) if inner is None or inner == NEVER else inner
    parts = [element(lowering, e, v, held, "list") for e, v in zip(node.elts, values, strict=True)]
    return lowering.make_list(ListType(held), parts, span)


def _spread(lowering: LanguageLowering, node: ast.List | ast.Tuple | ast.Set, wanted: Type | None) -> Value:
    """A list with ``*`` in it."""
    span = lowering.span(node)
    if wanted is None:
        wanted = _spread_type(lowering, node.elts)
    out = lowering.make_list(ListType(NEVER if wanted is None else wanted), [], span)
    for part in node.elts:
        if isinstance(part, ast.Starred):
            source = sources.source_of(lowering, part.value)
            run_into(lowering, source, partial(_append_at, lowering, out, part), part)
        else:
            assert isinstance(out.type, ListType)
            append(lowering, out, lower_as(lowering, part, out.type.element), part)
    return out


def _spread_type(lowering: LanguageLowering, nodes: Sequence[ast.expr]) -> Type | None:
    """The type that what a display with ``*`` holds has in common, where that is not the type of its first element."""
    out: Type | None = None
    for node in nodes:
        if isinstance(node, ast.Starred) and sources.is_iterator(lowering, node.value):
            return None
        found = lowering.type_of_expression(node.value if isinstance(node, ast.Starred) else node)
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


def _append_at(lowering: LanguageLowering, items: Value, node: ast.AST, value: Value) -> None:
    append(lowering, items, value, node)


def append(lowering: LanguageLowering, items: Value, value: Value, node: ast.AST) -> None:
    """Append to a list of the compiler's own, whose element type the first element says."""
    assert isinstance(items.type, ListType)
    lowering.settle(items, ListType(value.type))
    part = element(lowering, node, value, items.type.element, "list")
    lowering.apply("append", [items, part], lowering.span(node))


def beside_none(lowering: LanguageLowering, lists: Sequence[Value], node: ast.AST) -> Value | None:
    """The sum of lists of which some hold nothing but None; None for any others."""
    held = [v.type.element for v in lists if isinstance(v.type, ListType) and not v.type.frozen]
    others = [t for t in dict.fromkeys(held) if t != NONE]
    if len(held) != len(lists) or NONE not in held or len(others) != 1 or others[0] == NEVER:
        return None
    out = lowering.make_list(ListType(optional(others[0])), [], lowering.span(node))
    for given in lists:
        run_into(lowering, Items(given, "getitem", False), partial(_append_at, lowering, out, node), node)
    return out


def run_into(lowering: LanguageLowering, source: Source, body: Callable[[Value], None], node: ast.AST) -> None:
    """Run a source whose elements go to something, not to names."""
    source.run(lowering, body, Run({}, lowering.span(node)))


def _tuple(lowering: LanguageLowering, node: ast.Tuple, target: Type | None) -> Value:
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
        return lowering.make_tuple([lowering.value(e) for e in node.elts], span)
    return lowering.make_tuple([lower_as(lowering, e, t) for e, t in zip(node.elts, wanted, strict=True)], span)


def _spread_tuple(lowering: LanguageLowering, node: ast.Tuple) -> Value:
    """``(a, *b)``: the tuples in it are of known length."""
    parts: list[Value] = []
    for part in node.elts:
        if not isinstance(part, ast.Starred):
            parts.append(lowering.value(part))
            continue
        value = lowering.value(part.value)
        if not isinstance(value.type, TupleType):
            raise lowering.failure(container_errors.SpreadLength(lowering.span(part), article(value.type)))
        parts += lowering.tuple_elements(value, lowering.span(part))
    return lowering.make_tuple(parts, lowering.span(node))


def _dict(lowering: LanguageLowering, node: ast.Dict, target: Type | None) -> Value:
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
        left = lower_as(lowering, key, _inside(declared and declared.key, target))
        pairs.append((left, lower_as(lowering, value, _inside(declared and declared.value, target))))
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
        return lowering.make_dict(declared, flat, span)
    out = lowering.make_dict(declared, [], span)
    for i in range(len(pairs) + 1):
        for at, source in merged:
            if at == i:
                lowering.apply("update", [out, lowering.value(source)], lowering.span(source))
        if i < len(pairs):
            lowering.apply("setitem", [out, flat[2 * i], flat[2 * i + 1]], span)
    return out


def _set(lowering: LanguageLowering, node: ast.Set, target: Type | None) -> Value:
    span = lowering.span(node)
    wanted = wanted_of(target, SetType)
    inner = None if wanted is None or wanted.element == NEVER else wanted.element
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return lowering.apply("to_set", [_spread(lowering, node, inner)], span)
    values = [lower_as(lowering, e, _inside(inner, target)) for e in node.elts]
    held = _common(lowering, values, node.elts, "set", target) if inner is None else inner
    hashable(lowering, held, span)
    parts = [element(lowering, e, v, held, "set") for e, v in zip(node.elts, values, strict=True)]
    return lowering.make_set(SetType(held), parts, span)


def _list_comp(lowering: LanguageLowering, node: ast.ListComp, target: Type | None) -> Value:
    declared = wanted_of(target, ListType)
    inner = NEVER if declared is None else declared.element
    out = lowering.make_list(ListType(inner), [], lowering.span(node))

    def body() -> None:
        assert isinstance(out.type, ListType)
        wanted = None if out.type.element == NEVER else out.type.element
        append(lowering, out, lower_as(lowering, node.elt, wanted), node.elt)

    sources.comprehend(lowering, node, body, Run({}, lowering.span(node)))
    return out


def _set_comp(lowering: LanguageLowering, node: ast.SetComp, target: Type | None) -> Value:
    wanted = wanted_of(target, SetType)
    out = lowering.make_set(SetType(NEVER if wanted is None else wanted.element), [], lowering.span(node))

    def body() -> None:
        add(lowering, out, lowering.value(node.elt), node.elt)

    sources.comprehend(lowering, node, body, Run({}, lowering.span(node)))
    return out


def add(lowering: LanguageLowering, items: Value, value: Value, node: ast.expr) -> None:
    """Add to a set of the compiler's own, whose element type the first element says."""
    assert isinstance(items.type, SetType)
    lowering.settle(items, SetType(hashable(lowering, value.type, lowering.span(node))))
    part = element(lowering, node, value, items.type.element, "set")
    lowering.apply("add", [items, part], lowering.span(node))


def _dict_comp(lowering: LanguageLowering, node: ast.DictComp, target: Type | None) -> Value:
    wanted = wanted_of(target, DictType)
    start = DictType(NEVER, NEVER) if wanted is None else wanted
    out = lowering.make_dict(start, [], lowering.span(node))

    def body() -> None:
        assert isinstance(out.type, DictType)
        known = None if is_open(out.type) else out.type
        key = lower_as(lowering, node.key, known.key if known else None)
        put(lowering, out, key, lower_as(lowering, node.value, known.value if known else None), node.key, node.value)

    sources.comprehend(lowering, node, body, Run({}, lowering.span(node)))
    return out


def put(
    lowering: LanguageLowering, items: Value, key: Value, value: Value, key_node: ast.expr, value_node: ast.expr
) -> None:
    """Store into a dict of the compiler's own, whose types the first entry says."""
    assert isinstance(items.type, DictType)
    lowering.settle(items, DictType(hashable(lowering, key.type, lowering.span(key_node)), value.type))
    left = element(lowering, key_node, key, items.type.key, "key")
    right = element(lowering, value_node, value, items.type.value, "dict")
    lowering.apply("setitem", [items, left, right], lowering.span(key_node))


def _conditional(lowering: LanguageLowering, node: ast.IfExp, target: Type | None) -> Value:
    from tscript.frontend.lowering.expressions import conditional

    return conditional(lowering, node, target)


def _part(lowering: LanguageLowering, node: ast.Subscript, target: Type | None) -> Value:
    """A slice is of the type of what it is a slice of."""
    from tscript.frontend.lowering import subscripts

    return subscripts.load(lowering, node, target if isinstance(node.slice, ast.Slice) else None)


def _joined(lowering: LanguageLowering, node: ast.BinOp, target: Type | None) -> Value:
    """``a + b`` of containers is of their type; ``a ** b`` of ints may be a float."""
    from tscript.frontend.lowering.expressions import lower_binary

    is_container = target is not None and any(isinstance(m, ListType | SetType | DictType) for m in members_of(target))
    return lower_binary(lowering, node, target if is_container or target == FLOAT else None)


def _call(lowering: LanguageLowering, node: ast.Call, target: Type | None) -> Value:
    from tscript.frontend.values import containers, library

    if target is not None and isinstance(node.func, ast.Attribute) and _is_copied_display(node):
        from tscript.frontend.values import methods

        return methods.lower_method(lowering, node, lower_as(lowering, node.func.value, target))
    found = library.to_list(lowering, node, target) or containers.declared(lowering, node, target)
    return lowering.value(node) if found is None else found


_MADE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def _is_copied_display(node: ast.expr) -> bool:
    """Whether an expression is a copy of a container that is made there: ``[…].copy()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[], keywords=[]):
            return makes_container(value)
    return False


def makes_container(node: ast.expr) -> bool:
    """Whether an expression is a list, dict or set that is made there: its elements are of the types declared for
    them."""
    if isinstance(node, ast.IfExp):
        return makes_container(node.body) and makes_container(node.orelse)
    return isinstance(node, _MADE) or _is_copied_display(node)


_DISPLAYS: dict[type[ast.expr], Callable[[LanguageLowering, Any, Type | None], Value]] = {
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Dict: _dict,
    ast.Set: _set,
    ast.ListComp: _list_comp,
    ast.SetComp: _set_comp,
    ast.DictComp: _dict_comp,
    ast.IfExp: _conditional,
    ast.Call: _call,
    ast.Subscript: _part,
    ast.BinOp: _joined,
    ast.Lambda: callables.lower_function,
    ast.Name: callables.lower_function,
    ast.Attribute: callables.lower_function,
}
