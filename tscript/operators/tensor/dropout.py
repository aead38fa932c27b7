"""Dropout, of elements and of whole channels, and activations that draw random numbers."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.random_tensors import FILL, drawing, exponential_like, unit_like


def check_dropped(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


@generic
def kept(shape, p, like):  # type: ignore[no-untyped-def]
    """Ones with the probability ``1 - p``, and zeros."""
    return (FILL(torch.empty(shape, dtype=torch.float32), None) >= p).to(like.dtype)


def dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Each element set to 0 with a probability, and the others multiplied so that the mean stays.

    Srivastava and others, "Dropout: A Simple Way to Prevent Neural Networks from Overfitting" (2014).

    Args:
        input: Of floats, any shape.
        p: The probability.
        training: False: nothing is changed.
        inplace: Whether `input` itself is changed.

    Raises:
        ValueError: `p` is not from 0 to 1.

    Example:
        >>> tscript.nn.functional.dropout(tscript.ones(2), 0.5, training=False).tolist()
        [1.0, 1.0]
    """
    check_dropped(p)
    if not training or p == 0:
        return input
    found = input * kept(input.shape, p, input) * (0.0 if p == 1 else 1 / (1 - p))
    return input.copy_(found) if inplace else found


def kept_features(input: Tensor, p: float) -> Tensor:
    """`kept`, one for each of the first two dimensions."""
    mask = kept((input.size(0), input.size(1)), p, input)
    return mask.reshape([input.size(0), input.size(1)] + [1] * (input.dim() - 2))


def check_features(input: Tensor, name: str) -> None:
    if input.dim() < 2:
        raise RuntimeError(f"{name}: expected at least 2 dimensions, those of samples and channels, not {input.dim()}")


def feature_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """`dropout` of whole channels ``input[i, j]``."""
    check_dropped(p)
    if not training or p == 0:
        return input
    check_features(input, "feature_dropout")
    found = input * kept_features(input, p) * (0.0 if p == 1 else 1 / (1 - p))
    return input.copy_(found) if inplace else found


