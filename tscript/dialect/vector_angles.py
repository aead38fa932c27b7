"""Arcs, hyperbolic functions and powers of two of tensor elements; see `tscript.dialect.vector_math`.

Those of f32 are computed in f64, so they are rounded once.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.arrays import np, numpy_function
from tscript.dialect import ByType, bitcast, copysign, f32, f64, fabs, fmuladd, i64, libm, scaled, select, sqrt
from tscript.dialect.vector_math import (
    INFINITY,
    NAN,
    REDUCIBLE,
    SHIFT64,
    circle_f64,
    exp_f64,
    exp_fraction_f64,
    expm1_f64,
    log1p,
    log_f64,
    quarter_rest,
    quarter_turns,
)
from tscript.types import dtypes

PI = 3.141592653589793
PI_LOW = 1.2246467991473532e-16
LN2 = 0.6931471805599453
EIGHTH = 0.41421356237309503
"""tan(pi/8)."""
LARGE = 1.0e8
"""From here 1 is nothing beside the square."""


def arc_f64(q: f64) -> f64:
    """atan(q) - q for |q| <= tan(pi/8)."""
    z = q * q
    p = fmuladd(z, 0.01627194475162406, -0.034558092551413795)
    p = fmuladd(p, z, 0.04551108126325172)
    p = fmuladd(p, z, -0.052303478730160745)
    p = fmuladd(p, z, 0.058789145444006215)
    p = fmuladd(p, z, -0.06666423628069258)
    p = fmuladd(p, z, 0.0769229630497447)
    p = fmuladd(p, z, -0.09090908751076636)
    p = fmuladd(p, z, 0.11111111105106705)
    p = fmuladd(p, z, -0.14285714285659326)
    p = fmuladd(p, z, 0.199999999999998)
    p = fmuladd(p, z, -0.3333333333333333)
    return p * z * q


def atan_f64(x: f64) -> f64:
    """Arc tangent, 1.0 ULP."""
    y = fabs(x)
    far = y > 2.414213562373095
    middle = y > EIGHTH
    above = select(far, -1.0, select(middle, y - 1.0, y))
    below = select(far, y, select(middle, y + 1.0, 1.0))
    q = above / below
    high = select(far, 0.5 * PI, select(middle, 0.25 * PI, 0.0))
    low = select(far, 0.5 * PI_LOW, select(middle, 0.25 * PI_LOW, 0.0))
    return copysign(high + (q + (arc_f64(q) + low)), x)


def atan_f32(x: f32) -> f32:
    """Arc tangent, 0.6 ULP."""
    return f32(atan_f64(f64(x)))


def atan2_f64(y: f64, x: f64) -> f64:
    """The angle of a point, 2.2 ULP."""
    a = fabs(y)
    b = fabs(x)
    steep = a > b
    above = select(steep, b, a)
    below = select(steep, a, b)
    ratio = above / select(below == 0.0, 1.0, below)
    ratio = select((above == INFINITY) & (below == INFINITY), 1.0, ratio)
    middle = ratio > EIGHTH
    q = select(middle, (ratio - 1.0) / (ratio + 1.0), ratio)
    rest = arc_f64(q)
    # The angle is high + low + sign * (q + rest).
    high = select(middle, 0.25 * PI, 0.0)
    sign = select(steep, -1.0, 1.0)
    high = select(steep, 0.5 * PI - high, high)
    back = copysign(1.0, x) < 0.0
    high = select(back, PI - high, high)
    sign = select(back, -sign, sign)
    low = high * 3.8981718325193755e-17
    return copysign(high + fmuladd(sign, q, fmuladd(sign, rest, low)), y)


def atan2_f32(y: f32, x: f32) -> f32:
    """The angle of a point, 0.6 ULP."""
    return f32(atan2_f64(f64(y), f64(x)))


def half_arc_f64(z: f64) -> f64:
    """asin(s) / s - 1 for z = s * s <= 1/4."""
    p = fmuladd(z, 0.02963502626354855, -0.019277545928584557)
    p = fmuladd(p, z, 0.019579201619744684)
    p = fmuladd(p, z, 0.0030350071727267623)
    p = fmuladd(p, z, 0.009322101501082774)
    p = fmuladd(p, z, 0.00962140274734483)
    p = fmuladd(p, z, 0.011566511821890942)
    p = fmuladd(p, z, 0.013963775787848137)
    p = fmuladd(p, z, 0.017352816768546473)
    p = fmuladd(p, z, 0.022372157435623815)
    p = fmuladd(p, z, 0.030381944475693704)
    p = fmuladd(p, z, 0.04464285714255019)
    p = fmuladd(p, z, 0.07500000000000119)
    return fmuladd(p, z, 0.16666666666666666) * z


def asin_f64(x: f64) -> f64:
    """Arc sine, 1.7 ULP."""
    y = fabs(x)
    large = y > 0.5
    z = select(large, (1.0 - y) * 0.5, y * y)
    s = select(large, sqrt(z), y)
    r = s * half_arc_f64(z)
    return copysign(select(large, 0.5 * PI - (2.0 * s + (2.0 * r - 0.5 * PI_LOW)), s + r), x)


def asin_f32(x: f32) -> f32:
    """Arc sine, 0.6 ULP."""
    return f32(asin_f64(f64(x)))


def acos_f64(x: f64) -> f64:
    """Arc cosine, 1.2 ULP."""
    y = fabs(x)
    large = y > 0.5
    z = select(large, (1.0 - y) * 0.5, y * y)
    s = select(large, sqrt(z), x)
    r = s * half_arc_f64(z)
    near = select(x > 0.0, 2.0 * (s + r), PI - (2.0 * s + (2.0 * r - PI_LOW)))
    return select(large, near, 0.5 * PI - (s + (r - 0.5 * PI_LOW)))


def acos_f32(x: f32) -> f32:
    """Arc cosine, 0.6 ULP."""
    return f32(acos_f64(f64(x)))


def tan_f64(x: f64) -> f64:
    """Tangent, 3.8 ULP."""
    shifted = quarter_turns(x)
    r = quarter_rest(x, shifted - SHIFT64)
    turns = bitcast(shifted, i64)
    y = select(x == 0.0, x, circle_f64(r, turns) / circle_f64(r, turns + 1))
    if fabs(x) > REDUCIBLE:
        y = libm.tan(x)
    return y


def tan_f32(x: f32) -> f32:
    """Tangent, 0.6 ULP."""
    return f32(tan_f64(f64(x)))


def sinh_f64(x: f64) -> f64:
    """Hyperbolic sine, 3.2 ULP."""
    y = fabs(x)
    t = expm1_f64(select(y > 40.0, 0.5 * y, y))
    e = t + 1.0
    return copysign(select(y > 40.0, 0.5 * e * e, 0.5 * (t + t / e)), x)


def sinh_f32(x: f32) -> f32:
    """Hyperbolic sine, 0.6 ULP."""
    return f32(sinh_f64(f64(x)))


def cosh_f64(x: f64) -> f64:
    """Hyperbolic cosine, 3.0 ULP."""
    y = fabs(x)
    e = exp_f64(select(y > 40.0, 0.5 * y, y))
    return select(y > 40.0, 0.5 * e * e, 0.5 * e + 0.5 / e)


def cosh_f32(x: f32) -> f32:
    """Hyperbolic cosine, 0.6 ULP."""
    return f32(cosh_f64(f64(x)))


def asinh_f64(x: f64) -> f64:
    """Inverse hyperbolic sine, 2.0 ULP."""
    y = fabs(x)
    small = select(y > LARGE, 1.0, y)
    square = small * small
    return copysign(select(y > LARGE, log_f64(y) + LN2, log1p(small + square / (1.0 + sqrt(1.0 + square)))), x)


def asinh_f32(x: f32) -> f32:
    """Inverse hyperbolic sine, 0.6 ULP."""
    return f32(asinh_f64(f64(x)))


def acosh_f64(x: f64) -> f64:
    """Inverse hyperbolic cosine, 2.8 ULP."""
    t = select(x > LARGE, 1.0, x - 1.0)
    found = select(x > LARGE, log_f64(x) + LN2, log1p(t + sqrt(t * (t + 2.0))))
    return select(x < 1.0, NAN, found)


def acosh_f32(x: f32) -> f32:
    """Inverse hyperbolic cosine, 0.6 ULP."""
    return f32(acosh_f64(f64(x)))


def atanh_f64(x: f64) -> f64:
    """Inverse hyperbolic tangent, 2.0 ULP."""
    y = fabs(x)
    return copysign(0.5 * log1p(2.0 * y / (1.0 - y)), x)


def atanh_f32(x: f32) -> f32:
    """Inverse hyperbolic tangent, 0.6 ULP."""
    return f32(atanh_f64(f64(x)))


def exp2_f64(x: f64) -> f64:
    """2**x, 1.1 ULP, denormal results included."""
    x = select(x > 1025.0, 1025.0, x)
    x = select(x < -1080.0, -1080.0, x)
    shifted = x + SHIFT64
    return scaled(exp_fraction_f64((x - (shifted - SHIFT64)) * LN2, 0.0) + 1.0, shifted)


def exp2_f32(x: f32) -> f32:
    """2**x, 0.6 ULP."""
    return f32(exp2_f64(f64(x)))


def _both(narrow: Callable[..., Any], wide: Callable[..., Any], name: str) -> Any:
    return ByType({dtypes.float32: narrow, dtypes.float64: wide}, numpy_function(lambda: getattr(np, name)))


atan = _both(atan_f32, atan_f64, "arctan")
atan2 = _both(atan2_f32, atan2_f64, "arctan2")
asin = _both(asin_f32, asin_f64, "arcsin")
acos = _both(acos_f32, acos_f64, "arccos")
tan = _both(tan_f32, tan_f64, "tan")
sinh = _both(sinh_f32, sinh_f64, "sinh")
cosh = _both(cosh_f32, cosh_f64, "cosh")
asinh = _both(asinh_f32, asinh_f64, "arcsinh")
acosh = _both(acosh_f32, acosh_f64, "arccosh")
atanh = _both(atanh_f32, atanh_f64, "arctanh")
exp2 = _both(exp2_f32, exp2_f64, "exp2")

ANGLES: dict[str, Callable[..., Any]] = {
    "atan": atan,
    "atan2": atan2,
    "asin": asin,
    "acos": acos,
    "tan": tan,
    "sinh": sinh,
    "cosh": cosh,
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "exp2": exp2,
}
"""Every function by PyTorch's name; each takes values of one float type."""
