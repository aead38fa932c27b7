"""Indexing: reads, writes and deletions by ``x[...]`` and ``x.name = ...``; the kind of `x` defines their meaning.

A tensor index becomes one view operator per part: ``x[i, 1:, None]`` is ``unsqueeze(slice(select(x, 0, i), 0, 1), 1)``.
Parts after ``...`` count dimensions from the end. A write copies into the view.
"""

from __future__ import annotations

import ast

from tscript.definitions.index_layout import END
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.advice import defining, narrowing, narrowing_owner
from tscript.frontend.diagnostics.elsewhere import gives_none
from tscript.frontend.diagnostics.type_names import article, shown
from tscript.frontend.lowering import holding, ranges
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static, unbind
from tscript.frontend.lowering.ranges import is_range
from tscript.frontend.lowering.refinement import assigned
from tscript.frontend.source.classes import ClassSymbol
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.operators.python.functions import tensor_lists
from tscript.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    DictType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
)
from tscript.types.inference import is_open


@dataclass(frozen=True, slots=True)
class Slice:
    """``start:stop:step`` in an index."""

    start: Value
    stop: Value
    step: Value
    span: Span


def load(lowering: FunctionLowering, node: ast.Subscript, target: Type | None = None) -> Value:
    """``x[index]``; `target` is the declared type."""
    symbol = static(lowering, node.value)
    of_class = lowering.kinds.of(symbol.definition.type).of_class if isinstance(symbol, ClassSymbol) else None
    if isinstance(symbol, ClassSymbol) and of_class is not None:
        return of_class.item(lowering, node, symbol.definition)
    if isinstance(node.value, ast.Call) and not isinstance(node.slice, ast.Slice) and is_range(lowering, node.value):
        return ranges.range_item(lowering, node.value, lowering.value(node.slice))
    container = plain(lowering, lowering.value_as(node.value, target), lowering.span(node))
    if isinstance(target, ListType) and target.frozen and isinstance(container.type, TupleType):
        container = lowering.coerce(container, target, lowering.span(node.value)) or container
    how = lowering.kind(container).item
    found = None if how is None else how(lowering, container, node)
    if found is not None:
        return found
    type, at = container.type, lowering.span(node.value)
    if instead := narrowing([type]) or defining(type, "__getitem__") or _unordered(type):
        raise lowering.failure(type_errors.NotSubscriptable(at, article(type), instead))
    instead = gives_none(lowering.function.tree, node.value) if type == NONE else type_errors.INDEXED
    raise lowering.failure(type_errors.NotSubscriptable(at, article(type), instead))


def _unordered(type: Type) -> str:
    return "a set has no order: loop over it, or make a list, list(s)" if isinstance(type, SetType) else ""


def store(lowering: FunctionLowering, target: ast.Subscript | ast.Attribute, value: Value) -> None:
    """``x[index] = value``; an attribute is refused."""
    if isinstance(target, ast.Attribute):
        store_attribute(lowering, target, value)
        return
    container = lowering.value(target.value)
    set_item = lowering.kind(container).set_item
    if set_item is None or not set_item(lowering, target, container, value):
        raise refuse_element(lowering, target, container)


def refuse_element(lowering: FunctionLowering, target: ast.Subscript, container: Value) -> Abandoned:
    """Report an element that cannot be assigned to."""
    what = f"an element of {article(container.type)}"
    instead = narrowing([container.type]) or "only elements of lists, dicts and tensors can be assigned to"
    if isinstance(container.type, TupleType | SizeType) or container.type in (STR, BYTES):
        kind = article(container.type) if container.type in (STR, BYTES) else "a tuple or shape"
        instead = f"{kind} is immutable: make a new one, or keep the elements in a list"
    return lowering.failure(errors.UnsupportedTarget(lowering.span(target), what, instead))


# ---- lists, dicts and strings


def item(lowering: FunctionLowering, container: Value, index: ast.expr, span: Span) -> Value:
    """An element, or a slice."""
    if isinstance(index, ast.Slice) and not isinstance(container.type, DictType):
        part = slice_of(lowering, index, shown(container.type))
        return lowering.apply("slice", [container, part.start, part.stop, part.step], span)
    return lowering.apply("getitem", [container, key_of(lowering, container, index)], span)


def key_of(lowering: FunctionLowering, container: Value, index: ast.expr) -> Value:
    """The index of an element of a list or str, or a key of a dict."""
    span = lowering.span(index)
    if isinstance(container.type, DictType):
        if is_open(container.type):
            return lowering.value(index)
        return holding.element(lowering, index, lowering.value_as(index, container.type.key), container.type.key, "key")
    given = lowering.value(index)
    found = lowering.coerce(given, INT, span)
    if found is None and isinstance(given.type, TensorType) and container.type not in (STR, BYTES):
        found = call_function(lowering, tensor_lists.whole_number, [given], span)
    if found is None:
        instead = "an index is an int: write int(...)"
        if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Div):
            instead = "an index is an int: write 'a // b'"
        elif isinstance(given.type, TupleType):
            instead = "index one after the other: xs[i][j]"
        elif given.type not in (FLOAT, BOOL) and not isinstance(given.type, TensorType):
            instead = narrowing([given.type]) or "an index is an int, or a slice: xs[1:3]"
        raise lowering.failure(errors.UnsupportedIndex(span, shown(container.type), article(given.type), instead))
    return found


