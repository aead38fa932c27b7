"""Writes more archives beside it, as `make_archives.py` does: interfaces, packed sequences, inlined constructors."""

from __future__ import annotations

import sys
from typing import List, Tuple

import torch
from make_archives import write
from torch import Tensor, nn


@torch.jit.script
class Counter:
    def __init__(self, start: int):
        self.n = start
        self.seen: List[int] = []

    def add(self, k: int) -> int:
        self.n += k
        self.seen.append(k)
        return self.n


class Counted(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tuple[Tensor, int]:
        counter = Counter(3)
        for i in range(n):
            counter.add(i)
        return x * counter.n, len(counter.seen)


@torch.jit.interface
class Step(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Shift(nn.Module):
    def __init__(self, by: float) -> None:
        super().__init__()
        self.by = by

    def forward(self, x: Tensor) -> Tensor:
        return x + self.by


class Scale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.w


class Chosen(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.ModuleList([Shift(1.0), Scale(), Shift(3.0)])
        self.named = nn.ModuleDict({"shift": Shift(2.0), "scale": Scale()})

    def forward(self, x: Tensor, i: int, name: str) -> Tensor:
        first: Step = self.steps[i]
        x = first.forward(x)
        for k in range(2):
            step: Step = self.steps[(i + k) % 3]
            x = step.forward(x)
        last: Step = self.named[name]
        return last.forward(x)


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(2, 3, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor) -> Tuple[Tensor, Tensor]:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = self.lstm(packed)
        return nn.utils.rnn.pad_packed_sequence(y, batch_first=True)


class Spectra(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(8))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        y = torch.stft(x, 8, 2, 8, self.window, return_complex=True)
        z = torch.stft(x, 8, center=False, return_complex=True)
        return torch.istft(y, 8, 2, 8, self.window, length=32), (z * (complex(1.0, -2.0) * 2)).abs()


class Slices(nn.Module):
    def forward(self, x: Tensor) -> List[Tensor]:
        found: List[Tensor] = [torch.unique(x, dim=0)]
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True, dim=1)
        found += [values, inverse, counts, torch.unique_consecutive(x, dim=0)]
        return found


def main() -> None:
    torch.manual_seed(0)
    write("counted", torch.jit.freeze(torch.jit.script(Counted().eval())), [(torch.tensor([1.0, -2.0]), 4)])
    x = torch.tensor([1.0, -2.0])
    write("chosen", torch.jit.script(Chosen()), [(x, 1, "scale"), (x, 2, "shift")])
    write("packed", torch.jit.script(Packed().eval()), [(torch.randn(3, 4, 2), torch.tensor([2, 4, 3]))])
    write("spectra", torch.jit.script(Spectra()), [(torch.randn(1, 32),)])
    rows = torch.tensor([[1.0, 2.0, 1.0], [1.0, 2.0, 1.0], [0.0, 5.0, 0.0]])
    write("slices", torch.jit.script(Slices()), [(rows,)])


if __name__ == "__main__":
    sys.exit(main())
