"""First values of parameters, under the names of ``torch.nn.init``.

The functions write into a tensor and return it. Numbers are drawn from the stream of `tscript.manual_seed`: the
distributions are PyTorch's, the numbers are not.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import tscript
from tscript import Tensor

_Scalar = int | float

_LINEAR = frozenset({
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid",
})  # fmt: skip


def calculate_gain(nonlinearity: str, param: _Scalar | None = None) -> float:
    """By what a layer's weights are multiplied so that the variance stays behind a nonlinearity.

    Args:
        nonlinearity: Its name: ``linear``, ``conv2d``, ``sigmoid``, ``tanh``, ``relu``, ``leaky_relu``, ``selu``.
        param: The slope of ``leaky_relu``; 0.01 if left out.

    Raises:
        ValueError: There is no such nonlinearity, or the slope is no number.

    Example:
        >>> from tscript import nn
        >>> nn.init.calculate_gain("tanh")
        1.6666666666666667
    """
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Numbers that are evenly spread from `a` to `b`."""
    return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Numbers of the normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Numbers of the normal distribution that lie from `a` to `b`.

    The inverse of the distribution function is taken at evenly spread numbers.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_: the distribution may be wrong", stacklevel=2
        )
    low, high = (math.erf((limit - mean) / std / math.sqrt(2.0)) for limit in (a, b))
    tensor.uniform_(low, high, generator=generator)
    tensor.erfinv_()
    tensor.mul_(std * math.sqrt(2.0))
    tensor.add_(mean)
    return tensor.clamp_(a, b)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere."""
    return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """1 everywhere."""
    return tensor.fill_(1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """0 everywhere."""
    return tensor.fill_(0.0)


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix.

    Raises:
        ValueError: The tensor is no matrix.
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(tscript.eye(*tensor.shape, dtype=tensor.dtype))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Filters of a convolution that leave its channels as they are, as many as there can be.

    Args:
        tensor: Weights of 3, 4 or 5 dimensions.
        groups: The groups of the convolution.

    Raises:
        ValueError: The tensor has another number of dimensions, or the groups do not divide its first size.
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    tensor.fill_(0.0)
    middle = tuple(size // 2 for size in tensor.shape[2:])
    filters = tensor.shape[0] // groups
    for group in range(groups):
        for channel in range(min(filters, tensor.shape[1])):
            tensor[(group * filters + channel, channel, *middle)] = 1.0
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many numbers a number of the result depends on, and how many depend on a number of the input."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Evenly spread numbers of the variance ``gain**2 * 2 / (fan_in + fan_out)`` (Glorot and Bengio, 2010).

    Raises:
        ValueError: The tensor has fewer than two dimensions.
    """
    limit = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return uniform_(tensor, -limit, limit, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """As `xavier_uniform_`, of the normal distribution."""
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return normal_(tensor, 0.0, std, generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Evenly spread numbers of the variance ``gain**2 / fan`` (He et al., 2015).

    Args:
        tensor: Where they are written.
        a: The slope of ``leaky_relu``.
        mode: ``fan_in`` or ``fan_out``.
        nonlinearity: As for `calculate_gain`.

    Raises:
        ValueError: The tensor has fewer than two dimensions, or there is no such mode.
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """As `kaiming_uniform_`, of the normal distribution."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """An orthogonal matrix times `gain`; of a tensor with more dimensions, those behind the first are taken as one
    (Saxe et al., 2013).

    Raises:
        ValueError: The tensor has fewer than two dimensions.
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    drawn = tscript.empty(rows, columns, dtype=tensor.dtype).normal_(0.0, 1.0, generator=generator)
    q, r = tscript.linalg.qr(drawn.t() if rows < columns else drawn)
    q = q * r.diagonal().sign()
    q = q.t() if rows < columns else q
    return tensor.copy_(q.reshape(tensor.shape)).mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Numbers of the normal distribution, and in each column a part of zeros (Martens, 2010).

    Args:
        tensor: A matrix.
        sparsity: How much of each column is 0.
        std: Standard deviation of the others.

    Raises:
        ValueError: The tensor is no matrix.
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    tensor.normal_(0.0, std, generator=generator)
    for column in range(columns):
        tensor[tscript.randperm(rows, generator=generator)[:zeros], column] = 0.0
    return tensor
