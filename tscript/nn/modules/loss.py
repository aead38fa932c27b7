"""Losses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.distance import PairwiseDistance
from tscript.nn.modules.module import Module


def _named(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that older arguments name."""
    if size_average is None and reduce is None:
        return reduction
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction={found!r} instead.", stacklevel=4
    )
    return found


class _Loss(Module):
    """What all losses have.

    Args:
        size_average, reduce: Older arguments, in place of `reduction`.
        reduction: ``none``, ``mean`` or ``sum``.
    """

    __constants__: tuple[str, ...] = ("reduction",)
    reduction: str

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = _named(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """What losses with a weight have.

    Args:
        weight: The weights of the classes or elements.
        size_average, reduce, reduction: As `_Loss`.
    """

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """Absolute differences; arguments as `_Loss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.l1_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """Minus the logarithm of the probability of the right class.
    Args:
        weight: The weights of the classes.
        ignore_index: The class that does not count.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("ignore_index", "reduction")
    ignore_index: int

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    """How unlikely numbers are if they have a Poisson distribution.
    Args:
        log_input: Whether the input is the logarithm of the mean.
        full: Whether Stirling's term is added.
        eps: Keeps logarithms from being infinite.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("log_input", "full", "eps", "reduction")
    log_input: bool
    full: bool
    eps: float

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """How unlikely numbers are if they have a normal distribution.
    Args:
        full: Whether the constant term is added.
        eps: The least variance.
        reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("full", "eps", "reduction")
    full: bool
    eps: float

    def __init__(
        self,
        *,
        full: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        """The loss."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """Divergence of distributions, ``target * (log(target) - input)``.
    Args:
        log_target: Whether the target holds logarithms.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("log_target", "reduction")
    log_target: bool

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(_Loss):
    """Squared differences; arguments as `_Loss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.mse_loss(input, target, reduction=self.reduction)


class BCELoss(_WeightedLoss):
    """How far probabilities are from right ones; arguments as `_WeightedLoss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_WeightedLoss):
    """`BCELoss` of the sigmoid.
    Args:
        weight: The weights of the elements.
        pos_weight: The weights of the right ones of each class.
        size_average, reduce, reduction: As `_Loss`.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """x where the target is 1, ``max(0, margin - x)`` where it is -1.
    Args:
        margin: Of the formula.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("margin", "reduction")
    margin: float

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """``log(1 + exp(-target * input))``; arguments as `_Loss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """`BCEWithLogitsLoss` of several classes, their mean; arguments as `_WeightedLoss`."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 less the cosine where the target is 1, the cosine beyond the margin where it is -1.
    Args:
        margin: Of the formula.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("margin", "reduction")
    margin: float

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """``max(0, -target * (input1 - input2) + margin)``.
    Args:
        margin: Of the formula.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("margin", "reduction")
    margin: float

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Squared difference where it is less than `beta`, absolute beyond.
    Args:
        beta: Of the formula.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("beta", "reduction")
    beta: float

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Squared difference where it is less than `delta`, `delta` times the absolute one beyond.
    Args:
        delta: Of the formula.
        reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("delta", "reduction")
    delta: float

    def __init__(
        self,
        reduction: str = "mean",
        delta: float = 1.0,
    ) -> None:
        super().__init__(None, None, reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class CrossEntropyLoss(_WeightedLoss):
    """`NLLLoss` of the logarithm of the softmax.
    Args:
        weight: The weights of the classes.
        ignore_index: The class that does not count.
        label_smoothing: The part of the target that is spread over all classes.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("ignore_index", "label_smoothing", "reduction")
    ignore_index: int
    label_smoothing: float

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.cross_entropy(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip


class MultiMarginLoss(_WeightedLoss):
    """How far the scores of other classes come near that of the right one.
    Args:
        p: The exponent, 1 or 2.
        margin: How near.
        weight: The weights of the classes.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("p", "margin", "reduction")
    p: int
    margin: float

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p != 1 and p != 2:
            raise ValueError(f"only p == 1 and p == 2 supported, found {p}")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """How much nearer the anchor is to the negative example than to the positive one.
    Args:
        margin: What is added.
        p: The exponent of the distance.
        eps: Added to differences.
        swap: Whether the distance of the examples counts if it is less.
        size_average, reduce, reduction: As `_Loss`.
    """

    __constants__: tuple[str, ...] = ("margin", "p", "eps", "swap", "reduction")
    margin: float
    p: float
    eps: float
    swap: bool

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return F.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with a distance of one's own.

    Args:
        distance_function: Gives the distances of two tensors; `PairwiseDistance` if left out.
        margin: What is added.
        swap: Whether the distance of the examples counts if it is less.
        reduction: As `_Loss`.

    Raises:
        ValueError: The margin is not positive.
    """

    __constants__: tuple[str, ...] = ("margin", "swap", "reduction")
    margin: float
    swap: bool

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function: Any = distance_function if distance_function is not None else PairwiseDistance()
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        near = self.distance_function(anchor, positive)
        far = self.distance_function(anchor, negative)
        if self.swap:
            far = far.minimum(self.distance_function(positive, negative))
        loss: Tensor = (near - far + self.margin).clamp_min(0)
        if self.reduction == "none":
            return loss
        return loss.sum() if self.reduction == "sum" else loss.mean()
