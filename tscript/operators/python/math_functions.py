"""The functions of `math` on floats, equal to CPython digit for digit: libm behind the checks that CPython puts around
it.

`hypot` is CPython's own algorithm, written out again.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import b8, ceil, copysign, divide, f64, fabs, floor, i32, i64, libm, select, sqrt, trunc
from tscript.dialect.limits import LARGEST, int_float
from tscript.operators.python.int_arithmetic import same

INFINITY = math.inf
SPLIT = 134217729.0
"""2**27 + 1, splits a float into two halves of 26 bits."""


# ---- the checks of CPython


def pole_is_error(x: f64, r: f64) -> f64:
    """r = f(x): NaN from a number, and infinity from a finite one, are domain errors."""
    if (r != r) & (x == x):
        raise ValueError("math domain error")
    if (fabs(r) > LARGEST) & (fabs(x) <= LARGEST):
        raise ValueError("math domain error")
    return r


def overflow_is_error(x: f64, r: f64) -> f64:
    """r = f(x): NaN from a number is a domain error, infinity from a finite number a range error."""
    if (r != r) & (x == x):
        raise ValueError("math domain error")
    if (fabs(r) > LARGEST) & (fabs(x) <= LARGEST):
        raise OverflowError("math range error")
    return r


# ---- functions of one float


def math_acos(x: f64) -> f64:
    return pole_is_error(x, libm.acos(x))


def math_acosh(x: f64) -> f64:
    return pole_is_error(x, libm.acosh(x))


def math_asin(x: f64) -> f64:
    return pole_is_error(x, libm.asin(x))


def math_asinh(x: f64) -> f64:
    return pole_is_error(x, libm.asinh(x))


def math_atan(x: f64) -> f64:
    return pole_is_error(x, libm.atan(x))


def math_atanh(x: f64) -> f64:
    return pole_is_error(x, libm.atanh(x))


def math_cbrt(x: f64) -> f64:
    return pole_is_error(x, libm.cbrt(x))


def math_cos(x: f64) -> f64:
    return pole_is_error(x, libm.cos(x))


def math_cosh(x: f64) -> f64:
    return overflow_is_error(x, libm.cosh(x))


def math_exp(x: f64) -> f64:
    return overflow_is_error(x, libm.exp(x))


def math_exp2(x: f64) -> f64:
    return overflow_is_error(x, libm.exp2(x))


def math_expm1(x: f64) -> f64:
    return overflow_is_error(x, libm.expm1(x))


def math_log(x: f64) -> f64:
    if x <= 0.0:
        raise ValueError("math domain error")
    return libm.log(x)


def math_log_base(x: f64, base: f64) -> f64:
    numerator = math_log(x)
    denominator = math_log(base)
    if denominator == 0.0:
        raise ZeroDivisionError("float division by zero")
    return divide(numerator, denominator)


def math_log1p(x: f64) -> f64:
    return pole_is_error(x, libm.log1p(x))


def math_log2(x: f64) -> f64:
    if x <= 0.0:
        raise ValueError("math domain error")
    return libm.log2(x)


def math_log10(x: f64) -> f64:
    if x <= 0.0:
        raise ValueError("math domain error")
    return libm.log10(x)


def math_sin(x: f64) -> f64:
    return pole_is_error(x, libm.sin(x))


def math_sinh(x: f64) -> f64:
    return overflow_is_error(x, libm.sinh(x))


def math_sqrt(x: f64) -> f64:
    if x < 0.0:
        raise ValueError("math domain error")
    return sqrt(x)


def math_tan(x: f64) -> f64:
    return pole_is_error(x, libm.tan(x))


def math_tanh(x: f64) -> f64:
    return pole_is_error(x, libm.tanh(x))


def math_degrees(x: f64) -> f64:
    return x * 57.29577951308232


def math_radians(x: f64) -> f64:
    return x * 0.017453292519943295


def math_ulp(x: f64) -> f64:
    a = fabs(x)
    if (a != a) | (a > LARGEST):
        return a
    above = libm.nextafter(a, INFINITY)
    if above > LARGEST:
        return a - libm.nextafter(a, -INFINITY)
    return above - a


# ---- functions of two floats


def math_fmod(x: f64, y: f64) -> f64:
    r = libm.fmod(x, y)
    if (r != r) & (x == x) & (y == y):
        raise ValueError("math domain error")
    return r


def math_remainder(x: f64, y: f64) -> f64:
    r = libm.remainder(x, y)
    if (r != r) & (x == x) & (y == y):
        raise ValueError("math domain error")
    return r


def math_pow(x: f64, y: f64) -> f64:
    r = libm.pow(x, y)
    if (fabs(x) <= LARGEST) & (fabs(y) <= LARGEST):
        if r != r:
            raise ValueError("math domain error")
        if fabs(r) > LARGEST:
            if x == 0.0:
                raise ValueError("math domain error")
            raise OverflowError("math range error")
    return r


def math_ldexp(x: f64, i: i64) -> f64:
    if (x == 0.0) | (x != x) | (fabs(x) > LARGEST):
        return x
    if i > 2147483647:
        raise OverflowError("math range error")
    if i < -2147483648:
        return copysign(0.0, x)
    r = libm.ldexp(x, i32(i))
    if fabs(r) > LARGEST:
        raise OverflowError("math range error")
    return r


def math_hypot(x: f64, y: f64) -> f64:
    """CPython's `vector_norm` of two: squares in double length, the root corrected once."""
    a = fabs(x)
    b = fabs(y)
    if (a > LARGEST) | (b > LARGEST):
        return INFINITY
    if (a != a) | (b != b):
        return a + b
    largest = select(b > a, b, a)
    if largest == 0.0:
        return largest
    exponent = libm.logb(largest) + 1.0
    if exponent < -1023.0:
        p = divide(a, largest)
        p = p * p
        total = 1.0 + p
        rest = (1.0 - total) + p
        q = divide(b, largest)
        q = q * q
        before = total
        total = before + q
        rest = rest + ((before - total) + q)
        return largest * sqrt(total - 1.0 + rest)
    scale = libm.ldexp(1.0, i32(-exponent))
    total = 1.0
    rest1 = 0.0
    rest2 = 0.0
    rest3 = 0.0

    v = a * scale
    t = v * SPLIT
    high = t - (t - v)
    low = v - high
    v = high * high
    before = total
    total = before + v
    rest1 = rest1 + ((before - total) + v)
    v = 2.0 * high * low
    before = total
    total = before + v
    rest2 = rest2 + ((before - total) + v)
    rest3 = rest3 + low * low

    v = b * scale
    t = v * SPLIT
    high = t - (t - v)
    low = v - high
    v = high * high
    before = total
    total = before + v
    rest1 = rest1 + ((before - total) + v)
    v = 2.0 * high * low
    before = total
    total = before + v
    rest2 = rest2 + ((before - total) + v)
    rest3 = rest3 + low * low

    h = sqrt(total - 1.0 + (rest1 + rest2 + rest3))
    t = h * SPLIT
    high = t - (t - h)
    low = h - high
    v = -high * high
    before = total
    total = before + v
    rest1 = rest1 + ((before - total) + v)
    v = -2.0 * high * low
    before = total
    total = before + v
    rest2 = rest2 + ((before - total) + v)
    v = -low * low
    before = total
    total = before + v
    rest3 = rest3 + ((before - total) + v)
    v = total - 1.0 + (rest1 + rest2 + rest3)
    return divide(h + divide(v, 2.0 * h), scale)


