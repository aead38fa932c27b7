"""`Fold` and `Unfold`: windows of images as columns, and back."""

from __future__ import annotations

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module

_Sizes = int | tuple[int, ...]


class Fold(Module):
    """Columns as windows of an image, whose elements are added where windows overlap.

    Args:
        output_size: Height and width of the image.
        kernel_size, dilation, padding, stride: Of the windows.
    """

    __constants__: tuple[str, ...] = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self,
        output_size: _Sizes,
        kernel_size: _Sizes,
        dilation: _Sizes = 1,
        padding: _Sizes = 0,
        stride: _Sizes = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """``(N, C * k, L)`` becomes ``(N, C, H, W)``."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Windows of an image as columns.

    Args:
        kernel_size, dilation, padding, stride: Of the windows.
    """

    __constants__: tuple[str, ...] = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: _Sizes, dilation: _Sizes = 1, padding: _Sizes = 0, stride: _Sizes = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """``(N, C, H, W)`` becomes ``(N, C * k, L)``."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
