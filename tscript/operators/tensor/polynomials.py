"""Orthogonal polynomials: by their recurrences, in float64.

Recurrences and first values: Digital Library of Mathematical Functions, https://dlmf.nist.gov/18.9, with ``P(-1) = 0``.
"""

# mypy: disable-error-code="no-untyped-def,operator"

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import (
    NUMBERS_AS_TENSORS,
    Arg,
    Effects,
    OpDef,
    OperatorNotImplementedError,
    OperatorTypeError,
)
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import tensor_of
from tscript.dialect import Ptr, TensorImpl, f64, i64, pointer_cast
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.tensor import begin_work
from tscript.types import NONE, Type, dtypes

CHEBYSHEV_T, CHEBYSHEV_U, CHEBYSHEV_V, CHEBYSHEV_W, HERMITE_H, HERMITE_HE, LAGUERRE_L, LEGENDRE_P = range(8)

# ---- of many elements


def first_value(x: f64, family: i64) -> f64:
    """The polynomial of degree 1."""
    if family == CHEBYSHEV_U or family == HERMITE_H:  # noqa: SIM109 - the dialect has no `in`
        return x + x
    if family == CHEBYSHEV_V:
        return x + x - 1.0
    if family == CHEBYSHEV_W:
        return x + x + 1.0
    if family == LAGUERRE_L:
        return 1.0 - x
    return x


def next_value(x: f64, k: f64, now: f64, before: f64, family: i64) -> f64:
    """That of degree ``k + 1``, of those of degree `k` and ``k - 1``."""
    if family == HERMITE_H:
        return 2.0 * (x * now - k * before)
    if family == HERMITE_HE:
        return x * now - k * before
    if family == LAGUERRE_L:
        return ((2.0 * k + 1.0 - x) * now - k * before) / (k + 1.0)
    if family == LEGENDRE_P:
        return ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0)
    return 2.0 * x * now - before


def polynomial_value(x: f64, degree: f64, family: i64) -> f64:
    """The polynomial of a degree; 0 where that is negative or NaN, NaN where it is infinite."""
    if not (degree > -1.0):
        return 0.0
    if degree - degree != 0.0:
        return degree - degree
    before, now = 1.0, first_value(x, family)
    if degree < 1.0:
        return before
    k = 1.0
    while k + 1.0 <= degree and now == now:
        found = next_value(x, k, now, before, family)
        before = now
        now = found
        k = k + 1.0
    return now


def polynomial_values(x: Ptr[TensorImpl], degree: Ptr[TensorImpl], family: i64) -> None:
    """The values in place of the arguments; both tensors are contiguous.

    Raises RuntimeError when one is no tensor of float64, or they have different sizes.
    """
    if x.dtype != codes.FLOAT64 or degree.dtype != codes.FLOAT64 or x.numel != degree.numel:
        raise RuntimeError("polynomials take as many degrees as numbers, both as float64")
    to = pointer_cast(x.data, f64)
    degrees = pointer_cast(degree.data, f64)
    begin_work(x.numel * 16)
    for i in range(x.numel):
        to[i] = polynomial_value(to[i], degrees[i], family)


def _values(x: Array, degree: Array, family: int) -> None:
    """The same on arrays."""
    if x.dtype != np.float64 or degree.dtype != np.float64 or x.size != degree.size:
        raise RuntimeError("polynomials take as many degrees as numbers, both as float64")
    degree = degree.reshape(x.shape)
    endless = degree == np.inf
    whole = np.where((degree > -1) & ~endless, np.floor(degree), -1)
    with np.errstate(all="ignore"):
        before, now = np.ones_like(x), np.zeros_like(x)
        now[...] = _FIRST[family](x)
        found = np.where(whole < 0, 0.0, np.where(whole == 0, 1.0, now))
        for k in range(1, int(whole.max(initial=0))):
            before, now = now, _NEXT[family](x, float(k), now, before)
            found = np.where(whole == k + 1, now, found)
    x[...] = np.where(endless, np.nan, found)


def _rule(args: Sequence[Arg]) -> Type:
    for dtype in (tensor_of(a).dtype for a in args[:2]):
        if dtype is not None and dtype.is_complex:
            raise OperatorNotImplementedError(f"orthogonal polynomials are not implemented for '{torch_name(dtype)}'")
    if any(tensor_of(a).dtype not in (None, dtypes.float64) for a in args[:2]):
        raise OperatorTypeError("polynomials are of float64")
    return NONE


