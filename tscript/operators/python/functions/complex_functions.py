"""The functions of `cmath`, with the algorithms of CPython's `Modules/cmathmodule.c`: the same branches, signs,
infinities and errors. What C99 (annex G) says of infinities and NaN is computed, not looked up."""

from __future__ import annotations

import math

_LARGE = 4.49423283715579e307
"""A quarter of the largest float."""

_ROOT_OF_LARGE = 6.703903964971298e153
_LOG_OF_LARGE = 708.3964185322641
_SMALLEST = 2.2250738585072014e-308
"""The smallest normal float."""

_ROOT_OF_SMALLEST = 1.4916681462400413e-154
_LN2 = 0.6931471805599453
_LN10 = 2.302585092994046


def _is_finite(z: complex) -> bool:
    return math.isfinite(z.real) and math.isfinite(z.imag)


def _log_of_half(z: complex) -> float:
    """The logarithm of half the absolute value of a large number."""
    return math.log(math.hypot(z.real / 2.0, z.imag / 2.0))


def _is_large(z: complex) -> bool:
    return abs(z.real) > _LARGE or abs(z.imag) > _LARGE


def _checked(real: float, imag: float) -> complex:
    """A result of finite numbers."""
    if math.isinf(real) or math.isinf(imag):
        raise OverflowError("math range error")
    return complex(real, imag)


def _refuse() -> None:
    raise ValueError("math domain error")


def sqrt(z: complex) -> complex:
    """``cmath.sqrt``"""
    x, y = z.real, z.imag
    if math.isinf(y):
        return complex(math.inf, y)
    if math.isinf(x):
        if y != y:
            return complex(x, y) if x > 0.0 else complex(y, math.inf)
        return complex(x, math.copysign(0.0, y)) if x > 0.0 else complex(0.0, math.copysign(math.inf, y))
    if x != x or y != y:
        return complex(math.nan, math.nan)
    if x == 0.0 and y == 0.0:
        return complex(0.0, y)
    size, high = abs(x), abs(y)
    if size < _SMALLEST and high < _SMALLEST:
        size = math.ldexp(size, 53)
        root = math.ldexp(math.sqrt(size + math.hypot(size, math.ldexp(high, 53))), -27)
    else:
        size /= 8.0
        root = 2.0 * math.sqrt(size + math.hypot(size, high / 8.0))
    other = high / (2.0 * root)
    if x >= 0.0:
        return complex(root, math.copysign(other, y))
    return complex(other, math.copysign(root, y))


def exp(z: complex) -> complex:
    """``cmath.exp``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(y):
            if x == x and x != -math.inf:
                _refuse()
            return complex(0.0, 0.0) if x == -math.inf else complex(math.nan, math.nan)
        if math.isinf(x):
            if y != y:
                return complex(x, y) if x > 0.0 else complex(0.0, 0.0)
            size = math.inf if x > 0.0 else 0.0
            if y == 0.0:
                return complex(size, y)
            return complex(math.copysign(size, math.cos(y)), math.copysign(size, math.sin(y)))
        return complex(x, y) if y == 0.0 else complex(math.nan, math.nan)
    if x > _LOG_OF_LARGE:
        size = math.exp(x - 1.0)
        return _checked(size * math.cos(y) * math.e, size * math.sin(y) * math.e)
    size = math.exp(x)
    return _checked(size * math.cos(y), size * math.sin(y))


def _log(z: complex) -> complex:
    x, y = z.real, z.imag
    angle = math.atan2(y, x)
    if not _is_finite(z):
        return complex(math.inf if math.isinf(x) or math.isinf(y) else math.nan, angle)
    size, high = abs(x), abs(y)
    if size > _LARGE or high > _LARGE:
        return complex(_log_of_half(z) + _LN2, angle)
    if size < _SMALLEST and high < _SMALLEST:
        if size == 0.0 and high == 0.0:
            return complex(-math.inf, angle)
        return complex(math.log(math.hypot(math.ldexp(size, 53), math.ldexp(high, 53))) - 53 * _LN2, angle)
    distance = math.hypot(size, high)
    if 0.71 <= distance <= 1.73:
        larger, smaller = max(size, high), min(size, high)
        return complex(math.log1p((larger - 1.0) * (larger + 1.0) + smaller * smaller) / 2.0, angle)
    return complex(math.log(distance), angle)


def log(z: complex, base: complex | None = None) -> complex:
    """``cmath.log``"""
    last = z if base is None else base
    if last == 0.0:
        _refuse()
    if base is None:
        return _log(z)
    below = _log(base)
    if below == 0.0:
        _refuse()
    return _log(z) / below


def log10(z: complex) -> complex:
    """``cmath.log10``"""
    if z == 0.0:
        _refuse()
    found = _log(z)
    return complex(found.real / _LN10, found.imag / _LN10)


def acos(z: complex) -> complex:
    """``cmath.acos``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(x) and y != y:
            return complex(y, math.inf)
        if math.isinf(x) or math.isinf(y):
            return complex(math.atan2(abs(y), x), -math.copysign(math.inf, y))
        return complex(math.pi / 2.0 if x == 0.0 else math.nan, math.nan)
    if _is_large(z):
        return complex(math.atan2(abs(y), x), math.copysign(_log_of_half(z) + _LN2 * 2.0, -y))
    a = sqrt(complex(1.0 - x, -y))
    b = sqrt(complex(1.0 + x, y))
    return complex(2.0 * math.atan2(a.real, b.real), math.asinh(b.real * a.imag - b.imag * a.real))


