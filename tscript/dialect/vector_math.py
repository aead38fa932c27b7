"""Mathematical functions of tensor elements, in the low-level dialect.

Straight-line code over one element, without tables or calls (`sin` and `cos` of huge arguments excepted), so the
backend makes ``<16 x float>`` code of it by the same emitters that make scalar code, on every target, and a result has
the same bits in a vector, in its tail and alone. Nothing is undefined: infinities, NaN (which stays NaN), zeros with
their sign and denormals give what IEEE 754 asks.

A function is generic over its float type, or has one variant per type, joined by a `ByType`. The bounds stated are the
largest error found against a result of higher precision (`tests/dialect/test_vector_math.py` repeats the measurement),
in units in the last place (ULP). They hold with and without FMA.

Integer exponents are moved between types by adding 1.5 times 2 to the number of mantissa bits (`SHIFT32`, `SHIFT64`):
the sum's low bits are the rounded integer. So no conversion instruction is needed, which vectors of i64 lack before
AVX-512.

The polynomials are minimax fits of this project, lowest power first; `erf` and `pow` of f64 use the rational
approximations and the splitting of fdlibm (Sun Microsystems, 1993). On NumPy arrays they are NumPy's functions.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.arrays import np, numpy_function
from tscript.dialect import (
    ByType,
    T,
    bitcast,
    copysign,
    f32,
    f64,
    fabs,
    fmuladd,
    i32,
    i64,
    libm,
    scaled,
    select,
    sqrt,
    trunc,
)
from tscript.types import dtypes

SHIFT32 = 12582912.0
"""1.5 * 2**23."""
SHIFT32_BITS = 0x4B400000
SHIFT64 = 6755399441055744.0
"""1.5 * 2**52."""
SHIFT64_BITS = 0x4338000000000000
LOG2_E = 1.4426950408889634
LN2_HIGH = 0.693145751953125
"""ln 2 to 16 bits: times any exponent it is exact in f32 too."""
LN2_LOW = 1.42860682030941723212e-6
INFINITY = float("inf")
NAN = float("nan")
REDUCIBLE = 1.0e6
"""Up to here multiples of pi/2 are subtracted exactly, with or without FMA. Beyond, `sin` and `cos` ask libm."""
HIGH_HALF = -0x100000000
"""Mask of the upper 32 bits of an i64."""


# ---- exponentials


def power_of_two_f32(k: i32) -> f32:
    """2**k for k from -126 to 127."""
    return bitcast((k + 127) << 23, f32)


def power_of_two_f64(k: i64) -> f64:
    """2**k for k from -1022 to 1023."""
    return bitcast((k + 1023) << 52, f64)


def exp_fraction_f32(x: f32, n: f32) -> f32:
    """exp(x - n ln 2) - 1 where n is the integer nearest to x / ln 2."""
    r = fmuladd(n, -LN2_LOW, fmuladd(n, -LN2_HIGH, x))
    q = fmuladd(r, 0.0013820268213748932, 0.008368678390979767)
    q = fmuladd(q, r, 0.04166826978325844)
    q = fmuladd(q, r, 0.1666652113199234)
    q = fmuladd(q, r, 0.4999999403953552)
    return fmuladd(q, r * r, r)


def exp_fraction_f64(x: f64, n: f64) -> f64:
    """exp(x - n ln 2) - 1 where n is the integer nearest to x / ln 2."""
    r = fmuladd(n, -LN2_LOW, fmuladd(n, -LN2_HIGH, x))
    r2 = r * r
    r4 = r2 * r2
    q01 = fmuladd(r, 0.16666666666666682, 0.5)
    q23 = fmuladd(r, 0.008333333333317629, 0.04166666666666648)
    q45 = fmuladd(r, 0.00019841269895195783, 0.0013888888888996893)
    q67 = fmuladd(r, 2.755723585604846e-06, 2.4801587096099995e-05)
    q89 = fmuladd(r, 2.511173869590192e-08, 2.755746800197212e-07)
    low = fmuladd(q23, r2, q01)
    middle = fmuladd(q67, r2, q45)
    high = fmuladd(2.0855872253463785e-09, r2, q89)
    q = fmuladd(fmuladd(high, r4, middle), r4, low)
    return fmuladd(q, r2, r)


def exp_f32(x: f32) -> f32:
    """e**x, 1.0 ULP, denormal results included."""
    x = select(x > 89.0, 89.0, x)
    x = select(x < -104.0, -104.0, x)
    shifted = fmuladd(x, LOG2_E, SHIFT32)
    return scaled(exp_fraction_f32(x, shifted - SHIFT32) + 1.0, shifted)


def exp_f64(x: f64) -> f64:
    """e**x, 1.0 ULP, denormal results included."""
    x = select(x > 710.0, 710.0, x)
    x = select(x < -746.0, -746.0, x)
    shifted = fmuladd(x, LOG2_E, SHIFT64)
    return scaled(exp_fraction_f64(x, shifted - SHIFT64) + 1.0, shifted)


exp = ByType({dtypes.float32: exp_f32, dtypes.float64: exp_f64}, numpy_function(lambda: np.exp))


def expm1_f32(x: f32) -> f32:
    """e**x - 1 without cancellation near 0, 1.9 ULP."""
    y = select(x > 89.0, 89.0, x)
    y = select(y < -18.0, -18.0, y)
    shifted = fmuladd(y, LOG2_E, SHIFT32)
    p = exp_fraction_f32(y, shifted - SHIFT32)
    s = power_of_two_f32(bitcast(shifted, i32) - (SHIFT32_BITS + 1))
    return copysign(fmuladd(p, s, s - 0.5) * 2.0, x)


def expm1_f64(x: f64) -> f64:
    """e**x - 1 without cancellation near 0, 1.9 ULP."""
    y = select(x > 710.0, 710.0, x)
    y = select(y < -40.0, -40.0, y)
    shifted = fmuladd(y, LOG2_E, SHIFT64)
    p = exp_fraction_f64(y, shifted - SHIFT64)
    s = power_of_two_f64(bitcast(shifted, i64) - (SHIFT64_BITS + 1))
    return copysign(fmuladd(p, s, s - 0.5) * 2.0, x)


expm1 = ByType({dtypes.float32: expm1_f32, dtypes.float64: expm1_f64}, numpy_function(lambda: np.expm1))


def tanh_f32(x: f32) -> f32:
    """Hyperbolic tangent, 2.6 ULP: t / (t + 2) with t = expm1(2 |x|), which never cancels."""
    y = fabs(x) * 2.0
    y = select(y > 20.0, 20.0, y)
    shifted = fmuladd(y, LOG2_E, SHIFT32)
    p = exp_fraction_f32(y, shifted - SHIFT32)
    s = power_of_two_f32(bitcast(shifted, i32) - SHIFT32_BITS)
    t = fmuladd(p, s, s - 1.0)
    return copysign(t / (t + 2.0), x)


def tanh_f64(x: f64) -> f64:
    """Hyperbolic tangent, 2.6 ULP: t / (t + 2) with t = expm1(2 |x|), which never cancels."""
    y = fabs(x) * 2.0
    y = select(y > 42.0, 42.0, y)
    shifted = fmuladd(y, LOG2_E, SHIFT64)
    p = exp_fraction_f64(y, shifted - SHIFT64)
    s = power_of_two_f64(bitcast(shifted, i64) - SHIFT64_BITS)
    t = fmuladd(p, s, s - 1.0)
    return copysign(t / (t + 2.0), x)


tanh = ByType({dtypes.float32: tanh_f32, dtypes.float64: tanh_f64}, numpy_function(lambda: np.tanh))


def sigmoid(x: T) -> T:
    """1 / (1 + e**-x), 2.5 ULP; 0 where e**-x overflows (below -88.7 in f32, -709.7 in f64)."""
    return 1.0 / (exp(-x) + 1.0)


# ---- logarithms


def log_specials(x: T, y: T) -> T:
    """The logarithm `y` of x, with the values for 0, negative numbers, infinity and NaN put in."""
    y = select(x < INFINITY, y, x)
    y = select(x < 0.0, NAN, y)
    return select(x == 0.0, -INFINITY, y)


def log_f32(x: f32) -> f32:
    """Natural logarithm, 0.8 ULP; of a negative number NaN, of 0 minus infinity."""
    tiny = x < 1.1754943508222875e-38
    bits = bitcast(select(tiny, x * 8388608.0, x), i32)
    exponent = (bits - 0x3F3504F3) >> 23  # counted from sqrt(0.5)
    f = bitcast(bits - (exponent << 23), f32) - 1.0
    n = f32(exponent) - select(tiny, f32(23.0), f32(0.0))
    z = f * f
    q = fmuladd(f, 0.06723931431770325, -0.11655887216329575)
    q = fmuladd(q, f, 0.11887315660715103)
    q = fmuladd(q, f, -0.12408877164125443)
    q = fmuladd(q, f, 0.14220185577869415)
    q = fmuladd(q, f, -0.1666783094406128)
    q = fmuladd(q, f, 0.20002074539661407)
    q = fmuladd(q, f, -0.25000011920928955)
    q = fmuladd(q, f, 0.3333331346511841)
    y = fmuladd(n, LN2_LOW, q * z * f)
    y = f + fmuladd(z, -0.5, y)
    return log_specials(x, fmuladd(n, LN2_HIGH, y))


def exponent_f64(bits: i64) -> i64:
    """The exponent of a positive normal f64 with these bits, counted from sqrt(0.5)."""
    return (bits - 0x3FE6A09E667F3BCD) >> 52


def from_integer_f64(k: i64) -> f64:
    """A small integer as f64."""
    return bitcast(k + SHIFT64_BITS, f64) - SHIFT64


def log_remainder_f64(z: f64) -> f64:
    """R(z) in log(1 + f) = f - f*f/2 + s * (f*f/2 + R(s*s)), s = f / (2 + f)."""
    z2 = z * z
    q01 = fmuladd(z, 0.399999999994099, 0.6666666666666735)
    q23 = fmuladd(z, 0.22222198459702702, 0.28571428743467797)
    q45 = fmuladd(z, 0.1531389428122763, 0.18183570343490707)
    return z * fmuladd(fmuladd(fmuladd(0.14797529072365512, z2, q45), z2, q23), z2, q01)


def log_f64(x: f64) -> f64:
    """Natural logarithm, 0.9 ULP; of a negative number NaN, of 0 minus infinity."""
    tiny = x < 2.2250738585072014e-308
    bits = bitcast(select(tiny, x * 4503599627370496.0, x), i64)
    exponent = exponent_f64(bits)
    f = bitcast(bits - (exponent << 52), f64) - 1.0
    n = from_integer_f64(exponent) - select(tiny, f64(52.0), f64(0.0))
    s = f / (f + 2.0)
    half_square = f * 0.5 * f
    t = s * (half_square + log_remainder_f64(s * s))
    t = fmuladd(n, 1.90821492927058770002e-10, t)
    y = n * 6.93147180369123816490e-01 - ((half_square - t) - f)
    return log_specials(x, y)


log = ByType({dtypes.float32: log_f32, dtypes.float64: log_f64}, numpy_function(lambda: np.log))


def log2_wide(x: f64) -> f64:
    """Base-2 logarithm of a positive normal number to 1e-11, for f32 results."""
    bits = bitcast(x, i64)
    exponent = exponent_f64(bits)
    f = bitcast(bits - (exponent << 52), f64) - 1.0
    s = f / (f + 2.0)
    z = s * s
    low = fmuladd(z, 0.5770828752091562, 0.9617966790860101)
    high = fmuladd(z, 0.34024589870147701, 0.4117048935275887)
    p = fmuladd(high, z * z, low)
    return fmuladd(fmuladd(p, z, 2.8853900817779268), s, from_integer_f64(exponent))


def log2_f32(x: f32) -> f32:
    """Base-2 logarithm, 0.6 ULP, exact for powers of two."""
    return log_specials(x, f32(log2_wide(f64(x))))


def log10_f32(x: f32) -> f32:
    """Base-10 logarithm, 0.6 ULP, exact for powers of ten."""
    return log_specials(x, f32(log2_wide(f64(x)) * 0.30102999566398120))


def log_scaled_f64(x: f64, one_high: f64, one_low: f64, two_high: f64, two_low: f64) -> f64:
    """Logarithm in another base: one = 1/ln(base), two = ln(2)/ln(base), each the sum of a short and a small part."""
    tiny = x < 2.2250738585072014e-308
    bits = bitcast(select(tiny, x * 4503599627370496.0, x), i64)
    exponent = exponent_f64(bits)
    f = bitcast(bits - (exponent << 52), f64) - 1.0
    n = from_integer_f64(exponent) - select(tiny, f64(52.0), f64(0.0))
    s = f / (f + 2.0)
    half_square = f * 0.5 * f
    high = bitcast(bitcast(f - half_square, i64) & HIGH_HALF, f64)
    low = (f - high) - half_square + s * (half_square + log_remainder_f64(s * s))
    product = high * one_high
    whole = n * two_high
    total = whole + product
    rest = (low + high) * one_low + low * one_high + n * two_low + ((whole - total) + product)
    return log_specials(x, total + rest)


def log2_f64(x: f64) -> f64:
    """Base-2 logarithm, 1.0 ULP, exact for powers of two."""
    return log_scaled_f64(x, 1.4426946640014648, 3.768874985636099e-07, 1.0, 0.0)


log2 = ByType({dtypes.float32: log2_f32, dtypes.float64: log2_f64}, numpy_function(lambda: np.log2))


def log10_f64(x: f64) -> f64:
    """Base-10 logarithm, 1.0 ULP."""
    return log_scaled_f64(x, 0.4342944622039795, 1.9699272335463627e-08, 0.30102992057800293, 7.508597826552624e-08)


log10 = ByType({dtypes.float32: log10_f32, dtypes.float64: log10_f64}, numpy_function(lambda: np.log10))


def log1p(x: T) -> T:
    """log(1 + x) without cancellation near 0, 1.5 ULP: the rounding error of 1 + x is put back."""
    u = x + 1.0
    regular = (u > 0.0) & (u < INFINITY)
    correction = select(regular, (x - (u - 1.0)) / u, T(0.0))
    return copysign(log(u) + correction, x)


# ---- circular functions


def quarter_turns(x: f64) -> f64:
    """The integer n nearest to x * 2/pi, still shifted: its low bits are n."""
    return fmuladd(x, 0.6366197723675814, SHIFT64)


def quarter_rest(x: f64, n: f64) -> f64:
    """x - n * pi/2, with pi/2 in three parts."""
    r = fmuladd(n, -1.5707963267341256, x)
    r = fmuladd(n, -6.077100506303966e-11, r)
    return fmuladd(n, -2.0222662487959506e-21, r)


def circle_f32(r: f32, turns: i32) -> f32:
    """sin(r + turns * pi/2) for |r| <= pi/4."""
    z = r * r
    sine = fmuladd(fmuladd(z, -0.0001951826416188851, 0.008332189172506332), z, -0.16666655242443085)
    sine = fmuladd(sine * z, r, r)
    cosine = fmuladd(fmuladd(z, 2.4432354621239938e-05, -0.0013887309469282627), z, 0.04166664555668831)
    cosine = fmuladd(cosine * z, z, fmuladd(z, -0.5, 1.0))
    value = select((turns & 1) != 0, cosine, sine)
    return bitcast(bitcast(value, i32) ^ i32((turns & 2) << 30), f32)


def circle_f64(r: f64, turns: i64) -> f64:
    """sin(r + turns * pi/2) for |r| <= pi/4."""
    z = r * r
    sine = fmuladd(z, 1.5895853124867355e-10, -2.505074089184495e-08)
    sine = fmuladd(sine, z, 2.7557313574210667e-06)
    sine = fmuladd(sine, z, -0.00019841269829439515)
    sine = fmuladd(sine, z, 0.008333333333321903)
    sine = fmuladd(sine, z, -0.1666666666666663)
    sine = fmuladd(sine * z, r, r)
    cosine = fmuladd(z, -1.1359901263674612e-11, 2.087572876637113e-09)
    cosine = fmuladd(cosine, z, -2.7557314398220235e-07)
    cosine = fmuladd(cosine, z, 2.4801587289665364e-05)
    cosine = fmuladd(cosine, z, -0.001388888888887447)
    cosine = fmuladd(cosine, z, 0.0416666666666666)
    cosine = fmuladd(cosine * z, z, fmuladd(z, -0.5, 1.0))
    value = select((turns & 1) != 0, cosine, sine)
    return bitcast(bitcast(value, i64) ^ i64((turns & 2) << 62), f64)


def sin_f32(x: f32) -> f32:
    """Sine, 1.6 ULP; the reduction is done in f64."""
    wide = f64(x)
    shifted = quarter_turns(wide)
    r = f32(quarter_rest(wide, shifted - SHIFT64))
    y = select(x == 0.0, x, circle_f32(r, i32(bitcast(shifted, i64))))
    if fabs(x) > REDUCIBLE:
        y = f32(libm.sin(wide))
    return y


def sin_f64(x: f64) -> f64:
    """Sine, 2.4 ULP."""
    shifted = quarter_turns(x)
    y = select(x == 0.0, x, circle_f64(quarter_rest(x, shifted - SHIFT64), bitcast(shifted, i64)))
    if fabs(x) > REDUCIBLE:
        y = libm.sin(x)
    return y


sin = ByType({dtypes.float32: sin_f32, dtypes.float64: sin_f64}, numpy_function(lambda: np.sin))


def cos_f32(x: f32) -> f32:
    """Cosine, 1.6 ULP; the reduction is done in f64."""
    wide = f64(x)
    shifted = quarter_turns(wide)
    r = f32(quarter_rest(wide, shifted - SHIFT64))
    y = circle_f32(r, i32(bitcast(shifted, i64)) + 1)
    if fabs(x) > REDUCIBLE:
        y = f32(libm.cos(wide))
    return y


def cos_f64(x: f64) -> f64:
    """Cosine, 2.4 ULP."""
    shifted = quarter_turns(x)
    y = circle_f64(quarter_rest(x, shifted - SHIFT64), bitcast(shifted, i64) + 1)
    if fabs(x) > REDUCIBLE:
        y = libm.cos(x)
    return y


cos = ByType({dtypes.float32: cos_f32, dtypes.float64: cos_f64}, numpy_function(lambda: np.cos))


# ---- the error function


def erf_f32(x: f32) -> f32:
    """Error function, 1.3 ULP: an odd polynomial below 0.92, 1 - exp(polynomial) above."""
    a = fabs(x)
    z = x * x
    q = fmuladd(z, -0.0005994542734697461, 0.004994043614715338)
    q = fmuladd(q, z, -0.026767350733280182)
    q = fmuladd(q, z, 0.11281843483448029)
    q = fmuladd(q, z, -0.3761249780654907)
    q = fmuladd(q, z, 0.12837915122509003)
    small = fmuladd(q, a, a)
    t = select(a < 3.95, a, 3.95)
    g = fmuladd(t, 0.00019559259817469865, -0.0030399237293750048)
    g = fmuladd(g, t, 0.022214066237211227)
    g = fmuladd(g, t, -0.10390538722276688)
    g = fmuladd(g, t, -0.6372116804122925)
    g = fmuladd(g, t, -1.1276583671569824)
    g = fmuladd(g, t, -0.00019980706565547734)
    shifted = fmuladd(g, LOG2_E, SHIFT32)
    p = exp_fraction_f32(g, shifted - SHIFT32)
    s = power_of_two_f32(bitcast(shifted, i32) - SHIFT32_BITS)
    y = select(a < 0.921875, small, 1.0 - fmuladd(p, s, s))
    return select(x == x, copysign(y, x), x)


def erf_f64(x: f64) -> f64:
    """Error function, 0.9 ULP: fdlibm's rational functions on four ranges of |x|, parted at 0.84375, 1.25, 1/0.35."""
    a = fabs(x)
    z = a * a
    n0 = fmuladd(z, -2.37630166566501626084e-05, -5.77027029648944159157e-03)
    n0 = fmuladd(n0, z, -2.84817495755985104766e-02)
    n0 = fmuladd(n0, z, -3.25042107247001499370e-01)
    n0 = fmuladd(n0, z, 1.28379167095512558561e-01)
    d0 = fmuladd(z, -3.96022827877536812320e-06, 1.32494738004321644526e-04)
    d0 = fmuladd(d0, z, 5.08130628187576562776e-03)
    d0 = fmuladd(d0, z, 6.50222499887672944485e-02)
    d0 = fmuladd(d0, z, 3.97917223959155352819e-01)
    d0 = fmuladd(d0, z, 1.0)
    t = a - 1.0
    n1 = fmuladd(t, -2.16637559486879084300e-03, 3.54783043256182359371e-02)
    n1 = fmuladd(n1, t, -1.10894694282396677476e-01)
    n1 = fmuladd(n1, t, 3.18346619901161753674e-01)
    n1 = fmuladd(n1, t, -3.72207876035701323847e-01)
    n1 = fmuladd(n1, t, 4.14856118683748331666e-01)
    n1 = fmuladd(n1, t, -2.36211856075265944077e-03)
    d1 = fmuladd(t, 1.19844998467991074170e-02, 1.36370839120290507362e-02)
    d1 = fmuladd(d1, t, 1.26171219808761642112e-01)
    d1 = fmuladd(d1, t, 7.18286544141962662868e-02)
    d1 = fmuladd(d1, t, 5.40397917702171048937e-01)
    d1 = fmuladd(d1, t, 1.06420880400844228286e-01)
    d1 = fmuladd(d1, t, 1.0)
    far = select(a < 6.0, a, 6.0)
    far = select(far > 1.0, far, 1.0)
    square = far * far
    u = 1.0 / square
    n2 = fmuladd(u, -9.81432934416914548592e00, -8.12874355063065934246e01)
    n2 = fmuladd(n2, u, -1.84605092906711035994e02)
    n2 = fmuladd(n2, u, -1.62396669462573470355e02)
    n2 = fmuladd(n2, u, -6.23753324503260060396e01)
    n2 = fmuladd(n2, u, -1.05586262253232909814e01)
    n2 = fmuladd(n2, u, -6.93858572707181764372e-01)
    n2 = fmuladd(n2, u, -9.86494403484714822705e-03)
    d2 = fmuladd(u, -6.04244152148580987438e-02, 6.57024977031928170135e00)
    d2 = fmuladd(d2, u, 1.08635005541779435134e02)
    d2 = fmuladd(d2, u, 4.29008140027567833386e02)
    d2 = fmuladd(d2, u, 6.45387271733267880336e02)
    d2 = fmuladd(d2, u, 4.34565877475229228821e02)
    d2 = fmuladd(d2, u, 1.37657754143519042600e02)
    d2 = fmuladd(d2, u, 1.96512716674392571292e01)
    d2 = fmuladd(d2, u, 1.0)
    n3 = fmuladd(u, -4.83519191608651397019e02, -1.02509513161107724954e03)
    n3 = fmuladd(n3, u, -6.37566443368389627722e02)
    n3 = fmuladd(n3, u, -1.60636384855821916062e02)
    n3 = fmuladd(n3, u, -1.77579549177547519889e01)
    n3 = fmuladd(n3, u, -7.99283237680523006574e-01)
    n3 = fmuladd(n3, u, -9.86494292470009928597e-03)
    d3 = fmuladd(u, -2.24409524465858183362e01, 4.74528541206955367215e02)
    d3 = fmuladd(d3, u, 2.55305040643316442583e03)
    d3 = fmuladd(d3, u, 3.19985821950859553908e03)
    d3 = fmuladd(d3, u, 1.53672958608443695994e03)
    d3 = fmuladd(d3, u, 3.25792512996573918826e02)
    d3 = fmuladd(d3, u, 3.03380607434824582924e01)
    d3 = fmuladd(d3, u, 1.0)
    near, middle = a < 0.84375, a < 1.25
    closer = a < 2.857142857142857
    n = select(near, n0, select(middle, n1, select(closer, n2, n3)))
    d = select(near, d0, select(middle, d1, select(closer, d2, d3)))
    ratio = n / d
    tail = 1.0 - exp_f64(-square - 0.5625 + select(middle, f64(0.0), ratio)) / far
    y = select(near, fmuladd(ratio, a, a), select(middle, 8.45062911510467529297e-01 + ratio, tail))
    return select(x == x, copysign(y, x), x)


