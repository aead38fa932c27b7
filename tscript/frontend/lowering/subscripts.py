"""Indexing: tuples and shapes by position, tensors by ints, slices, None and ``...``, read and written.

A tensor index becomes one view operator per part: ``x[i, 1:, None]`` is ``unsqueeze(slice(select(x, 0, i), 0, 1), 1)``.
What stands behind ``...`` counts dimensions from the end. A write copies into the view.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import container_errors, errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.advice import defining, narrowing, narrowing_owner
from tscript.frontend.diagnostics.elsewhere import gives_none
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import conversions, hints, holding, method_calls, ranges, sources
from tscript.frontend.lowering.constants import constant_int
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering, Run
from tscript.frontend.lowering.ranges import is_range
from tscript.frontend.lowering.refinement import assigned
from tscript.frontend.source.classes import ClassSymbol
from tscript.ir.graph import Raise, Value
from tscript.operators.core.opdef import OperatorTypeError
from tscript.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    ClassType,
    DictType,
    ListType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
)
from tscript.types.inference import is_open, is_open_within


@dataclass(frozen=True, slots=True)
class _At:
    """An int in an index."""

    index: Value
    span: Span


@dataclass(frozen=True, slots=True)
class _Slice:
    """``start:stop:step`` in an index."""

    start: Value
    stop: Value
    step: Value
    span: Span


@dataclass(frozen=True, slots=True)
class _New:
    """None in an index."""

    span: Span


_Part = _At | _Slice | _New


def load(lowering: FunctionLowering, node: ast.Subscript, target: Type | None = None) -> Value:
    """``x[index]``, where `x` is declared to be of a type `target`."""
    symbol = lowering.static(node.value)
    of_class = lowering.kinds.of(symbol.definition.type).of_class if isinstance(symbol, ClassSymbol) else None
    if isinstance(symbol, ClassSymbol) and of_class is not None:
        return of_class.item(lowering, node, symbol.definition)
    if isinstance(node.value, ast.Call) and not isinstance(node.slice, ast.Slice) and is_range(lowering, node.value):
        return ranges.range_item(lowering, node.value, lowering.value(node.slice))
    container = plain(lowering, lowering.value_as(node.value, target), lowering.span(node))
    if isinstance(target, ListType) and target.frozen and isinstance(container.type, TupleType):
        container = lowering.coerce(container, target, lowering.span(node.value)) or container
    match container.type:
        case ClassType():
            index = method_calls.special_call(
                lowering, container, "__getitem__", [lowering.value(node.slice)], lowering.span(node)
            )
            if index is not None:
                return index
        case ListType() | DictType():
            return _item(lowering, container, node.slice, lowering.span(node))
        case _ if container.type in (STR, BYTES):
            return _item(lowering, container, node.slice, lowering.span(node))
        case TupleType():
            item = _variable_item(lowering, container, node)
            if item is not None:
                return item
            return _tuple_item(lowering, container, node.slice)
        case SizeType():
            return _size_item(lowering, container, node)
        case TensorType():
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                if instead := hints.unannotated(lowering.function, lowering.scope, node.value, "dict[str, int]"):
                    span = lowering.span(node.slice)
                    raise lowering.failure(errors.UnsupportedIndex(span, "Tensor", "a str", instead))
            before, after = _parts(lowering, node.slice)
            view = _view(lowering, container, before, after)
            return lowering.apply("alias", [view], lowering.span(node)) if view is container else view
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
    span = lowering.span(target)
    container = lowering.value(target.value)
    if isinstance(container.type, ListType | DictType):
        _store_item(lowering, target, container, value)
        return
    if isinstance(container.type, ClassType):
        key = lowering.value(target.slice)
        if method_calls.special_call(lowering, container, "__setitem__", [key, value], span) is not None:
            return
    view = _element(lowering, target, container)
    if isinstance(value.type, TensorType):
        lowering.apply("copy_", [view, value], span, shown_as="[]=")
    else:
        lowering.apply("fill_", [view, value], span, shown_as="[]=")


def _element(lowering: FunctionLowering, target: ast.Subscript, container: Value) -> Value:
    """The view of a tensor that is written."""
    if not isinstance(container.type, TensorType):
        what = f"an element of {article(container.type)}"
        instead = narrowing([container.type]) or "only elements of lists, dicts and tensors can be assigned to"
        if isinstance(container.type, TupleType | SizeType) or container.type in (STR, BYTES):
            kind = article(container.type) if container.type in (STR, BYTES) else "a tuple or shape"
            instead = f"{kind} does not change: make a new one, or keep the elements in a list"
        raise lowering.failure(errors.UnsupportedTarget(lowering.span(target), what, instead))
    before, after = _parts(lowering, target.slice)
    return _view(lowering, container, before, after)


def _variable_item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value | None:
    """An element of a tuple, all of one type, whose number is not constant; None for any other index."""
    if isinstance(node.slice, ast.Slice | ast.Constant | ast.UnaryOp | ast.Tuple):
        return None
    number = lowering.value(node.slice)
    sequence = conversions.as_sequence(lowering, container, lowering.span(node))
    at = lowering.coerce(number, INT, lowering.span(node.slice))
    if isinstance(number.constant, int) or sequence is container or at is None:
        return None
    return lowering.apply("getitem", [sequence, at], lowering.span(node))


# ---- lists, dicts and strings


def _item(lowering: FunctionLowering, container: Value, index: ast.expr, span: Span) -> Value:
    """An element, or a slice."""
    if isinstance(index, ast.Slice) and not isinstance(container.type, DictType):
        part = _slice(lowering, index, shown(container.type))
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


def _store_item(lowering: FunctionLowering, target: ast.Subscript, container: Value, value: Value) -> None:
    span = lowering.span(target)
    if isinstance(container.type, ListType) and container.type.frozen:
        what = f"an element of {article(container.type)}"
        instead = "a tuple or shape does not change: make a new one, or keep the elements in a list"
        raise lowering.failure(errors.UnsupportedTarget(span, what, instead))
    if isinstance(container.type, ListType) and isinstance(target.slice, ast.Slice):
        part = _slice(lowering, target.slice, "list")
        lowering.settle(value, container.type)
        lowering.settle(container, value.type)
        if value.type != container.type:
            value = _as_slice(lowering, container.type, value, target.value)
        lowering.apply("set_slice", [container, part.start, part.stop, part.step, value], span, shown_as="[]=")
        return
    key = key_of(lowering, container, target.slice)
    match container.type:
        case DictType():
            lowering.settle(
                container, DictType(holding.hashable(lowering, key.type, lowering.span(target.slice)), value.type)
            )
            held = container.type.value
        case ListType():
            if is_open_within(container.type):
                lowering.settle(container, ListType(value.type))
            held = container.type.element
    lowering.apply(
        "setitem", [container, key, holding.element(lowering, target, value, held, shown(container.type))], span
    )


def _as_slice(lowering: FunctionLowering, wanted: ListType, value: Value, node: ast.expr) -> Value:
    """What is assigned to a slice, as a list of the type of the whole."""
    span = lowering.span(node)
    if value.type in (INT, FLOAT, BOOL, NONE) or narrowing([value.type]):
        what = "what is assigned to a slice of a list"
        instead = narrowing([value.type]) or "write a list: [...]"
        raise lowering.failure(container_errors.ElementType(span, what, shown(wanted), shown(value.type), instead))
    out = lowering.make_list(wanted, [], span)

    def append(x: Value) -> None:
        part = lowering.coerce(x, wanted.element, span)
        if part is None:
            instead = conversion_help(x, wanted.element)
            raise lowering.failure(
                container_errors.ElementType(
                    span, holding.part_of("list"), shown(wanted.element), shown(x.type), instead
                )
            )
        lowering.apply("append", [out, part], span)

    sources.value_source(lowering, value, node).run(lowering, append, Run({}, span))
    return out


def lower_delete(lowering: FunctionLowering, node: ast.Delete) -> None:
    """``del x``, ``del xs[i]``, ``del xs[a:b]``, ``del d[k]``."""
    for target in node.targets:
        span = lowering.span(target)
        match target:
            case ast.Name(id=name) if name in lowering.scope:
                del lowering.scope[name]
            case ast.Subscript():
                container = lowering.value(target.value)
                if isinstance(container.type, ClassType):
                    key = lowering.value(target.slice)
                    if method_calls.special_call(lowering, container, "__delitem__", [key], span) is not None:
                        continue
                if not isinstance(container.type, ListType | DictType):
                    what = f"an element of {article(container.type)}"
                    instead = (
                        narrowing([container.type]) or "only lists and dicts lose elements: make a new one without it"
                    )
                    raise lowering.failure(errors.UnsupportedTarget(span, what, instead, action="delete"))
                if isinstance(target.slice, ast.Slice) and isinstance(container.type, ListType):
                    part = _slice(lowering, target.slice, "list")
                    lowering.apply("delete_slice", [container, part.start, part.stop, part.step], span)
                else:
                    lowering.apply("delitem", [container, key_of(lowering, container, target.slice)], span)
            case ast.Tuple() | ast.List():
                lower_delete(lowering, ast.copy_location(ast.Delete(target.elts), node))
            case ast.Name():
                lowering.value(target)
            case _:
                instead = "an object keeps its attributes: assign None to one that may be None"
                raise lowering.failure(errors.UnsupportedTarget(span, "an attribute", instead, action="delete"))


# ---- tuples and shapes


def _tuple_item(lowering: FunctionLowering, container: Value, index: ast.expr) -> Value:
    assert isinstance(container.type, TupleType)
    length, span = len(container.type.elements), lowering.span(index)
    if isinstance(index, ast.Slice):
        bounds = [constant_int(lowering, part) for part in (index.lower, index.upper, index.step)]
        if bounds[2] == 0:
            raise lowering.failure(type_errors.TupleIndexNotConstant(span))
        elements = range(length)[slice(*bounds)]
        return lowering.make_tuple([lowering.tuple_element(container, i, span) for i in elements], span)
    position = constant_int(lowering, index)
    assert position is not None
    if not -length <= position < length:
        raise lowering.failure(type_errors.TupleIndexRange(span, position, length, -length, length - 1))
    return lowering.tuple_element(container, position % length, span)


def _size_item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value:
    span = lowering.span(node)
    if isinstance(node.slice, ast.Slice):
        part = _slice(lowering, node.slice, "shape")
        op = lowering.program.resolver.table["slice.Size"]
        try:
            return lowering.scalar(op, [container, part.start, part.stop, part.step], span)
        except OperatorTypeError as error:
            instead = "the step of a slice is another int than 0"
            raise lowering.failure(
                errors.UnsupportedIndex(part.span, "shape", f"this slice ({error})", instead)
            ) from None
    given = lowering.value(node.slice)
    index = lowering.coerce(given, INT, span)
    if index is None:
        found = article(given.type)
        raise lowering.failure(errors.UnsupportedIndex(lowering.span(node.slice), "shape", found, "an index is an int"))
    return lowering.apply("getitem", [container, index], span)


# ---- tensors


def _parts(lowering: FunctionLowering, index: ast.expr) -> tuple[list[_Part], list[_Part]]:
    """The parts of an index before and after its ``...``, evaluated from left to right."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    before: list[_Part] = []
    after: list[_Part] | None = None
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value is ...:
            if after is not None:
                instead = "an index has one '...' only"
                raise lowering.failure(errors.UnsupportedIndex(lowering.span(node), "Tensor", "two '...'", instead))
            after = []
            continue
        (before if after is None else after).append(_part(lowering, node))
    return before, after or []


