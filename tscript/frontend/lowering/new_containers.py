"""Lists, dicts and sets that the compiler makes."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.ir.graph import Value
from tscript.operators.python.container_literals import DICT_MAKE, LIST_MAKE, SET_MAKE
from tscript.types import TYPE, DictType, ListType, SetType, Type
from tscript.types.inference import is_open


def make_list(lowering: FunctionLowering, type: ListType, elements: Sequence[Value], span: Span) -> Value:
    """A new list (or tuple of any length) of elements that are of its element type."""
    return _literal_container(lowering, LIST_MAKE, type, elements, span)


def make_dict(lowering: FunctionLowering, type: DictType, items: Sequence[Value], span: Span) -> Value:
    """A new dict of keys and values in turn, which are of its types."""
    return _literal_container(lowering, DICT_MAKE, type, items, span)


def make_set(lowering: FunctionLowering, type: SetType, elements: Sequence[Value], span: Span) -> Value:
    """A new set of elements that are of its element type."""
    return _literal_container(lowering, SET_MAKE, type, elements, span)


def _literal_container(
    lowering: FunctionLowering, op: OpDef, made: Type, elements: Sequence[Value], span: Span
) -> Value:
    if elements and isinstance(made, DictType | SetType):
        filled = lowering.kinds.of(made).filled
        if filled is not None and (out := filled(lowering, made, elements, span)) is not None:
            return out
    if not is_open(made):
        return lowering.leaf(op, [lowering.const(made, TYPE, span), *elements], made, span)
    known = lowering.contents.get(span)
    found = known if known is not None and type(known) is type(made) else made
    out = lowering.leaf(op, [lowering.const(found, TYPE, span), *elements], found, span)
    lowering.opened.add(out)
    return out
