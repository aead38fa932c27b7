"""Convolutions of one, two and three dimensions, and transposed ones."""

from __future__ import annotations

import math
from typing import Any

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn import init
from tscript.nn.modules.making import empty
from tscript.nn.modules.module import Module
from tscript.nn.modules.utils import _pair, _reverse_repeat_tuple, _single, _triple
from tscript.nn.parameter import Parameter

_Sizes = int | tuple[int, ...]

_STRINGS = ("same", "valid")
_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions have."""

    __constants__: tuple[str, ...] = (
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
        "kernel_size",
    )  # fmt: skip
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: str | tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    _reversed_padding_repeated_twice: list[int]
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError(f"groups must be a positive integer, found {groups}")
        if in_channels % groups:
            raise ValueError(f"in_channels must be divisible by groups: {in_channels} is not, by {groups}")
        if out_channels % groups:
            raise ValueError(f"out_channels must be divisible by groups: {out_channels} is not, by {groups}")
        if isinstance(padding, str):
            if padding not in _STRINGS:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {_STRINGS}")
            if padding == "same" and any(step != 1 for step in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {_MODES}, but got padding_mode={padding_mode!r}")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _pads(padding, kernel_size, dilation)
        shape = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(empty((*shape, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Evenly spread numbers within ``1 / sqrt(fan_in)``."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def extra_repr(self) -> str:
        n = len(self.kernel_size)
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * n:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


def _pads(padding: str | tuple[int, ...], kernel_size: tuple[int, ...], dilation: tuple[int, ...]) -> list[int]:
    """The padding at both ends of each dimension, the last one first."""
    if not isinstance(padding, str):
        return [*_reverse_repeat_tuple(padding, 2)]
    found: list[int] = []
    for size, step in zip(reversed(kernel_size), reversed(dilation), strict=True):
        total = step * (size - 1) if padding == "same" else 0
        found += [total // 2, total - total // 2]
    return found


class Conv1d(_ConvNd):
    """Convolution of tensors ``(N, C, L)``, with or without the batch.

    Args:
        in_channels, out_channels: Channels of the input and of the result.
        kernel_size, stride, dilation: One number for all dimensions, or one for each.
        padding: What is added at both ends; or ``"same"``, ``"valid"``.
        groups: Channels are convolved in so many groups by themselves.
        bias: Whether something is added to each channel.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device, dtype: Of the parameters.

    Raises:
        ValueError: Groups do not divide the channels, or there is no such padding.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> nn.Conv1d(3, 2, 3, padding=1)(tscript.ones(1, 3, 4)).shape
        (1, 2, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: str | _Sizes = 0,
        dilation: _Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, _single(kernel_size), _single(stride),
            padding if isinstance(padding, str) else _single(padding), _single(dilation), False, _single(0), groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv1d(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_ConvNd):
    """Convolution of tensors ``(N, C, H, W)``, with or without the batch.

    Args:
        in_channels, out_channels: Channels of the input and of the result.
        kernel_size, stride, dilation: One number for all dimensions, or one for each.
        padding: What is added at both ends; or ``"same"``, ``"valid"``.
        groups: Channels are convolved in so many groups by themselves.
        bias: Whether something is added to each channel.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device, dtype: Of the parameters.

    Raises:
        ValueError: Groups do not divide the channels, or there is no such padding.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> nn.Conv2d(3, 2, 3, padding=1)(tscript.ones(1, 3, 4, 4)).shape
        (1, 2, 4, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: str | _Sizes = 0,
        dilation: _Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, _pair(kernel_size), _pair(stride),
            padding if isinstance(padding, str) else _pair(padding), _pair(dilation), False, _pair(0), groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv3d(_ConvNd):
    """Convolution of tensors ``(N, C, D, H, W)``, with or without the batch.

    Args:
        in_channels, out_channels: Channels of the input and of the result.
        kernel_size, stride, dilation: One number for all dimensions, or one for each.
        padding: What is added at both ends; or ``"same"``, ``"valid"``.
        groups: Channels are convolved in so many groups by themselves.
        bias: Whether something is added to each channel.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device, dtype: Of the parameters.

    Raises:
        ValueError: Groups do not divide the channels, or there is no such padding.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> nn.Conv3d(3, 2, 3, padding=1)(tscript.ones(1, 3, 4, 4, 4)).shape
        (1, 2, 4, 4, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: str | _Sizes = 0,
        dilation: _Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, _triple(kernel_size), _triple(stride),
            padding if isinstance(padding, str) else _triple(padding), _triple(dilation), False, _triple(0), groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv3d(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input."""
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """What all transposed convolutions have."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(
        self,
        input: Tensor,
        output_size: list[int] | None,
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        kernel_size: tuple[int, ...],
        num_spatial_dims: int,
        dilation: tuple[int, ...],
    ) -> list[int]:
        """What has to be added at the end of each dimension so that the result has a size."""
        if output_size is None:
            return list(self.output_padding)
        sizes: list[int] = list(output_size)
        leading = input.dim() - num_spatial_dims
        if len(sizes) == input.dim():
            sizes = sizes[leading:]
        if len(sizes) != num_spatial_dims:
            raise ValueError(
                f"output_size must have {num_spatial_dims} or {input.dim()} elements for an input of {input.dim()} "
                f"dimensions, found {len(sizes)}"
            )
        added: list[int] = []
        for d in range(num_spatial_dims):
            least = (input.size(d + leading) - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel_size[d] - 1) + 1
            most = least + stride[d] - 1
            if sizes[d] < least or sizes[d] > most:
                raise ValueError(
                    f"requested output size {sizes[d]} of dimension {d}, but valid sizes range from {least} to {most}"
                )
            added.append(sizes[d] - least)
        return added


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution of tensors ``(N, C, L)``, with or without the batch.

    Args:
        in_channels, out_channels: Channels of the input and of the result.
        kernel_size, stride, dilation: One number for all dimensions, or one for each.
        padding: What is taken away at both ends.
        output_padding: What is added at the end.
        groups: Channels are convolved in so many groups by themselves.
        bias: Whether something is added to each channel.
        padding_mode: ``zeros``.
        device, dtype: Of the parameters.

    Raises:
        ValueError: Groups do not divide the channels, or another `padding_mode`.
    """

    padding: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: _Sizes = 0,
        output_padding: _Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, _single(kernel_size), _single(stride), _single(padding), _single(dilation), True,
            _single(output_padding), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """The transposed convolution.

        Args:
            input: The input.
            output_size: Sizes of the result, where the stride leaves a choice.

        Raises:
            ValueError: They cannot be.
        """
        added = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 1, self.dilation)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, added, self.groups, self.dilation
        )


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution of tensors ``(N, C, H, W)``, with or without the batch.

    Args:
        in_channels, out_channels: Channels of the input and of the result.
        kernel_size, stride, dilation: One number for all dimensions, or one for each.
        padding: What is taken away at both ends.
        output_padding: What is added at the end.
        groups: Channels are convolved in so many groups by themselves.
        bias: Whether something is added to each channel.
        padding_mode: ``zeros``.
        device, dtype: Of the parameters.

    Raises:
        ValueError: Groups do not divide the channels, or another `padding_mode`.
    """

    padding: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: _Sizes = 0,
        output_padding: _Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, _pair(kernel_size), _pair(stride), _pair(padding), _pair(dilation), True,
            _pair(output_padding), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """The transposed convolution.

        Args:
            input: The input.
            output_size: Sizes of the result, where the stride leaves a choice.

        Raises:
            ValueError: They cannot be.
        """
        added = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, added, self.groups, self.dilation
        )


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution of tensors ``(N, C, D, H, W)``, with or without the batch.

    Args:
        in_channels, out_channels: Channels of the input and of the result.
        kernel_size, stride, dilation: One number for all dimensions, or one for each.
        padding: What is taken away at both ends.
        output_padding: What is added at the end.
        groups: Channels are convolved in so many groups by themselves.
        bias: Whether something is added to each channel.
        padding_mode: ``zeros``.
        device, dtype: Of the parameters.

    Raises:
        ValueError: Groups do not divide the channels, or another `padding_mode`.
    """

    padding: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: _Sizes,
        stride: _Sizes = 1,
        padding: _Sizes = 0,
        output_padding: _Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, _triple(kernel_size), _triple(stride), _triple(padding), _triple(dilation), True,
            _triple(output_padding), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """The transposed convolution.

        Args:
            input: The input.
            output_size: Sizes of the result, where the stride leaves a choice.

        Raises:
            ValueError: They cannot be.
        """
        added = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 3, self.dilation)
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, added, self.groups, self.dilation
        )
