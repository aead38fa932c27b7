"""Writes ``old_*.pt`` beside it, with PyTorch 1.13: ``python make_old_archives.py`` needs it; the tests do not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, List, Tuple

import torch
from slim import slim
from torch import Tensor, nn

HERE = Path(__file__).parent


class Scripted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, bias=False)
        self.norm = nn.BatchNorm2d(2)
        self.lin = nn.Linear(8, 3)
        self.names = {"a": 1, "b": 2}

    def forward(self, x: Tensor, words: List[str]) -> Tuple[Tensor, float]:
        y = nn.functional.gelu(self.norm(self.conv(x)))
        total = 0
        for w in words:
            if w in self.names:
                total += self.names[w]
        z = nn.functional.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.lin(nn.functional.max_pool2d(z, 2).flatten(1)), torch.div(total, 2)


class Traced(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(5, 4, padding_idx=0)
        self.gru = nn.GRU(4, 3, batch_first=True)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        y, h = self.gru(self.emb(x))
        return torch.softmax(y.permute(0, 2, 1).contiguous(), 1), h


def steps(x: Tensor, n: int) -> Tuple[Tensor, Tensor, Tensor]:
    y = torch.linspace(0.0, 1.0, n).reshape(1, -1).to(x.dtype)
    z = torch.full([2], 3)
    w = torch.div(x, 2)
    fs = [torch.jit.fork(torch.relu, w), torch.jit.fork(torch.relu, y)]
    return torch.jit.wait(fs[0]), torch.jit.wait(fs[1]), z


def encoded(value: Any) -> Any:
    if isinstance(value, Tensor):
        name = str(value.dtype).removeprefix("torch.")
        return {"dtype": name, "shape": list(value.shape), "elements": value.reshape(-1).tolist()}
    if isinstance(value, tuple):
        return {"tuple": [encoded(v) for v in value]}
    return [encoded(v) for v in value] if isinstance(value, list) else value


def write(name: str, module: Any, *args: Any) -> None:
    torch.jit.save(module, str(HERE / f"{name}.pt"))
    slim(HERE / f"{name}.pt")
    with torch.no_grad():
        call = {"arguments": [encoded(a) for a in args], "result": encoded(module(*args))}
    (HERE / f"{name}.json").write_text(json.dumps({"calls": [call]}) + "\n")


def main() -> None:
    torch.manual_seed(1)
    image = torch.linspace(-1, 1, 16).reshape(1, 1, 4, 4)
    write("old_scripted", torch.jit.script(Scripted().eval()), image, ["a", "z", "b"])
    tokens = torch.tensor([[0, 1, 4], [3, 2, 0]])
    write("old_traced", torch.jit.trace(Traced().eval(), tokens), tokens)
    write("old_function", torch.jit.script(steps), torch.tensor([-3, 3]), 4)


if __name__ == "__main__":
    sys.exit(main())
