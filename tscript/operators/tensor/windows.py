"""`tscript.signal.windows`: windows by SciPy's names and formulas, which are those of ``torch.signal.windows``."""

# mypy: disable-error-code="no-untyped-def,operator"

from __future__ import annotations

import math
from collections.abc import Callable

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import FACTORY, OpDef
from tscript.types import DType

PI = math.pi

# ---- positions


@generic
def check_length(M, dtype, name):
    """Refuse what has no window."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if dtype is not None and dtype != torch.float32 and dtype != torch.float64:
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")


@generic
def in_dtype(window, dtype):
    """A window in the dtype that is asked for."""
    return window.to(torch.get_default_dtype()) if dtype is None else window.to(dtype)


def steps(M: int, sym: bool) -> Tensor:
    """From 0 to 1 in as many steps as a window has: one less than elements if it is symmetric."""
    return torch.arange(M).to(torch.float64) / max(1, M - 1 if sym else M)


def from_middle(M: int, sym: bool) -> Tensor:
    """Distances from the middle, in elements, with sign."""
    return torch.arange(M).to(torch.float64) - (M - 1 if sym else M) / 2.0


def cosines(M: int, sym: bool, a0: float, a1: float, a2: float, a3: float) -> Tensor:
    """Sums of cosines with alternating signs."""
    angle = 2 * PI * steps(M, sym)
    found = a0 - a1 * torch.cos(angle) + a2 * torch.cos(2 * angle) - a3 * torch.cos(3 * angle)
    return torch.ones_like(found) if M == 1 else found


# ---- windows


def bartlett(M: int, sym: bool, dtype: DType | None) -> Tensor:
    """Bartlett's window, a triangle.

    Args:
        M: How many elements.
        sym: Whether it is symmetric; else it is the beginning of one that has an element more, as transforms need it.
        dtype: float32, float64 or None for the default dtype.

    Raises:
        ValueError: The length is negative, or it is another dtype.

    Example:
        >>> tscript.signal.windows.bartlett(5).tolist()
        [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    check_length(M, dtype, "bartlett")
    found = 1.0 - torch.abs(2.0 * steps(M, sym) - 1.0)
    return in_dtype(torch.ones_like(found) if M == 1 else found, dtype)


def blackman(M: int, sym: bool, dtype: DType | None) -> Tensor:
    """Blackman's window: ``0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t)`` for t from 0 to 2 pi.

    Args:
        M, sym, dtype: As for `bartlett`.

    Example:
        >>> round(tscript.signal.windows.blackman(5)[1].item(), 4)
        0.34
    """
    check_length(M, dtype, "blackman")
    return in_dtype(cosines(M, sym, 0.42, 0.5, 0.08, 0.0), dtype)


def cosine(M: int, sym: bool, dtype: DType | None) -> Tensor:
    """Half a wave, of which the ends are cut off: ``sin(pi * (k + 0.5) / n)``.

    Args:
        M, sym, dtype: As for `bartlett`.

    Example:
        >>> round(tscript.signal.windows.cosine(3)[1].item(), 4)
        1.0
    """
    check_length(M, dtype, "cosine")
    n = M if sym or M == 1 else M + 1
    return in_dtype(torch.sin((torch.arange(M).to(torch.float64) + 0.5) * PI / max(n, 1)), dtype)


def exponential(M: int, center: float | None, tau: float, sym: bool, dtype: DType | None) -> Tensor:
    """``exp(-abs(k - center) / tau)``.

    Args:
        M, sym, dtype: As for `bartlett`.
        center: Where it is 1; the middle if left out, and only then a window may be symmetric.
        tau: The distance at which it has fallen to 1 / e.

    Raises:
        ValueError: `tau` is not positive, or a symmetric window has a `center`.

    Example:
        >>> round(tscript.signal.windows.exponential(3, tau=1.0)[0].item(), 4)
        0.3679
    """
    check_length(M, dtype, "exponential")
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = (M if not sym and M > 1 else M - 1) / 2.0 if center is None else center
    return in_dtype(torch.exp(-torch.abs(torch.arange(M).to(torch.float64) - middle) / tau), dtype)


def gaussian(M: int, std: float, sym: bool, dtype: DType | None) -> Tensor:
    """A normal distribution: ``exp(-0.5 * ((k - middle) / std) ** 2)``.

    Args:
        M, sym, dtype: As for `bartlett`.
        std: The standard deviation, in elements.

    Raises:
        ValueError: `std` is not positive.

    Example:
        >>> round(tscript.signal.windows.gaussian(3)[0].item(), 4)
        0.6065
    """
    check_length(M, dtype, "gaussian")
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    place = from_middle(M, sym or M == 1) / std
    return in_dtype(torch.exp(-0.5 * place * place), dtype)


def general_cosine(M: int, a: list[float], sym: bool, dtype: DType | None) -> Tensor:
    """Sums of cosines: the sum of ``(-1) ** i * a[i] * cos(i * t)`` for t from 0 to 2 pi.

    Args:
        M, sym, dtype: As for `bartlett`.
        a: The factors, one at least.

    Raises:
        ValueError: There are no factors.

    Example:
        >>> tscript.signal.windows.general_cosine(3, a=[0.5, 0.5]).tolist()
        [0.0, 1.0, 0.0]
    """
    check_length(M, dtype, "general_cosine")
    if len(a) == 0:
        raise ValueError("Coefficients cannot be empty")
    angle = 2 * PI * steps(M, sym)
    found = torch.zeros_like(angle)
    for i in range(len(a)):
        found = found + (a[i] if i % 2 == 0 else -a[i]) * torch.cos(i * angle)
    return in_dtype(torch.ones_like(found) if M == 1 else found, dtype)


def general_hamming(M: int, alpha: float, sym: bool, dtype: DType | None) -> Tensor:
    """``alpha - (1 - alpha) * cos(t)`` for t from 0 to 2 pi.

    Args:
        M, sym, dtype: As for `bartlett`.
        alpha: The factor.

    Example:
        >>> tscript.signal.windows.general_hamming(3, alpha=0.5).tolist()
        [0.0, 1.0, 0.0]
    """
    check_length(M, dtype, "general_hamming")
    return in_dtype(cosines(M, sym, alpha, 1.0 - alpha, 0.0, 0.0), dtype)


def hamming(M: int, sym: bool, dtype: DType | None) -> Tensor:
    """Hamming's window: ``0.54 - 0.46 * cos(t)`` for t from 0 to 2 pi.

    Args:
        M, sym, dtype: As for `bartlett`.

    Example:
        >>> round(tscript.signal.windows.hamming(3)[0].item(), 4)
        0.08
    """
    check_length(M, dtype, "hamming")
    return in_dtype(cosines(M, sym, 0.54, 0.46, 0.0, 0.0), dtype)


def hann(M: int, sym: bool, dtype: DType | None) -> Tensor:
    """Hann's window: ``0.5 - 0.5 * cos(t)`` for t from 0 to 2 pi.

    Args:
        M, sym, dtype: As for `bartlett`.

    Example:
        >>> tscript.signal.windows.hann(3).tolist()
        [0.0, 1.0, 0.0]
    """
    check_length(M, dtype, "hann")
    return in_dtype(cosines(M, sym, 0.5, 0.5, 0.0, 0.0), dtype)


def kaiser(M: int, beta: float, sym: bool, dtype: DType | None) -> Tensor:
    """Kaiser's window, of the modified Bessel function of order 0.

    Args:
        M, sym, dtype: As for `bartlett`.
        beta: Its shape, not negative.

    Raises:
        ValueError: `beta` is negative.

    Example:
        >>> tscript.signal.windows.kaiser(3, beta=0.0).tolist()
        [1.0, 1.0, 1.0]
    """
    check_length(M, dtype, "kaiser")
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    ratio = 2.0 * steps(M, sym) - 1.0
    root = torch.sqrt(torch.clamp(1.0 - ratio * ratio, min=0.0))
    # exp(beta * root - beta) keeps the quotient of two large numbers finite
    found = torch.special.i0e(beta * root) * torch.exp(beta * root - beta)
    found = found / torch.special.i0e(torch.full((1,), beta, dtype=torch.float64))
    return in_dtype(torch.ones_like(found) if M == 1 else found, dtype)


def nuttall(M: int, sym: bool, dtype: DType | None) -> Tensor:
    """Nuttall's window: a minimum of four cosines, Nuttall, "Some windows with very good sidelobe behavior" (1981).

    Args:
        M, sym, dtype: As for `bartlett`.

    Example:
        >>> round(tscript.signal.windows.nuttall(3)[1].item(), 4)
        1.0
    """
    check_length(M, dtype, "nuttall")
    return in_dtype(cosines(M, sym, 0.3635819, 0.4891775, 0.1365995, 0.0106411), dtype)


# ---- operators


def _window(body: Callable[..., Tensor], more: str = "") -> OpDef:
    """An operator of ``torch.signal.windows``."""
    name = body.__name__
    return composite(
        f"window_{name}(int M, *{more}, bool sym=True, dtype? dtype=None) -> Tensor",
        body,
        names=f"torch.signal.windows.{name} out=no",
        tags=(FACTORY,),
    )


OPERATORS: tuple[OpDef, ...] = (
    _window(bartlett),
    _window(blackman),
    _window(cosine),
    _window(exponential, ", float? center=None, float tau=1.0"),
    _window(gaussian, ", float std=1.0"),
    _window(general_cosine, ", float[] a"),
    _window(general_hamming, ", float alpha=0.54"),
    _window(hamming),
    _window(hann),
    _window(kaiser, ", float beta=12.0"),
    _window(nuttall),
)
"""All operators of this module."""
