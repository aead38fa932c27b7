"""Special functions, and other pointwise operators of scientific programs."""

# mypy: disable-error-code="no-untyped-def,no-any-return,operator"

from __future__ import annotations

from tscript.definitions.define import composite, pointwise_pair
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import PointwiseRule, promote, promote_float
from tscript.dialect import T, copysign, fabs, select, sqrt
from tscript.dialect import vector_math as vm
from tscript.dialect import vector_special as vs
from tscript.operators.tensor.checks import check_real
from tscript.operators.tensor.pointwise import BINARY, Body, binary, function

# ---- of two


def xlogy(x: T, y: T) -> T:
    return select(y != y, y, select(x == T(0), T(0), x * vm.log(y)))


def xlog1py(x: T, y: T) -> T:
    return select(y != y, y, select(x == T(0), T(0), x * vm.log1p(y)))


def logaddexp2(x: T, y: T) -> T:
    distance = fabs(x - y)
    top = select(x > y, x, y)
    found = top + vm.log1p(vm.exp(-distance * T(0.6931471805599453))) * T(1.4426950408889634)
    return select(x == y, x + T(1), select(x != x, x, select(y != y, y, found)))


def hypot(x: T, y: T) -> T:
    a = fabs(x)
    b = fabs(y)
    top = select(a > b, a, b)
    low = select(a > b, b, a)
    ratio = low / top
    found = top * sqrt(T(1) + ratio * ratio)
    found = select(x != x, x, select(y != y, y, select(top == T(0), T(0), found)))
    return select(a == T(vs.INFINITY), a, select(b == T(vs.INFINITY), b, found))


def _float_pair(name: str, body: Body, doc: str, names: str | None = None) -> tuple[OpDef, ...]:
    schema = f"{name}(Tensor self, Tensor other) -> Tensor"
    return pointwise_pair(schema, PointwiseRule(BINARY, promote_float), body, doc, exact=False, names=names)


def fmax(x: T, y: T) -> T:
    return select(y != y, x, select(x != x, y, select(x < y, y, x)))


def fmin(x: T, y: T) -> T:
    return select(y != y, x, select(x != x, y, select(y < x, y, x)))


def heaviside(x: T, y: T) -> T:
    return select(x == T(0), y, select(x < T(0), T(0), select(x != x, T(0), T(1))))


def sinc(x: T) -> T:
    angle = x * T(3.141592653589793)
    found = select(x == T(0), T(1), vm.sin(angle) / angle)
    # No sine is left where the angle overflows.
    return select(fabs(angle) != T(vs.INFINITY), found, select(fabs(x) == T(vs.INFINITY), x - x, T(0)))


# ---- composites


@generic
def as_float(x):
    """Ints as the default float."""
    return x if x.is_floating_point() else x.to(torch.get_default_dtype())


def logit(self: Tensor, eps: float | None) -> Tensor:
    """``log(x / (1 - x))``; `eps`: of what is clamped to ``[eps, 1 - eps]``."""
    x = as_float(self)
    if eps is not None:
        x = x.clamp(eps, 1 - eps)
    return (x / (1 - x)).log()


def entr(self: Tensor) -> Tensor:
    """``-x * log(x)``, 0 at 0, minus infinity below."""
    x = as_float(self)
    inside = torch.where(x == 0, torch.zeros_like(x), -x * x.log())
    return torch.where(x < 0, torch.full_like(x, -torch.inf), inside)


def nan_to_num(self: Tensor, nan: float | None, posinf: float | None, neginf: float | None) -> Tensor:
    """NaN and infinities as numbers: 0 and the greatest and least finite ones if left out.

    Args:
        input: A tensor.
        nan, posinf, neginf: What they become.

    Example:
        >>> tscript.nan_to_num(tscript.tensor([float("nan"), float("inf")]), posinf=1.0).tolist()
        [0.0, 1.0]
    """
    check_real(self, "nan_to_num")
    if not self.is_floating_point():
        return self.clone()
    greatest = 3.4028234663852886e38
    if self.dtype == torch.float64:
        greatest = 1.7976931348623157e308
    elif self.dtype == torch.float16:
        greatest = 65504.0
    elif self.dtype == torch.bfloat16:
        greatest = 3.3895313892515355e38
    high = greatest if posinf is None else posinf
    low = -greatest if neginf is None else neginf
    found = torch.where(self != self, torch.full_like(self, 0.0 if nan is None else nan), self)
    found = torch.where(self == torch.inf, torch.full_like(self, high), found)
    return torch.where(self == -torch.inf, torch.full_like(self, low), found)


def deg2rad(self: Tensor) -> Tensor:
    """Degrees as radians."""
    return self * (torch.pi / 180)


def rad2deg(self: Tensor) -> Tensor:
    """Radians as degrees."""
    return self * (180 / torch.pi)


def signbit(self: Tensor) -> Tensor:
    """Whether the sign is set, of -0.0 too."""
    if self.is_floating_point():
        return (self < 0) | ((self == 0) & (self.reciprocal() < 0))
    return self < 0


