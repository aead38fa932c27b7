"""Elements of lists, dicts and strings: read, set and deleted."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import container_errors, errors
from tscript.frontend.diagnostics.advice import narrowing
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import holding, sources
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.subscripts import item, key_of, slice_of
from tscript.ir.graph import Value
from tscript.types import BOOL, FLOAT, INT, NONE, DictType, ListType
from tscript.types.inference import is_open_within


def _store_item(lowering: FunctionLowering, target: ast.Subscript, container: Value, value: Value) -> None:
    span = lowering.span(target)
    if isinstance(container.type, ListType) and container.type.frozen:
        what = f"an element of {article(container.type)}"
        instead = "a tuple or shape is immutable: make a new one, or keep the elements in a list"
        raise lowering.failure(errors.UnsupportedTarget(span, what, instead))
    if isinstance(container.type, ListType) and isinstance(target.slice, ast.Slice):
        part = slice_of(lowering, target.slice, "list")
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
    """The value assigned to a slice, as a list of the type of the container."""
    span = lowering.span(node)
    if value.type in (INT, FLOAT, BOOL, NONE) or narrowing([value.type]):
        what = "what is assigned to a slice of a list"
        instead = narrowing([value.type]) or "write a list: [...]"
        raise lowering.failure(container_errors.ElementType(span, what, shown(wanted), shown(value.type), instead))
    out = make_list(lowering, wanted, [], span)

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


def load_item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value:
    """``x[index]``."""
    return item(lowering, container, node.slice, lowering.span(node))


def set_item(lowering: FunctionLowering, target: ast.Subscript, container: Value, value: Value) -> bool:
    """``x[index] = value``."""
    _store_item(lowering, target, container, value)
    return True


def delete_item(lowering: FunctionLowering, target: ast.Subscript, container: Value) -> bool:
    """``del x[index]``."""
    span = lowering.span(target)
    if isinstance(target.slice, ast.Slice) and isinstance(container.type, ListType):
        part = slice_of(lowering, target.slice, "list")
        lowering.apply("delete_slice", [container, part.start, part.stop, part.step], span)
    else:
        lowering.apply("delitem", [container, key_of(lowering, container, target.slice)], span)
    return True
