"""Comparisons of lists, dicts and sets, and what they contain."""

from __future__ import annotations

from tscript.definitions.rules import receiver_types
from tscript.diagnostics import Span
from tscript.frontend.lowering import common, holding, receivers, sources
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.common import EQUAL, has_own
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.new_containers import make_dict, make_list
from tscript.frontend.source import hashing
from tscript.frontend.source.classes import defines
from tscript.ir.graph import Value
from tscript.operators.python.functions import keys
from tscript.operators.python.functions.containers import dicts_equal, lists_equal, update_dict
from tscript.types import NEVER, DictType, ListType, Type


def equal_lists(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` of lists whose elements define equality; None for others."""
    if not (isinstance(left.type, ListType) and isinstance(right.type, ListType)):
        return None
    if not (has_own(left.type) and has_own(right.type)):
        return None
    return call_function(lowering, lists_equal, [left, right], span)


def equal_dicts(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` of dicts whose values define equality; None for others."""
    a, b = left.type, right.type
    if not (isinstance(a, DictType) and isinstance(b, DictType) and has_own(a) and has_own(b)):
        return None
    asked = hashing.asks(a.key) or hashing.asks(b.key)
    return call_function(lowering, (keys.dicts_equal if asked else dicts_equal), [left, right], span)


def contains(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value | None:
    """``item in container``; None if the item cannot have the element type."""
    held = receiver_types(container.type)["T"]
    found = lowering.coerce(item, held, span)
    if found is None:
        return None
    if isinstance(container.type, ListType) and defines(held, EQUAL):
        return call_function(lowering, keys.in_row, [container, found], span)
    return lowering.apply("contains", [container, found], span, shown_as="in")


def widened_list(lowering: FunctionLowering, value: Value, wanted: Type, span: Span) -> Value | None:
    """A copy of a list with a wider type; None if the elements do not convert."""
    found, node = value.type, receivers.placed(lowering, span)
    if not isinstance(found, ListType) or not isinstance(wanted, ListType) or found.frozen or wanted.frozen:
        return None
    if NEVER in (found.element, wanted.element) or not common.is_wider(found.element, wanted.element):
        return None
    made = make_list(lowering, wanted, [], span)
    source = sources.value_source(lowering, value, node)
    holding.run_into(lowering, source, lambda x: holding.append(lowering, made, x, node), node)
    return made


def widened_dict(lowering: FunctionLowering, value: Value, wanted: Type, span: Span) -> Value | None:
    """A copy of a dict with a wider type; None if the entries do not convert."""
    if not (isinstance(wanted, DictType) and common.becomes(value.type, wanted)):
        return None
    made = make_dict(lowering, wanted, [], span)
    call_function(lowering, update_dict, [made, value], span)
    return made