def acosh(z: complex) -> complex:
    """``cmath.acosh``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(x) or math.isinf(y):
            return complex(math.inf, math.atan2(y, x))
        return complex(math.nan, math.nan)
    if _is_large(z):
        return complex(_log_of_half(z) + _LN2 * 2.0, math.atan2(y, x))
    a = sqrt(complex(x - 1.0, y))
    b = sqrt(complex(x + 1.0, y))
    return complex(math.asinh(a.real * b.real + a.imag * b.imag), 2.0 * math.atan2(a.imag, b.real))


def asinh(z: complex) -> complex:
    """``cmath.asinh``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(x) or math.isinf(y):
            if x != x:
                return complex(math.inf, x)
            return complex(math.copysign(math.inf, x), math.atan2(y, abs(x)))
        return complex(x, y) if y == 0.0 else complex(math.nan, math.nan)
    if _is_large(z):
        return complex(math.copysign(_log_of_half(z) + _LN2 * 2.0, x), math.atan2(y, abs(x)))
    a = sqrt(complex(1.0 + y, -x))
    b = sqrt(complex(1.0 - y, x))
    return complex(math.asinh(a.real * b.imag - b.real * a.imag), math.atan2(y, a.real * b.real - a.imag * b.imag))


def asin(z: complex) -> complex:
    """``cmath.asin``"""
    found = asinh(complex(-z.imag, z.real))
    return complex(found.imag, -found.real)


def atanh(z: complex) -> complex:
    """``cmath.atanh``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(y):
            return complex(math.copysign(0.0, x) if x == x else 0.0, math.copysign(math.pi / 2.0, y))
        if math.isinf(x):
            return complex(math.copysign(0.0, x), math.copysign(math.pi / 2.0, y) if y == y else y)
        return complex(x if x == 0.0 else math.nan, math.nan)
    if math.copysign(1.0, x) < 0.0:
        return -_atanh(-z)
    return _atanh(z)


def _atanh(z: complex) -> complex:
    """`atanh` of a finite number whose real part is not negative."""
    x, y = z.real, z.imag
    high = abs(y)
    if x > _ROOT_OF_LARGE or high > _ROOT_OF_LARGE:
        size = math.hypot(x / 2.0, y / 2.0)
        return complex(x / 4.0 / size / size, -math.copysign(math.pi / 2.0, -y))
    if x == 1.0 and high < _ROOT_OF_SMALLEST:
        if high == 0.0:
            _refuse()
        root = math.sqrt(high) / math.sqrt(math.hypot(high, 2.0))
        return complex(-math.log(root), math.copysign(math.atan2(2.0, -high) / 2.0, y))
    rest = 1.0 - x
    return complex(
        math.log1p(4.0 * x / (rest * rest + high * high)) / 4.0,
        -math.atan2(-2.0 * y, rest * (1.0 + x) - high * high) / 2.0,
    )


def atan(z: complex) -> complex:
    """``cmath.atan``"""
    found = atanh(complex(-z.imag, z.real))
    return complex(found.imag, -found.real)


def cosh(z: complex) -> complex:
    """``cmath.cosh``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(y):
            if x == x:
                _refuse()
            return complex(math.nan, math.nan)
        if math.isinf(x):
            if y == 0.0:
                return complex(math.inf, y if x > 0.0 else -y)
            if y != y:
                return complex(math.inf, y)
            sine = math.copysign(math.inf, math.sin(y))
            return complex(math.copysign(math.inf, math.cos(y)), sine if x > 0.0 else -sine)
        if x != x:
            return complex(x, 0.0 if y == 0.0 else x)
        return complex(y, 0.0 if x == 0.0 else y)
    if abs(x) > _LOG_OF_LARGE:
        less = x - math.copysign(1.0, x)
        return _checked(math.cos(y) * math.cosh(less) * math.e, math.sin(y) * math.sinh(less) * math.e)
    return _checked(math.cos(y) * math.cosh(x), math.sin(y) * math.sinh(x))


