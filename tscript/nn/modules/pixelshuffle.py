"""`PixelShuffle`, `PixelUnshuffle`."""

from __future__ import annotations

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module


class PixelShuffle(Module):
    """Channels made pixels: ``(*, C * r * r, H, W)`` becomes ``(*, C, H * r, W * r)``.

    Args:
        upscale_factor: r.
    """

    __constants__: tuple[str, ...] = ("upscale_factor",)
    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The larger image."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels made channels: ``(*, C, H * r, W * r)`` becomes ``(*, C * r * r, H, W)``.

    Args:
        downscale_factor: r.
    """

    __constants__: tuple[str, ...] = ("downscale_factor",)
    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The smaller image."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
