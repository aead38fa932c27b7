# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor, return_types
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

def airy_ai(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Airy's function Ai."""
def bessel_j0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the first kind of order 0."""
def bessel_j1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the first kind of order 1."""
def bessel_y0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the second kind of order 0; NaN below 0."""
def bessel_y1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Bessel function of the second kind of order 1; NaN below 0."""
def chebyshev_polynomial_t(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the first kind: ``cos(n * acos(x))`` from -1 to 1."""
def chebyshev_polynomial_u(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the second kind: see `chebyshev_polynomial_t`."""
def chebyshev_polynomial_v(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the third kind: see `chebyshev_polynomial_t`."""
def chebyshev_polynomial_w(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Chebyshev's polynomials of the fourth kind: see `chebyshev_polynomial_t`."""
def digamma(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Derivative of `lgamma`."""
def entr(input: Tensor) -> Tensor: """``-x * log(x)``, 0 at 0, minus infinity below."""
def erf(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The error function."""
def erfc(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 - erf(x)``."""
def erfcx(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x * x) * erfc(x)``."""
def erfinv(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The inverse of `erf`."""
def expit(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 / (1 + exp(-x))``."""
def expm1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x) - 1``, exact near 0."""
def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The regularised lower incomplete gamma function."""
def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """The regularised upper incomplete gamma function: 1 less the lower one; see `igamma`."""
def gammaln(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Logarithm of the gamma function."""
def hermite_polynomial_h(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Hermite's polynomials as physicists have them: ``4 * x * x - 2`` for ``n = 2``."""
def hermite_polynomial_he(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Hermite's polynomials as probability has them: ``x * x - 1`` for ``n = 2``."""
def i0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 0."""
def i0e(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(-abs(x)) * i0(x)``."""
def i1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 1."""
def i1e(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(-abs(x)) * i1(x)``."""
def laguerre_polynomial_l(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Laguerre's polynomials: ``x * x / 2 - 2 * x + 1`` for ``n = 2``. Arguments as in `chebyshev_polynomial_t`."""
def legendre_polynomial_p(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """Legendre's polynomials: ``(3 * x * x - 1) / 2`` for ``n = 2``. Arguments as in `chebyshev_polynomial_t`."""
def log1p(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``log(1 + x)``, exact near 0."""
def log_ndtr(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Its logarithm."""
def log_softmax(input: Tensor, dim: builtins.int) -> Tensor: """Logarithm of the softmax."""
def logit(input: Tensor, eps: builtins.float | None = ...) -> Tensor: """``log(x / (1 - x))``; `eps`: of what is clamped to ``[eps, 1 - eps]``."""
def logsumexp(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Logarithm of the sum of ``exp(x)`` along dimensions."""
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 0."""
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of order 1."""
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of the second kind of order 0; NaN below 0."""
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Modified Bessel function of the second kind of order 1; NaN below 0."""
def multigammaln(input: Tensor, p: builtins.int) -> Tensor: """The logarithm of the multivariate gamma function of dimension `p`."""
def ndtr(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The normal distribution."""
def ndtri(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Its inverse."""
def polygamma(n: builtins.int, input: Tensor) -> Tensor: """The derivative of order `n` of the digamma function."""
def psi(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Derivative of `lgamma`."""
@overload
def round(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Rounded to the nearest integer, halves to even."""
@overload
def round(input: Tensor, *, decimals: builtins.int, out: Tensor | None = ...) -> Tensor: ...
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x) * modified_bessel_k0(x)``."""
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x) * modified_bessel_k1(x)``."""
def shifted_chebyshev_polynomial_t(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_t` at ``2 * x - 1``: orthogonal from 0 to 1."""
def shifted_chebyshev_polynomial_u(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_u` at ``2 * x - 1``."""
def shifted_chebyshev_polynomial_v(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_v` at ``2 * x - 1``."""
def shifted_chebyshev_polynomial_w(x: Tensor, n: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """`chebyshev_polynomial_w` at ``2 * x - 1``."""
def sinc(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``sin(pi * x) / (pi * x)``, 1 at 0."""
def softmax(input: Tensor, dim: builtins.int) -> Tensor: """``exp(x)`` along a dimension, scaled to the sum 1."""
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``sin(x) / x``, 1 at 0: the spherical Bessel function of order 0."""
def xlog1py(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``x * log(1 + y)``, 0 where x is."""
def xlogy(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = ...) -> Tensor: """``x * log(y)``, 0 where x is."""
def zeta(input: Tensor, other: Tensor) -> Tensor: """Hurwitz' zeta function: the sum of ``(k + other) ** -x`` over k from 0, by the formula of Euler and Maclaurin."""
