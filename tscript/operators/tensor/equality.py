"""Whether tensors are equal, exactly or about. All are composites."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef


def equal(self: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and equal elements.

    Args:
        input, other: Of any shape and dtype.

    Example:
        >>> tscript.equal(tscript.tensor([1, 2]), tscript.tensor([1, 2])), tscript.ones(2).equal(tscript.ones(3))
        (True, False)
    """
    if self.shape != other.shape:
        return False
    return bool((self == other).all())


def isclose(self: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """Where two tensors are about equal: ``|input - other| <= atol + rtol * |other|``, as in `torch.isclose`.

    Args:
        input, other: Of one dtype; they are broadcast. Infinities are close to themselves alone.
        rtol, atol: How far they may be apart.
        equal_nan: Whether NaN is close to NaN.

    Raises:
        RuntimeError: The dtypes differ, or `rtol` or `atol` is negative.

    Example:
        >>> tscript.isclose(tscript.tensor([1.0, 2.0]), tscript.tensor([1.0 + 1e-9, 2.1])).tolist()
        [True, False]
    """
    if self.dtype != other.dtype:
        raise RuntimeError(f"isclose: the tensors must have one dtype, found {self.dtype} and {other.dtype}")
    if not rtol >= 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol}")
    if not atol >= 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol}")
    same = self == other
    if equal_nan and (self.is_floating_point() or self.is_complex()):
        same = same | ((self != self) & (other != other))
    if rtol == 0 and atol == 0:
        return same
    if self.dtype == torch.bool:
        return same | (atol + rtol * other.to(torch.get_default_dtype()) >= 1)
    if self.is_floating_point() or self.is_complex():
        apart = (self - other).abs()
        return same | ((apart <= atol + (rtol * other).abs()) & (apart < float("inf")))
    return same | ((self - other).abs() <= atol + (rtol * other).abs())


def allclose(self: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    """Whether all elements of two tensors are about equal; see `isclose`."""
    return bool(torch.isclose(self, other, rtol, atol, equal_nan).all())


def isreal(self: Tensor) -> Tensor:
    """Where elements have no imaginary part."""
    if self.is_complex():
        return torch.imag(self) == 0
    return torch.ones_like(self, dtype=torch.bool)


_CLOSE = "Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False"

OPERATORS: tuple[OpDef, ...] = (
    composite("equal(Tensor self, Tensor other) -> bool", equal, names="equal"),
    composite(f"isclose({_CLOSE}) -> Tensor", isclose, names="isclose out=no"),
    composite(f"allclose({_CLOSE}) -> bool", allclose, names="allclose"),
    composite("isreal(Tensor self) -> Tensor", isreal, names="isreal out=no"),
)
"""All operators of this module."""
