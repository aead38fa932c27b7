"""What `module.tsa` holds."""

from typing import Dict, List, Optional

import tscript
from tscript import Tensor, nn


class Scale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.by = nn.Parameter(tscript.tensor([1.0, 2.0, 3.0]))
        self.register_buffer("calls", tscript.zeros((), dtype=tscript.int64))
        self.offset = 0.5

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * self.by + self.offset


class Net(nn.Module):
    names: List[str]
    table: Dict[str, float]
    best: Optional[Tensor]

    def __init__(self) -> None:
        super().__init__()
        self.first = Scale()
        self.second = self.first
        self.layers = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
        nn.init.ones_(self.layers[0].weight)
        nn.init.zeros_(self.layers[0].bias)
        self.names = ["a", "b"]
        self.table = {"inf": float("inf")}
        self.best = None
        self.big = 2**60 + 1

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers(self.second(self.first(x)))
        self.best = x
        return x * 2 if self.training else x


def build() -> nn.Module:
    return Net().eval()
