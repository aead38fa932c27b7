"""Tensors scaled by their norm, or by the mean and variance of some of their elements."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.late import replace
from tscript.operators.tensor.checks import SCALAR_TYPE, check_floating, check_shape, shown
from tscript.types import TensorType, Type


def normalize(input: Tensor, p: float, dim: Size, eps: float) -> Tensor:
    """Divided by the norm along dimensions, `eps` at least.

    ``v / max(norm(v, p), eps)`` of each vector ``v``, the formula of `torch.nn.functional.normalize`.

    Args:
        input: Floats.
        p: The order of the norm.
        dim: The dimensions of the vectors.
        eps: What the norm is at least.

    Raises:
        RuntimeError: The input has no floats.
        IndexError: A dimension is out of range.

    Example:
        >>> tscript.nn.functional.normalize(tscript.tensor([[1.0, 3.0], [0.0, 0.0]]), p=1.0).tolist()
        [[0.25, 0.75], [0.0, 0.0]]
    """
    return input / input.norm(p, dim, True).clamp(min=eps)


def layer_norm(input: Tensor, normalized_shape: Size, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then times `weight` plus `bias`.

    ``(x - mean) / sqrt(variance + eps) * weight + bias``: Ba, Kiros and Hinton, "Layer Normalization",
    arXiv:1607.06450.

    Args:
        input: Floats.
        normalized_shape: The sizes of these dimensions.
        weight, bias: Of that shape.
        eps: Added to the variance.

    Raises:
        RuntimeError: The input does not end in these sizes, or `weight` or `bias` is of another shape or dtype.
        NotImplementedError: The input has no floats.

    Example:
        >>> x = tscript.tensor([[1.0, 3.0], [2.0, 6.0]])
        >>> tscript.nn.functional.layer_norm(x, (2,), eps=0.0).tolist()
        [[-1.0, 1.0], [-1.0, 1.0]]
    """
    check_shape(input, normalized_shape, weight, bias)
    check_floating(input, "LayerNormKernelImpl")
    rows = input if len(normalized_shape) == 1 else input.flatten(-len(normalized_shape))
    centred = rows - rows.mean(-1, True)
    scaled = centred * ((centred * centred).mean(-1, True) + eps).rsqrt()
    out = scaled if len(normalized_shape) == 1 else scaled.view_as(input)
    if weight is not None:
        out = out * weight
    return out if bias is None else out + bias


