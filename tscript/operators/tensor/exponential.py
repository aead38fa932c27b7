"""Exponentials, logarithms, powers and roots of tensors, and the error function."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tscript.arrays import Array
from tscript.definitions.define import kernel, pointwise_pair
from tscript.definitions.opdef import Arg, OpDef, OperatorRuntimeError, OperatorTypeError
from tscript.definitions.promotion import Computation, PointwiseRule, promote_float
from tscript.definitions.rules import tensor_of
from tscript.dialect import ByType, T, select, sqrt
from tscript.dialect import complex_math as cm
from tscript.dialect import vector_math as vm
from tscript.dialect.complex_math import with_complex
from tscript.operators.tensor.pointwise import BINARY, INTEGERS, function, no_bools, unary
from tscript.types import BOOL, INT, TensorType, Type, dtypes

if TYPE_CHECKING:
    Bits = int
else:
    Bits = T


def power_integer(x: Bits, y: Bits) -> Bits:
    """Six steps of square and multiply; the exponent of an odd base counts modulo 64, a negative one gives 1, -1 or
    0."""
    out = select((y & 1) != 0, x, x - x + 1)
    b = x * x
    out = select((y & 2) != 0, out * b, out)
    b = b * b
    out = select((y & 4) != 0, out * b, out)
    b = b * b
    out = select((y & 8) != 0, out * b, out)
    b = b * b
    out = select((y & 16) != 0, out * b, out)
    b = b * b
    out = select((y & 32) != 0, out * b, out)
    out = select((y > 63) & ((x & 1) == 0), x - x, out)
    unit = (x == 1) | (x + 1 == 0)
    return select((y < 0) & (unit ^ True), x - x, out)


def _with_products(power: Callable[..., Any]) -> Callable[..., Any]:
    def power_float(x: Bits, y: Bits) -> Bits:
        """Squares and cubes cost one or two multiplications where the exponent is a constant."""
        return select(y == 2, x * x, select(y == 3, x * x * x, power(x, y)))

    return power_float


power = ByType(
    {
        **{dtype: _with_products(body) for dtype, body in vm.pow.by_dtype.items()},
        **dict.fromkeys(INTEGERS, power_integer),
        **dict.fromkeys(dtypes.COMPLEX_DTYPES, cm.power),
    },
    vm.pow.meaning,
)


def _check_exponent(args: Sequence[Arg], computation: Computation) -> None:
    exponent = args[1].constant
    if isinstance(exponent, int) and exponent < 0 and computation.compute.is_integer:
        if not isinstance(args[1].type, TensorType):
            raise OperatorRuntimeError("Integers to negative integer powers are not allowed.")


_POWERS = pointwise_pair(
    "pow(Tensor self, Tensor exponent) -> Tensor",
    PointwiseRule(BINARY, no_bools("pow"), check=_check_exponent),
    power,
    "``self`` to the power `exponent`.",
    exact=False,
    complex=True,
)
POWERS = frozenset(_POWERS)
"""Operators that raise for integers and a negative int: `CHECK_EXPONENT` stands before them."""


def _exponent(args: Sequence[Arg]) -> Type:
    tensor_of(args[0])
    if args[1].type != INT:
        raise OperatorTypeError(f"expected an int, not {args[1].type}")
    return BOOL


def _not_negative(self: Array, exponent: int) -> bool:
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return True


CHECK_EXPONENT: OpDef = kernel(
    "check_exponent(Tensor self, int exponent) -> bool",
    _exponent,
    _not_negative,
    "divisors.check_exponent",
    "True, unless the exponent of integers is negative: then RuntimeError.",
)
HIDDEN: tuple[OpDef, ...] = (CHECK_EXPONENT,)
"""What a pass writes before a power of integers."""

OPERATORS: tuple[OpDef, ...] = (
    *_POWERS,
    *function("exp", vm.exp, "e to the power.", cm.exp),
    *function("expm1", vm.expm1, "``exp(x) - 1``, exact near 0.", names="expm1 torch.special.expm1"),
    *function("log", vm.log, "Natural logarithm.", cm.log),
    *function("log1p", vm.log1p, "``log(1 + x)``, exact near 0.", names="log1p torch.special.log1p"),
    *function("log2", vm.log2, "Logarithm to base 2.", cm.log2),
    *function("log10", vm.log10, "Logarithm to base 10.", cm.log10),
    *unary("sqrt", promote_float, with_complex(sqrt, cm.root), "Square root.", complex=True),
    *function("rsqrt", vm.rsqrt, "``1 / sqrt(x)``.", cm.rsqrt),
    *function("erf", vm.erf, "The error function.", names="erf torch.special.erf"),
)
"""All operators of this module."""
