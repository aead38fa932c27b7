"""Archives: saving and loading a network of the size of ResNet-18, and loading 500 functions of which one is called.

Processor time, since nothing here runs on several threads. Where PyTorch and torchvision are installed, also a `.pt`
file of ResNet-18 in a process of its own: its import, loading it, and its first call, which compiles it; kernels are in
the cache of compiled code, the network is not.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time, time_ns

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


COLD = """
import sys
from time import process_time
import tscript
times = [process_time()]
net = tscript.load(sys.argv[1])
times.append(process_time())
net(tscript.ones(1, 3, 224, 224))
times.append(process_time())
print(times[0], times[1] - times[0], times[2] - times[1])
"""


def imported(folder: str, rounds: int = 4) -> list[Row]:
    """Time a `.pt` file in new processes; the first one compiles the kernels, and does not count.

    Args:
        folder: Where the files are written.
        rounds: How many processes; each gets a network that no process has compiled.
    """
    if importlib.util.find_spec("torchvision") is None:
        return []
    import torch
    import torchvision

    class Scaled(torch.nn.Module):
        __constants__ = ("by",)

        def __init__(self, by: int) -> None:
            super().__init__()
            self.net = torchvision.models.resnet18()
            self.by = by

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.net(x) * self.by

    found = []
    for n in range(rounds + 1):
        path = str(Path(folder, f"{n}.pt"))
        torch.jit.script(Scaled(time_ns() % 10**6 + 2).eval()).save(path)
        done = subprocess.run([sys.executable, "-c", COLD, path], capture_output=True, text=True, check=True)
        found.append([float(seconds) * 1e9 for seconds in done.stdout.split()])
    parts = zip(*found[1:], strict=True)
    names = ("import", "load", "first call, which compiles it")
    return [Row(f"ResNet-18 as .pt: {name}", {"tscript": min(times)}) for name, times in zip(names, parts, strict=True)]


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
        return [*rows, *imported(folder)]