# ---- to int and to bool


def math_floor(x: f64) -> i64:
    return int_float(floor(x))


def math_ceil(x: f64) -> i64:
    return int_float(ceil(x))


def math_trunc(x: f64) -> i64:
    return int_float(trunc(x))


def math_isnan(x: f64) -> b8:
    return x != x


def math_isinf(x: f64) -> b8:
    return fabs(x) > LARGEST


def math_isfinite(x: f64) -> b8:
    return fabs(x) <= LARGEST


def math_isclose(a: f64, b: f64, rel_tol: f64, abs_tol: f64) -> b8:
    if (rel_tol < 0.0) | (abs_tol < 0.0):
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if (fabs(a) > LARGEST) | (fabs(b) > LARGEST):
        return False
    gap = fabs(b - a)
    return (gap <= fabs(rel_tol * b)) | (gap <= fabs(rel_tol * a)) | (gap <= abs_tol)


# ---- definitions


def _float(name: str, body: Callable[..., Any], doc: str, parameters: str = "float x", raises: bool = True) -> OpDef:
    return scalar(f"math_{name}({parameters}) -> float", body, doc, raises=raises, names=f"math.{name}")


_ONE_FLOAT = (
    _float("acos", math_acos, "Arc cosine, in radians."),
    _float("acosh", math_acosh, "Inverse hyperbolic cosine."),
    _float("asin", math_asin, "Arc sine, in radians."),
    _float("asinh", math_asinh, "Inverse hyperbolic sine.", raises=False),
    _float("atan", math_atan, "Arc tangent, in radians.", raises=False),
    _float("atanh", math_atanh, "Inverse hyperbolic tangent."),
    _float("cbrt", math_cbrt, "Cube root.", raises=False),
    _float("cos", math_cos, "Cosine."),
    _float("cosh", math_cosh, "Hyperbolic cosine."),
    _float("degrees", math_degrees, "Radians to degrees.", raises=False),
    _float("erf", libm.erf, "The error function.", raises=False),
    _float("erfc", libm.erfc, "``1 - erf(x)``, exact for large x.", raises=False),
    _float("exp", math_exp, "e to the power x."),
    _float("exp2", math_exp2, "2 to the power x."),
    _float("expm1", math_expm1, "``exp(x) - 1``, exact near 0."),
    _float("fabs", fabs, "Absolute value.", raises=False),
    _float("log", math_log, "Natural logarithm."),
    _float("log1p", math_log1p, "``log(1 + x)``, exact near 0."),
    _float("log2", math_log2, "Logarithm to base 2."),
    _float("log10", math_log10, "Logarithm to base 10."),
    _float("radians", math_radians, "Degrees to radians.", raises=False),
    _float("sin", math_sin, "Sine."),
    _float("sinh", math_sinh, "Hyperbolic sine."),
    _float("sqrt", math_sqrt, "Square root."),
    _float("tan", math_tan, "Tangent."),
    _float("tanh", math_tanh, "Hyperbolic tangent.", raises=False),
    _float("ulp", math_ulp, "The unit in the last place of x.", raises=False),
)

