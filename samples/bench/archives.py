"""Archives: saving and loading a network of the size of ResNet-18, and loading 500 functions of which one is called.

Processor time, since nothing here runs on several threads.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time

from harness import Call, Row, interleave

import tscript
from tscript import Tensor, nn


class Block(nn.Module):
    """Two convolutions 3 x 3 and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample: nn.Module | None = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x
        if self.downsample is not None:
            shortcut = self.downsample(x)
        out = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (out + shortcut).relu()


class ResNet18(nn.Module):
    """The network of He et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [
            nn.Conv2d(3, 64, 7, 2, 3, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.MaxPool2d(3, 2, 1),
        ]
        inputs = 64
        for outputs in (64, 128, 256, 512):
            layers += [Block(inputs, outputs, 1 if outputs == 64 else 2), Block(outputs, outputs, 1)]
            inputs = outputs
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))
        self.fc = nn.Linear(512, 1000)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.features(x).flatten(1))


FUNCTION = """
def f{0}(x: Tensor, n: int) -> Tensor:
    y = x * {0}
    for k in range(n):
        y = y + k
    return y
"""


def run() -> list[Row]:
    """Time all of it."""
    net = tscript.script(ResNet18().eval())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.tsa")
        tscript.save(net, path)
        calls: dict[str, dict[str, Call]] = {
            "load": {"tscript": (lambda: tscript.load(path), ())},
            "load(verify=True)": {"tscript": (lambda: tscript.load(path, verify=True), ())},
            "save": {"tscript": (lambda: tscript.save(net, path), ())},
        }
        rows = [interleave(f"ResNet-18: {name}", timed, clock=process_time) for name, timed in calls.items()]
        many = Path(folder, "many.tsa")
        tscript.save(
            tscript.script("from tscript import Tensor\n" + "".join(FUNCTION.format(i) for i in range(500))), many
        )
        x = tscript.ones(2)
        calls = {
            "load": {"tscript": (lambda: tscript.load(many), ())},
            "load, first call of one": {"tscript": (lambda: tscript.load(many).f7(x, 3), ())},
        }
        rows += [interleave(f"500 functions: {name}", timed, clock=process_time) for name, timed in calls.items()]
        return rows
