"""Losses: how far tensors are apart, element by element or reduced to a number."""

from __future__ import annotations

from tscript.operators.core.define import composite
from tscript.operators.core.language import Tensor, torch
from tscript.operators.core.opdef import OpDef
from tscript.operators.tensor.checks import check_floating


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """The losses of elements as PyTorch's `reduction` says."""
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    if reduction == "none":
        return losses
    raise ValueError(f"{reduction} is not a valid value for reduction")


def l1_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    return reduced((input - target).abs(), reduction)


def mse_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    losses = (input - target).square()
    check_floating(losses, "mse_cpu")
    return reduced(losses, reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str, beta: float) -> Tensor:
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    far = (input - target).abs()
    if beta == 0:
        return reduced(far, reduction)
    check_floating(far, "smooth_l1_cpu")
    return reduced(torch.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta), reduction)


def huber_loss(input: Tensor, target: Tensor, reduction: str, delta: float) -> Tensor:
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    far = (input - target).abs()
    check_floating(far, "huber_cpu")
    return reduced(torch.where(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta)), reduction)


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "l1_loss(Tensor input, Tensor target, *, str reduction='mean') -> Tensor",
        l1_loss,
        "Absolute difference.",
        names="F.l1_loss",
    ),
    composite(
        "mse_loss(Tensor input, Tensor target, *, str reduction='mean') -> Tensor",
        mse_loss,
        "Squared difference.",
        names="F.mse_loss",
    ),
    composite(
        "smooth_l1_loss(Tensor input, Tensor target, *, str reduction='mean', float beta=1.0) -> Tensor",
        smooth_l1_loss,
        "Squared difference where it is less than `beta`, absolute beyond.",
        names="F.smooth_l1_loss",
    ),
    composite(
        "huber_loss(Tensor input, Tensor target, *, str reduction='mean', float delta=1.0) -> Tensor",
        huber_loss,
        "Squared difference where it is less than `delta`, `delta` times the absolute one beyond.",
        names="F.huber_loss",
    ),
)
"""All operators of this module."""
