"""Arithmetic of tensors. Divisions that round are in `division`."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.define import pointwise, pointwise_pair
from tscript.definitions.opdef import Arg, OpDef, OperatorRuntimeError
from tscript.definitions.promotion import Computation, Operand, PointwiseRule, promote, promote_float, refusing
from tscript.dialect import ByType, T, fabs, leaf, machine, select
from tscript.dialect import complex_math as cm
from tscript.dialect import vector_math as vm
from tscript.dialect.complex_math import with_complex
from tscript.operators.tensor.pointwise import (
    BINARY,
    INTEGERS,
    UNARY,
    binary,
    float_only,
    function,
    no_bool,
    no_bools,
    same,
    unary,
)
from tscript.types import BOOL, COMPLEX, FLOAT, TensorType, dtypes
from tscript.types.dtypes import part_dtype

# ---- sums, differences, products, quotients


def add(x: T, y: T, alpha: T) -> T:
    return x + alpha * y


def sub(x: T, y: T, alpha: T) -> T:
    return x - alpha * y


def rsub(x: T, y: T, alpha: T) -> T:
    return y - alpha * x


def _check_alpha(args: Sequence[Arg], computation: Computation) -> None:
    found = args[2].type
    if found == BOOL and computation.result is not dtypes.bool_:
        raise OperatorRuntimeError("Boolean alpha only supported for Boolean results.")
    if found == COMPLEX and not computation.compute.is_complex:
        raise OperatorRuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if found == FLOAT and not (computation.compute.is_floating_point or computation.compute.is_complex):
        raise OperatorRuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


def _both_bool(operands: Sequence[Operand], found: Computation) -> str | None:
    if all(o.dtype is dtypes.bool_ for o in operands):
        return (
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead."
        )
    if any(o.dtype is dtypes.bool_ for o in operands):
        return (
            "Subtraction, the `-` operator, with a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )
    return None


_SUM = PointwiseRule((0, 1, 2), promote, silent=(2,), check=_check_alpha)
_DIFFERENCE = PointwiseRule((0, 1, 2), refusing(promote, _both_bool), silent=(2,), check=_check_alpha)

ADD, _ADD_IN_PLACE = pointwise_pair(
    "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    _SUM,
    add,
    "Sum ``self + alpha * other``.",
    complex=True,
)
MUL, _MUL_IN_PLACE = binary("mul", promote, leaf(machine.MUL), "Product.", names="mul multiply", complex=True)

_FOUR = (
    ADD,
    _ADD_IN_PLACE,
    *pointwise_pair(
        "sub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        _DIFFERENCE,
        sub,
        "Difference ``self - alpha * other``.",
        names="sub subtract",
        complex=True,
    ),
    pointwise(
        "rsub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        _DIFFERENCE,
        rsub,
        "Difference ``other - alpha * self``.",
        names="rsub out=no",
        complex=True,
    ),
    MUL,
    _MUL_IN_PLACE,
    *pointwise_pair(
        "div(Tensor self, Tensor other, *, None rounding_mode=None) -> Tensor",
        PointwiseRule(BINARY, promote_float),
        with_complex(leaf(machine.DIV), cm.divide),
        "True quotient; of integers a float.",
        names="div divide true_divide",
        complex=True,
    ),
)

# ---- of one tensor


def abs_integer(x: T) -> T:
    return select(x < 0, -x, x)


absolute = ByType(
    {
        dtypes.float32: fabs,
        dtypes.float64: fabs,
        **cm.absolute.by_dtype,
        **dict.fromkeys(INTEGERS, abs_integer),
        dtypes.uint8: same,
    }
)


def square(x: T) -> T:
    return x * x


def sign(x: T) -> T:
    return select(x > 0, T(1), select(x < 0, T(0) - T(1), T(0)))


def _squared(operands: Sequence[Operand]) -> Computation:
    """A bool squared is an int, as a power of it is."""
    return Computation(dtypes.int64, dtypes.int64) if operands[0].dtype is dtypes.bool_ else promote(operands)


def _size(operands: Sequence[Operand]) -> Computation:
    """Of a complex number a float."""
    found = no_bools("abs_cpu")(operands)
    return Computation(found.compute, part_dtype(found.result))


_NO_NEGATION = (
    "Negation, the `-` operator, on a bool tensor is not supported. "
    "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
)

_ONE = (
    *unary(
        "neg",
        refusing(promote, no_bool(_NO_NEGATION)),
        leaf(machine.NEG),
        "``-self``.",
        names="neg negative",
        complex=True,
    ),
    pointwise(
        "positive(Tensor self) -> Tensor",
        PointwiseRule(UNARY, refusing(promote, no_bool("The `+` operator, on a bool tensor is not supported."))),
        same,
        "``+self``.",
        names="positive out=no",
        complex=True,
    ),
    *unary(
        "abs",
        _size,
        absolute,
        "Absolute value.",
        names="abs absolute -torch.absolute_ tscript.absolute_",
        complex=True,
    ),
    *unary("square", _squared, square, "``self * self``.", complex=True),
    *unary("sign", promote, sign, "-1, 0 or 1; of NaN 0.", names="sign -torch.sign_ tscript.sign_"),
    *function("reciprocal", vm.reciprocal, "``1 / self``.", cm.reciprocal),
)

# ---- of three


def lerp(x: T, end: T, weight: T) -> T:
    return select(fabs(weight) < 0.5, x + weight * (end - x), end - (end - x) * (T(1) - weight))


def addcmul(x: T, a: T, b: T, value: T) -> T:
    return x + value * a * b


def addcdiv(x: T, a: T, b: T, value: T) -> T:
    return x + value * (a / b)


_INTEGER_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2."
)


def _no_division(operands: Sequence[Operand], found: Computation) -> str | None:
    return None if found.compute.is_floating_point else _INTEGER_DIVISION


def _check_division(args: Sequence[Arg], computation: Computation) -> None:
    found = [a.type.dtype for a in args[1:3] if isinstance(a.type, TensorType) and a.type.dtype is not None]
    if len(found) == 2 and not any(d.is_floating_point for d in found):
        raise OperatorRuntimeError(_INTEGER_DIVISION)


_THREE = (
    *pointwise_pair(
        "lerp(Tensor self, Tensor end, Tensor weight) -> Tensor",
        PointwiseRule((0, 1, 2), float_only("lerp")),
        lerp,
        "From `self` to `end` by `weight`.",
    ),
    *pointwise_pair(
        "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
        PointwiseRule((0, 1, 2, 3), promote, silent=(3,)),
        addcmul,
        complex=True,
        doc="``self + value * tensor1 * tensor2``.",
    ),
    *pointwise_pair(
        "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
        PointwiseRule((0, 1, 2, 3), refusing(promote, _no_division), silent=(3,), check=_check_division),
        addcdiv,
        "``self + value * tensor1 / tensor2``.",
    ),
)

OPERATORS: tuple[OpDef, ...] = (*_FOUR, *_ONE, *_THREE)
"""All operators of this module."""
