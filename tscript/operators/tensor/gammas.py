"""Incomplete gamma functions, and floats taken apart: mantissa and exponent, the next one."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.arrays import Array, np, numpy_function
from tscript.definitions.define import composite, kernel, pointwise, pointwise_pair
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorRuntimeError
from tscript.definitions.promotion import Decision, PointwiseRule, is_no_float, not_implemented, promote
from tscript.definitions.rules import tensor_of
from tscript.dialect import ByType, bitcast, copysign, f32, f64, fabs, i32, i64, select
from tscript.operators.tensor.pointwise import BINARY, UNARY
from tscript.types import TensorType, Type, dtypes

# ---- floats taken apart


def next_f32(x: f32, y: f32) -> f32:
    bits = bitcast(x, i32)
    step = select((y > x) == (x > 0.0), i32(1), i32(-1))
    moved = select(x == 0.0, copysign(bitcast(i32(1), f32), y), bitcast(bits + step, f32))
    return select(x != x, x, select(y != y, y, select(x == y, y, moved)))


def next_f64(x: f64, y: f64) -> f64:
    bits = bitcast(x, i64)
    step = select((y > x) == (x > 0.0), i64(1), i64(-1))
    moved = select(x == 0.0, copysign(bitcast(i64(1), f64), y), bitcast(bits + step, f64))
    return select(x != x, x, select(y != y, y, select(x == y, y, moved)))


def mantissa_f32(x: f32) -> f32:
    wide = select(fabs(x) < 1.1754943508222875e-38, x * 16777216.0, x)
    bits = bitcast(wide, i32)
    found = bitcast((bits & i32(-2139095041)) | i32(0x3F000000), f32)
    return select((x == 0.0) | (x - x != 0.0), x, found)


def exponent_f32(x: f32) -> f32:
    tiny = fabs(x) < 1.1754943508222875e-38
    bits = bitcast(select(tiny, x * 16777216.0, x), i32)
    found = f32(((bits >> 23) & i32(255)) - i32(126)) - select(tiny, f32(24.0), f32(0.0))
    return select((x == 0.0) | (x - x != 0.0), f32(0.0), found)


def mantissa_f64(x: f64) -> f64:
    wide = select(fabs(x) < 2.2250738585072014e-308, x * 18014398509481984.0, x)
    bits = bitcast(wide, i64)
    found = bitcast((bits & i64(-9218868437227405313)) | i64(0x3FE0000000000000), f64)
    return select((x == 0.0) | (x - x != 0.0), x, found)


def exponent_f64(x: f64) -> f64:
    tiny = fabs(x) < 2.2250738585072014e-308
    bits = bitcast(select(tiny, x * 18014398509481984.0, x), i64)
    found = f64(((bits >> 52) & i64(2047)) - i64(1022)) - select(tiny, f64(54.0), f64(0.0))
    return select((x == 0.0) | (x - x != 0.0), 0.0, found)


def _mantissa(x: Any) -> Any:
    return np.frexp(x)[0]


def _exponent(x: Any) -> Any:
    return np.where(np.isfinite(x), np.frexp(x)[1], 0).astype(x.dtype)


NEXT = ByType({dtypes.float32: next_f32, dtypes.float64: next_f64}, numpy_function(lambda: np.nextafter))
MANTISSA = ByType({dtypes.float32: mantissa_f32, dtypes.float64: mantissa_f64}, _mantissa)
EXPONENT = ByType({dtypes.float32: exponent_f32, dtypes.float64: exponent_f64}, _exponent)


def _floats(name: str) -> Decision:
    return not_implemented(promote, name, is_no_float)


FREXP_MANTISSA = pointwise(
    "frexp_mantissa(Tensor self) -> Tensor",
    PointwiseRule(UNARY, _floats("frexp")),
    MANTISSA,
    "The mantissa of a float, from 0.5 to 1.",
    names="",
)
FREXP_EXPONENT = pointwise(
    "frexp_exponent(Tensor self) -> Tensor",
    PointwiseRule(UNARY, _floats("frexp")),
    EXPONENT,
    "The exponent of a float, as a float.",
    names="",
)


def frexp(self: Tensor) -> tuple[Tensor, Tensor]:
    """Floats as mantissas from 0.5 to 1 and exponents, with ``mantissa * 2 ** exponent`` the float.

    Args:
        input: Floats. Zeros, infinities and NaN are their mantissa, with the exponent 0.

    Returns:
        The mantissas, and the exponents as int32.

    Raises:
        RuntimeError: There are no floats.

    Example:
        >>> mantissa, exponent = tscript.frexp(tscript.tensor([3.0, -0.25]))
        >>> mantissa.tolist(), exponent.tolist()
        ([0.75, -0.5], [2, -1])
    """
    if not self.is_floating_point():
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return FREXP_MANTISSA(self), FREXP_EXPONENT(self).to(torch.int32)


def ldexp(self: Tensor, other: Tensor) -> Tensor:
    """``input * 2 ** other``.

    Args:
        input, other: They are broadcast; of ints the result is of the default float.

    Example:
        >>> tscript.ldexp(tscript.tensor([3.0, 1.0]), tscript.tensor([2, -1])).tolist()
        [12.0, 0.5]
    """
    return self * torch.pow(2.0, other)


# ---- incomplete gamma functions


def _both_wide(args: Sequence[Arg]) -> Type:
    a, x = tensor_of(args[0]), tensor_of(args[1])
    if not {a.dtype, x.dtype} <= {None, dtypes.float64}:
        raise OperatorRuntimeError("incomplete_gamma() takes contiguous tensors of float64 of one shape")
    return TensorType(dtypes.float64, a.rank)


def _incomplete(a: Array, x: Array, is_full: bool, is_upper: bool) -> Array:
    from tscript.runtime.kernels.gammas import incomplete

    least = 1e-16 if is_full else 1e-10
    with np.errstate(all="ignore"):
        found = [incomplete(float(s), float(z), least, is_upper) for s, z in zip(a.flat, x.flat, strict=True)]
    return np.array(found, np.float64).reshape(a.shape)


INCOMPLETE: OpDef = kernel(
    "incomplete_gamma(Tensor a, Tensor x, bool is_full, bool is_upper) -> Tensor",
    _both_wide,
    _incomplete,
    "gammas.incomplete_gamma",
    "A regularised incomplete gamma function, the lower or the upper one.",
    exact=False,
    names="",
)


@generic
def common_float(self, other, name: str):
    """An element of the dtype that two tensors go together to."""
    found = self.new_zeros((1,)) + other.new_zeros((1,))
    if not found.is_floating_point():
        raise NotImplementedError(f'"{name}" is not implemented for ints')
    return found


@generic
def incomplete(self, other, is_upper, name: str):
    """An incomplete gamma function, in the dtype that the operands go together to."""
    wanted = common_float(self, other, name)
    a, x = torch.broadcast_tensors(self.to(torch.float64), other.to(torch.float64))
    return INCOMPLETE(a.contiguous(), x.contiguous(), wanted.dtype == torch.float64, is_upper).to(wanted.dtype)


def igamma(self: Tensor, other: Tensor) -> Tensor:
    """The regularised lower incomplete gamma function.

    Args:
        input: The parameter, not negative.
        other: The upper limit of the integral, not negative; they are broadcast.

    Raises:
        NotImplementedError: There are no floats.

    Example:
        >>> round(tscript.special.gammainc(tscript.tensor(2.0), tscript.tensor(1.0)).item(), 5)
        0.26424
    """
    return incomplete(self, other, False, "igamma_cpu")


def igammac(self: Tensor, other: Tensor) -> Tensor:
    """The regularised upper incomplete gamma function: 1 less the lower one; see `igamma`."""
    return incomplete(self, other, True, "igammac_cpu")


HIDDEN: tuple[OpDef, ...] = (FREXP_MANTISSA, FREXP_EXPONENT, INCOMPLETE)
"""What the bodies call."""

OPERATORS: tuple[OpDef, ...] = (
    *pointwise_pair(
        "nextafter(Tensor self, Tensor other) -> Tensor",
        PointwiseRule(BINARY, _floats("nextafter_cpu")),
        NEXT,
        "The next float from one towards another.",
    ),
    composite("frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)", frexp, names="frexp out=no"),
    composite("ldexp(Tensor self, Tensor other) -> Tensor", ldexp),
    composite("igamma(Tensor self, Tensor other) -> Tensor", igamma, names="igamma torch.special.gammainc"),
    composite("igammac(Tensor self, Tensor other) -> Tensor", igammac, names="igammac torch.special.gammaincc"),
)
"""All operators of this module."""
