"""The scalar expressions of pointwise operators: straight-line dialect functions over one element of each operand, or
one per dtype. Functions of a float are those of `vector_math`.

``T`` is the compute dtype, which is never bool except in `same`, `second` and `bitwise_not`. Arithmetic is the
machine's; nothing here raises: an integer divided by zero gives 0 (also as `remainder`), and `divisors` raise before;
the most negative integer by -1 wraps. NaN propagates through `maximum`, `minimum`, `clamp` and `relu`.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING

from tscript.dialect import ByType, T, b8, ceil, copysign, f32, f64, fabs, floor, i64, libm, rint, select, trunc
from tscript.dialect import vector_math as vm
from tscript.operators.python.scalar_bodies import quot, rem
from tscript.types import dtypes

if TYPE_CHECKING:
    Bits = int
else:
    Bits = T

_INTEGERS = tuple(d for d in dtypes.DTYPES if d.is_integer)


def same(x: T) -> T:
    return x


def second(x: T, value: T) -> T:
    return value


def zero(x: T) -> T:
    return T(0)


# ---- arithmetic


def add(x: T, y: T, alpha: T) -> T:
    return x + alpha * y


def sub(x: T, y: T, alpha: T) -> T:
    return x - alpha * y


def rsub(x: T, y: T, alpha: T) -> T:
    return y - alpha * x


def mul(x: T, y: T) -> T:
    return x * y


def div(x: T, y: T) -> T:
    return x / y


def fmod_f32(x: f32, y: f32) -> f32:
    return f32(libm.fmod(f64(x), f64(y)))


fmod = ByType({dtypes.float32: fmod_f32, dtypes.float64: libm.fmod, **dict.fromkeys(_INTEGERS, rem)})


def floor_divide_float(x: T, y: T) -> T:
    m = fmod(x, y)
    d = (x - m) / y
    d = select((m != 0.0) & ((m < 0.0) != (y < 0.0)), d - 1.0, d)
    f = floor(d)
    f = select(d - f > 0.5, f + 1.0, f)
    f = select(d == 0.0, copysign(T(0.0), x / y), f)
    return select(y == 0.0, x / y, f)


def floor_divide_integer(x: Bits, y: Bits) -> Bits:
    q = quot(x, y)
    r = rem(x, y)
    return select((r != 0) & ((r < 0) != (y < 0)), q - 1, q)


floor_divide = ByType(
    {
        dtypes.float32: floor_divide_float,
        dtypes.float64: floor_divide_float,
        **dict.fromkeys(_INTEGERS, floor_divide_integer),
    }
)


def trunc_divide_float(x: T, y: T) -> T:
    return trunc(x / y)


trunc_divide = ByType(
    {
        dtypes.float32: trunc_divide_float,
        dtypes.float64: trunc_divide_float,
        **dict.fromkeys(_INTEGERS, quot),
    }
)


def remainder(x: T, y: T) -> T:
    m = fmod(x, y)
    return select((m != 0) & ((m < 0) != (y < 0)), m + y, m)


def neg(x: T) -> T:
    return -x


def abs_integer(x: Bits) -> Bits:
    return select(x < 0, -x, x)


absolute = ByType(
    {dtypes.float32: fabs, dtypes.float64: fabs, **dict.fromkeys(_INTEGERS, abs_integer), dtypes.uint8: same}
)


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


power = ByType({**vm.pow.by_dtype, **dict.fromkeys(_INTEGERS, power_integer)})


def square(x: T) -> T:
    return x * x


def sign(x: T) -> T:
    return select(x > 0, T(1), select(x < 0, T(0) - T(1), T(0)))


def lerp(x: T, end: T, weight: T) -> T:
    return select(fabs(weight) < 0.5, x + weight * (end - x), end - (end - x) * (T(1) - weight))


def addcmul(x: T, a: T, b: T, value: T) -> T:
    return x + value * a * b


def addcdiv(x: T, a: T, b: T, value: T) -> T:
    return x + value * (a / b)


# ---- rounding


_whole = dict.fromkeys(_INTEGERS, same)
to_floor = ByType({dtypes.float32: floor, dtypes.float64: floor, **_whole})
to_ceil = ByType({dtypes.float32: ceil, dtypes.float64: ceil, **_whole})
to_trunc = ByType({dtypes.float32: trunc, dtypes.float64: trunc, **_whole})
to_round = ByType({dtypes.float32: rint, dtypes.float64: rint, **_whole})


def frac(x: T) -> T:
    return x - trunc(x)


# ---- order


def maximum(x: T, y: T) -> T:
    return select((x > y) | (x != x), x, y)


def minimum(x: T, y: T) -> T:
    return select((x < y) | (x != x), x, y)


def at_least(x: T, low: T) -> T:
    return select((x < low) | (low != low), low, x)


def at_most(x: T, high: T) -> T:
    return select((x > high) | (high != high), high, x)


def clamp(x: T, low: T, high: T) -> T:
    return at_most(at_least(x, low), high)


def relu(x: T) -> T:
    return select(x < 0, T(0), x)


def where(condition: b8, x: T, y: T) -> T:
    return select(condition, x, y)


def masked_fill(x: T, mask: b8, value: T) -> T:
    return select(mask, value, x)


# ---- comparisons and logic


def eq(x: T, y: T) -> b8:
    return x == y


def ne(x: T, y: T) -> b8:
    return x != y


def lt(x: T, y: T) -> b8:
    return x < y


def le(x: T, y: T) -> b8:
    return x <= y


def gt(x: T, y: T) -> b8:
    return x > y


def ge(x: T, y: T) -> b8:
    return x >= y


def logical_and(x: T, y: T) -> b8:
    return (x != 0) & (y != 0)


def logical_or(x: T, y: T) -> b8:
    return (x != 0) | (y != 0)


def logical_xor(x: T, y: T) -> b8:
    return (x != 0) ^ (y != 0)


def logical_not(x: T) -> b8:
    return x == 0


def bitwise_and(x: Bits, y: Bits) -> Bits:
    return x & y


def bitwise_or(x: Bits, y: Bits) -> Bits:
    return x | y


def bitwise_xor(x: Bits, y: Bits) -> Bits:
    return x ^ y


def bitwise_not(x: Bits) -> Bits:
    return ~x


def left_shift(x: Bits, y: Bits) -> Bits:
    count = i64(y)
    return T(select((count < 0) | (count > 63), i64(0), i64(x) << count))  # type: ignore[return-value]


def right_shift(x: Bits, y: Bits) -> Bits:
    count = i64(y)
    return T(i64(x) >> select((count < 0) | (count > 63), i64(63), count))  # type: ignore[return-value]


def isnan(x: T) -> b8:
    return x != x


def isfinite(x: T) -> b8:
    return x - x == x - x


def isinf(x: T) -> b8:
    return (x == x) & (x - x != x - x)


# ---- activations


def silu(x: T) -> T:
    return x * vm.sigmoid(x)


def gelu_erf(x: T) -> T:
    return T(0.5) * x * (T(1) + vm.erf(x * T(0.7071067811865476)))


def gelu_tanh(x: T) -> T:
    inner = T(0.7978845608028654) * (x + T(0.044715) * x * x * x)
    return T(0.5) * x * (T(1) + vm.tanh(inner))


def leaky_relu(x: T, slope: T) -> T:
    return select(x > 0, x, x * slope)


def elu(x: T, alpha: T, scale: T, input_scale: T) -> T:
    return select(x > 0, x * scale, vm.expm1(x * input_scale) * alpha * scale)


def softplus(x: T, beta: T, threshold: T) -> T:
    z = x * beta
    return select(z > threshold, x, vm.log1p(vm.exp(z)) / beta)


def log_sigmoid(x: T) -> T:
    return minimum(x, T(0)) - vm.log1p(vm.exp(-fabs(x)))


def mish(x: T) -> T:
    return x * vm.tanh(vm.log1p(vm.exp(x)))


def hard_six(x: T) -> T:
    return clamp(x, T(0), T(6))


def hard_sigmoid(x: T) -> T:
    return clamp(x + T(3), T(0), T(6)) / T(6)


def hard_swish(x: T) -> T:
    return x * clamp(x + T(3), T(0), T(6)) / T(6)
