"""Losses of classes and probabilities: how unlikely what is right was taken for."""

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import check_floating
from tscript.operators.tensor.losses import reduced, reduction_of


def along_classes(weight: Tensor, x: Tensor, dim: int) -> Tensor:
    """The weights of classes, so that they broadcast with `x` whose dimension `dim` is that of classes."""
    if weight.dim() != 1 or weight.size(0) != x.size(dim):
        raise RuntimeError(
            "weight tensor should be defined either for all "
            f"{x.size(dim)} classes or no classes but got weight tensor of shape: {weight.size()}"
        )
    return weight.reshape([-1] + [1] * (x.dim() - dim - 1))


def class_dim(input: Tensor, target: Tensor, name: str) -> int:
    """Which dimension of the input is that of classes; the shapes have to go with class numbers."""
    if input.dim() == 0:
        raise ValueError(f"{name}(): the input has no dimension of classes")
    if input.dim() == 1:
        if target.dim() > 0:
            raise RuntimeError(f"{name}(): for an input with classes alone the target is one class, without dimensions")
        return 0
    if target.dim() != input.dim() - 1:
        raise RuntimeError(
            f"{name}(): for an input of {input.dim()} dimensions the target has one less, it has {target.dim()}"
        )
    if target.size(0) != input.size(0):
        raise ValueError(f"Expected input batch_size ({input.size(0)}) to match target batch_size ({target.size(0)}).")
    for i in range(1, target.dim()):
        if target.size(i) != input.size(i + 1):
            raise RuntimeError(f"{name}(): the input has the shape {input.size()}, the target {target.size()}")
    return 1


def check_classes(target: Tensor) -> None:
    """Refuse all but class numbers."""
    if target.is_floating_point() or target.dtype == torch.bool:
        raise RuntimeError("expected target dtype to be Long or Byte: class numbers are ints")


