"""Comparisons: what the kinds of the two operands say, the operators of the table for all others."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tscript.definitions.rules import receiver_types
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import callable_errors, container_errors, errors
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering import common, integers, iterables, method_calls, ranges, unions
from tscript.frontend.lowering.calls import operator_argument
from tscript.frontend.lowering.conditions import short_circuit
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.ranges import is_range
from tscript.frontend.source.symbols import ForeignDtypeSymbol
from tscript.ir.graph import Value
from tscript.operators.python.classes import IS_SAME
from tscript.operators.python.conversions import is_object
from tscript.types import (
    BOOL,
    COMPLEX,
    DTYPE,
    CallableType,
    ListType,
    OptionalType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    members_of,
)

_SIGNED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("lt", "<"),
    ast.LtE: ("le", "<="),
    ast.Gt: ("gt", ">"),
    ast.GtE: ("ge", ">="),
}

SIGNS = dict(_SIGNED.values())
"""The sign of each operator that compares the order of two values."""

ORDER_METHODS = {"lt": "__lt__", "gt": "__gt__", "le": "__le__", "ge": "__ge__"}
"""Their special methods."""

REFLECTED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}
"""What each is for the operands the other way round."""


def lower_compare(lowering: FunctionLowering, node: ast.Compare) -> Value:
    """A chain of comparisons."""
    return _chain(lowering, node, lowering.value(node.left), 0)


def _chain(lowering: FunctionLowering, node: ast.Compare, left: Value, position: int) -> Value:
    """The comparisons from `position` on; each middle operand is evaluated once."""
    right_node = node.comparators[position]
    op = node.ops[position]
    if (without := _without_foreign(lowering, left, right_node)) is not right_node:
        if without is None:
            return lowering.constant(isinstance(op, ast.NotEq | ast.NotIn | ast.IsNot), lowering.span(node))
        right_node = without
    if isinstance(op, ast.In | ast.NotIn) and position + 1 == len(node.ops):
        found = _in_iterator(lowering, left, right_node)
        if found is not None:
            return found if isinstance(op, ast.In) else lowering.apply("not", [found], lowering.span(node))
    found = integers.compared(lowering, op, left, right_node)
    if found is not None and position + 1 == len(node.ops):
        return found
    right = (
        operator_argument(lowering, right_node) if isinstance(op, ast.In | ast.NotIn) else lowering.value(right_node)
    )
    found = _comparison(lowering, op, left, right, node)
    if position + 1 == len(node.ops):
        return found
    return short_circuit(lowering, "and", found, lambda: _chain(lowering, node, right, position + 1), node)


def _without_foreign(lowering: FunctionLowering, left: Value, node: ast.expr) -> ast.expr | None:
    """The right side of a comparison of a dtype without the dtypes that no tensor has here; None if nothing is left."""
    if DTYPE not in members_of(left.type):
        return node
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        kept = [e for e in node.elts if not isinstance(static(lowering, e), ForeignDtypeSymbol)]
        if len(kept) == len(node.elts):
            return node
        return ast.copy_location(ast.Tuple(kept, ast.Load()), node) if kept else None
    return None if isinstance(static(lowering, node), ForeignDtypeSymbol) else node


def _in_iterator(lowering: FunctionLowering, left: Value, node: ast.expr) -> Value | None:
    """``x in range(...)`` and ``x in d.keys()``; None for other expressions."""
    if isinstance(node, ast.Call) and is_range(lowering, node):
        return ranges.in_range(lowering, left, node)
    receiver = iterables.viewed(lowering, node)
    if receiver is None:
        return None
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    span = lowering.span(node)
    right = receiver
    if node.func.attr != "keys":
        right = lowering.apply(node.func.attr, [receiver], span)
    return _in(lowering, left, right, span)


def _comparison(lowering: FunctionLowering, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    if all(isinstance(_present(v.type), CallableType) for v in (left, right)):
        raise lowering.failure(callable_errors.ComparedFunctions(lowering.span(node)))
    handler = _COMPARE.get(type(op))
    if handler is not None:
        return handler(lowering, left, right, lowering.span(node))
    return compare_values(lowering, _SIGNED[type(op)][0], left, right, lowering.span(node))


def _present(type: Type) -> Type:
    return type.value if isinstance(type, OptionalType) else type


def compare_values(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value:
    """A comparison of two values by the name of its operator."""
    if name in ("eq", "ne"):
        return (equal if name == "eq" else _not_equal)(lowering, left, right, span)
    sign = SIGNS[name]
    found = unions.each(lowering, [left, right], lambda v: compare_values(lowering, name, v[0], v[1], span), span, sign)
    found = found or _ordered(lowering, name, left, right, span)
    if found is not None:
        return found
    return lowering.apply(name, [*_alike(lowering, left, right, span)], span, shown_as=sign)


def _ordered(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """``left < right`` and the like as a class or the kind of an operand says it; None where neither does."""
    method = ORDER_METHODS[name]
    for one, special, other in ((left, method, right), (right, REFLECTED[method], left)):
        found = method_calls.special_call(lowering, one, special, [other], span)
        if found is not None:
            return found
    for kind in lowering.kinds.deciding(left.type, right.type):
        if kind.order is not None:
            return kind.order(lowering, name, left, right, span)
    return None


def truth_of(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value:
    """A comparison as a bool."""
    return lowering.truth(compare_values(lowering, name, left, right, span), span)


def _alike(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """The operands of a comparison, converted to one type if possible, for example an int and an optional int."""
    left, right = _complex_equal(lowering, left, right, span)
    a, b = left.type, right.type
    if a == b or isinstance(a, TensorType | SizeType) or isinstance(b, TensorType | SizeType):
        return left, right
    if lowering.settle(left, b) or lowering.settle(right, a):
        return left, right
    if (how := lowering.kind(left).widened) is not None and (made := how(lowering, left, b, span)) is not None:
        return made, right
    if (how := lowering.kind(right).widened) is not None and (made := how(lowering, right, a, span)) is not None:
        return left, made
    target: Type | None = None
    for one, other in ((a, b), (b, a)):
        if isinstance(one, TupleType) and isinstance(other, ListType | TupleType):
            if isinstance(other, TupleType) or other.frozen:
                target = target or (other if lowering.coerce(left if one is a else right, other, span) else None)
        elif isinstance(one, OptionalType) or is_object(one):
            target = common.common(a, b)
    if target is not None:
        x, y = lowering.coerce(left, target, span), lowering.coerce(right, target, span)
        if x is not None and y is not None:
            return x, y
    return left, right


def _complex_equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """Two numbers that are compared, both complex if one is."""
    if COMPLEX in (left.type, right.type):
        a, b = lowering.coerce(left, COMPLEX, span), lowering.coerce(right, COMPLEX, span)
        if a is not None and b is not None:
            return a, b
    return left, right


def _are_known(lowering: FunctionLowering, left: Value, right: Value) -> bool:
    """Whether a comparison of strings decides which branches of a module there are: of its constants."""
    of_module = lowering.owner is not None and lowering.owner.is_module
    return of_module and isinstance(left.constant, str) and isinstance(right.constant, str)


def equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    """``left == right``."""
    if _are_known(lowering, left, right):
        return lowering.const(left.constant == right.constant, BOOL, span)
    for kind in lowering.kinds.deciding(left.type, right.type):
        if kind.equal is not None and (found := kind.equal(lowering, left, right, span)) is not None:
            return found
    return lowering.apply("eq", [*_alike(lowering, left, right, span)], span, shown_as="==")


def are_equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    """``left == right`` as a bool."""
    return lowering.truth(equal(lowering, left, right, span), span)


def _not_equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    if _are_known(lowering, left, right):
        return lowering.const(left.constant != right.constant, BOOL, span)
    found = method_calls.special_call(lowering, left, "__ne__", [right], span)
    if found is not None:
        return found
    for kind in lowering.kinds.deciding(left.type, right.type):
        if kind.unequal is not None and (found := kind.unequal(lowering, left, right, span)) is not None:
            return found
    if any(lowering.kind(v).negates_equal or common.has_own(v.type) for v in (left, right)):
        return lowering.apply("not", [are_equal(lowering, left, right, span)], span)
    return lowering.apply("ne", [*_alike(lowering, left, right, span)], span, shown_as="!=")


def _is(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    a, b = left.type, right.type
    for kind in lowering.kinds.deciding(a, b):
        if kind.same is not None and (found := kind.same(lowering, left, right, span)) is not None:
            return found
    objects = [lowering.kinds.has_identity(t) for t in (a, b)]
    if all(objects):
        return lowering.leaf(IS_SAME, [left, right], BOOL, span)
    if any(objects):
        return lowering.const(False, BOOL, span)
    instead = "write '=='; 'is' is for None, lists, dicts, sets, tensors, instances and enums"
    raise lowering.failure(errors.UnsupportedComparison(span, "is", article(a), article(b), instead))


def _is_not(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    return lowering.apply("not", [_is(lowering, left, right, span)], span)


def _in(lowering: FunctionLowering, item: Value, container: Value, span: Span) -> Value:
    how = lowering.kind(container).contains
    found = None if how is None else how(lowering, container, item, span)
    if found is not None:
        return found
    if nothing := container_errors.nothing_said([container], span):
        raise lowering.failure(nothing)
    instead = (
        narrowing([container.type])
        or defining(container.type, "__contains__")
        or ("test whether any is equal: bool((x == value).any())" if isinstance(container.type, TensorType) else "")
        or "'in' works on tuples, lists, dicts, sets and strings"
    )
    held = receiver_types(container.type).get("T")
    if held is not None:
        fix = conversion_help(item, held)
        instead = f"{article(container.type)} holds no {shown(item.type)}" + (f"; {fix}" if fix else "")
    raise lowering.failure(
        errors.UnsupportedComparison(span, "in", article(item.type), article(container.type), instead)
    )


def _not_in(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    return lowering.apply("not", [_in(lowering, left, right, span)], span)


_COMPARE: dict[type[ast.cmpop], Callable[[FunctionLowering, Value, Value, Span], Value]] = {
    ast.Eq: equal,
    ast.NotEq: _not_equal,
    ast.Is: _is,
    ast.IsNot: _is_not,
    ast.In: _in,
    ast.NotIn: _not_in,
}