def isposinf(self: Tensor) -> Tensor:
    """Whether an element is infinity."""
    if self.is_floating_point():
        return self == torch.inf
    return torch.zeros_like(self, dtype=torch.bool)


def isneginf(self: Tensor) -> Tensor:
    """Whether an element is minus infinity."""
    if self.is_floating_point():
        return self == -torch.inf
    return torch.zeros_like(self, dtype=torch.bool)


def float_power(self: Tensor, exponent: Tensor) -> Tensor:
    """``x ** exponent`` in float64."""
    check_real(self, "float_power")
    return self.to(torch.float64).pow(exponent.to(torch.float64))


def float_power_number(self: Tensor, exponent: float) -> Tensor:
    """``x ** exponent`` in float64."""
    check_real(self, "float_power")
    return self.to(torch.float64).pow(exponent)


def gcd(self: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor.

    Args:
        input, other: Ints.

    Raises:
        NotImplementedError: There are no ints.

    Example:
        >>> tscript.gcd(tscript.tensor([12, 0]), tscript.tensor([18, 5])).tolist()
        [6, 5]
    """
    a, b = (self + other * 0).abs(), (other + self * 0).abs()
    if a.is_floating_point():
        raise NotImplementedError('"gcd_cpu" not implemented for floats')
    while bool((b != 0).any()):
        ended = b == 0
        rest = torch.where(ended, 0, a.remainder(torch.where(ended, 1, b)))
        a, b = torch.where(ended, a, b), rest
    return a


def lcm(self: Tensor, other: Tensor) -> Tensor:
    """The least common multiple of ints.

    Example:
        >>> tscript.lcm(tscript.tensor([4, 0]), tscript.tensor([6, 5])).tolist()
        [12, 0]
    """
    common = gcd(self, other)
    return torch.where(common == 0, 0, (self // torch.where(common == 0, 1, common)) * other).abs()


def zeta(self: Tensor, other: Tensor) -> Tensor:
    """Hurwitz' zeta function: the sum of ``(k + other) ** -x`` over k from 0, by the formula of Euler and Maclaurin.

    Args:
        input: Exponents above 1; it is infinite at 1, and NaN below.
        other: Numbers. It is infinite for ints that are not positive, and NaN for other negative numbers unless the
            exponent is whole.

    Example:
        >>> round(tscript.special.zeta(tscript.tensor(2.0), tscript.tensor(1.0)).item(), 5)
        1.64493
    """
    result = as_float(self) + as_float(other)
    s, q = self.to(torch.float64), other.to(torch.float64)
    found = zeta_positive(s, torch.where(q > 0, q, 1.0))
    if bool((q <= 0).any()):
        # the terms of negative numbers are those of positive ones, with the sign of the power
        part = torch.where(q < 0, q - q.floor(), 0.5)
        sign = 1.0 - 2.0 * s.remainder(2.0)
        before = zeta_positive(s, 1.0 - part) - zeta_positive(s, 1.0 - torch.where(q < 0, q, 0.0))
        left = zeta_positive(s, part) + sign * before
        left = torch.where(s == s.floor(), left, torch.full_like(left, torch.nan))
        left = torch.where(q == q.floor(), torch.full_like(left, torch.inf), left)
        found = torch.where(q <= 0, left, found)
    found = torch.where(s == 1, torch.full_like(found, torch.inf), found)
    return torch.where(s < 1, torch.full_like(found, torch.nan), found).to(result.dtype)


def zeta_positive(s: Tensor, q: Tensor) -> Tensor:
    """`zeta` of positive numbers and exponents above 1."""
    total = q.pow(-s)
    for k in range(1, 10):
        total = total + (q + k).pow(-s)
    a = q + 10
    last = a.pow(-s)
    total = total + last * a / (s - 1) + last * 0.5
    factor = s * last / a
    square = a * a
    total = total + factor / 12
    factor = factor * (s + 1) * (s + 2) / square
    total = total - factor / 720
    factor = factor * (s + 3) * (s + 4) / square
    total = total + factor / 30240
    factor = factor * (s + 5) * (s + 6) / square
    total = total - factor / 1209600
    factor = factor * (s + 7) * (s + 8) / square
    return total + factor / 47900160


def polygamma(n: int, self: Tensor) -> Tensor:
    """The derivative of order `n` of the digamma function.

    Args:
        n: From 0.
        input: Positive numbers, unless `n` is 0.

    Raises:
        RuntimeError: `n` is negative.

    Example:
        >>> round(tscript.polygamma(1, tscript.tensor(1.0)).item(), 5)
        1.64493
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return self.digamma()
    factor = -1.0
    for k in range(1, n + 1):
        factor = factor * -k
    x = as_float(self)
    order = torch.full_like(x, n + 1)
    return torch.special.zeta(order, x) * factor


def polygamma_of(self: Tensor, n: int) -> Tensor:
    return torch.polygamma(n, self)


def mvlgamma(self: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    x = as_float(self)
    total = torch.full_like(x, p * (p - 1) * 0.28618247146235004)
    for k in range(p):
        total = total + (x - k * 0.5).lgamma()
    return total


OPERATORS: tuple[OpDef, ...] = (
    *function("erfc", vs.erfc, "``1 - erf(x)``.", names="erfc torch.special.erfc"),
    *function("erfcx", vs.erfcx, "``exp(x * x) * erfc(x)``.", names="torch.special.erfcx")[:1],
    *function("erfinv", vs.erfinv, "The inverse of `erf`.", names="erfinv torch.special.erfinv"),
    *function("ndtr", vs.ndtr, "The normal distribution.", names="torch.special.ndtr")[:1],
    *function("ndtri", vs.ndtri, "Its inverse.", names="torch.special.ndtri")[:1],
    *function("log_ndtr", vs.log_ndtr, "Its logarithm.", names="torch.special.log_ndtr")[:1],
    *function("lgamma", vs.lgamma, "Logarithm of the gamma function.", names="lgamma torch.special.gammaln"),
    *function(
        "digamma", vs.digamma, "Derivative of `lgamma`.", names="digamma torch.special.digamma torch.special.psi"
    ),
    *function(
        "i0",
        vs.i0,
        "Modified Bessel function of order 0.",
        names="i0 torch.special.i0 torch.special.modified_bessel_i0",
    ),
    *function("i0e", vs.i0e, "``exp(-abs(x)) * i0(x)``.", names="torch.special.i0e")[:1],
    *function(
        "i1",
        vs.i1,
        "Modified Bessel function of order 1.",
        names="torch.special.i1 torch.special.modified_bessel_i1",
    )[:1],
    *function("i1e", vs.i1e, "``exp(-abs(x)) * i1(x)``.", names="torch.special.i1e")[:1],
    *_float_pair("xlogy", xlogy, "``x * log(y)``, 0 where x is.", "xlogy torch.special.xlogy"),
    *_float_pair("xlog1py", xlog1py, "``x * log(1 + y)``, 0 where x is.", "torch.special.xlog1py")[:1],
    *_float_pair("logaddexp", vs.logaddexp, "``log(exp(x) + exp(y))``.")[:1],
    *_float_pair("logaddexp2", logaddexp2, "``log2(2 ** x + 2 ** y)``.")[:1],
    *_float_pair("hypot", hypot, "``sqrt(x * x + y * y)``."),
    *_float_pair("copysign", copysign, "The first number with the sign of the second."),
    *binary("fmax", promote, fmax, "The greater of two, where one is NaN the other.")[:1],
    *binary("fmin", promote, fmin, "The lesser of two, where one is NaN the other.")[:1],
    *pointwise_pair(
        "heaviside(Tensor self, Tensor values) -> Tensor",
        PointwiseRule(BINARY, promote),
        heaviside,
        "0 below 0, 1 above, at 0 the second number.",
    ),
    composite("logit(Tensor self, float? eps=None) -> Tensor", logit, names="logit torch.special.logit out=no"),
    *function("sinc", sinc, "``sin(pi * x) / (pi * x)``, 1 at 0.", names="sinc torch.special.sinc"),
    composite("entr(Tensor self) -> Tensor", entr, names="torch.special.entr out=no"),
    composite(
        "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
        nan_to_num,
        names="nan_to_num out=no",
    ),
    composite("deg2rad(Tensor self) -> Tensor", deg2rad, names="deg2rad out=no"),
    composite("rad2deg(Tensor self) -> Tensor", rad2deg, names="rad2deg out=no"),
    composite("signbit(Tensor self) -> Tensor", signbit, names="signbit out=no"),
    composite("isposinf(Tensor self) -> Tensor", isposinf, names="isposinf out=no"),
    composite("isneginf(Tensor self) -> Tensor", isneginf, names="isneginf out=no"),
    composite("float_power(Tensor self, Tensor exponent) -> Tensor", float_power, names="float_power out=no"),
    composite(
        "float_power.Scalar(Tensor self, Scalar exponent) -> Tensor", float_power_number, names="float_power out=no"
    ),
    composite("gcd(Tensor self, Tensor other) -> Tensor", gcd, names="gcd out=no"),
    composite("lcm(Tensor self, Tensor other) -> Tensor", lcm, names="lcm out=no"),
    composite("zeta(Tensor self, Tensor other) -> Tensor", zeta, names="torch.special.zeta out=no"),
    composite(
        "polygamma(int n, Tensor self) -> Tensor", polygamma, names="torch.polygamma torch.special.polygamma out=no"
    ),
    composite(
        "polygamma_of(Tensor self, int n) -> Tensor",
        polygamma_of,
        "The derivative of order `n` of the digamma function.",
        names="Tensor.polygamma out=no",
    ),
    composite("mvlgamma(Tensor self, int p) -> Tensor", mvlgamma, names="mvlgamma torch.special.multigammaln out=no"),
)
"""All operators of this module."""