def check_range(classes: Tensor, count: int) -> None:
    """Refuse class numbers that are none."""
    if classes.numel() > 0:
        least, greatest = int(classes.min()), int(classes.max())
        if least < 0 or greatest >= count:
            wrong = least if least < 0 else greatest
            raise IndexError(f"Target {wrong} is out of bounds: there are {count} classes")


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    size_average: bool | None,
    ignore_index: int,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """Minus the logarithm of the probability of the right class: the formula of `torch.nn.NLLLoss`.

    Args:
        input: Logarithms of probabilities, of shape ``(C,)``, ``(N, C)`` or ``(N, C, d1, ...)``.
        target: Numbers of classes, of shape ``()``, ``(N,)`` or ``(N, d1, ...)``.
        weight: A factor for each class.
        size_average, reduce: Older forms of `reduction`.
        ignore_index: A class number that does not count.
        reduction: ``"mean"`` (weighted) or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together, or the target has no ints.
        IndexError: There is no such class.
        ValueError: There is no such reduction, or the first sizes differ.

    Example:
        >>> likely = tscript.log(tscript.tensor([[0.5, 0.5], [0.25, 0.75]]))
        >>> tscript.nn.functional.nll_loss(likely, tscript.tensor([0, 1]), reduction="none").exp().tolist()
        [2.0, 1.3333332538604736]
    """
    dim = class_dim(input, target, "nll_loss")
    check_classes(target)
    check_floating(input, "nll_loss_out_frame")
    wanted = reduction_of(size_average, reduce, reduction)
    counts = target != ignore_index
    classes = target.long().masked_fill(~counts, 0)
    check_range(classes, input.size(dim))
    picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
    if weight is None:
        weights = counts.to(input.dtype)
    else:
        along_classes(weight, input, dim)
        if weight.dtype != input.dtype:
            raise RuntimeError("nll_loss(): the weight is of another dtype than the input")
        weights = weight.index_select(0, classes.reshape(-1)).reshape(target.size()) * counts
    losses = torch.where(counts, -picked * weights, 0.0)
    if wanted == "mean":
        return losses.sum() / weights.sum()
    return reduced(losses, wanted)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    size_average: bool | None,
    ignore_index: int,
    reduce: bool | None,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    """How far the softmax of scores is from the right classes: the formula of `torch.nn.CrossEntropyLoss`.

    Smoothing is that of Szegedy and others, "Rethinking the Inception Architecture", arXiv:1512.00567.

    Args:
        input: Scores, of shape ``(C,)``, ``(N, C)`` or ``(N, C, d1, ...)``.
        target: Numbers of classes, of shape ``()``, ``(N,)`` or ``(N, d1, ...)``, or probabilities, of the shape of
            the input.
        weight: A factor for each class.
        size_average, reduce: Older forms of `reduction`.
        ignore_index: A class number that does not count.
        reduction: ``"mean"`` (weighted) or ``"sum"`` of all elements, or ``"none"``.
        label_smoothing: Which share of each target is spread over all classes, from 0 to 1.

    Raises:
        RuntimeError: The shapes or dtypes do not go together, or the smoothing is none.
        IndexError: There is no such class.
        ValueError: There is no such reduction, or the first sizes differ.

    Example:
        >>> scores = tscript.tensor([[0.0, 0.0], [2.0, 0.0]])
        >>> tscript.nn.functional.cross_entropy(scores, tscript.tensor([0, 0]), reduction="none")
        tensor([0.6931, 0.1269])
    """
    if label_smoothing < 0 or label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    wanted = reduction_of(size_average, reduce, reduction)
    if target.is_floating_point():
        if target.size() != input.size():
            raise RuntimeError(
                f"cross_entropy(): class numbers are ints, probabilities have the shape of the input {input.size()}; "
                f"the target has floats, and the shape {target.size()}"
            )
        at = 0 if input.dim() == 1 else 1
        likely = input.log_softmax(at)
        count = input.size(at)
        shares = target * (1 - label_smoothing) + label_smoothing / count
        if weight is not None:
            likely = likely * along_classes(weight, input, at)
        found = -(likely * shares).sum(at)
        if wanted == "mean":
            return found.sum() / (input.numel() // count)
        return reduced(found, wanted)
    dim = class_dim(input, target, "cross_entropy")
    check_classes(target)
    likely = input.log_softmax(dim)
    right = nll_loss(likely, target, weight, None, ignore_index, None, wanted)
    if label_smoothing == 0:
        return right
    counts = target != ignore_index
    if weight is None:
        spread = -likely.sum(dim)
        total = counts.sum().to(input.dtype)
    else:
        spread = -(likely * along_classes(weight, input, dim)).sum(dim)
        classes = target.long().masked_fill(~counts, 0)
        total = (weight.index_select(0, classes.reshape(-1)).reshape(target.size()) * counts).sum()
    spread = torch.where(counts, spread, 0.0)
    smooth = spread.sum() / total if wanted == "mean" else reduced(spread, wanted)
    return right * (1 - label_smoothing) + smooth * (label_smoothing / input.size(dim))


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """How far probabilities are from right ones: the formula of `torch.nn.BCELoss`.

    ``-(t * log(x) + (1 - t) * log(1 - x))``, each logarithm -100 at least.

    Args:
        input: Probabilities, from 0 to 1.
        target: Right ones, of the same shape.
        weight: Factors; they broadcast.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: An element of the input is none, or it has no floats.
        ValueError: The shapes differ, or there is no such reduction.

    Example:
        >>> x, y = tscript.tensor([0.5, 1.0]), tscript.tensor([1.0, 0.0])
        >>> tscript.nn.functional.binary_cross_entropy(x, y, reduction="none").tolist()
        [0.6931471824645996, 100.0]
    """
    if input.size() != target.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated."
            " Please ensure they have the same size."
        )
    check_floating(input, "binary_cross_entropy")
    if input.numel() > 0 and not bool(((input >= 0) & (input <= 1)).all()):
        raise RuntimeError("all elements of input should be between 0 and 1")
    yes = torch.clamp(input.log(), min=-100.0)
    no = torch.clamp(torch.log1p(-input), min=-100.0)
    losses = (target - 1) * no - target * yes
    if weight is not None:
        losses = losses * weight
    return reduced(losses, reduction_of(size_average, reduce, reduction))


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
    pos_weight: Tensor | None,
) -> Tensor:
    """`binary_cross_entropy` of ``sigmoid(input)``, without loss of accuracy.

    The formula is that of `torch.nn.BCEWithLogitsLoss`.

    Args:
        input: Any numbers.
        target: Right probabilities, of the same shape.
        weight: Factors; they broadcast.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.
        pos_weight: Factors of the targets that are 1; they broadcast.

    Raises:
        ValueError: The shapes differ, or there is no such reduction.

    Example:
        >>> x, y = tscript.tensor([0.0, 100.0]), tscript.tensor([1.0, 0.0])
        >>> tscript.nn.functional.binary_cross_entropy_with_logits(x, y, reduction="none").tolist()
        [0.6931471824645996, 100.0]
    """
    if input.size() != target.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    far = torch.log1p(torch.exp(-input.abs())) + torch.clamp(-input, min=0.0)
    if pos_weight is not None:
        far = ((pos_weight - 1) * target + 1) * far
    losses = (1 - target) * input + far
    if weight is not None:
        losses = losses * weight
    return reduced(losses, reduction_of(size_average, reduce, reduction))


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
    log_target: bool,
) -> Tensor:
    """Divergence of distributions, ``target * (log(target) - input)``.

    The formula is that of `torch.nn.KLDivLoss`, after Kullback and Leibler, "On Information and Sufficiency" (1951),
    doi:10.1214/aoms/1177729694.

    Args:
        input: Logarithms of probabilities.
        target: Probabilities, or their logarithms; broadcast with the input.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, ``"batchmean"``: the sum by the first size, or ``"none"``.
        log_target: Whether the target has logarithms.

    Raises:
        RuntimeError: The shapes do not go together.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.log(tscript.tensor([0.5, 0.5])), tscript.tensor([0.0, 1.0])
        >>> tscript.nn.functional.kl_div(x, y, reduction="sum").item()
        0.6931471824645996
    """
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = torch.where(target == 0, 0.0, target * target.log()) - target * input
    wanted = reduction_of(size_average, reduce, reduction)
    if wanted == "batchmean":
        return losses.sum() / input.size(0)
    return reduced(losses, wanted)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int,
    margin: float,
    weight: Tensor | None,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """How far scores of wrong classes come near to that of the right one: the formula of `torch.nn.MultiMarginLoss`.

    Args:
        input: Scores, of shape ``(N, C)`` or ``(C,)``.
        target: Numbers of classes, of shape ``(N,)`` or ``()``.
        p: The power of what exceeds, 1 or 2.
        margin: How far they have to be apart.
        weight: A factor for each class.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        IndexError: There is no such class.
        ValueError: `p` is neither 1 nor 2, or there is no such reduction.

    Example:
        >>> x = tscript.tensor([[0.5, 1.0, 0.0]])
        >>> tscript.nn.functional.multi_margin_loss(x, tscript.tensor([1])).item()
        0.1666666716337204
    """
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if input.dim() > 2 or (input.dim() > 0 and input.size(-1) == 0):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {input.size()}"
        )
    check_classes(target)
    scores = input if input.dim() == 2 else input.reshape(1, -1)
    if target.dim() > 1 or target.numel() != scores.size(0):
        raise RuntimeError(
            f"multi_margin_loss: target tensor should be 1-D with size {scores.size(0)}, the number of samples, but "
            f"has the shape {target.size()}"
        )
    classes = target.long().reshape(-1, 1)
    check_range(classes, scores.size(1))
    near = torch.clamp(scores - scores.gather(1, classes) + margin, min=0.0)
    if p == 2:
        near = near * near
    if weight is not None:
        along_classes(weight, scores, 1)
        near = near * weight.index_select(0, classes.reshape(-1)).reshape(classes.size())
    numbers = torch.arange(scores.size(1))
    wrong = torch.where(numbers == classes, 0.0, near)
    losses = (wrong.sum(1) / scores.size(1)).reshape(target.size())
    return reduced(losses, reduction_of(size_average, reduce, reduction))


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    linear_bias: Tensor | None,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int | None,
    label_smoothing: float,
    options: None,
) -> Tensor:
    """`cross_entropy` of the scores ``input @ linear_weight.T + linear_bias``.

    Args:
        input: Of shape ``(N, inputs)`` or ``(inputs,)``.
        linear_weight: Of shape ``(C, inputs)``, or ``(C, d1, ..., inputs)`` for a loss of more dimensions.
        target: Of the scores, see `cross_entropy`.
        linear_bias: Of the shape of the weight without its last dimension.
        weight: A factor for each class.
        reduction: ``"mean"`` (weighted) or ``"sum"`` of all elements, or ``"none"``.
        ignore_index: A class number that does not count; -100 if left out.
        label_smoothing: Which share of each target is spread over all classes, from 0 to 1.
        options: Must be None: the scores are not computed in chunks.

    Raises:
        RuntimeError: The shapes or dtypes do not go together, or the smoothing is none.
        IndexError: There is no such class.
        ValueError: There is no such reduction, or the first sizes differ.

    Example:
        >>> x, w = tscript.tensor([[1.0, 0.0]]), tscript.tensor([[0.0, 5.0], [0.0, 5.0]])
        >>> tscript.nn.functional.linear_cross_entropy(x, w, tscript.tensor([1])).item()
        0.6931471824645996
    """
    if linear_weight.dim() < 2:
        raise RuntimeError(f"linear_weight has at least 2 dimensions, not {linear_weight.dim()}")
    if input.dim() != 1 and input.dim() != 2:
        raise RuntimeError(f"linear_cross_entropy(): the input has 1 or 2 dimensions, not {input.dim()}")
    rows = linear_weight.reshape(-1, linear_weight.size(-1))
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    scores = torch.nn.functional.linear(input, rows, bias)
    if linear_weight.dim() > 2:
        if input.dim() != 2:
            raise RuntimeError("a linear_weight of more than 2 dimensions requires an input of 2 dimensions")
        scores = scores.unflatten(1, linear_weight.size()[:-1])
    return cross_entropy(
        scores,
        target,
        weight,
        None,
        -100 if ignore_index is None else ignore_index,
        None,
        reduction,
        label_smoothing,
    )


