"""Divisions of tensors that round, their remainders, and what checks that integers are not divided by zero."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel, pointwise
from tscript.definitions.language import Tensor, torch, tscript
from tscript.definitions.opdef import NUMBERS_AS_TENSORS, READS_ELEMENTS, Arg, OpDef, OperatorTypeError
from tscript.definitions.promotion import PointwiseRule
from tscript.definitions.rules import tensor_of
from tscript.dialect import ByType, T, copysign, f32, f64, floor, libm, quot, rem, select, trunc
from tscript.operators.tensor.pointwise import BINARY, INTEGERS, binary, no_bools
from tscript.types import BOOL, INT, Type, dtypes

_FLOATS = (dtypes.float32, dtypes.float64)


def fmod_f32(x: f32, y: f32) -> f32:
    return f32(libm.fmod(f64(x), f64(y)))


fmod = ByType({dtypes.float32: fmod_f32, dtypes.float64: libm.fmod, **dict.fromkeys(INTEGERS, rem)})


def floor_divide_float(x: T, y: T) -> T:
    m = fmod(x, y)
    d = (x - m) / y
    d = select((m != 0.0) & ((m < 0.0) != (y < 0.0)), d - 1.0, d)
    f = floor(d)
    f = select(d - f > 0.5, f + 1.0, f)
    f = select(d == 0.0, copysign(T(0.0), x / y), f)
    return select(y == 0.0, x / y, f)


def floor_divide_integer(x: T, y: T) -> T:
    q = quot(x, y)
    r = rem(x, y)
    return select((r != 0) & ((r < 0) != (y < 0)), q - 1, q)


floor_divide = ByType(dict.fromkeys(_FLOATS, floor_divide_float) | dict.fromkeys(INTEGERS, floor_divide_integer))


def trunc_divide_float(x: T, y: T) -> T:
    return trunc(x / y)


trunc_divide = ByType({**dict.fromkeys(_FLOATS, trunc_divide_float), **dict.fromkeys(INTEGERS, quot)})


def remainder(x: T, y: T) -> T:
    m = fmod(x, y)
    return select((m != 0) & ((m < 0) != (y < 0)), m + y, m)


def _check_divisor(x: Array, y: Array) -> None:
    if y.dtype.kind != "f" and x.size and not y.all():
        raise RuntimeError("ZeroDivisionError")


_FLOOR_DIVIDE = binary(
    "floor_divide",
    no_bools("div_floor_cpu"),
    floor_divide,
    "Quotient rounded down; an integer by zero raises RuntimeError.",
    guard=_check_divisor,
)
_TRUNC_DIVIDE = binary(
    "trunc_divide",
    no_bools("div_trunc_cpu"),
    trunc_divide,
    "Quotient rounded towards zero.",
    names="tscript.trunc_divide Tensor.trunc_divide",
    guard=_check_divisor,
)
_POINTWISE = (
    *_FLOOR_DIVIDE,
    *_TRUNC_DIVIDE,
    *binary(
        "remainder",
        no_bools("remainder_cpu"),
        remainder,
        "Remainder with the sign of `other`; an integer by zero raises RuntimeError.",
        guard=_check_divisor,
    ),
    *binary(
        "fmod",
        no_bools("fmod_cpu"),
        fmod,
        "Remainder with the sign of `self`; an integer by zero raises RuntimeError.",
        guard=_check_divisor,
    ),
)
_NUMPY = tuple(
    pointwise(
        f"numpy_{name}(Tensor self, Tensor other) -> Tensor",
        PointwiseRule(BINARY, no_bools(name)),
        body,
        f"{text} as NumPy has it: an integer by zero is 0.",
        names="",
    )
    for name, body, text in (
        ("floor_divide", floor_divide, "Quotient rounded down"),
        ("remainder", remainder, "Remainder with the sign of `other`"),
        ("fmod", fmod, "Remainder with the sign of `self`"),
    )
)
INTEGER_DIVISIONS = frozenset(_POINTWISE)
"""Operators that raise when integers are divided by zero: `CHECK` stands before them."""

# ---- with a rounding mode


def div_by_mode(self: Tensor, other: Tensor, rounding_mode: str) -> Tensor:
    if rounding_mode == "floor":
        return torch.floor_divide(self, other)
    if rounding_mode == "trunc":
        return tscript.trunc_divide(self, other)
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor'")


def div_by_mode_(self: Tensor, other: Tensor, rounding_mode: str) -> Tensor:
    if rounding_mode == "floor":
        return self.floor_divide_(other)
    if rounding_mode == "trunc":
        return self.trunc_divide_(other)
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor'")


_BY_MODE = composite(
    "div.mode(Tensor self, Tensor other, *, str rounding_mode) -> Tensor",
    div_by_mode,
    "Quotient rounded as `rounding_mode` ('floor', 'trunc') says.",
    exact=True,
    tags=(NUMBERS_AS_TENSORS,),
    names="div divide out=cast",
)
_BY_MODE_IN_PLACE = composite(
    "div_.mode(Tensor(a!) self, Tensor other, *, str rounding_mode) -> Tensor",
    div_by_mode_,
    "In-place `div` with a rounding mode.",
    exact=True,
    tags=(NUMBERS_AS_TENSORS,),
    names="Tensor.div_ Tensor.divide_",
)

# ---- checks of divisors: PyTorch raises when one of integers is 0


def _tensors(args: Sequence[Arg]) -> Type:
    for arg in args:
        tensor_of(arg)
    return BOOL


def _number(args: Sequence[Arg]) -> Type:
    tensor_of(args[0])
    if args[1].type != INT:
        raise OperatorTypeError(f"expected an int, not {args[1].type}")
    return BOOL


def _checked(self: Array, other: Array | int) -> bool:
    _check_divisor(self, np.asarray(other))
    return True


CHECK: OpDef = kernel(
    "check_divisor(Tensor self, Tensor other) -> bool",
    _tensors,
    _checked,
    "divisors.check_divisor",
    "True, unless a division of the integers `self` by `other` divides by 0: then RuntimeError.",
    tags=(READS_ELEMENTS,),
)
CHECK_NUMBER: OpDef = kernel(
    "check_divisor.int(Tensor self, int other) -> bool",
    _number,
    _checked,
    "divisors.check_divisor_int",
    "The same for an int.",
)

OPERATORS: tuple[OpDef, ...] = (*_POINTWISE, _BY_MODE, _BY_MODE_IN_PLACE, *_NUMPY)
"""What users can name."""

HIDDEN: tuple[OpDef, ...] = (CHECK, CHECK_NUMBER)
"""What specialisation writes before a division of integers."""