erf = ByType({dtypes.float32: erf_f32, dtypes.float64: erf_f64}, libm.erf)


# ---- powers


def pow_specials(x: T, y: T, value: T) -> T:
    """x**y from `value` = |x|**y of regular arguments: signs, zeros, infinities and NaN as C's `pow`."""
    a = fabs(x)
    half = y * 0.5
    whole = trunc(y) == y
    odd = whole & (trunc(half) != half)
    negative = y < 0.0
    value = select(a == 1.0, 1.0, value)
    value = select(a == 0.0, select(negative, T(INFINITY), T(0.0)), value)
    value = select(a == INFINITY, select(negative, T(0.0), T(INFINITY)), value)
    value = select(odd, copysign(value, x), value)
    value = select((x < 0.0) & (a < INFINITY) & (whole == False), NAN, value)  # noqa: E712
    value = select((x != x) | (y != y), NAN, value)
    return select((x == 1.0) | (y == 0.0), 1.0, value)


def pow_f32(x: f32, y: f32) -> f32:
    """x**y, 0.6 ULP, through f64; special cases as C's `pow`."""
    t = log2_wide(f64(fabs(x))) * f64(y)
    t = select(t > 129.0, 129.0, t)
    t = select(t < -151.0, -151.0, t)
    shifted = t + SHIFT64
    r = t - (shifted - SHIFT64)
    r2 = r * r
    low = fmuladd(r, 0.2402264796175697, 0.6931472032172179)
    middle = fmuladd(r, 0.009618433232727593, 0.05550331920792731)
    high = fmuladd(r, 0.0001535387799154658, 0.0013399037634101536)
    q = fmuladd(fmuladd(high, r2, middle), r2, low)
    scaled = bitcast(bitcast(fmuladd(q, r, 1.0), i64) + (bitcast(shifted, i64) << 52), f64)
    return pow_specials(x, y, f32(scaled))


