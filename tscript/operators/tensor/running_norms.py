"""Normalisation of channels that keeps running statistics, and PyTorch's forms that also give mean and variance."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import check_floating, check_shape, shown
from tscript.operators.tensor.normalization import check_channels


def check_varies(rows: Tensor, input: Tensor) -> None:
    """Refuse channels of one element, of which nothing varies."""
    if rows.size(0) * rows.size(2) == 1:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size torch.Size(["
            + shown(input.size())
            + "])"
        )  # fmt: skip


def rows_of(input: Tensor) -> Tensor:
    """The input as ``(batch, channels, elements)``."""
    return input.unsqueeze(2) if input.dim() == 2 else input.flatten(2)


@generic
def with_statistics(input, mean, variance, weight, bias, eps: float) -> Tensor:
    """``(x - mean) / sqrt(variance + eps) * weight + bias`` for each channel."""
    return torch.nn.functional.batch_norm(input, mean, variance, weight, bias, False, 0.0, eps)


def move_towards(running: Tensor, found: Tensor, momentum: float) -> None:
    """``(1 - momentum) * running + momentum * found``, in place."""
    running.copy_(running * (1 - momentum) + found * momentum)


def batch_norm_running(
    input: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """`batch_norm` that moves the running mean and variance towards those of the input, if `training`.

    They become ``(1 - momentum) * running + momentum * found``; the variance found is the unbiased one.

    Args:
        input: Floats, with channels in dimension 1.
        running_mean, running_var: Statistics of each channel, which are changed if `training`, else used.
        weight, bias: For each channel.
        training: Whether the mean and the variance are those of the input.
        momentum: How far the running ones move.
        eps: Added to the variance.

    Raises:
        RuntimeError: The input has no channels, or other floats than the statistics.
        ValueError: There is one element of each channel alone, and `training` is True.
        NotImplementedError: The input has no floats.

    Example:
        >>> mean, var = tscript.zeros(1), tscript.ones(1)
        >>> x = tscript.tensor([[1.0], [3.0]])
        >>> tscript.nn.functional.batch_norm(x, mean, var, training=True, momentum=0.5, eps=0.0).tolist()
        [[-1.0], [1.0]]
        >>> mean.tolist(), var.tolist()
        ([1.0], [1.5])
    """
    if not training:
        return with_statistics(input, running_mean, running_var, weight, bias, eps)
    check_floating(input, "batch_norm")
    if input.dim() < 2:
        if input.dim() == 0 or input.numel() > 0:
            raise RuntimeError(f"batch_norm(): expected at least 2 dimensions, but got {input.dim()}")
        return input.clone()
    check_channels(running_mean, input)
    check_channels(running_var, input)
    rows = rows_of(input)
    check_varies(rows, input)
    mean = rows.mean((0, 2))
    variance = rows.var((0, 2), False)
    count = rows.size(0) * rows.size(2)
    move_towards(running_mean, mean, momentum)
    move_towards(running_var, variance * (count / (count - 1)), momentum)
    return with_statistics(input, mean, variance, weight, bias, eps)


def instance_norm_running(
    input: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """`instance_norm` that moves the running mean and variance towards those of the input, if `use_input_stats`.

    They become ``(1 - momentum) * running + momentum * found``, where what is found is the mean over the batch of the
    mean and of the unbiased variance of each channel of each element.

    Args:
        input: Floats, of shape ``(batch, channels, ...)``.
        running_mean, running_var: Statistics of each channel, which are changed if `use_input_stats`, else used.
        weight, bias: For each channel.
        use_input_stats: Whether the mean and the variance are those of the input.
        momentum: How far the running ones move.
        eps: Added to the variance.

    Raises:
        ValueError: A channel has one element alone.
        RuntimeError: There are fewer dimensions, or other floats than the statistics.
        NotImplementedError: The input has no floats.

    Example:
        >>> mean, var = tscript.zeros(1), tscript.ones(1)
        >>> x = tscript.tensor([[[1.0, 3.0]]])
        >>> tscript.nn.functional.instance_norm(x, mean, var, momentum=0.5, eps=0.0).tolist()
        [[[-1.0, 1.0]]]
        >>> mean.tolist(), var.tolist()
        ([1.0], [1.5])
    """
    if not use_input_stats:
        return with_statistics(input, running_mean, running_var, weight, bias, eps)
    found = torch.nn.functional.instance_norm(input, None, None, weight, bias, True, momentum, eps)
    check_channels(running_mean, input)
    check_channels(running_var, input)
    rows = input.flatten(2)
    move_towards(running_mean, rows.mean(2).mean(0), momentum)
    move_towards(running_var, rows.var(2, True).mean(0), momentum)
    return found


# ---- forms that give the statistics


def native_layer_norm(
    input: Tensor, normalized_shape: Size, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm`, and the mean and ``1 / sqrt(variance + eps)`` of each row.

    Args:
        input: Floats.
        normalized_shape: The last sizes.
        weight, bias: Of that shape.
        eps: Added to the variance.

    Raises:
        RuntimeError: The input does not end in these sizes, or `weight` or `bias` is of another shape or dtype.
        NotImplementedError: The input has no floats.

    Example:
        >>> out, mean, scale = tscript.native_layer_norm(tscript.tensor([[1.0, 3.0]]), (2,), None, None, 0.0)
        >>> out.tolist(), mean.tolist(), scale.tolist()
        ([[-1.0, 1.0]], [[2.0]], [[1.0]])
    """
    check_shape(input, normalized_shape, weight, bias)
    out = torch.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)
    dims = [i - len(normalized_shape) for i in range(len(normalized_shape))]
    return out, input.mean(dims, True), (input.var(dims, False, True) + eps).rsqrt()


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`group_norm`, and the mean and ``1 / sqrt(variance + eps)`` of each group.

    Args:
        input: Floats, of ``N * C * HxW`` elements.
        weight, bias: For each channel.
        N, C, HxW: The sizes: the batch, the channels, and all others multiplied.
        group: How many groups of channels there are.
        eps: Added to the variance.

    Raises:
        RuntimeError: The sizes are others, the channels cannot be divided so, or `weight` or `bias` has another size.
        NotImplementedError: The input has no floats.

    Example:
        >>> x = tscript.tensor([[1.0, 3.0]])
        >>> out, mean, scale = tscript.native_group_norm(x, None, None, 1, 2, 1, 1, 0.0)
        >>> out.tolist(), mean.tolist(), scale.tolist()
        ([[-1.0, 1.0]], [[2.0]], [[1.0]])
    """
    if input.numel() != N * C * HxW:
        raise RuntimeError(f"expected N * C * HxW = {N * C * HxW} elements, but got {input.numel()}")
    whole = input.reshape(N, C, HxW)
    out = torch.nn.functional.group_norm(whole, group, weight, bias, eps).reshape(input.size())
    rows = whole.reshape(N, group, C // group * HxW)
    return out, rows.mean(2), (rows.var(2, False) + eps).rsqrt()


@generic
def statistics_of(input, eps: float):
    """The mean and ``1 / sqrt(variance + eps)`` of each channel."""
    rows = rows_of(input)
    return rows.mean((0, 2)), (rows.var((0, 2), False) + eps).rsqrt()


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm`, and the mean and ``1 / sqrt(variance + eps)`` of each channel if `training`, else nothing.

    Args:
        input, weight, bias, running_mean, running_var, training, momentum, eps: Those of `batch_norm`.

    Raises:
        RuntimeError: There is no mean or variance to use, or the input has no channels, or other floats than these.
        NotImplementedError: The input has no floats.

    Example:
        >>> x = tscript.tensor([[1.0], [3.0]])
        >>> out, mean, scale = tscript.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)
        >>> out.tolist(), mean.tolist(), scale.tolist()
        ([[-1.0], [1.0]], [2.0], [1.0])
    """
    out = torch.nn.functional.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return out, torch.empty(0, dtype=input.dtype), torch.empty(0, dtype=input.dtype)
    mean, scale = statistics_of(input, eps)
    return out, mean, scale