_FIRST: dict[int, Callable[[Array], Array]] = {
    CHEBYSHEV_T: lambda x: x,
    CHEBYSHEV_U: lambda x: x + x,
    CHEBYSHEV_V: lambda x: x + x - 1.0,
    CHEBYSHEV_W: lambda x: x + x + 1.0,
    HERMITE_H: lambda x: x + x,
    HERMITE_HE: lambda x: x,
    LAGUERRE_L: lambda x: 1.0 - x,
    LEGENDRE_P: lambda x: x,
}


def _chebyshev(x: Array, k: float, now: Array, before: Array) -> Array:
    return 2.0 * x * now - before


_NEXT: dict[int, Callable[[Array, float, Array, Array], Array]] = {
    **dict.fromkeys((CHEBYSHEV_T, CHEBYSHEV_U, CHEBYSHEV_V, CHEBYSHEV_W), _chebyshev),
    HERMITE_H: lambda x, k, now, before: 2.0 * (x * now - k * before),
    HERMITE_HE: lambda x, k, now, before: x * now - k * before,
    LAGUERRE_L: lambda x, k, now, before: ((2.0 * k + 1.0 - x) * now - k * before) / (k + 1.0),
    LEGENDRE_P: lambda x, k, now, before: ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0),
}

VALUES = kernel(
    "polynomial_values(Tensor(a!) x, Tensor degree, int family) -> None",
    _rule,
    _values,
    polynomial_values,
    "Orthogonal polynomials in place of their arguments.",
    effects=Effects(writes=(0,), raises=True),
    exact=False,
    names="",
)

HIDDEN: tuple[OpDef, ...] = (VALUES,)

# ---- in the language


@generic
def of_family(x, n, family):
    """The polynomials of a family; the argument or the degree may be a number."""
    both = x + n
    wide = torch.zeros(both.shape, dtype=torch.float64)
    found = x + wide
    VALUES(found, n + wide, family)
    return found.to(both.dtype) if both.is_floating_point() else found.to(torch.get_default_dtype())


@generic
def shifted(x, n, family):
    """The polynomials of a family at ``2 * x - 1``."""
    both = x + n
    wide = torch.zeros(both.shape, dtype=torch.float64)
    found = (x + wide) * 2.0 - 1.0
    VALUES(found, n + wide, family)
    return found.to(both.dtype) if both.is_floating_point() else found.to(torch.get_default_dtype())


def chebyshev_polynomial_t(x: Tensor, n: Tensor) -> Tensor:
    """Chebyshev's polynomials of the first kind: ``cos(n * acos(x))`` from -1 to 1.

    Args:
        x: Numbers, or one.
        n: Degrees, or one; they are rounded towards 0. Of a negative degree it is 0, of an
            infinite one NaN.

    Example:
        >>> tscript.special.chebyshev_polynomial_t(tscript.tensor([0.5, 2.0]), 2).tolist()
        [-0.5, 7.0]
    """
    return of_family(x, n, CHEBYSHEV_T)


def chebyshev_polynomial_u(x: Tensor, n: Tensor) -> Tensor:
    """Chebyshev's polynomials of the second kind: see `chebyshev_polynomial_t`.

    Example:
        >>> tscript.special.chebyshev_polynomial_u(tscript.tensor([0.5, 2.0]), 2).tolist()
        [0.0, 15.0]
    """
    return of_family(x, n, CHEBYSHEV_U)


def chebyshev_polynomial_v(x: Tensor, n: Tensor) -> Tensor:
    """Chebyshev's polynomials of the third kind: see `chebyshev_polynomial_t`.

    Example:
        >>> tscript.special.chebyshev_polynomial_v(tscript.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 11.0]
    """
    return of_family(x, n, CHEBYSHEV_V)


def chebyshev_polynomial_w(x: Tensor, n: Tensor) -> Tensor:
    """Chebyshev's polynomials of the fourth kind: see `chebyshev_polynomial_t`.

    Example:
        >>> tscript.special.chebyshev_polynomial_w(tscript.tensor([0.5, 2.0]), 2).tolist()
        [1.0, 19.0]
    """
    return of_family(x, n, CHEBYSHEV_W)


