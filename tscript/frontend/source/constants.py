"""Constant expressions of modules that are read: operators, and how large constants may be."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

MAX_CONSTANT_BITS = 4096
"""The maximum number of bits while constants are computed: ``1 << 10**9`` is not a constant."""


MAX_CONSTANT_PARTS = 1 << 15
"""The maximum number of elements of a tuple, with those of nested tuples; as many as a type can have."""


MAX_CONSTANT_STRING = 1 << 20
"""The maximum number of characters of a computed string."""


class NotConstant(Exception):
    """An expression is not computed from constants."""


def parts(value: tuple[object, ...]) -> int:
    """The number of constants in a tuple; counting stops after `MAX_CONSTANT_PARTS`."""
    count, pending = 0, [value]
    while pending and count <= MAX_CONSTANT_PARTS:
        inner = pending.pop()
        count += len(inner)
        pending += [part for part in inner if isinstance(part, tuple)]
    return count


def _too_large(op: ast.operator, left: float | str, right: float | str) -> bool:
    if not isinstance(left, int) or not isinstance(right, int):
        return False
    if isinstance(op, ast.Mult):
        return left.bit_length() + right.bit_length() > MAX_CONSTANT_BITS
    factor = left.bit_length() if isinstance(op, ast.Pow) else 1
    return abs(right) * max(factor, 1) > MAX_CONSTANT_BITS


_UNARY: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.inv,
}


_BINARY: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


def unary(op: ast.unaryop, operand: object) -> object:
    """A unary operator on a constant."""
    if not isinstance(operand, int | float):
        raise NotConstant("the result of an operation on other values than numbers")
    return _UNARY[type(op)](operand)


def binary(op: ast.operator, left: object, right: object) -> object:
    """A binary operator on two constants."""
    if not isinstance(left, int | float | str) or not isinstance(right, int | float | str):
        raise NotConstant("the result of an operation on other values than numbers")
    apply = _BINARY.get(type(op))
    if apply is None or ((isinstance(left, str) or isinstance(right, str)) and not isinstance(op, ast.Add)):
        raise NotConstant("the result of an operator that constants do not support")
    if isinstance(left, str) and isinstance(right, str) and len(left) + len(right) > MAX_CONSTANT_STRING:
        raise NotConstant(f"a string of more than {MAX_CONSTANT_STRING:,} characters")
    if isinstance(op, ast.Pow | ast.LShift | ast.Mult) and _too_large(op, left, right):
        raise NotConstant("a number too large to be a constant")
    try:
        return apply(left, right)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise NotConstant(f"an expression that fails: {error}") from None