def rms_norm(input: Tensor, normalized_shape: Size, weight: Tensor | None, eps: float | None) -> Tensor:
    """Divided by the root of the mean square over the last dimensions, then times `weight`.

    ``x / sqrt(mean(x * x) + eps) * weight``: Zhang and Sennrich, "Root Mean Square Layer Normalization",
    arXiv:1910.07467.

    Args:
        input: Floats.
        normalized_shape: The sizes of these dimensions.
        weight: Of that shape.
        eps: Added to the mean square; None for the distance from 1 to the next number of the dtype.

    Raises:
        RuntimeError: The input does not end in these sizes, or `weight` is of another shape or dtype.
        NotImplementedError: The input has no floats.

    Example:
        >>> tscript.nn.functional.rms_norm(tscript.tensor([2.0, 2.0, 2.0, 2.0]), (4,), eps=0.0).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    check_shape(input, normalized_shape, weight, None)
    check_floating(input, "rms_norm")
    if eps is None:
        eps = 2.220446049250313e-16 if input.dtype == torch.float64 else 1.1920928955078125e-07
    rows = input if len(normalized_shape) == 1 else input.flatten(-len(normalized_shape))
    scaled = rows * ((rows * rows).mean(-1, True) + eps).rsqrt()
    out = scaled if len(normalized_shape) == 1 else scaled.view_as(input)
    return out if weight is None else out * weight


def check_channels(given: Tensor, input: Tensor) -> None:
    """Refuse what is not one number for each channel, of the dtype of the input."""
    if given.dim() != 1 or given.size(0) != input.size(1):
        raise RuntimeError(f"expected one element for each of {input.size(1)} channels, but got {given.numel()}")
    if given.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_TYPE(input)} but found {SCALAR_TYPE(given)}")


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """Mean 0 and variance 1 for each channel, which is dimension 1, then times `weight` plus `bias`.

    ``(x - mean) / sqrt(variance + eps) * weight + bias``: Ioffe and Szegedy, "Batch Normalization", arXiv:1502.03167.

    Args:
        input: Floats.
        running_mean, running_var: The mean and the variance, unless `training`.
        weight, bias: For each channel.
        training: Whether the mean and the variance are those of the input.
        momentum: How far running statistics move, if `training`.
        eps: Added to the variance.

    Raises:
        RuntimeError: There is no mean or variance to use, or the input has elements and no channels, or other floats
            than these.
        ValueError: There is one element of each channel alone, and that is what varies.
        NotImplementedError: The input has no floats, or there is one of the running statistics alone.

    Example:
        >>> x = tscript.tensor([[1.0, 10.0], [3.0, 30.0]])
        >>> tscript.nn.functional.batch_norm(x, None, None, training=True, eps=0.0).tolist()
        [[-1.0, -1.0], [1.0, 1.0]]
    """
    check_floating(input, "batch_norm")
    if input.dim() < 2:
        if input.dim() == 0 or input.numel() > 0:
            raise RuntimeError(f"batch_norm(): expected at least 2 dimensions, but got {input.dim()}")
        return input.clone()
    for given in (running_mean, running_var, weight, bias):
        if given is not None:
            check_channels(given, input)
    rows = input.unsqueeze(2) if input.dim() == 2 else input.flatten(2)
    if training:
        if running_mean is not None or running_var is not None:
            raise NotImplementedError("batch_norm(training=True) takes both running statistics, or None for both")
        if rows.size(0) * rows.size(2) == 1:
            raise ValueError(
                "Expected more than 1 value per channel when training, got input size torch.Size(["
                + shown(input.size())
                + "])"
            )  # fmt: skip
        mean, variance = rows.mean((0, 2)), rows.var((0, 2), False)
    else:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined when training=False")
        mean, variance = running_mean, running_var
    # All views first: where ranks are not known they may raise, and no arithmetic is fused across them.
    centre, scale = mean.unsqueeze(1), (variance + eps).rsqrt().unsqueeze(1)
    if weight is not None:
        weight = weight.unsqueeze(1)
    if bias is not None:
        bias = bias.unsqueeze(1)
    out = (rows - centre) * scale
    if weight is not None:
        out = out * weight
    if bias is not None:
        out = out + bias
    return out.view_as(input)


def unless_updated(made: OpDef, flag: str) -> OpDef:
    """The overload for calls that update no statistics: there are none, or the flag is the constant False."""
    rule = made.type_rule
    at = [p.name for p in made.schema.parameters].index(flag)

    def checked(args: Sequence[Arg]) -> Type:
        if args[at].constant is not False and all(isinstance(a.type, TensorType) for a in args[1:3]):
            raise OperatorTypeError(f"{made.name} updates the statistics if {flag} is not False")
        return rule(args)

    return replace(made, type_rule=checked)


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "normalize(Tensor input, Scalar p=2, int[1] dim=(1,), float eps=1e-12) -> Tensor",
        normalize,
        names="F.normalize",
    ),
    composite(
        "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) "
        "-> Tensor",
        layer_norm,
        names="torch.layer_norm F.layer_norm out=no",
    ),
    unless_updated(
        composite(
            "batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, "
            "Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
            batch_norm,
            names="F.batch_norm",
        ),
        "training",
    ),
    composite(
        "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
        rms_norm,
        names="torch.rms_norm F.rms_norm out=no",
    ),
)
"""All operators of this module."""
