"""Dropout of elements and of channels."""

from __future__ import annotations

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module


class _DropoutNd(Module):
    """What all kinds of dropout have.

    Args:
        p: With what probability something is set to 0 in training mode.
        inplace: Whether the input is overwritten.

    Raises:
        ValueError: It is no probability.
    """

    __constants__: tuple[str, ...] = ("p", "inplace")
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Elements set to 0, the others multiplied so that the mean stays, in training mode; arguments as `_DropoutNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, with zeros in training mode."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Channels of ``(N, C, L)`` set to 0, in training mode; arguments as `_DropoutNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, with zeros in training mode."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Channels of ``(N, C, H, W)`` set to 0, in training mode; arguments as `_DropoutNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, with zeros in training mode."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Channels of ``(N, C, D, H, W)`` set to 0, in training mode; arguments as `_DropoutNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, with zeros in training mode."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout for networks of `SELU`: mean and variance stay, in training mode; arguments as `_DropoutNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, with zeros in training mode."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels, in training mode; arguments as `_DropoutNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, with zeros in training mode."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