def dropout1d(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """`dropout` of whole channels of tensors ``(N, C, L)`` or ``(C, L)``."""
    check_dropped(p)
    if input.dim() != 2 and input.dim() != 3:
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input.")
    if input.dim() == 2:
        found = feature_dropout(input.unsqueeze(0), p, training, inplace).squeeze(0)
        return input if inplace else found
    return feature_dropout(input, p, training, inplace)


def dropout2d(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """`dropout` of whole channels of tensors ``(N, C, H, W)``."""
    return feature_dropout(input, p, training, inplace)


def dropout3d(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """`dropout` of whole channels of tensors ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""
    check_dropped(p)
    if input.dim() == 4:
        found = feature_dropout(input.unsqueeze(0), p, training, inplace).squeeze(0)
        return input if inplace else found
    return feature_dropout(input, p, training, inplace)


ALPHA = 1.7580993408473766


def shifted(input: Tensor, noise: Tensor, p: float) -> Tensor:
    """Dropped elements at SELU's lower end, and all moved so that mean and variance stay.

    Klambauer and others, "Self-Normalizing Neural Networks" (2017).
    """
    a = 1.0 / ((ALPHA * ALPHA * p + 1.0) * (1.0 - p)) ** 0.5
    return input * noise * a + ((noise - 1.0) * (ALPHA * a) + ALPHA * a * p)


def alpha_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """`dropout` for networks of SELU: mean and variance stay."""
    check_dropped(p)
    if not training or p == 0:
        return input
    found = torch.zeros_like(input) if p == 1 else shifted(input, kept(input.shape, p, input), p)
    return input.copy_(found) if inplace else found


def feature_alpha_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """`alpha_dropout` of whole channels."""
    check_dropped(p)
    if not training or p == 0:
        return input
    check_features(input, "feature_alpha_dropout")
    found = torch.zeros_like(input) if p == 1 else shifted(input, kept_features(input, p), p)
    return input.copy_(found) if inplace else found


def gumbel_softmax(logits: Tensor, tau: float, hard: bool, eps: float, dim: int) -> Tensor:
    """Samples of the Gumbel-softmax distribution.

    The formula is that of Jang and others, "Categorical Reparameterization with Gumbel-Softmax" (2017).

    Args:
        logits: Of floats: logarithms of weights, not normalised.
        tau: The temperature.
        hard: Whether the largest of each sample is 1 and the others are 0.
        eps: Not used, as in PyTorch.
        dim: Along which a sample sums to 1.

    Example:
        >>> tscript.nn.functional.gumbel_softmax(tscript.zeros(2, 3), hard=True).sum(-1).tolist()
        [1.0, 1.0]
    """
    noise = -torch.log(exponential_like(logits, None))
    soft = torch.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    return torch.zeros_like(soft).scatter(dim, soft.argmax(dim, True), 1.0)


def rrelu(input: Tensor, lower: float, upper: float, training: bool, inplace: bool) -> Tensor:
    """`leaky_relu` with a slope that is drawn for each element, or their mean if `training` is False."""
    if training:
        found = torch.where(input <= 0, input * (unit_like(input, None) * (upper - lower) + lower), input)
    else:
        found = torch.where(input < 0, input * ((lower + upper) / 2), input)
    return input.copy_(found) if inplace else found


def check_native(p: float) -> None:
    """As `check_dropped`; these functions of PyTorch raise another exception."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout_train(input: Tensor, p: float, train: bool) -> Tensor:
    check_native(p)
    return dropout(input, p, train, False)


def dropout_train_(input: Tensor, p: float, train: bool) -> Tensor:
    check_native(p)
    return dropout(input, p, train, True)


def feature_dropout_train(input: Tensor, p: float, train: bool) -> Tensor:
    check_native(p)
    return feature_dropout(input, p, train, False)


def alpha_dropout_train(input: Tensor, p: float, train: bool) -> Tensor:
    check_native(p)
    return alpha_dropout(input, p, train, False)


def feature_alpha_dropout_train(input: Tensor, p: float, train: bool) -> Tensor:
    check_native(p)
    return feature_alpha_dropout(input, p, train, False)


# ---- operators

_DROPPED = "(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor"

OPERATORS: tuple[OpDef, ...] = (
    drawing(f"dropout{_DROPPED}", dropout, names="torch.nn.functional.dropout"),
    drawing(f"dropout1d{_DROPPED}", dropout1d, names="torch.nn.functional.dropout1d"),
    drawing(f"dropout2d{_DROPPED}", dropout2d, names="torch.nn.functional.dropout2d"),
    drawing(f"dropout3d{_DROPPED}", dropout3d, names="torch.nn.functional.dropout3d"),
    drawing(
        "alpha_dropout(Tensor input, float p=0.5, bool training=False, bool inplace=False) -> Tensor",
        alpha_dropout,
        names="torch.nn.functional.alpha_dropout",
    ),
    drawing(
        "feature_alpha_dropout(Tensor input, float p=0.5, bool training=False, bool inplace=False) -> Tensor",
        feature_alpha_dropout,
        names="torch.nn.functional.feature_alpha_dropout",
    ),
    drawing(
        "gumbel_softmax(Tensor logits, float tau=1, bool hard=False, float eps=1e-10, int dim=-1) -> Tensor",
        gumbel_softmax,
        names="torch.nn.functional.gumbel_softmax",
    ),
    drawing(
        "rrelu(Tensor input, float lower=0.125, float upper=0.3333333333333333, bool training=False, "
        "bool inplace=False) -> Tensor",
        rrelu,
        names="torch.nn.functional.rrelu torch.rrelu",
    ),
    drawing(
        "train_dropout(Tensor input, float p, bool train) -> Tensor",
        dropout_train,
        "`nn.functional.dropout`.",
        "torch.dropout",
    ),
    drawing(
        "train_dropout_(Tensor(a!) input, float p, bool train) -> Tensor",
        dropout_train_,
        "In-place `dropout`.",
        "torch.dropout_",
    ),
    drawing(
        "feature_dropout(Tensor input, float p, bool train) -> Tensor",
        feature_dropout_train,
        "`dropout` of whole channels ``input[i, j]``.",
        "torch.feature_dropout",
    ),
    drawing(
        "train_alpha_dropout(Tensor input, float p, bool train) -> Tensor",
        alpha_dropout_train,
        "`nn.functional.alpha_dropout`.",
        "torch.alpha_dropout",
    ),
    drawing(
        "train_feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor",
        feature_alpha_dropout_train,
        "`nn.functional.feature_alpha_dropout`.",
        "torch.feature_alpha_dropout",
    ),
)
"""All operators of this module."""