def _part(lowering: FunctionLowering, node: ast.expr) -> _Part:
    span = lowering.span(node)
    if isinstance(node, ast.Slice):
        return _slice(lowering, node, "Tensor")
    if isinstance(node, ast.Starred):
        raise lowering.failure(
            errors.UnsupportedExpression(span, "unpacking in an index", "write each part of the index out")
        )
    value = plain(lowering, lowering.value(node), span)
    if value.type == NONE:
        return _New(span)
    if value.type == NUMBER:
        value = lowering.coerce(value, INT, span) or value
    if value.type == INT:
        return _At(value, span)
    instead = _index_help(value)
    if value.type == FLOAT and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        instead = "an index is an int: write 'a // b'"
    raise lowering.failure(errors.UnsupportedIndex(span, "Tensor", article(value.type), instead))


def _slice(lowering: FunctionLowering, node: ast.Slice, container: str) -> _Slice:
    span = lowering.span(node)
    start, stop = _bound(lowering, node.lower, span, container), _bound(lowering, node.upper, span, container)
    step = lowering.const(1, INT, span) if node.step is None else _int(lowering, node.step, "slice step", container)
    return _Slice(start, stop, step, span)


def _index_help(value: Value) -> str:
    if isinstance(value.type, TensorType):
        return (
            "for one position write x[int(i)], for several x.index_select(0, i); for a mask tscript.where(mask, x, 0.0)"
        )
    if value.type == BOOL:
        return "use None to add a dimension"
    if isinstance(value.type, TupleType):
        return "write the parts of the index out: x[i, j]"
    if isinstance(value.type, ListType):
        return "for several positions write x.index_select(0, tscript.tensor(i))"
    return "indices are ints, slices, None and '...'"