def cos(z: complex) -> complex:
    """``cmath.cos``"""
    return cosh(complex(-z.imag, z.real))


def sinh(z: complex) -> complex:
    """``cmath.sinh``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(y):
            if x == x:
                _refuse()
            return complex(math.nan, math.nan)
        if math.isinf(x):
            if y == 0.0 or y != y:
                return complex(x if y == 0.0 else math.inf, y)
            return complex(math.copysign(x, math.cos(y) * math.copysign(1.0, x)), math.copysign(math.inf, math.sin(y)))
        if x != x:
            return complex(x, y if y == 0.0 else x)
        return complex(0.0 if x == 0.0 else y, y)
    if abs(x) > _LOG_OF_LARGE:
        less = x - math.copysign(1.0, x)
        return _checked(math.cos(y) * math.sinh(less) * math.e, math.sin(y) * math.cosh(less) * math.e)
    return _checked(math.cos(y) * math.sinh(x), math.sin(y) * math.cosh(x))


def sin(z: complex) -> complex:
    """``cmath.sin``"""
    found = sinh(complex(-z.imag, z.real))
    return complex(found.imag, -found.real)


def tanh(z: complex) -> complex:
    """``cmath.tanh``"""
    x, y = z.real, z.imag
    if not _is_finite(z):
        if math.isinf(x):
            if math.isfinite(y) and y != 0.0:
                return complex(math.copysign(1.0, x), math.copysign(0.0, 2.0 * math.sin(y) * math.cos(y)))
            return complex(math.copysign(1.0, x), y if y == 0.0 else 0.0)
        if math.isinf(y) and x == x:
            _refuse()
        if x != x:
            return complex(x, y if y == 0.0 else x)
        return complex(y, y)
    if abs(x) > _LOG_OF_LARGE:
        return complex(math.copysign(1.0, x), 4.0 * math.sin(y) * math.cos(y) * math.exp(-2.0 * abs(x)))
    high = math.tanh(x)
    slope = math.tan(y)
    inverse = 1.0 / math.cosh(x)
    product = high * slope
    below = 1.0 + product * product
    return complex(high * (1.0 + slope * slope) / below, ((slope / below) * inverse) * inverse)


def tan(z: complex) -> complex:
    """``cmath.tan``"""
    found = tanh(complex(-z.imag, z.real))
    return complex(found.imag, -found.real)


def phase(z: complex) -> float:
    """``cmath.phase``"""
    return math.atan2(z.imag, z.real)


def polar(z: complex) -> tuple[float, float]:
    """``cmath.polar``"""
    size = math.hypot(z.real, z.imag)
    if math.isinf(size) and _is_finite(z):
        raise OverflowError("math range error")
    return size, math.atan2(z.imag, z.real)


def rect(r: float, phi: float) -> complex:
    """``cmath.rect``"""
    if not (math.isfinite(r) and math.isfinite(phi)):
        if math.isinf(phi):
            if r != 0.0 and r == r:
                _refuse()
            return complex(abs(r), abs(r))
        if math.isinf(r) and phi != 0.0 and phi == phi:
            sign = math.copysign(1.0, r)
            return complex(math.copysign(r, math.cos(phi) * sign), math.copysign(r, math.sin(phi) * sign))
        if r == 0.0:
            return complex(0.0, 0.0)
        if phi == 0.0:
            return complex(r, 0.0 if r != r else (phi if r > 0.0 else -phi))
        return complex(math.inf if math.isinf(r) else math.nan, math.nan)
    if phi == 0.0:
        return complex(r, r * phi)
    return complex(r * math.cos(phi), r * math.sin(phi))


def isnan(z: complex) -> bool:
    """``cmath.isnan``"""
    return z.real != z.real or z.imag != z.imag


def isinf(z: complex) -> bool:
    """``cmath.isinf``"""
    return math.isinf(z.real) or math.isinf(z.imag)


def isfinite(z: complex) -> bool:
    """``cmath.isfinite``"""
    return _is_finite(z)


def isclose(a: complex, b: complex, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    """``cmath.isclose``"""
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if isinf(a) or isinf(b):
        return False
    gap = math.hypot(a.real - b.real, a.imag - b.imag)
    near = rel_tol * math.hypot(b.real, b.imag)
    far = rel_tol * math.hypot(a.real, a.imag)
    return gap <= near or gap <= far or gap <= abs_tol
