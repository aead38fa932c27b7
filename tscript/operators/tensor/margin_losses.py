"""Losses of pairs, and of counts and normal distributions."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.losses import reduced, reduction_of

TWO_PI = 6.283185307179586


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """``max(0, -target * (input1 - input2) + margin)``: the formula of `torch.nn.MarginRankingLoss`.

    Args:
        input1, input2: What is compared; all three broadcast.
        target: 1 where the first has to be greater, -1 where the second.
        margin: How far they have to be apart.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([1.0, 2.0]), tscript.tensor([3.0, 1.0])
        >>> tscript.nn.functional.margin_ranking_loss(x, y, tscript.tensor([1.0, 1.0]), reduction="none").tolist()
        [2.0, 0.0]
    """
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    losses = torch.clamp(-target * (input1 - input2) + margin, min=0.0)
    return reduced(losses, reduction_of(size_average, reduce, reduction))


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    """x where the target is 1, ``max(0, margin - x)`` where it is -1: the formula of `torch.nn.HingeEmbeddingLoss`.

    Args:
        input: Distances.
        target: 1 or -1; they broadcast.
        margin: How far others have to be away.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([0.5, 0.25]), tscript.tensor([1.0, -1.0])
        >>> tscript.nn.functional.hinge_embedding_loss(x, y, reduction="none").tolist()
        [0.5, 0.75]
    """
    away = torch.where(target != 1, torch.clamp(margin - input, min=0.0), 0.0)
    near = torch.where(target != -1, input, 0.0)
    return reduced(away + near, reduction_of(size_average, reduce, reduction))


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """1 less the cosine where the target is 1, the cosine beyond `margin` where it is -1.

    The formula is that of `torch.nn.CosineEmbeddingLoss`.

    Args:
        input1, input2: Vectors, of shape ``(D,)`` or ``(N, D)``.
        target: 1 or -1, of shape ``()`` or ``(N,)``.
        margin: From -1 to 1.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([[1.0, 0.0], [1.0, 0.0]]), tscript.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> tscript.nn.functional.cosine_embedding_loss(x, y, tscript.tensor([1, -1]), reduction="none").tolist()
        [1.0, 1.0]
    """
    if input1.size() != input2.size() or input1.dim() != target.dim() + 1 or input1.dim() > 2:
        raise RuntimeError(
            f"cosine_embedding_loss(): vectors of shape (D,) or (N, D) and a target of shape () or (N,), but got "
            f"{input1.size()}, {input2.size()} and {target.size()}"
        )
    products = (input1 * input2).sum(-1)
    squares = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = products / squares.sqrt()
    losses = torch.where(target == 1, 1 - cosine, 0.0) + torch.where(
        target == -1, torch.clamp(cosine - margin, min=0.0), 0.0
    )
    return reduced(losses, reduction_of(size_average, reduce, reduction))


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` of distances.

    The formula is that of `torch.nn.TripletMarginLoss`, after Balntas and others, "Learning local feature descriptors
    with triplets", BMVC 2016.

    Args:
        anchor, positive, negative: Vectors, of shape ``(D,)`` or ``(N, D)``.
        margin: How much farther the negative ones have to be.
        p: The norm that distances are of.
        eps: What is added to differences.
        swap: Whether the distance of the positive from the negative counts, if that is less.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The numbers of dimensions differ, or the shapes do not go together.
        ValueError: There is no such reduction, or the margin is not positive.

    Example:
        >>> a, b = tscript.tensor([[0.0, 0.0]]), tscript.tensor([[3.0, 4.0]])
        >>> round(tscript.nn.functional.triplet_margin_loss(a, b, a).item(), 3)
        6.0
    """
    if anchor.dim() != positive.dim() or anchor.dim() != negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near = torch.nn.functional.pairwise_distance(anchor, positive, p, eps)
    away = torch.nn.functional.pairwise_distance(anchor, negative, p, eps)
    if swap:
        away = torch.minimum(away, torch.nn.functional.pairwise_distance(positive, negative, p, eps))
    return reduced(torch.clamp(margin + near - away, min=0.0), reduction_of(size_average, reduce, reduction))


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance_function,
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own.

    Args:
        anchor, positive, negative: Of as many dimensions.
        distance_function: A function of two tensors; `pairwise_distance` if left out.
        margin: How much farther the negative ones have to be.
        swap: Whether the distance of the positive from the negative counts, if that is less.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The numbers of dimensions differ, or the shapes do not go together.
        ValueError: There is no such reduction, or the margin is not positive.

    Example:
        >>> a, b = tscript.tensor([[0.0, 0.0]]), tscript.tensor([[3.0, 4.0]])
        >>> round(tscript.nn.functional.triplet_margin_with_distance_loss(a, b, a, margin=2.0).item(), 3)
        7.0
    """
    if anchor.dim() != positive.dim() or anchor.dim() != negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near = apart(anchor, positive, distance_function)
    away = apart(anchor, negative, distance_function)
    if swap:
        away = torch.minimum(away, apart(positive, negative, distance_function))
    return reduced(torch.clamp(margin + near - away, min=0.0), reduction)


@generic
def apart(x, y, distance_function) -> Tensor:
    """The distances of a function, or those of `pairwise_distance`."""
    if distance_function is None:
        return torch.nn.functional.pairwise_distance(x, y)
    return distance_function(x, y)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool,
    full: bool,
    size_average: bool | None,
    eps: float,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """How unlikely counts are if they have a Poisson distribution: the formula of `torch.nn.PoissonNLLLoss`.

    Args:
        input: Expected counts, or their logarithms.
        target: Counts; they broadcast.
        log_input: Whether the input has logarithms.
        full: Whether Stirling's approximation of ``log(target!)`` is added.
        size_average, reduce: Older forms of `reduction`.
        eps: What is added to counts before their logarithm.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([0.0, 0.0]), tscript.tensor([0.0, 3.0])
        >>> tscript.nn.functional.poisson_nll_loss(x, y, reduction="none").tolist()
        [1.0, 1.0]
    """
    losses = input.exp() - target * input if log_input else input - target * torch.log(input + eps)
    if full:
        stirling = target * target.log() - target + 0.5 * torch.log(TWO_PI * target)
        losses = losses + torch.where(target > 1, stirling, 0.0)
    return reduced(losses, reduction_of(size_average, reduce, reduction))


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool, eps: float, reduction: str) -> Tensor:
    """How unlikely numbers are if they have a normal distribution: the formula of `torch.nn.GaussianNLLLoss`.

    ``0.5 * (log(var) + (input - target) ** 2 / var)``, where `var` is `eps` at least.

    Args:
        input: Expected numbers.
        target: Numbers.
        var: Variances, of the shape of the input, or without its last dimension, or with size 1 there.
        full: Whether ``0.5 * log(2 * pi)`` is added.
        eps: The least variance.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        ValueError: A variance is negative, the shapes do not go together, or there is no such reduction.

    Example:
        >>> x, y = tscript.tensor([0.0, 0.0]), tscript.tensor([0.0, 3.0])
        >>> tscript.nn.functional.gaussian_nll_loss(x, y, tscript.ones(2), reduction="none").tolist()
        [0.0, 4.5]
    """
    if bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    spread = var
    if var.size() != input.size():
        if var.size() == input.size()[:-1]:
            spread = var.unsqueeze(-1)
        elif var.dim() != input.dim() or var.size()[:-1] != input.size()[:-1] or var.size(-1) != 1:
            raise ValueError("var is of incorrect size")
    spread = torch.clamp(spread, min=eps)
    losses = 0.5 * (spread.log() + (input - target).square() / spread)
    if full:
        losses = losses + 0.9189385332046727
    return reduced(losses, reduction)


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    """``log(1 + exp(-target * input))``: the formula of `torch.nn.SoftMarginLoss`.

    Args:
        input: Scores.
        target: 1 or -1; they broadcast.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([0.0, 0.0]), tscript.tensor([1.0, -1.0])
        >>> tscript.nn.functional.soft_margin_loss(x, y).item()
        0.6931471824645996
    """
    return reduced(torch.log1p(torch.exp(-target * input)), reduction_of(size_average, reduce, reduction))


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
) -> Tensor:
    """`binary_cross_entropy_with_logits` of several labels, as their mean.

    The formula is that of `torch.nn.MultiLabelSoftMarginLoss`.

    Args:
        input: Scores, of shape ``(N, C)``.
        target: Which labels are right, 0 or 1, of the same shape.
        weight: A factor for each label.
        size_average, reduce: Older forms of `reduction`.
        reduction: ``"mean"`` or ``"sum"`` of all elements, or ``"none"``.

    Raises:
        RuntimeError: The shapes do not go together.
        ValueError: There is no such reduction.

    Example:
        >>> x, y = tscript.tensor([[0.0, 0.0]]), tscript.tensor([[1.0, 0.0]])
        >>> tscript.nn.functional.multilabel_soft_margin_loss(x, y).item()
        0.6931471824645996
    """
    yes = torch.nn.functional.logsigmoid(input)
    no = torch.nn.functional.logsigmoid(-input)
    losses = -(target * yes + (1 - target) * no)
    if weight is not None:
        losses = losses * weight
    return reduced(losses.mean(-1), reduction_of(size_average, reduce, reduction))


_OLD = "bool? size_average=None"
_REDUCTION = "bool? reduce=None, str reduction='mean'"
_TWO = f"Tensor input1, Tensor input2, Tensor target, float margin=0.0, {_OLD}, {_REDUCTION}"

OPERATORS: tuple[OpDef, ...] = (
    composite(f"margin_ranking_loss({_TWO}) -> Tensor", margin_ranking_loss, names="F.margin_ranking_loss"),
    composite(
        f"hinge_embedding_loss(Tensor input, Tensor target, float margin=1.0, {_OLD}, {_REDUCTION}) -> Tensor",
        hinge_embedding_loss,
        names="F.hinge_embedding_loss",
    ),
    composite(f"cosine_embedding_loss({_TWO}) -> Tensor", cosine_embedding_loss, names="F.cosine_embedding_loss"),
    composite(
        "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2.0, "
        f"float eps=1e-06, bool swap=False, {_OLD}, {_REDUCTION}) -> Tensor",
        triplet_margin_loss,
        names="F.triplet_margin_loss",
    ),
    composite(
        "triplet_margin_with_distance_loss(Tensor anchor, Tensor positive, Tensor negative, *, "
        "Any distance_function=None, float margin=1.0, bool swap=False, str reduction='mean') -> Tensor",
        triplet_margin_with_distance_loss,
        names="F.triplet_margin_with_distance_loss",
    ),
    composite(
        f"poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool full=False, {_OLD}, "
        f"float eps=1e-08, {_REDUCTION}) -> Tensor",
        poisson_nll_loss,
        names="F.poisson_nll_loss",
    ),
    composite(
        "gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full=False, float eps=1e-06, "
        "str reduction='mean') -> Tensor",
        gaussian_nll_loss,
        names="F.gaussian_nll_loss",
    ),
    composite(
        f"soft_margin_loss(Tensor input, Tensor target, {_OLD}, {_REDUCTION}) -> Tensor",
        soft_margin_loss,
        names="F.soft_margin_loss",
    ),
    composite(
        f"multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight=None, {_OLD}, {_REDUCTION})"
        " -> Tensor",
        multilabel_soft_margin_loss,
        names="F.multilabel_soft_margin_loss",
    ),
)
"""All operators of this module."""