def _bound(lowering: FunctionLowering, node: ast.expr | None, span: Span, container: str) -> Value:
    return lowering.const(None, NONE, span) if node is None else _int(lowering, node, "slice bound", container)


def _int(lowering: FunctionLowering, node: ast.expr, what: str, container: str) -> Value:
    value, span = lowering.value(node), lowering.span(node)
    if value.type == NONE and what == "slice bound":
        return value
    found = lowering.coerce(value, INT, span)
    if found is None:
        instead = f"a {what} is an int: write int(...)"
        raise lowering.failure(errors.UnsupportedIndex(span, container, f"{article(value.type)} as {what}", instead))
    return found


def _view(lowering: FunctionLowering, x: Value, before: list[_Part], after: list[_Part]) -> Value:
    taken = [part for part in (*before, *after) if not isinstance(part, _New)]
    if len(taken) > 1:
        _check_dimensions(lowering, x, len(taken), taken[-1].span)
    dim = 0
    for part in before:
        x = _apply_part(lowering, x, part, dim)
        dim += not isinstance(part, _At)
    dim = -1
    for part in reversed(after):
        x = _apply_part(lowering, x, part, dim)
        dim -= not isinstance(part, _At)
    return x


def _check_dimensions(lowering: FunctionLowering, x: Value, count: int, span: Span) -> None:
    """Raise what PyTorch does for more indices than dimensions, before any of them is used."""
    dims = lowering.apply("dim", [x], span)
    failing = Raise("IndexError", "too many indices for tensor of dimension {0}", [dims], span)
    less = lowering.apply("lt", [dims, lowering.const(count, INT, span)], span)
    lowering.when(less, lambda: lowering.block.nodes.append(failing), span)


def _apply_part(lowering: FunctionLowering, x: Value, part: _Part, dim: int) -> Value:
    span = part.span
    at = lowering.const(dim, INT, span)
    match part:
        case _At(index=index):
            return lowering.apply("select", [x, at, index], span)
        case _Slice(start=start, stop=stop, step=step):
            return lowering.apply("slice", [x, at, start, stop, step], span)
        case _New():
            return lowering.apply("unsqueeze", [x, at], span)


def store_attribute(lowering: FunctionLowering, target: ast.Attribute, value: Value) -> None:
    """``x.name = value``."""
    span = lowering.span(target)
    if lowering.static(target.value) is not None:
        what = f"the attribute '{target.attr}'"
        instead = "only instances of classes have attributes that can be assigned to: keep it in one"
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
        "only instances of classes have attributes that can be assigned to; elements are: x[...] = y"
    )
    if isinstance(owner.type, TupleType):
        instead = "a named tuple does not change: make a new one, x._replace(...)"
    return lowering.failure(errors.UnsupportedTarget(span, what, instead))
