"""`math.gamma` and `math.lgamma`: CPython's own algorithms, written out again."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import copysign, divide, f64, fabs, floor, libm
from tscript.dialect.limits import LARGEST

PI = 3.141592653589793
INFINITY = math.inf
LOG_PI = 1.1447298858494002
LANCZOS_G = 6.02468004077673
LANCZOS_G_MINUS_HALF = 5.52468004077673


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


OPERATORS: tuple[OpDef, ...] = (
    scalar("math_gamma(float x) -> float", math_gamma, "The gamma function.", raises=True, names="math.gamma"),
    scalar(
        "math_lgamma(float x) -> float",
        math_lgamma,
        "Logarithm of the absolute value of the gamma function.",
        raises=True,
        names="math.lgamma",
    ),
)
"""All operators of this module."""
