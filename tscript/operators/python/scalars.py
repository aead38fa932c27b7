"""Operators of the language's scalars: arithmetic, comparisons and conversions of int, float and bool.

Each is a body in the low-level dialect (`tscript.operators.python.scalar_bodies`) with CPython's meaning, except that
`int` is 64 bits
wide: a result that does not fit is an `OverflowError`. Their semantics say the same on Python values. The operators
whose names begin with ``wrapping_`` compute modulo 2**64 and never overflow: what programs ask for by name, what the
compiler uses where it has proved that nothing overflows, and what the operators of archives from before ints were
checked are read as.

Comparisons of an int with a float compare the numbers, not the int rounded to a float, as CPython does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tscript.dialect.limits import MAX_INT, MIN_INT, int_float
from tscript.operators.core.define import composite, scalar
from tscript.operators.core.opdef import OVERFLOWS, RAISES, Arg, OpDef, OperatorTypeError
from tscript.operators.python import scalar_bodies as body
from tscript.types import FLOAT, INT, TupleType, Type


def wrap64(value: int) -> int:
    """An int modulo 2**64, as a signed 64-bit one."""
    return (value + 2**63) % 2**64 - 2**63


def exact(function: Callable[..., int], message: str) -> Callable[..., int]:
    """The meaning of an operator on ints: an `OverflowError` with `message`, which shows the operands, beyond 64
    bits."""

    def semantics(*args: int) -> int:
        found = function(*args)
        if not MIN_INT <= found <= MAX_INT:
            raise OverflowError(message.format(*args))
        return found

    return semantics


def _wrapped(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *args: wrap64(function(*args))


# ---- the same on Python values


def _int_power(base: int, exponent: int) -> int:
    if exponent < 0:
        return body.pow_int(base, exponent)
    return int(base ** (exponent if exponent < 64 else 64 + exponent % 2))


_checked_power = exact(_int_power, body.POWER_TOO_LARGE)


def _wrapping_power(base: int, exponent: int) -> int:
    if exponent < 0:
        return body.wrapping_pow(base, exponent)
    return wrap64(pow(base, exponent, 2**64))


def _floor_divide(a: int, b: int) -> int:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a // b


_checked_floor_divide = exact(_floor_divide, body.DIVIDE_TOO_LARGE)


def _remainder(a: int, b: int) -> int:
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    return a % b


def _divide(a: int, b: int) -> float:
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


def _left_shift(a: int, b: int) -> int:
    if b < 0:
        return body.left_shift_int(a, b)
    return a << min(b, 64)


def _round(a: int, digits: int) -> int:
    return round(a, max(digits, -20))


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


def wrapping_divmod(a: int, b: int) -> tuple[int, int]:
    if b == -1 and a == -9223372036854775807 - 1:
        return (a, 0)
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


def checked(
    schema: str,
    function: Callable[..., Any],
    meaning: Callable[..., int],
    message: str,
    doc: str,
    earlier: str = "",
    others: bool = False,
    names: str = "",
) -> OpDef:
    """An operator that raises `OverflowError` since its second version; before, it wrapped, as `earlier` does.

    `others` says that it raises for other reasons as well.
    """
    op = scalar(schema, function, exact(meaning, message), doc, raises=True, names=names)
    earlier = earlier or f"wrapping_{op.name}"
    return replace(op, effects=RAISES if others else OVERFLOWS, earlier=(earlier,))


_INT = (
    checked("add.int(int a, int b) -> int", body.add_int, operator.add, body.ADD_TOO_LARGE, "Sum of two ints."),
    checked("sub.int(int a, int b) -> int", body.sub_int, operator.sub, body.SUB_TOO_LARGE, "Difference of two ints."),
    checked("mul.int(int a, int b) -> int", body.mul_int, operator.mul, body.MUL_TOO_LARGE, "Product of two ints."),
    scalar(
        "div.int(int a, int b) -> float", body.div_int, _divide, "True quotient of two ints, rounded once.", raises=True
    ),
    checked(
        "floor_divide.int(int a, int b) -> int",
        body.floor_divide_int,
        _floor_divide,
        body.DIVIDE_TOO_LARGE,
        "``a // b``.",
        others=True,
    ),
    scalar(
        "remainder.int(int a, int b) -> int",
        body.remainder_int,
        _remainder,
        "``a % b``, with the sign of b.",
        raises=True,
    ),
    checked(
        "pow.int(int a, int b) -> int",
        body.pow_int,
        _int_power,
        body.POWER_TOO_LARGE,
        "``a ** b`` for b >= 0.",
        others=True,
    ),
    scalar(
        "pow.mod(int a, int b, int modulus) -> int", body.pow_mod, body.pow_mod, "``pow(a, b, modulus)``.", raises=True
    ),
    checked("neg.int(int a) -> int", body.neg_int, operator.neg, body.NEG_TOO_LARGE, "``-a``."),
    scalar("positive.int(int a) -> int", body.positive_int, operator.pos, "``+a``."),
    checked("abs.int(int a) -> int", body.abs_int, abs, body.ABS_TOO_LARGE, "Absolute value."),
    scalar("bitwise_not.int(int a) -> int", body.bitwise_not_int, operator.invert, "``~a``."),
    scalar("bitwise_and.int(int a, int b) -> int", body.bitwise_and_int, operator.and_, "``a & b``."),
    scalar("bitwise_or.int(int a, int b) -> int", body.bitwise_or_int, operator.or_, "``a | b``."),
    scalar("bitwise_xor.int(int a, int b) -> int", body.bitwise_xor_int, operator.xor, "``a ^ b``."),
    checked(
        "bitwise_left_shift.int(int a, int b) -> int",
        body.left_shift_int,
        _left_shift,
        body.SHIFT_TOO_LARGE,
        "``a << b``.",
        "wrapping_shl.int",
        others=True,
    ),
    scalar(
        "bitwise_right_shift.int(int a, int b) -> int",
        body.right_shift_int,
        body.right_shift_int,
        "``a >> b``.",
        raises=True,
    ),
    scalar("min.int(int a, int b) -> int", body.min_int, min, "The lesser; the first of equals."),
    scalar("max.int(int a, int b) -> int", body.max_int, max, "The greater; the first of equals."),
    replace(
        composite(
            "divmod.int(int a, int b) -> (int, int)",
            _pair(INT),
            lambda a, b: (_checked_floor_divide(a, b), _remainder(a, b)),
            divmod_int,
            "``(a // b, a % b)``.",
            exact=True,
        ),
        earlier=("wrapping_divmod.int",),
    ),
    scalar("round.int(int a) -> int", body.int_int, int, "An int is round already."),
    checked(
        "round.int_digits(int a, int ndigits) -> int",
        body.round_half_even,
        _round,
        body.ROUND_TOO_LARGE,
        "To a multiple of ten to the power -ndigits, halves to even.",
    ),
)

_WRAPPING = (
    scalar("wrapping_add.int(int a, int b) -> int", body.wrapping_add, _wrapped(operator.add), "Sum modulo 2**64."),
    scalar(
        "wrapping_sub.int(int a, int b) -> int", body.wrapping_sub, _wrapped(operator.sub), "Difference modulo 2**64."
    ),
    scalar("wrapping_mul.int(int a, int b) -> int", body.wrapping_mul, _wrapped(operator.mul), "Product modulo 2**64."),
    scalar(
        "wrapping_shl.int(int a, int b) -> int",
        body.wrapping_shl,
        _wrapped(_left_shift),
        "``a << b`` modulo 2**64.",
        raises=True,
    ),
)
"""What programs may call; the counts of shifts are not negative."""

FITS = replace(
    scalar(
        "fits.int(int a) -> int",
        body.fits_int,
        exact(lambda a: a % 2**64, body.MASK_TOO_LARGE),
        "An unsigned int of 64 bits, as an int.",
        raises=True,
    ),
    effects=OVERFLOWS,
)
"""What masks with 64 bits end with."""

POWER_AS_FLOAT = scalar(
    "pow.int_as_float(int a, int b) -> float",
    body.pow_int_as_float,
    lambda a, b: float(_checked_power(a, b)) if b >= 0 else body.pow_float(float(a), float(b)),
    "``a ** b`` of ints as the float that it is for a negative b.",
    raises=True,
)

HIDDEN = (
    FITS,
    POWER_AS_FLOAT,
    scalar("wrapping_neg.int(int a) -> int", body.wrapping_neg, _wrapped(operator.neg), "``-a`` modulo 2**64."),
    scalar("wrapping_abs.int(int a) -> int", body.wrapping_abs, _wrapped(abs), "Absolute value modulo 2**64."),
    scalar(
        "wrapping_floor_divide.int(int a, int b) -> int",
        body.wrapping_floor_divide,
        _wrapped(_floor_divide),
        "``a // b`` modulo 2**64.",
        raises=True,
    ),
    scalar(
        "wrapping_pow.int(int a, int b) -> int",
        body.wrapping_pow,
        _wrapping_power,
        "``a ** b`` for b >= 0, modulo 2**64.",
        raises=True,
    ),
    composite(
        "wrapping_divmod.int(int a, int b) -> (int, int)",
        _pair(INT),
        lambda a, b: (wrap64(_floor_divide(a, b)), _remainder(a, b)),
        wrapping_divmod,
        "The first version of `divmod.int`.",
        exact=True,
    ),
    scalar(
        "wrapping_round.int_digits(int a, int ndigits) -> int",
        body.wrapping_round,
        lambda a, n: wrap64(round(a, n)) if n >= -18 else 0,
        "The first version of `round.int_digits`.",
    ),
)
"""What only the compiler writes, and what operators of old archives are read as."""

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
        int_float,
        int_float,
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

OPERATORS: tuple[OpDef, ...] = (*_INT, *_FLOAT, *_BOOL, *_COMPARED, *_CONVERTED, *_WRAPPING)
"""All operators of this module; among overloads the narrower types come first."""
