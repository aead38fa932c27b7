"""Python's `math` on scalars, equal to CPython digit for digit: libm behind the checks that CPython puts around it.

`hypot`, `gamma` and `lgamma` are CPython's own algorithms, written out again. What does not fit 64 bits is an
`OverflowError`.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tscript.dialect import (
    b8,
    ceil,
    copysign,
    divide,
    f64,
    fabs,
    floor,
    i32,
    i64,
    libm,
    mul_overflows,
    quot,
    rem,
    select,
    sqrt,
    trunc,
)
from tscript.dialect.limits import LARGEST, MAX_INT, MIN_INT, int_float
from tscript.operators.core.define import scalar
from tscript.operators.core.opdef import OpDef
from tscript.operators.python.scalar_bodies import int_int, too_large
from tscript.operators.python.scalars import checked, wrap64

PI = 3.141592653589793
INFINITY = math.inf
LOG_PI = 1.1447298858494002
LANCZOS_G = 6.02468004077673
LANCZOS_G_MINUS_HALF = 5.52468004077673
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


def math_erf(x: f64) -> f64:
    return libm.erf(x)


def math_erfc(x: f64) -> f64:
    return libm.erfc(x)


def math_exp(x: f64) -> f64:
    return overflow_is_error(x, libm.exp(x))


def math_exp2(x: f64) -> f64:
    return overflow_is_error(x, libm.exp2(x))


def math_expm1(x: f64) -> f64:
    return overflow_is_error(x, libm.expm1(x))


def math_fabs(x: f64) -> f64:
    return fabs(x)


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


# ---- functions of two floats


def math_atan2(y: f64, x: f64) -> f64:
    return libm.atan2(y, x)


def math_copysign(x: f64, y: f64) -> f64:
    return copysign(x, y)


def math_nextafter(x: f64, y: f64) -> f64:
    return libm.nextafter(x, y)


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


# ---- gamma and lgamma


def sin_pi(x: f64) -> f64:
    """sin(pi x)."""
    y = libm.fmod(fabs(x), 2.0)
    n = floor(2.0 * y + 0.5)
    r = libm.sin(PI * (y - 2.0))
    if n == 0.0:
        r = libm.sin(PI * y)
    if n == 1.0:
        r = libm.cos(PI * (y - 0.5))
    if n == 2.0:
        r = libm.sin(PI * (1.0 - y))
    if n == 3.0:
        r = -libm.cos(PI * (y - 1.5))
    return copysign(1.0, x) * r


def lanczos_sum(x: f64) -> f64:
    """Lanczos' rational function; for large x in 1/x, so that nothing overflows."""
    if x < 5.0:
        n = 2.5066282746310002
        n = n * x + 210.82427775157936
        n = n * x + 8071.672002365816
        n = n * x + 186056.26539522348
        n = n * x + 2876370.6289353725
        n = n * x + 31426415.585400194
        n = n * x + 248874557.86205417
        n = n * x + 1439720407.3117216
        n = n * x + 6039542586.352028
        n = n * x + 17921034426.03721
        n = n * x + 35711959237.35567
        n = n * x + 42919803642.6491
        n = n * x + 23531376880.41076
        d = x + 66.0
        d = d * x + 1925.0
        d = d * x + 32670.0
        d = d * x + 357423.0
        d = d * x + 2637558.0
        d = d * x + 13339535.0
        d = d * x + 45995730.0
        d = d * x + 105258076.0
        d = d * x + 150917976.0
        d = d * x + 120543840.0
        d = d * x + 39916800.0
        d = d * x
        return divide(n, d)
    n = 23531376880.41076
    n = divide(n, x) + 42919803642.6491
    n = divide(n, x) + 35711959237.35567
    n = divide(n, x) + 17921034426.03721
    n = divide(n, x) + 6039542586.352028
    n = divide(n, x) + 1439720407.3117216
    n = divide(n, x) + 248874557.86205417
    n = divide(n, x) + 31426415.585400194
    n = divide(n, x) + 2876370.6289353725
    n = divide(n, x) + 186056.26539522348
    n = divide(n, x) + 8071.672002365816
    n = divide(n, x) + 210.82427775157936
    n = divide(n, x) + 2.5066282746310002
    d = 39916800.0
    d = divide(d, x) + 120543840.0
    d = divide(d, x) + 150917976.0
    d = divide(d, x) + 105258076.0
    d = divide(d, x) + 45995730.0
    d = divide(d, x) + 13339535.0
    d = divide(d, x) + 2637558.0
    d = divide(d, x) + 357423.0
    d = divide(d, x) + 32670.0
    d = divide(d, x) + 1925.0
    d = divide(d, x) + 66.0
    d = divide(d, x) + 1.0
    return divide(n, d)