def hermite_polynomial_h(x: Tensor, n: Tensor) -> Tensor:
    """Hermite's polynomials as physicists have them: ``4 * x * x - 2`` for ``n = 2``.

    The arguments are those of `chebyshev_polynomial_t`.

    Example:
        >>> tscript.special.hermite_polynomial_h(tscript.tensor([0.5, 2.0]), 2).tolist()
        [-1.0, 14.0]
    """
    return of_family(x, n, HERMITE_H)


def hermite_polynomial_he(x: Tensor, n: Tensor) -> Tensor:
    """Hermite's polynomials as probability has them: ``x * x - 1`` for ``n = 2``.

    The arguments are those of `chebyshev_polynomial_t`.

    Example:
        >>> tscript.special.hermite_polynomial_he(tscript.tensor([0.5, 2.0]), 2).tolist()
        [-0.75, 3.0]
    """
    return of_family(x, n, HERMITE_HE)


def laguerre_polynomial_l(x: Tensor, n: Tensor) -> Tensor:
    """Laguerre's polynomials: ``x * x / 2 - 2 * x + 1`` for ``n = 2``. Arguments as in `chebyshev_polynomial_t`.

    Example:
        >>> tscript.special.laguerre_polynomial_l(tscript.tensor([0.5, 2.0]), 2).tolist()
        [0.125, -1.0]
    """
    return of_family(x, n, LAGUERRE_L)


def legendre_polynomial_p(x: Tensor, n: Tensor) -> Tensor:
    """Legendre's polynomials: ``(3 * x * x - 1) / 2`` for ``n = 2``. Arguments as in `chebyshev_polynomial_t`.

    Example:
        >>> tscript.special.legendre_polynomial_p(tscript.tensor([0.5, 2.0]), 2).tolist()
        [-0.125, 5.5]
    """
    return of_family(x, n, LEGENDRE_P)


def shifted_chebyshev_polynomial_t(x: Tensor, n: Tensor) -> Tensor:
    """`chebyshev_polynomial_t` at ``2 * x - 1``: orthogonal from 0 to 1.

    Example:
        >>> tscript.special.shifted_chebyshev_polynomial_t(tscript.tensor([0.75]), 2).tolist()
        [-0.5]
    """
    return shifted(x, n, CHEBYSHEV_T)


def shifted_chebyshev_polynomial_u(x: Tensor, n: Tensor) -> Tensor:
    """`chebyshev_polynomial_u` at ``2 * x - 1``."""
    return shifted(x, n, CHEBYSHEV_U)


def shifted_chebyshev_polynomial_v(x: Tensor, n: Tensor) -> Tensor:
    """`chebyshev_polynomial_v` at ``2 * x - 1``."""
    return shifted(x, n, CHEBYSHEV_V)


def shifted_chebyshev_polynomial_w(x: Tensor, n: Tensor) -> Tensor:
    """`chebyshev_polynomial_w` at ``2 * x - 1``."""
    return shifted(x, n, CHEBYSHEV_W)


# ---- operators


def _polynomial(body: Callable[..., Tensor]) -> OpDef:
    """The operator of ``torch.special`` that takes a tensor and a tensor or number, either first."""
    name = body.__name__
    return composite(
        f"{name}(Tensor x, Tensor n) -> Tensor",
        body,
        tags=(NUMBERS_AS_TENSORS,),
        names=f"torch.special.{name} input=x out=cast",
    )


OPERATORS: tuple[OpDef, ...] = (
    _polynomial(chebyshev_polynomial_t),
    _polynomial(chebyshev_polynomial_u),
    _polynomial(chebyshev_polynomial_v),
    _polynomial(chebyshev_polynomial_w),
    _polynomial(hermite_polynomial_h),
    _polynomial(hermite_polynomial_he),
    _polynomial(laguerre_polynomial_l),
    _polynomial(legendre_polynomial_p),
    _polynomial(shifted_chebyshev_polynomial_t),
    _polynomial(shifted_chebyshev_polynomial_u),
    _polynomial(shifted_chebyshev_polynomial_v),
    _polynomial(shifted_chebyshev_polynomial_w),
)
"""All operators of this module."""
