"""Writes more archives beside it, as `make_archives.py` does: what the language of TorchScript has besides tensors."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional, Tuple

import torch
from make_archives import write
from torch import Tensor, nn


class Shift(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1


class Scale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.w


class Tasks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Scale(), Shift()

    def forward(self, x: Tensor) -> Tensor:
        one, other = torch.jit.fork(self.a, x), torch.jit.fork(self.b, x)
        more: List[torch.jit.Future[Tensor]] = []
        for i in range(3):
            more.append(torch.jit.fork(self.a, x + i))
        y = torch.jit.wait(one) + torch.jit.wait(other)
        for task in more:
            y = y + torch.jit.wait(task)
        return y


@torch.jit.script
class Depth:
    def __init__(self, n: int):
        self.n = n

    def __enter__(self):
        self.n = self.n + 1
        return self.n

    def __exit__(self, a: Any, b: Any, c: Any) -> None:
        self.n = self.n + 10


class Entered(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        depth = Depth(3)
        with depth as n:
            x = x + n
        with torch.no_grad():
            x = x * 2
        with torch.autograd.profiler.record_function("part"):
            x = x + 1
        return x + depth.n


class Storages(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.h = nn.Parameter(torch.tensor([1.5, 2.25, -3.0], dtype=torch.bfloat16))
        self.f = nn.Parameter(torch.tensor([1.5, 2.25, -3.0], dtype=torch.float16))
        self.register_buffer("c", torch.tensor([1 + 2j, 3 - 1j, 0j]))
        self.register_buffer("z", torch.tensor([1 + 2j, 3 - 1j, 0j], dtype=torch.complex128))
        self.register_buffer("b", torch.tensor([True, False, True]))
        self.register_buffer("u", torch.tensor([1, 200, 3], dtype=torch.uint8))
        self.register_buffer("e", torch.empty(0, 3))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, int]:
        where = torch.where(self.b, x, self.u.float())
        return x + self.h.float(), self.f * 2, torch.view_as_real(self.c * x), self.z.abs(), where, self.e.size(1)


class Attributes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.t: Optional[Tensor] = None
        self.names: Dict[str, int] = {"a": 1, "b": 2}
        self.factors: List[float] = [1.0, 2.0]
        self.mixed = (1, "x", 2.5)

    def forward(self, x: Tensor, w: Optional[Tensor] = None) -> Dict[str, Tensor]:
        if w is not None:
            x = x * w
        found: Dict[str, Tensor] = {}
        for key, value in self.names.items():
            found[key] = x + value
        for i, factor in enumerate(self.factors):
            found[f"l{i}"] = x * factor
        t = self.t
        if t is not None:
            found["t"] = t
        found[self.mixed[1]] = x + self.mixed[0]
        return found


class Texts(nn.Module):
    def forward(self, s: str) -> Tuple[List[str], str, int, bool, List[Tensor]]:
        parts = s.split(" ")
        joined = "-".join(parts) + "%s|%d" % (s, len(s))
        found, inverse, counts = torch.unique(
            torch.tensor([len(p) for p in parts]), return_inverse=True, return_counts=True
        )
        return [p.upper() for p in parts], joined, s.find("b"), s.startswith("a") and "b" in s, [found, inverse, counts]


def main() -> None:
    write("tasks", torch.jit.script(Tasks()), [(torch.tensor([1.0, -2.0]),)])
    write("entered", torch.jit.script(Entered()), [(torch.tensor([1.0, -2.0]),)])
    x = torch.tensor([1.0, -2.0, 3.0])
    write("storages", torch.jit.script(Storages()), [(x,)])
    write("attributes", torch.jit.script(Attributes()), [(x,), (x, x)])
    write("texts", torch.jit.script(Texts()), [("a bc de",), ("",)])


if __name__ == "__main__":
    sys.exit(main())