def gamma_value(x: f64) -> f64:
    """The gamma function of a finite number that is no pole and no small integer; infinity where it overflows."""
    a = fabs(x)
    if a < 1e-20:
        return divide(1.0, x)
    if a > 200.0:
        if x < 0.0:
            return divide(0.0, sin_pi(x))
        return INFINITY
    y = a + LANCZOS_G_MINUS_HALF
    z = (y - LANCZOS_G_MINUS_HALF) - a
    if a > LANCZOS_G_MINUS_HALF:
        z = (y - a) - LANCZOS_G_MINUS_HALF
    z = divide(z * LANCZOS_G, y)
    if x < 0.0:
        r = divide(divide(divide(-PI, sin_pi(a)), a) * libm.exp(y), lanczos_sum(a))
        r = r - z * r
        if a < 140.0:
            return divide(r, libm.pow(y, a - 0.5))
        root = libm.pow(y, a * 0.5 - 0.25)
        return divide(divide(r, root), root)
    r = divide(lanczos_sum(a), libm.exp(y))
    r = r + z * r
    if a < 140.0:
        return r * libm.pow(y, a - 0.5)
    root = libm.pow(y, a * 0.5 - 0.25)
    return r * root * root


def math_gamma(x: f64) -> f64:
    if (x != x) | (x > LARGEST):
        return x
    if (x < -LARGEST) | (x == 0.0):
        raise ValueError("math domain error")
    if x == floor(x):
        if x < 0.0:
            raise ValueError("math domain error")
        if x <= 23.0:
            out = 1.0
            k = 2.0
            while k < x:
                out = out * k
                k = k + 1.0
            return out
    r = gamma_value(x)
    if fabs(r) > LARGEST:
        raise OverflowError("math range error")
    return r


def math_lgamma(x: f64) -> f64:
    if x != x:
        return x
    if fabs(x) > LARGEST:
        return INFINITY
    if (x == floor(x)) & (x <= 2.0):
        if x <= 0.0:
            raise ValueError("math domain error")
        return 0.0
    a = fabs(x)
    if a < 1e-20:
        return -libm.log(a)
    r = libm.log(lanczos_sum(a)) - LANCZOS_G
    r = r + (a - 0.5) * (libm.log(a + LANCZOS_G - 0.5) - 1.0)
    if x < 0.0:
        r = LOG_PI - libm.log(fabs(sin_pi(a))) - libm.log(a) - r
    if fabs(r) > LARGEST:
        raise OverflowError("math range error")
    return r


# ---- functions of ints


GCD_TOO_LARGE = too_large("gcd({0}, {1})")
LCM_TOO_LARGE = too_large("lcm({0}, {1})")
FACTORIAL_TOO_LARGE = too_large("factorial({0})")


def common_divisor(a: i64, b: i64) -> i64:
    """The greatest common divisor of a and b, or what is as far below zero."""
    while b != 0:
        rest = rem(a, b)
        a = b
        b = rest
    return a


def math_gcd(a: i64, b: i64) -> i64:
    found = common_divisor(a, b)
    if found == MIN_INT:
        raise OverflowError(GCD_TOO_LARGE, a, b)
    return select(found < 0, -found, found)


def math_lcm(a: i64, b: i64) -> i64:
    if (a == 0) | (b == 0):
        return 0
    part = quot(a, common_divisor(a, b))
    found = part * b
    if mul_overflows(part, b) | (found == MIN_INT):
        raise OverflowError(LCM_TOO_LARGE, a, b)
    return select(found < 0, -found, found)


def math_factorial(n: i64) -> i64:
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError(FACTORIAL_TOO_LARGE, n)
    out = 1
    for k in range(2, n + 1):
        out = out * k
    return out


def wrapping_gcd(a: i64, b: i64) -> i64:
    found = common_divisor(a, b)
    return select(found < 0, -found, found)


def wrapping_lcm(a: i64, b: i64) -> i64:
    if (a == 0) | (b == 0):
        return 0
    return quot(select(a < 0, -a, a), wrapping_gcd(a, b)) * select(b < 0, -b, b)


def wrapping_factorial(n: i64) -> i64:
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    out = 1
    last = select(n > 66, 66, n)
    for k in range(2, last + 1):
        out = out * k
    return out


def math_isqrt(n: i64) -> i64:
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = i64(sqrt(f64(n)))
    if root > 3037000499:
        root = 3037000499
    if root * root > n:
        root = root - 1
    return root


# ---- definitions

FloatFunction = Callable[..., Any]


