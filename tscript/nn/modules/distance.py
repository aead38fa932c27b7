"""`PairwiseDistance`, `CosineSimilarity`."""

from __future__ import annotations

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module


class PairwiseDistance(Module):
    """Norm of the differences along the last dimension.

    Args:
        p: The exponent.
        eps: Added to the differences.
        keepdim: Whether the dimension stays, with size 1.
    """

    __constants__: tuple[str, ...] = ("norm", "eps", "keepdim")
    norm: float
    eps: float
    keepdim: bool

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """Cosine of the angle between the vectors along a dimension.

    Args:
        dim: The dimension.
        eps: The least product of the lengths.
    """

    __constants__: tuple[str, ...] = ("dim", "eps")
    dim: int
    eps: float

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
