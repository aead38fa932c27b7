"""Functions of complex numbers, made of those of their parts; ``T`` is a complex type.

Formulas are those of Kahan, "Branch cuts for complex elementary functions" (1987), as far as they fit one straight line
of code; quotients are Smith's (1962). Numbers of float32 parts have their absolute values computed in float64, so
nothing overflows in between.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.dialect import ByType, T, U, c64, c128, copysign, f32, f64, fabs, imag, of_parts, real, select, sqrt
from tscript.dialect import vector_angles as va
from tscript.dialect import vector_math as vm
from tscript.types import dtypes

MAX = 1.7976931348623157e308
"""The largest float."""


def with_complex(body: Callable[..., Any], for_complex: Callable[..., Any]) -> ByType:
    """`body`, which takes floats, or also other numbers, with a function for complex numbers."""
    floats = body.by_dtype if isinstance(body, ByType) else {dtypes.float32: body, dtypes.float64: body}
    meaning = body.meaning if isinstance(body, ByType) else None
    return ByType({**floats, **complex_only(for_complex).by_dtype}, meaning)


def complex_only(body: Callable[..., Any]) -> ByType:
    """A function of complex numbers alone."""
    if isinstance(body, ByType):
        return body
    return ByType(dict.fromkeys(dtypes.COMPLEX_DTYPES, body))


# ---- size and angle


def length(a: f64, b: f64) -> f64:
    """The root of the sum of two squares, where nothing overflows; infinite if one is."""
    x = fabs(a)
    y = fabs(b)
    large = select((x > y) | (x != x), x, y)
    small = select((x > y) | (x != x), y, x)
    ratio = small / large
    found = select(large == 0.0, large + small, large * sqrt(1.0 + ratio * ratio))
    # An infinite part counts more than a NaN.
    return select(x > MAX, x, select(y > MAX, y, found))


def abs_c64(x: c64) -> f32:
    a = f64(real(x))
    b = f64(imag(x))
    endless = (fabs(a) > 1e300) | (fabs(b) > 1e300)
    return f32(select(endless, fabs(select(fabs(a) > 1e300, a, b)), sqrt(a * a + b * b)))


def abs_c128(x: c128) -> f64:
    return length(real(x), imag(x))


absolute = ByType({dtypes.complex64: abs_c64, dtypes.complex128: abs_c128})


def angle(x: T):  # type: ignore[no-untyped-def]
    return va.atan2(imag(x), real(x))


def conj(x: T) -> T:
    return of_parts(real(x), -imag(x))


def sgn(x: T) -> T:
    size = absolute(x)
    return of_parts(select(size == 0.0, size, real(x) / size), select(size == 0.0, size, imag(x) / size))


def real_part(x: T):  # type: ignore[no-untyped-def]
    return real(x)


def imag_part(x: T):  # type: ignore[no-untyped-def]
    return imag(x)


# ---- arithmetic


def divide(x: T, y: T) -> T:
    """Smith's quotient."""
    c = real(y)
    d = imag(y)
    wide = fabs(c) >= fabs(d)
    large = select(wide, c, d)
    ratio = select(large == 0.0, large, select(wide, d, c) / large)
    scale = 1.0 / (large + select(wide, d, c) * ratio)
    a = real(x)
    b = imag(x)
    re = select(wide, a + b * ratio, a * ratio + b)
    im = select(wide, b - a * ratio, b * ratio - a)
    nothing = large == 0.0
    return of_parts(select(nothing, a / fabs(large), re * scale), select(nothing, b / fabs(large), im * scale))


def reciprocal(x: T) -> T:
    return divide(T(1), x)


# ---- exponentials


def exp(x: T) -> T:
    size = vm.exp(real(x))
    b = imag(x)
    return of_parts(size * vm.cos(b), select(b == 0.0, b, size * vm.sin(b)))


def sigmoid(x: T) -> T:
    return divide(T(1), T(1) + exp(-x))


def log_size_c64(x: c64) -> f32:
    a = f64(real(x))
    b = f64(imag(x))
    return f32(0.5 * vm.log(a * a + b * b))


def log_size_c128(x: c128) -> f64:
    a = fabs(real(x))
    b = fabs(imag(x))
    large = select(a > b, a, b)
    small = select(a > b, b, a)
    near = (large > 0.5) & (large < 2.0)
    return select(near, 0.5 * vm.log1p((large - 1.0) * (large + 1.0) + small * small), vm.log(length(a, b)))


log_size = ByType({dtypes.complex64: log_size_c64, dtypes.complex128: log_size_c128})


def log(x: T) -> T:
    return of_parts(log_size(x), angle(x))


def log2(x: T) -> T:
    return of_parts(log_size(x) * 1.4426950408889634, angle(x) * 1.4426950408889634)


def log10(x: T) -> T:
    return of_parts(log_size(x) * 0.4342944819032518, angle(x) * 0.4342944819032518)


def root(x: T) -> T:
    a = real(x)
    b = imag(x)
    half = sqrt((fabs(a) + absolute(x)) * 0.5)
    other = select(half == 0.0, b, fabs(b) / (half + half))
    return of_parts(select(a >= 0.0, half, other), copysign(select(a >= 0.0, other, half), b))


def rsqrt(x: T) -> T:
    return reciprocal(root(x))


def power(x: T, y: T) -> T:
    """``exp(y * log(x))``; squares, cubes and powers of 0 without."""
    found = exp(y * log(x))
    found = select(x == 0, select(y == 0, T(1), T(0)), found)
    return select(y == 1, x, select(y == 2, x * x, select(y == 3, x * x * x, select(y == 0, T(1), found))))


# ---- angles


def sin(x: T) -> T:
    a = real(x)
    b = imag(x)
    return of_parts(vm.sin(a) * va.cosh(b), vm.cos(a) * va.sinh(b))


def cos(x: T) -> T:
    a = real(x)
    b = imag(x)
    return of_parts(vm.cos(a) * va.cosh(b), -(vm.sin(a) * va.sinh(b)))


def sinh(x: T) -> T:
    a = real(x)
    b = imag(x)
    return of_parts(va.sinh(a) * vm.cos(b), va.cosh(a) * vm.sin(b))


def cosh(x: T) -> T:
    a = real(x)
    b = imag(x)
    return of_parts(va.cosh(a) * vm.cos(b), va.sinh(a) * vm.sin(b))


def tanh_parts(a: U, b: U):  # type: ignore[no-untyped-def]
    """Of ``a + bi``, as one complex number."""
    far = fabs(a) > 20.0
    s = va.sinh(select(far, U(0), a))
    c = va.cosh(select(far, U(0), a))
    cos_b = vm.cos(b)
    sin_b = vm.sin(b)
    below = s * s + cos_b * cos_b
    re = select(far, copysign(U(1), a), s * c / below)
    im = select(far, 4.0 * sin_b * cos_b * vm.exp(-2.0 * fabs(a)), sin_b * cos_b / below)
    return of_parts(re, im)


def tanh(x: T) -> T:
    return tanh_parts(real(x), imag(x))


def tan(x: T) -> T:
    turned = tanh_parts(-imag(x), real(x))
    return of_parts(imag(turned), -real(turned))


# ---- kinds


def is_finite(x: T):  # type: ignore[no-untyped-def]
    a = real(x)
    b = imag(x)
    return (a - a == a - a) & (b - b == b - b)


def is_infinite(x: T):  # type: ignore[no-untyped-def]
    a = real(x)
    b = imag(x)
    return ((a == a) & (a - a != a - a)) | ((b == b) & (b - b != b - b))
