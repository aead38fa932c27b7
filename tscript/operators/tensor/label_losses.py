"""Losses of several labels for one sample: sequences of labels that are aligned, and sets of labels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE, check_floating
from tscript.operators.tensor.losses import reduced, reduction_of
from tscript.operators.tensor.strided import listed

# ---- sequences


def check_lengths(lengths: Tensor, name: str, count: int, most: int) -> None:
    """Refuse what is not one length for each sample."""
    if lengths.is_floating_point() or lengths.dtype == torch.bool:
        raise RuntimeError(f"{name} must be integral: they are {SCALAR_TYPE(lengths)}")
    if lengths.numel() != count:
        raise RuntimeError(f"{name} must be of size batch_size: there are {lengths.numel()} for {count} samples")
    if count > 0:
        least, longest = int(lengths.min()), int(lengths.max())
        if least < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {least}")
        if longest > most:
            raise RuntimeError(f"Expected {name} to have value at most {most}, but got value {longest}")


def padded_targets(targets: Tensor, lengths: Tensor, width: int, blank: int) -> Tensor:
    """The labels of each sample in a row, and blanks behind them."""
    within = torch.arange(width) < lengths.unsqueeze(1)
    if targets.dim() == 2:
        return torch.where(within, targets.narrow(1, 0, width).long(), blank)
    at = (lengths.cumsum(0) - lengths).unsqueeze(1) + torch.arange(width)
    return torch.where(
        within, targets.long().index_select(0, at.masked_fill(~within, 0).reshape(-1)).view_as(at), blank
    )


@generic
def shifted(alpha, by: int):
    """The states before each one, which are impossible before the first one."""
    n = alpha.size(1)
    if by > n:
        by = n
    return torch.cat((torch.full_like(alpha.narrow(1, 0, by), float("-inf")), alpha.narrow(1, 0, n - by)), 1)


def ctc_losses(log_probs: Tensor, targets: Tensor, inputs: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """The losses of samples: the forward variables of the states of all samples, step by step."""
    if log_probs.dim() != 3:
        raise RuntimeError(f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional log_probs")
    check_floating(log_probs, "ctc_loss_cpu")
    steps, batch, labels = log_probs.size(0), log_probs.size(1), log_probs.size(2)
    if log_probs.numel() == 0:
        raise RuntimeError("log_probs tensor must not be empty")
    if blank < 0 or blank >= labels:
        raise RuntimeError(f"blank must be in label range: it is {blank}, of {labels} labels")
    if targets.dim() != 1 and targets.dim() != 2:
        raise RuntimeError(f"ctc_loss(): the targets have 1 or 2 dimensions, not {targets.dim()}")
    check_lengths(inputs, "input_lengths", batch, steps)
    check_lengths(lengths, "target_lengths", batch, targets.numel() if targets.dim() == 1 else targets.size(1))
    if targets.dim() == 1 and int(lengths.sum()) != targets.numel():
        raise RuntimeError(f"Expected tensor to have size {int(lengths.sum())} at dimension 0, got {targets.numel()}")
    if targets.dim() == 2 and targets.size(0) != batch:
        raise RuntimeError(f"Expected tensor to have size {batch} at dimension 0, but got size {targets.size(0)}")
    width = int(lengths.max())
    rows = padded_targets(targets, lengths, width, blank)
    if width > 0:
        least, greatest = int(rows.min()), int(rows.max())
        if least < 0 or greatest >= labels:
            wrong = least if least < 0 else greatest
            raise RuntimeError(f"ctc_loss(): the target {wrong} is out of range: there are {labels} labels")
    # A state for each label, and one for a blank before each and behind the last one.
    blanks = torch.full_like(rows, blank)
    states = torch.cat((torch.stack((blanks, rows), 2).reshape(batch, 2 * width), torch.full((batch, 1), blank)), 1)
    # A blank may be left out between different labels.
    skips = states != blank
    if width > 0:
        skips.narrow(1, 2, 2 * width - 1).logical_and_(
            states.narrow(1, 2, 2 * width - 1) != states.narrow(1, 0, 2 * width - 1)
        )
        skips.narrow(1, 0, 2).fill_(False)
    last = (2 * lengths).unsqueeze(1)
    place = torch.arange(2 * width + 1)
    possible = (place < 2) & (place <= last)
    alpha = torch.where(possible, log_probs[0].gather(1, states), float("-inf"))
    for t in range(1, steps):
        before = torch.logaddexp(alpha, shifted(alpha, 1))
        over = torch.where(skips, shifted(alpha, 2), float("-inf"))
        following = torch.logaddexp(before, over) + log_probs[t].gather(1, states)
        alpha = torch.where((inputs > t).unsqueeze(1), following, alpha)
    at_blank = alpha.gather(1, last)
    at_label = torch.where(last > 0, alpha.gather(1, torch.clamp(last - 1, min=0)), float("-inf"))
    found = torch.logaddexp(at_blank, at_label).squeeze(1)
    none = torch.where(lengths == 0, 0.0, float("-inf")).to(log_probs.dtype)
    return -torch.where(inputs == 0, none, found)


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
"""All operators of this module."""
