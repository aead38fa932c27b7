"""Operators of the language's scalars: arithmetic, comparisons and conversions of int, float and bool.

Each is a body in the low-level dialect (`tscript.ops.scalar_bodies`) with CPython's meaning, except that `int` is 64 bits
wide and wraps, and that conversions of floats beyond it raise `OverflowError`. Their semantics say the same on Python
values. Comparisons of an int with a float compare the numbers, not the int rounded to a float, as CPython does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from tscript.ops import scalar_bodies as body
from tscript.ops.define import composite, scalar
from tscript.ops.opdef import Arg, OpDef, OperatorTypeError
from tscript.types import FLOAT, INT, TupleType, Type


def wrap64(value: int) -> int:
    """An int modulo 2**64, as a signed 64-bit one."""
    return (value + 2**63) % 2**64 - 2**63


def _wrapped(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *args: wrap64(function(*args))


# ---- the same on Python values


def _int_power(base: int, exponent: int) -> int:
    if exponent < 0:
        return body.pow_int(base, exponent)
    return wrap64(pow(base, exponent, 2**64))


def _floor_divide(a: int, b: int) -> int:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return wrap64(a // b)


def _remainder(a: int, b: int) -> int:
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    return a % b


def _divide(a: int, b: int) -> float:
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


def _left_shift(a: int, b: int) -> int:
    return body.left_shift_int(a, b) if not 0 <= b <= 63 else wrap64(a << b)


# ---- definitions

_COMPARISONS: tuple[tuple[str, Callable[..., bool], str], ...] = (
    ("eq", operator.eq, "Whether both are equal."),
    ("ne", operator.ne, "Whether they differ."),
    ("lt", operator.lt, "Whether the first is less."),
    ("le", operator.le, "Whether the first is less or equal."),
    ("gt", operator.gt, "Whether the first is greater."),
    ("ge", operator.ge, "Whether the first is greater or equal."),
)


def _comparisons(overload: str, kinds: tuple[str, str], bodies: dict[str, Callable[..., Any]]) -> tuple[OpDef, ...]:
    return tuple(
        scalar(f"{name}.{overload}({kinds[0]} a, {kinds[1]} b) -> bool", bodies[name], meaning, doc)
        for name, meaning, doc in _COMPARISONS
        if name in bodies
    )


def divmod_int(a: int, b: int) -> tuple[int, int]:
    return (a // b, a % b)


def divmod_float(a: float, b: float) -> tuple[float, float]:
    if b == 0.0:
        raise ZeroDivisionError("float divmod()")
    return (a // b, a % b)


def _pair(of: Type) -> Callable[[Sequence[Arg]], Type]:
    def rule(args: Sequence[Arg]) -> Type:
        if any(a.type != of for a in args):
            raise OperatorTypeError(f"both arguments must be {of}")
        return TupleType((of, of))

    return rule


_INT = (
    scalar("add.int(int a, int b) -> int", body.add_int, _wrapped(operator.add), "Sum of two ints."),
    scalar("sub.int(int a, int b) -> int", body.sub_int, _wrapped(operator.sub), "Difference of two ints."),
    scalar("mul.int(int a, int b) -> int", body.mul_int, _wrapped(operator.mul), "Product of two ints."),
    scalar(
        "div.int(int a, int b) -> float", body.div_int, _divide, "True quotient of two ints, rounded once.", raises=True
    ),
    scalar("floor_divide.int(int a, int b) -> int", body.floor_divide_int, _floor_divide, "``a // b``.", raises=True),
    scalar(
        "remainder.int(int a, int b) -> int",
        body.remainder_int,
        _remainder,
        "``a % b``, with the sign of b.",
        raises=True,
    ),
    scalar("pow.int(int a, int b) -> int", body.pow_int, _int_power, "``a ** b`` for b >= 0.", raises=True),
    scalar(
        "pow.mod(int a, int b, int modulus) -> int", body.pow_mod, body.pow_mod, "``pow(a, b, modulus)``.", raises=True
    ),
    scalar("neg.int(int a) -> int", body.neg_int, _wrapped(operator.neg), "``-a``."),
    scalar("positive.int(int a) -> int", body.positive_int, operator.pos, "``+a``."),
    scalar("abs.int(int a) -> int", body.abs_int, _wrapped(abs), "Absolute value."),
    scalar("bitwise_not.int(int a) -> int", body.bitwise_not_int, operator.invert, "``~a``."),
    scalar("bitwise_and.int(int a, int b) -> int", body.bitwise_and_int, operator.and_, "``a & b``."),
    scalar("bitwise_or.int(int a, int b) -> int", body.bitwise_or_int, operator.or_, "``a | b``."),
    scalar("bitwise_xor.int(int a, int b) -> int", body.bitwise_xor_int, operator.xor, "``a ^ b``."),
    scalar("bitwise_left_shift.int(int a, int b) -> int", body.left_shift_int, _left_shift, "``a << b``.", raises=True),
    scalar(
        "bitwise_right_shift.int(int a, int b) -> int",
        body.right_shift_int,
        body.right_shift_int,
        "``a >> b``.",
        raises=True,
    ),
    scalar("min.int(int a, int b) -> int", body.min_int, min, "The lesser; the first of equals."),
    scalar("max.int(int a, int b) -> int", body.max_int, max, "The greater; the first of equals."),
    composite(
        "divmod.int(int a, int b) -> (int, int)",
        _pair(INT),
        lambda a, b: (_floor_divide(a, b), _remainder(a, b)),
        divmod_int,
        "``(a // b, a % b)``.",
        exact=True,
    ),
    scalar("round.int(int a) -> int", body.int_int, int, "An int is round already."),
    scalar(
        "round.int_digits(int a, int ndigits) -> int",
        body.round_half_even,
        lambda a, n: wrap64(round(a, n)) if n >= -18 else 0,
        "To a multiple of ten to the power -ndigits, halves to even.",
    ),
)

_FLOAT = (
    scalar("add.float(float a, float b) -> float", body.add_float, operator.add, "Sum of two floats."),
    scalar("sub.float(float a, float b) -> float", body.sub_float, operator.sub, "Difference of two floats."),
    scalar("mul.float(float a, float b) -> float", body.mul_float, operator.mul, "Product of two floats."),
    scalar(
        "div.float(float a, float b) -> float", body.div_float, body.div_float, "Quotient; by zero raises.", raises=True
    ),
    scalar(
        "floor_divide.float(float a, float b) -> float",
        body.floor_divide_float,
        body.floor_divide_float,
        "``a // b``.",
        raises=True,
    ),
    scalar(
        "remainder.float(float a, float b) -> float",
        body.remainder_float,
        body.remainder_float,
        "``a % b``.",
        raises=True,
    ),
    scalar("pow.float(float a, float b) -> float", body.pow_float, body.pow_float, "``a ** b``.", raises=True),
    scalar("neg.float(float a) -> float", body.neg_float, operator.neg, "``-a``."),
    scalar("positive.float(float a) -> float", body.positive_float, operator.pos, "``+a``."),
    scalar("abs.float(float a) -> float", body.abs_float, abs, "Absolute value."),
    scalar("min.float(float a, float b) -> float", body.min_float, min, "The lesser; the first of equals."),
    scalar("max.float(float a, float b) -> float", body.max_float, max, "The greater; the first of equals."),
    composite(
        "divmod.float(float a, float b) -> (float, float)",
        _pair(FLOAT),
        divmod,
        divmod_float,
        "``(a // b, a % b)``.",
        exact=True,
    ),
    scalar(
        "round.float(float a) -> int",
        body.round_float,
        body.round_float,
        "To the nearest int, halves to even.",
        raises=True,
    ),
    scalar(
        "round.float_digits(float a, int ndigits) -> float",
        body.round_digits,
        body.round_digits,
        "To ndigits decimal places, halves to even.",
        raises=True,
    ),
)

_BOOL = (
    scalar("not.bool(bool a) -> bool", body.not_bool, operator.not_, "``not a``."),
    scalar("bitwise_and.bool(bool a, bool b) -> bool", body.and_bool, operator.and_, "``a & b``."),
    scalar("bitwise_or.bool(bool a, bool b) -> bool", body.or_bool, operator.or_, "``a | b``."),
    scalar("bitwise_xor.bool(bool a, bool b) -> bool", body.xor_bool, operator.xor, "``a ^ b``."),
)

_COMPARED = (
    *_comparisons("bool", ("bool", "bool"), {"eq": body.eq_bool, "ne": body.ne_bool}),
    *_comparisons(
        "int",
        ("int", "int"),
        {
            "eq": body.eq_int,
            "ne": body.ne_int,
            "lt": body.lt_int,
            "le": body.le_int,
            "gt": body.gt_int,
            "ge": body.ge_int,
        },
    ),
    *_comparisons(
        "float",
        ("float", "float"),
        {
            "eq": body.eq_float,
            "ne": body.ne_float,
            "lt": body.lt_float,
            "le": body.le_float,
            "gt": body.gt_float,
            "ge": body.ge_float,
        },
    ),
    *_comparisons(
        "int_float",
        ("int", "float"),
        {
            "eq": body.eq_int_float,
            "ne": body.ne_int_float,
            "lt": body.lt_int_float,
            "le": body.le_int_float,
            "gt": body.gt_int_float,
            "ge": body.ge_int_float,
        },
    ),
    *_comparisons(
        "float_int",
        ("float", "int"),
        {
            "eq": body.eq_float_int,
            "ne": body.ne_float_int,
            "lt": body.lt_float_int,
            "le": body.le_float_int,
            "gt": body.gt_float_int,
            "ge": body.ge_float_int,
        },
    ),
    scalar("eq.dtype(dtype a, dtype b) -> bool", body.eq_dtype, operator.is_, "Whether both are the same dtype."),
    scalar("ne.dtype(dtype a, dtype b) -> bool", body.ne_dtype, operator.is_not, "Whether the dtypes differ."),
)

_CONVERTED = (
    scalar("int.int(int a) -> int", body.int_int, int, "``int(a)`` of an int."),
    scalar("int.bool(bool a) -> int", body.int_bool, int, "``int(a)`` of a bool."),
    scalar(
        "int.float(float a) -> int",
        body.int_float,
        body.int_float,
        "``int(a)``: towards zero; OverflowError beyond 64 bits.",
        raises=True,
    ),
    scalar("float.float(float a) -> float", body.float_float, float, "``float(a)`` of a float."),
    scalar("float.int(int a) -> float", body.float_int, float, "The nearest float."),
    scalar("float.bool(bool a) -> float", body.float_bool, float, "0.0 or 1.0."),
    scalar("bool.bool(bool a) -> bool", body.bool_bool, bool, "``bool(a)`` of a bool."),
    scalar("bool.int(int a) -> bool", body.bool_int, bool, "Whether a is not zero."),
    scalar("bool.float(float a) -> bool", body.bool_float, bool, "Whether a is not zero; NaN is not."),
)

OPERATORS: tuple[OpDef, ...] = (*_INT, *_FLOAT, *_BOOL, *_COMPARED, *_CONVERTED)
"""All operators of this module; among overloads the narrower types come first."""

BUILTIN_ONLY = frozenset({"divmod", "not"})
"""Names that are no tensor methods although an overload might take a tensor."""
