"""Elements of containers that the compiler makes: each is converted to the element type."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import container_errors
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Items, Range
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.source.hashing import no_key, unhashable_part
from tscript.ir.graph import Value
from tscript.types import INT, NEVER, NONE, DictType, ListType, SetType, Type, optional


def element(
    lowering: FunctionLowering, node: ast.AST, value: Value, wanted: Type, what: str, first: Span | None = None
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
            instead = (
                f"declare its element type, as in 'xs: list[{kind} | None] = [None] * n', "
                f"or begin with a value of {kind}"
            )
        raise lowering.failure(
            container_errors.ElementType(span, part_of(what), shown(wanted), shown(value.type), instead, first)
        )
    return found


def part_of(what: str) -> str:
    """The elements of a container, as messages call them; `what` is its kind or type, or "key" for keys of a dict."""
    if what == "key":
        return "a key of this dict"
    return f"a value of this {what}" if what.startswith("dict") else f"an element of this {what}"


def hashable(lowering: FunctionLowering, type: Type, span: Span) -> Type:
    """The type of a key."""
    wrong = unhashable_part(type)
    if wrong is not None:
        raise lowering.failure(container_errors.UnhashableKey(span, article(wrong), *no_key(wrong)))
    return type


def append_at(lowering: FunctionLowering, items: Value, node: ast.AST, value: Value) -> None:
    append(lowering, items, value, node)


def append(lowering: FunctionLowering, items: Value, value: Value, node: ast.AST) -> None:
    """Append to a list that the compiler makes; the first element determines its element type."""
    assert isinstance(items.type, ListType)
    lowering.settle(items, ListType(value.type))
    part = element(lowering, node, value, items.type.element, "list")
    lowering.apply("append", [items, part], lowering.span(node))


def beside_none(lowering: FunctionLowering, lists: Sequence[Value], node: ast.AST) -> Value | None:
    """The concatenation of lists of which some contain only None; None for any others."""
    held = [v.type.element for v in lists if isinstance(v.type, ListType) and not v.type.frozen]
    others = [t for t in dict.fromkeys(held) if t != NONE]
    if len(held) != len(lists) or NONE not in held or len(others) != 1 or others[0] == NEVER:
        return None
    out = make_list(lowering, ListType(optional(others[0])), [], lowering.span(node))
    for given in lists:
        run_into(lowering, Items(given, "getitem", False), partial(append_at, lowering, out, node), node)
    return out


def run_into(lowering: FunctionLowering, source: Source, body: Callable[[Value], None], node: ast.AST) -> None:
    """Lower a loop over a source whose elements are not assigned to names."""
    source.run(lowering, body, Run({}, lowering.span(node)))


def add(lowering: FunctionLowering, items: Value, value: Value, node: ast.expr) -> None:
    """Add to a set that the compiler makes; the first element determines its element type."""
    assert isinstance(items.type, SetType)
    lowering.settle(items, SetType(hashable(lowering, value.type, lowering.span(node))))
    part = element(lowering, node, value, items.type.element, "set")
    lowering.apply("add", [items, part], lowering.span(node))


def put(
    lowering: FunctionLowering, items: Value, key: Value, value: Value, key_node: ast.expr, value_node: ast.expr
) -> None:
    """Store into a dict that the compiler makes; the first entry determines its types."""
    assert isinstance(items.type, DictType)
    lowering.settle(items, DictType(hashable(lowering, key.type, lowering.span(key_node)), value.type))
    left = element(lowering, key_node, key, items.type.key, "key")
    right = element(lowering, value_node, value, items.type.value, "dict")
    lowering.apply("setitem", [items, left, right], lowering.span(key_node))


def collect(lowering: FunctionLowering, source: Source, node: ast.AST) -> Value:
    """A list of the elements of a source."""
    out = make_list(lowering, ListType(NEVER), [], lowering.span(node))
    if isinstance(source, Range):
        lowering.settle(out, ListType(INT))
        lowering.apply("reserve", [out, source.length(lowering, lowering.span(node))], lowering.span(node))
    run_into(lowering, source, lambda x: append(lowering, out, x, node), node)
    return out
