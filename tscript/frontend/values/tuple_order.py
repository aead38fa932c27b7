"""Comparisons of tuples that contain tensors or instances, element by element as in Python: identical objects are
equal, and elements after a difference are not compared. The truth of ``==`` of a tensor with several elements
raises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.ir.graph import Value
from tscript.operators.python.classes import IS_SAME
from tscript.types import BOOL

Pairs = Sequence[tuple[Value, Value]]
Compare = Callable[[Value, Value], Value]


def equal(lowering: FunctionLowering, pairs: Pairs, compare: Compare, span: Span) -> Value:
    """Whether all pairs are equal by `compare`, which gives a truth value."""
    if not pairs:
        return lowering.const(True, BOOL, span)
    same = _same(lowering, *pairs[0], compare, span)
    rest = lowering.branch(lambda: equal(lowering, pairs[1:], compare, span))
    return _merged(lowering, same, rest, lowering.branch(lambda: lowering.const(False, BOOL, span)), span)


def any_equal(lowering: FunctionLowering, pairs: Pairs, compare: Compare, span: Span) -> Value:
    """Whether a pair is equal by `compare`."""
    if not pairs:
        return lowering.const(False, BOOL, span)
    same = _same(lowering, *pairs[0], compare, span)
    yes = lowering.branch(lambda: lowering.const(True, BOOL, span))
    return _merged(lowering, same, yes, lowering.branch(lambda: any_equal(lowering, pairs[1:], compare, span)), span)


def ordered(
    lowering: FunctionLowering, pairs: Pairs, compare: Compare, less: Compare, when_equal: bool, span: Span
) -> Value:
    """The result of `less` for the first pair that is not equal; `when_equal` if there is none."""
    if not pairs:
        return lowering.const(when_equal, BOOL, span)
    same = _same(lowering, *pairs[0], compare, span)
    rest = lowering.branch(lambda: ordered(lowering, pairs[1:], compare, less, when_equal, span))
    return _merged(lowering, same, rest, lowering.branch(lambda: less(*pairs[0])), span)


def _same(lowering: FunctionLowering, left: Value, right: Value, compare: Compare, span: Span) -> Value:
    """Whether two elements are the same or equal."""
    if not (lowering.kinds.has_identity(left.type) and lowering.kinds.has_identity(right.type)):
        return compare(left, right)
    identical = lowering.leaf(IS_SAME, [left, right], BOOL, span)
    yes = lowering.branch(lambda: lowering.const(True, BOOL, span))
    return _merged(lowering, identical, yes, lowering.branch(lambda: compare(left, right)), span)


def _merged(lowering: FunctionLowering, condition: Value, then: object, orelse: object, span: Span) -> Value:
    found = merge(lowering, condition, then, orelse, span, BOOL)  # type: ignore[arg-type]
    assert found is not None
    return found
