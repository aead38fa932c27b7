"""`Upsample`, `UpsamplingNearest2d`, `UpsamplingBilinear2d`."""

from __future__ import annotations

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module


class Upsample(Module):
    """Images of other sizes: ``(N, C, L)``, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.

    Args:
        size: The new sizes.
        scale_factor: Or by what the sizes are multiplied.
        mode: ``nearest``, ``linear``, ``bilinear``, ``bicubic``, ``trilinear``, ``area``, ``nearest-exact``.
        align_corners: Whether the pixels at the corners stay where they are.
        recompute_scale_factor: Whether the factors are those of the rounded sizes.
    """

    __constants__: tuple[str, ...] = ("size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor")
    name: str
    size: int | tuple[int, ...] | None
    scale_factor: float | tuple[float, ...] | None
    mode: str
    align_corners: bool | None
    recompute_scale_factor: bool | None

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The images."""
        return F.interpolate(
            input,
            self.size,
            scale_factor=self.scale_factor,  # type: ignore[arg-type]
            mode=self.mode,
            align_corners=self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        text = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{text}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`Upsample` with the nearest pixel.

    Args:
        size: The new sizes.
        scale_factor: Or by what the sizes are multiplied.
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` in straight lines between pixels, with the corners where they are.

    Args:
        size: The new sizes.
        scale_factor: Or by what the sizes are multiplied.
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