_TWO_FLOATS = (
    _float("atan2", libm.atan2, "Arc tangent of y / x in the right quadrant.", "float y, float x", raises=False),
    _float("copysign", copysign, "x with the sign of y.", "float x, float y", raises=False),
    _float("fmod", math_fmod, "Remainder with the sign of x.", "float x, float y"),
    _float("hypot", math_hypot, "``sqrt(x*x + y*y)``.", "float x, float y", raises=False),
    _float("ldexp", math_ldexp, "``x * 2**i``.", "float x, int i"),
    scalar(
        "math_log.base(float x, float base) -> float",
        math_log_base,
        "Logarithm to a base.",
        raises=True,
    ),
    _float("nextafter", libm.nextafter, "The next float after x towards y.", "float x, float y", raises=False),
    _float("pow", math_pow, "x to the power y.", "float x, float y"),
    _float("remainder", math_remainder, "IEEE remainder: x minus the multiple of y nearest to x.", "float x, float y"),
)


_CLOSE = "math_isclose(float a, float b, *, float rel_tol=1e-09, float abs_tol=0.0) -> bool"

_OTHERS = (
    scalar("math_ceil.int(int x) -> int", same, "An int is whole already.", names="math.ceil"),
    scalar("math_ceil.float(float x) -> int", math_ceil, "Rounded up.", raises=True, names="math.ceil"),
    scalar("math_floor.int(int x) -> int", same, "An int is whole already.", names="math.floor"),
    scalar("math_floor.float(float x) -> int", math_floor, "Rounded down.", raises=True, names="math.floor"),
    scalar("math_trunc.int(int x) -> int", same, "An int is whole already.", names="math.trunc"),
    scalar("math_trunc.float(float x) -> int", math_trunc, "Rounded towards zero.", raises=True, names="math.trunc"),
    scalar(
        "math_isfinite(float x) -> bool", math_isfinite, "Whether x is neither infinite nor NaN.", names="math.isfinite"
    ),
    scalar("math_isinf(float x) -> bool", math_isinf, "Whether x is infinite.", names="math.isinf"),
    scalar("math_isnan(float x) -> bool", math_isnan, "Whether x is NaN.", names="math.isnan"),
    scalar(_CLOSE, math_isclose, "Whether a and b are close to each other.", raises=True, names="math.isclose"),
)

OPERATORS: tuple[OpDef, ...] = (*_ONE_FLOAT, *_TWO_FLOATS, *_OTHERS)
"""All operators of this module."""
