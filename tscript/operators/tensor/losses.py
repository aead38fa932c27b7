"""Losses: how far tensors are apart, element by element or reduced to a number."""

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef
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


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that PyTorch's older arguments mean, where they are given."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        return "none"
    return "mean" if size_average is None or size_average else "sum"


def l1_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    """Absolute difference, ``abs(input - target)``: the formula of `torch.nn.L1Loss`.

    Args:
        input, target: Broadcast to one shape.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together, or the mean of ints is asked for.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([1.0, 2.0]), tscript.tensor([4.0, 1.0])
        >>> tscript.nn.functional.l1_loss(x, y).item()
        2.0
    """
    return reduced((input - target).abs(), reduction)


def mse_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    """Squared difference, ``(input - target) ** 2``: the formula of `torch.nn.MSELoss`.

    Args:
        input, target: Broadcast to one shape.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        NotImplementedError: The difference has no floats.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([1.0, 2.0]), tscript.tensor([4.0, 1.0])
        >>> tscript.nn.functional.mse_loss(x, y, reduction="none").tolist()
        [9.0, 1.0]
    """
    losses = (input - target).square()
    check_floating(losses, "mse_cpu")
    return reduced(losses, reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str, beta: float) -> Tensor:
    """Squared difference where it is less than `beta`, absolute beyond.

    ``0.5 * d * d / beta`` where ``d = abs(input - target)`` is less than `beta`, else ``d - 0.5 * beta``: Girshick,
    "Fast R-CNN", arXiv:1504.08083, with the `beta` of `torch.nn.SmoothL1Loss`.

    Args:
        input, target: Broadcast to one shape.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.
        beta: 0 for the absolute difference.

    Raises:
        RuntimeError: The shapes do not go together, or `beta` is negative.
        NotImplementedError: The difference has no floats.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([1.0, 2.0]), tscript.tensor([4.0, 1.5])
        >>> tscript.nn.functional.smooth_l1_loss(x, y, reduction="none").tolist()
        [2.5, 0.125]
    """
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    far = (input - target).abs()
    if beta == 0:
        return reduced(far, reduction)
    check_floating(far, "smooth_l1_cpu")
    return reduced(torch.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta), reduction)


def huber_loss(input: Tensor, target: Tensor, reduction: str, delta: float) -> Tensor:
    """Squared difference where it is less than `delta`, `delta` times the absolute one beyond.

    ``0.5 * d * d`` where ``d = abs(input - target)`` is less than `delta`, else ``delta * (d - 0.5 * delta)``: Huber,
    "Robust Estimation of a Location Parameter", Annals of Mathematical Statistics 35 (1964),
    doi:10.1214/aoms/1177703732.

    Args:
        input, target: Broadcast to one shape.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.
        delta: Greater than 0.

    Raises:
        RuntimeError: The shapes do not go together, or `delta` is not positive.
        NotImplementedError: The difference has no floats.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([1.0, 2.0]), tscript.tensor([4.0, 1.5])
        >>> tscript.nn.functional.huber_loss(x, y, reduction="none", delta=2.0).tolist()
        [4.0, 0.125]
    """
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    far = (input - target).abs()
    check_floating(far, "huber_cpu")
    return reduced(torch.where(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta)), reduction)


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "l1_loss(Tensor input, Tensor target, *, str reduction='mean') -> Tensor",
        l1_loss,
        names="F.l1_loss",
    ),
    composite(
        "mse_loss(Tensor input, Tensor target, *, str reduction='mean') -> Tensor",
        mse_loss,
        names="F.mse_loss",
    ),
    composite(
        "smooth_l1_loss(Tensor input, Tensor target, *, str reduction='mean', float beta=1.0) -> Tensor",
        smooth_l1_loss,
        names="F.smooth_l1_loss",
    ),
    composite(
        "huber_loss(Tensor input, Tensor target, *, str reduction='mean', float delta=1.0) -> Tensor",
        huber_loss,
        names="F.huber_loss",
    ),
)
"""All operators of this module."""