def native_batch_norm_running(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    out = torch.nn.functional.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return out, torch.empty(0, dtype=input.dtype), torch.empty(0, dtype=input.dtype)
    mean, scale = statistics_of(input, eps)
    return out, mean, scale


_WRITTEN = "Tensor(a!) running_mean, Tensor(b!) running_var"
_FACTORS = "Tensor? weight=None, Tensor? bias=None"
_NATIVE = "Tensor input, Tensor? weight, Tensor? bias"
_THREE = "(Tensor, Tensor, Tensor)"

OPERATORS: tuple[OpDef, ...] = (
    composite(
        f"batch_norm.running(Tensor input, {_WRITTEN}, {_FACTORS}, bool training=False, float momentum=0.1, "
        "float eps=1e-05) -> Tensor",
        batch_norm_running,
        names="F.batch_norm",
    ),
    composite(
        f"instance_norm.running(Tensor input, {_WRITTEN}, {_FACTORS}, bool use_input_stats=True, float momentum=0.1, "
        "float eps=1e-05) -> Tensor",
        instance_norm_running,
        names="F.instance_norm",
    ),
    composite(
        f"native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> {_THREE}",
        native_layer_norm,
        names="torch.native_layer_norm out=no",
    ),
    composite(
        f"native_group_norm({_NATIVE}, int N, int C, int HxW, int group, float eps) -> {_THREE}",
        native_group_norm,
        names="torch.native_group_norm out=no",
    ),
    composite(
        f"native_batch_norm.running({_NATIVE}, {_WRITTEN}, bool training, float momentum, float eps) -> {_THREE}",
        native_batch_norm_running,
        "`native_batch_norm` that moves the running statistics, as `batch_norm` does.",
        names="torch.native_batch_norm out=no",
    ),
    composite(
        f"native_batch_norm({_NATIVE}, Tensor? running_mean, Tensor? running_var, bool training, float momentum, "
        f"float eps) -> {_THREE}",
        native_batch_norm,
        names="torch.native_batch_norm out=no",
    ),
)
"""All operators of this module."""