def lower_delete(lowering: FunctionLowering, node: ast.Delete) -> None:
    """``del x``, ``del xs[i]``, ``del xs[a:b]``, ``del d[k]``."""
    for target in node.targets:
        span = lowering.span(target)
        match target:
            case ast.Name(id=name) if name in lowering.scope:
                unbind(lowering, name, span)
            case ast.Subscript():
                container = lowering.value(target.value)
                delete_item = lowering.kind(container).delete_item
                if delete_item is None or not delete_item(lowering, target, container):
                    what = f"an element of {article(container.type)}"
                    instead = (
                        narrowing([container.type])
                        or "only elements of lists and dicts can be deleted: make a new one without it"
                    )
                    raise lowering.failure(errors.UnsupportedTarget(span, what, instead, action="delete"))
            case ast.Tuple() | ast.List():
                lower_delete(lowering, ast.copy_location(ast.Delete(target.elts), node))
            case ast.Name():
                lowering.value(target)
            case _:
                instead = "attributes cannot be deleted: assign None to one that may be None"
                raise lowering.failure(errors.UnsupportedTarget(span, "an attribute", instead, action="delete"))


# ---- tuples and shapes


# ---- tensors


def slice_of(lowering: FunctionLowering, node: ast.Slice, container: str) -> Slice:
    """The bounds of a slice; one that may be None is the end it stands for where the step is known to be positive."""
    span = lowering.span(node)
    ends = None if node.step is not None and container not in ("Tensor", "ndarray") else (0, END)
    start = _bound(lowering, node.lower, span, container, None if ends is None else ends[0])
    stop = _bound(lowering, node.upper, span, container, None if ends is None else ends[1])
    step = lowering.const(1, INT, span) if node.step is None else _int(lowering, node.step, "slice step", container)
    return Slice(start, stop, step, span)


def _bound(lowering: FunctionLowering, node: ast.expr | None, span: Span, container: str, end: int | None) -> Value:
    if node is None:
        return lowering.const(None, NONE, span)
    if end is not None:
        value = lowering.value(node)
        if value.type == OptionalType(INT):
            return call_function(lowering, tensor_lists.int_or, [value, lowering.const(end, INT, span)], span)
        return _as_bound(lowering, value, node, "slice bound", container)
    return _int(lowering, node, "slice bound", container)


def _int(lowering: FunctionLowering, node: ast.expr, what: str, container: str) -> Value:
    return _as_bound(lowering, lowering.value(node), node, what, container)


def _as_bound(lowering: FunctionLowering, value: Value, node: ast.expr, what: str, container: str) -> Value:
    span = lowering.span(node)
    if value.type == NONE and what == "slice bound":
        return value
    found = lowering.coerce(value, INT, span)
    if found is None and isinstance(value.type, TensorType):
        return lowering.apply("int", [value], span)
    if found is None:
        instead = f"a {what} is an int: write int(...)"
        raise lowering.failure(errors.UnsupportedIndex(span, container, f"{article(value.type)} as {what}", instead))
    return found


def store_attribute(lowering: FunctionLowering, target: ast.Attribute, value: Value) -> None:
    """``x.name = value``."""
    span = lowering.span(target)
    if static(lowering, target.value) is not None:
        what = f"the attribute '{target.attr}'"
        instead = "only attributes of class instances can be assigned: use one"
        raise lowering.failure(errors.UnsupportedTarget(span, what, instead))
    set_attribute(lowering, lowering.value(target.value), target.attr, value, span, target)
    assigned(lowering, target, value)


def set_attribute(
    lowering: FunctionLowering, owner: Value, name: str, value: Value, span: Span, node: ast.expr
) -> None:
    """Assign to an attribute of a value."""
    how = lowering.kind(owner).set_attribute
    if how is None:
        raise refuse_attribute(lowering, owner, name, span, node)
    how(lowering, owner, name, value, span, node)


def refuse_attribute(lowering: FunctionLowering, owner: Value, name: str, span: Span, node: ast.expr) -> Abandoned:
    """Report an attribute that cannot be assigned to."""
    what = f"the attribute '{name}'"
    instead = narrowing_owner(owner.type, node) or (
        "only attributes of class instances can be assigned; for an element write x[...] = y"
    )
    if isinstance(owner.type, TupleType):
        instead = "a named tuple is immutable: make a new one, x._replace(...)"
    return lowering.failure(errors.UnsupportedTarget(span, what, instead))
