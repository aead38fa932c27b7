"""`ChannelShuffle`."""

from __future__ import annotations

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module


class ChannelShuffle(Module):
    """Channels of several groups in turn: ``(N, g * C, *)`` as ``(N, C * g, *)``.

    Args:
        groups: How many.
    """

    __constants__: tuple[str, ...] = ("groups",)
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The channels in another order."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
