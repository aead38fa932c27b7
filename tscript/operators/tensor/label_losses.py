"""Losses of several labels for one sample: sequences of labels that are aligned, and sets of labels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef
from tscript.definitions.rules import tensor_of
from tscript.operators.tensor.checks import SCALAR_TYPE, check_floating
from tscript.operators.tensor.losses import reduced, reduction_of
from tscript.operators.tensor.strided import listed
from tscript.types import TensorType, Type

# ---- sequences


def ctc_losses(log_probs: Tensor, targets: Tensor, inputs: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """The losses of samples."""
    if log_probs.dim() != 3:
        raise RuntimeError(f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional log_probs")
    check_floating(log_probs, "ctc_loss_cpu")
    return ALIGNED_LOSSES(log_probs, targets.long(), inputs, lengths, blank)


@generic
def ctc(log_probs, targets, inputs, lengths, blank: int, reduction: str, zero_infinity: bool) -> Tensor:
    """`ctc_loss` of lengths that are tensors."""
    inputs, lengths = inputs.long().reshape(-1), lengths.long().reshape(-1)
    losses = ctc_losses(log_probs.unsqueeze(1) if log_probs.dim() == 2 else log_probs, targets, inputs, lengths, blank)
    if zero_infinity:
        losses = torch.where(losses == float("inf"), 0.0, losses)
    if reduction == "mean":
        return (losses / torch.clamp(lengths, min=1).to(losses.dtype)).mean()
    return reduced(losses, reduction)


@generic
def one_sample(losses, log_probs):
    """The loss of one sample without its dimension."""
    return losses.reshape([]) if log_probs.dim() == 2 and losses.dim() == 1 else losses


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int,
    reduction: str,
    zero_infinity: bool,
) -> Tensor:
    """Minus the logarithm of the probability of a sequence of labels, over all ways to align it with the steps.

    Graves and others, "Connectionist Temporal Classification" (2006), doi:10.1145/1143844.1143891.

    Args:
        log_probs: Logarithms of the probabilities of labels, ``(T, N, C)`` or ``(T, C)``.
        targets: The labels of each sample in a row, ``(N, S)``, or those of all behind each other.
        input_lengths: How many steps each sample has, `T` at most: ints, or a tensor of ints.
        target_lengths: How many labels each sample has.
        blank: The label of no label.
        reduction: ``"mean"`` (each loss by its length), ``"sum"`` or ``"none"``.
        zero_infinity: Whether the loss is 0, not infinite, if the labels are too many for the steps.

    Raises:
        RuntimeError: The shapes, lengths or labels do not go together.
        NotImplementedError: The probabilities are no floats.
        ValueError: There is no such reduction.

    Example:
        >>> likely = tscript.log(tscript.tensor([[[0.5, 0.5]], [[0.25, 0.75]]]))
        >>> target, steps, labels = tscript.tensor([[1]]), tscript.tensor([2]), tscript.tensor([1])
        >>> tscript.nn.functional.ctc_loss(likely, target, steps, labels).exp()
        tensor(1.1429)
    """
    wanted = reduction_of(None, None, reduction)
    for lengths in (input_lengths, target_lengths):
        if lengths.is_floating_point():
            raise RuntimeError("input_lengths and target_lengths must be integral")
    return one_sample(ctc(log_probs, targets, input_lengths, target_lengths, blank, wanted, zero_infinity), log_probs)


def ctc_loss_ints(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Size,
    target_lengths: Size,
    blank: int,
    reduction: str,
    zero_infinity: bool,
) -> Tensor:
    wanted = reduction_of(None, None, reduction)
    inputs, lengths = torch.tensor(listed(input_lengths)), torch.tensor(listed(target_lengths))
    return one_sample(ctc(log_probs, targets, inputs, lengths, blank, wanted, zero_infinity), log_probs)


# ---- sets


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    """How far scores of wrong classes come near to those of the right ones, of which there may be several.

    The sum of ``max(0, 1 - x[right] + x[wrong])`` over all pairs, by the number of classes: the formula of
    `torch.nn.MultiLabelMarginLoss`.

    Args:
        input: Scores, of shape ``(N, C)`` or ``(C,)``.
        target: Numbers of classes, int64, of the same shape; -1 ends a row.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` over the samples, or ``"none"``.

    Raises:
        RuntimeError: The shapes differ, or there is no such class, or there are no classes at all.
        NotImplementedError: The input has no floats.
        ValueError: There is no such reduction.

    Example:
        >>> x = tscript.tensor([0.5, 1.0, 0.0, 0.5])
        >>> tscript.nn.functional.multilabel_margin_loss(x, tscript.tensor([1, 3, -1, 0])).item()
        0.5
    """
    wanted = reduction_of(size_average, reduce, reduction)
    if input.dim() > 2 or (input.dim() > 0 and input.size(-1) == 0):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {input.size()}"
        )
    if target.numel() != input.numel() or (input.dim() == 2 and target.size() != input.size()):
        raise RuntimeError(f"inconsistent target size: {target.size()} for input of size: {input.size()}")
    check_floating(input, "multilabel_margin_loss_forward_out_frame")
    if target.dtype != torch.int64:
        raise RuntimeError(f"expected scalar type Long but found {SCALAR_TYPE(target)}")
    x = input if input.dim() == 2 else input.reshape(1, -1)
    labels = target.reshape(x.size())
    count = x.size(1)
    if labels.numel() > 0:
        least, greatest = int(labels.min()), int(labels.max())
        if least < -1 or greatest >= count:
            wrong = least if least < -1 else greatest
            raise RuntimeError(f"argument #2 'target' is out of range: {wrong}, of {count} classes")
    named = (labels == -1).cumsum(1) == 0
    classes = labels.masked_fill(~named, 0)
    right = torch.zeros_like(labels).scatter_add(1, classes, named.long()) > 0
    scores = x.gather(1, classes)
    total = torch.zeros_like(x)
    for j in range(count):
        near = torch.clamp(1 - scores.narrow(1, j, 1) + x, min=0.0)
        total = total + torch.where(named.narrow(1, j, 1) & ~right, near, 0.0)
    losses = total.sum(1) / count
    if wanted == "none":
        return losses if input.dim() == 2 else losses.reshape([])
    return reduced(losses, wanted)


def _losses(args: Sequence[Arg]) -> Type:
    dtype = tensor_of(args[0]).dtype
    if dtype is not None and not dtype.is_floating_point:
        raise TypeError(f"log_probs are floating-point numbers, found {dtype}")
    return TensorType(dtype, 1)


def _aligned(x: Array, targets: Array, inputs: Array, lengths: Array, blank: int) -> Array:
    steps, batch, labels = x.shape
    if x.size == 0:
        raise RuntimeError("log_probs tensor must not be empty")
    if not 0 <= blank < labels:
        raise RuntimeError(f"blank must be in label range: it is {blank}, of {labels} labels")
    if targets.ndim not in (1, 2):
        raise RuntimeError(f"ctc_loss(): the targets have 1 or 2 dimensions, not {targets.ndim}")
    most = targets.size if targets.ndim == 1 else targets.shape[1]
    for name, given in (("input", inputs), ("target", lengths)):
        if given.shape != (batch,):
            raise RuntimeError(f"{name}_lengths must be of size batch_size: there are {given.size} for {batch} samples")
    for name, given, limit in (("input", inputs, steps), ("target", lengths, most)):
        for value in given.tolist():
            if value < 0:
                raise RuntimeError(f"Expected {name}_lengths to have value at least 0, but got value {value}")
            if value > limit:
                raise RuntimeError(f"Expected {name}_lengths to have value at most {limit}, but got value {value}")
    if targets.ndim == 1 and lengths.sum() != targets.size:
        raise RuntimeError(f"Expected tensor to have size {lengths.sum()} at dimension 0, got {targets.size}")
    if targets.ndim == 2 and len(targets) != batch:
        raise RuntimeError(f"Expected tensor to have size {batch} at dimension 0, but got size {len(targets)}")
    begins, out = np.cumsum(lengths) - lengths, np.empty(batch, x.dtype)
    for n, (begin, count) in enumerate(zip(begins.tolist(), lengths.tolist(), strict=True)):
        row = (targets[n] if targets.ndim == 2 else targets[begin:])[:count].tolist()
        wrong = [label for label in row if not 0 <= label < labels]
        if wrong:
            raise RuntimeError(f"ctc_loss(): the target {wrong[0]} is out of range: there are {labels} labels")
        out[n] = -_alignment(x[: inputs[n], n], row, blank)
    return out


def _alignment(steps: Array, row: Sequence[int], blank: int) -> Any:
    """The logarithm of the probability of a row of labels."""
    states = [blank, *(label for wanted in row for label in (wanted, blank))]
    if not len(steps):
        return steps.dtype.type(0 if not row else -np.inf)
    before = np.full(len(states), -np.inf, steps.dtype)
    before[:2] = steps[0, states[:2]]
    for step in steps[1:]:
        after = np.logaddexp(before, np.append(-np.inf, before[:-1]).astype(steps.dtype))
        for s in range(3, len(states), 2):
            if states[s] not in (blank, states[s - 2]):
                after[s] = np.logaddexp(after[s], before[s - 2])
        before = after + step[states]
    return np.logaddexp(before[-1], before[-2] if row else steps.dtype.type(-np.inf))


ALIGNED_LOSSES: OpDef = kernel(
    "aligned_losses(Tensor log_probs, Tensor targets, Tensor inputs, Tensor lengths, int blank) -> Tensor",
    _losses,
    _aligned,
    "alignments.aligned_losses",
    "Minus the logarithms of the probabilities of sequences of labels.",
    generic=(0,),
    exact=False,
    names="",
)

_CTC = "int blank=0, str reduction='mean', bool zero_infinity=False"

OPERATORS: tuple[OpDef, ...] = (
    composite(
        f"ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, {_CTC}) -> Tensor",
        ctc_loss,
        names="F.ctc_loss",
    ),
    composite(
        f"ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, {_CTC}) "
        "-> Tensor",
        ctc_loss_ints,
        "`ctc_loss` of lengths that are ints.",
        names="F.ctc_loss",
    ),
    composite(
        "multilabel_margin_loss(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, "
        "str reduction='mean') -> Tensor",
        multilabel_margin_loss,
        names="F.multilabel_margin_loss",
    ),
)
HIDDEN: tuple[OpDef, ...] = (ALIGNED_LOSSES,)
"""What bodies call."""

__all__ = ["ALIGNED_LOSSES", "HIDDEN", "OPERATORS"]
"""All operators of this module."""