def _float(name: str, body: FloatFunction, doc: str, parameters: str = "float x", raises: bool = True) -> OpDef:
    return scalar(f"math_{name}({parameters}) -> float", body, body, doc, raises=raises, names=f"math.{name}")


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
    _float("erf", math_erf, "The error function.", raises=False),
    _float("erfc", math_erfc, "``1 - erf(x)``, exact for large x.", raises=False),
    _float("exp", math_exp, "e to the power x."),
    _float("exp2", math_exp2, "2 to the power x."),
    _float("expm1", math_expm1, "``exp(x) - 1``, exact near 0."),
    _float("fabs", math_fabs, "Absolute value.", raises=False),
    _float("gamma", math_gamma, "The gamma function."),
    _float("lgamma", math_lgamma, "Logarithm of the absolute value of the gamma function."),
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
    _float("atan2", math_atan2, "Arc tangent of y / x in the right quadrant.", "float y, float x", raises=False),
    _float("copysign", math_copysign, "x with the sign of y.", "float x, float y", raises=False),
    _float("fmod", math_fmod, "Remainder with the sign of x.", "float x, float y"),
    _float("hypot", math_hypot, "``sqrt(x*x + y*y)``.", "float x, float y", raises=False),
    _float("ldexp", math_ldexp, "``x * 2**i``.", "float x, int i"),
    scalar(
        "math_log.base(float x, float base) -> float", math_log_base, math_log_base, "Logarithm to a base.", raises=True
    ),
    _float("nextafter", math_nextafter, "The next float after x towards y.", "float x, float y", raises=False),
    _float("pow", math_pow, "x to the power y.", "float x, float y"),
    _float("remainder", math_remainder, "IEEE remainder: x minus the multiple of y nearest to x.", "float x, float y"),
)

_CLOSE = "math_isclose(float a, float b, *, float rel_tol=1e-09, float abs_tol=0.0) -> bool"

_OTHERS = (
    scalar("math_ceil.int(int x) -> int", int_int, int, "An int is whole already.", names="math.ceil"),
    scalar("math_ceil.float(float x) -> int", math_ceil, math_ceil, "Rounded up.", raises=True, names="math.ceil"),
    scalar("math_floor.int(int x) -> int", int_int, int, "An int is whole already.", names="math.floor"),
    scalar(
        "math_floor.float(float x) -> int", math_floor, math_floor, "Rounded down.", raises=True, names="math.floor"
    ),
    scalar("math_trunc.int(int x) -> int", int_int, int, "An int is whole already.", names="math.trunc"),
    scalar(
        "math_trunc.float(float x) -> int",
        math_trunc,
        math_trunc,
        "Rounded towards zero.",
        raises=True,
        names="math.trunc",
    ),
    scalar(
        "math_isfinite(float x) -> bool",
        math_isfinite,
        math_isfinite,
        "Whether x is neither infinite nor NaN.",
        names="math.isfinite",
    ),
    scalar("math_isinf(float x) -> bool", math_isinf, math_isinf, "Whether x is infinite.", names="math.isinf"),
    scalar("math_isnan(float x) -> bool", math_isnan, math_isnan, "Whether x is NaN.", names="math.isnan"),
    scalar(
        _CLOSE,
        math_isclose,
        math_isclose,
        "Whether a and b are close to each other.",
        raises=True,
        names="math.isclose",
    ),
    checked(
        "math_factorial(int n) -> int",
        math_factorial,
        lambda n: math_factorial(n) if n <= 20 else MAX_INT + 1,
        FACTORIAL_TOO_LARGE,
        "n factorial.",
        others=True,
        names="math.factorial",
    ),
    checked(
        "math_gcd(int a, int b) -> int", math_gcd, math.gcd, GCD_TOO_LARGE, "Greatest common divisor.", names="math.gcd"
    ),
    scalar(
        "math_isqrt(int n) -> int",
        math_isqrt,
        math_isqrt,
        "Integer square root, rounded down.",
        raises=True,
        names="math.isqrt",
    ),
    checked(
        "math_lcm(int a, int b) -> int", math_lcm, math.lcm, LCM_TOO_LARGE, "Least common multiple.", names="math.lcm"
    ),
)

HIDDEN = (
    scalar(
        "wrapping_math_factorial(int n) -> int",
        wrapping_factorial,
        lambda n: wrap64(wrapping_factorial(n)),
        "The first version of `math_factorial`.",
        raises=True,
    ),
    scalar(
        "wrapping_math_gcd(int a, int b) -> int",
        wrapping_gcd,
        lambda a, b: wrap64(math.gcd(a, b)),
        "The first version of `math_gcd`.",
    ),
    scalar(
        "wrapping_math_lcm(int a, int b) -> int",
        wrapping_lcm,
        lambda a, b: wrap64(math.lcm(a, b)),
        "The first version of `math_lcm`.",
    ),
)
"""What operators of old archives are read as."""

OPERATORS: tuple[OpDef, ...] = (*_ONE_FLOAT, *_TWO_FLOATS, *_OTHERS)
"""All operators of this module."""

EXTERNS: tuple[OpDef, ...] = libm.EXTERNS
"""The C functions that bodies call."""