_OLD = "bool? size_average=None"
_REDUCTION = "bool? reduce=None, str reduction='mean'"
_CLASSES = f"Tensor input, Tensor target, Tensor? weight=None, {_OLD}, int ignore_index=-100, {_REDUCTION}"
_BINARY = f"Tensor input, Tensor target, Tensor? weight=None, {_OLD}, {_REDUCTION}"

OPERATORS: tuple[OpDef, ...] = (
    composite(f"nll_loss({_CLASSES}) -> Tensor", nll_loss, names="F.nll_loss"),
    composite(
        f"cross_entropy({_CLASSES}, float label_smoothing=0.0) -> Tensor", cross_entropy, names="F.cross_entropy"
    ),
    composite(f"binary_cross_entropy({_BINARY}) -> Tensor", binary_cross_entropy, names="F.binary_cross_entropy"),
    composite(
        f"binary_cross_entropy_with_logits({_BINARY}, Tensor? pos_weight=None) -> Tensor",
        binary_cross_entropy_with_logits,
        names="F.binary_cross_entropy_with_logits torch.binary_cross_entropy_with_logits out=no",
    ),
    composite(
        f"kl_div(Tensor input, Tensor target, {_OLD}, {_REDUCTION}, bool log_target=False) -> Tensor",
        kl_div,
        names="F.kl_div",
    ),
    composite(
        f"multi_margin_loss(Tensor input, Tensor target, int p=1, float margin=1.0, Tensor? weight=None, {_OLD}, "
        f"{_REDUCTION}) -> Tensor",
        multi_margin_loss,
        names="F.multi_margin_loss",
    ),
    composite(
        "linear_cross_entropy(Tensor input, Tensor linear_weight, Tensor target, *, Tensor? linear_bias=None, "
        "Tensor? weight=None, str reduction='mean', int? ignore_index=None, float label_smoothing=0.0, "
        "None options=None) -> Tensor",
        linear_cross_entropy,
        names="F.linear_cross_entropy",
    ),
)
"""All operators of this module."""