def upper_half(x: f64) -> f64:
    """x with the lower 32 bits of its representation cleared."""
    return bitcast(bitcast(x, i64) & HIGH_HALF, f64)


def pow_f64(x: f64, y: f64) -> f64:
    """x**y, 0.9 ULP; special cases as C's `pow`.

    As in fdlibm: log2 |x| and y * log2 |x| are sums of two numbers, the first with so few bits that products are exact.
    """
    a = fabs(x)
    tiny = a < 2.2250738585072014e-308
    bits = bitcast(select(tiny, a * 9007199254740992.0, a), i64)
    # |x| = m * 2**n with m near 1 or near 1.5 (`upper`): from sqrt(3)/2 to sqrt(3).
    exponent = (bits - 0x3FEBB67AE8584CAA) >> 52
    m = bitcast(bits - (exponent << 52), f64)
    n = from_integer_f64(exponent) - select(tiny, f64(53.0), f64(0.0))
    upper = m >= 1.224744871391589
    base = select(upper, f64(1.5), f64(1.0))
    u = m - base
    v = 1.0 / (m + base)
    s = u * v
    s_high = upper_half(s)
    t_high = upper_half(m + base)
    t_low = m - (t_high - base)
    s_low = v * ((u - s_high * t_high) - s_high * t_low)
    z = s * s
    r = fmuladd(z, 2.06975017800338417784e-01, 2.30660745775561754067e-01)
    r = fmuladd(r, z, 2.72728123808534006489e-01)
    r = fmuladd(r, z, 3.33333329818377432918e-01)
    r = fmuladd(r, z, 4.28571428578550184252e-01)
    r = fmuladd(r, z, 5.99999999999994648725e-01)
    r = z * z * r + s_low * (s_high + s)
    z = s_high * s_high
    t_high = upper_half(3.0 + z + r)
    t_low = r - ((t_high - 3.0) - z)
    u = s_high * t_high
    v = s_low * t_high + t_low * s
    p_high = upper_half(u + v)
    p_low = v - (p_high - u)
    # times 2 / (3 ln 2), plus the logarithm of base
    z_high = 9.61796700954437255859e-01 * p_high
    z_low = (
        -7.02846165095275826516e-09 * p_high
        + p_low * 9.61796693925975554329e-01
        + select(upper, f64(1.35003920212974897128e-08), f64(0.0))
    )
    base_log = select(upper, f64(5.84962487220764160156e-01), f64(0.0))
    log_high = upper_half(((z_high + z_low) + base_log) + n)
    log_low = z_low - (((log_high - n) - base_log) - z_high)
    # times y: beyond 2**70 it does not matter how large y is
    power = select(y > 1.1805916207174113e21, 1.1805916207174113e21, y)
    power = select(power < -1.1805916207174113e21, -1.1805916207174113e21, power)
    y_high = upper_half(power)
    p_low = (power - y_high) * log_high + power * log_low
    p_high = y_high * log_high
    total = p_low + p_high
    extreme = fabs(total) > 1100.0
    p_high = select(extreme, copysign(f64(1100.0), total), p_high)
    p_low = select(extreme, f64(0.0), p_low)
    # two to the power of p_high + p_low
    shifted = (p_low + p_high) + SHIFT64
    p_high = p_high - (shifted - SHIFT64)
    t = upper_half(p_low + p_high)
    u = t * 6.93147182464599609375e-01
    v = (p_low - (t - p_high)) * 6.93147180559945286227e-01 + t * -1.90465429995776804525e-09
    z = u + v
    w = v - (z - u)
    t = z * z
    r = fmuladd(t, 4.13813679705723846039e-08, -1.65339022054652515390e-06)
    r = fmuladd(r, t, 6.61375632143793436117e-05)
    r = fmuladd(r, t, -2.77777777770155933842e-03)
    r = fmuladd(r, t, 1.66666666666666019037e-01)
    t = z - t * r
    r = (z * t) / (t - 2.0) - (w + z * w)
    value = 1.0 - (r - z)
    k = bitcast(shifted, i64) - SHIFT64_BITS
    half_k = k >> 1
    value = value * power_of_two_f64(half_k) * power_of_two_f64(k - half_k)
    return pow_specials(x, y, value)


pow = ByType({dtypes.float32: pow_f32, dtypes.float64: pow_f64}, numpy_function(lambda: np.power))


# ---- roots and quotients


def rsqrt(x: T) -> T:
    """1 / sqrt(x), 1.5 ULP: two correctly rounded steps."""
    return 1.0 / sqrt(x)


def reciprocal(x: T) -> T:
    """1 / x, correctly rounded."""
    return 1.0 / x


MATH: dict[str, Callable[..., Any]] = {
    "exp": exp,
    "expm1": expm1,
    "tanh": tanh,
    "sigmoid": sigmoid,
    "log": log,
    "log1p": log1p,
    "log2": log2,
    "log10": log10,
    "sin": sin,
    "cos": cos,
    "erf": erf,
    "pow": pow,
    "rsqrt": rsqrt,
    "reciprocal": reciprocal,
}
"""Every function by PyTorch's name; each takes values of one float type. (`sqrt` is a leaf intrinsic.)"""
